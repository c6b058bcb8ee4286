// SPDX-License-Identifier: MIT
// What the client pushes: state objects, bindings, dynamic state. Nothing is recorded here; draws
// pick it up.
#include "magma_state.h"

#include "magma_context.h"
#include "magma_trash.h"
#include "util/log.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace magma {

namespace {

uint64_t next_serial() {
    static std::atomic<uint64_t> serial{0};
    return ++serial;
}

void create_render_state(pipe_context *ctx, const pipe_create_render_state *p,
                         const pipe_host_span *chunks) {
    context &c = ctx_of(ctx);
    auto r = std::make_shared<render_state>();
    if (!pipe_handle_is_null(p->base))
        if (const render_state *base = c.render_states.peek(p->base))
            r->s = base->s;
    if (chunks && chunks->ptr &&
        !pipe_render_state_unpack(&r->s, p->chunk_mask, chunks->ptr, chunks->size)) {
        log_error("magma", "render state %u: bad chunks", p->cso.slot);
        return;
    }
    r->serial = next_serial();
    c.render_states.put(p->cso, std::move(r));
}

void bind_render_state(pipe_context *ctx, const pipe_bind_render_state *p) {
    context &c = ctx_of(ctx);
    auto r = c.render_states.get(p->cso);
    if (r == c.st.render.peek())
        return;
    c.dirty |= dirty_pipeline | dirty_raster | dirty_stencil | dirty_depth_bias | dirty_push;
    if (!r || !c.st.render ||
        r->s.raster.clip_upper_left != c.st.render->s.raster.clip_upper_left ||
        r->s.raster.clip_halfz != c.st.render->s.raster.clip_halfz)
        c.dirty |= dirty_viewport;
    c.st.render = std::move(r);
}

void delete_render_state(pipe_context *ctx, const pipe_delete_render_state *p) {
    ctx_of(ctx).render_states.take(p->cso);
}

void create_vertex_elements(pipe_context *ctx, const pipe_create_vertex_elements *p,
                            const pipe_vertex_element *elements,
                            const pipe_vertex_binding *bindings) {
    context &c = ctx_of(ctx);
    auto v = std::make_shared<vertex_elements>();
    v->elements.assign(elements, elements + p->num_elements);
    v->bindings.assign(bindings, bindings + p->num_bindings);
    v->serial = next_serial();
    c.vertex_layouts.put(p->cso, std::move(v));
}

void bind_vertex_elements(pipe_context *ctx, const pipe_bind_vertex_elements *p) {
    context &c = ctx_of(ctx);
    auto v = c.vertex_layouts.get(p->cso);
    if (v == c.st.layout.peek())
        return;
    c.st.layout = std::move(v);
    c.dirty |= dirty_vertex_buffers | dirty_pipeline | dirty_uses;
}

void delete_vertex_elements(pipe_context *ctx, const pipe_delete_vertex_elements *p) {
    ctx_of(ctx).vertex_layouts.take(p->cso);
}

void set_dynamic_state(pipe_context *ctx, const pipe_set_dynamic_state *p,
                       const pipe_host_span *chunks) {
    context &c = ctx_of(ctx);
    if (!chunks || !chunks->ptr ||
        !pipe_dynamic_state_unpack(&c.st.dynamic.fill(), p->chunk_mask, chunks->ptr, chunks->size))
        return;
    static const uint32_t bits[PIPE_DS_CHUNK_COUNT] = {
        dirty_viewport | dirty_push, dirty_viewport, dirty_scissor,           dirty_scissor,
        dirty_blend_color,           dirty_stencil,  dirty_line | dirty_push, dirty_depth_bias};
    for (uint32_t i = 0; i < PIPE_DS_CHUNK_COUNT; ++i)
        if (p->chunk_mask & 1u << i)
            c.dirty |= bits[i];
}

void set_sample_state(pipe_context *ctx, const pipe_set_sample_state *p) {
    context &c = ctx_of(ctx);
    c.st.sample = *p;
    c.dirty |= dirty_pipeline;
}

void set_patch_state(pipe_context *ctx, const pipe_set_patch_state *p) {
    context &c = ctx_of(ctx);
    c.st.patch = *p;
    c.dirty |= dirty_pipeline | dirty_push | dirty_raster;
}

void set_vertex_buffers(pipe_context *ctx, const pipe_set_vertex_buffers *p,
                        const pipe_vertex_buffer *buffers) {
    context &c = ctx_of(ctx);
    std::lock_guard lock(c.scr.mutex);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_VERTEX_BUFFERS; ++i) {
        vertex_buffer_slot &s = c.st.vertex_buffers.fill()[p->start + i];
        if (s.stride != buffers[i].stride || !s.buffer)
            c.dirty |= dirty_pipeline;
        s = {c.scr.resources.get(buffers[i].buffer), buffers[i].offset, buffers[i].stride};
    }
    c.dirty |= dirty_vertex_buffers | dirty_uses;
}

void set_index_buffer(pipe_context *ctx, const pipe_set_index_buffer *p) {
    context &c = ctx_of(ctx);
    c.st.index_buffer = c.find(p->buffer);
    c.dirty |= dirty_uses;
}

void set_indirect_buffers(pipe_context *ctx, const pipe_set_indirect_buffers *p) {
    context &c = ctx_of(ctx);
    c.st.draw_indirect = c.find(p->draw_indirect);
    c.st.dispatch_indirect = c.find(p->dispatch_indirect);
    c.st.parameter_buffer = c.find(p->parameter);
}

void descriptors_changed(context &c) {
    c.dirty |= dirty_descriptors | dirty_uses;
    c.dirty_compute |= dirty_descriptors | dirty_uses;
}

void set_sampler_views(pipe_context *ctx, const pipe_set_sampler_views *p,
                       const pipe_texture_slot *slots) {
    context &c = ctx_of(ctx);
    std::lock_guard lock(c.scr.mutex);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_TEXTURE_UNITS; ++i)
        c.st.units[p->start + i].view = c.scr.views.get(slots[i].view);
    descriptors_changed(c);
}

void bind_sampler_states(pipe_context *ctx, const pipe_bind_sampler_states *p,
                         const pipe_handle *samplers) {
    context &c = ctx_of(ctx);
    std::lock_guard lock(c.scr.mutex);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_TEXTURE_UNITS; ++i)
        c.st.units[p->start + i].own = c.scr.samplers.get(samplers[i]);
    descriptors_changed(c);
}

void set_texture_params(pipe_context *ctx, const pipe_set_texture_params *p) {
    context &c = ctx_of(ctx);
    std::lock_guard lock(c.scr.mutex);
    resource *r = c.scr.resources.peek(p->params.texture);
    if (!r)
        return;
    r->own_sampler = c.scr.samplers.get(p->params.sampler);
    c.scr.store_epoch.fetch_add(1); // other lanes that have it bound look again
}

void set_shader_images(pipe_context *ctx, const pipe_set_shader_images *p,
                       const pipe_shader_image *images) {
    context &c = ctx_of(ctx);
    std::lock_guard lock(c.scr.mutex);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_IMAGE_UNITS; ++i) {
        image_slot &s = c.st.images[p->start + i];
        s = {};
        s.desc = images[i];
        s.texture = c.scr.resources.get(images[i].resource);
    }
    descriptors_changed(c);
}

void set_shader_buffers(pipe_context *ctx, const pipe_set_shader_buffers *p,
                        const pipe_buffer_range *ranges) {
    context &c = ctx_of(ctx);
    if (p->cls > PIPE_BUFFER_CLASS_ATOMIC)
        return;
    std::lock_guard lock(c.scr.mutex);
    auto &slots = c.st.buffers.fill()[p->cls];
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_INDEXED_BUFFERS; ++i)
        slots[p->start + i] = {c.scr.resources.get(ranges[i].buffer), ranges[i].offset,
                               ranges[i].size};
    descriptors_changed(c);
}

void set_vertex_attrib_defaults(pipe_context *ctx, const pipe_set_vertex_attrib_defaults *p,
                                const pipe_attrib_value *values) {
    context &c = ctx_of(ctx);
    for (uint32_t i = 0; i < p->count; ++i)
        if (values[i].index < PIPE_MAX_ATTRIBS)
            c.st.attribs.fill()[values[i].index] = values[i];
    ++c.st.attribs_serial;
    c.dirty |= dirty_vertex_buffers;
}

void set_pixel_pack_state(pipe_context *ctx, const pipe_set_pixel_pack_state *p) {
    ctx_of(ctx).st.pack = *p;
}

} // namespace

void fill_state_entries(pipe_context &t) {
    t.create_render_state = create_render_state;
    t.bind_render_state = bind_render_state;
    t.delete_render_state = delete_render_state;
    t.create_vertex_elements = create_vertex_elements;
    t.bind_vertex_elements = bind_vertex_elements;
    t.delete_vertex_elements = delete_vertex_elements;
    t.set_dynamic_state = set_dynamic_state;
    t.set_sample_state = set_sample_state;
    t.set_patch_state = set_patch_state;
    t.set_vertex_buffers = set_vertex_buffers;
    t.set_index_buffer = set_index_buffer;
    t.set_indirect_buffers = set_indirect_buffers;
    t.set_sampler_views = set_sampler_views;
    t.bind_sampler_states = bind_sampler_states;
    t.set_texture_params = set_texture_params;
    t.set_shader_images = set_shader_images;
    t.set_shader_buffers = set_shader_buffers;
    t.set_vertex_attrib_defaults = set_vertex_attrib_defaults;
    t.set_pixel_pack_state = set_pixel_pack_state;
}

} // namespace magma
