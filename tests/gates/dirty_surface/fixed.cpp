// SPDX-License-Identifier: MIT
// Rows of fixed-function state.
#include "surface.h"

namespace surface {
namespace {

#define ROW(entry, ...)                                                                            \
    Row {                                                                                          \
#entry, nullptr, [](Scene & s) { gl::entry(s.c, __VA_ARGS__); }, nullptr                   \
    }
#define ROW_IN(entry, arrange, ...)                                                                \
    Row {                                                                                          \
#entry, [](Scene & s) { arrange; }, [](Scene & s) { gl::entry(s.c, __VA_ARGS__); },        \
                                                                                         nullptr   \
    }
#define NONE(entry, why, ...)                                                                      \
    Row {                                                                                          \
#entry, nullptr, [](Scene & s) { gl::entry(s.c, __VA_ARGS__); }, why                       \
    }
#define CALL(entry, body)                                                                          \
    Row {                                                                                          \
#entry, nullptr, [](Scene & s) { body; }, nullptr                                          \
    }
#define CALL_IN(entry, arrange, body)                                                              \
    Row {                                                                                          \
#entry, [](Scene & s) { arrange; }, [](Scene & s) { body; }, nullptr                       \
    }

const GLfloat f4[8] = {0.5f, 0.25f, 0.75f, 0.125f, 1, 2, 3, 4};
const GLdouble d4[4] = {0.25, 0.75, 0.5, 1};
const GLint i4[4] = {1, 2, 3, 4};
const char *const by_verb = "a value of the clear call, sent with it";
const char *const by_transfer = "layout of client memory, applied at the transfer";

const Add blend {
    ROW_IN(BlendColor, gl::BlendFunc(s.c, GL_CONSTANT_COLOR, GL_ZERO), 0.5f, 0.25f, 0.75f, 1.0f),
        ROW(BlendEquation, GL_FUNC_SUBTRACT),
        ROW(BlendEquationSeparate, GL_FUNC_ADD, GL_FUNC_SUBTRACT),
        ROW_IN(BlendEquationi, s.bind_fbo(), 1, GL_FUNC_SUBTRACT),
        ROW_IN(BlendEquationSeparatei, s.bind_fbo(), 1, GL_FUNC_ADD, GL_FUNC_SUBTRACT),
        ROW(BlendFunc, GL_SRC_ALPHA, GL_ONE),
        ROW(BlendFuncSeparate, GL_ONE, GL_ZERO, GL_SRC_ALPHA, GL_ONE),
        ROW_IN(BlendFunci, s.bind_fbo(), 1, GL_SRC_ALPHA, GL_ONE),
        ROW_IN(BlendFuncSeparatei, s.bind_fbo(), 1, GL_ONE, GL_ZERO, GL_SRC_ALPHA, GL_ONE),
        ROW(ColorMask, GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE),
        ROW_IN(ColorMaski, s.bind_fbo(), 1, GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE),
        ROW_IN(LogicOp, gl::Enable(s.c, GL_COLOR_LOGIC_OP), GL_XOR),
        ROW_IN(Enablei, s.bind_fbo(); gl::Disablei(s.c, GL_BLEND, 1), GL_BLEND, 1),
        ROW_IN(Disablei, s.bind_fbo(), GL_BLEND, 1),
};

const Add depth{
    ROW(DepthFunc, GL_GEQUAL),
    ROW(DepthMask, GL_FALSE),
    ROW(DepthRange, 0.25, 0.5),
    ROW(DepthRangef, 0.25f, 0.5f),
    ROW(DepthRangeArrayv, 0, 2, d4),
    ROW(DepthRangeIndexed, 1, 0.25, 0.5),
    ROW(StencilFunc, GL_LESS, 3, 7),
    ROW(StencilFuncSeparate, GL_BACK, GL_LESS, 3, 7),
    ROW(StencilMask, 3),
    ROW(StencilMaskSeparate, GL_BACK, 3),
    ROW(StencilOp, GL_KEEP, GL_INCR, GL_DECR),
    ROW(StencilOpSeparate, GL_FRONT, GL_KEEP, GL_INCR, GL_DECR),
};

const Add raster {
    ROW(CullFace, GL_FRONT), ROW(FrontFace, GL_CW), ROW(LineWidth, 2.0f), ROW(PointSize, 3.0f),
        ROW(PointParameterf, GL_POINT_FADE_THRESHOLD_SIZE, 2.0f),
        ROW(PointParameterfv, GL_POINT_FADE_THRESHOLD_SIZE, f4),
        ROW(PointParameteri, GL_POINT_SPRITE_COORD_ORIGIN, GL_LOWER_LEFT),
        CALL(PointParameteriv, const GLint v = GL_LOWER_LEFT;
             gl::PointParameteriv(s.c, GL_POINT_SPRITE_COORD_ORIGIN, &v)),
        ROW(PolygonMode, GL_FRONT_AND_BACK, GL_LINE), ROW(PolygonOffset, 1.0f, 2.0f),
        ROW(PolygonOffsetClamp, 1.0f, 2.0f, 0.5f), ROW(ProvokingVertex, GL_FIRST_VERTEX_CONVENTION),
        ROW(ClipControl, GL_UPPER_LEFT, GL_ZERO_TO_ONE), ROW(PatchParameteri, GL_PATCH_VERTICES, 4),
        ROW(PatchParameterfv, GL_PATCH_DEFAULT_OUTER_LEVEL, f4),
        Row{"PrimitiveRestartIndex", nullptr, [](Scene &s) { gl::PrimitiveRestartIndex(s.c, 7); },
            "a member of the draw record itself"},
        ROW(Enable, GL_DEPTH_CLAMP), ROW(Disable, GL_BLEND),
};

const Add sample{
    ROW(SampleCoverage, 0.5f, GL_TRUE),
    ROW(SampleMaski, 0, 5),
    ROW(MinSampleShading, 0.5f),
};

const Add window{
    ROW(Scissor, 1, 2, 3, 4),
    ROW(ScissorArrayv, 0, 1, i4),
    ROW(ScissorIndexed, 1, 1, 2, 3, 4),
    ROW(ScissorIndexedv, 1, i4),
    ROW(Viewport, 1, 2, 3, 4),
    ROW(ViewportArrayv, 0, 2, f4),
    ROW(ViewportIndexedf, 1, 1.0f, 2.0f, 3.0f, 4.0f),
    ROW(ViewportIndexedfv, 1, f4),
};

const Add values{
    NONE(ClearColor, by_verb, 1, 0, 0, 1),
    NONE(ClearDepth, by_verb, 0.5),
    NONE(ClearDepthf, by_verb, 0.5f),
    NONE(ClearStencil, by_verb, 3),
    NONE(PixelStoref, by_transfer, GL_PACK_ALIGNMENT, 1),
    NONE(PixelStorei, by_transfer, GL_PACK_ALIGNMENT, 1),
    NONE(ClampColor, "applied by the client at the read-back", GL_CLAMP_READ_COLOR, GL_FALSE),
    NONE(Hint, "hints are answered, not sent", GL_LINE_SMOOTH_HINT, GL_NICEST),
    NONE(ActiveTexture, "a selector of other calls", GL_TEXTURE3),
};

} // namespace
} // namespace surface
