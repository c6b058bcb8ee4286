// SPDX-License-Identifier: MIT
// Texel uploads. Client pixels are converted once, straight into what the record carries;
// sub-images of one level that follow each other become regions of one record (the open upload).
#include "tracker/compress.h"
#include "tracker/kept_blocks.h"
#include "tracker/texture_storage.h"
#include "tracker/verify_upload.h"

#include "objects/errors.h"
#include "objects/pixel.h"
#include "util/log.h"

#include <algorithm>

namespace st {

// --- the open upload -----------------------------------------------------------------------------

void close_upload(Tracker &t) {
    OpenUpload &o = t.open_upload;
    if (o.regions.empty())
        return;
    pipe_resource_subdata p{};
    p.resource = o.resource;
    p.level = o.level;
    p.num_regions = uint32_t(o.regions.size());
    p.aspect = o.aspect;
    const bool staged = o.stage.ptr != nullptr;
    const uint64_t size = staged ? o.stage.size : o.bytes.size();
    const pipe_host_span span =
        staged ? stage_span(o.stage, 0, size) : pipe_span(o.bytes.data(), size);
    t.lane.raw<&pipe_context::resource_subdata>(&p, o.regions.data(), &span);
    stat_uploads.add();
    stat_upload_regions.add(o.regions.size());
    stat_upload_bytes.add(size);
    if (o.write)
        note_write(t, *o.write);
    o.write = nullptr;
    o.stage = {};
    o.regions.clear();
    o.bytes.clear();
}

static bool overlaps(const pipe_box &a, const pipe_box &b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height && a.z < b.z + b.depth && b.z < a.z + a.depth;
}

// Room for one region in the open upload of (resource, level, aspect), which becomes the open
// record. Regions stay disjoint.
static uint8_t *append_region(Tracker &t, const Location &at, uint8_t aspect, const pipe_box &box,
                              uint32_t row, uint32_t slice, uint64_t bytes) {
    OpenUpload &o = t.open_upload;
    bool fits = t.lane.open && !o.regions.empty() && !o.stage.ptr && o.resource == at.resource &&
                o.level == at.level && o.aspect == aspect && o.regions.size() < PIPE_MAX_REGIONS &&
                o.bytes.size() + bytes <= kOpenUploadBytes;
    // Tiles of an atlas arrive in order: looking back over the newest is enough to stay exact,
    // older ones are checked too.
    for (size_t i = o.regions.size(); fits && i-- > 0;)
        fits = !overlaps(o.regions[i].box, box);
    if (!fits) {
        t.out();
        o.resource = at.resource;
        o.level = at.level;
        o.aspect = aspect;
        o.write = at.write;
        t.lane.open = true;
        if (stage_take(t, bytes, o.stage)) {
            o.regions.push_back(pipe_region{box, 0, row, slice});
            return o.stage.ptr;
        }
    }
    const uint64_t offset = (o.bytes.size() + 15) & ~uint64_t(15);
    o.regions.push_back(pipe_region{box, offset, row, slice});
    o.bytes.resize(offset + bytes);
    return o.bytes.data() + offset;
}

// --- where a client box lands --------------------------------------------------------------------

// Box of the level in the resource's terms: layers are z.
static pipe_box resource_box(const gl::Texture &tex, const Box &b, const Location &at) {
    if (tex.index == gl::TEX_1D_ARRAY) {
        // GL gives the layers of a 1D array as y and h, or already as z and d.
        const bool by_y = b.h > 1 || b.y > 0;
        return pipe_box{b.x, 0, int32_t(at.layer) + (by_y ? b.y : b.z), b.w, 1, by_y ? b.h : b.d};
    }
    return pipe_box{b.x, b.y, b.z + int32_t(at.layer), b.w, b.h, b.d};
}

static uint8_t aspect_of(const gl::FormatInfo &f, GLenum format) {
    if (f.color())
        return PIPE_ASPECT_COLOR;
    if (format == GL_DEPTH_COMPONENT)
        return PIPE_ASPECT_DEPTH;
    if (format == GL_STENCIL_INDEX)
        return PIPE_ASPECT_STENCIL;
    return uint8_t((f.depth() ? PIPE_ASPECT_DEPTH : 0) | (f.stencil() ? PIPE_ASPECT_STENCIL : 0));
}

// Bytes of an upload source that lies in a pixel buffer, in `t.scratch`; null on failure.
static const uint8_t *buffer_source(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t bytes) {
    if (offset > uint64_t(b.size))
        return nullptr;
    bytes = std::min(bytes, uint64_t(b.size) - offset);
    t.scratch.resize(bytes);
    return buffer_read(t, b, offset, bytes, t.scratch.data()) ? t.scratch.data() : nullptr;
}

// The format of the bits that go to a level: a view's own, where its owner has texels of that size.
static uint32_t texel_format(gl::Texture &tex, const Location &at) {
    const uint32_t stored = at.desc->format, own = data_of(tex).desc.format;
    const pipe_format_desc *a = pipe_format_describe(stored), *b = pipe_format_describe(own);
    const bool same_bits = tex.origin && own != PIPE_FORMAT_NONE && !a->is_compressed &&
                           !b->is_compressed && a->block_bytes == b->block_bytes;
    return same_bits ? own : stored;
}

// A pixel buffer whose layout already is the texture's: the GPU copies.
static bool copy_from_buffer(Tracker &t, gl::Texture &tex, unsigned face, unsigned level,
                             const Box &box, const PixelRect &src, const gl::PixelLayout &l) {
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo &f = *tex.image[face][level].format;
    if (!t.lane.has<&pipe_context::copy_buffer_to_texture>() || !f.color() ||
        tex.index == gl::TEX_1D_ARRAY ||
        !gl::pixels_match(pipe_format(texel_format(tex, at)), f, src.format, src.type,
                          src.store->swap_bytes))
        return false;
    const unsigned texel = pipe_format_describe(at.desc->format)->block_bytes;
    const uint64_t first = uint64_t(reinterpret_cast<uintptr_t>(src.pixels)) + l.first;
    if (first % texel || l.row_stride % texel || l.row_stride > 0xffffffffu ||
        l.image_stride > 0xffffffffu)
        return false;
    pipe_copy_buffer_to_texture p{};
    p.texture = at.resource;
    p.buffer = buffer_handle(t, src.buffer);
    p.level = at.level;
    p.num_regions = 1;
    p.buffer_offset = first;
    p.aspect = PIPE_ASPECT_COLOR;
    const pipe_region r{resource_box(tex, box, at), 0, uint32_t(l.row_stride),
                        uint32_t(l.image_stride)};
    due_copy(t, tex, face, level, box, src);
    t.lane.emit<&pipe_context::copy_buffer_to_texture>(&p, &r);
    note_write(t, *at.write);
    return true;
}

// One piece of an upload: `z` slices from `first_z` on, rows [y, y + h) of the client's box.
struct Piece {
    GLint y;
    GLsizei h;
    GLint z;
    GLsizei d;
};

static void send_piece(Tracker &t, gl::Texture &tex, const Location &at, const gl::FormatInfo &f,
                       const Box &box, const Piece &piece, const gl::ClientPixels &client,
                       uint8_t aspect) {
    const uint32_t format = texel_format(tex, at);
    const uint32_t texel = pipe_format_describe(format)->block_bytes;
    const uint32_t row = (uint32_t(box.w) * texel + 3) & ~3u;
    const uint32_t slice = row * uint32_t(piece.h);
    Box part = box;
    part.y += piece.y;
    part.h = piece.h;
    part.z += piece.z;
    part.d = piece.d;
    const pipe_box dst = resource_box(tex, part, at);
    // Layers of a 1D array are rows of the client: their stride is the row's.
    const bool rows_are_layers = tex.index == gl::TEX_1D_ARRAY && dst.depth == piece.h;
    uint8_t *out = append_region(t, at, aspect, dst, row, rows_are_layers ? row : slice,
                                 uint64_t(slice) * uint64_t(piece.d));
    const gl::TexelBlock block{out, pipe_format(format), row, slice};
    if (!gl::pixels_unpack(block, f, client, box.w, piece.h, piece.d))
        log_warning("tracker", "no conversion from format 0x%x, type 0x%x to %s", client.format,
                    client.type, pipe_format_name(format));
    // Data that other lanes may wait for leaves at once.
    if (t.group.lanes.load(std::memory_order_relaxed) > 1)
        t.out();
}

struct Encoded {
    std::vector<uint8_t> bytes; // empty: an error is out
    uint32_t row, slice;
};

// Plain pixels as blocks of the level's format.
static Encoded encode(Tracker &t, const gl::FormatInfo &f, const Box &box, const PixelRect &src,
                      const uint8_t *base, unsigned dims) {
    const uint32_t format = f.pipe[0], plain = compress_source(format);
    const uint32_t row = (uint32_t(box.w) + f.block_w - 1) / f.block_w * f.block_bytes;
    Encoded e{{}, row, row * ((uint32_t(box.h) + f.block_h - 1) / f.block_h)};
    if (plain == PIPE_FORMAT_NONE || box.x % f.block_w || box.y % f.block_h) {
        log_warning_once("tracker", "plain pixels cannot become blocks of %s at %d, %d",
                         gl::enum_name(f.internal), box.x, box.y);
        gl::error(t.c, GL_INVALID_OPERATION, "glTexSubImage(no compressor for %s)",
                  gl::enum_name(f.internal));
        return e;
    }
    const uint32_t plain_row = uint32_t(box.w) * pipe_format_describe(plain)->block_bytes;
    const uint64_t plain_slice = uint64_t(plain_row) * uint64_t(box.h);
    std::vector<uint8_t> texels(plain_slice * uint64_t(box.d));
    const gl::ClientPixels client{const_cast<uint8_t *>(base), src.format, src.type, src.store,
                                  dims};
    if (!gl::pixels_unpack({texels.data(), pipe_format(plain), plain_row, plain_slice}, f, client,
                           box.w, box.h, box.d))
        return e;
    e.bytes.resize(uint64_t(e.slice) * uint64_t(box.d));
    for (GLsizei z = 0; z < box.d; z++)
        compress_blocks(format, texels.data() + uint64_t(z) * plain_slice, plain_row,
                        uint32_t(box.w), uint32_t(box.h), e.bytes.data() + uint64_t(z) * e.slice,
                        e.row);
    return e;
}

static void encode_and_keep(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level,
                            const Box &box, const PixelRect &src, const uint8_t *base,
                            unsigned dims) {
    const Encoded e = encode(of(c), *tex.image[face][level].format, box, src, base, dims);
    if (!e.bytes.empty())
        upload_decoded(c, tex, face, level, box, {e.bytes.data(), e.row, e.slice});
}

// Plain pixels for a level that is stored as blocks.
static void send_compressed(Tracker &t, gl::Texture &tex, unsigned face, unsigned level,
                            const Box &box, const PixelRect &src, const uint8_t *base,
                            unsigned dims) {
    const Location at = locate_storage(t, tex, face, level);
    const Encoded e = encode(t, *tex.image[face][level].format, box, src, base, dims);
    if (e.bytes.empty())
        return;
    due_shape(t, tex, face, level, box);
    uint8_t *out = append_region(t, at, PIPE_ASPECT_COLOR, resource_box(tex, box, at), e.row,
                                 e.slice, e.bytes.size());
    std::memcpy(out, e.bytes.data(), e.bytes.size());
    if (t.group.lanes.load(std::memory_order_relaxed) > 1)
        t.out();
}

static void send_plain(Tracker &t, gl::Texture &tex, const Location &at, const gl::FormatInfo &f,
                       const Box &box, const PixelRect &src, const uint8_t *base, unsigned dims,
                       const gl::PixelLayout &l) {
    const pipe_format_desc *desc = pipe_format_describe(at.desc->format);
    const uint8_t aspect = aspect_of(f, src.format);
    // Large images go in slabs of rows, so that no record is above the stage's share.
    const uint64_t row_bytes = uint64_t(box.w) * desc->block_bytes + 4;
    const uint64_t slab = std::min<uint64_t>(t.chunk_bytes, 64u << 20);
    const GLsizei rows = GLsizei(std::clamp<uint64_t>(slab / row_bytes, 1, uint64_t(box.h)));
    const GLsizei slices = rows < box.h
                               ? 1
                               : GLsizei(std::clamp<uint64_t>(slab / (row_bytes * uint64_t(box.h)),
                                                              1, uint64_t(box.d)));
    for (GLint z = 0; z < box.d; z += slices)
        for (GLint y = 0; y < box.h; y += rows) {
            const Piece piece{y, std::min(rows, box.h - y), z, std::min(slices, box.d - z)};
            // Skips are part of the layout that `base` is read with; whole rows and slices are
            // added here.
            const uint8_t *from = base + uint64_t(z) * l.image_stride + uint64_t(y) * l.row_stride;
            gl::PixelStore store = *src.store;
            const gl::ClientPixels client{const_cast<uint8_t *>(from), src.format, src.type, &store,
                                          dims};
            if (dims == 3 && store.image_height == 0)
                store.image_height = box.h;
            send_piece(t, tex, at, f, box, piece, client, aspect);
        }
}

void texture_subdata(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level,
                     const Box &box, const PixelRect &src) {
    Tracker &t = of(c);
    if (box.w <= 0 || box.h <= 0 || box.d <= 0)
        return;
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo *f = tex.image[face][level].format;
    if (pipe_handle_is_null(at.resource) || !f)
        return;
    wait_for(t, *at.write);
    resolve_params(t, tex);
    const unsigned dims = image_dims(tex);
    const gl::PixelLayout l =
        gl::pixel_layout(*src.store, dims, box.w, box.h, box.d, src.format, src.type);
    const pipe_format_desc *desc = pipe_format_describe(at.desc->format);
    const uint8_t *base = static_cast<const uint8_t *>(src.pixels);
    if (src.buffer) {
        push_persistent(t);
        if (copy_from_buffer(t, tex, face, level, box, src, l))
            return;
        base = buffer_source(t, *src.buffer, reinterpret_cast<uintptr_t>(src.pixels), l.total);
        if (!base)
            return;
    }
    if (f->compressed)
        return desc->is_compressed ? send_compressed(t, tex, face, level, box, src, base, dims)
                                   : encode_and_keep(c, tex, face, level, box, src, base, dims);
    due_texels(t, tex, face, level, box, src, base);
    send_plain(t, tex, at, *f, box, src, base, dims, l);
}

// --- blocks --------------------------------------------------------------------------------------

void texture_compressed_subdata(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level,
                                const Box &box, GLenum, GLsizei, const gl::PixelStore &store,
                                gl::Buffer *buffer, const void *data) {
    Tracker &t = of(c);
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo *f = tex.image[face][level].format;
    if (pipe_handle_is_null(at.resource) || !f || box.w <= 0 || box.h <= 0 || box.d <= 0)
        return;
    const pipe_format_desc *desc = pipe_format_describe(at.desc->format);
    wait_for(t, *at.write);
    resolve_params(t, tex);
    const gl::PixelLayout l =
        gl::compressed_layout(store, *f, image_dims(tex), box.w, box.h, box.d);
    const auto *base = static_cast<const uint8_t *>(data);
    if (buffer) {
        push_persistent(t);
        base = buffer_source(t, *buffer, reinterpret_cast<uintptr_t>(data), l.total);
        if (!base || t.scratch.size() < l.total)
            return;
    }
    if (!desc->is_compressed)
        return upload_decoded(c, tex, face, level, box,
                              {base + l.first, l.row_stride, l.image_stride});
    const uint32_t blocks_x = (uint32_t(box.w) + desc->block_width - 1) / desc->block_width;
    const uint32_t blocks_y = (uint32_t(box.h) + desc->block_height - 1) / desc->block_height;
    const uint32_t out_row = blocks_x * desc->block_bytes;
    const pipe_box dst = resource_box(tex, box, at);
    due_blocks(t, tex, face, level, box, store, base);
    uint8_t *out = append_region(t, at, PIPE_ASPECT_COLOR, dst, out_row, out_row * blocks_y,
                                 uint64_t(out_row) * blocks_y * uint64_t(box.d));
    for (GLsizei z = 0; z < box.d; z++)
        for (uint32_t y = 0; y < blocks_y; y++, out += out_row)
            std::memcpy(out, base + l.first + uint64_t(z) * l.image_stride + y * l.row_stride,
                        out_row);
    if (t.group.lanes.load(std::memory_order_relaxed) > 1)
        t.out();
}

// Blocks that the driver lacks: kept for the program, their texels sent as plain ones.
void upload_decoded(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                    const BlockSource &src) {
    Tracker &t = of(c);
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo *f = tex.image[face][level].format;
    if (pipe_handle_is_null(at.resource) || !f)
        return;
    keep_blocks(tex, face, level, box, src);
    const DecodedPair pair = decoded_pair(*f);
    const uint64_t row = uint64_t(box.w) * pair.bytes, slice = row * uint64_t(box.h);
    std::vector<uint8_t> texels(slice * uint64_t(box.d));
    for (GLsizei z = 0; z < box.d; z++)
        decompress_blocks(*f, src.bytes + uint64_t(z) * src.slice, src.row, uint32_t(box.w),
                          uint32_t(box.h), texels.data() + uint64_t(z) * slice, row);
    gl::PixelStore store;
    store.alignment = 1;
    const unsigned dims = image_dims(tex);
    const PixelRect rect{pair.format, pair.type, &store, nullptr, texels.data()};
    due_shape(t, tex, face, level, box);
    send_plain(t, tex, at, *f, box, rect, texels.data(), dims,
               gl::pixel_layout(store, dims, box.w, box.h, box.d, pair.format, pair.type));
}

// --- clears and invalidation ---------------------------------------------------------------------

bool texture_clear(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                   GLenum format, GLenum type, const void *data) {
    Tracker &t = of(c);
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo *f = tex.image[face][level].format;
    if (pipe_handle_is_null(at.resource) || !f)
        return true;
    if (!t.lane.has<&pipe_context::clear_texture>())
        return false;
    wait_for(t, *at.write);
    pipe_clear_texture p{};
    p.texture = at.resource;
    p.level = at.level;
    p.box = resource_box(tex, box, at);
    const pipe_format_desc *d = pipe_format_describe(at.desc->format);
    const bool zs = d->is_depth || d->is_stencil;
    const uint32_t format_of_texel =
        zs ? uint32_t(PIPE_FORMAT_Z32_FLOAT_S8X24_UINT) : texel_format(tex, at);
    p.texel_size = pipe_format_describe(format_of_texel)->block_bytes;
    if (data && zs) {
        float depth = 0;
        uint32_t stencil = 0;
        gl::pixel_to_depth_stencil(format, type, data, depth, stencil);
        std::memcpy(p.texel, &depth, 4);
        std::memcpy(p.texel + 4, &stencil, 4);
    } else if (data) {
        const gl::PixelStore store{};
        const gl::ClientPixels client{const_cast<void *>(data), format, type, &store, 1};
        const gl::TexelBlock block{p.texel, pipe_format(format_of_texel), 16, 16};
        if (!gl::pixels_unpack(block, *f, client, 1, 1, 1))
            return false;
    }
    t.lane.emit<&pipe_context::clear_texture>(&p);
    note_write(t, *at.write);
    return true;
}

void texture_invalidate(gl::Context &c, gl::Texture &tex, unsigned level, const Box *box) {
    Tracker &t = of(c);
    const Location at = locate_storage(t, tex, 0, level);
    // A part of a level keeps its texels: the pipe has no name for less than a level.
    if (pipe_handle_is_null(at.resource) || box || tex.origin)
        return;
    pipe_resource_invalidate p{};
    p.resource = at.resource;
    p.level = at.level;
    t.lane.emit<&pipe_screen::resource_invalidate>(&p);
}

} // namespace st
