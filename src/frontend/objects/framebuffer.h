// SPDX-License-Identifier: MIT
// Framebuffer objects (GL 4.6 section 9). Name 0 is the default framebuffer of the context's
// surfaces; never shared.
#pragma once

#include "objects/renderbuffer.h"
#include "objects/texture.h"

namespace gl {

struct Attachment {
    enum Kind : uint8_t { none, texture, renderbuffer, window } kind = none;
    bool layered = false;
    uint8_t face = 0; // cube face, when not layered
    GLint level = 0, layer = 0;
    Ref<Texture> tex;
    Ref<Renderbuffer> rb;
    const FormatInfo *window_format = nullptr; // default framebuffer

    const FormatInfo *format() const;
    GLsizei width() const, height() const, samples() const;
    GLsizei layers() const; // of a layered attachment
};
struct Framebuffer : Object {
    ~Framebuffer() override; // st::framebuffer_destroy
    bool ever_bound = false;
    bool is_default = false;
    std::array<Attachment, kMaxDrawBuffers>
        color; // default framebuffer: 0 = back (or the only one), 1 = front
    Attachment depth, stencil;
    std::array<GLenum, kMaxDrawBuffers> draw_buffers{GL_COLOR_ATTACHMENT0}; // GL enums; NONE = 0
    std::array<int8_t, kMaxDrawBuffers> draw_index{0,  -1, -1, -1, -1,
                                                   -1, -1, -1}; // resolved: index in `color` or -1
    GLenum read_buffer = GL_COLOR_ATTACHMENT0;
    int8_t read_index = 0;
    bool double_buffered = false, had_surface = false; // default framebuffer
    bool front_drawn = false; // ditto: a front buffer was drawn to since it was last shown

    // parameters of a framebuffer without attachments
    GLsizei default_width = 0, default_height = 0, default_layers = 0, default_samples = 0;
    bool default_fixed_locations = false;

    // cached; status() recomputes when stale
    bool status_valid = false;
    uint64_t status_stamp = 0; // versions of the images that the status was computed from
    GLenum status = 0;
    GLsizei width = 0, height = 0, samples = 0, layers = 0; // layers 0: not layered

    pipe_handle handle{}; // {0,1} for the default framebuffer
    uint32_t version = 0; // moves with any change
    void *tracker = nullptr;
};

Framebuffer *lookup_framebuffer(Context &ctx, GLuint name); // 0 gives the draw default framebuffer
GLenum
framebuffer_status(Context &ctx,
                   Framebuffer &fb); // GL_FRAMEBUFFER_COMPLETE or the reason; fills width .. layers
void framebuffer_changed(Context &ctx, Framebuffer &fb); // version, groups when bound
// Another context may have redefined an attached image; its change counts from here on, where the
// framebuffer or the image is bound again (GL 4.6 section 5.3).
void framebuffer_revisit(Context &ctx, Framebuffer &fb);
// Whether what is drawn to it is in front: GL_FRONT of a window, or all that has one buffer only.
bool draws_front(const Framebuffer &fb);
// The surfaces of make-current changed: fills the default framebuffer's attachments, draw and read
// buffers.
void default_framebuffer_update(Context &ctx);
// `t` or `rb` got new storage or was deleted: framebuffers of this context that hold it go stale.
void framebuffers_texture_changed(Context &ctx, const Texture &t);
void framebuffers_renderbuffer_changed(Context &ctx, const Renderbuffer &rb);
void detach_deleted_texture(Context &ctx,
                            const Texture &t); // from the bound framebuffers, as deletion asks
void detach_deleted_renderbuffer(Context &ctx, const Renderbuffer &rb);
} // namespace gl
