// SPDX-License-Identifier: MIT
// The format table, its widening choices, and the probe that finds out what the host really renders
// and samples.
#include "espryt_format.h"

#include <vector>

#include "util/log.h"

namespace espryt {

namespace {

struct row {
    uint32_t format;
    GLenum internal, gl_format, gl_type;
    feature need;   // feature::seamless_cube stands for "always there"
    uint32_t widen; // storage used instead when the host lacks the format, NONE: refuse
    bool alpha_is_one;
};

constexpr feature always = feature::seamless_cube;
constexpr feature n16 = feature::norm16;

#define F(x) PIPE_FORMAT_##x
#define NONE PIPE_FORMAT_NONE
const row rows[] = {
    {F(R8_UNORM), GL_R8, GL_RED, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8G8_UNORM), GL_RG8, GL_RG, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8G8B8_UNORM), GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8G8B8A8_UNORM), GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8_SNORM), GL_R8_SNORM, GL_RED, GL_BYTE, always, NONE, false},
    {F(R8G8_SNORM), GL_RG8_SNORM, GL_RG, GL_BYTE, always, NONE, false},
    {F(R8G8B8_SNORM), GL_RGB8_SNORM, GL_RGB, GL_BYTE, always, NONE, false},
    {F(R8G8B8A8_SNORM), GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, always, NONE, false},
    {F(R8_UINT), GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8G8_UINT), GL_RG8UI, GL_RG_INTEGER, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8G8B8_UINT), GL_RGB8UI, GL_RGB_INTEGER, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8G8B8A8_UINT), GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8_SINT), GL_R8I, GL_RED_INTEGER, GL_BYTE, always, NONE, false},
    {F(R8G8_SINT), GL_RG8I, GL_RG_INTEGER, GL_BYTE, always, NONE, false},
    {F(R8G8B8_SINT), GL_RGB8I, GL_RGB_INTEGER, GL_BYTE, always, NONE, false},
    {F(R8G8B8A8_SINT), GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, always, NONE, false},
    {F(R16_UNORM), GL_R16_EXT, GL_RED, GL_UNSIGNED_SHORT, n16, F(R32_FLOAT), false},
    {F(R16G16_UNORM), GL_RG16_EXT, GL_RG, GL_UNSIGNED_SHORT, n16, F(R32G32_FLOAT), false},
    {F(R16G16B16_UNORM), GL_RGB16_EXT, GL_RGB, GL_UNSIGNED_SHORT, n16, NONE, false},
    {F(R16G16B16A16_UNORM), GL_RGBA16_EXT, GL_RGBA, GL_UNSIGNED_SHORT, n16, F(R32G32B32A32_FLOAT),
     false},
    {F(R16_SNORM), GL_R16_SNORM_EXT, GL_RED, GL_SHORT, n16, F(R32_FLOAT), false},
    {F(R16G16_SNORM), GL_RG16_SNORM_EXT, GL_RG, GL_SHORT, n16, F(R32G32_FLOAT), false},
    {F(R16G16B16_SNORM), GL_RGB16_SNORM_EXT, GL_RGB, GL_SHORT, n16, NONE, false},
    {F(R16G16B16A16_SNORM), GL_RGBA16_SNORM_EXT, GL_RGBA, GL_SHORT, n16, F(R32G32B32A32_FLOAT),
     false},
    {F(R16_UINT), GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, always, NONE, false},
    {F(R16G16_UINT), GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, always, NONE, false},
    {F(R16G16B16_UINT), GL_RGB16UI, GL_RGB_INTEGER, GL_UNSIGNED_SHORT, always, NONE, false},
    {F(R16G16B16A16_UINT), GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, always, NONE, false},
    {F(R16_SINT), GL_R16I, GL_RED_INTEGER, GL_SHORT, always, NONE, false},
    {F(R16G16_SINT), GL_RG16I, GL_RG_INTEGER, GL_SHORT, always, NONE, false},
    {F(R16G16B16_SINT), GL_RGB16I, GL_RGB_INTEGER, GL_SHORT, always, NONE, false},
    {F(R16G16B16A16_SINT), GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, always, NONE, false},
    {F(R16_FLOAT), GL_R16F, GL_RED, GL_HALF_FLOAT, always, NONE, false},
    {F(R16G16_FLOAT), GL_RG16F, GL_RG, GL_HALF_FLOAT, always, NONE, false},
    {F(R16G16B16_FLOAT), GL_RGB16F, GL_RGB, GL_HALF_FLOAT, always, NONE, false},
    {F(R16G16B16A16_FLOAT), GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, always, NONE, false},
    {F(R32_UINT), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, always, NONE, false},
    {F(R32G32_UINT), GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, always, NONE, false},
    {F(R32G32B32_UINT), GL_RGB32UI, GL_RGB_INTEGER, GL_UNSIGNED_INT, always, NONE, false},
    {F(R32G32B32A32_UINT), GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, always, NONE, false},
    {F(R32_SINT), GL_R32I, GL_RED_INTEGER, GL_INT, always, NONE, false},
    {F(R32G32_SINT), GL_RG32I, GL_RG_INTEGER, GL_INT, always, NONE, false},
    {F(R32G32B32_SINT), GL_RGB32I, GL_RGB_INTEGER, GL_INT, always, NONE, false},
    {F(R32G32B32A32_SINT), GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, always, NONE, false},
    {F(R32_FLOAT), GL_R32F, GL_RED, GL_FLOAT, always, NONE, false},
    {F(R32G32_FLOAT), GL_RG32F, GL_RG, GL_FLOAT, always, NONE, false},
    {F(R32G32B32_FLOAT), GL_RGB32F, GL_RGB, GL_FLOAT, always, NONE, false},
    {F(R32G32B32A32_FLOAT), GL_RGBA32F, GL_RGBA, GL_FLOAT, always, NONE, false},
    {F(R8G8B8_SRGB), GL_SRGB8, GL_RGB, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(R8G8B8A8_SRGB), GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, always, NONE, false},
    {F(B8G8R8A8_UNORM), 0, 0, 0, always, F(R8G8B8A8_UNORM), false},
    {F(B8G8R8A8_SRGB), 0, 0, 0, always, F(R8G8B8A8_SRGB), false},
    {F(B8G8R8X8_UNORM), 0, 0, 0, always, F(R8G8B8A8_UNORM), true},
    {F(R8G8B8X8_UNORM), GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, always, NONE, true},
    {F(R8G8B8X8_SRGB), GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, always, NONE, true},
    {F(R8G8B8X8_SNORM), GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, always, NONE, true},
    {F(R8G8B8X8_UINT), GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, always, NONE, true},
    {F(R8G8B8X8_SINT), GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, always, NONE, true},
    {F(R16G16B16X16_UNORM), GL_RGBA16_EXT, GL_RGBA, GL_UNSIGNED_SHORT, n16, F(R32G32B32A32_FLOAT),
     true},
    {F(R16G16B16X16_SNORM), GL_RGBA16_SNORM_EXT, GL_RGBA, GL_SHORT, n16, F(R32G32B32A32_FLOAT),
     true},
    {F(R16G16B16X16_FLOAT), GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, always, NONE, true},
    {F(R16G16B16X16_UINT), GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, always, NONE, true},
    {F(R16G16B16X16_SINT), GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, always, NONE, true},
    {F(R32G32B32X32_FLOAT), GL_RGBA32F, GL_RGBA, GL_FLOAT, always, NONE, true},
    {F(R32G32B32X32_UINT), GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, always, NONE, true},
    {F(R32G32B32X32_SINT), GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, always, NONE, true},
    {F(R3G3B2_UNORM), 0, 0, 0, always, F(R8G8B8A8_UNORM), true},
    {F(R4G4B4A4_UNORM), GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, always, NONE, false},
    {F(R5G5B5A1_UNORM), GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, always, NONE, false},
    {F(R5G6B5_UNORM), GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, always, NONE, false},
    {F(R10G10B10A2_UNORM), GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, always, NONE,
     false},
    {F(R10G10B10A2_UINT), GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV, always,
     NONE, false},
    {F(R11G11B10_FLOAT), GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, always, NONE,
     false},
    {F(R9G9B9E5_FLOAT), GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV, always, NONE, false},
    {F(Z16_UNORM), GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, always, NONE,
     false},
    {F(Z24X8_UNORM), GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, always, NONE,
     false},
    {F(Z24_UNORM_S8_UINT), GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, always,
     NONE, false},
    {F(Z32_UNORM), 0, 0, 0, always, F(Z32_FLOAT), false},
    {F(Z32_FLOAT), GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, always, NONE, false},
    {F(Z32_FLOAT_S8X24_UINT), GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL,
     GL_FLOAT_32_UNSIGNED_INT_24_8_REV, always, NONE, false},
    {F(S8_UINT), GL_STENCIL_INDEX8, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, feature::stencil8, NONE,
     false},
    {F(DXT1_RGB), GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 0, 0, feature::compression_s3tc, NONE, false},
    {F(DXT1_SRGB), GL_COMPRESSED_SRGB_S3TC_DXT1_EXT, 0, 0, feature::compression_s3tc_srgb, NONE,
     false},
    {F(DXT1_RGBA), GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 0, 0, feature::compression_s3tc, NONE, false},
    {F(DXT1_SRGBA), GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT, 0, 0, feature::compression_s3tc_srgb,
     NONE, false},
    {F(DXT3_RGBA), GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, 0, 0, feature::compression_s3tc, NONE, false},
    {F(DXT3_SRGBA), GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT, 0, 0, feature::compression_s3tc_srgb,
     NONE, false},
    {F(DXT5_RGBA), GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 0, 0, feature::compression_s3tc, NONE, false},
    {F(DXT5_SRGBA), GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT, 0, 0, feature::compression_s3tc_srgb,
     NONE, false},
    {F(RGTC1_UNORM), GL_COMPRESSED_RED_RGTC1_EXT, 0, 0, feature::compression_rgtc, NONE, false},
    {F(RGTC1_SNORM), GL_COMPRESSED_SIGNED_RED_RGTC1_EXT, 0, 0, feature::compression_rgtc, NONE,
     false},
    {F(RGTC2_UNORM), GL_COMPRESSED_RED_GREEN_RGTC2_EXT, 0, 0, feature::compression_rgtc, NONE,
     false},
    {F(RGTC2_SNORM), GL_COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT, 0, 0, feature::compression_rgtc,
     NONE, false},
    {F(BPTC_RGBA_UNORM), GL_COMPRESSED_RGBA_BPTC_UNORM_EXT, 0, 0, feature::compression_bptc, NONE,
     false},
    {F(BPTC_SRGBA), GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT, 0, 0, feature::compression_bptc, NONE,
     false},
    {F(BPTC_RGB_FLOAT), GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT, 0, 0, feature::compression_bptc,
     NONE, false},
    {F(BPTC_RGB_UFLOAT), GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT, 0, 0, feature::compression_bptc,
     NONE, false},
    {F(ETC2_RGB8), GL_COMPRESSED_RGB8_ETC2, 0, 0, always, NONE, false},
    {F(ETC2_SRGB8), GL_COMPRESSED_SRGB8_ETC2, 0, 0, always, NONE, false},
    {F(ETC2_RGB8A1), GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 0, 0, always, NONE, false},
    {F(ETC2_SRGB8A1), GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, 0, 0, always, NONE, false},
    {F(ETC2_RGBA8), GL_COMPRESSED_RGBA8_ETC2_EAC, 0, 0, always, NONE, false},
    {F(ETC2_SRGBA8), GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 0, 0, always, NONE, false},
    {F(ETC2_R11_UNORM), GL_COMPRESSED_R11_EAC, 0, 0, always, NONE, false},
    {F(ETC2_R11_SNORM), GL_COMPRESSED_SIGNED_R11_EAC, 0, 0, always, NONE, false},
    {F(ETC2_RG11_UNORM), GL_COMPRESSED_RG11_EAC, 0, 0, always, NONE, false},
    {F(ETC2_RG11_SNORM), GL_COMPRESSED_SIGNED_RG11_EAC, 0, 0, always, NONE, false},
};
#undef NONE

host_format table[PIPE_FORMAT_COUNT];

// Samplable, renderable and how many samples, asked by making a small texture of the format.
void probe_one(host *h, host_format *f, const pipe_format_desc *d, GLuint fbo) {
    const gles *gl = &h->gl;
    GLuint tex = 0;
    gl->GenTextures(1, &tex);
    gl->BindTexture(GL_TEXTURE_2D, tex);
    gl->TexStorage2D(GL_TEXTURE_2D, 1, f->internal, 16, 16);
    if (gl->GetError() != GL_NO_ERROR) {
        f->internal = 0;
        gl->DeleteTextures(1, &tex);
        return;
    }
    f->caps |= PIPE_FORMAT_CAP_SAMPLE | PIPE_FORMAT_CAP_COPY | PIPE_FORMAT_CAP_READ;
    bool zs = d->is_depth || d->is_stencil;
    bool wide = d->is_float && d->channel[0].bits == 32 && !d->is_compressed;
    if (!d->is_integer && (!wide || h->has(feature::float_linear)) && !(zs && !d->is_depth))
        f->caps |= PIPE_FORMAT_CAP_FILTER;
    if (!d->is_compressed) {
        GLenum point = d->is_depth && d->is_stencil ? GL_DEPTH_STENCIL_ATTACHMENT
                       : d->is_depth                ? GL_DEPTH_ATTACHMENT
                       : d->is_stencil              ? GL_STENCIL_ATTACHMENT
                                                    : GL_COLOR_ATTACHMENT0;
        gl->BindFramebuffer(GL_FRAMEBUFFER, fbo);
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, tex, 0);
        bool complete = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, 0, 0);
        if (complete && gl->GetError() == GL_NO_ERROR) {
            f->caps |= zs ? PIPE_FORMAT_CAP_DEPTH_STENCIL
                          : PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_LAYERED_RENDER;
            if (!zs && !d->is_integer && (!wide || h->has(feature::float_blend)))
                f->caps |= PIPE_FORMAT_CAP_BLEND;
        }
    }
    if (f->caps & (PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_DEPTH_STENCIL)) {
        GLint n = 0, samples[16] = {};
        gl->GetInternalformativ(GL_RENDERBUFFER, f->internal, GL_NUM_SAMPLE_COUNTS, 1, &n);
        gl->GetInternalformativ(GL_RENDERBUFFER, f->internal, GL_SAMPLES, 16, samples);
        for (int i = 0; i < n && i < 16; i++) {
            if (samples[i] > 1 && samples[i] < 32)
                f->sample_counts |= 1u << samples[i];
        }
        if (f->sample_counts > 1)
            f->caps |= PIPE_FORMAT_CAP_MULTISAMPLE;
        if (!zs && (f->caps & PIPE_FORMAT_CAP_FILTER))
            f->caps |= PIPE_FORMAT_CAP_MIPMAP;
    }
    while (gl->GetError() != GL_NO_ERROR) {
    }
    gl->DeleteTextures(1, &tex);
}

bool texture_buffer_format(uint32_t f) {
    switch (f) {
    case F(R8_UNORM):
    case F(R8G8_UNORM):
    case F(R8G8B8A8_UNORM):
    case F(R8_UINT):
    case F(R8G8_UINT):
    case F(R8G8B8A8_UINT):
    case F(R8_SINT):
    case F(R8G8_SINT):
    case F(R8G8B8A8_SINT):
    case F(R16_UINT):
    case F(R16G16_UINT):
    case F(R16G16B16A16_UINT):
    case F(R16_SINT):
    case F(R16G16_SINT):
    case F(R16G16B16A16_SINT):
    case F(R16_FLOAT):
    case F(R16G16_FLOAT):
    case F(R16G16B16A16_FLOAT):
    case F(R32_UINT):
    case F(R32G32_UINT):
    case F(R32G32B32_UINT):
    case F(R32G32B32A32_UINT):
    case F(R32_SINT):
    case F(R32G32_SINT):
    case F(R32G32B32_SINT):
    case F(R32G32B32A32_SINT):
    case F(R32_FLOAT):
    case F(R32G32_FLOAT):
    case F(R32G32B32_FLOAT):
    case F(R32G32B32A32_FLOAT): return true;
    default: return false;
    }
}

void mark_images(host *h, uint32_t format, host_format *f) {
    bool extended = h->has(feature::image_formats);
    switch (format) {
    case F(R32_UINT):
    case F(R32_SINT): f->caps |= PIPE_FORMAT_CAP_IMAGE_ATOMIC; [[fallthrough]];
    case F(R32G32B32A32_FLOAT):
    case F(R16G16B16A16_FLOAT):
    case F(R32_FLOAT):
    case F(R32G32B32A32_UINT):
    case F(R16G16B16A16_UINT):
    case F(R8G8B8A8_UINT):
    case F(R32G32B32A32_SINT):
    case F(R16G16B16A16_SINT):
    case F(R8G8B8A8_SINT):
    case F(R8G8B8A8_UNORM):
    case F(R8G8B8A8_SNORM): break;
    case F(R32G32_FLOAT):
    case F(R16G16_FLOAT):
    case F(R11G11B10_FLOAT):
    case F(R16_FLOAT):
    case F(R10G10B10A2_UINT):
    case F(R32G32_UINT):
    case F(R16G16_UINT):
    case F(R8G8_UINT):
    case F(R16_UINT):
    case F(R8_UINT):
    case F(R32G32_SINT):
    case F(R16G16_SINT):
    case F(R8G8_SINT):
    case F(R16_SINT):
    case F(R8_SINT):
    case F(R10G10B10A2_UNORM):
    case F(R8G8_UNORM):
    case F(R8_UNORM):
    case F(R8G8_SNORM):
    case F(R8_SNORM):
        if (!extended)
            return;
        break;
    case F(R16G16B16A16_UNORM):
    case F(R16G16_UNORM):
    case F(R16_UNORM):
    case F(R16G16B16A16_SNORM):
    case F(R16G16_SNORM):
    case F(R16_SNORM):
        if (!extended || !h->has(n16))
            return;
        break;
    default: return;
    }
    f->caps |= PIPE_FORMAT_CAP_IMAGE_LOAD | PIPE_FORMAT_CAP_IMAGE_STORE;
}

} // namespace

void formats_probe(host *h, bool widen) {
    const gles *gl = &h->gl;
    GLuint fbo = 0;
    gl->GenFramebuffers(1, &fbo);
    for (const row &r : rows) {
        host_format &f = table[r.format];
        if (!r.internal || !h->has(r.need) || (widen && r.widen != PIPE_FORMAT_NONE))
            continue;
        f.internal = r.internal;
        f.format = r.gl_format;
        f.type = r.gl_type;
        f.stored = r.format;
        f.alpha_is_one = r.alpha_is_one;
        // S8 renders as a renderbuffer on every host, but as a texture only with the feature.
        probe_one(h, &f, pipe_format_describe(r.format), fbo);
        if (f.internal) {
            f.caps |= PIPE_FORMAT_CAP_NATIVE;
            mark_images(h, r.format, &f);
        }
    }
    for (const row &r : rows) {
        host_format &f = table[r.format];
        if (f.internal || r.widen == PIPE_FORMAT_NONE || !table[r.widen].internal)
            continue;
        f = table[r.widen];
        f.stored = r.widen;
        f.caps &= ~uint32_t(PIPE_FORMAT_CAP_NATIVE | PIPE_FORMAT_CAP_TEXTURE_BUFFER |
                            PIPE_FORMAT_CAP_IMAGE_LOAD | PIPE_FORMAT_CAP_IMAGE_STORE |
                            PIPE_FORMAT_CAP_IMAGE_ATOMIC);
        f.widened = true;
        f.alpha_is_one = r.alpha_is_one;
    }
    // Read as integers, or without buffer textures from copies.
    for (uint32_t f = 0; f < PIPE_FORMAT_COUNT; f++) {
        if (lacks_texels(f) || (table[f].internal && texture_buffer_format(f)))
            table[f].caps |= PIPE_FORMAT_CAP_TEXTURE_BUFFER;
    }
    host_format &s8 = table[PIPE_FORMAT_S8_UINT];
    if (!s8.internal) { // renderbuffers of it exist in OpenGL ES 3.0
        s8.internal = GL_STENCIL_INDEX8;
        s8.stored = PIPE_FORMAT_S8_UINT;
        s8.caps = PIPE_FORMAT_CAP_DEPTH_STENCIL | PIPE_FORMAT_CAP_NATIVE | PIPE_FORMAT_CAP_READ;
    }
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers(1, &fbo);
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

const host_format &format_of(uint32_t pipe_format) {
    static const host_format none;
    return pipe_format < PIPE_FORMAT_COUNT ? table[pipe_format] : none;
}

GLenum image_format_of(uint32_t pipe_format) {
    const host_format &f = format_of(pipe_format);
    return f.caps & PIPE_FORMAT_CAP_IMAGE_LOAD ? f.internal : 0;
}

bool lacks_texels(uint32_t f) {
    return f == F(R16_UNORM) || f == F(R16G16_UNORM) || f == F(R16G16B16A16_UNORM);
}

GLenum attrib_type_of(uint8_t type) {
    switch (type) {
    case PIPE_ATTRIB_FLOAT: return GL_FLOAT;
    case PIPE_ATTRIB_HALF: return GL_HALF_FLOAT;
    case PIPE_ATTRIB_FIXED: return GL_FIXED;
    case PIPE_ATTRIB_BYTE: return GL_BYTE;
    case PIPE_ATTRIB_UBYTE: return GL_UNSIGNED_BYTE;
    case PIPE_ATTRIB_SHORT: return GL_SHORT;
    case PIPE_ATTRIB_USHORT: return GL_UNSIGNED_SHORT;
    case PIPE_ATTRIB_INT: return GL_INT;
    case PIPE_ATTRIB_UINT: return GL_UNSIGNED_INT;
    case PIPE_ATTRIB_INT_2_10_10_10_REV: return GL_INT_2_10_10_10_REV;
    case PIPE_ATTRIB_UINT_2_10_10_10_REV: return GL_UNSIGNED_INT_2_10_10_10_REV;
    default: return 0; // doubles and packed floats: emulated or masked by espryt_vertex.cpp
    }
}

#undef F

} // namespace espryt
