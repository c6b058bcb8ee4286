// SPDX-License-Identifier: MIT
// Queries whose results died with a server: available, and zero.
#include "respawn_screen.h"

namespace wrap {

static void write_result(const pipe_query_result_to_buffer &q, pipe_context *ctx) {
    const uint64_t value = q.availability ? 1 : 0;
    pipe_resource_subdata p{};
    p.resource = q.buffer;
    p.offset = q.offset;
    p.size = q.is_64bit ? 8 : 4;
    const pipe_host_span data = pipe_span(&value, p.size);
    ctx->resource_subdata(ctx, &p, nullptr, &data);
}

bool call_of_orphan(std::unordered_set<uint64_t> &orphans, const CallView &v, pipe_context *ctx) {
    auto lost = [&orphans](pipe_handle h) { return orphans.count(pipe_handle_key(h)) != 0; };
    switch (v.op) {
    case PIPE_OP_QUERY_BEGIN: // it counts anew
    case PIPE_OP_QUERY_COUNTER:
    case PIPE_OP_QUERY_DESTROY:
        orphans.erase(pipe_handle_key(static_cast<const pipe_query_begin *>(v.payload)->query));
        return false;
    case PIPE_OP_QUERY_END: // of a kind without a begin
        orphans.erase(pipe_handle_key(static_cast<const pipe_query_end *>(v.payload)->query));
        return false;
    case PIPE_OP_QUERY_AVAILABLE: {
        if (!lost(static_cast<const pipe_query_available *>(v.payload)->query))
            return false;
        auto &out = *static_cast<pipe_query_available_reply *>(v.out);
        out = {};
        out.available = 1;
        return true;
    }
    case PIPE_OP_QUERY_RESULT:
        if (!lost(static_cast<const pipe_query_result *>(v.payload)->query))
            return false;
        *static_cast<pipe_query_result_reply *>(v.out) = {};
        return true;
    case PIPE_OP_QUERY_RESULT_TO_BUFFER: {
        const auto &p = *static_cast<const pipe_query_result_to_buffer *>(v.payload);
        if (!lost(p.query))
            return false;
        write_result(p, ctx);
        return true;
    }
    case PIPE_OP_SET_RENDER_CONDITION: {
        pipe_set_render_condition p = *static_cast<const pipe_set_render_condition *>(v.payload);
        if (!lost(p.query))
            return false;
        p.query = pipe_null_handle(); // as if it had passed
        ctx->set_render_condition(ctx, &p);
        return true;
    }
    }
    return false;
}

} // namespace wrap
