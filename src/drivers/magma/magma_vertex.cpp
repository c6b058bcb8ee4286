// SPDX-License-Identifier: MIT
// Vertex input: which arrays the program reads, from which buffers, and the current values of the
// rest.
#include "magma_pipeline.h"

#include "magma_context.h"
#include "magma_vertex_convert.h"
#include "util/hash.h"
#include "util/log.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace magma {

namespace {

constexpr uint8_t defaults_slot = 0xff;
constexpr uint32_t double_area = PIPE_MAX_ATTRIBS * 16;

bool usable(host_device &dev, VkFormat format) {
    if (format == VK_FORMAT_UNDEFINED)
        return false;
    VkFormatProperties props;
    dev.vk.GetPhysicalDeviceFormatProperties(dev.physical, format, &props);
    return props.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT;
}

uint8_t vulkan_binding(vertex_input &in, const context &c, const vertex_elements &layout,
                       uint8_t slot) {
    for (size_t i = 0; i < in.slots.size(); ++i)
        if (in.slots[i] == slot)
            return uint8_t(i);
    VkVertexInputBindingDescription b = {};
    b.binding = uint32_t(in.slots.size());
    uint32_t divisor = 0;
    if (slot != defaults_slot) {
        b.stride = c.st.vertex_buffers[slot].buffer ? c.st.vertex_buffers[slot].stride : 0;
        divisor = slot < layout.bindings.size() ? layout.bindings[slot].divisor : 0;
    }
    b.inputRate = divisor ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX;
    if (divisor > 1) {
        // Without the extension plan_array() saw to it.
        in.divisors.push_back({b.binding, std::min(divisor, c.dev.max_vertex_divisor)});
    }
    in.bindings.push_back(b);
    in.slots.push_back(slot);
    return uint8_t(b.binding);
}

void add_default(context &c, vertex_input &in, const vertex_elements &layout, uint32_t location,
                 const program &p) {
    VkVertexInputAttributeDescription a = {};
    a.location = location;
    a.binding = vulkan_binding(in, c, layout, defaults_slot);
    if (p.input_double & 1u << location) {
        a.format = VK_FORMAT_R64G64_SFLOAT;
        a.offset = double_area + location * 32;
    } else {
        static const VkFormat formats[] = {VK_FORMAT_R32G32B32A32_SFLOAT,
                                           VK_FORMAT_R32G32B32A32_SINT,
                                           VK_FORMAT_R32G32B32A32_UINT};
        a.format = formats[p.input_class[location] % 3];
        a.offset = location * 16;
    }
    in.attributes.push_back(a);
}

// Equal contents get equal numbers, for the pipeline key.
uint32_t intern(const vertex_input &in) {
    static std::mutex mutex;
    static auto *known = new std::unordered_map<util::Hash128, uint32_t>;
    util::Hasher h;
    h.value(uint32_t(in.bindings.size()));
    h.add(in.bindings.data(), in.bindings.size() * sizeof in.bindings[0]);
    h.add(in.attributes.data(), in.attributes.size() * sizeof in.attributes[0]);
    h.add(in.divisors.data(), in.divisors.size() * sizeof in.divisors[0]);
    std::lock_guard lock(mutex);
    return known->emplace(h.finish128(), uint32_t(known->size() + 1)).first->second;
}

} // namespace

void build_vertex_input(context &c, vertex_input &out) {
    static const vertex_elements empty = {};
    const vertex_elements &layout = c.st.layout ? *c.st.layout : empty;
    const program &p = *c.st.draw_program;
    out.bindings.clear();
    out.divisors.clear();
    out.attributes.clear();
    out.slots.clear();
    out.converted.clear();
    uint32_t left = p.input_mask;
    for (const pipe_vertex_element &e : layout.elements) {
        if (e.location >= PIPE_MAX_ATTRIBS || !(left & 1u << e.location) ||
            !(e.flags & PIPE_ATTRIB_FLAG_ENABLED) || e.binding >= PIPE_MAX_VERTEX_BUFFERS)
            continue;
        const VkFormat format = vertex_format(e.type, e.size, e.flags);
        const array_plan plan =
            plan_array(c, layout, e, usable(c.dev, format) ? format : VK_FORMAT_UNDEFINED);
        if (!plan.direct()) {
            if (convert_array(c, out, layout, e, plan))
                left &= ~(1u << e.location);
            else
                log_warning_once(
                    "magma", "vertex attribute type %u size %u flags %u is not there on this host",
                    e.type, e.size, e.flags);
            continue;
        }
        left &= ~(1u << e.location);
        VkVertexInputAttributeDescription a = {};
        a.location = e.location;
        a.binding = vulkan_binding(out, c, layout, e.binding);
        a.format = format;
        a.offset = e.offset;
        out.attributes.push_back(a);
    }
    for (uint32_t location = 0; left; ++location, left >>= 1)
        if (left & 1)
            add_default(c, out, layout, location, p);
    if (!c.dev.has.vertex_input_dynamic)
        out.id = intern(out);
    c.input_recorded = false;
}

namespace {

void record_layout(context &c) {
    const vertex_input &in = c.input;
    VkVertexInputBindingDescription2EXT bindings[PIPE_MAX_VERTEX_BUFFERS + 1];
    VkVertexInputAttributeDescription2EXT attributes[PIPE_MAX_ATTRIBS];
    for (size_t i = 0; i < in.bindings.size(); ++i) {
        bindings[i] = {VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT};
        bindings[i].binding = in.bindings[i].binding;
        bindings[i].stride = in.bindings[i].stride;
        bindings[i].inputRate = in.bindings[i].inputRate;
        bindings[i].divisor = 1;
        for (const auto &d : in.divisors)
            if (d.binding == bindings[i].binding)
                bindings[i].divisor = d.divisor;
    }
    for (size_t i = 0; i < in.attributes.size(); ++i) {
        attributes[i] = {VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT};
        attributes[i].location = in.attributes[i].location;
        attributes[i].binding = in.attributes[i].binding;
        attributes[i].format = in.attributes[i].format;
        attributes[i].offset = in.attributes[i].offset;
    }
    c.dev.vk.CmdSetVertexInput(c.rec.main_raw(), uint32_t(in.bindings.size()), bindings,
                               uint32_t(in.attributes.size()), attributes);
}

// The current attribute values as a vertex buffer; uploaded again when one changed or in a new
// batch.
upload_slice defaults(context &c) {
    if (c.defaults_serial == c.st.attribs_serial && c.defaults_batch == c.rec.serial())
        return c.defaults_slice;
    upload_slice s = c.rec.upload(double_area + PIPE_MAX_ATTRIBS * 32, 16);
    if (!s.map)
        return s;
    for (uint32_t i = 0; i < PIPE_MAX_ATTRIBS; ++i) {
        const pipe_attrib_value &v = c.st.attribs[i];
        memcpy(s.map + 16 * i, v.value, 16);
        memcpy(s.map + double_area + 32 * i, v.value, 16);
        memcpy(s.map + double_area + 32 * i + 16, v.hi, 16);
    }
    c.defaults_slice = s;
    c.defaults_serial = c.st.attribs_serial;
    c.defaults_batch = c.rec.serial();
    return s;
}

} // namespace

bool emit_vertex_input(context &c) {
    if (c.dev.has.vertex_input_dynamic && !c.input_recorded)
        record_layout(c);
    c.input_recorded = true;
    const vertex_input &in = c.input;
    if (in.slots.empty())
        return true;
    constexpr uint32_t most = PIPE_MAX_VERTEX_BUFFERS + 1;
    const uint32_t count = uint32_t(in.slots.size());
    struct {
        VkBuffer buffers[most];
        VkDeviceSize offsets[most];
    } bound = {};
    static_assert(sizeof bound <= recorded_state::max_bytes);
    VkBuffer *buffers = bound.buffers;
    VkDeviceSize *offsets = bound.offsets;
    for (size_t i = 0; i < in.slots.size(); ++i) {
        if (in.slots[i] != defaults_slot && in.slots[i] >= converted_slots) {
            const std::vector<uint8_t> &data = in.converted[in.slots[i] - converted_slots].data;
            upload_slice s = c.rec.upload(data.size(), 16);
            if (!s.map)
                return false;
            memcpy(s.map, data.data(), data.size());
            buffers[i] = s.buffer;
            offsets[i] = s.offset;
            continue;
        }
        const vertex_buffer_slot *slot =
            in.slots[i] == defaults_slot ? nullptr : &c.st.vertex_buffers[in.slots[i]];
        if (slot && slot->buffer && slot->buffer->store &&
            slot->offset < slot->buffer->st()->size) {
            buffers[i] = slot->buffer->st()->buffer;
            offsets[i] = slot->offset;
            continue;
        }
        upload_slice s = slot ? zeros(c, 4096) : defaults(c);
        if (!s.map)
            return false;
        buffers[i] = s.buffer;
        offsets[i] = s.offset;
    }
    if (c.recorded.differs(recorded_state::vertex_buffers, bound))
        c.dev.vk.CmdBindVertexBuffers(c.rec.main_raw(), 0, count, buffers, offsets);
    return true;
}

} // namespace magma
