// SPDX-License-Identifier: MIT
// Every kind of handle: after a slot was used again, what still holds the old handle does not reach
// the new object, neither by a use, nor by a late creation, nor by a late death.
//
// recycling DRIVER [--unchecked]. One line for each kind. With --unchecked, which belongs to
// MGPIPE_DEBUG=gencheck-off, every kind has to be red: the old handle is the new one then. Exit 77
// when the host lacks what the driver needs.
#include "recycling.h"

#include <cstdio>
#include <cstring>

#ifdef MGPIPE_WITH_ESPRYT
#include "espryt/espryt_public.h"
#endif
#ifdef MGPIPE_WITH_MAGMA
#include "magma/magma_public.h"
#endif

namespace recycling {

namespace {

struct Result {
    bool used, alive, died; // by the old handle; by the new one; after a late death
};

Result recycle(Row &row, util::SlotAllocator &slots) {
    auto mint = [&] {
        const util::SlotGen s = slots.mint();
        return pipe_handle{s.slot, s.gen};
    };
    const pipe_handle old = mint();
    row.make(old, false);
    row.drop(old);
    slots.release({old.slot, old.gen});
    const pipe_handle now = mint();
    row.make(now, true);
    Result r{};
    r.used = row.reaches(old);
    r.alive = row.reaches(now);
    if (row.by_handle()) {
        row.make(old, false);
        row.drop(old);
        r.died = !row.reaches(now);
    }
    row.drop(now);
    return r;
}

int run(CreateScreen create, bool unchecked) {
    Scene scene(create);
    if (!scene.ctx) {
        printf("SKIP: the driver cannot start here\n");
        return 77;
    }
    int bad = 0;
    for (const Kind &kind : kinds()) {
        // Beyond what the scene has minted, and dense like it.
        util::SlotAllocator slots(1u << 10, 100);
        auto row = kind.row(scene);
        const Result r = recycle(*row, slots);
        const bool red = r.used && (r.died || !row->by_handle());
        const bool good = r.alive && (unchecked ? red : !r.used && !r.died);
        printf("%s %s: the old handle %s the new object, its death %s%s\n", good ? "ok" : "fail",
               kind.name, r.used ? "reaches" : "does not reach",
               r.died ? "ends it" : "leaves it alone", r.alive ? "" : "; the new one does nothing");
        bad += !good;
    }
    return bad ? 1 : 0;
}

} // namespace

} // namespace recycling

int main(int argc, char **argv) {
    recycling::CreateScreen create = nullptr;
#ifdef MGPIPE_WITH_ESPRYT
    if (argc > 1 && !strcmp(argv[1], "espryt"))
        create = espryt_create_screen;
#endif
#ifdef MGPIPE_WITH_MAGMA
    if (argc > 1 && !strcmp(argv[1], "magma"))
        create = magma_create_screen;
#endif
    if (!create) {
        printf("usage: recycling DRIVER [--unchecked]\n");
        return 2;
    }
    return recycling::run(create, argc > 2 && !strcmp(argv[2], "--unchecked"));
}
