#version 450
// SPDX-License-Identifier: MIT
// The host floor's vertices: a small triangle moved by a uniform block.
layout(location = 0) in vec2 position;
layout(set = 0, binding = 0, std140) uniform Block { vec4 tint; };
layout(location = 0) out vec2 at;
void main()
{
    at = position;
    gl_Position = vec4(position * 0.01, 0.0, 1.0) + tint * 0.001;
}
