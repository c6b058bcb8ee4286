// SPDX-License-Identifier: MIT
// GL errors and debug messages of the implementation.
#include "objects/errors.h"

#include "glapi/gl_api.h"
#include "glapi/glapi.h"
#include "objects/context.h"
#include "tracker/tracker.h"
#include "util/log.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace gl {
namespace {
constexpr size_t kTextMax = 1024;

void record(Context &ctx, GLenum code) {
    if (ctx.no_error() && code != GL_OUT_OF_MEMORY && code != GL_CONTEXT_LOST)
        return;
    if (ctx.pending_error == GL_NO_ERROR)
        ctx.pending_error = code;
}
} // namespace

const char *error_name(GLenum code) {
    switch (code) {
    case GL_NO_ERROR: return "GL_NO_ERROR";
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_STACK_OVERFLOW: return "GL_STACK_OVERFLOW";
    case GL_STACK_UNDERFLOW: return "GL_STACK_UNDERFLOW";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_CONTEXT_LOST: return "GL_CONTEXT_LOST";
    default: return "unknown error";
    }
}

const char *enum_name(GLenum value) {
    if (const char *name = glapi::enum_name(value))
        return name;
    // Texts are kept, so that a caller may hold several. A program that makes up values is told
    // one.
    constexpr size_t most = 4096;
    static std::mutex mutex;
    static auto *texts = new std::unordered_map<GLenum, std::string>;
    std::lock_guard lock(mutex);
    if (texts->size() >= most && !texts->contains(value))
        return "an unknown value";
    return texts->try_emplace(value, glapi::enum_string(value)).first->second.c_str();
}

void error(Context &ctx, GLenum code, const char *fmt, ...) {
    char text[kTextMax];
    int n = snprintf(text, sizeof text, "%s in ", error_name(code));
    va_list args;
    va_start(args, fmt);
    n += vsnprintf(text + n, sizeof text - size_t(n), fmt, args);
    va_end(args);
    record(ctx, code);
    log_info("gl", "%s", text);
    if (ctx.debug.output)
        debug_emit(ctx, GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, code, GL_DEBUG_SEVERITY_HIGH,
                   text, strlen(text));
}

void unimplemented(Context &ctx, const char *name) {
    static std::mutex mutex;
    static auto *seen = new std::unordered_set<std::string>;
    {
        std::lock_guard lock(mutex);
        if (seen->insert(name).second)
            log_warning("gl", "%s is not implemented", name);
    }
    error(ctx, GL_INVALID_OPERATION, "%s(not implemented)", name);
}

void command_of_lost_context(Context &ctx, const char *name) {
    error(ctx, GL_CONTEXT_LOST, "%s", name);
}

void command_without_memory(Context &ctx, const char *name) noexcept {
    record(ctx, GL_OUT_OF_MEMORY);
    log_error_once("gl", "%s: the process has no memory left: GL_OUT_OF_MEMORY", name);
}

void error_from_driver(Context &ctx, GLenum code, const char *text) {
    // The driver has logged it; this one names the code for those who follow the calls.
    log_info("gl", "%s from the driver: %s", error_name(code), text ? text : "");
    uint32_t none = 0; // the first one counts, as with every error
    ctx.driver_error.compare_exchange_strong(none, code);
}

// What the driver raised before is told first come, first served; a loss is told once and again for
// each command that is refused because of it.
GLenum GL_ENTRY(GetError)(Context &ctx) {
    st::drain_events(ctx);
    if (ctx.lost.load(std::memory_order_relaxed) && !ctx.lost_reported) {
        ctx.lost_reported = true;
        ctx.pending_error = GL_NO_ERROR;
        return GL_CONTEXT_LOST;
    }
    if (ctx.pending_error == GL_NO_ERROR)
        ctx.pending_error = ctx.driver_error.exchange(0);
    GLenum code = ctx.pending_error;
    ctx.pending_error = GL_NO_ERROR;
    return code;
}
} // namespace gl
