// SPDX-License-Identifier: MIT
// Composing the stages of a pipeline's programs into one archive, for the tracker.
#include "objects/pipeline_compose.h"

#include "compiler/compiler.h"
#include "objects/context.h"

namespace gl {
namespace {

// The last stage before rasterisation decides what is captured.
unsigned last_vertex_stage(const std::vector<PipelinePart> &parts) {
    uint32_t stages = 0;
    for (const PipelinePart &p : parts)
        stages |= p.stages;
    for (Stage s : {Stage::geometry, Stage::tess_evaluation, Stage::vertex})
        if (stages >> unsigned(s) & 1)
            return unsigned(s);
    return kStages;
}
} // namespace

bool compose_pipeline(Context &ctx, std::vector<PipelinePart> parts, ComposedPipeline &out,
                      std::string &log) {
    const unsigned last = last_vertex_stage(parts);
    std::vector<compiler::ComposePart> asked;
    for (PipelinePart &p : parts) {
        if (!p.linked)
            p.linked = p.program->linked;
        if (!p.linked || !p.linked->code) {
            log = "a program of the pipeline is not linked";
            return false;
        }
        compiler::ComposePart a;
        a.code = p.linked->code;
        a.archive = p.linked->archive;
        a.stages = uint8_t(p.stages);
        if (last < kStages && (p.stages >> last & 1)) {
            a.xfb_varyings = p.linked->xfb_varyings;
            a.xfb_separate = p.linked->xfb_mode == GL_SEPARATE_ATTRIBS;
        }
        asked.push_back(std::move(a));
    }
    compiler::ComposeOutput composed = compiler::compose(asked, compiler_limits(ctx));
    log = composed.log;
    if (!composed.ok)
        return false;
    for (size_t i = 0; i < parts.size(); i++) {
        parts[i].globals.clear();
        for (const compiler::ComposeMap::Range &r : composed.maps[i].globals)
            parts[i].globals.push_back({r.from, r.to, r.size});
        parts[i].slot = composed.maps[i].slot;
        parts[i].link_version = parts[i].program->link_version;
    }
    out.linked = link_tables(composed.archive);
    out.parts = std::move(parts);
    return true;
}
} // namespace gl
