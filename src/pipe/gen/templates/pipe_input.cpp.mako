${c.BANNER}
// The check behind the cells; see pipe_input.h.
#include "pipe/pipe_input.h"

#include "util/log.h"
#include "util/thread_slot.h"

#include <cstdio>
#include <cstdlib>

const char *const pipe_input_names[] = {
% for g in m.groups:
    "${g.name}",
% endfor
};

<%
    sticky = initial = 0
    for g in m.groups:
        sticky |= (1 << g.value) if g.sticky else 0
        initial |= (1 << g.value) if g.initial else 0
%>\
namespace {

constexpr uint64_t sticky = ${'0x%x' % sticky}ull;
constexpr uint64_t initial = ${'0x%x' % initial}ull;

void stop(const char *text) {
    log_error("verify", "%s", text);
    abort();
}

} // namespace

void (*pipe_input_violation)(const char *text) = stop;

const char *pipe_input_wrong(const struct pipe_input_scope *scope, enum pipe_input group) {
    const uint64_t bit = uint64_t(1) << group;
    if (!(scope->reads & bit))
        return "read, but not in the verb's row";
    if (!(initial & bit) && !scope->fills[group])
        return "read before it was pushed";
    if (!(sticky & bit) && scope->fills[group] <= scope->last_verb)
        return "read, but not pushed since the last verb";
    return nullptr;
}

#ifdef MGPIPE_VERIFY
namespace {
struct Current {
    const struct pipe_input_scope *scope = nullptr;
};
util::ThreadSlot<Current> currents;
} // namespace

void pipe_input_enter(const struct pipe_input_scope *scope) {
    currents.get().scope = scope;
}

void pipe_input_read(enum pipe_input group) {
    const struct pipe_input_scope *current = currents.get().scope;
    if (!current)
        return;
    const char *wrong = pipe_input_wrong(current, group);
    if (!wrong)
        return;
    char text[160];
    snprintf(text, sizeof text, "%s@%s: %s", pipe_input_names[group], current->verb, wrong);
    pipe_input_violation(text);
}
#else
void pipe_input_enter(const struct pipe_input_scope *) {}
#endif
