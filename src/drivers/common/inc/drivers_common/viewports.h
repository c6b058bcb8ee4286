// SPDX-License-Identifier: MIT
// Viewport and scissor i of the dynamic state, which keeps number 0 apart from the rarely used
// rest.
#pragma once

#include <pipe/pipe_state.h>

namespace drivers_common {

// i below PIPE_MAX_VIEWPORTS.
inline const pipe_viewport &viewport_at(const pipe_dynamic_state &d, unsigned i) {
    const bool first = i == 0 || d.viewport.count <= 1;
    return first ? d.viewport.viewport : d.viewport_array.viewport[i - 1];
}

inline const pipe_scissor &scissor_at(const pipe_dynamic_state &d, unsigned i) {
    return i == 0 ? d.scissor.scissor : d.scissor_array.scissor[i - 1];
}

} // namespace drivers_common
