// SPDX-License-Identifier: MIT
// Where the descriptors of this library lie.
#pragma once

#include "util/descriptor.h"

namespace remote {

using util::above_standard;

} // namespace remote
