// SPDX-License-Identifier: MIT
// gl_lower: GL-flavoured SPIR-V of all stages of a program -> the form that crosses the pipe. One
// state, several passes over it, in the order of this header. Internal to the compiler.
#pragma once

#include "compiler/frontend.h"
#include "compiler/types.h"
#include "spirv/rewrite.h"

#include <map>

namespace compiler {

struct Stage {
    pipe_shader_type type = PIPE_SHADER_VERTEX;
    spirv::module m;
    SideInfo side;
    unsigned part = 0;                    // program of a pipeline; 0 in a plain link
    std::vector<bool> used;               // ids that the entry point reaches, as glslang left them
    std::set<uint32_t> declared_builtins; // members of the output gl_PerVertex block, used or not
    pipe_archive_stage out;
    uint8_t bit() const { return uint8_t(1u << type); }
};

struct LowerOptions {
    std::map<std::string, uint32_t> attrib_binding;
    std::map<std::string, std::pair<uint32_t, uint32_t>> frag_binding;
    std::vector<std::string> xfb_varyings;
    bool xfb_separate = false;
    bool separable = false; // first inputs and last outputs may meet another program
    Limits limits;
};

/// A loose uniform in the default block, the same in all stages.
struct GlobalVar {
    std::string name;
    unsigned part = 0;
    TypeRef type; // with std140 offsets, opaque members gone
    uint32_t offset = 0;
    int32_t explicit_location = -1;
    uint8_t stages = 0;
    std::vector<uint8_t> initial; // std140 image, empty: zeros
};

/// One flattened opaque uniform (or the opaque member of a struct) and its slots.
struct OpaqueVar {
    std::string name; // of the GLSL variable
    unsigned part = 0;
    TypeRef root;               // type of the variable
    std::vector<uint32_t> path; // member indices from the variable to the leaf
    pipe_uniform_type cls = PIPE_SLOT_SAMPLER;
    uint32_t count = 1; // slots
    bool arrayed = false;
    uint32_t slot = 0;
    int32_t binding = -1, explicit_location = -1;
    uint8_t stages = 0, access = 0;
};

/// A uniform with an explicit location that no stage uses: the locations stay its own
/// (GL_ARB_explicit_uniform_location).
struct InactiveUniform {
    std::string name;
    uint32_t location, count;
};

/// An output whose values travel in another variable (lower_packing.cpp).
struct PackedVarying {
    pipe_shader_type stage;
    std::string name; // as declared, like the type
    TypeRef type;
    uint32_t stream;
    spirv::id carrier; // a captured one is alone in it
};

/// Who got which slots; from this a composite knows where a program's own slots went.
struct SlotUse {
    unsigned part;
    pipe_uniform_type cls;
    std::string name; // as in the archive; empty for counter buffers
    uint32_t slot, count;
    int32_t binding; // counter buffers
};

struct Lowering {
    LowerOptions options;
    std::vector<Stage> stages; // in pipeline order
    pipe_shader_archive archive{};
    std::string log;
    bool failed = false;

    std::vector<GlobalVar> globals;
    std::map<std::pair<unsigned, std::string>, size_t> global_at; // by part and name
    std::vector<OpaqueVar> opaques;
    std::vector<InactiveUniform> inactive;
    std::vector<PackedVarying> packed;
    std::vector<SlotUse> slot_uses;

    [[gnu::format(printf, 2, 3)]] void error(const char *format, ...);
    [[gnu::format(printf, 2, 3)]] void warning(const char *format, ...);
    Stage *stage(pipe_shader_type type);
};

const char *stage_name(pipe_shader_type type);

/// Dead functions go; calls that pass parts of opaque or counter variables are inlined.
void lower_prepare(Lowering &l);
/// Loose uniforms: the default block, and slots for samplers and images.
void lower_uniforms(Lowering &l);
/// GL locations that a uniform of this type takes.
uint32_t uniform_locations(const Type &t);
/// Uniform and storage blocks.
void lower_blocks(Lowering &l);
/// Atomic counters become storage buffers.
void lower_counters(Lowering &l);
/// GL locations of default-block and opaque uniforms; those of inactive ones stay free.
void assign_uniform_locations(Lowering &l);
/// gl_PerVertex keeps the members that are used; facts about built-ins go to the archive.
void lower_builtins(Lowering &l);
/// Attributes, fragment outputs, varyings between stages.
void lower_interfaces(Lowering &l);
/// Captured varyings.
void lower_xfb(Lowering &l);
/// Modes and facts of each stage, limits, words.
void lower_finish(Lowering &l);

// ---- shared by the passes -----------------------------------------------------------------------

/// Rewrites every use of pointers into the variables for which `tracked` answers true. Access
/// chains are folded into (variable, index ids); `pointer` makes a pointer anew where one is used.
/// A load goes to `load` first, which emits code whose last instruction has the load's result id
/// and answers true, or answers false.
using PointerMaker =
    std::function<spirv::id(spirv::code &, spirv::id variable, const std::vector<spirv::id> &path)>;
using LoadMaker = std::function<bool(spirv::code &, const spirv::instruction &load,
                                     spirv::id variable, const std::vector<spirv::id> &path)>;
void rewrite_accesses(spirv::module &m, const std::function<bool(spirv::id)> &tracked,
                      const PointerMaker &pointer, const LoadMaker &load = {});

/// Index id for an array of arrays folded into one dimension: sum of index * stride, constant where
/// it can be.
spirv::id flat_index(spirv::code &c, const std::vector<spirv::id> &indices,
                     const std::vector<uint32_t> &dims);

/// The members of a block or of the default block as GL names them.
struct Leaf {
    std::string name;
    const Type *type; // value, or array of values
    uint32_t offset, matrix_stride;
    bool row_major;
    uint32_t top_size, top_stride;
    bool readonly;
};
void enumerate_leaves(const Type &t, const std::string &name, uint32_t offset,
                      uint32_t matrix_stride, bool row_major,
                      const std::function<void(const Leaf &)> &fn);
/// Layout format of an image uniform; PIPE_FORMAT_NONE when the shader names none.
pipe_format image_format(uint32_t spirv_format);
pipe_archive_member member_of(const Leaf &leaf);

} // namespace compiler
