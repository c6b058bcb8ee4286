// SPDX-License-Identifier: MIT
// What uploads have to be, and the comparison; see verify_upload.h. Addresses in client memory are
// those of GL 4.6 sections 8.4.4.1 and 8.7, one texel or block at a time.
#include "tracker/verify_upload.h"

#include "objects/pixel.h"
#include "pipe_wrap/derive.h"

#include <algorithm>

namespace st {

namespace {

constexpr uint64_t kSamples = 1 << 16; // texels of one upload whose bytes are compared, evenly

uint64_t volume(const pipe_box &b) {
    return uint64_t(b.width) * uint64_t(b.height) * uint64_t(b.depth);
}

bool inside(const pipe_box &a, const pipe_box &b) {
    return a.x >= b.x && a.y >= b.y && a.z >= b.z && a.x + a.width <= b.x + b.width &&
           a.y + a.height <= b.y + b.height && a.z + a.depth <= b.z + b.depth && a.width > 0 &&
           a.height > 0 && a.depth > 0;
}

bool meet(const pipe_box &a, const pipe_box &b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height && a.z < b.z + b.depth && b.z < a.z + a.depth;
}

std::string text_of(const pipe_box &b) {
    std::string s;
    for (int32_t v : {b.x, b.y, b.z, b.width, b.height, b.depth})
        s += (s.empty() ? "" : " ") + std::to_string(v);
    return s;
}

bool nothing_to_do(Tracker &t) {
    if (t.c.lost.load(std::memory_order_relaxed))
        t.due.clear();
    return t.deriving || t.c.lost.load(std::memory_order_relaxed);
}

void differs(Tracker &t, const char *record, const std::string &what) {
    t.due.clear();
    wrap::derive_report(std::string(record) + '.' + what + "@upload #" +
                        std::to_string(t.uploads_due));
}

// The control: one byte of what is held is spoiled, once in a process.
bool spoil() {
    static bool done = !util::debug(util::Debug::verify_corrupt);
    return !std::exchange(done, true);
}

void add(Tracker &t, DueUpload &&due) {
    if (nothing_to_do(t))
        return;
    // What this upload closes must not find it here.
    if (t.lane.open && (due.is_buffer || t.open_upload.regions.empty()))
        t.out();
    if (spoil()) {
        due.box.x ^= 1;
        due.offset ^= 1;
    }
    t.uploads_due++;
    t.due.push_back(std::move(due));
}

// --- where texels lie ----------------------------------------------------------------------------

pipe_box box_of(const gl::Texture &tex, const Box &b, int32_t layer) {
    switch (tex.index) {
    case gl::TEX_1D: return {b.x, 0, 0, b.w, 1, 1};
    case gl::TEX_1D_ARRAY: return {b.x, 0, b.y + b.z + layer, b.w, 1, b.h * b.d};
    case gl::TEX_2D:
    case gl::TEX_RECT: return {b.x, b.y, layer, b.w, b.h, 1};
    default: return {b.x, b.y, b.z + layer, b.w, b.h, b.d};
    }
}

uint32_t shrunk(uint32_t size, unsigned level) {
    return std::max(size >> level, 1u);
}

// The parts that all texel uploads share.
DueUpload place(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box) {
    const Location at = locate_storage(t, tex, face, level);
    const gl::TexImage &im = tex.image[face][level];
    DueUpload due;
    due.resource = at.resource;
    due.level = tex.origin ? level + uint32_t(tex.min_level) : at.level;
    due.box = box_of(tex, box,
                     int32_t(tex.origin ? uint32_t(tex.min_layer) : 0u) +
                         int32_t(tex.index == gl::TEX_CUBE ? face : 0u));
    due.left = volume(due.box);
    const pipe_format_desc *d = pipe_format_describe(at.desc->format);
    due.block_width = d->block_width;
    due.block_height = d->block_height;
    due.block_bytes = d->block_bytes;
    due.aspect = PIPE_ASPECT_COLOR;
    const uint64_t rows = (uint64_t(box.h) + d->block_height - 1) / d->block_height;
    const uint64_t bytes =
        (uint64_t(box.w) + d->block_width - 1) / d->block_width * rows * d->block_bytes;
    due.one_piece = bytes * uint64_t(box.d) * 2 < std::min<uint64_t>(t.chunk_bytes, 64u << 20);
    if (shrunk(at.desc->width, at.level) != uint32_t(im.width))
        differs(t, "resource_subdata", "level: another size than the image has");
    return due;
}

uint8_t aspects(const gl::FormatInfo &f, GLenum client) {
    if (f.color())
        return PIPE_ASPECT_COLOR;
    const bool d = client != GL_STENCIL_INDEX && f.depth();
    const bool s = client != GL_DEPTH_COMPONENT && f.stencil();
    return uint8_t((d ? PIPE_ASPECT_DEPTH : 0) | (s ? PIPE_ASPECT_STENCIL : 0));
}

// Address of a texel of the client's box, from the pointer on.
struct ClientAddress {
    uint64_t group, row, rows, first_pixel, first_row, first_image;

    ClientAddress(const gl::Texture &tex, const Box &box, const PixelRect &src) {
        const gl::PixelStore &s = *src.store;
        const bool volume = tex.index == gl::TEX_3D || tex.index == gl::TEX_2D_ARRAY ||
                            tex.index == gl::TEX_CUBE_ARRAY;
        const uint64_t element = gl::type_bytes(src.type), align = uint64_t(s.alignment);
        group = gl::texel_bytes(src.format, src.type);
        row = group * uint64_t(s.row_length ? s.row_length : box.w);
        if (element < align && row % align)
            row += align - row % align;
        rows = uint64_t(volume && s.image_height ? s.image_height : box.h);
        first_pixel = uint64_t(s.skip_pixels);
        first_row = tex.index == gl::TEX_1D ? 0 : uint64_t(s.skip_rows);
        first_image = volume ? uint64_t(s.skip_images) : 0;
    }
    uint64_t of(uint64_t x, uint64_t y, uint64_t z) const {
        return ((first_image + z) * rows + first_row + y) * row + (first_pixel + x) * group;
    }
};

// Client rows of a 1D array are layers.
struct Position {
    uint64_t x, y, z;
};
Position position(const Box &b, uint64_t n) {
    const uint64_t w = uint64_t(b.w), h = uint64_t(b.h);
    return {n % w, n / w % h, n / w / h};
}

} // namespace

void due_texels(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                const PixelRect &src, const void *base) {
    const gl::FormatInfo &f = *tex.image[face][level].format;
    DueUpload due = place(t, tex, face, level, box);
    due.aspect = aspects(f, src.format);
    // Bits of an aspect that is not written are nobody's.
    const bool all = f.color() || due.aspect == aspects(f, GL_DEPTH_STENCIL);
    const uint32_t stored = locate_storage(t, tex, face, level).desc->format;
    const uint32_t own = data_of(tex).desc.format;
    const uint32_t format = tex.origin && own != PIPE_FORMAT_NONE &&
                                    pipe_format_describe(own)->block_bytes == due.block_bytes
                                ? own
                                : stored;
    const ClientAddress address(tex, box, src);
    gl::PixelStore tight;
    tight.alignment = 1;
    tight.swap_bytes = src.store->swap_bytes;
    due.step = (due.left + kSamples - 1) / kSamples;
    const uint64_t samples = all ? (due.left + due.step - 1) / due.step : 0;
    due.bytes.resize(samples * due.block_bytes);
    for (uint64_t i = 0; i < samples; i++) {
        const Position p = position(box, i * due.step);
        const auto *texel = static_cast<const uint8_t *>(base) + address.of(p.x, p.y, p.z);
        const gl::ClientPixels client{const_cast<uint8_t *>(texel), src.format, src.type, &tight,
                                      1};
        if (!gl::pixels_unpack({due.bytes.data() + i * due.block_bytes, pipe_format(format),
                                due.block_bytes, due.block_bytes},
                               f, client, 1, 1, 1)) {
            due.bytes.clear();
            break;
        }
    }
    add(t, std::move(due));
}

void due_copy(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
              const PixelRect &src) {
    DueUpload due = place(t, tex, face, level, box);
    due.by_gpu = true;
    due.source = src.buffer->handle;
    const ClientAddress address(tex, box, src);
    const uint64_t first = reinterpret_cast<uintptr_t>(src.pixels);
    due.corners[0] = first + address.of(0, 0, 0);
    due.corners[1] = first + address.of(uint64_t(box.w - 1), 0, 0);
    due.corners[2] = first + address.of(0, uint64_t(box.h - 1), 0);
    due.corners[3] = first + address.of(0, 0, uint64_t(box.d - 1));
    add(t, std::move(due));
}

void due_blocks(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                const gl::PixelStore &s, const void *base) {
    DueUpload due = place(t, tex, face, level, box);
    const uint64_t bw = due.block_width, bh = due.block_height, bytes = due.block_bytes;
    const uint64_t columns = (uint64_t(box.w) + bw - 1) / bw,
                   lines = (uint64_t(box.h) + bh - 1) / bh;
    const bool volume = box.d > 1 || tex.index == gl::TEX_3D || tex.index == gl::TEX_2D_ARRAY ||
                        tex.index == gl::TEX_CUBE_ARRAY;
    // Modes count where the program told all of the block that they need.
    const bool by_x = s.block_size && s.block_width, by_y = by_x && s.block_height,
               by_z = volume && by_y && s.block_depth;
    const auto in_blocks = [](GLint n, GLint of) {
        return (uint64_t(n) + uint64_t(of) - 1) / uint64_t(of);
    };
    const uint64_t row =
        by_x && s.row_length ? in_blocks(s.row_length, s.block_width) * bytes : columns * bytes;
    const uint64_t rows =
        by_y && volume && s.image_height ? in_blocks(s.image_height, s.block_height) : lines;
    const uint64_t x0 = by_x ? uint64_t(s.skip_pixels / s.block_width) : 0,
                   y0 = by_y ? uint64_t(s.skip_rows / s.block_height) : 0,
                   z0 = by_z ? uint64_t(s.skip_images / s.block_depth) : 0;
    const uint64_t blocks = columns * lines * uint64_t(box.d);
    due.step = (blocks + kSamples - 1) / kSamples;
    for (uint64_t n = 0; n < blocks; n += due.step) {
        const uint64_t x = n % columns, y = n / columns % lines, z = n / columns / lines;
        const auto *block = static_cast<const uint8_t *>(base) + ((z0 + z) * rows + y0 + y) * row +
                            (x0 + x) * bytes;
        due.bytes.insert(due.bytes.end(), block, block + bytes);
    }
    add(t, std::move(due));
}

void due_shape(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box) {
    const gl::FormatInfo &f = *tex.image[face][level].format;
    DueUpload due = place(t, tex, face, level, box);
    due.aspect = aspects(f, GL_DEPTH_STENCIL);
    add(t, std::move(due));
}

void due_bytes(Tracker &t, const gl::Buffer &b, uint64_t offset, uint64_t size, const void *bytes,
               bool whole) {
    if (!size)
        return;
    DueUpload due;
    due.is_buffer = true;
    due.resource = b.handle;
    due.offset = offset;
    due.left = size;
    due.from = static_cast<const uint8_t *>(bytes);
    due.whole = whole;
    add(t, std::move(due));
}

// --- what leaves ---------------------------------------------------------------------------------

namespace {

// The region's part of the bytes, block by block.
bool same_bytes(const DueUpload &due, const pipe_region &r, const pipe_host_span &s) {
    if (due.bytes.empty())
        return true;
    const uint64_t columns = (uint64_t(due.box.width) + due.block_width - 1) / due.block_width,
                   lines = (uint64_t(due.box.height) + due.block_height - 1) / due.block_height;
    const uint64_t samples = due.bytes.size() / due.block_bytes;
    const auto *p = static_cast<const uint8_t *>(s.ptr);
    for (uint64_t i = 0; i < samples; i++) {
        const uint64_t n = i * due.step;
        const int64_t x = int64_t(n % columns) - (r.box.x - due.box.x) / int64_t(due.block_width),
                      y = int64_t(n / columns % lines) -
                          (r.box.y - due.box.y) / int64_t(due.block_height),
                      z = int64_t(n / columns / lines) - (r.box.z - due.box.z);
        if (x < 0 || y < 0 || z < 0 || x * int64_t(due.block_width) >= r.box.width ||
            y * int64_t(due.block_height) >= r.box.height || z >= r.box.depth)
            continue;
        const uint64_t at = r.offset + uint64_t(z) * r.slice_stride + uint64_t(y) * r.row_stride +
                            uint64_t(x) * due.block_bytes;
        if (at + due.block_bytes > s.size ||
            std::memcmp(p + at, due.bytes.data() + i * due.block_bytes, due.block_bytes) != 0)
            return false;
    }
    return true;
}

// Takes a region off the oldest upload that is due. False: reported.
bool take_region(Tracker &t, const char *record, const std::string &name, pipe_handle resource,
                 uint32_t level, uint8_t aspect, const pipe_region &r, const pipe_host_span *s) {
    if (t.due.empty() || t.due.front().is_buffer || t.due.front().by_gpu != !s)
        return differs(t, record, name + ": no such upload is due"), false;
    DueUpload &due = t.due.front();
    if (resource != due.resource)
        return differs(t, record, "resource"), false;
    if (level != due.level)
        return differs(t, record, "level"), false;
    if (aspect != due.aspect)
        return differs(t, record, "aspect"), false;
    const bool again = std::any_of(due.written.begin(), due.written.end(),
                                   [&](const pipe_box &w) { return meet(w, r.box); });
    if (again || !inside(r.box, due.box) || (due.one_piece && volume(r.box) != due.left))
        return differs(t, record,
                       name + ".box: " + text_of(r.box) + ", due is " + text_of(due.box)),
               false;
    if (s && !same_bytes(due, r, *s))
        return differs(t, record, name + ": bytes"), false;
    due.written.push_back(r.box);
    due.left -= volume(r.box);
    return true;
}

void done_with_front(Tracker &t) {
    if (!t.due.empty() && !t.due.front().left)
        t.due.pop_front();
}

void take_bytes(Tracker &t, const char *record, pipe_handle buffer, uint64_t offset, uint64_t size,
                uint32_t flags, const pipe_host_span *s) {
    if (t.due.empty() || !t.due.front().is_buffer)
        return differs(t, record, "resource: no such upload is due");
    DueUpload &due = t.due.front();
    if (buffer != due.resource)
        return differs(t, record, "resource");
    if (offset != due.offset)
        return differs(t, record, "offset");
    if (!size || size > due.left || s->size != size)
        return differs(t, record, "size");
    if ((flags & PIPE_SUBDATA_DISCARD_WHOLE) && !due.whole)
        return differs(t, record, "flags");
    if (due.from && std::memcmp(s->ptr, due.from, size) != 0)
        return differs(t, record, "bytes");
    due.from = due.from ? due.from + size : nullptr;
    due.offset += size;
    due.left -= size;
    due.whole = false;
    done_with_front(t);
}

} // namespace

void check_upload(Tracker &t, const pipe_resource_subdata *p, const pipe_region *regions,
                  const pipe_host_span *s) {
    if (nothing_to_do(t))
        return;
    if (!p->num_regions)
        return take_bytes(t, "resource_subdata", p->resource, p->offset, p->size, p->flags, s);
    for (uint32_t i = 0; i < p->num_regions; i++) {
        if (!take_region(t, "resource_subdata", "regions[" + std::to_string(i) + ']', p->resource,
                         p->level, p->aspect, regions[i], s))
            return;
        done_with_front(t);
    }
}

void check_upload(Tracker &t, const pipe_buffer_subdata_resident *p, const pipe_host_span *s) {
    if (!nothing_to_do(t))
        take_bytes(t, "buffer_subdata_resident", p->resource, p->offset, p->size, 0, s);
}

void check_upload(Tracker &t, const pipe_copy_buffer_to_texture *p, const pipe_region *r) {
    static const char record[] = "copy_buffer_to_texture";
    if (nothing_to_do(t) ||
        !take_region(t, record, "regions[0]", p->texture, p->level, p->aspect, *r, nullptr))
        return;
    const DueUpload &due = t.due.front();
    if (p->buffer != due.source)
        return differs(t, record, "buffer");
    const uint64_t first = p->buffer_offset + r->offset;
    const uint64_t at[] = {first, first + uint64_t(due.box.width - 1) * due.block_bytes,
                           first + uint64_t(due.box.height - 1) * r->row_stride,
                           first + uint64_t(due.box.depth - 1) * r->slice_stride};
    for (unsigned i = 0; i < std::size(at); i++)
        if (at[i] != due.corners[i])
            return differs(t, record, "regions[0]: address of corner " + std::to_string(i));
    done_with_front(t);
}

void check_nothing_due(Tracker &t) {
    if (!nothing_to_do(t) && !t.due.empty())
        differs(t, "resource_subdata", "never left");
}

} // namespace st
