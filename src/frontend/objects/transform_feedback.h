// SPDX-License-Identifier: MIT
// Transform feedback objects (GL 4.6 section 13.3). Not shared; name 0 is the context's default
// object.
#pragma once

#include "objects/ref.h"
#include "objects/state.h"
#include "pipe/pipe.h"

namespace gl {

struct TransformFeedback : Object {
    ~TransformFeedback() override;
    bool ever_bound = false;
    bool active = false, paused = false, ended_once = false;
    GLenum mode = GL_POINTS;
    std::array<BufferRange, kMaxXfbBuffers> slot;
    Ref<Program> program; // source of the capture while active
    std::shared_ptr<const struct LinkedProgram> linked;
    uint32_t version = 0;
    void *tracker = nullptr;
};
TransformFeedback *lookup_xfb(Context &ctx, GLuint name);
} // namespace gl
