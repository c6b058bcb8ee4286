// SPDX-License-Identifier: MIT
// Raster chunk, primitive restart chunk; widths, sizes and polygon offset.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

namespace st {

static uint8_t fill(GLenum mode) {
    return mode == GL_LINE    ? PIPE_POLYGON_MODE_LINE
           : mode == GL_POINT ? PIPE_POLYGON_MODE_POINT
                              : PIPE_POLYGON_MODE_FILL;
}

static uint8_t cull(const gl::RasterState &r) {
    if (!r.cull)
        return PIPE_FACE_NONE;
    return r.cull_face == GL_FRONT  ? PIPE_FACE_FRONT
           : r.cull_face == GL_BACK ? PIPE_FACE_BACK
                                    : PIPE_FACE_FRONT_AND_BACK;
}

void raster_atom::update(in view, Tracker &t) {
    const gl::RasterState &r = view.get<&gl::Context::raster>();
    const gl::PointLineState &p = view.get<&gl::Context::point_line>();
    const gl::ClipState &c = view.get<&gl::Context::clip>();

    pipe_raster_state s{};
    s.fill_front = s.fill_back = fill(r.polygon_mode);
    s.cull_face = cull(r);
    s.front_ccw = r.front_face == GL_CCW;
    s.flatshade_first = view.get<&gl::Context::primitive>().provoking == GL_FIRST_VERTEX_CONVENTION;
    s.depth_clamp_near = s.depth_clamp_far = r.depth_clamp;
    s.discard = r.discard;
    s.offset_fill = r.offset_fill;
    s.offset_line = r.offset_line;
    s.offset_point = r.offset_point;
    s.line_smooth = p.line_smooth;
    s.polygon_smooth = r.polygon_smooth;
    s.program_point_size = p.program_point_size;
    s.point_sprite_upper_left = p.sprite_origin == GL_UPPER_LEFT;
    s.clip_enable = uint8_t(c.distances);
    s.clip_halfz = c.depth == GL_ZERO_TO_ONE;
    s.clip_upper_left = c.origin == GL_UPPER_LEFT;
    s.framebuffer_srgb = view.get<&gl::Context::framebuffer_srgb>();
    set_rs_chunk(t, PIPE_RS_CHUNK_RASTER, t.rs.raster, s);
}

void restart_atom::update(in view, Tracker &t) {
    const gl::PrimitiveState &p = view.get<&gl::Context::primitive>();
    pipe_restart_state s{};
    s.enable = p.restart || p.restart_fixed;
    s.fixed_index = p.restart_fixed;
    s.patch_vertices = uint8_t(view.get<&gl::Context::patch>().vertices);
    t.restart = s.enable;
    t.restart_fixed = p.restart_fixed;
    t.restart_index = p.restart_index;
    set_rs_chunk(t, PIPE_RS_CHUNK_RESTART, t.rs.restart, s);
}

void line_point_atom::update(in view, Tracker &t) {
    const gl::PointLineState &p = view.get<&gl::Context::point_line>();
    pipe_line_point s{};
    s.line_width = p.line_width;
    s.point_size = p.program_point_size ? 1.0f : p.point_size;
    s.point_fade_threshold = p.fade_threshold;
    set_ds_chunk(t, PIPE_DS_CHUNK_LINE_POINT, t.ds.line_point, s);
}

void polygon_offset_atom::update(in view, Tracker &t) {
    const gl::RasterState &r = view.get<&gl::Context::raster>();
    pipe_polygon_offset s{};
    if (r.offset_fill || r.offset_line || r.offset_point)
        s = pipe_polygon_offset{r.offset_units, r.offset_factor, r.offset_clamp};
    set_ds_chunk(t, PIPE_DS_CHUNK_POLYGON_OFFSET, t.ds.polygon_offset, s);
}

void patch_atom::update(in view, Tracker &t) {
    const gl::PatchState &p = view.get<&gl::Context::patch>();
    pipe_set_patch_state s{};
    s.vertices = uint32_t(p.vertices);
    std::copy(p.outer.begin(), p.outer.end(), s.outer);
    std::copy(p.inner.begin(), p.inner.end(), s.inner);
    if (!t.sent.patch_valid || changed(t, t.sent.patch, s)) {
        t.sent.patch = s;
        t.sent.patch_valid = true;
        t.lane.emit<&pipe_context::set_patch_state>(&s);
    }
}

void condition_atom::update(in view, Tracker &t) {
    t.condition_skips = view.get<&gl::Context::condition>().skip;
}

} // namespace st
