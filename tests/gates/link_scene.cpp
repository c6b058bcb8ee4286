// SPDX-License-Identifier: MIT
// The program of link_cost.py: `link_scene UNIFORMS QUERIES` links a program with so many uniforms
// and asks for a location so often.
#define GL_GLEXT_PROTOTYPES 1
#include "scene_context.h"

#include <GL/glcorearb.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::string fragment_source(int uniforms) {
    std::string declared = "#version 330 core\nout vec4 color;\n", sum = "0.0";
    for (int i = 0; i < uniforms; i++) {
        const std::string name = "value_" + std::to_string(i);
        declared += "uniform float " + name + ";\n";
        sum = i % 64 ? sum + " + " + name : sum + ";\n  sum += " + name;
    }
    return declared + "void main() {\n  float sum = " + sum + ";\n  color = vec4(sum);\n}\n";
}

void attach(GLuint program, GLenum stage, const std::string &source) {
    const GLuint shader = glCreateShader(stage);
    const char *text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3 || !open_context())
        return 2;
    const int uniforms = std::atoi(argv[1]), queries = std::atoi(argv[2]);
    const GLuint program = glCreateProgram();
    attach(program, GL_VERTEX_SHADER,
           "#version 330 core\nvoid main() { gl_Position = vec4(0.0); }\n");
    attach(program, GL_FRAGMENT_SHADER, fragment_source(uniforms));
    glLinkProgram(program);
    GLint linked = 0, active = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &active);
    bool found = true;
    const std::string last = "value_" + std::to_string(uniforms - 1);
    for (int i = 0; i < queries; i++)
        found &= glGetUniformLocation(program, last.c_str()) >= 0;
    std::printf("linked %d active %d found %d\n", linked, active, int(found));
    return linked && active == uniforms && found ? 0 : 1;
}
