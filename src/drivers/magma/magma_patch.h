// SPDX-License-Identifier: MIT
// Turns the pipe's GL-flavoured SPIR-V into what Vulkan accepts: built-ins, clip space,
// descriptors, rectangle textures, captures. Conventions that GL can change at any time come from
// push constants (push_block).
#pragma once

#include "magma_program.h"
#include "spirv/module.h"

#include <vector>

namespace magma {

// Adds what the module of `stage` binds to `bindings`, merging with other stages (set and binding
// not yet chosen).
bool collect_bindings(const std::vector<uint32_t> &spirv, unsigned stage,
                      std::vector<program_binding> &bindings);

// Whether vertex stages give the sizes they write in an output of this name too, because geometry
// stages of our own draw large points and the host lets them read no sizes.
constexpr const char *carried_size_name = "magma_point_size";
bool carries_point_size(const host_device &dev);

// Fills input_mask, input_class and input_double of the program from its vertex stage.
void collect_vertex_inputs(const std::vector<uint32_t> &spirv, program &p);

// Fills the outputs of the program from its fragment stage.
void collect_fragment_outputs(const std::vector<uint32_t> &spirv, program &p);

// Outputs that go nowhere become private variables: a bit per location, drop_sample_mask for the
// written sample mask.
constexpr uint32_t drop_sample_mask = 1u << 31;
void drop_outputs(spirv::module &m, uint32_t dropped);

// The module for Vulkan, `variant` of it if it is a fragment stage, with `borders` of samplers
// mixed in; empty when it cannot be done
// (`why` says what). `last` is true for the last stage before rasterisation.
std::vector<uint32_t> patch_stage(const host_device &dev, const program &p,
                                  const pipe_archive_stage &stage, bool last,
                                  const stage_variant &variant, const border_set &borders,
                                  const char *&why);

} // namespace magma
