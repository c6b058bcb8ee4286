// SPDX-License-Identifier: MIT
// What a driver does in place of a host that cannot. Each emulation has a name, one line of help, a
// counter (DRIVER.emulated.NAME in MGPIPE_STATS) and a switch MGPIPE_DEBUG=force-NAME that uses it
// although the host could do without. A driver lists its own as X(id, name, help) and makes its
// enumeration and its table from that list.
#pragma once

#include "util/stats.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace drivers_common {

// At most 32 a driver: the switches are one word.
struct emulation_row {
    const char *name, *help;
    util::Counter used;
};

// Bit i is set when `debug_list` (the text of MGPIPE_DEBUG) has force-NAME of row i, or force-all.
uint32_t forced_emulations(std::span<const emulation_row> table, std::string_view debug_list);

// One line "force-NAME: help" for each, for `mgpipe info`.
std::string emulation_help(std::span<const emulation_row> table);

} // namespace drivers_common
