// SPDX-License-Identifier: MIT
#include "espryt_mipmap.h"

#include <algorithm>

#include "drivers_common/level_filter.h"
#include "espryt_blit_tools.h"
#include "espryt_framebuffer.h"
#include "espryt_transfer.h"

namespace espryt {

namespace {

const char *const whole = "void main() {\n"
                          "    gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0,\n"
                          "                       float(gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0);\n"
                          "}\n";

// The mean of the four texels below.
host_name level_program(context *ctx, bool array) {
    host_name &n = blit_tools(ctx)->depth_level[array];
    if (n.name)
        return n;
    const std::string at = array ? "ivec3(x, y, layer)" : "ivec2(x, y)";
    n = internal_program(
        ctx, whole,
        "layout(binding = 0) uniform highp sampler2D" + std::string(array ? "Array" : "") +
            " t;\nuniform int layer;\n"
            "float at(int x, int y) { return texelFetch(t, " +
            at +
            ", 0).x; }\n"
            "void main() {\n"
            "    ivec2 last = textureSize(t, 0).xy - 1;\n"
            "    ivec2 a = min(ivec2(gl_FragCoord.xy) * 2, last), b = min(a + 1, last);\n"
            "    gl_FragDepth = 0.25 * (at(a.x, a.y) + at(b.x, a.y) + at(a.x, b.y) + "
            "at(b.x, b.y));\n}\n");
    return n;
}

void draw_layer(context *ctx, resource *r, const texture_ref &from, host_name program,
                unsigned level, unsigned layer) {
    const gles *gl = ctx->gl;
    const auto w = static_cast<int>(r->level_width(level));
    const auto h = static_cast<int>(r->level_height(level));
    begin_internal(ctx, 0, 0, w, h);
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    const GLenum point = depth_stencil_point(r->desc.format), none = GL_NONE;
    attach(ctx, GL_DRAW_FRAMEBUFFER, point, r, PIPE_FORMAT_NONE, level, layer, false);
    gl->DrawBuffers(1, &none);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_ALWAYS);
    ctx->sh.depth_mask(true);
    texture_object_state state;
    state.base = state.max = static_cast<uint16_t>(level - 1);
    apply_texture_state(ctx, from, state);
    ctx->sh.bind_texture(0, from.target, from.name);
    ctx->sh.bind_sampler(0, blit_tools(ctx)->nearest);
    ctx->sh.use_program(program);
    gl->Uniform1i(gl->GetUniformLocation(program.name, "layer"), static_cast<GLint>(layer));
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->FramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
    end_internal(ctx);
}

} // namespace

bool draw_depth_levels(context *ctx, resource *r, const pipe_generate_mipmap *p) {
    texture_ref from{r->name, r->target, &r->applied};
    if (r->target == GL_TEXTURE_CUBE_MAP || r->target == GL_TEXTURE_CUBE_MAP_ARRAY)
        from = texture_as(ctx, r, r->desc.format, PIPE_TEXTURE_2D_ARRAY, 0, 0);
    const bool array = from.target == GL_TEXTURE_2D_ARRAY;
    const host_name program = level_program(ctx, array);
    if (!from.name.name || !program.name || (!array && from.target != GL_TEXTURE_2D))
        return false;
    emulated(emulation::depth_levels);
    const unsigned layers = p->num_layers ? p->num_layers : r->level_depth(0);
    for (unsigned level = p->base_level + 1u; level <= p->last_level; level++)
        for (unsigned i = 0; i < layers; i++)
            draw_layer(ctx, r, from, program, level, p->first_layer + i);
    return true;
}

bool skips_decode(context *ctx, const resource *r) {
    const sampler *own = r->has_params ? ctx->scr->samplers.find(r->params->sampler) : nullptr;
    return own && !own->state.srgb_decode && r->describe()->is_srgb;
}

bool convert_levels(context *ctx, resource *r, const pipe_generate_mipmap *p) {
    const uint32_t own = p->format ? p->format : r->desc.format;
    const uint32_t format = skips_decode(ctx, r) ? linear_name(own) : own;
    const unsigned texel = r->describe()->block_bytes;
    if (!drivers_common::filters_level(format) ||
        pipe_format_describe(format)->block_bytes != texel)
        return false;
    emulated(emulation::mipmap_convert);
    const bool is_3d = r->desc.target == PIPE_TEXTURE_3D;
    const unsigned layers = is_3d           ? r->level_depth(p->base_level)
                            : p->num_layers ? p->num_layers
                                            : r->level_depth(0);
    const int first = is_3d ? 0 : static_cast<int>(p->first_layer);
    pipe_region g{};
    auto describe = [&](unsigned level, unsigned slices) {
        g.box = {0,
                 0,
                 first,
                 static_cast<int>(r->level_width(level)),
                 static_cast<int>(r->level_height(level)),
                 static_cast<int>(slices)};
        g.row_stride = r->level_width(level) * texel;
        g.slice_stride = g.row_stride * r->level_height(level);
    };
    describe(p->base_level, layers);
    std::vector<uint8_t> bytes(uint64_t(g.slice_stride) * layers);
    for (unsigned z = 0; z < layers; z++)
        if (!read_slice(ctx, r, p->base_level, static_cast<unsigned>(first) + z, 0, 0, 0,
                        r->level_width(p->base_level), r->level_height(p->base_level),
                        {bytes.data() + uint64_t(z) * g.slice_stride, g.slice_stride,
                         r->desc.format, g.row_stride}))
            return false;
    drivers_common::level_texels texels;
    if (!drivers_common::unpack_level(format, bytes.data(), r->level_width(p->base_level),
                                      r->level_height(p->base_level), layers, texels))
        return false;
    for (unsigned level = p->base_level + 1u; level <= p->last_level; level++) {
        texels = drivers_common::halve_level(texels, r->level_width(level), r->level_height(level),
                                             is_3d ? r->level_depth(level) : layers, is_3d);
        describe(level, texels.depth);
        if (!drivers_common::pack_level(format, texels, bytes) ||
            !upload_region(ctx, r, level, g, bytes.data(), bytes.size()))
            return false;
    }
    return true;
}

} // namespace espryt
