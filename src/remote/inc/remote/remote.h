// SPDX-License-Identifier: MIT
// The pipe across a thread or a process. The client half yields a pipe_screen whose tables emit
// records; the server half applies them to a driver's screen, which it makes through a function
// pointer, so that nothing here links a driver.
//
// Threading and lifetime follow the pipe: a pipe_context is used by one thread at a time. Reverse
// callbacks are delivered only by screen->drain_events(), on the thread that calls it, with no lock
// of this library held; but on_frame comes at any time on the link's thread with locks of this
// library held, so it makes no call of the pipe and waits for nobody. After a loss (see lost())
// calls do nothing, answers are PIPE_DECLINED except that fences read signaled and queries
// available, and on_device_lost is delivered once per screen.
#pragma once

#include "pipe/pipe_tables.h"

namespace remote {

using CreateScreen = pipe_screen *(*)(const pipe_screen_config *config);

// Where the driver is: a thread of this process, a child of its own, a server that listens (here or
// elsewhere), a server that ssh starts.
enum class Form { inproc, spawn, unix_socket, tcp, ssh };

struct Options {
    Form form = Form::inproc;
    // Of a server that is not ours: a path, HOST:PORT (an IPv6 address in brackets), a host as ssh
    // knows it. Null for inproc and spawn.
    const char *address = nullptr;
    // Makes the driver's screen: in this process for inproc; spawn does not use it.
    CreateScreen create_screen = nullptr;
    // Driver that the server shall use, which it learns in the handshake; empty or null: its own
    // choice.
    const char *driver = nullptr;
    // Where a child server may lie besides MGPIPE_SERVER and the folder of this library; may be
    // null.
    const char *server_dir = nullptr;
};

// A screen of this process's one server of that form and address, which is started or dialed by the
// first call. Null (logged) when that fails, the server refuses, or has no driver. After a loss the
// next call starts a new one.
pipe_screen *create_screen(const Options &options, const pipe_screen_config *config);

// Registers the fork handlers of this library, which the first screen does else. They are called in
// the reverse order of their registration: whoever calls here with a lock held that it takes across
// a fork registers its own after this.
void watch_forks();

// Memory of this process for frames of a surface of kind FRAMES: a memory file that cannot shrink,
// with a word for each buffer at its start (0: nobody has it; whoever takes one makes it 1) and
// buffers of rows of 4 bytes a pixel, the top one first, without gaps.
struct FrameShare {
    pipe_handle surface;
    int fd; // stays the caller's
    uint32_t count;
    uint64_t size, offset, buffer_size; // bytes: of all, of the first buffer, from one to the next
    uint32_t width, height;
    bool swap_red_blue; // the buffers have them the other way round than the surface
};
// From its next frame on the server writes frames of that extent there, while a buffer is free, and
// on_frame names the buffer; in place of what it was told before. A question to the server and its
// answer. False: frames come as they came (a server that does not see our memory). Any thread, no
// lock of a callback held.
bool share_frames(const FrameShare &share);

// The screen's server is gone. Any thread.
bool lost(const pipe_screen *screen);
// Presents of one surface that may be unfinished at a time, now. Any thread.
uint64_t present_credit(const pipe_screen *screen);
// Process that serves the screen (our own for inproc).
uint32_t server_pid(const pipe_screen *screen);

// Main of mgpiped: a service (--listen), one session over standard input and output (--stdio), or,
// which spawn and the service start, one over a socket (--control-fd=N): that one leaves the
// terminal and refuses to run where a form other than monolith is asked for. `drivers`: names for
// --driver and --help, parted by spaces; may be null. Returns the program's status.
int server_main(int argc, char **argv, CreateScreen create_screen, const char *drivers = nullptr);

} // namespace remote
