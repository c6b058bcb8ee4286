#version 450
// SPDX-License-Identifier: MIT
// The host floor's fragments: one texture.
layout(set = 0, binding = 1) uniform sampler2D image;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
void main()
{
    color = texture(image, at);
}
