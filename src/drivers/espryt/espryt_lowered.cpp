// SPDX-License-Identifier: MIT
#include "espryt_lowered.h"

#include <algorithm>

namespace espryt {

namespace {

// The last row has the operation, and the targets whose colours are read decoded from sRGB.
// The four bits of an operation say which of s & d, s & ~d, ~s & d and ~s & ~d are set.
const char *const logic_functions = R"(uniform highp ivec4 mgp_logic[9];
highp uint mgp_logic_word(highp uint s, highp uint d) {
    highp uint op = uint(mgp_logic[8].x), r = 0u;
    if ((op & 1u) != 0u) r |= s & d;
    if ((op & 2u) != 0u) r |= s & ~d;
    if ((op & 4u) != 0u) r |= ~s & d;
    if ((op & 8u) != 0u) r |= ~(s | d);
    return r;
}
highp int mgp_logic_extend(highp uint word, highp int bits) {
    return int(word << (32 - bits)) >> (32 - bits);
}
highp float mgp_logic_stored(highp float c) {
    return c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
}
highp float mgp_logic_op(highp float s, highp float d, highp int b) {
    if (b == 0) return s;
    highp int bits = abs(b);
    highp uint mask = (1u << bits) - 1u;
    highp float top = float(b < 0 ? mask >> 1 : mask), low = b < 0 ? -1.0 : 0.0;
    highp uint x = uint(int(floor(clamp(s, low, 1.0) * top + 0.5)));
    highp uint y = uint(int(floor(clamp(d, low, 1.0) * top + 0.5)));
    highp uint r = mgp_logic_word(x, y) & mask;
    return max(float(b < 0 ? mgp_logic_extend(r, bits) : int(r)) / top, low);
}
highp uint mgp_logic_op(highp uint s, highp uint d, highp int b) {
    if (b == 0) return s;
    return mgp_logic_word(s, d) & (0xffffffffu >> (32 - b));
}
highp int mgp_logic_op(highp int s, highp int d, highp int b) {
    if (b == 0) return s;
    return mgp_logic_extend(mgp_logic_word(uint(s), uint(d)), b);
}
)";

std::string type_of(const color_output &o) {
    const std::string n = std::to_string(o.components);
    switch (o.kind) {
    case 'i': return o.components == 1 ? "int" : "ivec" + n;
    case 'u': return o.components == 1 ? "uint" : "uvec" + n;
    default: return o.components == 1 ? "float" : "vec" + n;
    }
}

std::string component(const color_output &o, const std::string &of, uint32_t i) {
    return o.components == 1 ? of : of + "." + "xyzw"[i];
}

} // namespace

void lower_logic(const std::vector<color_output> &outputs, logic_source source, uint32_t first_unit,
                 lowered_text &out) {
    out.declarations += logic_functions;
    for (const color_output &o : outputs) {
        if (o.index || o.location >= 8)
            continue;
        const std::string n = std::to_string(o.location), d = "mgp_d" + n;
        std::string from = o.name;
        if (source == logic_source::copy) {
            const std::string prefix = o.kind == 'f' ? "" : std::string(1, o.kind);
            out.declarations += "layout(binding = " + std::to_string(first_unit++) +
                                ") uniform highp " + prefix + "sampler2D mgp_target" + n + ";\n";
            static const char *const swizzles[] = {".x", ".xy", ".xyz", ""};
            // Not a fetch: that would decode sRGB whatever the texture says.
            const std::string t = "mgp_target" + n;
            from = "textureLod(" + t + ", gl_FragCoord.xy / vec2(textureSize(" + t + ", 0)), 0.0)" +
                   swizzles[o.components - 1];
        }
        out.first.push_back("highp " + type_of(o) + " " + d + " = " + from + ";");
        for (uint32_t i = 0; o.kind == 'f' && i < std::min(o.components, 3u); i++) {
            const std::string stored = component(o, d, i);
            out.first.push_back("if ((mgp_logic[8].y >> " + n + " & 1) != 0) " + stored +
                                " = mgp_logic_stored(" + stored + ");");
        }
        for (uint32_t i = 0; i < o.components; i++) {
            const std::string s = component(o, o.name, i);
            out.last.push_back(s + " = mgp_logic_op(" + s + ", " + component(o, d, i) +
                               ", mgp_logic[" + n + "]." + "xyzw"[i] + ");");
        }
    }
}

std::string border_functions(uint32_t slots) {
    return "uniform highp ivec4 mgp_border[" + std::to_string(2 * slots) + "];" + R"(
highp float mgp_inside(highp vec3 at, highp vec3 size, int dimensions, int slot) {
    highp ivec4 mode = mgp_border[2 * slot];
    highp float inside = 1.0;
    for (int i = 0; i < dimensions; i++) {
        if (mode[i] == 0) continue;
        if ((mode.w & 1) != 0)
            inside *= clamp(at[i] + 0.5, 0.0, 1.0) * clamp(size[i] - at[i] + 0.5, 0.0, 1.0);
        else if (at[i] < 0.0 || at[i] >= size[i])
            inside = 0.0;
    }
    return inside;
}
highp vec4 mgp_bordered(highp vec4 texel, highp float inside, int slot) {
    return mix(intBitsToFloat(mgp_border[2 * slot + 1]), texel, inside);
}
highp ivec4 mgp_bordered(highp ivec4 texel, highp float inside, int slot) {
    return inside > 0.5 ? texel : mgp_border[2 * slot + 1];
}
highp uvec4 mgp_bordered(highp uvec4 texel, highp float inside, int slot) {
    return inside > 0.5 ? texel : uvec4(mgp_border[2 * slot + 1]);
}
highp float mgp_bordered(highp float result, highp float inside, int slot, highp float r) {
    highp float d = intBitsToFloat(mgp_border[2 * slot + 1].x);
    int f = mgp_border[2 * slot].w >> 1;
    bool passes = (f & 1) != 0 && r < d || (f & 2) != 0 && r == d || (f & 4) != 0 && r > d;
    return mix(passes ? 1.0 : 0.0, result, inside);
}
highp vec4 mgp_gather_inside(highp vec3 at, highp vec3 size, int slot) {
    highp ivec4 mode = mgp_border[2 * slot];
    highp vec2 low = floor(at.xy - 0.5), high = low + 1.0;
    bvec4 x = bvec4(low.x >= 0.0, low.x < size.x, high.x >= 0.0, high.x < size.x);
    bvec4 y = bvec4(low.y >= 0.0, low.y < size.y, high.y >= 0.0, high.y < size.y);
    highp vec2 across = mode.x == 0 ? vec2(1.0) : vec2(x[0] && x[1], x[2] && x[3]);
    highp vec2 up = mode.y == 0 ? vec2(1.0) : vec2(y[0] && y[1], y[2] && y[3]);
    return vec4(across[0] * up[1], across[1] * up[1], across[1] * up[0], across[0] * up[0]);
}
highp vec4 mgp_gathered(highp vec4 texels, highp vec4 inside, int slot, int component) {
    return mix(vec4(intBitsToFloat(mgp_border[2 * slot + 1][component])), texels, inside);
}
highp ivec4 mgp_gathered(highp ivec4 texels, highp vec4 inside, int slot, int component) {
    return mix(ivec4(mgp_border[2 * slot + 1][component]), texels, greaterThan(inside, vec4(0.5)));
}
highp uvec4 mgp_gathered(highp uvec4 texels, highp vec4 inside, int slot, int component) {
    uint border = uint(mgp_border[2 * slot + 1][component]);
    return mix(uvec4(border), texels, greaterThan(inside, vec4(0.5)));
}
highp vec4 mgp_gathered(highp vec4 results, highp vec4 inside, int slot, highp float r) {
    highp float outside = mgp_bordered(0.0, 0.0, slot, r);
    return mix(vec4(outside), results, inside);
}
)";
}

void lower_depth_vertex(bool position, lowered_text &out) {
    out.declarations += "out highp float mgp_depth;\n";
    if (position) {
        out.declarations += "out highp vec4 mgp_position;\n";
        out.last.push_back("mgp_position = gl_Position;");
    }
    out.last.push_back("mgp_depth = gl_Position.z;");
    out.last.push_back("gl_Position.z = 0.0;");
}

void lower_depth_fragment(bool writes_depth, lowered_text &out) {
    out.declarations += "in highp float mgp_depth;\n"
                        "uniform highp vec4 mgp_depth_range;\n"
                        "highp float mgp_z;\n";
    out.first.push_back("mgp_z = mgp_depth * gl_FragCoord.w * mgp_depth_range.x + "
                        "mgp_depth_range.y;");
    if (writes_depth) {
        out.last.push_back(
            "gl_FragDepth = clamp(gl_FragDepth, mgp_depth_range.z, mgp_depth_range.w);");
        return;
    }
    out.declarations += R"(uniform highp vec4 mgp_depth_offset;
highp float mgp_offset_of(highp float z) {
    highp vec4 p = mgp_depth_offset;
    highp float step = p.z > 0.0 ? p.z : exp2(floor(log2(max(abs(z), 1e-30))) - 23.0);
    highp float o = p.x * max(abs(dFdx(z)), abs(dFdy(z))) + p.y * step;
    return p.w > 0.0 ? min(o, p.w) : p.w < 0.0 ? max(o, p.w) : o;
}
)";
    out.first.push_back("mgp_z += mgp_offset_of(mgp_z);");
    out.last.push_back("gl_FragDepth = clamp(mgp_z, mgp_depth_range.z, mgp_depth_range.w);");
}

void lower_alpha_to_one(const std::vector<color_output> &outputs, bool coverage, bool writes_mask,
                        lowered_text &out) {
    for (const color_output &o : outputs) {
        if (o.kind != 'f' || o.components != 4)
            continue;
        if (coverage && !o.location && !o.index)
            out.last.push_back(std::string("gl_SampleMask[0] ") + (writes_mask ? "&" : "") +
                               "= (1 << int(clamp(" + o.name +
                               ".w, 0.0, 1.0) * float(gl_NumSamples) + 0.5)) - 1;");
        out.last.push_back(o.name + ".w = 1.0;");
    }
}

} // namespace espryt
