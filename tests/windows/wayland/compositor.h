// SPDX-License-Identifier: MIT
// A Wayland compositor for tests: a thread that takes surfaces with wl_shm buffers, keeps what it
// was shown and can be told to misbehave. All members of Compositor may be called on any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct wl_display;

namespace wl_test {

// When a buffer goes back to the client.
enum class Release { at_once, when_replaced, never };

// What becomes of dma-bufs: the compositor has no such protocol, one that is too old to tell
// modifiers, takes whatever descriptor there is, refuses all, or never answers.
enum class Dmabufs { none, old, taken, refused, unanswered };

struct Behaviour {
    Release release = Release::when_replaced;
    bool frames = true; // frame callbacks are answered, `frame_ms` after the commit
    int frame_ms = 2;
    int compositor_version = 5; // of wl_compositor
    bool ten_bits = true;       // wl_shm has 2101010
    Dmabufs dmabufs = Dmabufs::none;
    std::vector<uint64_t> modifiers = {0}; // of dma-bufs; each format has all of them
};

struct Box {
    int x, y, width, height;
};

// What a surface was last shown.
struct Shown {
    int commits = 0; // with a buffer
    int buffers = 0; // different ones
    int frames = 0;  // callbacks that were asked for
    int dmabufs = 0; // of the commits, those with a dma-buf
    uint64_t modifier = 0;
    int width = 0, height = 0;
    uint32_t format = 0; // wl_shm's, or DRM's of a dma-buf
    int dx = 0, dy = 0;  // sum over all commits
    std::vector<Box> damage, surface_damage;
    std::vector<uint32_t> pixels; // the top row first

    uint32_t at(int x, int y) const { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
};

class Compositor {
  public:
    // With `socket`, programs find it under that name in XDG_RUNTIME_DIR.
    explicit Compositor(const Behaviour &behaviour = {}, const char *socket = nullptr);
    ~Compositor(); // kills

    // A client connection of this process; the caller disconnects it.
    wl_display *connect();
    void behave(const std::function<void(Behaviour &)> &change);
    // Surfaces are counted from 0 as they are made.
    Shown shown(int surface);
    // Whether that many commits with buffers came within `ms`.
    bool wait_commits(int surface, int commits, int ms = 2000);
    // Answers frame callbacks and gives back buffers that were withheld.
    void relent();
    // How often a dma-buf was offered, and how many of those are still there.
    int dmabufs_offered();
    int dmabufs_alive();
    // Ends the connection of all clients, as a crash does.
    void kill();

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

} // namespace wl_test
