// SPDX-License-Identifier: MIT
// Sources and targets of EGL images; see egl_image.h.
#include "objects/egl_image.h"

#include "glapi/gl_api.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"
#include "util/log.h"

namespace gl {

EglImage::~EglImage() {
    if (!pipe_handle_is_null(shared.handle))
        st::image_destroy(*group, shared.handle);
}

namespace {

std::atomic<FindEglImage> find_image{nullptr};

// A texture that nobody names.
Ref<Texture> make_hidden(Context &ctx, GLenum target) {
    Ref<Texture> t(new Texture);
    t->group = ctx.group.get();
    t->target = target;
    t->index = TexIndex(tex_index(target));
    return t;
}

bool make_storage(Context &ctx, Texture &t, GLint levels) {
    t.immutable = true;
    t.immutable_levels = t.num_levels = levels;
    t.num_layers = t.target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    return st::texture_storage(ctx, t);
}

// Levels 0 to n - 1 exist, each of every face.
GLint defined_levels(const Texture &t) {
    const unsigned faces = t.index == TEX_CUBE ? 6 : 1;
    GLint n = 0;
    for (; n < GLint(kMaxTextureLevels); n++)
        for (unsigned face = 0; face < faces; face++)
            if (!t.image[face][size_t(n)].defined())
                return n;
    return n;
}

// `t` shows levels and layers of `owner`; `t.image` says which sizes and format.
bool make_sibling(Context &ctx, Texture &t, const Ref<Texture> &owner, GLint level, GLint levels,
                  GLint layer, GLint layers) {
    t.immutable = t.sibling = true;
    t.immutable_levels = t.num_levels = levels;
    t.min_level = level;
    t.min_layer = layer;
    t.num_layers = layers;
    t.origin = owner;
    return st::texture_view(ctx, t);
}

void leave(Context &ctx, Texture &t) {
    st::texture_drop(ctx, t);
    t.origin.reset();
    t.immutable = t.sibling = false;
    t.immutable_levels = t.num_levels = t.num_layers = t.min_level = t.min_layer = 0;
    for (auto &face : t.image)
        face.fill(TexImage{});
}

// Moves what a mutable texture has into storage that can be shared.
Ref<Texture> share_texture(Context &ctx, Texture &t, GLint levels) {
    Ref<Texture> owner = make_hidden(ctx, t.target);
    owner->image = t.image;
    if (!make_storage(ctx, *owner, levels))
        return {};
    const unsigned faces = t.index == TEX_CUBE ? 6 : 1;
    for (GLint level = 0; level < levels; level++)
        for (unsigned face = 0; face < faces; face++) {
            const TexImage &im = t.image[face][size_t(level)];
            st::copy_image(ctx, {&t, nullptr, face, unsigned(level), 0, 0, 0},
                           {owner.get(), nullptr, face, unsigned(level), 0, 0, 0}, im.width,
                           im.height, 1);
        }
    st::texture_drop(ctx, t);
    if (!make_sibling(ctx, t, owner, 0, levels, 0, owner->num_layers))
        leave(ctx, t);
    texture_storage_changed(ctx, t);
    return t.sibling ? owner : Ref<Texture>();
}

ImageError image_of_texture(Context &ctx, GLenum target, GLuint name, GLint level, EglImage &out) {
    Texture *t = lookup_texture(ctx, name);
    const bool face = is_face_target(target);
    if (!t || t->target != (face ? GLenum(GL_TEXTURE_CUBE_MAP) : target))
        return ImageError::no_object;
    const GLint levels = t->immutable ? t->immutable_levels : defined_levels(*t);
    if (!levels || !texture_base_complete(*t))
        return ImageError::incomplete;
    if (level < 0 || level >= levels)
        return ImageError::no_level;
    Ref<Texture> owner = t->origin ? t->origin : Ref<Texture>(t);
    out.place.image = t->image[0][size_t(level)];
    out.place.image.depth = 1;
    out.place.level = level + t->min_level;
    out.place.layer = t->min_layer + (face ? GLint(face_of(target)) : 0);
    if (!t->immutable)
        owner = share_texture(ctx, *t, levels);
    out.texture = owner;
    return owner ? ImageError::none : ImageError::no_memory;
}

TexImage image_of(const Renderbuffer &r) {
    TexImage im;
    im.format = r.format;
    im.internal_format = r.format->internal;
    im.width = r.width;
    im.height = r.height;
    im.depth = 1;
    return im;
}

ImageError image_of_renderbuffer(Context &ctx, GLuint name, EglImage &out) {
    Renderbuffer *r = lookup_renderbuffer(ctx, name);
    if (!r)
        return ImageError::no_object;
    if (Texture *t = r->texture.get()) {
        out.place.image = t->image[0][0];
        out.texture = t->origin ? t->origin : r->texture;
        out.place.level = t->min_level;
        out.place.layer = t->min_layer;
        return ImageError::none;
    }
    if (!r->format || !r->width || !r->height)
        return ImageError::incomplete;
    if (r->samples)
        return ImageError::multisample;
    Ref<Texture> owner = make_hidden(ctx, GL_TEXTURE_2D);
    owner->image[0][0] = image_of(*r);
    if (!make_storage(ctx, *owner, 1))
        return ImageError::no_memory;
    st::copy_image(ctx, {nullptr, r, 0, 0, 0, 0, 0}, {owner.get(), nullptr, 0, 0, 0, 0, 0},
                   r->width, r->height, 1);
    r->texture = owner;
    r->version++;
    framebuffers_renderbuffer_changed(ctx, *r);
    out.place.image = owner->image[0][0];
    out.texture = owner;
    return ImageError::none;
}

// Storage of another group's, as a texture of this one.
Ref<Texture> import_storage(Context &ctx, const SharedImage &shared) {
    Ref<Texture> owner = make_hidden(ctx, shared.target);
    owner->image[0][0] = shared.base;
    owner->immutable = true;
    owner->immutable_levels = owner->num_levels = shared.levels;
    owner->num_layers = shared.layers;
    return st::image_import(ctx, *owner, shared) ? owner : Ref<Texture>();
}

// An image as this context's group has it.
struct NamedImage {
    Ref<Texture> owner; // null: an error was raised
    ImagePlace place;
};

NamedImage named_image(Context &ctx, GLeglImageOES handle, const char *func) {
    const FindEglImage find = find_image.load(std::memory_order_acquire);
    const FoundImage found = find ? find(handle, ctx.group.get()) : FoundImage{};
    if (found.own)
        return {found.own->texture, found.own->place};
    if (!found.other) {
        error(ctx, GL_INVALID_VALUE, "%s(not an image)", func);
        return {};
    }
    const bool shared = !pipe_handle_is_null(found.shared.handle);
    Ref<Texture> owner = shared ? import_storage(ctx, found.shared) : Ref<Texture>();
    if (!owner) {
        log_warning_once("gl", "%s: %s", func,
                         shared ? "an image of another display"
                                : "the driver shares no images between contexts that share "
                                  "nothing else (nor with MGPIPE_RESPAWN)");
        error(ctx, GL_INVALID_OPERATION, "%s(an image of another share group)", func);
    }
    return {owner, found.place};
}

// `t` becomes a sibling of the image.
void texture_target(Context &ctx, Texture *t, GLeglImageOES handle, bool immutable,
                    const char *func) {
    if (!t)
        return;
    const NamedImage image = named_image(ctx, handle, func);
    if (!image.owner || !texture_may_change(ctx, *t, func))
        return;
    leave(ctx, *t);
    t->image[0][0] = image.place.image;
    if (!make_sibling(ctx, *t, image.owner, image.place.level, 1, image.place.layer, 1))
        leave(ctx, *t);
    else if (immutable)
        t->sibling = false;
    texture_storage_changed(ctx, *t);
}

void storage_target(Context &ctx, Texture *t, GLeglImageOES image, const GLint *attribs,
                    const char *func) {
    if (attribs && *attribs != GL_NONE)
        return error(ctx, GL_INVALID_VALUE, "%s(attribute 0x%x)", func, attribs[0]);
    if (t && !t->name)
        return error(ctx, GL_INVALID_OPERATION, "%s(texture 0)", func);
    texture_target(ctx, t, image, true, func);
}

bool check_target(Context &ctx, GLenum target, const char *func) {
    if (!ctx.has().egl_image)
        error(ctx, GL_INVALID_OPERATION, "%s(the driver has no views or copies)", func);
    else if (target != GL_TEXTURE_2D)
        error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    else
        return true;
    return false;
}

} // namespace

void set_egl_image_lookup(FindEglImage find) {
    find_image.store(find, std::memory_order_release);
}

SharedImage share_egl_image(Context &ctx, const EglImage &image) {
    SharedImage out;
    Texture &owner = *image.texture;
    if (!st::image_create(ctx, owner, out))
        return {};
    out.target = owner.target;
    out.levels = owner.immutable_levels;
    out.layers = owner.num_layers;
    out.base = owner.image[0][0];
    return out;
}

ImageError make_egl_image(Context &ctx, GLenum target, GLuint name, GLint level,
                          Ref<EglImage> &out) {
    Ref<EglImage> image(new EglImage);
    image->group = ctx.group.get();
    const ImageError failed = target == GL_RENDERBUFFER
                                  ? image_of_renderbuffer(ctx, name, *image)
                                  : image_of_texture(ctx, target, name, level, *image);
    if (failed == ImageError::none) {
        image->shared = share_egl_image(ctx, *image);
        out = image;
    }
    return failed;
}

bool texture_may_change(Context &ctx, Texture &t, const char *func) {
    if (t.sibling) {
        leave(ctx, t);
        texture_storage_changed(ctx, t);
    }
    if (t.immutable)
        error(ctx, GL_INVALID_OPERATION, "%s(the texture is immutable)", func);
    return !t.immutable;
}

void GL_ENTRY(EGLImageTargetTexture2DOES)(Context &ctx, GLenum target, GLeglImageOES image) {
    const char *func = "glEGLImageTargetTexture2DOES";
    if (check_target(ctx, target, func))
        texture_target(ctx, bound_texture(ctx, target, func), image, false, func);
}

void GL_ENTRY(EGLImageTargetTexStorageEXT)(Context &ctx, GLenum target, GLeglImageOES image,
                                           const GLint *attribs) {
    const char *func = "glEGLImageTargetTexStorageEXT";
    if (check_target(ctx, target, func))
        storage_target(ctx, bound_texture(ctx, target, func), image, attribs, func);
}

void GL_ENTRY(EGLImageTargetTextureStorageEXT)(Context &ctx, GLuint texture, GLeglImageOES image,
                                               const GLint *attribs) {
    const char *func = "glEGLImageTargetTextureStorageEXT";
    Texture *t = lookup_texture_err(ctx, texture, func);
    if (t && check_target(ctx, t->target, func))
        storage_target(ctx, t, image, attribs, func);
}

void GL_ENTRY(EGLImageTargetRenderbufferStorageOES)(Context &ctx, GLenum target,
                                                    GLeglImageOES handle) {
    const char *func = "glEGLImageTargetRenderbufferStorageOES";
    if (target != GL_RENDERBUFFER)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    Renderbuffer *r = ctx.renderbuffer.get();
    if (!r)
        return error(ctx, GL_INVALID_OPERATION, "%s(no renderbuffer is bound)", func);
    const NamedImage image = named_image(ctx, handle, func);
    if (!image.owner)
        return;
    const TexImage &im = image.place.image;
    if (!renderable_format(im.format->internal))
        return error(ctx, GL_INVALID_OPERATION, "%s(the format cannot be drawn to)", func);
    Ref<Texture> view = make_hidden(ctx, GL_TEXTURE_2D);
    view->image[0][0] = im;
    if (!make_sibling(ctx, *view, image.owner, image.place.level, 1, image.place.layer, 1))
        return;
    r->texture = view;
    r->format = im.format;
    r->internal_format = im.internal_format;
    r->width = im.width;
    r->height = im.height;
    r->samples = 0;
    r->version++;
    framebuffers_renderbuffer_changed(ctx, *r);
}

} // namespace gl
