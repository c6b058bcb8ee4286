// SPDX-License-Identifier: MIT
// Validation of a draw and what draws and internal draws share.
#pragma once

#include "espryt_state.h"

namespace espryt {

GLenum primitive_of(uint8_t mode);
// Internal draws and clears changed host state behind the pushed one: applied again at the next
// verb.
void state_disturbed(context *ctx);
// What a draw, dispatch or blit needs could not be set: skip it, verb_done() raises the error.
// Asked of the host while faults are injected; else as the calls that may fail said.
bool setup_failed(context *ctx, const char *what);
// Native conditional rendering around a verb that obeys it.
struct condition_scope {
    explicit condition_scope(context *ctx);
    ~condition_scope();
    context *ctx;
    bool on = false;
};

} // namespace espryt
