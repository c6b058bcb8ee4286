// SPDX-License-Identifier: MIT
// Read-back of texels: from framebuffers and from texture levels, into client memory or a pack
// buffer. The driver answers in a pipe format that keeps every bit; pack state is applied here. A
// pack buffer whose layout needs no conversion is filled by the GPU.
#include "tracker/kept_blocks.h"
#include "tracker/texture_storage.h"

#include "objects/errors.h"
#include "objects/pixel.h"
#include "util/log.h"

#include <algorithm>

namespace st {

namespace {

// Pixels that were read, to where the program wants them. A pack buffer is written with sub-data
// row by row of what was packed.
bool deliver(Tracker &t, const PixelRect &dst, const gl::TexelBlock &block,
             const gl::FormatInfo &internal, unsigned dims, GLsizei w, GLsizei h, GLsizei d,
             bool clamp) {
    if (!dst.buffer) {
        const gl::ClientPixels client{dst.pixels, dst.format, dst.type, dst.store, dims};
        return gl::pixels_pack(client, block, internal, w, h, d, clamp);
    }
    // Bytes between rows belong to the program: read what is there, pack over it, write it back.
    const gl::PixelLayout l = gl::pixel_layout(*dst.store, dims, w, h, d, dst.format, dst.type);
    const uint64_t offset = reinterpret_cast<uintptr_t>(dst.pixels);
    std::vector<uint8_t> bytes(l.total);
    if (!buffer_read(t, *dst.buffer, offset, l.total, bytes.data()))
        return false;
    const gl::ClientPixels client{bytes.data(), dst.format, dst.type, dst.store, dims};
    if (!gl::pixels_pack(client, block, internal, w, h, d, clamp))
        return false;
    buffer_subdata(t.c, *dst.buffer, GLintptr(offset), GLsizeiptr(l.total), bytes.data());
    return true;
}

void send_pack_state(Tracker &t, const gl::PixelStore &s) {
    pipe_set_pixel_pack_state p{};
    p.alignment = uint32_t(s.alignment);
    p.row_length = uint32_t(s.row_length);
    p.image_height = uint32_t(s.image_height);
    p.skip_pixels = uint32_t(s.skip_pixels);
    p.skip_rows = uint32_t(s.skip_rows);
    p.skip_images = uint32_t(s.skip_images);
    p.swap_bytes = s.swap_bytes;
    if (t.sent.pack_valid && !changed(t, t.sent.pack, p))
        return;
    t.sent.pack = p;
    t.sent.pack_valid = true;
    t.lane.emit<&pipe_context::set_pixel_pack_state>(&p);
}

const gl::Attachment *read_attachment(const gl::Framebuffer &fb, GLenum format) {
    if (format == GL_DEPTH_COMPONENT || format == GL_DEPTH_STENCIL)
        return &fb.depth;
    if (format == GL_STENCIL_INDEX)
        return &fb.stencil;
    return fb.read_index >= 0 ? &fb.color[unsigned(fb.read_index)] : nullptr;
}

uint32_t read_mask(GLenum format) {
    switch (format) {
    case GL_DEPTH_COMPONENT: return PIPE_BUFFER_DEPTH;
    case GL_STENCIL_INDEX: return PIPE_BUFFER_STENCIL;
    case GL_DEPTH_STENCIL: return PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL;
    }
    return PIPE_BUFFER_COLOR0;
}

// Format in which the attachment's texels are stored, as far as the tracker knows.
uint32_t stored_format(Tracker &t, const gl::Attachment &a) {
    switch (a.kind) {
    case gl::Attachment::texture: {
        const Location at = locate(t, *a.tex, a.face, unsigned(a.level));
        return at.desc ? uint32_t(at.desc->format) : uint32_t(PIPE_FORMAT_NONE);
    }
    case gl::Attachment::renderbuffer:
        return a.rb->texture ? uint32_t(locate(t, *a.rb->texture, 0, 0).desc->format)
                             : uint32_t(st::data_of(*a.rb).desc.format);
    case gl::Attachment::window:
        return a.window_format ? uint32_t(a.window_format->pipe[0]) : uint32_t(PIPE_FORMAT_NONE);
    case gl::Attachment::none: break;
    }
    return PIPE_FORMAT_NONE;
}

// The part of the rectangle that exists; what lies outside is undefined and stays as it is.
struct Clip {
    GLint x, y;
    GLsizei w, h;
    GLint skip_x, skip_y;
};
Clip clip_to(const gl::Framebuffer &fb, GLint x, GLint y, GLsizei w, GLsizei h) {
    Clip c{x, y, w, h, 0, 0};
    if (x < 0) {
        c.skip_x = -x;
        c.w += x;
        c.x = 0;
    }
    if (y < 0) {
        c.skip_y = -y;
        c.h += y;
        c.y = 0;
    }
    c.w = std::min(c.w, fb.width - c.x);
    c.h = std::min(c.h, fb.height - c.y);
    return c;
}

bool clamps(const gl::Context &c, const gl::FormatInfo &f, GLenum type) {
    const GLenum mode = c.pack->clamp_read_color;
    const bool fixed = f.type == GL_UNSIGNED_NORMALIZED || f.type == GL_SIGNED_NORMALIZED;
    if (!f.color() || f.integer())
        return false;
    return mode == GL_TRUE || (mode == GL_FIXED_ONLY && fixed && type != GL_BYTE &&
                               type != GL_SHORT && type != GL_INT);
}

// A pack buffer in the attachment's own layout: nobody waits.
bool read_to_buffer(Tracker &t, pipe_handle fb, const Clip &r, const PixelRect &dst,
                    uint32_t stored, const gl::FormatInfo &f) {
    if (!t.lane.has<&pipe_context::read_pixels_to_buffer>() || !f.color() ||
        dst.buffer->mapped_blocking() ||
        !gl::pixels_match(pipe_format(stored), f, dst.format, dst.type, dst.store->swap_bytes))
        return false;
    gl::PixelStore store = *dst.store;
    store.skip_pixels += r.skip_x;
    store.skip_rows += r.skip_y;
    const gl::PixelLayout l = gl::pixel_layout(store, 2, r.w, r.h, 1, dst.format, dst.type);
    if (l.row_stride > 0xffffffffu)
        return false;
    const pipe_handle buffer = buffer_handle(t, dst.buffer);
    send_pack_state(t, store);
    pipe_read_pixels_to_buffer p{};
    p.framebuffer = fb;
    p.x = r.x;
    p.y = r.y;
    p.width = uint32_t(r.w);
    p.height = uint32_t(r.h);
    p.format = uint16_t(stored);
    p.mask = PIPE_BUFFER_COLOR0;
    p.buffer = buffer;
    p.offset = reinterpret_cast<uintptr_t>(dst.pixels) + l.first;
    p.row_stride = uint32_t(l.row_stride);
    buffer_gpu_written(t, *dst.buffer, p.offset, l.total - l.first);
    t.lane.emit<&pipe_context::read_pixels_to_buffer>(&p);
    note_write(t, data_of(*dst.buffer).write);
    return true;
}

} // namespace

bool read_pixels(gl::Context &c, gl::Framebuffer &fb, GLint x, GLint y, GLsizei w, GLsizei h,
                 const PixelRect &dst) {
    Tracker &t = of(c);
    validate_verb(t, Verb::read);
    const pipe_handle handle = resolve_framebuffer(t, fb);
    verify_state(t, Verb::read, {&fb});
    const gl::Attachment *a = read_attachment(fb, dst.format);
    const gl::FormatInfo *f = a ? a->format() : nullptr;
    const Clip r = clip_to(fb, x, y, w, h);
    if (!f || r.w <= 0 || r.h <= 0)
        return true;
    const uint32_t stored = stored_format(t, *a);
    if (dst.buffer && read_to_buffer(t, handle, r, dst, stored, *f))
        return true;
    pipe_read_pixels p{};
    p.framebuffer = handle;
    p.format = uint16_t(gl::pixels_readback_format(pipe_format(stored), dst.format));
    p.mask = read_mask(dst.format);
    const uint32_t texel = pipe_format_describe(p.format)->block_bytes;
    p.row_stride = uint32_t(r.w) * texel;
    std::vector<uint8_t> bytes(uint64_t(p.row_stride) * uint64_t(r.h));
    // Bands of rows: an answer is no larger than the form's read memory.
    const GLsizei band =
        GLsizei(std::clamp<uint64_t>(t.chunk_bytes / std::max(p.row_stride, 1u), 1, uint64_t(r.h)));
    p.x = r.x;
    p.width = uint32_t(r.w);
    for (GLint row = 0; row < r.h; row += band) {
        p.y = r.y + row;
        p.height = uint32_t(std::min(band, r.h - row));
        const pipe_out_span out{bytes.data() + uint64_t(row) * p.row_stride,
                                uint64_t(p.height) * p.row_stride};
        stat_round_trips.add();
        const pipe_status s = t.lane.emit<&pipe_context::read_pixels>(&p, &out);
        if (s != PIPE_OK) { // a lost device leaves the program's memory alone
            if (!c.lost.load() && s == PIPE_ERROR)
                gl::error(c, GL_OUT_OF_MEMORY, "glReadPixels(the driver refused)");
            return false;
        }
    }
    gl::PixelStore store = *dst.store;
    PixelRect to = dst;
    if (r.skip_x || r.skip_y || r.w != w) {
        if (!store.row_length)
            store.row_length = w;
        store.skip_pixels += r.skip_x;
        store.skip_rows += r.skip_y;
        to.store = &store;
    }
    const gl::TexelBlock block{bytes.data(), pipe_format(p.format), p.row_stride, bytes.size()};
    return deliver(t, to, block, *f, 2, r.w, r.h, 1, clamps(c, *f, dst.type));
}

// --- texture levels ------------------------------------------------------------------------------

static uint8_t aspect_of(const gl::FormatInfo &f, GLenum format) {
    if (f.color())
        return PIPE_ASPECT_COLOR;
    return format == GL_STENCIL_INDEX   ? uint8_t(PIPE_ASPECT_STENCIL)
           : format == GL_DEPTH_STENCIL ? uint8_t(PIPE_ASPECT_DEPTH | PIPE_ASPECT_STENCIL)
                                        : uint8_t(PIPE_ASPECT_DEPTH);
}

static bool read_texels(Tracker &t, pipe_get_texture_image &p, std::vector<uint8_t> &bytes) {
    bytes.resize(uint64_t(p.slice_stride) * uint64_t(p.box.depth));
    const pipe_box whole = p.box;
    const int32_t band = int32_t(std::clamp<uint64_t>(t.chunk_bytes / std::max(p.slice_stride, 1u),
                                                      1, uint64_t(whole.depth)));
    for (int32_t z = 0; z < whole.depth; z += band) {
        p.box.z = whole.z + z;
        p.box.depth = std::min(band, whole.depth - z);
        const pipe_out_span out{bytes.data() + uint64_t(z) * p.slice_stride,
                                uint64_t(p.box.depth) * p.slice_stride};
        stat_round_trips.add();
        if (t.lane.emit<&pipe_context::get_texture_image>(&p, &out) != PIPE_OK)
            return false;
    }
    return true;
}

// The blocks of a box of whole blocks, tight.
static pipe_get_texture_image block_read(const gl::FormatInfo &f, const Location &at,
                                         const Box &box) {
    pipe_get_texture_image p{};
    p.texture = at.resource;
    p.level = at.level;
    p.box = pipe_box{box.x, box.y, box.z + int32_t(at.layer), box.w, box.h, box.d};
    p.format = at.desc->format;
    p.aspect = PIPE_ASPECT_COLOR;
    p.row_stride = (uint32_t(box.w) + f.block_w - 1) / f.block_w * f.block_bytes;
    p.slice_stride = p.row_stride * ((uint32_t(box.h) + f.block_h - 1) / f.block_h);
    return p;
}

// Texels of a level that is stored as blocks: the blocks come back and are decoded here.
static bool get_decoded(Tracker &t, gl::Texture &tex, const gl::TexImage &im, const Location &at,
                        const Box &box, const PixelRect &dst) {
    const gl::FormatInfo &f = *im.format;
    const auto up = [](GLint n, GLint of) { return (n + of - 1) / of * of; };
    Box whole{box.x / f.block_w * f.block_w, box.y / f.block_h * f.block_h, box.z, 0, 0, box.d};
    whole.w = std::min(up(box.x + box.w, f.block_w), im.width) - whole.x;
    whole.h = std::min(up(box.y + box.h, f.block_h), im.height) - whole.y;
    pipe_get_texture_image p = block_read(f, at, whole);
    std::vector<uint8_t> bytes;
    if (!read_texels(t, p, bytes))
        return false;
    const pipe_format plain = decoded_format(f);
    const unsigned texel = pipe_format_describe(plain)->block_bytes;
    const uint64_t row = uint64_t(whole.w) * texel, slice = row * uint64_t(whole.h);
    std::vector<uint8_t> texels(slice * uint64_t(whole.d));
    for (GLsizei z = 0; z < whole.d; z++)
        decompress_blocks(f, bytes.data() + uint64_t(z) * p.slice_stride, p.row_stride,
                          uint32_t(whole.w), uint32_t(whole.h), texels.data() + uint64_t(z) * slice,
                          row);
    const uint64_t first = uint64_t(box.y - whole.y) * row + uint64_t(box.x - whole.x) * texel;
    const gl::TexelBlock block{texels.data() + first, plain, row, slice};
    return deliver(t, dst, block, f, image_dims(tex), box.w, box.h, box.d, false);
}

// Texels of a level into a pack buffer, as they are stored: nobody waits.
static bool image_to_buffer(Tracker &t, const pipe_get_texture_image &p, const gl::PixelStore &store,
                            const gl::PixelLayout &l, gl::Buffer &buffer, const void *at) {
    if (!t.lane.has<&pipe_context::get_texture_image_to_buffer>() || buffer.mapped_blocking() ||
        l.row_stride > 0xffffffffu || l.image_stride > 0xffffffffu)
        return false;
    push_persistent(t);
    pipe_get_texture_image_to_buffer to{};
    to.buffer = buffer_handle(t, &buffer);
    send_pack_state(t, store);
    to.offset = reinterpret_cast<uintptr_t>(at) + l.first;
    to.texture = p.texture;
    to.level = p.level;
    to.format = p.format;
    to.aspect = p.aspect;
    to.box = p.box;
    to.row_stride = uint32_t(l.row_stride);
    to.slice_stride = uint32_t(l.image_stride);
    buffer_gpu_written(t, buffer, to.offset, l.total - l.first);
    t.lane.emit<&pipe_context::get_texture_image_to_buffer>(&to);
    note_write(t, data_of(buffer).write);
    return true;
}

bool texture_get_image(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level,
                       const Box &box, const PixelRect &dst) {
    Tracker &t = of(c);
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo *f = tex.image[face][level].format;
    if (pipe_handle_is_null(at.resource) || !f || box.w <= 0 || box.h <= 0 || box.d <= 0)
        return true;
    wait_for(t, *at.write);
    resolve_params(t, tex);
    if (pipe_format_describe(at.desc->format)->is_compressed)
        return get_decoded(t, tex, tex.image[face][level], at, box, dst);
    // The view's own bits: an owner of another format is read as it is and named anew.
    const uint32_t view_format = data_of(tex).desc.format;
    pipe_get_texture_image p{};
    p.texture = at.resource;
    p.level = at.level;
    const bool rows_are_layers = tex.index == gl::TEX_1D_ARRAY;
    p.box = rows_are_layers
                ? pipe_box{box.x, 0, int32_t(at.layer) + std::max(box.y, box.z),
                           box.w, 1, std::max(box.h, box.d)}
                : pipe_box{box.x, box.y, box.z + int32_t(at.layer), box.w, box.h, box.d};
    p.format = uint16_t(tex.origin ? at.desc->format
                                   : uint32_t(gl::pixels_readback_format(
                                         pipe_format(at.desc->format), dst.format)));
    p.aspect = aspect_of(*f, dst.format);
    if (dst.buffer && !tex.origin && f->color() &&
        gl::pixels_match(pipe_format(at.desc->format), *f, dst.format, dst.type,
                         dst.store->swap_bytes)) {
        pipe_get_texture_image as_stored = p;
        as_stored.format = uint16_t(at.desc->format);
        gl::PixelLayout l = gl::pixel_layout(*dst.store, image_dims(tex), box.w,
                                             rows_are_layers ? std::max(box.h, box.d) : box.h,
                                             rows_are_layers ? 1 : box.d, dst.format, dst.type);
        if (rows_are_layers)
            l.image_stride = l.row_stride;
        if (image_to_buffer(t, as_stored, *dst.store, l, *dst.buffer, dst.pixels))
            return true;
    }
    const pipe_format_desc *desc = pipe_format_describe(p.format);
    p.row_stride = uint32_t(box.w) * desc->block_bytes;
    p.slice_stride = p.row_stride * uint32_t(p.box.height);
    std::vector<uint8_t> bytes;
    if (!read_texels(t, p, bytes))
        return false;
    const uint32_t read_as =
        tex.origin && pipe_format_describe(view_format)->block_bytes == desc->block_bytes
            ? view_format
            : uint32_t(p.format);
    const uint64_t slice = rows_are_layers ? uint64_t(p.row_stride) * bytes.size() : p.slice_stride;
    const gl::TexelBlock block{bytes.data(), pipe_format(read_as), p.row_stride, slice};
    const GLsizei rows = rows_are_layers ? std::max(box.h, box.d) : box.h;
    return deliver(t, dst, block, *f, image_dims(tex), box.w, rows, rows_are_layers ? 1 : box.d,
                   false);
}

// Rows of blocks to where the layout has them; nothing between them is written.
static void deliver_blocks(gl::Context &c, const std::vector<uint8_t> &bytes,
                           const pipe_get_texture_image &p, uint32_t slices,
                           const gl::PixelLayout &l, gl::Buffer *buffer, void *out) {
    const uint32_t rows = p.slice_stride / p.row_stride;
    const bool tight = l.row_stride == p.row_stride && l.image_stride == p.slice_stride;
    const uint64_t piece = tight ? uint64_t(p.slice_stride) * slices : p.row_stride;
    for (uint32_t z = 0; z < (tight ? 1 : slices); z++)
        for (uint32_t y = 0; y < (tight ? 1 : rows); y++) {
            const uint8_t *from = bytes.data() + uint64_t(z) * p.slice_stride + y * p.row_stride;
            const uint64_t at = l.first + z * l.image_stride + y * l.row_stride;
            if (buffer)
                buffer_subdata(c, *buffer, GLintptr(reinterpret_cast<uintptr_t>(out) + at),
                               GLsizeiptr(piece), from);
            else
                std::memcpy(static_cast<uint8_t *>(out) + at, from, piece);
        }
}

bool texture_get_compressed(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level,
                            const Box &box, gl::Buffer *buffer, void *out) {
    Tracker &t = of(c);
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo *f = tex.image[face][level].format;
    if (pipe_handle_is_null(at.resource) || !f)
        return true;
    const pipe_format_desc *desc = pipe_format_describe(at.desc->format);
    const gl::PixelLayout l =
        gl::compressed_layout(c.pack->store, *f, image_dims(tex), box.w, box.h, box.d);
    pipe_get_texture_image p{};
    if (!desc->is_compressed) {
        p.row_stride = (uint32_t(box.w) + f->block_w - 1) / f->block_w * f->block_bytes;
        p.slice_stride = p.row_stride * ((uint32_t(box.h) + f->block_h - 1) / f->block_h);
        deliver_blocks(c, kept_blocks(tex, face, level, box), p, uint32_t(box.d), l, buffer, out);
        return true;
    }
    wait_for(t, *at.write);
    p = block_read(*f, at, box);
    if (buffer && image_to_buffer(t, p, c.pack->store, l, *buffer, out))
        return true;
    std::vector<uint8_t> bytes;
    if (!read_texels(t, p, bytes))
        return false;
    deliver_blocks(c, bytes, p, uint32_t(box.d), l, buffer, out);
    return true;
}

} // namespace st
