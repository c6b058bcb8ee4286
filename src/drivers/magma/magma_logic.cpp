// SPDX-License-Identifier: MIT
#include "magma_logic.h"

#include "magma_context.h"
#include "magma_dummy.h"
#include "magma_emulation.h"
#include "magma_surface.h"
#include "magma_transfer.h"
#include "magma_trash.h"
#include "util/log.h"

#include <algorithm>
#include <bit>
#include <spirv/unified1/spirv.hpp>
#include <unordered_map>

namespace magma {

namespace {

uint32_t pipe_format_of(VkFormat format) {
    static const auto *known = [] {
        auto *all = new std::unordered_map<int, uint32_t>;
        for (uint32_t f = 1; f < PIPE_FORMAT_COUNT; ++f)
            all->try_emplace(exact_vk_format(f), f);
        all->erase(VK_FORMAT_UNDEFINED);
        return all;
    }();
    const auto it = known->find(format);
    return it == known->end() ? uint32_t(PIPE_FORMAT_NONE) : it->second;
}

uint32_t target_of(VkFormat format) {
    const uint32_t known = pipe_format_of(format);
    const pipe_format_desc *d = pipe_format_describe(known);
    if (known == PIPE_FORMAT_NONE || d->is_float || d->is_srgb)
        return 0;
    uint32_t out = 0;
    for (uint32_t i = 0; i < 4; ++i)
        if (d->channel_of[i] >= 0)
            out |= uint32_t(d->channel[d->channel_of[i]].bits) << 6 * i;
    return out | (d->is_signed ? logic_signed : 0) | (d->is_integer ? logic_integer : 0);
}

bool writes_layer(const program &p) {
    const pipe_archive_stage *last = nullptr;
    for (const pipe_archive_stage &s : p.archive.stages)
        if (s.stage == p.last_vertex_stage())
            last = &s;
    return last && last->writes_layer;
}

bool reads_primitive_id(const program &p) {
    for (const pipe_archive_stage &s : p.archive.stages)
        for (const pipe_archive_io &io : s.inputs)
            if (io.builtin == spv::BuiltInPrimitiveId)
                return true;
    return false;
}

const attachment *target(const framebuffer &fb, uint32_t i) {
    const int n = fb.desc->draw_buffer[i];
    return n >= 0 && n < int(PIPE_MAX_COLOR_BUFS) && fb.color[n] ? &fb.color[n] : nullptr;
}

// What a draw with the bound state would need.
logic_code code_of_draw(context &c) {
    if (!c.st.render || !c.st.draw_program || !c.st.draw_fb)
        return {};
    const pipe_blend_state &b = c.st.render->s.blend;
    if (!b.logicop_enable || b.logicop == PIPE_LOGIC_OP_COPY)
        return {};
    if (c.st.draw_is_default)
        follow_surfaces(c);
    return logic_code_of(c.dev, *c.st.draw_program.get(), b,
                         formats_of(*c.st.draw_fb.get(), c.st.render->s.raster.framebuffer_srgb));
}

} // namespace

logic_code logic_code_of(const host_device &dev, const program &p, const pipe_blend_state &b,
                         const pass_formats &f) {
    logic_code out;
    if (dev.has.core.logicOp || !b.logicop_enable || b.logicop == PIPE_LOGIC_OP_COPY)
        return out;
    for (uint32_t i = 0; i < f.color_count && i < out.target.size(); ++i) {
        out.target[i] = target_of(f.color[i]);
        out.on |= out.target[i] != 0;
    }
    if (!out.on)
        return {};
    out.op = b.logicop;
    if (logic_reads_target(out.op)) {
        out.multisampled = f.samples > 1;
        out.layered = writes_layer(p);
    }
    return out;
}

target_copies::~target_copies() {
    for (copy &k : copies_)
        if (k.store)
            k.store->dev->trash->throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, k.view);
}

bool target_copies::begin(context &c) {
    read_ = 0;
    const logic_code code = code_of_draw(c);
    if (!code.on) [[likely]]
        return true;
    emulated(emulation::logic_copy);
    if (!logic_reads_target(code.op))
        return true;
    if (code.multisampled && !c.dev.has.core.sampleRateShading) {
        c.error(gl_invalid_operation, "a logic operation on a multisample target: the host has "
                                      "neither these operations nor sampleRateShading");
        return false;
    }
    framebuffer &fb = *c.st.draw_fb.get();
    if (!ready_framebuffer(fb))
        return false;
    c.end_pass();
    const pass_formats f = formats_of(fb, c.st.render->s.raster.framebuffer_srgb);
    for (uint32_t i = 0; i < f.color_count && i < code.target.size(); ++i) {
        const attachment *a = code.target[i] ? target(fb, i) : nullptr;
        if (!a)
            continue;
        if (a->texture->st()->type == VK_IMAGE_TYPE_1D) {
            c.error(gl_invalid_operation,
                    "a logic operation on a one-dimensional texture: the host has none of its own");
            return false;
        }
        if (!take(c, copies_[i], *a, f.color[i])) {
            c.report();
            return false;
        }
        read_ |= 1u << i;
    }
    return true;
}

bool target_copies::take(context &c, copy &k, const attachment &a, VkFormat format) {
    storage &from = *a.texture->st();
    const VkExtent3D e = a.texture->level_extent(a.desc.level);
    const bool fits = k.store && k.store->format == format && k.store->samples == from.samples &&
                      k.store->extent.width >= e.width && k.store->extent.height >= e.height &&
                      k.store->layers >= a.layers;
    if (!fits) {
        VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = format;
        info.extent = {e.width, e.height, 1};
        info.mipLevels = 1;
        info.arrayLayers = a.layers;
        info.samples = from.samples;
        info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
        c.dev.trash->throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, k.view);
        k = {};
        VkResult result;
        storage_ref store = create_image_storage(c.dev, info, VK_IMAGE_ASPECT_COLOR_BIT, result);
        if (!store)
            return false;
        k.view = make_image_view(c.dev, *store.get(), VK_IMAGE_VIEW_TYPE_2D_ARRAY, format,
                                 VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, a.layers, {}, info.usage);
        if (!k.view)
            return false;
        k.store = std::move(store);
    }
    VkCommandBuffer cmd = begin_transfer(
        c, {{&from, access_transfer_read()}, {k.store.get(), access_transfer_write()}});
    if (!cmd)
        return false;
    VkImageCopy region = {};
    region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, a.level, a.layer, a.layers};
    region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, a.layers};
    region.extent = {e.width, e.height, 1};
    if (from.type == VK_IMAGE_TYPE_3D) {
        region.srcSubresource.baseArrayLayer = 0;
        region.srcSubresource.layerCount = 1;
        region.srcOffset.z = int32_t(a.layer);
        region.extent.depth = a.layers;
    }
    c.dev.vk.CmdCopyImage(cmd, from.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, k.store->image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    return true;
}

void target_copies::note_use(context &c) {
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        if (read_ & 1u << i)
            c.rec.use(*copies_[i].store.get(), access_sampled(c.dev, copies_[i].store.get()));
}

bool target_copies::bind(context &c) {
    if (!read_)
        return true;
    const VkSampler sampler = dummy_sampler(c);
    VkDescriptorSet set = sampler ? allocate_set(c, c.st.draw_program->layout->sets[logic_set])
                                  : VkDescriptorSet(VK_NULL_HANDLE);
    if (!set) {
        c.report();
        return false;
    }
    // Of the other targets any image will do: lavapipe wants one in every binding.
    const auto image_of = [&](uint32_t i) {
        const copy &k = copies_[read_ & 1u << i ? i : uint32_t(std::countr_zero(read_))];
        return VkDescriptorImageInfo{sampler, k.view, access_sampled(c.dev, k.store.get()).layout};
    };
    VkDescriptorImageInfo images[PIPE_MAX_COLOR_BUFS];
    VkWriteDescriptorSet writes[PIPE_MAX_COLOR_BUFS];
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i) {
        images[i] = image_of(i);
        writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        writes[i].pImageInfo = &images[i];
    }
    c.dev.vk.UpdateDescriptorSets(c.dev.device, PIPE_MAX_COLOR_BUFS, writes, 0, nullptr);
    c.dev.vk.CmdBindDescriptorSets(c.rec.main_raw(), VK_PIPELINE_BIND_POINT_GRAPHICS,
                                   c.st.draw_program->layout->pipeline, logic_set, 1, &set, 0,
                                   nullptr);
    return true;
}

bool logic_reads(context &c) {
    return !c.dev.has.core.logicOp && logic_reads_target(code_of_draw(c).op);
}

uint32_t logic_cut(context &c, const pipe_draw_vbo &p, uint8_t mode) {
    if (!logic_reads(c)) [[likely]]
        return 0;
    uint32_t size = 0;
    switch (mode) {
    case PIPE_PRIM_POINTS: size = 1; break;
    case PIPE_PRIM_LINES: size = 2; break;
    case PIPE_PRIM_TRIANGLES: size = 3; break;
    case PIPE_PRIM_LINES_ADJACENCY: size = 4; break;
    case PIPE_PRIM_TRIANGLES_ADJACENCY: size = 6; break;
    case PIPE_PRIM_PATCHES: size = std::max(c.st.patch->vertices, 1u); break;
    default: break;
    }
    if (size && p.instance_count == 1 && !reads_primitive_id(*c.st.draw_program.get()))
        return size;
    log_warning_once("magma", "primitives of one draw that overlap see the target as it was before "
                              "the draw: the host has no logic operations");
    return 0;
}

} // namespace magma
