// SPDX-License-Identifier: MIT
// Deterministic fuzzer of the applier: wire_fuzz [seed] [records]. Meant for a sanitizer build.
#include "hostile.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], nullptr, 0) : 200000;
    uint64_t refused = hostile::run(seed, count);
    printf("seed %" PRIu64 ": %" PRIu64 " records, %" PRIu64 " refused\n", seed, count, refused);
    // A run that refuses nothing, or everything, tests nothing.
    return refused > count / 10 && refused < count ? 0 : 1;
}
