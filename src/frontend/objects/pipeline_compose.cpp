// SPDX-License-Identifier: MIT
// One archive from the stages of several separable programs (GL 4.6 section 7.4).
#include "objects/pipeline_compose.h"

#include "compiler/compiler.h"

namespace gl {

// Facts of the whole that draws ask for, from the parts that own them.
static std::shared_ptr<LinkedProgram> describe(const std::vector<PipelinePart> &parts, std::shared_ptr<const pipe_shader_archive> archive) {
    auto l = std::make_shared<LinkedProgram>();
    l->archive = std::move(archive);
    l->sampler_target.resize(l->archive->num_sampler_slots);
    l->sampler_shadow.resize(l->archive->num_sampler_slots);
    for (const PipelinePart &p : parts) {
        const LinkedProgram &from = *p.linked;
        l->stages |= p.stages;
        auto has = [&p](Stage s) { return (p.stages >> unsigned(s) & 1) != 0; };
        if (has(Stage::vertex)) {
            l->vertex_inputs = from.vertex_inputs;
            l->uses_draw_id = from.uses_draw_id;
        }
        if (has(Stage::fragment))
            l->fragment_outputs = from.fragment_outputs;
        if (has(Stage::geometry)) {
            l->gs_input = from.gs_input;
            l->gs_output = from.gs_output;
        }
        if (has(Stage::tess_evaluation)) {
            l->tes_mode = from.tes_mode;
            l->tes_point_mode = from.tes_point_mode;
        }
        if (has(Stage::tess_control))
            l->tcs_vertices = from.tcs_vertices;
        if (has(Stage::compute))
            l->local_size = from.local_size;
        if (from.uses_xfb) {
            l->uses_xfb = true;
            l->xfb_mode = from.xfb_mode;
            l->xfb_buffers = from.xfb_buffers;
            l->xfb_stride = from.xfb_stride;
        }
        const std::vector<int32_t> &slots = p.slot[PIPE_SLOT_SAMPLER];
        for (size_t i = 0; i < slots.size() && i < from.sampler_target.size(); i++)
            if (slots[i] >= 0 && size_t(slots[i]) < l->sampler_target.size()) {
                l->sampler_target[size_t(slots[i])] = from.sampler_target[i];
                l->sampler_shadow[size_t(slots[i])] = from.sampler_shadow[i];
            }
    }
    return l;
}

bool compose_pipeline(Context &ctx, std::vector<PipelinePart> parts, ComposedPipeline &out, std::string &log) {
    std::vector<compiler::ComposePart> input;
    for (PipelinePart &p : parts) {
        if (!p.linked || !p.linked->archive || !p.linked->code) {
            log = "a program of the pipeline is not linked";
            return false;
        }
        input.push_back({p.linked->code, p.linked->archive, uint8_t(p.stages)});
    }
    compiler::ComposeOutput made = compiler::compose(input, compiler_limits(ctx));
    log = made.log;
    if (!made.ok || !made.archive)
        return false;
    for (size_t i = 0; i < parts.size() && i < made.maps.size(); i++) {
        for (const auto &r : made.maps[i].globals)
            parts[i].globals.push_back({r.from, r.to, r.size});
        parts[i].slot = made.maps[i].slot;
    }
    out.linked = describe(parts, made.archive);
    out.parts = std::move(parts);
    return true;
}
} // namespace gl
