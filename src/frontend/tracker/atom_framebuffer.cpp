// SPDX-License-Identifier: MIT
// Framebuffers are objects of the lane: their attachments are sent when one of them changed, the
// bindings when they did.
#include "tracker/atoms.h"

namespace st {

static FramebufferData &data_of(gl::Framebuffer &fb) {
    if (!fb.tracker)
        fb.tracker = new FramebufferData;
    return *static_cast<FramebufferData *>(fb.tracker);
}

static pipe_surface_view texture_surface(Tracker &t, gl::Texture &tex, const gl::Attachment &a) {
    pipe_surface_view v{};
    const Location at = locate(t, tex, a.face, unsigned(a.level));
    if (pipe_handle_is_null(at.resource))
        return v;
    wait_for(t, *at.write);
    if (tex.origin)
        wait_for(t, data_of(*tex.origin).write);
    resolve_params(t, tex);
    v.resource = at.resource;
    v.format = uint16_t(at.desc->format);
    v.kind = PIPE_ATTACHMENT_TEXTURE;
    v.level = uint8_t(at.level);
    v.samples = at.desc->samples;
    v.layered = a.layered;
    if (a.layered) {
        v.num_layers = at.desc->target == PIPE_TEXTURE_3D ? std::max(at.desc->depth >> at.level, 1u)
                                                          : at.desc->layers;
    } else {
        v.layer = at.layer + uint32_t(a.layer);
        v.num_layers = 1;
    }
    return v;
}

static pipe_surface_view surface(Tracker &t, const gl::Attachment &a) {
    pipe_surface_view v{};
    switch (a.kind) {
    case gl::Attachment::none: break;
    case gl::Attachment::texture: return texture_surface(t, *a.tex, a);
    case gl::Attachment::renderbuffer: {
        gl::Renderbuffer &r = *a.rb;
        if (r.texture)
            return texture_surface(t, *r.texture, a);
        if (pipe_handle_is_null(r.handle))
            break;
        RenderbufferData &d = st::data_of(r);
        wait_for(t, d.write);
        v.resource = r.handle;
        v.format = uint16_t(d.desc.format);
        v.kind = PIPE_ATTACHMENT_RENDERBUFFER;
        v.samples = d.desc.samples;
        v.num_layers = 1;
        break;
    }
    case gl::Attachment::window:
        v.kind = PIPE_ATTACHMENT_SURFACE;
        v.format =
            a.window_format ? uint16_t(a.window_format->pipe[0]) : uint16_t(PIPE_FORMAT_NONE);
        v.samples = uint8_t(a.samples());
        v.num_layers = 1;
        break;
    }
    return v;
}

static pipe_set_framebuffer_state describe(Tracker &t, gl::Framebuffer &fb) {
    pipe_set_framebuffer_state s{};
    s.framebuffer = fb.handle;
    s.complete = gl::framebuffer_status(t.c, fb) == GL_FRAMEBUFFER_COMPLETE;
    for (unsigned i = 0; i < PIPE_MAX_COLOR_BUFS; i++) {
        s.color[i] = surface(t, fb.color[i]);
        s.draw_buffer[i] = fb.draw_index[i];
        if (fb.draw_index[i] >= 0)
            s.num_draw_buffers = uint8_t(i + 1);
    }
    s.depth = surface(t, fb.depth);
    s.stencil = surface(t, fb.stencil);
    s.read_buffer = fb.read_index;
    s.samples = uint8_t(fb.samples);
    s.fixed_sample_locations = fb.default_fixed_locations;
    s.width = uint32_t(fb.width);
    s.height = uint32_t(fb.height);
    s.layers = uint32_t(fb.layers);
    return s;
}

// Moves with the storage of what is attached, also when another context changed it.
static uint64_t attachment_stamp(const gl::Framebuffer &fb) {
    uint64_t s = 0;
    auto add = [&s](const gl::Attachment &a) {
        if (a.kind == gl::Attachment::texture)
            s = util::hash_mix(s, uint64_t(a.tex->version) << 32 ^ a.tex->handle.slot);
        else if (a.kind == gl::Attachment::renderbuffer)
            s = util::hash_mix(s, uint64_t(a.rb->version) << 32 ^ a.rb->handle.slot);
    };
    for (const gl::Attachment &a : fb.color)
        add(a);
    add(fb.depth);
    add(fb.stencil);
    return s;
}

pipe_handle resolve_framebuffer(Tracker &t, gl::Framebuffer &fb) {
    if (pipe_handle_is_null(fb.handle))
        fb.handle = fb.is_default ? pipe_default_framebuffer() : to_pipe(t.framebuffers.mint());
    FramebufferData &d = data_of(fb);
    // The two default framebuffers of a context with different surfaces share one name in the pipe.
    const uint64_t stamp = attachment_stamp(fb);
    if (d.created && d.version == fb.version && d.stamp == stamp && !t.deriving &&
        (!fb.is_default || t.default_fb == &fb))
        return fb.handle;
    const pipe_set_framebuffer_state s = describe(t, fb);
    d.version = fb.version;
    d.stamp = attachment_stamp(fb);
    const bool other_default = fb.is_default && t.default_fb != &fb;
    if (fb.is_default)
        t.default_fb = &fb;
    if (d.created && !other_default && !changed(t, d.sent, s))
        return fb.handle;
    d.sent = s;
    d.created = true;
    t.lane.emit<&pipe_context::set_framebuffer_state>(&s);
    return fb.handle;
}

void framebuffer_atom::update(in view, Tracker &t) {
    gl::Framebuffer &draw = *view.get<&gl::Context::draw_fb>().fb;
    gl::Framebuffer &read = *view.get<&gl::Context::read_fb>().fb;
    pipe_bind_framebuffers p{};
    p.read = resolve_framebuffer(t, read);
    p.draw = resolve_framebuffer(t, draw);
    t.draws_front = gl::draws_front(draw);
    if (t.suppress && p.draw == t.sent.draw_fb && p.read == t.sent.read_fb) {
        stat_sets_suppressed.add();
        return;
    }
    t.sent.draw_fb = p.draw;
    t.sent.read_fb = p.read;
    t.lane.emit<&pipe_context::bind_framebuffers>(&p);
    stat_sets_sent.add();
}

void framebuffer_destroy(gl::Framebuffer &fb) {
    gl::Context *c = gl::current();
    if (!fb.is_default && !pipe_handle_is_null(fb.handle) && c && c->tracker &&
        c->tracker->lane_current) {
        Tracker &t = of(*c);
        pipe_destroy_object p{};
        p.object = fb.handle;
        p.kind = PIPE_HANDLE_FRAMEBUFFER;
        t.lane.emit<&pipe_screen::destroy_object>(&p);
        t.framebuffers.release(to_slot(fb.handle));
    }
    if (c && c->tracker && c->tracker->default_fb == &fb)
        c->tracker->default_fb = nullptr;
    delete static_cast<FramebufferData *>(fb.tracker);
    fb.tracker = nullptr;
}

} // namespace st
