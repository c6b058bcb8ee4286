// SPDX-License-Identifier: MIT
// Composites and single programs share how constants and bindings leave.
#pragma once

#include "tracker/tracker_private.h"

#include "objects/pipeline_compose.h"

namespace st {

// One composed pipeline: the shader handle and what it was made of.
struct Composite {
    pipe_handle handle{}; // null: the programs do not fit together
    gl::ComposedPipeline pipeline;
    std::vector<uint8_t> globals; // image of the composed default block as sent
    std::vector<uint32_t> binding_versions;
};
struct PipelineData {
    Group *group = nullptr;
    std::vector<std::unique_ptr<Composite>> memo;
};

void emit_constants(Tracker &t, pipe_handle shader, uint32_t offset, uint32_t size,
                    const uint8_t *data);
void emit_bindings(Tracker &t, pipe_handle shader, const std::vector<pipe_slot_binding> &list);
// Bindings of one program; `maps` renames its slots to a composite's.
void append_program_bindings(std::vector<pipe_slot_binding> &out, const gl::Program &p,
                             const std::array<std::vector<int32_t>, 6> *maps);
void send_composite_bindings(Tracker &t, Composite &c);
void send_composite_constants(Tracker &t, Composite &c);

} // namespace st
