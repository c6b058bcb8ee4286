// SPDX-License-Identifier: MIT
// Rules of the specification at their edges: which error a call raises, what a range or a level out
// of bounds does, what stays after an object, a link or a surface is gone.
#include "scenario.h"

#include <cstring>

using namespace scenario;

namespace {

void empty_2d(GLenum target, int size, GLenum format = GL_RGBA8) {
    glTexImage2D(target, 0, GLint(format), size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
}

} // namespace

SCENARIO(rules_buffer_beside_a_map) {
    const std::vector<uint8_t> old(64, 1);
    GLuint b = 0;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferData(GL_ARRAY_BUFFER, 64, old.data(), GL_STATIC_DRAW);
    auto *p = static_cast<uint8_t *>(
        glMapBufferRange(GL_ARRAY_BUFFER, 16, 16, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT));
    EXPECT(p != nullptr);
    const uint8_t bytes[4] = {9, 8, 7, 6};
    glBufferSubData(GL_ARRAY_BUFFER, 20, 4, bytes);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBufferSubData(GL_ARRAY_BUFFER, 14, 4, bytes);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBufferSubData(GL_ARRAY_BUFFER, 32, 4, bytes);
    EXPECT_ERROR(GL_NO_ERROR);
    std::memset(p, 5, 16);
    EXPECT(glUnmapBuffer(GL_ARRAY_BUFFER));
    uint8_t got[20] = {};
    glGetBufferSubData(GL_ARRAY_BUFFER, 16, 20, got);
    EXPECT(got[0] == 5 && got[15] == 5);
    EXPECT(std::memcmp(got + 16, bytes, 4) == 0);
}

SCENARIO(rules_buffer_storage_flags) {
    if (!has_extension("GL_ARB_buffer_storage"))
        return;
    GLuint b = 0;
    GLint flags = -1;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_STORAGE_FLAGS, &flags);
    EXPECT_EQ(flags, 0);
    glBufferData(GL_ARRAY_BUFFER, 4, nullptr, GL_STATIC_DRAW);
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_STORAGE_FLAGS, &flags);
    EXPECT_EQ(flags, GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_DYNAMIC_STORAGE_BIT);
}

SCENARIO(rules_base_level_beyond_storage) {
    const uint8_t red[16] = {255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255};
    const uint8_t green[4] = {0, 255, 0, 255};
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 2, 2);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, red);
    glTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, green);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 9);
    glGenerateMipmap(GL_TEXTURE_2D); // nothing lies above the last level
    glUseProgram(fill_program("texture(t, uv)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_PIXEL(7, 7, 0, 1, 0, 1);
    EXPECT_ERROR(GL_NO_ERROR);
}

SCENARIO(rules_view_of_all_that_is_left) {
    if (!has_extension("GL_ARB_texture_view"))
        return;
    GLuint t[2] = {};
    glGenTextures(2, t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t[0]);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 3, GL_RGBA8, 4, 4, 5);
    glTextureView(999, GL_TEXTURE_2D, t[0], GL_RGBA8, 0, 1, 0, 1);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glTextureView(t[1], GL_TEXTURE_2D_ARRAY, t[0], GL_RGBA8, 1, ~0u, 2, ~0u);
    EXPECT_ERROR(GL_NO_ERROR);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t[1]);
    GLint levels = 0, layers = 0;
    glGetTexParameteriv(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_VIEW_NUM_LEVELS, &levels);
    glGetTexParameteriv(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_VIEW_NUM_LAYERS, &layers);
    EXPECT_EQ(levels, 2);
    EXPECT_EQ(layers, 3);
    std::vector<uint8_t> texels(2 * 2 * 3 * 4, 77), got(texels.size());
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 2, 2, 3, GL_RGBA, GL_UNSIGNED_BYTE,
                    texels.data());
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    EXPECT(got == texels);
}

SCENARIO(rules_whole_cube_by_name) {
    if (!has_extension("GL_ARB_direct_state_access"))
        return;
    std::vector<uint8_t> texels(4 * 4 * 6 * 4, 50);
    GLuint t = 0;
    glCreateTextures(GL_TEXTURE_CUBE_MAP, 1, &t);
    glBindTexture(GL_TEXTURE_CUBE_MAP, t);
    empty_2d(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 4);
    glTextureSubImage3D(t, 0, 0, 0, 0, 4, 4, 6, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glGetTextureImage(t, 0, GL_RGBA, GL_UNSIGNED_BYTE, GLsizei(texels.size()), texels.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glCopyTextureSubImage3D(t, 0, 0, 0, 3, 0, 0, 4, 4);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    for (GLenum face = 1; face < 6; face++)
        empty_2d(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 4);
    glTextureSubImage3D(t, 0, 0, 0, 0, 4, 4, 6, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    EXPECT_ERROR(GL_NO_ERROR);
    std::vector<uint8_t> got(texels.size());
    glGetTextureImage(t, 0, GL_RGBA, GL_UNSIGNED_BYTE, GLsizei(got.size()), got.data());
    EXPECT(got == texels);
    // Faces are images: two of them are skipped.
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = uint8_t(10 * (i / 64));
    glPixelStorei(GL_UNPACK_SKIP_IMAGES, 2);
    glTextureSubImage3D(t, 0, 0, 0, 1, 4, 4, 3, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    glPixelStorei(GL_UNPACK_SKIP_IMAGES, 0);
    glGetTextureImage(t, 0, GL_RGBA, GL_UNSIGNED_BYTE, GLsizei(got.size()), got.data());
    const std::vector<uint8_t> faces = {got[0], got[64], got[128], got[192], got[256]};
    EXPECT(faces == std::vector<uint8_t>({50, 20, 30, 40, 50}));
}

SCENARIO(rules_compressed_targets) {
    if (!has_extension("GL_EXT_texture_compression_s3tc"))
        return;
    constexpr GLenum dxt1 = 0x83F1;
    const std::vector<uint8_t> blocks(96, 0);
    GLuint t[2] = {};
    glGenTextures(2, t);
    glBindTexture(GL_TEXTURE_3D, t[0]);
    glCompressedTexImage3D(GL_TEXTURE_3D, 0, dxt1, 4, 4, 1, 0, 8, blocks.data());
    EXPECT_ERROR(GL_INVALID_ENUM);
    glTexImage3D(GL_TEXTURE_3D, 0, dxt1, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_ERROR(GL_INVALID_ENUM);
    glCompressedTexImage2D(GL_PROXY_TEXTURE_2D, 0, dxt1, 8, 4, 0, 16, nullptr);
    GLint width = 0;
    glGetTexLevelParameteriv(GL_PROXY_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
    EXPECT_EQ(width, 8);
    if (has_extension("GL_ARB_texture_cube_map_array")) {
        glBindTexture(GL_TEXTURE_CUBE_MAP_ARRAY, t[1]);
        glCompressedTexImage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 0, dxt1, 4, 8, 6, 0, 96, blocks.data());
        EXPECT_ERROR(GL_INVALID_VALUE);
        glCompressedTexImage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 0, dxt1, 4, 4, 5, 0, 40, blocks.data());
        EXPECT_ERROR(GL_INVALID_VALUE);
    }
}

SCENARIO(rules_abgr_pixels) {
    if (!has_extension("GL_EXT_abgr"))
        return;
    constexpr GLenum abgr = 0x8000;
    const uint8_t texel[4] = {255, 0, 51, 204}; // a, b, g, r
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, abgr, GL_UNSIGNED_BYTE, texel);
    uint8_t rgba[4] = {}, back[4] = {};
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glGetTexImage(GL_TEXTURE_2D, 0, abgr, GL_UNSIGNED_BYTE, back);
    EXPECT(rgba[0] == 204 && rgba[1] == 51 && rgba[2] == 0 && rgba[3] == 255);
    EXPECT(std::memcmp(back, texel, 4) == 0);
}

SCENARIO(rules_sizes_do_not_wrap) {
    buffer(GL_PIXEL_PACK_BUFFER, nullptr, 1024);
    glPixelStorei(GL_PACK_ROW_LENGTH, 1 << 30); // an image of 2^64 bytes
    glPixelStorei(GL_PACK_IMAGE_HEIGHT, 1 << 30);
    glPixelStorei(GL_PACK_SKIP_IMAGES, 4);
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_3D, t);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA32F, 1, 1, 2, 0, GL_RGBA, GL_FLOAT, nullptr);
    if (driver() != "native") { // Mesa's own sum wraps
        glGetTexImage(GL_TEXTURE_3D, 0, GL_RGBA, GL_FLOAT, nullptr);
        EXPECT_ERROR(GL_INVALID_OPERATION);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, texture_rgba8(4, 4, nullptr));
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, -0x7fffffff - 1, -0x7fffffff - 1, 4, 4);
    EXPECT_ERROR(GL_NO_ERROR);
}

SCENARIO(rules_error_kinds) {
    GLint v = 0;
    GLuint r = 0, fbo = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (GLenum several : {GL_FRONT, GL_LEFT, GL_RIGHT, GL_FRONT_AND_BACK}) {
        glDrawBuffers(1, &several);
        EXPECT_ERROR(GL_INVALID_ENUM);
    }
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, &v);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_LAYERED, &v);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_SAMPLES, &v);
    EXPECT_ERROR(GL_INVALID_ENUM);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, 999, 0);
    EXPECT_ERROR(GL_INVALID_VALUE);

    glGenRenderbuffers(1, &r);
    glBindRenderbuffer(GL_RENDERBUFFER, r);
    for (GLenum format : {GL_COMPRESSED_RGBA, GL_COMPRESSED_SRGB, GL_SRGB}) {
        glRenderbufferStorage(GL_RENDERBUFFER, format, 4, 4);
        EXPECT_ERROR(GL_INVALID_ENUM);
    }
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 999, GL_RGBA8, 4, 4);
    EXPECT_ERROR(GL_INVALID_OPERATION);

    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8UI, 4, 4, 0, GL_RGBA_INTEGER, GL_FLOAT, nullptr);
    EXPECT_ERROR(GL_INVALID_ENUM);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH24_STENCIL8, 4, 4, 0, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE,
                 nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    GLfloat position[2];
    glGetMultisamplefv(GL_SAMPLE_POSITION, 0, position); // index 0 of 0 samples
    EXPECT_ERROR(GL_INVALID_VALUE);
    if (has_extension("GL_ARB_ES2_compatibility")) {
        GLint range[2], bits;
        glGetShaderPrecisionFormat(GL_GEOMETRY_SHADER, GL_HIGH_FLOAT, range, &bits);
        EXPECT_ERROR(GL_INVALID_ENUM);
    }
    const float far_out[4] = {1000, -1000, 0.5f, 1};
    GLint border[4] = {};
    glBindTexture(GL_TEXTURE_2D, texture_rgba8(1, 1, nullptr));
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, far_out);
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
    EXPECT_EQ(border[0], 0x7fffffff);
    EXPECT(border[1] <= 0);
    EXPECT_EQ(border[2], 1073741823);
}

SCENARIO(rules_num_samples) {
    if (!has_extension("GL_ARB_sample_shading"))
        return;
    const GLuint p =
        program(fill_vs, "#version 330\n#extension GL_ARB_sample_shading : require\nout vec4 c;\n"
                         "void main() { c = vec4(float(gl_NumSamples) / 8, 0, 0, 1); }\n");
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(3, 3, 0.125f, 0, 0, 1);
    GLuint fbo = 0, rb = 0;
    glGenFramebuffers(1, &fbo);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 64, 64);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo);
    glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
    draw_fill();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    glBlitFramebuffer(0, 0, 64, 64, 0, 0, 64, 64, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    EXPECT_PIXEL(3, 3, 0.5f, 0, 0, 1);
}

SCENARIO(rules_failed_relink) {
    const GLuint p = fill_program("c", "uniform vec4 c;");
    const GLint c = glGetUniformLocation(p, "c");
    glUseProgram(p);
    glUniform4f(c, 0, 1, 0, 1);
    const GLuint broken = glCreateShader(GL_FRAGMENT_SHADER);
    const char *text = "#version 150\nvoid f(";
    glShaderSource(broken, 1, &text, nullptr);
    glCompileShader(broken);
    glAttachShader(p, broken);
    glLinkProgram(p);
    GLint v = -1;
    glGetProgramiv(p, GL_LINK_STATUS, &v);
    EXPECT_EQ(v, GL_FALSE);
    glGetProgramiv(p, GL_ACTIVE_UNIFORMS, &v);
    EXPECT_EQ(v, 0);
    glUniform4f(c, 1, 0, 0, 1);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    draw_fill(); // with the executable that the failed link left alone
    EXPECT_PIXEL(5, 5, 0, 1, 0, 1);
    glUseProgram(p);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(rules_dying_context_lets_go) {
    const GLuint p = fill_program("vec4(1)");
    const Context other = make_context(current().context);
    make_current(other);
    glUseProgram(p);
    make_current(current());
    glDeleteProgram(p);
    EXPECT(glIsProgram(p)); // the other context has it current
    destroy(other);
    EXPECT(!glIsProgram(p));
}

SCENARIO(rules_first_surface_after_none) {
    const Context c = make_context();
    EXPECT(eglMakeCurrent(display(), EGL_NO_SURFACE, EGL_NO_SURFACE, c.context));
    make_current(c);
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(9, 9, 1, 0, 1, 1);
    make_current(current());
    destroy(c);
}

SCENARIO(rules_attachment_redefined_elsewhere) {
    const Context other = make_context(current().context);
    GLuint t = 0, fbo = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    empty_2d(GL_TEXTURE_2D, 8);
    glFinish();
    make_current(other);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum(GL_FRAMEBUFFER_COMPLETE));
    glClear(GL_COLOR_BUFFER_BIT);
    make_current(current());
    empty_2d(GL_TEXTURE_2D, 32);
    glFinish();
    make_current(other);
    glBindTexture(GL_TEXTURE_2D, t);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    glClearColor(0, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(25, 25, 0, 1, 1, 1);
    make_current(current());
    empty_2d(GL_TEXTURE_2D, 0);
    glFinish();
    make_current(other);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    EXPECT(glCheckFramebufferStatus(GL_FRAMEBUFFER) != GLenum(GL_FRAMEBUFFER_COMPLETE));
    make_current(current());
    destroy(other);
}

SCENARIO(rules_egl_sharing_and_swaps) {
    const EGLint own[][2] = {
        {EGL_CONTEXT_OPENGL_NO_ERROR_KHR, EGL_TRUE},
        {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET}};
    for (const auto &pair : own) {
        const EGLint list[] = {EGL_CONTEXT_MAJOR_VERSION,
                               3,
                               EGL_CONTEXT_MINOR_VERSION,
                               3,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                               pair[0],
                               pair[1],
                               EGL_NONE};
        EXPECT(eglCreateContext(display(), config(), current().context, list) == EGL_NO_CONTEXT);
        EXPECT_EQ(eglGetError(), EGL_BAD_MATCH);
    }
    const Context other = make_context();
    EXPECT(!eglSwapBuffers(display(), other.surface));
    EXPECT_EQ(eglGetError(), EGL_BAD_SURFACE);
    EXPECT(eglSwapBuffers(display(), current().surface));
    destroy(other);
}

SCENARIO(rules_read_pair_needs_a_read_buffer) {
    const Target t = target(4, 4);
    GLint v = 0;
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &v);
    EXPECT_EQ(v, GL_RGBA);
    glReadBuffer(GL_NONE);
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &v);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &v);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glDeleteFramebuffers(1, &t.fbo);
}

SCENARIO(rules_internal_format_queries) {
    if (!has_extension("GL_ARB_internalformat_query2"))
        fail(__FILE__, __LINE__, "no GL_ARB_internalformat_query2");
    const auto ask = [](GLenum target, GLenum format, GLenum what) {
        GLint64 v = -1;
        glGetInternalformati64v(target, format, what, 1, &v);
        return v;
    };
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_RGBA8, GL_INTERNALFORMAT_SUPPORTED), GL_TRUE);
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_RGB9_E5, GL_INTERNALFORMAT_SHARED_SIZE), 5);
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_RGBA8, GL_FILTER), GL_FULL_SUPPORT);
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_RGBA8UI, GL_FILTER), GL_NONE);
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_RGB9_E5, GL_COLOR_RENDERABLE), GL_FALSE);
    EXPECT_EQ(ask(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, GL_STENCIL_COMPONENTS), GL_TRUE);
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_SRGB8_ALPHA8, GL_COLOR_ENCODING), GL_SRGB);
    EXPECT_EQ(ask(GL_TEXTURE_3D, GL_DEPTH_COMPONENT24, GL_INTERNALFORMAT_SUPPORTED), GL_FALSE);
    EXPECT_EQ(ask(GL_TEXTURE_3D, GL_DEPTH_COMPONENT24, GL_INTERNALFORMAT_DEPTH_SIZE), 0);
    if (ask(GL_TEXTURE_BUFFER, GL_RGBA8, GL_INTERNALFORMAT_SUPPORTED))
        EXPECT_EQ(ask(GL_TEXTURE_BUFFER, GL_RGBA8, GL_CLEAR_BUFFER), GL_FULL_SUPPORT);
    EXPECT_EQ(ask(GL_TEXTURE_BUFFER, GL_RGBA8, GL_MAX_HEIGHT), 0);
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_RGBA8, GL_AUTO_GENERATE_MIPMAP), GL_NONE);
    // The product of extents does not fit in 32 bits: two words.
    GLint words[2] = {0, 0};
    glGetInternalformativ(GL_TEXTURE_2D_ARRAY, GL_RGBA8, GL_MAX_COMBINED_DIMENSIONS, 2, words);
    const uint64_t both = static_cast<uint32_t>(words[0]) |
                          static_cast<uint64_t>(static_cast<uint32_t>(words[1])) << 32;
    EXPECT_EQ(static_cast<GLint64>(both),
              ask(GL_TEXTURE_2D_ARRAY, GL_RGBA8, GL_MAX_COMBINED_DIMENSIONS));
    // What cannot have samples has no counts, and is no error.
    EXPECT_EQ(ask(GL_TEXTURE_2D, GL_RGBA8, GL_NUM_SAMPLE_COUNTS), 0);
    GLint untouched = 77;
    glGetInternalformativ(GL_TEXTURE_2D, GL_RGBA8, GL_SAMPLES, 1, &untouched);
    EXPECT_EQ(untouched, 77);
    EXPECT_ERROR(GL_NO_ERROR);
    ask(GL_TEXTURE_2D, GL_RGBA8, GL_TEXTURE_WIDTH);
    EXPECT_ERROR(GL_INVALID_ENUM);
}

SCENARIO(rules_clear_and_read_of_levels) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    uint8_t texels[4 * 4 * 4] = {};
    if (has_extension("GL_ARB_clear_texture")) {
        glClearTexSubImage(t, 0, 0, 0, 0, 5, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glClearTexSubImage(t, 0, 0, 0, 0, 4, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        EXPECT_ERROR(GL_NO_ERROR);
    }
    if (has_extension("GL_ARB_get_texture_sub_image")) {
        glGetTextureSubImage(t, 1, 0, 0, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, 4, texels);
        EXPECT_ERROR(GL_INVALID_VALUE); // the level has no texels
        glGetTextureSubImage(t, 0, 3, 3, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, 4, texels);
        EXPECT_ERROR(GL_NO_ERROR);
    }
    glDeleteTextures(1, &t);
}

SCENARIO(rules_stencil_pixels_for_depth_stencil) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH24_STENCIL8, 1, 1, 0, GL_DEPTH_STENCIL,
                 GL_UNSIGNED_INT_24_8, nullptr);
    const uint32_t both = 0x12345678;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_INT, &both);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, &both);
    EXPECT_ERROR(GL_NO_ERROR);
    glDeleteTextures(1, &t);
}

SCENARIO(rules_draw_from_before_the_arrays) {
    glBindVertexArray(0);
    glDrawArraysInstanced(GL_TRIANGLES, -1, 3, 2);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 2);
    EXPECT_ERROR(GL_INVALID_OPERATION); // no vertex array object
}

SCENARIO(rules_buffer_texture_format) {
    constexpr GLenum format = 0x8C2E; // GL_TEXTURE_BUFFER_FORMAT_ARB
    GLuint t = 0, b = 0;
    glGenTextures(1, &t);
    glGenBuffers(1, &b);
    glBindTexture(GL_TEXTURE_BUFFER, t);
    glBindBuffer(GL_TEXTURE_BUFFER, b);
    GLint got = 0, store = 1;
    glGetIntegerv(format, &got);
    EXPECT_EQ(got, GL_R8);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b);
    glGetIntegerv(format, &got);
    glGetIntegerv(GL_TEXTURE_BUFFER_DATA_STORE_BINDING, &store);
    EXPECT_EQ(got, GL_RGBA8);
    EXPECT_EQ(store, GLint(b));
    EXPECT_ERROR(GL_NO_ERROR);
    glDeleteTextures(1, &t);
    glDeleteBuffers(1, &b);
}

SCENARIO(rules_binary_hint_at_the_link) {
    if (!has_extension("GL_ARB_get_program_binary"))
        return;
    const GLuint p = program("#version 140\nvoid main() { gl_Position = vec4(0.0); }\n",
                             "#version 140\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n");
    GLint hint = 1;
    glProgramParameteri(p, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
    glGetProgramiv(p, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, &hint);
    EXPECT_EQ(hint, GL_FALSE);
    glLinkProgram(p);
    glGetProgramiv(p, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, &hint);
    EXPECT_EQ(hint, GL_TRUE);
    glDeleteProgram(p);
}

SCENARIO(rules_pipeline_names_and_conflicts) {
    if (!has_extension("GL_ARB_separate_shader_objects"))
        return;
    GLuint pipe[2] = {};
    GLint dummy = 0;
    glGenProgramPipelines(2, pipe);
    EXPECT_EQ(glIsProgramPipeline(pipe[0]), GL_FALSE);
    glGetProgramPipelineiv(pipe[0], GL_VERTEX_SHADER, &dummy);
    EXPECT_EQ(glIsProgramPipeline(pipe[0]), GL_TRUE);
    const char *source = "#version 140\n"
                         "uniform sampler2D a;\nuniform sampler3D b;\nout vec4 c;\n"
                         "void main() { c = texture(a, vec2(0.0)) + texture(b, vec3(0.0)); }\n";
    const GLuint p = glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &source);
    glUseProgramStages(pipe[1], GL_FRAGMENT_SHADER_BIT, p);
    GLint valid = 1;
    glValidateProgramPipeline(pipe[1]);
    glGetProgramPipelineiv(pipe[1], GL_VALIDATE_STATUS, &valid);
    EXPECT_EQ(valid, GL_FALSE);
    glProgramUniform1i(p, glGetUniformLocation(p, "b"), 1);
    glValidateProgramPipeline(pipe[1]);
    glGetProgramPipelineiv(pipe[1], GL_VALIDATE_STATUS, &valid);
    EXPECT_EQ(valid, GL_TRUE);
    glDeleteProgramPipelines(2, pipe);
    glDeleteProgram(p);
}
