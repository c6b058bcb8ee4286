// SPDX-License-Identifier: MIT
// Blits drawn by a shader from a copy of the source, or from the samples of the source itself.
// Stencil is drawn bit by bit: fragments without the bit are discarded, the others write it.
#include "espryt_blit_draw.h"

#include <algorithm>

#include "espryt_draw.h"
#include "util/log.h"

namespace espryt {

namespace {

const char *const quad = "uniform vec4 rect;\nout vec2 uv;\n"
                         "void main() {\n"
                         "    vec2 p = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));\n"
                         "    uv = rect.xy + p * rect.zw;\n"
                         "    gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);\n}\n";

// `srgb`: bit 0 encodes what was read, bit 1 + n decodes what target n is given.
const char *const conversions =
    "uniform int srgb;\n"
    "vec3 encode(vec3 c) {\n"
    "    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055,\n"
    "               greaterThan(c, vec3(0.0031308)));\n}\n"
    "vec3 decode(vec3 c) {\n"
    "    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)),\n"
    "               greaterThan(c, vec3(0.04045)));\n}\n";

bool is_color(blit_value v) {
    return v < blit_value::depth;
}

// Writes the colour to every draw buffer.
std::string color_body(blit_value v, unsigned targets) {
    const bool floats = v == blit_value::color;
    std::string body;
    if (floats)
        body = "    if ((srgb & 1) != 0)\n        v.rgb = encode(v.rgb);\n";
    for (unsigned i = 0; i < targets; i++) {
        const std::string o = "c" + std::to_string(i);
        body += "    " + o + " = v;\n";
        if (floats)
            body += "    if ((srgb & " + std::to_string(2u << i) + ") != 0)\n        " + o +
                    ".rgb = decode(v.rgb);\n";
    }
    return body;
}

host_name draw_program(context *ctx, blit_value v, bool samples) {
    host_name &n = blit_tools(ctx)->draw[static_cast<unsigned>(v)][samples];
    if (n.name)
        return n;
    const std::string p = v == blit_value::stencil ? "u"
                          : v == blit_value::depth ? ""
                                                   : blit_class_prefix[static_cast<unsigned>(v)];
    const unsigned targets = is_color(v) ? std::min(8u, ctx->scr->caps.max_color_buffers) : 0;
    std::string fs = "in vec2 uv;\nlayout(binding = 0) uniform highp " + p + "sampler2D" +
                     (samples ? "MS" : "") + " t;\nuniform int which;\nuniform int bit;\n";
    for (unsigned i = 0; i < targets; i++)
        fs += "layout(location = " + std::to_string(i) + ") out " + p + "vec4 c" +
              std::to_string(i) + ";\n";
    if (v == blit_value::color)
        fs += conversions;
    // Beyond the source nothing is written.
    fs += "void main() {\n"
          "    if (any(lessThan(uv, vec2(0))) || any(greaterThanEqual(uv, vec2(1))))\n"
          "        discard;\n    " +
          p + "vec4 v = " +
          (samples ? "texelFetch(t, ivec2(uv * vec2(textureSize(t))), which);\n"
                   : "textureLod(t, uv, 0.0);\n");
    if (v == blit_value::depth)
        fs += "    gl_FragDepth = v.x;\n";
    else if (v == blit_value::stencil)
        fs += "    if (bit != 0 && (int(v.x) & bit) == 0)\n        discard;\n";
    else
        fs += color_body(v, targets);
    n = internal_program(ctx, quad, fs + "}\n");
    return n;
}

// A texture of one sample that begins at texel 0,0 of the framebuffer. Null on failure.
host_name source_copy(context *ctx, uint32_t format, GLbitfield mask, unsigned w, unsigned h) {
    const gles *gl = ctx->gl;
    host_name tmp{0, next_serial()};
    gl->GenTextures(1, &tmp.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, tmp)) {
        gl->TexStorage2D(GL_TEXTURE_2D, 1, format_of(format).internal, static_cast<GLsizei>(w),
                         static_cast<GLsizei>(h));
        if (mask == GL_STENCIL_BUFFER_BIT && pipe_format_describe(format)->is_depth)
            gl->TexParameteri(GL_TEXTURE_2D, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX);
    }
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

// A copy of the image behind what is read with all its samples. Null when the host has none.
host_name samples_copy(context *ctx, const resource *r, const pipe_surface_view &view) {
    const gles *gl = ctx->gl;
    if (!ctx->has(feature::copy_image))
        return {};
    host_name tmp{0, next_serial()};
    gl->GenTextures(1, &tmp.name);
    const auto w = static_cast<GLsizei>(r->desc.width), h = static_cast<GLsizei>(r->desc.height);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D_MULTISAMPLE, tmp))
        gl->TexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, r->desc.samples, r->fmt->internal, w,
                                    h, GL_TRUE);
    gl->CopyImageSubData(r->name.name, r->target, view.level, 0, 0, static_cast<GLint>(view.layer),
                         tmp.name, GL_TEXTURE_2D_MULTISAMPLE, 0, 0, 0, 0, w, h, 1);
    if (!host_failed(ctx, "blit source"))
        return tmp;
    ctx->sh.forget_texture(tmp);
    gl->DeleteTextures(1, &tmp.name);
    return {};
}

struct blit_source {
    host_name texture;
    bool several = false; // samples, one at a time
    bool own = false;     // deleted after the draw
};

// What is read with all its samples.
blit_source sampled_source(context *ctx, const framebuffer *src, blit_value v) {
    const pipe_set_framebuffer_state &st = src->state;
    if (is_color(v) && st.read_buffer < 0)
        return {};
    const pipe_surface_view &view = is_color(v)              ? st.color[st.read_buffer]
                                    : v == blit_value::depth ? st.depth
                                                             : st.stencil;
    resource *r = find_resource(ctx, view.resource);
    if (!r)
        return {};
    const bool stencil = v == blit_value::stencil && r->describe()->is_depth;
    if (r->target == GL_TEXTURE_2D_MULTISAMPLE) {
        texture_object_state want;
        want.stencil = stencil;
        apply_texture_state(ctx, {r->name, r->target, &r->applied}, want);
        return {r->name, true, false};
    }
    const host_name copy = samples_copy(ctx, r, view);
    if (copy.name && stencil)
        ctx->gl->TexParameteri(GL_TEXTURE_2D_MULTISAMPLE, GL_DEPTH_STENCIL_TEXTURE_MODE,
                               GL_STENCIL_INDEX);
    return {copy, copy.name != 0, copy.name != 0};
}

// Sets what a colour's conversions need; the sampler skips its decode where it can.
void set_conversions(context *ctx, host_name program, const framebuffer *dst, bool coded,
                     bool sampled, GLuint sampler) {
    const gles *gl = ctx->gl;
    const bool raw = !ctx->rs || !ctx->rs->state.raster.framebuffer_srgb;
    const bool skips = ctx->has(feature::srgb_decode) && sampled;
    GLint bits = raw && coded && !skips;
    bits |= decoded_targets(ctx, dst) << 1;
    gl->Uniform1i(gl->GetUniformLocation(program.name, "srgb"), bits);
    if (ctx->has(feature::srgb_decode))
        gl->SamplerParameteri(sampler, GL_TEXTURE_SRGB_DECODE_EXT,
                              raw ? GL_SKIP_DECODE_EXT : GL_DECODE_EXT);
}

void draw_stencil(context *ctx, GLuint program) {
    const gles *gl = ctx->gl;
    const GLint bit = gl->GetUniformLocation(program, "bit");
    gl->StencilOpSeparate(GL_FRONT_AND_BACK, GL_REPLACE, GL_REPLACE, GL_REPLACE);
    for (int i = -1; i < 8; i++) { // zeros first
        const unsigned mask = i < 0 ? 255 : 1u << i;
        gl->StencilFuncSeparate(GL_FRONT_AND_BACK, GL_ALWAYS, i < 0 ? 0 : 255, 255);
        ctx->sh.stencil_mask(GL_FRONT, mask);
        ctx->sh.stencil_mask(GL_BACK, mask);
        gl->Uniform1i(bit, i < 0 ? 0 : static_cast<GLint>(mask));
        gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

void draw_quad(context *ctx, host_name program, blit_value v) {
    if (v == blit_value::stencil)
        draw_stencil(ctx, program.name);
    else
        ctx->gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void begin_value(context *ctx, blit_value v) {
    const gles *gl = ctx->gl;
    if (is_color(v))
        return;
    gl->ColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    if (v == blit_value::stencil) {
        gl->Enable(GL_STENCIL_TEST);
        return;
    }
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_ALWAYS);
    ctx->sh.depth_mask(true);
}

// Mirroring: texture coordinates run backwards where one side of the boxes does.
void set_rect(context *ctx, host_name program, const framebuffer *src, const blit_rect &s,
              const blit_rect &d) {
    const auto w = static_cast<float>(src->width), h = static_cast<float>(src->height);
    const bool right = d.x0 < d.x1, up = d.y0 < d.y1;
    const float u0 = float(right ? s.x0 : s.x1) / w, u1 = float(right ? s.x1 : s.x0) / w;
    const float v0 = float(up ? s.y0 : s.y1) / h, v1 = float(up ? s.y1 : s.y0) / h;
    ctx->gl->Uniform4f(ctx->gl->GetUniformLocation(program.name, "rect"), u0, v0, u1 - u0, v1 - v0);
}

} // namespace

bool draw_blit(context *ctx, framebuffer *src, framebuffer *dst, const blit_rect &s,
               const blit_rect &d, blit_value v, bool linear) {
    const gles *gl = ctx->gl;
    const uint32_t format = is_color(v)              ? src->read_format
                            : v == blit_value::depth ? src->depth_format
                                                     : src->stencil_format;
    if (!format || !src->width || !src->height || !d.w() || !d.h())
        return false;
    emulated(emulation::shader_blit);
    const GLbitfield mask = is_color(v)              ? GL_COLOR_BUFFER_BIT
                            : v == blit_value::depth ? GL_DEPTH_BUFFER_BIT
                                                     : GL_STENCIL_BUFFER_BIT;
    blit_source from;
    if (dst->samples > 1 && src->samples == dst->samples) {
        from = sampled_source(ctx, src, v);
        if (!from.several)
            log_warning_once("espryt", "a blit between multisample framebuffers gives all samples "
                                       "of a pixel one value: the host copies no such images");
    }
    if (!from.several)
        from = {source_copy(ctx, format, mask, src->width, src->height), false, true};
    const host_name program = draw_program(ctx, v, from.several);
    const bool ready = from.texture.name && program.name && bind_draw_framebuffer(ctx, dst);
    if (ready) {
        if (ctx->rs)
            apply_clear_state(ctx, dst); // the copy had no scissor
        begin_internal(ctx, std::min(d.x0, d.x1), std::min(d.y0, d.y1), d.w(), d.h());
        begin_value(ctx, v);
        const host_name sampler = linear ? blit_tools(ctx)->linear : blit_tools(ctx)->nearest;
        ctx->sh.bind_texture(0, from.several ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D,
                             from.texture);
        ctx->sh.bind_sampler(0, from.several ? host_name{} : sampler);
        ctx->sh.use_program(program);
        set_rect(ctx, program, src, s, d);
        if (v == blit_value::color)
            set_conversions(ctx, program, dst, pipe_format_describe(format)->is_srgb, !from.several,
                            sampler.name);
        for (unsigned i = 0; i < (from.several ? dst->samples : 1u); i++) {
            if (from.several) {
                gl->Enable(GL_SAMPLE_MASK);
                gl->SampleMaski(0, 1u << i);
                gl->Uniform1i(gl->GetUniformLocation(program.name, "which"), static_cast<GLint>(i));
            }
            draw_quad(ctx, program, v);
        }
        if (v == blit_value::color && ctx->has(feature::srgb_decode))
            gl->SamplerParameteri(sampler.name, GL_TEXTURE_SRGB_DECODE_EXT, GL_DECODE_EXT);
        end_internal(ctx);
    }
    if (from.own && from.texture.name) {
        ctx->sh.forget_texture(from.texture);
        gl->DeleteTextures(1, &from.texture.name);
    }
    return ready && !host_failed(ctx, "shader blit");
}

} // namespace espryt
