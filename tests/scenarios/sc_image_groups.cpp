// SPDX-License-Identifier: MIT
// EGL images between contexts that share no objects.
#include "scenario.h"

#include <EGL/eglext.h>

#include <condition_variable>
#include <mutex>
#include <thread>

using namespace scenario;

namespace {

using TargetTexture = void (*)(GLenum, GLeglImageOES);
using TargetStorage = void (*)(GLenum, GLeglImageOES, const GLint *);

template <typename F> F proc(const char *name) {
    return reinterpret_cast<F>(eglGetProcAddress(name));
}

EGLImage image_of(const Context &c, EGLenum target, GLuint name, EGLint level = 0) {
    const EGLAttrib attribs[] = {target == EGL_GL_RENDERBUFFER ? EGLAttrib(EGL_NONE)
                                                               : EGLAttrib(EGL_GL_TEXTURE_LEVEL),
                                 level, EGL_NONE};
    return eglCreateImage(display(), c.context, target,
                          reinterpret_cast<EGLClientBuffer>(uintptr_t(name)), attribs);
}

void nearest() {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

// A sibling of the current context, bound.
GLuint texture_of(EGLImage image) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    proc<TargetTexture>("glEGLImageTargetTexture2DOES")(GL_TEXTURE_2D, image);
    nearest();
    return t;
}

GLuint renderbuffer_of(EGLImage image) {
    GLuint r;
    glGenRenderbuffers(1, &r);
    glBindRenderbuffer(GL_RENDERBUFFER, r);
    proc<TargetTexture>("glEGLImageTargetRenderbufferStorageOES")(GL_RENDERBUFFER, image);
    return r;
}

// Of glTexImage2D, bound.
GLuint mutable_texture(int width, int height, const void *texels) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    nearest();
    return t;
}

// Draws the texture that is bound over the whole surface.
void show_bound() {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
    glUseProgram(p);
    draw_fill();
    glDeleteProgram(p);
}

// A framebuffer with a texture or a renderbuffer, bound.
GLuint framebuffer_of(GLuint texture, GLuint renderbuffer) {
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    if (texture)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    else
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                  renderbuffer);
    EXPECT(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
    return fbo;
}

void fill(float r, float g, float b) {
    glClearColor(r, g, b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

// Threads take turns, whoever is late is waited for.
class Turns {
  public:
    void wait(int turn) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return turn_ >= turn; });
    }
    void next() {
        const std::lock_guard lock(mutex_);
        turn_++;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int turn_ = 0;
};

} // namespace

// One thread, two groups: texels, uploads and draws of the one are seen by the other.
SCENARIO(image_of_another_group) {
    need(99, "GL_OES_EGL_image");
    const Context other = make_context();
    const uint8_t texels[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 255};
    const GLuint source = mutable_texture(2, 2, texels);
    const EGLImage image = image_of(current(), EGL_GL_TEXTURE_2D, source);
    EXPECT(image != EGL_NO_IMAGE);
    make_current(other);
    const GLuint sibling = texture_of(image);
    EXPECT_ERROR(GL_NO_ERROR);
    show_bound();
    EXPECT_PIXEL(5, 5, 1, 0, 0, 1);
    EXPECT_PIXEL(60, 5, 0, 1, 0, 1);
    EXPECT_PIXEL(5, 60, 0, 0, 1, 1);
    // Uploaded there, sampled here.
    const uint8_t white[] = {255, 255, 255, 255};
    glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, white);
    make_current(current());
    glBindTexture(GL_TEXTURE_2D, source);
    show_bound();
    EXPECT_PIXEL(60, 60, 1, 1, 1, 1);
    EXPECT_PIXEL(5, 5, 1, 0, 0, 1);
    // Drawn here, sampled there.
    const GLuint fbo = framebuffer_of(source, 0);
    fill(0, 1, 1);
    make_current(other);
    glBindTexture(GL_TEXTURE_2D, sibling);
    show_bound();
    EXPECT_RECT(0, 0, 64, 64, 0, 1, 1, 1);
    // Drawn there, read here.
    const GLuint theirs = framebuffer_of(sibling, 0);
    fill(1, 0, 1);
    make_current(current());
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    EXPECT_PIXEL(1, 1, 1, 0, 1, 1);
    EXPECT_ERROR(GL_NO_ERROR);
    // Two siblings of one group, and a second image of the same texture.
    const EGLImage again = image_of(current(), EGL_GL_TEXTURE_2D, source);
    make_current(other);
    const GLuint second = texture_of(again);
    glBindFramebuffer(GL_FRAMEBUFFER, theirs);
    fill(1, 1, 0);
    glBindTexture(GL_TEXTURE_2D, second);
    show_bound();
    EXPECT_PIXEL(9, 9, 1, 1, 0, 1);
    EXPECT_ERROR(GL_NO_ERROR);
    EXPECT(eglDestroyImage(display(), image) && eglDestroyImage(display(), again));
    // There is no such image any more, for any group.
    proc<TargetTexture>("glEGLImageTargetTexture2DOES")(GL_TEXTURE_2D, image);
    EXPECT_ERROR(GL_INVALID_VALUE);
    make_current(current());
    destroy(other);
}

// A sibling that is specified anew, in either group, leaves the others as they are.
SCENARIO(image_of_another_group_left) {
    need(99, "GL_OES_EGL_image");
    const Context other = make_context();
    const uint8_t red[] = {255, 0, 0, 255}, blue[] = {0, 0, 255, 255}, green[] = {0, 255, 0, 255};
    const GLuint source = mutable_texture(1, 1, red);
    const EGLImage image = image_of(current(), EGL_GL_TEXTURE_2D, source);
    make_current(other);
    const GLuint first = texture_of(image), second = texture_of(image);
    make_current(current());
    glBindTexture(GL_TEXTURE_2D, source);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, blue);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 0, 1, 1);
    make_current(other);
    glBindTexture(GL_TEXTURE_2D, first);
    show_bound();
    EXPECT_PIXEL(5, 5, 1, 0, 0, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, green);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 1, 0, 1);
    glBindTexture(GL_TEXTURE_2D, second);
    show_bound();
    EXPECT_PIXEL(5, 5, 1, 0, 0, 1);
    EXPECT_ERROR(GL_NO_ERROR);
    EXPECT(eglDestroyImage(display(), image));
    make_current(current());
    destroy(other);
}

// Levels and faces, and an image of a sibling by glEGLImageTargetTexStorageEXT.
SCENARIO(image_of_another_group_level_face) {
    need(99, "GL_EXT_EGL_image_storage");
    const Context other = make_context();
    GLuint cube, chain;
    glGenTextures(1, &cube);
    glBindTexture(GL_TEXTURE_CUBE_MAP, cube);
    glTexStorage2D(GL_TEXTURE_CUBE_MAP, 1, GL_RGBA8, 4, 4);
    const std::vector<uint8_t> magenta = [] {
        std::vector<uint8_t> all;
        for (int i = 0; i < 16; i++)
            all.insert(all.end(), {255, 0, 255, 255});
        return all;
    }();
    glTexSubImage2D(GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE,
                    magenta.data());
    glGenTextures(1, &chain);
    glBindTexture(GL_TEXTURE_2D, chain);
    glTexStorage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 8, 8);
    glTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, magenta.data());
    const EGLImage face = image_of(current(), EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, cube);
    const EGLImage level = image_of(current(), EGL_GL_TEXTURE_2D, chain, 1);
    EXPECT(face != EGL_NO_IMAGE && level != EGL_NO_IMAGE);
    make_current(other);
    for (const EGLImage image : {face, level}) {
        GLuint t;
        glGenTextures(1, &t);
        glBindTexture(GL_TEXTURE_2D, t);
        proc<TargetStorage>("glEGLImageTargetTexStorageEXT")(GL_TEXTURE_2D, image, nullptr);
        nearest();
        GLint width = 0;
        glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
        EXPECT_EQ(width, 4);
        show_bound();
        EXPECT_RECT(0, 0, 64, 64, 1, 0, 1, 1);
        framebuffer_of(t, 0);
        fill(0, 1, 0);
        EXPECT_ERROR(GL_NO_ERROR);
    }
    make_current(current());
    glBindTexture(GL_TEXTURE_2D, chain);
    std::vector<uint8_t> got(64);
    glGetTexImage(GL_TEXTURE_2D, 1, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    EXPECT(got[0] == 0 && got[1] == 255 && got[2] == 0);
    glBindTexture(GL_TEXTURE_CUBE_MAP, cube);
    glGetTexImage(GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, 0, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    EXPECT(got[60] == 0 && got[61] == 255 && got[62] == 0);
    EXPECT(eglDestroyImage(display(), face) && eglDestroyImage(display(), level));
    destroy(other);
}

// Renderbuffers of the one are textures of the other, and the other way round.
SCENARIO(image_renderbuffer_of_another_group) {
    need(99, "GL_OES_EGL_image");
    const Context other = make_context();
    GLuint rb;
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 16, 16);
    const GLuint fbo = framebuffer_of(0, rb);
    fill(1, 1, 0);
    const GLuint texture = texture_rgba8(16, 16, nullptr);
    const EGLImage of_rb = image_of(current(), EGL_GL_RENDERBUFFER, rb);
    const EGLImage of_texture = image_of(current(), EGL_GL_TEXTURE_2D, texture);
    EXPECT(of_rb != EGL_NO_IMAGE && of_texture != EGL_NO_IMAGE);
    make_current(other);
    texture_of(of_rb);
    show_bound();
    EXPECT_RECT(0, 0, 64, 64, 1, 1, 0, 1);
    framebuffer_of(0, renderbuffer_of(of_texture));
    fill(0, 0, 1);
    framebuffer_of(0, renderbuffer_of(of_rb));
    fill(0, 1, 0);
    EXPECT_ERROR(GL_NO_ERROR);
    make_current(current());
    glBindTexture(GL_TEXTURE_2D, texture);
    show_bound();
    EXPECT_RECT(0, 0, 64, 64, 0, 0, 1, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    EXPECT_PIXEL(8, 8, 0, 1, 0, 1);
    EXPECT(eglDestroyImage(display(), of_rb) && eglDestroyImage(display(), of_texture));
    destroy(other);
}

// The texels stay until the last sibling ends, whatever else ends first.
SCENARIO(image_outlives_its_group) {
    need(99, "GL_OES_EGL_image");
    const uint8_t red[] = {255, 0, 0, 255};
    for (int order = 0; order < 3; order++) {
        const Context maker = make_context();
        make_current(maker);
        const GLuint source = mutable_texture(1, 1, red);
        const EGLImage image = image_of(maker, EGL_GL_TEXTURE_2D, source);
        EXPECT(image != EGL_NO_IMAGE);
        GLuint sibling = 0;
        make_current(current());
        if (order == 0) { // image, source, context
            sibling = texture_of(image);
            EXPECT(eglDestroyImage(display(), image));
            make_current(maker);
            glDeleteTextures(1, &source);
            make_current(current());
            destroy(maker);
        } else if (order == 1) { // context, image
            sibling = texture_of(image);
            destroy(maker);
            EXPECT(eglDestroyImage(display(), image));
        } else { // an image whose context has ended
            destroy(maker);
            sibling = texture_of(image);
            EXPECT(eglDestroyImage(display(), image));
        }
        EXPECT_ERROR(GL_NO_ERROR);
        // What ended is used anew meanwhile.
        const Context next = make_context();
        make_current(next);
        const uint8_t blue[] = {0, 0, 255, 255};
        mutable_texture(1, 1, blue);
        show_bound();
        EXPECT_PIXEL(5, 5, 0, 0, 1, 1);
        make_current(current());
        glBindTexture(GL_TEXTURE_2D, sibling);
        show_bound();
        EXPECT_RECT(0, 0, 64, 64, 1, 0, 0, 1);
        framebuffer_of(sibling, 0);
        fill(0, 1, 0);
        EXPECT_PIXEL(0, 0, 0, 1, 0, 1);
        destroy(next);
        glDeleteTextures(1, &sibling);
        EXPECT_ERROR(GL_NO_ERROR);
    }
}

// A group draws on one thread, another samples on a second one, both all the time current: ordered
// by a finish, by a fence that the client waits for, by one that the server waits for.
SCENARIO(image_groups_on_threads) {
    need(99, "GL_OES_EGL_image");
    const Context reader = make_context();
    const GLuint source = texture_rgba8(64, 64, nullptr);
    const EGLImage image = image_of(current(), EGL_GL_TEXTURE_2D, source);
    EXPECT(image != EGL_NO_IMAGE);
    constexpr int frames = 30;
    EGLSync fence = EGL_NO_SYNC;
    Turns ready, drawn, seen;
    std::thread thread([&] {
        eglBindAPI(EGL_OPENGL_API);
        make_current(reader);
        const GLuint sibling = texture_of(image);
        const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
        glUseProgram(p);
        ready.next();
        for (int i = 0; i < frames; i++) {
            drawn.wait(i + 1);
            if (i % 3 == 1)
                EXPECT(eglClientWaitSync(display(), fence, 0, EGL_FOREVER) ==
                       EGL_CONDITION_SATISFIED);
            if (i % 3 == 2)
                EXPECT(eglWaitSync(display(), fence, 0));
            glBindTexture(GL_TEXTURE_2D, sibling);
            draw_fill();
            EXPECT_RECT(0, 0, 64, 64, float(i & 1), float((i >> 1) & 1), float((i >> 2) & 1), 1);
            seen.next();
        }
        EXPECT_ERROR(GL_NO_ERROR);
        eglMakeCurrent(display(), EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    });
    ready.wait(1);
    framebuffer_of(source, 0);
    for (int i = 0; i < frames; i++) {
        fill(float(i & 1), float((i >> 1) & 1), float((i >> 2) & 1));
        if (i % 3 == 0) {
            glFinish();
        } else {
            fence = eglCreateSync(display(), EGL_SYNC_FENCE, nullptr);
            glFlush();
        }
        drawn.next();
        seen.wait(i + 1);
        if (i % 3)
            EXPECT(eglDestroySync(display(), fence));
    }
    thread.join();
    EXPECT(eglDestroyImage(display(), image));
    destroy(reader);
}

// A new image each frame, as players of films do; nothing gathers.
SCENARIO(image_each_frame_of_another_group) {
    need(99, "GL_OES_EGL_image");
    const Context maker = make_context();
    GLuint sibling;
    glGenTextures(1, &sibling);
    glBindTexture(GL_TEXTURE_2D, sibling);
    nearest();
    for (int i = 0; i < 40; i++) {
        make_current(maker);
        const uint8_t texel[] = {uint8_t(i * 6), 0, uint8_t(255 - i * 6), 255};
        const GLuint source = mutable_texture(1, 1, texel);
        const EGLImage image = image_of(maker, EGL_GL_TEXTURE_2D, source);
        EXPECT(image != EGL_NO_IMAGE);
        glDeleteTextures(1, &source);
        make_current(current());
        glBindTexture(GL_TEXTURE_2D, sibling);
        proc<TargetTexture>("glEGLImageTargetTexture2DOES")(GL_TEXTURE_2D, image);
        EXPECT(eglDestroyImage(display(), image));
        show_bound();
        EXPECT_PIXEL(5, 5, float(i * 6) / 255, 0, float(255 - i * 6) / 255, 1);
    }
    EXPECT_ERROR(GL_NO_ERROR);
    destroy(maker);
}
