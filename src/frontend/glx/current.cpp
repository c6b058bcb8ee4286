// SPDX-License-Identifier: MIT
// Which context and drawables are current on a thread, and the waits of glXWait*.
#include "drawable.h"
#include "glx_api.h"

#include "util/log.h"

namespace glx {

namespace {

// Counts the drawables of a context that is current, or lets go of them.
void use(Context &context, Drawable *draw, Drawable *read) {
    Drawable *old[] = {context.current ? context.draw : nullptr,
                       context.current ? context.read : nullptr};
    for (Drawable *drawable : {draw, read})
        if (drawable)
            drawable->users++;
    context.draw = draw;
    context.read = read;
    for (Drawable *drawable : old)
        if (drawable)
            drawable->users--;
    if (old[0])
        reap(old[0]);
    if (old[1] && old[1] != old[0])
        reap(old[1]);
}

// `context` is current on this thread no longer. It keeps the names of living drawables.
void let_go(Context *context) {
    Drawable *draw = context->draw, *read = context->read;
    const bool draws = draw && !draw->destroyed, reads = read && !read->destroyed;
    use(*context, nullptr, nullptr);
    context->draw = draws ? draw : nullptr;
    context->read = reads ? read : nullptr;
    context->current = false;
    reap(context);
}

bool release(Call &call) {
    Thread &t = thread();
    Context *previous = t.current;
    if (!previous)
        return true;
    const EGLint error = egl::core_make_current(call.lock(), nullptr, nullptr, nullptr);
    if (error != EGL_SUCCESS)
        return fail_drawable(call, error, None);
    t.current = nullptr;
    let_go(previous);
    return true;
}

// Contexts below 3.0 draw to the window system's framebuffer alone.
bool surfaceless(const Context &context) {
    return egl::gl_version(context.egl) >= 30;
}

// Keeps what is to become current while the lock is left; nobody else may take the context.
class Keep {
  public:
    explicit Keep(Context *context) : context_(context), was_(context->current) {
        context_->current = true;
    }
    ~Keep() {
        if (context_)
            context_->current = was_;
        for (Drawable *drawable : drawables_) {
            drawable->users--;
            reap(drawable);
        }
        if (context_)
            reap(context_);
    }
    Keep(const Keep &) = delete;
    Keep &operator=(const Keep &) = delete;
    void also(Drawable *drawable) {
        drawable->users++;
        drawables_.push_back(drawable);
    }
    // The context is current as it says from here on.
    void done() {
        context_->current = was_;
        context_ = nullptr;
    }

  private:
    Context *context_;
    const bool was_;
    std::vector<Drawable *> drawables_;
};

bool bind(Call &call, Keep &kept, Context *context, Drawable *draw, Drawable *read) {
    Thread &t = thread();
    Context *previous = t.current;
    const EGLint error = egl::core_make_current(
        call.lock(), context->egl, draw ? draw->surface : nullptr, read ? read->surface : nullptr);
    if (error != EGL_SUCCESS)
        return fail_drawable(call, error, draw ? draw->id : None);
    kept.done();
    if (previous && previous != context)
        let_go(previous);
    use(*context, draw, read);
    context->current = true;
    t.current = context;
    return true;
}

bool make_current(Call &call, GLXDrawable draw, GLXDrawable read, GLXContext handle) {
    if (call.exiting())
        return !handle;
    if (!handle)
        return draw || read ? call.fail(BadMatch) : release(call);
    Context *context = find_context(handle);
    if (!context)
        return call.fail(GlxError{GLXBadContext});
    if ((draw == None) != (read == None) || (!draw && !surfaceless(*context)))
        return call.fail(BadMatch);
    if (context->current && context != thread().current)
        return call.fail(BadAccess);
    if (&call.server() != context->screen->server)
        return call.fail(BadMatch);
    Keep kept(context);
    Drawable *drawables[2] = {};
    if (draw && !(drawables[0] = drawable_for(call, context->screen, draw, context->config)))
        return false;
    if (draw)
        kept.also(drawables[0]);
    drawables[1] = drawables[0];
    if (read != draw &&
        !(drawables[1] = drawable_for(call, context->screen, read, context->config)))
        return false;
    if (read != draw)
        kept.also(drawables[1]);
    for (const Drawable *drawable : drawables)
        if (drawable && drawable->screen != context->screen)
            return call.fail(BadMatch, drawable->id);
    return bind(call, kept, context, drawables[0], drawables[1]);
}

// A drawable that is new to GLX may be new to the server, too: the program's connection may still
// hold its creation back, and ours would not find it.
void send_new(Display *dpy, GLXDrawable id) {
    if (!id)
        return;
    {
        Call call(dpy, X_GLXMakeCurrent);
        if (find_drawable(call.server(), id))
            return;
    }
    XSync(dpy, False);
}

} // namespace

namespace api {

Bool MakeCurrent(Display *dpy, GLXDrawable drawable, GLXContext ctx) {
    send_new(dpy, drawable);
    Call call(dpy, X_GLXMakeCurrent);
    return make_current(call, drawable, drawable, ctx);
}

Bool MakeContextCurrent(Display *dpy, GLXDrawable draw, GLXDrawable read, GLXContext ctx) {
    send_new(dpy, draw);
    if (read != draw)
        send_new(dpy, read);
    Call call(dpy, X_GLXMakeContextCurrent);
    return make_current(call, draw, read, ctx);
}

Display *GetCurrentDisplayEXT() {
    egl::Lock lock;
    const Context *current = thread().current;
    return current ? current->dpy : nullptr;
}

void WaitGL() {
    egl::Lock lock;
    egl::Context *current = egl::core_current();
    if (!current || current->lost || egl::gl_is_lost(current))
        return;
    lock.unlock(); // the current context is this thread's until it returns
    egl::gl_finish(current);
    lock.lock();
}

void WaitX() {
    egl::Lock lock;
    const Context *current = thread().current;
    if (!current)
        return;
    Display *dpy = current->dpy;
    const std::shared_ptr<egl::Platform> system = current->screen->display->system;
    lock.unlock();
    if (dpy)
        XSync(dpy, False);
    if (system)
        system->wait_native();
    lock.lock();
}

// Bitmaps become display lists, which only the compatibility profile has.
void UseXFont(Font, int, int, int) {
    log_warning_once("glx", "glXUseXFont needs display lists: there is no compatibility profile");
}

} // namespace api
} // namespace glx
