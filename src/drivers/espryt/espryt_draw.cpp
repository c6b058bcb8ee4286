// SPDX-License-Identifier: MIT
// draw_vbo and launch_grid: validation in order, then the host call that fits the record, with
// index rewriting, loops over ranges and read-back of indirect parameters where the host has no
// call.
#include "espryt_draw.h"

#include <algorithm>
#include <cstring>

#include "drivers_common/index_rewrite.h"
#include "espryt_border.h"
#include "espryt_fixed.h"
#include "espryt_logic.h"
#include "espryt_passes.h"
#include "espryt_provoking.h"
#include "espryt_query.h"
#include "espryt_texel_buffer.h"
#include "util/log.h"

namespace espryt {

GLenum primitive_of(uint8_t mode) {
    static const GLenum map[] = {GL_POINTS,
                                 GL_LINES,
                                 GL_LINE_LOOP,
                                 GL_LINE_STRIP,
                                 GL_TRIANGLES,
                                 GL_TRIANGLE_STRIP,
                                 GL_TRIANGLE_FAN,
                                 GL_TRIANGLES,
                                 GL_TRIANGLES,
                                 GL_TRIANGLES,
                                 GL_LINES_ADJACENCY,
                                 GL_LINE_STRIP_ADJACENCY,
                                 GL_TRIANGLES_ADJACENCY,
                                 GL_TRIANGLE_STRIP_ADJACENCY,
                                 GL_PATCHES};
    return map[mode < 15 ? mode : 0];
}

void state_disturbed(context *ctx) {
    ctx->sh.state.known = false;
    ctx->bound_program = nullptr;
    ctx->bound_globals_serial = 0;
    ctx->dirty = dirty_all;
}

condition_scope::condition_scope(context *c) : ctx(c) {
    if (ctx->conditional)
        on = condition_begin(ctx);
}

condition_scope::~condition_scope() {
    if (!on)
        return;
    ctx->gl->EndConditionalRenderNV();
    if (gles_fault_armed() && host_failed(ctx, "end of conditional rendering"))
        ctx->gl->EndConditionalRenderNV();
}

bool setup_failed(context *ctx, const char *what) {
    if (gles_fault_armed())
        host_failed(ctx, what);
    return ctx->host_oom != nullptr;
}

namespace {

bool emits_points(const program *p, const pipe_draw_vbo *d) {
    if (p->stage_mask & 1u << PIPE_SHADER_GEOMETRY)
        return p->archive.gs_output == PIPE_PRIM_POINTS;
    if (p->stage_mask & 1u << PIPE_SHADER_TESS_EVAL)
        return p->archive.tes_point_mode;
    return d->mode == PIPE_PRIM_POINTS;
}

void set_point_size(context *ctx, host_program *v) {
    if (v->point_size < 0)
        return;
    float s = ctx->dyn->line_point.point_size;
    const float *range = ctx->host->info.limits.point_size;
    s = std::clamp(s > 0 ? s : 1.0f, range[0] > 0 ? range[0] : 1.0f, range[1]);
    if (v->point_size_value != s) {
        v->point_size_value = s;
        ctx->gl->Uniform1f(v->point_size, s);
    }
}

void set_point_turn(context *ctx, host_program *v) {
    const float turn = ctx->rs->state.raster.point_sprite_upper_left ? 0.0f : 1.0f;
    if (v->point_turn < 0 || v->point_turn_value == turn)
        return;
    v->point_turn_value = turn;
    ctx->gl->Uniform1f(v->point_turn, turn);
}

void set_clip_enable(context *ctx, host_program *v) {
    const int enable = ctx->rs->state.raster.clip_enable;
    if (v->clip_enable < 0 || v->clip_enable_value == enable)
        return;
    v->clip_enable_value = enable;
    ctx->gl->Uniform1i(v->clip_enable, enable);
}

void set_fb_height(context *ctx, host_program *v, const framebuffer *fb) {
    const int height = static_cast<int>(fb->height);
    if (v->fb_height < 0 || v->fb_height_value == height)
        return;
    v->fb_height_value = height;
    ctx->gl->Uniform1f(v->fb_height, static_cast<float>(height));
}

// Buffer textures change with what is bound, copies of stores with every draw.
unsigned texel_bit(context *ctx, const program *p) {
    if (!ctx->scr->texel_buffers.load(std::memory_order_relaxed)) [[likely]]
        return 0;
    const bool reads = reads_texels(ctx, p);
    if (reads != ctx->reads_texels || (reads && !ctx->has(feature::texture_buffer)))
        ctx->dirty |= dirty_textures;
    ctx->reads_texels = reads;
    return reads ? unsigned(variant_texels) : 0u;
}

void set_patch_levels(context *ctx, host_program *v) {
    if (v->outer_levels < 0) [[likely]]
        return;
    float levels[6];
    std::copy_n(ctx->patch->outer, 4, levels);
    std::copy_n(ctx->patch->inner, 2, levels + 4);
    if (std::equal(std::begin(levels), std::end(levels), v->levels_of_patch))
        return;
    std::copy_n(levels, 6, v->levels_of_patch);
    ctx->gl->Uniform4f(v->outer_levels, levels[0], levels[1], levels[2], levels[3]);
    ctx->gl->Uniform4f(v->inner_levels, levels[4], levels[5], 0, 0);
}

void set_decoded(context *ctx, host_program *v, const framebuffer *fb) {
    if (v->srgb < 0) [[likely]]
        return;
    emulated(emulation::decode_outputs);
    const int want = decoded_targets(ctx, fb);
    if (ctx->rs->state.blend.rt[0].enable)
        log_warning_once("espryt", "an sRGB target blends in linear space although sRGB writes are "
                                   "off: the host has no sRGB write control");
    if (v->srgb_value == want)
        return;
    v->srgb_value = want;
    ctx->gl->Uniform1i(v->srgb, want);
}

unsigned variant_of(context *ctx, const program *p, const pipe_draw_vbo *d, const framebuffer *fb) {
    unsigned bits = 0;
    if (emits_points(p, d) && !ctx->rs->state.raster.program_point_size)
        bits |= variant_point_size;
    if (ctx->scr->biased_samplers.load(std::memory_order_relaxed) && reads_biased(ctx, p))
        bits |= variant_lod_bias;
    if (ctx->scr->border_samplers.load(std::memory_order_relaxed) && reads_borders(ctx, p))
        bits |= variant_border;
    if (ctx->counting && counts_samples(ctx, p, fb))
        bits |= variant_count;
    if (p->lacks_control)
        bits |= std::clamp<unsigned>(ctx->patch->vertices, 1, 32) << variant_patch_shift;
    if (p->shows_provoking && delays_flat(ctx, p))
        bits |= variant_delay_flat;
    if (decoded_targets(ctx, fb))
        bits |= variant_decode;
    return bits | texel_bit(ctx, p) | fixed_variant(ctx, fb);
}

// Everything a draw needs. Null: skip it, the reason was reported.
// `shown`: how polygons are. `turn`: held until the draw is issued.
host_program *validate(context *ctx, const pipe_draw_vbo *d, uint32_t first_instance, outline shown,
                       std::unique_lock<std::mutex> &turn) {
    program *p = find_program(ctx, ctx->draw_program);
    if (!p || !ctx->rs || reads_bad(ctx, p) || (d->index_size && is_bad(ctx, ctx->index_buffer)))
        return nullptr;
    framebuffer *fb = find_framebuffer(ctx, ctx->draw_fb);
    if (!bind_draw_framebuffer(ctx, fb))
        return nullptr;
    unsigned bits = variant_of(ctx, p, d, fb);
    if (shown == outline::stage)
        bits |= outline_variant(ctx);
    host_program *v = logic_variant(ctx, fb, &bits) ? program_variant(ctx, p, bits) : nullptr;
    if (!v)
        return nullptr;
    if (ctx->bound_program != p || ctx->bound_program_id != p->id)
        ctx->dirty |=
            dirty_textures | dirty_images | dirty_uniform | dirty_storage | dirty_viewport;
    ctx->bound_program = p;
    ctx->bound_program_id = p->id;
    if (!stream_output_lets_program(ctx, v->name))
        return nullptr;
    if (v->has_uniforms && ctx->scr->num_lanes.load(std::memory_order_relaxed) > 1)
        turn = std::unique_lock(v->turn);
    ctx->sh.use_program(v->name);
    set_point_size(ctx, v);
    set_point_turn(ctx, v);
    set_clip_enable(ctx, v);
    set_fb_height(ctx, v, fb);
    set_decoded(ctx, v, fb);
    set_patch_levels(ctx, v);
    apply_logic(ctx, fb, v);
    if (v->bits & variant_depth_clamp)
        apply_depth_clamp(ctx, fb, v, shown == outline::none && emits_polygons(p, d));
    if (shown == outline::stage)
        apply_outline(ctx, fb, v, d);
    if (ctx->dirty &
        (dirty_render_state | dirty_viewport | dirty_scissor | dirty_dynamic | dirty_framebuffer))
        apply_render_state(ctx, fb);
    apply_vertex_state(ctx, first_instance);
    apply_resources(ctx, p);
    apply_levels(ctx, p, v);
    apply_bias(ctx, p, v);
    apply_texels(ctx, p, v);
    apply_borders(ctx, p, v);
    if (!apply_globals(ctx, p))
        return nullptr;
    ctx->dirty = 0;
    return v;
}

void set_draw_uniforms(context *ctx, host_program *v, int base_vertex, int base_instance,
                       int draw_id) {
    auto put = [&](GLint location, int *have, int want) {
        if (location >= 0 && *have != want) {
            *have = want;
            ctx->gl->Uniform1i(location, want);
        }
    };
    put(v->base_vertex, &v->base_vertex_value, base_vertex);
    put(v->base_instance, &v->base_instance_value, base_instance);
    put(v->draw_id, &v->draw_id_value, draw_id);
}

GLenum index_type(unsigned size) {
    return size == 1 ? GL_UNSIGNED_BYTE : size == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
}

bool begins_anywhere(context *ctx) {
    return ctx->has(feature::base_instance) && !ctx->forced(emulation::base_instance);
}

void draw_arrays(context *ctx, host_program *v, const pipe_draw_vbo *p,
                 const pipe_draw_range *ranges) {
    const gles *gl = ctx->gl;
    GLenum mode = primitive_of(p->mode);
    auto instances = static_cast<GLsizei>(p->instance_count);
    bool base_instance = p->start_instance && begins_anywhere(ctx);
    if (p->num_ranges > 1)
        emulated(emulation::multi_draw_loop);
    for (uint32_t i = 0; i < p->num_ranges; i++) {
        const pipe_draw_range &r = ranges[i];
        if (!r.count)
            continue;
        auto first = static_cast<GLint>(r.start);
        auto count = static_cast<GLsizei>(r.count);
        set_draw_uniforms(ctx, v, 0, static_cast<int>(p->start_instance),
                          static_cast<int>(p->draw_id + i));
        copy_targets(ctx);
        if (base_instance)
            gl->DrawArraysInstancedBaseInstanceEXT(mode, first, count, instances,
                                                   p->start_instance);
        else if (instances != 1)
            gl->DrawArraysInstanced(mode, first, count, instances);
        else
            gl->DrawArrays(mode, first, count);
    }
}

struct index_data {
    host_name buffer;
    int64_t offset = 0; // bytes of index 0
    unsigned size = 0;
};

void draw_elements_one(context *ctx, const pipe_draw_vbo *p, GLenum mode, GLsizei count,
                       const index_data &ix, uint64_t first, int bias) {
    const gles *gl = ctx->gl;
    GLenum type = index_type(ix.size);
    auto at = reinterpret_cast<const void *>(ix.offset + static_cast<int64_t>(first) * ix.size);
    auto instances = static_cast<GLsizei>(p->instance_count);
    bool base_instance = p->start_instance && begins_anywhere(ctx);
    if (base_instance && bias)
        gl->DrawElementsInstancedBaseVertexBaseInstanceEXT(mode, count, type, at, instances, bias,
                                                           p->start_instance);
    else if (base_instance)
        gl->DrawElementsInstancedBaseInstanceEXT(mode, count, type, at, instances,
                                                 p->start_instance);
    else if (instances != 1 && bias)
        gl->DrawElementsInstancedBaseVertex(mode, count, type, at, instances, bias);
    else if (instances != 1)
        gl->DrawElementsInstanced(mode, count, type, at, instances);
    else if (bias)
        gl->DrawElementsBaseVertex(mode, count, type, at, bias);
    else
        gl->DrawElements(mode, count, type, at);
}

uint32_t load_index(const uint8_t *src, unsigned size, uint64_t i) {
    if (size == 1)
        return src[i];
    if (size == 2) {
        uint16_t v;
        memcpy(&v, src + i * 2, 2);
        return v;
    }
    uint32_t v;
    memcpy(&v, src + i * 4, 4);
    return v;
}

// Indices of one range as 32-bit, restart at 0xffffffff, base vertex added when the host has none.
bool rewrite_range(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range &r,
                   const uint8_t *src, bool rebase, index_data *out) {
    upload_ring::slice s = ctx->ring.alloc(uint64_t(r.count) * 4, 4);
    if (!s.ptr)
        return false;
    auto dst = reinterpret_cast<uint32_t *>(s.ptr);
    bool restart = p->flags & PIPE_DRAW_RESTART;
    for (uint32_t i = 0; i < r.count; i++) {
        uint32_t v = load_index(src, p->index_size, i);
        dst[i] = restart && v == p->restart_index ? 0xffffffffu
                                                  : v + static_cast<uint32_t>(rebase ? r.bias : 0);
    }
    ctx->ring.done();
    *out = {s.buffer, s.offset, 4};
    return true;
}

void draw_elements(context *ctx, host_program *v, const pipe_draw_vbo *p,
                   const pipe_draw_range *ranges, const pipe_host_span *span) {
    bool user = p->flags & PIPE_DRAW_USER_INDICES, restart = p->flags & PIPE_DRAW_RESTART;
    resource *ib = user ? nullptr : find_resource(ctx, ctx->index_buffer);
    uint64_t bytes = user ? span->size : ib ? ib->desc.size : 0;
    if (!bytes || (p->index_size != 1 && p->index_size != 2 && p->index_size != 4))
        return;
    uint32_t fixed = p->index_size == 1 ? 0xffu : p->index_size == 2 ? 0xffffu : 0xffffffffu;
    bool rewrite =
        restart && (p->restart_index != fixed || ctx->forced(emulation::restart_rewrite));
    bool rebase = false;
    bool native_bias = ctx->has(feature::base_vertex) && !ctx->forced(emulation::index_rebase);
    for (uint32_t i = 0; i < p->num_ranges; i++)
        rebase = rebase || (ranges[i].bias && !native_bias);
    if (restart && rewrite)
        emulated(emulation::restart_rewrite);
    if (rebase)
        emulated(emulation::index_rebase);
    if (p->num_ranges > 1)
        emulated(emulation::multi_draw_loop);
    ctx->sh.enable(GL_PRIMITIVE_RESTART_FIXED_INDEX, restart);

    index_data whole;
    if (user && !rewrite && !rebase) {
        upload_ring::slice s = ctx->ring.put(span->ptr, span->size, 4);
        if (!s.ptr) {
            report_error(ctx, GL_OUT_OF_MEMORY, "no memory for indices");
            return;
        }
        whole = {s.buffer, s.offset, p->index_size};
    } else if (ib) {
        whole = {ib->name, 0, p->index_size};
    }
    GLenum mode = primitive_of(p->mode);
    for (uint32_t i = 0; i < p->num_ranges; i++) {
        const pipe_draw_range &r = ranges[i];
        uint64_t first = uint64_t(r.start) * p->index_size,
                 size = uint64_t(r.count) * p->index_size;
        if (!r.count || first + size > bytes)
            continue; // out of range: robust access draws nothing
        index_data ix = whole;
        uint64_t start = r.start;
        int bias = r.bias;
        if (rewrite || rebase) {
            const uint8_t *src = user ? static_cast<const uint8_t *>(span->ptr) + first : nullptr;
            if (ib) {
                ctx->scratch.resize(size);
                if (!buffer_read(ctx, ib, first, size, ctx->scratch.data()))
                    return;
                src = ctx->scratch.data();
            }
            if (!rewrite_range(ctx, p, r, src, rebase, &ix)) {
                report_error(ctx, GL_OUT_OF_MEMORY, "no memory for rewritten indices");
                return;
            }
            start = 0;
            if (rebase)
                bias = 0;
        }
        ctx->sh.bind_buffer(GL_ELEMENT_ARRAY_BUFFER, ix.buffer);
        set_draw_uniforms(ctx, v, r.bias, static_cast<int>(p->start_instance),
                          static_cast<int>(p->draw_id + i));
        copy_targets(ctx);
        if (setup_failed(ctx, "indices"))
            return;
        draw_elements_one(ctx, p, mode, static_cast<GLsizei>(r.count), ix, start, bias);
    }
}

void draw_one_indirect(context *ctx, const pipe_draw_vbo *p, uint64_t offset) {
    auto at = reinterpret_cast<const void *>(offset);
    if (p->index_size)
        ctx->gl->DrawElementsIndirect(primitive_of(p->mode), index_type(p->index_size), at);
    else
        ctx->gl->DrawArraysIndirect(primitive_of(p->mode), at);
}

// One draw whose parameters were read back: the host would begin at instance 0.
void draw_from_words(context *ctx, host_program *v, const pipe_draw_vbo *p, const uint32_t *words,
                     uint32_t index) {
    pipe_draw_vbo one = *p;
    one.flags = static_cast<uint8_t>(p->flags & ~(PIPE_DRAW_INDIRECT | PIPE_DRAW_INDIRECT_COUNT));
    one.instance_count = words[1];
    one.start_instance = p->index_size ? words[4] : words[3];
    one.num_ranges = 1;
    one.draw_id = p->draw_id + index;
    const pipe_draw_range range{words[2], words[0],
                                p->index_size ? static_cast<int32_t>(words[3]) : 0};
    if (!one.instance_count)
        return;
    ctx->dirty |= dirty_vertex_buffers;
    apply_vertex_state(ctx, one.start_instance);
    if (p->index_size)
        draw_elements(ctx, v, &one, &range, nullptr);
    else
        draw_arrays(ctx, v, &one, &range);
    ctx->dirty |= dirty_vertex_buffers;
}

void draw_indirect(context *ctx, host_program *v, const pipe_draw_vbo *p, const pipe_indirect *in) {
    resource *b = find_resource(ctx, in->buffer);
    if (!b)
        return;
    uint32_t n = in->max_draws ? in->max_draws : 1;
    if (p->flags & PIPE_DRAW_INDIRECT_COUNT) {
        resource *c = find_resource(ctx, in->parameter_buffer);
        uint32_t count = 0;
        emulated(emulation::window_copy);
        if (!c || !buffer_read(ctx, c, in->parameter_offset, 4, &count))
            return;
        n = std::min(n, count);
    }
    uint32_t stride = in->stride ? in->stride : p->index_size ? 20 : 16;
    if (p->index_size) {
        resource *ib = find_resource(ctx, ctx->index_buffer);
        if (!ib)
            return;
        ctx->sh.bind_buffer(GL_ELEMENT_ARRAY_BUFFER, ib->name);
        ctx->sh.enable(GL_PRIMITIVE_RESTART_FIXED_INDEX, p->flags & PIPE_DRAW_RESTART);
    }
    ctx->sh.bind_buffer(GL_DRAW_INDIRECT_BUFFER, b->name);
    if (setup_failed(ctx, "indirect parameters"))
        return;
    const bool by_words = !begins_anywhere(ctx);
    bool reads_values = v->base_vertex >= 0 || v->base_instance >= 0 || by_words;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = in->offset + uint64_t(i) * stride;
        int base_vertex = 0, base_instance = 0;
        if (reads_values) {
            uint32_t words[5] = {};
            emulated(emulation::window_copy);
            if (!buffer_read(ctx, b, at, p->index_size ? 20 : 16, words))
                return;
            base_vertex = static_cast<int>(p->index_size ? words[3] : 0);
            base_instance = static_cast<int>(p->index_size ? words[4] : words[3]);
            if (by_words && base_instance) {
                draw_from_words(ctx, v, p, words, i);
                continue;
            }
        }
        set_draw_uniforms(ctx, v, base_vertex, base_instance, static_cast<int>(p->draw_id + i));
        copy_targets(ctx);
        draw_one_indirect(ctx, p, at);
    }
}

// Draws the indices in ctx->index_list, `cut`: one primitive at a time.
void draw_list(context *ctx, host_program *v, const pipe_draw_vbo *p, uint8_t mode, bool cut) {
    pipe_draw_vbo one = *p;
    one.mode = mode;
    one.index_size = 4;
    one.flags = static_cast<uint8_t>((p->flags & ~PIPE_DRAW_RESTART) | PIPE_DRAW_USER_INDICES);
    one.num_ranges = 1;
    const auto size = static_cast<uint32_t>(ctx->index_list.size());
    const pipe_host_span s = pipe_span(ctx->index_list.data(), ctx->index_list.size() * 4);
    const pipe_draw_range whole{0, size, 0};
    if (!cut) {
        draw_elements(ctx, v, &one, &whole, &s);
        return;
    }
    const uint32_t step = list_size(mode);
    std::vector<pipe_draw_range> ranges;
    for (uint32_t at = 0; at + step <= size; at += step)
        ranges.push_back({at, step, 0});
    one.num_ranges = static_cast<uint32_t>(ranges.size());
    draw_elements(ctx, v, &one, ranges.data(), &s);
}

// The draw, one primitive at a time.
void draw_cut(context *ctx, host_program *v, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
              const pipe_host_span *span) {
    ctx->index_list.clear();
    for (uint32_t i = 0; i < p->num_ranges; i++)
        append_list(ctx, p, ranges[i], span, ctx->rs->state.raster.flatshade_first,
                    ctx->index_list);
    draw_list(ctx, v, p, drivers_common::rewritten_mode(p->mode), true);
}

bool writes_buffers(const program *p) {
    return !p->stores.empty() || !p->atomics.empty() || !p->images.empty();
}

void draw_vbo(pipe_context *pc, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
              const pipe_indirect *indirect, const pipe_host_span *indices) {
    context *ctx = to_context(pc);
    if (p->mode >= PIPE_PRIM_QUADS && p->mode <= PIPE_PRIM_POLYGON)
        return; // compatibility profile
    if (ctx->condition_skips)
        return;
    uint32_t first = p->start_instance && !begins_anywhere(ctx) ? p->start_instance : 0;
    // Programs write mapped stores without a word.
    if (first || (ctx->converts_vertices && ctx->scr->num_mapped.load(std::memory_order_relaxed)))
        ctx->dirty |= dirty_vertex_buffers;
    const program *twin = find_program(ctx, ctx->draw_program);
    const outline shown = outline_of(ctx, twin, p);
    pipe_draw_vbo drawn = *p;
    if (shown == outline::list)
        drawn.mode = outline_mode(ctx);
    std::unique_lock<std::mutex> turn;
    host_program *v = validate(ctx, &drawn, first, shown, turn);
    if (!v) {
        verb_done(ctx, "draw_vbo");
        return;
    }
    if (!setup_failed(ctx, "draw state") && stream_output_draw(ctx)) {
        condition_scope condition(ctx);
        const logic_scope logic(ctx, twin, v);
        const bool cut = needs_cut(ctx, twin, v, p);
        pipe_draw_vbo one = *p;
        pipe_draw_range counted{};
        if (p->flags & PIPE_DRAW_SO_COUNT) {
            counted.count = stream_output_count(ctx, p->so);
            one.num_ranges = 1;
        }
        auto issue = [&] {
            if (p->flags & PIPE_DRAW_INDIRECT) {
                if (p->num_indirect)
                    draw_indirect(ctx, v, p, indirect);
            } else if (p->flags & PIPE_DRAW_SO_COUNT) {
                draw_arrays(ctx, v, &one, &counted);
            } else if (shown == outline::list) {
                ctx->index_list.clear();
                outline_list(ctx, p, ranges, indices, ctx->index_list);
                draw_list(ctx, v, p, drawn.mode, cut);
            } else if (needs_first_vertex(ctx, twin, p)) {
                ctx->index_list.clear();
                draw_list(ctx, v, p, first_vertex_list(ctx, p, ranges, indices, ctx->index_list),
                          cut);
            } else if (cut) {
                draw_cut(ctx, v, p, ranges, indices);
            } else if (p->index_size) {
                draw_elements(ctx, v, p, ranges, indices);
            } else {
                draw_arrays(ctx, v, p, ranges);
            }
        };
        if (ctx->num_passes > 1) {
            target_passes passes(ctx, find_framebuffer(ctx, ctx->draw_fb));
            for (unsigned i = 0; i < ctx->num_passes; i++) {
                passes.begin(i);
                issue();
            }
        } else {
            issue();
        }
        ctx->shaders_wrote |= ctx->bound_program && writes_buffers(ctx->bound_program);
        if (ctx->primitives)
            count_primitives(ctx, p, ranges, indirect, indices);
        stream_output_drawn(ctx, &one, p->flags & PIPE_DRAW_SO_COUNT ? &counted : ranges, indices);
    }
    if (first)
        ctx->dirty |= dirty_vertex_buffers;
    verb_done(ctx, "draw_vbo");
}

void launch_grid(pipe_context *pc, const pipe_launch_grid *p) {
    context *ctx = to_context(pc);
    if (ctx->condition_skips)
        return;
    program *twin = find_program(ctx, ctx->dispatch_program);
    host_program *v =
        twin && !reads_bad(ctx, twin) ? program_variant(ctx, twin, texel_bit(ctx, twin)) : nullptr;
    if (!v) {
        verb_done(ctx, "launch_grid");
        return;
    }
    ctx->dirty |= dirty_textures | dirty_images | dirty_uniform | dirty_storage | dirty_program;
    ctx->bound_program = nullptr; // the draw program binds its own slots again
    ctx->sh.use_program(v->name);
    apply_resources(ctx, twin);
    apply_levels(ctx, twin, v);
    apply_texels(ctx, twin, v);
    bool ready = apply_globals(ctx, twin);
    resource *b = find_resource(ctx, p->indirect);
    if (b)
        ctx->sh.bind_buffer(GL_DISPATCH_INDIRECT_BUFFER, b->name);
    if (ready && !setup_failed(ctx, "dispatch state")) {
        condition_scope condition(ctx);
        if (b)
            ctx->gl->DispatchComputeIndirect(static_cast<GLintptr>(p->indirect_offset));
        else
            ctx->gl->DispatchCompute(p->grid[0], p->grid[1], p->grid[2]);
        ctx->shaders_wrote |= writes_buffers(twin);
    }
    verb_done(ctx, "launch_grid");
}

void memory_barrier(pipe_context *pc, const pipe_memory_barrier *p) {
    static const GLbitfield map[] = {
        GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT,
        GL_ELEMENT_ARRAY_BARRIER_BIT,
        GL_UNIFORM_BARRIER_BIT,
        GL_TEXTURE_FETCH_BARRIER_BIT,
        GL_SHADER_IMAGE_ACCESS_BARRIER_BIT,
        GL_COMMAND_BARRIER_BIT,
        GL_PIXEL_BUFFER_BARRIER_BIT,
        GL_TEXTURE_UPDATE_BARRIER_BIT,
        GL_BUFFER_UPDATE_BARRIER_BIT,
        GL_FRAMEBUFFER_BARRIER_BIT,
        GL_TRANSFORM_FEEDBACK_BARRIER_BIT,
        GL_SHADER_STORAGE_BARRIER_BIT /* atomic counters are storage here */,
        GL_SHADER_STORAGE_BARRIER_BIT,
        GL_BUFFER_UPDATE_BARRIER_BIT /* client maps: pulled, or see flush_mapped() */,
        GL_BUFFER_UPDATE_BARRIER_BIT};
    GLbitfield bits = 0;
    for (unsigned i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
        if (p->barriers >> i & 1)
            bits |= map[i];
    }
    context *ctx = to_context(pc);
    if (bits)
        ctx->gl->MemoryBarrier(bits);
    verb_done(ctx, "memory_barrier");
}

} // namespace

void init_draw_functions(screen *, context *c) {
    if (!c)
        return;
    c->draw_vbo = draw_vbo;
    c->launch_grid = launch_grid;
    c->memory_barrier = memory_barrier;
}

} // namespace espryt
