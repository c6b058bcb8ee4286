// SPDX-License-Identifier: MIT
// Program and pipeline objects: what was attached and asked, what the last link made, and the values of uniforms. Shaders and programs
// share one name space (ShareGroup::shaders and ::programs; names come from ::programs' table).
#pragma once

#include "objects/ref.h"
#include "objects/shader.h"
#include "pipe/pipe.h"

#include <map>

namespace gl {

enum class Stage : uint8_t { vertex, tess_control, tess_evaluation, geometry, fragment, compute, count };
constexpr unsigned kStages = unsigned(Stage::count);
int stage_of(GLenum shader_type);            // Stage or -1

// One location of the default block: which uniform and which element.
struct UniformLocation {
    uint32_t uniform = ~0u;      // index in the archive's list of uniforms; ~0 = unused but reserved location
    uint32_t element = 0;
};
// Result of a successful link. Immutable, except through a new link; draws of other contexts keep the old one alive.
struct LinkedProgram {
    std::shared_ptr<const pipe_shader_archive> archive;
    uint32_t stages = 0;                              // bit per Stage
    std::vector<UniformLocation> locations;           // by GL location
    std::vector<int32_t> uniform_location;            // archive uniform -> first location, -1 = in a block
    uint32_t vertex_inputs = 0;                       // attribute locations read
    uint32_t fragment_outputs = 0;                    // draw buffers written
    GLenum gs_input = 0, gs_output = 0;               // primitive types; 0 = no geometry shader
    GLenum tes_mode = 0;                              // GL_TRIANGLES, GL_QUADS, GL_ISOLINES; 0 = none
    bool tes_point_mode = false;
    GLint tcs_vertices = 0;
    std::array<GLuint, 3> local_size{};
    bool uses_draw_id = false, uses_xfb = false;
    GLenum xfb_mode = GL_INTERLEAVED_ATTRIBS;
    uint32_t xfb_buffers = 0;                         // bit per buffer written
    std::array<GLuint, kMaxXfbBuffers> xfb_stride{};  // bytes
    // texture units by sampler slot are in Program::sampler_unit; the type of each slot for the conflict check:
    std::vector<uint8_t> sampler_target;              // TexIndex
    std::vector<uint8_t> sampler_shadow;
};

struct Program : Object {
    ~Program() override;                     // st::program_destroy
    ShareGroup *group = nullptr;
    // asked; takes effect at the next link
    std::vector<Ref<Shader>> attached;
    std::map<std::string, GLuint> attrib_binding;
    std::map<std::string, std::pair<GLuint, GLuint>> frag_binding;      // name -> location, index
    std::vector<std::string> xfb_varyings;
    GLenum xfb_mode = GL_INTERLEAVED_ATTRIBS;
    bool separable = false, separable_next = false;
    bool binary_hint = false;
    // link
    std::shared_ptr<compiler::Job> job;      // pending link, else null
    bool link_called = false, link_status = false, validate_status = false;
    std::string log;
    std::shared_ptr<const LinkedProgram> linked;      // last successful link; stays when a relink fails
    uint32_t link_version = 0;
    unsigned use_count = 0;                  // contexts and pipelines that have it current (delete is delayed)

    // values. One std140 image of the default block (the archive gives offsets), and per class the unit or binding point of each slot.
    std::vector<uint8_t> globals;
    uint32_t globals_dirty_begin = ~0u, globals_dirty_end = 0;      // bytes changed since the tracker sent them; begin >= end: none
    std::vector<GLint> sampler_unit, image_unit;                    // by slot
    std::vector<GLuint> ubo_binding, ssbo_binding, atomic_binding;  // by slot
    uint32_t bindings_version = 0;                                   // moves when one of the five vectors changed
    std::array<std::vector<GLuint>, kStages> subroutine;            // glUniformSubroutinesuiv

    // tracker
    pipe_handle handle{};                    // shader state CSO of the last link
    uint32_t sent_version = 0;               // link_version that the driver has
    void *tracker = nullptr;
};

struct ProgramPipeline : Object {            // container, never shared
    ~ProgramPipeline() override;
    bool ever_bound = false;
    std::array<Ref<Program>, kStages> stage;
    Ref<Program> active;                     // glActiveShaderProgram
    bool validate_status = false;
    std::string log;
    uint32_t version = 0;
    void *tracker = nullptr;
};

Program *lookup_program(Context &ctx, GLuint name);
Program *lookup_program_err(Context &ctx, GLuint name, const char *func);       // INVALID_VALUE no object, INVALID_OPERATION a shader
ProgramPipeline *lookup_pipeline(Context &ctx, GLuint name);
void program_wait(Context &ctx, Program &p);                                    // ends a pending link: linked, log, values are set
// Program that runs at `s` in the next draw or dispatch (current program, else bound pipeline), or null. Finishes a pending link.
Program *program_at(Context &ctx, Stage s);
// What glUniform* writes to: current program, else the pipeline's active program, else null.
Program *uniform_program(Context &ctx);
} // namespace gl
