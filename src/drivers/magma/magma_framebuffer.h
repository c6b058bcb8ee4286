// SPDX-License-Identifier: MIT
// Framebuffer objects and render passes. Row 0 is y 0, as in GL: nothing is flipped. A pass is
// opened by the first draw or clear and stays open until something has to happen outside it.
#pragma once

#include "magma_resource.h"

#include <vector>

namespace magma {

struct context;

struct attachment {
    resource_ref texture;
    pipe_surface_view desc = {};
    storage_ref store; // of the views
    VkImageView view = VK_NULL_HANDLE;
    VkImageView view_linear = VK_NULL_HANDLE; // without sRGB encoding
    VkFormat format = VK_FORMAT_UNDEFINED, format_linear = VK_FORMAT_UNDEFINED;
    uint32_t level = 0, layer = 0, layers = 1; // in the storage
    bool no_alpha = false, no_blend = false;
    explicit operator bool() const { return texture != nullptr; }
};

struct framebuffer {
    host_device *dev = nullptr;
    pipe_in_framebuffer<pipe_set_framebuffer_state> desc;
    attachment color[PIPE_MAX_COLOR_BUFS];
    attachment depth, stencil;
    uint64_t serial = 0; // moves when attachments change
    uint32_t width = 0, height = 0, layers = 1;
    uint32_t samples = 1;
    ~framebuffer();
    void drop_views();
    const attachment *read_attachment() const {
        return desc->read_buffer >= 0 && color[desc->read_buffer] ? &color[desc->read_buffer]
                                                                  : nullptr;
    }
};

// Formats and samples of a pass: the part of a framebuffer that a pipeline depends on. By draw
// buffer, not attachment.
struct pass_formats {
    VkFormat color[PIPE_MAX_COLOR_BUFS] = {};
    VkFormat depth = VK_FORMAT_UNDEFINED, stencil = VK_FORMAT_UNDEFINED;
    uint8_t color_count = 0;
    uint8_t samples = 1;
    uint8_t no_alpha = 0; // bit per draw buffer
    uint8_t no_blend = 0; // bit per draw buffer
    bool operator==(const pass_formats &o) const;
};

struct pass_state {
    bool open = false;
    std::shared_ptr<framebuffer> fb;
    uint64_t fb_serial = 0;
    bool srgb = true;
    pass_formats formats;
    VkRenderPass render_pass = VK_NULL_HANDLE; // fallback without dynamic rendering
};

// Clears that a pass begins with. Colour by draw buffer.
struct pass_clears {
    uint32_t mask = 0; // pipe_buffer_mask, COLORn = draw buffer n
    VkClearValue color[PIPE_MAX_COLOR_BUFS];
    VkClearValue depth_stencil;
};

// Opens a pass on `fb` unless it is already open. False: not possible, skip the draw.
bool open_pass(context &c, const std::shared_ptr<framebuffer> &fb, bool srgb,
               const pass_clears *clears);
// Makes image views; false when an attachment is unusable.
bool ready_framebuffer(framebuffer &fb);
// The formats a pass on this framebuffer would have.
pass_formats formats_of(const framebuffer &fb, bool srgb);
// A render pass with these formats that is compatible with any opened by open_pass (fallback path).
VkRenderPass compatible_render_pass(host_device &dev, const pass_formats &f);

void set_framebuffer_state(pipe_context *ctx, const pipe_set_framebuffer_state *p);
void bind_framebuffers(pipe_context *ctx, const pipe_bind_framebuffers *p);
void invalidate_framebuffer(pipe_context *ctx, const pipe_invalidate_framebuffer *p);
// Fills attachments from resources; used for framebuffers made of surfaces too.
void resolve_attachments(context &c, framebuffer &fb);

} // namespace magma
