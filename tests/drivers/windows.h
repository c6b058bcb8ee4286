// SPDX-License-Identifier: MIT
// A driver by its tables alone, in any form, drawing to windows of an X server of the test's own.
#pragma once

#include "x_server.h"

#include "pipe/pipe.h"
#include "util/handles.h"

#include <cstdio>
#include <vector>

namespace windows {

extern int failures; // of this process, any thread

#define EXPECT(...)                                                                                \
    do {                                                                                           \
        if (!(__VA_ARGS__)) {                                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                               \
            __atomic_add_fetch(&windows::failures, 1, __ATOMIC_RELAXED);                           \
        }                                                                                          \
    } while (0)

// Names of surfaces are the process's.
pipe_handle mint_surface();
void release_surface(pipe_handle h);

// A screen on the display; null tables when the driver cannot start.
struct Screen {
    Screen(const char *driver, const char *form, const std::string &display);
    ~Screen();
    pipe_screen *table = nullptr;
    pipe_screen_config config{};
    std::string display;
};

// The back buffer of an X window.
struct Surface {
    Surface(Screen &screen, uint32_t window, uint32_t width, uint32_t height, uint8_t samples = 0,
            enum pipe_format format = PIPE_FORMAT_R8G8B8A8_UNORM);
    ~Surface();
    Surface(const Surface &) = delete;
    explicit operator bool() const { return ok; }
    void resize(uint32_t width, uint32_t height);

    Screen &screen;
    pipe_handle handle;
    bool ok = false;
    uint32_t width, height;
    uint64_t serial = 0;
};

// A context: current with one surface, clears and presents.
struct Lane {
    explicit Lane(Screen &screen);
    ~Lane();
    Lane(const Lane &) = delete;

    void current(const Surface *surface);
    void clear(uint32_t rgb);
    // The left or right, lower or upper quarter (0 to 3, from the lower left).
    void clear_quarter(const Surface &surface, int quarter, uint32_t rgb);
    // Into `target` instead of the window where there is one.
    void present(Surface &surface, int32_t interval, pipe_handle target = {});
    void finish();
    // Row 0 is at the bottom.
    uint32_t pixel(int x, int y);

    Screen &screen;
    pipe_context *ctx;

  private:
    void scissor(const pipe_scissor *box);
};

} // namespace windows
