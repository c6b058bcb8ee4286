// SPDX-License-Identifier: MIT
// libmgpipe.so.0: fills the table of entry.h and hands EGL, which GLX is built on, its screen
// factory.
#include "entry.h"

#include "driver_registry.h"
#include "egl/egl.h"
#include "egl/platform.h"
#include "info.h"
#include "pipe/pipe.h"
#include "pipe_wrap/record.h"
#include "recording.h"
#include "screen_factory.h"
#include "util/stats.h"
#if defined(MGPIPE_HAVE_INPROC) || defined(MGPIPE_HAVE_SPAWN)
#include "remote/remote.h"
#endif

#ifdef MGPIPE_HAVE_X11
#include "glx/glx.h"
#endif

// Locks are taken in the order EGL, recorder, client, counters; at a fork the handler that was
// registered last takes its own first.
static void watch_forks() {
    util::stats_start();
#if defined(MGPIPE_HAVE_INPROC) || defined(MGPIPE_HAVE_SPAWN)
    remote::watch_forks();
#endif
    wrap::record_watch_forks();
}

static void set_up_egl() {
    egl::set_screen_factory(targets::create_screen);
#if defined(MGPIPE_HAVE_INPROC) || defined(MGPIPE_HAVE_SPAWN)
    egl::set_frame_sharing([](uint32_t slot, uint32_t gen, const egl::FrameBuffers &buffers) {
        remote::FrameShare share{};
        share.surface = {slot, gen};
        share.fd = buffers.fd;
        share.count = buffers.count;
        share.size = buffers.size;
        share.offset = buffers.offset;
        share.buffer_size = buffers.buffer_size;
        share.width = uint32_t(buffers.width);
        share.height = uint32_t(buffers.height);
        share.swap_red_blue = true; // windows have B G R A
        return remote::share_frames(share);
    });
#endif
}

static unsigned egl_main(uint32_t version, const __EGLapiExportsRec *exports,
                         __EGLvendorInfoRec *vendor, __EGLapiImportsRec *imports) {
    watch_forks();
    set_up_egl();
    return egl::main_entry(version, exports, vendor, imports);
}

#ifdef MGPIPE_HAVE_X11
static int glx_main(uint32_t version, const __GLXapiExportsRec *exports, __GLXvendorInfoRec *vendor,
                    __GLXapiImportsRec *imports) {
    watch_forks();
    set_up_egl();
    return glx::main_entry(version, exports, vendor, imports);
}
#endif

static const char *driver_name(unsigned index) {
    return index < targets::drivers().size() ? targets::drivers()[index].name : nullptr;
}

static const char *form_name(unsigned index) {
    return index < targets::forms().size() ? targets::forms()[index] : nullptr;
}

static bool probe() {
    const pipe_screen_config config = {};
    pipe_screen *screen = targets::create_screen(&config);
    if (screen)
        screen->destroy(screen);
    return screen;
}

const mgpipe_entry_table *mgpipe_entry(void) {
    static const mgpipe_entry_table table = {
        .size = sizeof(mgpipe_entry_table),
        .egl_main = egl_main,
        .info = targets::info_main,
        .driver_name = driver_name,
        .form_name = form_name,
        .probe = probe,
#ifdef MGPIPE_HAVE_X11
        .glx_main = glx_main,
#endif
        .replay = targets::replay,
    };
    return &table;
}
