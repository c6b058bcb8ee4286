// SPDX-License-Identifier: MIT
// What fake_objects.cpp recorded.
#pragma once

#include <string>

namespace gl {
struct Context;
}

namespace fake {

extern std::string last_missing, last_refused, last_without_memory;
extern int drawn;
gl::Context *context();

} // namespace fake
