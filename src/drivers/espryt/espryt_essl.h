// SPDX-License-Identifier: MIT
// One stage of SPIR-V to ESSL through SPIRV-Cross, whose exceptions end here. Bindings of the
// result: default block at uniform buffer point 0, uniform block slot n at n + 1, sampler slot n at
// unit n, storage block slot n at n, atomic counter buffer slot n behind the storage blocks, image
// slot n at image unit n. Outputs and inputs are named by location, so that capture names are
// known.
#pragma once

#include <string>
#include <vector>

#include "espryt_host.h"
#include "espryt_lowered.h"
#include "pipe/pipe.h"

namespace espryt {

enum { globals_point = 0, first_block_point = 1 };

struct essl_options {
    bool override_point_size = false; // last vertex-like stage: gl_PointSize = mgp_point_size
    // Clip distances travel to the fragment stage, which discards.
    bool discard_clipped = false;
    bool border = false;                     // look-ups mix in the border of their sampler slot
    bool lod_bias = false;                   // look-ups add the bias of their sampler slot
    bool count_fragments = false;            // fragment stage: early tests, then a counter
    bool flatten_structs = false;            // also those that the language has
    logic_source logic = logic_source::none; // fragment stage
    bool clamp_depth = false;                // depth clamped by the fragment stage
    bool outline = false;                    // a geometry stage of ours follows; faces come from it
    bool alpha_to_one = false;               // fragment stage
    bool alpha_to_coverage = false;          // before it
    bool decode_outputs = false;             // fragment stage: colours of the targets in mgp_srgb
    bool texels = false;     // buffer textures are read as integers, see espryt_texel_buffer.h
    bool delay_flat = false; // geometry stage: drivers_common/delay_flat.h
};

struct essl_stage {
    std::string source;
    std::string error; // why there is no source
    // Interface variables of the output side, for capture: location -> printed name.
    struct output {
        int location;
        int locations;  // how many it takes
        int array_size; // 0: not an array
        uint32_t component;
        std::string name;
    };
    std::vector<output> outputs;
    unsigned flattened = 0;           // varyings that became one variable per leaf
    std::vector<color_output> colors; // of a fragment stage
};

// How many clip distances the stage before the fragment stage writes.
uint32_t clip_distances(const pipe_shader_archive &archive);
// Declarations and statements of a fragment shader that discards what `n` distances clip.
std::string clip_declarations(uint32_t n, bool input);
std::string clip_statement(uint32_t n);

// The same of one that counts the fragments which pass the tests.
extern const char *const count_declarations;
extern const char *const count_statement;

// Pure: no host call, any thread.
essl_stage essl_translate(const host &h, const pipe_shader_archive &archive,
                          const pipe_archive_stage &stage, const essl_options &options);

} // namespace espryt
