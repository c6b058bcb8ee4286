// SPDX-License-Identifier: MIT
// Composition of the programs of a pipeline into one archive, for the tracker, which does not know
// the compiler.
#pragma once

#include "objects/context.h"

namespace gl {

struct PipelinePart {
    Ref<Program> program;
    std::shared_ptr<const LinkedProgram> linked; // as composed
    uint32_t link_version = 0;
    uint32_t stages = 0; // bit per Stage that it lends
    struct Range {
        uint32_t from, to, size;
    };
    std::vector<Range> globals; // bytes of its default block -> bytes of the composite's
    std::array<std::vector<int32_t>, 6>
        slot; // by pipe_uniform_type: own slot -> composite slot, -1 unused
};
struct ComposedPipeline {
    std::shared_ptr<const LinkedProgram>
        linked; // of the whole: archive, inputs, outputs, sampler targets
    std::vector<PipelinePart> parts;
};
// Links the stages of `parts` (program, stages are filled in) into one archive. False when they do
// not fit together; then `log` tells why.
bool compose_pipeline(Context &ctx, std::vector<PipelinePart> parts, ComposedPipeline &out,
                      std::string &log);
} // namespace gl
