// SPDX-License-Identifier: MIT
// Conversions of texels by rows say what unpacking and packing one by one says, shortcuts included.
#include <catch2/catch.hpp>

#include "pipe/pipe_format.h"
#include "pipe/pipe_texel.h"

#include <cstring>
#include <vector>

using namespace pipe_texel;

namespace {

constexpr size_t texels = 300; // more than one chunk
constexpr size_t largest = 16; // bytes

std::vector<uint8_t> noise() {
    std::vector<uint8_t> bytes(texels * largest);
    uint32_t x = 1;
    for (uint8_t &b : bytes) {
        x = x * 1103515245 + 12345;
        b = uint8_t(x >> 16);
    }
    return bytes;
}

} // namespace

TEST_CASE("texel: a converted row is its texels") {
    const std::vector<uint8_t> source = noise();
    unsigned pairs = 0, moved = 0;
    for (uint32_t from = 1; from < PIPE_FORMAT_COUNT; from++) {
        std::vector<texel> unpacked(texels);
        const pipe_format_desc &f = *pipe_format_describe(from);
        if (!f.format || f.is_float || !unpack_texels(from, source.data(), unpacked.data(), texels))
            continue;
        for (uint32_t to = 1; to < PIPE_FORMAT_COUNT; to++) {
            const pipe_format_desc &t = *pipe_format_describe(to);
            if (!t.format || to == from || class_of(from) != class_of(to))
                continue;
            std::vector<uint8_t> one(texels * largest, 7), row(texels * largest, 7);
            if (!pack_texels(to, unpacked.data(), one.data(), texels))
                continue;
            texel_rect dst{}, src{};
            dst.format = to, dst.data = row.data(), dst.row_stride = texels * t.block_bytes;
            src.format = from, src.data = const_cast<uint8_t *>(source.data());
            src.row_stride = texels * f.block_bytes;
            REQUIRE(convert_texels(dst, src, texels, 1, 1));
            pairs++;
            moved += from == PIPE_FORMAT_R8G8B8A8_UNORM && to == PIPE_FORMAT_B8G8R8A8_UNORM;
            INFO(f.name << " to " << t.name);
            CHECK(one == row);
        }
    }
    CHECK(pairs > 1000);
    CHECK(moved == 1);
}
