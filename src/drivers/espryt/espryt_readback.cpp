// SPDX-License-Identifier: MIT
// Texels out of the host: read_pixels, get_texture_image and their buffer forms. The host reads few
// formats; the rest goes through a wider read and a conversion, through a copy into an integer
// format of the same size, or through a shader that fetches texels.
#include <algorithm>
#include <cstring>

#include "drivers_common/format_convert.h"
#include "espryt_blit.h"
#include "espryt_blocks.h"
#include "espryt_draw.h"
#include "espryt_transfer.h"
#include "util/log.h"

namespace espryt {

namespace {

struct host_read {
    GLenum format, type;
    uint32_t layout; // pipe_format of what the host writes
};

// How the host reads an attachment whose texels are stored as `stored`. `opaque`: its alpha must
// read as one.
host_read plan(uint32_t stored, bool opaque) {
    const pipe_format_desc *d = pipe_format_describe(stored);
    if (d->is_integer && d->is_signed)
        return {GL_RGBA_INTEGER, GL_INT,
                opaque ? uint32_t(PIPE_FORMAT_R32G32B32X32_SINT)
                       : uint32_t(PIPE_FORMAT_R32G32B32A32_SINT)};
    if (d->is_integer)
        return {GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                opaque ? uint32_t(PIPE_FORMAT_R32G32B32X32_UINT)
                       : uint32_t(PIPE_FORMAT_R32G32B32A32_UINT)};
    if (d->is_float)
        return {GL_RGBA, GL_FLOAT,
                opaque ? uint32_t(PIPE_FORMAT_R32G32B32X32_FLOAT)
                       : uint32_t(PIPE_FORMAT_R32G32B32A32_FLOAT)};
    if (stored == PIPE_FORMAT_R10G10B10A2_UNORM)
        return {GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, PIPE_FORMAT_R10G10B10A2_UNORM};
    if (d->channel[0].bits > 8)
        return {GL_RGBA, GL_UNSIGNED_SHORT,
                opaque ? uint32_t(PIPE_FORMAT_R16G16B16X16_UNORM)
                       : uint32_t(PIPE_FORMAT_R16G16B16A16_UNORM)};
    return {GL_RGBA, GL_UNSIGNED_BYTE,
            opaque ? uint32_t(PIPE_FORMAT_R8G8B8X8_UNORM) : uint32_t(PIPE_FORMAT_R8G8B8A8_UNORM)};
}

bool fits(const pixel_dest &d, unsigned w, unsigned h) {
    uint64_t row = uint64_t(w) * pipe_format_describe(d.format)->block_bytes;
    return h && uint64_t(d.row_stride) * (h - 1) + row <= d.size;
}

bool host_read_pixels(context *ctx, int x, int y, unsigned w, unsigned h, GLenum format,
                      GLenum type, void *dst) {
    if (setup_failed(ctx, "read-back"))
        return false;
    ctx->gl->ReadPixels(x, y, static_cast<GLsizei>(w), static_cast<GLsizei>(h), format, type, dst);
    return !host_failed(ctx, "read-back");
}

bool convert_out(context *ctx, const host_read &r, const pixel_dest &d, const uint8_t *src,
                 unsigned w, unsigned h) {
    uint64_t row = uint64_t(w) * pipe_format_describe(r.layout)->block_bytes;
    emulated(emulation::convert_read);
    (void)ctx;
    return drivers_common::convert_texels(
        {d.ptr, linear_name(d.format), d.row_stride, 0},
        {const_cast<uint8_t *>(src), linear_name(r.layout), row, 0}, w, h, 1);
}

bool try_read(context *ctx, const host_read &r, int x, int y, unsigned w, unsigned h,
              const pixel_dest &d) {
    unsigned bytes = pipe_format_describe(r.layout)->block_bytes;
    ctx->sh.bind_buffer(GL_PIXEL_PACK_BUFFER, {});
    if (linear_name(d.format) == r.layout && d.row_stride % bytes == 0 &&
        !ctx->forced(emulation::convert_read)) {
        ctx->sh.pack(1, h > 1 ? static_cast<int>(d.row_stride / bytes) : 0);
        return host_read_pixels(ctx, x, y, w, h, r.format, r.type, d.ptr);
    }
    ctx->scratch.assign(uint64_t(w) * h * bytes, 0);
    ctx->sh.pack(1, 0);
    return host_read_pixels(ctx, x, y, w, h, r.format, r.type, ctx->scratch.data()) &&
           convert_out(ctx, r, d, ctx->scratch.data(), w, h);
}

} // namespace

uint32_t linear_name(uint32_t f) {
    switch (f) {
    case PIPE_FORMAT_R8G8B8A8_SRGB: return PIPE_FORMAT_R8G8B8A8_UNORM;
    case PIPE_FORMAT_R8G8B8X8_SRGB: return PIPE_FORMAT_R8G8B8X8_UNORM;
    case PIPE_FORMAT_R8G8B8_SRGB: return PIPE_FORMAT_R8G8B8_UNORM;
    case PIPE_FORMAT_B8G8R8A8_SRGB: return PIPE_FORMAT_B8G8R8A8_UNORM;
    case PIPE_FORMAT_R8_SRGB: return PIPE_FORMAT_R8_UNORM;
    case PIPE_FORMAT_R8G8_SRGB: return PIPE_FORMAT_R8G8_UNORM;
    default: return f;
    }
}

bool read_color(context *ctx, uint32_t format, int x, int y, unsigned w, unsigned h,
                const pixel_dest &d) {
    if (!w || !h)
        return true;
    const host_format &f = format_of(format);
    if (!f.internal || !fits(d, w, h))
        return false;
    // Normalised formats can always be read as floats on hosts with float render targets, else as
    // bytes.
    host_read as_float = {GL_RGBA, GL_FLOAT,
                          f.alpha_is_one ? uint32_t(PIPE_FORMAT_R32G32B32X32_FLOAT)
                                         : uint32_t(PIPE_FORMAT_R32G32B32A32_FLOAT)};
    const pipe_format_desc *stored = pipe_format_describe(f.stored);
    // Hosts read negative values as zeros through signed bytes and shorts.
    if (!stored->is_snorm && try_read(ctx, plan(f.stored, f.alpha_is_one), x, y, w, h, d))
        return true;
    return !stored->is_integer && try_read(ctx, as_float, x, y, w, h, d);
}

bool read_depth_stencil(context *ctx, uint32_t format, unsigned aspects, int x, int y, unsigned w,
                        unsigned h, const pixel_dest &d) {
    if (!w || !h)
        return true;
    if (!fits(d, w, h))
        return false;
    const pipe_format_desc *s = pipe_format_describe(format);
    uint64_t n = uint64_t(w) * h;
    ctx->sh.bind_buffer(GL_PIXEL_PACK_BUFFER, {});
    ctx->sh.pack(1, 0);
    std::vector<uint8_t> bytes(n * 4);
    if ((aspects & PIPE_ASPECT_DEPTH) && s->is_depth) {
        if (!ctx->has(feature::read_depth) || ctx->forced(emulation::shader_read))
            return false;
        bool real = s->is_float;
        if (!host_read_pixels(ctx, x, y, w, h, GL_DEPTH_COMPONENT,
                              real ? GL_FLOAT : GL_UNSIGNED_INT, bytes.data()))
            return false;
        uint32_t layout = real ? PIPE_FORMAT_Z32_FLOAT : PIPE_FORMAT_Z32_UNORM;
        std::vector<double> row(w);
        for (unsigned i = 0; i < h; i++) {
            drivers_common::unpack_depth(layout, bytes.data() + uint64_t(i) * w * 4, row.data(), w);
            drivers_common::pack_depth(d.format, row.data(), d.ptr + uint64_t(i) * d.row_stride, w);
        }
    }
    if ((aspects & PIPE_ASPECT_STENCIL) && s->is_stencil) {
        if (!ctx->has(feature::read_stencil) || ctx->forced(emulation::shader_read))
            return false;
        if (!host_read_pixels(ctx, x, y, w, h, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, bytes.data()))
            return false;
        for (unsigned i = 0; i < h; i++)
            drivers_common::pack_stencil(d.format, bytes.data() + uint64_t(i) * w,
                                         d.ptr + uint64_t(i) * d.row_stride, w);
    }
    return true;
}

namespace {

uint32_t raw_format(unsigned bytes) {
    switch (bytes) {
    case 1: return PIPE_FORMAT_R8_UINT;
    case 2: return PIPE_FORMAT_R16_UINT;
    case 4: return PIPE_FORMAT_R32_UINT;
    case 8: return PIPE_FORMAT_R32G32_UINT;
    case 16: return PIPE_FORMAT_R32G32B32A32_UINT;
    default: return PIPE_FORMAT_NONE;
    }
}

// Copies the texels (or blocks) bit by bit into an integer texture, which every host reads.
bool read_raw(context *ctx, resource *r, unsigned level, unsigned slice, int x, int y, unsigned w,
              unsigned h, const pixel_dest &d) {
    const gles *gl = ctx->gl;
    const pipe_format_desc *f = pipe_format_describe(r->fmt->stored);
    uint32_t raw = raw_format(f->block_bytes);
    if (raw == PIPE_FORMAT_NONE || !ctx->has(feature::copy_image) || r->desc.samples > 1)
        return false;
    unsigned cols = (w + f->block_width - 1) / f->block_width,
             rows = (h + f->block_height - 1) / f->block_height;
    host_name tmp{0, next_serial()};
    gl->GenTextures(1, &tmp.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, tmp))
        gl->TexStorage2D(GL_TEXTURE_2D, 1, format_of(raw).internal, static_cast<GLsizei>(cols),
                         static_cast<GLsizei>(rows));
    unsigned cw = f->is_compressed ? cols * f->block_width : w,
             ch = f->is_compressed ? rows * f->block_height : h;
    // A copy of the last, partial blocks names the level's own extent.
    cw = std::min(cw, r->level_width(level) - static_cast<unsigned>(x));
    ch = std::min(ch, r->level_height(level) - static_cast<unsigned>(y));
    gl->CopyImageSubData(r->name.name, r->target, static_cast<GLint>(level), x, y,
                         static_cast<GLint>(slice), tmp.name, GL_TEXTURE_2D, 0, 0, 0, 0,
                         static_cast<GLsizei>(cw), static_cast<GLsizei>(ch), 1);
    bool ok = !host_failed(ctx, "copy to an integer texture");
    std::vector<uint8_t> bytes(uint64_t(cols) * rows * f->block_bytes);
    if (ok) {
        ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, ctx->scratch_fbo[0]);
        gl->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, tmp.name,
                                 0);
        gl->ReadBuffer(GL_COLOR_ATTACHMENT0);
        ok = read_color(ctx, raw, 0, 0, cols, rows,
                        {bytes.data(), bytes.size(), raw, cols * f->block_bytes});
        gl->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
    }
    ctx->sh.forget_texture(tmp);
    gl->DeleteTextures(1, &tmp.name);
    ctx->dirty |= dirty_framebuffer;
    if (!ok)
        return false;
    uint64_t row = uint64_t(cols) * f->block_bytes;
    if (f->is_compressed || d.format == r->fmt->stored) {
        for (unsigned i = 0; i < rows; i++)
            memcpy(d.ptr + uint64_t(i) * d.row_stride, bytes.data() + i * row, row);
        return true;
    }
    emulated(emulation::convert_read);
    return drivers_common::convert_texels({d.ptr, linear_name(d.format), d.row_stride, 0},
                                          {bytes.data(), linear_name(r->fmt->stored), row, 0}, w, h,
                                          1);
}

bool read_by_shader(context *ctx, resource *r, unsigned level, unsigned slice, unsigned aspects,
                    int x, int y, unsigned w, unsigned h, const pixel_dest &d) {
    uint32_t layout = PIPE_FORMAT_NONE;
    emulated(emulation::shader_read);
    if (!shader_fetch(ctx, r, level, slice, aspects, x, y, w, h, &layout))
        return false;
    const pipe_format_desc *out = pipe_format_describe(d.format);
    std::vector<uint8_t> bytes(uint64_t(w) * h * 16);
    bool ok = read_color(ctx, layout, 0, 0, w, h, {bytes.data(), bytes.size(), layout, w * 16});
    shader_fetch_done(ctx);
    if (!ok)
        return false;
    auto texels = reinterpret_cast<const drivers_common::texel *>(bytes.data());
    if (out->is_depth || out->is_stencil) {
        std::vector<double> depth(w);
        std::vector<uint8_t> stencil(w);
        for (unsigned i = 0; i < h; i++) {
            uint8_t *row = d.ptr + uint64_t(i) * d.row_stride;
            for (unsigned c = 0; c < w; c++) {
                depth[c] = double(texels[uint64_t(i) * w + c].f[0]);
                stencil[c] = static_cast<uint8_t>(texels[uint64_t(i) * w + c].u[0]);
            }
            if (aspects & PIPE_ASPECT_STENCIL)
                drivers_common::pack_stencil(d.format, stencil.data(), row, w);
            else
                drivers_common::pack_depth(d.format, depth.data(), row, w);
        }
        return true;
    }
    for (unsigned i = 0; i < h; i++) {
        if (!drivers_common::pack_texels(d.format, texels + uint64_t(i) * w,
                                         d.ptr + uint64_t(i) * d.row_stride, w))
            return false;
    }
    return true;
}

// Colours that the host does not read from a framebuffer; what is outside the texture is left
// alone.
bool read_texels(context *ctx, resource *r, unsigned level, unsigned slice,
                 const pipe_read_pixels *p, const pixel_dest &d) {
    const int x0 = std::max(0, p->x), y0 = std::max(0, p->y);
    const auto x1 =
        static_cast<int>(std::min<int64_t>(int64_t(p->x) + p->width, r->level_width(level)));
    const auto y1 =
        static_cast<int>(std::min<int64_t>(int64_t(p->y) + p->height, r->level_height(level)));
    if (x1 <= x0 || y1 <= y0)
        return true;
    const uint64_t skip =
        static_cast<uint64_t>(y0 - p->y) * d.row_stride +
        static_cast<uint64_t>(x0 - p->x) * pipe_format_describe(d.format)->block_bytes;
    const pixel_dest inside = {d.ptr + skip, d.size - skip, d.format, d.row_stride};
    const auto w = static_cast<unsigned>(x1 - x0), h = static_cast<unsigned>(y1 - y0);
    return fits(inside, w, h) && (read_raw(ctx, r, level, slice, x0, y0, w, h, inside) ||
                                  (r->target != GL_RENDERBUFFER &&
                                   read_by_shader(ctx, r, level, slice, 0, x0, y0, w, h, inside)));
}

// Depth and stencil of one slice of a texture, one after the other.
bool read_aspects_by_shader(context *ctx, resource *r, unsigned level, unsigned slice,
                            unsigned aspects, const pipe_read_pixels *p, const pixel_dest &d) {
    bool ok = true;
    for (unsigned a : {unsigned(PIPE_ASPECT_DEPTH), unsigned(PIPE_ASPECT_STENCIL)}) {
        if (aspects & a)
            ok = read_by_shader(ctx, r, level, slice, a, p->x, p->y, p->width, p->height, d) && ok;
    }
    return ok;
}

bool read_attached(context *ctx, resource *r, unsigned level, unsigned slice, unsigned aspects,
                   int x, int y, unsigned w, unsigned h, const pixel_dest &d) {
    const gles *gl = ctx->gl;
    const pipe_format_desc *f = r->describe();
    bool zs = f->is_depth || f->is_stencil;
    GLenum point = depth_stencil_point(r->desc.format);
    ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, ctx->scratch_fbo[0]);
    bool ok = attach(ctx, GL_READ_FRAMEBUFFER, point, r, PIPE_FORMAT_NONE, level, slice, false);
    gl->ReadBuffer(zs ? GL_NONE : GL_COLOR_ATTACHMENT0);
    ok = ok && gl->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (ok)
        ok = zs ? read_depth_stencil(ctx, r->desc.format, aspects, x, y, w, h, d)
                : read_color(ctx, r->desc.format, x, y, w, h, d);
    gl->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
    ok = !host_failed(ctx, "read from an attachment") && ok;
    ctx->dirty |= dirty_framebuffer;
    return ok;
}

// What framebuffers show is blitted into a texture of the same format first; then that is read:
// multisample attachments, which the host does not read, and depth or stencil in renderbuffers of
// hosts that read neither.
bool read_framebuffer_copied(context *ctx, const framebuffer *fb, uint32_t format, unsigned aspects,
                             const pipe_read_pixels *p, const pixel_dest &d) {
    const gles *gl = ctx->gl;
    const pipe_format_desc *f = pipe_format_describe(format);
    GLenum point = depth_stencil_point(format);
    resource tmp;
    tmp.scr = ctx->scr;
    tmp.desc.format = static_cast<uint16_t>(format);
    tmp.desc.target = PIPE_TEXTURE_2D;
    tmp.target = GL_TEXTURE_2D;
    tmp.fmt = &format_of(format);
    tmp.name = {0, next_serial()};
    int x = std::max(0, p->x), y = std::max(0, p->y);
    auto x1 = static_cast<GLint>(std::min<int64_t>(int64_t(p->x) + p->width, fb->width));
    auto y1 = static_cast<GLint>(std::min<int64_t>(int64_t(p->y) + p->height, fb->height));
    if (x1 <= x || y1 <= y)
        return true;
    tmp.desc.width = static_cast<uint32_t>(x1);
    tmp.desc.height = static_cast<uint32_t>(y1);
    gl->GenTextures(1, &tmp.name.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, tmp.name))
        gl->TexStorage2D(GL_TEXTURE_2D, 1, tmp.fmt->internal, x1, y1);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    gl->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, point, GL_TEXTURE_2D, tmp.name.name, 0);
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    GLbitfield mask =
        (f->is_depth ? GL_DEPTH_BUFFER_BIT : 0) | (f->is_stencil ? GL_STENCIL_BUFFER_BIT : 0);
    // The host resolves between equal rectangles only.
    gl->BlitFramebuffer(x, y, x1, y1, x, y, x1, y1, mask ? mask : GL_COLOR_BUFFER_BIT, GL_NEAREST);
    bool ok = !host_failed(ctx, "copy of a framebuffer");
    ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, ctx->scratch_fbo[1]);
    gl->ReadBuffer(mask ? GL_NONE : GL_COLOR_ATTACHMENT0);
    if (ok && !mask)
        ok = read_color(ctx, format, p->x, p->y, p->width, p->height, d) ||
             (!ctx->host_oom && read_texels(ctx, &tmp, 0, 0, p, d));
    else if (ok && !read_depth_stencil(ctx, format, aspects, p->x, p->y, p->width, p->height, d))
        ok = read_aspects_by_shader(ctx, &tmp, 0, 0, aspects, p, d);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    gl->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, point, GL_TEXTURE_2D, 0, 0);
    ctx->sh.forget_texture(tmp.name);
    gl->DeleteTextures(1, &tmp.name.name);
    ctx->dirty |= dirty_framebuffer | dirty_scissor;
    return ok;
}

bool read_framebuffer(context *ctx, const pipe_read_pixels *p, const pixel_dest &d) {
    framebuffer *fb = find_framebuffer(ctx, p->framebuffer);
    if (!bind_read_framebuffer(ctx, fb))
        return false;
    ctx->dirty |= dirty_framebuffer;
    bool zs = p->mask & (PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL);
    unsigned aspects = (p->mask & PIPE_BUFFER_DEPTH ? PIPE_ASPECT_DEPTH : 0) |
                       (p->mask & PIPE_BUFFER_STENCIL ? PIPE_ASPECT_STENCIL : 0);
    uint32_t format = !zs                           ? fb->read_format
                      : aspects & PIPE_ASPECT_DEPTH ? fb->depth_format
                                                    : fb->stencil_format;
    if (format == PIPE_FORMAT_NONE)
        return false;
    // The host leaves texels outside the framebuffer alone, as GL does.
    if ((zs ? fb->samples : fb->read_samples) > 1)
        return read_framebuffer_copied(ctx, fb, format, aspects, p, d);
    if (!zs && read_color(ctx, format, p->x, p->y, p->width, p->height, d))
        return true;
    if (!zs && ctx->host_oom)
        return false;
    if (!zs) {
        const pipe_surface_view &v = fb->state->color[fb->state->read_buffer];
        resource *r = find_resource(ctx, v.resource);
        return r && r->target != GL_RENDERBUFFER
                   ? read_texels(ctx, r, v.level, v.layer, p, d)
                   : read_framebuffer_copied(ctx, fb, format, aspects, p, d);
    }
    if (read_depth_stencil(ctx, format, aspects, p->x, p->y, p->width, p->height, d))
        return true;
    const pipe_surface_view &v =
        aspects & PIPE_ASPECT_DEPTH ? fb->state->depth : fb->state->stencil;
    resource *r = find_resource(ctx, v.resource);
    if (!r || r->target == GL_RENDERBUFFER)
        return !ctx->host_oom && read_framebuffer_copied(ctx, fb, format, aspects, p, d);
    return read_aspects_by_shader(ctx, r, v.level, v.layer, aspects, p, d);
}

// That was reported when the attachment was refused.
bool reads_bad_framebuffer(context *ctx, pipe_handle h) {
    const framebuffer *f = find_framebuffer(ctx, h);
    for (unsigned i = 0; f && i < f->num_refs; i++) {
        if (f->refs[i]->bad)
            return true;
    }
    return false;
}

pipe_status read_pixels(pipe_context *pc, const pipe_read_pixels *p, const pipe_out_span *dst) {
    context *ctx = to_context(pc);
    bool ok = read_framebuffer(
        ctx, p, {static_cast<uint8_t *>(dst->ptr), dst->size, p->format, p->row_stride});
    if (!ok && !ctx->host_oom && !reads_bad_framebuffer(ctx, p->framebuffer))
        log_warning("espryt", "read_pixels as %s was refused", pipe_format_name(p->format));
    const bool raised = ctx->host_oom || ctx->reported;
    verb_done(ctx, "read_pixels");
    return ok ? PIPE_OK : raised ? PIPE_DECLINED : PIPE_ERROR;
}

void read_pixels_to_buffer(pipe_context *pc, const pipe_read_pixels_to_buffer *p) {
    context *ctx = to_context(pc);
    resource *b = find_resource(ctx, p->buffer);
    if (!b || !p->height || !p->width)
        return;
    unsigned texel = pipe_format_describe(p->format)->block_bytes;
    uint64_t row = uint64_t(p->width) * texel,
             size = uint64_t(p->row_stride) * (p->height - 1) + row;
    if (p->offset > b->desc.size || size > b->desc.size - p->offset)
        return;
    // Bytes between the rows keep what the buffer has.
    std::vector<uint8_t> bytes(size);
    pipe_read_pixels r{};
    r.framebuffer = p->framebuffer;
    r.x = p->x, r.y = p->y, r.width = p->width, r.height = p->height;
    r.format = p->format, r.mask = p->mask, r.row_stride = p->row_stride;
    if (p->row_stride != row)
        buffer_read(ctx, b, p->offset, size, bytes.data());
    if (read_framebuffer(ctx, &r, {bytes.data(), size, p->format, p->row_stride}))
        buffer_write(ctx, b, p->offset, size, bytes.data());
    verb_done(ctx, "read_pixels_to_buffer");
}

bool read_image(context *ctx, resource *r, const pipe_get_texture_image *p, uint8_t *ptr,
                uint64_t size) {
    const pipe_box &b = p->box;
    unsigned aspects = p->aspect;
    if (!aspects || aspects == PIPE_ASPECT_COLOR)
        aspects = PIPE_ASPECT_DEPTH | PIPE_ASPECT_STENCIL;
    bool ok = true;
    for (int z = 0; z < b.depth; z++) {
        uint64_t at = uint64_t(z) * p->slice_stride;
        if (at >= size)
            return false;
        ok = read_slice(ctx, r, p->level, static_cast<unsigned>(b.z + z), aspects, b.x, b.y,
                        static_cast<unsigned>(b.width), static_cast<unsigned>(b.height),
                        {ptr + at, size - at, p->format, p->row_stride}) &&
             ok;
    }
    return ok;
}

pipe_status get_texture_image(pipe_context *pc, const pipe_get_texture_image *p,
                              const pipe_out_span *dst) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->texture);
    bool ok =
        r && !r->is_buffer() && read_image(ctx, r, p, static_cast<uint8_t *>(dst->ptr), dst->size);
    if (!ok && r && !ctx->host_oom)
        log_warning("espryt", "get_texture_image as %s was refused", pipe_format_name(p->format));
    verb_done(ctx, "get_texture_image");
    return ok ? PIPE_OK : PIPE_ERROR;
}

void get_texture_image_to_buffer(pipe_context *pc, const pipe_get_texture_image_to_buffer *p) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->texture), *b = find_resource(ctx, p->buffer);
    if (!r || !b || p->offset > b->desc.size)
        return;
    const pipe_format_desc *f = pipe_format_describe(p->format);
    uint64_t rows = (static_cast<unsigned>(p->box.height) + f->block_height - 1) / f->block_height;
    uint64_t row = (static_cast<unsigned>(p->box.width) + f->block_width - 1) / f->block_width *
                   f->block_bytes;
    uint64_t size = uint64_t(p->slice_stride) * static_cast<unsigned>(p->box.depth - 1) +
                    uint64_t(p->row_stride) * (rows - 1) + row;
    if (size > b->desc.size - p->offset)
        return;
    std::vector<uint8_t> bytes(size);
    buffer_read(ctx, b, p->offset, size, bytes.data());
    pipe_get_texture_image g{};
    g.texture = p->texture;
    g.level = p->level, g.format = p->format, g.box = p->box, g.row_stride = p->row_stride;
    g.slice_stride = p->slice_stride, g.aspect = p->aspect;
    if (read_image(ctx, r, &g, bytes.data(), size))
        buffer_write(ctx, b, p->offset, size, bytes.data());
    verb_done(ctx, "get_texture_image_to_buffer");
}

} // namespace

bool read_slice(context *ctx, resource *r, unsigned level, unsigned slice, unsigned aspects, int x,
                int y, unsigned w, unsigned h, const pixel_dest &d) {
    const pipe_format_desc *f = r->describe();
    if (!w || !h)
        return true;
    if (keeps_blocks(ctx, r) && pipe_format_describe(d.format)->is_compressed)
        return blocks_read(r, level, slice, x, y, w, h, d);
    if (f->is_compressed) // blocks as they are, or the texels that the host decodes
        return pipe_format_describe(d.format)->is_compressed
                   ? read_raw(ctx, r, level, slice, x, y, w, h, d)
                   : fits(d, w, h) && read_by_shader(ctx, r, level, slice, 0, x, y, w, h, d);
    bool zs = f->is_depth || f->is_stencil;
    bool renders = r->fmt->caps & (PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_DEPTH_STENCIL);
    if (!fits(d, w, h))
        return false;
    if (renders && !ctx->forced(emulation::shader_read) &&
        read_attached(ctx, r, level, slice, aspects, x, y, w, h, d))
        return true;
    if (!zs && !ctx->forced(emulation::shader_read) &&
        read_raw(ctx, r, level, slice, x, y, w, h, d))
        return true;
    if (!zs)
        return read_by_shader(ctx, r, level, slice, 0, x, y, w, h, d);
    bool ok = true;
    if ((aspects & PIPE_ASPECT_DEPTH) && f->is_depth)
        ok = read_by_shader(ctx, r, level, slice, PIPE_ASPECT_DEPTH, x, y, w, h, d);
    if ((aspects & PIPE_ASPECT_STENCIL) && f->is_stencil)
        ok = read_by_shader(ctx, r, level, slice, PIPE_ASPECT_STENCIL, x, y, w, h, d) && ok;
    return ok;
}

void init_readback_functions(screen *, context *c) {
    if (!c)
        return;
    c->read_pixels = read_pixels;
    c->read_pixels_to_buffer = read_pixels_to_buffer;
    c->get_texture_image = get_texture_image;
    c->get_texture_image_to_buffer = get_texture_image_to_buffer;
}

} // namespace espryt
