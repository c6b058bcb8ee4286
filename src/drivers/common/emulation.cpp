// SPDX-License-Identifier: MIT
// Switches and help of the emulations; see the header.
#include "drivers_common/emulation.h"

#include "util/env.h"

namespace drivers_common {

uint32_t forced_emulations(std::span<const emulation_row> table, std::string_view debug_list) {
    uint32_t bits = 0;
    util::for_each_word(debug_list, [&](std::string_view word) {
        for (size_t i = 0; word.starts_with("force-") && i < table.size(); ++i)
            if (word == "force-all" || word.substr(6) == table[i].name)
                bits |= 1u << i;
    });
    return bits;
}

std::string emulation_help(std::span<const emulation_row> table) {
    std::string text;
    for (const emulation_row &row : table)
        text += std::string("force-") + row.name + ": " + row.help + "\n";
    return text;
}

} // namespace drivers_common
