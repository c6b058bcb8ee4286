// SPDX-License-Identifier: MIT
// Compressed blocks kept by the CPU.
#include "espryt_blocks.h"

#include <cstring>

namespace espryt {

namespace {

struct block_level {
    resource *owner;
    unsigned level, first_slice;
    unsigned columns, rows, slices, bytes; // bytes of one block

    uint64_t row() const { return uint64_t(columns) * bytes; }
    uint8_t *at(unsigned slice, unsigned y, unsigned x) {
        return owner->blocks[level].data() + ((uint64_t(first_slice) + slice) * rows + y) * row() +
               uint64_t(x) * bytes;
    }
};

unsigned blocks_in(unsigned texels, unsigned size) {
    return (texels + size - 1) / size;
}

block_level level_of(resource *r, unsigned level) {
    unsigned slice = 0;
    while (r->owner && (r->desc.flags & PIPE_RESOURCE_VIEW)) {
        level += r->desc.view_min_level;
        slice += r->desc.view_min_layer;
        r = r->owner;
    }
    const pipe_format_desc *d = r->describe();
    block_level l{r,
                  level,
                  slice,
                  blocks_in(r->level_width(level), d->block_width),
                  blocks_in(r->level_height(level), d->block_height),
                  r->level_depth(level),
                  d->block_bytes};
    if (r->blocks.size() <= level)
        r->blocks.resize(level + 1);
    r->blocks[level].resize(l.row() * l.rows * l.slices);
    return l;
}

// A box of a level, in blocks.
struct block_box {
    unsigned x, y, z, columns, rows, slices;
};

block_box box_of(const pipe_format_desc *d, const pipe_box &b) {
    return {static_cast<unsigned>(b.x) / d->block_width,
            static_cast<unsigned>(b.y) / d->block_height,
            static_cast<unsigned>(b.z),
            blocks_in(static_cast<unsigned>(b.width), d->block_width),
            blocks_in(static_cast<unsigned>(b.height), d->block_height),
            static_cast<unsigned>(b.depth)};
}

bool inside(const block_level &l, const block_box &b) {
    return b.x + b.columns <= l.columns && b.y + b.rows <= l.rows &&
           l.first_slice + b.z + b.slices <= l.slices;
}

} // namespace

bool keeps_blocks(context *ctx, const resource *r) {
    return (!ctx->has(feature::copy_image) || ctx->forced(emulation::keep_blocks)) &&
           r->describe()->is_compressed;
}

void blocks_write(resource *r, unsigned level, const pipe_region &g, const void *bytes) {
    block_level l = level_of(r, level);
    const block_box b = box_of(r->describe(), g.box);
    if (!inside(l, b))
        return;
    emulated(emulation::keep_blocks);
    for (unsigned z = 0; z < b.slices; z++) {
        for (unsigned y = 0; y < b.rows; y++)
            memcpy(l.at(b.z + z, b.y + y, b.x),
                   static_cast<const uint8_t *>(bytes) + g.offset + uint64_t(z) * g.slice_stride +
                       uint64_t(y) * g.row_stride,
                   uint64_t(b.columns) * l.bytes);
    }
}

bool blocks_read(resource *r, unsigned level, unsigned slice, int x, int y, unsigned w, unsigned h,
                 const pixel_dest &d) {
    block_level l = level_of(r, level);
    const pipe_box box{x, y, static_cast<int>(slice), static_cast<int>(w), static_cast<int>(h), 1};
    const block_box b = box_of(r->describe(), box);
    if (!inside(l, b))
        return false;
    for (unsigned i = 0; i < b.rows; i++)
        memcpy(d.ptr + uint64_t(i) * d.row_stride, l.at(slice, b.y + i, b.x),
               uint64_t(b.columns) * l.bytes);
    return true;
}

bool blocks_copy(context *ctx, resource *src, resource *dst, const pipe_resource_copy_region *p) {
    if (!keeps_blocks(ctx, src) || src->desc.format != dst->desc.format)
        return false;
    block_level l = level_of(src, p->src_level);
    const block_box b = box_of(src->describe(), p->src_box);
    if (!inside(l, b))
        return true;
    pipe_region g{};
    g.box = p->src_box;
    g.box.x = p->dst_x, g.box.y = p->dst_y, g.box.z = p->dst_z;
    g.row_stride = b.columns * l.bytes;
    g.slice_stride = g.row_stride * b.rows;
    std::vector<uint8_t> bytes(uint64_t(g.slice_stride) * b.slices);
    for (unsigned z = 0; z < b.slices; z++) {
        for (unsigned y = 0; y < b.rows; y++)
            memcpy(bytes.data() + uint64_t(z) * g.slice_stride + uint64_t(y) * g.row_stride,
                   l.at(b.z + z, b.y + y, b.x), g.row_stride);
    }
    upload_region(ctx, dst, p->dst_level, g, bytes.data(), bytes.size());
    return true;
}

} // namespace espryt
