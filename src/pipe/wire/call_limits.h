// SPDX-License-Identifier: MIT
// Limits of the catalogue that no layout can express: windows of indexed state, counts, enum-like
// integers. A driver may size its arrays by these constants and trust them.
#pragma once

#include "pipe/pipe_calls.h"

#include <iterator>

namespace wire {

template <typename P, typename... T> inline bool limits_hold(const P &, const T *...) {
    return true;
}

inline bool window(uint64_t start, uint64_t count, uint64_t limit) {
    return start + count <= limit;
}

inline bool one_level(const pipe_resource_desc &d) {
    return d.target == PIPE_TEXTURE_2D && d.levels == 1 && d.layers == 1 && d.depth == 1 &&
           d.samples <= 1 && d.width && d.height && !(d.flags & PIPE_RESOURCE_VIEW);
}

inline bool limits_hold(const pipe_resource_import &p) {
    return p.num_planes >= 1 && p.num_planes <= 4 && one_level(p.desc);
}
inline bool limits_hold(const pipe_resource_export &p) {
    return p.num_modifiers >= 1 && p.num_modifiers <= std::size(p.modifier) && one_level(p.desc);
}
inline bool limits_hold(const pipe_set_vertex_buffers &p, const pipe_vertex_buffer *) {
    return window(p.start, p.count, PIPE_MAX_VERTEX_BUFFERS);
}
inline bool limits_hold(const pipe_set_sampler_views &p, const pipe_texture_slot *) {
    return window(p.start, p.count, PIPE_MAX_TEXTURE_UNITS);
}
inline bool limits_hold(const pipe_bind_sampler_states &p, const pipe_handle *) {
    return window(p.start, p.count, PIPE_MAX_TEXTURE_UNITS);
}
inline bool limits_hold(const pipe_set_shader_images &p, const pipe_shader_image *) {
    return window(p.start, p.count, PIPE_MAX_IMAGE_UNITS);
}
inline bool limits_hold(const pipe_set_shader_buffers &p, const pipe_buffer_range *) {
    return window(p.start, p.count, PIPE_MAX_INDEXED_BUFFERS);
}
inline bool limits_hold(const pipe_set_stream_output_targets &p, const pipe_so_target *) {
    return p.count <= PIPE_MAX_SO_BUFFERS;
}
inline bool limits_hold(const pipe_resource_subdata &p, const pipe_region *) {
    return p.num_regions <= PIPE_MAX_REGIONS;
}
inline bool limits_hold(const pipe_copy_buffer_to_texture &p, const pipe_region *) {
    return p.num_regions <= PIPE_MAX_REGIONS;
}
inline bool limits_hold(const pipe_set_vertex_attrib_defaults &p, const pipe_attrib_value *values) {
    for (uint32_t i = 0; i < p.count; i++)
        if (values[i].index >= PIPE_MAX_ATTRIBS)
            return false;
    return p.count <= PIPE_MAX_ATTRIBS;
}
inline bool limits_hold(const pipe_create_vertex_elements &p, const pipe_vertex_element *elements,
                        const pipe_vertex_binding *) {
    if (p.num_elements > PIPE_MAX_ATTRIBS || p.num_bindings > PIPE_MAX_VERTEX_BUFFERS)
        return false;
    for (uint32_t i = 0; i < p.num_elements; i++)
        if (elements[i].location >= PIPE_MAX_ATTRIBS ||
            elements[i].binding >= PIPE_MAX_VERTEX_BUFFERS || elements[i].size < 1 ||
            elements[i].size > 4)
            return false;
    return true;
}
inline bool limits_hold(const pipe_draw_vbo &p, const pipe_draw_range *, const pipe_indirect *) {
    return p.num_indirect <= 1 && (p.index_size <= 2 || p.index_size == 4);
}
inline bool limits_hold(const pipe_create_render_state &p) {
    return !(p.chunk_mask >> PIPE_RS_CHUNK_COUNT);
}
inline bool limits_hold(const pipe_set_dynamic_state &p) {
    return !(p.chunk_mask >> PIPE_DS_CHUNK_COUNT);
}
inline bool limits_hold(const pipe_clear_buffer &p) {
    return p.pattern_size <= sizeof p.pattern;
}

} // namespace wire
