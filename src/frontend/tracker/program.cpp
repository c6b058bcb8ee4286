// SPDX-License-Identifier: MIT
// Programs: the archive leaves when the link ends; the default uniform block and the slot bindings
// go before the verb that reads them.
#include "tracker/composite.h"

#include <algorithm>

namespace st {

static ProgramData &data_of(gl::Program &p) {
    if (!p.tracker)
        p.tracker = new ProgramData;
    return *static_cast<ProgramData *>(p.tracker);
}

void program_linked(gl::Context &c, gl::Program &p) {
    Tracker &t = of(c);
    if (!p.linked || !p.linked->archive)
        return;
    ProgramData &d = data_of(p);
    wait_for(t, d.write);
    if (pipe_handle_is_null(p.handle))
        p.handle = to_pipe(t.group.shaders.mint());
    pipe_create_shader_state s{};
    s.shader = p.handle;
    s.serial = p.link_version;
    s.gl_name = p.name;
    s.content_hash = p.linked->archive->content_hash;
    t.lane.emit<&pipe_screen::create_shader_state>(&s, p.linked->archive.get());
    d.bindings_sent = ~0u;
    d.globals_sent = false;
    note_write(t, d.write);
}

void emit_constants(Tracker &t, pipe_handle shader, uint32_t offset, uint32_t size,
                    const uint8_t *data) {
    pipe_set_global_constants p{shader, offset, size};
    const pipe_host_span span = pipe_span(data, size);
    t.lane.emit<&pipe_context::set_global_constants>(&p, &span);
    stat_sets_sent.add();
}

void send_constants(Tracker &t, BoundProgram &b) {
    if (b.composite)
        return send_composite_constants(t, *b.composite);
    gl::Program &p = *b.program;
    ProgramData &d = data_of(p);
    wait_for(t, d.write);
    if (p.globals.empty())
        return;
    // Uniforms that another context changed are seen when the program is bound again.
    if (t.deriving && t.group.lanes > 1 && p.globals_dirty_begin < p.globals_dirty_end)
        return;
    gl::update_state_uniforms(t.c, p);
    if (!d.globals_sent || !t.suppress) {
        emit_constants(t, b.handle, 0, uint32_t(p.globals.size()), p.globals.data());
        d.globals_sent = true;
    } else if (p.globals_dirty_begin < p.globals_dirty_end) {
        // Whole vec4 slots: hosts copy them in such pieces.
        const uint32_t begin = p.globals_dirty_begin & ~15u;
        const uint32_t end =
            std::min<uint32_t>((p.globals_dirty_end + 15) & ~15u, uint32_t(p.globals.size()));
        emit_constants(t, b.handle, begin, end - begin, p.globals.data() + begin);
    } else {
        stat_sets_suppressed.add();
        return;
    }
    p.globals_dirty_begin = ~0u;
    p.globals_dirty_end = 0;
    note_write(t, d.write);
}

static void append_bindings(std::vector<pipe_slot_binding> &out, uint8_t cls,
                            const std::vector<GLint> &units, const std::vector<int32_t> *map) {
    for (size_t i = 0; i < units.size(); i++) {
        const int32_t slot = map ? (i < map->size() ? (*map)[i] : -1) : int32_t(i);
        if (slot < 0)
            continue;
        pipe_slot_binding b{};
        b.slot = uint16_t(slot);
        b.unit = uint16_t(units[i]);
        b.cls = cls;
        out.push_back(b);
    }
}

static std::vector<GLint> as_int(const std::vector<GLuint> &v) {
    return std::vector<GLint>(v.begin(), v.end());
}

void append_program_bindings(std::vector<pipe_slot_binding> &out, const gl::Program &p,
                             const std::array<std::vector<int32_t>, 6> *maps) {
    auto map = [maps](unsigned cls) { return maps ? &(*maps)[cls] : nullptr; };
    append_bindings(out, PIPE_SLOT_UNIFORM_BLOCK, as_int(p.ubo_binding),
                    map(PIPE_SLOT_UNIFORM_BLOCK));
    append_bindings(out, PIPE_SLOT_SAMPLER, p.sampler_unit, map(PIPE_SLOT_SAMPLER));
    append_bindings(out, PIPE_SLOT_STORAGE_BLOCK, as_int(p.ssbo_binding),
                    map(PIPE_SLOT_STORAGE_BLOCK));
    append_bindings(out, PIPE_SLOT_IMAGE, p.image_unit, map(PIPE_SLOT_IMAGE));
    append_bindings(out, PIPE_SLOT_ATOMIC_BUFFER, as_int(p.atomic_binding),
                    map(PIPE_SLOT_ATOMIC_BUFFER));
}

void emit_bindings(Tracker &t, pipe_handle shader, const std::vector<pipe_slot_binding> &list) {
    pipe_set_program_bindings s{};
    s.shader = shader;
    s.count = uint32_t(list.size());
    t.lane.emit<&pipe_context::set_program_bindings>(&s, list.data());
    stat_sets_sent.add();
}

// Of a program that other threads draw with, too: who finds them sent knows by which record.
void send_bindings(Tracker &t, BoundProgram &b) {
    std::lock_guard guard(t.group.program_mutex);
    if (b.composite)
        return send_composite_bindings(t, *b.composite);
    gl::Program &p = *b.program;
    ProgramData &d = data_of(p);
    wait_for(t, d.write);
    if (d.bindings_sent == p.bindings_version && t.suppress)
        return;
    d.bindings_sent = p.bindings_version;
    std::vector<pipe_slot_binding> list;
    append_program_bindings(list, p, nullptr);
    emit_bindings(t, b.handle, list);
    note_write(t, d.write);
}

void program_destroy(gl::Program &p) {
    if (p.group && p.group->tracker)
        kill_handle(*p.group->tracker, PIPE_HANDLE_SHADER, p.handle);
    delete static_cast<ProgramData *>(p.tracker);
    p.tracker = nullptr;
}

} // namespace st
