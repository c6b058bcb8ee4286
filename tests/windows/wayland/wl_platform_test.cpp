// SPDX-License-Identifier: MIT
// The Wayland platform by itself, against a compositor that behaves and one that does not.
#include <catch2/catch.hpp>

#include "compositor.h"
#include "egl/config.h"
#include "egl/platform.h"

#include <wayland-client.h>
#include <wayland-egl.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace wl_test;

namespace {

constexpr egl::Config config_of(egl::Color color) {
    const bool ten = color == egl::Color::rgb10a2;
    const uint8_t bits = ten ? 10 : 8;
    const uint8_t alpha = ten ? 2 : color == egl::Color::rgbx8 ? 0 : 8;
    return {.id = 1, .color = color, .red = bits, .green = bits, .blue = bits, .alpha = alpha};
}
constexpr egl::Config rgba = config_of(egl::Color::rgba8);

// The program's side: its connection, with its own registry on its default queue.
struct Client {
    wl_display *display;
    wl_compositor *compositor = nullptr;
    int pings = 0; // listeners of the program's that were run

    explicit Client(Compositor &server) : display(server.connect()) {
        static const wl_registry_listener listener = {
            [](void *data, wl_registry *registry, uint32_t name, const char *interface,
               uint32_t version) {
                auto *self = static_cast<Client *>(data);
                if (!std::strcmp(interface, "wl_compositor"))
                    self->compositor = static_cast<wl_compositor *>(
                        wl_registry_bind(registry, name, &wl_compositor_interface, version));
            },
            [](void *, wl_registry *, uint32_t) {}};
        wl_registry *registry = wl_display_get_registry(display);
        wl_registry_add_listener(registry, &listener, this);
        wl_display_roundtrip(display);
        wl_registry_destroy(registry);
        REQUIRE(compositor);
    }
    ~Client() {
        wl_compositor_destroy(compositor);
        wl_display_disconnect(display);
    }
    // An event for the program's own queue.
    void ping() {
        static const wl_callback_listener listener = {
            [](void *data, wl_callback *callback, uint32_t) {
                static_cast<Client *>(data)->pings++;
                wl_callback_destroy(callback);
            }};
        wl_callback_add_listener(wl_display_sync(display), &listener, this);
    }
};

struct Native {
    wl_surface *surface;
    wl_egl_window *window;
    Native(Client &client, int width, int height)
        : surface(wl_compositor_create_surface(client.compositor)),
          window(wl_egl_window_create(surface, width, height)) {}
    ~Native() {
        if (window)
            wl_egl_window_destroy(window);
        wl_surface_destroy(surface);
    }
};

std::unique_ptr<egl::Platform> open(Client &client) {
    EGLint error = 0;
    auto platform = egl::open_wayland(client.display, &error);
    REQUIRE(error == EGL_SUCCESS);
    REQUIRE(platform);
    return platform;
}

std::unique_ptr<egl::NativeDrawable> open(egl::Platform &platform, Native &native,
                                          const egl::Config &config = rgba) {
    std::unique_ptr<egl::NativeDrawable> drawable;
    REQUIRE(platform.open_window(native.window, config, drawable) == EGL_SUCCESS);
    return drawable;
}

bool post(egl::NativeDrawable &drawable, int width, int height, uint32_t color,
          EGLint interval = 1) {
    const std::vector<uint32_t> pixels(size_t(width) * size_t(height), color);
    return drawable.post(pixels.data(), width, height, width * 4, interval, nullptr, 0);
}

template <class F> int64_t elapsed_ms(F &&f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start)
        .count();
}

} // namespace

namespace {

// A driver whose dma-bufs are ordinary memory: what it was asked for, and its buffers.
struct Exporter {
    std::vector<uint64_t> asked; // modifiers
    std::vector<int> files;      // duplicates
    int most = 100;
    uint64_t modifier = 0;
    int width, height;

    Exporter(int w, int h) : width(w), height(h) {}
    ~Exporter() {
        for (int fd : files)
            close(fd);
    }
    uint32_t offset() const { return 64; }
    uint32_t stride() const { return uint32_t(width) * 4 + 32; }
    egl::ExportBuffer maker() {
        return [this](const std::vector<uint64_t> &modifiers, egl::ExportedBuffer &out) {
            asked = modifiers;
            if (int(files.size()) >= most)
                return false;
            out.fd = memfd_create("exported", MFD_CLOEXEC);
            REQUIRE(ftruncate(out.fd, offset() + stride() * uint32_t(height)) == 0);
            files.push_back(dup(out.fd));
            out.offset = offset();
            out.stride = stride();
            out.modifier = modifier;
            return true;
        };
    }
    void paint(int file, uint32_t color) const {
        const std::vector<uint32_t> row(size_t(width), color);
        for (int y = 0; y < height; y++)
            REQUIRE(pwrite(files[size_t(file)], row.data(), row.size() * 4,
                           off_t(offset() + uint32_t(y) * stride())) == off_t(row.size() * 4));
    }
};

constexpr uint32_t ab24 = 0x34324241, xb24 = 0x34324258;

} // namespace

TEST_CASE("frames are shown in the driver's dma-bufs") {
    Compositor server({.dmabufs = Dmabufs::taken, .modifiers = {7ull << 56 | 5, 0}});
    Client client(server);
    auto platform = open(client);
    Native native(client, 8, 6);
    auto window = open(*platform, native);
    Exporter driver(8, 6);
    driver.modifier = 7ull << 56 | 5;
    const uint64_t buffers = window->take_buffers(8, 6, driver.maker());
    REQUIRE(buffers);
    CHECK(driver.asked == std::vector<uint64_t>{7ull << 56 | 5, 0});
    REQUIRE(driver.files.size() == 4);
    CHECK(server.dmabufs_alive() == 4);
    // The compositor keeps one at a time.
    for (int i = 0; i < 9; i++) {
        const int slot = window->claim_buffer(buffers);
        REQUIRE(slot >= 0);
        driver.paint(slot, uint32_t(i));
        const egl::Rect box{1, 2, 3, 4};
        REQUIRE(window->post_buffer(buffers, uint32_t(slot), 1, &box, 1));
        REQUIRE(server.wait_commits(0, i + 1));
        const Shown shown = server.shown(0);
        CHECK(shown.dmabufs == i + 1);
        CHECK(shown.width == 8);
        CHECK(shown.height == 6);
        CHECK(shown.format == ab24);
        CHECK(shown.modifier == (7ull << 56 | 5));
        CHECK(shown.at(7, 5) == uint32_t(i));
        REQUIRE(shown.damage.size() == 1);
        CHECK(shown.damage[0].height == 4);
    }
    // What is claimed and not shown is nobody else's, until it is dropped.
    server.behave([](Behaviour &b) { b.release = Release::never; });
    const int first = window->claim_buffer(buffers), second = window->claim_buffer(buffers);
    const int third = window->claim_buffer(buffers);
    CHECK((first >= 0 && second >= 0 && third >= 0));
    CHECK((first != second && second != third && first != third));
    int none = 0;
    CHECK(elapsed_ms([&] { none = window->claim_buffer(buffers); }) < 3000);
    CHECK(none == -1);
    window->drop_buffer(buffers, uint32_t(second));
    CHECK(window->claim_buffer(buffers) == second);
}

TEST_CASE("another extent or opacity has buffers of its own") {
    Compositor server({.dmabufs = Dmabufs::taken});
    Client client(server);
    auto platform = open(client);
    Native native(client, 8, 6);
    auto window = open(*platform, native);
    Exporter small(8, 6), large(16, 12);
    const uint64_t before = window->take_buffers(8, 6, small.maker());
    REQUIRE(before);
    REQUIRE(window->post_buffer(before, uint32_t(window->claim_buffer(before)), 1, nullptr, 0));
    window->set_opaque(true);
    const uint64_t after = window->take_buffers(16, 12, large.maker());
    REQUIRE(after);
    CHECK(after != before);
    CHECK(window->claim_buffer(before) == -1);
    CHECK(window->post_buffer(before, 0, 1, nullptr, 0)); // not shown
    large.paint(0, 77);
    REQUIRE(window->claim_buffer(after) == 0);
    CHECK(server.dmabufs_alive() == 8); // the old ones are shown still
    REQUIRE(window->post_buffer(after, 0, 1, nullptr, 0));
    REQUIRE(server.wait_commits(0, 2));
    const Shown shown = server.shown(0);
    CHECK(shown.commits == 2);
    CHECK(shown.width == 16);
    CHECK(shown.format == xb24);
    CHECK(shown.at(15, 11) == 77);
    wl_display_roundtrip(client.display);
    CHECK(server.dmabufs_alive() == 4);
    // Frames that come otherwise go through wl_shm as ever.
    CHECK(post(*window, 16, 12, 5));
    REQUIRE(server.wait_commits(0, 3));
    CHECK(server.shown(0).dmabufs == 2);
    CHECK(server.shown(0).at(3, 3) == 5);
}

TEST_CASE("compositors that take no dma-bufs") {
    for (Dmabufs kind : {Dmabufs::none, Dmabufs::old, Dmabufs::refused, Dmabufs::unanswered}) {
        Compositor server({.dmabufs = kind});
        Client client(server);
        auto platform = open(client);
        Native native(client, 8, 6);
        auto window = open(*platform, native);
        Exporter driver(8, 6);
        CHECK(window->take_buffers(8, 6, driver.maker()) == 0);
        const bool offered = kind == Dmabufs::refused || kind == Dmabufs::unanswered;
        CHECK(driver.files.size() == (offered ? 4 : 0));
        CHECK(server.dmabufs_offered() == (offered ? 4 : 0));
        // Not asked again.
        CHECK(window->take_buffers(8, 6, driver.maker()) == 0);
        CHECK(server.dmabufs_offered() == (offered ? 4 : 0));
        CHECK(window->share_buffers(8, 6, [](const egl::FrameBuffers &) { return true; }));
        CHECK(post(*window, 8, 6, 9));
        REQUIRE(server.wait_commits(0, 1));
        CHECK(server.shown(0).dmabufs == 0);
    }
}

TEST_CASE("a driver that makes no dma-bufs, or not enough") {
    Compositor server({.dmabufs = Dmabufs::taken});
    Client client(server);
    auto platform = open(client);
    Native native(client, 8, 6);
    auto window = open(*platform, native);
    Exporter driver(8, 6);
    for (int most : {0, 2}) {
        driver.most = most;
        CHECK(window->take_buffers(8, 6, driver.maker()) == 0);
    }
    driver.most = 100; // its refusal was none of the compositor's
    CHECK(window->take_buffers(8, 6, driver.maker()));
    wl_display_roundtrip(client.display);
    CHECK(server.dmabufs_alive() == 4);
}

TEST_CASE("visuals follow the compositor's formats") {
    for (bool ten_bits : {true, false}) {
        Compositor server({.ten_bits = ten_bits});
        Client client(server);
        auto platform = open(client);
        CHECK(platform->system() == egl::System::wayland);
        CHECK(platform->visuals().size() == (ten_bits ? 3 : 2));
        Native native(client, 4, 4);
        std::unique_ptr<egl::NativeDrawable> drawable;
        const EGLint error =
            platform->open_window(native.window, config_of(egl::Color::rgb10a2), drawable);
        CHECK(error == (ten_bits ? EGL_SUCCESS : EGL_BAD_MATCH));
        CHECK(platform->open_window(native.window, config_of(egl::Color::rgba16f), drawable) ==
              (ten_bits ? EGL_BAD_ALLOC : EGL_BAD_MATCH));
    }
}

TEST_CASE("rows, formats and damage arrive as posted") {
    Compositor server;
    Client client(server);
    auto platform = open(client);
    Native native(client, 3, 2);
    auto drawable = open(*platform, native);
    // From the last row up, as GL reads it.
    const uint32_t pixels[2][4] = {{0xff000001, 0xff000002, 0xff000003, 0},
                                   {0x80000004, 0xff000005, 0xff000006, 0}};
    const egl::Rect damage[] = {{1, 0, 2, 1}, {0, 1, 1, 1}};
    REQUIRE(drawable->post(pixels[1], 3, 2, -16, 1, damage, 2));
    REQUIRE(server.wait_commits(0, 1));
    Shown shown = server.shown(0);
    CHECK(shown.format == WL_SHM_FORMAT_ARGB8888);
    CHECK(shown.pixels == std::vector<uint32_t>{0x80000004, 0xff000005, 0xff000006, 0xff000001,
                                                0xff000002, 0xff000003});
    REQUIRE(shown.damage.size() == 2);
    CHECK(shown.damage[0].x == 1);
    CHECK(shown.damage[1].y == 1);
    int width = 0, height = 0;
    wl_egl_window_get_attached_size(native.window, &width, &height);
    CHECK(width == 3);
    CHECK(height == 2);

    drawable->set_opaque(true);
    REQUIRE(post(*drawable, 3, 2, 0x11223344));
    REQUIRE(server.wait_commits(0, 2));
    shown = server.shown(0);
    CHECK(shown.format == WL_SHM_FORMAT_XRGB8888);
    REQUIRE(shown.damage.size() == 1);
    CHECK(shown.damage[0].width == 3);
}

TEST_CASE("an old compositor is damaged as a whole") {
    Compositor server({.compositor_version = 3});
    Client client(server);
    auto platform = open(client);
    Native native(client, 8, 8);
    auto drawable = open(*platform, native);
    const egl::Rect damage = {1, 1, 2, 2};
    const std::vector<uint32_t> pixels(64);
    REQUIRE(drawable->post(pixels.data(), 8, 8, 32, 1, &damage, 1));
    REQUIRE(server.wait_commits(0, 1));
    const Shown shown = server.shown(0);
    CHECK(shown.damage.empty());
    REQUIRE(shown.surface_damage.size() == 1);
    CHECK(shown.surface_damage[0].width >= 8);
}

TEST_CASE("buffers are reused, never more than four") {
    for (Release release : {Release::at_once, Release::when_replaced}) {
        Compositor server({.release = release});
        Client client(server);
        auto platform = open(client);
        Native native(client, 16, 16);
        auto drawable = open(*platform, native);
        for (int i = 1; i <= 40; i++)
            REQUIRE(post(*drawable, 16, 16, uint32_t(i), i % 2));
        REQUIRE(server.wait_commits(0, 40));
        const Shown shown = server.shown(0);
        CHECK(shown.buffers <= 4);
        CHECK(shown.at(7, 7) == 40);
    }
}

TEST_CASE("interval 1 waits for the frame, interval 0 does not") {
    Compositor server({.frame_ms = 30});
    Client client(server);
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    const int64_t paced = elapsed_ms([&] {
        for (int i = 0; i < 6; i++)
            REQUIRE(post(*drawable, 4, 4, 0, 1));
    });
    CHECK(paced >= 5 * 29);
    const int64_t free = elapsed_ms([&] {
        for (int i = 0; i < 6; i++)
            REQUIRE(post(*drawable, 4, 4, 0, 0));
    });
    CHECK(free < 100);
    REQUIRE(server.wait_commits(0, 12));
    CHECK(server.shown(0).frames == 6);
}

TEST_CASE("a longer interval waits for as many refreshes") {
    Compositor server({.frame_ms = 10});
    Client client(server);
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    const int64_t paced = elapsed_ms([&] {
        for (int i = 0; i < 4; i++)
            REQUIRE(post(*drawable, 4, 4, 0, 3)); // the first one waits for nothing
    });
    CHECK(paced >= 3 * 3 * 9);
    REQUIRE(server.wait_commits(0, 4));
    CHECK(server.shown(0).frames == 4 + 3 * 2); // one of each frame, the others of commits without
    CHECK(server.shown(0).commits == 4);
}

TEST_CASE("a window that is not shown does not block for good") {
    Compositor server({.frames = false});
    Client client(server);
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    REQUIRE(post(*drawable, 4, 4, 1));
    CHECK(elapsed_ms([&] { REQUIRE(post(*drawable, 4, 4, 2)); }) >= 900); // it may still come
    CHECK(elapsed_ms([&] { REQUIRE(post(*drawable, 4, 4, 3)); }) < 500);
    REQUIRE(server.wait_commits(0, 3));
    CHECK(server.shown(0).at(0, 0) == 3);
    // Shown again: paced again.
    server.behave([](Behaviour &b) { b.frames = true, b.frame_ms = 1; });
    server.relent();
    REQUIRE(post(*drawable, 4, 4, 4));
    CHECK(elapsed_ms([&] { REQUIRE(post(*drawable, 4, 4, 5)); }) < 90);
}

TEST_CASE("a compositor that keeps all buffers costs frames, no hang") {
    Compositor server({.release = Release::never});
    Client client(server);
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    for (uint32_t i = 1; i <= 4; i++)
        REQUIRE(post(*drawable, 4, 4, i, 0));
    CHECK(elapsed_ms([&] { REQUIRE(post(*drawable, 4, 4, 5, 0)); }) < 2000);
    CHECK(elapsed_ms([&] { REQUIRE(post(*drawable, 4, 4, 6, 0)); }) < 500);
    CHECK(server.shown(0).at(0, 0) == 4);
    CHECK(server.shown(0).commits == 4);
    server.relent();
    REQUIRE(post(*drawable, 4, 4, 7, 0));
    REQUIRE(server.wait_commits(0, 5));
    CHECK(server.shown(0).at(0, 0) == 7);
}

TEST_CASE("resizing tells the watcher and shows in the extent") {
    Compositor server;
    Client client(server);
    auto platform = open(client);
    Native native(client, 10, 20);
    auto drawable = open(*platform, native);
    int changes = 0;
    drawable->watch([](void *data) { ++*static_cast<int *>(data); }, &changes);
    EGLint width = 0, height = 0;
    REQUIRE(drawable->extent(&width, &height));
    CHECK(width == 10);
    CHECK(height == 20);
    REQUIRE(post(*drawable, 10, 20, 1));
    wl_egl_window_resize(native.window, 30, 5, 3, -2);
    CHECK(changes == 1);
    REQUIRE(drawable->extent(&width, &height));
    CHECK(width == 30);
    CHECK(height == 5);
    REQUIRE(post(*drawable, 30, 5, 2));
    REQUIRE(post(*drawable, 30, 5, 3));
    REQUIRE(server.wait_commits(0, 3));
    const Shown shown = server.shown(0);
    CHECK(shown.width == 30);
    CHECK(shown.height == 5);
    CHECK(shown.dx == 3); // once
    CHECK(shown.dy == -2);
}

TEST_CASE("offsets go with the buffer where the surface has no request for them") {
    Compositor server({.compositor_version = 4});
    Client client(server);
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    wl_egl_window_resize(native.window, 6, 6, 5, 7);
    REQUIRE(post(*drawable, 6, 6, 2));
    REQUIRE(server.wait_commits(0, 1));
    CHECK(server.shown(0).dx == 5);
    CHECK(server.shown(0).dy == 7);
}

TEST_CASE("one surface at a time has a window") {
    Compositor server;
    Client client(server);
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    std::unique_ptr<egl::NativeDrawable> second;
    CHECK(platform->open_window(native.window, rgba, second) == EGL_BAD_ALLOC);
    CHECK(platform->open_window(nullptr, rgba, second) == EGL_BAD_NATIVE_WINDOW);
    CHECK(platform->open_pixmap(native.window, rgba, second) == EGL_BAD_PARAMETER);
    drawable.reset();
    CHECK(platform->open_window(native.window, rgba, second) == EGL_SUCCESS);
}

TEST_CASE("a window destroyed first is gone, others stay") {
    Compositor server;
    Client client(server);
    auto platform = open(client);
    auto first = std::make_unique<Native>(client, 4, 4);
    Native other(client, 4, 4);
    auto drawable = open(*platform, *first);
    auto other_drawable = open(*platform, other);
    REQUIRE(post(*drawable, 4, 4, 1));
    first.reset();
    EGLint width, height;
    CHECK_FALSE(drawable->extent(&width, &height));
    CHECK_FALSE(post(*drawable, 4, 4, 2));
    REQUIRE(post(*other_drawable, 4, 4, 3));
    REQUIRE(server.wait_commits(1, 1));
    CHECK(wl_display_roundtrip(client.display) >= 0); // no protocol error
}

TEST_CASE("a dead compositor is noticed") {
    Compositor server({.frame_ms = 500});
    Client client(server);
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    REQUIRE(post(*drawable, 4, 4, 1));
    std::thread killer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        server.kill();
    });
    const int64_t waited = elapsed_ms([&] { CHECK_FALSE(post(*drawable, 4, 4, 2)); });
    killer.join();
    CHECK(waited < 400);
    CHECK_FALSE(post(*drawable, 4, 4, 3, 0));
    EGLint width, height, error = 0;
    CHECK_FALSE(drawable->extent(&width, &height));
    CHECK_FALSE(egl::open_wayland(client.display, &error));
    CHECK(error == EGL_BAD_ALLOC);
}

TEST_CASE("windows outlive the platform, not the connection") {
    Compositor server;
    auto client = std::make_unique<Client>(server);
    auto platform = open(*client);
    auto native = std::make_unique<Native>(*client, 4, 4);
    auto drawable = open(*platform, *native);
    REQUIRE(post(*drawable, 4, 4, 1));
    std::thread swapper([&] {
        while (post(*drawable, 4, 4, 2))
            ;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    platform.reset();
    swapper.join();
    wl_egl_window_resize(native->window, 5, 5, 0, 0);
    native.reset();
    client.reset();
    EGLint width, height;
    CHECK_FALSE(drawable->extent(&width, &height));
    CHECK_FALSE(post(*drawable, 4, 4, 3));
    CHECK(drawable->pace(1) == 0);
}

TEST_CASE("listeners of the program are never run") {
    Compositor server;
    Client client(server);
    client.ping();
    auto platform = open(client);
    Native native(client, 4, 4);
    auto drawable = open(*platform, native);
    for (uint32_t i = 0; i < 10; i++) {
        client.ping();
        REQUIRE(post(*drawable, 4, 4, i));
    }
    CHECK(client.pings == 0);
    wl_display_roundtrip(client.display);
    CHECK(client.pings == 11);
}

TEST_CASE("windows of two threads, a third reads the program's events") {
    Compositor server({.frame_ms = 1});
    Client client(server);
    auto platform = open(client);
    Native a(client, 8, 8), b(client, 8, 8);
    auto first = open(*platform, a), second = open(*platform, b);
    std::atomic<bool> stop = false;
    std::thread reader([&] {
        while (!stop) {
            client.ping();
            wl_display_roundtrip(client.display);
        }
    });
    auto draw = [](egl::NativeDrawable &drawable, uint32_t last) {
        for (uint32_t i = 1; i <= last; i++)
            if (!post(drawable, 8, 8, i, EGLint(i % 3 != 0)))
                return;
    };
    std::thread other([&] { draw(*first, 200); });
    draw(*second, 300);
    other.join();
    stop = true;
    reader.join();
    REQUIRE(server.wait_commits(0, 200));
    REQUIRE(server.wait_commits(1, 300));
    CHECK(server.shown(0).at(3, 3) == 200);
    CHECK(server.shown(1).at(3, 3) == 300);
}

TEST_CASE("the default display is a connection of our own") {
    char folder[] = "/tmp/wl-platform-XXXXXX";
    REQUIRE(mkdtemp(folder));
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("WAYLAND_DISPLAY", "wayland-test", 1);
    EGLint error = 0;
    CHECK_FALSE(egl::open_wayland(nullptr, &error));
    CHECK(error == EGL_BAD_ALLOC);
    {
        Compositor server({}, "wayland-test");
        auto platform = egl::open_wayland(nullptr, &error);
        REQUIRE(platform);
        CHECK(error == EGL_SUCCESS);
        CHECK(platform->visuals().size() == 3);
    }
    for (const char *name : {"/wayland-test.lock", "/wayland-test"})
        unlink((std::string(folder) + name).c_str());
    rmdir(folder);
}
