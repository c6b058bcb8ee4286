// SPDX-License-Identifier: MIT
// What the scenes of recordings need. A scene is an ordinary GL program: it draws frames of 96x64
// pixels into a pbuffer and swaps. Pictures are made of flat areas whose edges lie between texels,
// so that drivers agree.
#pragma once

#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <GL/glcorearb.h>

#include <string>
#include <vector>

namespace scenes {

constexpr int width = 96, height = 64;

struct Scene {
    const char *name;
    void (*body)();
};
std::vector<Scene> &all();
struct Register {
    Register(const char *name, void (*body)()) { all().push_back({name, body}); }
};

// Ends the program with a line.
[[noreturn]] void give_up(const std::string &why);

// Another context of the share group with a pbuffer of its own; make_current(0) is the first one.
void add_context();
void make_current(unsigned index);
void swap();

GLuint shader(GLenum stage, const std::string &body); // "#version 330" is put before
GLuint link(const std::vector<GLuint> &shaders);
GLuint program(const std::string &vs, const std::string &fs);
// Fills the rectangle of `rect` (x, y, w, h in pixels, a uniform) with what the body writes to
// `color`; `at` runs from 0 to 1 over it.
GLuint quad_program(const std::string &fs_body, const std::string &declarations = "");
void quad(GLuint program, float x, float y, float w, float h);
GLuint buffer(GLenum target, const void *data, size_t size, GLenum usage = GL_STATIC_DRAW);
GLuint texture(GLenum target);
GLint uniform(GLuint program, const char *name);

} // namespace scenes

#define SCENE(name)                                                                                \
    static void scene_##name();                                                                    \
    static const ::scenes::Register register_##name{#name, scene_##name};                          \
    static void scene_##name()
