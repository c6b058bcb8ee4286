// SPDX-License-Identifier: MIT
// The binding shadow: compares before it calls. espryt_shadow_check.cpp compares it with the host.
#include "espryt_shadow.h"

#include <atomic>

#include "util/log.h"

namespace espryt {

uint32_t next_serial() {
    static std::atomic<uint32_t> serial{1};
    return serial.fetch_add(1, std::memory_order_relaxed);
}

void shadow::init(host *h) {
    h_ = h;
    gl_ = &h->gl;
    unsigned n = static_cast<unsigned>(h->info.limits.max_combined_textures);
    scratch_unit_ = (n < max_units ? n : max_units) - 1;
    viewport_[0] = scissor_[0] = -1;
    viewport_[2] = viewport_[3] = -1;
    scissor_[2] = scissor_[3] = -1;
    depth_range_[0] = -1;
    armed_ = gles_fault_armed();
}

bool shadow::refused() {
    if (!armed_ || gl_->GetError() == GL_NO_ERROR)
        return false;
    return refused_ = true;
}

host_name *shadow::buffer_slot(GLenum target) {
    switch (target) {
    case GL_ARRAY_BUFFER: return &array_buffer_;
    case GL_COPY_READ_BUFFER: return &copy_read_;
    case GL_COPY_WRITE_BUFFER: return &copy_write_;
    case GL_PIXEL_PACK_BUFFER: return &pixel_pack_;
    case GL_PIXEL_UNPACK_BUFFER: return &pixel_unpack_;
    case GL_UNIFORM_BUFFER: return &uniform_;
    case GL_SHADER_STORAGE_BUFFER: return &storage_;
    case GL_ELEMENT_ARRAY_BUFFER: return &element_;
    case GL_DRAW_INDIRECT_BUFFER: return &draw_indirect_;
    case GL_DISPATCH_INDIRECT_BUFFER: return &dispatch_indirect_;
    case GL_TEXTURE_BUFFER: return &texture_buffer_;
    default: return &tf_buffer_;
    }
}

bool shadow::bind_buffer(GLenum target, host_name b) {
    host_name *slot = buffer_slot(target);
    if (*slot == b)
        return true;
    *slot = b;
    gl_->BindBuffer(target, b.name);
    return !refused();
}

void shadow::bind_range(GLenum target, unsigned index, const buffer_range &r) {
    buffer_range *slot = target == GL_UNIFORM_BUFFER          ? uniform_ranges_
                         : target == GL_SHADER_STORAGE_BUFFER ? storage_ranges_
                                                              : tf_ranges_;
    if (slot[index] == r)
        return;
    slot[index] = r;
    *buffer_slot(target) = r.buffer; // an indexed bind sets the general one too
    if (r.buffer.name)
        gl_->BindBufferRange(target, index, r.buffer.name, r.offset, r.size);
    else
        gl_->BindBufferBase(target, index, 0);
}

void shadow::activate(unsigned unit) {
    if (active_unit_ != unit) {
        active_unit_ = unit;
        gl_->ActiveTexture(GL_TEXTURE0 + unit);
    }
}

void shadow::bind_texture(unsigned u, GLenum target, host_name t) {
    unit &s = units_[u];
    if (!t.name)
        target = s.target;
    if (s.target == target && s.texture == t) {
        if (u == scratch_unit_)
            activate(u); // the caller goes on to edit it
        return;
    }
    activate(u);
    if (s.target && s.target != target && s.texture.name)
        gl_->BindTexture(s.target, 0);
    if (target)
        gl_->BindTexture(target, t.name);
    s.target = t.name ? target : 0;
    s.texture = t;
}

void shadow::bind_sampler(unsigned u, host_name s) {
    if (units_[u].sampler == s)
        return;
    units_[u].sampler = s;
    gl_->BindSampler(u, s.name);
}

void shadow::bind_image(unsigned i, const image_binding &b) {
    image_binding &s = images_[i];
    if (s.texture == b.texture && s.format == b.format && s.access == b.access &&
        s.level == b.level && s.layer == b.layer && s.layered == b.layered)
        return;
    s = b;
    gl_->BindImageTexture(i, b.texture.name, b.level, b.layered, b.layer,
                          b.texture.name ? b.access : GL_READ_ONLY,
                          b.texture.name ? b.format : GL_R32UI);
}

void shadow::bind_framebuffer(GLenum target, host_name f) {
    bool draw = target != GL_READ_FRAMEBUFFER, read = target != GL_DRAW_FRAMEBUFFER;
    if ((!draw || draw_fbo_ == f) && (!read || read_fbo_ == f))
        return;
    if (draw)
        draw_fbo_ = f;
    if (read)
        read_fbo_ = f;
    gl_->BindFramebuffer(target, f.name);
}

bool shadow::bind_renderbuffer(host_name r) {
    if (renderbuffer_ == r)
        return true;
    renderbuffer_ = r;
    gl_->BindRenderbuffer(GL_RENDERBUFFER, r.name);
    return !refused();
}

void shadow::use_program(host_name p) {
    if (program_ == p)
        return;
    program_ = p;
    gl_->UseProgram(p.name);
}

void shadow::bind_transform_feedback(host_name t) {
    if (transform_feedback_ == t)
        return;
    transform_feedback_ = t;
    gl_->BindTransformFeedback(GL_TRANSFORM_FEEDBACK, t.name);
    for (buffer_range &r : tf_ranges_) // they belong to the object
        r = {{0, ~0u}, 0, 0};
}

void shadow::enable(GLenum cap, bool on) {
    for (unsigned i = 0; i < num_enables_; i++) {
        if (enables_[i].cap != cap)
            continue;
        if (enables_[i].on == on)
            return;
        enables_[i].on = on;
        on ? gl_->Enable(cap) : gl_->Disable(cap);
        return;
    }
    if (num_enables_ < sizeof(enables_) / sizeof(enables_[0]))
        enables_[num_enables_++] = {cap, static_cast<int8_t>(on)};
    on ? gl_->Enable(cap) : gl_->Disable(cap);
}

void shadow::forget_enables(std::initializer_list<GLenum> caps) {
    for (unsigned i = 0; i < num_enables_; i++) {
        for (GLenum c : caps) {
            if (enables_[i].cap == c)
                enables_[i].on = -1;
        }
    }
}

void shadow::attrib(unsigned i, const attrib_format &f) {
    attrib_format &s = attribs_[i];
    if (f.enabled) {
        if (s.size != f.size || s.type != f.type || s.normalized != f.normalized ||
            s.integer != f.integer || s.offset != f.offset) {
            if (f.integer)
                gl_->VertexAttribIFormat(i, f.size, f.type, f.offset);
            else
                gl_->VertexAttribFormat(i, f.size, f.type, f.normalized, f.offset);
        }
        uint8_t binding = s.enabled || s.binding || s.pad[0] ? s.binding : static_cast<uint8_t>(i);
        if (binding != f.binding)
            gl_->VertexAttribBinding(i, f.binding);
        if (s.enabled != 1) // 2: unknown
            gl_->EnableVertexAttribArray(i);
        s = f;
        s.pad[0] = 1; // the binding was set at least once
    } else if (s.enabled) {
        s.enabled = 0;
        gl_->DisableVertexAttribArray(i);
    }
}

void shadow::vertex_buffer(unsigned i, const vertex_binding_state &b) {
    vertex_binding_state &s = bindings_[i];
    if (!(s.buffer == b.buffer) || s.offset != b.offset || s.stride != b.stride)
        gl_->BindVertexBuffer(i, b.buffer.name, b.offset, b.stride);
    if (s.divisor != b.divisor)
        gl_->VertexBindingDivisor(i, b.divisor);
    s = b;
}

void shadow::viewport(const float v[4]) {
    if (!many_viewports_ && !memcmp(viewport_, v, sizeof(viewport_)))
        return;
    many_viewports_ = false;
    memcpy(viewport_, v, sizeof(viewport_));
    if (gl_->ViewportIndexedfvOES && h_->has(feature::viewport_array))
        gl_->ViewportIndexedfvOES(0, v);
    else
        gl_->Viewport(static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2]),
                      static_cast<int>(v[3]));
}

void shadow::depth_range(float n, float f) {
    if (depth_range_[0] == n && depth_range_[1] == f)
        return; // viewport_array() made it unknown
    depth_range_[0] = n;
    depth_range_[1] = f;
    gl_->DepthRangef(n, f);
}

void shadow::scissor(const int v[4]) {
    if (!many_scissors_ && !memcmp(scissor_, v, sizeof(scissor_)))
        return;
    many_scissors_ = false;
    memcpy(scissor_, v, sizeof(scissor_));
    gl_->Scissor(v[0], v[1], v[2], v[3]);
}

void shadow::forget_rectangles() {
    viewport_[2] = viewport_[3] = -1;
    scissor_[2] = scissor_[3] = -1;
}

void shadow::viewport_array(unsigned n, const float *v, const float *depth) {
    many_viewports_ = true;
    depth_range_[0] = -1;
    gl_->ViewportArrayvOES(0, static_cast<GLsizei>(n), v);
    gl_->DepthRangeArrayfvOES(0, static_cast<GLsizei>(n), depth);
}

void shadow::scissor_array(unsigned n, const int *v) {
    many_scissors_ = true;
    gl_->ScissorArrayvOES(0, static_cast<GLsizei>(n), v);
}

void shadow::enable_scissors(unsigned n, uint32_t mask) {
    uint32_t all = n >= 32 ? ~0u : (1u << n) - 1;
    if ((mask & all) == 0 || (mask & all) == all) {
        enable(GL_SCISSOR_TEST, mask & 1);
        return;
    }
    enable(GL_SCISSOR_TEST, false);
    for (unsigned i = 0; i < n; i++) {
        if (mask >> i & 1)
            gl_->Enablei(GL_SCISSOR_TEST, i);
    }
    forget_enables({GL_SCISSOR_TEST});
}

void shadow::depth_mask(bool on) {
    if (depth_mask_ == on)
        return;
    depth_mask_ = on;
    gl_->DepthMask(on);
}

void shadow::stencil_mask(GLenum face, unsigned mask) {
    int64_t &s = stencil_masks_[face == GL_BACK];
    if (s == static_cast<int64_t>(mask))
        return;
    s = mask;
    gl_->StencilMaskSeparate(face, mask);
}

bool shadow::unpack(int alignment, int row_length, int image_height) {
    const int v[3] = {alignment, row_length, image_height};
    const GLenum names[3] = {GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_IMAGE_HEIGHT};
    for (int i = 0; i < 3; i++) {
        if (unpack_[i] != v[i])
            gl_->PixelStorei(names[i], v[i]);
        unpack_[i] = v[i];
    }
    return !refused();
}

bool shadow::pack(int alignment, int row_length) {
    const int v[2] = {alignment, row_length};
    const GLenum names[2] = {GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH};
    for (int i = 0; i < 2; i++) {
        if (pack_[i] != v[i])
            gl_->PixelStorei(names[i], v[i]);
        pack_[i] = v[i];
    }
    return !refused();
}

// --- objects that go away ------------------------------------------------------------------------

void shadow::forget_texture(host_name t) {
    for (unit &u : units_) {
        if (u.texture == t)
            u.texture = {}, u.target = 0;
    }
    for (image_binding &i : images_) {
        if (i.texture == t)
            i = {};
    }
}

void shadow::forget_buffer(host_name b) {
    for (host_name *s : {&array_buffer_, &copy_read_, &copy_write_, &pixel_pack_, &pixel_unpack_,
                         &uniform_, &storage_, &element_, &draw_indirect_, &dispatch_indirect_,
                         &texture_buffer_, &tf_buffer_}) {
        if (*s == b)
            *s = {};
    }
    for (auto *ranges : {uniform_ranges_, storage_ranges_}) {
        for (unsigned i = 0; i < max_indexed; i++) {
            if (ranges[i].buffer == b)
                ranges[i] = {};
        }
    }
    for (buffer_range &r : tf_ranges_) {
        if (r.buffer == b)
            r = {{0, ~0u}, 0, 0};
    }
    for (vertex_binding_state &v : bindings_) {
        if (v.buffer == b)
            v.buffer = {};
    }
}

void shadow::forget_framebuffer(host_name f) {
    if (draw_fbo_ == f)
        draw_fbo_ = {};
    if (read_fbo_ == f)
        read_fbo_ = {};
}

void shadow::forget_renderbuffer(host_name r) {
    if (renderbuffer_ == r)
        renderbuffer_ = {};
}

void shadow::forget_program(host_name p) {
    if (program_ == p) { // a program in use lives on until it is replaced
        program_ = {};
        gl_->UseProgram(0);
    }
}

void shadow::forget_sampler(host_name s) {
    for (unit &u : units_) {
        if (u.sampler == s)
            u.sampler = {};
    }
}

void shadow::forget_bindings() {
    for (unit &u : units_) {
        if (u.texture.name)
            u.texture.serial = ~0u;
    }
    for (auto *ranges : {uniform_ranges_, storage_ranges_}) {
        for (unsigned i = 0; i < max_indexed; i++) {
            if (ranges[i].buffer.name)
                ranges[i].buffer.serial = ~0u;
        }
    }
    for (vertex_binding_state &v : bindings_) {
        if (v.buffer.name)
            v.buffer.serial = ~0u;
    }
    for (image_binding &i : images_) {
        if (i.texture.name)
            i.texture.serial = ~0u;
    }
    for (host_name *n : {&element_, &draw_indirect_, &program_, &draw_fbo_, &read_fbo_})
        n->serial = ~0u;
    for (attrib_format &a : attribs_) { // the formats too
        a.size = 0;
    }
}

void shadow::forget_all() {
    forget_bindings();
    for (unit &u : units_)
        u.texture.serial = u.sampler.serial = ~0u;
    active_unit_ = ~0u;
    for (host_name *n :
         {&array_buffer_, &copy_read_, &copy_write_, &pixel_pack_, &pixel_unpack_, &uniform_,
          &storage_, &element_, &draw_indirect_, &dispatch_indirect_, &texture_buffer_, &tf_buffer_,
          &draw_fbo_, &read_fbo_, &renderbuffer_, &program_, &transform_feedback_})
        n->serial = ~0u;
    for (auto *ranges : {uniform_ranges_, storage_ranges_}) {
        for (unsigned i = 0; i < max_indexed; i++)
            ranges[i].buffer.serial = ~0u;
    }
    for (buffer_range &r : tf_ranges_)
        r.buffer.serial = ~0u;
    for (image_binding &i : images_)
        i.texture.serial = ~0u;
    for (attrib_format &a : attribs_) {
        a.size = 0;
        a.enabled = 2;
        a.binding = 255;
    }
    for (vertex_binding_state &b : bindings_)
        b = {{0, ~0u}, 0, -1, ~0u};
    num_enables_ = 0;
    many_viewports_ = many_scissors_ = false;
    forget_rectangles();
    depth_range_[0] = -1;
    depth_mask_ = -1;
    stencil_masks_[0] = stencil_masks_[1] = -1;
    for (int &v : unpack_)
        v = -1;
    for (int &v : pack_)
        v = -1;
    state.known = false;
}

} // namespace espryt
