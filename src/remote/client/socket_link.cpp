// SPDX-License-Identifier: MIT
// Requests and answers over a connection; see socket_link.h.
#include "socket_link.h"

#include "util/log.h"
#include "util/thread.h"

#include <chrono>
#include <new>
#include <utility>

namespace remote {

std::unique_ptr<Link> SocketLink::start(std::unique_ptr<Channel> channel, Connection *connection) {
    std::unique_ptr<SocketLink> link(new SocketLink(std::move(channel), connection));
    if (!util::start_thread(&link->reader_, "mgpipe-link", [l = link.get()] { l->read(); }))
        return nullptr;
    return link;
}

SocketLink::~SocketLink() {
    channel_->hang_up();
    if (reader_.joinable())
        reader_.join();
}

bool SocketLink::request(Message &in, Message &out) {
    std::lock_guard turn(turn_);
    std::unique_lock lock(mutex_);
    // A refusal may be here before the question.
    const bool refused = answered_ && answer_.type == PIPE_CTL_REFUSE;
    if (dead_ && !refused)
        return false;
    answered_ = refused;
    lock.unlock();
    channel_->send(in); // where that fails, its reader sees why
    lock.lock();
    // A server whose events nobody takes rests, and would not answer.
    constexpr auto patience = std::chrono::milliseconds(2);
    // Slow is not lost; but what listens there may be no server of ours.
    bool said = in.type != PIPE_CTL_HELLO;
    const auto slow = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    while (!arrived_.wait_for(lock, patience, [&] { return answered_ || dead_; })) {
        lock.unlock();
        connection_->collect_events();
        if (!said && std::chrono::steady_clock::now() > slow) {
            said = true;
            connection_->still_unanswered();
        }
        lock.lock();
    }
    if (!answered_)
        return false;
    out = std::move(answer_);
    return true;
}

bool SocketLink::dead() const {
    std::lock_guard lock(mutex_);
    return dead_;
}

void SocketLink::abandon() {
    channel_->abandon();
}

bool SocketLink::take(Message &m) {
    if (m.type != PIPE_CTL_REPLY && m.type != PIPE_CTL_WELCOME && m.type != PIPE_CTL_REFUSE)
        return connection_->receive(m);
    std::lock_guard lock(mutex_);
    answer_ = std::move(m);
    answered_ = true;
    arrived_.notify_all();
    return true;
}

void SocketLink::read() {
    // Whoever waits for an answer of a peer that sends something else would wait for ever.
    MessageHead head;
    try {
        for (Message m; channel_->next(&head);) {
            if (is_data(head.type) ? !connection_->mirrors.receive(head, *channel_)
                                   : !channel_->finish(head, m) || !take(m))
                break;
        }
    } catch (const std::bad_alloc &) { // the program may go on without us
        log_error("remote", "no memory for what the server sends");
    }
    {
        std::lock_guard lock(mutex_);
        dead_ = true;
        arrived_.notify_all();
    }
    connection_->hung_up();
}

} // namespace remote
