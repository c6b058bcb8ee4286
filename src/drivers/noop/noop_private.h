// SPDX-License-Identifier: MIT
// Between the generated tables (noop_tables.cpp) and the entries written by hand (noop_screen.cpp).
#pragma once

#include "pipe/pipe.h"

namespace noop {

void fill_screen(pipe_screen *screen);
void fill_context(pipe_context *ctx);
void fill_caps(pipe_caps *caps);

enum pipe_status get_caps(pipe_screen *screen, const pipe_get_caps *p, pipe_get_caps_reply *out);
enum pipe_status stage_alloc(pipe_screen *screen, const pipe_stage_alloc *p,
                             pipe_stage_alloc_reply *out);
pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p);
void lane_destroy(pipe_context *ctx, const pipe_lane_destroy *p);
enum pipe_status surface_create(pipe_screen *screen, const pipe_surface_create *p,
                                pipe_surface_create_reply *out);
enum pipe_status resource_import(pipe_screen *screen, const pipe_resource_import *p);
enum pipe_status resource_export(pipe_screen *screen, const pipe_resource_export *p,
                                 pipe_resource_export_reply *out);
enum pipe_status dmabuf_formats(pipe_screen *screen, const pipe_dmabuf_formats *p,
                                pipe_dmabuf_formats_reply *out);
enum pipe_status fence_status(pipe_context *ctx, const pipe_fence_status *p,
                              pipe_fence_status_reply *out);
enum pipe_status fence_wait(pipe_context *ctx, const pipe_fence_wait *p,
                            pipe_fence_wait_reply *out);
enum pipe_status query_available(pipe_context *ctx, const pipe_query_available *p,
                                 pipe_query_available_reply *out);

} // namespace noop
