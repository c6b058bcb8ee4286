// SPDX-License-Identifier: MIT
// Verify builds: the state of a verb, derived from scratch and compared with what the lane holds
// (pipe_wrap/derive.h). A forgotten mark, a stale memo or a wrong suppression shows at the verb.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

#include "pipe_wrap/derive.h"

#include <unistd.h>

namespace st {

static const char *name_of(Verb verb) {
    switch (verb) {
    case Verb::draw: return "draw_vbo";
    case Verb::clear: return "clear";
    case Verb::blit: return "blit";
    case Verb::dispatch: return "launch_grid";
    case Verb::read: return "read_pixels";
    }
    return "";
}

static void derive_atoms(Tracker &t, Verb verb, NamedFramebuffers named) {
    for (const AtomInfo &a : kAtomTable) {
        if (!(a.verbs & on(verb)))
            continue;
        wrap::derive_atom(a.name);
        a.run(t.c, t);
    }
    if (kRenderVerbs & on(verb)) {
        wrap::derive_atom("render state");
        t.rs_changed = ~0u;
        commit_render_state(t);
        wrap::derive_atom("dynamic state");
        t.ds_changed = ~0u;
        commit_dynamic_state(t);
    }
    wrap::derive_atom("framebuffer");
    for (gl::Framebuffer *fb : named)
        resolve_framebuffer(t, *fb);
}

// Another context may be in the middle of a change: it marks the group behind it.
static bool others_changed(Tracker &t) {
    if (t.group.lanes.load() <= 1 || !wrap::derive_differences())
        return false;
    usleep(2000);
    return t.c.remote.load() != 0;
}

void verify_state(Tracker &t, Verb verb, NamedFramebuffers named) {
    gl::Context &c = t.c;
    if (c.lost.load(std::memory_order_relaxed) || !wrap::derive_begin(t.lane_handle))
        return;
    const uint64_t dirty = c.dirty, active = c.active;
    const gl::SlotDirty slots = c.slots;
    const bool suppress = t.suppress, find_cso = t.find_cso, open = t.lane.open;
    c.dirty = 0;
    c.slots = gl::SlotDirty{};
    t.suppress = false;
    t.find_cso = true;
    t.lane.open = false; // what is open stays so: equal calls go nowhere
    t.deriving = true;
    derive_atoms(t, verb, named);
    t.deriving = false;
    t.lane.open = open;
    t.find_cso = find_cso;
    t.suppress = suppress;
    c.slots = slots;
    c.active = active;
    c.dirty |= dirty;
    wrap::derive_end(name_of(verb), !others_changed(t));
}

} // namespace st
