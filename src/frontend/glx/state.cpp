// SPDX-License-Identifier: MIT
// Servers, screens and connections; look-up and end of objects; X errors; XCloseDisplay.
#include "state.h"

#include "glx_tables.h"

#include "egl/x11_clock.h"

#include "util/log.h"
#include "util/thread_slot.h"

#include <algorithm>
#include <new>
#include <tuple>

namespace glx {

State &state() {
    static State *the = new State;
    return *the;
}

Thread &thread() {
    static util::ThreadSlot<Thread> threads;
    return threads.get();
}

Screen::Screen(Server *server_, int number_) : server(server_), number(number_) {}
Screen::~Screen() = default;

namespace {

Server *find_server(const std::string &name) {
    for (Server *server : state().servers)
        if (server->name == name)
            return server;
    auto *server = new Server;
    server->name = name;
    state().servers.push_back(server);
    return server;
}

// In XCloseDisplay: what the program made through the Display goes, what is current later.
void display_closed(Display *dpy) {
    egl::Lock lock;
    auto closed = state().connections.find(dpy);
    if (closed == state().connections.end())
        return;
    Server &server = *closed->second->server;
    state().connections.erase(closed);
    std::vector<Context *> contexts;
    for (Context *context : state().contexts)
        if (context->dpy == dpy)
            contexts.push_back(context);
    for (Context *context : contexts) {
        context->dpy = nullptr;
        destroy(context);
    }
    std::vector<Drawable *> drawables;
    for (const auto &entry : server.drawables)
        if (entry.second->dpy == dpy)
            drawables.push_back(entry.second);
    for (Drawable *drawable : drawables) {
        drawable->dpy = nullptr;
        destroy(drawable);
    }
}

// Without the lock when the Display is new: Xlib is asked then.
Connection *open_connection(Display *dpy) {
    {
        egl::Lock lock;
        auto found = state().connections.find(dpy);
        if (found != state().connections.end())
            return found->second.get();
    }
    const XCodes codes = query_codes(dpy);
    const std::string name = server_name(dpy);
    bool fresh = false;
    Connection *connection = nullptr;
    {
        egl::Lock lock;
        std::unique_ptr<Connection> &slot = state().connections[dpy];
        fresh = !slot;
        if (fresh)
            slot = std::make_unique<Connection>(Connection{dpy, find_server(name), codes});
        connection = slot.get();
    }
    if (fresh)
        watch_close(dpy, display_closed);
    return connection;
}

} // namespace

Screen *open_screen(Display *dpy, int number) {
    if (number < 0 || number >= ScreenCount(dpy))
        return nullptr;
    Server *server = open_connection(dpy)->server;
    const auto known = [server, number]() -> Screen * {
        return size_t(number) < server->screens.size() ? server->screens[size_t(number)] : nullptr;
    };
    const auto made = [&known] { return known() && !known()->opening; };
    {
        egl::Lock lock;
        if (made())
            return known()->display ? known() : nullptr;
    }
    const std::vector<XVisual> visuals = list_visuals(dpy, number);
    const VisualID root = root_visual(dpy, number);
    egl::Lock lock;
    const uint32_t mine = egl::state().forks + 1;
    egl::settle(lock, [&] { return !known() || known()->opening != mine; });
    if (!made()) {
        if (!known()) {
            server->screens.resize(std::max(server->screens.size(), size_t(number) + 1));
            server->screens[size_t(number)] = new Screen(server, number);
        }
        Screen *screen = known();
        screen->opening = mine;
        EGLint error = EGL_SUCCESS; // without noise: the dispatch library goes to the next vendor
        screen->display = egl::core_open_x11(lock, server->name.c_str(), number, &error);
        if (screen->display)
            screen->configs = make_fbconfigs(screen->display->configs, visuals, root, number);
        screen->opening = 0;
        egl::state().settled->notify_all();
    }
    return known()->display ? known() : nullptr;
}

Call::Call(Display *dpy, int minor) : pending_{dpy, minor, {}}, lock_(), connection_(nullptr) {
    lock_.unlock();
    connection_ = open_connection(dpy);
    lock_.lock();
    pending_.codes = connection_->codes;
    EGLint error = EGL_SUCCESS;
    const std::vector<Screen *> &screens = server().screens;
    for (size_t i = 0; i < screens.size(); i++) // it may grow meanwhile
        if (screens[i] && screens[i]->display)
            egl::core_reopen(lock_, *screens[i]->display, &error);
}

Call::Pending::~Pending() {
    if (code)
        raise_error(dpy, code, codes.opcode, minor, resource);
}

bool Call::fail(GlxError error, XID resource) {
    const XCodes &codes = pending_.codes;
    // A server without GLX has no numbers for its errors.
    return fail(codes.opcode ? codes.first_error + error.code : BadImplementation, resource);
}

bool Call::fail(int core_error, XID resource) {
    if (!pending_.code && !exiting())
        std::tie(pending_.code, pending_.resource) = std::tuple(core_error, resource);
    return false;
}

void out_of_memory(Display *dpy, const char *command) noexcept {
    log_error("glx", "%s: no memory is left", command);
    try {
        if (dpy)
            Call(dpy, 0).fail(BadAlloc);
    } catch (const std::bad_alloc &) { // not even for the error
    }
}

Context *find_context(GLXContext handle) {
    auto found = state().contexts.find(reinterpret_cast<Context *>(handle));
    return found == state().contexts.end() ? nullptr : *found;
}

const FBConfig *find_config(Server &server, GLXFBConfig handle) {
    for (const Screen *screen : server.screens)
        if (screen)
            for (const FBConfig &config : screen->configs)
                if (reinterpret_cast<GLXFBConfig>(const_cast<FBConfig *>(&config)) == handle)
                    return &config;
    return nullptr;
}

Screen *screen_of(Server &server, const FBConfig &config) {
    return server.screens[size_t(config.screen)];
}

Drawable *find_drawable(Server &server, GLXDrawable id) {
    auto found = server.drawables.find(id);
    return found == server.drawables.end() ? nullptr : found->second;
}

void reap(Context *context) {
    if (context->destroyed && !context->current)
        delete context;
}

void reap(Drawable *drawable) {
    if (drawable->destroyed && !drawable->users)
        delete drawable;
}

void destroy(Context *context) {
    state().contexts.erase(context);
    context->destroyed = true;
    if (egl::state().exiting) // leaked, as all that is alive then
        return;
    egl::core_context_destroy(context->egl);
    reap(context);
}

void destroy(Drawable *drawable) {
    drawable->screen->server->drawables.erase(drawable->id);
    drawable->destroyed = true;
    // A context that drew to it last must not find it again.
    for (Context *context : state().contexts) {
        if (context->current)
            continue;
        if (context->draw == drawable)
            context->draw = nullptr;
        if (context->read == drawable)
            context->read = nullptr;
    }
    if (egl::state().exiting)
        return;
    egl::core_surface_destroy(drawable->surface);
    reap(drawable);
}

} // namespace glx
