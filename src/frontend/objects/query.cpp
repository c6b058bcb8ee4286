// SPDX-License-Identifier: MIT
// Query objects (GL 4.6 section 4.2) and timestamps.
#include "objects/query.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

Query::~Query() {
    st::query_destroy(*this);
}

Query *lookup_query(Context &ctx, GLuint name) {
    Query *q = name ? ctx.query_names.find(name) : nullptr;
    return q && q->ever_bound ? q : nullptr;
}

int statistic_index(GLenum target) {
    static constexpr GLenum order[] = {GL_VERTICES_SUBMITTED,
                                       GL_PRIMITIVES_SUBMITTED,
                                       GL_VERTEX_SHADER_INVOCATIONS,
                                       GL_TESS_CONTROL_SHADER_PATCHES,
                                       GL_TESS_EVALUATION_SHADER_INVOCATIONS,
                                       GL_GEOMETRY_SHADER_INVOCATIONS,
                                       GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED,
                                       GL_FRAGMENT_SHADER_INVOCATIONS,
                                       GL_COMPUTE_SHADER_INVOCATIONS,
                                       GL_CLIPPING_INPUT_PRIMITIVES,
                                       GL_CLIPPING_OUTPUT_PRIMITIVES};
    for (int i = 0; i < int(std::size(order)); i++)
        if (order[i] == target)
            return i;
    return -1;
}

namespace {

// Where the active query of (target, stream) is kept; null for a target that is not one of
// glBeginQuery.
Ref<Query> *active_point(Context &ctx, GLenum target, GLuint stream) {
    QueryState &q = Writer{ctx}.quiet(ctx.queries);
    switch (target) {
    case GL_SAMPLES_PASSED:
    case GL_ANY_SAMPLES_PASSED:
    case GL_ANY_SAMPLES_PASSED_CONSERVATIVE: return &q.occlusion;
    case GL_TIME_ELAPSED: return ctx.has().timer_query ? &q.time_elapsed : nullptr;
    case GL_PRIMITIVES_GENERATED: return &q.generated[stream];
    case GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN: return &q.written[stream];
    case GL_TRANSFORM_FEEDBACK_OVERFLOW: return ctx.has().xfb_overflow ? &q.overflow_any : nullptr;
    case GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW:
        return ctx.has().xfb_overflow ? &q.overflow[stream] : nullptr;
    default: break;
    }
    const int i = ctx.has().pipeline_statistics ? statistic_index(target) : -1;
    return i < 0 ? nullptr : &q.pipeline_stats[i];
}

bool indexed(GLenum target) {
    return target == GL_PRIMITIVES_GENERATED ||
           target == GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN ||
           target == GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW;
}

bool check_index(Context &ctx, GLenum target, GLuint index, const char *func) {
    GLuint limit = indexed(target) ? GLuint(ctx.limits().vertex_streams) : 1;
    if (index < limit)
        return true;
    error(ctx, GL_INVALID_VALUE, "%s(index %u)", func, index);
    return false;
}

void begin(Context &ctx, GLenum target, GLuint index, GLuint name, const char *func) {
    if (!check_index(ctx, target, index, func))
        return;
    Ref<Query> *point = active_point(ctx, target, index);
    if (!point)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (*point)
        return error(ctx, GL_INVALID_OPERATION, "%s(a query of this target is active)", func);
    if (!ctx.query_names.known(name))
        return error(ctx, GL_INVALID_OPERATION, "%s(name %u was not generated)", func, name);
    Query *q = ctx.query_names.find(name);
    if (!q)
        q = ctx.query_names.insert(name, new Query);
    if (q->active)
        return error(ctx, GL_INVALID_OPERATION, "%s(query %u is active)", func, name);
    if (q->target && q->target != target)
        return error(ctx, GL_INVALID_OPERATION, "%s(query %u is one of %s)", func, name,
                     enum_name(q->target));
    q->target = target;
    q->stream = index;
    q->ever_bound = true;
    q->ready = q->ended = false;
    q->result = 0;
    if (!ctx.lost.load(std::memory_order_relaxed) && !st::query_begin(ctx, *q))
        return error(ctx, GL_INVALID_OPERATION, "%s(%s is not supported by the driver)", func,
                     enum_name(target));
    q->active = true;
    *point = Ref<Query>(q);
    Writer{ctx}.mark(G::queries);
}

void end(Context &ctx, GLenum target, GLuint index, const char *func) {
    if (!check_index(ctx, target, index, func))
        return;
    Ref<Query> *point = active_point(ctx, target, index);
    if (!point)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    // Any-samples and sample-count queries share a point but not a target.
    if (!*point || (*point)->target != target)
        return error(ctx, GL_INVALID_OPERATION, "%s(no query of %s is active)", func,
                     enum_name(target));
    Ref<Query> q = *point;
    point->reset();
    if (!ctx.lost.load(std::memory_order_relaxed))
        st::query_end(ctx, *q);
    q->active = false;
    q->ended = true;
    Writer{ctx}.mark(G::queries);
}

int counter_bits(Context &ctx, GLenum target) {
    switch (target) {
    case GL_ANY_SAMPLES_PASSED:
    case GL_ANY_SAMPLES_PASSED_CONSERVATIVE:
    case GL_TRANSFORM_FEEDBACK_OVERFLOW:
    case GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW: return 1;
    case GL_TIME_ELAPSED:
    case GL_TIMESTAMP: return ctx.limits().timestamp_bits;
    case GL_SAMPLES_PASSED:
        return pipe_caps_has(&st::caps(*ctx.group), PIPE_CAP_OCCLUSION_COUNT) ? 64 : 0;
    case GL_PRIMITIVES_GENERATED:
    case GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN: return 64;
    default: return 64;
    }
}

void target_parameter(Context &ctx, GLenum target, GLuint index, GLenum pname, GLint *out,
                      const char *func) {
    if (!check_index(ctx, target, index, func))
        return;
    Ref<Query> *point = target == GL_TIMESTAMP && ctx.has().timer_query
                            ? nullptr
                            : active_point(ctx, target, index);
    if (!point && !(target == GL_TIMESTAMP && ctx.has().timer_query))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    switch (pname) {
    case GL_QUERY_COUNTER_BITS: *out = counter_bits(ctx, target); return;
    case GL_CURRENT_QUERY:
        *out = point && *point && (*point)->target == target ? GLint((*point)->name) : 0;
        return;
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    }
}

bool available(Context &ctx, Query &q) {
    if (!q.ready && (ctx.lost.load(std::memory_order_relaxed) || st::query_available(ctx, q)))
        q.ready = true;
    return q.ready;
}

// One value of a query object. False: nothing is to be written (an error, or NO_WAIT and not there
// yet).
bool object_value(Context &ctx, Query &q, GLenum pname, uint64_t &v, const char *func) {
    switch (pname) {
    case GL_QUERY_RESULT_AVAILABLE: v = available(ctx, q); return true;
    case GL_QUERY_TARGET: v = q.target; return true;
    case GL_QUERY_RESULT_NO_WAIT:
        if (!available(ctx, q))
            return false;
        v = q.result;
        return true;
    case GL_QUERY_RESULT:
        if (!q.ready) {
            if (!ctx.lost.load(std::memory_order_relaxed))
                q.result = st::query_wait(ctx, q);
            q.ready = true;
        }
        v = q.result;
        return true;
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname)); return false;
    }
}

Query *readable(Context &ctx, GLuint name, const char *func) {
    Query *q = lookup_query(ctx, name);
    if (q && !q->active && q->target)
        return q;
    error(ctx, GL_INVALID_OPERATION, "%s(query %u %s)", func, name,
          q ? "is active" : "does not exist");
    return nullptr;
}

void into_buffer(Context &ctx, Query &q, Buffer &b, GLenum pname, GLintptr offset, unsigned size,
                 bool is_signed, const char *func) {
    if (pname != GL_QUERY_RESULT && pname != GL_QUERY_RESULT_NO_WAIT &&
        pname != GL_QUERY_RESULT_AVAILABLE && pname != GL_QUERY_TARGET)
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    if (offset < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(offset %lld)", func, (long long)offset);
    if (offset > b.size - GLsizeiptr(size))
        return error(ctx, GL_INVALID_OPERATION, "%s(writes beyond the buffer)", func);
    if (pname == GL_QUERY_TARGET) {
        uint64_t v = q.target;
        st::buffer_subdata(ctx, b, offset, GLsizeiptr(size), &v);
        return;
    }
    if (!st::query_result_to_buffer(ctx, q, b, offset, pname, size, is_signed))
        error(ctx, GL_INVALID_OPERATION, "%s(not supported by the driver)", func);
}

template <class T> T clamp_to(uint64_t v) {
    constexpr uint64_t top = uint64_t(std::numeric_limits<T>::max());
    return T(v > top ? top : v);
}

template <class T>
void get_object(Context &ctx, GLuint name, GLenum pname, T *out, const char *func) {
    if (ctx.lost.load(std::memory_order_relaxed)) { // whatever is asked for: a loop ends
        if (pname == GL_QUERY_RESULT_AVAILABLE)
            *out = GL_TRUE;
        return error(ctx, GL_CONTEXT_LOST, "%s", func);
    }
    Query *q = readable(ctx, name, func);
    if (!q)
        return;
    if (Buffer *b = ctx.buffers->query.get())
        return into_buffer(ctx, *q, *b, pname, GLintptr(out), sizeof(T), std::is_signed_v<T>, func);
    uint64_t v = 0;
    if (object_value(ctx, *q, pname, v, func))
        *out = clamp_to<T>(v);
}

void get_buffer_object(Context &ctx, GLuint name, GLuint buffer, GLenum pname, GLintptr offset,
                       unsigned size, bool is_signed, const char *func) {
    Query *q = readable(ctx, name, func);
    Buffer *b = q ? lookup_buffer_err(ctx, buffer, func) : nullptr;
    if (b)
        into_buffer(ctx, *q, *b, pname, offset, size, is_signed, func);
}
} // namespace

void GL_ENTRY(GenQueries)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenQueries(n %d)", n);
    ctx.query_names.gen(unsigned(n), names);
}
void GL_ENTRY(CreateQueries)(Context &ctx, GLenum target, GLsizei n, GLuint *names) {
    if (target != GL_TIMESTAMP && !active_point(ctx, target, 0))
        return error(ctx, GL_INVALID_ENUM, "glCreateQueries(target %s)", enum_name(target));
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateQueries(n %d)", n);
    ctx.query_names.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++) {
        Query *q = ctx.query_names.insert(names[i], new Query);
        q->target = target;
        q->ever_bound = true;
        q->ready = true; // never begun: reads as available, 0
    }
}
void GL_ENTRY(DeleteQueries)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteQueries(n %d)", n);
    for (GLsizei i = 0; i < n; i++)
        if (Ref<Query> q = ctx.query_names.remove(names[i])) {
            if (!q->active)
                continue;
            q->active = false; // deletion of an active query ends it
            Ref<Query> *point = active_point(ctx, q->target, q->stream);
            if (point && *point == q)
                point->reset();
            if (!ctx.lost.load(std::memory_order_relaxed))
                st::query_end(ctx, *q);
        }
}
GLboolean GL_ENTRY(IsQuery)(Context &ctx, GLuint name) {
    return lookup_query(ctx, name) != nullptr;
}

void GL_ENTRY(BeginQuery)(Context &ctx, GLenum target, GLuint name) {
    begin(ctx, target, 0, name, "glBeginQuery");
}
void GL_ENTRY(EndQuery)(Context &ctx, GLenum target) {
    end(ctx, target, 0, "glEndQuery");
}
void GL_ENTRY(BeginQueryIndexed)(Context &ctx, GLenum target, GLuint index, GLuint name) {
    begin(ctx, target, index, name, "glBeginQueryIndexed");
}
void GL_ENTRY(EndQueryIndexed)(Context &ctx, GLenum target, GLuint index) {
    end(ctx, target, index, "glEndQueryIndexed");
}

void GL_ENTRY(QueryCounter)(Context &ctx, GLuint name, GLenum target) {
    if (target != GL_TIMESTAMP || !ctx.has().timer_query)
        return error(ctx, GL_INVALID_ENUM, "glQueryCounter(target %s)", enum_name(target));
    if (!ctx.query_names.known(name))
        return error(ctx, GL_INVALID_OPERATION, "glQueryCounter(name %u was not generated)", name);
    Query *q = ctx.query_names.find(name);
    if (!q)
        q = ctx.query_names.insert(name, new Query);
    if (q->active || (q->target && q->target != GL_TIMESTAMP))
        return error(ctx, GL_INVALID_OPERATION, "glQueryCounter(query %u is another kind)", name);
    q->target = GL_TIMESTAMP;
    q->ever_bound = q->ended = true;
    q->ready = false;
    if (!ctx.lost.load(std::memory_order_relaxed))
        st::query_counter(ctx, *q);
}

void GL_ENTRY(GetQueryiv)(Context &ctx, GLenum target, GLenum pname, GLint *out) {
    target_parameter(ctx, target, 0, pname, out, "glGetQueryiv");
}
void GL_ENTRY(GetQueryIndexediv)(Context &ctx, GLenum target, GLuint index, GLenum pname,
                                 GLint *out) {
    target_parameter(ctx, target, index, pname, out, "glGetQueryIndexediv");
}
void GL_ENTRY(GetQueryObjectiv)(Context &ctx, GLuint name, GLenum pname, GLint *out) {
    get_object(ctx, name, pname, out, "glGetQueryObjectiv");
}
void GL_ENTRY(GetQueryObjectuiv)(Context &ctx, GLuint name, GLenum pname, GLuint *out) {
    get_object(ctx, name, pname, out, "glGetQueryObjectuiv");
}
void GL_ENTRY(GetQueryObjecti64v)(Context &ctx, GLuint name, GLenum pname, GLint64 *out) {
    get_object(ctx, name, pname, out, "glGetQueryObjecti64v");
}
void GL_ENTRY(GetQueryObjectui64v)(Context &ctx, GLuint name, GLenum pname, GLuint64 *out) {
    get_object(ctx, name, pname, out, "glGetQueryObjectui64v");
}
void GL_ENTRY(GetQueryBufferObjectiv)(Context &ctx, GLuint name, GLuint buffer, GLenum pname,
                                      GLintptr offset) {
    get_buffer_object(ctx, name, buffer, pname, offset, 4, true, "glGetQueryBufferObjectiv");
}
void GL_ENTRY(GetQueryBufferObjectuiv)(Context &ctx, GLuint name, GLuint buffer, GLenum pname,
                                       GLintptr offset) {
    get_buffer_object(ctx, name, buffer, pname, offset, 4, false, "glGetQueryBufferObjectuiv");
}
void GL_ENTRY(GetQueryBufferObjecti64v)(Context &ctx, GLuint name, GLuint buffer, GLenum pname,
                                        GLintptr offset) {
    get_buffer_object(ctx, name, buffer, pname, offset, 8, true, "glGetQueryBufferObjecti64v");
}
void GL_ENTRY(GetQueryBufferObjectui64v)(Context &ctx, GLuint name, GLuint buffer, GLenum pname,
                                         GLintptr offset) {
    get_buffer_object(ctx, name, buffer, pname, offset, 8, false, "glGetQueryBufferObjectui64v");
}
} // namespace gl
