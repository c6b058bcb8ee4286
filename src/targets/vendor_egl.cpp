// SPDX-License-Identifier: MIT
// libEGL_mgpipe.so.0: what glvnd loads. It exports __egl_Main and nothing else; the work is done by
// libmgpipe.so.0, which the GLX vendor library shares, so that a process has one current context
// and one server however it came to us.
#include <glvnd/libeglabi.h>

#include "entry.h"

extern "C" __attribute__((visibility("default"))) EGLBoolean
__egl_Main(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
           __EGLapiImports *imports) {
    return mgpipe_entry()->egl_main(version, exports, vendor, imports);
}
