// SPDX-License-Identifier: MIT
#include "util/seeded.h"

#include <cstdlib>

#include "util/env.h"

namespace util {

namespace {

int plain;
void *volatile forgotten;

} // namespace

void seeded_race() {
    if (debug(Debug::seed_race))
        plain++;
}

void seeded_leak() {
    if (!debug(Debug::seed_leak))
        return;
    // More than one: the last may be found in a register.
    for (int i = 0; i < 4; i++)
        forgotten = malloc(41);
    forgotten = nullptr;
}

} // namespace util
