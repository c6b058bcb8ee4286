// SPDX-License-Identifier: MIT
// Windows of a driver, without a frontend: windows DRIVER monolith|inproc|spawn [CASE...]. Pixels
// are read from the X server by another client. Exit 77 without Xvfb or without what the driver
// needs. The program is its own server.
#include "windows.h"

#include "remote/remote.h"
#include "util/log.h"
#include "util/stats.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace windows {

pipe_screen *create_driver(const pipe_screen_config *config);

namespace {

using namespace std::chrono_literals;

struct Setup {
    const char *driver, *form;
    x11::Server server;
    bool same_process() const { return strcmp(form, "spawn") != 0; }
    uint64_t total(const char *what) const {
        const uint64_t value = util::stats_total((std::string(driver) + "." + what).c_str());
        return value == UINT64_MAX ? 0 : value;
    }
};

// The pixel becomes `rgb` within five seconds.
bool shows(x11::Client &client, uint32_t window, int x, int y, uint32_t rgb) {
    for (int i = 0; i < 5000; i++) {
        if (client.pixel(window, x, y) == rgb)
            return true;
        std::this_thread::sleep_for(1ms);
    }
    printf("pixel %d,%d of window 0x%x: %06x instead of %06x\n", x, y, window,
           client.pixel(window, x, y), rgb);
    return false;
}

constexpr uint32_t red = 0xff0000, green = 0x00ff00, blue = 0x0000ff, white = 0xffffff;

void four_quarters(Lane &lane, Surface &surface, int32_t interval) {
    lane.clear_quarter(surface, 0, red);
    lane.clear_quarter(surface, 1, green);
    lane.clear_quarter(surface, 2, blue);
    lane.clear_quarter(surface, 3, white);
    lane.present(surface, interval);
}

// Frames that are copied to a texture come with the top row first, whole, and before the program
// goes on; the window does not see them.
void copied(Setup &setup) {
    constexpr uint32_t width = 32, height = 20;
    x11::Client client(setup.server);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Lane lane(screen);
    pipe_resource_create make{};
    pipe_resource_desc &d = make.desc;
    d.resource = {1, 1};
    d.target = PIPE_TEXTURE_2D;
    d.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    d.width = width, d.height = height;
    d.samples = d.levels = 1;
    d.depth = d.layers = 1;
    d.storage = PIPE_STORAGE_IMMUTABLE;
    d.bind = PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_RENDER_TARGET;
    for (const uint8_t samples : {0, 4}) {
        const uint32_t window = client.window(width, height);
        Surface surface(screen, window, width, height, samples);
        EXPECT(surface);
        lane.current(&surface);
        if (!samples)
            screen.table->resource_create(lane.ctx, &make);
        lane.clear(white);
        lane.present(surface, 0);
        EXPECT(shows(client, window, 3, 3, white));
        lane.clear_quarter(surface, 0, red);
        lane.clear_quarter(surface, 1, green);
        lane.clear_quarter(surface, 2, blue);
        lane.clear_quarter(surface, 3, 0x123456);
        lane.present(surface, 0, d.resource);
        pipe_get_texture_image get{};
        get.texture = d.resource;
        get.format = d.format;
        get.box.width = width, get.box.height = height, get.box.depth = 1;
        get.row_stride = width * 4;
        get.slice_stride = width * 4 * height;
        get.aspect = PIPE_ASPECT_COLOR;
        std::vector<uint8_t> bytes(get.slice_stride);
        const pipe_out_span out{bytes.data(), bytes.size()};
        EXPECT(lane.ctx->get_texture_image(lane.ctx, &get, &out) == PIPE_OK);
        const auto at = [&](uint32_t x, uint32_t y) {
            const uint8_t *p = &bytes[(y * width + x) * 4];
            return uint32_t(p[0]) << 16 | uint32_t(p[1]) << 8 | p[2];
        };
        EXPECT(at(0, height - 1) == red && at(width - 1, height - 1) == green);
        EXPECT(at(0, 0) == blue && at(width - 1, 0) == 0x123456);
        EXPECT(at(width / 2 - 1, height / 2) == red && at(width / 2, height / 2 - 1) == 0x123456);
        EXPECT(client.pixel(window, 3, 3) == white);
        // The lane goes on as before.
        lane.clear(blue);
        lane.present(surface, 0);
        EXPECT(shows(client, window, 3, 3, blue));
    }
    pipe_resource_destroy destroy{d.resource};
    screen.table->resource_destroy(lane.ctx, &destroy);
}

// What is at the bottom of the back buffer is at the bottom of the window.
void orientation(Setup &setup) {
    x11::Client client(setup.server);
    const uint32_t window = client.window(100, 60);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Surface surface(screen, window, 100, 60);
    EXPECT(surface);
    Lane lane(screen);
    lane.current(&surface);
    four_quarters(lane, surface, 0);
    EXPECT(shows(client, window, 10, 50, red));
    EXPECT(shows(client, window, 90, 50, green));
    EXPECT(shows(client, window, 10, 10, blue));
    EXPECT(shows(client, window, 90, 10, white));
    EXPECT(client.pixel(window, 49, 30) == red && client.pixel(window, 50, 29) == white);
    // The back buffer is kept.
    EXPECT(lane.pixel(10, 10) == red && lane.pixel(90, 50) == white);
    lane.present(surface, 0);
    EXPECT(shows(client, window, 10, 50, red));
}

// A multisampled and an sRGB back buffer show what was drawn.
void formats(Setup &setup) {
    x11::Client client(setup.server);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Lane lane(screen);
    struct {
        uint8_t samples;
        enum pipe_format format;
    } const kinds[] = {{4, PIPE_FORMAT_R8G8B8A8_UNORM},
                       {0, PIPE_FORMAT_B8G8R8A8_UNORM},
                       {0, PIPE_FORMAT_R8G8B8X8_UNORM},
                       {0, PIPE_FORMAT_R8G8B8A8_SRGB},
                       {4, PIPE_FORMAT_R8G8B8A8_SRGB}};
    for (const auto &kind : kinds) {
        const uint32_t window = client.window(64, 64);
        Surface surface(screen, window, 64, 64, kind.samples, kind.format);
        EXPECT(surface);
        lane.current(&surface);
        four_quarters(lane, surface, 0);
        EXPECT(shows(client, window, 5, 60, red));
        EXPECT(shows(client, window, 60, 5, white));
        lane.clear(0x336699);
        lane.present(surface, 0);
        EXPECT(shows(client, window, 30, 30, 0x336699));
        lane.current(nullptr);
    }
}

// Exactly one blit per present, and the mode that the interval asks for.
void modes(Setup &setup) {
    x11::Client client(setup.server);
    const uint32_t window = client.window(64, 64);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Surface surface(screen, window, 64, 64);
    Lane lane(screen);
    lane.current(&surface);
    const uint64_t blits = setup.total("present_blits");
    const uint64_t fifo = setup.total("present_fifo"), now = setup.total("present_immediate");
    for (int i = 0; i < 20; i++) {
        lane.clear(uint32_t(i));
        lane.present(surface, i < 10 ? 1 : 0);
    }
    lane.finish();
    EXPECT(shows(client, window, 30, 30, 19));
    if (!setup.same_process())
        return;
    EXPECT(setup.total("present_blits") - blits == 20);
    EXPECT(setup.total("present_fifo") - fifo == 10);
    EXPECT(setup.total("present_immediate") - now == 10);
}

// Frames issued minus frames seen, in a loop.
void queued(Setup &setup) {
    x11::Client client(setup.server);
    const uint32_t window = client.window(64, 64);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Surface surface(screen, window, 64, 64);
    Lane lane(screen);
    lane.current(&surface);
    uint32_t most = 0;
    for (uint32_t frame = 1; frame <= 300; frame++) {
        lane.clear(frame);
        lane.present(surface, 0);
        const uint32_t seen = client.pixel(window, 30, 30);
        const uint32_t behind = frame - (seen == white ? 0 : seen);
        most = std::max(most, behind);
    }
    printf("at most %u frames behind\n", most);
    EXPECT(most <= 2);
    lane.finish();
    EXPECT(shows(client, window, 30, 30, 300));
}

// Window and back buffer at any extents beside each other.
void resizes(Setup &setup) {
    x11::Client client(setup.server);
    const uint32_t window = client.window(100, 60);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Surface surface(screen, window, 100, 60);
    Lane lane(screen);
    lane.current(&surface);
    four_quarters(lane, surface, 0);
    EXPECT(shows(client, window, 90, 50, green));
    client.resize(window, 200, 120);
    // The window is larger: the picture keeps its upper left corner, the rest is black.
    for (int i = 0; i < 3; i++)
        four_quarters(lane, surface, 0);
    EXPECT(shows(client, window, 10, 10, blue));
    EXPECT(shows(client, window, 90, 50, green));
    EXPECT(shows(client, window, 190, 110, 0));
    surface.resize(200, 120);
    four_quarters(lane, surface, 0);
    EXPECT(shows(client, window, 10, 110, red));
    EXPECT(shows(client, window, 190, 10, white));
    EXPECT(lane.pixel(199, 119) == white);
    client.resize(window, 50, 40);
    for (int i = 0; i < 3; i++)
        four_quarters(lane, surface, 0);
    EXPECT(shows(client, window, 45, 35, blue)); // the upper left of what is drawn
    surface.resize(50, 40);
    four_quarters(lane, surface, 0);
    EXPECT(shows(client, window, 45, 35, green));
    // A storm: the back buffer follows late, or not at all.
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t w = 20 + i * 7 % 300, h = 20 + i * 13 % 200;
        client.resize(window, w, h);
        if (i % 3)
            surface.resize(w, h);
        lane.clear(i);
        lane.present(surface, i % 5 == 0);
    }
    client.resize(window, 80, 80);
    surface.resize(80, 80);
    lane.clear(blue);
    lane.present(surface, 0);
    EXPECT(shows(client, window, 79, 79, blue));
}

// A window that goes while it is drawn to disturbs no other.
void vanished_window(Setup &setup) {
    x11::Client client(setup.server);
    const uint32_t first = client.window(64, 64), second = client.window(64, 64);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Surface a(screen, first, 64, 64), b(screen, second, 64, 64);
    Lane lane(screen), other(screen);
    lane.current(&a);
    other.current(&b);
    for (uint32_t i = 1; i <= 30; i++) {
        if (i == 10)
            client.destroy(first);
        lane.clear(red);
        lane.present(a, i % 2);
        other.clear(i);
        other.present(b, 0);
    }
    EXPECT(shows(client, second, 30, 30, 30));
    EXPECT(lane.pixel(5, 5) == red);
    client.unmap(second);
    for (uint32_t i = 1; i <= 30; i++) {
        other.clear(i);
        other.present(b, i % 2);
    }
    other.finish();
}

// An X server of the test is being killed.
std::atomic<bool> server_dies{false};

// The back buffer's window is gone with its server; drawing goes on, and on another server too.
void vanished_server(Setup &setup) {
    x11::Server doomed;
    auto client = std::make_unique<x11::Client>(doomed);
    const uint32_t window = client->window(64, 64);
    x11::Client other_client(setup.server);
    const uint32_t other_window = other_client.window(64, 64);
    Screen screen(setup.driver, setup.form, doomed.name);
    Screen other_screen(setup.driver, setup.form, setup.server.name);
    Surface surface(screen, window, 64, 64), other_surface(other_screen, other_window, 64, 64);
    Lane lane(screen), other(other_screen);
    lane.current(&surface);
    other.current(&other_surface);
    std::atomic<bool> killed{false};
    std::thread killer([&] {
        std::this_thread::sleep_for(100ms);
        server_dies = true;
        doomed.kill();
        killed = true;
    });
    uint32_t frames = 0, after = 0;
    for (; after < 20; frames++) {
        lane.clear(frames);
        lane.present(surface, frames % 2);
        after += killed.load();
    }
    killer.join();
    lane.clear(green);
    lane.present(surface, 1);
    EXPECT(lane.pixel(3, 3) == green);
    other.clear(blue);
    other.present(other_surface, 0);
    EXPECT(shows(other_client, other_window, 3, 3, blue));
    surface.resize(80, 80);
    lane.clear(red);
    lane.present(surface, 0);
    EXPECT(lane.pixel(79, 79) == red);
    server_dies = false;
}

// Nothing of a window stays behind.
void many(Setup &setup) {
    x11::Client client(setup.server);
    Screen screen(setup.driver, setup.form, setup.server.name);
    Lane lane(screen);
    auto rounds = [&](int n) {
        for (int i = 0; i < n; i++) {
            const uint32_t window = client.window(16, 16);
            {
                Surface surface(screen, window, 16, 16);
                EXPECT(surface);
                lane.current(&surface);
                lane.clear(uint32_t(i));
                lane.present(surface, i % 7 == 0);
                if (i % 50 == 0)
                    EXPECT(shows(client, window, 8, 8, uint32_t(i)));
            }
            client.destroy(window);
        }
        lane.current(nullptr);
        lane.finish();
    };
    rounds(100);
    const uint64_t storages = setup.total("storages"), swapchains = setup.total("swapchains");
    rounds(900);
    if (!setup.same_process())
        return;
    printf("storages %llu then %llu, swapchains %llu then %llu\n", (unsigned long long)storages,
           (unsigned long long)setup.total("storages"), (unsigned long long)swapchains,
           (unsigned long long)setup.total("swapchains"));
    EXPECT(setup.total("storages") <= storages + 2);
    EXPECT(setup.total("swapchains") <= swapchains + 1);
}

// Threads with a window each, all of them resized.
void threads(Setup &setup) {
    Screen screen(setup.driver, setup.form, setup.server.name);
    std::vector<std::thread> all;
    for (uint32_t t = 0; t < 4; t++)
        all.emplace_back([&, t] {
            x11::Client client(setup.server);
            const uint32_t window = client.window(64, 64);
            Surface surface(screen, window, 64, 64);
            Lane lane(screen);
            lane.current(&surface);
            for (uint32_t i = 0; i < 100; i++) {
                if (i % 10 == 9) {
                    client.resize(window, 64 + i, 64 + t);
                    surface.resize(64 + i, 64 + t);
                }
                lane.clear(t << 16 | i);
                lane.present(surface, t == 3);
            }
            EXPECT(shows(client, window, 9, 9, t << 16 | 99));
        });
    for (std::thread &t : all)
        t.join();
}

// A surface is destroyed by another thread than the one that presents it.
void destroyed(Setup &setup) {
    Screen screen(setup.driver, setup.form, setup.server.name);
    x11::Client client(setup.server);
    for (int round = 0; round < 10; round++) {
        const uint32_t window = client.window(64, 64);
        Surface surface(screen, window, 64, 64);
        Lane lane(screen);
        lane.current(&surface);
        std::atomic<bool> end{false};
        std::thread killer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(round));
            pipe_surface_destroy p{surface.handle};
            screen.table->surface_destroy(screen.table, &p);
            surface.ok = false;
            end = true;
        });
        for (uint32_t i = 0; !end || i < 20; i++) {
            lane.clear(i);
            lane.present(surface, round % 2);
        }
        killer.join();
    }
}

bool process_ends(pid_t pid) {
    for (int i = 0; i < 10000; i++) {
        char path[64], text[256] = {};
        snprintf(path, sizeof path, "/proc/%d/stat", int(pid));
        FILE *f = fopen(path, "r");
        if (!f)
            return true;
        const bool read = fgets(text, sizeof text, f) != nullptr;
        fclose(f);
        const char *state = strrchr(text, ')');
        if (!read || !state || state[2] == 'Z')
            return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

// The server dies while its window is shown: the client goes on, and gets another server.
void killed_server(Setup &setup) {
    if (setup.same_process())
        return;
    x11::Client client(setup.server);
    const uint32_t window = client.window(64, 64);
    {
        Screen screen(setup.driver, setup.form, setup.server.name);
        Surface surface(screen, window, 64, 64);
        Lane lane(screen);
        lane.current(&surface);
        const pid_t server = pid_t(remote::server_pid(screen.table));
        for (uint32_t i = 0; i < 200; i++) {
            lane.clear(i);
            lane.present(surface, i % 2);
            if (i == 50)
                kill(server, SIGKILL);
        }
        for (int i = 0; i < 5000 && !remote::lost(screen.table); i++)
            std::this_thread::sleep_for(1ms);
        EXPECT(remote::lost(screen.table));
        surface.ok = false; // went with it
    }
    Screen screen(setup.driver, setup.form, setup.server.name);
    Surface surface(screen, window, 64, 64);
    EXPECT(surface);
    Lane lane(screen);
    lane.current(&surface);
    lane.clear(green);
    lane.present(surface, 0);
    EXPECT(shows(client, window, 5, 5, green));
}

// As a program that is killed in the middle of its frames: prints the id of its server.
int be_client(const char *driver, const std::string &display) {
    Screen screen(driver, "spawn", display);
    x11::Client client(display);
    const uint32_t window = client.window(64, 64);
    Surface surface(screen, window, 64, 64);
    Lane lane(screen);
    lane.current(&surface);
    for (uint32_t i = 0;; i++) {
        lane.clear(i);
        lane.present(surface, i % 2);
        if (i == 20) {
            printf("server %u\n", remote::server_pid(screen.table));
            fflush(stdout);
        }
    }
}

// Nothing of a killed client stays: its server ends.
void killed_client(Setup &setup) {
    if (setup.same_process())
        return;
    int out[2];
    EXPECT(pipe(out) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(out[1], 1);
        execl("/proc/self/exe", "windows", "--client", setup.driver, setup.server.name.c_str(),
              nullptr);
        _exit(127);
    }
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    char line[256];
    int server = 0;
    while (!server && fgets(line, sizeof line, f))
        sscanf(line, "server %d", &server);
    EXPECT(server > 0);
    std::this_thread::sleep_for(20ms);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    fclose(f);
    EXPECT(process_ends(server));
}

struct Case {
    const char *name;
    void (*run)(Setup &);
} const cases[] = {{"orientation", orientation},
                   {"formats", formats},
                   {"modes", modes},
                   {"copied", copied},
                   {"queued", queued},
                   {"resizes", resizes},
                   {"vanished-window", vanished_window},
                   {"vanished-server", vanished_server},
                   {"killed-server", killed_server},
                   {"killed-client", killed_client},
                   {"many", many},
                   {"threads", threads},
                   {"destroyed", destroyed}};

// What a validation layer says is a failure. It asks the X server itself when a swapchain is made:
// one that dies just then has told us what a window has, and tells the layer nothing.
void hear(void *, util::LogLevel, const char *tag, const char *text) {
    const bool of_the_dead = server_dies && strstr(text, "vkCreateSwapchainKHR");
    if (strstr(tag, "validate") && !of_the_dead)
        EXPECT(!"validation is silent");
}

int run(int argc, char **argv) {
    util::stats_start(true);
    util::log_set_sink(hear, nullptr);
    Setup setup{argv[1], argv[2], {}};
    if (!setup.server) {
        printf("SKIP: no Xvfb\n");
        return 77;
    }
    if (!Screen(setup.driver, setup.form, setup.server.name).table) {
        printf("SKIP: %s cannot start here\n", setup.driver);
        return 77;
    }
    for (const Case &c : cases) {
        bool wanted = argc == 3;
        for (int i = 3; i < argc; i++)
            wanted |= !strcmp(argv[i], c.name);
        if (!wanted)
            continue;
        const int before = failures;
        const auto start = std::chrono::steady_clock::now();
        c.run(setup);
        printf("%s %s (%.2f s)\n", failures == before ? "ok    " : "FAILED", c.name,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        fflush(stdout);
    }
    return failures != 0;
}

} // namespace

} // namespace windows

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--control-fd=", 13))
            return remote::server_main(argc, argv, windows::create_driver);
    if (argc == 4 && !strcmp(argv[1], "--client"))
        return windows::be_client(argv[2], argv[3]);
    if (argc < 3) {
        printf("usage: windows DRIVER FORM [CASE...]\n");
        return 1;
    }
    return windows::run(argc, argv);
}
