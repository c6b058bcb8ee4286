// SPDX-License-Identifier: MIT
// glEnable, glDisable, glIsEnabled and their indexed forms: one table of capabilities.
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

struct Capability {
    GLenum name;
    unsigned count; // indices of the indexed form; 0 = only glEnable
    bool (*get)(const Context &, unsigned);
    void (*set)(Context &, unsigned, bool);
    bool Features::*need;
};

#define FLAG(name, group, type, field, need)                                                       \
    {                                                                                              \
        name, 0, [](const Context &c, unsigned) { return c.group->field; },                        \
            [](Context &c, unsigned, bool on) { Writer{c}.set(c.group, &type::field, on); }, need  \
    }

bool get_blend(const Context &c, unsigned i) {
    return c.blend->rt[i].enabled;
}
void set_blend(Context &c, unsigned i, bool on) {
    if (c.blend->rt[i].enabled != on)
        Writer{c}(c.blend).rt[i].enabled = on;
}
bool get_scissor(const Context &c, unsigned i) {
    return c.scissor->enabled >> i & 1;
}
void set_scissor(Context &c, unsigned i, bool on) {
    uint32_t bits = on ? c.scissor->enabled | 1u << i : c.scissor->enabled & ~(1u << i);
    Writer{c}.set(c.scissor, &ScissorState::enabled, bits);
}
template <unsigned N> bool get_clip(const Context &c, unsigned) {
    return c.clip->distances >> N & 1;
}
template <unsigned N> void set_clip(Context &c, unsigned, bool on) {
    uint32_t bits = on ? c.clip->distances | 1u << N : c.clip->distances & ~(1u << N);
    Writer{c}.set(c.clip, &ClipState::distances, bits);
}
#define CLIP(n)                                                                                    \
    { GL_CLIP_DISTANCE0 + n, 0, get_clip<n>, set_clip<n>, nullptr }

const Capability capabilities[] = {
    {GL_BLEND, kMaxDrawBuffers, get_blend, set_blend, nullptr},
    {GL_SCISSOR_TEST, kMaxViewports, get_scissor, set_scissor, nullptr},
    CLIP(0),
    CLIP(1),
    CLIP(2),
    CLIP(3),
    CLIP(4),
    CLIP(5),
    CLIP(6),
    CLIP(7),
    FLAG(GL_COLOR_LOGIC_OP, logic_op, LogicOpState, enabled, nullptr),
    FLAG(GL_CULL_FACE, raster, RasterState, cull, nullptr),
    FLAG(GL_DEPTH_CLAMP, raster, RasterState, depth_clamp, &Features::depth_clamp),
    FLAG(GL_DEPTH_TEST, depth, DepthState, test, nullptr),
    FLAG(GL_DITHER, blend, BlendState, dither, nullptr),
    FLAG(GL_LINE_SMOOTH, point_line, PointLineState, line_smooth, nullptr),
    FLAG(GL_MULTISAMPLE, multisample, MultisampleState, enabled, nullptr),
    FLAG(GL_POLYGON_OFFSET_FILL, raster, RasterState, offset_fill, nullptr),
    FLAG(GL_POLYGON_OFFSET_LINE, raster, RasterState, offset_line, nullptr),
    FLAG(GL_POLYGON_OFFSET_POINT, raster, RasterState, offset_point, nullptr),
    FLAG(GL_POLYGON_SMOOTH, raster, RasterState, polygon_smooth, nullptr),
    FLAG(GL_PRIMITIVE_RESTART, primitive, PrimitiveState, restart, nullptr),
    FLAG(GL_PRIMITIVE_RESTART_FIXED_INDEX, primitive, PrimitiveState, restart_fixed, nullptr),
    FLAG(GL_PROGRAM_POINT_SIZE, point_line, PointLineState, program_point_size, nullptr),
    FLAG(GL_RASTERIZER_DISCARD, raster, RasterState, discard, nullptr),
    FLAG(GL_SAMPLE_ALPHA_TO_COVERAGE, multisample, MultisampleState, alpha_to_coverage, nullptr),
    FLAG(GL_SAMPLE_ALPHA_TO_ONE, multisample, MultisampleState, alpha_to_one, nullptr),
    FLAG(GL_SAMPLE_COVERAGE, multisample, MultisampleState, coverage, nullptr),
    FLAG(GL_SAMPLE_MASK, multisample, MultisampleState, mask_enabled, nullptr),
    FLAG(GL_SAMPLE_SHADING, multisample, MultisampleState, sample_shading,
         &Features::sample_shading),
    FLAG(GL_STENCIL_TEST, stencil, StencilState, test, nullptr),
    {GL_FRAMEBUFFER_SRGB, 0, [](const Context &c, unsigned) { return *c.framebuffer_srgb; },
     [](Context &c, unsigned, bool on) { Writer{c}.set(c.framebuffer_srgb, on); }, nullptr},
    {GL_TEXTURE_CUBE_MAP_SEAMLESS, 0, [](const Context &c, unsigned) { return *c.seamless_cube; },
     [](Context &c, unsigned, bool on) {
         if (Writer{c}.set(c.seamless_cube, on))
             c.slots.samplers.set_all();
     },
     nullptr},
    {GL_DEBUG_OUTPUT, 0, [](const Context &c, unsigned) { return c.debug.output; },
     [](Context &c, unsigned, bool on) { c.debug.output = on; }, nullptr},
    {GL_DEBUG_OUTPUT_SYNCHRONOUS, 0, [](const Context &c, unsigned) { return c.debug.synchronous; },
     [](Context &c, unsigned, bool on) { c.debug.synchronous = on; }, nullptr},
};

const Capability *find(const Context &ctx, GLenum cap) {
    for (const auto &c : capabilities)
        if (c.name == cap)
            return !c.need || ctx.has().*c.need ? &c : nullptr;
    return nullptr;
}

unsigned indices(const Context &ctx, const Capability &c) {
    unsigned limit =
        unsigned(c.name == GL_BLEND ? ctx.limits().draw_buffers : ctx.limits().viewports);
    return c.count ? std::min(c.count, limit) : 0;
}

void set_all(Context &ctx, GLenum cap, bool on, const char *func) {
    const Capability *c = find(ctx, cap);
    if (!c)
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(cap));
    unsigned n = c->count ? c->count : 1;
    for (unsigned i = 0; i < n; i++)
        c->set(ctx, i, on);
}

void set_one(Context &ctx, GLenum cap, GLuint index, bool on, const char *func) {
    const Capability *c = find(ctx, cap);
    if (!c || !c->count)
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(cap));
    if (index >= indices(ctx, *c))
        return error(ctx, GL_INVALID_VALUE, "%s(index %u)", func, index);
    c->set(ctx, index, on);
}
} // namespace

// For the getters: false when the name is no capability.
bool capability_value(const Context &ctx, GLenum cap, bool &value) {
    const Capability *c = find(ctx, cap);
    if (c)
        value = c->get(ctx, 0);
    return c != nullptr;
}
bool capability_value_indexed(const Context &ctx, GLenum cap, GLuint index, bool &value,
                              bool &bad_index) {
    const Capability *c = find(ctx, cap);
    if (!c || !c->count)
        return false;
    bad_index = index >= indices(ctx, *c);
    if (!bad_index)
        value = c->get(ctx, index);
    return true;
}

void GL_ENTRY(Enable)(Context &ctx, GLenum cap) {
    set_all(ctx, cap, true, "glEnable");
}
void GL_ENTRY(Disable)(Context &ctx, GLenum cap) {
    set_all(ctx, cap, false, "glDisable");
}
void GL_ENTRY(Enablei)(Context &ctx, GLenum cap, GLuint index) {
    set_one(ctx, cap, index, true, "glEnablei");
}
void GL_ENTRY(Disablei)(Context &ctx, GLenum cap, GLuint index) {
    set_one(ctx, cap, index, false, "glDisablei");
}

GLboolean GL_ENTRY(IsEnabled)(Context &ctx, GLenum cap) {
    bool on = false;
    if (!capability_value(ctx, cap, on))
        error(ctx, GL_INVALID_ENUM, "glIsEnabled(%s)", enum_name(cap));
    return on;
}

GLboolean GL_ENTRY(IsEnabledi)(Context &ctx, GLenum cap, GLuint index) {
    bool on = false, bad = false;
    if (!capability_value_indexed(ctx, cap, index, on, bad))
        error(ctx, GL_INVALID_ENUM, "glIsEnabledi(%s)", enum_name(cap));
    else if (bad)
        error(ctx, GL_INVALID_VALUE, "glIsEnabledi(index %u)", index);
    return on;
}
} // namespace gl
