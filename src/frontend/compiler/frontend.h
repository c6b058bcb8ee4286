// SPDX-License-Identifier: MIT
// The only door to glslang: text of the shaders of one stage in, GL-flavoured SPIR-V out, plus the
// few facts that SPIR-V loses (which block members are bool, which arrays had no size).
#pragma once

#include "compiler/compiler.h"

#include <set>

namespace compiler {

/// Facts of one stage beside its SPIR-V. Paths are member indices joined by '.', arrays skipped.
struct SideInfo {
    std::map<std::string, std::set<std::string>>
        bool_members;                      // block name -> paths of bool members
    std::set<std::string> implicit_arrays; // names of arrays without a declared size
    std::set<std::string> bound; // opaque uniforms with a binding: SPIR-V has 0 for those without
    std::vector<std::string> inputs, outputs; // loose ones, as declared; SPIR-V has them as used
    int version = 0;                          // highest #version of the stage's shaders
    bool redeclares_in = false, redeclares_out = false; // gl_PerVertex
    bool invariant_all = false; // the pragma: outputs are invariant without saying so
    std::string serialize() const;
    static SideInfo parse(const std::string &text);
};

struct FrontendOutput {
    bool ok = false;
    std::string log;
    std::vector<uint32_t> spirv;
    SideInfo side;
};

/// The same as the two functions below, through the cache on disk.
FrontendOutput cached_parse(pipe_shader_type stage, const std::string &source,
                            const Limits &limits);
FrontendOutput cached_generate(pipe_shader_type stage,
                               const std::vector<const CompiledShader *> &shaders,
                               const Limits &limits);

/// Parses only; for glCompileShader.
FrontendOutput parse_shader(pipe_shader_type stage, const std::string &source,
                            const Limits &limits);
/// Parses and links the shaders of one stage and generates SPIR-V.
FrontendOutput generate_stage(pipe_shader_type stage,
                              const std::vector<const CompiledShader *> &shaders,
                              const Limits &limits);

} // namespace compiler
