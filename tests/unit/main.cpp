// SPDX-License-Identifier: MIT
// Entry of a unit test program: Catch2's own, then one line that bin/test adds up.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdio>

namespace {

struct Totals : Catch::TestEventListenerBase {
    using TestEventListenerBase::TestEventListenerBase;
    void testRunEnded(const Catch::TestRunStats &stats) override { last = stats.totals.testCases; }
    static Catch::Counts last;
};
Catch::Counts Totals::last;
CATCH_REGISTER_LISTENER(Totals)

} // namespace

int main(int argc, char **argv) {
    const int status = Catch::Session().run(argc, argv);
    fflush(stdout);
    printf("%zu passed, %zu failed, 0 skipped\n", Totals::last.passed,
           Totals::last.failed + Totals::last.failedButOk);
    return status;
}
