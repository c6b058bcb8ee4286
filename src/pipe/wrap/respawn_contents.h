// SPDX-License-Identifier: MIT
// What the client knows of a resource's bytes: a copy of what it sent, the calls that derive levels
// from it, and which parts only the GPU has. Not locked.
#pragma once

#include "respawn_log.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace wrap {

// Disjoint ranges of bytes.
class Ranges {
  public:
    void add(uint64_t from, uint64_t to);
    void remove(uint64_t from, uint64_t to);
    bool overlaps(uint64_t from, uint64_t to) const;
    bool empty() const { return ranges_.empty(); }
    void clear() { ranges_.clear(); }

  private:
    struct Range {
        uint64_t from, to;
    };
    std::vector<Range> ranges_; // ascending
};

// Rows of texels or blocks of one level.
struct LevelShape {
    uint64_t row, rows, slice, slices; // bytes, count, bytes, count
    uint32_t width, height;            // texels
    uint64_t bytes() const { return slice * slices; }
};

class Contents {
  public:
    void describe(const pipe_resource_desc &desc);
    // A new description; levels outside `keep` are forgotten.
    void describe_again(const pipe_resource_desc &desc, uint32_t keep);

    bool buffer() const { return desc_.target == PIPE_BUFFER; }
    const pipe_resource_desc &desc() const { return desc_; }
    LevelShape shape(uint32_t level) const;

    // --- buffers; ranges outside the buffer are ignored
    // Without memory for a copy the range counts as the GPU's.
    void write(uint64_t offset, const void *bytes, uint64_t size);
    // Null: the GPU wrote there, or nobody did.
    const uint8_t *known(uint64_t offset, uint64_t size) const;

    // --- textures
    // `base` + a region's offset is its first byte; false: not all of it lies inside.
    bool write_region(uint32_t level, uint8_t aspect, const pipe_region &region,
                      const uint8_t *base, uint64_t size);
    void fill(const pipe_clear_texture &p);
    // Bytes of a level that the client knows whole; null otherwise.
    const uint8_t *known_level(uint32_t level) const;
    void copy_level_region(const Contents &src, const pipe_resource_copy_region &p);
    void derive_mipmap(const Recalled &call, const uint8_t *stored);

    // --- both
    // The GPU wrote: buffers by range, textures by level (~0u: all).
    void gpu_wrote(uint64_t from, uint64_t to);
    void gpu_wrote_level(uint32_t level);
    void forget(uint32_t level, uint64_t from, uint64_t to);
    // Something that only the GPU had is not restored.
    bool loses() const;
    // Sends what is known.
    void restore(pipe_context *ctx) const;

  private:
    struct Free {
        void operator()(uint8_t *p) const { free(p); }
    };
    using Bytes = std::unique_ptr<uint8_t, Free>;
    enum class How : uint8_t { nothing, image, mipmap };
    struct Level {
        Bytes bytes;
        How how = How::nothing;
        bool gpu = false;
        uint64_t turn = 0;
    };
    struct Mipmap {
        KeptCall call;
        uint64_t turn;
        Bytes base; // what it was derived from, where the base level was written since
    };

    Level *writable(uint32_t level);
    void wrote_level(uint32_t level, bool whole);
    // Levels that were derived in `turn` cannot be derived again.
    void lose_derived(uint64_t turn);
    void restore_buffer(pipe_context *ctx) const;
    void restore_level(pipe_context *ctx, uint32_t level, const uint8_t *bytes) const;

    pipe_resource_desc desc_{};
    Bytes bytes_;
    uint64_t low_ = UINT64_MAX, high_ = 0; // of the buffer that were ever written
    Ranges gpu_;
    std::vector<Level> levels_;
    std::vector<Mipmap> mipmaps_;
    uint64_t turn_ = 0;
};

} // namespace wrap
