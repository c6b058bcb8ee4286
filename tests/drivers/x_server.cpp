// SPDX-License-Identifier: MIT
// See the header.
#include "x_server.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace x11 {

Server::Server() {
    int pipe_fds[2];
    if (pipe(pipe_fds))
        return;
    pid_ = fork();
    if (pid_ == 0) {
        close(pipe_fds[0]);
        const std::string fd = std::to_string(pipe_fds[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int null = open("/dev/null", O_RDWR);
        for (int standard = 0; standard < 3; standard++)
            dup2(null, standard);
        execlp("Xvfb", "Xvfb", "-displayfd", fd.c_str(), "-screen", "0", "1024x768x24", "-nolisten",
               "tcp", "-noreset", nullptr);
        _exit(127);
    }
    close(pipe_fds[1]);
    std::string text;
    char c = 0;
    pollfd wait{pipe_fds[0], POLLIN, 0};
    while (pid_ > 0 && poll(&wait, 1, 20000) == 1 && read(pipe_fds[0], &c, 1) == 1 && c != '\n')
        text += c;
    if (c == '\n')
        name = ":" + text;
    close(pipe_fds[0]);
}

Server::~Server() {
    kill();
}

void Server::kill() {
    if (pid_ <= 0)
        return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

Client::Client(const std::string &display)
    : connection_(xcb_connect(display.c_str(), nullptr)),
      screen_(xcb_setup_roots_iterator(xcb_get_setup(connection_)).data) {}

Client::~Client() {
    xcb_disconnect(connection_);
}

uint32_t Client::window(uint32_t width, uint32_t height) {
    // Beside the last ones: what is covered has no pixels.
    static std::atomic<uint32_t> places{0};
    const uint32_t place = places++ % 12;
    const uint32_t id = xcb_generate_id(connection_);
    const uint32_t values[] = {screen_->white_pixel};
    xcb_create_window(connection_, screen_->root_depth, id, screen_->root, int16_t(place % 4 * 256),
                      int16_t(place / 4 * 256), uint16_t(width), uint16_t(height), 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen_->root_visual, XCB_CW_BACK_PIXEL,
                      values);
    xcb_map_window(connection_, id);
    sync();
    return id;
}

void Client::resize(uint32_t window, uint32_t width, uint32_t height) {
    const uint32_t values[] = {width, height};
    xcb_configure_window(connection_, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT,
                         values);
    sync();
}

void Client::unmap(uint32_t window) {
    xcb_unmap_window(connection_, window);
    sync();
}

void Client::destroy(uint32_t window) {
    xcb_destroy_window(connection_, window);
    sync();
}

void Client::sync() {
    free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
}

uint32_t Client::pixel(uint32_t window, int x, int y) {
    xcb_get_image_reply_t *image =
        xcb_get_image_reply(connection_,
                            xcb_get_image(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, window,
                                          int16_t(x), int16_t(y), 1, 1, ~0u),
                            nullptr);
    if (!image)
        return 0xff000000;
    const uint8_t *bgrx = xcb_get_image_data(image);
    const uint32_t value = uint32_t(bgrx[2]) << 16 | uint32_t(bgrx[1]) << 8 | bgrx[0];
    free(image);
    return value;
}

} // namespace x11
