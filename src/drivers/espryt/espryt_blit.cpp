// SPDX-License-Identifier: MIT
// Blits, mipmap generation, framebuffer-to-texture copies, and the internal draws behind them.
#include "espryt_blit.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include "espryt_draw.h"
#include "espryt_query.h"
#include "util/log.h"

namespace espryt {

struct blitter {
    host_name fetch[3][3]; // dimension (2D, 2D array, 3D) x class (float, int, uint)
    host_name draw[3];
    host_name draw_depth;
    host_name nearest, linear; // samplers
    host_name target;          // of fetches
    unsigned width = 0, height = 0;
    GLenum format = 0;
};

namespace {

const char *const triangle =
    "void main() {\n"
    "    vec2 p = vec2(float((gl_VertexID & 1) << 2) - 1.0, float((gl_VertexID & 2) << 1) - 1.0);\n"
    "    gl_Position = vec4(p, 0.0, 1.0);\n}\n";

GLuint build(context *ctx, const std::string &vs, const std::string &fs) {
    const gles *gl = ctx->gl;
    GLuint program = gl->CreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint s = gl->CreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        const std::string text =
            "#version 310 es\nprecision highp float;\nprecision highp int;\n" + (i ? fs : vs);
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

blitter *tools(context *ctx) {
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

const char *const class_prefix[3] = {"", "i", "u"};

host_name fetch_program(context *ctx, unsigned dim, unsigned cls) {
    host_name &n = tools(ctx)->fetch[dim][cls];
    if (n.name)
        return n;
    static const char *const samplers[3] = {"sampler2D", "sampler2DArray", "sampler3D"};
    std::string p = class_prefix[cls];
    std::string fs = "layout(binding = 0) uniform highp " + p + samplers[dim] + " t;\n" +
                     "uniform ivec4 origin;\nlayout(location = 0) out " + p + "vec4 c;\n" +
                     "void main() {\n    ivec2 at = ivec2(gl_FragCoord.xy) + origin.xy;\n    c = "
                     "texelFetch(t, " +
                     (dim ? "ivec3(at, origin.z)" : "at") + ", origin.w);\n}\n";
    n = {build(ctx, triangle, fs), next_serial()};
    return n;
}

// Host state that an internal draw needs; what it disturbs is applied again by the next verb.
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

bool fetch_target(context *ctx, GLenum format, unsigned w, unsigned h) {
    blitter *b = tools(ctx);
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
                             tools(ctx)->target.name, 0);
    const GLenum buffer = GL_COLOR_ATTACHMENT0;
    gl->DrawBuffers(1, &buffer);
    gl->ReadBuffer(buffer);
    texture_object_state plain;
    plain.stencil = stencil && d->is_depth;
    apply_texture_state(ctx, t, plain);
    ctx->sh.bind_texture(0, t.target, t.name);
    ctx->sh.bind_sampler(0, tools(ctx)->nearest);
    ctx->sh.use_program(program);
    const GLint origin[4] = {x, y, static_cast<GLint>(slice), static_cast<GLint>(level)};
    gl->Uniform4iv(gl->GetUniformLocation(program.name, "origin"), 1, origin);
    bool srgb = d->is_srgb && ctx->has(feature::srgb_decode);
    if (srgb)
        gl->SamplerParameteri(tools(ctx)->nearest.name, GL_TEXTURE_SRGB_DECODE_EXT,
                              GL_SKIP_DECODE_EXT);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    if (srgb)
        gl->SamplerParameteri(tools(ctx)->nearest.name, GL_TEXTURE_SRGB_DECODE_EXT, GL_DECODE_EXT);
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
    for (host_name &n : b->draw)
        drop(n);
    drop(b->draw_depth);
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

namespace {

const char *const quad = "uniform vec4 rect;\nout vec2 uv;\n"
                         "void main() {\n"
                         "    vec2 p = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));\n"
                         "    uv = rect.xy + p * rect.zw;\n"
                         "    gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);\n}\n";

// Writes the sampled texel to every draw buffer.
host_name draw_program(context *ctx, unsigned cls, bool depth) {
    host_name &n = depth ? tools(ctx)->draw_depth : tools(ctx)->draw[cls];
    if (n.name)
        return n;
    std::string p = class_prefix[cls],
                fs = "in vec2 uv;\nlayout(binding = 0) uniform highp " + p + "sampler2D t;\n";
    std::string body;
    for (unsigned i = 0; !depth && i < std::min(8u, ctx->scr->caps.max_color_buffers); i++) {
        std::string o = std::to_string(i);
        fs += "layout(location = " + o + ") out " + p + "vec4 c" + o + ";\n";
        body += "    c" + o + " = v;\n";
    }
    // Beyond the source nothing is written.
    fs +=
        "void main() {\n    if (any(lessThan(uv, vec2(0))) || any(greaterThanEqual(uv, vec2(1))))\n"
        "        discard;\n    " +
        p + "vec4 v = textureLod(t, uv, 0.0);\n" + (depth ? "    gl_FragDepth = v.x;\n" : body) +
        "}\n";
    n = {build(ctx, quad, fs), next_serial()};
    return n;
}

struct rect {
    int x0, y0, x1, y1;
    int w() const { return std::abs(x1 - x0); }
    int h() const { return std::abs(y1 - y0); }
};

// The source as a single-sampled texture that begins at texel 0,0 of the framebuffer. {0,0} on
// failure.
host_name source_copy(context *ctx, uint32_t format, GLbitfield mask, unsigned w, unsigned h) {
    const gles *gl = ctx->gl;
    host_name tmp{0, next_serial()};
    gl->GenTextures(1, &tmp.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, tmp))
        gl->TexStorage2D(GL_TEXTURE_2D, 1, format_of(format).internal, static_cast<GLsizei>(w),
                         static_cast<GLsizei>(h));
    GLenum point = depth_stencil_point(format);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    gl->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, point, GL_TEXTURE_2D, tmp.name, 0);
    const GLenum buffer = mask == GL_COLOR_BUFFER_BIT ? GL_COLOR_ATTACHMENT0 : GL_NONE;
    gl->DrawBuffers(1, &buffer);
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    gl->BlitFramebuffer(0, 0, static_cast<GLint>(w), static_cast<GLint>(h), 0, 0,
                        static_cast<GLint>(w), static_cast<GLint>(h), mask, GL_NEAREST);
    gl->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, point, GL_TEXTURE_2D, 0, 0);
    if (host_failed(ctx, "blit source")) {
        ctx->sh.forget_texture(tmp);
        gl->DeleteTextures(1, &tmp.name);
        return {};
    }
    return tmp;
}

// Draws the source's copy over the destination rectangle.
bool blit_by_shader(context *ctx, framebuffer *src, framebuffer *dst, rect s, rect d, bool depth,
                    bool linear) {
    const gles *gl = ctx->gl;
    uint32_t format = depth ? src->depth_format : src->read_format;
    const pipe_format_desc *f = pipe_format_describe(format);
    unsigned cls = depth || !f->is_integer ? 0 : f->is_signed ? 1 : 2;
    unsigned w = src->width, h = src->height;
    if (!format || !w || !h || !d.w() || !d.h())
        return false;
    emulated(emulation::shader_blit);
    GLbitfield mask = !depth ? GL_COLOR_BUFFER_BIT : GL_DEPTH_BUFFER_BIT;
    host_name tmp = source_copy(ctx, format, mask, w, h);
    host_name program = draw_program(ctx, cls, depth);
    if (!tmp.name || !program.name || !bind_draw_framebuffer(ctx, dst))
        return false;
    if (ctx->rs)
        apply_clear_state(ctx, dst); // the copy had no scissor
    int x = std::min(d.x0, d.x1), y = std::min(d.y0, d.y1);
    begin_internal(ctx, x, y, d.w(), d.h());
    if (depth) {
        gl->Enable(GL_DEPTH_TEST);
        gl->DepthFunc(GL_ALWAYS);
        ctx->sh.depth_mask(true);
        gl->ColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    }
    ctx->sh.bind_texture(0, GL_TEXTURE_2D, tmp);
    ctx->sh.bind_sampler(0, linear ? tools(ctx)->linear : tools(ctx)->nearest);
    ctx->sh.use_program(program);
    // Mirroring: texture coordinates run backwards where one side of the boxes does.
    float u0 = float(d.x0 < d.x1 ? s.x0 : s.x1) / float(w),
          u1 = float(d.x0 < d.x1 ? s.x1 : s.x0) / float(w);
    float v0 = float(d.y0 < d.y1 ? s.y0 : s.y1) / float(h),
          v1 = float(d.y0 < d.y1 ? s.y1 : s.y0) / float(h);
    gl->Uniform4f(gl->GetUniformLocation(program.name, "rect"), u0, v0, u1 - u0, v1 - v0);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    end_internal(ctx);
    ctx->sh.forget_texture(tmp);
    gl->DeleteTextures(1, &tmp.name);
    return !host_failed(ctx, "shader blit");
}

bool host_blits_color(const framebuffer *src, const framebuffer *dst, const rect &s,
                      const rect &d) {
    if (dst->samples > 1)
        return false;
    if (src->read_samples <= 1)
        return true;
    bool same = s.x0 == d.x0 && s.y0 == d.y0 && s.x1 == d.x1 && s.y1 == d.y1;
    for (uint32_t f : dst->output_format) {
        if (f && format_of(f).internal != format_of(src->read_format).internal)
            return false;
    }
    return same;
}

void blit_color(context *ctx, framebuffer *src, framebuffer *dst, rect s, rect d, bool linear) {
    const pipe_format_desc *f = pipe_format_describe(src->read_format);
    if (f->is_integer)
        linear = false;
    if (host_blits_color(src, dst, s, d) && !ctx->forced(emulation::shader_blit)) {
        ctx->gl->BlitFramebuffer(s.x0, s.y0, s.x1, s.y1, d.x0, d.y0, d.x1, d.y1,
                                 GL_COLOR_BUFFER_BIT, linear ? GL_LINEAR : GL_NEAREST);
        if (!host_failed(ctx, "blit"))
            return;
    }
    if (!ctx->host_oom && !blit_by_shader(ctx, src, dst, s, d, false, linear) && !ctx->host_oom)
        log_warning_once("espryt", "a colour blit from %s was refused",
                         pipe_format_name(src->read_format));
}

void blit_depth_stencil(context *ctx, framebuffer *src, framebuffer *dst, rect s, rect d,
                        GLbitfield mask) {
    bool forced = ctx->forced(emulation::shader_blit) && !(mask & GL_STENCIL_BUFFER_BIT);
    if (dst->samples <= 1 && !forced) {
        ctx->gl->BlitFramebuffer(s.x0, s.y0, s.x1, s.y1, d.x0, d.y0, d.x1, d.y1, mask, GL_NEAREST);
        if (!host_failed(ctx, "depth-stencil blit") || ctx->host_oom)
            return;
    }
    if (mask & GL_STENCIL_BUFFER_BIT)
        log_warning_once("espryt", "a stencil blit was refused");
    if ((mask & GL_DEPTH_BUFFER_BIT) && !blit_by_shader(ctx, src, dst, s, d, true, false) &&
        !ctx->host_oom)
        log_warning_once("espryt", "a depth blit was refused");
}

// Multisample to multisample, same format and place: texels and samples move as they are.
bool blit_by_copy(context *ctx, framebuffer *src, framebuffer *dst, const rect &s, const rect &d,
                  uint32_t mask) {
    if (dst->samples <= 1 || src->samples != dst->samples || !ctx->has(feature::copy_image) ||
        s.w() != d.w() || s.h() != d.h() || (s.x1 < s.x0) != (d.x1 < d.x0) ||
        (s.y1 < s.y0) != (d.y1 < d.y0) || (ctx->dyn->scissor.enable_mask & 1))
        return false;
    auto copy = [&](const pipe_surface_view &a, const pipe_surface_view &b) {
        resource *from = find_resource(ctx, a.resource), *to = find_resource(ctx, b.resource);
        if (!from || !to || from->fmt->internal != to->fmt->internal)
            return false;
        ctx->gl->CopyImageSubData(from->name.name, from->target, a.level, std::min(s.x0, s.x1),
                                  std::min(s.y0, s.y1), static_cast<GLint>(a.layer), to->name.name,
                                  to->target, b.level, std::min(d.x0, d.x1), std::min(d.y0, d.y1),
                                  static_cast<GLint>(b.layer), s.w(), s.h(), 1);
        return !host_failed(ctx, "multisample copy");
    };
    bool ok = true;
    if ((mask & PIPE_BUFFER_COLOR0) && src->state->read_buffer >= 0) {
        for (int8_t a : dst->state->draw_buffer) {
            if (a >= 0 && a < 8)
                ok = copy(src->state->color[src->state->read_buffer], dst->state->color[a]) && ok;
        }
    }
    if (mask & (PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL))
        ok = copy(src->state->depth.kind ? src->state->depth : src->state->stencil,
                  dst->state->depth.kind ? dst->state->depth : dst->state->stencil) &&
             ok;
    return ok;
}

void blit(pipe_context *pc, const pipe_blit *p) {
    context *ctx = to_context(pc);
    if (ctx->condition_skips)
        return;
    framebuffer *src = find_framebuffer(ctx, p->src), *dst = find_framebuffer(ctx, p->dst);
    rect s{p->src_box.x0, p->src_box.y0, p->src_box.x1, p->src_box.y1};
    rect d{p->dst_box.x0, p->dst_box.y0, p->dst_box.x1, p->dst_box.y1};
    bool ready = bind_draw_framebuffer(ctx, dst) && bind_read_framebuffer(ctx, src);
    // Building one may have bound both targets.
    ready = ready && bind_draw_framebuffer(ctx, dst) && bind_read_framebuffer(ctx, src);
    if (ready && ctx->rs)
        apply_clear_state(ctx, dst);
    if (ready && !setup_failed(ctx, "blit")) {
        condition_scope condition(ctx);
        ctx->dirty |= dirty_framebuffer;
        if (!blit_by_copy(ctx, src, dst, s, d, p->mask)) {
            GLbitfield zs = (p->mask & PIPE_BUFFER_DEPTH ? GL_DEPTH_BUFFER_BIT : 0) |
                            (p->mask & PIPE_BUFFER_STENCIL ? GL_STENCIL_BUFFER_BIT : 0);
            if (zs)
                blit_depth_stencil(ctx, src, dst, s, d, zs);
            if (zs && (p->mask & PIPE_BUFFER_COLOR0)) {
                bind_draw_framebuffer(ctx, dst);
                bind_read_framebuffer(ctx, src);
            }
            if ((p->mask & PIPE_BUFFER_COLOR0) && src->read_format)
                blit_color(ctx, src, dst, s, d, p->filter == PIPE_TEX_FILTER_LINEAR);
        }
    }
    verb_done(ctx, "blit");
}

void generate_mipmap(pipe_context *pc, const pipe_generate_mipmap *p) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->texture);
    if (!r || r->is_buffer() || r->target == GL_RENDERBUFFER || p->last_level <= p->base_level)
        return;
    texture_ref t{r->name, r->target, &r->applied};
    unsigned layers = r->desc.target == PIPE_TEXTURE_3D ? 1 : r->level_depth(0);
    bool other = p->format && format_of(p->format).internal != r->fmt->internal;
    if (other || (p->num_layers && p->num_layers != layers && r->desc.target != PIPE_TEXTURE_3D))
        t = texture_as(ctx, r, p->format, r->desc.target, p->first_layer, p->num_layers);
    if (!t.name.name)
        return;
    texture_object_state want;
    if (t.state->known())
        want = *t.state;
    want.base = static_cast<uint16_t>(p->base_level);
    want.max = static_cast<uint16_t>(p->last_level);
    apply_texture_state(ctx, t, want);
    if (ctx->sh.bind_scratch_texture(t.target, t.name)) {
        // A texture whose own sampler skips the decode is filtered as it is stored.
        const sampler *own = r->has_params ? ctx->scr->samplers.find(r->params->sampler) : nullptr;
        const bool skip = own && !own->state.srgb_decode && r->describe()->is_srgb &&
                          ctx->has(feature::srgb_decode);
        if (skip)
            ctx->gl->TexParameteri(t.target, GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
        ctx->gl->GenerateMipmap(t.target);
        if (skip)
            ctx->gl->TexParameteri(t.target, GL_TEXTURE_SRGB_DECODE_EXT, GL_DECODE_EXT);
    }
    ctx->dirty |= dirty_textures; // base and maximum level are the view's again at the next draw
    if (host_failed(ctx, "mipmap generation") && !ctx->host_oom)
        log_warning("espryt", "no mipmaps for %s on this host", pipe_format_name(r->desc.format));
    verb_done(ctx, "generate_mipmap");
}

void copy_framebuffer_to_texture(pipe_context *pc, const pipe_copy_framebuffer_to_texture *p) {
    context *ctx = to_context(pc);
    const gles *gl = ctx->gl;
    framebuffer *src = find_framebuffer(ctx, p->framebuffer);
    resource *r = find_resource(ctx, p->texture);
    if (!r || r->is_buffer() || !bind_read_framebuffer(ctx, src))
        return;
    bool zs = p->mask & (PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL);
    GLbitfield mask = zs ? (p->mask & PIPE_BUFFER_DEPTH ? GL_DEPTH_BUFFER_BIT : 0) |
                               (p->mask & PIPE_BUFFER_STENCIL ? GL_STENCIL_BUFFER_BIT : 0)
                         : GL_COLOR_BUFFER_BIT;
    auto w = static_cast<GLint>(p->width), h = static_cast<GLint>(p->height);
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    ctx->dirty |= dirty_scissor | dirty_framebuffer;
    bool ok = false;
    if (r->fmt->caps & (PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_DEPTH_STENCIL)) {
        GLenum point = depth_stencil_point(r->desc.format);
        ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
        attach(ctx, GL_DRAW_FRAMEBUFFER, point, r, PIPE_FORMAT_NONE, p->level,
               static_cast<unsigned>(p->dst_z), false);
        const GLenum buffer = zs ? GL_NONE : GL_COLOR_ATTACHMENT0;
        gl->DrawBuffers(1, &buffer);
        if (ctx->has(feature::srgb_write_control))
            ctx->sh.enable(GL_FRAMEBUFFER_SRGB_EXT, false);
        gl->BlitFramebuffer(p->x, p->y, p->x + w, p->y + h, p->dst_x, p->dst_y, p->dst_x + w,
                            p->dst_y + h, mask, GL_NEAREST);
        ok = !host_failed(ctx, "copy to texture");
        gl->FramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
        ctx->sh.state.known = false;
    }
    if (!ok && !zs && !ctx->host_oom && ctx->sh.bind_scratch_texture(r->target, r->name)) {
        auto level = static_cast<GLint>(p->level);
        if (r->target == GL_TEXTURE_2D)
            gl->CopyTexSubImage2D(GL_TEXTURE_2D, level, p->dst_x, p->dst_y, p->x, p->y, w, h);
        else if (r->target == GL_TEXTURE_CUBE_MAP)
            gl->CopyTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(p->dst_z),
                                  level, p->dst_x, p->dst_y, p->x, p->y, w, h);
        else
            gl->CopyTexSubImage3D(r->target, level, p->dst_x, p->dst_y, p->dst_z, p->x, p->y, w, h);
        ok = !host_failed(ctx, "copy to texture");
    }
    if (!ok && !ctx->host_oom)
        log_warning_once("espryt", "a copy to a texture of %s was refused",
                         pipe_format_name(r->desc.format));
    verb_done(ctx, "copy_framebuffer_to_texture");
}

} // namespace

void init_blit_functions(screen *, context *c) {
    if (!c)
        return;
    c->blit = blit;
    c->generate_mipmap = generate_mipmap;
    c->copy_framebuffer_to_texture = copy_framebuffer_to_texture;
}

} // namespace espryt
