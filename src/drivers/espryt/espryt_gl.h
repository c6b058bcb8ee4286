// SPDX-License-Identifier: MIT
// The host's OpenGL ES entry points as one table of pointers, filled by espryt_host.cpp. Nothing in
// this driver calls an exported gl symbol: the program above us owns those. The lists below are the
// only place where a host call is named; types come from the Khronos headers.
#pragma once

#define GL_GLEXT_PROTOTYPES 1
#include <GLES3/gl32.h>

// After the core header that its declarations need.
#include <GLES2/gl2ext.h>

#include <cstdint>

namespace espryt {

// Entry points of OpenGL ES 3.1. A host without one of them is refused.
// clang-format off
#define ESPRYT_GL_REQUIRED(X) \
    X(ActiveTexture) X(AttachShader) X(BeginQuery) X(BeginTransformFeedback) X(BindBuffer) \
    X(BindBufferBase) X(BindBufferRange) X(BindFramebuffer) X(BindImageTexture) \
    X(BindRenderbuffer) X(BindSampler) X(BindTexture) X(BindTransformFeedback) \
    X(BindVertexArray) X(BindVertexBuffer) X(BlendColor) X(BlendEquationSeparate) \
    X(BlendFuncSeparate) X(BlitFramebuffer) X(BufferData) X(BufferSubData) \
    X(CheckFramebufferStatus) X(ClearBufferfi) X(ClearBufferfv) X(ClearBufferiv) \
    X(ClearBufferuiv) X(ClientWaitSync) X(ColorMask) X(CompileShader) X(CompressedTexSubImage2D) \
    X(CompressedTexSubImage3D) X(CopyBufferSubData) X(CopyTexSubImage2D) X(CopyTexSubImage3D) \
    X(CreateProgram) X(CreateShader) X(CullFace) X(DeleteBuffers) X(DeleteFramebuffers) \
    X(DeleteProgram) X(DeleteQueries) X(DeleteRenderbuffers) X(DeleteSamplers) X(DeleteShader) \
    X(DeleteSync) X(DeleteTextures) X(DeleteTransformFeedbacks) X(DeleteVertexArrays) \
    X(DepthFunc) X(DepthMask) X(DepthRangef) X(Disable) X(DisableVertexAttribArray) \
    X(DispatchCompute) X(DispatchComputeIndirect) X(DrawArrays) X(DrawArraysIndirect) \
    X(DrawArraysInstanced) X(DrawBuffers) X(DrawElements) X(DrawElementsIndirect) \
    X(DrawElementsInstanced) X(Enable) X(EnableVertexAttribArray) X(EndQuery) \
    X(EndTransformFeedback) X(FenceSync) X(Finish) X(Flush) X(FramebufferParameteri) \
    X(FramebufferRenderbuffer) X(FramebufferTexture2D) X(FramebufferTextureLayer) X(FrontFace) \
    X(GenBuffers) X(GenerateMipmap) X(GenFramebuffers) X(GenQueries) X(GenRenderbuffers) \
    X(GenSamplers) X(GenTextures) X(GenTransformFeedbacks) X(GenVertexArrays) X(GetError) \
    X(GetFloatv) X(GetInteger64v) X(GetIntegeri_v) X(GetIntegerv) X(GetInternalformativ) \
    X(GetProgramInfoLog) X(GetProgramiv) X(GetQueryObjectuiv) X(GetShaderInfoLog) X(GetShaderiv) \
    X(GetString) X(GetStringi) X(GetUniformLocation) X(GetVertexAttribiv) \
    X(InvalidateFramebuffer) X(InvalidateSubFramebuffer) X(IsEnabled) X(LineWidth) \
    X(LinkProgram) X(MapBufferRange) X(MemoryBarrier) X(PauseTransformFeedback) X(PixelStorei) \
    X(PolygonOffset) X(ReadBuffer) X(ReadPixels) X(RenderbufferStorage) \
    X(RenderbufferStorageMultisample) X(ResumeTransformFeedback) X(SampleCoverage) \
    X(SampleMaski) X(SamplerParameterf) X(SamplerParameterfv) X(SamplerParameteri) X(Scissor) \
    X(ShaderSource) X(StencilFuncSeparate) X(StencilMaskSeparate) X(StencilOpSeparate) \
    X(TexParameteri) X(TexStorage2D) X(TexStorage2DMultisample) X(TexStorage3D) X(TexSubImage2D) \
    X(TexSubImage3D) X(TransformFeedbackVaryings) X(Uniform1f) X(Uniform1fv) X(Uniform1i) \
    X(Uniform1iv) X(Uniform4f) X(Uniform4iv) X(UnmapBuffer) X(UseProgram) X(VertexAttrib4f) \
    X(VertexAttribBinding) X(VertexAttribFormat) X(VertexAttribI4i) X(VertexAttribI4ui) \
    X(VertexAttribIFormat) X(VertexBindingDivisor) X(Viewport) X(WaitSync)
// clang-format on

// Entry points of OpenGL ES 3.2, also found under an EXT, OES or KHR name. Null when absent;
// espryt_features.h says which feature promises which.
// clang-format off
#define ESPRYT_GL_OPTIONAL(X) \
    X(BlendEquationSeparatei) X(BlendFuncSeparatei) X(ColorMaski) X(CopyImageSubData) \
    X(DebugMessageInsert) X(Disablei) X(DrawElementsBaseVertex) \
    X(DrawElementsInstancedBaseVertex) X(Enablei) X(FramebufferTexture) \
    X(GetGraphicsResetStatus) X(MinSampleShading) X(PatchParameteri) X(PopDebugGroup) \
    X(PushDebugGroup) X(SamplerParameterIiv) X(SamplerParameterIuiv) X(TexBuffer) \
    X(TexBufferRange) X(TexStorage3DMultisample)
// clang-format on

// Entry points that exist under their extension's name only.
// clang-format off
#define ESPRYT_GL_EXTENSION(X) \
    X(BeginConditionalRenderNV) X(BufferStorageEXT) X(ClearTexImageEXT) \
    X(ClearTexSubImageEXT) X(ClipControlEXT) X(DepthRangeArrayfvOES) \
    X(DrawArraysInstancedBaseInstanceEXT) X(DrawElementsInstancedBaseInstanceEXT) \
    X(DrawElementsInstancedBaseVertexBaseInstanceEXT) X(EGLImageTargetTexture2DOES) \
    X(EndConditionalRenderNV) X(GetQueryObjectui64vEXT) X(PolygonModeNV) \
    X(PolygonOffsetClampEXT) X(QueryCounterEXT) X(ScissorArrayvOES) X(TextureViewEXT) \
    X(ViewportArrayvOES) X(ViewportIndexedfvOES)
// clang-format on

// One pointer per entry point. All members are function pointers, so the struct is also an array.
struct gles {
#define X(name) decltype(&::gl##name) name;
    ESPRYT_GL_REQUIRED(X) ESPRYT_GL_OPTIONAL(X) ESPRYT_GL_EXTENSION(X)
#undef X
};

// Position of an entry point in the table; `gl_call_count` of them.
enum gl_call : int {
#define X(name) gl_call_##name,
    ESPRYT_GL_REQUIRED(X) ESPRYT_GL_OPTIONAL(X) ESPRYT_GL_EXTENSION(X)
#undef X
        gl_call_count
};

// Fills `table` through `get` and returns the name of the first required entry point that the host
// lacks, or null. With `hooked`, every pointer goes through the choke point below.
const char *gles_load(gles *table, void *(*get)(const char *name), bool hooked);

// Every call of the table does nothing from here on: the process ends, and the host's own exit
// handlers come next.
void gles_unload(gles *table);

// The choke point: with MGPIPE_FAIL_HOST_CALL=n the n-th host call (GetError not counted, counted
// from the first lane on) is swallowed and the next GetError answers GL_OUT_OF_MEMORY; with the
// debug flag `trace` every call's name is logged.
bool gles_hooks_wanted();
bool gles_fault_armed();
void gles_count_from_here();

} // namespace espryt
