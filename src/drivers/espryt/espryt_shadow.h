// SPDX-License-Identifier: MIT
// What is bound and set in one native context, so that a call that would change nothing never
// reaches the host. Every bind of this driver, of 0 too, goes through here. Names alone do not
// identify an object (another lane may delete and reuse one), so binding points compare the
// object's process-wide serial as well. One per lane, its thread only.
//
// While faults are injected (MGPIPE_FAIL_HOST_CALL) the binds that a write, a read or a storage
// call follows ask the host for an error, since that call would go to another object or another
// address. No host is known that refuses them otherwise, so else they do not ask and return true.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "espryt_host.h"
#include "pipe/pipe.h"

namespace espryt {

// A host object: its name and a serial that is never used twice. {0, 0} is none.
struct host_name {
    GLuint name = 0;
    uint32_t serial = 0;
    bool operator==(const host_name &o) const { return name == o.name && serial == o.serial; }
};
uint32_t next_serial();

enum : unsigned { max_units = 96, max_host_attribs = 16, max_indexed = 96 };

struct buffer_range {
    host_name buffer;
    int64_t offset = 0, size = 0;
    bool operator==(const buffer_range &o) const {
        return buffer == o.buffer && offset == o.offset && size == o.size;
    }
};

struct attrib_format {
    uint8_t enabled = 0, binding = 0, size = 4, normalized = 0, integer = 0, pad[3] = {};
    GLenum type = GL_FLOAT;
    uint32_t offset = 0;
};

struct vertex_binding_state {
    host_name buffer;
    int64_t offset = 0;
    int stride = 16;
    unsigned divisor = 0;
};

struct image_binding {
    host_name texture;
    GLenum format = 0, access = 0;
    int level = 0, layer = 0;
    bool layered = false;
};

class shadow {
  public:
    void init(host *h);

    // False: the host refused, another object is bound.
    bool bind_buffer(GLenum target, host_name b);
    void bind_range(GLenum target, unsigned index, const buffer_range &r);
    // At most one target of a unit is bound at a time.
    void bind_texture(unsigned unit, GLenum target, host_name t);
    // For internal work: binds on the last unit, which no program uses. False as above.
    bool bind_scratch_texture(GLenum target, host_name t) {
        bind_texture(scratch_unit_, target, t);
        return !refused();
    }
    void bind_sampler(unsigned unit, host_name s);
    void bind_image(unsigned unit, const image_binding &b);
    void bind_framebuffer(GLenum target, host_name f);
    bool bind_renderbuffer(host_name r);
    void use_program(host_name p);
    void bind_transform_feedback(host_name t);
    void enable(GLenum cap, bool on);
    // These were switched behind the shadow's back.
    void forget_enables(std::initializer_list<GLenum> caps);
    void attrib(unsigned index, const attrib_format &f);
    void vertex_buffer(unsigned index, const vertex_binding_state &b);
    void viewport(const float v[4]);
    void depth_range(float n, float f);
    void scissor(const int v[4]);
    // The host has set its viewport and scissor by itself, as with the first window of a context.
    void forget_rectangles();
    // All viewports, depth ranges and scissors at once (hosts with viewport arrays); n > 1.
    void viewport_array(unsigned n, const float *v, const float *depth);
    void scissor_array(unsigned n, const int *v);
    void enable_scissors(unsigned n, uint32_t mask);
    void depth_mask(bool on);
    void stencil_mask(GLenum face, unsigned mask);
    bool unpack(int alignment, int row_length, int image_height);
    bool pack(int alignment, int row_length);

    // The object is about to be deleted in this context: the host unbinds it everywhere here.
    void forget_texture(host_name t);
    void forget_buffer(host_name b);
    void forget_framebuffer(host_name f);
    void forget_renderbuffer(host_name r);
    void forget_program(host_name p);
    void forget_sampler(host_name s);
    // Another lane wrote objects that are bound here: rebind at next use.
    void forget_bindings();
    // The host failed somewhere: nothing is known any more, everything is set again at next use.
    void forget_all();
    // True once after a bind above returned false.
    bool take_refusal() { return std::exchange(refused_, false); }

    // Debug flag `shadow`: asks the host for every shadowed value; true when all agree, else logs
    // the first difference.
    bool check(const char *verb);
    // Debug flag `rawbind`, the control of that check: one bind behind the shadow's back.
    void corrupt();

    GLuint program() const { return program_.name; }
    host_name draw_framebuffer() const { return draw_fbo_; }
    host_name read_framebuffer() const { return read_fbo_; }

    // Values that espryt_state.cpp applies by comparing with them; `known` is false until first
    // applied.
    struct {
        bool known = false;
        pipe_blend_state blend;
        pipe_depth_stencil_state depth_stencil;
        pipe_stencil_ref stencil_ref;
        pipe_raster_state raster;
        float blend_color[4], line_width, offset[3], min_sample_shading, coverage;
        uint32_t sample_mask;
        uint8_t coverage_invert;
        uint32_t patch_vertices;
    } state;

  private:
    host *h_ = nullptr;
    const gles *gl_ = nullptr;
    unsigned scratch_unit_ = 0, active_unit_ = 0;
    host_name array_buffer_, copy_read_, copy_write_, pixel_pack_, pixel_unpack_, uniform_,
        storage_, element_, draw_indirect_, dispatch_indirect_, texture_buffer_, tf_buffer_;
    buffer_range uniform_ranges_[max_indexed], storage_ranges_[max_indexed], tf_ranges_[4];
    struct unit {
        GLenum target = 0;
        host_name texture, sampler;
    } units_[max_units];
    image_binding images_[64];
    host_name draw_fbo_, read_fbo_, renderbuffer_, program_, transform_feedback_;
    attrib_format attribs_[max_host_attribs];
    vertex_binding_state bindings_[max_host_attribs];
    struct {
        GLenum cap;
        int8_t on;
    } enables_[40];
    unsigned num_enables_ = 0;
    float viewport_[4], depth_range_[2];
    bool many_viewports_ = false, many_scissors_ = false;
    int scissor_[4];
    int depth_mask_ = -1;
    int64_t stencil_masks_[2] = {-1, -1};
    int unpack_[3] = {-1, -1, -1}, pack_[2] = {-1, -1};
    bool armed_ = false, refused_ = false;
    host_name *buffer_slot(GLenum target);
    void activate(unsigned unit);
    bool refused();
    bool check_bindings(const char *verb);
    bool check_vertices(const char *verb);
    bool check_values(const char *verb);
    bool differ(const char *verb, const char *what, double host, double ours);
    int ask(GLenum name);
    int ask(GLenum name, unsigned index);
};

} // namespace espryt
