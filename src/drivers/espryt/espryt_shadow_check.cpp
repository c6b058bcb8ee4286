// SPDX-License-Identifier: MIT
// Debug flag `shadow`: every shadowed value is asked of the host and compared. Values that the
// shadow does not know (never set, or forgotten) are left out.
#include <algorithm>
#include <cmath>

#include "espryt_shadow.h"
#include "espryt_state.h"
#include "util/log.h"

namespace espryt {

namespace {

bool known(const host_name &n) {
    return n.serial != ~0u;
}

struct binding_row {
    GLenum target, query;
    feature needs;
};

const binding_row texture_rows[] = {
    {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D, feature::seamless_cube},
    {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D, feature::seamless_cube},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY, feature::seamless_cube},
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP, feature::seamless_cube},
    {GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_BINDING_2D_MULTISAMPLE, feature::seamless_cube},
    {GL_TEXTURE_2D_MULTISAMPLE_ARRAY, GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY,
     feature::multisample_array},
    {GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, feature::cube_map_array},
    {GL_TEXTURE_BUFFER, GL_TEXTURE_BINDING_BUFFER, feature::texture_buffer},
};

} // namespace

// Logs one difference; true when there is one.
bool shadow::differ(const char *verb, const char *what, double host, double ours) {
    if (host == ours)
        return false;
    log_error("espryt", "shadow: %s@%s: host %.9g, shadow %.9g", what, verb, host, ours);
    return true;
}

int shadow::ask(GLenum name) {
    GLint v = 0;
    gl_->GetIntegerv(name, &v);
    return v;
}

int shadow::ask(GLenum name, unsigned index) {
    GLint v = 0;
    gl_->GetIntegeri_v(name, index, &v);
    return v;
}

bool shadow::check_bindings(const char *verb) {
    const struct {
        const char *what;
        GLenum query;
        const host_name *ours;
        bool there;
    } rows[] = {
        {"draw framebuffer", GL_DRAW_FRAMEBUFFER_BINDING, &draw_fbo_, true},
        {"read framebuffer", GL_READ_FRAMEBUFFER_BINDING, &read_fbo_, true},
        {"renderbuffer", GL_RENDERBUFFER_BINDING, &renderbuffer_, true},
        {"program", GL_CURRENT_PROGRAM, &program_, true},
        {"capture object", GL_TRANSFORM_FEEDBACK_BINDING, &transform_feedback_, true},
        {"array buffer", GL_ARRAY_BUFFER_BINDING, &array_buffer_, true},
        {"element buffer", GL_ELEMENT_ARRAY_BUFFER_BINDING, &element_, true},
        {"copy read buffer", GL_COPY_READ_BUFFER_BINDING, &copy_read_, true},
        {"copy write buffer", GL_COPY_WRITE_BUFFER_BINDING, &copy_write_, true},
        {"uniform buffer", GL_UNIFORM_BUFFER_BINDING, &uniform_, true},
        {"storage buffer", GL_SHADER_STORAGE_BUFFER_BINDING, &storage_, true},
        {"pack buffer", GL_PIXEL_PACK_BUFFER_BINDING, &pixel_pack_, true},
        {"unpack buffer", GL_PIXEL_UNPACK_BUFFER_BINDING, &pixel_unpack_, true},
        {"draw indirect buffer", GL_DRAW_INDIRECT_BUFFER_BINDING, &draw_indirect_, true},
        {"dispatch indirect buffer", GL_DISPATCH_INDIRECT_BUFFER_BINDING, &dispatch_indirect_,
         true},
        {"texture buffer", GL_TEXTURE_BUFFER_BINDING, &texture_buffer_,
         h_->has(feature::texture_buffer)},
    };
    for (const auto &r : rows) {
        if (r.there && known(*r.ours) && differ(verb, r.what, ask(r.query), r.ours->name))
            return false;
    }
    const struct {
        const char *what;
        GLenum binding, start, size;
        const buffer_range *ranges;
        int count;
    } indexed[] = {
        {"uniform buffer range", GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START,
         GL_UNIFORM_BUFFER_SIZE, uniform_ranges_, h_->info.limits.max_uniform_buffers},
        {"storage buffer range", GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_START,
         GL_SHADER_STORAGE_BUFFER_SIZE, storage_ranges_, h_->info.limits.max_storage_buffers},
        {"capture buffer range", GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
         GL_TRANSFORM_FEEDBACK_BUFFER_START, GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, tf_ranges_, 4},
    };
    for (const auto &r : indexed) {
        for (unsigned i = 0; i < max_indexed && static_cast<int>(i) < r.count; i++) {
            const buffer_range &ours = r.ranges[i];
            if (!known(ours.buffer))
                continue;
            if (differ(verb, r.what, ask(r.binding, i), ours.buffer.name))
                return false;
            if (ours.buffer.name &&
                (differ(verb, r.what, ask(r.start, i), static_cast<double>(ours.offset)) ||
                 differ(verb, r.what, ask(r.size, i), static_cast<double>(ours.size))))
                return false;
        }
    }
    for (unsigned i = 0; i < 64 && static_cast<int>(i) < h_->info.limits.max_image_units; i++) {
        const image_binding &b = images_[i];
        if (!known(b.texture) ||
            (!b.texture.name && !differ(verb, "image", ask(GL_IMAGE_BINDING_NAME, i), 0)))
            continue;
        if (differ(verb, "image", ask(GL_IMAGE_BINDING_NAME, i), b.texture.name) ||
            differ(verb, "image level", ask(GL_IMAGE_BINDING_LEVEL, i), b.level) ||
            differ(verb, "image layered", ask(GL_IMAGE_BINDING_LAYERED, i), b.layered) ||
            differ(verb, "image layer", ask(GL_IMAGE_BINDING_LAYER, i), b.layer) ||
            differ(verb, "image access", ask(GL_IMAGE_BINDING_ACCESS, i), b.access) ||
            differ(verb, "image format", ask(GL_IMAGE_BINDING_FORMAT, i), b.format))
            return false;
    }
    const unsigned active = active_unit_;
    if (active != ~0u && differ(verb, "active unit", ask(GL_ACTIVE_TEXTURE) - GL_TEXTURE0, active))
        return false;
    bool same = true;
    for (unsigned i = 0; same && i <= scratch_unit_; i++) {
        const unit &u = units_[i];
        if (!u.target && !u.sampler.name)
            continue;
        activate(i);
        for (const binding_row &b : texture_rows) {
            if (!same || !known(u.texture) || !h_->has(b.needs))
                continue;
            // Another target of the unit has nothing bound.
            same =
                !differ(verb, "texture", ask(b.query), u.target == b.target ? u.texture.name : 0);
        }
        if (same && known(u.sampler))
            same = !differ(verb, "sampler", ask(GL_SAMPLER_BINDING), u.sampler.name);
    }
    if (active != ~0u)
        activate(active);
    return same;
}

bool shadow::check_vertices(const char *verb) {
    auto attrib = [&](unsigned i, GLenum name) {
        GLint v = 0;
        gl_->GetVertexAttribiv(i, name, &v);
        return v;
    };
    for (unsigned i = 0; i < max_host_attribs; i++) {
        const attrib_format &a = attribs_[i];
        if (a.enabled == 2)
            continue;
        if (differ(verb, "attribute enable", attrib(i, GL_VERTEX_ATTRIB_ARRAY_ENABLED), a.enabled))
            return false;
        if (!a.enabled || !a.size)
            continue;
        if (differ(verb, "attribute size", attrib(i, GL_VERTEX_ATTRIB_ARRAY_SIZE), a.size) ||
            differ(verb, "attribute type", attrib(i, GL_VERTEX_ATTRIB_ARRAY_TYPE), a.type) ||
            differ(verb, "attribute integer", attrib(i, GL_VERTEX_ATTRIB_ARRAY_INTEGER),
                   a.integer) ||
            differ(verb, "attribute offset", attrib(i, GL_VERTEX_ATTRIB_RELATIVE_OFFSET),
                   a.offset) ||
            differ(verb, "attribute binding", attrib(i, GL_VERTEX_ATTRIB_BINDING), a.binding))
            return false;
        if (!a.integer && differ(verb, "attribute normalized",
                                 attrib(i, GL_VERTEX_ATTRIB_ARRAY_NORMALIZED), a.normalized))
            return false;
    }
    for (unsigned i = 0;
         i < max_host_attribs && static_cast<int>(i) < h_->info.limits.max_vertex_bindings; i++) {
        const vertex_binding_state &b = bindings_[i];
        if (!known(b.buffer))
            continue;
        if (differ(verb, "vertex buffer", ask(GL_VERTEX_BINDING_BUFFER, i), b.buffer.name) ||
            differ(verb, "vertex divisor", ask(GL_VERTEX_BINDING_DIVISOR, i), b.divisor))
            return false;
        if (b.buffer.name &&
            (differ(verb, "vertex offset", ask(GL_VERTEX_BINDING_OFFSET, i),
                    static_cast<double>(b.offset)) ||
             differ(verb, "vertex stride", ask(GL_VERTEX_BINDING_STRIDE, i), b.stride)))
            return false;
    }
    return true;
}

bool shadow::check_values(const char *verb) {
    for (unsigned i = 0; i < num_enables_; i++) {
        if (enables_[i].on >= 0 && gl_->IsEnabled(enables_[i].cap) != enables_[i].on) {
            log_error("espryt", "shadow: enable 0x%x@%s: host %d, shadow %d", enables_[i].cap, verb,
                      !enables_[i].on, enables_[i].on);
            return false;
        }
    }
    GLint v[4];
    gl_->GetIntegerv(GL_VIEWPORT, v);
    for (int i = 0; !many_viewports_ && viewport_[2] >= 0 && i < 4; i++) {
        if (std::fabs(viewport_[i] - static_cast<float>(v[i])) >= 1 &&
            differ(verb, "viewport", v[i], double(viewport_[i])))
            return false;
    }
    gl_->GetIntegerv(GL_SCISSOR_BOX, v);
    for (int i = 0; !many_scissors_ && scissor_[2] >= 0 && i < 4; i++) {
        if (differ(verb, "scissor", v[i], scissor_[i]))
            return false;
    }
    GLfloat f[4] = {};
    gl_->GetFloatv(GL_DEPTH_RANGE, f);
    for (int i = 0; !many_viewports_ && depth_range_[0] >= 0 && i < 2; i++) {
        if (differ(verb, "depth range", double(f[i]), double(depth_range_[i])))
            return false;
    }
    if (depth_mask_ >= 0 && differ(verb, "depth mask", ask(GL_DEPTH_WRITEMASK), depth_mask_))
        return false;
    const GLenum masks[2] = {GL_STENCIL_WRITEMASK, GL_STENCIL_BACK_WRITEMASK};
    const GLenum stores[5] = {GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_IMAGE_HEIGHT,
                              GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH};
    for (int i = 0; i < 2; i++) {
        // Hosts keep eight bits of it.
        if (stencil_masks_[i] >= 0 && differ(verb, "stencil mask", ask(masks[i]) & 255,
                                             static_cast<double>(stencil_masks_[i] & 255)))
            return false;
    }
    for (int i = 0; i < 5; i++) {
        const int ours = i < 3 ? unpack_[i] : pack_[i - 3];
        if (ours >= 0 && differ(verb, "pixel store", ask(stores[i]), ours))
            return false;
    }
    if (!state.known)
        return true;
    gl_->GetFloatv(GL_BLEND_COLOR, f);
    for (int i = 0; i < 4; i++) {
        if (differ(verb, "blend colour", double(f[i]), double(state.blend_color[i])))
            return false;
    }
    const pipe_depth_stencil_state &ds = state.depth_stencil;
    const pipe_raster_state &r = state.raster;
    // Hosts clamp the reference they report to the bits of the framebuffer that is bound.
    const int most = (1 << ask(GL_STENCIL_BITS)) - 1;
    if (differ(verb, "depth function", ask(GL_DEPTH_FUNC), GL_NEVER + ds.depth_func) ||
        differ(verb, "stencil function", ask(GL_STENCIL_FUNC), GL_NEVER + ds.front.func) ||
        differ(verb, "back stencil function", ask(GL_STENCIL_BACK_FUNC), GL_NEVER + ds.back.func) ||
        differ(verb, "stencil reference", ask(GL_STENCIL_REF),
               std::min<int>(state.stencil_ref.front, most)) ||
        differ(verb, "stencil value mask", ask(GL_STENCIL_VALUE_MASK) & 255,
               ds.front.valuemask & 255) ||
        differ(verb, "stencil operation", ask(GL_STENCIL_PASS_DEPTH_PASS),
               stencil_op_of(ds.front.zpass_op)) ||
        differ(verb, "front face", ask(GL_FRONT_FACE), r.front_ccw ? GL_CCW : GL_CW))
        return false;
    if (r.cull_face != PIPE_FACE_NONE &&
        differ(verb, "culled face", ask(GL_CULL_FACE_MODE),
               r.cull_face == PIPE_FACE_FRONT  ? GL_FRONT
               : r.cull_face == PIPE_FACE_BACK ? GL_BACK
                                               : GL_FRONT_AND_BACK))
        return false;
    const pipe_rt_blend &b = state.blend.rt[0];
    GLint mask[4] = {};
    gl_->GetIntegerv(GL_COLOR_WRITEMASK, mask);
    for (int i = 0; i < 4; i++) {
        if (differ(verb, "colour mask", mask[i] != 0, b.colormask >> i & 1))
            return false;
    }
    return !differ(verb, "blend", gl_->IsEnabled(GL_BLEND), b.enable) &&
           !differ(verb, "blend equation", ask(GL_BLEND_EQUATION_RGB), equation_of(b.rgb_func)) &&
           !differ(verb, "blend source", ask(GL_BLEND_SRC_RGB), blend_factor_of(b.rgb_src)) &&
           !differ(verb, "blend destination", ask(GL_BLEND_DST_RGB), blend_factor_of(b.rgb_dst));
}

bool shadow::check(const char *verb) {
    bool same = check_bindings(verb) && check_vertices(verb) && check_values(verb);
    while (gl_->GetError() != GL_NO_ERROR) {
    }
    return same;
}

void shadow::corrupt() {
    gl_->BindBuffer(GL_ARRAY_BUFFER, array_buffer_.name ? 0
                                     : copy_write_.name ? copy_write_.name
                                                        : 1);
}

} // namespace espryt
