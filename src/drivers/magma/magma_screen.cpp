// SPDX-License-Identifier: MIT
// The screen: options, device, table of the share group.
#include "magma_screen.h"

#include "drivers_common/pacing.h"
#include "magma_context.h"
#include "magma_dmabuf.h"
#include "magma_fence.h"
#include "magma_map.h"
#include "magma_memory.h"
#include "magma_public.h"
#include "magma_shared_image.h"
#include "magma_surface.h"
#include "util/env.h"
#include "util/log.h"
#include "util/options.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

namespace magma {

namespace {

// What the client's options say, else the environment of this process.
std::string option(const char *text, util::Env variable) {
    const util::EnvInfo &info = util::env_infos()[static_cast<size_t>(variable)];
    if (const auto given = util::option(text, info.name))
        return std::string(*given);
    return util::env_text(variable);
}

host_options read_options(const char *text) {
    host_options o;
    o.host = option(text, util::Env::HOST);
    o.hide = option(text, util::Env::HOST_HIDE);
    const std::string list = option(text, util::Env::DEBUG);
    const uint64_t flags = util::debug_parse(list);
    const auto flag = [&](util::Debug f) { return (flags >> static_cast<unsigned>(f) & 1) != 0; };
    o.force = drivers_common::forced_emulations(emulations, list);
    o.validate_corrupt = flag(util::Debug::validate_corrupt);
    o.validate = flag(util::Debug::validation) || o.validate_corrupt;
    o.fault_at = uint32_t(util::env_int(util::Env::FAIL_HOST_CALL));
    return o;
}

pipe_status get_caps(pipe_screen *s, const pipe_get_caps *, pipe_get_caps_reply *out) {
    out->caps = s->caps;
    return PIPE_OK;
}

pipe_status stage_alloc(pipe_screen *s, const pipe_stage_alloc *p, pipe_stage_alloc_reply *out) {
    *out = {};
    share_group &g = screen_of(s);
    const VkDeviceSize alignment = std::max<VkDeviceSize>(p->alignment, 64);
    if (!p->size || p->size > UINT32_MAX)
        return PIPE_OK;
    // A refusal is no error here: the bytes then come by an ordinary pointer and are copied.
    uint8_t *map = g.stage.alloc(*g.dev, p->size, alignment, &out->offset);
    if (!map)
        return PIPE_OK;
    out->address = reinterpret_cast<uint64_t>(map);
    out->size = p->size;
    out->seg = PIPE_SEG_DRIVER;
    return PIPE_OK;
}

pipe_status memory_info(pipe_screen *s, const pipe_memory_info *, pipe_memory_info_reply *out) {
    host_device &dev = *screen_of(s).dev;
    out->total = dev.mem->total_device_memory();
    uint64_t used = dev.mem->bytes_allocated();
    out->available = out->total > used ? out->total - used : 0;
    out->evicted = 0;
    return PIPE_OK;
}

void destroy(pipe_screen *s) {
    save_pipeline_cache(*screen_of(s).dev);
    end_images(screen_of(s));
    delete &screen_of(s);
}

void fill_screen_table(share_group &s) {
    s.destroy = destroy;
    s.get_caps = get_caps;
    s.stage_alloc = stage_alloc;
    s.resource_create = resource_create;
    s.resource_respecify = resource_respecify;
    s.resource_destroy = resource_destroy;
    s.resource_invalidate = resource_invalidate;
    s.image_create = image_create;
    s.image_import = image_import;
    s.image_destroy = image_destroy;
    if (s.dev->has.dma_buf) {
        s.resource_import = resource_import;
        s.resource_export = resource_export;
        s.dmabuf_formats = dmabuf_formats;
    }
    s.map_persistent = map_persistent;
    s.fence_create = fence_create;
    s.fence_status = fence_status;
    s.fence_wait = fence_wait;
    s.fence_wait_server = fence_wait_server;
    s.fence_destroy = fence_destroy;
    s.surface_create = surface_create;
    s.surface_resize = surface_resize;
    s.surface_destroy = surface_destroy;
    s.destroy_object = destroy_object;
    s.memory_info = memory_info;
    s.lane_create = lane_create;
    s.create_shader_state = create_shader_state;
    s.delete_shader_state = delete_shader_state;
    s.create_sampler_state = create_sampler_state;
    s.delete_sampler_state = delete_sampler_state;
    s.create_sampler_view = create_sampler_view;
    s.delete_sampler_view = delete_sampler_view;
}

// The layer has to complain about this: proof that it is loaded and heard.
void corrupt_on_purpose(host_device &dev) {
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    VkBuffer buffer = VK_NULL_HANDLE;
    info.size = 0; // VUID-VkBufferCreateInfo-size-00912
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    if (dev.vk.CreateBuffer(dev.device, &info, nullptr, &buffer) == VK_SUCCESS)
        dev.vk.DestroyBuffer(dev.device, buffer, nullptr);
}

} // namespace

void share_group::gl_error(pipe_handle lane, uint32_t error, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_error("magma", "%s", text);
    pending_failure() = {}; // this is its report
    if (!callbacks || !callbacks->on_gl_error)
        return;
    pipe_on_gl_error event = {};
    event.lane = lane;
    event.error = error;
    pipe_host_span message = pipe_span(text, strlen(text));
    callbacks->on_gl_error(callback_data, &event, &message);
}

std::shared_ptr<program> share_group::find_program(pipe_handle h) {
    std::lock_guard lock(mutex);
    if (h.slot >= PIPE_COMPOSITE_SLOT_BASE)
        return composites.get({h.slot - PIPE_COMPOSITE_SLOT_BASE, h.gen});
    return programs.get(h);
}

} // namespace magma

const char *magma_windows() {
    using namespace magma;
    const host_device *dev = acquire_device({});
    const bool x11 = dev && shows_windows(*dev, PIPE_PLATFORM_X11);
    const bool wayland = dev && shows_windows(*dev, PIPE_PLATFORM_WAYLAND);
    return x11 && wayland ? "X11, Wayland" : x11 ? "X11" : wayland ? "Wayland" : "";
}

pipe_screen *magma_create_screen(const pipe_screen_config *config) {
    using namespace magma;
    host_device *dev = acquire_device(read_options(config ? config->options : nullptr));
    if (!dev)
        return nullptr;
    [[maybe_unused]] static const bool first = [dev] {
        load_pipeline_cache(*dev);
        if (dev->options.validate_corrupt)
            corrupt_on_purpose(*dev);
        return true;
    }();
    auto *s = new magma::share_group();
    s->dev = dev;
    if (config) {
        s->callbacks = config->callbacks;
        s->callback_data = config->data;
        s->windows = {static_cast<enum pipe_platform>(config->platform),
                      config->display_name ? config->display_name : "", config->native_display};
        s->frames_in_flight = drivers_common::frames_in_flight(config->options);
    }
    fill_screen_table(*s);
    fill_caps(*dev, s->caps);
    pipe_context probe = {};
    fill_context_table(probe);
    pipe_tables_call_mask(s, &probe, s->caps.call_mask, 4);
    return s;
}
