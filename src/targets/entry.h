// SPDX-License-Identifier: MIT
// The one entry of libmgpipe.so.0. The vendor libraries and the mgpipe command reach everything
// through this table, so that nothing else of the library is visible to programs.
#pragma once

#include <cstdint>

struct __EGLapiExportsRec;
struct __EGLvendorInfoRec;
struct __EGLapiImportsRec;
struct __GLXapiExportsRec;
struct __GLXvendorInfoRec;
struct __GLXapiImportsRec;

namespace wrap {
struct ReplayOptions;
struct ReplayCounts;
class ReplayListener;
} // namespace wrap

struct mgpipe_entry_table {
    uint32_t size; // of this struct; members are only ever added at the end

    // The glvnd entry of the EGL vendor library (EGLBoolean; see glvnd/libeglabi.h).
    unsigned (*egl_main)(uint32_t version, const __EGLapiExportsRec *exports,
                         __EGLvendorInfoRec *vendor, __EGLapiImportsRec *imports);

    // `mgpipe info`: prints what is built in, what this machine has and every switch. Arguments as
    // of main().
    int (*info)(int argc, char **argv);

    // The names that MGPIPE_DRIVER and MGPIPE_FORM can have in this build ("tcp:HOST:PORT" stands for
    // every address), null behind the last.
    // They read no environment.
    const char *(*driver_name)(unsigned index);
    const char *(*form_name)(unsigned index);

    // Whether the driver and the form of the environment can start here; if not, the log has the
    // reason. Leaves what the host's library leaves: for a process that ends soon.
    bool (*probe)();

    // The glvnd entry of the GLX vendor library (Bool; see glvnd/libglxabi.h). Null in a build
    // without X11.
    int (*glx_main)(uint32_t version, const __GLXapiExportsRec *exports, __GLXvendorInfoRec *vendor,
                    __GLXapiImportsRec *imports);

    // `mgpipe replay`: plays a recording with the driver and the form of the environment
    // (pipe_wrap/record.h). False when something was wrong; it was said then.
    bool (*replay)(const wrap::ReplayOptions &options, wrap::ReplayListener &listener,
                   wrap::ReplayCounts &counts);
};

// Never null; lives as long as the process.
extern "C" __attribute__((visibility("default"))) const mgpipe_entry_table *mgpipe_entry(void);
