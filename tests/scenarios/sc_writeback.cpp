// SPDX-License-Identifier: MIT
// What the GPU wrote to buffers and the program reads again and again: each read must find the
// bytes of the last write before it, whoever brings them.
#include "scenario.h"

#include <cstring>

using namespace scenario;

namespace {

constexpr GLsizei side = 32;
constexpr size_t frame_bytes = size_t(side) * side * 4;

// The picture of frame `n`.
void draw_frame(unsigned n) {
    clear_color(float(n * 37 % 256) / 255.0f, float(n % 256) / 255.0f, 0, 1);
}

void expect_frame(const uint8_t *p, unsigned n) {
    EXPECT(p != nullptr);
    for (size_t i = 0; p && i < frame_bytes; i += frame_bytes - 4)
        EXPECT(p[i] == n * 37 % 256 && p[i + 1] == n % 256 && p[i + 3] == 255);
}

void read_frame(GLuint pack, size_t offset = 0) {
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pack);
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, reinterpret_cast<void *>(offset));
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

void look_at(GLuint pack, unsigned n, size_t offset = 0) {
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pack);
    expect_frame(static_cast<const uint8_t *>(glMapBufferRange(
                     GL_PIXEL_PACK_BUFFER, GLintptr(offset), frame_bytes, GL_MAP_READ_BIT)),
                 n);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

} // namespace

SCENARIO(writeback_pack_buffers_in_turn) {
    // As programs do that grab each frame: the buffer that was filled a frame ago is mapped.
    target(side, side);
    GLuint pack[2];
    for (GLuint &b : pack)
        b = buffer(GL_PIXEL_PACK_BUFFER, nullptr, frame_bytes, GL_STREAM_READ);
    for (unsigned n = 0; n < 12; n++) {
        draw_frame(n);
        read_frame(pack[n % 2]);
        if (n)
            look_at(pack[(n - 1) % 2], n - 1);
    }
    glDeleteBuffers(2, pack);
}

SCENARIO(writeback_is_never_older_than_the_last_write) {
    target(side, side);
    const GLuint pack = buffer(GL_PIXEL_PACK_BUFFER, nullptr, frame_bytes, GL_STREAM_READ);
    const GLuint from = buffer(GL_COPY_READ_BUFFER, nullptr, frame_bytes, GL_STATIC_DRAW);
    for (unsigned n = 0; n < 3; n++) { // a reader by now
        draw_frame(n);
        read_frame(pack);
        look_at(pack, n);
    }
    std::vector<uint8_t> bytes(frame_bytes, 77), got(frame_bytes);
    for (int way = 0; way < 5; way++) {
        draw_frame(9);
        read_frame(pack);
        glBindBuffer(GL_COPY_WRITE_BUFFER, pack);
        if (way == 0) {
            glBufferSubData(GL_COPY_WRITE_BUFFER, 0, frame_bytes, bytes.data());
        } else if (way == 1) {
            memset(glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, frame_bytes,
                                    GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT),
                   77, frame_bytes);
            glUnmapBuffer(GL_COPY_WRITE_BUFFER);
        } else if (way == 2) {
            glBindBuffer(GL_COPY_READ_BUFFER, from);
            glBufferSubData(GL_COPY_READ_BUFFER, 0, frame_bytes, bytes.data());
            glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, frame_bytes);
        } else if (way == 3) {
            glBufferData(GL_COPY_WRITE_BUFFER, frame_bytes, bytes.data(), GL_STREAM_READ);
        } else {
            clear_color(77.0f / 255, 77.0f / 255, 77.0f / 255, 77.0f / 255);
            read_frame(pack);
        }
        glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, frame_bytes, got.data());
        EXPECT(got == bytes);
        // Only a part is younger.
        draw_frame(5);
        read_frame(pack);
        glBufferSubData(GL_COPY_WRITE_BUFFER, 4, 4, bytes.data());
        glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, frame_bytes, got.data());
        EXPECT(got[1] == 5 && got[4] == 77 && got[5] == 77 && got[9] == 5);
        // A reader again.
        draw_frame(7);
        read_frame(pack);
        look_at(pack, 7);
    }
    glDeleteBuffers(1, &from);
    glDeleteBuffers(1, &pack);
}

SCENARIO(writeback_of_buffers_that_end) {
    // While their bytes may be on the way; what takes their place has other ones.
    target(side, side);
    for (unsigned round = 0; round < 4; round++) {
        const GLuint pack = buffer(GL_PIXEL_PACK_BUFFER, nullptr, frame_bytes, GL_STREAM_READ);
        for (unsigned n = 0; n < 4; n++) {
            draw_frame(round * 8 + n);
            read_frame(pack);
            if (n < 3)
                look_at(pack, round * 8 + n);
        }
        if (round % 2) {
            glBindBuffer(GL_PIXEL_PACK_BUFFER, pack);
            glBufferData(GL_PIXEL_PACK_BUFFER, 64, nullptr, GL_STREAM_READ);
            glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        }
        glDeleteBuffers(1, &pack);
    }
    EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
}

SCENARIO(writeback_of_a_ring_in_one_buffer) {
    // Three frames long, and never a part of it is mapped before its fence.
    target(side, side);
    constexpr unsigned slots = 3;
    const GLuint pack = buffer(GL_PIXEL_PACK_BUFFER, nullptr, frame_bytes * slots, GL_STREAM_READ);
    GLsync fence[slots] = {};
    for (unsigned n = 0; n < 12; n++) {
        const unsigned at = n % slots;
        if (n >= slots) {
            EXPECT(glClientWaitSync(fence[at], GL_SYNC_FLUSH_COMMANDS_BIT, 10000000000ull) !=
                   GL_TIMEOUT_EXPIRED);
            glDeleteSync(fence[at]);
            look_at(pack, n - slots, at * frame_bytes);
        }
        draw_frame(n);
        read_frame(pack, at * frame_bytes);
        fence[at] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }
    for (const GLsync s : fence)
        glDeleteSync(s);
    glDeleteBuffers(1, &pack);
}

SCENARIO(writeback_of_captures) {
    const GLuint p = capture_program("#version 330\nuniform uint n; flat out uint v;\n"
                                     "void main() { v = n + uint(gl_VertexID); gl_Position = "
                                     "vec4(0); }",
                                     "", {"v"});
    glUseProgram(p);
    vertex_array();
    glEnable(GL_RASTERIZER_DISCARD);
    const GLint at = glGetUniformLocation(p, "n");
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, nullptr, 64, GL_STREAM_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    for (GLuint n = 1; n < 10; n++) {
        glUniform1ui(at, n * 1000);
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, 8);
        glDrawArrays(GL_POINTS, 8, 8);
        glEndTransformFeedback();
        GLuint got[16] = {};
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof got, got);
        for (GLuint i = 0; i < 16; i++)
            EXPECT_EQ(got[i], n * 1000 + i);
    }
    glDeleteBuffers(1, &b);
}
