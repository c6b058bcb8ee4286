// SPDX-License-Identifier: MIT
// What a program's slots read: textures and samplers at unit = slot, buffers at their slot's point,
// images, and the default block through the upload ring. Nothing is ever relinked or rebound inside
// a program.
#include <algorithm>

#include "espryt_blit_tools.h"
#include "espryt_state.h"
#include "espryt_texel_buffer.h"
#include "util/log.h"

namespace espryt {

sampler *bound_sampler(context *ctx, const resource *r, unsigned unit) {
    sampler *s = ctx->scr->samplers.find(ctx->samplers[unit]);
    return !s && r->has_params ? ctx->scr->samplers.find(r->params->sampler) : s;
}

namespace {

void bind_sampler_slot(context *ctx, unsigned slot, unsigned unit) {
    if (unit >= PIPE_MAX_TEXTURE_UNITS)
        return;
    sampler_view *v = ctx->scr->views.find(ctx->views[unit].view);
    resource *r = v ? v->texture : nullptr;
    if (!r || r->bad || !r->name.name) {
        ctx->sh.bind_texture(slot, 0, {});
        ctx->sh.bind_sampler(slot, {});
        return;
    }
    if (r->target == GL_TEXTURE_BUFFER)
        refresh_texture_buffer(ctx, r);
    texture_ref t = r->target == GL_TEXTURE_BUFFER && ctx->reads_texels
                        ? texel_texture(ctx, r)
                        : texture_as(ctx, r, v->desc.format, v->desc.target, v->desc.first_layer,
                                     v->desc.num_layers);
    if (!t.name.name) {
        ctx->sh.bind_texture(slot, 0, {});
        return;
    }
    if (r->target != GL_TEXTURE_BUFFER)
        apply_texture_state(ctx, t, view_state(v));
    ctx->sh.bind_texture(slot, t.target, t.name);
    bool sampled = r->target != GL_TEXTURE_BUFFER && t.target != GL_TEXTURE_2D_MULTISAMPLE &&
                   t.target != GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
    sampler *s = sampled ? bound_sampler(ctx, r, unit) : nullptr;
    // Integers in a plain texture are complete with this filter only.
    const host_name nearest = r->target == GL_TEXTURE_BUFFER && t.target == GL_TEXTURE_2D
                                  ? blit_tools(ctx)->nearest
                                  : host_name{};
    ctx->sh.bind_sampler(slot, s ? sampler_name(ctx, s) : nearest);
}

void apply_textures(context *ctx, program *p) {
    const std::vector<uint16_t> &unit_of = p->unit_of[PIPE_SLOT_SAMPLER];
    for (const sampler_slot &s : p->samplers) {
        if (s.slot < unit_of.size())
            bind_sampler_slot(ctx, s.slot, unit_of[s.slot]);
    }
}

void bind_buffer_slot(context *ctx, GLenum target, unsigned point, uint8_t cls, unsigned unit) {
    if (unit >= PIPE_MAX_INDEXED_BUFFERS || point >= max_indexed)
        return;
    const pipe_buffer_range &r = ctx->ranges[cls][unit];
    resource *b = find_resource(ctx, r.buffer);
    buffer_range want;
    if (b && r.offset < b->desc.size) {
        uint64_t size = std::min(r.size, b->desc.size - r.offset);
        if (target == GL_UNIFORM_BUFFER)
            size = std::min<uint64_t>(size, ctx->scr->caps.max_uniform_block_size);
        want = {b->name, static_cast<int64_t>(r.offset), static_cast<int64_t>(size)};
    }
    ctx->sh.bind_range(target, point, want);
}

void apply_buffers(context *ctx, program *p, uint32_t dirty) {
    if (dirty & dirty_uniform) {
        for (uint16_t slot : p->blocks)
            bind_buffer_slot(ctx, GL_UNIFORM_BUFFER, slot + first_block_point,
                             PIPE_BUFFER_CLASS_UNIFORM, p->unit_of[PIPE_SLOT_UNIFORM_BLOCK][slot]);
    }
    if (dirty & dirty_storage) {
        for (uint16_t slot : p->stores)
            bind_buffer_slot(ctx, GL_SHADER_STORAGE_BUFFER, slot, PIPE_BUFFER_CLASS_STORAGE,
                             p->unit_of[PIPE_SLOT_STORAGE_BLOCK][slot]);
        for (uint16_t slot : p->atomics)
            bind_buffer_slot(ctx, GL_SHADER_STORAGE_BUFFER,
                             slot + p->archive.num_storage_block_slots, PIPE_BUFFER_CLASS_ATOMIC,
                             p->unit_of[PIPE_SLOT_ATOMIC_BUFFER][slot]);
    }
}

void apply_images(context *ctx, program *p) {
    for (uint16_t slot : p->images) {
        unsigned unit = p->unit_of[PIPE_SLOT_IMAGE][slot];
        if (unit >= PIPE_MAX_IMAGE_UNITS || slot >= ctx->scr->caps.max_combined_images)
            continue;
        const pipe_shader_image &i = ctx->images[unit];
        resource *r = find_resource(ctx, i.resource);
        image_binding b;
        GLenum format = image_format_of(i.format);
        if (r && !r->is_buffer() && format) {
            b.texture = r->name;
            b.format = format;
            b.access = i.access == PIPE_IMAGE_ACCESS_READ    ? GL_READ_ONLY
                       : i.access == PIPE_IMAGE_ACCESS_WRITE ? GL_WRITE_ONLY
                                                             : GL_READ_WRITE;
            b.level = i.level;
            b.layered = i.layered;
            b.layer = static_cast<int>(i.layer);
        } else if (r && !format) {
            log_warning_once("espryt", "an image of format %s cannot be bound on this host",
                             pipe_format_name(i.format));
        }
        ctx->sh.bind_image(slot, b);
    }
}

float bias_of_slot(context *ctx, const program *p, unsigned slot) {
    const unsigned unit = p->unit_of[PIPE_SLOT_SAMPLER][slot];
    const sampler_view *v =
        unit < PIPE_MAX_TEXTURE_UNITS ? ctx->scr->views.find(ctx->views[unit].view) : nullptr;
    if (!v || !v->texture)
        return 0;
    const sampler *s = bound_sampler(ctx, v->texture, unit);
    const float most = ctx->scr->caps.max_texture_lod_bias;
    return s ? std::clamp(s->state.lod_bias, -most, most) : 0;
}

} // namespace

void apply_resources(context *ctx, program *p) {
    // Another lane may have given a texture of ours new storage; it says so by the epoch.
    if (ctx->dirty & dirty_textures)
        apply_textures(ctx, p);
    if (ctx->dirty & (dirty_uniform | dirty_storage))
        apply_buffers(ctx, p, ctx->dirty);
    if ((ctx->dirty & dirty_images) && !p->images.empty())
        apply_images(ctx, p);
}

void apply_levels(context *ctx, const program *p, host_program *v) {
    if (v->levels < 0) [[likely]]
        return;
    bool changed = false;
    for (const sampler_slot &s : p->samplers) {
        const unsigned unit = p->unit_of[PIPE_SLOT_SAMPLER][s.slot];
        const sampler_view *view =
            unit < PIPE_MAX_TEXTURE_UNITS ? ctx->scr->views.find(ctx->views[unit].view) : nullptr;
        const GLint want = view && view->texture ? accessible_levels(view) : 0;
        changed = changed || v->levels_value[s.slot] != want;
        v->levels_value[s.slot] = want;
    }
    if (changed) {
        emulated(emulation::query_levels);
        ctx->gl->Uniform1iv(v->levels, static_cast<GLsizei>(v->levels_value.size()),
                            v->levels_value.data());
    }
}

bool reads_biased(context *ctx, const program *p) {
    for (const sampler_slot &s : p->samplers)
        if (bias_of_slot(ctx, p, s.slot) != 0)
            return true;
    return false;
}

void apply_bias(context *ctx, const program *p, host_program *v) {
    if (v->bias < 0) [[likely]]
        return;
    emulated(emulation::lod_bias);
    bool changed = false;
    for (const sampler_slot &s : p->samplers) {
        const float want = bias_of_slot(ctx, p, s.slot);
        changed = changed || v->bias_value[s.slot] != want;
        v->bias_value[s.slot] = want;
    }
    if (changed)
        ctx->gl->Uniform1fv(v->bias, static_cast<GLsizei>(v->bias_value.size()),
                            v->bias_value.data());
}

bool reads_bad(context *ctx, const program *p) {
    if (!ctx->scr->num_bad.load(std::memory_order_relaxed)) [[likely]]
        return false;
    bool bad = false;
    for (uint32_t i = 0; ctx->ve && i < ctx->ve->num_bindings; i++)
        bad = bad || is_bad(ctx, ctx->vertex_buffers[i].buffer);
    for (uint16_t unit : p->unit_of[PIPE_SLOT_SAMPLER]) {
        const sampler_view *v =
            unit < PIPE_MAX_TEXTURE_UNITS ? ctx->scr->views.find(ctx->views[unit].view) : nullptr;
        bad = bad || (v && v->texture && v->texture->bad);
    }
    for (uint16_t unit : p->unit_of[PIPE_SLOT_IMAGE])
        bad = bad || (unit < PIPE_MAX_IMAGE_UNITS && is_bad(ctx, ctx->images[unit].resource));
    const uint8_t buffers[3][2] = {{PIPE_SLOT_UNIFORM_BLOCK, PIPE_BUFFER_CLASS_UNIFORM},
                                   {PIPE_SLOT_STORAGE_BLOCK, PIPE_BUFFER_CLASS_STORAGE},
                                   {PIPE_SLOT_ATOMIC_BUFFER, PIPE_BUFFER_CLASS_ATOMIC}};
    for (const auto &b : buffers) {
        for (uint16_t unit : p->unit_of[b[0]])
            bad = bad ||
                  (unit < PIPE_MAX_INDEXED_BUFFERS && is_bad(ctx, ctx->ranges[b[1]][unit].buffer));
    }
    return bad;
}

bool apply_globals(context *ctx, program *p) {
    if (p->globals->empty())
        return true;
    if (ctx->bound_globals_serial == p->globals_serial &&
        ctx->bound_globals_epoch == ctx->ring.epoch())
        return true;
    uint64_t alignment = std::max<uint64_t>(16, ctx->scr->caps.uniform_buffer_alignment);
    upload_ring::slice s = ctx->ring.put(p->globals->data(), p->globals->size(), alignment);
    if (!s.ptr) {
        host_failed(ctx, "upload ring");
        report_error(ctx, GL_OUT_OF_MEMORY, "a draw was skipped: no memory for its uniforms");
        return false;
    }
    ctx->sh.bind_range(GL_UNIFORM_BUFFER, globals_point,
                       {s.buffer, s.offset, static_cast<int64_t>(p->globals->size())});
    ctx->bound_globals_serial = p->globals_serial;
    ctx->bound_globals_epoch = ctx->ring.epoch();
    return true;
}

} // namespace espryt
