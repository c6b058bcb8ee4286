// SPDX-License-Identifier: MIT
// Entry points that only an extension has, and errors that depend on how an object is named.
#include "scenario.h"

#include <cstring>

using namespace scenario;

namespace {

template <class F> F pointer(const char *name) {
    const auto f = reinterpret_cast<F>(eglGetProcAddress(name));
    if (!f)
        fail(__FILE__, __LINE__, std::string("no ") + name);
    return f;
}

} // namespace

SCENARIO(api_robustness_by_its_own_names) {
    // GL_ARB_robustness: functions of its own beside those of OpenGL 4.5.
    need(99, "GL_ARB_robustness");
    const auto status = pointer<PFNGLGETGRAPHICSRESETSTATUSARBPROC>("glGetGraphicsResetStatusARB");
    const auto read = pointer<PFNGLREADNPIXELSARBPROC>("glReadnPixelsARB");
    const auto image = pointer<PFNGLGETNTEXIMAGEARBPROC>("glGetnTexImageARB");
    const auto blocks = pointer<PFNGLGETNCOMPRESSEDTEXIMAGEARBPROC>("glGetnCompressedTexImageARB");
    const auto floats = pointer<PFNGLGETNUNIFORMFVARBPROC>("glGetnUniformfvARB");
    const auto ints = pointer<PFNGLGETNUNIFORMIVARBPROC>("glGetnUniformivARB");
    const auto uints = pointer<PFNGLGETNUNIFORMUIVARBPROC>("glGetnUniformuivARB");
    if (!status || !read || !image || !blocks || !floats || !ints || !uints)
        return;
    EXPECT_EQ(status(), GLenum(GL_NO_ERROR));
    target(2, 2);
    clear_color(1, 0, 0, 1);
    uint8_t got[16] = {};
    read(0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, 15, got);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    read(0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, 16, got);
    EXPECT(got[12] == 255 && got[13] == 0);
    const uint8_t texels[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    texture_rgba8(2, 2, texels);
    image(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, 15, got);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    EXPECT_EQ(got[0], 255);
    image(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, 16, got);
    EXPECT(memcmp(got, texels, 16) == 0);
    texture(GL_TEXTURE_2D, GL_COMPRESSED_RED_RGTC1, 4, 4);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_COMPRESSED_RED_RGTC1, 8, texels);
    blocks(GL_TEXTURE_2D, 0, 7, got);
    if (driver() != "native") // Mesa writes all the same
        EXPECT_ERROR(GL_INVALID_OPERATION);
    memset(got, 0, sizeof got);
    blocks(GL_TEXTURE_2D, 0, 8, got);
    EXPECT(memcmp(got, texels, 8) == 0);
    const GLuint p =
        fill_program("vec4(f, i, u)", "uniform vec2 f; uniform int i; uniform uint u;");
    glUseProgram(p);
    const GLint at = glGetUniformLocation(p, "f");
    glUniform2f(at, 0.5f, 4);
    glUniform1i(glGetUniformLocation(p, "i"), -3);
    glUniform1ui(glGetUniformLocation(p, "u"), 7);
    GLfloat f[2] = {};
    floats(p, at, 7, f);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    floats(p, at, 8, f);
    EXPECT(f[0] == 0.5f && f[1] == 4);
    GLint i = 0;
    ints(p, glGetUniformLocation(p, "i"), 4, &i);
    EXPECT_EQ(i, -3);
    GLuint u = 0;
    uints(p, glGetUniformLocation(p, "u"), 4, &u);
    EXPECT_EQ(u, 7u);
}

SCENARIO(api_integer_clear_colors) {
    // GL_EXT_texture_integer: glClear with integers, for targets of their own kind only.
    need(99, "GL_EXT_texture_integer");
    const auto clear_i = pointer<void (*)(GLint, GLint, GLint, GLint)>("glClearColorIiEXT");
    const auto clear_ui = pointer<void (*)(GLuint, GLuint, GLuint, GLuint)>("glClearColorIuiEXT");
    if (!clear_i || !clear_ui)
        return;
    const Target i = target(4, 4, GL_RGBA32I);
    clear_i(-5, 1 << 30, 3, -(1 << 30));
    glClear(GL_COLOR_BUFFER_BIT);
    GLint got[4] = {};
    glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_INT, got);
    EXPECT(got[0] == -5 && got[1] == 1 << 30 && got[2] == 3 && got[3] == -(1 << 30));
    memset(got, 0, sizeof got);
    glGetIntegerv(GL_COLOR_CLEAR_VALUE, got);
    if (driver() != "native") // Mesa takes the bits for floats
        EXPECT(got[0] == -5 && got[1] == 1 << 30 && got[2] == 3 && got[3] == -(1 << 30));
    target(4, 4, GL_RGBA16UI);
    clear_ui(65535, 2, 0, 40000);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
    EXPECT(got[0] == 65535 && got[1] == 2 && got[2] == 0 && got[3] == 40000);
    glBindFramebuffer(GL_FRAMEBUFFER, i.fbo);
    clear_i(1, 2, 3, 4);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(3, 3, 1, 1, GL_RGBA_INTEGER, GL_INT, got);
    EXPECT(got[0] == 1 && got[1] == 2 && got[2] == 3 && got[3] == 4);
    target(4, 4);
    glClearColor(1, 0.5f, 0.25f, 1); // and floats again
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(1, 1, 1, 0.5f, 0.25f, 1);
    GLfloat f[4] = {};
    glGetFloatv(GL_COLOR_CLEAR_VALUE, f);
    EXPECT(f[0] == 1 && f[1] == 0.5f && f[2] == 0.25f && f[3] == 1);
}

SCENARIO(api_errors_of_textures_by_name) {
    need(45, "GL_ARB_direct_state_access");
    GLuint t = 0;
    const float border[4] = {};
    for (const GLenum kind : {GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_2D_MULTISAMPLE_ARRAY}) {
        glCreateTextures(kind, 1, &t);
        // By name the target is not the caller's word: another error than by a binding.
        glTextureParameteri(t, GL_TEXTURE_WRAP_R, GL_REPEAT);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glTextureParameterf(t, GL_TEXTURE_LOD_BIAS, 1);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glTextureParameterfv(t, GL_TEXTURE_BORDER_COLOR, border);
        if (driver() != "native") // Mesa: GL_INVALID_ENUM
            EXPECT_ERROR(GL_INVALID_OPERATION);
        glTextureParameteri(t, GL_TEXTURE_2D, 1);
        EXPECT_ERROR(GL_INVALID_ENUM);
        glBindTexture(kind, t);
        glTexParameteri(kind, GL_TEXTURE_WRAP_R, GL_REPEAT);
        EXPECT_ERROR(GL_INVALID_ENUM);
        glTextureParameteri(t, GL_TEXTURE_BASE_LEVEL, 1);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glTextureParameteri(t, GL_TEXTURE_SWIZZLE_R, GL_ALPHA);
        EXPECT_ERROR(GL_NO_ERROR);
    }
    glCreateTextures(GL_TEXTURE_BUFFER, 1, &t);
    GLint v = 0;
    glGetTextureParameteriv(t, GL_TEXTURE_WRAP_S, &v);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glCreateTextures(GL_TEXTURE_2D, 1, &t);
    glTextureBuffer(t, GL_RGBA8, 0);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glTexBuffer(GL_TEXTURE_2D, GL_RGBA8, 0);
    EXPECT_ERROR(GL_INVALID_ENUM);
    // A whole cube is read when it is a cube.
    std::vector<uint8_t> out(6 * 4 * 4 * 4, 7);
    const auto size = GLsizei(out.size());
    glCreateTextures(GL_TEXTURE_CUBE_MAP, 1, &t);
    glGetTextureImage(t, 0, GL_RGBA, GL_UNSIGNED_BYTE, size, out.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBindTexture(GL_TEXTURE_CUBE_MAP, t);
    for (GLenum face = 0; face < 6; face++) {
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 4, 4, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, out.data());
        glGetTextureImage(t, 0, GL_RGBA, GL_UNSIGNED_BYTE, size, out.data());
        EXPECT_ERROR(face < 5 ? GL_INVALID_OPERATION : GL_NO_ERROR);
    }
    glGetTextureImage(t, 1, GL_RGBA, GL_UNSIGNED_BYTE, size, out.data());
    if (driver() != "native") // Mesa returns nothing
        EXPECT_ERROR(GL_INVALID_OPERATION);
    glGetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 1, GL_RGBA, GL_UNSIGNED_BYTE, out.data());
    EXPECT_ERROR(GL_NO_ERROR); // of an empty face nothing is read
    glGetTextureSubImage(t, 0, 0, 0, 0, 4, 4, 6, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5, size,
                         out.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glGetTextureImage(t, 0, GL_ALPHA, GL_UNSIGNED_SHORT_5_6_5, size, out.data());
    EXPECT_ERROR(GL_INVALID_ENUM); // GL_ALPHA is of the compatibility profile
    glGetTextureImage(t, 0, GL_RED, GL_UNSIGNED_SHORT_5_6_5, size, out.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(api_errors_of_unfinished_objects) {
    // Made, or not even that, and asked for what only a finished one has.
    if (has_extension("GL_ARB_texture_cube_map_array")) {
        glBindTexture(GL_TEXTURE_CUBE_MAP_ARRAY, 0);
        glGenerateMipmap(GL_TEXTURE_CUBE_MAP_ARRAY);
        EXPECT_ERROR(GL_INVALID_OPERATION);
    }
    glBindTexture(GL_TEXTURE_CUBE_MAP, 0);
    glGenerateMipmap(GL_TEXTURE_CUBE_MAP);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    if (version() >= 41 || has_extension("GL_ARB_separate_shader_objects")) {
        GLuint pipe = 0;
        GLsizei length = -1;
        GLchar log[4] = "x";
        glGenProgramPipelines(1, &pipe);
        glGetProgramPipelineInfoLog(pipe, 4, &length, log);
        EXPECT_ERROR(GL_NO_ERROR);
        EXPECT(length == 0 && !log[0]);
        glGetProgramPipelineInfoLog(pipe, -1, &length, log);
        EXPECT_ERROR(GL_INVALID_VALUE);
        glDeleteProgramPipelines(1, &pipe);
        glGetProgramPipelineInfoLog(pipe, 4, &length, log);
        EXPECT_ERROR(GL_INVALID_VALUE);
    }
}
