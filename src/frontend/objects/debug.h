// SPDX-License-Identifier: MIT
// Debug output state of a context (GL 4.6 chapter 20, KHR_debug).
#pragma once

#include "objects/gltypes.h"

#include <deque>
#include <unordered_map>

namespace gl {

struct DebugFilter { // one level of the group stack
    // enable by source x type x severity, and by id within (source, type)
    bool volume[6][9][4];
    std::unordered_map<uint64_t, bool> ids; // key = source << 40 | type << 32 | id
    DebugFilter();
};
struct DebugMessage {
    GLenum source, type, severity;
    GLuint id;
    std::string text;
};
struct DebugGroup {
    GLenum source;
    GLuint id;
    std::string text;
};
struct DebugState {
    bool output = false, synchronous = false;
    GLDEBUGPROC callback = nullptr;
    const void *user = nullptr;
    std::deque<DebugMessage> log;
    std::vector<DebugFilter> filters{1}; // back() is in force
    std::vector<DebugGroup> groups;
};
// Filters, then calls back or logs.
void debug_emit(Context &ctx, GLenum source, GLenum type, GLuint id, GLenum severity,
                const char *text, size_t length);
} // namespace gl
