// SPDX-License-Identifier: MIT
// EGL images: textures and renderbuffers that show the same texels under several names.
#include "scenario.h"

#include <EGL/eglext.h>

using namespace scenario;

namespace {

using TargetTexture = void (*)(GLenum, GLeglImageOES);
using TargetStorage = void (*)(GLenum, GLeglImageOES, const GLint *);

template <typename F> F proc(const char *name) {
    return reinterpret_cast<F>(eglGetProcAddress(name));
}

EGLImage image_of(EGLenum target, GLuint name, EGLint level = 0) {
    const EGLAttrib attribs[] = {target == EGL_GL_RENDERBUFFER ? EGLAttrib(EGL_NONE)
                                                               : EGLAttrib(EGL_GL_TEXTURE_LEVEL),
                                 level, EGL_NONE};
    return eglCreateImage(display(), current().context, target,
                          reinterpret_cast<EGLClientBuffer>(uintptr_t(name)), attribs);
}

GLuint texture_of(EGLImage image) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    proc<TargetTexture>("glEGLImageTargetTexture2DOES")(GL_TEXTURE_2D, image);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

// Draws the texture that is bound over the whole target.
void show_bound() {
    const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
    glUseProgram(p);
    draw_fill();
    glDeleteProgram(p);
}

void fill_attached(GLuint fbo, float r, float g, float b) {
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glClearColor(r, g, b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

// Of glTexImage2D: what is made an image of must move into storage that can be shared.
GLuint mutable_texture(int width, int height, const void *texels) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

EGLint egl_error() {
    return eglGetError();
}

} // namespace

// What is written by one name is read by the other, in both directions.
SCENARIO(image_texture_siblings) {
    need(99, "GL_OES_EGL_image");
    const uint8_t texels[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 255};
    const GLuint source = mutable_texture(2, 2, texels);
    const EGLImage image = image_of(EGL_GL_TEXTURE_2D, source);
    EXPECT(image != EGL_NO_IMAGE);
    const GLuint sibling = texture_of(image);
    EXPECT_ERROR(GL_NO_ERROR);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    show_bound();
    EXPECT_PIXEL(5, 5, 1, 0, 0, 1);
    EXPECT_PIXEL(60, 5, 0, 1, 0, 1);
    EXPECT_PIXEL(5, 60, 0, 0, 1, 1);
    const uint8_t white[] = {255, 255, 255, 255};
    glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, white);
    glBindTexture(GL_TEXTURE_2D, source);
    show_bound();
    EXPECT_PIXEL(60, 60, 1, 1, 1, 1);
    // Drawn to.
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, source, 0);
    EXPECT(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
    fill_attached(fbo, 0, 1, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, sibling);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 1, 1, 1);
    // The image and the source end; the sibling stays.
    EXPECT(eglDestroyImage(display(), image));
    glDeleteTextures(1, &source);
    glDeleteFramebuffers(1, &fbo);
    show_bound();
    EXPECT_PIXEL(60, 60, 0, 1, 1, 1);
    EXPECT_ERROR(GL_NO_ERROR);
}

// A sibling that is specified anew leaves the others as they are.
SCENARIO(image_sibling_specified_anew) {
    need(99, "GL_OES_EGL_image");
    const uint8_t red[] = {255, 0, 0, 255}, blue[] = {0, 0, 255, 255};
    const GLuint source = mutable_texture(1, 1, red);
    const EGLImage image = image_of(EGL_GL_TEXTURE_2D, source);
    const GLuint sibling = texture_of(image);
    GLint immutable = -1;
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT, &immutable);
    EXPECT(immutable == 0);
    glBindTexture(GL_TEXTURE_2D, source);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, blue);
    EXPECT_ERROR(GL_NO_ERROR);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 0, 1, 1);
    glBindTexture(GL_TEXTURE_2D, sibling);
    show_bound();
    EXPECT_PIXEL(5, 5, 1, 0, 0, 1);
    // Again a target, of another image.
    const EGLImage other = image_of(EGL_GL_TEXTURE_2D, source);
    EXPECT(other != EGL_NO_IMAGE);
    glBindTexture(GL_TEXTURE_2D, sibling);
    proc<TargetTexture>("glEGLImageTargetTexture2DOES")(GL_TEXTURE_2D, other);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 0, 1, 1);
    EXPECT(eglDestroyImage(display(), image) && eglDestroyImage(display(), other));
    EXPECT_ERROR(GL_NO_ERROR);
}

// A level of a mipmapped texture, a face of a cube map, immutable sources and targets.
SCENARIO(image_levels_and_faces) {
    need(99, "GL_OES_EGL_image");
    const uint8_t texels[16 * 4] = {};
    const uint8_t green[] = {0, 255, 0, 255};
    const GLuint source = mutable_texture(2, 2, texels);
    glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, green);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
    const EGLImage level = image_of(EGL_GL_TEXTURE_2D, source, 1);
    EXPECT(level != EGL_NO_IMAGE);
    texture_of(level);
    GLint width = 0;
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
    EXPECT(width == 1);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 1, 0, 1);
    GLuint cube;
    glGenTextures(1, &cube);
    glBindTexture(GL_TEXTURE_CUBE_MAP, cube);
    glTexStorage2D(GL_TEXTURE_CUBE_MAP, 1, GL_RGBA8, 1, 1);
    for (int face = 0; face < 6; face++) {
        const uint8_t texel[] = {uint8_t(face * 51), 0, 255, 255};
        glTexSubImage2D(GLenum(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face), 0, 0, 0, 1, 1, GL_RGBA,
                        GL_UNSIGNED_BYTE, texel);
    }
    const EGLImage face = image_of(EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, cube);
    EXPECT(face != EGL_NO_IMAGE);
    texture_of(face);
    show_bound();
    EXPECT_PIXEL(5, 5, 1, 0, 1, 1);
    GLuint fixed;
    glGenTextures(1, &fixed);
    glBindTexture(GL_TEXTURE_2D, fixed);
    proc<TargetStorage>("glEGLImageTargetTexStorageEXT")(GL_TEXTURE_2D, face, nullptr);
    GLint immutable = 0;
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT, &immutable);
    EXPECT(immutable == 1);
    EXPECT_ERROR(GL_NO_ERROR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, green);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    EXPECT(eglDestroyImage(display(), level) && eglDestroyImage(display(), face));
}

SCENARIO(image_renderbuffers) {
    need(99, "GL_OES_EGL_image");
    GLuint rb[2], fbo[2];
    glGenRenderbuffers(2, rb);
    glGenFramebuffers(2, fbo);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 8, 8);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[0]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb[0]);
    fill_attached(fbo[0], 1, 1, 0);
    const EGLImage image = image_of(EGL_GL_RENDERBUFFER, rb[0]);
    EXPECT(image != EGL_NO_IMAGE);
    EXPECT_PIXEL(3, 3, 1, 1, 0, 1); // moved, not lost
    texture_of(image);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    show_bound();
    EXPECT_PIXEL(5, 5, 1, 1, 0, 1);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[1]);
    proc<TargetTexture>("glEGLImageTargetRenderbufferStorageOES")(GL_RENDERBUFFER, image);
    EXPECT_ERROR(GL_NO_ERROR);
    GLint width = 0;
    glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &width);
    EXPECT(width == 8);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[1]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb[1]);
    EXPECT(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
    fill_attached(fbo[1], 0, 1, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[0]);
    EXPECT_PIXEL(3, 3, 0, 1, 0, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 1, 0, 1);
    // Other storage: the others keep theirs.
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 4, 4);
    fill_attached(fbo[1], 1, 0, 0);
    EXPECT_PIXEL(3, 3, 1, 0, 0, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[0]);
    EXPECT_PIXEL(3, 3, 0, 1, 0, 1);
    EXPECT(eglDestroyImage(display(), image));
    EXPECT_ERROR(GL_NO_ERROR);
}

// The use that images are made for: one context draws, another shows.
SCENARIO(image_between_contexts) {
    need(99, "GL_OES_EGL_image");
    const uint8_t red[] = {255, 0, 0, 255}, green[] = {0, 255, 0, 255};
    const GLuint source = mutable_texture(1, 1, red);
    const EGLImage image = image_of(EGL_GL_TEXTURE_2D, source);
    glFlush();
    const Context other = make_context(current().context);
    make_current(other);
    const GLuint sibling = texture_of(image);
    const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(5, 5, 1, 0, 0, 1);
    make_current(current());
    glBindTexture(GL_TEXTURE_2D, source);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, green);
    glFinish();
    make_current(other);
    glBindTexture(GL_TEXTURE_2D, sibling);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(5, 5, 0, 1, 0, 1);
    // An image of a context that is not current, made on a thread that has another one.
    make_current(current());
    const GLuint second = texture_rgba8(1, 1, green);
    glFinish();
    const Context stranger = make_context();
    make_current(stranger);
    const EGLImage late = image_of(EGL_GL_TEXTURE_2D, second);
    EXPECT(late != EGL_NO_IMAGE);
    texture_of(late);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 1, 0, 1);
    make_current(current());
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    texture_of(late);
    show_bound();
    EXPECT_PIXEL(5, 5, 0, 1, 0, 1);
    EXPECT(eglDestroyImage(display(), image) && eglDestroyImage(display(), late));
    destroy(other);
    destroy(stranger);
}

SCENARIO(image_errors) {
    need(99, "GL_OES_EGL_image");
    const uint8_t red[] = {255, 0, 0, 255};
    const GLuint source = mutable_texture(1, 1, red);
    GLuint empty;
    glGenTextures(1, &empty);
    EXPECT(image_of(EGL_GL_TEXTURE_2D, 0) == EGL_NO_IMAGE && egl_error() == EGL_BAD_PARAMETER);
    EXPECT(image_of(EGL_GL_TEXTURE_2D, empty) == EGL_NO_IMAGE && egl_error() == EGL_BAD_PARAMETER);
    glBindTexture(GL_TEXTURE_2D, empty);
    EXPECT(image_of(EGL_GL_TEXTURE_2D, empty) == EGL_NO_IMAGE && egl_error() == EGL_BAD_PARAMETER);
    EXPECT(image_of(EGL_GL_TEXTURE_2D, source, 3) == EGL_NO_IMAGE && egl_error() == EGL_BAD_MATCH);
    EXPECT(image_of(EGL_GL_RENDERBUFFER, source) == EGL_NO_IMAGE &&
           egl_error() == EGL_BAD_PARAMETER);
    const EGLAttrib none[] = {EGL_NONE};
    EXPECT(eglCreateImage(display(), EGL_NO_CONTEXT, EGL_GL_TEXTURE_2D,
                          reinterpret_cast<EGLClientBuffer>(uintptr_t(source)),
                          none) == EGL_NO_IMAGE &&
           egl_error() == EGL_BAD_CONTEXT);
    // A dma-buf: refused where the host cannot import one.
    const EGLAttrib dma_buf[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EXPECT(eglCreateImage(display(), EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, nullptr, dma_buf) ==
           EGL_NO_IMAGE);
    EXPECT(egl_error() == EGL_BAD_PARAMETER);
    const EGLImage image = image_of(EGL_GL_TEXTURE_2D, source);
    EXPECT(image != EGL_NO_IMAGE);
    const EGLImage again = image_of(EGL_GL_TEXTURE_2D, source);
    EXPECT(again != EGL_NO_IMAGE && again != image && eglDestroyImage(display(), again));
    glBindTexture(GL_TEXTURE_2D, empty);
    const auto target_texture = proc<TargetTexture>("glEGLImageTargetTexture2DOES");
    target_texture(GL_TEXTURE_3D, image);
    EXPECT_ERROR(GL_INVALID_ENUM);
    target_texture(GL_TEXTURE_2D, nullptr);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
    target_texture(GL_TEXTURE_2D, image);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    EXPECT(eglDestroyImage(display(), image));
    EXPECT(!eglDestroyImage(display(), image) && egl_error() == EGL_BAD_PARAMETER);
    target_texture(GL_TEXTURE_2D, image); // gone
    EXPECT_ERROR(GL_INVALID_VALUE);
}
