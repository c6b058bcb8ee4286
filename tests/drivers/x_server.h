// SPDX-License-Identifier: MIT
// An X server of the test's own (Xvfb on a free display), and windows on it, read as another client
// sees them.
#pragma once

#include <xcb/xcb.h>

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace x11 {

class Server {
  public:
    Server();
    ~Server();
    Server(const Server &) = delete;
    explicit operator bool() const { return !name.empty(); }
    // At once, as if it had crashed.
    void kill();

    std::string name; // ":7"; empty: there is no Xvfb here
  private:
    pid_t pid_ = 0;
};

// A connection, as a program has one.
class Client {
  public:
    explicit Client(const std::string &display);
    explicit Client(const Server &server) : Client(server.name) {}
    ~Client();
    Client(const Client &) = delete;

    xcb_connection_t *connection() const { return connection_; }
    uint32_t visual() const { return screen_->root_visual; } // of its windows
    // Shown when this returns.
    uint32_t window(uint32_t width, uint32_t height);
    void resize(uint32_t window, uint32_t width, uint32_t height);
    void unmap(uint32_t window);
    void destroy(uint32_t window);
    // The server has done all of it.
    void sync();
    // Pixel from the top left as 0xRRGGBB; 0xff000000: there is none.
    uint32_t pixel(uint32_t window, int x, int y);

  private:
    xcb_connection_t *connection_;
    xcb_screen_t *screen_;
};

} // namespace x11
