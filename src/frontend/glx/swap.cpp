// SPDX-License-Identifier: MIT
// Swaps, intervals (EXT, MESA, SGI) and frame counts (OML_sync_control, SGI_video_sync).
#include "drawable.h"
#include "glx_api.h"

#include "egl/x11_clock.h"

#include <algorithm>

namespace glx {

using egl::FrameRate, egl::monotonic_us, egl::query_frame_rate, egl::sleep_until_us;

namespace {

// Keeps a drawable while the lock is left.
class InUse {
  public:
    explicit InUse(Drawable &drawable) : drawable_(drawable) { drawable_.users++; }
    ~InUse() {
        drawable_.users--;
        reap(&drawable_);
    }
    InUse(const InUse &) = delete;
    InUse &operator=(const InUse &) = delete;

  private:
    Drawable &drawable_;
};

// Its context, made current on this thread while a drawable is swapped that no thread has current
// (`idle`).
class Borrowed {
  public:
    Borrowed(egl::Lock &lock, const Drawable &drawable, bool idle) : lock_(lock) {
        const Context *current = thread().current;
        ready_ = current && current->draw == &drawable;
        if (current || !idle)
            return;
        const auto &all = state().contexts;
        const auto last = std::find_if(all.begin(), all.end(), [&](const Context *context) {
            return !context->current && context->draw == &drawable;
        });
        if (last != all.end())
            borrowed_ = ready_ = egl::core_make_current(lock, (*last)->egl, drawable.surface,
                                                        drawable.surface) == EGL_SUCCESS;
    }
    ~Borrowed() {
        if (borrowed_)
            egl::core_make_current(lock_, nullptr, nullptr, nullptr);
    }
    Borrowed(const Borrowed &) = delete;
    Borrowed &operator=(const Borrowed &) = delete;
    bool ready() const { return ready_; }

  private:
    egl::Lock &lock_;
    bool ready_ = false, borrowed_ = false;
};

// The X error of a swap.
bool fail_swap(Call &call, const Drawable &drawable, EGLint error) {
    const bool window = drawable.kind == Kind::window;
    if (error == EGL_BAD_NATIVE_WINDOW)
        return call.fail(GlxError{window ? GLXBadWindow : GLXBadDrawable}, drawable.id);
    // A lost context says so by glGetGraphicsResetStatus; programs do not expect more of a swap.
    return error == EGL_CONTEXT_LOST || fail_drawable(call, error, drawable.id);
}

// False with the error set.
bool swap(Call &call, Drawable &drawable) {
    if (is_single(drawable) || call.exiting())
        return true;
    const bool idle = !drawable.users;
    const InUse kept(drawable); // the program may destroy it while the lock is left
    const Borrowed context(call.lock(), drawable, idle);
    if (!context.ready()) // another thread's, or never drawn to
        return true;
    std::unique_lock<std::mutex> turn(*drawable.turn, std::try_to_lock);
    if (!turn) {
        call.lock().unlock();
        turn.lock();
        call.lock().lock();
    }
    const EGLint error = egl::core_swap_buffers(call.lock(), drawable.surface, nullptr, 0);
    if (error == EGL_SUCCESS)
        drawable.swaps++;
    turn.unlock();
    return error == EGL_SUCCESS || fail_swap(call, drawable, error);
}

// Leaves the lock when it is asked for first.
const FrameClock &frame_clock(egl::Lock &lock, Screen &screen) {
    if (!screen.clock) {
        lock.unlock();
        const FrameRate rate = query_frame_rate(screen.server->name, screen.number);
        lock.lock();
        if (!screen.clock)
            screen.clock = std::make_unique<FrameClock>(rate);
    }
    return *screen.clock;
}

struct Counts {
    int64_t ust, msc, sbc;
};

Counts counts(Call &call, Drawable &drawable) {
    const InUse kept(drawable);
    const FrameClock &clock = frame_clock(call.lock(), *drawable.screen);
    const int64_t msc = clock.msc_at(monotonic_us());
    return {clock.ust_of(msc), msc, drawable.swaps};
}

// Returns when the frame has come; the lock is left meanwhile.
Counts wait_for(Call &call, Drawable &drawable, int64_t target, int64_t divisor,
                int64_t remainder) {
    const InUse kept(drawable);
    const FrameClock &clock = frame_clock(call.lock(), *drawable.screen);
    const int64_t now = clock.msc_at(monotonic_us());
    const int64_t goal = FrameClock::goal(now, target, divisor, remainder);
    call.lock().unlock();
    sleep_until_us(clock.ust_of(goal));
    call.lock().lock();
    return counts(call, drawable);
}

bool legal(int64_t target, int64_t divisor, int64_t remainder) {
    return target >= 0 && divisor >= 0 && remainder >= 0 && (!divisor || remainder < divisor);
}

Bool give(const Counts &c, int64_t *ust, int64_t *msc, int64_t *sbc) {
    if (ust)
        *ust = c.ust;
    if (msc)
        *msc = c.msc;
    if (sbc)
        *sbc = c.sbc;
    return True;
}

// The drawable of this thread's context; null: none.
Drawable *current_drawable() {
    const Context *current = thread().current;
    return current ? current->draw : nullptr;
}

} // namespace

namespace api {

void SwapBuffers(Display *dpy, GLXDrawable id) {
    Call call(dpy, X_GLXSwapBuffers);
    if (Drawable *drawable = find_drawable(call.server(), id))
        swap(call, *drawable);
    else
        call.fail(GlxError{GLXBadDrawable}, id);
}

void SwapIntervalEXT(Display *dpy, GLXDrawable id, int interval) {
    Call call(dpy, X_GLXVendorPrivate);
    if (Drawable *drawable = find_drawable(call.server(), id))
        set_interval(*drawable, interval);
    else
        call.fail(BadWindow, id);
}

int SwapIntervalMESA(unsigned interval) {
    egl::Lock lock;
    Drawable *drawable = current_drawable();
    if (!drawable)
        return GLX_BAD_CONTEXT;
    if (interval > unsigned(max_interval))
        interval = unsigned(max_interval);
    set_interval(*drawable, int(interval));
    return 0;
}

int GetSwapIntervalMESA() {
    egl::Lock lock;
    const Drawable *drawable = current_drawable();
    return drawable ? std::abs(drawable->interval) : 0;
}

int SwapIntervalSGI(int interval) {
    egl::Lock lock;
    Drawable *drawable = current_drawable();
    if (!thread().current)
        return GLX_BAD_CONTEXT;
    if (interval <= 0)
        return GLX_BAD_VALUE;
    if (drawable)
        set_interval(*drawable, interval);
    return 0;
}

Bool GetSyncValuesOML(Display *dpy, GLXDrawable id, int64_t *ust, int64_t *msc, int64_t *sbc) {
    Call call(dpy, X_GLXVendorPrivateWithReply);
    Drawable *drawable = find_drawable(call.server(), id);
    return drawable ? give(counts(call, *drawable), ust, msc, sbc) : False;
}

Bool GetMscRateOML(Display *dpy, GLXDrawable id, int32_t *numerator, int32_t *denominator) {
    Call call(dpy, X_GLXVendorPrivateWithReply);
    const Drawable *drawable = find_drawable(call.server(), id);
    if (!drawable)
        return False;
    const FrameRate rate = frame_clock(call.lock(), *drawable->screen).rate();
    *numerator = int32_t(rate.numerator);
    *denominator = int32_t(rate.denominator);
    return True;
}

// Waits for the frame, then swaps: the swap's own interval comes on top.
int64_t SwapBuffersMscOML(Display *dpy, GLXDrawable id, int64_t target_msc, int64_t divisor,
                          int64_t remainder) {
    Call call(dpy, X_GLXSwapBuffers);
    Drawable *drawable = find_drawable(call.server(), id);
    if (!drawable || !legal(target_msc, divisor, remainder))
        return -1;
    if (is_single(*drawable))
        return 0;
    wait_for(call, *drawable, target_msc, divisor, remainder);
    if (find_drawable(call.server(), id) != drawable || !swap(call, *drawable))
        return -1;
    return find_drawable(call.server(), id) == drawable ? drawable->swaps : -1;
}

Bool WaitForMscOML(Display *dpy, GLXDrawable id, int64_t target_msc, int64_t divisor,
                   int64_t remainder, int64_t *ust, int64_t *msc, int64_t *sbc) {
    Call call(dpy, X_GLXVendorPrivateWithReply);
    Drawable *drawable = find_drawable(call.server(), id);
    if (!drawable || !legal(target_msc, divisor, remainder))
        return False;
    return give(wait_for(call, *drawable, target_msc, divisor, remainder), ust, msc, sbc);
}

// A swap has been handed over before the call that asked for it returns.
Bool WaitForSbcOML(Display *dpy, GLXDrawable id, int64_t target_sbc, int64_t *ust, int64_t *msc,
                   int64_t *sbc) {
    Call call(dpy, X_GLXVendorPrivateWithReply);
    Drawable *drawable = find_drawable(call.server(), id);
    return drawable && target_sbc >= 0 && target_sbc <= drawable->swaps
               ? give(counts(call, *drawable), ust, msc, sbc)
               : False;
}

int GetVideoSyncSGI(unsigned *count) {
    egl::Lock lock;
    const Context *current = thread().current;
    if (!current)
        return GLX_BAD_CONTEXT;
    *count = unsigned(frame_clock(lock, *current->screen).msc_at(monotonic_us()));
    return 0;
}

int WaitVideoSyncSGI(int divisor, int remainder, unsigned *count) {
    if (divisor <= 0 || remainder < 0)
        return GLX_BAD_VALUE;
    egl::Lock lock;
    const Context *current = thread().current;
    if (!current)
        return GLX_BAD_CONTEXT;
    const FrameClock &clock = frame_clock(lock, *current->screen);
    const int64_t now = clock.msc_at(monotonic_us());
    lock.unlock();
    sleep_until_us(clock.ust_of(FrameClock::goal(now, 0, divisor, remainder % divisor)));
    lock.lock();
    *count = unsigned(clock.msc_at(monotonic_us()));
    return 0;
}

} // namespace api
} // namespace glx
