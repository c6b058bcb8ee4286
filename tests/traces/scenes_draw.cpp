// SPDX-License-Identifier: MIT
// Scenes of pipeline state, framebuffers and kinds of draws.
#include "scenes.h"

using namespace scenes;

namespace {

GLuint flat_program() {
    return quad_program("color = tint;", "uniform vec4 tint;");
}

void tinted(GLuint p, float r, float g, float b, float a, float x, float y, float w, float h) {
    glUseProgram(p);
    glUniform4f(uniform(p, "tint"), r, g, b, a);
    quad(p, x, y, w, h);
}

GLuint target(GLenum format, GLenum attachment = GL_COLOR_ATTACHMENT0) {
    const GLuint t = texture(GL_TEXTURE_2D);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, t, 0);
    return t;
}

GLuint framebuffer() {
    GLuint f;
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    return f;
}

void renderbuffer(GLenum format, GLenum attachment, int samples) {
    GLuint r;
    glGenRenderbuffers(1, &r);
    glBindRenderbuffer(GL_RENDERBUFFER, r);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, r);
}

void complete() {
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        give_up("a framebuffer is not complete");
}

void to_screen(GLuint from) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

} // namespace

SCENE(blending) {
    const GLuint p = flat_program();
    static const GLenum factors[] = {
        GL_ONE,       GL_SRC_ALPHA,           GL_ONE_MINUS_SRC_ALPHA, GL_DST_COLOR,
        GL_SRC_COLOR, GL_ONE_MINUS_DST_COLOR, GL_CONSTANT_COLOR,      GL_ZERO};
    static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT,
                                       GL_MIN, GL_MAX};
    for (int frame = 0; frame < 2; frame++) {
        glDisable(GL_BLEND);
        tinted(p, 0.25f, 0.5f, 0.75f, 0.5f, 0, 0, width, height);
        glEnable(GL_BLEND);
        glBlendColor(0.5f, 0.25f, 1, 1);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 5; j++) {
                glBlendEquation(equations[j]);
                glBlendFunc(factors[i], factors[frame ? 7 - i : 1]);
                tinted(p, 0.75f, 0.25f, 0.5f, 0.5f, float(i * 12), float(j * 12), 10, 10);
            }
        glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
        tinted(p, 1, 1, 1, 1, 0, 60, width, 4);
        glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        swap();
    }
}

SCENE(framebuffers) {
    const GLuint two = quad_program(
        "color = vec4(at.x > 0.5, 0.5, 0.0, 1.0); other = vec4(0.0, at.y > 0.5, 1.0, 1.0);",
        "layout(location = 1) out vec4 other;");
    const GLuint p = flat_program();
    const GLuint f = framebuffer();
    const GLuint first = target(GL_RGBA8), second = target(GL_RGBA16F, GL_COLOR_ATTACHMENT1);
    renderbuffer(GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, 0);
    complete();
    const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glDrawBuffers(2, both);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    quad(two, 8, 8, 64, 40);
    // A stencil of the middle.
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    tinted(p, 0, 0, 0, 1, 32, 16, 32, 32);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glStencilFunc(GL_EQUAL, 1, 255);
    glDrawBuffers(1, both);
    tinted(p, 1, 0, 1, 1, 0, 24, width, 8);
    glDisable(GL_STENCIL_TEST);
    to_screen(f);
    swap();
    glBindFramebuffer(GL_READ_FRAMEBUFFER, f);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    to_screen(f);
    swap();
    // Sampled, and copied back.
    const GLuint show = quad_program("color = texture(t, at) * 0.5 + texture(u, at) * 0.5;",
                                     "uniform sampler2D t, u;");
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, second);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, first);
    glUseProgram(show);
    glUniform1i(uniform(show, "u"), 1);
    quad(show, 0, 0, width, height);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 48, 32, 0, 0, 48, 32);
    quad(show, 0, 0, width, height);
    swap();
}

SCENE(geometry_tessellation) {
    const GLuint geometry = link(
        {shader(
             GL_VERTEX_SHADER,
             "void main() { gl_Position = vec4(float(gl_VertexID) * 0.5 - 0.75, 0.5, 0.0, 1.0); }"),
         shader(GL_GEOMETRY_SHADER, R"(
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
flat out vec3 c;
void main() {
    for (int i = 0; i < 4; i++) {
        c = vec3(gl_PrimitiveIDIn == 0, gl_PrimitiveIDIn == 1, gl_PrimitiveIDIn * 0.25);
        gl_Position = gl_in[0].gl_Position + vec4((i & 1) * 0.375 - 0.1875, (i >> 1) * 0.75 - 0.375, 0.0, 0.0);
        EmitVertex();
    }
})"),
         shader(GL_FRAGMENT_SHADER,
                "flat in vec3 c; out vec4 color; void main() { color = vec4(c, 1.0); }")});
    const GLuint patches =
        link({shader(GL_VERTEX_SHADER, "void main() { gl_Position = vec4((gl_VertexID & 1) * 1.5 - "
                                       "0.75, (gl_VertexID >> 1) * 0.75 - 0.875, 0.0, 1.0); }"),
              shader(GL_TESS_CONTROL_SHADER, R"(#version 400
layout(vertices = 4) out;
uniform float level;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = level;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = level;
})"),
              shader(GL_TESS_EVALUATION_SHADER, R"(#version 400
layout(quads, equal_spacing) in;
void main() {
    vec2 t = floor(gl_TessCoord.xy * 4.0 + 0.5) / 4.0;
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x),
                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);
    gl_Position.y -= 0.25 * float(t.x == 0.5);
})"),
              shader(GL_FRAGMENT_SHADER,
                     "out vec4 color; void main() { color = vec4(1.0, 0.75, 0.25, 1.0); }")});
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    for (int frame = 0; frame < 2; frame++) {
        glClearColor(0, 0, 0.25f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glUseProgram(geometry);
        glDrawArrays(GL_POINTS, 0, 4 - frame);
        glUseProgram(patches);
        glUniform1f(uniform(patches, "level"), frame ? 4 : 2);
        glDrawArrays(GL_PATCHES, 0, 4);
        swap();
    }
}

SCENE(compute) {
    const GLuint fill = link({shader(GL_COMPUTE_SHADER, R"(#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 1) buffer Cells { vec4 cell[]; };
layout(rgba8, binding = 0) writeonly uniform image2D picture;
uniform uint step;
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    vec4 c = cell[(at.x / 8u + at.y / 8u + step) % 4u];
    imageStore(picture, ivec2(at), c);
    if (at == uvec2(0u)) cell[3].g = 1.0;
})")});
    const float cells[16] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1};
    const GLuint b = buffer(GL_SHADER_STORAGE_BUFFER, cells, sizeof cells);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, b);
    const GLuint t = texture(GL_TEXTURE_2D);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    const GLuint show = quad_program("color = texture(t, at);", "uniform sampler2D t;");
    for (unsigned frame = 0; frame < 3; frame++) {
        glUseProgram(fill);
        glUniform1ui(uniform(fill, "step"), frame);
        glDispatchCompute(width / 8, height / 8, 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
        quad(show, 0, 0, width, height);
        swap();
    }
}

SCENE(transform_feedback) {
    const GLuint capture = glCreateProgram();
    glAttachShader(capture, shader(GL_VERTEX_SHADER, R"(
out vec4 place;
out vec3 hue;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1);
    place = vec4(corner * 0.75 - 0.875 + float(gl_VertexID >> 2), 0.0, 1.0);
    hue = vec3(gl_VertexID >> 2, 0.5, 1 - (gl_VertexID >> 2));
    gl_Position = place;
})"));
    const char *names[] = {"place", "hue"};
    glTransformFeedbackVaryings(capture, 2, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(capture);
    const GLuint b = buffer(GL_ARRAY_BUFFER, nullptr, 8 * 28);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glUseProgram(capture);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 8);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glUseProgram(program(
        "layout(location = 0) in vec4 place; layout(location = 1) in vec3 hue; flat out vec3 c;"
        "void main() { gl_Position = place; c = hue; }",
        "flat in vec3 c; out vec4 color; void main() { color = vec4(c, 1.0); }"));
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 28, nullptr);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 28, reinterpret_cast<const void *>(16));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    for (int frame = 0; frame < 2; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        if (frame)
            glDrawArrays(GL_TRIANGLE_STRIP, 4, 4);
        swap();
    }
}

SCENE(instancing) {
    const GLuint p =
        program(R"(
layout(location = 0) in vec2 offset;
layout(location = 1) in vec3 tint;
flat out vec3 c;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(offset + corner * 0.25 + float(gl_InstanceID) * vec2(0.0, 0.03125), 0.0, 1.0);
    c = tint;
})",
                "flat in vec3 c; out vec4 color; void main() { color = vec4(c, 1.0); }");
    std::vector<float> offsets, tints;
    for (int i = 0; i < 16; i++)
        offsets.insert(offsets.end(), {float(i % 4) * 0.5f - 1, float(i / 4) * 0.375f - 1});
    for (int i = 0; i < 8; i++)
        tints.insert(tints.end(), {float(i) / 7, float(i % 2), 1 - float(i) / 7});
    buffer(GL_ARRAY_BUFFER, offsets.data(), offsets.size() * 4);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    buffer(GL_ARRAY_BUFFER, tints.data(), tints.size() * 4);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
    glVertexAttribDivisor(0, 1);
    glVertexAttribDivisor(1, 2);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glUseProgram(p);
    for (int frame = 1; frame <= 2; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 8 * frame);
        swap();
    }
}

SCENE(multisample) {
    const GLuint p = flat_program();
    const GLuint f = framebuffer();
    renderbuffer(GL_RGBA8, GL_COLOR_ATTACHMENT0, 4);
    renderbuffer(GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, 4);
    complete();
    for (int frame = 0; frame < 2; frame++) {
        glBindFramebuffer(GL_FRAMEBUFFER, f);
        glClearColor(0.5f, 0.5f, 0.5f, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        tinted(p, 1, 0, 0, 1, 8, 8, 40, 40);
        glEnable(GL_SAMPLE_MASK); // half of the samples
        glSampleMaski(0, frame ? 3 : 12);
        tinted(p, 0, 0, 1, 1, 32, 24, 40, 32);
        glDisable(GL_SAMPLE_MASK);
        glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        tinted(p, 0, 1, 0, 1, 64, 8, 24, 16);
        glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        to_screen(f);
        swap();
    }
}

SCENE(indirect) {
    const GLuint p =
        program(R"(
flat out vec3 c;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1);
    gl_Position = vec4(corner * 0.5 - 0.9375 + float(gl_VertexID >> 2) * vec2(0.625, 0.5), 0.0, 1.0);
    c = vec3(gl_VertexID >> 2 == 0, gl_VertexID >> 2 == 1, gl_VertexID >> 2 == 2);
})",
                "flat in vec3 c; out vec4 color; void main() { color = vec4(c, 1.0); }");
    const GLuint arrays[] = {4, 1, 0, 0, 4, 1, 4, 0, 4, 1, 8, 0};
    const GLuint elements[] = {6, 1, 6, 0, 0};
    const uint32_t indices[] = {0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7};
    buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof indices);
    const GLuint a = buffer(GL_DRAW_INDIRECT_BUFFER, arrays, sizeof arrays);
    const GLuint e = buffer(GL_DRAW_INDIRECT_BUFFER, elements, sizeof elements);
    glUseProgram(p);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, a);
    glMultiDrawArraysIndirect(GL_TRIANGLE_STRIP, nullptr, 3, 0);
    swap();
    glClear(GL_COLOR_BUFFER_BIT);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, e);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, nullptr);
    swap();
}
