// SPDX-License-Identifier: MIT
// Opening and closing of passes: dynamic rendering where the host has it, render pass objects else.
#include "magma_framebuffer.h"

#include "magma_context.h"
#include "magma_query.h"
#include "magma_trash.h"
#include "util/hash.h"
#include "util/log.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace magma {

namespace {

const attachment *draw_attachment(const framebuffer &fb, uint32_t i) {
    int n = fb.desc->draw_buffer[i];
    return n >= 0 && n < int(PIPE_MAX_COLOR_BUFS) && fb.color[n] ? &fb.color[n] : nullptr;
}

VkImageView pick_view(const attachment &a, bool srgb) {
    return srgb || !a.view_linear ? a.view : a.view_linear;
}

VkImageLayout layout_of(const attachment &a, bool color) {
    return color ? access_color_attachment(*a.texture->st()).layout
                 : access_depth_attachment(*a.texture->st()).layout;
}

// Depth and stencil attachment of a pass: the one image of both.
const attachment *depth_stencil(const framebuffer &fb) {
    return fb.depth ? &fb.depth : fb.stencil ? &fb.stencil : nullptr;
}

void begin_dynamic(context &c, framebuffer &fb, const pass_state &pass, const pass_clears &clears) {
    VkRenderingAttachmentInfo color[PIPE_MAX_COLOR_BUFS], depth = {}, stencil = {};
    for (uint32_t i = 0; i < pass.formats.color_count; ++i) {
        color[i] = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        const attachment *a = draw_attachment(fb, i);
        if (!a)
            continue;
        color[i].imageView = pick_view(*a, pass.srgb);
        color[i].imageLayout = layout_of(*a, true);
        bool clear = clears.mask & PIPE_BUFFER_COLOR0 << i;
        color[i].loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
        color[i].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        color[i].clearValue = clears.color[i];
    }
    VkRenderingInfo info = {VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea.extent = {fb.width, fb.height};
    info.layerCount = fb.layers;
    info.colorAttachmentCount = pass.formats.color_count;
    info.pColorAttachments = color;
    const attachment *ds = depth_stencil(fb);
    if (ds) {
        depth = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        depth.imageView = ds->view;
        depth.imageLayout = layout_of(*ds, false);
        depth.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
        depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        depth.clearValue = clears.depth_stencil;
        stencil = depth;
        if (clears.mask & PIPE_BUFFER_DEPTH)
            depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        if (clears.mask & PIPE_BUFFER_STENCIL)
            stencil.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        if (pass.formats.depth)
            info.pDepthAttachment = &depth;
        if (pass.formats.stencil)
            info.pStencilAttachment = &stencil;
    }
    c.dev.vk.CmdBeginRendering(c.rec.main(), &info);
}

struct pass_key {
    pass_formats formats;
    uint32_t clears;
    uint32_t general; // bit per colour attachment, bit 8 depth
    bool operator<(const pass_key &o) const { return memcmp(this, &o, sizeof o) < 0; }
};

VkRenderPass make_render_pass(host_device &dev, const pass_key &key) {
    VkAttachmentDescription desc[PIPE_MAX_COLOR_BUFS + 1] = {};
    VkAttachmentReference refs[PIPE_MAX_COLOR_BUFS], ds_ref;
    uint32_t count = 0;
    auto add = [&](VkFormat format, VkImageLayout layout, bool clear, bool clear_stencil) {
        VkAttachmentDescription &d = desc[count];
        d.format = format;
        d.samples = VkSampleCountFlagBits(key.formats.samples);
        d.loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
        d.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        d.stencilLoadOp = clear_stencil ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
        d.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
        d.initialLayout = d.finalLayout = layout;
        return VkAttachmentReference{count++, layout};
    };
    for (uint32_t i = 0; i < key.formats.color_count; ++i) {
        refs[i] = {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
        if (key.formats.color[i])
            refs[i] = add(key.formats.color[i],
                          key.general & 1u << i ? VK_IMAGE_LAYOUT_GENERAL
                                                : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                          key.clears & PIPE_BUFFER_COLOR0 << i, false);
    }
    VkSubpassDescription subpass = {};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    subpass.colorAttachmentCount = key.formats.color_count;
    subpass.pColorAttachments = refs;
    VkFormat ds = key.formats.depth ? key.formats.depth : key.formats.stencil;
    if (ds) {
        ds_ref = add(ds,
                     key.general & 1u << 8 ? VK_IMAGE_LAYOUT_GENERAL
                                           : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                     key.clears & PIPE_BUFFER_DEPTH, key.clears & PIPE_BUFFER_STENCIL);
        subpass.pDepthStencilAttachment = &ds_ref;
    }
    VkRenderPassCreateInfo info = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = count;
    info.pAttachments = desc;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    VkRenderPass out = VK_NULL_HANDLE;
    VkResult result = VK_TRY(&dev, CreateRenderPass(dev.device, &info, nullptr, &out));
    return result == VK_SUCCESS ? out : VK_NULL_HANDLE;
}

// Render passes live as long as the device; there are as many as distinct format combinations.
VkRenderPass find_render_pass(host_device &dev, const pass_key &key) {
    static std::mutex mutex;
    static auto *cache = new std::map<pass_key, VkRenderPass>;
    std::lock_guard lock(mutex);
    auto it = cache->find(key);
    if (it != cache->end())
        return it->second;
    VkRenderPass pass = make_render_pass(dev, key);
    if (pass)
        cache->emplace(key, pass);
    return pass;
}

bool begin_classic(context &c, framebuffer &fb, pass_state &pass, const pass_clears &clears) {
    pass_key key = {};
    memcpy(&key.formats, &pass.formats, sizeof key.formats);
    key.formats.no_alpha = key.formats.no_blend = 0;
    key.clears = clears.mask;
    VkImageView views[PIPE_MAX_COLOR_BUFS + 1];
    VkClearValue values[PIPE_MAX_COLOR_BUFS + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < pass.formats.color_count; ++i) {
        const attachment *a = draw_attachment(fb, i);
        if (!a)
            continue;
        if (layout_of(*a, true) == VK_IMAGE_LAYOUT_GENERAL)
            key.general |= 1u << i;
        values[count] = clears.color[i];
        views[count++] = pick_view(*a, pass.srgb);
    }
    const attachment *ds = depth_stencil(fb);
    if (ds) {
        if (layout_of(*ds, false) == VK_IMAGE_LAYOUT_GENERAL)
            key.general |= 1u << 8;
        values[count] = clears.depth_stencil;
        views[count++] = ds->view;
    }
    VkRenderPass render_pass = find_render_pass(c.dev, key);
    if (!render_pass)
        return false;
    VkFramebufferCreateInfo info = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    info.renderPass = render_pass;
    info.attachmentCount = count;
    info.pAttachments = views;
    info.width = fb.width;
    info.height = fb.height;
    info.layers = fb.layers;
    VkFramebuffer host = VK_NULL_HANDLE;
    VkResult result = VK_TRY(&c.dev, CreateFramebuffer(c.dev.device, &info, nullptr, &host));
    if (result != VK_SUCCESS)
        return false;
    VkRenderPassBeginInfo begin = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    begin.renderPass = render_pass;
    begin.framebuffer = host;
    begin.renderArea.extent = {fb.width, fb.height};
    begin.clearValueCount = count;
    begin.pClearValues = values;
    c.dev.vk.CmdBeginRenderPass(c.rec.main(), &begin, VK_SUBPASS_CONTENTS_INLINE);
    c.dev.trash->throw_away(VK_OBJECT_TYPE_FRAMEBUFFER, host);
    return true;
}

} // namespace

VkRenderPass compatible_render_pass(host_device &dev, const pass_formats &f) {
    pass_key key = {};
    memcpy(&key.formats, &f, sizeof key.formats);
    key.formats.no_alpha = key.formats.no_blend = 0;
    return find_render_pass(dev, key);
}

bool open_pass(context &c, const std::shared_ptr<framebuffer> &fb, bool srgb,
               const pass_clears *clears) {
    if (c.pass.open) {
        if (c.pass.fb == fb && c.pass.fb_serial == fb->serial && c.pass.srgb == srgb && !clears)
            return true;
        c.end_pass();
    }
    if (!ready_framebuffer(*fb))
        return false;
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        if (const attachment *a = draw_attachment(*fb, i))
            c.rec.use(*a->texture->st(), access_color_attachment(*a->texture->st()));
    if (const attachment *ds = depth_stencil(*fb))
        c.rec.use(*ds->texture->st(), access_depth_attachment(*ds->texture->st()));
    use_condition(c);
    static const pass_clears none = {};
    pass_state pass;
    pass.fb = fb;
    pass.fb_serial = fb->serial;
    pass.srgb = srgb;
    pass.formats = formats_of(*fb, srgb);
    if (c.dev.has.dynamic_rendering)
        begin_dynamic(c, *fb, pass, clears ? *clears : none);
    else if (!begin_classic(c, *fb, pass, clears ? *clears : none))
        return false;
    pass.open = true;
    begin_condition(c);
    if (!(pass.formats == c.pass.formats))
        c.dirty |= dirty_pipeline;
    c.pass = std::move(pass);
    return true;
}

void context::end_pass() {
    if (!pass.open)
        return;
    stop_capture(*this);
    end_condition(*this);
    if (dev.has.dynamic_rendering)
        dev.vk.CmdEndRendering(rec.main_raw());
    else
        dev.vk.CmdEndRenderPass(rec.main_raw());
    pass.open = false;
    feedback.pass_ended();
    dirty |= dirty_uses;
}

} // namespace magma
