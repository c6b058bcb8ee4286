// SPDX-License-Identifier: MIT
// Derivation (verify builds): the tracker makes its whole state anew before a verb and calls the
// lane as if nothing had been sent. Between begin and end, on this thread, each such call that
// fills an input group is compared with what the lane holds behind the codec. An equal one goes no
// further; one that differs is noted and goes on, so that both halves agree afterwards.
#pragma once

#include "pipe/pipe_handle.h"

#include <cstddef>
#include <string>

namespace wrap {

// False: no verify screen knows the lane, and nothing begins.
bool derive_begin(pipe_handle lane);
// Name of what derives now; valid until the next one or the end.
void derive_atom(const char *name);
// Differences noted since the begin.
size_t derive_differences();
// Ends. `report`: differences are logged as `record.field@verb #n (atom)` and counted; false when
// another thread changed shared objects meanwhile.
void derive_end(const char *verb, bool report);

// One difference that was found elsewhere: logged and counted as those above.
void derive_report(const std::string &difference);

} // namespace wrap
