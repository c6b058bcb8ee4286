// SPDX-License-Identifier: MIT
// EGL images of textures and renderbuffers (EGL 1.5 section 3.9, EGL_KHR_image_base,
// EGL_KHR_gl_texture_2D_image, EGL_KHR_gl_texture_cubemap_image, EGL_KHR_gl_renderbuffer_image).
// Any context of the display may use one. dma-bufs are image_dma_buf.cpp's; images of other sources
// are refused.
#include "egl_api.h"
#include "gl_binding.h"
#include "image_dma_buf.h"
#include "state.h"

#include "util/log.h"

#include <algorithm>

namespace egl {

Image::~Image() {
    image_destroy(this);
}

Image *Display::find_image(EGLImage handle) const {
    for (const std::unique_ptr<Image> &image : images)
        if (image.get() == handle)
            return image.get();
    return nullptr;
}

namespace {

EGLImage refuse(EGLint error, const char *reason, Display *display) {
    fail(error, reason, display);
    return EGL_NO_IMAGE;
}

bool is_gl_target(EGLenum target) {
    return target == EGL_GL_TEXTURE_2D || target == EGL_GL_RENDERBUFFER ||
           (target >= EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_X &&
            target <= EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Z);
}

// False for an attribute that no source here has.
template <typename T> bool parse(const T *attribs, EGLenum target, EGLint *level) {
    for (; attribs && *attribs != T(EGL_NONE); attribs += 2) {
        if (attribs[0] == EGL_GL_TEXTURE_LEVEL && target != EGL_GL_RENDERBUFFER)
            *level = EGLint(std::clamp<EGLAttrib>(EGLAttrib(attribs[1]), -1, INT32_MAX));
        else if (attribs[0] != EGL_IMAGE_PRESERVED)
            return false;
    }
    return true;
}

template <typename T>
EGLImage create(const char *command, EGLDisplay dpy, EGLContext ctx, EGLenum target,
                EGLClientBuffer buffer, const T *attribs) {
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_NO_IMAGE;
    if (target == EGL_LINUX_DMA_BUF_EXT && state().limits.dma_bufs) {
        std::vector<EGLAttrib> wide;
        for (; attribs && *attribs != T(EGL_NONE); attribs += 2)
            wide.insert(wide.end(), {EGLAttrib(attribs[0]), EGLAttrib(attribs[1])});
        wide.push_back(EGL_NONE);
        return create_dma_buf_image(display, ctx, buffer, wide.data());
    }
    if (!is_gl_target(target)) {
        log_warning_once("egl",
                         "%s: no images of target 0x%04x (a dma-buf, a pixmap or another API's)",
                         command, target);
        return refuse(EGL_BAD_PARAMETER, "no image target is supported", display);
    }
    Context *context = display->find_context(ctx);
    if (!context)
        return refuse(EGL_BAD_CONTEXT, "not a context of the display", display);
    EGLint level = 0;
    if (!parse(attribs, target, &level))
        return refuse(EGL_BAD_PARAMETER, "unknown image attribute", display);
    if (context->lost)
        return refuse(EGL_CONTEXT_LOST, "the context is lost", display);
    const auto name = reinterpret_cast<uintptr_t>(buffer);
    if (!name || name > UINT32_MAX)
        return refuse(EGL_BAD_PARAMETER, "no name of an object", display);
    auto image = std::make_unique<Image>();
    image->display = display;
    image->group = context->group;
    const char *reason = "";
    const EGLint error =
        image_create(thread().current, image.get(), target, uint32_t(name), level, &reason);
    if (error != EGL_SUCCESS)
        return refuse(error, reason, display);
    display->images.push_back(std::move(image));
    return display->images.back().get();
}

} // namespace

namespace api {

EGLImage EGLAPIENTRY CreateImage(EGLDisplay dpy, EGLContext ctx, EGLenum target,
                                 EGLClientBuffer buffer, const EGLAttrib *attrib_list) {
    Call call("eglCreateImage");
    return create("eglCreateImage", dpy, ctx, target, buffer, attrib_list);
}

EGLImageKHR EGLAPIENTRY CreateImageKHR(EGLDisplay dpy, EGLContext ctx, EGLenum target,
                                       EGLClientBuffer buffer, const EGLint *attrib_list) {
    Call call("eglCreateImageKHR");
    return create("eglCreateImageKHR", dpy, ctx, target, buffer, attrib_list);
}

// What was made of it keeps the texels.
EGLBoolean EGLAPIENTRY DestroyImage(EGLDisplay dpy, EGLImage handle) {
    Call call("eglDestroyImage");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    if (!display->find_image(handle))
        return fail(EGL_BAD_PARAMETER, "not an image", display);
    std::erase_if(display->images, [&](const auto &image) { return image.get() == handle; });
    return EGL_TRUE;
}

} // namespace api
} // namespace egl
