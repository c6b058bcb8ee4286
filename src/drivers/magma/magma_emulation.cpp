// SPDX-License-Identifier: MIT
// The rows of the emulations and their switches.
#include "magma_emulation.h"

#include "magma_instance.h"
#include "magma_public.h"

namespace magma {

drivers_common::emulation_row emulations[] = {
#define X(id, name, help) {name, help, {"magma.emulated." name, help}},
    MAGMA_EMULATIONS(X)
#undef X
};

void apply_forced(host_device &dev) {
    host_features &has = dev.has;
    auto without = [&](emulation e, bool &ability) { ability = ability && !dev.forced(e); };
    without(emulation::triangle_fan, has.triangle_fans);
    without(emulation::index_uint8, has.index_uint8);
    without(emulation::restart_list, has.list_restart);
    without(emulation::restart_list, has.patch_list_restart);
    without(emulation::provoking_vertex, has.provoking_vertex);
    without(emulation::hold_vertices, has.provoking_vertex);
    without(emulation::multi_draw_loop, has.multi_draw);
    without(emulation::depth_range, has.depth_clip_control);
    without(emulation::attrib_divisor, has.attribute_divisor);
    without(emulation::border_color, has.custom_border_color);
    without(emulation::border_swizzle, has.border_swizzle);
    without(emulation::primitives_generated, has.primitives_generated_query);
    auto without_core = [&](emulation e, VkBool32 &ability) {
        ability = ability && !dev.forced(e);
    };
    without_core(emulation::alpha_to_one, has.core.alphaToOne);
    without_core(emulation::logic_copy, has.core.logicOp);
    without_core(emulation::wide_lines, has.core.wideLines);
    without_core(emulation::large_points, has.core.largePoints);
    without_core(emulation::polygon_mode, has.core.fillModeNonSolid);
    without(emulation::condition_wait, has.conditional_rendering);
    without(emulation::feedback_copy, has.feedback_loops);
}

} // namespace magma

const char *magma_emulation_help() {
    static const std::string text = drivers_common::emulation_help(magma::emulations);
    return text.c_str();
}
