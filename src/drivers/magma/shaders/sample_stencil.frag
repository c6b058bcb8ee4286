// SPDX-License-Identifier: MIT
// One stencil bit of each sample.
#version 450
layout(set = 0, binding = 0) uniform usampler2DMS source;
layout(push_constant) uniform Push {
    uvec4 color;
    vec4 source;
    vec4 size;
} pc;
layout(location = 0) in vec2 uv;
void main() {
    vec2 at = mix(pc.source.xy, pc.source.zw, uv);
    ivec2 texel = clamp(ivec2(floor(at)), ivec2(0), ivec2(pc.size.xy) - 1);
    if ((texelFetch(source, texel, gl_SampleID).r & pc.color.z) == 0u)
        discard;
}
