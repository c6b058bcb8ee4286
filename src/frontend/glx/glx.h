// SPDX-License-Identifier: MIT
// The GLX 1.4 vendor library behind the dispatch library (glvnd). Targets export `__glx_Main` and
// forward it to main_entry; nothing else of GLX is ever an exported symbol. Built on EGL's core,
// whose screen factory must be set before.
#pragma once

#include <glvnd/libglxabi.h>

namespace glx {

// The glvnd entry: `__glx_Main`. `exports` stays valid for the life of the process. False when the
// ABI of the dispatch library does not fit.
Bool main_entry(uint32_t version, const __GLXapiExports *exports, __GLXvendorInfo *vendor,
                __GLXapiImports *imports);

} // namespace glx
