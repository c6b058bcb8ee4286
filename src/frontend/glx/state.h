// SPDX-License-Identifier: MIT
// GLX's objects on top of EGL's (egl/core.h), guarded by EGL's lock. Handles that programs see are
// addresses of contexts and configs and X ids of drawables, always looked up before use. What is
// current outlives its destruction.
#pragma once

#include "fbconfig.h"
#include "xlib.h"

#include "egl/core.h"

// What glxproto.h needs, first.
#include <X11/Xmd.h>

#include <GL/glxproto.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace egl {
class FrameClock;
}

namespace glx {

struct Server;
using egl::FrameClock;

// A screen of an X server, for all Displays that are connected to it; never freed, so configs
// found through one Display are good for another.
struct Screen {
    Server *server;
    int number;
    egl::Display *display = nullptr; // null: no driver can start
    uint32_t opening = 0;            // a thread makes it: 1 + egl::State::forks of its process
    std::vector<FBConfig> configs;
    EGLint gl_version = 0;             // highest, major * 10 + minor
    std::unique_ptr<FrameClock> clock; // null: not asked for yet
    Screen(Server *server_, int number_);
    ~Screen();
};

enum class Kind : uint8_t { plain_window, window, pixmap, pbuffer };

struct Drawable {
    Kind kind;
    XID id;     // what the program names it by
    XID native; // the window or pixmap; 0 for a pbuffer
    Screen *screen;
    const FBConfig *config;
    Display *dpy; // null once that is closed
    egl::Surface *surface = nullptr;
    unsigned long events = 0; // glXSelectEvent
    int interval = 1;         // negative: late swaps tear
    bool preserved = true, largest = false;
    int texture_format = GLX_TEXTURE_FORMAT_NONE_EXT, texture_target = 0;
    std::shared_ptr<std::mutex> turn; // of threads that swap it at once
    int64_t swaps = 0;                // GLX_OML_sync_control's SBC
    unsigned users = 0;               // threads that have it current, drawing and reading apart
    bool destroyed = false;
};

struct Context {
    Display *dpy; // null once that is closed
    Screen *screen;
    const FBConfig *config; // null: made without a config
    egl::Context *egl = nullptr;
    XID id = 0, share_id = 0;
    int render_type = GLX_RGBA_TYPE;
    bool current = false, destroyed = false;
    Drawable *draw = nullptr, *read = nullptr; // while current; else what was drawn to last
};

struct Server {
    std::string name;
    std::vector<Screen *> screens;                 // by number; null: not asked for yet
    std::unordered_map<XID, Drawable *> drawables; // what the program can name
    std::unordered_map<XID, uint32_t> opening;     // plain windows, likewise to Screen::opening
};

struct Connection {
    Display *dpy;
    Server *server;
    XCodes codes;
};

// The process. Leaked on purpose, as EGL's.
struct State {
    std::vector<Server *> servers;
    std::unordered_map<Display *, std::unique_ptr<Connection>> connections;
    std::unordered_set<Context *> contexts;
};
State &state();

// A thread. Plain data: no destructor runs at thread exit.
struct Thread {
    Context *current = nullptr;
};
Thread &thread();

// An X error of GLX's own.
struct GlxError {
    int code; // GLXBadContext, ...
};

// One entry point: takes the lock; its end raises the X error without it.
class Call {
    // Dies after the lock.
    struct Pending {
        Display *dpy;
        int minor;
        XCodes codes;
        int code = 0;
        XID resource = 0;
        ~Pending();
    } pending_;
    egl::Lock lock_;

  public:
    // `minor`: the request that an error is said to come from (X_GLX...).
    Call(Display *dpy, int minor);
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    Connection &connection() { return *connection_; }
    Server &server() { return *connection_->server; }
    egl::Lock &lock() { return lock_; }

    // The process runs its exit handlers: hosts may be gone, and no error may end it once more.
    bool exiting() const { return egl::state().exiting; }

    // The first error stays. Always false.
    bool fail(GlxError error, XID resource = 0);
    bool fail(int core_error, XID resource = 0);

  private:
    Connection *connection_;
};

// Null when no driver can start for it. The screen is made when it is first asked for. Without the
// lock.
Screen *open_screen(Display *dpy, int number);

// With the lock. Null: no such object on this server.
Context *find_context(GLXContext handle);
const FBConfig *find_config(Server &server, GLXFBConfig handle);
Screen *screen_of(Server &server, const FBConfig &config);
Drawable *find_drawable(Server &server, GLXDrawable id);

// Frees what is destroyed and no longer current.
void reap(Context *context);
void reap(Drawable *drawable);
void destroy(Context *context);
void destroy(Drawable *drawable);

} // namespace glx
