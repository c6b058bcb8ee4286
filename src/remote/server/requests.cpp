// SPDX-License-Identifier: MIT
// The thread of requests; see requests.h.
#include "requests.h"

#include "util/thread.h"

namespace remote {

// A client asks one question at a time.
constexpr size_t most_waiting = 64;

bool Requests::add(Message request) {
    std::lock_guard lock(mutex_);
    if (!thread_.joinable() && !util::start_thread(&thread_, "mgpipe-requests", [this] { run(); }))
        return false;
    if (waiting_.size() >= most_waiting)
        return false;
    waiting_.push_back(std::move(request));
    arrived_.notify_one();
    return true;
}

void Requests::run() {
    for (;;) {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !waiting_.empty(); });
        Message request = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        answer_(request);
    }
}

} // namespace remote
