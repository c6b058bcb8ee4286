// SPDX-License-Identifier: MIT
// Twins of resources, samplers and sampler views. Group scope: the tables are guarded by the
// screen's mutex; a lane that binds a twin holds a reference and needs no lock to use it.
#pragma once

#include "magma_format.h"
#include "magma_patch_border.h"
#include "magma_storage.h"

#include "pipe/pipe.h"
#include "pipe/pipe_input.h"

#include <atomic>
#include <memory>
#include <vector>

namespace magma {

struct context;
struct sampler;
struct share_group;

// What a resource was seen as by shader images; guarded by share_group::mutex.
struct image_views {
    struct key {
        VkFormat format;
        VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
        uint32_t level = 0, layer = 0, layers = 0;
        bool operator==(const key &) const = default;
    };
    struct entry {
        key what;
        VkImageView view = VK_NULL_HANDLE;
        VkBufferView texels = VK_NULL_HANDLE; // texture buffers
    };
    storage_ref store; // of the views
    std::vector<entry> list;
    void drop(host_device &dev);
};

struct resource {
    host_device *dev = nullptr;
    pipe_resource_desc desc = {};
    const format_info *format = nullptr; // textures
    storage_ref store;                   // null: the host refused it, or a texture buffer
    std::shared_ptr<resource> owner;     // views: whose storage it is; texture buffers: the buffer
    uint32_t min_level = 0, min_layer = 0; // of a view, in the storage
    bool bad = false;                      // refused; its uses are skipped
    pipe_in_texture_params<std::shared_ptr<sampler>> own_sampler;
    image_views images;

    ~resource();
    bool is_buffer() const { return desc.target == PIPE_BUFFER; }
    bool is_texture_buffer() const { return desc.target == PIPE_TEXTURE_BUFFER; }
    storage *st() const { return store.get(); }
    bool is_3d() const { return desc.target == PIPE_TEXTURE_3D; }
    bool is_1d() const {
        return desc.target == PIPE_TEXTURE_1D || desc.target == PIPE_TEXTURE_1D_ARRAY;
    }
    uint32_t layers() const { return desc.layers ? desc.layers : 1; }
    uint32_t levels() const { return desc.levels ? desc.levels : 1; }
    VkExtent3D level_extent(uint32_t level) const;
};
using resource_ref = std::shared_ptr<resource>;

struct sampler {
    host_device *dev = nullptr;
    pipe_sampler_state state = {};
    VkSampler vk = VK_NULL_HANDLE;
    // For views whose swizzle the host has to be told, or whose format it does not filter: by the
    // mapping and the filter.
    std::vector<std::pair<uint32_t, VkSampler>> mapped;
    ~sampler();
};
using sampler_ptr = std::shared_ptr<sampler>;

// How a view is looked at; bits.
enum view_form : uint32_t {
    view_linear = 1,   // sRGB decode skipped
    view_unturned = 2, // the shader swizzles
};
constexpr uint32_t view_forms = 4;

struct sampler_view {
    host_device *dev = nullptr;
    pipe_create_sampler_view desc = {};
    resource_ref texture;
    storage_ref store; // of the image view below
    VkImageView views[view_forms] = {};
    VkBufferView buffer_view = VK_NULL_HANDLE;
    VkDeviceSize buffer_size = 0; // of buffer_view
    bool integer = false;
    bool swizzled = false; // otherwise than the host's format is by itself
    ~sampler_view();
    void drop_views();
};
using view_ref = std::shared_ptr<sampler_view>;

// An image view of a texture; null when the host refuses. `layer` counts slices of 3D textures for
// attachments.
VkImageView make_image_view(host_device &dev, const storage &s, VkImageViewType type,
                            VkFormat format, VkImageAspectFlags aspects, uint32_t level,
                            uint32_t levels, uint32_t layer, uint32_t layers,
                            VkComponentMapping swizzle, VkImageUsageFlags usage);

// What the view shows, of a storage that is like its own; null when the host refuses.
VkImageView make_sampled_view(const sampler_view &v, const storage &s, uint32_t form);
// Fills the view's host objects for the texture's current storage; false when it cannot be sampled.
bool ready_view(sampler_view &v, uint32_t form);
// The form in which `s` (null: none) samples the view; `turned`: the shader swizzles.
uint32_t form_of(const sampler_view &v, const sampler *s, bool turned);

// Whether the host repeats the edge and the shader mixes in the border.
bool border_in_shader(const host_device &dev, const pipe_sampler_state &s);
// Whether the shader swizzles what it gets, since the host would lose the border.
bool swizzle_in_shader(const sampler_view &v, const pipe_sampler_state &s);
// What the shader has to know for the one and for the other.
border_sampler border_of(const sampler_view &v, const pipe_sampler_state &s, uint32_t slot);
border_sampler turned_border(const sampler_view &v, uint32_t slot);
// The sampler for use with this view; null when the host refuses it.
VkSampler host_sampler(sampler &s, const sampler_view &v);

// Table entries (screen).
void resource_create(pipe_context *ctx, const pipe_resource_create *p);
void resource_respecify(pipe_context *ctx, const pipe_resource_respecify *p);
void resource_destroy(pipe_context *ctx, const pipe_resource_destroy *p);
void resource_invalidate(pipe_context *ctx, const pipe_resource_invalidate *p);
void create_sampler_state(pipe_context *ctx, const pipe_create_sampler_state *p);
void delete_sampler_state(pipe_context *ctx, const pipe_delete_sampler_state *p);
void create_sampler_view(pipe_context *ctx, const pipe_create_sampler_view *p);
void delete_sampler_view(pipe_context *ctx, const pipe_delete_sampler_view *p);
void destroy_object(pipe_context *ctx, const pipe_destroy_object *p);

} // namespace magma
