// SPDX-License-Identifier: MIT
// Uploads and copies: sub-data of buffers and textures, buffer to texture, resource to resource.
#include "espryt_transfer.h"

#include <algorithm>
#include <cstring>

#include "drivers_common/format_convert.h"
#include "espryt_blocks.h"
#include "espryt_draw.h"
#include "espryt_map.h"
#include "util/log.h"

namespace espryt {

void unmap(const gles *gl, GLenum target) {
    // Left mapped, the buffer could not be used again.
    if (!gl->UnmapBuffer(target) && gles_fault_armed())
        gl->UnmapBuffer(target);
}

bool buffer_read(context *ctx, resource *r, uint64_t offset, uint64_t size, void *dst) {
    if (offset > r->desc.size || size > r->desc.size - offset || !r->name.name)
        return false;
    if (!size)
        return true;
    if (r->mapped) {
        read_mapped(ctx, r, offset, size, dst);
        return true;
    }
    if (ctx->shaders_wrote)
        ctx->gl->MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    ctx->shaders_wrote = false;
    void *p = nullptr;
    if (ctx->sh.bind_buffer(GL_COPY_READ_BUFFER, r->name))
        p = ctx->gl->MapBufferRange(GL_COPY_READ_BUFFER, static_cast<GLintptr>(offset),
                                    static_cast<GLsizeiptr>(size), GL_MAP_READ_BIT);
    if (!p) {
        host_failed(ctx, "map for reading");
        return false;
    }
    memcpy(dst, p, size);
    unmap(ctx->gl, GL_COPY_READ_BUFFER);
    r->was_read = true;
    return true;
}

// A buffer that was read may lie where the host's CPU writes to it at once, before what the GPU has
// still to do with it (NVIDIA's GLES does); a copy is in the GPU's order.
static bool write_by_copy(context *ctx, resource *r, uint64_t offset, uint64_t size,
                          const void *src) {
    const upload_ring::slice s = ctx->ring.put(src, size, 4);
    if (!s.ptr || !ctx->sh.bind_buffer(GL_COPY_READ_BUFFER, s.buffer) ||
        !ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, r->name))
        return false;
    ctx->gl->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, s.offset,
                               static_cast<GLintptr>(offset), static_cast<GLsizeiptr>(size));
    return true;
}

void buffer_write(context *ctx, resource *r, uint64_t offset, uint64_t size, const void *src) {
    if (offset > r->desc.size || size > r->desc.size - offset || !size)
        return;
    if (!r->was_read || !write_by_copy(ctx, r, offset, size, src)) {
        if (!ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, r->name))
            return;
        ctx->gl->BufferSubData(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(offset),
                               static_cast<GLsizeiptr>(size), src);
    }
    if (ctx->converts_vertices)
        ctx->dirty |= dirty_vertex_buffers;
}

namespace {

void tex_sub_image(context *ctx, resource *r, unsigned level, const pipe_box &b, const void *data) {
    const gles *gl = ctx->gl;
    GLenum format = r->fmt->format, type = r->fmt->type;
    auto l = static_cast<GLint>(level);
    switch (r->target) {
    case GL_TEXTURE_2D:
        gl->TexSubImage2D(GL_TEXTURE_2D, l, b.x, b.y, b.width, b.height, format, type, data);
        break;
    case GL_TEXTURE_CUBE_MAP:
        // One call per face; the caller hands one slice at a time.
        gl->TexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(b.z), l, b.x, b.y,
                          b.width, b.height, format, type, data);
        break;
    default:
        gl->TexSubImage3D(r->target, l, b.x, b.y, b.z, b.width, b.height, b.depth, format, type,
                          data);
        break;
    }
}

void compressed_sub_image(context *ctx, resource *r, unsigned level, const pipe_box &b,
                          const void *data, GLsizei size) {
    const gles *gl = ctx->gl;
    auto l = static_cast<GLint>(level);
    GLenum f = r->fmt->internal;
    switch (r->target) {
    case GL_TEXTURE_2D:
        gl->CompressedTexSubImage2D(GL_TEXTURE_2D, l, b.x, b.y, b.width, b.height, f, size, data);
        break;
    case GL_TEXTURE_CUBE_MAP:
        gl->CompressedTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(b.z), l,
                                    b.x, b.y, b.width, b.height, f, size, data);
        break;
    default:
        gl->CompressedTexSubImage3D(r->target, l, b.x, b.y, b.z, b.width, b.height, b.depth, f,
                                    size, data);
        break;
    }
}

// Formats whose bits lie otherwise in the host's transfer type.
bool swapped_depth(uint32_t f) {
    return f == PIPE_FORMAT_Z24_UNORM_S8_UINT || f == PIPE_FORMAT_Z24X8_UNORM;
}

void swap_depth(uint32_t format, const uint8_t *src, uint8_t *dst, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        uint32_t v;
        memcpy(&v, src + 4 * i, 4);
        v = format == PIPE_FORMAT_Z24X8_UNORM ? v << 8 | (v >> 16 & 0xff) : v << 8 | v >> 24;
        memcpy(dst + 4 * i, &v, 4);
    }
}

// Rows of the region, tight and as the host wants them, into `out`.
void convert_rows(const resource *r, const pipe_region &g, const uint8_t *src,
                  std::vector<uint8_t> &out) {
    const pipe_format_desc *from = r->describe(), *to = pipe_format_describe(r->fmt->stored);
    const pipe_box &b = g.box;
    unsigned bw = from->block_width, bh = from->block_height;
    uint64_t columns = (static_cast<unsigned>(b.width) + bw - 1) / bw;
    uint64_t rows = (static_cast<unsigned>(b.height) + bh - 1) / bh;
    uint64_t row = columns * to->block_bytes;
    out.resize(row * rows * static_cast<unsigned>(b.depth));
    uint8_t *dst = out.data();
    for (int z = 0; z < b.depth; z++) {
        for (uint64_t y = 0; y < rows; y++, dst += row) {
            const uint8_t *line = src + uint64_t(z) * g.slice_stride + y * g.row_stride;
            if (swapped_depth(r->desc.format) && !r->fmt->widened)
                swap_depth(r->desc.format, line, dst, static_cast<unsigned>(columns));
            else if (!r->fmt->widened)
                memcpy(dst, line, row);
            else
                drivers_common::convert_texels(
                    {dst, r->fmt->stored, row, row},
                    {const_cast<uint8_t *>(line), r->desc.format, g.row_stride, 0},
                    static_cast<uint32_t>(columns), 1, 1);
        }
    }
}

bool direct_layout(const resource *r, const pipe_region &g) {
    const pipe_format_desc *d = r->describe();
    if (r->fmt->widened || swapped_depth(r->desc.format))
        return false;
    const pipe_box &b = g.box;
    bool one_row = b.height <= d->block_height && b.depth <= 1;
    if (d->is_compressed) { // the host reads compressed rows tightly
        uint64_t row =
            (static_cast<unsigned>(b.width) + d->block_width - 1) / d->block_width * d->block_bytes;
        uint64_t rows = (static_cast<unsigned>(b.height) + d->block_height - 1) / d->block_height;
        return one_row || (g.row_stride == row && (b.depth <= 1 || g.slice_stride == row * rows));
    }
    if (!one_row && g.row_stride % d->block_bytes)
        return false;
    return b.depth <= 1 || (g.row_stride && g.slice_stride % g.row_stride == 0);
}

bool upload_box(context *ctx, resource *r, unsigned level, const pipe_region &g, const void *data) {
    const pipe_format_desc *d = r->describe();
    const pipe_format_desc *s = pipe_format_describe(r->fmt->stored);
    auto src = static_cast<const uint8_t *>(data) + g.offset;
    if (d->is_depth && d->is_stencil && !r->fmt->format)
        return false;
    if (direct_layout(r, g)) {
        if (d->is_compressed) {
            uint64_t row = (static_cast<unsigned>(g.box.width) + d->block_width - 1) /
                           d->block_width * d->block_bytes;
            uint64_t rows =
                (static_cast<unsigned>(g.box.height) + d->block_height - 1) / d->block_height;
            compressed_sub_image(
                ctx, r, level, g.box, src,
                static_cast<GLsizei>(row * rows * static_cast<unsigned>(g.box.depth)));
            return true;
        }
        int length = g.row_stride ? static_cast<int>(g.row_stride / d->block_bytes) : 0;
        bool one_row = g.box.height <= 1 && g.box.depth <= 1;
        if (!ctx->sh.unpack(1, one_row ? 0 : length,
                            g.box.depth > 1 && g.row_stride
                                ? static_cast<int>(g.slice_stride / g.row_stride)
                                : 0))
            return false;
        tex_sub_image(ctx, r, level, g.box, src);
        return true;
    }
    if (r->fmt->widened || swapped_depth(r->desc.format))
        emulated(emulation::convert_upload);
    convert_rows(r, g, src, ctx->scratch2);
    if (!ctx->sh.unpack(1, 0, 0))
        return false;
    if (s->is_compressed)
        compressed_sub_image(ctx, r, level, g.box, ctx->scratch2.data(),
                             static_cast<GLsizei>(ctx->scratch2.size()));
    else
        tex_sub_image(ctx, r, level, g.box, ctx->scratch2.data());
    return true;
}

void buffer_subdata(context *ctx, resource *r, const pipe_resource_subdata *p,
                    const pipe_host_span *data) {
    const gles *gl = ctx->gl;
    uint64_t size = std::min(p->size, data->size);
    if (p->offset > r->desc.size || size > r->desc.size - p->offset || !data->ptr || !size)
        return;
    if (!ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, r->name))
        return;
    if ((p->flags & PIPE_SUBDATA_UNSYNCHRONIZED) && size >= 4096 && !r->mapped) {
        void *m = gl->MapBufferRange(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(p->offset),
                                     static_cast<GLsizeiptr>(size),
                                     GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT);
        if (m) {
            memcpy(m, data->ptr, size);
            unmap(gl, GL_COPY_WRITE_BUFFER);
            return;
        }
    }
    buffer_write(ctx, r, p->offset, size, data->ptr);
}

// Depth-stencil bytes that carry one aspect only: the other one is read back and put beside it.
bool merge_aspect(context *ctx, resource *r, unsigned level, const pipe_region &g, const void *data,
                  uint8_t aspect) {
    const pipe_format_desc *d = r->describe();
    pipe_region whole = g;
    unsigned n = static_cast<unsigned>(g.box.width);
    whole.row_stride = n * d->block_bytes;
    whole.slice_stride = whole.row_stride * static_cast<unsigned>(g.box.height);
    whole.offset = 0;
    std::vector<uint8_t> merged(uint64_t(whole.slice_stride) * static_cast<unsigned>(g.box.depth));
    std::vector<double> depth(n);
    std::vector<uint8_t> stencil(n);
    for (int z = 0; z < g.box.depth; z++) {
        uint8_t *slice = merged.data() + uint64_t(z) * whole.slice_stride;
        if (!read_slice(ctx, r, level, static_cast<unsigned>(g.box.z + z),
                        PIPE_ASPECT_DEPTH | PIPE_ASPECT_STENCIL, g.box.x, g.box.y, n,
                        static_cast<unsigned>(g.box.height),
                        {slice, whole.slice_stride, r->desc.format, whole.row_stride}))
            return false;
        for (int y = 0; y < g.box.height; y++) {
            auto src = static_cast<const uint8_t *>(data) + g.offset +
                       uint64_t(z) * g.slice_stride + uint64_t(y) * g.row_stride;
            uint8_t *dst = slice + uint64_t(y) * whole.row_stride;
            if (aspect == PIPE_ASPECT_DEPTH) {
                drivers_common::unpack_depth(r->desc.format, src, depth.data(), n);
                drivers_common::pack_depth(r->desc.format, depth.data(), dst, n);
            } else {
                drivers_common::unpack_stencil(r->desc.format, src, stencil.data(), n);
                drivers_common::pack_stencil(r->desc.format, stencil.data(), dst, n);
            }
        }
    }
    return upload_region(ctx, r, level, whole, merged.data(), merged.size());
}

void resource_subdata(pipe_context *pc, const pipe_resource_subdata *p, const pipe_region *regions,
                      const pipe_host_span *data) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->resource);
    if (!r)
        return;
    if (r->is_buffer()) {
        buffer_subdata(ctx, r, p, data);
    } else if (r->target != GL_RENDERBUFFER && data->ptr) {
        const pipe_format_desc *d = r->describe();
        bool partial = d->is_depth && d->is_stencil &&
                       (p->aspect == PIPE_ASPECT_DEPTH || p->aspect == PIPE_ASPECT_STENCIL);
        for (uint32_t i = 0; i < p->num_regions; i++) {
            bool ok = partial ? merge_aspect(ctx, r, p->level, regions[i], data->ptr, p->aspect)
                              : upload_region(ctx, r, p->level, regions[i], data->ptr, data->size);
            if (!ok && !setup_failed(ctx, "upload"))
                log_warning_once("espryt", "an upload to %s was refused",
                                 pipe_format_name(r->desc.format));
        }
    }
    if (ctx->scr->num_lanes.load(std::memory_order_relaxed) > 1)
        ctx->gl->Flush();
    verb_done(ctx, "resource_subdata");
}

pipe_status resource_readback(pipe_context *pc, const pipe_resource_readback *p,
                              const pipe_out_span *dst) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->resource);
    if (!r || !r->is_buffer() || dst->size < p->size)
        return PIPE_ERROR;
    bool ok = buffer_read(ctx, r, p->offset, p->size, dst->ptr);
    verb_done(ctx, "resource_readback");
    return ok ? PIPE_OK : PIPE_ERROR;
}

// Without copy_image: blits between framebuffers, one slice at a time. False: the host refuses.
bool copy_by_blit(context *ctx, resource *src, resource *dst, const pipe_resource_copy_region *p) {
    const gles *gl = ctx->gl;
    emulated(emulation::copy_blit);
    const pipe_format_desc *d = dst->describe();
    GLenum point = depth_stencil_point(dst->desc.format);
    GLbitfield mask =
        (d->is_depth ? GL_DEPTH_BUFFER_BIT : 0) | (d->is_stencil ? GL_STENCIL_BUFFER_BIT : 0);
    if (!mask)
        mask = GL_COLOR_BUFFER_BIT;
    const pipe_box &b = p->src_box;
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    ctx->dirty |= dirty_scissor;
    for (int z = 0; z < b.depth; z++) {
        ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, ctx->scratch_fbo[0]);
        ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
        attach(ctx, GL_READ_FRAMEBUFFER, point, src, PIPE_FORMAT_NONE, p->src_level,
               static_cast<unsigned>(b.z + z), false);
        attach(ctx, GL_DRAW_FRAMEBUFFER, point, dst, PIPE_FORMAT_NONE, p->dst_level,
               static_cast<unsigned>(p->dst_z + z), false);
        gl->BlitFramebuffer(b.x, b.y, b.x + b.width, b.y + b.height, p->dst_x, p->dst_y,
                            p->dst_x + b.width, p->dst_y + b.height, mask, GL_NEAREST);
        gl->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
        gl->FramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
    }
    ctx->dirty |= dirty_framebuffer;
    return !host_failed(ctx, "copy by blit");
}

// Renderbuffers take no uploads: a texture that does is blitted to them.
bool upload_to_renderbuffer(context *ctx, resource *dst, const pipe_region &g, const void *bytes) {
    const gles *gl = ctx->gl;
    resource tmp;
    tmp.desc = dst->desc;
    tmp.desc.target = PIPE_TEXTURE_2D;
    tmp.fmt = dst->fmt;
    tmp.target = GL_TEXTURE_2D;
    tmp.name.serial = next_serial();
    gl->GenTextures(1, &tmp.name.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, tmp.name))
        gl->TexStorage2D(GL_TEXTURE_2D, 1, dst->fmt->internal,
                         static_cast<GLsizei>(dst->desc.width),
                         static_cast<GLsizei>(dst->desc.height));
    pipe_resource_copy_region back{};
    back.src_box = g.box;
    back.dst_x = g.box.x, back.dst_y = g.box.y, back.dst_z = g.box.z;
    const bool ok = upload_region(ctx, &tmp, 0, g, bytes, 0) && copy_by_blit(ctx, &tmp, dst, &back);
    ctx->sh.forget_texture(tmp.name);
    gl->DeleteTextures(1, &tmp.name.name);
    return ok;
}

// Through the CPU: the bytes of the formats, as those of the other one.
bool copy_bytes(context *ctx, resource *src, resource *dst, const pipe_resource_copy_region *p) {
    const pipe_format_desc *a = src->describe(), *d = dst->describe();
    const pipe_box &b = p->src_box;
    const auto w = static_cast<unsigned>(b.width), h = static_cast<unsigned>(b.height);
    const unsigned columns = (w + a->block_width - 1) / a->block_width,
                   rows = (h + a->block_height - 1) / a->block_height;
    if (src->desc.samples > 1 || a->block_bytes != d->block_bytes)
        return false;
    emulated(emulation::copy_convert);
    pipe_region g{};
    g.row_stride = columns * a->block_bytes;
    g.slice_stride = g.row_stride * rows;
    g.box = {p->dst_x,
             p->dst_y,
             p->dst_z,
             static_cast<int>(columns * d->block_width),
             static_cast<int>(rows * d->block_height),
             b.depth};
    g.box.width = std::min(g.box.width, static_cast<int>(dst->level_width(p->dst_level)) - g.box.x);
    g.box.height =
        std::min(g.box.height, static_cast<int>(dst->level_height(p->dst_level)) - g.box.y);
    std::vector<uint8_t> bytes(uint64_t(g.slice_stride) * static_cast<unsigned>(b.depth));
    for (int z = 0; z < b.depth; z++)
        if (!read_slice(ctx, src, p->src_level, static_cast<unsigned>(b.z + z),
                        PIPE_ASPECT_DEPTH | PIPE_ASPECT_STENCIL, b.x, b.y, w, h,
                        {bytes.data() + uint64_t(z) * g.slice_stride, g.slice_stride,
                         src->desc.format, g.row_stride}))
            return false;
    return dst->target == GL_RENDERBUFFER
               ? upload_to_renderbuffer(ctx, dst, g, bytes.data())
               : upload_region(ctx, dst, p->dst_level, g, bytes.data(), bytes.size());
}

void resource_copy_region(pipe_context *pc, const pipe_resource_copy_region *p) {
    context *ctx = to_context(pc);
    resource *src = find_resource(ctx, p->src), *dst = find_resource(ctx, p->dst);
    if (!src || !dst || src->is_buffer() != dst->is_buffer())
        return;
    if (src->is_buffer()) {
        if (ctx->sh.bind_buffer(GL_COPY_READ_BUFFER, src->name) &&
            ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, dst->name))
            ctx->gl->CopyBufferSubData(
                GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(p->src_offset),
                static_cast<GLintptr>(p->dst_offset), static_cast<GLsizeiptr>(p->size));
    } else {
        copy_texture(ctx, src, dst, p);
    }
    if (ctx->scr->num_lanes.load(std::memory_order_relaxed) > 1)
        ctx->gl->Flush();
    verb_done(ctx, "resource_copy_region");
}

void copy_buffer_to_texture(pipe_context *pc, const pipe_copy_buffer_to_texture *p,
                            const pipe_region *regions) {
    context *ctx = to_context(pc);
    resource *t = find_resource(ctx, p->texture), *b = find_resource(ctx, p->buffer);
    if (!t || !b || t->is_buffer() || t->target == GL_RENDERBUFFER ||
        p->buffer_offset > b->desc.size)
        return;
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < p->num_regions; i++) {
        pipe_region g = regions[i];
        if (direct_layout(t, g) && !keeps_blocks(ctx, t)) {
            if (!ctx->sh.bind_buffer(GL_PIXEL_UNPACK_BUFFER, b->name))
                break;
            upload_region(ctx, t, p->level, g, reinterpret_cast<const void *>(p->buffer_offset),
                          b->desc.size);
            // Left bound, it would turn the next upload's address into an offset.
            if (!ctx->sh.bind_buffer(GL_PIXEL_UNPACK_BUFFER, {}) &&
                host_failed(ctx, "unpack buffer"))
                ctx->sh.bind_buffer(GL_PIXEL_UNPACK_BUFFER, {});
            continue;
        }
        if (bytes.empty()) {
            bytes.resize(b->desc.size - p->buffer_offset);
            if (!buffer_read(ctx, b, p->buffer_offset, bytes.size(), bytes.data()))
                break;
        }
        upload_region(ctx, t, p->level, g, bytes.data(), bytes.size());
    }
    verb_done(ctx, "copy_buffer_to_texture");
}

} // namespace

bool upload_region(context *ctx, resource *r, unsigned level, const pipe_region &g,
                   const void *bytes, uint64_t) {
    if (g.box.width <= 0 || g.box.height <= 0 || g.box.depth <= 0)
        return true;
    if (keeps_blocks(ctx, r))
        blocks_write(r, level, g, bytes);
    if (!ctx->sh.bind_scratch_texture(r->target, r->name))
        return false;
    if (r->target != GL_TEXTURE_CUBE_MAP)
        return upload_box(ctx, r, level, g, bytes);
    bool ok = true;
    for (int z = 0; z < g.box.depth; z++) {
        pipe_region face = g;
        face.box.z = g.box.z + z;
        face.box.depth = 1;
        face.offset = g.offset + uint64_t(z) * g.slice_stride;
        ok = upload_box(ctx, r, level, face, bytes) && ok;
    }
    return ok;
}

void copy_texture(context *ctx, resource *src, resource *dst, const pipe_resource_copy_region *p) {
    if (blocks_copy(ctx, src, dst, p))
        return;
    const bool alike = src->desc.format == dst->desc.format;
    const bool bits = alike || (!src->fmt->widened && !dst->fmt->widened);
    const bool forced = ctx->forced(emulation::copy_blit) || ctx->forced(emulation::copy_convert);
    const pipe_box &b = p->src_box;
    if (ctx->has(feature::copy_image) && bits && !forced) {
        ctx->gl->CopyImageSubData(src->name.name, src->target, static_cast<GLint>(p->src_level),
                                  b.x, b.y, b.z, dst->name.name, dst->target,
                                  static_cast<GLint>(p->dst_level), p->dst_x, p->dst_y, p->dst_z,
                                  b.width, b.height, b.depth);
        if (!host_failed(ctx, "copy_image"))
            return;
    }
    const uint32_t draws = PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_DEPTH_STENCIL;
    if (!ctx->host_oom && alike && src->fmt->caps & draws &&
        !ctx->forced(emulation::copy_convert) && copy_by_blit(ctx, src, dst, p))
        return;
    if (!ctx->host_oom && !copy_bytes(ctx, src, dst, p) && !ctx->host_oom)
        report_error(ctx, GL_INVALID_OPERATION, "no copy of %s to %s on this host",
                     pipe_format_name(src->desc.format), pipe_format_name(dst->desc.format));
}

void init_transfer_functions(screen *, context *c) {
    if (!c)
        return;
    c->resource_subdata = resource_subdata;
    c->resource_readback = resource_readback;
    c->resource_copy_region = resource_copy_region;
    c->copy_buffer_to_texture = copy_buffer_to_texture;
}

} // namespace espryt
