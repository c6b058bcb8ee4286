// SPDX-License-Identifier: MIT
// Twins of buffers, textures, renderbuffers, samplers and views. Reference counted: the table,
// views, texture buffers and framebuffer twins each hold one; the host object dies with the last.
#pragma once

#include <atomic>
#include <cstring>
#include <list>
#include <vector>

#include "espryt_context.h"

namespace espryt {

// Parameters as the host texture object has them.
struct texture_object_state {
    uint16_t base = 0, max = 1000;
    uint8_t swizzle[4] = {PIPE_SWIZZLE_RED, PIPE_SWIZZLE_GREEN, PIPE_SWIZZLE_BLUE,
                          PIPE_SWIZZLE_ALPHA};
    uint8_t stencil = 0, pad = 0;

    // Differs from every state that is asked for.
    void forget() { memset(static_cast<void *>(this), 0xff, sizeof(*this)); }
    bool known() const { return max != 0xffff; }
};

// A host texture that shows another host texture with another format, target or layers.
struct host_view {
    GLenum internal, target;
    uint16_t first_layer, num_layers;
    host_name name;
    texture_object_state applied;
};

// A host texture to bind, and the state it has.
struct texture_ref {
    host_name name;
    GLenum target = 0;
    texture_object_state *state = nullptr;
};

struct resource {
    std::atomic<int> refs{1};
    screen *scr = nullptr;
    pipe_resource_desc desc{};
    host_name name;
    EGLImageKHR image = EGL_NO_IMAGE_KHR; // of a dma-buf: what the texture and its views show
    GLenum target = 0;                    // of textures; GL_RENDERBUFFER; 0 for buffers
    const host_format *fmt = nullptr;
    bool bad = false;          // the host refused it: uses are skipped
    bool was_read = false;     // a buffer that was mapped for reading
    bool mappable = false;     // a buffer whose store lasts and can be mapped persistently
    uint8_t *mapped = nullptr; // its persistent map
    resource *owner = nullptr; // of the storage (views) or the store (texture buffers)
    texture_object_state applied;
    pipe_in_texture_params<pipe_texture_params> params;
    pipe_in_texture_params<bool> has_params;
    std::list<host_view> views;
    std::vector<std::vector<uint8_t>> blocks; // by level, see espryt_blocks.h
    uint64_t bound_buffer_size = 0; // texture buffers: size of the store when it was attached

    bool is_buffer() const { return desc.target == PIPE_BUFFER; }
    const pipe_format_desc *describe() const { return pipe_format_describe(desc.format); }
    unsigned level_width(unsigned l) const { return desc.width >> l ? desc.width >> l : 1; }
    unsigned level_height(unsigned l) const { return desc.height >> l ? desc.height >> l : 1; }
    // Slices of a 3D level, else layers.
    unsigned level_depth(unsigned l) const {
        return desc.target == PIPE_TEXTURE_3D ? (desc.depth >> l ? desc.depth >> l : 1)
               : desc.layers                  ? desc.layers
                                              : 1;
    }
};

struct sampler {
    host_name name;
    pipe_sampler_state state;
    bool filled = false; // the host object has the state
};

struct sampler_view {
    pipe_create_sampler_view desc;
    resource *texture = nullptr; // one reference
    host_name name;              // host texture to bind
    GLenum target = 0;
    bool own = false; // `name` is a host view of its own, else the texture's name
    texture_object_state applied;
};

resource *find_resource(context *ctx, pipe_handle h); // null also when bad
// One reference, in no table, without a host object.
resource *make_twin(screen *s, const pipe_resource_desc &desc);
// A resource that the host refused: what uses it is skipped, without another error.
bool is_bad(context *ctx, pipe_handle h);
// The host object of a sampler, filled again when that is needed.
host_name sampler_name(context *ctx, sampler *s);
void resource_ref(resource *r);
void resource_unref(context *ctx, screen *s, resource *r);
GLenum host_target(uint8_t pipe_target);
// A host texture that shows all levels of `r` as asked; the texture itself when nothing differs.
// Null name when the host cannot. num_layers 0: all.
texture_ref texture_as(context *ctx, resource *r, uint32_t format, uint8_t target,
                       unsigned first_layer, unsigned num_layers);
// Swizzle, level range and aspect, put on the host texture object where they differ from what it
// has.
void apply_texture_state(context *ctx, const texture_ref &t, const texture_object_state &want);
// What a view wants of the host texture object it is bound through.
texture_object_state view_state(const sampler_view *v);
// What textureQueryLevels gives for it.
int accessible_levels(const sampler_view *v);
// Attaches the store of a texture buffer to one of its host textures.
void attach_store(context *ctx, const resource *r, host_name texture, GLenum internal);
// The store of a texture buffer may have been orphaned since.
void refresh_texture_buffer(context *ctx, resource *r);

void unmap(const gles *gl, GLenum target);
// Bytes of a buffer into `dst`; waits for the host. False on failure.
bool buffer_read(context *ctx, resource *r, uint64_t offset, uint64_t size, void *dst);
void buffer_write(context *ctx, resource *r, uint64_t offset, uint64_t size, const void *src);

} // namespace espryt
