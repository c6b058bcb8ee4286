// SPDX-License-Identifier: MIT
// Transform feedback by VK_EXT_transform_feedback. A capture runs inside a pass; when the pass ends
// the host's counters go to a small buffer, from which the next pass goes on.
#include "magma_query.h"

#include "magma_context.h"
#include "util/log.h"

#include <algorithm>

namespace magma {

namespace {

bool ready_counters(context &c, stream_output &so) {
    if (so.counters)
        return true;
    VkResult result;
    so.counters = create_buffer_storage(c.dev, 16,
                                        VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
                                            VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                            VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                        memory_use::device, result);
    return bool(so.counters);
}

// All buffers of a stream hold as many vertices; the first one is taken.
void count_streams(const pipe_shader_archive &archive, stream_output &so) {
    so.counts = {};
    for (const pipe_archive_xfb &x : archive.xfb) {
        if (x.stream >= so.counts.size() || x.buffer >= PIPE_MAX_SO_BUFFERS)
            continue;
        stream_output::stream_count &count = so.counts[x.stream];
        if (!count.stride)
            count = {x.buffer, archive.xfb_stride[x.buffer]};
    }
}

} // namespace

void stop_capture(context &c) {
    if (!c.capture_running)
        return;
    c.capture_running = false;
    stream_output &so = *c.capture;
    VkBuffer buffers[PIPE_MAX_SO_BUFFERS];
    VkDeviceSize offsets[PIPE_MAX_SO_BUFFERS];
    for (uint32_t i = 0; i < so.count; ++i) {
        buffers[i] = so.running >> i & 1 ? so.counters->buffer : VK_NULL_HANDLE;
        offsets[i] = 4 * i;
    }
    c.dev.vk.CmdEndTransformFeedback(c.rec.main_raw(), 0, so.count, buffers, offsets);
    so.counters_valid = true;
}

bool start_capture(context &c) {
    if (!c.capture || c.capture->paused || c.capture_running)
        return true;
    stream_output &so = *c.capture;
    VkBuffer buffers[PIPE_MAX_SO_BUFFERS], counters[PIPE_MAX_SO_BUFFERS];
    VkDeviceSize offsets[PIPE_MAX_SO_BUFFERS], sizes[PIPE_MAX_SO_BUFFERS],
        counter_offsets[PIPE_MAX_SO_BUFFERS];
    uint32_t running = 0;
    for (uint32_t i = 0; i < so.count; ++i) {
        const stream_output::target &t = so.targets[i];
        counters[i] = VK_NULL_HANDLE;
        counter_offsets[i] = 4 * i;
        if (!t.buffer) // a gap: the program captures nothing into it
            continue;
        if (!t.buffer->store || t.offset >= t.buffer->st()->size)
            return false;
        buffers[i] = t.buffer->st()->buffer;
        running |= 1u << i;
        offsets[i] = t.offset;
        sizes[i] = std::min<uint64_t>(t.size, t.buffer->st()->size - t.offset) & ~3ull;
        counters[i] = so.counters->buffer;
    }
    VkCommandBuffer cmd = c.rec.main_raw();
    for (uint32_t i = 0; i < so.count; ++i)
        if (running >> i & 1)
            c.dev.vk.CmdBindTransformFeedbackBuffers(cmd, i, 1, buffers + i, offsets + i,
                                                     sizes + i);
    if (so.counters_valid)
        c.dev.vk.CmdBeginTransformFeedback(cmd, 0, so.count, counters, counter_offsets);
    else
        c.dev.vk.CmdBeginTransformFeedback(cmd, 0, 0, nullptr, nullptr);
    so.running = running;
    c.capture_running = true;
    return true;
}

void set_stream_output_targets(pipe_context *ctx, const pipe_set_stream_output_targets *p,
                               const pipe_so_target *targets) {
    context &c = ctx_of(ctx);
    std::shared_ptr<stream_output> so = c.stream_outputs.get(p->so);
    if (!so) {
        so = std::make_shared<stream_output>();
        if (!c.stream_outputs.put(p->so, so))
            return;
    }
    so->count = std::min<uint32_t>(p->count, PIPE_MAX_SO_BUFFERS);
    for (uint32_t i = 0; i < so->count; ++i)
        so->targets.fill()[i] = {c.find(targets[i].buffer), targets[i].offset, targets[i].size};
}

void begin_stream_output(pipe_context *ctx, const pipe_begin_stream_output *p) {
    context &c = ctx_of(ctx);
    std::shared_ptr<stream_output> so = c.stream_outputs.get(p->so);
    if (!c.dev.has.transform_feedback) {
        c.error(gl_invalid_operation, "no transform feedback on this host");
        return;
    }
    if (!so || !ready_counters(c, *so))
        return;
    stop_capture(c);
    so->active = true;
    so->paused = false;
    so->counters_valid = false;
    so->mode = p->mode;
    if (c.st.draw_program)
        count_streams(c.st.draw_program->archive, *so);
    c.capture = std::move(so);
    // Only what the program captures into may be begun.
    if (c.st.draw_program) {
        uint32_t used = 0;
        for (const pipe_archive_xfb &x : c.st.draw_program->archive.xfb)
            used = std::max(used, x.buffer + 1);
        c.capture->count = std::min(c.capture->count, used);
    }
    c.dirty |= dirty_uses | dirty_pipeline;
    c.end_pass();
}

void end_stream_output(pipe_context *ctx, const pipe_end_stream_output *p) {
    context &c = ctx_of(ctx);
    std::shared_ptr<stream_output> so = c.stream_outputs.get(p->so);
    if (!so)
        return;
    if (c.capture == so) {
        stop_capture(c);
        c.capture.reset();
    }
    if (so->active && so->counters_valid) {
        std::swap(so->ended, so->counters);
        so->ended_counts = so->counts;
    } else if (so->active) {
        so->ended = {};
    }
    so->active = false;
    c.dirty |= dirty_uses;
}

void pause_stream_output(pipe_context *ctx, const pipe_pause_stream_output *p) {
    context &c = ctx_of(ctx);
    std::shared_ptr<stream_output> so = c.stream_outputs.get(p->so);
    if (!so)
        return;
    if (c.capture == so) {
        stop_capture(c);
        c.capture.reset();
    }
    so->paused = true;
}

void resume_stream_output(pipe_context *ctx, const pipe_resume_stream_output *p) {
    context &c = ctx_of(ctx);
    std::shared_ptr<stream_output> so = c.stream_outputs.get(p->so);
    if (!so || !so->active)
        return;
    stop_capture(c);
    so->paused = false;
    c.capture = std::move(so);
    // The counters written at the pause have to be visible when the capture goes on.
    c.end_pass();
    c.dirty |= dirty_uses;
}

} // namespace magma
