// SPDX-License-Identifier: MIT
// Sampler parameters, of sampler objects and of textures (GL 4.6 section 8.2).
#pragma once

#include "objects/ref.h"

namespace gl {

struct SamplerParams {
    GLenum min_filter = GL_NEAREST_MIPMAP_LINEAR, mag_filter = GL_LINEAR;
    GLenum wrap_s = GL_REPEAT, wrap_t = GL_REPEAT, wrap_r = GL_REPEAT;
    GLenum compare_mode = GL_NONE, compare_func = GL_LEQUAL;
    GLenum srgb_decode = GL_DECODE_EXT;
    float min_lod = -1000, max_lod = 1000, lod_bias = 0, max_anisotropy = 1;
    bool seamless = false;
    enum Border : uint8_t { border_float, border_int, border_uint } border_type = border_float;
    union {
        float f[4];
        GLint i[4];
        GLuint u[4];
    } border{{0, 0, 0, 0}};
};
struct Sampler : Object {
    ~Sampler() override;
    SamplerParams params;
    uint32_t version = 0;
    void *tracker = nullptr;
};
Sampler *lookup_sampler(Context &ctx, GLuint name);

enum class ParamResult { same, changed, error };
// Sets one sampler parameter of a texture or sampler object; raises the GL error itself. `n` values
// at p (float or int form).
ParamResult set_sampler_param(Context &ctx, SamplerParams &s, GLenum pname, const GLfloat *f,
                              const GLint *i, bool pure, bool pure_unsigned, const char *func,
                              bool is_rect);
// Reads one; false when pname is not a sampler parameter. Values land as doubles (ints exactly) in
// out, count returned in n.
bool get_sampler_param(const SamplerParams &s, GLenum pname, double out[4], int &n);
} // namespace gl
