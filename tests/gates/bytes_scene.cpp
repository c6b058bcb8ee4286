// SPDX-License-Identifier: MIT
// The program of bytes.py:
//   bytes_scene pack READS MAPS      reads of pixels into buffers, a fence after each; then MAPS of
//                                    the buffers are mapped and looked at
//   bytes_scene turn FRAMES KIND     frames brought into two buffers in turn, of which the one that
//                                    was filled a frame ago is mapped; KIND: pixels that are read,
//                                    fresh (new buffers each time), image (glGetTexImage), storage
//                                    (shaders write), storage-quiet (no barrier for readers)
//   bytes_scene upload MIB           one buffer of that size, filled by one call and looked at in
//                                    places; prints the peak of resident memory beyond the data
//   bytes_scene map KIB PAGES DRAWS  draws from a buffer, PAGES of whose persistent map are written
//                                    before each draw (-1: not mapped); prints the processor time
//                                    of this thread per draw
#define GL_GLEXT_PROTOTYPES 1
#include "scene_context.h"

#include <GL/glcorearb.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

namespace {

void make_target() {
    GLuint texture = 0, fbo = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

// Of /proc/self/status, in KiB.
long status_kib(const char *key) {
    long kib = -1;
    if (FILE *f = std::fopen("/proc/self/status", "r")) {
        char line[256];
        while (std::fgets(line, sizeof line, f))
            if (!std::strncmp(line, key, std::strlen(key)))
                kib = std::atol(line + std::strlen(key) + 1);
        std::fclose(f);
    }
    return kib;
}

int pack(int reads, int maps) {
    make_target();
    std::vector<GLuint> buffers(size_t(reads), 0);
    glGenBuffers(reads, buffers.data());
    GLsync last = nullptr;
    for (int i = 0; i < reads; i++) {
        glClearColor(float(i % 256) / 255.0f, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, buffers[size_t(i)]);
        glBufferData(GL_PIXEL_PACK_BUFFER, 1024, nullptr, GL_STREAM_READ);
        glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        if (last)
            glDeleteSync(last);
        last = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }
    glFlush();
    int wrong = 0;
    for (int i = 0; i < maps; i++) {
        glBindBuffer(GL_PIXEL_PACK_BUFFER, buffers[size_t(i)]);
        const auto *p = static_cast<const unsigned char *>(
            glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, 1024, GL_MAP_READ_BIT));
        wrong += !p || p[0] != i % 256 || p[1020] != i % 256;
        glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    }
    std::printf("pack %d, mapped %d, wrong %d, error %x\n", reads, maps, wrong, glGetError());
    return wrong ? 1 : 0;
}

// A program that writes the shade of a frame, and zeros, to a storage buffer.
void make_writer() {
    const char *text = "#version 330\n#extension GL_ARB_compute_shader : require\n"
                       "#extension GL_ARB_shader_storage_buffer_object : require\n"
                       "layout(local_size_x = 64) in; uniform uint shade;"
                       "layout(std430) buffer B { uint v[]; };"
                       "void main() { v[gl_GlobalInvocationID.x] = shade; }";
    const GLuint program = glCreateProgram(), shader = glCreateShader(GL_COMPUTE_SHADER);
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glUseProgram(program);
}

// Brings the shade of a frame into the buffer, which is bound as a pixel buffer.
void fill(std::string_view kind, GLuint buffer, int shade) {
    if (kind.starts_with("storage")) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
        glUniform1ui(0, GLuint(shade));
        glDispatchCompute(4, 1, 1);
        glMemoryBarrier(kind == "storage" ? GL_BUFFER_UPDATE_BARRIER_BIT
                                          : GL_SHADER_STORAGE_BARRIER_BIT);
        return;
    }
    glClearColor(float(shade) / 255.0f, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (kind == "image")
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    else
        glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
}

int turn(int frames, std::string_view kind) {
    make_target();
    if (kind.starts_with("storage"))
        make_writer();
    GLuint buffers[2] = {};
    int wrong = 0;
    for (int i = 0; i < frames; i++) {
        GLuint &b = buffers[i % 2];
        if (kind == "fresh" || !b) {
            glDeleteBuffers(1, &b);
            glGenBuffers(1, &b);
            glBindBuffer(GL_PIXEL_PACK_BUFFER, b);
            glBufferData(GL_PIXEL_PACK_BUFFER, 1024, nullptr, GL_STREAM_READ);
        }
        glBindBuffer(GL_PIXEL_PACK_BUFFER, b);
        fill(kind, b, i % 256);
        glFlush();
        if (!i)
            continue;
        glBindBuffer(GL_PIXEL_PACK_BUFFER, buffers[(i - 1) % 2]);
        const auto *p = static_cast<const unsigned char *>(
            glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, 1024, GL_MAP_READ_BIT));
        wrong += !p || p[0] != (i - 1) % 256 || p[1020] != (i - 1) % 256;
        glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    }
    std::printf("turn %d, wrong %d, error %x\n", frames, wrong, glGetError());
    return wrong ? 1 : 0;
}

int upload(long mib) {
    const size_t size = size_t(mib) << 20;
    std::vector<unsigned char> data(size);
    for (size_t i = 0; i < size; i += 4096)
        data[i] = static_cast<unsigned char>(i / 4096 * 31 + i / (1 << 20));
    GLuint b = 0;
    glGenBuffers(1, &b);
    glBindBuffer(GL_COPY_READ_BUFFER, b);
    glFinish();
    const long before = status_kib("VmHWM:");
    glBufferData(GL_COPY_READ_BUFFER, GLsizeiptr(size), data.data(), GL_STATIC_DRAW);
    const long after = status_kib("VmHWM:");
    int wrong = 0;
    for (size_t i = 0; i < size; i += std::max<size_t>(size / 64 & ~size_t(4095), 4096)) {
        unsigned char got[2] = {};
        glGetBufferSubData(GL_COPY_READ_BUFFER, GLintptr(i), 2, got);
        wrong += got[0] != data[i] || got[1] != data[i + 1];
    }
    std::printf("upload %ld MiB, wrong %d, error %x, grew %ld KiB\n", mib, wrong, glGetError(),
                after - before);
    return wrong ? 1 : 0;
}

double thread_ns() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

int map(long kib, long pages, int draws) {
    make_target();
    const char *text = "#version 330\nlayout(location = 0) in vec4 p; void main() { gl_Position = "
                       "p; }";
    const GLuint program = glCreateProgram(), shader = glCreateShader(GL_VERTEX_SHADER);
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glUseProgram(program);
    glEnable(GL_RASTERIZER_DISCARD);
    GLuint array = 0, b = 0;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    constexpr GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const GLsizeiptr size = GLsizeiptr(kib) << 10;
    glBufferStorage(GL_ARRAY_BUFFER, size, nullptr, access);
    auto *bytes =
        pages < 0
            ? nullptr
            : static_cast<unsigned char *>(glMapBufferRange(GL_ARRAY_BUFFER, 0, size, access));
    if (pages >= 0 && !bytes)
        return 1;
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, nullptr);
    const long all = std::max(1L, kib / 4);
    auto draw = [&](int i) {
        for (long p = 0; p < pages; p++)
            bytes[(pages == all ? p : (p * 7 + i * 13) % all) * 4096 + 8] =
                static_cast<unsigned char>(i);
        glDrawArrays(GL_POINTS, 0, 1);
    };
    for (int i = 0; i < 8; i++)
        draw(i + 100);
    glFinish();
    double spent = 0;
    for (int i = 0; i < draws; i++) {
        const double start = thread_ns();
        draw(i);
        spent += thread_ns() - start;
        if (i % 32 == 31)
            glFinish();
    }
    glFinish();
    std::printf("map %ld KiB, %ld pages: %.0f ns per draw, error %x\n", kib, pages, spent / draws,
                glGetError());
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    const std::string_view what = argv[1];
    if (!open_context())
        return 2;
    if (what == "pack" && argc == 4)
        return pack(std::atoi(argv[2]), std::atoi(argv[3]));
    if (what == "turn" && argc == 4)
        return turn(std::atoi(argv[2]), argv[3]);
    if (what == "upload")
        return upload(std::atol(argv[2]));
    if (what == "map" && argc == 5)
        return map(std::atol(argv[2]), std::atol(argv[3]), std::atoi(argv[4]));
    return 2;
}
