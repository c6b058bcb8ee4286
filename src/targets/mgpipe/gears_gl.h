// SPDX-License-Identifier: MIT
// EGL and OpenGL for the demo, reached like any program does: the system's libEGL.so.1, then
// eglGetProcAddress.
#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#define GEARS_EGL_FUNCTIONS(X)                                                                     \
    X(EGLBoolean, GetConfigAttrib, (EGLDisplay, EGLConfig, EGLint, EGLint *))                      \
    X(EGLDisplay, GetPlatformDisplay, (EGLenum, void *, const EGLAttrib *))                        \
    X(EGLBoolean, Initialize, (EGLDisplay, EGLint *, EGLint *))                                    \
    X(EGLBoolean, BindAPI, (EGLenum))                                                              \
    X(EGLBoolean, ChooseConfig, (EGLDisplay, const EGLint *, EGLConfig *, EGLint, EGLint *))       \
    X(EGLContext, CreateContext, (EGLDisplay, EGLConfig, EGLContext, const EGLint *))              \
    X(EGLSurface, CreatePbufferSurface, (EGLDisplay, EGLConfig, const EGLint *))                   \
    X(EGLBoolean, MakeCurrent, (EGLDisplay, EGLSurface, EGLSurface, EGLContext))                   \
    X(EGLBoolean, SwapBuffers, (EGLDisplay, EGLSurface))                                           \
    X(EGLBoolean, DestroySurface, (EGLDisplay, EGLSurface))                                        \
    X(EGLBoolean, DestroyContext, (EGLDisplay, EGLContext))                                        \
    X(EGLBoolean, Terminate, (EGLDisplay))                                                         \
    X(EGLint, GetError, (void))                                                                    \
    X(__eglMustCastToProperFunctionPointerType, GetProcAddress, (const char *))

#define GEARS_GL_FUNCTIONS(X)                                                                      \
    X(PFNGLACTIVETEXTUREPROC, ActiveTexture)                                                       \
    X(PFNGLATTACHSHADERPROC, AttachShader)                                                         \
    X(PFNGLBINDBUFFERPROC, BindBuffer)                                                             \
    X(PFNGLBINDBUFFERRANGEPROC, BindBufferRange)                                                   \
    X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                   \
    X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                 \
    X(PFNGLBINDTEXTUREPROC, BindTexture)                                                           \
    X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                   \
    X(PFNGLBUFFERDATAPROC, BufferData)                                                             \
    X(PFNGLBUFFERSUBDATAPROC, BufferSubData)                                                       \
    X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                     \
    X(PFNGLCLEARCOLORPROC, ClearColor)                                                             \
    X(PFNGLCLEARPROC, Clear)                                                                       \
    X(PFNGLCOMPILESHADERPROC, CompileShader)                                                       \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                       \
    X(PFNGLCREATESHADERPROC, CreateShader)                                                         \
    X(PFNGLDELETESHADERPROC, DeleteShader)                                                         \
    X(PFNGLDISABLEPROC, Disable)                                                                   \
    X(PFNGLDRAWARRAYSPROC, DrawArrays)                                                             \
    X(PFNGLDRAWELEMENTSPROC, DrawElements)                                                         \
    X(PFNGLENABLEPROC, Enable)                                                                     \
    X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                   \
    X(PFNGLFINISHPROC, Finish)                                                                     \
    X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                   \
    X(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                                         \
    X(PFNGLGENBUFFERSPROC, GenBuffers)                                                             \
    X(PFNGLGENERATEMIPMAPPROC, GenerateMipmap)                                                     \
    X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                   \
    X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                 \
    X(PFNGLGENTEXTURESPROC, GenTextures)                                                           \
    X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                   \
    X(PFNGLGETERRORPROC, GetError)                                                                 \
    X(PFNGLGETINTEGERVPROC, GetIntegerv)                                                           \
    X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)                                               \
    X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                         \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)                                                 \
    X(PFNGLGETSHADERIVPROC, GetShaderiv)                                                           \
    X(PFNGLGETSTRINGPROC, GetString)                                                               \
    X(PFNGLGETUNIFORMBLOCKINDEXPROC, GetUniformBlockIndex)                                         \
    X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                             \
    X(PFNGLLINKPROGRAMPROC, LinkProgram)                                                           \
    X(PFNGLREADPIXELSPROC, ReadPixels)                                                             \
    X(PFNGLRENDERBUFFERSTORAGEPROC, RenderbufferStorage)                                           \
    X(PFNGLSHADERSOURCEPROC, ShaderSource)                                                         \
    X(PFNGLTEXIMAGE2DPROC, TexImage2D)                                                             \
    X(PFNGLTEXPARAMETERIPROC, TexParameteri)                                                       \
    X(PFNGLUNIFORM1IPROC, Uniform1i)                                                               \
    X(PFNGLUNIFORMBLOCKBINDINGPROC, UniformBlockBinding)                                           \
    X(PFNGLUSEPROGRAMPROC, UseProgram)                                                             \
    X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                           \
    X(PFNGLVIEWPORTPROC, Viewport)

struct EglFunctions {
#define X(result, name, args) result(EGLAPIENTRY *name) args;
    GEARS_EGL_FUNCTIONS(X)
#undef X
};

struct GlFunctions {
#define X(type, name) type name;
    GEARS_GL_FUNCTIONS(X)
#undef X
};

// Null on success, else what is missing. GL functions are loaded with a context current.
const char *load_egl(EglFunctions &egl);
const char *load_gl(const EglFunctions &egl, GlFunctions &gl);
