// SPDX-License-Identifier: MIT
// Multisampling state (GL 4.6 sections 14.3.1, 17.3.3) and sample positions.
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <algorithm>

namespace gl {

void GL_ENTRY(SampleCoverage)(Context &ctx, GLfloat value, GLboolean invert) {
    Writer w(ctx);
    w.set(ctx.multisample, &MultisampleState::coverage_value, std::clamp(value, 0.0f, 1.0f));
    w.set(ctx.multisample, &MultisampleState::coverage_invert, invert != 0);
}

void GL_ENTRY(SampleMaski)(Context &ctx, GLuint index, GLbitfield mask) {
    if (index >= GLuint(ctx.limits().sample_mask_words))
        return error(ctx, GL_INVALID_VALUE, "glSampleMaski(word %u)", index);
    if (ctx.multisample->mask[index] != mask)
        Writer{ctx}(ctx.multisample).mask[index] = mask;
}

void GL_ENTRY(MinSampleShading)(Context &ctx, GLfloat value) {
    if (!ctx.has().sample_shading)
        return error(ctx, GL_INVALID_OPERATION, "glMinSampleShading(not supported)");
    Writer{ctx}.set(ctx.multisample, &MultisampleState::min_sample_shading,
                    std::clamp(value, 0.0f, 1.0f));
}

// The standard positions that every host we know uses (Vulkan's standardSampleLocations).
void GL_ENTRY(GetMultisamplefv)(Context &ctx, GLenum pname, GLuint index, GLfloat *out) {
    static const uint8_t p1[] = {8, 8}, p2[] = {12, 12, 4, 4}, p4[] = {6, 2, 14, 6, 2, 10, 10, 14},
                         p8[] = {9, 5, 7, 11, 13, 9, 5, 3, 3, 13, 1, 7, 11, 15, 15, 1},
                         p16[] = {9, 9,  7, 5, 5, 10, 12, 7,  3, 6, 10, 13, 13, 11, 11, 3,
                                  6, 14, 8, 1, 4, 2,  2,  12, 0, 8, 15, 4,  14, 15, 1,  0};
    if (pname != GL_SAMPLE_POSITION)
        return error(ctx, GL_INVALID_ENUM, "glGetMultisamplefv(%s)", enum_name(pname));
    Framebuffer &fb = *ctx.draw_fb->fb;
    framebuffer_status(ctx, fb);
    const unsigned samples = unsigned(fb.samples);
    if (index >= samples)
        return error(ctx, GL_INVALID_VALUE, "glGetMultisamplefv(index %u of %u)", index, samples);
    const uint8_t *p = samples >= 16  ? p16
                       : samples >= 8 ? p8
                       : samples >= 4 ? p4
                       : samples >= 2 ? p2
                                      : p1;
    out[0] = p[index * 2] / 16.0f;
    out[1] = p[index * 2 + 1] / 16.0f;
}
} // namespace gl
