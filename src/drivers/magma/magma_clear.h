// SPDX-License-Identifier: MIT
// Clears of framebuffers.
#pragma once

#include "pipe/pipe.h"

namespace magma {

void clear(pipe_context *ctx, const pipe_clear *p);

} // namespace magma
