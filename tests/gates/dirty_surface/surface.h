// SPDX-License-Identifier: MIT
// The sweep behind bin/dirty_surface: one row per state entry of GL. A row brings its scene into a
// state in which the entry matters, calls it with another value, and a draw on the noop driver must
// then send a record besides itself.
#pragma once

#include "tracker_mock.h"

#include "glapi/gl_api.h"

#include <vector>

namespace surface {

// A context in which as much state as possible has an effect: blending, tests and offsets are on,
// the surface has four samples, the program reads two textures, a uniform buffer, an array
// attribute (0) and the current values of the others.
struct Scene {
    mock::Context ctx;
    gl::Context &c = *ctx.gl;
    gl::Ref<gl::Program> program, other_program;
    GLuint program_name = 0, other_name = 0;
    GLuint vao = 0, buffer[4] = {}, texture[4] = {}, buffer_texture = 0, sampler = 0, fbo = 0,
           target[2] = {}, renderbuffer = 0, pipeline = 0;
    Scene();
    ~Scene();
    void draw();
    void bind_fbo(); // two colour attachments and a depth-stencil renderbuffer
};

struct Row {
    const char *entry;        // without "gl"
    void (*arrange)(Scene &); // or null
    void (*change)(Scene &);
    const char *reason; // why no record follows; null: one must
};

// Rows of one family append themselves.
std::vector<Row> &rows();
struct Add {
    Add(std::initializer_list<Row> list) { rows().insert(rows().end(), list.begin(), list.end()); }
};

} // namespace surface
