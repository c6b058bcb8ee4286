// SPDX-License-Identifier: MIT
// Frames that come back: what is sent of a picture, what arrives of it, and messages of a hostile
// server.
#include <catch2/catch.hpp>

#include "client/frames.h"
#include "server/frames.h"

#include "pipe_wire/wire.h"

#include <zstd.h>

#include <cstring>
#include <random>
#include <vector>

namespace {

using Picture = std::vector<uint32_t>; // the bottom row first

struct Extent {
    uint32_t width, height;
};

// A lane whose read-back is a picture.
struct Driver : pipe_context {
    Picture picture;
    bool fails = false;
    Driver() : pipe_context{} {
        read_pixels = [](pipe_context *ctx, const pipe_read_pixels *p, const pipe_out_span *out) {
            const auto &self = *static_cast<Driver *>(ctx);
            if (self.fails || uint64_t(p->row_stride) * p->height != out->size ||
                self.picture.size() * 4 != out->size)
                return PIPE_ERROR;
            memcpy(out->ptr, self.picture.data(), out->size);
            return PIPE_OK;
        };
    }
};

// The server's half and the client's, with what the client has got.
struct Pair {
    static constexpr pipe_handle surface{7, 1};
    Extent size;
    bool packed;
    Driver driver;
    std::mutex group;
    remote::FrameSources sources;
    remote::FrameReader reader;
    Picture seen; // the top row first
    uint64_t bytes = 0, parts = 0, complete = 0, serial = 0;

    Pair(Extent extent, bool pack) : size(extent), packed(pack) {
        call<pipe_surface_create>(PIPE_OP_SURFACE_CREATE, [&](pipe_surface_create &p) {
            p.kind = PIPE_SURFACE_KIND_FRAMES;
            p.color_format = PIPE_FORMAT_R8G8B8A8_SRGB;
            p.width = size.width;
            p.height = size.height;
        });
        fit();
    }
    template <typename T, typename Fill> void call(uint16_t op, Fill fill) {
        struct {
            wire::Header header;
            T payload;
        } record{};
        record.header.op = op;
        record.payload.surface = surface;
        fill(record.payload);
        sources.root_call(3, reinterpret_cast<const uint8_t *>(&record));
    }
    void resize(Extent extent) {
        size = extent;
        call<pipe_surface_resize>(PIPE_OP_SURFACE_RESIZE, [&](pipe_surface_resize &p) {
            p.width = size.width;
            p.height = size.height;
        });
        fit();
    }
    void fit() {
        driver.picture.assign(size_t(size.width) * size.height, 0);
        seen.assign(driver.picture.size(), 0x12345678);
    }
    uint32_t &at(uint32_t x, uint32_t y) { // from the top
        return driver.picture[size_t(size.height - 1 - y) * size.width + x];
    }
    void present() {
        bytes = parts = 0;
        std::unique_lock lock(group);
        sources.find(surface)->take(&driver, ++serial, lock, packed, [&](remote::Message &m) {
            REQUIRE(m.type == PIPE_CTL_FRAME);
            REQUIRE(m.bytes.size() <= remote::max_message);
            bytes += m.bytes.size();
            REQUIRE(reader.read(
                m, [&](uint32_t screen, const pipe_on_frame &e, const pipe_host_span &pixels) {
                    REQUIRE(screen == 3);
                    REQUIRE(pipe_handle_equal(e.surface, surface));
                    REQUIRE(e.serial == serial);
                    got(e, static_cast<const uint8_t *>(pixels.ptr));
                }));
        });
        REQUIRE(lock.owns_lock());
        REQUIRE(complete == serial);
    }
    void got(const pipe_on_frame &e, const uint8_t *pixels) {
        parts++;
        complete += e.last;
        for (uint32_t row = 0; row < e.height; row++)
            memcpy(&seen[size_t(e.y + row) * size.width + e.x], pixels + size_t(row) * e.width * 4,
                   size_t(e.width) * 4);
    }
    bool same() const {
        for (uint32_t y = 0; y < size.height; y++)
            if (memcmp(&seen[size_t(y) * size.width],
                       &driver.picture[size_t(size.height - 1 - y) * size.width],
                       size_t(size.width) * 4) != 0)
                return false;
        return true;
    }
};

} // namespace

TEST_CASE("frames: what changed arrives, and nothing else is sent") {
    const bool packed = GENERATE(false, true);
    Pair pair({333, 257}, packed);
    std::mt19937 random(5);
    for (uint32_t &pixel : pair.driver.picture)
        pixel = random();
    pair.present();
    REQUIRE(pair.same());
    REQUIRE(pair.bytes >= 333 * 257 * 4);
    for (int frame = 0; frame < 200; frame++) {
        uint64_t pixels = 0;
        for (uint32_t boxes = random() % 4; boxes; boxes--) {
            const uint32_t x = random() % 333, y = random() % 257;
            const uint32_t w = 1 + random() % (333 - x), h = 1 + random() % (257 - y);
            pixels += uint64_t(w) * h;
            for (uint32_t row = y; row < y + h; row++)
                for (uint32_t column = x; column < x + w; column++)
                    pair.at(column, row) = random();
        }
        pair.present();
        REQUIRE(pair.same());
        if (!pixels)
            REQUIRE(pair.bytes == sizeof(pipe_ctl_frame));
    }
    // One pixel is one pixel.
    pair.at(100, 50) ^= 1;
    pair.present();
    REQUIRE(pair.same());
    REQUIRE(pair.parts == 1);
    REQUIRE(pair.bytes <= sizeof(pipe_ctl_frame) + 4);
}

TEST_CASE("frames: a new extent is sent whole, a frame that cannot be read as nothing") {
    Pair pair({64, 48}, true);
    pair.present();
    REQUIRE(pair.same());
    pair.resize({700, 300});
    pair.present();
    REQUIRE(pair.same());
    pair.driver.fails = true;
    pair.at(3, 3) = 9;
    pair.present();
    REQUIRE(pair.bytes == sizeof(pipe_ctl_frame));
    pair.driver.fails = false;
    pair.present();
    REQUIRE(pair.same());
    // More than a frame can be.
    pair.size = {1, 1};
    pair.call<pipe_surface_resize>(PIPE_OP_SURFACE_RESIZE, [](pipe_surface_resize &p) {
        p.width = 0x80000000u;
        p.height = 0x80000000u;
    });
    pair.present();
    REQUIRE(pair.bytes == sizeof(pipe_ctl_frame));
    pair.call<pipe_surface_destroy>(PIPE_OP_SURFACE_DESTROY, [](pipe_surface_destroy &) {});
    REQUIRE(!pair.sources.find(Pair::surface));
}

TEST_CASE("frames: boxes do not overlap and hold all differences") {
    std::mt19937 random(11);
    for (int i = 0; i < 300; i++) {
        const uint32_t width = 1 + random() % 150, height = 1 + random() % 150;
        Picture a(size_t(width) * height), b(a.size());
        for (uint32_t n = random() % 40; n; n--)
            b[random() % b.size()] = 1;
        std::vector<remote::FrameBox> boxes;
        remote::changed_boxes(reinterpret_cast<uint8_t *>(a.data()),
                              reinterpret_cast<uint8_t *>(b.data()), width, height, boxes);
        std::vector<int> covered(a.size());
        for (const remote::FrameBox &box : boxes) {
            REQUIRE(box.width > 0);
            REQUIRE(box.height > 0);
            for (uint32_t y = box.y; y < box.y + box.height; y++)
                for (uint32_t x = box.x; x < box.x + box.width; x++)
                    covered[size_t(height - 1 - y) * width + x]++;
        }
        for (size_t pixel = 0; pixel < a.size(); pixel++) {
            REQUIRE(covered[pixel] <= 1);
            REQUIRE((covered[pixel] || a[pixel] == b[pixel]));
        }
    }
}

TEST_CASE("frames: what a hostile server sends is refused") {
    remote::FrameReader reader;
    int delivered = 0;
    const auto takes = [&](const pipe_ctl_frame &frame, const std::vector<uint8_t> &tail) {
        remote::Message m;
        m.set(PIPE_CTL_FRAME, frame, tail.data(), tail.size());
        return reader.read(
            m, [&](uint32_t, const pipe_on_frame &, const pipe_host_span &) { delivered++; });
    };
    pipe_ctl_frame good{};
    good.width = good.height = 8;
    good.frame_width = good.frame_height = 100;
    const std::vector<uint8_t> pixels(8 * 8 * 4);
    REQUIRE(takes(good, pixels)); // the control
    REQUIRE(delivered == 1);

    const auto refused = [&](auto change, std::vector<uint8_t> tail) {
        pipe_ctl_frame bad = good;
        change(bad);
        return !takes(bad, tail);
    };
    CHECK(refused([](pipe_ctl_frame &f) { f.x = 93; }, pixels));
    CHECK(refused([](pipe_ctl_frame &f) { f.y = 0xfffffffcu; }, pixels));
    CHECK(refused([](pipe_ctl_frame &f) { f.width = 0xffffffffu; }, pixels));
    CHECK(refused([](pipe_ctl_frame &f) { f.frame_height = 7; }, pixels));
    CHECK(refused([](pipe_ctl_frame &f) { f.height = 9; }, pixels));
    CHECK(refused([](pipe_ctl_frame &f) { f.width = 0; }, pixels));
    CHECK(refused([](pipe_ctl_frame &) {}, {}));
    CHECK(refused([](pipe_ctl_frame &f) { f.encoding = 2; }, pixels));
    CHECK(refused([](pipe_ctl_frame &f) { f.encoding = PIPE_FRAME_ENCODING_ZSTD; }, pixels));
    // Zstd of more and of less than the box holds.
    for (const size_t size : {size_t(4), size_t(8 * 8 * 4 + 4), size_t(64) << 20}) {
        const std::vector<uint8_t> plain(size);
        std::vector<uint8_t> packed(ZSTD_compressBound(size));
        packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 1));
        CHECK(refused([](pipe_ctl_frame &f) { f.encoding = PIPE_FRAME_ENCODING_ZSTD; }, packed));
    }
    // A box that no message could hold without zstd.
    CHECK(refused(
        [](pipe_ctl_frame &f) {
            f.encoding = PIPE_FRAME_ENCODING_ZSTD;
            f.frame_width = f.frame_height = f.width = f.height = 16384;
        },
        pixels));
    remote::Message shorter;
    shorter.type = PIPE_CTL_FRAME;
    shorter.bytes.resize(sizeof(pipe_ctl_frame) - 1);
    CHECK(!reader.read(
        shorter, [&](uint32_t, const pipe_on_frame &, const pipe_host_span &) { delivered++; }));
    CHECK(delivered == 1);
    REQUIRE(takes(good, pixels));
}
