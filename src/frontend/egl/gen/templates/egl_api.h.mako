// SPDX-License-Identifier: MIT
${banner}
// The functions behind the EGL entry points. They are reached through egl::find_entry only; nothing here is exported.
#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>

namespace egl::api {

% for c in model.implemented:
${c.ret} EGLAPIENTRY ${c.short}(${c.decls});
% endfor

} // namespace egl::api
