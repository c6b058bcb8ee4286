// SPDX-License-Identifier: MIT
// Switches and help of the emulations; see the header.
#include "drivers_common/emulation.h"

namespace drivers_common {

uint32_t forced_emulations(std::span<const emulation_row> table, std::string_view debug_list) {
    const std::string list = "," + std::string(debug_list) + ",";
    const bool all = list.find(",force-all,") != std::string::npos;
    uint32_t bits = 0;
    for (size_t i = 0; i < table.size(); ++i)
        if (all || list.find(std::string(",force-") + table[i].name + ",") != std::string::npos)
            bits |= 1u << i;
    return bits;
}

std::string emulation_help(std::span<const emulation_row> table) {
    std::string text;
    for (const emulation_row &row : table)
        text += std::string("force-") + row.name + ": " + row.help + "\n";
    return text;
}

} // namespace drivers_common
