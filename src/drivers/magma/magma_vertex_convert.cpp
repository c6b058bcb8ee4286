// SPDX-License-Identifier: MIT
// Conversion of vertex arrays on the CPU.
#include "magma_vertex_convert.h"

#include "magma_context.h"
#include "magma_transfer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace magma {

namespace {

uint32_t component_bytes(uint8_t type) {
    switch (type) {
    case PIPE_ATTRIB_BYTE:
    case PIPE_ATTRIB_UBYTE: return 1;
    case PIPE_ATTRIB_SHORT:
    case PIPE_ATTRIB_USHORT:
    case PIPE_ATTRIB_HALF: return 2;
    case PIPE_ATTRIB_DOUBLE: return 8;
    case PIPE_ATTRIB_FLOAT:
    case PIPE_ATTRIB_FIXED:
    case PIPE_ATTRIB_INT:
    case PIPE_ATTRIB_UINT: return 4;
    default: return 0; // packed types
    }
}

template <class T> T fetch(const uint8_t *p) {
    T v;
    memcpy(&v, p, sizeof v);
    return v;
}

float half_to_float(uint16_t h) {
    const float sign = h & 0x8000 ? -1.0f : 1.0f;
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    return sign * (exponent ? std::ldexp(float(mantissa + 1024), exponent - 25)
                            : std::ldexp(float(mantissa), -24));
}

float component(const pipe_vertex_element &e, const uint8_t *p) {
    const bool norm = e.flags & PIPE_ATTRIB_FLAG_NORMALIZED;
    auto snorm = [&](double v, double top) { return float(norm ? std::max(v / top, -1.0) : v); };
    auto unorm = [&](double v, double top) { return float(norm ? v / top : v); };
    switch (e.type) {
    case PIPE_ATTRIB_DOUBLE: return float(fetch<double>(p));
    case PIPE_ATTRIB_HALF: return half_to_float(fetch<uint16_t>(p));
    case PIPE_ATTRIB_FIXED: return float(fetch<int32_t>(p)) / 65536.0f;
    case PIPE_ATTRIB_INT: return snorm(fetch<int32_t>(p), 2147483647.0);
    case PIPE_ATTRIB_UINT: return unorm(fetch<uint32_t>(p), 4294967295.0);
    case PIPE_ATTRIB_BYTE: return snorm(fetch<int8_t>(p), 127.0);
    case PIPE_ATTRIB_UBYTE: return unorm(fetch<uint8_t>(p), 255.0);
    case PIPE_ATTRIB_SHORT: return snorm(fetch<int16_t>(p), 32767.0);
    case PIPE_ATTRIB_USHORT: return unorm(fetch<uint16_t>(p), 65535.0);
    default: return fetch<float>(p);
    }
}

int32_t integer(const pipe_vertex_element &e, const uint8_t *p) {
    switch (e.type) {
    case PIPE_ATTRIB_BYTE: return fetch<int8_t>(p);
    case PIPE_ATTRIB_UBYTE: return fetch<uint8_t>(p);
    case PIPE_ATTRIB_SHORT: return fetch<int16_t>(p);
    case PIPE_ATTRIB_USHORT: return fetch<uint16_t>(p);
    default: return fetch<int32_t>(p);
    }
}

bool is_signed(uint8_t type) {
    return type == PIPE_ATTRIB_BYTE || type == PIPE_ATTRIB_SHORT || type == PIPE_ATTRIB_INT;
}

// Bytes of one element in the client's buffer; packed types have four.
uint32_t element_bytes(const pipe_vertex_element &e) {
    const uint32_t each = component_bytes(e.type);
    return each ? each * e.size : 4;
}

// Four components of 32 bits from one element.
void widen(const pipe_vertex_element &e, const uint8_t *from, uint8_t *to) {
    const uint32_t bytes = component_bytes(e.type);
    for (uint32_t k = 0; k < 4; ++k) {
        const bool there = k < e.size;
        if (e.flags & PIPE_ATTRIB_FLAG_INTEGER) {
            const int32_t v = there ? integer(e, from + k * bytes) : k == 3;
            memcpy(to + 4 * k, &v, 4);
        } else {
            const bool swapped = e.flags & PIPE_ATTRIB_FLAG_BGRA && k != 1 && k != 3;
            const uint32_t source = swapped ? 2 - k : k;
            const float v = there ? component(e, from + source * bytes) : k == 3 ? 1.0f : 0.0f;
            memcpy(to + 4 * k, &v, 4);
        }
    }
}

uint32_t divisor_of(const vertex_elements &layout, uint8_t binding) {
    return binding < layout.bindings.size() ? layout.bindings[binding].divisor : 0;
}

} // namespace

array_plan plan_array(const context &c, const vertex_elements &layout, const pipe_vertex_element &e,
                      VkFormat format) {
    array_plan plan;
    plan.format = format;
    const uint32_t bytes = component_bytes(e.type), align = bytes ? bytes : 4;
    const vertex_buffer_slot &slot = c.st.vertex_buffers[e.binding];
    plan.moved = (slot.offset + e.offset) % align || slot.stride % align ||
                 c.dev.forced(emulation::attrib_align);
    // Packed and 64-bit values have no wider form here.
    const bool widens = bytes && !(e.flags & PIPE_ATTRIB_FLAG_LONG);
    plan.converted =
        format == VK_FORMAT_UNDEFINED || (widens && c.dev.forced(emulation::attrib_convert));
    if (plan.converted)
        plan.format = !widens                                 ? VK_FORMAT_UNDEFINED
                      : !(e.flags & PIPE_ATTRIB_FLAG_INTEGER) ? VK_FORMAT_R32G32B32A32_SFLOAT
                      : is_signed(e.type)                     ? VK_FORMAT_R32G32B32A32_SINT
                                                              : VK_FORMAT_R32G32B32A32_UINT;
    const uint32_t divisor = divisor_of(layout, e.binding);
    if (divisor > 1 && !c.dev.has.attribute_divisor)
        plan.repeat = divisor;
    return plan;
}

bool convert_array(context &c, vertex_input &in, const vertex_elements &layout,
                   const pipe_vertex_element &e, const array_plan &plan) {
    const vertex_buffer_slot &slot = c.st.vertex_buffers[e.binding];
    const uint32_t size = element_bytes(e);
    if (plan.format == VK_FORMAT_UNDEFINED || !slot.buffer || !slot.buffer->store ||
        in.converted.size() >= PIPE_MAX_ATTRIBS)
        return false;
    const uint64_t start = slot.offset + e.offset, have = slot.buffer->st()->size;
    if (start + size > have)
        return false;
    const uint64_t count = slot.stride ? (have - start - size) / slot.stride + 1 : 1;
    constexpr uint64_t most = 1u << 24;
    if (count * plan.repeat > most)
        return false;
    std::vector<uint8_t> raw(have - start);
    if (!read_buffer(c, *slot.buffer, start, raw.size(), raw.data()))
        return false;
    const uint32_t stride = plan.converted ? 16 : (size + 7) & ~7u;
    converted_array out;
    out.data.resize(count * plan.repeat * stride);
    uint8_t *to = out.data.data();
    for (uint64_t n = 0; n < count; ++n) {
        const uint8_t *from = raw.data() + n * slot.stride;
        for (uint32_t k = 0; k < plan.repeat; ++k, to += stride) {
            if (plan.converted)
                widen(e, from, to);
            else
                memcpy(to, from, size);
        }
    }
    if (plan.converted)
        emulated(emulation::attrib_convert);
    else if (plan.moved)
        emulated(emulation::attrib_align);
    if (plan.repeat > 1)
        emulated(emulation::attrib_divisor);
    const uint32_t divisor = divisor_of(layout, e.binding);
    VkVertexInputBindingDescription b = {};
    b.binding = uint32_t(in.slots.size());
    b.stride = slot.stride ? stride : 0;
    b.inputRate = divisor ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX;
    if (divisor > 1 && plan.repeat == 1)
        in.divisors.push_back({b.binding, std::min(divisor, c.dev.max_vertex_divisor)});
    in.bindings.push_back(b);
    in.slots.push_back(uint8_t(converted_slots + in.converted.size()));
    in.converted.push_back(std::move(out));
    in.attributes.push_back({e.location, b.binding, plan.format, 0});
    return true;
}

} // namespace magma
