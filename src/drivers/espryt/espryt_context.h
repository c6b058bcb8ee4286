// SPDX-License-Identifier: MIT
// One lane: a native context, its binding shadow, and the state that was pushed for the next verb.
// Used by one thread at a time, with the native context current on it (lane_current).
#pragma once

#include <array>
#include <vector>

#include "espryt_emulation.h"
#include "espryt_screen.h"
#include "espryt_upload.h"
#include "pipe/pipe_input.h"

namespace espryt {

struct framebuffer;
struct query;
struct stream_output;
struct surface;
struct blitter;
struct target_copies;

struct render_state_cso {
    pipe_render_state state;
};

struct vertex_elements {
    uint32_t num_elements = 0, num_bindings = 0;
    pipe_vertex_element elements[PIPE_MAX_ATTRIBS];
    pipe_vertex_binding bindings[PIPE_MAX_VERTEX_BUFFERS];
    uint32_t enabled = 0; // attributes read from arrays
    uint32_t convert = 0; // attributes the host cannot read as they are
};

enum dirty_bit : uint32_t {
    dirty_render_state = 1u << 0,
    dirty_viewport = 1u << 1,
    dirty_scissor = 1u << 2,
    dirty_dynamic = 1u << 3,
    dirty_framebuffer = 1u << 4,
    dirty_elements = 1u << 5,
    dirty_vertex_buffers = 1u << 6,
    dirty_attribs = 1u << 7,
    dirty_program = 1u << 8,
    dirty_textures = 1u << 9,
    dirty_images = 1u << 10,
    dirty_uniform = 1u << 11,
    dirty_storage = 1u << 12,
    dirty_globals = 1u << 13,
    dirty_all = (1u << 14) - 1,
};

// Draw buffers that blend and mask alike, of a draw on a host that has one state for all.
struct target_pass {
    uint8_t outputs = 0; // bit n: draw buffer n
    pipe_rt_blend blend{};
};

struct context : pipe_context {
    espryt::screen *scr = nullptr;
    espryt::host *host = nullptr;
    const gles *gl = nullptr;
    EGLContext native = EGL_NO_CONTEXT;
    espryt::shadow sh;
    upload_ring ring;

    // pushed state
    drivers_common::slot_table<render_state_cso> render_states;
    drivers_common::slot_table<vertex_elements> vertex_layouts;
    drivers_common::slot_table<framebuffer> framebuffers;
    drivers_common::slot_table<query> queries;
    drivers_common::slot_table<stream_output> stream_outputs;
    pipe_in_render_state<const render_state_cso *> rs;
    pipe_in_vertex_elements<const vertex_elements *> ve;
    bool converts_vertices = false; // the bound layout has attributes the host cannot read
    pipe_in_dynamic_state<pipe_dynamic_state> dyn;
    pipe_in_sample_state<pipe_set_sample_state> sample;
    pipe_in_patch_state<pipe_set_patch_state> patch;
    pipe_in_pixel_pack<pipe_set_pixel_pack_state> pack;
    pipe_in_vertex_buffers<pipe_vertex_buffer[PIPE_MAX_VERTEX_BUFFERS]> vertex_buffers;
    pipe_in_vertex_attrib_defaults<pipe_attrib_value[PIPE_MAX_ATTRIBS]> attribs;
    pipe_in_index_buffer<pipe_handle> index_buffer;
    pipe_in_indirect_buffers<pipe_handle> draw_indirect, dispatch_indirect, parameter_buffer;
    pipe_in_sampler_views<pipe_texture_slot[PIPE_MAX_TEXTURE_UNITS]> views;
    pipe_in_samplers<pipe_handle[PIPE_MAX_TEXTURE_UNITS]> samplers;
    pipe_in_shader_images<pipe_shader_image[PIPE_MAX_IMAGE_UNITS]> images;
    pipe_in_shader_buffers<pipe_buffer_range[3][PIPE_MAX_INDEXED_BUFFERS]> ranges; // by class
    pipe_in_draw_program<pipe_handle> draw_program;
    pipe_in_dispatch_program<pipe_handle> dispatch_program;
    pipe_in_framebuffer_binding<pipe_handle> draw_fb, read_fb;
    pipe_handle draw_surface{}, read_surface{};
    framebuffer *default_fb = nullptr;
    uint32_t dirty = dirty_all;

    // what the last validation used
    program *bound_program = nullptr;
    uint64_t bound_program_id = 0, bound_globals_serial = 0;
    uint32_t bound_globals_epoch = 0;
    query *counting = nullptr;          // the open query of sample counts
    query *primitives = nullptr;        // the open one of primitives that are counted here
    stream_output *active_so = nullptr; // begun and not ended
    pipe_in_render_condition<query *> condition;
    pipe_in_render_condition<bool> conditional;
    pipe_in_render_condition<bool>
        condition_skips; // decided here: the host has no inverted conditions

    host_name vao, scratch_fbo[2];
    blitter *blit_tools = nullptr;
    target_copies *copies = nullptr; // of logic operations
    std::vector<uint8_t> scratch, scratch2;
    std::vector<uint32_t> index_list; // of the draw that is being rewritten
    uint64_t verbs = 0;
    bool polygon_mode_used = false;
    target_pass passes[8]; // of the applied state, see espryt_passes.h
    unsigned num_passes = 0;
    bool shaders_wrote = false; // buffers, and no barrier since: hosts may show old bytes in maps
    bool reads_texels = false; // the last program read buffer textures that the host lacks
    // What the host had no memory for since this was last reported, null: nothing.
    const char *host_oom = nullptr;
    bool reported = false;   // this verb has raised its error
    bool lost_calls = false; // the host may have: host_state_unknown() when the verb ends

    bool has(feature f) const { return host->has(f); }
    bool forced(emulation e) const { return scr->debug.force >> static_cast<unsigned>(e) & 1; }
};

inline context *to_context(pipe_context *c) {
    return static_cast<context *>(c);
}

// Raises one GL error at the client, with one log line; a second one of the same verb is dropped.
void report_error(context *ctx, GLenum error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Asks the host for an error after a call that may have failed (`what`: a literal). True when there
// was one. A want of memory is raised as GL_OUT_OF_MEMORY when the verb ends, and this lane takes
// nothing of the host's state for known any more; other errors are a fallback's to handle.
bool host_failed(context *ctx, const char *what);
// At the end of every entry that calls the host: raises what host_failed() met; the debug checks;
// one more host_failed() while faults are injected.
void verb_done(context *ctx, const char *verb);
// The host may have lost a call: every shadowed value and object parameter is set again.
void host_state_unknown(context *ctx);
// Where programs end frames or wait: what the host says late about earlier draws is raised here.
void flush_point(context *ctx, const char *what);

// Table fillers, one per file.
void init_resource_functions(screen *s, context *c);
void init_map_functions(screen *s);
void init_transfer_functions(screen *s, context *c);
void init_program_functions(screen *s, context *c);
void init_state_functions(screen *s, context *c);
void init_framebuffer_functions(screen *s, context *c);
void init_draw_functions(screen *s, context *c);
void init_clear_functions(screen *s, context *c);
void init_blit_functions(screen *s, context *c);
void init_query_functions(screen *s, context *c);
void init_fence_functions(screen *s, context *c);
void init_surface_functions(screen *s, context *c);
void init_texture_functions(screen *s, context *c);
void init_stream_output_functions(screen *s, context *c);
void init_context_functions(screen *s, context *c);
void init_readback_functions(screen *s, context *c);
void init_vertex_functions(screen *s, context *c);

// Screen teardown: what the client never deleted. The caller owns the screen alone.
void end_sampler_views(screen *s);
void end_fences(screen *s);

} // namespace espryt
