// SPDX-License-Identifier: MIT
// Queries, conditional rendering and stream output, as far as other files need them.
#pragma once

#include "espryt_context.h"

namespace espryt {

struct query {
    pipe_query_create desc{};
    host_name name;
    GLenum target = 0; // 0: the host cannot count this
    bool active = false, ended = false, known = false;
    bool paused = false;
    bool here = false;               // primitives are counted by the CPU, too
    bool timed = false;              // by the CPU's clock
    uint64_t primitives = 0;         // so many
    uint64_t result = 0, before = 0; // before: counted up to the last pause
    // Sample counts: the shaders count into this buffer; `name` tells whether any passed.
    host_name counter;
    bool uncounted = false; // some draw could not count, of samples or of primitives
};

// Whether the draw counts its samples into the query that is open; says so once when it cannot.
bool counts_samples(context *ctx, const program *p, const framebuffer *fb);
void queries_destroy(context *ctx);
// Adds the primitives of a draw to the query that is open, on a host that does not count them.
void count_primitives(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                      const pipe_indirect *in, const pipe_host_span *indices);
// Internal draws must not be counted: what is open ends before them, and begins anew after.
void queries_pause(context *ctx);
void queries_resume(context *ctx);
// Begins the host's conditional rendering for the pushed condition; false when the host has none.
bool condition_begin(context *ctx);
// Captures run in a host object that forbids other programs while it is active and not paused.
bool stream_output_lets_program(context *ctx, host_name program);
// Begins or resumes the capture that this draw belongs to. False: skip the draw.
bool stream_output_draw(context *ctx);
void stream_output_drawn(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                         const pipe_host_span *indices);
uint32_t stream_output_count(context *ctx, pipe_handle so);
// Internal draws must not be captured.
void stream_output_pause_internal(context *ctx, bool pause);
void stream_output_destroy(context *ctx, pipe_handle so);
void stream_outputs_destroy(context *ctx);

} // namespace espryt
