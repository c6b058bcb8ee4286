// SPDX-License-Identifier: MIT
// Textures whose storage is a dma-buf of others. Imports are root calls: EGL makes images without a
// context.
#include "tracker/texture_storage.h"

#include "pipe/pipe_fourcc.h"

#include <algorithm>

namespace st {

Import texture_import(gl::ShareGroup &g, gl::Texture &tex, const gl::DmaBuf &source,
                      uint32_t format) {
    Group &group = *g.tracker;
    pipe_screen *screen = g.screen;
    const gl::TexImage &im = tex.image[0][0];
    if (!screen->resource_import ||
        uint32_t(std::max(im.width, im.height)) > screen->caps.max_texture_2d_size)
        return Import::no_format;
    pipe_resource_import p{};
    pipe_resource_desc &d = p.desc;
    d.resource = to_pipe(group.resources.mint());
    if (pipe_handle_is_null(d.resource))
        return Import::no_handle;
    d.target = PIPE_TEXTURE_2D;
    d.format = uint16_t(format);
    d.width = uint32_t(im.width);
    d.height = uint32_t(im.height);
    d.samples = d.levels = 1;
    d.depth = d.layers = 1;
    d.storage = PIPE_STORAGE_IMMUTABLE;
    d.bind = PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_RENDER_TARGET | PIPE_BIND_SHARED;
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
