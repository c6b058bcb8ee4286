// SPDX-License-Identifier: MIT
// Twins of linked programs: the archive as it crossed, the default uniform block, what each slot is
// bound to, and, made at the first use, shader modules, descriptor layout and pipelines. Group
// scope; `mutex` guards what is made lazily.
#pragma once

#include "magma_layout.h"
#include "magma_patch_border.h"
#include "magma_patch_logic.h"

#include "pipe/pipe.h"
#include "pipe/pipe_input.h"

#include <compare>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace magma {

struct context;
struct host_device;
struct share_group;

// One descriptor binding of a program.
struct program_binding {
    uint8_t cls = 0;   // pipe_uniform_type
    uint8_t set = 0;   // 0: push set, 1: pool set
    uint16_t slot = 0; // first program-wide slot of the class
    uint16_t count = 1;
    uint16_t binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    VkShaderStageFlags stages = 0;
    bool writes = false; // storage that a stage writes
    uint8_t dim = 1;     // SpvDim of images and samplers
    bool arrayed = false, multisampled = false, shadow = false;
    uint8_t value_class = 0; // pipe_value_class of images and samplers
};

// One fragment shader output: its locations and what it holds.
struct fragment_output {
    uint8_t location, count;
    uint8_t value_class; // pipe_value_class
};

// What the patched shaders read as push constants. The layout is fixed: magma_patch.cpp knows it.
struct push_block {
    float z_scale, w_scale; // clip z' = z * z_scale + w * w_scale
    float point_size;
    uint32_t flags;     // push_flag
    uint32_t clip_mask; // enabled clip distances
    float fb_height;
    int32_t draw_id;       // added to gl_DrawID
    int32_t base_instance; // when the host has no draw parameters
    float outer[4];        // default tessellation levels
    float inner[2];
    float line_width; // of lines drawn as quads, pixels
    float viewport_width, viewport_height;
    float pad[3];
};
enum push_flag : uint32_t {
    push_program_point_size = 1u << 0,
    push_point_coord_flip = 1u << 1,
    push_indexed = 1u << 2,   // gl_BaseVertex is 0 in draws without indices
    push_rows_down = 1u << 3, // the viewport turns y
};

struct pipeline_key;
struct pipeline_key_hash {
    size_t operator()(const pipeline_key &k) const;
};

// What a module does beyond the program's source; all zero: nothing. Fragment stages but for
// `held`.
struct stage_variant {
    uint32_t dropped = 0;    // outputs that go nowhere, see drop_outputs()
    uint8_t alpha_one = 0;   // every alpha is 1
    uint8_t coverage = 0;    // samples that alpha covers, by the sample mask; 0: the host does it
    uint8_t point_coord = 0; // gl_PointCoord comes from this location - 1; 0: from the host
    uint8_t front_face = 0;  // gl_FrontFacing comes from this location - 1; 0: from the host
    uint8_t held = 0;        // of a geometry stage: the last vertex provokes, see hold_vertices()
    logic_code logic;
    auto operator<=>(const stage_variant &) const = default;
};

// Modules of a program whose look-ups mix in borders.
struct bordered_modules {
    border_set borders;
    std::map<std::pair<unsigned, stage_variant>, VkShaderModule> modules; // by stage
};

struct program {
    host_device *dev = nullptr;
    uint32_t gl_name = 0;
    pipe_shader_archive archive;
    pipe_in_global_constants<std::vector<uint8_t>> globals;
    uint64_t globals_serial = 1;
    pipe_in_program_bindings<std::vector<uint16_t>[6]>
        units; // by class: slot -> unit or binding point
    uint64_t bindings_serial = 1;
    uint64_t serial = 0; // unique

    std::mutex mutex;
    bool ready = false, failed = false;
    bool shows_provoking = false; // of what its geometry stage emits
    int8_t turns = -1;            // can_turn_lookups(); -1: not asked yet
    std::vector<program_binding> bindings;
    uint32_t descriptor_count = 0; // of all bindings
    layout_ref layout;
    VkShaderModule modules[PIPE_SHADER_STAGES] = {};
    uint32_t input_mask = 0;               // vertex inputs by location
    uint8_t input_class[PIPE_MAX_ATTRIBS]; // pipe_value_class
    uint32_t input_double = 0;             // 64-bit inputs by location
    std::vector<fragment_output> outputs;
    bool writes_sample_mask = false;
    // Modules that differ from the program's, by variant (of one stage each); `mutex` guards it.
    std::map<stage_variant, VkShaderModule> variants;
    // Geometry stages made for hosts that lack primitives, by expansion::bits(); `mutex` guards it.
    std::unordered_map<uint32_t, VkShaderModule> expansions;
    // Control stages of a program without one, by the size of patches; `mutex` guards it.
    std::map<uint32_t, VkShaderModule> controls;
    std::deque<bordered_modules> bordered; // by pipeline_key::borders - 1; `mutex` guards it
    uint8_t point_coord = 0;               // location + 1 at which these give gl_PointCoord
    uint8_t front_face = 0;                // location + 1 at which they give gl_FrontFacing
    bool writes_memory = false;
    VkPipeline compute = VK_NULL_HANDLE;
    std::unique_ptr<std::unordered_map<pipeline_key, VkPipeline, pipeline_key_hash>> pipelines;

    program();
    ~program();
    bool has_stage(unsigned stage) const { return archive.stage_mask & 1u << stage; }
    unsigned last_vertex_stage() const;
};
using program_ref = std::shared_ptr<program>;

// The stage's module of the variant, under the program's mutex; null when the host refuses it.
VkShaderModule variant_module(host_device &dev, program &p, unsigned stage, const stage_variant &v);

// The control stage of a program that has none, under the program's mutex; null like the above.
VkShaderModule control_module(host_device &dev, program &p, uint32_t patch_vertices);

// The number of this set of borders, 0 for none. `borders` in the order of slots.
uint32_t intern_borders(program &p, const border_set &borders);
// Whether every look-up can be followed to its slot, so that modules may swizzle. Logs once if not.
bool can_turn_lookups(program &p);
// The module of a stage with borders, under the program's mutex; null when the host refuses it.
VkShaderModule bordered_module(host_device &dev, program &p, unsigned stage, const stage_variant &v,
                               uint32_t borders);

// Makes modules and layouts; false (once logged, one GL error) when the host refuses them.
bool ready_program(context &c, program &p);

void create_shader_state(pipe_context *ctx, const pipe_create_shader_state *p,
                         const pipe_shader_archive *archive);
void delete_shader_state(pipe_context *ctx, const pipe_delete_shader_state *p);
void bind_shader_state(pipe_context *ctx, const pipe_bind_shader_state *p);
void set_global_constants(pipe_context *ctx, const pipe_set_global_constants *p,
                          const pipe_host_span *data);
void set_program_bindings(pipe_context *ctx, const pipe_set_program_bindings *p,
                          const pipe_slot_binding *bindings);
void set_draw_program(pipe_context *ctx, const pipe_set_draw_program *p);
void set_dispatch_program(pipe_context *ctx, const pipe_set_dispatch_program *p);

} // namespace magma
