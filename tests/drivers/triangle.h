// SPDX-License-Identifier: MIT
// The program of triangle.vert and triangle.frag in the pipe's form: one texture, a default block
// of 16 bytes. Compiled with the shaders' generated headers, once per program.
#pragma once

#include "pipe/pipe.h"

#include <iterator>

#include "triangle_frag.h"
#include "triangle_vert.h"

// `unit`: the slot that the texture is bound to.
inline pipe_shader_archive triangle_archive(uint32_t unit) {
    pipe_shader_archive a;
    pipe_archive_stage vs, fs;
    vs.stage = PIPE_SHADER_VERTEX;
    vs.spirv.assign(std::begin(triangle_vert), std::end(triangle_vert));
    fs.stage = PIPE_SHADER_FRAGMENT;
    fs.spirv.assign(std::begin(triangle_frag), std::end(triangle_frag));
    a.stages = {vs, fs};
    a.stage_mask = 1u << PIPE_SHADER_VERTEX | 1u << PIPE_SHADER_FRAGMENT;
    a.globals_size = 16;
    a.num_sampler_slots = 1;
    pipe_archive_opaque o;
    o.cls = PIPE_SLOT_SAMPLER;
    o.target = PIPE_TEXTURE_2D;
    o.array_size = 1;
    o.binding = unit;
    a.opaques = {o};
    return a;
}
