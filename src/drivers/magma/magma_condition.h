// SPDX-License-Identifier: MIT
// Conditional rendering. A query whose one host slot counts samples becomes a predicate that the
// host reads (VK_EXT_conditional_rendering); any other result is waited for, at the first verb that
// depends on it. The host's condition is begun and ended inside each pass.
#pragma once

#include "magma_storage.h"

#include "pipe/pipe.h"

#include <memory>

namespace magma {

struct context;
struct query;

struct render_condition {
    enum verdict : uint8_t { undecided, draws, skips, on_gpu };
    std::shared_ptr<query> source; // null: none
    bool wait = false, inverted = false;
    verdict state = draws;
    bool running = false;   // the host's condition is open
    bool suspended = false; // the driver's own passes do not depend on it
    storage_ref predicate;  // one word; reused by every condition of the lane
};

void set_render_condition(pipe_context *ctx, const pipe_set_render_condition *p);

// False: the verb has no effect. May submit; called before the verb records anything.
bool condition_allows(context &c);
// The same for verbs that the host cannot make conditional: waits where it has to.
bool condition_allows_now(context &c);

// The predicate's use, before a pass or dispatch opens; then begin and end around its commands.
void use_condition(context &c);
void begin_condition(context &c);
void end_condition(context &c);

} // namespace magma
