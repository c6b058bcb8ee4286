// SPDX-License-Identifier: MIT
// Program and pipeline objects: what was attached and asked, what the last link made, and the
// values of uniforms. Shaders and programs share one name space (ShareGroup::shaders and
// ::programs; names come from ::programs' table).
#pragma once

#include "objects/ref.h"
#include "objects/shader.h"
#include "pipe/pipe.h"

#include <map>
#include <unordered_map>

namespace compiler {
struct StageCode; // a stage before it was lowered: what pipelines are composed from
struct LinkOutput;
struct Limits;
} // namespace compiler

namespace gl {

enum class Stage : uint8_t {
    vertex,
    tess_control,
    tess_evaluation,
    geometry,
    fragment,
    compute,
    count
};
constexpr unsigned kStages = unsigned(Stage::count);
int stage_of(GLenum shader_type); // Stage or -1

enum class UniformKind : uint8_t { value, sampler, image, atomic };
enum class UniformBase : uint8_t { float_, double_, int_, uint_, bool_ };
// One active uniform, in the order of glGetActiveUniform: default block, uniform blocks, opaque
// uniforms.
struct ActiveUniform {
    const std::string *name = nullptr; // in the archive; "name[0]" for arrays
    GLenum type = 0;
    GLint size = 1;
    bool is_array = false, row_major = false;
    UniformKind kind = UniformKind::value;
    UniformBase base = UniformBase::float_;
    uint8_t rows = 1, cols = 1, stages = 0;
    GLint block = -1, atomic_buffer = -1; // indices of uniform blocks and atomic counter buffers
    GLint offset = -1, array_stride = -1, matrix_stride = -1;
    GLint location = -1;
    uint32_t slot = 0; // opaque: first program-wide slot
};
// One location of the default block: which uniform and which element.
constexpr uint32_t kNoUniform = ~0u;
constexpr uint32_t kInactiveUniform = ~0u - 1; // given in a shader, but nothing uses it
struct UniformLocation {
    uint32_t uniform = kNoUniform; // index in `uniforms`, or one of the two above
    uint32_t element = 0;
};
// Result of a successful link. Immutable, except through a new link; draws of other contexts keep
// the old one alive.
struct LinkedProgram {
    std::shared_ptr<const pipe_shader_archive> archive;
    uint32_t stages = 0;                    // bit per Stage
    std::vector<UniformLocation> locations; // by GL location
    std::vector<ActiveUniform> uniforms;
    std::unordered_map<std::string, uint32_t> uniform_index; // by name, with and without "[0]"
    std::vector<uint32_t> uniform_blocks, storage_blocks,
        atomic_buffers;                                   // indices in archive->blocks
    std::vector<uint32_t> buffer_variables;               // indices in archive->members
    std::vector<const pipe_archive_io *> inputs, outputs; // of the first and the last stage
    int32_t depth_range_offset = -1;       // bytes of gl_DepthRange in the default block
    int32_t num_samples_offset = -1;       // bytes of gl_NumSamples
    std::vector<std::string> xfb_varyings; // as asked, gl_SkipComponents included
    std::shared_ptr<const std::vector<compiler::StageCode>> code;
    std::vector<std::pair<uint32_t, uint32_t>> inactive_locations; // as in LinkOutput
    uint32_t vertex_inputs = 0;                                    // attribute locations read
    GLenum gs_input = 0, gs_output = 0; // primitive types; 0 = no geometry shader
    GLenum tes_mode = 0;                // GL_TRIANGLES, GL_QUADS, GL_ISOLINES; 0 = none
    bool tes_point_mode = false;
    GLint tcs_vertices = 0;
    std::array<GLuint, 3> local_size{};
    bool uses_draw_id = false, uses_xfb = false;
    GLenum xfb_mode = GL_INTERLEAVED_ATTRIBS;
    uint32_t xfb_buffers = 0;                        // bit per buffer written
    std::array<GLuint, kMaxXfbBuffers> xfb_stride{}; // bytes
    // texture units by sampler slot are in Program::sampler_unit; the type of each slot for the
    // conflict check:
    std::vector<uint8_t> sampler_target; // TexIndex
};

struct PendingLink {
    std::shared_ptr<compiler::LinkOutput> result;
    std::vector<std::string> xfb_varyings;
    GLenum xfb_mode = GL_INTERLEAVED_ATTRIBS;
    bool separable = false, binary_hint = false;
};

struct Program : Object {
    ~Program() override; // st::program_destroy
    ShareGroup *group = nullptr;
    // asked; takes effect at the next link
    std::vector<Ref<Shader>> attached;
    std::map<std::string, GLuint> attrib_binding;
    std::map<std::string, std::pair<GLuint, GLuint>> frag_binding; // name -> location, index
    std::vector<std::string> xfb_varyings;
    GLenum xfb_mode = GL_INTERLEAVED_ATTRIBS;
    bool separable = false, separable_next = false;
    bool binary_hint = false, binary_hint_next = false;
    // link
    std::shared_ptr<compiler::Job> job;   // pending link, else null
    std::shared_ptr<PendingLink> pending; // where the job puts its result
    bool link_status = false, validate_status = false;
    std::string log;
    std::shared_ptr<const LinkedProgram> linked; // last successful link; stays when a relink fails
    uint32_t link_version = 0;
    unsigned use_count = 0; // contexts and pipelines that have it current (delete is delayed)
    bool deleted = false;   // glDeleteProgram was called; written under the program mutex

    // values. One std140 image of the default block (the archive gives offsets), and per class the
    // unit or binding point of each slot.
    std::vector<uint8_t> globals;
    uint32_t globals_dirty_begin = ~0u,
             globals_dirty_end = 0; // bytes changed since the tracker sent them; begin >= end: none
    std::vector<GLint> sampler_unit, image_unit;                   // by slot
    std::vector<GLuint> ubo_binding, ssbo_binding, atomic_binding; // by slot
    uint32_t bindings_version = 0; // moves when one of the five vectors changed

    // tracker
    pipe_handle handle{}; // shader state CSO of the last link
    void *tracker = nullptr;
};

struct ProgramPipeline : Object { // container, never shared
    ~ProgramPipeline() override;
    std::array<Ref<Program>, kStages> stage;
    Ref<Program> active; // glActiveShaderProgram
    bool validate_status = false;
    std::string log;
    uint32_t version = 0;
    void *tracker = nullptr;
};

Program *lookup_program(Context &ctx, GLuint name);
Program *
lookup_program_err(Context &ctx, GLuint name,
                   const char *func); // INVALID_VALUE no object, INVALID_OPERATION a shader
ProgramPipeline *lookup_pipeline(Context &ctx, GLuint name);
// Whether samplers of different targets read one unit (GL 4.6 section 11.1.3.11). All are linked.
bool sampler_conflict(const Program *const *programs, unsigned n);
void program_wait(Context &ctx, Program &p); // ends a pending link: linked, log, values are set
// Program that runs at `s` in the next draw or dispatch (current program, else bound pipeline), or
// null. Finishes a pending link.
Program *program_at(Context &ctx, Stage s);
// What glUniform* writes to: current program, else the pipeline's active program, else null.
Program *uniform_program(Context &ctx);
// gl_DepthRange and gl_NumSamples: brings the program's default block up to the context's state.
// Called by the tracker before it sends the dirty bytes; cheap for programs that use neither.
void update_state_uniforms(Context &ctx, Program &p);
// Use counts: a deleted program keeps its name while something uses it.
void program_use(Context &ctx, Program &p);
void program_unuse(Context &ctx, Program &p);
// A dying context uses none any more, nor do its pipelines.
void programs_unused(Context &ctx);
// Frees the name of a deleted program or shader when nothing holds it any more. The first takes the
// group's program mutex, the second is called with it.
void program_collect(Context &ctx, Program &p);
void shader_collect(Context &ctx, Shader &s);
// What the compiler is told of this context.
compiler::Limits compiler_limits(const Context &ctx);
// The tables over an archive (also of a composed pipeline).
std::shared_ptr<const LinkedProgram>
link_tables(std::shared_ptr<const pipe_shader_archive> archive);
// What queries of a program read: the tables of its last link, empty ones when that failed or never
// happened (a failed link loses what was known of the one before). Finishes a pending link. Null
// after the error of a bad name.
const LinkedProgram *query_tables(Context &ctx, GLuint name, const char *func,
                                  Program **program = nullptr);
// Makes a link's result the program's: tables, initial values, what the tracker and other contexts
// must know. `pending.result` is ok.
void program_install(Context &ctx, Program &p, const PendingLink &pending);
// Bytes that glGetProgramBinary gives; 0 without a successful link.
GLint program_binary_length(Context &ctx, const Program &p);
// The one binary format. Its number is that of Mesa's drivers, whose programs know to ask; a header
// tells whose bytes they are.
constexpr GLenum kProgramBinaryFormat = 0x875F; // GL_PROGRAM_BINARY_FORMAT_MESA
// Starts a link with what the program asked for now.
void program_link(Context &ctx, Program &p);
// A uniform's index by GL name; -1: none.
GLint find_uniform(const LinkedProgram &l, const char *name);
// "name[7]" -> "name", 7. False when there is no subscript at the end.
bool split_subscript(const std::string &text, std::string &base, uint32_t &index);
// Copies a string as glGet*Name and *InfoLog do.
void copy_text(const std::string &text, GLsizei size, GLsizei *length, GLchar *out);
} // namespace gl
