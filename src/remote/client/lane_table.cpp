// SPDX-License-Identifier: MIT
// The lane's table: generated entries, and the few that know what to answer after a loss or when a
// lane ends.
#include "lane.h"

namespace remote {

static void lane_destroy(pipe_context *ctx, const pipe_lane_destroy *p) {
    Lane *lane = &Lane::of(ctx);
    if (lane->emit_destroy)
        lane->emit_destroy(ctx, p);
    delete lane;
}

static enum pipe_status query_available(pipe_context *ctx, const pipe_query_available *p,
                                        pipe_query_available_reply *out) {
    Lane &lane = Lane::of(ctx);
    enum pipe_status status = lane.emit_query_available(ctx, p, out);
    if (lane.lost()) {
        *out = {};
        out->available = 1;
        return PIPE_OK;
    }
    return status;
}

static enum pipe_status query_result(pipe_context *ctx, const pipe_query_result *p,
                                     pipe_query_result_reply *out) {
    Lane &lane = Lane::of(ctx);
    enum pipe_status status = lane.emit_query_result(ctx, p, out);
    if (lane.lost()) {
        *out = {};
        return PIPE_OK;
    }
    return status;
}

static enum pipe_status get_reset_status(pipe_context *ctx, const pipe_get_reset_status *p,
                                         pipe_get_reset_status_reply *out) {
    Lane &lane = Lane::of(ctx);
    enum pipe_status status = PIPE_DECLINED;
    if (lane.emit_reset_status)
        status = lane.emit_reset_status(ctx, p, out);
    if (lane.lost()) {
        *out = {};
        out->status = PIPE_RESET_UNKNOWN;
        return PIPE_OK;
    }
    return status;
}

void Lane::fill_table() {
    wire::fill_context(&table, &screen_.caps);
    emit_destroy = table.lane_destroy;
    table.lane_destroy = lane_destroy;
    emit_reset_status = table.get_reset_status;
    table.get_reset_status = get_reset_status;
    if ((emit_query_available = table.query_available))
        table.query_available = query_available;
    if ((emit_query_result = table.query_result))
        table.query_result = query_result;
    fill_buffer_calls();
}

} // namespace remote
