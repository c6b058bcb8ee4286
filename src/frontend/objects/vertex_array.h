// SPDX-License-Identifier: MIT
// Vertex array objects (GL 4.6 section 10.3). Formats, binding points and the element buffer; never
// shared between contexts.
#pragma once

#include "objects/ref.h"

namespace gl {

struct VertexAttrib {
    bool enabled = false;
    bool normalized = false, integer = false, long_ = false; // I and L forms
    bool bgra = false;                                       // size GL_BGRA
    uint8_t size = 4;                                        // components
    uint8_t binding = 0;
    GLenum type = GL_FLOAT;
    GLuint relative_offset = 0;
    // what the pointer form said, for getters only
    GLsizei pointer_stride = 0;
    const void *pointer = nullptr;
};
struct VertexBinding {
    Ref<Buffer> buffer;
    GLintptr offset = 0; // byte offset in the buffer
    GLsizei stride =
        16; // effective: pointer calls store the packed size for 0; 0 = repeat one element
    GLuint divisor = 0;
};
struct VertexArray : Object {
    ~VertexArray() override;
    bool ever_bound = false;
    std::array<VertexAttrib, kMaxVertexAttribs> attrib;
    std::array<VertexBinding, kMaxVertexBindings> binding;
    Ref<Buffer> index_buffer;
    uint32_t enabled = 0; // bit per attribute, equals attrib[i].enabled
    uint32_t version = 0; // moves with any change
    void *tracker = nullptr;
    VertexArray() {
        for (unsigned i = 0; i < kMaxVertexAttribs; i++)
            attrib[i].binding = uint8_t(i);
    }
};
VertexArray *lookup_vao(Context &ctx, GLuint name);
VertexArray *lookup_vao_err(Context &ctx, GLuint name, const char *func);
VertexArray *
bound_vao(Context &ctx,
          const char *func); // + GL_INVALID_OPERATION when name 0 is bound (core profile)
} // namespace gl
