// SPDX-License-Identifier: MIT
// Contents in the journal: what the client wrote, and what only the GPU has.
#include "respawn_journal.h"

#include <algorithm>
#include <cstring>

namespace wrap {

Contents *Journal::storage(pipe_handle h, uint32_t *level, uint32_t *layer) {
    Resource *r = find(h);
    if (r && (r->create.desc.flags & PIPE_RESOURCE_VIEW)) {
        *level += r->create.desc.view_min_level;
        *layer += r->create.desc.view_min_layer;
        r = find(r->create.desc.view_of);
    }
    return r ? &r->contents : nullptr;
}

// --- what the client writes ----------------------------------------------------------------------

void Journal::fold_subdata(const Recalled &r) {
    const auto &p = *static_cast<const pipe_resource_subdata *>(r.view.payload);
    uint32_t level = p.level, layer = 0;
    Contents *c = storage(p.resource, &level, &layer);
    if (!c)
        return;
    const auto *bytes = static_cast<const uint8_t *>(r.spans[0].ptr);
    if (c->buffer()) {
        if (bytes)
            c->write(p.offset, bytes, std::min(p.size, r.spans[0].size));
        return;
    }
    const auto *regions = static_cast<const pipe_region *>(r.view.tails[0].data);
    for (uint32_t i = 0; bytes && i < p.num_regions; i++) {
        pipe_region region = regions[i];
        region.box.z += int32_t(layer);
        if (!c->write_region(level, p.aspect, region, bytes, r.spans[0].size))
            c->gpu_wrote_level(level);
    }
}

void Journal::fold_copy(const pipe_resource_copy_region &copy) {
    pipe_resource_copy_region p = copy;
    uint32_t src_layer = 0, dst_layer = 0;
    Contents *dst = storage(p.dst, &p.dst_level, &dst_layer);
    const Contents *src = storage(p.src, &p.src_level, &src_layer);
    if (!dst)
        return;
    if (dst->buffer()) {
        const uint8_t *from = src && src->buffer() ? src->known(p.src_offset, p.size) : nullptr;
        if (!from)
            return dst->gpu_wrote(p.dst_offset, p.dst_offset + p.size);
        const std::vector<uint8_t> bytes(from, from + p.size); // they may be the same buffer
        return dst->write(p.dst_offset, bytes.data(), p.size);
    }
    if (!src || src->buffer())
        return dst->gpu_wrote_level(p.dst_level);
    p.src_box.z += int32_t(src_layer);
    p.dst_z += int32_t(dst_layer);
    dst->copy_level_region(*src, p);
}

void Journal::fold_buffer_to_texture(const Recalled &r) {
    const auto &p = *static_cast<const pipe_copy_buffer_to_texture *>(r.view.payload);
    uint32_t level = p.level, layer = 0, none = 0;
    Contents *dst = storage(p.texture, &level, &layer);
    const Contents *src = storage(p.buffer, &none, &none);
    if (!dst || dst->buffer())
        return;
    const uint64_t size = src && src->buffer() && p.buffer_offset < src->desc().size
                              ? src->desc().size - p.buffer_offset
                              : 0;
    const auto *regions = static_cast<const pipe_region *>(r.view.tails[0].data);
    for (uint32_t i = 0; i < p.num_regions; i++) {
        pipe_region region = regions[i];
        region.box.z += int32_t(layer);
        // Not a byte more than the region: the rest of the buffer may be the GPU's.
        const uint64_t span = uint64_t(std::max(region.box.depth, 1) - 1) * region.slice_stride +
                              uint64_t(std::max(region.box.height, 1)) * region.row_stride;
        const uint64_t most = size > region.offset ? size - region.offset : 0;
        const uint8_t *from =
            src ? src->known(p.buffer_offset + region.offset, std::min(span, most)) : nullptr;
        region.offset = 0;
        if (!from || !dst->write_region(level, p.aspect, region, from, most))
            dst->gpu_wrote_level(level);
    }
}

void Journal::fold_clear_buffer(const pipe_clear_buffer &p) {
    uint32_t none = 0;
    Contents *c = storage(p.buffer, &none, &none);
    if (!c || !c->buffer() || !p.pattern_size || p.pattern_size > sizeof p.pattern ||
        p.offset > c->desc().size || p.size > c->desc().size - p.offset)
        return;
    std::vector<uint8_t> bytes(p.size);
    for (uint64_t i = 0; i < p.size; i++)
        bytes[i] = reinterpret_cast<const uint8_t *>(p.pattern)[i % p.pattern_size];
    c->write(p.offset, bytes.data(), p.size);
}

void Journal::fold_clear_texture(pipe_clear_texture p) {
    uint32_t layer = 0;
    Contents *c = storage(p.texture, &p.level, &layer);
    if (!c)
        return;
    p.box.z += int32_t(layer);
    c->fill(p);
}

void Journal::fold_mipmap(const Recalled &r, const uint8_t *stored) {
    const auto &p = *static_cast<const pipe_generate_mipmap *>(r.view.payload);
    Resource *t = find(p.texture);
    if (t && (t->create.desc.flags & PIPE_RESOURCE_VIEW))
        mark_resource(p.texture, ~0u);
    else if (t)
        t->contents.derive_mipmap(r, stored);
}

void Journal::fold_invalidate(const pipe_resource_invalidate &p) {
    uint32_t none = 0;
    if (Contents *c = storage(p.resource, &none, &none))
        c->forget(p.level, p.offset, p.offset + p.size);
}

// What the client wrote, or what follows from it. False: the call is none of these.
bool Journal::fold_client_write(const Recalled &r, const uint8_t *stored) {
    const void *payload = r.view.payload;
    switch (r.view.op) {
    case PIPE_OP_RESOURCE_SUBDATA: fold_subdata(r); return true;
    case PIPE_OP_RESOURCE_COPY_REGION:
        fold_copy(*static_cast<const pipe_resource_copy_region *>(payload));
        return true;
    case PIPE_OP_COPY_BUFFER_TO_TEXTURE: fold_buffer_to_texture(r); return true;
    case PIPE_OP_CLEAR_BUFFER:
        fold_clear_buffer(*static_cast<const pipe_clear_buffer *>(payload));
        return true;
    case PIPE_OP_CLEAR_TEXTURE:
        fold_clear_texture(*static_cast<const pipe_clear_texture *>(payload));
        return true;
    case PIPE_OP_GENERATE_MIPMAP: fold_mipmap(r, stored); return true;
    case PIPE_OP_RESOURCE_INVALIDATE:
        fold_invalidate(*static_cast<const pipe_resource_invalidate *>(payload));
        return true;
    default: return false;
    }
}

// --- what the GPU writes -------------------------------------------------------------------------

void Journal::mark_resource(pipe_handle h, uint32_t level) {
    uint32_t layer = 0;
    Contents *c = storage(h, &level, &layer);
    if (!c)
        return;
    if (!c->buffer())
        return c->gpu_wrote_level(level);
    c->gpu_wrote(0, c->desc().size);
}

void Journal::mark_buffer(pipe_handle h, uint64_t offset, uint64_t size) {
    uint32_t none = 0;
    Contents *c = storage(h, &none, &none);
    if (c && c->buffer())
        c->gpu_wrote(offset, size == PIPE_WHOLE_SIZE ? c->desc().size : offset + size);
}

void Journal::mark_framebuffer(const Lane &lane, pipe_handle framebuffer) {
    if (pipe_handle_is_default_framebuffer(framebuffer)) {
        auto at = surfaces_.find(pipe_handle_key(lane.current.draw));
        if (at != surfaces_.end())
            at->second.drawn = true;
        return;
    }
    auto objects = lane.objects.find(PIPE_HANDLE_FRAMEBUFFER);
    if (objects == lane.objects.end())
        return;
    auto at = objects->second.find(pipe_handle_key(framebuffer));
    if (at == objects->second.end())
        return;
    const auto &p = at->second.call.payload<pipe_set_framebuffer_state>();
    auto mark = [this](const pipe_surface_view &v) {
        if (v.kind == PIPE_ATTACHMENT_TEXTURE || v.kind == PIPE_ATTACHMENT_RENDERBUFFER)
            mark_resource(v.resource, v.level);
    };
    for (const pipe_surface_view &v : p.color)
        mark(v);
    mark(p.depth);
    mark(p.stencil);
}

void Journal::mark_captures(const Lane &lane, pipe_handle so) {
    auto objects = lane.objects.find(PIPE_HANDLE_STREAM_OUTPUT);
    if (objects == lane.objects.end())
        return;
    auto at = objects->second.find(pipe_handle_key(so));
    if (at == objects->second.end())
        return;
    mark_captures(at->second);
}

void Journal::mark_captures(const Object &so) {
    Recalled r;
    so.call.recalled(r);
    const auto *targets = static_cast<const pipe_so_target *>(r.view.tails[0].data);
    for (uint64_t i = 0; i < r.view.tails[0].count; i++)
        mark_buffer(targets[i].buffer, targets[i].offset, targets[i].size);
}

void Journal::mark_memory(const Lane &lane, uint16_t program_call) {
    const KeptCall &bound = lane.plain[plain_of(program_call)];
    if (bound.empty())
        return;
    // The two calls have the same payload.
    const pipe_handle shader = bound.payload<pipe_set_draw_program>().shader;
    auto at = group_[PIPE_HANDLE_SHADER].find(pipe_handle_key(shader));
    if (at == group_[PIPE_HANDLE_SHADER].end() || !at->second.writes_memory)
        return;
    each_set<pipe_shader_image>(lane, PIPE_OP_SET_SHADER_IMAGES, 0, [this](const auto &i) {
        if (i.access & PIPE_IMAGE_ACCESS_WRITE)
            mark_resource(i.resource, i.level);
    });
    for (uint32_t cls : {PIPE_BUFFER_CLASS_STORAGE, PIPE_BUFFER_CLASS_ATOMIC})
        each_set<pipe_buffer_range>(lane, PIPE_OP_SET_SHADER_BUFFERS, cls, [this](const auto &b) {
            mark_buffer(b.buffer, b.offset, b.size);
        });
}

// Marks stay until a client's write takes one away: then, and when targets change, they are made
// anew.
void Journal::mark_draw(Lane &lane) {
    if (lane.marked == epoch_)
        return;
    lane.marked = epoch_;
    const KeptCall &bound = lane.plain[plain_of(PIPE_OP_BIND_FRAMEBUFFERS)];
    mark_framebuffer(lane, bound.empty() ? pipe_default_framebuffer()
                                         : bound.payload<pipe_bind_framebuffers>().draw);
    mark_memory(lane, PIPE_OP_SET_DRAW_PROGRAM);
    if (auto all = lane.objects.find(PIPE_HANDLE_STREAM_OUTPUT); all != lane.objects.end())
        for (const auto &[key, o] : all->second)
            if (o.begun && !o.paused)
                mark_captures(o);
}

// False: the call is none of these.
bool Journal::fold_gpu_write(Lane &lane, const Recalled &r) {
    const void *payload = r.view.payload;
    switch (r.view.op) {
    case PIPE_OP_DRAW_VBO: mark_draw(lane); return true;
    case PIPE_OP_CLEAR:
        mark_framebuffer(lane, static_cast<const pipe_clear *>(payload)->framebuffer);
        return true;
    case PIPE_OP_BLIT:
        mark_framebuffer(lane, static_cast<const pipe_blit *>(payload)->dst);
        return true;
    case PIPE_OP_LAUNCH_GRID: mark_memory(lane, PIPE_OP_SET_DISPATCH_PROGRAM); return true;
    case PIPE_OP_BEGIN_STREAM_OUTPUT:
        mark_captures(lane, static_cast<const pipe_begin_stream_output *>(payload)->so);
        return true;
    case PIPE_OP_RESUME_STREAM_OUTPUT:
        mark_captures(lane, static_cast<const pipe_resume_stream_output *>(payload)->so);
        return true;
    case PIPE_OP_QUERY_RESULT_TO_BUFFER: {
        const auto &p = *static_cast<const pipe_query_result_to_buffer *>(payload);
        mark_buffer(p.buffer, p.offset, p.is_64bit ? 8 : 4);
        return true;
    }
    case PIPE_OP_READ_PIXELS_TO_BUFFER: {
        const auto &p = *static_cast<const pipe_read_pixels_to_buffer *>(payload);
        mark_buffer(p.buffer, p.offset, uint64_t(p.row_stride) * p.height);
        return true;
    }
    case PIPE_OP_GET_TEXTURE_IMAGE_TO_BUFFER: {
        const auto &p = *static_cast<const pipe_get_texture_image_to_buffer *>(payload);
        mark_buffer(p.buffer, p.offset, uint64_t(p.slice_stride) * uint64_t(p.box.depth));
        return true;
    }
    case PIPE_OP_COPY_FRAMEBUFFER_TO_TEXTURE: {
        const auto &p = *static_cast<const pipe_copy_framebuffer_to_texture *>(payload);
        mark_resource(p.texture, p.level);
        return true;
    }
    default: return false;
    }
}

// --- both ----------------------------------------------------------------------------------------

void Journal::fold_contents(Lane &lane, const Recalled &r, const uint8_t *stored) {
    if (!fold_gpu_write(lane, r) && fold_client_write(r, stored))
        epoch_++;
}

} // namespace wrap
