// SPDX-License-Identifier: MIT
// Queries: occlusion, timer, primitives, statistics.
#include "magma_query.h"

#include "magma_context.h"
#include "magma_trash.h"
#include "util/log.h"

#include <algorithm>
#include <bit>

namespace magma {

namespace {

constexpr uint32_t slots_per_pool = 64;

struct host_query {
    VkQueryType type;
    uint32_t values;
};

// In the order of pipe_query_create.index. A slot has the values of all bits, the lowest first.
const VkQueryPipelineStatisticFlags statistic_bits[] = {
    VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT,
    VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT,
    VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT,
    VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_CONTROL_SHADER_PATCHES_BIT,
    VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_EVALUATION_SHADER_INVOCATIONS_BIT,
    VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_INVOCATIONS_BIT,
    VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT,
    VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT,
    VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT,
    VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT,
    VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT,
};

constexpr uint32_t statistic_count = sizeof statistic_bits / sizeof statistic_bits[0];
constexpr VkQueryPipelineStatisticFlags all_statistics = (1u << statistic_count) - 1;
constexpr host_query statistics_query = {VK_QUERY_TYPE_PIPELINE_STATISTICS, statistic_count};

uint8_t value_of(VkQueryPipelineStatisticFlagBits bit) {
    return uint8_t(std::countr_zero(uint32_t(bit)));
}

bool host_type(const host_device &dev, const query &q, host_query &out) {
    switch (q.type) {
    case PIPE_QUERY_TYPE_OCCLUSION_COUNTER:
    case PIPE_QUERY_TYPE_OCCLUSION_PREDICATE:
    case PIPE_QUERY_TYPE_OCCLUSION_PREDICATE_CONSERVATIVE:
        out = {VK_QUERY_TYPE_OCCLUSION, 1};
        return true;
    case PIPE_QUERY_TYPE_TIMESTAMP:
    case PIPE_QUERY_TYPE_TIME_ELAPSED:
        out = {VK_QUERY_TYPE_TIMESTAMP, 1};
        return dev.timestamp_bits != 0;
    case PIPE_QUERY_TYPE_PRIMITIVES_GENERATED:
        if (dev.has.primitives_generated_query) {
            out = {VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 1};
            return true;
        }
        if (dev.has.core.pipelineStatisticsQuery) {
            out = statistics_query;
            return true;
        }
        [[fallthrough]];
    case PIPE_QUERY_TYPE_PRIMITIVES_EMITTED:
    case PIPE_QUERY_TYPE_SO_OVERFLOW:
    case PIPE_QUERY_TYPE_SO_OVERFLOW_ANY:
        out = {VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 2};
        return dev.has.transform_feedback && dev.xfb.transformFeedbackQueries;
    case PIPE_QUERY_TYPE_PIPELINE_STATISTIC:
        out = statistics_query;
        return dev.has.core.pipelineStatisticsQuery && q.index < statistic_count;
    default: return false;
    }
}

// A fresh, reset slot; the reset runs at the head of the batch that takes the first slot of a pool.
bool take_slot(context &c, const host_query &kind, query_segment &out) {
    query_slots::entry *e = nullptr;
    for (auto &have : c.slots.entries)
        if (have.type == kind.type)
            e = &have;
    if (!e) {
        c.slots.entries.push_back({kind.type, nullptr, slots_per_pool});
        e = &c.slots.entries.back();
    }
    if (!e->pool || e->next == slots_per_pool) {
        VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        info.queryType = kind.type;
        info.queryCount = slots_per_pool;
        if (kind.type == VK_QUERY_TYPE_PIPELINE_STATISTICS)
            info.pipelineStatistics = all_statistics;
        auto pool = std::make_shared<query_pool>();
        VkResult result =
            VK_TRY(&c.dev, CreateQueryPool(c.dev.device, &info, nullptr, &pool->pool));
        if (result != VK_SUCCESS)
            return false;
        pool->dev = &c.dev;
        pool->values = kind.values;
        c.dev.vk.CmdResetQueryPool(c.rec.early(), pool->pool, 0, slots_per_pool);
        e->pool = std::move(pool);
        e->next = 0;
    }
    out.pool = e->pool;
    out.slot = e->next++;
    out.token = c.rec.token();
    return true;
}

bool is_timer(const query &q) {
    return q.type == PIPE_QUERY_TYPE_TIMESTAMP || q.type == PIPE_QUERY_TYPE_TIME_ELAPSED;
}

bool stamp(context &c, query &q) {
    host_query kind;
    query_segment s;
    if (!host_type(c.dev, q, kind) || !c.begin() || !take_slot(c, kind, s))
        return false;
    c.dev.vk.CmdWriteTimestamp(c.outside(), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, s.pool->pool,
                               s.slot);
    q.segments.push_back(std::move(s));
    return true;
}

// ---- captures: one host query for each stream, shared by all that count it ----------------------

bool is_capture(const host_device &dev, const query &q) {
    host_query kind;
    return host_type(dev, q, kind) && kind.type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT;
}

bool counts_stream(const query &q, uint32_t stream) {
    return q.type == PIPE_QUERY_TYPE_SO_OVERFLOW_ANY || q.index == stream;
}

uint32_t stream_count(const host_device &dev) {
    const uint32_t most = dev.has.geometry_streams ? dev.xfb.maxTransformFeedbackStreams : 1;
    return std::min<uint32_t>(most, capture_streams);
}

void close_streams(context &c) {
    for (uint32_t stream = 0; stream < capture_streams; ++stream) {
        query_segment &s = c.open_streams[stream];
        if (s.pool)
            c.dev.vk.CmdEndQueryIndexed(c.outside(), s.pool->pool, s.slot, stream);
        s = {};
    }
}

void open_streams(context &c) {
    if (!c.rec.recording()) // the next batch begins with it
        return;
    for (uint32_t stream = 0; stream < stream_count(c.dev); ++stream) {
        query_segment &s = c.open_streams[stream];
        for (query *q : c.active_queries) {
            if (!is_capture(c.dev, *q) || !counts_stream(*q, stream))
                continue;
            if (!s.pool) {
                if (!take_slot(c, {VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 2}, s))
                    return;
                c.dev.vk.CmdBeginQueryIndexed(c.outside(), s.pool->pool, s.slot, 0, stream);
            }
            q->segments.push_back(s);
        }
    }
}

// ---- statistics: one host query for all, since a command buffer may have one of a type open -----

bool is_statistic(const host_device &dev, const query &q) {
    host_query kind;
    return host_type(dev, q, kind) && kind.type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
}

// The statistic that counts the primitives that this lane's program gives to the rasteriser.
uint8_t generated_value(const context &c) {
    const program_ref &p = c.st.draw_program.peek();
    if (p && p->has_stage(PIPE_SHADER_GEOMETRY))
        return value_of(VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT);
    if (p && p->has_stage(PIPE_SHADER_TESS_EVAL))
        return value_of(VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT);
    return value_of(VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT);
}

void close_statistics(context &c) {
    query_segment &s = c.open_statistics;
    if (s.pool)
        c.dev.vk.CmdEndQuery(c.outside(), s.pool->pool, s.slot);
    s = {};
}

void open_statistics(context &c) {
    if (!c.rec.recording()) // the next batch begins with it
        return;
    query_segment &s = c.open_statistics;
    for (query *q : c.active_queries) {
        if (!is_statistic(c.dev, *q))
            continue;
        if (!s.pool) {
            if (!take_slot(c, statistics_query, s))
                return;
            c.dev.vk.CmdBeginQuery(c.outside(), s.pool->pool, s.slot, 0);
        }
        if (q->type == PIPE_QUERY_TYPE_PRIMITIVES_GENERATED) {
            emulated(emulation::primitives_generated);
            s.value = generated_value(c);
            q->segments.push_back(s);
        } else {
            q->segments.push_back(s);
            q->segments.back().value =
                value_of(VkQueryPipelineStatisticFlagBits(statistic_bits[q->index]));
        }
    }
}

// ---- all others: a host query each --------------------------------------------------------------

void open_segment(context &c, query &q) {
    host_query kind;
    query_segment s;
    if (!host_type(c.dev, q, kind) || !c.begin() || !take_slot(c, kind, s))
        return;
    VkCommandBuffer cmd = c.outside();
    bool precise =
        q.type == PIPE_QUERY_TYPE_OCCLUSION_COUNTER && c.dev.has.core.occlusionQueryPrecise;
    VkQueryControlFlags flags = precise ? VK_QUERY_CONTROL_PRECISE_BIT : 0;
    if (kind.type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT && q.index)
        c.dev.vk.CmdBeginQueryIndexed(cmd, s.pool->pool, s.slot, flags, q.index);
    else
        c.dev.vk.CmdBeginQuery(cmd, s.pool->pool, s.slot, flags);
    q.segments.push_back(std::move(s));
    q.running = true;
}

void close_segment(context &c, query &q) {
    if (!q.running)
        return;
    q.running = false;
    host_query kind;
    host_type(c.dev, q, kind);
    const query_segment &s = q.segments.back();
    VkCommandBuffer cmd = c.outside();
    if (kind.type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT && q.index)
        c.dev.vk.CmdEndQueryIndexed(cmd, s.pool->pool, s.slot, q.index);
    else
        c.dev.vk.CmdEndQuery(cmd, s.pool->pool, s.slot);
}

// Begins to count for a query, which joins the active ones, or ends it, which leaves them.
void join(context &c, query &q) {
    c.begin(); // resumes the others, so before this one is among them
    const bool capture = is_capture(c.dev, q), statistic = is_statistic(c.dev, q);
    if (capture)
        close_streams(c);
    if (statistic)
        close_statistics(c);
    c.active_queries.push_back(&q);
    if (capture)
        open_streams(c);
    else if (statistic)
        open_statistics(c);
    else
        open_segment(c, q);
}

void leave(context &c, query &q) {
    const bool capture = is_capture(c.dev, q), statistic = is_statistic(c.dev, q);
    if (capture)
        close_streams(c);
    else if (statistic)
        close_statistics(c);
    else
        close_segment(c, q);
    std::erase(c.active_queries, &q);
    if (capture)
        open_streams(c);
    if (statistic)
        open_statistics(c);
}

uint64_t to_nanoseconds(const host_device &dev, uint64_t ticks) {
    if (dev.timestamp_bits < 64)
        ticks &= (1ull << dev.timestamp_bits) - 1;
    return uint64_t(double(ticks) * double(dev.props.limits.timestampPeriod));
}

// Every batch of the query is done: reads the host slots.
void collect(context &c, query &q) {
    uint64_t sum = 0, needed = 0;
    bool overflow = false;
    std::vector<uint64_t> stamps;
    for (const query_segment &s : q.segments) {
        uint64_t values[statistic_count] = {};
        if (!c.dev.lost && !(s.token && s.token->failed))
            c.dev.vk.GetQueryPoolResults(c.dev.device, s.pool->pool, s.slot, 1,
                                         sizeof(uint64_t) * s.pool->values, values, sizeof values,
                                         VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        sum += values[s.value];
        needed += values[1];
        overflow |= values[0] != values[1]; // written, needed
        stamps.push_back(values[0]);
    }
    switch (q.type) {
    case PIPE_QUERY_TYPE_OCCLUSION_PREDICATE:
    case PIPE_QUERY_TYPE_OCCLUSION_PREDICATE_CONSERVATIVE: q.result = sum != 0; break;
    case PIPE_QUERY_TYPE_TIMESTAMP: q.result = to_nanoseconds(c.dev, sum); break;
    case PIPE_QUERY_TYPE_TIME_ELAPSED:
        q.result = stamps.size() == 2 ? to_nanoseconds(c.dev, stamps[1] - stamps[0]) : 0;
        break;
    case PIPE_QUERY_TYPE_PRIMITIVES_GENERATED:
        q.result = is_capture(c.dev, q) ? needed : sum;
        break;
    case PIPE_QUERY_TYPE_SO_OVERFLOW:
    case PIPE_QUERY_TYPE_SO_OVERFLOW_ANY: q.result = overflow; break;
    default: q.result = sum; break;
    }
    q.have_result = true;
    q.segments.clear();
}

void restart(query &q) {
    q.segments.clear();
    q.have_result = false;
    q.result = 0;
}

} // namespace

bool settle_query(context &c, query &q, bool wait) {
    if (q.have_result || q.segments.empty())
        return true;
    token_ref token = q.last_token();
    if (!token->submitted())
        c.flush();
    if (!(wait ? token->wait(UINT64_MAX) : token->poll()))
        return false;
    collect(c, q);
    return true;
}

query_pool::~query_pool() {
    if (dev)
        dev->trash->throw_away(VK_OBJECT_TYPE_QUERY_POOL, pool);
}

void suspend_queries(context &c) {
    close_streams(c);
    close_statistics(c);
    for (query *q : c.active_queries)
        close_segment(c, *q);
}

void resume_queries(context &c) {
    open_streams(c);
    open_statistics(c);
    for (query *q : c.active_queries)
        if (!is_timer(*q) && !is_capture(c.dev, *q) && !is_statistic(c.dev, *q) && !q->running)
            open_segment(c, *q);
}

void follow_program(context &c) {
    if (!c.open_statistics.pool || c.dev.has.primitives_generated_query ||
        c.open_statistics.value == generated_value(c))
        return;
    for (const query *q : c.active_queries)
        if (q->type == PIPE_QUERY_TYPE_PRIMITIVES_GENERATED) {
            close_statistics(c);
            open_statistics(c);
            return;
        }
}

uncounted::uncounted(context &c) {
    for (const query *q : c.active_queries)
        if (!is_timer(*q))
            c_ = &c;
    if (c_)
        suspend_queries(c);
}

uncounted::~uncounted() {
    if (c_)
        resume_queries(*c_);
}

void query_create(pipe_context *ctx, const pipe_query_create *p) {
    auto q = std::make_shared<query>();
    q->type = pipe_query_type(p->type);
    q->index = p->index;
    q->have_result = true;
    ctx_of(ctx).queries.put(p->query, std::move(q));
}

void query_begin(pipe_context *ctx, const pipe_query_begin *p) {
    context &c = ctx_of(ctx);
    query *q = c.queries.peek(p->query);
    if (!q || q->active)
        return;
    c.relieve();
    host_query kind;
    if (!host_type(c.dev, *q, kind)) {
        log_warning_once("magma", "query type %u is not supported here and reads 0", q->type);
        q->result = 0;
        q->have_result = true;
        return;
    }
    restart(*q);
    q->active = true;
    if (q->type == PIPE_QUERY_TYPE_TIME_ELAPSED) {
        stamp(c, *q);
        c.active_queries.push_back(q);
    } else if (q->type != PIPE_QUERY_TYPE_TIMESTAMP) {
        join(c, *q);
    }
}

void query_end(pipe_context *ctx, const pipe_query_end *p) {
    context &c = ctx_of(ctx);
    query *q = c.queries.peek(p->query);
    if (!q || !q->active)
        return;
    q->active = false;
    if (q->type == PIPE_QUERY_TYPE_TIME_ELAPSED) {
        stamp(c, *q);
        std::erase(c.active_queries, q);
    } else {
        leave(c, *q);
    }
}

void query_counter(pipe_context *ctx, const pipe_query_counter *p) {
    context &c = ctx_of(ctx);
    query *q = c.queries.peek(p->query);
    if (!q)
        return;
    c.relieve();
    restart(*q);
    if (!stamp(c, *q))
        q->have_result = true;
}

pipe_status query_available(pipe_context *ctx, const pipe_query_available *p,
                            pipe_query_available_reply *out) {
    context &c = ctx_of(ctx);
    query *q = c.queries.peek(p->query);
    *out = {};
    out->available = 1;
    if (!q)
        return PIPE_OK;
    out->available = settle_query(c, *q, false);
    c.report();
    out->result = out->available ? q->result : 0;
    return PIPE_OK;
}

pipe_status query_result(pipe_context *ctx, const pipe_query_result *p,
                         pipe_query_result_reply *out) {
    context &c = ctx_of(ctx);
    query *q = c.queries.peek(p->query);
    out->result = 0;
    if (!q)
        return PIPE_OK;
    settle_query(c, *q, true);
    c.report();
    out->result = q->result;
    return PIPE_OK;
}

void query_destroy(pipe_context *ctx, const pipe_query_destroy *p) {
    context &c = ctx_of(ctx);
    auto q = c.queries.take(p->query);
    if (!q)
        return;
    if (q->active && !is_timer(*q))
        leave(c, *q);
    std::erase(c.active_queries, q.get());
}

pipe_status query_timestamp(pipe_context *ctx, const pipe_query_timestamp *,
                            pipe_query_timestamp_reply *out) {
    context &c = ctx_of(ctx);
    query q;
    q.type = PIPE_QUERY_TYPE_TIMESTAMP;
    out->timestamp = 0;
    if (!stamp(c, q))
        return PIPE_DECLINED;
    settle_query(c, q, true);
    out->timestamp = q.result;
    return PIPE_OK;
}

void query_result_to_buffer(pipe_context *ctx, const pipe_query_result_to_buffer *p) {
    context &c = ctx_of(ctx);
    query *q = c.queries.peek(p->query);
    resource_ref buffer = c.find(p->buffer);
    if (!q || !buffer || !buffer->store)
        return;
    const bool ready = settle_query(c, *q, p->wait && !p->availability);
    if (!ready && !p->availability)
        return; // GL_QUERY_RESULT_NO_WAIT leaves the buffer alone
    uint64_t value = p->availability ? ready : q->result;
    if (!p->is_64bit)
        value = std::min<uint64_t>(value, p->is_signed ? 0x7fffffffu : 0xffffffffu);
    const uint32_t bytes = p->is_64bit ? 8 : 4;
    if (p->offset + bytes > buffer->st()->size || (p->offset & 3) || !c.begin())
        return;
    c.end_pass();
    c.rec.use(*buffer->st(), access_transfer_write());
    c.dev.vk.CmdUpdateBuffer(c.rec.main(), buffer->st()->buffer, p->offset, bytes, &value);
    c.dirty |= dirty_uses;
}

} // namespace magma
