// SPDX-License-Identifier: MIT
// Buffer textures that the host lacks. Formats of 16 normalised bits are read as unsigned integers
// and converted by the shader; without buffer textures at all, shaders read two-dimensional
// textures into which the store is copied before each draw. Both are of the program variant
// variant_texels.
#pragma once

#include "espryt_program.h"
#include "espryt_resource.h"

namespace espryt {

enum : unsigned { texel_columns = 2048 }; // of a two-dimensional texture that shows a store

// How a floating-point format is read from unsigned integers. internal 0: it is none, or not one of
// buffer textures.
struct texel_code {
    GLenum internal = 0, format = 0, type = 0; // the integers
    int code = 0;                              // of mgp_texel() in the shaders
};
texel_code texel_code_of(uint32_t format);

// Declarations of the variant, and the words of a fetch. `image`, `at`, `slot`: expressions.
std::string texel_function();
std::string texel_fetch(const std::string &image, const std::string &at, bool flat);

// What the variant reads in place of a buffer texture. Null: the host refused.
texture_ref texel_texture(context *ctx, resource *r);
// Whether a draw or dispatch of the program needs the variant.
bool reads_texels(context *ctx, const program *p);
// Codes and sizes of the buffer textures. The program is in use.
void apply_texels(context *ctx, const program *p, host_program *v);

} // namespace espryt
