// SPDX-License-Identifier: MIT
// Queries: results come as events or by one wait; polling is local but for one escalated poll in a
// while.
#include "tracker/tracker_private.h"

#include <algorithm>

namespace st {

static QueryData &data_of(gl::Query &q) {
    if (!q.tracker)
        q.tracker = new QueryData;
    return *static_cast<QueryData *>(q.tracker);
}

// Type and index in the pipe; false: the driver does not count it.
static bool describe(Tracker &t, const gl::Query &q, QueryData &d) {
    const pipe_caps &caps = t.group.screen->caps;
    d.index = uint8_t(q.stream);
    switch (q.target) {
    case GL_SAMPLES_PASSED:
        // A host that only knows "any" answers 0 or 1; the counter then has no bits, which
        // GL_QUERY_COUNTER_BITS says.
        d.type = pipe_caps_has(&caps, PIPE_CAP_OCCLUSION_COUNT)
                     ? PIPE_QUERY_TYPE_OCCLUSION_COUNTER
                     : PIPE_QUERY_TYPE_OCCLUSION_PREDICATE;
        return pipe_caps_has(&caps, PIPE_CAP_OCCLUSION_COUNT) ||
               pipe_caps_has(&caps, PIPE_CAP_OCCLUSION_PREDICATE);
    case GL_ANY_SAMPLES_PASSED:
        d.type = PIPE_QUERY_TYPE_OCCLUSION_PREDICATE;
        return pipe_caps_has(&caps, PIPE_CAP_OCCLUSION_PREDICATE);
    case GL_ANY_SAMPLES_PASSED_CONSERVATIVE:
        d.type = PIPE_QUERY_TYPE_OCCLUSION_PREDICATE_CONSERVATIVE;
        return pipe_caps_has(&caps, PIPE_CAP_OCCLUSION_PREDICATE);
    case GL_TIMESTAMP:
        d.type = PIPE_QUERY_TYPE_TIMESTAMP;
        return pipe_caps_has(&caps, PIPE_CAP_TIMER_QUERY);
    case GL_TIME_ELAPSED:
        d.type = PIPE_QUERY_TYPE_TIME_ELAPSED;
        return pipe_caps_has(&caps, PIPE_CAP_TIMER_QUERY);
    case GL_PRIMITIVES_GENERATED:
        d.type = PIPE_QUERY_TYPE_PRIMITIVES_GENERATED;
        return pipe_caps_has(&caps, PIPE_CAP_PRIMITIVES_GENERATED);
    case GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN:
        d.type = PIPE_QUERY_TYPE_PRIMITIVES_EMITTED;
        return pipe_caps_has(&caps, PIPE_CAP_STREAM_OUTPUT);
    case GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW:
        d.type = PIPE_QUERY_TYPE_SO_OVERFLOW;
        return pipe_caps_has(&caps, PIPE_CAP_STREAM_OUTPUT_STREAMS);
    case GL_TRANSFORM_FEEDBACK_OVERFLOW:
        d.type = PIPE_QUERY_TYPE_SO_OVERFLOW_ANY;
        return pipe_caps_has(&caps, PIPE_CAP_STREAM_OUTPUT_STREAMS);
    }
    d.type = PIPE_QUERY_TYPE_PIPELINE_STATISTIC;
    const int i = gl::statistic_index(q.target);
    d.index = uint8_t(i);
    return i >= 0 && pipe_caps_has(&caps, PIPE_CAP_PIPELINE_STATISTICS);
}

// The handle with the type of this use. A query used again is a new one: a late answer of the old
// use must not count.
static bool fresh(Tracker &t, gl::Query &q) {
    QueryData &d = data_of(q);
    if (!pipe_handle_is_null(q.handle))
        query_destroy_handle(t, q.handle);
    q.handle = {};
    q.ready = false;
    q.result = 0;
    d.polls = 0;
    if (!describe(t, q, d) || !t.lane.has<&pipe_context::query_create>()) {
        q.ready = true; // nothing counts: the result is 0 at once
        return false;
    }
    pipe_query_create p{};
    p.query = to_pipe(t.queries.mint());
    p.type = d.type;
    p.index = d.index;
    t.lane.emit<&pipe_context::query_create>(&p);
    q.handle = p.query;
    std::lock_guard lock(t.group.event_mutex);
    if (t.ready_results.size() <= p.query.slot)
        t.ready_results.resize(p.query.slot + 1);
    t.ready_results[p.query.slot] = {p.query.gen, false, 0};
    return true;
}

void query_destroy_handle(Tracker &t, pipe_handle handle) {
    pipe_query_destroy p{handle};
    t.lane.emit<&pipe_context::query_destroy>(&p);
    t.queries.release(to_slot(handle));
}

bool query_begin(gl::Context &c, gl::Query &q) {
    Tracker &t = of(c);
    if (!fresh(t, q))
        return true;
    pipe_query_begin p{q.handle};
    t.lane.emit<&pipe_context::query_begin>(&p);
    return true;
}

void query_end(gl::Context &c, gl::Query &q) {
    if (pipe_handle_is_null(q.handle))
        return;
    pipe_query_end p{q.handle};
    of(c).lane.emit<&pipe_context::query_end>(&p);
}

void query_counter(gl::Context &c, gl::Query &q) {
    Tracker &t = of(c);
    if (!fresh(t, q))
        return;
    pipe_query_counter p{q.handle};
    t.lane.emit<&pipe_context::query_counter>(&p);
}

static void take_result(gl::Query &q, uint64_t result) {
    const bool is_bool = q.target == GL_ANY_SAMPLES_PASSED ||
                         q.target == GL_ANY_SAMPLES_PASSED_CONSERVATIVE ||
                         q.target == GL_TRANSFORM_FEEDBACK_OVERFLOW ||
                         q.target == GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW;
    q.result = is_bool ? uint64_t(result != 0) : result;
    q.ready = true;
}

// A result that came as an event, or one that there will never be.
static bool known(Tracker &t, gl::Query &q) {
    drain_events(t.c);
    if (q.ready || pipe_handle_is_null(q.handle) || t.c.lost.load(std::memory_order_relaxed))
        return q.ready = true;
    std::lock_guard lock(t.group.event_mutex);
    if (q.handle.slot < t.ready_results.size()) {
        const Tracker::ReadyResult &r = t.ready_results[q.handle.slot];
        if (r.ready && r.gen == q.handle.gen)
            take_result(q, r.result);
    }
    return q.ready;
}

bool query_available(gl::Context &c, gl::Query &q, bool ask) {
    Tracker &t = of(c);
    if (known(t, q))
        return true;
    QueryData &d = data_of(q);
    static const uint32_t escalate = uint32_t(util::env_int(util::Env::POLL_ESCALATE));
    if (!ask && !t.poll_always && ++d.polls % escalate != 0) {
        flush_for_poll(t);
        return known(t, q);
    }
    pipe_query_available p{q.handle};
    pipe_query_available_reply r{};
    stat_round_trips.add();
    if (t.lane.emit<&pipe_context::query_available>(&p, &r) != PIPE_OK)
        take_result(q, 0);
    else if (r.available)
        take_result(q, r.result);
    return q.ready;
}

uint64_t query_wait(gl::Context &c, gl::Query &q) {
    Tracker &t = of(c);
    if (known(t, q))
        return q.result;
    pipe_query_result p{q.handle};
    pipe_query_result_reply r{};
    stat_round_trips.add();
    take_result(q, t.lane.emit<&pipe_context::query_result>(&p, &r) == PIPE_OK ? r.result : 0);
    return q.result;
}

bool query_result_to_buffer(gl::Context &c, gl::Query &q, gl::Buffer &b, GLintptr offset,
                            GLenum pname, unsigned bytes, bool is_signed) {
    Tracker &t = of(c);
    const bool native = t.lane.has<&pipe_context::query_result_to_buffer>() &&
                        pipe_caps_has(&t.group.screen->caps, PIPE_CAP_QUERY_BUFFER);
    if (native && !pipe_handle_is_null(q.handle)) {
        pipe_query_result_to_buffer p{};
        p.query = q.handle;
        p.buffer = buffer_handle(t, &b);
        p.offset = uint64_t(offset);
        p.is_64bit = bytes == 8;
        p.is_signed = is_signed;
        p.wait = pname == GL_QUERY_RESULT;
        p.availability = pname == GL_QUERY_RESULT_AVAILABLE;
        buffer_gpu_written(t, b, p.offset, bytes);
        t.lane.emit<&pipe_context::query_result_to_buffer>(&p);
        note_write(t, st::data_of(b).write);
        return true;
    }
    uint64_t value = 0;
    if (pname == GL_QUERY_RESULT_AVAILABLE) {
        value = query_available(c, q);
    } else if (pname == GL_QUERY_RESULT_NO_WAIT) {
        if (!query_available(c, q))
            return true;
        value = q.result;
    } else {
        value = query_wait(c, q);
    }
    if (bytes == 4)
        value = std::min<uint64_t>(value, is_signed ? 0x7fffffffu : 0xffffffffu);
    buffer_subdata(c, b, offset, bytes, &value);
    return true;
}

void query_destroy(gl::Query &q) {
    gl::Context *c = gl::current();
    if (!pipe_handle_is_null(q.handle) && c && c->tracker && c->tracker->lane_current)
        query_destroy_handle(*c->tracker, q.handle);
    delete static_cast<QueryData *>(q.tracker);
    q.tracker = nullptr;
}

uint64_t timestamp(gl::Context &c) {
    pipe_query_timestamp p{};
    pipe_query_timestamp_reply r{};
    stat_round_trips.add();
    return of(c).lane.emit<&pipe_context::query_timestamp>(&p, &r) == PIPE_OK ? r.timestamp : 0;
}

bool render_condition(gl::Context &c, gl::Query *q, GLenum mode) {
    Tracker &t = of(c);
    if (!t.lane.has<&pipe_context::set_render_condition>() ||
        !pipe_caps_has(&t.group.screen->caps, PIPE_CAP_RENDER_CONDITION))
        return false;
    pipe_set_render_condition p{};
    if (q) {
        if (pipe_handle_is_null(q->handle))
            return false;
        p.query = q->handle;
        const bool inverted = mode >= GL_QUERY_WAIT_INVERTED;
        p.inverted = inverted;
        switch (inverted ? mode - GL_QUERY_WAIT_INVERTED + GL_QUERY_WAIT : mode) {
        case GL_QUERY_NO_WAIT: p.mode = PIPE_RENDER_COND_NO_WAIT; break;
        case GL_QUERY_BY_REGION_WAIT: p.mode = PIPE_RENDER_COND_BY_REGION_WAIT; break;
        case GL_QUERY_BY_REGION_NO_WAIT: p.mode = PIPE_RENDER_COND_BY_REGION_NO_WAIT; break;
        default: p.mode = PIPE_RENDER_COND_WAIT; break;
        }
    }
    t.lane.emit<&pipe_context::set_render_condition>(&p);
    return true;
}

void on_query_ready(gl::Context &c, const pipe_on_query_ready &e) {
    Tracker *t = c.tracker;
    if (!t)
        return;
    std::lock_guard lock(t->group.event_mutex);
    if (e.query.slot < t->ready_results.size() && t->ready_results[e.query.slot].gen == e.query.gen)
        t->ready_results[e.query.slot] = {e.query.gen, true, e.result};
}

} // namespace st
