// SPDX-License-Identifier: MIT
// Texture objects (GL 4.6 section 8): levels, immutable storage, views, parameters. Texels live
// behind the pipe.
#pragma once

#include "objects/formats.h"
#include "objects/sampler.h"
#include "objects/state.h"
#include "pipe/pipe.h"

namespace gl {

struct TexImage {                       // one level of one face, as the program defined it
    const FormatInfo *format = nullptr; // null: not defined
    GLenum internal_format = 0;         // as given (may be unsized)
    GLsizei width = 0, height = 0, depth = 0;
    GLsizei samples = 0;
    bool fixed_locations = true;
    bool defined() const { return format != nullptr; }
};
struct Texture : Object {
    ~Texture() override; // st::texture_destroy
    ShareGroup *group = nullptr;
    GLenum target = 0; // of the first bind; a name without one is no texture yet
    TexIndex index = TEX_2D;
    SamplerParams sampler;
    GLint base_level = 0, max_level = 1000;
    std::array<GLenum, 4> swizzle{GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA};
    GLenum depth_stencil_mode = GL_DEPTH_COMPONENT;
    GLenum image_format_compat = GL_IMAGE_FORMAT_COMPATIBILITY_BY_SIZE;

    bool immutable = false; // glTexStorage*, views
    bool sibling = false;   // of an EGL image: immutable until it is specified anew
    GLint immutable_levels = 0;
    std::array<std::array<TexImage, kMaxTextureLevels>, 6>
        image; // [face][level]; arrays and 3D use face 0

    // view (GL 4.6 section 8.18): levels and layers of `origin`, whose storage it keeps alive. For
    // an origin: 0, 0, all.
    Ref<Texture> origin;
    GLint min_level = 0, min_layer = 0, num_levels = 0, num_layers = 0;

    // buffer texture
    Ref<Buffer> buffer;
    const FormatInfo *buffer_format = nullptr;
    GLenum buffer_internal_format = GL_R8;
    GLintptr buffer_offset = 0;
    GLsizeiptr buffer_size = 0; // -1: whole buffer at the verb

    // tracker
    pipe_handle handle{}; // resource, of the storage owner
    uint32_t version = 0; // moves with storage, parameters or levels
    void *tracker = nullptr;

    // The base level, clamped to what immutable storage has (GL 4.6 section 8.17).
    const TexImage &base(unsigned face = 0) const {
        const GLint top = immutable ? immutable_levels - 1 : GLint(kMaxTextureLevels) - 1;
        return image[face][size_t(base_level < 0 ? 0 : base_level < top ? base_level : top)];
    }
};

int tex_index(GLenum target); // TexIndex of a bindable target, or -1
GLenum tex_target(TexIndex i);
bool layered_target(GLenum target); // whether its images have several layers, faces or slices
unsigned face_of(GLenum target);    // cube face 0..5 of a face target, else 0
Texture *lookup_texture(Context &ctx, GLuint name);
Texture *lookup_texture_err(Context &ctx, GLuint name, const char *func);
Texture *bound_texture(Context &ctx, GLenum target,
                       const char *func); // at the active unit; face targets give the cube map
void texture_changed(Context &ctx,
                     Texture &t); // version, slots of this context, remote words of the others
void unbind_deleted_texture(Context &ctx, Texture &t);
// GL 4.6 section 8.17; with the sampler that is in effect.
bool texture_complete(const Texture &t, const SamplerParams &s);
bool texture_base_complete(const Texture &t);
unsigned texture_last_level(const Texture &t); // q of the specification, clamped to what is defined
} // namespace gl
