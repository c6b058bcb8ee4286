// SPDX-License-Identifier: MIT
// From slots to descriptors.
#include "magma_descriptors.h"

#include "magma_context.h"
#include "magma_dummy.h"
#include "magma_image.h"
#include "magma_trash.h"
#include "util/log.h"

#include <algorithm>
#include <cstring>

namespace magma {

namespace {

uint32_t unit_of(const program &p, const program_binding &b, uint32_t element) {
    const std::vector<uint16_t> &units = p.units[b.cls];
    uint32_t slot = b.slot + element;
    return slot < units.size() ? units[slot] : 0;
}

const buffer_slot *buffer_of(const context &c, const program &p, const program_binding &b,
                             uint32_t element) {
    static const uint8_t cls[] = {0, PIPE_BUFFER_CLASS_UNIFORM, 0, PIPE_BUFFER_CLASS_STORAGE,
                                  0, PIPE_BUFFER_CLASS_ATOMIC};
    uint32_t unit = unit_of(p, b, element);
    if (unit >= PIPE_MAX_INDEXED_BUFFERS)
        return nullptr;
    const buffer_slot &s = c.st.buffers[cls[b.cls]][unit];
    if (!s.buffer || !s.buffer->store || s.offset >= s.buffer->st()->size)
        return nullptr;
    return &s;
}

texture_unit *texture_of(context &c, const program &p, const program_binding &b, uint32_t element) {
    uint32_t unit = unit_of(p, b, element);
    return unit < PIPE_MAX_TEXTURE_UNITS ? &c.st.units[unit] : nullptr;
}

image_slot *image_of(context &c, const program &p, const program_binding &b, uint32_t element) {
    uint32_t unit = unit_of(p, b, element);
    return unit < PIPE_MAX_IMAGE_UNITS ? &c.st.images[unit] : nullptr;
}

bool is_attachment(const context &c, const storage *s) {
    const framebuffer *fb = c.st.draw_fb.get().get();
    if (!fb)
        return false;
    auto same = [&](const attachment &a) { return a && a.texture->st() == s; };
    for (const attachment &a : fb->color)
        if (same(a))
            return true;
    return same(fb->depth) || same(fb->stencil);
}

// The storage behind one descriptor and how it is used; null: nothing bound.
storage *use_of(context &c, program &p, const program_binding &b, uint32_t element, bool compute,
                access &a) {
    switch (b.cls) {
    case PIPE_SLOT_UNIFORM_BLOCK: {
        const buffer_slot *s = buffer_of(c, p, b, element);
        a = access_uniform(c.dev);
        return s ? s->buffer->st() : nullptr;
    }
    case PIPE_SLOT_STORAGE_BLOCK:
    case PIPE_SLOT_ATOMIC_BUFFER: {
        const buffer_slot *s = buffer_of(c, p, b, element);
        a = access_shader_storage(c.dev, b.writes);
        return s ? s->buffer->st() : nullptr;
    }
    case PIPE_SLOT_SAMPLER: {
        texture_unit *u = texture_of(c, p, b, element);
        if (!u || !u->view || !u->view->texture)
            return nullptr;
        if (storage *copy = compute ? nullptr : c.feedback.store_of(*u->view.get())) {
            a = access_sampled(c.dev, copy);
            return copy;
        }
        resource &t = *u->view->texture;
        storage *s = t.is_texture_buffer() ? (t.owner ? t.owner->st() : nullptr) : t.st();
        if (s && s->is_image() && !compute && is_attachment(c, s) && !s->general.exchange(true))
            c.dirty |= dirty_descriptors;
        a = access_sampled(c.dev, s);
        return s;
    }
    case PIPE_SLOT_IMAGE: {
        image_slot *i = image_of(c, p, b, element);
        if (!i || !i->texture)
            return nullptr;
        resource &t = *i->texture.get();
        storage *s = t.is_texture_buffer() ? (t.owner ? t.owner->st() : nullptr) : t.st();
        if (s && s->is_image() && !s->general.exchange(true))
            c.dirty |= dirty_descriptors;
        a = access_shader_storage(c.dev, b.writes);
        return s;
    }
    default: return nullptr;
    }
}

// Copies of what the draw samples and draws to. False: an open pass has to end first.
bool copy_feedback(context &c, program &p) {
    if (c.dev.has.feedback_loops)
        return true;
    c.feedback.begin();
    for (const program_binding &b : p.bindings)
        for (uint32_t e = 0; b.cls == PIPE_SLOT_SAMPLER && e < b.count; ++e) {
            const texture_unit *u = texture_of(c, p, b, e);
            if (u && u->view && feedback_copies::needed(c, *u->view.get()) &&
                !c.feedback.add(c, u->view.get()))
                return false;
        }
    if (c.feedback.end())
        c.dirty |= dirty_descriptors;
    return true;
}

template <class F> bool each_use(context &c, program &p, bool compute, F &&f) {
    for (const program_binding &b : p.bindings)
        for (uint32_t e = 0; e < b.count; ++e) {
            access a;
            if (storage *s = use_of(c, p, b, e, compute, a))
                if (!f(*s, a))
                    return false;
        }
    if (compute)
        return true;
    for (uint8_t slot : c.input.slots)
        if (slot < 0x80 && c.st.vertex_buffers[slot].buffer &&
            c.st.vertex_buffers[slot].buffer->store)
            if (!f(*c.st.vertex_buffers[slot].buffer->st(), access_vertex()))
                return false;
    if (c.st.index_buffer && c.st.index_buffer->store)
        if (!f(*c.st.index_buffer->st(), access_index()))
            return false;
    if (c.capture && !c.capture->paused) {
        for (uint32_t i = 0; i < c.capture->count; ++i)
            if (c.capture->targets[i].buffer && c.capture->targets[i].buffer->store)
                if (!f(*c.capture->targets[i].buffer->st(), access_capture(false)))
                    return false;
        if (c.capture->counters && !f(*c.capture->counters.get(), access_capture(true)))
            return false;
    }
    return true;
}

bool fill_buffer(context &c, const program &p, const program_binding &b, uint32_t element,
                 descriptor_value &v) {
    const VkPhysicalDeviceLimits &limits = c.dev.props.limits;
    const bool uniform = b.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    if (const buffer_slot *s = buffer_of(c, p, b, element)) {
        uint64_t have = s->buffer->st()->size - s->offset;
        uint64_t size = std::min(s->size, have);
        size = std::min<uint64_t>(size, uniform ? limits.maxUniformBufferRange
                                                : limits.maxStorageBufferRange);
        if (size) {
            v.buffer = {s->buffer->st()->buffer, s->offset, size};
            return true;
        }
    }
    upload_slice z = zeros(c, 16384);
    v.buffer = {z.buffer, z.offset, 16384};
    return z.map != nullptr;
}

bool fill_globals(context &c, const program &p, descriptor_state &state, descriptor_value &v) {
    uploaded_globals &g = state.globals[p.serial % std::size(state.globals)];
    if (g.owner != p.serial || g.serial != p.globals_serial || g.batch != c.rec.serial()) {
        VkDeviceSize size = std::max<size_t>(p.globals->size(), 16);
        g.slice = c.rec.upload(
            size, std::max<VkDeviceSize>(c.dev.props.limits.minUniformBufferOffsetAlignment, 16));
        g.owner = 0;
        if (!g.slice.map)
            return false;
        memcpy(g.slice.map, p.globals->data(), p.globals->size());
        g.owner = p.serial;
        g.serial = p.globals_serial;
        g.batch = c.rec.serial();
    }
    VkDeviceSize range = std::min<VkDeviceSize>(std::max<size_t>(p.globals->size(), 16),
                                                c.dev.props.limits.maxUniformBufferRange);
    v.buffer = {g.slice.buffer, g.slice.offset, range};
    return true;
}

// The sampler of a unit: its own, else the texture's; null: none.
sampler *sampler_of(texture_unit *u) {
    if (!u)
        return nullptr;
    sampler *s = u->own.get().get();
    const sampler_view *view = u->view.get().get();
    return !s && view && view->texture ? view->texture->own_sampler.get().get() : s;
}

// Whether the module swizzles what it gets from the view; else the host does.
bool is_turned(const context &c, program &p, const sampler_view &v, const sampler *s) {
    if (c.dev.has.border_swizzle || !s || p.has_stage(PIPE_SHADER_COMPUTE))
        return false;
    return swizzle_in_shader(v, s->state) && can_turn_lookups(p);
}

bool fill_sampler(context &c, program &p, const program_binding &b, uint32_t element,
                  descriptor_value &v) {
    texture_unit *u = texture_of(c, p, b, element);
    const bool texel = b.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    sampler_view *view = u ? u->view.get().get() : nullptr;
    sampler *s = sampler_of(u);
    const uint32_t form = view ? form_of(*view, s, is_turned(c, p, *view, s)) : 0;
    if (view && view->texture && view->texture->is_texture_buffer() == texel &&
        ready_view(*view, form)) {
        if (texel) {
            v.texel = view->buffer_view;
            return true;
        }
        v.image.sampler = s ? host_sampler(*s, *view) : dummy_sampler(c);
        const storage *copy =
            p.has_stage(PIPE_SHADER_COMPUTE) ? nullptr : c.feedback.store_of(*view);
        if (copy) {
            v.image.imageView = c.feedback.view_of(*view, form);
            v.image.imageLayout = access_sampled(c.dev, copy).layout;
            return v.image.imageView && v.image.sampler;
        }
        v.image.imageView = view->views[form];
        v.image.imageLayout = access_sampled(c.dev, view->texture->st()).layout;
        return v.image.imageView && v.image.sampler;
    }
    if (texel) {
        v.texel = dummy_texel_buffer(c, b.value_class);
        return v.texel != VK_NULL_HANDLE;
    }
    v.image = dummy_image(c, b);
    return v.image.imageView != VK_NULL_HANDLE;
}

bool fill_image(context &c, program &p, const program_binding &b, uint32_t element,
                descriptor_value &v) {
    image_slot *i = image_of(c, p, b, element);
    const bool texel = b.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    if (i && i->texture && i->texture->is_texture_buffer() == texel && ready_image(c, *i, b)) {
        if (texel)
            v.texel = i->buffer_view;
        else
            v.image = {VK_NULL_HANDLE, i->view, VK_IMAGE_LAYOUT_GENERAL};
        return true;
    }
    if (texel) {
        v.texel = dummy_texel_buffer(c, b.value_class);
        return v.texel != VK_NULL_HANDLE;
    }
    v.image = dummy_image(c, b);
    return v.image.imageView != VK_NULL_HANDLE;
}

bool fill(context &c, program &p, descriptor_state &state, const program_binding &b,
          uint32_t element, descriptor_value &v) {
    v = {};
    switch (b.cls) {
    case PIPE_SLOT_GLOBALS: return fill_globals(c, p, state, v);
    case PIPE_SLOT_SAMPLER: return fill_sampler(c, p, b, element, v);
    case PIPE_SLOT_IMAGE: return fill_image(c, p, b, element, v);
    default: return fill_buffer(c, p, b, element, v);
    }
}

// Points into `values`, which stay; an array is gathered first.
void add_write(descriptor_state &state, const program_binding &b, uint32_t at) {
    const descriptor_value *values = &state.values[at];
    VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    w.dstBinding = b.binding;
    w.descriptorCount = b.count;
    w.descriptorType = b.type;
    w.pImageInfo = &values->image;
    w.pBufferInfo = &values->buffer;
    w.pTexelBufferView = &values->texel;
    if (b.count > 1) {
        for (uint32_t i = 0; i < b.count; ++i) {
            state.images[at + i] = values[i].image;
            state.buffers[at + i] = values[i].buffer;
            state.texels[at + i] = values[i].texel;
        }
        w.pImageInfo = &state.images[at];
        w.pBufferInfo = &state.buffers[at];
        w.pTexelBufferView = &state.texels[at];
    }
    state.writes.push_back(w);
}

bool emit_pool_set(context &c, program &p, descriptor_state &state, VkPipelineBindPoint point) {
    VkDescriptorSet set = allocate_set(c, p.layout->sets[1]);
    if (!set) {
        state.layout.reset();
        return false;
    }
    state.writes.clear();
    uint32_t at = 0;
    for (const program_binding &b : p.bindings) {
        if (b.set == 1) {
            add_write(state, b, at);
            state.writes.back().dstSet = set;
        }
        at += b.count;
    }
    c.dev.vk.UpdateDescriptorSets(c.dev.device, uint32_t(state.writes.size()), state.writes.data(),
                                  0, nullptr);
    c.dev.vk.CmdBindDescriptorSets(c.rec.main_raw(), point, p.layout->pipeline, 1, 1, &set, 0,
                                   nullptr);
    return true;
}

} // namespace

VkDescriptorSet allocate_set(context &c, VkDescriptorSetLayout layout) {
    VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    attempt full; // a full pool is no failure
    for (bool fresh : {false, true}) {
        info.descriptorPool = c.rec.descriptor_pool(fresh);
        VkDescriptorSet set = VK_NULL_HANDLE;
        if (info.descriptorPool &&
            VK_TRY(&c.dev, AllocateDescriptorSets(c.dev.device, &info, &set)) == VK_SUCCESS) {
            full.got_by();
            return set;
        }
    }
    return VK_NULL_HANDLE;
}

upload_slice zeros(context &c, VkDeviceSize size) {
    constexpr VkDeviceSize bytes = 16384;
    (void)size;
    if (c.zero_batch == c.rec.serial() && c.zero_slice.map)
        return c.zero_slice;
    c.zero_slice = c.rec.upload(bytes, 256);
    if (c.zero_slice.map)
        memset(c.zero_slice.map, 0, bytes);
    c.zero_batch = c.rec.serial();
    return c.zero_slice;
}

bool use_bound(context &c, program &p, bool compute, bool may_break) {
    if (!compute && !copy_feedback(c, p))
        return false;
    if (!may_break) {
        bool free = each_use(c, p, compute, [&](storage &s, const access &a) {
            return !c.rec.uses.breaks_pass(s, a);
        });
        if (!free)
            return false;
    }
    each_use(c, p, compute, [&](storage &s, const access &a) {
        c.rec.use(s, a);
        return true;
    });
    return true;
}

void follow_borders(context &c, program &p) {
    c.border_scratch.clear();
    for (const program_binding &b : p.bindings) {
        if (b.cls != PIPE_SLOT_SAMPLER || b.type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
            continue;
        for (uint32_t e = 0; e < b.count; ++e) {
            texture_unit *u = texture_of(c, p, b, e);
            const sampler *s = sampler_of(u);
            if (!s || !u->view || !u->view->texture)
                continue;
            const bool turned = is_turned(c, p, *u->view, s);
            if (turned)
                emulated(emulation::border_swizzle);
            else if (border_in_shader(c.dev, s->state))
                emulated(emulation::border_color);
            else
                continue;
            c.border_scratch.push_back(turned ? turned_border(*u->view, b.slot + e)
                                              : border_of(*u->view, s->state, b.slot + e));
        }
    }
    const uint32_t number = intern_borders(p, c.border_scratch);
    if (number != c.borders)
        c.dirty |= dirty_pipeline;
    c.borders = number;
}

bool emit_descriptors(context &c, program &p, VkPipelineBindPoint point) {
    const bool compute = point == VK_PIPELINE_BIND_POINT_COMPUTE;
    descriptor_state &state = c.descriptors[compute];
    const bool fresh = state.layout != p.layout || state.batch != c.rec.serial();
    if (fresh) {
        state.values.assign(p.descriptor_count, {});
        state.images.resize(p.descriptor_count);
        state.buffers.resize(p.descriptor_count);
        state.texels.resize(p.descriptor_count);
    }
    state.writes.clear();
    bool pool_changed = false, has_pool = false;
    uint32_t at = 0;
    for (const program_binding &b : p.bindings) {
        has_pool |= b.set == 1;
        bool changed = fresh;
        for (uint32_t e = 0; e < b.count; ++e) {
            descriptor_value v;
            if (!fill(c, p, state, b, e, v))
                return false;
            if (!fresh && !memcmp(&v, &state.values[at + e], sizeof v))
                continue;
            state.values[at + e] = v;
            changed = true;
        }
        // An array is pushed whole: not every host gets a push into the middle of one right.
        if (changed && b.set == 0)
            add_write(state, b, at);
        else if (changed)
            pool_changed = true;
        at += b.count;
    }
    state.layout = p.layout;
    state.batch = c.rec.serial();
    if (!state.writes.empty())
        c.dev.vk.CmdPushDescriptorSet(c.rec.main_raw(), point, p.layout->pipeline, 0,
                                      uint32_t(state.writes.size()), state.writes.data());
    return !has_pool || (!pool_changed && !fresh) || emit_pool_set(c, p, state, point);
}

} // namespace magma
