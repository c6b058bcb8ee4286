// SPDX-License-Identifier: MIT
// The geometry stage that shows polygons as lines or points: it knows which way a triangle faces,
// how steep it is and which vertex provokes. Pure, any thread.
//
// Uniforms: ivec4 mgp_outline {culled faces: bit 0 front, bit 1 back; 1: counter-clockwise is
// front; vertex that provokes, -1: as in a strip whose first vertices do; 0}, vec4
// mgp_outline_offset {factor, units, smallest step or 0 for floats, clamp}, vec4 mgp_outline_window
// {half the width and the height of the viewport, half the depth range, 0}. flat int mgp_front goes
// to the fragment stage.
#pragma once

#include <cstdint>
#include <string>

namespace espryt {

struct outline_options {
    int version = 320;
    bool points = false;       // else lines
    bool state_size = false;   // points of the size mgp_point_size
    bool program_size = false; // points of the size that the stage before writes
    bool clamp_depth = false;  // see lower_depth_vertex
};

// `before`: the ESSL of the stage before, whose outputs are passed on; its clip distances are
// renamed there. Empty: it has outputs that cannot be passed on.
std::string outline_geometry(std::string &before, const outline_options &options);

} // namespace espryt
