// SPDX-License-Identifier: MIT
// Root calls over the control plane; see root_emitter.h.
#include "root_emitter.h"

#include "counters.h"

#include "util/log.h"

#include <algorithm>

namespace remote {

void RootEmitter::attach(Connection *connection, uint32_t screen) {
    connection_ = connection;
    screen_ = screen;
    inline_limit_ = max_message / 2;
    room_ = 0;
}

bool RootEmitter::put_beside(const int *fds, unsigned count) {
    beside_.close_fds();
    for (unsigned i = 0; i < count; i++)
        if (!attach_fd(beside_, fds[i]))
            return false;
    return true;
}

uint8_t *RootEmitter::begin_slow(uint64_t size) {
    record_.assign(size, 0);
    cur_ = record_.data();
    room_ = size;
    return cur_;
}

// Only reached by content too large for a message, which no root call has.
wire::Span RootEmitter::place(const pipe_host_span &span, uint16_t op) {
    log_error_once("remote", "%s: %llu bytes do not fit a control message",
                   wire::call_info[op].name, (unsigned long long)span.size);
    return {PIPE_SEG_NONE, 0, 0, span.size};
}

wire::Reply RootEmitter::reply_place(uint64_t size) {
    return {PIPE_SEG_READ, 0, 0, size};
}

enum pipe_status RootEmitter::reply_wait(const wire::Reply &, uint16_t op, void *out,
                                         uint32_t out_size, const pipe_out_span *) {
    room_ = 0;
    pending_ = 0;
    pipe_ctl_surface ctl{};
    ctl.screen = screen_;
    ctl.op = op;
    ctl.size = static_cast<uint32_t>(record_.size());
    Message in, answer;
    in.set(PIPE_CTL_SURFACE, ctl, record_.data(), record_.size());
    if (op == PIPE_OP_RESOURCE_IMPORT)
        in.fds.swap(beside_.fds);
    pipe_ctl_reply reply{};
    count_replies.add();
    count_reply_of(op);
    enum pipe_status status = connection_->ask(in, answer, &reply);
    if (status == PIPE_OK && out) {
        if (answer.tail_size<pipe_ctl_reply>() < out_size)
            return PIPE_ERROR;
        memcpy(out, answer.tail<pipe_ctl_reply>(), out_size);
        if (op == PIPE_OP_RESOURCE_EXPORT) {
            auto *got = static_cast<pipe_resource_export_reply *>(out);
            got->fd = answer.take_fd(0);
            return got->fd >= 0 ? PIPE_OK : PIPE_ERROR;
        }
    }
    return status;
}

} // namespace remote
