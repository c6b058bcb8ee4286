// SPDX-License-Identifier: MIT
#version 450
// A triangle of two attributes through the pipe's shader form: set = class, binding = slot.
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 color;
layout(location = 0) out vec3 tint;
layout(set = 0, binding = 0, std140) uniform mgp_globals {
    vec4 offset;
};
void main() {
    tint = color;
    gl_Position = vec4(position + offset.xy, 0.0, 1.0);
}
