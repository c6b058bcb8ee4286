// SPDX-License-Identifier: MIT
// Copies that name framebuffers or textures: blit, copy into a texture, copy between images,
// mipmaps.
#include "tracker/kept_blocks.h"
#include "tracker/recode.h"
#include "tracker/texture_storage.h"

#include "objects/errors.h"
#include "util/log.h"

#include <algorithm>

namespace st {

void blit(gl::Context &c, const BlitInfo &b) {
    Tracker &t = of(c);
    validate_verb(t, Verb::blit);
    if (t.condition_skips)
        return;
    pipe_blit p{};
    p.src = resolve_framebuffer(t, *b.read);
    p.dst = resolve_framebuffer(t, *b.draw);
    verify_state(t, Verb::blit, {b.read, b.draw});
    p.src_box = pipe_blit_box{b.src[0], b.src[1], b.src[2], b.src[3]};
    p.dst_box = pipe_blit_box{b.dst[0], b.dst[1], b.dst[2], b.dst[3]};
    p.mask = (b.mask & GL_COLOR_BUFFER_BIT ? uint32_t(PIPE_BUFFER_COLOR0) : 0) |
             (b.mask & GL_DEPTH_BUFFER_BIT ? uint32_t(PIPE_BUFFER_DEPTH) : 0) |
             (b.mask & GL_STENCIL_BUFFER_BIT ? uint32_t(PIPE_BUFFER_STENCIL) : 0);
    p.filter = b.filter == GL_LINEAR ? PIPE_TEX_FILTER_LINEAR : PIPE_TEX_FILTER_NEAREST;
    if (!p.mask)
        return;
    if (!t.lane.has<&pipe_context::blit>())
        return gl::error(c, GL_INVALID_OPERATION, "glBlitFramebuffer(the driver has no blit)");
    t.lane.emit<&pipe_context::blit>(&p);
    b.draw->front_drawn |= gl::draws_front(*b.draw);
}

void texture_copy_from_framebuffer(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level,
                                   GLint dx, GLint dy, GLint dz, gl::Framebuffer &fb, GLint x,
                                   GLint y, GLsizei w, GLsizei h) {
    Tracker &t = of(c);
    const Location at = locate_storage(t, tex, face, level);
    const gl::FormatInfo *f = tex.image[face][level].format;
    if (pipe_handle_is_null(at.resource) || !f || w <= 0 || h <= 0)
        return;
    if (f->compressed)
        return copy_as_blocks(c, tex, face, level, {dx, dy, dz, w, h, 1}, fb, x, y);
    if (!t.lane.has<&pipe_context::copy_framebuffer_to_texture>())
        return gl::error(c, GL_INVALID_OPERATION, "glCopyTexSubImage(the driver has no such copy)");
    wait_for(t, *at.write);
    resolve_params(t, tex);
    pipe_copy_framebuffer_to_texture p{};
    p.framebuffer = resolve_framebuffer(t, fb);
    p.texture = at.resource;
    p.level = at.level;
    p.x = x;
    p.y = y;
    p.width = uint32_t(w);
    p.height = uint32_t(h);
    p.dst_x = dx;
    p.dst_y = tex.index == gl::TEX_1D_ARRAY ? 0 : dy;
    p.dst_z = dz + int32_t(at.layer) + (tex.index == gl::TEX_1D_ARRAY ? dy : 0);
    p.mask = f->color() ? uint32_t(PIPE_BUFFER_COLOR0)
                        : (f->depth() ? uint32_t(PIPE_BUFFER_DEPTH) : 0) |
                              (f->stencil() ? uint32_t(PIPE_BUFFER_STENCIL) : 0);
    t.lane.emit<&pipe_context::copy_framebuffer_to_texture>(&p);
    note_write(t, *at.write);
}

static Location image_at(Tracker &t, const ImageRef &r) {
    if (r.tex)
        return locate_storage(t, *r.tex, r.face, r.level);
    Location at;
    if (r.rb && r.rb->texture)
        return locate_storage(t, *r.rb->texture, 0, 0);
    if (r.rb) {
        RenderbufferData &d = data_of(*r.rb);
        at.resource = r.rb->handle;
        at.desc = &d.desc;
        at.write = &d.write;
    }
    return at;
}

bool copy_image(gl::Context &c, const ImageRef &src, const ImageRef &dst, GLsizei w, GLsizei h,
                GLsizei d) {
    Tracker &t = of(c);
    if (!t.lane.has<&pipe_context::resource_copy_region>())
        return false;
    const Location from = image_at(t, src), to = image_at(t, dst);
    if (pipe_handle_is_null(from.resource) || pipe_handle_is_null(to.resource))
        return true;
    wait_for(t, *from.write);
    wait_for(t, *to.write);
    if (src.tex)
        resolve_params(t, *src.tex);
    if (dst.tex)
        resolve_params(t, *dst.tex);
    const bool decoded = (src.tex && stored_decoded(*src.tex, src.face, src.level, from)) ||
                         (dst.tex && stored_decoded(*dst.tex, dst.face, dst.level, to));
    if (decoded)
        return copy_decoded(c, src, dst, w, h, d);
    pipe_resource_copy_region p{};
    p.src = from.resource;
    p.dst = to.resource;
    p.src_level = from.level;
    p.dst_level = to.level;
    p.src_box = pipe_box{src.x, src.y, src.z + int32_t(from.layer), w, h, d};
    p.dst_x = dst.x;
    p.dst_y = dst.y;
    p.dst_z = dst.z + int32_t(to.layer);
    t.lane.emit<&pipe_context::resource_copy_region>(&p);
    note_write(t, *to.write);
    return true;
}

void texture_generate_mipmap(gl::Context &c, gl::Texture &tex) {
    Tracker &t = of(c);
    TextureData &d = data_of(tex);
    const unsigned base = unsigned(std::max(tex.base_level, 0));
    const unsigned last = gl::texture_last_level(tex);
    if (last <= base)
        return;
    // Levels that are made now are defined by the caller; the chain must hold them all.
    if (!tex.immutable) {
        const unsigned faces = tex.index == gl::TEX_CUBE ? 6 : 1;
        for (unsigned l = base; l <= last && l < gl::kMaxTextureLevels; l++)
            for (unsigned f = 0; f < faces; f++)
                if (tex.image[f][l].defined() && !(d.in_main[f] >> l & 1))
                    texture_level_defined(c, tex, f, l);
        texture_finalize(t, tex);
    }
    const Location at = locate_storage(t, tex, 0, base);
    if (pipe_handle_is_null(at.resource))
        return;
    if (tex.image[0][base].format->compressed)
        return mipmap_as_blocks(c, tex, base, last);
    if (!t.lane.has<&pipe_context::generate_mipmap>())
        return gl::error(c, GL_INVALID_OPERATION,
                         "glGenerateMipmap(the driver has no mipmap generation)");
    wait_for(t, *at.write);
    resolve_params(t, tex);
    pipe_generate_mipmap p{};
    p.texture = at.resource;
    p.base_level = at.level;
    p.last_level = at.level + (last - base);
    p.first_layer = tex.origin ? unsigned(tex.min_layer) : 0;
    p.num_layers = tex.origin ? unsigned(tex.num_layers) : at.desc->layers;
    p.format = d.desc.format;
    t.lane.emit<&pipe_context::generate_mipmap>(&p);
    note_write(t, *at.write);
}

} // namespace st
