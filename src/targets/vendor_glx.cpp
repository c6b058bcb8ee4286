// SPDX-License-Identifier: MIT
// libGLX_mgpipe.so.0: what glvnd loads. It exports __glx_Main and nothing else; the work is done by
// libmgpipe.so.0, which the EGL vendor library shares.
#include <glvnd/libglxabi.h>

#include "entry.h"

extern "C" __attribute__((visibility("default"))) Bool __glx_Main(uint32_t version,
                                                                  const __GLXapiExports *exports,
                                                                  __GLXvendorInfo *vendor,
                                                                  __GLXapiImports *imports) {
    return mgpipe_entry()->glx_main(version, exports, vendor, imports);
}
