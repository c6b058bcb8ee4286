// SPDX-License-Identifier: MIT
// Programs, samplers and state of internal draws, and the draw that fetches texels.
#include "espryt_blit_tools.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>

#include "espryt_blit.h"
#include "espryt_draw.h"
#include "espryt_query.h"
#include "util/log.h"

namespace espryt {

namespace {

const char *const triangle =
    "void main() {\n"
    "    vec2 p = vec2(float((gl_VertexID & 1) << 2) - 1.0, float((gl_VertexID & 2) << 1) - 1.0);\n"
    "    gl_Position = vec4(p, 0.0, 1.0);\n}\n";

using internal_stage = std::pair<GLenum, std::string>;

GLuint link_internal(context *ctx, std::initializer_list<internal_stage> stages) {
    const gles *gl = ctx->gl;
    GLuint program = gl->CreateProgram();
    for (const auto &[stage, source] : stages) {
        GLuint s = gl->CreateShader(stage);
        const std::string text =
            "#version 310 es\nprecision highp float;\nprecision highp int;\n" + source;
        const char *p = text.c_str();
        gl->ShaderSource(s, 1, &p, nullptr);
        gl->CompileShader(s);
        gl->AttachShader(program, s);
        gl->DeleteShader(s);
    }
    gl->LinkProgram(program);
    GLint ok = 0;
    gl->GetProgramiv(program, GL_LINK_STATUS, &ok);
    bool failed = host_failed(ctx, "an internal program");
    if (ok && !failed)
        return program;
    if (!failed) {
        char log[512] = "";
        gl->GetProgramInfoLog(program, sizeof(log), nullptr, log);
        log_error("espryt", "an internal program was refused: %s", log);
    }
    gl->DeleteProgram(program);
    return 0;
}

} // namespace

host_name internal_program(context *ctx, const std::string &vs, const std::string &fs) {
    return {link_internal(ctx, {{GL_VERTEX_SHADER, vs}, {GL_FRAGMENT_SHADER, fs}}), next_serial()};
}

host_name internal_compute(context *ctx, const std::string &source) {
    return {link_internal(ctx, {{GL_COMPUTE_SHADER, source}}), next_serial()};
}

blitter *blit_tools(context *ctx) {
    if (ctx->blit_tools)
        return ctx->blit_tools;
    const gles *gl = ctx->gl;
    auto b = ctx->blit_tools = new blitter;
    for (host_name *s : {&b->nearest, &b->linear}) {
        gl->GenSamplers(1, &s->name);
        s->serial = next_serial();
        GLint min = s == &b->linear ? GL_LINEAR_MIPMAP_NEAREST : GL_NEAREST_MIPMAP_NEAREST;
        gl->SamplerParameteri(s->name, GL_TEXTURE_MIN_FILTER, min);
        gl->SamplerParameteri(s->name, GL_TEXTURE_MAG_FILTER,
                              s == &b->linear ? GL_LINEAR : GL_NEAREST);
        gl->SamplerParameteri(s->name, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        gl->SamplerParameteri(s->name, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    return b;
}

void begin_internal(context *ctx, int x, int y, int w, int h) {
    const gles *gl = ctx->gl;
    stream_output_pause_internal(ctx, true);
    queries_pause(ctx);
    for (GLenum cap :
         {GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE, GL_RASTERIZER_DISCARD,
          GL_SAMPLE_ALPHA_TO_COVERAGE, GL_SAMPLE_MASK, GL_SAMPLE_COVERAGE})
        gl->Disable(cap);
    if (ctx->has(feature::clip_control) && gl->ClipControlEXT)
        gl->ClipControlEXT(GL_LOWER_LEFT_EXT, GL_NEGATIVE_ONE_TO_ONE_EXT);
    if (ctx->has(feature::clip_cull_distance)) { // the programs write no distances
        for (unsigned i = 0; i < 8; i++)
            ctx->sh.enable(GL_CLIP_DISTANCE0_EXT + i, false);
    }
    if (ctx->polygon_mode_used && ctx->has(feature::polygon_mode) && gl->PolygonModeNV)
        gl->PolygonModeNV(GL_FRONT_AND_BACK, GL_FILL_NV);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    const float viewport[4] = {float(x), float(y), float(w), float(h)};
    ctx->sh.viewport(viewport);
    for (unsigned i = 0; i < max_host_attribs; i++)
        ctx->sh.attrib(i, {});
}

void end_internal(context *ctx) {
    ctx->sh.forget_enables({GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE,
                            GL_RASTERIZER_DISCARD, GL_SAMPLE_ALPHA_TO_COVERAGE, GL_SAMPLE_MASK,
                            GL_SAMPLE_COVERAGE});
    queries_resume(ctx);
    state_disturbed(ctx);
}

namespace {

host_name fetch_program(context *ctx, unsigned dim, unsigned cls) {
    host_name &n = blit_tools(ctx)->fetch[dim][cls];
    if (n.name)
        return n;
    static const char *const samplers[3] = {"sampler2D", "sampler2DArray", "sampler3D"};
    std::string p = blit_class_prefix[cls];
    std::string fs = "layout(binding = 0) uniform highp " + p + samplers[dim] + " t;\n" +
                     "uniform ivec4 origin;\nlayout(location = 0) out " + p + "vec4 c;\n" +
                     "void main() {\n    ivec2 at = ivec2(gl_FragCoord.xy) + origin.xy;\n    c = "
                     "texelFetch(t, " +
                     (dim ? "ivec3(at, origin.z)" : "at") + ", origin.w);\n}\n";
    n = internal_program(ctx, triangle, fs);
    return n;
}

bool fetch_target(context *ctx, GLenum format, unsigned w, unsigned h) {
    blitter *b = blit_tools(ctx);
    const gles *gl = ctx->gl;
    if (b->target.name && b->format == format && b->width >= w && b->height >= h)
        return true;
    if (b->target.name) {
        ctx->sh.forget_texture(b->target);
        gl->DeleteTextures(1, &b->target.name);
    }
    b->target = {0, next_serial()};
    b->width = std::max(64u, w);
    b->height = std::max(64u, h);
    b->format = format;
    gl->GenTextures(1, &b->target.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, b->target))
        gl->TexStorage2D(GL_TEXTURE_2D, 1, format, static_cast<GLsizei>(b->width),
                         static_cast<GLsizei>(b->height));
    if (!host_failed(ctx, "fetch target"))
        return true;
    b->width = b->height = 0; // made anew next time
    return false;
}

} // namespace

bool shader_fetch(context *ctx, resource *r, unsigned level, unsigned slice, unsigned aspects,
                  int x, int y, unsigned w, unsigned h, uint32_t *layout) {
    const gles *gl = ctx->gl;
    const pipe_format_desc *d = r->describe();
    bool stencil = aspects == PIPE_ASPECT_STENCIL;
    unsigned cls = stencil ? 2 : d->is_integer && !d->is_depth ? (d->is_signed ? 1 : 2) : 0;
    static const uint32_t layouts[3] = {PIPE_FORMAT_R32G32B32A32_FLOAT,
                                        PIPE_FORMAT_R32G32B32A32_SINT,
                                        PIPE_FORMAT_R32G32B32A32_UINT};
    *layout = layouts[cls];
    if (r->desc.samples > 1 || r->target == GL_RENDERBUFFER || r->target == GL_TEXTURE_BUFFER)
        return false;
    unsigned dim = r->target == GL_TEXTURE_2D ? 0 : r->target == GL_TEXTURE_3D ? 2 : 1;
    texture_ref t{r->name, r->target, &r->applied};
    if (r->target == GL_TEXTURE_CUBE_MAP || r->target == GL_TEXTURE_CUBE_MAP_ARRAY)
        t = texture_as(ctx, r, r->desc.format, PIPE_TEXTURE_2D_ARRAY, 0, 0);
    host_name program = fetch_program(ctx, dim, cls);
    if (!t.name.name || t.target == GL_TEXTURE_CUBE_MAP || !program.name ||
        !fetch_target(ctx, format_of(layouts[cls]).internal, w, h))
        return false;
    begin_internal(ctx, 0, 0, static_cast<int>(w), static_cast<int>(h));
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    ctx->sh.bind_framebuffer(GL_FRAMEBUFFER, ctx->scratch_fbo[1]);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                             blit_tools(ctx)->target.name, 0);
    const GLenum buffer = GL_COLOR_ATTACHMENT0;
    gl->DrawBuffers(1, &buffer);
    gl->ReadBuffer(buffer);
    texture_object_state plain;
    plain.stencil = stencil && d->is_depth;
    apply_texture_state(ctx, t, plain);
    ctx->sh.bind_texture(0, t.target, t.name);
    ctx->sh.bind_sampler(0, blit_tools(ctx)->nearest);
    ctx->sh.use_program(program);
    const GLint origin[4] = {x, y, static_cast<GLint>(slice), static_cast<GLint>(level)};
    gl->Uniform4iv(gl->GetUniformLocation(program.name, "origin"), 1, origin);
    bool srgb = d->is_srgb && ctx->has(feature::srgb_decode);
    if (srgb)
        gl->SamplerParameteri(blit_tools(ctx)->nearest.name, GL_TEXTURE_SRGB_DECODE_EXT,
                              GL_SKIP_DECODE_EXT);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    if (srgb)
        gl->SamplerParameteri(blit_tools(ctx)->nearest.name, GL_TEXTURE_SRGB_DECODE_EXT,
                              GL_DECODE_EXT);
    end_internal(ctx);
    return !host_failed(ctx, "texel fetch");
}

void shader_fetch_done(context *ctx) {
    ctx->sh.bind_framebuffer(GL_FRAMEBUFFER, ctx->scratch_fbo[1]);
    ctx->gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
}

void blit_tools_destroy(context *ctx) {
    blitter *b = ctx->blit_tools;
    if (!b)
        return;
    auto drop = [&](host_name n) {
        if (!n.name)
            return;
        ctx->sh.forget_program(n);
        ctx->gl->DeleteProgram(n.name);
    };
    for (auto &row : b->fetch) {
        for (host_name &n : row)
            drop(n);
    }
    for (auto &row : b->draw) {
        for (host_name &n : row)
            drop(n);
    }
    drop(b->scatter);
    for (host_name &n : b->depth_level)
        drop(n);
    for (host_name &n : {std::ref(b->nearest), std::ref(b->linear)}) {
        ctx->sh.forget_sampler(n);
        ctx->gl->DeleteSamplers(1, &n.name);
    }
    if (b->target.name) {
        ctx->sh.forget_texture(b->target);
        ctx->gl->DeleteTextures(1, &b->target.name);
    }
    delete b;
    ctx->blit_tools = nullptr;
}

} // namespace espryt
