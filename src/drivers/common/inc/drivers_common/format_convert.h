// SPDX-License-Identifier: MIT
// Texel conversion under the drivers' own name; the conversion itself belongs to the pipe, both
// halves use it.
#pragma once

#include "pipe/pipe_texel.h"

namespace drivers_common {
using namespace pipe_texel;
}
