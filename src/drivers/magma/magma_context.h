// SPDX-License-Identifier: MIT
// A lane: one recorder, the tables of what belongs to one context, and everything that is bound.
// Used by one thread at a time.
#pragma once

#include "magma_batch.h"
#include "magma_condition.h"
#include "magma_descriptors.h"
#include "magma_dynamic.h"
#include "magma_feedback.h"
#include "magma_framebuffer.h"
#include "magma_logic.h"
#include "magma_pipeline.h"
#include "magma_program.h"
#include "magma_query.h"
#include "magma_screen.h"
#include "magma_state.h"

namespace magma {

struct surface;

// What has to be brought up to date before the next draw.
enum dirty_bit : uint32_t {
    dirty_pipeline = 1u << 0, // pipeline key
    dirty_viewport = 1u << 1,
    dirty_scissor = 1u << 2,
    dirty_blend_color = 1u << 3,
    dirty_stencil = 1u << 4, // references and masks
    dirty_line = 1u << 5,
    dirty_depth_bias = 1u << 6,
    dirty_vertex_buffers = 1u << 7,
    dirty_descriptors = 1u << 8,
    dirty_push = 1u << 9,    // push constants
    dirty_uses = 1u << 10,   // barriers of everything bound
    dirty_raster = 1u << 11, // state that some devices set dynamically
    dirty_program = 1u << 12,
    dirty_all = 0xffffffffu,
};

struct context : pipe_context {
    explicit context(share_group &s);
    ~context();

    share_group &scr;
    host_device &dev;
    recorder rec;

    // --- tables of this lane
    handle_table<render_state> render_states;
    handle_table<vertex_elements> vertex_layouts;
    handle_table<framebuffer> framebuffers;
    handle_table<query> queries;
    handle_table<stream_output> stream_outputs;

    // --- bound state
    bound_state st;
    uint32_t dirty = dirty_all;
    uint32_t dirty_compute = dirty_all;
    uint64_t seen_store_epoch = 0;
    uint64_t seen_batch = 0; // recorder serial for which the state below was recorded

    std::shared_ptr<surface> draw_surface, read_surface;
    std::shared_ptr<framebuffer> default_draw, default_read;
    // Serials of the surfaces that the two were made of; a resize moves them.
    uint64_t seen_draw_surface = 0, seen_read_surface = 0;

    // --- what the open command buffer has
    pass_state pass;
    VkPipeline bound_pipeline = VK_NULL_HANDLE;
    pipeline_key last_key = {}; // of last_pipeline
    program *last_key_program = nullptr;
    VkPipeline last_pipeline = VK_NULL_HANDLE;
    border_set border_scratch;
    uint32_t borders = 0;        // of the samplers and the program of the last draw
    vertex_input input;          // for the bound layout and program
    bool input_recorded = false; // dynamic vertex input is up to date
    upload_slice defaults_slice; // current attribute values in this batch
    uint64_t defaults_serial = 0, defaults_batch = 0;
    upload_slice zero_slice;
    uint64_t zero_batch = 0;
    int last_topology = -1, last_restart = -1;
    recorded_state recorded; // dynamic state and buffers
    push_block last_push = {};
    bool push_recorded = false;
    descriptor_state descriptors[2]; // graphics, compute
    feedback_copies feedback;
    target_copies targets; // of logic operations
    std::vector<query *> active_queries;
    query_segment open_streams[capture_streams]; // host queries of captures; null pool: none
    query_segment open_statistics;               // host query of all statistics; null pool: none
    std::shared_ptr<stream_output> capture;      // begun and not paused
    bool capture_running = false;                // vkCmdBeginTransformFeedback is open
    query_slots slots;
    render_condition condition;
    storage_ref readback; // grows; reused by every read-back of this lane

    // Opens a batch when needed; false: the device is lost or out of memory.
    bool begin();
    // Ends an open pass (and a running capture).
    void end_pass();
    // Commands outside a pass, in order with what was recorded.
    VkCommandBuffer outside();
    // Everything recorded so far goes to the GPU.
    bool flush(const submit_semaphores &semaphores = {});
    // At the head of verbs: submits by itself when the batch, or what waits for it, has grown
    // large, so that a program that never flushes stays bounded.
    void relieve();
    // flush(), then waits until the GPU is done.
    bool finish_all();

    resource_ref find(pipe_handle h) { return scr.find_resource(h); }
    std::shared_ptr<framebuffer> find_framebuffer(pipe_handle h, bool for_read);
    void error(uint32_t gl, const char *what);
    uint64_t errors = 0; // raised so far
    // Tells the program of a failed host call, once.
    void report() {
        if (pending_failure().call) [[unlikely]]
            error(gl_out_of_memory, failure_text().c_str());
    }
};

inline context &ctx_of(pipe_context *c) {
    return *static_cast<context *>(c);
}

pipe_context *lane_create(pipe_screen *s, const pipe_lane_create *p);
void fill_context_table(pipe_context &table);

} // namespace magma
