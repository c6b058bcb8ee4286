// SPDX-License-Identifier: MIT
// Runs the sweep: `dirty_surface list` prints the entries, `map` what each one marks, wakes and
// sends, `check` fails on an entry that sends nothing, `forget` proves the check by dropping the
// marks of every entry (each row that needs a record must then fail).
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
    if (!std::strcmp(what, "forget"))
        return sweep(false, true);
    return sweep(false, false);
}
