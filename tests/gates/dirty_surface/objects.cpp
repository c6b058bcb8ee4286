// SPDX-License-Identifier: MIT
// Rows of bindings and of the state inside objects.
#include "surface.h"

namespace surface {
namespace {

#define CALL(entry, body)                                                                          \
    Row {                                                                                          \
#entry, nullptr, [](Scene & s) { body; }, nullptr                                          \
    }
#define CALL_IN(entry, arrange, body)                                                              \
    Row {                                                                                          \
#entry, [](Scene & s) { arrange; }, [](Scene & s) { body; }, nullptr                       \
    }
#define NONE(entry, why, body)                                                                     \
    Row {                                                                                          \
#entry, nullptr, [](Scene & s) { body; }, why                                              \
    }

const GLint swizzle[4] = {GL_GREEN, GL_RED, GL_ALPHA, GL_BLUE};
const GLfloat border[4] = {0.5f, 0.25f, 0.75f, 1};
const GLint iborder[4] = {1, 2, 3, 4};
const GLuint uborder[4] = {1, 2, 3, 4};
const char *const selector = "a selector of other calls";

const Add textures {
    CALL(BindTexture, gl::BindTexture(s.c, GL_TEXTURE_2D, s.texture[1])),
        CALL(BindTextureUnit, gl::BindTextureUnit(s.c, 0, s.texture[1])),
        CALL(BindTextures, gl::BindTextures(s.c, 0, 1, &s.texture[1])),
        CALL(TexParameteri, gl::TexParameteri(s.c, GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_GREEN)),
        CALL(TexParameterf, gl::TexParameterf(s.c, GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1)),
        CALL(TexParameteriv,
             gl::TexParameteriv(s.c, GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle)),
        CALL(TexParameterfv, const GLfloat v = 1;
             gl::TexParameterfv(s.c, GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, &v)),
        CALL_IN(TexParameterIiv, gl::BindSampler(s.c, 0, 0);
                gl::TexParameteri(s.c, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER),
                gl::TexParameterIiv(s.c, GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, iborder)),
        CALL_IN(TexParameterIuiv, gl::BindSampler(s.c, 0, 0);
                gl::TexParameteri(s.c, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER),
                gl::TexParameterIuiv(s.c, GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, uborder)),
        CALL(TextureParameteri,
             gl::TextureParameteri(s.c, s.texture[0], GL_TEXTURE_SWIZZLE_R, GL_GREEN)),
        CALL(TextureParameterf, gl::TextureParameterf(s.c, s.texture[0], GL_TEXTURE_BASE_LEVEL, 1)),
        CALL(TextureParameteriv,
             gl::TextureParameteriv(s.c, s.texture[0], GL_TEXTURE_SWIZZLE_RGBA, swizzle)),
        CALL(TextureParameterfv, const GLfloat v = 1;
             gl::TextureParameterfv(s.c, s.texture[0], GL_TEXTURE_MAX_LEVEL, &v)),
        CALL_IN(TextureParameterIiv, gl::BindSampler(s.c, 0, 0);
                gl::TexParameteri(s.c, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER),
                gl::TextureParameterIiv(s.c, s.texture[0], GL_TEXTURE_BORDER_COLOR, iborder)),
        CALL_IN(TextureParameterIuiv, gl::BindSampler(s.c, 0, 0);
                gl::TexParameteri(s.c, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER),
                gl::TextureParameterIuiv(s.c, s.texture[0], GL_TEXTURE_BORDER_COLOR, uborder)),
        CALL(TexBuffer, gl::TexBuffer(s.c, GL_TEXTURE_BUFFER, GL_RGBA8, s.buffer[3])),
        CALL(TexBufferRange,
             gl::TexBufferRange(s.c, GL_TEXTURE_BUFFER, GL_RGBA8, s.buffer[2], 256, 256)),
        CALL(TextureBuffer, gl::TextureBuffer(s.c, s.buffer_texture, GL_RGBA8, s.buffer[3])),
        CALL(TextureBufferRange,
             gl::TextureBufferRange(s.c, s.buffer_texture, GL_RGBA8, s.buffer[2], 256, 256)),
};

const Add samplers {
    CALL(BindSampler, gl::BindSampler(s.c, 0, 0)),
        CALL(BindSamplers, const GLuint none = 0; gl::BindSamplers(s.c, 0, 1, &none)),
        CALL(SamplerParameteri,
             gl::SamplerParameteri(s.c, s.sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE)),
        CALL(SamplerParameterf, gl::SamplerParameterf(s.c, s.sampler, GL_TEXTURE_MIN_LOD, 1)),
        CALL(SamplerParameteriv, const GLint v = GL_NEAREST;
             gl::SamplerParameteriv(s.c, s.sampler, GL_TEXTURE_MAG_FILTER, &v)),
        CALL_IN(SamplerParameterfv,
                gl::SamplerParameteri(s.c, s.sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER),
                gl::SamplerParameterfv(s.c, s.sampler, GL_TEXTURE_BORDER_COLOR, border)),
        CALL_IN(SamplerParameterIiv,
                gl::SamplerParameteri(s.c, s.sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER),
                gl::SamplerParameterIiv(s.c, s.sampler, GL_TEXTURE_BORDER_COLOR, iborder)),
        CALL_IN(SamplerParameterIuiv,
                gl::SamplerParameteri(s.c, s.sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER),
                gl::SamplerParameterIuiv(s.c, s.sampler, GL_TEXTURE_BORDER_COLOR, uborder)),
};

const Add images{
    CALL(BindImageTexture,
         gl::BindImageTexture(s.c, 0, s.texture[2], 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8)),
    CALL(BindImageTextures, gl::BindImageTextures(s.c, 0, 1, &s.texture[2])),
};

const Add buffers {
    CALL(BindBuffer, gl::BindBuffer(s.c, GL_ELEMENT_ARRAY_BUFFER, s.buffer[0])),
        CALL(BindBufferBase, gl::BindBufferBase(s.c, GL_UNIFORM_BUFFER, 0, s.buffer[3])),
        CALL(BindBufferRange,
             gl::BindBufferRange(s.c, GL_UNIFORM_BUFFER, 0, s.buffer[2], 256, 256)),
        CALL(BindBuffersBase, gl::BindBuffersBase(s.c, GL_UNIFORM_BUFFER, 0, 1, &s.buffer[3])),
        CALL(BindBuffersRange, const GLintptr at = 256; const GLsizeiptr n = 256;
             gl::BindBuffersRange(s.c, GL_SHADER_STORAGE_BUFFER, 0, 1, &s.buffer[3], &at, &n)),
};

const Add arrays {
    CALL_IN(BindVertexArray, GLuint v; gl::GenVertexArrays(s.c, 1, &v); gl::BindVertexArray(s.c, v);
            gl::BindBuffer(s.c, GL_ELEMENT_ARRAY_BUFFER, s.buffer[1]),
            gl::BindVertexArray(s.c, s.vao)),
        CALL(BindVertexBuffer, gl::BindVertexBuffer(s.c, 0, s.buffer[2], 0, 16)),
        CALL(BindVertexBuffers, const GLintptr at = 16; const GLsizei stride = 16;
             gl::BindVertexBuffers(s.c, 0, 1, &s.buffer[0], &at, &stride)),
        CALL(VertexArrayVertexBuffer,
             gl::VertexArrayVertexBuffer(s.c, s.vao, 0, s.buffer[2], 0, 16)),
        CALL(VertexArrayVertexBuffers, const GLintptr at = 16; const GLsizei stride = 16;
             gl::VertexArrayVertexBuffers(s.c, s.vao, 0, 1, &s.buffer[0], &at, &stride)),
        CALL(VertexArrayElementBuffer, gl::VertexArrayElementBuffer(s.c, s.vao, s.buffer[0])),
        CALL(VertexAttribPointer,
             gl::VertexAttribPointer(s.c, 0, 2, GL_FLOAT, GL_FALSE, 0, nullptr)),
        CALL(VertexAttribIPointer, gl::VertexAttribIPointer(s.c, 0, 2, GL_INT, 0, nullptr)),
        CALL(VertexAttribLPointer, gl::VertexAttribLPointer(s.c, 0, 2, GL_DOUBLE, 0, nullptr)),
        CALL(VertexAttribFormat, gl::VertexAttribFormat(s.c, 0, 3, GL_FLOAT, GL_FALSE, 4)),
        CALL(VertexAttribIFormat, gl::VertexAttribIFormat(s.c, 0, 3, GL_INT, 4)),
        CALL(VertexAttribLFormat, gl::VertexAttribLFormat(s.c, 0, 2, GL_DOUBLE, 0)),
        CALL(VertexArrayAttribFormat,
             gl::VertexArrayAttribFormat(s.c, s.vao, 0, 3, GL_FLOAT, GL_FALSE, 4)),
        CALL(VertexArrayAttribIFormat, gl::VertexArrayAttribIFormat(s.c, s.vao, 0, 3, GL_INT, 4)),
        CALL(VertexArrayAttribLFormat,
             gl::VertexArrayAttribLFormat(s.c, s.vao, 0, 2, GL_DOUBLE, 0)),
        CALL_IN(VertexAttribBinding, gl::BindVertexBuffer(s.c, 1, s.buffer[2], 0, 16),
                gl::VertexAttribBinding(s.c, 0, 1)),
        CALL_IN(VertexArrayAttribBinding, gl::BindVertexBuffer(s.c, 1, s.buffer[2], 0, 16),
                gl::VertexArrayAttribBinding(s.c, s.vao, 0, 1)),
        CALL(VertexAttribDivisor, gl::VertexAttribDivisor(s.c, 0, 1)),
        CALL(VertexBindingDivisor, gl::VertexBindingDivisor(s.c, 0, 1)),
        CALL(VertexArrayBindingDivisor, gl::VertexArrayBindingDivisor(s.c, s.vao, 0, 1)),
        CALL_IN(EnableVertexAttribArray, gl::BindVertexBuffer(s.c, 1, s.buffer[2], 0, 16),
                gl::EnableVertexAttribArray(s.c, 1)),
        CALL(DisableVertexAttribArray, gl::DisableVertexAttribArray(s.c, 0)),
        CALL_IN(EnableVertexArrayAttrib, gl::BindVertexBuffer(s.c, 1, s.buffer[2], 0, 16),
                gl::EnableVertexArrayAttrib(s.c, s.vao, 1)),
        CALL(DisableVertexArrayAttrib, gl::DisableVertexArrayAttrib(s.c, s.vao, 0)),
};

const Add framebuffers {
    CALL_IN(BindFramebuffer, s.bind_fbo(), gl::BindFramebuffer(s.c, GL_DRAW_FRAMEBUFFER, 0)),
        NONE(BindRenderbuffer, selector, gl::BindRenderbuffer(s.c, GL_RENDERBUFFER, 0)),
        CALL_IN(DrawBuffer, s.bind_fbo(), gl::DrawBuffer(s.c, GL_COLOR_ATTACHMENT1)),
        CALL_IN(DrawBuffers, s.bind_fbo(), const GLenum b = GL_COLOR_ATTACHMENT1;
                gl::DrawBuffers(s.c, 1, &b)),
        CALL_IN(ReadBuffer, s.bind_fbo(), gl::ReadBuffer(s.c, GL_COLOR_ATTACHMENT1)),
        CALL_IN(NamedFramebufferDrawBuffer, s.bind_fbo(),
                gl::NamedFramebufferDrawBuffer(s.c, s.fbo, GL_COLOR_ATTACHMENT1)),
        CALL_IN(NamedFramebufferDrawBuffers, s.bind_fbo(), const GLenum b = GL_COLOR_ATTACHMENT1;
                gl::NamedFramebufferDrawBuffers(s.c, s.fbo, 1, &b)),
        CALL_IN(NamedFramebufferReadBuffer, s.bind_fbo(),
                gl::NamedFramebufferReadBuffer(s.c, s.fbo, GL_COLOR_ATTACHMENT1)),
        CALL_IN(FramebufferTexture, s.bind_fbo(),
                gl::FramebufferTexture(s.c, GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, s.target[0], 0)),
        CALL_IN(FramebufferTexture2D, s.bind_fbo(),
                gl::FramebufferTexture2D(s.c, GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D,
                                         s.target[0], 0)),
        CALL_IN(NamedFramebufferTexture, s.bind_fbo(),
                gl::NamedFramebufferTexture(s.c, s.fbo, GL_COLOR_ATTACHMENT1, s.target[0], 0)),
        CALL_IN(FramebufferRenderbuffer, s.bind_fbo(),
                gl::FramebufferRenderbuffer(s.c, GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT,
                                            GL_RENDERBUFFER, 0)),
        CALL_IN(NamedFramebufferRenderbuffer, s.bind_fbo(),
                gl::NamedFramebufferRenderbuffer(s.c, s.fbo, GL_DEPTH_STENCIL_ATTACHMENT,
                                                 GL_RENDERBUFFER, 0)),
        CALL_IN(RenderbufferStorage, s.bind_fbo(),
                gl::RenderbufferStorage(s.c, GL_RENDERBUFFER, GL_DEPTH32F_STENCIL8, 64, 64)),
        CALL_IN(NamedRenderbufferStorage, s.bind_fbo(),
                gl::NamedRenderbufferStorage(s.c, s.renderbuffer, GL_DEPTH32F_STENCIL8, 64, 64)),
};

const Add programs{
    CALL(UseProgram, gl::UseProgram(s.c, s.other_name)),
    CALL(UniformBlockBinding, gl::UniformBlockBinding(s.c, s.program_name, 0, 1)),
    CALL(ShaderStorageBlockBinding, gl::ShaderStorageBlockBinding(s.c, s.program_name, 0, 1)),
    NONE(ActiveShaderProgram, selector, (void)s),
};

} // namespace
} // namespace surface
