// SPDX-License-Identifier: MIT
// Program twins: the archive as it crossed, where each slot reads, the default block's bytes, and
// host programs made lazily per variant. A variant depends on what is pushed: whether points take
// their size from the state, whether a sampler has a bias, whether samples are counted, which
// vertex provokes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "espryt_context.h"
#include "espryt_essl.h"

namespace espryt {

enum variant_bit : unsigned {
    variant_point_size = 1u << 0,  // gl_PointSize comes from the state
    variant_lod_bias = 1u << 1,    // look-ups add mgp_bias of their sampler slot
    variant_count = 1u << 2,       // fragments that pass the tests count themselves
    variant_logic_fetch = 1u << 3, // logic operations with what the host fetches of the target
    variant_logic_copy = 1u << 4,  // the same with copies of the targets
    variant_depth_clamp = 1u << 5, // the fragment stage clamps depth
    variant_alpha_one = 1u << 6,   // alpha of the colours is replaced by one
    variant_alpha_cover = 1u << 7, // after it has become a sample mask
    // A geometry stage shows polygons as lines or points.
    variant_outline_lines = 1u << 8,
    variant_outline_points = 1u << 9,
    variant_border = 1u << 10,     // look-ups mix in the border of their sampler slot
    variant_texels = 1u << 11,     // buffer textures are read as integers
    variant_decode = 1u << 12,     // colours of sRGB targets are decoded
    variant_delay_flat = 1u << 13, // flat outputs of the geometry stage come late
    // Vertices of a patch, of programs that tessellate without a control stage.
    variant_patch_shift = 16,
};

struct host_program {
    unsigned bits = 0;                         // what it is a variant for
    std::atomic<host_program *> next{nullptr}; // of the program's list
    host_name name;
    bool failed = false;
    GLint base_vertex = -1, base_instance = -1, draw_id = -1, point_size = -1, point_turn = -1;
    GLint clip_enable = -1, fb_height = -1, levels = -1, bias = -1, texels = -1, srgb = -1;
    int base_vertex_value = 0, base_instance_value = 0, draw_id_value = 0, clip_enable_value = 0,
        fb_height_value = 0, srgb_value = 0;
    float point_size_value = -1, point_turn_value = 0;
    std::vector<GLint> levels_value; // by sampler slot; empty: no shader asks for levels
    std::vector<float> bias_value;   // by sampler slot
    std::vector<GLint> texels_value; // code and size by sampler slot
    GLint outer_levels = -1, inner_levels = -1;
    float levels_of_patch[6]{}; // of both
    GLint depth_range = -1, depth_offset = -1;
    float depth_value[8]{}; // of both
    GLint border = -1;
    std::vector<GLint> border_value; // eight by sampler slot
    GLint outline = -1, outline_offset = -1, outline_window = -1;
    GLint outline_words[4]{};
    float outline_values[8]{};
    GLint logic = -1;
    std::array<GLint, 36> logic_value{};  // rows of mgp_logic
    std::vector<uint8_t> logic_locations; // whose copies are read, from the first free unit on

    // Contexts share the uniforms of a host program: where several draw, one at a time does with a
    // program that has some.
    bool has_uniforms = false;
    std::mutex turn;
    bool asks_for_uniforms() const {
        const GLint all[] = {base_vertex, base_instance, draw_id,      point_size,  point_turn,
                             clip_enable, fb_height,     levels,       bias,        texels,
                             srgb,        outer_levels,  inner_levels, depth_range, depth_offset,
                             border,      outline,       logic};
        return std::any_of(std::begin(all), std::end(all), [](GLint l) { return l >= 0; });
    }

    // The host's uniforms may be anything: no draw asks for these values.
    void forget_values() {
        base_vertex_value = base_instance_value = draw_id_value = clip_enable_value =
            fb_height_value = srgb_value = INT32_MIN;
        point_size_value = point_turn_value = -1;
        std::fill(levels_value.begin(), levels_value.end(), INT32_MIN);
        std::fill(bias_value.begin(), bias_value.end(), -1e9f);
        std::fill(texels_value.begin(), texels_value.end(), -1);
        logic_value.fill(INT32_MIN);
        std::fill(border_value.begin(), border_value.end(), INT32_MIN);
        std::fill(std::begin(outline_words), std::end(outline_words), INT32_MIN);
        std::fill(std::begin(outline_values), std::end(outline_values), -1e9f);
        std::fill(std::begin(levels_of_patch), std::end(levels_of_patch), -1e9f);
        std::fill(std::begin(depth_value), std::end(depth_value), -1e9f);
    }
};

// Words of a captured vertex: where the host puts them, and where they belong.
struct scatter_plan {
    struct piece {
        uint32_t buffer, from, to, words;
    };
    uint32_t stride = 0; // of a vertex as the host captures it; 0: it has the layout itself
    uint32_t target_stride[4] = {};
    std::vector<piece> pieces;
};

struct sampler_slot {
    uint16_t slot;
    uint8_t target; // pipe_texture_target
};

struct program {
    pipe_create_shader_state desc{};
    pipe_shader_archive archive;
    uint32_t stage_mask = 0;
    pipe_in_global_constants<std::vector<uint8_t>> globals;
    // Never used twice in a screen: a new program may lie where a deleted one did.
    uint64_t id = 0, globals_serial = 0; // the second moves with every change of `globals`
    pipe_in_program_bindings<std::vector<uint16_t>[6]> unit_of; // by class and slot
    std::vector<sampler_slot> samplers;
    std::vector<uint16_t> blocks, stores, atomics, images; // used slots
    std::vector<uint8_t> image_access;                     // by slot, pipe_image_access bits
    // The first of a list that only grows: draws of several threads read it, who adds one has the
    // lock until it is linked.
    std::atomic<host_program *> variants{nullptr};
    std::mutex variant_lock;
    bool has_xfb = false;
    scatter_plan scatter;
    bool uses_viewport_index = false;
    bool shows_provoking = false; // what its geometry stage emits has flat values that can be seen

    bool lacks_control = false; // tessellates without a control stage

    ~program() {
        for (host_program *v = variants; v;)
            delete std::exchange(v, v->next);
    }
    bool compute() const { return stage_mask == 1u << PIPE_SHADER_COMPUTE; }
};

program *find_program(context *ctx, pipe_handle h);
// Ends a twin: its host programs are deleted when a context of the group is current.
void bury_program(screen *s, program *p);
// The host program of a variant, made now when needed; null after a failure (reported once).
host_program *program_variant(context *ctx, program *p, unsigned bits);

} // namespace espryt
