// SPDX-License-Identifier: MIT
// How the tracker calls the pipe. Every record except the open draw itself goes through Lane::out()
// or Lane::emit(), which first close whatever is open, so that records keep the order of the GL
// calls.
#pragma once

#include "pipe/pipe.h"

#include <type_traits>
#include <utility>

namespace st {

struct Tracker;
void close_open(Tracker &t); // emits the open draw or the open upload; a no-op when nothing is open

// A lane's two tables behind one door. A null entry is a call that the driver does not have: void
// calls do nothing, calls with an answer are declined.
class Lane {
  public:
    pipe_context *ctx = nullptr;
    Tracker *tracker = nullptr;
    bool open = false; // a draw or an upload is open

    pipe_context *out() {
        if (open)
            close_open(*tracker);
        return ctx;
    }

    template <auto entry, class... A> auto emit(A... args) {
        out();
        return raw<entry>(args...);
    }

    // Without closing: for the record that is the open one.
    template <auto entry, class... A> auto raw(A... args) {
        auto fn = get(entry);
        using R = decltype(fn(ctx, args...));
        if constexpr (std::is_void_v<R>) {
            if (fn)
                fn(ctx, args...);
        } else {
            return fn ? fn(ctx, args...) : PIPE_DECLINED;
        }
    }

    template <auto entry> bool has() const { return get(entry) != nullptr; }

    // Root calls of the screen.
    template <auto entry, class... A> auto root(A... args) {
        auto fn = ctx->screen->*entry;
        return fn ? fn(ctx->screen, args...) : PIPE_DECLINED;
    }

  private:
    template <class F> F get(F pipe_context::*entry) const { return ctx->*entry; }
    template <class F> F get(F pipe_screen::*entry) const { return ctx->screen->*entry; }
};

} // namespace st
