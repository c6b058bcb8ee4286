// SPDX-License-Identifier: MIT
// Copy of an unsigned integer layer.
#version 450
layout(set = 0, binding = 0) uniform usampler2DArray source;
layout(push_constant) uniform Push {
    uvec4 color;
    vec4 source; // x0, y0, x1, y1 in texels
    vec4 size;   // width, height, depth of the triangle, layer
} pc;
layout(location = 0) in vec2 uv;
layout(location = 0) out uvec4 o0;
layout(location = 1) out uvec4 o1;
layout(location = 2) out uvec4 o2;
layout(location = 3) out uvec4 o3;
layout(location = 4) out uvec4 o4;
layout(location = 5) out uvec4 o5;
layout(location = 6) out uvec4 o6;
layout(location = 7) out uvec4 o7;
void main() {
    vec2 at = mix(pc.source.xy, pc.source.zw, uv);
    ivec2 texel = clamp(ivec2(floor(at)), ivec2(0), ivec2(pc.size.xy) - 1);
    uvec4 value = texelFetch(source, ivec3(texel, int(pc.size.w)), 0);
    o0 = o1 = o2 = o3 = o4 = o5 = o6 = o7 = value;
}
