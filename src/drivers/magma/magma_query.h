// SPDX-License-Identifier: MIT
// Queries and stream output. A query is a list of host query slots: a batch that ends in the middle
// closes one slot and opens another, results are added up.
#pragma once

#include "magma_batch.h"

#include "pipe/pipe.h"
#include "pipe/pipe_input.h"

#include <array>
#include <memory>
#include <vector>

namespace magma {

struct context;
struct resource;

struct query_pool {
    host_device *dev = nullptr;
    VkQueryPool pool = VK_NULL_HANDLE;
    uint32_t values = 1; // 64-bit values per slot
    ~query_pool();
};

struct query_segment {
    std::shared_ptr<query_pool> pool;
    uint32_t slot = 0;
    uint8_t value = 0; // which of the slot's values counts
    token_ref token;
};

constexpr uint32_t capture_streams = 4;

struct query {
    pipe_query_type type = PIPE_QUERY_TYPE_OCCLUSION_COUNTER;
    uint8_t index = 0;
    bool active = false;
    bool running = false; // a host slot is open
    std::vector<query_segment> segments;
    bool have_result = false;
    uint64_t result = 0;
    token_ref last_token() const { return segments.empty() ? nullptr : segments.back().token; }
};

struct stream_output {
    struct target {
        std::shared_ptr<resource> buffer;
        uint64_t offset = 0, size = 0;
    };
    pipe_in_stream_output<target[PIPE_MAX_SO_BUFFERS]> targets;
    uint32_t count = 0;
    uint32_t running = 0; // buffers that the host writes, a bit each
    storage_ref counters; // 4 x 4 bytes, of the capture that was begun last
    bool counters_valid = false;
    bool active = false, paused = false;
    uint8_t mode = 0;
    // By which bytes the vertices of a stream are counted; stride 0: none are captured.
    struct stream_count {
        uint32_t buffer = 0, stride = 0;
    };
    std::array<stream_count, PIPE_MAX_SO_BUFFERS> counts; // by stream
    // What draws by count go by: the capture that was ended last. A new one may be running.
    storage_ref ended;
    std::array<stream_count, PIPE_MAX_SO_BUFFERS> ended_counts;
};

// Reads the result when the host has it; with `wait` waits for that. False: not there yet.
bool settle_query(context &c, query &q, bool wait);

// Before a draw: the statistic that stands in for generated primitives is the one that this program
// makes. Closes the open pass when another one is open.
void follow_program(context &c);

// Suspends / resumes host queries around the end of a batch.
void suspend_queries(context &c);
void resume_queries(context &c);
// Draws of the driver's own while it lives count in no query. Closes the open pass at both ends
// when a query counts, else does nothing.
class uncounted {
  public:
    explicit uncounted(context &c);
    ~uncounted();
    uncounted(const uncounted &) = delete;
    uncounted &operator=(const uncounted &) = delete;

  private:
    context *c_ = nullptr; // null: no query counts
};
// Closes vkCmdBeginTransformFeedback in the open pass, if any; resumed by the next draw.
void stop_capture(context &c);
// Opens it for the draw; false: cannot capture.
bool start_capture(context &c);

// Where a lane takes fresh host slots from: one pool per kind, each slot used once.
struct query_slots {
    struct entry {
        VkQueryType type;
        std::shared_ptr<query_pool> pool;
        uint32_t next;
    };
    std::vector<entry> entries;
};

void query_create(pipe_context *ctx, const pipe_query_create *p);
void query_begin(pipe_context *ctx, const pipe_query_begin *p);
void query_end(pipe_context *ctx, const pipe_query_end *p);
pipe_status query_available(pipe_context *ctx, const pipe_query_available *p,
                            pipe_query_available_reply *out);
pipe_status query_result(pipe_context *ctx, const pipe_query_result *p,
                         pipe_query_result_reply *out);
void query_destroy(pipe_context *ctx, const pipe_query_destroy *p);
void query_counter(pipe_context *ctx, const pipe_query_counter *p);
pipe_status query_timestamp(pipe_context *ctx, const pipe_query_timestamp *p,
                            pipe_query_timestamp_reply *out);
void query_result_to_buffer(pipe_context *ctx, const pipe_query_result_to_buffer *p);
void set_stream_output_targets(pipe_context *ctx, const pipe_set_stream_output_targets *p,
                               const pipe_so_target *targets);
void begin_stream_output(pipe_context *ctx, const pipe_begin_stream_output *p);
void end_stream_output(pipe_context *ctx, const pipe_end_stream_output *p);
void pause_stream_output(pipe_context *ctx, const pipe_pause_stream_output *p);
void resume_stream_output(pipe_context *ctx, const pipe_resume_stream_output *p);

} // namespace magma
