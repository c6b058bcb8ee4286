// SPDX-License-Identifier: MIT
// EGL images of dma-bufs on the GL side; see egl_image.h.
#include "objects/egl_image.h"

#include "pipe/pipe_fourcc.h"
#include "tracker/tracker.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace gl {

namespace {

// What GL calls a format of the pipe that a dma-buf can have.
GLenum internal_format_of(uint32_t format) {
    switch (format) {
    case PIPE_FORMAT_B8G8R8A8_UNORM:
    case PIPE_FORMAT_R8G8B8A8_UNORM: return GL_RGBA8;
    case PIPE_FORMAT_B8G8R8X8_UNORM:
    case PIPE_FORMAT_R8G8B8X8_UNORM: return GL_RGB8;
    case PIPE_FORMAT_R10G10B10A2_UNORM: return GL_RGB10_A2;
    case PIPE_FORMAT_R16G16B16A16_FLOAT: return GL_RGBA16F;
    case PIPE_FORMAT_R16G16B16X16_FLOAT: return GL_RGB16F;
    case PIPE_FORMAT_R16G16B16A16_UNORM: return GL_RGBA16;
    case PIPE_FORMAT_R5G6B5_UNORM: return GL_RGB565;
    case PIPE_FORMAT_R8_UNORM: return GL_R8;
    case PIPE_FORMAT_R8G8_UNORM: return GL_RG8;
    case PIPE_FORMAT_R16_UNORM: return GL_R16;
    case PIPE_FORMAT_R16G16_UNORM: return GL_RG16;
    default: return GL_NONE;
    }
}

// As far as it can be told from here.
ImageError check_memory(const DmaBuf &source, uint32_t format) {
    pipe_resource_import p{};
    p.desc.format = uint16_t(format);
    p.desc.width = uint32_t(source.width);
    p.desc.height = uint32_t(source.height);
    p.num_planes = source.planes;
    p.modifier = source.modifier;
    std::copy_n(source.offset, 4, p.offset);
    std::copy_n(source.pitch, 4, p.stride);
    for (unsigned i = 0; i < source.planes; i++) {
        if (fcntl(source.fd[i], F_GETFD) < 0)
            return ImageError::no_descriptor;
        const off_t size = lseek(source.fd[i], 0, SEEK_END);
        if (!pipe_import_fits(p, size > 0 ? uint64_t(size) : 0))
            return ImageError::outside;
    }
    return ImageError::none;
}

} // namespace

ImageError import_egl_image(ShareGroup &group, const DmaBuf &source, Ref<EglImage> &out) {
    const uint32_t format = pipe_format_of_fourcc(source.fourcc);
    const FormatInfo *info = format_info(internal_format_of(format));
    if (!info)
        return ImageError::no_format;
    if (const ImageError wrong = check_memory(source, format); wrong != ImageError::none)
        return wrong;
    Ref<Texture> t(new Texture);
    t->group = &group;
    t->target = GL_TEXTURE_2D;
    t->index = TEX_2D;
    t->immutable = true;
    t->immutable_levels = t->num_levels = t->num_layers = 1;
    TexImage &im = t->image[0][0];
    im.format = info;
    im.internal_format = info->internal;
    im.width = source.width;
    im.height = source.height;
    im.depth = 1;
    switch (st::texture_import(group, *t, source, format)) {
    case st::Import::no_format: return ImageError::no_format;
    case st::Import::no_access: return ImageError::no_access;
    case st::Import::no_handle: return ImageError::no_memory;
    case st::Import::done: break;
    }
    out = Ref<EglImage>(new EglImage);
    out->group = &group;
    out->texture = t;
    out->place.image = im;
    return ImageError::none;
}

} // namespace gl
