// SPDX-License-Identifier: MIT
// The driver's capabilities, computed once from the host's features, limits and probed formats.
#pragma once

#include "espryt_format.h"

namespace espryt {

// Everything but call_mask, which the screen computes from its tables.
void fill_caps(const host *h, pipe_caps *c);

} // namespace espryt
