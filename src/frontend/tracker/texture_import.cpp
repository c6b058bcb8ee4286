// SPDX-License-Identifier: MIT
// Textures whose storage is a dma-buf, of others or for others. Both are root calls: EGL makes
// images without a context.
#include "tracker/texture_storage.h"

#include "pipe/pipe_fourcc.h"

#include <algorithm>

namespace st {

// One level, drawn to and sampled.
static pipe_resource_desc shared_texture(pipe_handle resource, uint32_t format, uint32_t width,
                                         uint32_t height) {
    pipe_resource_desc d{};
    d.resource = resource;
    d.target = PIPE_TEXTURE_2D;
    d.format = uint16_t(format);
    d.width = width;
    d.height = height;
    d.samples = d.levels = 1;
    d.depth = d.layers = 1;
    d.storage = PIPE_STORAGE_IMMUTABLE;
    d.bind = PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_RENDER_TARGET | PIPE_BIND_SHARED;
    return d;
}

Import texture_import(gl::ShareGroup &g, gl::Texture &tex, const gl::DmaBuf &source,
                      uint32_t format) {
    Group &group = *g.tracker;
    pipe_screen *screen = g.screen;
    const gl::TexImage &im = tex.image[0][0];
    if (!screen->resource_import ||
        uint32_t(std::max(im.width, im.height)) > screen->caps.max_texture_2d_size)
        return Import::no_format;
    pipe_resource_import p{};
    const pipe_resource_desc d = p.desc =
        shared_texture(to_pipe(group.resources.mint()), format, uint32_t(im.width),
                       uint32_t(im.height));
    if (pipe_handle_is_null(d.resource))
        return Import::no_handle;
    p.fourcc = source.fourcc;
    p.num_planes = source.planes;
    p.modifier = source.has_modifier ? source.modifier : pipe_modifier_none;
    std::copy_n(source.offset, 4, p.offset);
    std::copy_n(source.pitch, 4, p.stride);
    std::copy_n(source.fd, 4, p.fd);
    const enum pipe_status status = screen->resource_import(screen, &p);
    if (status != PIPE_OK) {
        kill_handle(group, PIPE_HANDLE_RESOURCE, d.resource);
        return status == PIPE_DECLINED ? Import::no_format : Import::no_access;
    }
    data_of(tex).desc = d;
    tex.handle = d.resource;
    return Import::done;
}

bool texture_export(gl::ShareGroup &g, uint32_t format, uint32_t width, uint32_t height,
                    std::span<const uint64_t> modifiers, Exported &out) {
    Group &group = *g.tracker;
    pipe_screen *screen = g.screen;
    pipe_resource_export p{};
    if (!screen->resource_export || modifiers.empty())
        return false;
    p.desc = shared_texture(to_pipe(group.resources.mint()), format, width, height);
    if (pipe_handle_is_null(p.desc.resource))
        return false;
    p.num_modifiers = uint32_t(std::min(modifiers.size(), std::size(p.modifier)));
    std::copy_n(modifiers.data(), p.num_modifiers, p.modifier);
    pipe_resource_export_reply reply{};
    if (screen->resource_export(screen, &p, &reply) != PIPE_OK) {
        exported_drop(g, p.desc.resource);
        return false;
    }
    out = {p.desc.resource, reply.modifier, reply.offset, reply.stride, reply.fd};
    return true;
}

void exported_drop(gl::ShareGroup &g, pipe_handle resource) {
    kill_handle(*g.tracker, PIPE_HANDLE_RESOURCE, resource);
}

std::vector<gl::DmaBufFormat> importable_formats(const gl::ShareGroup &g) {
    std::vector<gl::DmaBufFormat> out;
    pipe_screen *screen = g.screen;
    if (!screen->resource_import || !screen->dmabuf_formats)
        return out;
    pipe_dmabuf_formats p{};
    pipe_dmabuf_formats_reply page{};
    do {
        if (screen->dmabuf_formats(screen, &p, &page) != PIPE_OK)
            return {};
        page.count = std::min<uint32_t>(page.count, std::size(page.pair));
        for (uint32_t i = 0; i < page.count; i++)
            out.push_back({page.pair[i].fourcc, page.pair[i].modifier});
        p.first += page.count;
    } while (page.count && p.first < page.total);
    return out;
}

} // namespace st
