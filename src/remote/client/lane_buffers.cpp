// SPDX-License-Identifier: MIT
// The lane's entries that write to buffers or read them: what is promised of a buffer's bytes
// (writebacks.h) follows from what passes here.
#include "lane.h"

#include "unasked.h"

#include <cstring>

namespace remote {
namespace {

// The generated entries behind the ones below, all of them.
const pipe_context emitted = [] {
    pipe_caps all{};
    memset(all.call_mask, 0xff, sizeof all.call_mask);
    pipe_context table{};
    wire::fill_context(&table, &all);
    return table;
}();

Writebacks &writebacks(pipe_context *ctx) {
    return Lane::of(ctx).screen().writebacks();
}

void written(pipe_context *ctx, pipe_handle buffer, uint64_t offset, uint64_t size) {
    writebacks(ctx).written(Lane::of(ctx).slot(), buffer, offset, size);
}

void resource_subdata(pipe_context *ctx, const pipe_resource_subdata *p, const pipe_region *regions,
                      const pipe_host_span *data) {
    written(ctx, p->resource, p->offset, p->size);
    emitted.resource_subdata(ctx, p, regions, data);
}

// What the GPU writes.
template <typename Emit>
void write(pipe_context *ctx, pipe_handle buffer, uint64_t offset, uint64_t size, Emit emit) {
    written(ctx, buffer, offset, size);
    emit();
    Lane::of(ctx).promise(buffer, offset, size);
}

void resource_copy_region(pipe_context *ctx, const pipe_resource_copy_region *p) {
    write(ctx, p->dst, p->dst_offset, p->size, [&] { emitted.resource_copy_region(ctx, p); });
}

void clear_buffer(pipe_context *ctx, const pipe_clear_buffer *p) {
    write(ctx, p->buffer, p->offset, p->size, [&] { emitted.clear_buffer(ctx, p); });
}

void query_result_to_buffer(pipe_context *ctx, const pipe_query_result_to_buffer *p) {
    write(ctx, p->buffer, p->offset, p->is_64bit ? 8 : 4,
          [&] { emitted.query_result_to_buffer(ctx, p); });
}

void read_pixels_to_buffer(pipe_context *ctx, const pipe_read_pixels_to_buffer *p) {
    const uint64_t row = uint64_t(p->width) * pipe_format_describe(p->format)->block_bytes;
    const uint64_t size = p->height ? uint64_t(p->row_stride) * (p->height - 1) + row : 0;
    write(ctx, p->buffer, p->offset, size, [&] { emitted.read_pixels_to_buffer(ctx, p); });
}

void get_texture_image_to_buffer(pipe_context *ctx, const pipe_get_texture_image_to_buffer *p) {
    const pipe_format_desc &f = *pipe_format_describe(p->format);
    const auto blocks = [](int32_t n, unsigned of) { return (uint64_t(n) + of - 1) / of; };
    const pipe_box &b = p->box;
    uint64_t size = 0;
    if (b.width > 0 && b.height > 0 && b.depth > 0)
        size = uint64_t(p->slice_stride) * uint64_t(b.depth - 1) +
               uint64_t(p->row_stride) * (blocks(b.height, f.block_height) - 1) +
               blocks(b.width, f.block_width) * f.block_bytes;
    write(ctx, p->buffer, p->offset, size,
          [&] { emitted.get_texture_image_to_buffer(ctx, p); });
}

enum pipe_status resource_readback(pipe_context *ctx, const pipe_resource_readback *p,
                                   const pipe_out_span *dst) {
    if (Lane::of(ctx).read_promised(p, dst))
        return PIPE_OK;
    const enum pipe_status status = emitted.resource_readback(ctx, p, dst);
    if (status == PIPE_OK)
        writebacks(ctx).was_read(p->resource, p->offset, p->size);
    return status;
}

void set_shader_buffers(pipe_context *ctx, const pipe_set_shader_buffers *p,
                        const pipe_buffer_range *ranges) {
    Lane::of(ctx).storage.bind(*p, ranges);
    emitted.set_shader_buffers(ctx, p, ranges);
}

void set_draw_program(pipe_context *ctx, const pipe_set_draw_program *p) {
    Lane &lane = Lane::of(ctx);
    lane.draws_write(lane.screen().writes_memory(p->shader));
    emitted.set_draw_program(ctx, p);
}

void set_dispatch_program(pipe_context *ctx, const pipe_set_dispatch_program *p) {
    Lane &lane = Lane::of(ctx);
    lane.dispatches_write = lane.screen().writes_memory(p->shader);
    emitted.set_dispatch_program(ctx, p);
}

void writing_draw(pipe_context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                  const pipe_indirect *indirect, const pipe_host_span *indices) {
    Lane::of(ctx).storage.verb(Lane::of(ctx));
    emitted.draw_vbo(ctx, p, ranges, indirect, indices);
}

void launch_grid(pipe_context *ctx, const pipe_launch_grid *p) {
    Lane &lane = Lane::of(ctx);
    if (lane.dispatches_write)
        lane.storage.verb(lane);
    emitted.launch_grid(ctx, p);
}

void memory_barrier(pipe_context *ctx, const pipe_memory_barrier *p) {
    emitted.memory_barrier(ctx, p);
    Lane::of(ctx).storage.barrier(Lane::of(ctx), static_cast<enum pipe_barrier>(p->barriers));
}

void flush(pipe_context *ctx, const pipe_flush *p) {
    Lane::of(ctx).storage.flush(Lane::of(ctx));
    emitted.flush(ctx, p);
}

void present(pipe_context *ctx, const pipe_present *p, const pipe_scissor *damage) {
    Lane::of(ctx).storage.flush(Lane::of(ctx));
    emitted.present(ctx, p, damage);
}

void set_stream_output_targets(pipe_context *ctx, const pipe_set_stream_output_targets *p,
                               const pipe_so_target *targets) {
    Lane::of(ctx).captures[p->so.slot].assign(targets, targets + p->count);
    emitted.set_stream_output_targets(ctx, p, targets);
}

void begin_stream_output(pipe_context *ctx, const pipe_begin_stream_output *p) {
    for (const pipe_so_target &t : Lane::of(ctx).captures[p->so.slot])
        written(ctx, t.buffer, t.offset, t.size);
    emitted.begin_stream_output(ctx, p);
}

void end_stream_output(pipe_context *ctx, const pipe_end_stream_output *p) {
    emitted.end_stream_output(ctx, p);
    for (const pipe_so_target &t : Lane::of(ctx).captures[p->so.slot])
        Lane::of(ctx).promise(t.buffer, t.offset, t.size);
}

} // namespace

void Lane::fill_buffer_calls() {
    auto own = [&](auto entry, auto function) {
        if (table.*entry)
            table.*entry = function;
    };
    if (!table.resource_readback)
        return;
    own(&pipe_context::resource_subdata, resource_subdata);
    own(&pipe_context::resource_copy_region, resource_copy_region);
    own(&pipe_context::clear_buffer, clear_buffer);
    own(&pipe_context::query_result_to_buffer, query_result_to_buffer);
    own(&pipe_context::read_pixels_to_buffer, read_pixels_to_buffer);
    own(&pipe_context::get_texture_image_to_buffer, get_texture_image_to_buffer);
    own(&pipe_context::resource_readback, resource_readback);
    own(&pipe_context::set_shader_buffers, set_shader_buffers);
    own(&pipe_context::set_draw_program, set_draw_program);
    own(&pipe_context::set_dispatch_program, set_dispatch_program);
    own(&pipe_context::launch_grid, launch_grid);
    own(&pipe_context::memory_barrier, memory_barrier);
    own(&pipe_context::flush, flush);
    own(&pipe_context::present, present);
    own(&pipe_context::set_stream_output_targets, set_stream_output_targets);
    own(&pipe_context::begin_stream_output, begin_stream_output);
    own(&pipe_context::end_stream_output, end_stream_output);
}

void Lane::draws_write(bool write) {
    if (table.draw_vbo)
        table.draw_vbo = write ? writing_draw : emitted.draw_vbo;
}

void Lane::promise(pipe_handle buffer, uint64_t offset, uint64_t size, bool early) {
    const uint32_t seg =
        lost() ? 0 : screen_.writebacks().promise(slot(), buffer, offset, size, early);
    if (!seg)
        return;
    UnaskedRead r{};
    r.head = {PIPE_OP_RESOURCE_READBACK, flag_unasked, sizeof r};
    r.call.resource = buffer;
    r.call.offset = offset;
    r.call.size = size;
    r.place = {seg, 0, 0, size};
    memcpy(begin(sizeof r), &r, sizeof r);
    end(sizeof r, r.head.op);
}

} // namespace remote
