// SPDX-License-Identifier: MIT
// Image units that the program reads or writes.
#include "tracker/atoms.h"
#include "tracker/texture_storage.h"

#include <algorithm>

namespace st {

static pipe_shader_image describe(Tracker &t, const gl::ImageUnit &unit) {
    pipe_shader_image s{};
    if (!unit.texture)
        return s;
    gl::Texture &tex = *unit.texture;
    if (tex.index == gl::TEX_BUFFER)
        resolve_buffer_texture(t, tex);
    else if (!gl::texture_base_complete(tex))
        return s;
    texture_finalize(t, tex);
    const Location at = tex.index == gl::TEX_BUFFER
                            ? Location{tex.handle, &data_of(tex).desc, 0, 0, &data_of(tex).write}
                            : locate(t, tex, 0, unsigned(unit.level));
    if (pipe_handle_is_null(at.resource) || at.level >= at.desc->levels)
        return s;
    const gl::FormatInfo *f = gl::format_info(unit.format);
    if (!f)
        return s;
    wait_for(t, *at.write);
    if (tex.origin)
        wait_for(t, data_of(*tex.origin).write);
    resolve_params(t, tex);
    s.resource = at.resource;
    s.format = uint16_t(f->pipe[0]);
    s.access = unit.access == GL_READ_ONLY    ? PIPE_IMAGE_ACCESS_READ
               : unit.access == GL_WRITE_ONLY ? PIPE_IMAGE_ACCESS_WRITE
                                              : PIPE_IMAGE_ACCESS_READ | PIPE_IMAGE_ACCESS_WRITE;
    s.level = uint8_t(at.level);
    s.layered = unit.layered;
    s.layer = unit.layered ? 0 : uint32_t(unit.layer);
    return s;
}

void images_atom::update(in view, Tracker &t) {
    const BoundProgram &b = t.verb == Verb::dispatch ? t.dispatch : t.draw;
    if (!b.linked || !b.used.images.any())
        return;
    const gl::ImageState &images = view.get<&gl::Context::images>();
    unsigned first = ~0u, last = 0;
    b.used.images.for_each([&](unsigned u) {
        // A texture may have moved to another resource without a mark on the image unit: compare
        // all used ones.
        t.c.slots.images.clear(u);
        const pipe_shader_image s = describe(t, images.unit[u]);
        if (t.suppress && std::memcmp(&s, &t.sent.image[u], sizeof(s)) == 0)
            return;
        t.sent.image[u] = s;
        first = std::min(first, u);
        last = std::max(last, u);
    });
    if (first == ~0u) {
        stat_sets_suppressed.add();
        return;
    }
    pipe_set_shader_images p{first, last - first + 1};
    t.lane.emit<&pipe_context::set_shader_images>(&p, t.sent.image + first);
    stat_sets_sent.add();
}

} // namespace st
