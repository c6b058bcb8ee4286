// SPDX-License-Identifier: MIT
// Frames that come back: what is sent of a picture, what arrives of it, and messages of a hostile
// server.
#include <catch2/catch.hpp>

#include "client/frames.h"
#include "server/frames.h"

#include "pipe_wire/wire.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
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
    uint32_t slot = 0;                   // of the last part
    std::vector<remote::FrameBox> boxes; // of the last frame

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
        boxes.clear();
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
        slot = e.slot;
        boxes.push_back({e.x, e.y, e.width, e.height});
        if (e.slot)
            return;
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

namespace {

// Memory as a window of the client's has it.
struct Shared {
    static constexpr uint64_t words = 4096;
    pipe_ctl_frame_memory shape{};
    int fd;
    uint8_t *map;
    uint64_t mapped;

    Shared(Extent extent, uint32_t count, uint32_t swap = 0) {
        shape.count = count;
        shape.offset = words;
        shape.buffer_size = uint64_t(extent.width) * extent.height * 4;
        shape.size = words + shape.buffer_size * count;
        shape.width = extent.width;
        shape.height = extent.height;
        shape.swap_red_blue = swap;
        fd = memfd_create("frames", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        REQUIRE(ftruncate(fd, off_t(shape.size)) == 0);
        REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
        void *p = mmap(nullptr, shape.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        REQUIRE(p != MAP_FAILED);
        map = static_cast<uint8_t *>(p);
        mapped = shape.size;
    }
    ~Shared() {
        munmap(map, mapped);
        close(fd);
    }
    uint32_t &word(uint32_t i) { return reinterpret_cast<uint32_t *>(map)[i]; }
    const uint32_t *buffer(uint32_t i) const {
        return reinterpret_cast<const uint32_t *>(map + words + i * shape.buffer_size);
    }
    std::unique_ptr<remote::FrameMemory> open() const {
        auto memory = std::make_unique<remote::FrameMemory>();
        return memory->open(shape, dup(fd)) ? std::move(memory) : nullptr;
    }
};

} // namespace

TEST_CASE("frames: whole ones go into buffers of the client's while it has any") {
    Pair pair({61, 40}, false);
    Shared shared(pair.size, 2);
    const auto same = [&](uint32_t i) {
        for (uint32_t y = 0; y < 40; y++)
            if (memcmp(shared.buffer(i) + y * 61, &pair.at(0, y), 61 * 4) != 0)
                return false;
        return true;
    };
    std::mt19937 random(3);
    for (uint32_t &pixel : pair.driver.picture)
        pixel = random();
    pair.sources.find(Pair::surface)->set_memory(shared.open());
    pair.present();
    REQUIRE(pair.slot == 1);
    CHECK(pair.bytes < 100); // no pixels
    CHECK(same(0));
    CHECK(shared.word(0) == 1);
    CHECK(shared.word(1) == 0);
    pair.at(7, 3) ^= 1;
    pair.present();
    REQUIRE(pair.slot == 2);
    REQUIRE(pair.boxes.size() == 1);
    CHECK(pair.boxes[0].x == 7);
    CHECK(pair.boxes[0].y == 3);
    CHECK(pair.boxes[0].width == 1);
    CHECK(pair.boxes[0].height == 1);
    CHECK(same(1));
    // An unchanged frame takes no buffer.
    pair.present();
    CHECK(pair.slot == 0);
    CHECK(pair.parts == 1);
    // None is free: everything comes by messages, whose picture is older than what was shown.
    pair.at(9, 9) ^= 1;
    pair.present();
    CHECK(pair.slot == 0);
    CHECK(pair.same());
    pair.at(9, 9) ^= 1;
    pair.present();
    CHECK(pair.slot == 0);
    CHECK(pair.boxes.size() == 1);
    CHECK(pair.boxes[0].width == 1);
    CHECK(pair.same());
    shared.word(1) = 0; // given back
    pair.at(9, 9) ^= 1;
    pair.present();
    CHECK(pair.slot == 2);
    CHECK(same(1));
    // Another extent than the buffers have.
    shared.word(0) = shared.word(1) = 0;
    pair.resize({60, 40});
    pair.present();
    CHECK(pair.slot == 0);
    CHECK(pair.parts == 1);
    CHECK(pair.boxes[0].width == 60);
}

TEST_CASE("frames: buffers with red and blue the other way round") {
    Pair pair({3, 2}, false);
    Shared shared(pair.size, 1, 1);
    pair.at(2, 0) = 0x11223344;
    pair.sources.find(Pair::surface)->set_memory(shared.open());
    pair.present();
    REQUIRE(pair.slot == 1);
    CHECK(shared.buffer(0)[2] == 0x11443322);
}

TEST_CASE("frames: memory that is not as it is said to be") {
    const auto refused = [](auto change) {
        Shared shared({16, 16}, 2);
        change(shared);
        return !shared.open();
    };
    CHECK_FALSE(refused([](Shared &) {}));
    CHECK(refused([](Shared &s) { s.shape.count = 3; }));
    CHECK(refused([](Shared &s) { s.shape.count = 0; }));
    CHECK(refused([](Shared &s) { s.shape.count = 0x40000001; }));
    CHECK(refused([](Shared &s) { s.shape.width = 17; }));
    CHECK(refused([](Shared &s) { s.shape.width = 0; }));
    CHECK(refused([](Shared &s) { s.shape.height = 0x40000010; }));
    CHECK(refused([](Shared &s) { s.shape.offset = 4; }));
    CHECK(refused([](Shared &s) { s.shape.offset = s.shape.size; }));
    CHECK(refused([](Shared &s) { s.shape.offset = ~0ull; }));
    CHECK(refused([](Shared &s) { s.shape.buffer_size = 1ull << 63; }));
    CHECK(refused([](Shared &s) { s.shape.size += 1 << 20; })); // the file is shorter
    CHECK(refused([](Shared &s) { s.shape.size = 1ull << 40; }));
    CHECK(refused([](Shared &s) { // may shrink below what is mapped
        close(s.fd);
        s.fd = memfd_create("frames", MFD_CLOEXEC);
        REQUIRE(ftruncate(s.fd, off_t(s.shape.size)) == 0);
    }));
}
