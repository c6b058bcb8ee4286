// SPDX-License-Identifier: MIT
${banner}
// The functions behind the GLX entry points. They are reached through glx::find_entry only; nothing here is exported.
#pragma once

#include <GL/glx.h>
#include <GL/glxext.h>

namespace glx::api {

% for c in model.implemented:
${c.ret} ${c.short}(${c.decls});
% endfor

} // namespace glx::api
