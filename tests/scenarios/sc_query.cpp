// SPDX-License-Identifier: MIT
// Queries, fences, conditional rendering, transform feedback, finish.
#include "scenario.h"

#include <cstring>

using namespace scenario;

SCENARIO(query_any_samples) {
    target(8, 8, GL_RGBA8, GL_DEPTH_COMPONENT24);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(fill_program("vec4(1)"));
    GLuint q[2];
    glGenQueries(2, q);
    glEnable(GL_DEPTH_TEST);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q[0]);
    draw_fill();
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glDepthFunc(GL_NEVER);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q[1]);
    draw_fill();
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    GLuint r[2] = {7, 7};
    glGetQueryObjectuiv(q[0], GL_QUERY_RESULT, &r[0]);
    glGetQueryObjectuiv(q[1], GL_QUERY_RESULT, &r[1]);
    EXPECT(r[0] == 1 && r[1] == 0);
}

SCENARIO(query_samples_passed) {
    GLint bits = 0;
    glGetQueryiv(GL_SAMPLES_PASSED, GL_QUERY_COUNTER_BITS, &bits);
    if (!bits)
        skip("no exact sample counts");
    target(8, 8);
    glUseProgram(fill_program("vec4(1)"));
    GLuint q, r = 0;
    glGenQueries(1, &q);
    glEnable(GL_SCISSOR_TEST);
    glScissor(1, 1, 5, 3);
    glBeginQuery(GL_SAMPLES_PASSED, q);
    draw_fill();
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &r);
    EXPECT_EQ(r, 15u);
}

SCENARIO(query_poll_availability) {
    target(8, 8);
    glUseProgram(fill_program("vec4(1)"));
    GLuint q, available = 0;
    glGenQueries(1, &q);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
    draw_fill();
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    while (!available) // must end without a flush of our own
        glGetQueryObjectuiv(q, GL_QUERY_RESULT_AVAILABLE, &available);
    GLuint r = 0;
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &r);
    EXPECT_EQ(r, 1u);
}

SCENARIO(query_errors) {
    GLuint q[2];
    glGenQueries(2, q);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q[0]);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q[1]);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    GLuint r;
    glGetQueryObjectuiv(q[0], GL_QUERY_RESULT, &r);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, 0);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBeginQuery(0x1, q[0]);
    EXPECT_ERROR(GL_INVALID_ENUM);
}

SCENARIO(query_timestamp) {
    GLint bits = 0;
    glGetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    if (!bits)
        skip("no timestamps");
    GLuint q[2];
    glGenQueries(2, q);
    target(64, 64);
    glQueryCounter(q[0], GL_TIMESTAMP);
    glUseProgram(fill_program("vec4(1)"));
    draw_fill();
    glQueryCounter(q[1], GL_TIMESTAMP);
    GLuint64 t[2] = {};
    glGetQueryObjectui64v(q[0], GL_QUERY_RESULT, &t[0]);
    glGetQueryObjectui64v(q[1], GL_QUERY_RESULT, &t[1]);
    EXPECT(t[0] > 0 && t[1] >= t[0]);
    GLint64 now = 0;
    glGetInteger64v(GL_TIMESTAMP, &now);
    EXPECT(now > 0);
}

SCENARIO(query_handle_recycling) {
    target(4, 4);
    glUseProgram(fill_program("vec4(1)"));
    for (int i = 0; i < 20; i++) {
        GLuint q, r = 9;
        glGenQueries(1, &q);
        glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
        if (i & 1)
            draw_fill();
        glEndQuery(GL_ANY_SAMPLES_PASSED);
        glGetQueryObjectuiv(q, GL_QUERY_RESULT, &r);
        EXPECT_EQ(r, GLuint(i & 1));
        glDeleteQueries(1, &q);
    }
}

SCENARIO(query_conditional_render) {
    target(4, 4);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLuint p = fill_program("vec4(1, 0, 0, 1)");
    glUseProgram(p);
    GLuint q;
    glGenQueries(1, &q);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 0, 0);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
    draw_fill();
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glDisable(GL_SCISSOR_TEST);
    glBeginConditionalRender(q, GL_QUERY_WAIT);
    draw_fill();
    glEndConditionalRender();
    EXPECT_PIXEL(1, 1, 0, 0, 1, 1);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
    draw_fill();
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glClear(GL_COLOR_BUFFER_BIT);
    glBeginConditionalRender(q, GL_QUERY_WAIT);
    draw_fill();
    glEndConditionalRender();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
}

SCENARIO(sync_client_wait_polls) {
    target(8, 8);
    glUseProgram(fill_program("vec4(1)"));
    for (int i = 0; i < 20; i++) {
        draw_fill();
        const GLsync s = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        while (glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 0) == GL_TIMEOUT_EXPIRED) {
        }
        GLint status = 0;
        glGetSynciv(s, GL_SYNC_STATUS, 1, nullptr, &status);
        EXPECT_EQ(status, GL_SIGNALED);
        glDeleteSync(s);
    }
}

SCENARIO(sync_is_signaled_after_finish) {
    target(64, 64);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    for (int i = 0; i < 50; i++) {
        draw_fill();
        const GLsync s = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
        glFinish();
        EXPECT_EQ(glClientWaitSync(s, 0, 0), GLenum(GL_ALREADY_SIGNALED));
        glDeleteSync(s);
    }
}

SCENARIO(sync_wait_and_finish) {
    target(8, 8);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    draw_fill();
    const GLsync s = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glWaitSync(s, 0, GL_TIMEOUT_IGNORED);
    const GLenum r = glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 10000000000ull);
    EXPECT(r == GL_ALREADY_SIGNALED || r == GL_CONDITION_SATISFIED);
    glFinish();
    EXPECT(glIsSync(s) == GL_TRUE);
    glDeleteSync(s);
    EXPECT(glIsSync(s) == GL_FALSE);
    glDeleteSync(nullptr);
    glClientWaitSync(s, 0, 0);
    EXPECT_ERROR(GL_INVALID_VALUE);
    EXPECT_RECT(0, 0, 8, 8, 0, 1, 0, 1);
}

SCENARIO(xfb_interleaved) {
    const GLuint p = glCreateProgram();
    glAttachShader(p,
                   shader(GL_VERTEX_SHADER, "#version 330\nout vec2 a; out float b;\n"
                                            "void main() { a = vec2(gl_VertexID, gl_VertexID * 2); "
                                            "b = -float(gl_VertexID); gl_Position = vec4(0); }"));
    glAttachShader(
        p,
        shader(
            GL_FRAGMENT_SHADER,
            "#version 330\nin vec2 a; in float b; out vec4 o; void main() { o = vec4(a, b, 1); }"));
    const char *names[2] = {"b", "a"};
    glTransformFeedbackVaryings(p, 2, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    EXPECT_EQ(ok, GL_TRUE);
    glUseProgram(p);
    GLuint vao, q;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glGenQueries(1, &q);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, nullptr, 4 * 3 * 4, GL_STREAM_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 4);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    float got[12] = {};
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof got, got);
    for (int i = 0; i < 4; i++)
        EXPECT(got[i * 3] == -float(i) && got[i * 3 + 1] == float(i) &&
               got[i * 3 + 2] == float(i * 2));
    GLuint written = 0;
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &written);
    EXPECT_EQ(written, 4u);
}

SCENARIO(xfb_separate_buffers) {
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_VERTEX_SHADER,
                             "#version 330\nout vec4 a; void main() { a = "
                             "vec4(gl_VertexID); gl_Position = vec4(9, 8, 7, 6); }"));
    const char *names[2] = {"a", "gl_Position"};
    glTransformFeedbackVaryings(p, 2, names, GL_SEPARATE_ATTRIBS);
    glLinkProgram(p);
    glUseProgram(p);
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    GLuint b[2];
    for (GLuint i = 0; i < 2; i++) {
        b[i] = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, nullptr, 64, GL_STREAM_READ);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, b[i]);
    }
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 4);
    glEndTransformFeedback();
    float got[4] = {};
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, b[0]);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 48, 16, got);
    EXPECT(got[0] == 3 && got[3] == 3);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, b[1]);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 16, 16, got);
    EXPECT(got[0] == 9 && got[3] == 6);
}
