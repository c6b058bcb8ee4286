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

#ifdef MGPIPE_VERIFY
// verify_upload.cpp: every record that leaves, against what is due.
void check_upload(Tracker &t, const pipe_resource_subdata *p, const pipe_region *regions,
                  const pipe_host_span *s);
void check_upload(Tracker &t, const pipe_buffer_subdata_resident *p, const pipe_host_span *s);
void check_upload(Tracker &t, const pipe_copy_buffer_to_texture *p, const pipe_region *r);
void check_nothing_due(Tracker &t);

template <class P>
constexpr bool is_upload =
    std::is_same_v<P, pipe_resource_subdata> || std::is_same_v<P, pipe_buffer_subdata_resident> ||
    std::is_same_v<P, pipe_copy_buffer_to_texture>;

template <class P, class... A> void check_record(Tracker &t, P *p, A... rest) {
    if constexpr (is_upload<std::remove_const_t<P>>)
        check_upload(t, p, rest...);
    else
        check_nothing_due(t);
}
#else
template <class... A> void check_record(Tracker &, A...) {}
#endif

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
        check_record(*tracker, args...);
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
