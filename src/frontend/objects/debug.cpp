// SPDX-License-Identifier: MIT
// Debug output: messages, filters, groups and the log (GL 4.6 sections 20.1 to 20.6, 20.8, 20.9).
#include "objects/debug.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

#include <cstring>

namespace gl {
namespace {
constexpr GLenum kSources[] = {
    GL_DEBUG_SOURCE_API,         GL_DEBUG_SOURCE_WINDOW_SYSTEM, GL_DEBUG_SOURCE_SHADER_COMPILER,
    GL_DEBUG_SOURCE_THIRD_PARTY, GL_DEBUG_SOURCE_APPLICATION,   GL_DEBUG_SOURCE_OTHER};
constexpr GLenum kTypes[] = {
    GL_DEBUG_TYPE_ERROR,       GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR, GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR,
    GL_DEBUG_TYPE_PORTABILITY, GL_DEBUG_TYPE_PERFORMANCE,         GL_DEBUG_TYPE_OTHER,
    GL_DEBUG_TYPE_MARKER,      GL_DEBUG_TYPE_PUSH_GROUP,          GL_DEBUG_TYPE_POP_GROUP};
constexpr GLenum kSeverities[] = {GL_DEBUG_SEVERITY_HIGH, GL_DEBUG_SEVERITY_MEDIUM,
                                  GL_DEBUG_SEVERITY_LOW, GL_DEBUG_SEVERITY_NOTIFICATION};

template <size_t N> int position(const GLenum (&list)[N], GLenum value) {
    for (size_t i = 0; i < N; i++)
        if (list[i] == value)
            return int(i);
    return -1;
}

uint64_t id_key(int source, int type, GLuint id) {
    return uint64_t(source) << 40 | uint64_t(type) << 32 | id;
}

bool wanted(const DebugFilter &f, int source, int type, int severity, GLuint id) {
    auto it = f.ids.find(id_key(source, type, id));
    return it != f.ids.end() ? it->second : f.volume[source][type][severity];
}

// Checks a message length against the limit; negative lengths measure the string.
bool message_length(Context &ctx, GLsizei &length, const GLchar *text, const char *func) {
    if (length < 0)
        length = GLsizei(text ? strlen(text) : 0);
    if (length >= ctx.limits().debug_message_length) {
        error(ctx, GL_INVALID_VALUE, "%s(length %d reaches GL_MAX_DEBUG_MESSAGE_LENGTH)", func,
              length);
        return false;
    }
    return true;
}
} // namespace

DebugFilter::DebugFilter() {
    for (auto &source : volume)
        for (auto &type : source)
            for (unsigned s = 0; s < 4; s++)
                type[s] = s != 2; // everything but low severity
}

void debug_emit(Context &ctx, GLenum source, GLenum type, GLuint id, GLenum severity,
                const char *text, size_t length) {
    DebugState &d = ctx.debug;
    int s = position(kSources, source), t = position(kTypes, type),
        v = position(kSeverities, severity);
    if (!d.output || s < 0 || t < 0 || v < 0 || !wanted(d.filters.back(), s, t, v, id))
        return;
    std::string copy(text, std::min(length, size_t(ctx.limits().debug_message_length - 1)));
    if (d.callback) {
        d.callback(source, type, id, severity, GLsizei(copy.size()), copy.c_str(), d.user);
        return;
    }
    if (d.log.size() < size_t(ctx.limits().debug_messages))
        d.log.push_back({source, type, severity, id, std::move(copy)});
}

void GL_ENTRY(DebugMessageControl)(Context &ctx, GLenum source, GLenum type, GLenum severity,
                                   GLsizei count, const GLuint *ids, GLboolean enabled) {
    int s = position(kSources, source), t = position(kTypes, type),
        v = position(kSeverities, severity);
    if ((s < 0 && source != GL_DONT_CARE) || (t < 0 && type != GL_DONT_CARE) ||
        (v < 0 && severity != GL_DONT_CARE))
        return error(ctx, GL_INVALID_ENUM, "glDebugMessageControl(source %s, type %s, severity %s)",
                     enum_name(source), enum_name(type), enum_name(severity));
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "glDebugMessageControl(count %d)", count);
    DebugFilter &f = ctx.debug.filters.back();
    if (count > 0) {
        if (s < 0 || t < 0 || severity != GL_DONT_CARE)
            return error(ctx, GL_INVALID_OPERATION,
                         "glDebugMessageControl(ids need a source, a type and no severity)");
        for (GLsizei i = 0; i < count; i++)
            f.ids[id_key(s, t, ids[i])] = enabled != 0;
        return;
    }
    for (int a = 0; a < int(std::size(kSources)); a++)
        for (int b = 0; b < int(std::size(kTypes)); b++)
            for (int c = 0; c < int(std::size(kSeverities)); c++)
                if ((s < 0 || s == a) && (t < 0 || t == b) && (v < 0 || v == c))
                    f.volume[a][b][c] = enabled != 0;
    // A rule without severity replaces what single ids said about the same messages.
    if (severity == GL_DONT_CARE)
        for (auto it = f.ids.begin(); it != f.ids.end();) {
            int a = int(it->first >> 40), b = int(it->first >> 32 & 0xff);
            it = (s < 0 || s == a) && (t < 0 || t == b) ? f.ids.erase(it) : std::next(it);
        }
}

void GL_ENTRY(DebugMessageInsert)(Context &ctx, GLenum source, GLenum type, GLuint id,
                                  GLenum severity, GLsizei length, const GLchar *buf) {
    if (source != GL_DEBUG_SOURCE_APPLICATION && source != GL_DEBUG_SOURCE_THIRD_PARTY)
        return error(ctx, GL_INVALID_ENUM, "glDebugMessageInsert(source %s)", enum_name(source));
    if (position(kTypes, type) < 0)
        return error(ctx, GL_INVALID_ENUM, "glDebugMessageInsert(type %s)", enum_name(type));
    if (position(kSeverities, severity) < 0)
        return error(ctx, GL_INVALID_ENUM, "glDebugMessageInsert(severity %s)",
                     enum_name(severity));
    if (!message_length(ctx, length, buf, "glDebugMessageInsert"))
        return;
    if (type == GL_DEBUG_TYPE_MARKER)
        st::debug_marker(ctx, GL_DEBUG_TYPE_MARKER, buf, size_t(length));
    debug_emit(ctx, source, type, id, severity, buf, size_t(length));
}

void GL_ENTRY(DebugMessageCallback)(Context &ctx, GLDEBUGPROC callback, const void *user) {
    ctx.debug.callback = callback;
    ctx.debug.user = user;
}

GLuint GL_ENTRY(GetDebugMessageLog)(Context &ctx, GLuint count, GLsizei size, GLenum *sources,
                                    GLenum *types, GLuint *ids, GLenum *severities,
                                    GLsizei *lengths, GLchar *text) {
    if (size < 0 && text) {
        error(ctx, GL_INVALID_VALUE, "glGetDebugMessageLog(bufSize %d)", size);
        return 0;
    }
    GLuint n = 0;
    for (; n < count && !ctx.debug.log.empty(); n++) {
        const DebugMessage &m = ctx.debug.log.front();
        GLsizei bytes = GLsizei(m.text.size()) + 1;
        if (text) {
            if (bytes > size)
                break;
            memcpy(text, m.text.c_str(), size_t(bytes));
            text += bytes;
            size -= bytes;
        }
        if (sources)
            sources[n] = m.source;
        if (types)
            types[n] = m.type;
        if (ids)
            ids[n] = m.id;
        if (severities)
            severities[n] = m.severity;
        if (lengths)
            lengths[n] = bytes;
        ctx.debug.log.pop_front();
    }
    return n;
}

void GL_ENTRY(PushDebugGroup)(Context &ctx, GLenum source, GLuint id, GLsizei length,
                              const GLchar *message) {
    if (source != GL_DEBUG_SOURCE_APPLICATION && source != GL_DEBUG_SOURCE_THIRD_PARTY)
        return error(ctx, GL_INVALID_ENUM, "glPushDebugGroup(source %s)", enum_name(source));
    if (!message_length(ctx, length, message, "glPushDebugGroup"))
        return;
    DebugState &d = ctx.debug;
    if (int(d.groups.size()) >= ctx.limits().debug_groups - 1)
        return error(ctx, GL_STACK_OVERFLOW, "glPushDebugGroup(depth %zu)", d.groups.size());
    debug_emit(ctx, source, GL_DEBUG_TYPE_PUSH_GROUP, id, GL_DEBUG_SEVERITY_NOTIFICATION, message,
               size_t(length));
    d.groups.push_back({source, id, std::string(message, size_t(length))});
    d.filters.push_back(DebugFilter(d.filters.back()));
    st::debug_marker(ctx, GL_DEBUG_TYPE_PUSH_GROUP, message, size_t(length));
}

void GL_ENTRY(PopDebugGroup)(Context &ctx) {
    DebugState &d = ctx.debug;
    if (d.groups.empty())
        return error(ctx, GL_STACK_UNDERFLOW, "glPopDebugGroup(no group)");
    DebugGroup g = std::move(d.groups.back());
    d.groups.pop_back();
    d.filters.pop_back();
    debug_emit(ctx, g.source, GL_DEBUG_TYPE_POP_GROUP, g.id, GL_DEBUG_SEVERITY_NOTIFICATION,
               g.text.c_str(), g.text.size());
    st::debug_marker(ctx, GL_DEBUG_TYPE_POP_GROUP, nullptr, 0);
}
} // namespace gl
