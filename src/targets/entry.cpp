// SPDX-License-Identifier: MIT
// libmgpipe.so.0: fills the table of entry.h and hands EGL its screen factory.
#include "entry.h"

#include "egl/egl.h"
#include "info.h"
#include "screen_factory.h"
#include "util/stats.h"

static unsigned egl_main(uint32_t version, const __EGLapiExportsRec *exports,
                         __EGLvendorInfoRec *vendor, __EGLapiImportsRec *imports) {
    util::stats_start();
    egl::set_screen_factory(targets::create_screen);
    return egl::main_entry(version, exports, vendor, imports);
}

const mgpipe_entry_table *mgpipe_entry(void) {
    static const mgpipe_entry_table table = {
        .size = sizeof(mgpipe_entry_table),
        .egl_main = egl_main,
        .info = targets::info_main,
    };
    return &table;
}
