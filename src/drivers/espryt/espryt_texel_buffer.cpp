// SPDX-License-Identifier: MIT
// Buffer textures as integers, and as two-dimensional textures.
#include "espryt_texel_buffer.h"

#include <algorithm>

#include "util/log.h"

namespace espryt {

namespace {

enum : int { unorm8, unorm16, half, whole };

// The texture object of the store that is read, made when there is none yet.
host_view *view_of(context *ctx, resource *r, GLenum internal, GLenum target) {
    for (host_view &v : r->views) {
        if (v.internal == internal && v.target == target)
            return &v;
    }
    host_view v{internal, target, 0, 0, {0, next_serial()}, {}};
    ctx->gl->GenTextures(1, &v.name.name);
    r->views.push_back(v);
    return &r->views.back();
}

uint64_t texels_in(const resource *r) {
    const resource *b = r->owner;
    if (!b || b->bad || b->desc.size <= r->desc.buffer_offset)
        return 0;
    const uint64_t size = std::min(r->desc.buffer_size, b->desc.size - r->desc.buffer_offset);
    return size / r->describe()->block_bytes;
}

// Copies the store into rows of a two-dimensional texture; `v` is remade when the size changed.
bool copy_store(context *ctx, resource *r, host_view *v, const texel_code &as) {
    const gles *gl = ctx->gl;
    const uint64_t most =
        uint64_t(texel_columns) * static_cast<unsigned>(ctx->host->info.limits.max_texture_size);
    const auto n = static_cast<int>(std::min(texels_in(r), most));
    const int columns = texel_columns, rows = std::max(1, (n + columns - 1) / columns);
    if (v->num_layers != rows) {
        if (v->num_layers) {
            ctx->sh.forget_texture(v->name);
            gl->DeleteTextures(1, &v->name.name);
            gl->GenTextures(1, &v->name.name);
            v->name.serial = next_serial();
        }
        v->num_layers = static_cast<uint16_t>(rows);
        if (!ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, v->name))
            return false;
        gl->TexStorage2D(GL_TEXTURE_2D, 1, v->internal, columns, rows);
    }
    if (!n)
        return true;
    if (!ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, v->name) || !ctx->sh.unpack(1, 0, 0) ||
        !ctx->sh.bind_buffer(GL_PIXEL_UNPACK_BUFFER, r->owner->name))
        return false;
    const uint64_t row = uint64_t(texel_columns) * r->describe()->block_bytes;
    auto put = [&](int y, int w, int h) {
        gl->TexSubImage2D(
            GL_TEXTURE_2D, 0, 0, y, w, h, as.format, as.type,
            reinterpret_cast<const void *>(r->desc.buffer_offset + static_cast<unsigned>(y) * row));
    };
    if (n / columns)
        put(0, columns, n / columns);
    if (n % columns)
        put(n / columns, n % columns, 1);
    ctx->sh.bind_buffer(GL_PIXEL_UNPACK_BUFFER, {});
    return true;
}

const resource *texel_slot(context *ctx, const program *p, const sampler_slot &s) {
    if (s.target != PIPE_TEXTURE_BUFFER)
        return nullptr;
    const unsigned unit = p->unit_of[PIPE_SLOT_SAMPLER][s.slot];
    const sampler_view *v =
        unit < PIPE_MAX_TEXTURE_UNITS ? ctx->scr->views.find(ctx->views[unit].view) : nullptr;
    return v && v->texture && v->texture->target == GL_TEXTURE_BUFFER ? v->texture : nullptr;
}

} // namespace

texel_code texel_code_of(uint32_t format) {
    constexpr GLenum r = GL_RED_INTEGER, rg = GL_RG_INTEGER, rgb = GL_RGB_INTEGER,
                     rgba = GL_RGBA_INTEGER;
    constexpr GLenum byte = GL_UNSIGNED_BYTE, word = GL_UNSIGNED_SHORT, full = GL_UNSIGNED_INT;
    switch (format) {
    case PIPE_FORMAT_R8_UNORM: return {GL_R8UI, r, byte, unorm8 | 1 << 4};
    case PIPE_FORMAT_R8G8_UNORM: return {GL_RG8UI, rg, byte, unorm8 | 2 << 4};
    case PIPE_FORMAT_R8G8B8A8_UNORM: return {GL_RGBA8UI, rgba, byte, unorm8 | 4 << 4};
    case PIPE_FORMAT_R16_UNORM: return {GL_R16UI, r, word, unorm16 | 1 << 4};
    case PIPE_FORMAT_R16G16_UNORM: return {GL_RG16UI, rg, word, unorm16 | 2 << 4};
    case PIPE_FORMAT_R16G16B16A16_UNORM: return {GL_RGBA16UI, rgba, word, unorm16 | 4 << 4};
    case PIPE_FORMAT_R16_FLOAT: return {GL_R16UI, r, word, half | 1 << 4};
    case PIPE_FORMAT_R16G16_FLOAT: return {GL_RG16UI, rg, word, half | 2 << 4};
    case PIPE_FORMAT_R16G16B16A16_FLOAT: return {GL_RGBA16UI, rgba, word, half | 4 << 4};
    case PIPE_FORMAT_R32_FLOAT: return {GL_R32UI, r, full, whole | 1 << 4};
    case PIPE_FORMAT_R32G32_FLOAT: return {GL_RG32UI, rg, full, whole | 2 << 4};
    case PIPE_FORMAT_R32G32B32_FLOAT: return {GL_RGB32UI, rgb, full, whole | 3 << 4};
    case PIPE_FORMAT_R32G32B32A32_FLOAT: return {GL_RGBA32UI, rgba, full, whole | 4 << 4};
    default: return {};
    }
}

std::string texel_function() {
    return "highp vec4 mgp_texel(highp uvec4 v, int code) {\n"
           "    int kind = code & 15;\n"
           "    highp vec4 t = kind == 0 ? vec4(v) / 255.0\n"
           "        : kind == 1 ? vec4(v) / 65535.0\n"
           "        : kind == 2 ? vec4(unpackHalf2x16(v.x | v.y << 16), unpackHalf2x16(v.z | v.w "
           "<< 16))\n"
           "        : uintBitsToFloat(v);\n"
           "    return vec4(t.xyz, code >> 4 < 4 ? 1.0 : t.w);\n}";
}

std::string texel_fetch(const std::string &image, const std::string &at, bool flat) {
    const std::string columns = std::to_string(texel_columns);
    return flat ? "texelFetch(" + image + ", ivec2((" + at + ") % " + columns + ", (" + at +
                      ") / " + columns + "), 0)"
                : "texelFetch(" + image + ", " + at + ")";
}

texture_ref texel_texture(context *ctx, resource *r) {
    texel_code as = texel_code_of(r->desc.format);
    const bool native = ctx->has(feature::texture_buffer);
    if (!as.internal && native)
        return {r->name, r->target, &r->applied};
    if (!as.internal)
        as = {r->fmt->internal, r->fmt->format, r->fmt->type, 0};
    emulated(emulation::texel_words);
    std::lock_guard<std::mutex> guard(ctx->scr->view_lock);
    host_view *v = view_of(ctx, r, as.internal, native ? GL_TEXTURE_BUFFER : GL_TEXTURE_2D);
    bool ok = v->name.name != 0;
    if (ok && !native)
        ok = copy_store(ctx, r, v, as);
    else if (ok && v->num_layers == 0) {
        attach_store(ctx, r, v->name, as.internal);
        v->num_layers = 1;
    }
    if (!ok || host_failed(ctx, "buffer texture"))
        return {};
    return {v->name, v->target, &v->applied};
}

bool reads_texels(context *ctx, const program *p) {
    for (const sampler_slot &s : p->samplers) {
        const resource *r = texel_slot(ctx, p, s);
        if (r && (!ctx->has(feature::texture_buffer) || lacks_texels(r->desc.format) ||
                  ctx->forced(emulation::texel_words)))
            return true;
    }
    return false;
}

void apply_texels(context *ctx, const program *p, host_program *v) {
    if (v->texels < 0) [[likely]]
        return;
    bool changed = false;
    for (const sampler_slot &s : p->samplers) {
        const resource *r = texel_slot(ctx, p, s);
        const GLint want[2] = {r ? texel_code_of(r->desc.format).code : 0,
                               r ? static_cast<GLint>(texels_in(r)) : 0};
        GLint *have = &v->texels_value[2u * s.slot];
        changed = changed || have[0] != want[0] || have[1] != want[1];
        have[0] = want[0], have[1] = want[1];
    }
    if (changed)
        ctx->gl->Uniform1iv(v->texels, static_cast<GLsizei>(v->texels_value.size()),
                            v->texels_value.data());
}

} // namespace espryt
