// SPDX-License-Identifier: MIT
// Filtered copy of a colour layer.
#version 450
layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(push_constant) uniform Push {
    uvec4 color;
    vec4 source; // x0, y0, x1, y1 in texels
    vec4 size;   // width, height, depth of the triangle, layer
} pc;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 o0;
layout(location = 1) out vec4 o1;
layout(location = 2) out vec4 o2;
layout(location = 3) out vec4 o3;
layout(location = 4) out vec4 o4;
layout(location = 5) out vec4 o5;
layout(location = 6) out vec4 o6;
layout(location = 7) out vec4 o7;
void main() {
    vec2 at = mix(pc.source.xy, pc.source.zw, uv);
    at = clamp(at, vec2(0.5) * float(pc.color.x), pc.size.xy - vec2(0.5) * float(pc.color.x));
    vec4 value = textureLod(source, vec3(at / pc.size.xy, pc.size.w), 0.0);
    o0 = o1 = o2 = o3 = o4 = o5 = o6 = o7 = value;
}
