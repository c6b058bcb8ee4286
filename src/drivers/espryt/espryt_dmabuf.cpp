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

// A host texture of the image; 0 when the host makes none. On the anchor, or a lane's context,
// whose binding stays.
GLuint make_texture(const gles *gl, EGLImageKHR image) {
    GLint bound = 0;
    GLuint name = 0;
    gl->GetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    gl->GenTextures(1, &name);
    gl->BindTexture(GL_TEXTURE_2D, name);
    gl->EGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
    const bool good = gl->GetError() == GL_NO_ERROR;
    gl->BindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
    if (!good)
        gl->DeleteTextures(1, &name);
    gl->Flush();
    return good ? name : 0;
}

pipe_status keep(screen *s, const pipe_resource_import *p, EGLImageKHR image, GLuint name) {
    resource *r = make_twin(s, p->desc);
    r->image = image;
    r->name = {name, next_serial()};
    r->target = GL_TEXTURE_2D;
    r->fmt = &format_of(p->desc.format);
    resource *old;
    bool made;
    {
        const std::lock_guard<std::mutex> guard(s->lock);
        old = s->resources.take_slot(p->desc.resource);
        made = s->resources.insert(p->desc.resource, r);
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
    const GLuint name = make_texture(s->gl, image);
    if (!name) {
        log_info("espryt", "the host makes no texture of the image of a dma-buf");
        h->images.DestroyImage(h->display, image);
        return PIPE_DECLINED;
    }
    return keep(s, p, image, name);
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
}

} // namespace espryt
