// SPDX-License-Identifier: MIT
// Vertex layouts and buffers on the lane's one vertex array object. Attributes that the host cannot
// fetch (doubles, packed floats, BGRA) are converted on the CPU into the upload ring for the range
// a draw needs.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "espryt_state.h"
#include "util/log.h"

namespace espryt {

namespace {

bool needs_conversion(const pipe_vertex_element &e) {
    // GL_FIXED: Mesa's llvmpipe reads zeros for it in GLES contexts.
    return e.type == PIPE_ATTRIB_DOUBLE || e.type == PIPE_ATTRIB_FIXED ||
           e.type == PIPE_ATTRIB_UINT_10F_11F_11F_REV || (e.flags & PIPE_ATTRIB_FLAG_BGRA);
}

void create_vertex_elements(pipe_context *pc, const pipe_create_vertex_elements *p,
                            const pipe_vertex_element *elements,
                            const pipe_vertex_binding *bindings) {
    context *ctx = to_context(pc);
    auto v = new vertex_elements;
    v->num_elements = std::min<uint32_t>(p->num_elements, PIPE_MAX_ATTRIBS);
    v->num_bindings = std::min<uint32_t>(p->num_bindings, PIPE_MAX_VERTEX_BUFFERS);
    std::copy_n(elements, v->num_elements, v->elements);
    std::copy_n(bindings, v->num_bindings, v->bindings);
    for (uint32_t i = 0; i < v->num_elements; i++) {
        const pipe_vertex_element &e = v->elements[i];
        if (!(e.flags & PIPE_ATTRIB_FLAG_ENABLED) || e.location >= max_host_attribs ||
            e.binding >= v->num_bindings)
            continue;
        v->enabled |= 1u << e.location;
        if (needs_conversion(e))
            v->convert |= 1u << e.location;
    }
    if (vertex_elements *old = ctx->vertex_layouts.take_slot(p->cso)) {
        if (ctx->ve == old)
            ctx->ve = nullptr;
        delete old;
    }
    if (!ctx->vertex_layouts.insert(p->cso, v))
        delete v;
}

void bind_vertex_elements(pipe_context *pc, const pipe_bind_vertex_elements *p) {
    context *ctx = to_context(pc);
    const vertex_elements *v = ctx->vertex_layouts.find(p->cso);
    ctx->ve = v;
    ctx->converts_vertices = v && v->convert;
    ctx->dirty |= dirty_elements | dirty_vertex_buffers | dirty_attribs;
}

void delete_vertex_elements(pipe_context *pc, const pipe_delete_vertex_elements *p) {
    context *ctx = to_context(pc);
    vertex_elements *v = ctx->vertex_layouts.take(p->cso);
    if (v && v == ctx->ve)
        ctx->ve = nullptr;
    delete v;
}

void set_vertex_buffers(pipe_context *pc, const pipe_set_vertex_buffers *p,
                        const pipe_vertex_buffer *buffers) {
    context *ctx = to_context(pc);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_VERTEX_BUFFERS; i++)
        ctx->vertex_buffers.fill()[p->start + i] = buffers[i];
    ctx->dirty |= dirty_vertex_buffers;
}

void set_index_buffer(pipe_context *pc, const pipe_set_index_buffer *p) {
    to_context(pc)->index_buffer = p->buffer;
}

void set_vertex_attrib_defaults(pipe_context *pc, const pipe_set_vertex_attrib_defaults *p,
                                const pipe_attrib_value *v) {
    context *ctx = to_context(pc);
    for (uint32_t i = 0; i < p->count; i++) {
        if (v[i].index < PIPE_MAX_ATTRIBS)
            ctx->attribs.fill()[v[i].index] = v[i];
    }
    ctx->dirty |= dirty_attribs;
}

void apply_default(context *ctx, unsigned i) {
    const gles *gl = ctx->gl;
    const pipe_attrib_value &v = ctx->attribs[i];
    const uint32_t *w = v.value;
    if (v.is_double) {
        double d[4];
        memcpy(d, v.value, 16);
        memcpy(d + 2, v.hi, 16);
        gl->VertexAttrib4f(i, float(d[0]), float(d[1]), float(d[2]), float(d[3]));
    } else if (v.cls == PIPE_VALUE_SINT) {
        gl->VertexAttribI4i(i, GLint(w[0]), GLint(w[1]), GLint(w[2]), GLint(w[3]));
    } else if (v.cls == PIPE_VALUE_UINT) {
        gl->VertexAttribI4ui(i, w[0], w[1], w[2], w[3]);
    } else {
        float f[4];
        memcpy(f, w, sizeof(f));
        gl->VertexAttrib4f(i, f[0], f[1], f[2], f[3]);
    }
}

float small_float(uint32_t v, unsigned mantissa) {
    uint32_t e = v >> mantissa & 31, m = v & ((1u << mantissa) - 1);
    if (e == 31)
        return m ? NAN : INFINITY;
    float f = static_cast<float>(m) / static_cast<float>(1u << mantissa);
    return e ? std::ldexp(1 + f, int(e) - 15) : std::ldexp(f, -14);
}

// One element of a type the host cannot fetch, as four floats.
void convert_element(const pipe_vertex_element &e, const uint8_t *src, float out[4]) {
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    uint32_t word;
    switch (e.type) {
    case PIPE_ATTRIB_DOUBLE:
        for (unsigned c = 0; c < e.size && c < 4; c++) {
            double d;
            memcpy(&d, src + 8 * c, 8);
            out[c] = static_cast<float>(d);
        }
        return;
    case PIPE_ATTRIB_FIXED:
        for (unsigned c = 0; c < e.size && c < 4; c++) {
            memcpy(&word, src + 4 * c, 4);
            out[c] = static_cast<float>(int32_t(word)) / 65536.0f;
        }
        return;
    case PIPE_ATTRIB_UINT_10F_11F_11F_REV:
        memcpy(&word, src, 4);
        out[0] = small_float(word & 0x7ff, 6);
        out[1] = small_float(word >> 11 & 0x7ff, 6);
        out[2] = small_float(word >> 22, 5);
        return;
    case PIPE_ATTRIB_UBYTE:
        for (unsigned c = 0; c < 4; c++)
            out[c] = src[c] / 255.0f;
        break;
    case PIPE_ATTRIB_UINT_2_10_10_10_REV:
        memcpy(&word, src, 4);
        for (unsigned c = 0; c < 3; c++)
            out[c] = static_cast<float>(word >> (10 * c) & 1023) / 1023.0f;
        out[3] = static_cast<float>(word >> 30) / 3.0f;
        break;
    case PIPE_ATTRIB_INT_2_10_10_10_REV:
        memcpy(&word, src, 4);
        for (unsigned c = 0; c < 3; c++)
            out[c] =
                std::max(-1.0f, static_cast<float>(int32_t(word << (22 - 10 * c)) >> 22) / 511.0f);
        out[3] = std::max(-1.0f, static_cast<float>(int32_t(word) >> 30));
        break;
    default: return;
    }
    if (e.flags & PIPE_ATTRIB_FLAG_BGRA)
        std::swap(out[0], out[2]);
}

unsigned element_bytes(const pipe_vertex_element &e) {
    return e.type == PIPE_ATTRIB_DOUBLE  ? 8u * e.size
           : e.type == PIPE_ATTRIB_FIXED ? 4u * e.size
                                         : 4u;
}

// The whole buffer from the binding's offset on, converted; bound at host binding point `point`.
void bind_converted(context *ctx, const pipe_vertex_element &e, unsigned point,
                    uint32_t first_instance) {
    const vertex_elements *ve = ctx->ve;
    const pipe_vertex_buffer &vb = ctx->vertex_buffers[e.binding];
    resource *r = find_resource(ctx, vb.buffer);
    unsigned divisor = ve->bindings[e.binding].divisor;
    uint64_t start = vb.offset + e.offset;
    if (!r || start + element_bytes(e) > r->desc.size) {
        ctx->sh.attrib(e.location, {});
        return;
    }
    emulated(emulation::attrib_convert);
    uint64_t left = r->desc.size - start;
    uint64_t n = vb.stride ? (left - element_bytes(e)) / vb.stride + 1 : 1;
    ctx->scratch.resize(left);
    upload_ring::slice s = ctx->ring.alloc(n * 16, 16);
    if (!s.ptr || !buffer_read(ctx, r, start, left, ctx->scratch.data())) {
        ctx->ring.done();
        ctx->sh.attrib(e.location, {});
        return;
    }
    std::vector<float> out(n * 4);
    for (uint64_t i = 0; i < n; i++)
        convert_element(e, ctx->scratch.data() + i * vb.stride, &out[i * 4]);
    memcpy(s.ptr, out.data(), n * 16);
    ctx->ring.done();
    attrib_format f;
    f.enabled = 1;
    f.binding = static_cast<uint8_t>(point);
    ctx->sh.attrib(e.location, f);
    const int64_t moved = divisor && vb.stride ? int64_t(first_instance) * 16 : 0;
    ctx->sh.vertex_buffer(point, {s.buffer, s.offset + moved, vb.stride ? 16 : 0, divisor});
}

} // namespace

void apply_vertex_state(context *ctx, uint32_t first_instance) {
    const vertex_elements *ve = ctx->ve;
    if (ve && ve->convert)
        ctx->dirty |= dirty_vertex_buffers; // the ring does not keep slices
    uint32_t enabled = 0;
    for (uint32_t i = 0; ve && i < ve->num_elements; i++) {
        const pipe_vertex_element &e = ve->elements[i];
        // An array without a buffer would make the host read address zero.
        if ((e.flags & PIPE_ATTRIB_FLAG_ENABLED) && e.location < max_host_attribs &&
            e.binding < ve->num_bindings && e.binding < max_host_attribs &&
            find_resource(ctx, ctx->vertex_buffers[e.binding].buffer))
            enabled |= 1u << e.location;
    }
    if (ctx->dirty & (dirty_elements | dirty_vertex_buffers)) {
        unsigned spare = max_host_attribs; // host points not used by the layout, from the top
        for (uint32_t i = 0; ve && i < ve->num_elements; i++) {
            const pipe_vertex_element &e = ve->elements[i];
            if (e.location >= max_host_attribs || !(enabled >> e.location & 1))
                continue;
            if (ve->convert >> e.location & 1) {
                bind_converted(ctx, e, --spare, first_instance);
                continue;
            }
            attrib_format f;
            f.enabled = 1;
            f.binding = e.binding;
            f.size = e.size;
            f.normalized = !!(e.flags & PIPE_ATTRIB_FLAG_NORMALIZED);
            f.integer = !!(e.flags & PIPE_ATTRIB_FLAG_INTEGER);
            f.type = attrib_type_of(e.type);
            f.offset = e.offset;
            ctx->sh.attrib(e.location, f);
        }
        for (unsigned i = 0; i < max_host_attribs; i++) {
            if (!(enabled >> i & 1))
                ctx->sh.attrib(i, {});
        }
        for (uint32_t i = 0; ve && i < ve->num_bindings && i < spare; i++) {
            const pipe_vertex_buffer &vb = ctx->vertex_buffers[i];
            resource *r = find_resource(ctx, vb.buffer);
            vertex_binding_state b;
            b.divisor = ve->bindings[i].divisor;
            b.stride = static_cast<int>(vb.stride);
            b.offset = static_cast<int64_t>(vb.offset);
            if (r)
                b.buffer = r->name;
            // Without base instance in the host, instanced arrays start later.
            if (first_instance && b.divisor) {
                emulated(emulation::base_instance);
                b.offset += int64_t(first_instance) * b.stride;
            }
            ctx->sh.vertex_buffer(i, b);
        }
    }
    if (ctx->dirty & (dirty_attribs | dirty_elements)) {
        for (unsigned i = 0; i < max_host_attribs; i++) {
            if (!(enabled >> i & 1))
                apply_default(ctx, i);
        }
    }
}

void init_vertex_functions(screen *, context *c) {
    if (!c)
        return;
    c->create_vertex_elements = create_vertex_elements;
    c->bind_vertex_elements = bind_vertex_elements;
    c->delete_vertex_elements = delete_vertex_elements;
    c->set_vertex_buffers = set_vertex_buffers;
    c->set_index_buffer = set_index_buffer;
    c->set_vertex_attrib_defaults = set_vertex_attrib_defaults;
}

} // namespace espryt
