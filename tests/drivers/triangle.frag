// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec3 tint;
layout(location = 0) out vec4 result;
layout(set = 2, binding = 0) uniform sampler2D image;
void main() {
    result = vec4(tint, 1.0) * texture(image, vec2(0.5));
}
