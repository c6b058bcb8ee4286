// SPDX-License-Identifier: MIT
// The same colour to every draw buffer; masks are the pipeline's.
#version 450
layout(push_constant) uniform Push {
    uvec4 color;
    vec4 source;
    vec4 size;
} pc;
layout(location = 0) out ivec4 o0;
layout(location = 1) out ivec4 o1;
layout(location = 2) out ivec4 o2;
layout(location = 3) out ivec4 o3;
layout(location = 4) out ivec4 o4;
layout(location = 5) out ivec4 o5;
layout(location = 6) out ivec4 o6;
layout(location = 7) out ivec4 o7;
void main() {
    o0 = o1 = o2 = o3 = o4 = o5 = o6 = o7 = ivec4(pc.color);
}
