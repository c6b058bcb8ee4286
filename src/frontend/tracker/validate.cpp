// SPDX-License-Identifier: MIT
// The one place where state becomes records: runs before each verb, after every early return.
// Setters only mark groups; here the marked groups wake their atoms, the atoms compare with what
// was sent, and what moved is sent.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

namespace st {

// Groups whose objects other contexts may change: their slots must be looked at again.
static void take_remote(gl::Context &c) {
    const uint64_t remote = c.remote.exchange(0, std::memory_order_acquire);
    if (!remote)
        return;
    c.dirty |= remote;
    auto any = [remote](auto... g) { return (remote & gl::bits(g...)) != 0; };
    if (any(G::textures)) {
        c.slots.textures.set_all();
        c.slots.images.set_all();
        c.dirty |= gl::bits(G::draw_framebuffer,
                            G::read_framebuffer); // an attachment may have new storage
    }
    if (any(G::samplers))
        c.slots.samplers.set_all();
    if (any(G::uniform_buffers, G::buffer_content))
        c.slots.uniform_buffers.set_all();
    if (any(G::storage_buffers, G::buffer_content))
        c.slots.storage_buffers.set_all();
    if (any(G::atomic_buffers, G::buffer_content))
        c.slots.atomic_buffers.set_all();
    if (any(G::images))
        c.slots.images.set_all();
}

static uint32_t woken(uint64_t groups) {
    uint32_t atoms = 0;
    for (unsigned g : util::bits(groups & ((uint64_t(1) << unsigned(G::count)) - 1)))
        atoms |= kWakes[g];
    return atoms;
}

static void run(Tracker &t, uint32_t atoms, uint32_t verb_bit) {
    for (unsigned a : util::bits(atoms))
        if (kAtomTable[a].verbs & verb_bit)
            kAtomTable[a].run(t.c, t);
}

// The first atom says what the others have to look at.
constexpr uint32_t kProgramAtom = 1;
static_assert(kAtomTable[0].reads == program_atom::in::mask);

static void validate_draw(gl::Context &c) {
    Tracker &t = of(c);
    bury_dead(t);
    take_remote(c);
    constexpr uint32_t verb = on(Verb::draw);
    constexpr uint64_t program_groups = program_atom::in::mask;
    t.verb = Verb::draw;
    // An atom may move a texture to another resource, which marks framebuffers again: a few rounds
    // settle it.
    for (int round = 0; round < 4; round++) {
        uint64_t work = c.dirty & c.active;
        if (!work)
            break;
        if (work & program_groups) {
            program_atom::update(program_atom::in(c), t); // may change `active`
            work = c.dirty & c.active;
        }
        c.dirty &= ~work;
        run(t, woken(work) & ~kProgramAtom, verb);
        commit_render_state(t);
        commit_dynamic_state(t);
    }
}

void validate(gl::Context &c) {
    if (((c.dirty | c.remote.load(std::memory_order_relaxed)) & c.active) == 0)
        return;
    validate_draw(c);
}

// Verbs that are no draws look at a part of the state. They leave the marks alone, because the next
// draw needs all of them: running an atom twice costs a compare and sends nothing.
void validate_verb(Tracker &t, Verb verb) {
    gl::Context &c = t.c;
    bury_dead(t);
    take_remote(c);
    t.verb = verb;
    for (int round = 0; round < 3; round++) {
        const uint64_t before = c.dirty;
        run(t, woken(c.dirty), on(verb));
        if (verb != Verb::dispatch && verb != Verb::read) {
            commit_render_state(t);
            commit_dynamic_state(t);
        }
        if (c.dirty == before)
            break;
    }
}

void invalidate_all(Tracker &t) {
    gl::Context &c = t.c;
    c.dirty = ~uint64_t(0);
    c.active = kDrawGroups;
    c.slots = gl::SlotDirty{};
    t.rs_changed = ~0u;
    t.ds_changed = ~0u;
}

} // namespace st
