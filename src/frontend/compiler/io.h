// SPDX-License-Identifier: MIT
// Inputs and outputs of a stage as GL matches them. Internal to the lowering.
#pragma once

#include "compiler/lower.h"

namespace compiler {

constexpr uint32_t max_varying_slots = 32; // locations between two stages

struct IoVar {
    spirv::id variable = 0;
    std::string name;   // of the variable, or of the block
    std::string prefix; // blocks: what stands before ".member", empty for anonymous blocks
    TypeRef type;       // without the per-vertex array
    bool block = false, patch = false, per_vertex = false;
    bool flat = false, noperspective = false, centroid = false, sample = false, invariant = false;
    bool explicit_location = false, member_locations = false;
    int32_t location = -1;
    uint32_t component = 0, index = 0, stream = 0;
    bool used = false;   // some code refers to it
    bool keep = false;   // matched, captured, or met by another program
    bool packed = false; // its values travel in another variable now
};

/// Locations that the outputs of a stage may take together.
uint32_t slot_limit(const Lowering &l, pipe_shader_type stage);

/// Everything but built-ins, in order of declaration.
std::vector<IoVar> collect_io(const Stage &s, spv::StorageClass storage);

/// The type of a variable behind the outer array that tessellation and geometry stages have.
bool is_per_vertex(pipe_shader_type stage, spv::StorageClass storage, bool patch);

/// Gives `variable` another storage class or pointee; every access is made anew. Returns the new
/// variable.
spirv::id replace_variable(spirv::module &m, spirv::id variable, spv::StorageClass storage,
                           spirv::id pointee,
                           const std::function<uint32_t(uint32_t)> &member_map = {},
                           size_t member_at = 0);

/// Whether `v` is a block that split_block() takes; arrays of blocks are not.
bool can_split(const Stage &s, const IoVar &v);
/// Replaces a block by its members, each a variable named as GL names the member. What was
/// collected before is stale.
void split_block(Stage &s, spv::StorageClass storage, const IoVar &v);

/// Reports variables of one side that share an explicit location and are of different kinds.
void check_aliases(Lowering &l, const Stage &s, const std::vector<IoVar> &vars);

/// Reports streams of a geometry stage that there are not, or of anything but points.
void check_streams(Lowering &l, const Stage &s);
/// Reports an output of another stream than the first that the fragment stage reads.
void check_stream_read(Lowering &l, const IoVar &out);
/// Whether the members of two blocks have the same explicit locations and components.
bool same_places(const Stage &a, const IoVar &out, const Stage &b, const IoVar &in);

/// Makes varyings share locations; those that do are marked `packed`, the variables that carry them
/// are appended to the lists and the pairs. Both lists have room for as many as they hold.
void pack_varyings(Lowering &l, Stage &a, std::vector<IoVar> &outs, Stage *b,
                   std::vector<IoVar> &ins, std::vector<std::pair<IoVar *, IoVar *>> &pairs);

/// A captured varying, as far as the outputs of the last vertex stage tell.
struct XfbTarget {
    bool found = false;
    size_t output = 0; // index in the list of outputs; built-ins: unused
    const Type *type = nullptr;
    TypeRef hold;
    int32_t location = -1, builtin = -1, builtin_element = -1;
    uint32_t component = 0, stream = 0;
    std::vector<uint32_t> path; // members and elements from the variable to what is captured
};
XfbTarget find_xfb_target(const Stage &s, const std::vector<IoVar> &outputs,
                          const std::string &name);

} // namespace compiler
