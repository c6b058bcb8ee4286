// SPDX-License-Identifier: MIT
// The scene of host_faults.py: an ordinary desktop GL program that draws the same frame several
// times and behaves as a program should when told GL_OUT_OF_MEMORY: it drops what it made and makes
// it again. Prints one line per frame: its number, a hash of the picture, the GL errors in it.
#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

constexpr int side = 64, frames = 5;

const char *const scene_vs = R"(#version 140
in vec2 position;
in vec2 corner;
out vec2 uv;
layout(std140) uniform Place { vec4 scale_offset; };
void main()
{
    uv = corner;
    gl_Position = vec4(position * scale_offset.xy + scale_offset.zw, 0.0, 1.0);
}
)";
const char *const scene_fs = R"(#version 140
in vec2 uv;
out vec4 color;
uniform sampler2D image;
uniform vec4 tint;
void main()
{
    color = texture(image, uv) * tint;
}
)";
const char *const capture_vs = R"(#version 140
in vec2 position;
out vec2 doubled;
void main()
{
    doubled = position * 2.0;
    gl_Position = vec4(position, 0.0, 1.0);
}
)";

GLuint link(const char *vs, const char *fs, const char *captured) {
    GLuint p = glCreateProgram();
    const char *const text[2] = {vs, fs};
    for (int i = 0; i < 2; i++) {
        if (!text[i])
            continue;
        GLuint s = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(s, 1, &text[i], nullptr);
        glCompileShader(s);
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    glBindAttribLocation(p, 0, "position");
    glBindAttribLocation(p, 1, "corner");
    if (captured)
        glTransformFeedbackVaryings(p, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    return p;
}

// Everything that lives over several frames.
struct objects {
    GLuint program = 0, capture = 0, vao = 0, buffers[5] = {}, textures[3] = {}, sampler = 0,
           renderbuffers[2] = {}, framebuffers[3] = {}, query = 0;
};

enum { vertices, indices, place, captured, unpack };
enum { image, color, copy };

void make_buffers(objects *o) {
    static const float corners[16] = {-1, -1, 0, 0, 1, -1, 1, 0, -1, 1, 0, 1, 1, 1, 1, 1};
    static const uint16_t order[7] = {0, 1, 2, 3, 0xffff, 0, 1};
    static const float at[4] = {0.5f, 0.5f, -0.25f, 0.25f};
    glGenVertexArrays(1, &o->vao);
    glBindVertexArray(o->vao);
    glGenBuffers(5, o->buffers);
    glBindBuffer(GL_ARRAY_BUFFER, o->buffers[vertices]);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    for (GLuint i = 0; i < 2; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 2, GL_FLOAT, GL_FALSE, 16,
                              reinterpret_cast<void *>(uintptr_t(i) * 8));
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, o->buffers[indices]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order, GL_STATIC_DRAW);
    glBindBuffer(GL_UNIFORM_BUFFER, o->buffers[place]);
    glBufferData(GL_UNIFORM_BUFFER, sizeof at, at, GL_DYNAMIC_DRAW);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, o->buffers[captured]);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 256, nullptr, GL_STREAM_READ);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, o->buffers[unpack]);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, 256, nullptr, GL_STREAM_DRAW);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void make_images(objects *o) {
    std::vector<uint8_t> texels(16 * 16 * 4);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = uint8_t(i % 4 == 3 ? 255 : i * 7);
    glGenTextures(3, o->textures);
    glBindTexture(GL_TEXTURE_2D, o->textures[image]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_BLUE);
    for (int t : {color, copy}) {
        glBindTexture(GL_TEXTURE_2D, o->textures[t]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    }
    glGenSamplers(1, &o->sampler);
    glSamplerParameteri(o->sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glSamplerParameteri(o->sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glGenRenderbuffers(2, o->renderbuffers);
    glBindRenderbuffer(GL_RENDERBUFFER, o->renderbuffers[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, side, side);
    glBindRenderbuffer(GL_RENDERBUFFER, o->renderbuffers[1]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, side, side);
    glGenFramebuffers(3, o->framebuffers);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[0]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, o->textures[color],
                           0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                              o->renderbuffers[0]);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[1]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              o->renderbuffers[1]);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[2]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, o->textures[copy],
                           0);
}

objects make() {
    objects o;
    o.program = link(scene_vs, scene_fs, nullptr);
    o.capture = link(capture_vs, nullptr, "doubled");
    glUniformBlockBinding(o.program, glGetUniformBlockIndex(o.program, "Place"), 3);
    make_buffers(&o);
    make_images(&o);
    glGenQueries(1, &o.query);
    return o;
}

void drop(objects *o) {
    glDeleteProgram(o->program);
    glDeleteProgram(o->capture);
    glDeleteVertexArrays(1, &o->vao);
    glDeleteBuffers(5, o->buffers);
    glDeleteTextures(3, o->textures);
    glDeleteSamplers(1, &o->sampler);
    glDeleteRenderbuffers(2, o->renderbuffers);
    glDeleteFramebuffers(3, o->framebuffers);
    glDeleteQueries(1, &o->query);
    *o = {};
}

// Uploads of every kind; the texels and numbers are the same in each frame.
void upload(const objects &o) {
    const float at[4] = {0.5f, 0.5f, 0.25f, -0.25f};
    glBindBuffer(GL_UNIFORM_BUFFER, o.buffers[place]);
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof at, at);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, o.buffers[unpack]);
    void *p = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, 64,
                               GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
    if (p)
        memset(p, 0x80, 64);
    glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    glBindTexture(GL_TEXTURE_2D, o.textures[image]);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 2, 2, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    const uint32_t row[8] = {0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff,
                             0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff};
    glTexSubImage2D(GL_TEXTURE_2D, 0, 4, 10, 8, 1, GL_RGBA, GL_UNSIGNED_BYTE, row);
}

void draw_scene(const objects &o) {
    glUseProgram(o.program);
    glUniform4f(glGetUniformLocation(o.program, "tint"), 1.0f, 0.75f, 0.5f, 1.0f);
    glBindVertexArray(o.vao);
    glBindBufferBase(GL_UNIFORM_BUFFER, 3, o.buffers[place]);
    glBindSampler(0, o.sampler);
    glBindTexture(GL_TEXTURE_2D, o.textures[image]);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(0xffff);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, o.query);
    glDrawElements(GL_TRIANGLE_STRIP, 7, GL_UNSIGNED_SHORT, nullptr);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glDisable(GL_PRIMITIVE_RESTART);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUniform4f(glGetUniformLocation(o.program, "tint"), 0.1f, 0.2f, 0.3f, 0.0f);
    glDrawElementsBaseVertex(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, nullptr, 1);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    glDrawElementsBaseVertex(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, nullptr, 1);
    glDisable(GL_COLOR_LOGIC_OP);
}

void capture(const objects &o) {
    glUseProgram(o.capture);
    glEnable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, o.buffers[captured]);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 4);
    glEndTransformFeedback();
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    glDisable(GL_RASTERIZER_DISCARD);
}

void hash(uint64_t *h, const void *data, size_t size) {
    auto p = static_cast<const uint8_t *>(data);
    for (size_t i = 0; i < size; i++)
        *h = (*h ^ p[i]) * 0x100000001b3ull;
}

// One frame through a texture, a multisample renderbuffer and the default framebuffer.
uint64_t frame(const objects &o) {
    upload(o);
    glViewport(0, 0, side, side);
    glBindFramebuffer(GL_FRAMEBUFFER, o.framebuffers[0]);
    glClearColor(0.25f, 0.0f, 0.5f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    draw_scene(o);
    capture(o);
    glBindFramebuffer(GL_FRAMEBUFFER, o.framebuffers[1]);
    glClearColor(0.0f, 1.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, o.framebuffers[1]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, side, side, 0, 0, side, side, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, o.framebuffers[0]);
    glBlitFramebuffer(0, 0, side, side, 8, 8, side - 8, side - 8, GL_COLOR_BUFFER_BIT, GL_LINEAR);
    glBindTexture(GL_TEXTURE_2D, o.textures[copy]);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, side, side);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_SCISSOR_TEST);
    glScissor(2, 2, 6, 3);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);

    uint64_t h = 0xcbf29ce484222325ull;
    std::vector<uint8_t> pixels(side * side * 4, 0xcd);
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    hash(&h, pixels.data(), pixels.size());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    hash(&h, pixels.data(), pixels.size());
    float numbers[8] = {};
    glBindBuffer(GL_COPY_READ_BUFFER, o.buffers[captured]);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof numbers, numbers);
    hash(&h, numbers, sizeof numbers);
    GLuint passed = 0;
    glGetQueryObjectuiv(o.query, GL_QUERY_RESULT, &passed);
    hash(&h, &passed, sizeof passed);
    GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
    glDeleteSync(sync);
    return h;
}

// What fails here is told as EGL tells it, and tried once more.
template <typename F> auto twice(const char *what, F f) {
    auto made = f();
    if (!made) {
        printf("setup %s error 0x%x\n", what, static_cast<unsigned>(eglGetError()));
        made = f();
    }
    if (!made) {
        printf("no %s\n", what);
        exit(1);
    }
    return made;
}

void set_up() {
    EGLDisplay display =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    twice("display", [&] { return eglInitialize(display, nullptr, nullptr); });
    eglBindAPI(EGL_OPENGL_API);
    const EGLint want[] = {EGL_SURFACE_TYPE,
                           EGL_PBUFFER_BIT,
                           EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_BIT,
                           EGL_RED_SIZE,
                           8,
                           EGL_ALPHA_SIZE,
                           8,
                           EGL_DEPTH_SIZE,
                           24,
                           EGL_SAMPLES,
                           0,
                           EGL_NONE};
    EGLConfig config = nullptr;
    EGLint n = 0;
    eglChooseConfig(display, want, &config, 1, &n);
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, side, EGL_HEIGHT, side, EGL_NONE};
    EGLContext context =
        twice("context", [&] { return eglCreateContext(display, config, nullptr, version); });
    EGLSurface surface =
        twice("surface", [&] { return eglCreatePbufferSurface(display, config, size); });
    twice("current context", [&] { return eglMakeCurrent(display, surface, surface, context); });
}

} // namespace

int main() {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    set_up();
    objects o;
    bool made = false;
    for (int i = 0; i < frames; i++) {
        if (!made)
            o = make();
        const uint64_t picture = frame(o);
        std::string errors;
        for (int k = 0; k < 8; k++) {
            const GLenum e = glGetError();
            if (e == GL_NO_ERROR)
                break;
            char text[16];
            snprintf(text, sizeof text, " 0x%x", e);
            errors += text;
        }
        printf("frame %d picture %016llx errors%s\n", i, static_cast<unsigned long long>(picture),
               errors.c_str());
        made = errors.empty();
        if (!made)
            drop(&o);
    }
    printf("end\n");
    return 0;
}
