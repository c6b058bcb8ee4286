// SPDX-License-Identifier: MIT
// Showing a surface: one blit from the back buffer into the host's window, rows as they are, and
// the host's swap. A multisampled back buffer is resolved first. Nothing is scaled: where the two
// differ in size, the upper left part that both have is shown.
#include <algorithm>
#include <ctime>

#include "espryt_framebuffer.h"
#include "espryt_native.h"
#include "espryt_window.h"
#include "pipe/pipe.h"
#include "util/futex.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/native.h"
#include "util/stats.h"

namespace espryt {

namespace {

util::Counter count_blits("espryt.present_blits", "blits that brought a back buffer to its window");
util::Counter count_copies("espryt.present_copies", "frames that were copied to a dma-buf");
util::Counter count_resolves("espryt.present_resolves",
                             "multisampled back buffers resolved for their window");
util::Counter count_damaged("espryt.presents_damaged",
                            "frames whose damage was handed to the host");
util::Counter count_dropped("espryt.presents_dropped", "frames of windows that could not be shown");
util::Counter count_paced("espryt.presents_paced",
                          "frames of intervals that are longer than the host's longest");
util::Counter count_modes[] = {
    util::Counter("espryt.present_immediate", "frames shown at once"),
    util::Counter("espryt.present_fifo", "frames that waited for the refresh"),
};

// Another lane may be about to leave the window, which the client has made it do already.
bool bind_window(context *ctx, window *w) {
    EGLint error = 0;
    for (int tries = 0; tries < 500; tries++) {
        if (host_bind_surface(ctx->host, w->surface, &error))
            return true;
        if (error != EGL_BAD_ACCESS)
            break;
        const timespec millisecond{0, 1000000};
        nanosleep(&millisecond, nullptr);
    }
    log_warning("espryt", "the host does not draw to a window (EGL error 0x%x)",
                static_cast<unsigned>(error));
    w->dead = error != EGL_BAD_ACCESS;
    return false;
}

void set_interval(context *ctx, window *w, int32_t interval) {
    // The host has no swap that is late and tears.
    const int32_t mode = std::min(std::abs(interval), std::max(w->most, 1));
    count_modes[mode != 0].add();
    if (w->paced && w->interval == mode)
        return;
    w->host->egl.SwapInterval(ctx->host->display, mode);
    w->interval = mode;
    w->paced = true;
    log_debug("espryt", "swap interval %d handed to the host", mode);
}

// The rest of an interval that the host does not keep, once the GPU has the frame.
void pace(context *ctx, window *w, int32_t interval) {
    ctx->gl->Flush();
    count_paced.add();
    for (;;) {
        const uint64_t now = util::now_ns(), due = w->pacer.due(interval, now);
        if (due <= now)
            return;
        const timespec rest{0, static_cast<long>(std::min<uint64_t>(due - now, 50'000'000))};
        nanosleep(&rest, nullptr);
    }
}

void wait_for_frame(context *ctx, GLsync &frame) {
    constexpr uint64_t second = 1000000000;
    if (!frame)
        return;
    ctx->gl->ClientWaitSync(frame, GL_SYNC_FLUSH_COMMANDS_BIT, second);
    ctx->gl->DeleteSync(frame);
    frame = nullptr;
}

// At most two frames are queued: the one before the last must be done, or the last where the client
// is a frame ahead.
void wait_for_queue(context *ctx, window *w) {
    wait_for_frame(ctx, w->queued[0]);
    if (ctx->scr->frames_in_flight < 2)
        wait_for_frame(ctx, w->queued[1]);
    w->queued[0] = w->queued[1];
    w->queued[1] = nullptr;
}

void attach_color(context *ctx, GLenum target, GLuint renderbuffer) {
    ctx->gl->FramebufferRenderbuffer(target, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
}

bool make_resolved(context *ctx, resolved_buffer &to, const surface *s) {
    if (to.name.name && to.width == s->width && to.height == s->height &&
        to.format == s->color_format)
        return true;
    if (!to.name.name)
        ctx->gl->GenRenderbuffers(1, &to.name.name);
    to.name.serial = next_serial();
    if (!ctx->sh.bind_renderbuffer(to.name))
        return false;
    ctx->gl->RenderbufferStorage(GL_RENDERBUFFER, format_of(s->color_format).internal,
                                 static_cast<GLsizei>(s->width), static_cast<GLsizei>(s->height));
    to.width = s->width;
    to.height = s->height;
    to.format = s->color_format;
    return !host_failed(ctx, "resolve buffer of a window");
}

// The name of the renderbuffer to show; 0: refused.
GLuint single_sampled(context *ctx, resolved_buffer &to, const surface *s) {
    if (s->samples <= 1)
        return s->color.name;
    if (!make_resolved(ctx, to, s))
        return 0;
    const int width = static_cast<int>(s->width), height = static_cast<int>(s->height);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    attach_color(ctx, GL_READ_FRAMEBUFFER, s->color.name);
    attach_color(ctx, GL_DRAW_FRAMEBUFFER, to.name.name);
    ctx->gl->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                             GL_NEAREST);
    attach_color(ctx, GL_DRAW_FRAMEBUFFER, 0);
    count_resolves.add();
    return host_failed(ctx, "resolve for a window") ? 0 : to.name.name;
}

void draw_state_lost(context *ctx) {
    ctx->sh.forget_rectangles();
    ctx->dirty |= dirty_framebuffer | dirty_viewport | dirty_scissor | dirty_dynamic;
}

bool blit_to_window(context *ctx, window *w, const surface *s) {
    const gles *gl = ctx->gl;
    const host *h = ctx->host;
    EGLint across = static_cast<EGLint>(s->width), up = static_cast<EGLint>(s->height);
    if (!w->own) { // else as large as the frame, which the host learns with the blit
        h->egl.QuerySurface(h->display, w->surface, EGL_WIDTH, &across);
        h->egl.QuerySurface(h->display, w->surface, EGL_HEIGHT, &up);
    }
    const int width = std::min(static_cast<int>(s->width), across);
    const int height = std::min(static_cast<int>(s->height), up), bottom = up - height;
    const int from = static_cast<int>(s->height) - height;
    w->rows_up = bottom - from;
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, ctx->scratch_fbo[0]);
    const GLuint shown = single_sampled(ctx, w->resolved, s);
    attach_color(ctx, GL_READ_FRAMEBUFFER, shown);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, {});
    const GLenum back = GL_BACK; // a context that began without a surface has none
    gl->DrawBuffers(1, &back);
    gl->BlitFramebuffer(0, from, width, from + height, 0, bottom, width, bottom + height,
                        GL_COLOR_BUFFER_BIT, GL_NEAREST);
    attach_color(ctx, GL_READ_FRAMEBUFFER, 0);
    // What the next verb needs is bound again: there is no framebuffer zero of the program's here.
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    draw_state_lost(ctx);
    count_blits.add();
    return shown && !host_failed(ctx, "present");
}

// Whose frame of which extent it is; never 0.
uint64_t identity(const surface *s) {
    const uint64_t extent = uint64_t(s->height) << 32 | s->width;
    return util::hash_mix(reinterpret_cast<uintptr_t>(s), extent) | 1;
}

// Boxes of a peer: whatever lies outside is nothing.
void fill_damage(window *w, const surface *s, const pipe_scissor *rects, uint32_t num_rects) {
    w->damage.clear();
    if (!w->host->egl.SwapBuffersWithDamage || !num_rects || w->shown != identity(s))
        return;
    const auto within = [](int64_t at, uint32_t most) {
        return static_cast<EGLint>(std::clamp<int64_t>(at, 0, most));
    };
    for (const pipe_scissor *r = rects; r < rects + num_rects; r++) {
        const EGLint left = within(r->x, s->width), bottom = within(r->y, s->height);
        const EGLint right = within(int64_t(r->x) + r->width, s->width);
        const EGLint top = within(int64_t(r->y) + r->height, s->height);
        if (left < right && bottom < top)
            w->damage.insert(w->damage.end(),
                             {left, bottom + w->rows_up, right - left, top - bottom});
    }
    if (w->damage.empty()) // no boxes would be everything
        w->damage = {0, 0, 1, 1};
    count_damaged.add();
}

EGLBoolean swap(window *w) {
    const host *h = w->host;
    return w->damage.empty()
               ? h->egl.SwapBuffers(h->display, w->surface)
               : h->egl.SwapBuffersWithDamage(h->display, w->surface, w->damage.data(),
                                              static_cast<EGLint>(w->damage.size() / 4));
}

bool show(context *ctx, window *w, const surface *s, int32_t interval, const pipe_scissor *damage,
          uint32_t num_rects) {
    if (w->dead || !s->color.name || !native_host_alive(ctx->host) || !bind_window(ctx, w))
        return false;
    wait_for_queue(ctx, w);
    if (!blit_to_window(ctx, w, s))
        return false;
    set_interval(ctx, w, interval);
    w->queued[1] = ctx->gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (std::abs(interval) > std::max(w->most, 1))
        pace(ctx, w, interval);
    w->pacer.handed(interval, util::now_ns(), false);
    // Mesa's swap to a server that hung up since it was asked for the window's extent never ends.
    if (!native_host_alive(ctx->host))
        return false;
    fill_damage(w, s, damage, num_rects);
    if (swap(w)) {
        w->shown = identity(s);
        return true;
    }
    w->dead = true;
    log_info("espryt", "a window is gone (EGL error 0x%x)",
             static_cast<unsigned>(ctx->host->egl.GetError()));
    return false;
}

} // namespace

void surface_copy(context *ctx, surface *s, resource *to) {
    const gles *gl = ctx->gl;
    const int width = static_cast<int>(std::min(s->width, to->desc.width));
    const int height = static_cast<int>(std::min(s->height, to->desc.height));
    const int top = static_cast<int>(s->height);
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, ctx->scratch_fbo[0]);
    const GLuint shown = single_sampled(ctx, s->resolved, s);
    attach_color(ctx, GL_READ_FRAMEBUFFER, shown);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    gl->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                             to->name.name, 0);
    gl->BlitFramebuffer(0, top - height, width, top, 0, height, width, 0, GL_COLOR_BUFFER_BIT,
                        GL_NEAREST);
    gl->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
    attach_color(ctx, GL_READ_FRAMEBUFFER, 0);
    draw_state_lost(ctx);
    host_failed(ctx, "copy of a frame");
    gl->Finish();
    count_copies.add();
}

void window_present(context *ctx, window *w, const surface *s, int32_t interval,
                    const pipe_scissor *damage, uint32_t num_rects) {
    // The program may end a Wayland surface while a frame is on its way to it.
    const bool owned = ctx->host->platform == PIPE_PLATFORM_WAYLAND;
    util::NativeUse use(owned ? w->native : 0);
    w->dead = w->dead || (owned && !use.object());
    if (!w->dead) // before the host makes a buffer of it
        native_window_fit(w->own, s->width, s->height);
    if (show(ctx, w, s, interval, damage, num_rects))
        return;
    w->shown = 0;
    count_dropped.add();
    ctx->gl->Flush();
}

void window_leave(context *ctx, const window *next) {
    EGLint error = 0;
    const EGLSurface now = host_current_surface();
    if (now != EGL_NO_SURFACE && (!next || next->surface != now))
        host_bind_surface(ctx->host, EGL_NO_SURFACE, &error);
}

} // namespace espryt
