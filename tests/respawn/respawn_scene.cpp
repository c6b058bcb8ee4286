// SPDX-License-Identifier: MIT
// An ordinary GL program that draws the same frames whatever happens, and that may kill its server
// at chosen moments. Every frame's picture goes to a file; counts go to standard output.
//
// usage: respawn_scene FILE FRAMES KILLS
//
// KILLS: moments separated by commas, one each few frames: between (frames), middle (of a frame),
// reply (while the program waits for one), upload (of something large), fence (while it waits for
// one), mapped (while a buffer is mapped), other (in the second context of the share group),
// thread (while two threads draw), swap (in the swap, and in the start of the next frame); or none.
// RESPAWN_LISTENER: the process that starts our servers, where they are not our own.
#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kSize = 128;
constexpr int kEvery = 4; // frames from one kill to the next

int wrong = 0;

void check(bool ok, const char *what) {
    if (ok)
        return;
    wrong++;
    fprintf(stderr, "respawn_scene: %s\n", what);
}

// --- the server ----------------------------------------------------------------------------------

bool has_parent(const std::filesystem::path &process, const char *parent) {
    std::ifstream in(process / "status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("PPid:"))
            return std::stoi(line.substr(5)) == atoi(parent);
    return false;
}

std::vector<int> servers() {
    const char *listener = getenv("RESPAWN_LISTENER");
    const std::string mark = "RESPAWN_OWNER=" + std::to_string(getpid());
    std::vector<int> found;
    std::error_code ignored;
    for (const auto &process : std::filesystem::directory_iterator("/proc", ignored)) {
        std::ifstream comm(process.path() / "comm");
        std::string name;
        if (!std::getline(comm, name) || name != "mgpiped")
            continue;
        if (listener) {
            if (has_parent(process.path(), listener))
                found.push_back(std::stoi(process.path().filename()));
            continue;
        }
        std::ifstream in(process.path() / "environ", std::ios::binary);
        for (std::string entry; std::getline(in, entry, '\0');)
            if (entry == mark)
                found.push_back(std::stoi(process.path().filename()));
    }
    return found;
}

int killed = 0;

void signal_servers(int number) {
    for (const int pid : servers())
        kill(pid, number);
}

// Gone, and known to be gone by whoever watches its socket.
void kill_server() {
    for (const int pid : servers()) {
        kill(pid, SIGKILL);
        killed++;
    }
    for (int i = 0; i < 500 && !servers().empty(); i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

// The server stands still, and dies while the program waits for it.
class DiesMeanwhile {
  public:
    DiesMeanwhile() : pids_(servers()) {
        signal_servers(SIGSTOP);
        killer_ = std::thread([this] {
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
            for (const int pid : pids_) // not a new one
                kill(pid, SIGKILL);
        });
    }
    ~DiesMeanwhile() {
        killer_.join();
        killed += int(pids_.size());
    }

  private:
    std::vector<int> pids_;
    std::thread killer_;
};

// --- GL helpers ----------------------------------------------------------------------------------

GLuint compile(GLenum stage, const char *source) {
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    check(ok, "a shader does not compile");
    return shader;
}

GLuint link(const char *vs, const char *fs, const char *captured = nullptr) {
    const GLuint program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, vs));
    if (fs)
        glAttachShader(program, compile(GL_FRAGMENT_SHADER, fs));
    if (captured)
        glTransformFeedbackVaryings(program, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    check(ok, "a program does not link");
    return program;
}

const char *const quad_vs = R"(#version 330
uniform vec4 place; // x, y, width, height in clip space
out vec2 uv;
void main() {
    uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(place.xy + uv * place.zw, 0.0, 1.0);
})";

const char *const texture_fs = R"(#version 330
uniform sampler2D image;
uniform float level;
in vec2 uv;
out vec4 color;
void main() { color = textureLod(image, uv, level); })";

const char *const array_fs = R"(#version 330
uniform sampler2DArray image;
uniform float layer;
in vec2 uv;
out vec4 color;
void main() { color = texture(image, vec3(uv, layer)); })";

const char *const texels_fs = R"(#version 330
uniform samplerBuffer image;
in vec2 uv;
out vec4 color;
void main() { color = texelFetch(image, int(uv.x * 16.0)); })";

// Two attributes from buffers, one per instance, one current value, a uniform block.
const char *const mesh_vs = R"(#version 330
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 tint;
layout(location = 2) in vec2 shift;
layout(location = 3) in vec4 scale;
layout(std140) uniform Scene { vec4 light; vec4 turn; };
out vec3 shade;
void main() {
    vec2 p = vec2(position.x * turn.x - position.y * turn.y, position.x * turn.y + position.y * turn.x);
    shade = tint * light.rgb;
    gl_Position = vec4(p * scale.xy + shift, light.w, 1.0);
})";

const char *const mesh_fs = R"(#version 330
in vec3 shade;
out vec4 color;
void main() { color = vec4(shade, 0.75); })";

const char *const capture_vs = R"(#version 330
layout(location = 0) in vec2 position;
uniform float amount;
out vec2 moved;
void main() { moved = position * amount; gl_Position = vec4(position, 0.0, 1.0); })";

const char *const points_vs = R"(#version 330
layout(location = 0) in vec2 position;
void main() { gl_Position = vec4(position, 0.0, 1.0); gl_PointSize = 5.0; })";

const char *const plain_fs = R"(#version 330
uniform vec4 paint;
out vec4 color;
void main() { color = paint; })";

EGLDisplay display;
EGLConfig config;

struct Context {
    EGLContext context;
    EGLSurface surface;
};

Context make_context(EGLContext share) {
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                 EGL_NONE};
    const EGLint extent[] = {EGL_WIDTH, kSize, EGL_HEIGHT, kSize, EGL_NONE};
    const Context c{eglCreateContext(display, config, share, attributes),
                    eglCreatePbufferSurface(display, config, extent)};
    check(c.context && c.surface, "no context");
    return c;
}

void current(const Context &c) {
    check(eglMakeCurrent(display, c.surface, c.surface, c.context), "eglMakeCurrent");
}

// --- the scene -----------------------------------------------------------------------------------

class Scene {
  public:
    void make();
    // `moment`: where in this frame the server dies; may be null.
    void draw(int frame, const char *moment);
    void draw_other(int frame, bool dies);
    std::vector<uint8_t> picture();
    int queries_wrong = 0;

    Context main{}, other{}, apart{};

  private:
    void make_textures();
    void make_geometry();
    void make_targets();
    void draw_offscreen(int frame);
    void draw_multisampled(int frame);
    void draw_mesh(int frame, bool mapped);
    void draw_captured(int frame);
    void draw_textures(int frame);
    void quad(GLuint program, float x, float y, float w, float h);
    void paint_quad(GLuint program, float x, float y, float w, float h, float r, float g, float b);

    GLuint show_ = 0, show_array_ = 0, show_texels_ = 0, mesh_ = 0, capture_ = 0, points_ = 0,
           paint_ = 0;
    GLuint image_ = 0, layers_ = 0, texels_ = 0, texel_store_ = 0, copied_ = 0, sampler_ = 0;
    GLuint vertices_ = 0, indices_ = 0, tints_ = 0, shifts_ = 0, block_ = 0, captured_ = 0;
    GLuint persistent_ = 0;
    float *persistent_at_ = nullptr;
    GLuint mesh_va_ = 0, capture_va_ = 0, points_va_ = 0, empty_va_ = 0, moving_va_ = 0;
    GLuint target_ = 0, target_fbo_ = 0, target_depth_ = 0, once_ = 0, once_fbo_ = 0;
    GLuint samples_fbo_ = 0, samples_color_ = 0, resolved_ = 0, resolved_fbo_ = 0;
    GLuint query_ = 0;
    GLsync fence_ = nullptr;
    GLuint other_texture_ = 0, other_fbo_ = 0, other_va_ = 0;
    std::vector<uint8_t> large_;
};

std::vector<uint8_t> pattern(int width, int height, int salt) {
    std::vector<uint8_t> texels(size_t(width) * size_t(height) * 4);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = uint8_t((i * 37 + i / 64 * 11 + size_t(salt) * 53) | (i % 4 == 3 ? 0xff : 0));
    return texels;
}

void Scene::make_textures() {
    glGenTextures(1, &image_); // levels by glGenerateMipmap
    glBindTexture(GL_TEXTURE_2D, image_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pattern(32, 32, 1).data());
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_BLUE);
    glGenTextures(1, &layers_);
    glBindTexture(GL_TEXTURE_2D_ARRAY, layers_);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGB565, 8, 8, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    for (int layer = 0; layer < 3; layer++)
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, layer, 8, 8, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                        pattern(8, 8, 7 + layer).data());
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    // Of bytes that came by a copy between buffers.
    glGenBuffers(1, &texel_store_);
    glGenBuffers(1, &copied_);
    glBindBuffer(GL_COPY_READ_BUFFER, texel_store_);
    glBufferData(GL_COPY_READ_BUFFER, 64, pattern(4, 4, 3).data(), GL_STATIC_DRAW);
    glBindBuffer(GL_COPY_WRITE_BUFFER, copied_);
    glBufferData(GL_COPY_WRITE_BUFFER, 64, nullptr, GL_STATIC_DRAW);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 64);
    glDeleteBuffers(1, &texel_store_);
    glGenTextures(1, &texels_);
    glBindTexture(GL_TEXTURE_BUFFER, texels_);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, copied_);
    glGenSamplers(1, &sampler_);
    glSamplerParameteri(sampler_, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glSamplerParameteri(sampler_, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glSamplerParameteri(sampler_, GL_TEXTURE_WRAP_S, GL_MIRRORED_REPEAT);
}

void Scene::make_geometry() {
    const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
    const uint16_t order[] = {0, 1, 2, 2, 1, 3};
    const uint8_t tints[] = {255, 64, 0, 0, 255, 64, 64, 0, 255, 255, 255, 0};
    const float shifts[] = {-0.5f, 0.4f, 0.5f, 0.4f, 0.0f, -0.3f};
    auto buffer = [](GLenum target, GLuint *name, const void *data, size_t size) {
        glGenBuffers(1, name);
        glBindBuffer(target, *name);
        glBufferData(target, GLsizeiptr(size), data, GL_STATIC_DRAW);
    };
    glGenVertexArrays(1, &mesh_va_);
    glBindVertexArray(mesh_va_);
    buffer(GL_ARRAY_BUFFER, &vertices_, corners, sizeof corners);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    buffer(GL_ARRAY_BUFFER, &tints_, tints, sizeof tints);
    glVertexAttribPointer(1, 3, GL_UNSIGNED_BYTE, GL_TRUE, 0, nullptr);
    glEnableVertexAttribArray(1);
    buffer(GL_ARRAY_BUFFER, &shifts_, shifts, sizeof shifts);
    glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(2);
    glVertexAttribDivisor(2, 1);
    buffer(GL_ELEMENT_ARRAY_BUFFER, &indices_, order, sizeof order);
    glVertexAttrib4f(3, 0.22f, 0.18f, 1, 1); // once, for ever
    buffer(GL_UNIFORM_BUFFER, &block_, nullptr, 32);
    glBindBufferBase(GL_UNIFORM_BUFFER, 2, block_);
    glUniformBlockBinding(mesh_, glGetUniformBlockIndex(mesh_, "Scene"), 2);

    glGenVertexArrays(1, &capture_va_);
    glBindVertexArray(capture_va_);
    glBindBuffer(GL_ARRAY_BUFFER, vertices_);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    buffer(GL_ARRAY_BUFFER, &captured_, nullptr, 64);
    glGenVertexArrays(1, &points_va_);
    glBindVertexArray(points_va_);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);

    auto *storage = reinterpret_cast<PFNGLBUFFERSTORAGEPROC>(eglGetProcAddress("glBufferStorage"));
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    bool has = major * 10 + minor >= 44;
    GLint extensions = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &extensions);
    for (int i = 0; i < extensions; i++)
        has |= !strcmp(reinterpret_cast<const char *>(glGetStringi(GL_EXTENSIONS, GLuint(i))),
                       "GL_ARB_buffer_storage");
    glGenVertexArrays(1, &moving_va_);
    glBindVertexArray(moving_va_);
    glGenBuffers(1, &persistent_);
    glBindBuffer(GL_ARRAY_BUFFER, persistent_);
    if (has && storage) {
        constexpr GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
        storage(GL_ARRAY_BUFFER, 4096, nullptr, flags);
        persistent_at_ = static_cast<float *>(glMapBufferRange(GL_ARRAY_BUFFER, 0, 4096, flags));
        check(persistent_at_, "no persistent map");
    } else {
        glBufferData(GL_ARRAY_BUFFER, 4096, nullptr, GL_STREAM_DRAW);
    }
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    glGenVertexArrays(1, &empty_va_);
}

void Scene::make_targets() {
    auto texture_target = [](GLuint *texture, GLuint *fbo, int size) {
        glGenTextures(1, texture);
        glBindTexture(GL_TEXTURE_2D, *texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glGenFramebuffers(1, fbo);
        glBindFramebuffer(GL_FRAMEBUFFER, *fbo);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, *texture, 0);
    };
    texture_target(&once_, &once_fbo_, 16); // drawn now and never again: only the GPU has it
    glClearColor(0.3f, 0.6f, 0.9f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    texture_target(&resolved_, &resolved_fbo_, 32);
    texture_target(&target_, &target_fbo_, 64);
    glGenRenderbuffers(1, &target_depth_);
    glBindRenderbuffer(GL_RENDERBUFFER, target_depth_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, 64, 64);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                              target_depth_);
    check(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "target");
    glGenRenderbuffers(1, &samples_color_);
    glBindRenderbuffer(GL_RENDERBUFFER, samples_color_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 32, 32);
    glGenFramebuffers(1, &samples_fbo_);
    glBindFramebuffer(GL_FRAMEBUFFER, samples_fbo_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              samples_color_);
    check(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "samples");
}

void Scene::make() {
    main = make_context(EGL_NO_CONTEXT);
    other = make_context(main.context);
    apart = make_context(EGL_NO_CONTEXT);
    current(apart);
    glClearColor(0.1f, 0.2f, 0.3f, 1); // once, for ever
    current(main);
    show_ = link(quad_vs, texture_fs);
    show_array_ = link(quad_vs, array_fs);
    show_texels_ = link(quad_vs, texels_fs);
    mesh_ = link(mesh_vs, mesh_fs);
    capture_ = link(capture_vs, nullptr, "moved");
    points_ = link(points_vs, plain_fs);
    paint_ = link(quad_vs, plain_fs);
    glUseProgram(points_);
    glUniform4f(glGetUniformLocation(points_, "paint"), 1, 1, 0.5f, 1); // once, for ever
    glUseProgram(show_array_);
    glUniform1i(glGetUniformLocation(show_array_, "image"), 5);
    glUseProgram(show_texels_);
    glUniform1i(glGetUniformLocation(show_texels_, "image"), 6);
    make_textures();
    make_geometry();
    make_targets();
    // State that is set once.
    glBindSampler(3, sampler_);
    glActiveTexture(GL_TEXTURE5);
    glBindTexture(GL_TEXTURE_2D_ARRAY, layers_);
    glActiveTexture(GL_TEXTURE6);
    glBindTexture(GL_TEXTURE_BUFFER, texels_);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glGenQueries(1, &query_);
    large_ = pattern(1024, 1024, 77);
    current(other);
    glGenVertexArrays(1, &other_va_);
    glGenTextures(1, &other_texture_);
    glBindTexture(GL_TEXTURE_2D, other_texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &other_fbo_);
    glBindFramebuffer(GL_FRAMEBUFFER, other_fbo_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, other_texture_, 0);
    glFlush();
    current(main);
}

void Scene::quad(GLuint program, float x, float y, float w, float h) {
    glUniform4f(glGetUniformLocation(program, "place"), x, y, w, h);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void Scene::paint_quad(GLuint program, float x, float y, float w, float h, float r, float g,
                       float b) {
    glUseProgram(program);
    glUniform4f(glGetUniformLocation(program, "paint"), r, g, b, 1);
    quad(program, x, y, w, h);
}

void Scene::draw_offscreen(int frame) {
    glBindFramebuffer(GL_FRAMEBUFFER, target_fbo_);
    glViewport(0, 0, 64, 64);
    glClearColor(0.2f, float(frame % 8) / 8, 0.4f, 1);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBindVertexArray(empty_va_);
    paint_quad(paint_, -0.5f, -0.5f, 1, 1, 1, float(frame % 5) / 5, 0);
    glDisable(GL_DEPTH_TEST);
}

void Scene::draw_multisampled(int frame) {
    glBindFramebuffer(GL_FRAMEBUFFER, samples_fbo_);
    glViewport(0, 0, 32, 32);
    glClearColor(0, 0, float(frame % 3) / 3, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindVertexArray(empty_va_);
    paint_quad(paint_, -0.3f, -0.8f, 0.7f, 1.1f, 0, 1, 1);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, samples_fbo_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_fbo_);
    glBlitFramebuffer(0, 0, 32, 32, 0, 0, 32, 32, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void Scene::draw_mesh(int frame, bool mapped) {
    const float t = float(frame) * 0.25f;
    const float block[8] = {1, 0.5f + 0.5f * float(frame % 2), 0.8f, 0, 1 - t / 16, t / 16, 0, 0};
    glBindBuffer(GL_UNIFORM_BUFFER, block_);
    if (mapped) { // memory of a server that dies stays memory
        void *at = glMapBufferRange(GL_UNIFORM_BUFFER, 0, 32,
                                    GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
        memcpy(at, block, 16);
        kill_server();
        memcpy(static_cast<uint8_t *>(at) + 16, block + 4, 16);
        glUnmapBuffer(GL_UNIFORM_BUFFER);
    } else {
        glBufferSubData(GL_UNIFORM_BUFFER, 0, 32, block);
    }
    glEnable(GL_BLEND);
    glBindVertexArray(mesh_va_);
    glUseProgram(mesh_);
    glDrawElementsInstanced(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 3);
    glDisable(GL_BLEND);
    // Points out of memory that stays mapped.
    const float x = -0.9f + float(frame % 9) * 0.2f;
    const float at[] = {x, 0.9f, -x, -0.9f};
    glBindVertexArray(moving_va_);
    if (persistent_at_) {
        memcpy(persistent_at_, at, sizeof at);
    } else {
        glBindBuffer(GL_ARRAY_BUFFER, persistent_);
        glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof at, at);
    }
    glUseProgram(points_);
    glDrawArrays(GL_POINTS, 0, 2);
    if (persistent_at_) // the next frame writes what this one reads
        glFinish();
}

void Scene::draw_captured(int frame) {
    glUseProgram(capture_);
    glUniform1f(glGetUniformLocation(capture_, "amount"), 0.2f + float(frame % 4) * 0.1f);
    glBindVertexArray(capture_va_);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured_);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 4);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glUseProgram(points_);
    glBindVertexArray(points_va_);
    glDrawArrays(GL_POINTS, 0, 4);
}

void Scene::draw_textures(int frame) {
    glBindVertexArray(empty_va_);
    glUseProgram(show_);
    glUniform1i(glGetUniformLocation(show_, "image"), 3);
    glActiveTexture(GL_TEXTURE3);
    glBindTexture(GL_TEXTURE_2D, image_);
    const auto changed = pattern(4, 4, frame);
    if (frame % 3 == 0)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 4 * (frame % 8), 8, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE,
                        changed.data());
    if (frame % 6 == 0)
        glGenerateMipmap(GL_TEXTURE_2D);
    glUniform1f(glGetUniformLocation(show_, "level"), 0);
    quad(show_, -1, -1, 0.5f, 0.5f);
    glUniform1f(glGetUniformLocation(show_, "level"), 2);
    quad(show_, -0.5f, -1, 0.5f, 0.5f);
    glUniform1i(glGetUniformLocation(show_, "image"), 0);
    glActiveTexture(GL_TEXTURE0);
    glUniform1f(glGetUniformLocation(show_, "level"), 0);
    for (const GLuint texture : {target_, resolved_, other_texture_}) {
        glBindTexture(GL_TEXTURE_2D, texture);
        quad(show_,
             texture == target_     ? 0.5f
             : texture == resolved_ ? 0
                                    : 0.7f,
             -1, texture == other_texture_ ? 0.3f : 0.5f, texture == other_texture_ ? 0.2f : 0.5f);
    }
    glUseProgram(show_array_);
    glUniform1f(glGetUniformLocation(show_array_, "layer"), float(frame % 3));
    quad(show_array_, -1, 0.7f, 0.3f, 0.3f);
    glUseProgram(show_texels_);
    quad(show_texels_, -0.6f, 0.85f, 1.2f, 0.1f);
}

void Scene::draw(int frame, const char *moment) {
    auto now = [moment](const char *name) { return moment && !strcmp(moment, name); };
    if (now("between"))
        kill_server();
    if (fence_) {
        const GLenum waited = glClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT, 10'000'000'000);
        check(waited == GL_ALREADY_SIGNALED || waited == GL_CONDITION_SATISFIED, "fence");
        glDeleteSync(fence_);
        GLuint drawn = 0; // of the frame before; a result that died with its server reads zero
        glGetQueryObjectuiv(query_, GL_QUERY_RESULT, &drawn);
        queries_wrong += drawn == 0;
    }
    draw_offscreen(frame);
    if (now("middle"))
        kill_server();
    draw_multisampled(frame);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, kSize, kSize);
    glClearColor(0.05f, 0.05f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBeginQuery(GL_SAMPLES_PASSED, query_);
    draw_mesh(frame, now("mapped"));
    glEndQuery(GL_SAMPLES_PASSED);
    if (now("upload")) {
        DiesMeanwhile dies;
        GLuint texture;
        glGenTextures(1, &texture);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, texture);
        for (int i = 0; i < 24; i++) // more than waits for a server that stands still
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1024, 1024, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                         large_.data());
        glDeleteTextures(1, &texture);
    }
    draw_captured(frame);
    draw_textures(frame);
    if (now("reply")) {
        DiesMeanwhile dies;
        glFinish();
    }
    fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (now("fence")) {
        DiesMeanwhile dies;
        glClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT, 10'000'000'000);
    }
}

// The second context of the group: its own state, a texture that the first one shows.
void Scene::draw_other(int frame, bool dies) {
    glBindFramebuffer(GL_FRAMEBUFFER, other_fbo_);
    glViewport(0, 0, 16, 16);
    glClearColor(float(frame % 4) / 4, 0.5f, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindVertexArray(other_va_);
    if (dies)
        kill_server();
    paint_quad(paint_, -1, -1, 1, 2, 0, float(frame % 7) / 7, 1);
    glFinish();
}

std::vector<uint8_t> Scene::picture() {
    std::vector<uint8_t> pixels(size_t(kSize) * kSize * 4);
    glReadPixels(0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    return pixels;
}

// --- the program ---------------------------------------------------------------------------------

bool start() {
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLint n = 0;
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_ALPHA_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_NONE};
    return eglInitialize(display, nullptr, nullptr) && eglBindAPI(EGL_OPENGL_API) &&
           eglChooseConfig(display, wanted, &config, 1, &n) && n == 1;
}

std::vector<std::string> words(const std::string &text) {
    std::vector<std::string> out;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

// Draws of the second context on a thread of its own, while the main thread draws too.
void draw_together(Scene &scene, int frame) {
    std::thread thread([&] {
        current(scene.other);
        for (int i = 0; i < 20; i++)
            scene.draw_other(frame, false);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    kill_server();
    for (int i = 0; i < 20; i++)
        glFinish();
    thread.join();
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    setenv("RESPAWN_OWNER", std::to_string(getpid()).c_str(), 1);
    if (!start())
        return 2;
    FILE *out = fopen(argv[1], "wb");
    const int frames = atoi(argv[2]);
    const std::vector<std::string> moments = words(argv[3]);
    if (!out)
        return 2;
    Scene scene;
    scene.make();
    for (int frame = 0; frame < frames; frame++) {
        const size_t turn = size_t(frame / kEvery);
        const bool kills = frame % kEvery == kEvery - 1 && moments[0] != "none";
        const std::string moment = kills ? moments[turn % moments.size()] : "";
        if (moment == "thread")
            draw_together(scene, frame);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        current(scene.other);
        scene.draw_other(frame, moment == "other");
        current(scene.main);
        scene.draw(frame, moment.c_str());
        const auto pixels = scene.picture();
        fwrite(pixels.data(), 1, pixels.size(), out);
        if (moment == "swap") {
            DiesMeanwhile dies;
            eglSwapBuffers(display, scene.main.surface);
            glFinish();
        } else {
            eglSwapBuffers(display, scene.main.surface);
        }
        current(scene.apart);
        glClear(GL_COLOR_BUFFER_BIT);
        const auto apart = scene.picture();
        fwrite(apart.data(), 1, apart.size(), out);
        eglSwapBuffers(display, scene.apart.surface);
        current(scene.main);
    }
    const GLenum error = glGetError();
    check(error == GL_NO_ERROR, "a GL error");
    const EGLBoolean swapped = eglSwapBuffers(display, scene.main.surface);
    check(swapped, "eglSwapBuffers");
    fclose(out);
    printf("frames %d killed %d wrong %d queries-zero %d error 0x%x\n", frames, killed, wrong,
           scene.queries_wrong, error);
    eglTerminate(display);
    return wrong ? 1 : 0;
}
