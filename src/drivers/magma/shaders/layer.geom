// SPDX-License-Identifier: MIT
// The triangle of fullscreen.vert, each instance to the layer of its number.
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 1) flat in int layer[];
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position;
        gl_Layer = layer[0];
        EmitVertex();
    }
}
