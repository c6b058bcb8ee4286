// SPDX-License-Identifier: MIT
// The rows of the emulations and their switches.
#include "magma_emulation.h"

#include "magma_instance.h"

#include <string>

namespace magma {

emulation_row emulations[] = {
#define X(id, name, help) {name, help, {"magma.emulated." name, help}},
    MAGMA_EMULATIONS(X)
#undef X
};

uint32_t forced_emulations(std::string_view debug_list) {
    const std::string list = "," + std::string(debug_list) + ",";
    const bool all = list.find(",force-all,") != std::string::npos;
    uint32_t bits = 0;
    for (unsigned i = 0; i < static_cast<unsigned>(emulation::count); ++i)
        if (all ||
            list.find(std::string(",force-") + emulations[i].name + ",") != std::string::npos)
            bits |= 1u << i;
    return bits;
}

void apply_forced(host_device &dev) {
    host_features &has = dev.has;
    auto without = [&](emulation e, bool &ability) { ability = ability && !dev.forced(e); };
    without(emulation::triangle_fan, has.triangle_fans);
    without(emulation::index_uint8, has.index_uint8);
    without(emulation::restart_list, has.list_restart);
    without(emulation::restart_list, has.patch_list_restart);
    without(emulation::provoking_vertex, has.provoking_vertex);
    without(emulation::multi_draw_loop, has.multi_draw);
    without(emulation::depth_range, has.depth_clip_control);
    without(emulation::attrib_divisor, has.attribute_divisor);
    without(emulation::condition_wait, has.conditional_rendering);
}

} // namespace magma
