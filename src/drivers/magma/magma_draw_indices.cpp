// SPDX-License-Identifier: MIT
// Index rewriting on the CPU (drivers_common/index_rewrite.h); index buffers are read back for it.
#include "magma_draw_indices.h"

#include "drivers_common/index_rewrite.h"
#include "magma_context.h"
#include "magma_transfer.h"
#include "util/log.h"

#include <algorithm>

namespace magma {

namespace {

bool is_list(uint8_t mode) {
    return mode == PIPE_PRIM_POINTS || mode == PIPE_PRIM_LINES || mode == PIPE_PRIM_TRIANGLES ||
           mode == PIPE_PRIM_LINES_ADJACENCY || mode == PIPE_PRIM_TRIANGLES_ADJACENCY ||
           mode == PIPE_PRIM_PATCHES;
}

uint32_t all_ones(uint8_t index_size) {
    return index_size == 4 ? 0xffffffffu : index_size == 2 ? 0xffffu : 0xffu;
}

// The whole run of indices that the ranges may touch, on the CPU.
bool fetch_indices(context &c, const pipe_draw_vbo &p, const pipe_host_span *indices,
                   std::vector<uint8_t> &copy, const uint8_t *&data, uint64_t &size) {
    if (p.flags & PIPE_DRAW_USER_INDICES) {
        if (!indices || !indices->ptr)
            return false;
        data = static_cast<const uint8_t *>(indices->ptr);
        size = indices->size;
        return true;
    }
    if (!c.st.index_buffer || !c.st.index_buffer->store)
        return false;
    size = c.st.index_buffer->st()->size;
    copy.resize(size);
    if (!read_buffer(c, *c.st.index_buffer.get(), 0, size, copy.data()))
        return false;
    data = copy.data();
    return true;
}

bool reads_flat(const program &p) {
    for (const pipe_archive_stage &s : p.archive.stages)
        if (s.stage == PIPE_SHADER_FRAGMENT)
            for (const pipe_archive_io &in : s.inputs)
                if (in.flat && in.builtin < 0)
                    return true;
    return false;
}

// The host takes flat values from the first vertex, GL from the last one: it has to come first.
bool wants_last_first(const context &c, uint8_t mode) {
    if (c.dev.has.provoking_vertex || !c.st.draw_program || mode == PIPE_PRIM_POINTS ||
        mode >= PIPE_PRIM_LINES_ADJACENCY)
        return false;
    if ((c.st.render && c.st.render->s.raster.flatshade_first) || !reads_flat(*c.st.draw_program))
        return false;
    return !c.st.draw_program->has_stage(PIPE_SHADER_GEOMETRY);
}

void rotate_primitives(uint8_t mode, std::vector<uint32_t> &list) {
    const size_t n = mode == PIPE_PRIM_LINES ? 2 : 3;
    for (size_t i = 0; i + n <= list.size(); i += n)
        std::rotate(list.begin() + long(i), list.begin() + long(i + n - 1),
                    list.begin() + long(i + n));
}

// How many draws an indirect count asks for; false: its buffer cannot be read.
bool counted_draws(context &c, const pipe_draw_vbo &p, const pipe_indirect &in, uint32_t &draws) {
    if (!(p.flags & PIPE_DRAW_INDIRECT_COUNT))
        return true;
    resource_ref counts = c.find(in.parameter_buffer);
    uint32_t n = 0;
    if (!counts || !counts->store || !read_buffer(c, *counts, in.parameter_offset, 4, &n))
        return false;
    draws = std::min(draws, n);
    return true;
}

void draw_list(context &c, const pipe_draw_vbo &p, uint8_t mode, const uint8_t *data, uint64_t size,
               uint32_t start, uint32_t count, int32_t bias) {
    drivers_common::index_source source = {};
    source.index_size = p.index_size;
    source.start = start;
    source.count = count;
    if (p.index_size) {
        uint64_t first = uint64_t(start) * p.index_size;
        if (first >= size)
            return;
        source.indices = data + first;
        source.count = uint32_t(std::min<uint64_t>(count, (size - first) / p.index_size));
        source.restart = p.flags & PIPE_DRAW_RESTART;
        source.restart_index = p.restart_index;
    }
    source.provoking_first = c.st.render && c.st.render->s.raster.flatshade_first;
    std::vector<uint32_t> list;
    bool restarts = false;
    const bool fans = mode != PIPE_PRIM_TRIANGLE_FAN || c.dev.has.triangle_fans;
    if (drivers_common::is_strip(mode) && fans && !wants_last_first(c, mode) && !logic_reads(c)) {
        restarts = drivers_common::rewrite_strips(mode, source, list);
        mode = drivers_common::strip_mode(mode);
    } else if (mode == PIPE_PRIM_PATCHES) {
        // A restart throws away an incomplete patch.
        uint32_t per = std::max(c.st.patch->vertices, 1u);
        std::vector<uint32_t> run;
        drivers_common::index_source one = source;
        one.restart = false;
        drivers_common::rewrite_indices(PIPE_PRIM_POINTS, one, run);
        std::vector<uint32_t> patch;
        for (uint32_t index : run) {
            if (source.restart && index == source.restart_index) {
                patch.clear();
                continue;
            }
            patch.push_back(index);
            if (patch.size() == per) {
                list.insert(list.end(), patch.begin(), patch.end());
                patch.clear();
            }
        }
    } else {
        drivers_common::rewrite_indices(mode, source, list);
        const bool rotate = wants_last_first(c, mode);
        mode = drivers_common::rewritten_mode(mode);
        if (rotate)
            rotate_primitives(mode, list);
    }
    draw_index_list(c, p, mode, list, bias, restarts);
}

} // namespace

uint32_t needs_rewriting(context &c, const pipe_draw_vbo &p) {
    uint32_t why = 0;
    auto because = [&](bool yes, emulation e) { why |= uint32_t(yes) << unsigned(e); };
    because(p.mode == PIPE_PRIM_LINE_LOOP, emulation::line_loop);
    because(p.mode == PIPE_PRIM_TRIANGLE_FAN && !c.dev.has.triangle_fans, emulation::triangle_fan);
    because(wants_last_first(c, p.mode), emulation::provoking_vertex);
    because(p.index_size == 1 && !c.dev.has.index_uint8, emulation::index_uint8);
    because(logic_reads(c), emulation::logic_copy);
    if (!p.index_size || !(p.flags & PIPE_DRAW_RESTART))
        return why;
    because(p.restart_index != all_ones(p.index_size) || c.dev.forced(emulation::restart_index),
            emulation::restart_index);
    const bool there =
        p.mode == PIPE_PRIM_PATCHES ? c.dev.has.patch_list_restart : c.dev.has.list_restart;
    because(is_list(p.mode) && !there, emulation::restart_list);
    return why;
}

void draw_rewritten(context &c, const pipe_draw_vbo &p, const pipe_draw_range *ranges,
                    const pipe_indirect *indirect, const pipe_host_span *indices) {
    std::vector<uint8_t> copy;
    const uint8_t *data = nullptr;
    uint64_t size = 0;
    if (p.index_size && !fetch_indices(c, p, indices, copy, data, size))
        return;
    pipe_draw_vbo one = p;
    if (p.flags & PIPE_DRAW_SO_COUNT) {
        std::shared_ptr<stream_output> so = c.stream_outputs.get(p.so);
        uint32_t bytes = 0;
        const auto count = so && p.stream < so->ended_counts.size() ? so->ended_counts[p.stream]
                                                                    : stream_output::stream_count{};
        if (count.stride && so->ended &&
            read_buffer(c, *so->ended.get(), 4 * count.buffer, 4, &bytes))
            draw_list(c, one, p.mode, nullptr, 0, 0, bytes / count.stride, 0);
        return;
    }
    if (!(p.flags & PIPE_DRAW_INDIRECT)) {
        for (uint32_t i = 0; i < p.num_ranges; ++i, ++one.draw_id)
            draw_list(c, one, p.mode, data, size, ranges[i].start, ranges[i].count, ranges[i].bias);
        return;
    }
    resource_ref buffer = indirect ? c.find(indirect->buffer) : nullptr;
    uint32_t draws = indirect ? indirect->max_draws : 0;
    if (!buffer || !buffer->store || !counted_draws(c, p, *indirect, draws))
        return;
    one.flags &= uint8_t(~(PIPE_DRAW_INDIRECT | PIPE_DRAW_INDIRECT_COUNT));
    const uint32_t words = p.index_size ? 5 : 4;
    const uint32_t stride = indirect->stride ? indirect->stride : words * 4;
    for (uint32_t i = 0; i < draws; ++i, ++one.draw_id) {
        uint32_t command[5] = {};
        if (!read_buffer(c, *buffer, indirect->offset + uint64_t(i) * stride, words * 4, command))
            return;
        one.instance_count = command[1];
        one.start_instance = p.index_size ? command[4] : command[3];
        if (one.instance_count)
            draw_list(c, one, p.mode, data, size, command[2], command[0],
                      p.index_size ? int32_t(command[3]) : 0);
    }
}

} // namespace magma
