// SPDX-License-Identifier: MIT
// What this driver does in place of a host that cannot; see drivers_common/emulation.h.
#pragma once

#include "drivers_common/emulation.h"

namespace espryt {

#define ESPRYT_EMULATIONS(X)                                                                       \
    X(restart_rewrite, "restart-rewrite",                                                          \
      "indices rewritten because the host restarts at the largest index only")                     \
    X(multi_draw_loop, "multi-draw-loop", "one host call per range of a multi-draw")               \
    X(index_rebase, "index-rebase", "indices rewritten because the host has no base vertex")       \
    X(point_size, "point-size",                                                                    \
      "point size written by the shader because the host has no point size state")                 \
    X(convert_upload, "convert-upload",                                                            \
      "texels converted on the CPU because storage is wider than the format")                      \
    X(convert_read, "convert-read", "read texels converted on the CPU")                            \
    X(shader_read, "shader-read",                                                                  \
      "texels fetched by a shader because the host cannot read the format")                        \
    X(shader_blit, "shader-blit", "blit drawn by a shader because the host's blit refuses it")     \
    X(copy_blit, "copy-blit",                                                                      \
      "texture copy by framebuffer blits because the host has no copy_image")                      \
    X(base_instance, "base-instance",                                                              \
      "instanced attributes moved because the host begins at instance 0")                          \
    X(timer_wait, "timer-wait",                                                                    \
      "times taken by the CPU when the host has finished because it has no timer")                 \
    X(texture_1d, "texture-1d", "one-dimensional textures stored with a height of one")            \
    X(texture_rect, "texture-rect", "rectangle textures stored as plain ones")                     \
    X(wide_format, "wide-format",                                                                  \
      "storage wider than the format: 16-bit normalised as floats, and the like")                  \
    X(copy_convert, "copy-convert",                                                                \
      "texture copy through the CPU because the host has no copy_image or stores other bits")      \
    X(clear_by_upload, "clear-upload",                                                             \
      "clear_texture by an upload because the host has no clear_texture")                          \
    X(draw_buffers, "draw-buffer-map",                                                             \
      "attachments permuted because draw buffer n must be attachment n")                           \
    X(dst_alpha_one, "alpha-one",                                                                  \
      "blend factors replaced because storage has an alpha that the format lacks")                 \
    X(attrib_convert, "attrib-convert", "vertex attributes converted on the CPU")                  \
    X(clip_discard, "clip-discard", "fragments discarded because the host has no clip distances")  \
    X(first_vertex, "first-vertex",                                                                \
      "lists rewritten because the last vertex provokes on the host")                              \
    X(delay_flat, "delay-flat",                                                                    \
      "flat outputs of geometry stages written late because the last vertex provokes on the host") \
    X(layered_clear, "layered-clear",                                                              \
      "attachments cleared one by one because the host clears the layers all of them have")        \
    X(flatten_varyings, "flatten-varyings",                                                        \
      "varyings of structs split into plain ones because the host has no nested ones")             \
    X(polygon_outline, "polygon-outline",                                                          \
      "edges and corners drawn as lists because the host has no polygon mode")                     \
    X(lod_bias, "lod-bias", "look-ups biased by the shader because the host's samplers have none") \
    X(count_fragments, "count-fragments",                                                          \
      "samples counted by the fragment shader because the host has no exact counts")               \
    X(query_levels, "query-levels",                                                                \
      "levels of textures passed as uniforms because the host has no textureQueryLevels")          \
    X(pass_control, "pass-control",                                                                \
      "a control stage made for programs that tessellate without one, which OpenGL ES does not")   \
    X(target_passes, "target-passes",                                                              \
      "draws repeated per target because the host blends and masks all targets alike")             \
    X(keep_blocks, "keep-blocks",                                                                  \
      "compressed blocks kept by the CPU because the host copies no images")                       \
    X(count_primitives, "count-primitives",                                                        \
      "primitives counted by the CPU because the host does not")                                   \
    X(texel_words, "texel-words",                                                                  \
      "buffer textures read as integers, or as copies, because the host lacks their format")       \
    X(decode_outputs, "decode-outputs",                                                            \
      "colours decoded by the shader because the host encodes what sRGB targets are given")        \
    X(capture_scatter, "capture-scatter",                                                          \
      "captures put in place by a compute shader because the host lacks their layout")             \
    X(logic_fetch, "logic-fetch",                                                                  \
      "logic operations by the fragment shader, which fetches what the target holds")              \
    X(logic_copy, "logic-copy",                                                                    \
      "logic operations by the fragment shader, which reads a copy of the target")                 \
    X(depth_clamp, "depth-clamp",                                                                  \
      "depth clamped by the fragment shader because the host clips it")                            \
    X(alpha_to_one, "alpha-to-one",                                                                \
      "alpha replaced by the fragment shader because the host keeps it")                           \
    X(depth_levels, "depth-levels",                                                                \
      "mipmaps of depth drawn by a shader because the host makes none")                            \
    X(mipmap_convert, "mipmap-convert",                                                            \
      "mipmaps filtered on the CPU because the host makes none of the format")                     \
    X(border_color, "border-color",                                                                \
      "borders mixed in by the shader because the host has no border clamp")                       \
    X(window_copy, "indirect-read", "indirect draw parameters read back by the CPU")

enum class emulation : unsigned {
#define X(id, name, help) id,
    ESPRYT_EMULATIONS(X)
#undef X
        count
};

static_assert(static_cast<unsigned>(emulation::count) <= 64);
extern drivers_common::emulation_row emulations[static_cast<unsigned>(emulation::count)];

// Counts one use.
inline void emulated(emulation e) {
    emulations[static_cast<unsigned>(e)].used.add();
}

} // namespace espryt
