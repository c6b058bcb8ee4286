// SPDX-License-Identifier: MIT
// Runs the sweep: `dirty_surface list` prints the entries, `map` what each one marks, wakes and
// sends, `check` fails on an entry that sends nothing, `forget` proves the check by dropping the
// marks of every entry (each row that needs a record must then fail). `setters` calls every entry
// too and asks that the hash of the pipeline subset, derived from the GL state, changes exactly
// when the bound render state does; `setters-forget` is its control.
#include "surface.h"

#include "tracker/atoms.h"

#include <cstdio>
#include <cstring>
#include <string>

using namespace surface;

namespace {

struct Result {
    uint64_t marked = 0;
    std::string records; // besides the draw and the flush
    GLenum error = 0;
};

Result run(const Row &row, bool forget) {
    Scene s;
    if (row.arrange)
        row.arrange(s);
    s.draw();
    while (gl::GetError(s.c) != GL_NO_ERROR) {
    }
    const uint64_t idle = s.c.dirty;
    const auto slots = s.c.slots;
    s.c.dirty = 0;
    mock::reset();
    row.change(s);
    Result r;
    r.marked = s.c.dirty;
    r.error = gl::GetError(s.c);
    if (forget) {
        s.c.dirty = 0;
        s.c.slots = slots;
        mock::reset(); // what the call itself sent does not count: the mark is under test
    }
    s.c.dirty |= idle;
    s.draw();
    for (const auto &[name, n] : mock::calls.by_name)
        if (name != "draw_vbo" && name != "flush")
            r.records += (r.records.empty() ? "" : " ") + name;
    return r;
}

std::string groups_of(uint64_t marked) {
    std::string s;
    for (unsigned g = 0; g < unsigned(gl::G::count); g++)
        if (marked >> g & 1)
            s += (s.empty() ? "" : ",") + std::string(gl::group_name(gl::G(g)));
    return s.empty() ? "-" : s;
}

std::string atoms_of(uint64_t marked) {
    uint32_t atoms = 0;
    for (unsigned g = 0; g < unsigned(gl::G::count); g++)
        if (marked >> g & 1)
            atoms |= st::kWakes[g];
    std::string s;
    for (unsigned a = 0; a < st::kAtoms; a++)
        if (atoms >> a & 1)
            s += (s.empty() ? "" : ",") + std::string(st::kAtomTable[a].name);
    return s.empty() ? "-" : s;
}

// --- the pipeline subset ---

// Hash of the pipeline subset as the GL state is now, whatever was marked or sent.
uint64_t pipeline_hash(Scene &s) {
    st::Tracker &t = *s.c.tracker;
    const pipe_render_state kept = t.rs;
    const uint32_t changed = t.rs_changed;
    for (const st::AtomInfo &a : st::kAtomTable)
        for (const char *chunk : {"blend", "depth_stencil", "raster", "multisample", "restart"})
            if (!std::strcmp(a.name, chunk))
                a.run(s.c, t);
    uint64_t hash = 0;
    for (unsigned i = 0; i < PIPE_RS_CHUNK_COUNT; i++)
        hash = hash * 31 + pipe_rs_chunk_hash(&t.rs, i);
    t.rs = kept;
    t.rs_changed = changed;
    return hash;
}

struct Version {
    uint64_t hash;
    pipe_handle bound;
};

Version version_of(Scene &s) {
    const st::Tracker &t = *s.c.tracker;
    return {pipeline_hash(s), t.rs_bound ? t.rs_bound->handle : pipe_handle{}};
}

int setters(bool forget) {
    int moved = 0, wrong = 0;
    for (const Row &row : rows()) {
        Scene s;
        if (row.arrange)
            row.arrange(s);
        s.draw();
        const Version before = version_of(s);
        const uint64_t idle = s.c.dirty;
        s.c.dirty = 0;
        row.change(s);
        if (forget)
            s.c.dirty = 0;
        s.c.dirty |= idle;
        s.draw();
        const Version after = version_of(s);
        const bool hash = before.hash != after.hash, version = before.bound != after.bound;
        moved += hash;
        if (hash == version)
            continue;
        wrong++;
        if (!forget)
            std::printf("gl%s: the pipeline subset %s, the bound render state %s\n", row.entry,
                        hash ? "changed" : "stayed", version ? "changed" : "stayed");
    }
    std::printf("%zu entries, %d change the pipeline subset, %d disagree\n", rows().size(), moved,
                wrong);
    constexpr int fewest = 25; // a sweep that changes nothing proves nothing
    if (forget)
        return moved >= fewest && wrong >= moved * 9 / 10 ? 0 : 1;
    return wrong || moved < fewest;
}

int list() {
    for (const Row &row : rows())
        std::printf("gl%s%s%s\n", row.entry, row.reason ? "\t" : "", row.reason ? row.reason : "");
    return 0;
}

int sweep(bool print, bool forget) {
    int bad = 0, caught = 0, needed = 0;
    for (const Row &row : rows()) {
        const Result r = run(row, forget);
        if (print)
            std::printf("gl%s -> %s -> %s -> %s\n", row.entry, groups_of(r.marked).c_str(),
                        atoms_of(r.marked).c_str(), row.reason ? row.reason : r.records.c_str());
        if (row.reason)
            continue;
        needed++;
        if (forget) {
            caught += r.records.empty();
            if (!r.records.empty())
                std::printf("not by its mark: gl%s sends %s without one\n", row.entry,
                            r.records.c_str());
            continue;
        }
        if (r.error != GL_NO_ERROR)
            std::printf("error: gl%s raised 0x%04x in the sweep\n", row.entry, r.error), bad++;
        else if (r.records.empty())
            std::printf("nothing: gl%s changed a value and the draw sent no record (marked %s)\n",
                        row.entry, groups_of(r.marked).c_str()),
                bad++;
    }
    if (forget) {
        std::printf("%d of %d entries fail when their mark is dropped\n", caught, needed);
        return caught > needed * 9 / 10 ? 0 : 1;
    }
    std::printf("%d entries, %d wrong\n", needed, bad);
    return bad ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "check";
    if (!std::strcmp(what, "list"))
        return list();
    if (!std::strcmp(what, "map"))
        return sweep(true, false);
    if (!std::strcmp(what, "setters"))
        return setters(false);
    if (!std::strcmp(what, "setters-forget"))
        return setters(true);
    if (!std::strcmp(what, "forget"))
        return sweep(false, true);
    return sweep(false, false);
}
