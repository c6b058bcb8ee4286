// SPDX-License-Identifier: MIT
// Persistent maps show what the GPU wrote: every way of writing, each followed by every way of
// learning that the commands are complete.
#include "scenario.h"

#include <cstring>
#include <thread>

using namespace scenario;

namespace {

constexpr int kWords = 64;
constexpr GLbitfield kRead = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT;
constexpr GLbitfield kReadWrite = kRead | GL_MAP_WRITE_BIT | GL_MAP_COHERENT_BIT;

struct Map {
    GLuint buffer = 0;
    volatile uint32_t *words = nullptr;
};

Map map(GLbitfield access) {
    need(44, "GL_ARB_buffer_storage");
    Map m;
    const std::vector<uint32_t> zeros(kWords);
    glGenBuffers(1, &m.buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, m.buffer);
    glBufferStorage(GL_COPY_WRITE_BUFFER, 4 * kWords, zeros.data(),
                    (access & ~GLbitfield(GL_MAP_FLUSH_EXPLICIT_BIT)) | GL_DYNAMIC_STORAGE_BIT);
    m.words = static_cast<volatile uint32_t *>(
        glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, 4 * kWords, access));
    if (!m.words) {
        static volatile uint32_t nothing[kWords];
        fail(__FILE__, __LINE__, "no map");
        m.words = nothing;
    }
    return m;
}

GLsync fence() {
    return glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

void wait_finish() {
    glFinish();
}

void wait_fence() {
    const GLsync s = fence();
    EXPECT(glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 10000000000ull) != GL_TIMEOUT_EXPIRED);
    glDeleteSync(s);
}

void poll_fence() {
    const GLsync s = fence();
    while (glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 0) == GL_TIMEOUT_EXPIRED)
        std::this_thread::yield();
    glDeleteSync(s);
}

void poll_status() {
    const GLsync s = fence();
    glFlush();
    GLint status = GL_UNSIGNALED;
    while (status != GL_SIGNALED) {
        glGetSynciv(s, GL_SYNC_STATUS, 1, nullptr, &status);
        std::this_thread::yield();
    }
    glDeleteSync(s);
}

void wait_egl() {
    const EGLSync s = eglCreateSync(display(), EGL_SYNC_FENCE, nullptr);
    EXPECT(eglClientWaitSync(display(), s, EGL_SYNC_FLUSH_COMMANDS_BIT, EGL_FOREVER) ==
           EGL_CONDITION_SATISFIED);
    eglDestroySync(display(), s);
}

void wait_barrier_finish() {
    glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    glFinish();
}

void wait_barrier_fence() {
    glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    wait_fence();
}

using Wait = void (*)();

// Each wait once: `write(n)` must bring `n` into the words [first, first + count).
template <class Write> void expect_words(const Map &m, int first, int count, Write write) {
    static constexpr Wait coherent[] = {wait_finish, wait_fence, poll_fence, poll_status, wait_egl};
    static constexpr Wait explicit_[] = {wait_barrier_finish, wait_barrier_fence};
    GLint access = 0;
    glBindBuffer(GL_COPY_WRITE_BUFFER, m.buffer);
    glGetBufferParameteriv(GL_COPY_WRITE_BUFFER, GL_BUFFER_ACCESS_FLAGS, &access);
    const bool all = access & GL_MAP_COHERENT_BIT;
    uint32_t n = 1000;
    auto once = [&](Wait wait) {
        write(++n);
        wait();
        for (int i = 0; i < count; i++)
            EXPECT_EQ(uint32_t(m.words[first + i]), n);
    };
    for (const Wait wait : explicit_)
        once(wait);
    if (all)
        for (const Wait wait : coherent)
            once(wait);
}

template <class Body> void each_kind_of_map(Body body) {
    for (const GLbitfield access : {kRead, kRead | GL_MAP_COHERENT_BIT, kReadWrite})
        body(map(access));
}

// What the shaders here need of 4.2 and 4.3.
const char *const kHead = "#version 330\n"
                          "#extension GL_ARB_compute_shader : enable\n"
                          "#extension GL_ARB_shader_storage_buffer_object : enable\n"
                          "#extension GL_ARB_shader_image_load_store : enable\n"
                          "#extension GL_ARB_shader_atomic_counters : enable\n"
                          "#extension GL_ARB_shading_language_420pack : enable\n";

GLuint compute(const std::string &body) {
    need(43, "GL_ARB_compute_shader");
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_COMPUTE_SHADER, kHead + body));
    glLinkProgram(p);
    glUseProgram(p);
    return p;
}

} // namespace

SCENARIO(persistent_read_of_copies_and_clears) {
    each_kind_of_map([](const Map &m) {
        const GLuint from = buffer(GL_COPY_READ_BUFFER, nullptr, 4 * kWords, GL_DYNAMIC_DRAW);
        expect_words(m, 4, 16, [&](uint32_t n) {
            const std::vector<uint32_t> v(16, n);
            glBufferSubData(GL_COPY_READ_BUFFER, 32, 64, v.data());
            glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 32, 16, 64);
        });
        EXPECT_EQ(uint32_t(m.words[3]), 0u);
        EXPECT_EQ(uint32_t(m.words[20]), 0u);
        expect_words(m, 20, 4, [&](uint32_t n) {
            const uint32_t v[4] = {n, n, n, n};
            glBufferSubData(GL_COPY_WRITE_BUFFER, 80, sizeof v, v);
        });
        if (version() >= 43)
            expect_words(m, 32, 32, [&](uint32_t n) {
                glClearBufferSubData(GL_COPY_WRITE_BUFFER, GL_R32UI, 128, 128, GL_RED_INTEGER,
                                     GL_UNSIGNED_INT, &n);
            });
        glDeleteBuffers(1, &from);
        glBindBuffer(GL_COPY_WRITE_BUFFER, m.buffer);
        glUnmapBuffer(GL_COPY_WRITE_BUFFER);
    });
}

SCENARIO(persistent_read_of_pack_buffer) {
    target(4, 4, GL_R32UI);
    each_kind_of_map([](const Map &m) {
        glBindBuffer(GL_PIXEL_PACK_BUFFER, m.buffer);
        expect_words(m, 8, 16, [&](uint32_t n) {
            const GLuint v[4] = {n, n, n, n};
            glClearBufferuiv(GL_COLOR, 0, v);
            glReadPixels(0, 0, 4, 4, GL_RED_INTEGER, GL_UNSIGNED_INT,
                         reinterpret_cast<void *>(uintptr_t(32)));
        });
        expect_words(m, 40, 16, [&](uint32_t n) {
            const GLuint v[4] = {n, n, n, n};
            glClearBufferuiv(GL_COLOR, 0, v);
            glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT,
                          reinterpret_cast<void *>(uintptr_t(160)));
        });
        EXPECT_EQ(uint32_t(m.words[7]), 0u);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    });
}

SCENARIO(persistent_read_of_capture) {
    const GLuint p = capture_program("#version 330\nuniform uint n; flat out uint v;\n"
                                     "void main() { v = n; gl_Position = vec4(0); }",
                                     "", {"v"});
    glUseProgram(p);
    vertex_array();
    glEnable(GL_RASTERIZER_DISCARD);
    const GLint at = glGetUniformLocation(p, "n");
    each_kind_of_map([&](const Map &m) {
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, m.buffer, 64, 64);
        expect_words(m, 16, 8, [&](uint32_t n) {
            glUniform1ui(at, n);
            glBeginTransformFeedback(GL_POINTS);
            glDrawArrays(GL_POINTS, 0, 8);
            glEndTransformFeedback();
        });
        EXPECT_EQ(uint32_t(m.words[15]), 0u);
    });
}

SCENARIO(persistent_read_of_fragment_storage) {
    need(43, "GL_ARB_shader_storage_buffer_object");
    target(4, 4);
    const GLuint p = program(fill_vs, std::string(kHead) +
                                          "uniform uint n; out vec4 o;\n"
                                          "layout(std430, binding = 1) buffer B { uint b[]; };\n"
                                          "void main() { b[uint(gl_FragCoord.x) + "
                                          "uint(gl_FragCoord.y) * 4u] = n; o = vec4(1); }");
    glUseProgram(p);
    const GLint at = glGetUniformLocation(p, "n");
    each_kind_of_map([&](const Map &m) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, m.buffer);
        expect_words(m, 0, 16, [&](uint32_t n) {
            glUniform1ui(at, n);
            draw_fill();
        });
    });
}

SCENARIO(persistent_read_of_compute_storage) {
    need(43, "GL_ARB_shader_storage_buffer_object");
    const GLuint p = compute("layout(local_size_x = 8) in; uniform uint n;\n"
                             "layout(std430, binding = 0) buffer B { uint b[]; };\n"
                             "void main() { b[gl_GlobalInvocationID.x] = n; }");
    const GLint at = glGetUniformLocation(p, "n");
    each_kind_of_map([&](const Map &m) {
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, m.buffer, 0, 4 * kWords);
        expect_words(m, 0, kWords, [&](uint32_t n) {
            glUniform1ui(at, n);
            glDispatchCompute(kWords / 8, 1, 1);
        });
    });
}

SCENARIO(persistent_read_of_image_buffer) {
    need(42, "GL_ARB_shader_image_load_store");
    const GLuint p = compute("layout(local_size_x = 8) in; uniform uint n;\n"
                             "layout(r32ui, binding = 0) writeonly uniform uimageBuffer i;\n"
                             "void main() { imageStore(i, int(gl_GlobalInvocationID.x), "
                             "uvec4(n)); }");
    const GLint at = glGetUniformLocation(p, "n");
    each_kind_of_map([&](const Map &m) {
        GLuint t = 0;
        glGenTextures(1, &t);
        glBindTexture(GL_TEXTURE_BUFFER, t);
        glTexBuffer(GL_TEXTURE_BUFFER, GL_R32UI, m.buffer);
        glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32UI);
        expect_words(m, 0, 16, [&](uint32_t n) {
            glUniform1ui(at, n);
            glDispatchCompute(2, 1, 1);
        });
        glDeleteTextures(1, &t);
    });
}

SCENARIO(persistent_read_of_atomic_counter) {
    need(42, "GL_ARB_shader_atomic_counters");
    compute("layout(local_size_x = 5) in;\n"
            "layout(binding = 0, offset = 8) uniform atomic_uint c;\n"
            "void main() { atomicCounterIncrement(c); }");
    each_kind_of_map([&](const Map &m) {
        glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, m.buffer);
        expect_words(m, 2, 1, [&](uint32_t n) {
            const uint32_t start = n - 10;
            glBufferSubData(GL_COPY_WRITE_BUFFER, 8, 4, &start);
            glDispatchCompute(2, 1, 1);
        });
    });
}

SCENARIO(persistent_read_of_query_result) {
    need(44, "GL_ARB_query_buffer_object");
    target(4, 4);
    glUseProgram(fill_program("vec4(1)"));
    GLuint q = 0;
    glGenQueries(1, &q);
    each_kind_of_map([&](const Map &m) {
        glBindBuffer(GL_QUERY_BUFFER, m.buffer);
        for (const Wait wait : {wait_barrier_finish, wait_barrier_fence}) {
            const uint32_t zero = 0;
            glBufferSubData(GL_QUERY_BUFFER, 12, 4, &zero);
            glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
            draw_fill();
            glEndQuery(GL_ANY_SAMPLES_PASSED);
            glGetQueryObjectuiv(q, GL_QUERY_RESULT, reinterpret_cast<GLuint *>(uintptr_t(12)));
            wait();
            EXPECT_EQ(uint32_t(m.words[3]), 1u);
        }
        glBindBuffer(GL_QUERY_BUFFER, 0);
    });
}

SCENARIO(persistent_write_keeps_what_the_gpu_wrote) {
    // The program and the GPU write words of the same block, by turns.
    const Map m = map(kReadWrite);
    const GLuint from = buffer(GL_COPY_READ_BUFFER, nullptr, 4 * kWords, GL_DYNAMIC_DRAW);
    for (uint32_t turn = 1; turn < 8; turn++) {
        const std::vector<uint32_t> v(8, turn * 100);
        glBufferSubData(GL_COPY_READ_BUFFER, 0, 32, v.data());
        glBindBuffer(GL_COPY_WRITE_BUFFER, m.buffer);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 16, 32); // words 4 to 11
        m.words[3] = turn;
        m.words[12] = turn + 1;
        // What the program wrote goes with this command, and takes nothing of the GPU's along.
        uint32_t got[16] = {};
        const GLuint to = buffer(GL_COPY_READ_BUFFER, nullptr, sizeof got, GL_DYNAMIC_READ);
        glBindBuffer(GL_COPY_READ_BUFFER, m.buffer);
        glBindBuffer(GL_COPY_WRITE_BUFFER, to);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, sizeof got);
        glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, sizeof got, got);
        EXPECT_EQ(got[3], turn);
        EXPECT_EQ(got[4], turn * 100);
        EXPECT_EQ(got[11], turn * 100);
        EXPECT_EQ(got[12], turn + 1);
        glFinish();
        EXPECT_EQ(uint32_t(m.words[3]), turn);
        EXPECT_EQ(uint32_t(m.words[4]), turn * 100);
        EXPECT_EQ(uint32_t(m.words[12]), turn + 1);
        glBindBuffer(GL_COPY_READ_BUFFER, from);
        glDeleteBuffers(1, &to);
    }
}

SCENARIO(persistent_counter_set_back_by_program) {
    // A map that only writes follows the GPU too: setting back a counter is a change.
    need(43, "GL_ARB_shader_storage_buffer_object");
    compute("layout(local_size_x = 7) in;\n"
            "layout(std430, binding = 0) buffer B { uint count, copy; };\n"
            "void main() { uint n = atomicAdd(count, 1u); if (n == 6u) copy = 7u; }");
    const Map m = map(GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, m.buffer);
    for (int turn = 0; turn < 4; turn++) {
        m.words[0] = 0;
        m.words[1] = 0;
        glDispatchCompute(1, 1, 1);
        wait_fence();
        uint32_t got[2] = {};
        const GLuint to = buffer(GL_COPY_READ_BUFFER, nullptr, sizeof got, GL_DYNAMIC_READ);
        glCopyBufferSubData(GL_COPY_WRITE_BUFFER, GL_COPY_READ_BUFFER, 0, 0, sizeof got);
        glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof got, got);
        EXPECT_EQ(got[0], 7u);
        EXPECT_EQ(got[1], 7u);
        glDeleteBuffers(1, &to);
    }
}

SCENARIO(persistent_flushed_ranges_go_once) {
    // What was flushed before the GPU wrote there does not come back later.
    const Map m = map(kRead | GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT);
    const uint32_t two = 2;
    buffer(GL_COPY_READ_BUFFER, &two, 4);
    m.words[5] = 1;
    glFlushMappedBufferRange(GL_COPY_WRITE_BUFFER, 20, 4);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 20, 4);
    wait_barrier_finish();
    EXPECT_EQ(uint32_t(m.words[5]), 2u);
    glUnmapBuffer(GL_COPY_WRITE_BUFFER);
    uint32_t got = 0;
    glGetBufferSubData(GL_COPY_WRITE_BUFFER, 20, 4, &got);
    EXPECT_EQ(got, 2u);
}

SCENARIO(persistent_read_of_another_context) {
    // Written in this context, waited for and read in another one, on a thread of its own.
    const Map m = map(kRead | GL_MAP_COHERENT_BIT);
    const GLuint from = buffer(GL_COPY_READ_BUFFER, nullptr, 64, GL_DYNAMIC_DRAW);
    const Context other = make_context(current().context);
    for (uint32_t turn = 1; turn < 6; turn++) {
        const std::vector<uint32_t> v(16, turn);
        glBindBuffer(GL_COPY_READ_BUFFER, from);
        glBufferSubData(GL_COPY_READ_BUFFER, 0, 64, v.data());
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 64);
        const GLsync s = fence();
        glFlush();
        std::thread reader([&] {
            make_current(other);
            EXPECT(glClientWaitSync(s, 0, 10000000000ull) != GL_TIMEOUT_EXPIRED);
            EXPECT_EQ(uint32_t(m.words[0]), turn);
            EXPECT_EQ(uint32_t(m.words[15]), turn);
            eglMakeCurrent(display(), EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        });
        reader.join();
        glDeleteSync(s);
    }
    destroy(other);
}
