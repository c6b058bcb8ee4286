// SPDX-License-Identifier: MIT
// See espryt_dmabuf.h.
#include "espryt_dmabuf.h"

#include "espryt_anchor.h"

#include "pipe/pipe_fourcc.h"
#include "util/log.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace espryt {

namespace {

// A host that tells no formats: what every one with images takes.
constexpr size_t usual_formats = 4;

void add_modifiers(const host *h, uint32_t fourcc, std::vector<pipe_dmabuf_format> &out) {
    const image_api &images = h->images;
    EGLint count = 0;
    const auto name = static_cast<EGLint>(fourcc);
    if (!images.QueryDmaBufModifiers ||
        !images.QueryDmaBufModifiers(h->display, name, 0, nullptr, nullptr, &count) || count <= 0) {
        out.push_back({fourcc, 0, pipe_modifier_none});
        return;
    }
    std::vector<EGLuint64KHR> modifiers(static_cast<size_t>(count));
    std::vector<EGLBoolean> external(modifiers.size());
    if (!images.QueryDmaBufModifiers(h->display, name, count, modifiers.data(), external.data(),
                                     &count))
        return;
    modifiers.resize(std::min(modifiers.size(), static_cast<size_t>(std::max(count, 0))));
    for (size_t i = 0; i < modifiers.size(); i++)
        if (!external[i]) // OpenGL has no GL_TEXTURE_EXTERNAL_OES
            out.push_back({fourcc, 0, modifiers[i]});
}

std::vector<pipe_dmabuf_format> ask_formats(const host *h) {
    std::vector<pipe_dmabuf_format> out;
    EGLint count = 0;
    std::vector<EGLint> known;
    if (h->images.QueryDmaBufFormats) {
        h->images.QueryDmaBufFormats(h->display, 0, nullptr, &count);
        known.resize(static_cast<size_t>(std::max(count, 0)));
        if (!known.empty() &&
            !h->images.QueryDmaBufFormats(h->display, count, known.data(), &count))
            known.clear();
    } else {
        for (const pipe_fourcc_row &row : pipe_fourcc_rows().first(usual_formats))
            known.push_back(static_cast<EGLint>(row.fourcc));
    }
    for (const pipe_fourcc_row &row : pipe_fourcc_rows())
        if (format_of(row.format).internal &&
            std::count(known.begin(), known.end(), static_cast<EGLint>(row.fourcc)))
            add_modifiers(h, row.fourcc, out);
    return out;
}

// By host, asked once; leaked like it.
const std::vector<pipe_dmabuf_format> &formats_of(const host *h) {
    struct entry {
        const host *of;
        std::vector<pipe_dmabuf_format> list;
    };
    static std::mutex lock;
    static auto *all = new std::vector<const entry *>;
    const std::lock_guard guard(lock);
    for (const entry *e : *all)
        if (e->of == h)
            return e->list;
    all->push_back(new entry{h, ask_formats(h)});
    return all->back()->list;
}

bool takes(const host *h, uint32_t fourcc, uint64_t modifier) {
    const std::vector<pipe_dmabuf_format> &list = formats_of(h);
    return std::any_of(list.begin(), list.end(), [&](const pipe_dmabuf_format &f) {
        return f.fourcc == fourcc && (f.modifier == modifier || modifier == pipe_modifier_none);
    });
}

uint64_t size_of(int fd) {
    const off_t end = lseek(fd, 0, SEEK_END);
    return end > 0 ? static_cast<uint64_t>(end) : 0;
}

EGLImageKHR make_image(const host *h, const pipe_resource_import &p) {
    struct names {
        EGLint fd, offset, pitch, modifier_low, modifier_high;
    };
    constexpr names planes[4] = {
        {EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE0_OFFSET_EXT, EGL_DMA_BUF_PLANE0_PITCH_EXT,
         EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT},
        {EGL_DMA_BUF_PLANE1_FD_EXT, EGL_DMA_BUF_PLANE1_OFFSET_EXT, EGL_DMA_BUF_PLANE1_PITCH_EXT,
         EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT},
        {EGL_DMA_BUF_PLANE2_FD_EXT, EGL_DMA_BUF_PLANE2_OFFSET_EXT, EGL_DMA_BUF_PLANE2_PITCH_EXT,
         EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT},
        {EGL_DMA_BUF_PLANE3_FD_EXT, EGL_DMA_BUF_PLANE3_OFFSET_EXT, EGL_DMA_BUF_PLANE3_PITCH_EXT,
         EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT},
    };
    std::vector<EGLint> attribs = {EGL_WIDTH,
                                   static_cast<EGLint>(p.desc.width),
                                   EGL_HEIGHT,
                                   static_cast<EGLint>(p.desc.height),
                                   EGL_LINUX_DRM_FOURCC_EXT,
                                   static_cast<EGLint>(p.fourcc)};
    for (uint32_t i = 0; i < p.num_planes; i++) {
        const names &n = planes[i];
        attribs.insert(attribs.end(), {n.fd, p.fd[i], n.offset, static_cast<EGLint>(p.offset[i]),
                                       n.pitch, static_cast<EGLint>(p.stride[i])});
        if (p.modifier != pipe_modifier_none)
            attribs.insert(attribs.end(),
                           {n.modifier_low, static_cast<EGLint>(p.modifier & 0xffffffff),
                            n.modifier_high, static_cast<EGLint>(p.modifier >> 32)});
    }
    attribs.push_back(EGL_NONE);
    return h->images.CreateImage(h->display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, nullptr,
                                 attribs.data());
}

// A host texture whose storage define() makes; 0 when the host makes none. On the anchor, or a
// lane's context, whose binding stays.
template <class Define> GLuint make_texture(const gles *gl, Define define) {
    GLint bound = 0;
    GLuint name = 0;
    gl->GetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    gl->GenTextures(1, &name);
    gl->BindTexture(GL_TEXTURE_2D, name);
    define();
    const bool good = gl->GetError() == GL_NO_ERROR;
    gl->BindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
    if (!good)
        gl->DeleteTextures(1, &name);
    gl->Flush();
    return good ? name : 0;
}

pipe_status keep(screen *s, const pipe_resource_desc &desc, EGLImageKHR image, GLuint name) {
    resource *r = make_twin(s, desc);
    r->image = image;
    r->name = {name, next_serial()};
    r->target = GL_TEXTURE_2D;
    r->fmt = &format_of(desc.format);
    resource *old;
    bool made;
    {
        const std::lock_guard<std::mutex> guard(s->lock);
        old = s->resources.take_slot(desc.resource);
        made = s->resources.insert(desc.resource, r);
    }
    for (resource *gone : {old, made ? nullptr : r})
        if (gone)
            resource_unref(nullptr, s, gone);
    return made ? PIPE_OK : PIPE_ERROR;
}

pipe_status resource_import(pipe_screen *ps, const pipe_resource_import *p) {
    screen *s = to_screen(ps);
    const host *h = s->host;
    if (!dmabuf_import(h) || p->desc.format != pipe_format_of_fourcc(p->fourcc) ||
        !takes(h, p->fourcc, p->modifier))
        return PIPE_DECLINED;
    for (uint32_t i = 0; i < p->num_planes; i++)
        if (p->fd[i] < 0 || !pipe_import_fits(*p, size_of(p->fd[i])))
            return PIPE_ERROR;
    anchor_scope scope(s->host);
    if (!scope.ok)
        return PIPE_ERROR;
    const EGLImageKHR image = make_image(h, *p);
    if (image == EGL_NO_IMAGE_KHR) {
        const EGLint error = h->egl.GetError();
        log_info("espryt", "the host's EGL refuses a dma-buf: error 0x%x",
                 static_cast<unsigned>(error));
        return error == EGL_BAD_MATCH ? PIPE_DECLINED : PIPE_ERROR;
    }
    const GLuint name = make_texture(
        s->gl, [&] { s->gl->EGLImageTargetTexture2DOES(GL_TEXTURE_2D, image); });
    if (!name) {
        log_info("espryt", "the host makes no texture of the image of a dma-buf");
        h->images.DestroyImage(h->display, image);
        return PIPE_DECLINED;
    }
    return keep(s, p->desc, image, name);
}

GLuint make_storage(const gles *gl, const pipe_resource_desc &d) {
    return make_texture(gl, [&] {
        gl->TexStorage2D(GL_TEXTURE_2D, 1, format_of(d.format).internal,
                         static_cast<GLsizei>(d.width), static_cast<GLsizei>(d.height));
    });
}

// Whether the host's name of a layout means the pixels of a format: X is A whose alpha nobody looks
// at, and Mesa has names of its own for sRGB (its dri_interface.h).
bool same_pixels(uint32_t format, EGLint fourcc) {
    constexpr uint32_t mesa_sabgr = 0x84324258, mesa_sxrgb = 0x85324258;
    const auto name = static_cast<uint32_t>(fourcc);
    const bool ten_bits = format == PIPE_FORMAT_R10G10B10A2_UNORM;
    const char *tail = ten_bits ? "B30" : "B24";
    for (const char first : {'A', 'X'})
        if (name == pipe_fourcc(first, tail[0], tail[1], tail[2]))
            return true;
    return !ten_bits && (name == mesa_sabgr || name == mesa_sxrgb);
}

bool is_window_format(uint32_t format) {
    return format == PIPE_FORMAT_R8G8B8A8_UNORM || format == PIPE_FORMAT_R8G8B8A8_SRGB ||
           format == PIPE_FORMAT_R8G8B8X8_UNORM || format == PIPE_FORMAT_R8G8B8X8_SRGB ||
           format == PIPE_FORMAT_R10G10B10A2_UNORM;
}

// The dma-buf of an image, if it is one of those that were asked for. False: it is not.
bool export_image(const host *h, EGLImageKHR image, const pipe_resource_export &p,
                  pipe_resource_export_reply *out) {
    int fourcc = 0, planes = 0;
    EGLuint64KHR modifier = pipe_modifier_none;
    if (!h->images.QueryExport(h->display, image, &fourcc, &planes, nullptr) || planes != 1 ||
        !same_pixels(p.desc.format, fourcc) ||
        !h->images.QueryExport(h->display, image, nullptr, nullptr, &modifier) ||
        !std::count(p.modifier, p.modifier + p.num_modifiers, modifier)) {
        log_info("espryt", "dma-bufs of the host have layout 0x%08x in %d planes, modifier 0x%llx",
                 static_cast<unsigned>(fourcc), planes, static_cast<unsigned long long>(modifier));
        return false;
    }
    int fd = -1;
    EGLint stride = 0, offset = 0;
    if (!h->images.Export(h->display, image, &fd, &stride, &offset) || fd < 0)
        return false;
    *out = {};
    out->modifier = modifier;
    out->offset = static_cast<uint32_t>(offset);
    out->stride = static_cast<uint32_t>(stride);
    out->fd = fd;
    return true;
}

pipe_status resource_export(pipe_screen *ps, const pipe_resource_export *p,
                            pipe_resource_export_reply *out) {
    screen *s = to_screen(ps);
    const host *h = s->host;
    *out = {};
    if (!is_window_format(p->desc.format) || !format_of(p->desc.format).internal)
        return PIPE_DECLINED;
    anchor_scope scope(s->host);
    const GLuint name = scope.ok ? make_storage(s->gl, p->desc) : 0;
    if (!name)
        return PIPE_DECLINED;
    const EGLint attribs[] = {EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_NONE};
    const auto buffer = reinterpret_cast<EGLClientBuffer>(static_cast<uintptr_t>(name));
    const EGLImageKHR image = h->images.CreateImage(h->display, host_current(),
                                                    EGL_GL_TEXTURE_2D_KHR, buffer, attribs);
    if (image != EGL_NO_IMAGE_KHR && export_image(h, image, *p, out))
        return keep(s, p->desc, image, name);
    if (image != EGL_NO_IMAGE_KHR)
        h->images.DestroyImage(h->display, image);
    s->gl->DeleteTextures(1, &name);
    return PIPE_DECLINED;
}

pipe_status dmabuf_formats(pipe_screen *ps, const pipe_dmabuf_formats *p,
                           pipe_dmabuf_formats_reply *out) {
    *out = {};
    const host *h = to_screen(ps)->host;
    if (!dmabuf_import(h))
        return PIPE_DECLINED;
    const std::vector<pipe_dmabuf_format> &list = formats_of(h);
    out->total = static_cast<uint32_t>(list.size());
    for (size_t i = p->first; i < list.size() && out->count < std::size(out->pair); i++)
        out->pair[out->count++] = list[i];
    return PIPE_OK;
}

} // namespace

bool dmabuf_import(const host *h) {
    return h->images.CreateImage && h->has(feature::egl_image) && h->gl.EGLImageTargetTexture2DOES;
}

bool dmabuf_export(const host *h) {
    return dmabuf_import(h) && h->images.Export;
}

bool show_image(context *ctx, resource *r, EGLImageKHR image) {
    if (r->target != GL_TEXTURE_2D || !ctx->sh.bind_scratch_texture(r->target, r->name))
        return false;
    ctx->gl->EGLImageTargetTexture2DOES(r->target, image);
    return true;
}

void init_dmabuf_functions(screen *s) {
    if (!dmabuf_import(s->host))
        return;
    s->resource_import = resource_import;
    s->dmabuf_formats = dmabuf_formats;
    if (dmabuf_export(s->host))
        s->resource_export = resource_export;
}

} // namespace espryt
