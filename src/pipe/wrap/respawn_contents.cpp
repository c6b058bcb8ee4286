// SPDX-License-Identifier: MIT
// See the header.
#include "respawn_contents.h"

#include "pipe/pipe_texel.h"

#include <algorithm>
#include <cstring>

namespace wrap {

// --- ranges --------------------------------------------------------------------------------------

void Ranges::add(uint64_t from, uint64_t to) {
    if (from >= to)
        return;
    auto it = std::find_if(ranges_.begin(), ranges_.end(), [&](auto &r) { return r.to >= from; });
    auto last = it;
    for (; last != ranges_.end() && last->from <= to; ++last) {
        from = std::min(from, last->from);
        to = std::max(to, last->to);
    }
    if (it == last) {
        ranges_.insert(it, {from, to});
        return;
    }
    *it = {from, to};
    ranges_.erase(it + 1, last);
}

void Ranges::remove(uint64_t from, uint64_t to) {
    for (size_t i = 0; i < ranges_.size() && from < to;) {
        const Range r = ranges_[i];
        if (r.to <= from || r.from >= to) {
            i++;
            continue;
        }
        ranges_.erase(ranges_.begin() + static_cast<long>(i));
        if (r.from < from)
            ranges_.insert(ranges_.begin() + static_cast<long>(i++), {r.from, from});
        if (r.to > to)
            ranges_.insert(ranges_.begin() + static_cast<long>(i++), {to, r.to});
    }
}

bool Ranges::overlaps(uint64_t from, uint64_t to) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](auto &r) { return r.from < to && from < r.to; });
}

// --- shape ---------------------------------------------------------------------------------------

void Contents::describe(const pipe_resource_desc &desc) {
    desc_ = desc;
    levels_.clear();
    levels_.resize(buffer() ? 0 : std::max<uint8_t>(desc.levels, 1));
    mipmaps_.clear();
    bytes_.reset();
    low_ = UINT64_MAX;
    high_ = 0;
    gpu_.clear();
}

void Contents::describe_again(const pipe_resource_desc &desc, uint32_t keep) {
    std::vector<Level> old = std::move(levels_);
    std::vector<LevelShape> shapes;
    for (uint32_t l = 0; l < old.size(); l++)
        shapes.push_back(shape(l));
    describe(desc);
    for (uint32_t l = 0; l < old.size() && l < levels_.size(); l++)
        if ((keep >> l & 1) && l < 32 && shapes[l].bytes() == shape(l).bytes() &&
            shapes[l].row == shape(l).row) {
            levels_[l] = std::move(old[l]);
            if (levels_[l].how == How::mipmap) { // the call went with the old chain
                levels_[l].how = How::nothing;
                levels_[l].gpu = true;
            }
        }
}

LevelShape Contents::shape(uint32_t level) const {
    const pipe_format_desc &f = *pipe_format_describe(desc_.format);
    const bool flat = desc_.target == PIPE_TEXTURE_1D || desc_.target == PIPE_TEXTURE_1D_ARRAY;
    const bool deep = desc_.target == PIPE_TEXTURE_3D;
    LevelShape s{};
    s.width = std::max(1u, desc_.width >> level);
    s.height = flat ? 1 : std::max(1u, desc_.height >> level);
    s.slices = deep ? std::max(1u, desc_.depth >> level) : std::max(1u, desc_.layers);
    if (!f.block_width || !f.block_height)
        return s;
    s.row = uint64_t((s.width + f.block_width - 1) / f.block_width) * f.block_bytes;
    s.rows = (s.height + f.block_height - 1) / f.block_height;
    s.slice = s.row * s.rows;
    return s;
}

// --- buffers -------------------------------------------------------------------------------------

void Contents::write(uint64_t offset, const void *bytes, uint64_t size) {
    if (!size || offset > desc_.size || size > desc_.size - offset)
        return;
    if (!bytes_)
        bytes_.reset(static_cast<uint8_t *>(calloc(1, desc_.size)));
    if (!bytes_)
        return gpu_wrote(offset, offset + size); // not known, so it is lost
    memcpy(bytes_.get() + offset, bytes, size);
    low_ = std::min(low_, offset);
    high_ = std::max(high_, offset + size);
    if (!gpu_.empty())
        gpu_.remove(offset, offset + size);
}

const uint8_t *Contents::known(uint64_t offset, uint64_t size) const {
    if (!bytes_ || offset < low_ || size > high_ - low_ || offset + size > high_ ||
        gpu_.overlaps(offset, offset + size))
        return nullptr;
    return bytes_.get() + offset;
}

void Contents::gpu_wrote(uint64_t from, uint64_t to) {
    gpu_.add(from, std::min(to, desc_.size));
}

// --- textures ------------------------------------------------------------------------------------

Contents::Level *Contents::writable(uint32_t level) {
    if (level >= levels_.size() || desc_.samples > 1)
        return nullptr;
    Level &l = levels_[level];
    const uint64_t bytes = shape(level).bytes();
    if (!l.bytes && bytes)
        l.bytes.reset(static_cast<uint8_t *>(calloc(1, bytes)));
    if (!l.bytes)
        return nullptr;
    // Levels that were derived from this one keep what they have.
    for (Mipmap &m : mipmaps_)
        if (!m.base && l.how == How::image && l.turn < m.turn &&
            m.call.payload<pipe_generate_mipmap>().base_level == level) {
            m.base.reset(static_cast<uint8_t *>(malloc(bytes)));
            if (m.base)
                memcpy(m.base.get(), l.bytes.get(), bytes);
            else
                lose_derived(m.turn);
        }
    return &l;
}

void Contents::lose_derived(uint64_t turn) {
    for (Level &l : levels_)
        if (l.how == How::mipmap && l.turn == turn)
            l.gpu = true;
}

void Contents::wrote_level(uint32_t level, bool whole) {
    Level &l = levels_[level];
    if (l.how == How::mipmap && !whole) // the rest of it is what was derived
        l.gpu = true;
    else if (whole)
        l.gpu = false;
    l.how = How::image;
    l.turn = ++turn_;
}

static void copy_aspects(uint32_t format, uint8_t aspect, uint8_t *to, const uint8_t *from,
                         size_t texels) {
    constexpr size_t piece = 256;
    const size_t bytes = pipe_format_describe(format)->block_bytes;
    for (size_t done = 0; done < texels; done += piece) {
        const size_t n = std::min(piece, texels - done);
        double depth[piece];
        uint8_t stencil[piece];
        if ((aspect & PIPE_ASPECT_DEPTH) &&
            pipe_texel::unpack_depth(format, from + done * bytes, depth, n))
            pipe_texel::pack_depth(format, depth, to + done * bytes, n);
        if ((aspect & PIPE_ASPECT_STENCIL) &&
            pipe_texel::unpack_stencil(format, from + done * bytes, stencil, n))
            pipe_texel::pack_stencil(format, stencil, to + done * bytes, n);
    }
}

static uint8_t aspects_of(const pipe_format_desc &f) {
    const int both =
        (f.is_depth ? PIPE_ASPECT_DEPTH : 0) | (f.is_stencil ? PIPE_ASPECT_STENCIL : 0);
    return uint8_t(both ? both : PIPE_ASPECT_COLOR);
}

// A box in blocks of a level; false: it does not lie inside.
struct Blocks {
    uint64_t x, y, z, width, height, depth;
};

static bool blocks_of(const LevelShape &s, const pipe_format_desc &f, const pipe_box &box,
                      Blocks *out) {
    if (box.x < 0 || box.y < 0 || box.z < 0 || box.width < 0 || box.height < 0 || box.depth < 0 ||
        !f.block_width || !f.block_height)
        return false;
    out->x = uint64_t(box.x) / f.block_width;
    out->y = uint64_t(box.y) / f.block_height;
    out->z = uint64_t(box.z);
    out->width = (uint64_t(box.width) + f.block_width - 1) / f.block_width;
    out->height = (uint64_t(box.height) + f.block_height - 1) / f.block_height;
    out->depth = uint64_t(box.depth);
    return (out->x + out->width) * f.block_bytes <= s.row && out->y + out->height <= s.rows &&
           out->z + out->depth <= s.slices;
}

static bool whole(const LevelShape &s, const pipe_format_desc &f, const Blocks &b) {
    return b.width * f.block_bytes == s.row && b.height == s.rows && b.depth == s.slices;
}

bool Contents::write_region(uint32_t level, uint8_t aspect, const pipe_region &region,
                            const uint8_t *base, uint64_t size) {
    const pipe_format_desc &f = *pipe_format_describe(desc_.format);
    const LevelShape s = shape(level);
    Blocks b;
    Level *l = writable(level);
    if (!l || !blocks_of(s, f, region.box, &b))
        return false;
    const uint64_t row = b.width * f.block_bytes;
    if (!row || !b.height || !b.depth)
        return true;
    const uint64_t end = region.offset + (b.depth - 1) * region.slice_stride +
                         (b.height - 1) * region.row_stride + row;
    if (end > size)
        return false;
    const bool all = aspect == PIPE_ASPECT_COLOR || aspect == aspects_of(f);
    for (uint64_t z = 0; z < b.depth; z++)
        for (uint64_t y = 0; y < b.height; y++) {
            uint8_t *to =
                l->bytes.get() + (b.z + z) * s.slice + (b.y + y) * s.row + b.x * f.block_bytes;
            const uint8_t *from =
                base + region.offset + z * region.slice_stride + y * region.row_stride;
            if (all)
                memcpy(to, from, row);
            else
                copy_aspects(desc_.format, aspect, to, from, b.width);
        }
    wrote_level(level, all && whole(s, f, b));
    return true;
}

void Contents::fill(const pipe_clear_texture &p) {
    const pipe_format_desc &f = *pipe_format_describe(desc_.format);
    uint8_t texel[16] = {};
    if (f.is_depth || f.is_stencil) {
        double depth = 0;
        uint8_t stencil = 0;
        pipe_texel::unpack_depth(PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, p.texel, &depth, 1);
        pipe_texel::unpack_stencil(PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, p.texel, &stencil, 1);
        pipe_texel::pack_depth(desc_.format, &depth, texel, 1);
        pipe_texel::pack_stencil(desc_.format, &stencil, texel, 1);
    } else {
        memcpy(texel, p.texel, sizeof texel);
    }
    const LevelShape s = shape(p.level);
    Blocks b;
    Level *l = f.is_compressed ? nullptr : writable(p.level);
    if (!l || !blocks_of(s, f, p.box, &b))
        return gpu_wrote_level(p.level);
    for (uint64_t z = 0; z < b.depth; z++)
        for (uint64_t y = 0; y < b.height; y++) {
            uint8_t *to =
                l->bytes.get() + (b.z + z) * s.slice + (b.y + y) * s.row + b.x * f.block_bytes;
            for (uint64_t x = 0; x < b.width; x++, to += f.block_bytes)
                memcpy(to, texel, f.block_bytes);
        }
    wrote_level(p.level, whole(s, f, b));
}

const uint8_t *Contents::known_level(uint32_t level) const {
    if (level >= levels_.size())
        return nullptr;
    const Level &l = levels_[level];
    return l.how == How::image && !l.gpu ? l.bytes.get() : nullptr;
}

void Contents::copy_level_region(const Contents &src, const pipe_resource_copy_region &p) {
    const pipe_format_desc &f = *pipe_format_describe(src.desc_.format);
    const pipe_format_desc &to = *pipe_format_describe(desc_.format);
    const LevelShape s = src.shape(p.src_level), d = shape(p.dst_level);
    const uint8_t *from = src.known_level(p.src_level);
    Blocks b, o;
    Level *l = from && f.block_bytes == to.block_bytes ? writable(p.dst_level) : nullptr;
    if (!l || !blocks_of(s, f, p.src_box, &b))
        return gpu_wrote_level(p.dst_level);
    const pipe_box box{p.dst_x,
                       p.dst_y,
                       p.dst_z,
                       int32_t(b.width * to.block_width),
                       int32_t(b.height * to.block_height),
                       int32_t(b.depth)};
    if (!blocks_of(d, to, box, &o))
        return gpu_wrote_level(p.dst_level);
    for (uint64_t z = 0; z < b.depth; z++)
        for (uint64_t y = 0; y < b.height; y++)
            memmove(l->bytes.get() + (o.z + z) * d.slice + (o.y + y) * d.row + o.x * to.block_bytes,
                    from + (b.z + z) * s.slice + (b.y + y) * s.row + b.x * f.block_bytes,
                    b.width * f.block_bytes);
    wrote_level(p.dst_level, whole(d, to, o));
}

void Contents::derive_mipmap(const Recalled &call, const uint8_t *stored) {
    const auto &p = *static_cast<const pipe_generate_mipmap *>(call.view.payload);
    if (p.base_level >= levels_.size())
        return;
    const Level &base = levels_[p.base_level];
    const bool follows = base.how != How::nothing && !base.gpu;
    // A later one over the same levels replaces an earlier one.
    std::erase_if(mipmaps_, [&](const Mipmap &m) {
        const auto &old = m.call.payload<pipe_generate_mipmap>();
        return old.base_level == p.base_level && old.last_level <= p.last_level &&
               old.first_layer == p.first_layer && old.num_layers == p.num_layers;
    });
    mipmaps_.push_back({{}, ++turn_, {}});
    mipmaps_.back().call.keep(call, stored);
    for (uint32_t i = p.base_level + 1; i <= p.last_level && i < levels_.size(); i++) {
        levels_[i].bytes.reset();
        levels_[i].how = How::mipmap;
        levels_[i].gpu = !follows;
        levels_[i].turn = turn_;
    }
}

void Contents::gpu_wrote_level(uint32_t level) {
    for (uint32_t l = 0; l < levels_.size(); l++)
        if (level == l || level == ~0u)
            levels_[l].gpu = true;
}

// --- both ----------------------------------------------------------------------------------------

void Contents::forget(uint32_t level, uint64_t from, uint64_t to) {
    if (buffer())
        return gpu_.remove(from, to);
    for (uint32_t l = 0; l < levels_.size(); l++)
        if (level == l || level == ~0u) {
            levels_[l].gpu = false;
            levels_[l].how = How::nothing;
            levels_[l].bytes.reset();
        }
}

bool Contents::loses() const {
    return !gpu_.empty() ||
           std::any_of(levels_.begin(), levels_.end(), [](const Level &l) { return l.gpu; });
}

// Records of a size that the way to the driver cuts no further.
constexpr uint64_t piece_size = 4 << 20;

void Contents::restore_buffer(pipe_context *ctx) const {
    for (uint64_t at = low_; bytes_ && at < high_; at += piece_size) {
        pipe_resource_subdata p{};
        p.resource = desc_.resource;
        p.offset = at;
        p.size = std::min(piece_size, high_ - at);
        const pipe_host_span data = pipe_span(bytes_.get() + at, p.size);
        ctx->resource_subdata(ctx, &p, nullptr, &data);
    }
}

void Contents::restore_level(pipe_context *ctx, uint32_t level, const uint8_t *bytes) const {
    const LevelShape s = shape(level);
    const pipe_format_desc &f = *pipe_format_describe(desc_.format);
    if (!bytes)
        return;
    const uint64_t slices = std::max<uint64_t>(1, piece_size / s.slice);
    for (uint64_t z = 0; z < s.slices; z += slices) {
        const uint64_t n = std::min(slices, s.slices - z);
        pipe_resource_subdata p{};
        p.resource = desc_.resource;
        p.level = level;
        p.num_regions = 1;
        p.aspect = aspects_of(f);
        const pipe_region region{
            {0, 0, int32_t(z), int32_t(s.width), int32_t(s.height), int32_t(n)},
            0,
            uint32_t(s.row),
            uint32_t(s.slice)};
        const pipe_host_span data = pipe_span(bytes + z * s.slice, n * s.slice);
        ctx->resource_subdata(ctx, &p, &region, &data);
    }
}

// Levels that something was derived from first, then what was derived, then what was written since.
void Contents::restore(pipe_context *ctx) const {
    if (!ctx->resource_subdata)
        return;
    if (buffer())
        return restore_buffer(ctx);
    std::vector<bool> done(levels_.size());
    auto images = [&](uint64_t until) {
        for (uint32_t l = 0; l < levels_.size(); l++)
            if (!done[l] && levels_[l].how == How::image && levels_[l].turn < until) {
                done[l] = true;
                restore_level(ctx, l, levels_[l].bytes.get());
            }
    };
    for (const Mipmap &m : mipmaps_) {
        const auto &p = m.call.payload<pipe_generate_mipmap>();
        images(m.turn);
        if (m.base)
            restore_level(ctx, p.base_level, m.base.get());
        if (ctx->generate_mipmap)
            ctx->generate_mipmap(ctx, &p);
    }
    images(UINT64_MAX);
}

} // namespace wrap
