// SPDX-License-Identifier: MIT
// Blits between framebuffers and mipmap generation.
#pragma once

#include "pipe/pipe.h"

namespace magma {

void blit(pipe_context *ctx, const pipe_blit *p);
void generate_mipmap(pipe_context *ctx, const pipe_generate_mipmap *p);

} // namespace magma
