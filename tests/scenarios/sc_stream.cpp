// SPDX-License-Identifier: MIT
// Buffers that stream: persistent rings, orphans seen by every binding, deletes, read-back, fences.
#include "scenario.h"

#include <cstring>
#include <thread>

using namespace scenario;

namespace {

void wait_for(GLsync s) {
    EXPECT(glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 10000000000ull) != GL_TIMEOUT_EXPIRED);
    glDeleteSync(s);
}

} // namespace

SCENARIO(stream_persistent_ring_without_coherence) {
    // A flush is enough: the ring is copied to a buffer of its own, three frames long.
    need(44, "GL_ARB_buffer_storage");
    constexpr GLsizeiptr slot = 4096;
    constexpr int slots = 3;
    GLuint ring = 0;
    glGenBuffers(1, &ring);
    glBindBuffer(GL_COPY_READ_BUFFER, ring);
    glBufferStorage(GL_COPY_READ_BUFFER, slot * slots, nullptr,
                    GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_CLIENT_STORAGE_BIT);
    auto *p = static_cast<uint8_t *>(glMapBufferRange(GL_COPY_READ_BUFFER, 0, slot * slots,
                                                      GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT |
                                                          GL_MAP_FLUSH_EXPLICIT_BIT |
                                                          GL_MAP_INVALIDATE_BUFFER_BIT));
    EXPECT(p != nullptr);
    if (!p)
        return;
    buffer(GL_COPY_WRITE_BUFFER, nullptr, size_t(slot), GL_STATIC_DRAW);
    GLsync fence[slots] = {};
    for (int frame = 0; frame < 3 * slots; frame++) {
        const int at = frame % slots;
        if (fence[at])
            wait_for(fence[at]);
        memset(p + at * slot, frame + 1, size_t(slot));
        glFlushMappedBufferRange(GL_COPY_READ_BUFFER, at * slot, slot);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, at * slot, 0, slot);
        fence[at] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        uint8_t got[2] = {};
        glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, 1, &got[0]);
        glGetBufferSubData(GL_COPY_WRITE_BUFFER, slot - 1, 1, &got[1]);
        EXPECT(got[0] == frame + 1 && got[1] == frame + 1);
    }
    for (const GLsync s : fence)
        wait_for(s);
    glUnmapBuffer(GL_COPY_READ_BUFFER);
}

SCENARIO(stream_orphan_seen_by_every_binding) {
    // Vertex array, uniform range, texture buffer and capture buffer, all of one buffer.
    need(31, "GL_ARB_texture_buffer_object");
    target(4, 4, GL_RGBA32F);
    vertex_array();
    const float first[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float second[16] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const GLuint b = buffer(GL_ARRAY_BUFFER, first, sizeof first, GL_STREAM_DRAW);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 4, nullptr);
    glEnableVertexAttribArray(0);
    glBindBufferRange(GL_UNIFORM_BUFFER, 0, b, 0, 16);
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_BUFFER, t);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F, b);
    const GLuint p = program(R"(#version 330
        layout(location = 0) in float a;
        flat out float v;
        void main() { v = a; gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); })",
                             R"(#version 330
        flat in float v;
        layout(std140) uniform B { vec4 u; };
        uniform samplerBuffer t;
        out vec4 o;
        void main() { o = vec4(v, u.x, texelFetch(t, 7).r, 1); })");
    glUseProgram(p);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 4, 4, 1, 1, 1, 1);
    glBufferData(GL_ARRAY_BUFFER, sizeof second, second, GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 4, 4, 2, 2, 2, 1);
    // Orphaned, then captured into.
    const GLuint source = buffer(GL_COPY_READ_BUFFER, first, sizeof first);
    glBindBuffer(GL_ARRAY_BUFFER, source);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 4, nullptr);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof first, nullptr, GL_STREAM_DRAW);
    glUseProgram(capture_program("#version 330\nlayout(location = 0) in float a; out float v;\n"
                                 "void main() { v = a * 5.0; gl_Position = vec4(0); }",
                                 "", {"v"}));
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 16);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    glUseProgram(p);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 4, 4, 1, 5, 5, 1);
}

SCENARIO(stream_delete_leaves_other_bindings) {
    GLuint x = 0, y = 0;
    glGenBuffers(1, &x);
    glBindBufferBase(GL_UNIFORM_BUFFER, 1, x);
    glBufferData(GL_UNIFORM_BUFFER, 64, nullptr, GL_STATIC_DRAW);
    glGenBuffers(1, &y);
    glBindBuffer(GL_UNIFORM_BUFFER, y);
    glDeleteBuffers(1, &x);
    GLint bound = -1;
    glGetIntegerv(GL_UNIFORM_BUFFER_BINDING, &bound);
    if (driver() != "native") // Mesa unbinds it
        EXPECT_EQ(GLuint(bound), y);
    glBindBuffer(GL_UNIFORM_BUFFER, y);
    glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, 1, &bound);
    EXPECT_EQ(bound, 0);
    glBufferData(GL_UNIFORM_BUFFER, 16, nullptr, GL_STATIC_DRAW);
}

SCENARIO(stream_read_back_by_pack_buffer) {
    target(4, 4);
    clear_color(1, 0, 1, 1);
    buffer(GL_PIXEL_PACK_BUFFER, nullptr, 128, GL_STREAM_READ);
    for (const size_t offset : {size_t(0), size_t(64)}) {
        clear_color(offset ? 0.0f : 1.0f, 0, 1, 1);
        glReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, reinterpret_cast<void *>(offset));
    }
    wait_for(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0));
    const auto *p = static_cast<const uint8_t *>(
        glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, 128, GL_MAP_READ_BIT));
    EXPECT(p != nullptr);
    for (size_t i = 0; p && i < 128; i += 4)
        EXPECT(p[i] == (i < 64 ? 255 : 0) && p[i + 1] == 0 && p[i + 2] == 255 && p[i + 3] == 255);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
}

SCENARIO(stream_fences_after_swap) {
    // A fence behind a swap signals after the work; a second one with nothing between them, too.
    glUseProgram(fill_program("vec4(0, 1, 1, 1)"));
    draw_fill();
    eglSwapBuffers(display(), current().surface);
    glDrawBuffer(GL_BACK);
    draw_fill();
    for (int i = 0; i < 2; i++) {
        const GLsync s = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        const GLenum r = glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
        EXPECT(r == GL_CONDITION_SATISFIED || r == GL_ALREADY_SIGNALED);
        glDeleteSync(s);
    }
    EXPECT_PIXEL(7, 7, 0, 1, 1, 1);
}

SCENARIO(stream_partial_updates_between_draws) {
    // Small sub-data and unsynchronised maps between draws: each draw its own bytes.
    target(64, 8);
    clear_color(0, 0, 0, 0);
    vertex_array();
    constexpr int kDraws = 64;
    std::vector<float> x(size_t(kDraws), 0);
    const GLuint b = buffer(GL_ARRAY_BUFFER, nullptr, kDraws * 4, GL_STREAM_DRAW);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 4, nullptr);
    glEnableVertexAttribArray(0);
    glUseProgram(
        program("#version 330\nlayout(location = 0) in float x;\nvoid main() { gl_Position = "
                "vec4((x + 0.5) / 32.0 - 1.0, 0.1, 0, 1); }",
                "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    for (int i = 0; i < kDraws; i++) {
        const float at = float(i);
        if (i % 2) {
            glBufferSubData(GL_ARRAY_BUFFER, 0, 4, &at);
            glDrawArrays(GL_POINTS, 0, 1);
        } else {
            void *p = glMapBufferRange(GL_ARRAY_BUFFER, i * 4, 4,
                                       GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT |
                                           GL_MAP_INVALIDATE_RANGE_BIT);
            EXPECT(p != nullptr);
            if (p)
                memcpy(p, &at, 4);
            glUnmapBuffer(GL_ARRAY_BUFFER);
            glDrawArrays(GL_POINTS, i, 1);
        }
    }
    EXPECT_RECT(0, 4, 64, 1, 1, 1, 1, 1);
    glDeleteBuffers(1, &b);
}

SCENARIO(stream_read_back_races_no_dispatch) {
    need(43, "GL_ARB_compute_shader");
    need(42, "GL_ARB_shader_image_load_store");
    const GLuint t = texture(GL_TEXTURE_2D, GL_RGBA8, 8, 8);
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_COMPUTE_SHADER,
                             "#version 330\n#extension GL_ARB_compute_shader : require\n"
                             "#extension GL_ARB_shader_image_load_store : require\n"
                             "layout(local_size_x = 8, local_size_y = 8) in;\n"
                             "layout(rgba8) writeonly uniform image2D image; uniform float value;\n"
                             "void main() { imageStore(image, ivec2(gl_GlobalInvocationID.xy), "
                             "vec4(value)); }"));
    glLinkProgram(p);
    glUseProgram(p);
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    GLuint pbo[2];
    for (GLuint &b : pbo)
        b = buffer(GL_PIXEL_PACK_BUFFER, nullptr, 256, GL_STREAM_READ);
    for (int frame = 0; frame < 200; frame++) {
        glUniform1f(glGetUniformLocation(p, "value"), float(frame & 1));
        glDispatchCompute(1, 1, 1);
        glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, pbo[frame & 1]);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        if (frame == 0)
            continue;
        uint8_t got[256]; // what the frame before left
        glBindBuffer(GL_PIXEL_PACK_BUFFER, pbo[1 - (frame & 1)]);
        glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, 256, got);
        for (const uint8_t v : got)
            if (v != (frame & 1 ? 0 : 255)) {
                fail(__FILE__, __LINE__, "frame " + std::to_string(frame) + " shows another one");
                return;
            }
    }
}

SCENARIO(stream_buffer_above_4_gib) {
    // Works, or says so; the size does not wrap.
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    GLuint b = 0;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    const GLsizeiptr size = GLsizeiptr(5) << 40; // of no machine
    glBufferData(GL_ARRAY_BUFFER, size, nullptr, GL_STATIC_DRAW);
    const GLenum e = glGetError();
    GLint64 got = -1;
    glGetBufferParameteri64v(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &got);
    EXPECT(e == GL_OUT_OF_MEMORY || (e == GL_NO_ERROR && got == size));
    // A range behind 4 GiB of what is smaller is an error, whatever the low bits say.
    glBufferData(GL_ARRAY_BUFFER, 64, nullptr, GL_STATIC_DRAW);
    glGetError();
    const uint8_t bytes[16] = {};
    glBufferSubData(GL_ARRAY_BUFFER, GLintptr(1) << 32, 16, bytes);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr(1) << 32) + 16, bytes);
    EXPECT_ERROR(GL_INVALID_VALUE);
    EXPECT(!glMapBufferRange(GL_ARRAY_BUFFER, 0, (GLsizeiptr(1) << 32) + 16, GL_MAP_READ_BIT));
    EXPECT_ERROR(GL_INVALID_VALUE);
    glDeleteBuffers(1, &b);
    glGetError();
    clear_color(0, 1, 0, 1);
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
}
