// SPDX-License-Identifier: MIT
// GLSL in, SPIR-V and a reflection archive out. Two steps as in GL: `compile` checks one shader and
// keeps its text; `link` turns the shaders of a program into the form that crosses the pipe. Both
// are pure functions of their input (and of the on-disk cache), may run on any thread, and never
// throw. Logs speak the program's names and lines.
#pragma once

#include "pipe/pipe.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace util {
class Job;
struct Hash128;
} // namespace util

namespace compiler {

/// What GLSL sees as gl_Max* and what link-time checks use. Filled by the context from its limits;
/// a plain value.
struct Limits {
    int glsl_version = 460;                       // of the context
    int glsl_accepted = 460;                      // highest #version accepted
    std::array<uint32_t, 2> extensions{~0u, ~0u}; // as offered_extensions() tells
    int core_profile = 1;                         // a flag; ints only, the cache hashes the bytes
    int vertex_attribs = 16, draw_buffers = 8, dual_source_draw_buffers = 1, clip_distances = 8,
        cull_distances = 8, combined_clip_cull = 8, varying_components = 60, varying_vectors = 15,
        vertex_output_components = 64, geometry_input_components = 64,
        geometry_output_components = 128, fragment_input_components = 128,
        geometry_output_vertices = 256, geometry_invocations = 32, vertex_streams = 4,
        geometry_total_output_components = 1024, patch_vertices = 32, tess_level = 64,
        tess_patch_components = 120, tess_control_input_components = 128,
        tess_control_output_components = 128, tess_control_total_components = 4096,
        tess_evaluation_input_components = 128, tess_evaluation_output_components = 128;
    std::array<int, 6> uniform_components{4096, 4096, 4096,
                                          4096, 4096, 4096}; // by pipe_shader_type
    std::array<int, 6> texture_units{16, 16, 16, 16, 16, 16},
        uniform_blocks{14, 14, 14, 14, 14, 14}, images{8, 8, 8, 8, 8, 8},
        storage_blocks{8, 8, 8, 8, 8, 8}, atomic_counters{8, 8, 8, 8, 8, 8},
        atomic_buffers{1, 1, 1, 1, 1, 1};
    int combined_texture_units = 96, combined_uniform_blocks = 84, combined_images = 48,
        combined_storage_blocks = 48, combined_atomic_counters = 48, combined_atomic_buffers = 6,
        image_units = 8, image_samples = 0, combined_shader_outputs = 16, atomic_bindings = 8,
        atomic_buffer_size = 16384;
    int uniform_block_size = 16384, uniform_bindings = 84, storage_bindings = 48,
        uniform_locations = 4096;
    int xfb_buffers = 4, xfb_interleaved_components = 64, xfb_separate_attribs = 4,
        xfb_separate_components = 4;
    int viewports = 16, samples = 4, min_texel_offset = -8, max_texel_offset = 7;
    std::array<int, 3> compute_count{65535, 65535, 65535}, compute_size{1024, 1024, 64};
    int compute_invocations = 1024, compute_shared_size = 32768;
};

/// Which of the extensions that shaders may ask for are among `names`: a bit for each, in the order
/// of the compiler's own table.
std::array<uint32_t, 2> offered_extensions(const std::vector<std::string> &names);

/// What the compiler made of one shader. Immutable; shared by the shader object and by programs
/// that link it.
struct CompiledShader {
    pipe_shader_type stage = PIPE_SHADER_VERTEX;
    std::string source; // as the program gave it, strings joined
    bool ok = false;
    std::string log;
};

/// Checks a shader. Never null; `ok` and `log` tell the result.
std::shared_ptr<const CompiledShader> compile(pipe_shader_type stage, std::string source,
                                              const Limits &limits);

struct LinkInput {
    std::vector<std::shared_ptr<const CompiledShader>> shaders;        // successfully compiled
    std::map<std::string, uint32_t> attrib_binding;                    // glBindAttribLocation
    std::map<std::string, std::pair<uint32_t, uint32_t>> frag_binding; // name -> location, index
    std::vector<std::string> xfb_varyings;
    bool xfb_separate = false;
    bool separable = false;
    Limits limits;
};

/// The stage as glslang left it, before it was lowered: what a pipeline composes from.
struct StageCode {
    pipe_shader_type stage = PIPE_SHADER_VERTEX;
    std::vector<uint32_t> spirv;
    std::string side; // what SPIR-V cannot say (see frontend.h), serialised
};

struct LinkOutput {
    bool ok = false;
    std::string log;
    std::shared_ptr<const pipe_shader_archive> archive; // null unless ok
    std::shared_ptr<const std::vector<StageCode>> code; // null unless ok
    std::vector<std::pair<uint32_t, uint32_t>>
        inactive_locations; // first, count: explicit locations of uniforms that nothing uses
};

LinkOutput link(const LinkInput &input);

/// One program of a pipeline and the stages it lends to it.
struct ComposePart {
    std::shared_ptr<const std::vector<StageCode>> code;
    std::shared_ptr<const pipe_shader_archive> archive;
    uint8_t stages = 0; // bit pipe_shader_type: which of its stages are used
    std::vector<std::string>
        xfb_varyings; // only of the program that lends the last vertex processing stage
    bool xfb_separate = false;
};
/// Which bytes and slots of a part's own archive went where in the composite.
struct ComposeMap {
    struct Range {
        uint32_t from, to, size;
    }; // default block bytes
    std::vector<Range> globals;
    std::array<std::vector<int32_t>, 6>
        slot; // by pipe_uniform_type: own slot -> composite slot, -1 unused
};
struct ComposeOutput {
    bool ok = false;
    std::string log;
    std::shared_ptr<const pipe_shader_archive> archive;
    std::vector<ComposeMap> maps; // one per part
};
/// Links the stages of separable programs into one archive: varyings are matched by name or
/// location, the default blocks lie one behind the other.
ComposeOutput compose(const std::vector<ComposePart> &parts, const Limits &limits);

// ---- worker pool --------------------------------------------------------------------------------

/// A unit of work on the pool. `wait` runs it on the calling thread if no worker has begun it;
/// afterwards everything the work wrote is visible. A job may wait for a job that was submitted
/// before it.
struct Job {
    std::shared_ptr<util::Job> inner;
    bool done() const;
    void wait();
};
/// Runs `work` on the compile pool; at once when the pool is off (one usable core and no
/// MGPIPE_COMPILE_THREADS, or set_max_threads(0)).
std::shared_ptr<Job> submit(std::function<void()> work);
/// glMaxShaderCompilerThreadsKHR: 0 turns the pool off; other numbers leave its size, which
/// MGPIPE_COMPILE_THREADS decides. ~0 at first. Any thread.
void set_max_threads(unsigned count);
unsigned max_threads();
/// Parses the built-ins of the usual versions on a worker, once per process.
void prewarm(const Limits &limits);
/// Ends the pool after the work that was queued. Called at process tear-down.
void drain();

/// Equal for two builds and contexts exactly when they make the same of a program: version, release
/// and limits. Stored links carry it.
util::Hash128 output_identity(const Limits &limits);

} // namespace compiler
