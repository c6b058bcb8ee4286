// SPDX-License-Identifier: MIT
#include "tracker/kept_blocks.h"

#include <algorithm>
#include <cstring>

namespace st {

namespace {

// A box of a level in blocks of the texture that owns the storage.
struct Place {
    KeptLevel *level;
    uint64_t first, row_bytes;
    uint32_t rows;
};

uint32_t blocks(GLsizei n, unsigned of) {
    return (uint32_t(n) + of - 1) / of;
}

Place place_of(gl::Texture &tex, unsigned face, unsigned level, const Box &box) {
    gl::Texture &owner = tex.origin ? *tex.origin : tex;
    const unsigned own_level = level + (tex.origin ? unsigned(tex.min_level) : 0);
    const gl::TexImage &im = tex.image[face][level];
    const gl::FormatInfo &f = *im.format;
    std::vector<KeptLevel> &kept = data_of(owner).kept;
    auto it = std::find_if(kept.begin(), kept.end(),
                           [&](const KeptLevel &k) { return k.level == own_level; });
    if (it == kept.end())
        it = kept.insert(kept.end(), KeptLevel{own_level, 0, 0, {}});
    const uint64_t row = uint64_t(blocks(im.width, f.block_w)) * f.block_bytes,
                   slice = row * blocks(im.height, f.block_h);
    const bool cube = owner.index == gl::TEX_CUBE;
    const gl::TexImage &whole = owner.image[cube ? face : 0][own_level];
    const uint64_t slices = cube ? 6 : uint64_t(std::max(whole.depth, 1));
    if (it->row != row || it->slice != slice || it->bytes.size() != slice * slices) {
        it->row = row;
        it->slice = slice;
        it->bytes.assign(slice * slices, 0);
    }
    const unsigned layer =
        (tex.origin ? unsigned(tex.min_layer) : 0) + (tex.index == gl::TEX_CUBE ? face : 0);
    return {&*it,
            (uint64_t(box.z) + layer) * slice + uint64_t(box.y / f.block_h) * row +
                uint64_t(box.x / f.block_w) * f.block_bytes,
            uint64_t(blocks(box.w, f.block_w)) * f.block_bytes, blocks(box.h, f.block_h)};
}

} // namespace

void keep_blocks(gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                 const BlockSource &src) {
    const Place p = place_of(tex, face, level, box);
    for (GLsizei z = 0; z < box.d; z++)
        for (uint32_t y = 0; y < p.rows; y++)
            std::memcpy(p.level->bytes.data() + p.first + uint64_t(z) * p.level->slice +
                            y * p.level->row,
                        src.bytes + uint64_t(z) * src.slice + y * src.row, p.row_bytes);
}

std::vector<uint8_t> kept_blocks(gl::Texture &tex, unsigned face, unsigned level, const Box &box) {
    const Place p = place_of(tex, face, level, box);
    std::vector<uint8_t> out;
    out.reserve(p.row_bytes * p.rows * uint64_t(box.d));
    for (GLsizei z = 0; z < box.d; z++)
        for (uint32_t y = 0; y < p.rows; y++) {
            const uint8_t *from =
                p.level->bytes.data() + p.first + uint64_t(z) * p.level->slice + y * p.level->row;
            out.insert(out.end(), from, from + p.row_bytes);
        }
    return out;
}

bool stored_decoded(const gl::Texture &tex, unsigned face, unsigned level, const Location &at) {
    const gl::FormatInfo *f = tex.image[face][level].format;
    return f && f->compressed && !pipe_format_describe(at.desc->format)->is_compressed;
}

namespace {

const gl::FormatInfo *format_of(const ImageRef &r) {
    return r.tex ? r.tex->image[r.face][r.level].format : r.rb->format;
}

bool is_decoded(Tracker &t, const ImageRef &r) {
    if (!r.tex)
        return false;
    const Location at = locate_storage(t, *r.tex, r.face, r.level);
    return stored_decoded(*r.tex, r.face, r.level, at);
}

} // namespace

bool copy_decoded(gl::Context &c, const ImageRef &src, const ImageRef &dst, GLsizei w, GLsizei h,
                  GLsizei d) {
    Tracker &t = of(c);
    const gl::FormatInfo &from = *format_of(src), &to = *format_of(dst);
    const auto size = [](GLsizei n, unsigned a, unsigned b) { return GLsizei(blocks(n, a) * b); };
    const Box src_box{src.x, src.y, src.z, w, h, d};
    Box dst_box{
        dst.x, dst.y, dst.z, size(w, from.block_w, to.block_w), size(h, from.block_h, to.block_h),
        d};
    gl::PixelStore store;
    store.alignment = 1;
    std::vector<uint8_t> bytes;
    const uint64_t row = uint64_t(blocks(w, from.block_w)) *
                         (from.compressed
                              ? from.block_bytes
                              : gl::texel_bytes(from.transfer_format, from.transfer_type)),
                   slice = row * blocks(h, from.block_h);
    if (is_decoded(t, src)) {
        bytes = kept_blocks(*src.tex, src.face, src.level, src_box);
    } else {
        if (!src.tex || from.compressed)
            return false;
        bytes.resize(slice * uint64_t(d));
        const PixelRect rect{from.transfer_format, from.transfer_type, &store, nullptr,
                             bytes.data()};
        if (!texture_get_image(c, *src.tex, src.face, src.level, src_box, rect))
            return false;
    }
    if (is_decoded(t, dst)) {
        const gl::TexImage &im = dst.tex->image[dst.face][dst.level];
        dst_box.w = std::min(dst_box.w, im.width - dst.x);
        dst_box.h = std::min(dst_box.h, im.height - dst.y);
        upload_decoded(c, *dst.tex, dst.face, dst.level, dst_box, {bytes.data(), row, slice});
        return true;
    }
    if (!dst.tex || to.compressed)
        return false;
    texture_subdata(c, *dst.tex, dst.face, dst.level, dst_box,
                    {to.transfer_format, to.transfer_type, &store, nullptr, bytes.data()});
    return true;
}

} // namespace st
