// SPDX-License-Identifier: MIT
// Shader objects. Compilation may run on the compile pool; every reader of `status`, `log` or
// `compiled` first calls shader_wait().
#pragma once

#include "objects/ref.h"

namespace compiler {
struct CompiledShader; // what the compiler made of one shader: owned by shared_ptr, immutable
struct Job;            // one unit of work of the compile pool
} // namespace compiler

namespace gl {

struct PendingCompile {
    std::shared_ptr<const compiler::CompiledShader> result;
};

struct Shader : Object {
    ~Shader() override;
    ShareGroup *group = nullptr;
    GLenum type = 0;           // GL_VERTEX_SHADER ...
    unsigned attach_count = 0; // guarded by the group's program mutex, as is:
    bool deleted = false;      // glDeleteShader was called
    std::string source;        // strings joined
    bool status = false;
    bool compile_called = false;
    std::string log;
    std::shared_ptr<const compiler::CompiledShader> compiled; // null after a failed compile
    std::shared_ptr<compiler::Job> job;                       // pending compile, else null
    std::shared_ptr<PendingCompile> pending;                  // where the job puts its result
};
Shader *lookup_shader(Context &ctx, GLuint name);
void shader_wait(Context &ctx, Shader &s);
} // namespace gl
