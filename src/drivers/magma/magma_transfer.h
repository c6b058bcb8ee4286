// SPDX-License-Identifier: MIT
// Bytes in and out: uploads, read-backs, copies. A transfer on storages that this batch's main
// commands have not used goes to the early command buffer and breaks no pass.
#pragma once

#include "magma_barrier.h"
#include "magma_resource.h"
#include "magma_upload.h"

#include "pipe/pipe.h"

#include <initializer_list>

namespace magma {

struct context;

struct transfer_use {
    storage *s;
    access a;
};

// The command buffer for a transfer with these uses, barriers recorded; null: no batch.
VkCommandBuffer begin_transfer(context &c, std::initializer_list<transfer_use> uses);

// Read-write use of one image by both ends of a copy.
access access_transfer_both();

// Waits for the GPU. False: out of range or out of memory.
bool read_buffer(context &c, storage &s, uint64_t offset, uint64_t size, void *dst);
bool read_buffer(context &c, resource &r, uint64_t offset, uint64_t size, void *dst);
// `staged`: `src` lies there, and the GPU reads it there.
bool write_buffer(context &c, resource &r, uint64_t offset, uint64_t size, const void *src,
                  uint32_t flags, const stage_memory::slice *staged = nullptr);

// A box of a level: layers of arrays are z and depth.
struct texel_box {
    uint32_t level;
    pipe_box box;
};

bool write_texels(context &c, resource &r, const texel_box &where, uint8_t aspects, const void *src,
                  uint64_t row_stride, uint64_t slice_stride);
// Waits for the GPU; converts to `format`.
bool read_texels(context &c, resource &r, const texel_box &where, uint8_t aspects, uint32_t format,
                 void *dst, uint64_t row_stride, uint64_t slice_stride);

void resource_subdata(pipe_context *ctx, const pipe_resource_subdata *p, const pipe_region *regions,
                      const pipe_host_span *data);
pipe_status resource_readback(pipe_context *ctx, const pipe_resource_readback *p,
                              const pipe_out_span *dst);
void resource_copy_region(pipe_context *ctx, const pipe_resource_copy_region *p);
void copy_buffer_to_texture(pipe_context *ctx, const pipe_copy_buffer_to_texture *p,
                            const pipe_region *regions);
void clear_buffer(pipe_context *ctx, const pipe_clear_buffer *p);
void clear_texture(pipe_context *ctx, const pipe_clear_texture *p);
pipe_status read_pixels(pipe_context *ctx, const pipe_read_pixels *p, const pipe_out_span *dst);
void read_pixels_to_buffer(pipe_context *ctx, const pipe_read_pixels_to_buffer *p);
pipe_status get_texture_image(pipe_context *ctx, const pipe_get_texture_image *p,
                              const pipe_out_span *dst);
void get_texture_image_to_buffer(pipe_context *ctx, const pipe_get_texture_image_to_buffer *p);
void copy_framebuffer_to_texture(pipe_context *ctx, const pipe_copy_framebuffer_to_texture *p);

} // namespace magma
