// SPDX-License-Identifier: MIT
// Buffers, textures and renderbuffers: creation, redefinition, death.
#include "espryt_resource.h"

#include <algorithm>

#include "espryt_dmabuf.h"
#include "espryt_map.h"
#include "espryt_transfer.h"
#include "util/log.h"
#include "util/stats.h"

namespace espryt {

static util::Counter count_resources("espryt.resources", "buffers and textures of the host alive");

GLenum host_target(uint8_t t) {
    switch (t) {
    case PIPE_TEXTURE_1D:
    case PIPE_TEXTURE_2D:
    case PIPE_TEXTURE_RECT: return GL_TEXTURE_2D;
    case PIPE_TEXTURE_3D: return GL_TEXTURE_3D;
    case PIPE_TEXTURE_CUBE: return GL_TEXTURE_CUBE_MAP;
    case PIPE_TEXTURE_1D_ARRAY:
    case PIPE_TEXTURE_2D_ARRAY: return GL_TEXTURE_2D_ARRAY;
    case PIPE_TEXTURE_CUBE_ARRAY: return GL_TEXTURE_CUBE_MAP_ARRAY;
    case PIPE_TEXTURE_2D_MS: return GL_TEXTURE_2D_MULTISAMPLE;
    case PIPE_TEXTURE_2D_MS_ARRAY: return GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
    case PIPE_TEXTURE_BUFFER: return GL_TEXTURE_BUFFER;
    case PIPE_RENDERBUFFER: return GL_RENDERBUFFER;
    default: return 0;
    }
}

resource *find_resource(context *ctx, pipe_handle h) {
    resource *r = ctx->scr->resources.find(h);
    return r && !r->bad ? r : nullptr;
}

resource *make_twin(screen *s, const pipe_resource_desc &desc) {
    auto r = new resource;
    count_resources.level(1);
    r->scr = s;
    r->desc = desc;
    return r;
}

bool is_bad(context *ctx, pipe_handle h) {
    const resource *r = ctx->scr->resources.find(h);
    return r && r->bad;
}

void resource_ref(resource *r) {
    r->refs.fetch_add(1, std::memory_order_relaxed);
}

namespace {

void set_bad(resource *r, bool bad) {
    if (r->bad != bad)
        r->scr->num_bad.fetch_add(bad ? 1 : -1);
    r->bad = bad;
}

// Deletes the host objects, keeps the twin.
void drop_storage(context *ctx, screen *s, resource *r) {
    for (host_view &v : r->views) {
        if (ctx)
            ctx->sh.forget_texture(v.name);
        bury(s, {grave::texture, v.name.name, nullptr});
    }
    r->views.clear();
    if (r->image != EGL_NO_IMAGE_KHR)
        s->host->images.DestroyImage(s->host->display, r->image);
    r->image = EGL_NO_IMAGE_KHR;
    if (!r->name.name)
        return;
    if (r->is_buffer()) {
        if (ctx)
            ctx->sh.forget_buffer(r->name);
        if (r->mapped)
            s->num_mapped.fetch_sub(1);
        r->mapped = nullptr;
        r->mappable = false;
        bury(s, {grave::buffer, r->name.name, nullptr});
    } else if (r->target == GL_RENDERBUFFER) {
        if (ctx)
            ctx->sh.forget_renderbuffer(r->name);
        bury(s, {grave::renderbuffer, r->name.name, nullptr});
    } else {
        if (ctx)
            ctx->sh.forget_texture(r->name);
        bury(s, {grave::texture, r->name.name, nullptr});
    }
    r->name = {};
}

GLenum usage_of(const pipe_resource_desc &d) {
    switch (d.usage) {
    case PIPE_USAGE_STREAM: return GL_STREAM_DRAW;
    case PIPE_USAGE_DYNAMIC: return GL_DYNAMIC_DRAW;
    case PIPE_USAGE_STAGING: return GL_STREAM_READ;
    default: return GL_STATIC_DRAW;
    }
}

void make_buffer(context *ctx, resource *r) {
    const gles *gl = ctx->gl;
    if (r->mappable)
        drop_storage(ctx, ctx->scr, r); // the host gives it no other
    if (!r->name.name) {
        gl->GenBuffers(1, &r->name.name);
        r->name.serial = next_serial();
    }
    if (!ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, r->name))
        return;
    std::vector<uint8_t> zeros;
    if (r->desc.flags & PIPE_RESOURCE_ZERO_INIT)
        zeros.resize(r->desc.size);
    r->mappable = wants_map(ctx, r->desc);
    if (r->mappable)
        return make_mappable(ctx, r->desc, zeros.empty() ? nullptr : zeros.data());
    gl->BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(r->desc.size),
                   zeros.empty() ? nullptr : zeros.data(), usage_of(r->desc));
}

void attach_texture_buffer(context *ctx, resource *r) {
    if (!ctx->has(feature::texture_buffer))
        return; // copied before each draw
    if (!lacks_texels(r->desc.format))
        attach_store(ctx, r, r->name, r->fmt->internal);
    for (const host_view &v : r->views)
        attach_store(ctx, r, v.name, v.internal);
    r->bound_buffer_size = r->owner ? r->owner->desc.size : 0;
}

void storage(context *ctx, const resource *r) {
    const gles *gl = ctx->gl;
    const pipe_resource_desc &d = r->desc;
    int levels = d.levels ? d.levels : 1, w = static_cast<int>(d.width),
        h = static_cast<int>(d.height ? d.height : 1);
    int layers = static_cast<int>(d.layers ? d.layers : 1);
    GLenum f = r->fmt->internal;
    switch (r->target) {
    case GL_TEXTURE_2D:
    case GL_TEXTURE_CUBE_MAP: gl->TexStorage2D(r->target, levels, f, w, h); break;
    case GL_TEXTURE_3D:
        gl->TexStorage3D(r->target, levels, f, w, h, static_cast<int>(d.depth));
        break;
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_CUBE_MAP_ARRAY: gl->TexStorage3D(r->target, levels, f, w, h, layers); break;
    case GL_TEXTURE_2D_MULTISAMPLE:
        gl->TexStorage2DMultisample(r->target, std::max<int>(1, d.samples), f, w, h, GL_TRUE);
        break;
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY:
        if (gl->TexStorage3DMultisample)
            gl->TexStorage3DMultisample(r->target, std::max<int>(1, d.samples), f, w, h, layers,
                                        GL_TRUE);
        break;
    default: break;
    }
}

void make_texture(context *ctx, resource *r) {
    const gles *gl = ctx->gl;
    const pipe_resource_desc &d = r->desc;
    gl->GenTextures(1, &r->name.name);
    r->name.serial = next_serial();
    r->applied = {};
    if (d.flags & PIPE_RESOURCE_VIEW) {
        resource *o = r->owner;
        if (o && !o->bad && o->image != EGL_NO_IMAGE_KHR) {
            set_bad(r, o->fmt != r->fmt || !show_image(ctx, r, o->image));
            return;
        }
        if (!o || o->bad || !ctx->has(feature::texture_view)) {
            set_bad(r, true);
            return;
        }
        gl->TextureViewEXT(r->name.name, r->target, o->name.name, r->fmt->internal,
                           d.view_min_level, std::max<GLuint>(1, d.view_num_levels),
                           d.view_min_layer, std::max<GLuint>(1, d.view_num_layers));
        return;
    }
    if (r->target == GL_TEXTURE_BUFFER) {
        attach_texture_buffer(ctx, r);
        return;
    }
    if (!ctx->sh.bind_scratch_texture(r->target, r->name))
        return;
    storage(ctx, r);
    if ((d.flags & PIPE_RESOURCE_ZERO_INIT) && ctx->has(feature::clear_texture) && r->fmt->format &&
        d.samples <= 1) {
        for (int l = 0; l < d.levels; l++)
            gl->ClearTexImageEXT(r->name.name, l, r->fmt->format, r->fmt->type, nullptr);
    }
}

void make_renderbuffer(context *ctx, resource *r) {
    const gles *gl = ctx->gl;
    const pipe_resource_desc &d = r->desc;
    gl->GenRenderbuffers(1, &r->name.name);
    r->name.serial = next_serial();
    if (!ctx->sh.bind_renderbuffer(r->name))
        return;
    if (d.samples > 1)
        gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, d.samples, r->fmt->internal,
                                           static_cast<int>(d.width), static_cast<int>(d.height));
    else
        gl->RenderbufferStorage(GL_RENDERBUFFER, r->fmt->internal, static_cast<int>(d.width),
                                static_cast<int>(d.height));
}

// Without copy_image only a texture's samples can be read one by one.
bool renders_to_texture(context *ctx, const pipe_resource_desc &d) {
    const host_limits &l = ctx->host->info.limits;
    const pipe_format_desc *f = pipe_format_describe(d.format);
    const int most = f->is_depth || f->is_stencil ? l.max_depth_samples
                     : f->is_integer              ? l.max_integer_samples
                                                  : l.max_color_samples;
    return d.target == PIPE_RENDERBUFFER && d.samples > 1 && d.samples <= most &&
           !ctx->has(feature::copy_image) && (!f->is_stencil || f->is_depth);
}

// A view or texture buffer of a refused store: that was said once.
bool is_bad_by_owner(const resource *r) {
    return r->owner && r->owner->bad;
}

void count_emulated(const resource *r) {
    const uint8_t t = r->desc.target;
    if (r->fmt->widened)
        emulated(emulation::wide_format);
    if (t == PIPE_TEXTURE_1D || t == PIPE_TEXTURE_1D_ARRAY)
        emulated(emulation::texture_1d);
    else if (t == PIPE_TEXTURE_RECT)
        emulated(emulation::texture_rect);
}

// Fills the twin from r->desc. A refusal marks it bad and raises one error.
void materialise(context *ctx, resource *r) {
    set_bad(r, false);
    r->target = host_target(r->desc.target);
    r->fmt = &format_of(r->desc.format);
    if (r->target == GL_TEXTURE_BUFFER &&
        (lacks_texels(r->desc.format) || !ctx->has(feature::texture_buffer) ||
         ctx->forced(emulation::texel_words)))
        ctx->scr->texel_buffers = true;
    if (renders_to_texture(ctx, r->desc))
        r->target = GL_TEXTURE_2D_MULTISAMPLE;
    count_emulated(r);
    if (gles_fault_armed())
        host_failed(ctx, "earlier call");
    if (r->is_buffer()) {
        make_buffer(ctx, r);
    } else if (!r->fmt->internal || !r->target) {
        set_bad(r, true);
    } else if (r->target == GL_RENDERBUFFER) {
        make_renderbuffer(ctx, r);
    } else {
        make_texture(ctx, r);
    }
    if (host_failed(ctx, "storage") || !r->name.name)
        set_bad(r, true);
    if (r->bad && is_bad_by_owner(r)) {
        drop_storage(ctx, ctx->scr, r);
    } else if (r->bad) {
        drop_storage(ctx, ctx->scr, r);
        report_error(ctx, GL_OUT_OF_MEMORY, "no storage for resource %u (GL name %u, %s %ux%u)",
                     r->desc.resource.slot, r->desc.gl_name, pipe_format_name(r->desc.format),
                     r->desc.width, r->desc.height);
    }
}

void set_owner(context *ctx, resource *r) {
    resource *old = r->owner;
    pipe_handle h = r->desc.target == PIPE_TEXTURE_BUFFER ? r->desc.buffer
                    : r->desc.flags & PIPE_RESOURCE_VIEW  ? r->desc.view_of
                                                          : pipe_null_handle();
    r->owner = pipe_handle_is_null(h) ? nullptr : ctx->scr->resources.find(h);
    if (r->owner)
        resource_ref(r->owner);
    if (old)
        resource_unref(ctx, ctx->scr, old);
}

void publish(context *ctx) {
    if (ctx->scr->num_lanes.load(std::memory_order_relaxed) > 1)
        ctx->gl->Flush();
}

void resource_create(pipe_context *pc, const pipe_resource_create *p) {
    context *ctx = to_context(pc);
    dig_graves(ctx);
    resource *r = make_twin(ctx->scr, p->desc);
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        if (resource *old = ctx->scr->resources.take_slot(p->desc.resource))
            resource_unref(ctx, ctx->scr, old);
        if (!ctx->scr->resources.insert(p->desc.resource, r)) {
            log_error("espryt", "resource handle %u/%u refused", p->desc.resource.slot,
                      p->desc.resource.gen);
            delete r;
            count_resources.level(-1);
            return;
        }
    }
    set_owner(ctx, r);
    materialise(ctx, r);
    publish(ctx);
    verb_done(ctx, "resource_create");
}

void copy_level(context *ctx, resource *from, resource *to, unsigned level) {
    pipe_resource_copy_region p{};
    p.src_level = p.dst_level = static_cast<decltype(p.src_level)>(level);
    p.src_box.width = static_cast<int>(std::min(from->level_width(level), to->level_width(level)));
    p.src_box.height =
        static_cast<int>(std::min(from->level_height(level), to->level_height(level)));
    p.src_box.depth = static_cast<int>(std::min(from->level_depth(level), to->level_depth(level)));
    copy_texture(ctx, from, to, &p);
}

void resource_respecify(pipe_context *pc, const pipe_resource_respecify *p) {
    context *ctx = to_context(pc);
    resource *r = ctx->scr->resources.find(p->desc.resource);
    if (!r)
        return;
    if (r->is_buffer() && p->desc.target == PIPE_BUFFER) {
        r->desc = p->desc;
        materialise(ctx, r);
        ctx->dirty |= dirty_vertex_buffers | dirty_uniform | dirty_storage;
        publish(ctx);
        verb_done(ctx, "resource_respecify");
        return;
    }
    // The old storage becomes a twin of its own until the levels that stay are copied.
    auto old = new resource;
    count_resources.level(1);
    old->scr = r->scr;
    old->desc = r->desc;
    old->name = r->name;
    old->target = r->target;
    old->fmt = r->fmt;
    old->views.swap(r->views);
    old->blocks.swap(r->blocks);
    bool had = r->name.name && !r->bad;
    r->name = {};
    r->desc = p->desc;
    set_owner(ctx, r);
    materialise(ctx, r);
    if (had && !r->bad && old->fmt == r->fmt) {
        for (unsigned l = 0; l < 32 && l < r->desc.levels && l < old->desc.levels; l++) {
            if (p->keep_levels >> l & 1)
                copy_level(ctx, old, r, l);
        }
    }
    resource_unref(ctx, ctx->scr, old);
    ctx->scr->attach_epoch.fetch_add(1);
    ctx->dirty |= dirty_framebuffer | dirty_textures | dirty_images;
    publish(ctx);
    verb_done(ctx, "resource_respecify");
}

void resource_destroy(pipe_context *pc, const pipe_resource_destroy *p) {
    context *ctx = to_context(pc);
    resource *r;
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        r = ctx->scr->resources.take(p->resource);
    }
    if (!r)
        return;
    resource_unref(ctx, ctx->scr, r);
    ctx->dirty |=
        dirty_vertex_buffers | dirty_uniform | dirty_storage | dirty_textures | dirty_images;
    verb_done(ctx, "resource_destroy");
}

void resource_invalidate(pipe_context *pc, const pipe_resource_invalidate *p) {
    // Contents may become undefined, they need not. A whole buffer is orphaned, which saves the
    // next writer a wait.
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->resource);
    if (r && r->is_buffer() && !r->mappable && p->offset == 0 && p->size >= r->desc.size)
        make_buffer(ctx, r);
    verb_done(ctx, "resource_invalidate");
}

} // namespace

void resource_unref(context *ctx, screen *s, resource *r) {
    if (r->refs.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    drop_storage(ctx, s, r);
    set_bad(r, false);
    resource *owner = r->owner;
    delete r;
    count_resources.level(-1);
    if (owner)
        resource_unref(ctx, s, owner);
}

void attach_store(context *ctx, const resource *r, host_name texture, GLenum internal) {
    const gles *gl = ctx->gl;
    const resource *b = r->owner;
    if (!ctx->sh.bind_scratch_texture(GL_TEXTURE_BUFFER, texture))
        return;
    const GLuint name = b ? b->name.name : 0;
    const bool whole = r->desc.buffer_size == PIPE_WHOLE_SIZE && r->desc.buffer_offset == 0;
    if (whole || !name || !gl->TexBufferRange) {
        gl->TexBuffer(GL_TEXTURE_BUFFER, internal, name);
        return;
    }
    uint64_t size = b->desc.size > r->desc.buffer_offset ? b->desc.size - r->desc.buffer_offset : 0;
    size = std::min(size, r->desc.buffer_size);
    gl->TexBufferRange(GL_TEXTURE_BUFFER, internal, name,
                       static_cast<GLintptr>(r->desc.buffer_offset), static_cast<GLsizeiptr>(size));
}

void refresh_texture_buffer(context *ctx, resource *r) {
    if (r->owner && r->bound_buffer_size != r->owner->desc.size)
        attach_texture_buffer(ctx, r);
}

void init_resource_functions(screen *s, context *) {
    if (!s)
        return;
    s->resource_create = resource_create;
    s->resource_respecify = resource_respecify;
    s->resource_destroy = resource_destroy;
    s->resource_invalidate = resource_invalidate;
}

} // namespace espryt
