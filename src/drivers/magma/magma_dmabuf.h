// SPDX-License-Identifier: MIT
// Textures in dma-bufs of others, and dma-bufs for others (VK_EXT_external_memory_dma_buf,
// VK_EXT_image_drm_format_modifier). While no batch of ours uses one it belongs to the foreign
// queue family; see use_tracker.
#pragma once

#include "magma_instance.h"

#include "pipe/pipe.h"

namespace magma {

// Table entries (screen, root calls), where the device has host_features::dma_buf.
pipe_status resource_import(pipe_screen *s, const pipe_resource_import *p);
pipe_status resource_export(pipe_screen *s, const pipe_resource_export *p,
                            pipe_resource_export_reply *out);
pipe_status dmabuf_formats(pipe_screen *s, const pipe_dmabuf_formats *p,
                           pipe_dmabuf_formats_reply *out);

} // namespace magma
