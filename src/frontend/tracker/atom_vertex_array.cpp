// SPDX-License-Identifier: MIT
// Vertex layout (a CSO), vertex buffers, index buffer and current attribute values. Only what the
// bound program reads counts.
#include "tracker/atoms.h"

#include <algorithm>

namespace st {

static uint8_t attrib_type(GLenum type) {
    switch (type) {
    case GL_HALF_FLOAT: return PIPE_ATTRIB_HALF;
    case GL_DOUBLE: return PIPE_ATTRIB_DOUBLE;
    case GL_FIXED: return PIPE_ATTRIB_FIXED;
    case GL_BYTE: return PIPE_ATTRIB_BYTE;
    case GL_UNSIGNED_BYTE: return PIPE_ATTRIB_UBYTE;
    case GL_SHORT: return PIPE_ATTRIB_SHORT;
    case GL_UNSIGNED_SHORT: return PIPE_ATTRIB_USHORT;
    case GL_INT: return PIPE_ATTRIB_INT;
    case GL_UNSIGNED_INT: return PIPE_ATTRIB_UINT;
    case GL_INT_2_10_10_10_REV: return PIPE_ATTRIB_INT_2_10_10_10_REV;
    case GL_UNSIGNED_INT_2_10_10_10_REV: return PIPE_ATTRIB_UINT_2_10_10_10_REV;
    case GL_UNSIGNED_INT_10F_11F_11F_REV: return PIPE_ATTRIB_UINT_10F_11F_11F_REV;
    }
    return PIPE_ATTRIB_FLOAT;
}

static VertexElementsKey layout(const gl::VertexArray &vao, uint32_t inputs) {
    VertexElementsKey key{};
    for (unsigned i : util::bits(inputs & vao.enabled)) {
        const gl::VertexAttrib &a = vao.attrib[i];
        pipe_vertex_element &e = key.elements[key.num_elements++];
        e.location = uint8_t(i);
        e.binding = a.binding;
        e.type = attrib_type(a.type);
        e.size = a.size;
        e.flags =
            uint8_t(PIPE_ATTRIB_FLAG_ENABLED | (a.normalized ? PIPE_ATTRIB_FLAG_NORMALIZED : 0) |
                    (a.integer ? PIPE_ATTRIB_FLAG_INTEGER : 0) |
                    (a.long_ ? PIPE_ATTRIB_FLAG_LONG : 0) | (a.bgra ? PIPE_ATTRIB_FLAG_BGRA : 0));
        e.offset = a.relative_offset;
        const gl::VertexBinding &b = vao.binding[a.binding];
        key.bindings[a.binding] = pipe_vertex_binding{uint32_t(b.stride), b.divisor};
        key.num_bindings = std::max(key.num_bindings, uint32_t(a.binding) + 1);
    }
    return key;
}

static VertexElementsCache::Entry *find_elements(Tracker &t, const VertexElementsKey &key) {
    const uint64_t hash = VertexElementsCache::hash(key);
    if (auto *e = t.find_cso ? t.vertex_elements_cache.find(key, hash) : nullptr)
        return e;
    pipe_create_vertex_elements p{};
    p.cso = to_pipe(t.vertex_elements.mint());
    p.num_elements = key.num_elements;
    p.num_bindings = key.num_bindings;
    t.lane.emit<&pipe_context::create_vertex_elements>(&p, key.elements, key.bindings);
    stat_cso_creates.add();
    const uint64_t over = t.vertex_elements_cache.over_capacity();
    auto *e = t.vertex_elements_cache.insert(key, hash, p.cso, [&t](pipe_handle h) {
        pipe_delete_vertex_elements d{h};
        t.lane.emit<&pipe_context::delete_vertex_elements>(&d);
        t.vertex_elements.release(to_slot(h));
    });
    stat_cso_over_capacity.add(t.vertex_elements_cache.over_capacity() - over);
    return e;
}

// The layout of a vertex array is looked up again only when the array or the program's inputs
// moved.
static VertexElementsCache::Entry *elements_of(Tracker &t, gl::VertexArray &vao, uint32_t inputs) {
    if (!vao.tracker)
        vao.tracker = new VertexArrayData;
    auto &d = *static_cast<VertexArrayData *>(vao.tracker);
    if (d.entry && d.version == vao.version && d.inputs == inputs && !t.deriving)
        return static_cast<VertexElementsCache::Entry *>(d.entry);
    auto *e = find_elements(t, layout(vao, inputs));
    if (d.entry)
        t.vertex_elements_cache.unref(static_cast<VertexElementsCache::Entry *>(d.entry));
    d.entry = e;
    d.version = vao.version;
    d.inputs = inputs;
    return e;
}

static void send_buffers(Tracker &t, const gl::VertexArray &vao, const VertexElementsKey &key) {
    pipe_vertex_buffer now[PIPE_MAX_VERTEX_BUFFERS];
    unsigned first = PIPE_MAX_VERTEX_BUFFERS, last = 0;
    uint32_t used = 0;
    for (unsigned i = 0; i < key.num_elements; i++)
        used |= 1u << key.elements[i].binding;
    std::memcpy(now, t.sent.vertex, sizeof(now));
    for (unsigned i : util::bits(used)) {
        const gl::VertexBinding &b = vao.binding[i];
        pipe_vertex_buffer v{};
        v.buffer = buffer_handle(t, b.buffer.get());
        v.offset = uint64_t(b.offset);
        v.stride = uint32_t(b.stride);
        now[i] = v;
        if (!t.suppress || std::memcmp(&v, &t.sent.vertex[i], sizeof(v)) != 0) {
            first = std::min(first, i);
            last = i;
        }
    }
    if (first == PIPE_MAX_VERTEX_BUFFERS) {
        stat_sets_suppressed.add();
        return;
    }
    pipe_set_vertex_buffers p{first, last - first + 1};
    t.lane.emit<&pipe_context::set_vertex_buffers>(&p, now + first);
    std::memcpy(t.sent.vertex, now, sizeof(now));
    stat_sets_sent.add();
}

void vertex_array_atom::update(in view, Tracker &t) {
    gl::VertexArray &vao = *view.get<&gl::Context::vertex_array>().vao;
    if (!t.draw.linked)
        return;
    auto *e = elements_of(t, vao, t.draw.linked->vertex_inputs);
    if (e != t.ve_bound || !t.suppress) {
        if (t.ve_bound)
            t.vertex_elements_cache.unref(t.ve_bound);
        t.vertex_elements_cache.ref(e);
        t.ve_bound = e;
        pipe_bind_vertex_elements p{e->handle};
        t.lane.emit<&pipe_context::bind_vertex_elements>(&p);
        stat_cso_binds.add();
    }
    send_buffers(t, vao, e->key);
}

void index_buffer_atom::update(in view, Tracker &t) {
    const gl::VertexArray &vao = *view.get<&gl::Context::vertex_array>().vao;
    pipe_set_index_buffer p{};
    p.buffer = buffer_handle(t, vao.index_buffer.get());
    // Draws without indices never look at it.
    if (pipe_handle_is_null(p.buffer) || (t.suppress && p.buffer == t.sent.index_buffer))
        return;
    t.sent.index_buffer = p.buffer;
    t.lane.emit<&pipe_context::set_index_buffer>(&p);
    stat_sets_sent.add();
}

static pipe_attrib_value attrib_value(unsigned index, const gl::CurrentAttrib &a) {
    pipe_attrib_value v{};
    v.index = index;
    v.cls = a.type == gl::AttribType::int_    ? PIPE_VALUE_SINT
            : a.type == gl::AttribType::uint_ ? PIPE_VALUE_UINT
                                              : PIPE_VALUE_FLOAT;
    v.is_double = a.type == gl::AttribType::double_;
    if (v.is_double) {
        std::memcpy(v.value, &a.v.d[0], 16);
        std::memcpy(v.hi, &a.v.d[2], 16);
    } else {
        std::memcpy(v.value, a.v.u, 16);
    }
    return v;
}

void current_attribs_atom::update(in view, Tracker &t) {
    const gl::VertexArray &vao = *view.get<&gl::Context::vertex_array>().vao;
    const gl::CurrentAttribState &current = view.get<&gl::Context::current>();
    if (!t.draw.linked)
        return;
    pipe_attrib_value values[PIPE_MAX_ATTRIBS];
    pipe_set_vertex_attrib_defaults p{};
    for (unsigned i : util::bits(t.draw.linked->vertex_inputs & ~vao.enabled)) {
        const pipe_attrib_value v = attrib_value(i, current.a[i]);
        const bool known = t.sent.attrib_valid >> i & 1;
        if (known && t.suppress && std::memcmp(&v, &t.sent.attrib[i], sizeof(v)) == 0)
            continue;
        t.sent.attrib[i] = v;
        t.sent.attrib_valid |= 1u << i;
        values[p.count++] = v;
    }
    if (!p.count)
        return;
    t.lane.emit<&pipe_context::set_vertex_attrib_defaults>(&p, values);
    stat_sets_sent.add();
}

void vertex_array_destroy(gl::VertexArray &v) {
    auto *d = static_cast<VertexArrayData *>(v.tracker);
    gl::Context *c = gl::current();
    if (d && d->entry && c && c->tracker)
        c->tracker->vertex_elements_cache.unref(
            static_cast<VertexElementsCache::Entry *>(d->entry));
    delete d;
    v.tracker = nullptr;
}

} // namespace st
