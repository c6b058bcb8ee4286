// SPDX-License-Identifier: MIT
// One triangle over the viewport; the depth is a push constant. `uv` runs from 0 to 1 over the viewport.
#version 450
layout(push_constant) uniform Push {
    vec4 color; // bits, for the fragment stage
    vec4 source; // x0, y0, x1, y1 in texels
    vec4 size;  // source width, height, depth of the triangle, layer
} pc;
layout(location = 0) out vec2 uv;
layout(location = 1) flat out int layer;
void main() {
    vec2 p = vec2(float((gl_VertexIndex << 1) & 2), float(gl_VertexIndex & 2));
    uv = p;
    layer = gl_InstanceIndex;
    gl_Position = vec4(p * 2.0 - 1.0, pc.size.z, 1.0);
}
