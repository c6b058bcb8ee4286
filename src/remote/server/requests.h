// SPDX-License-Identifier: MIT
// Requests of a client, answered in order on a thread of their own: what they wait for may have to
// arrive by the same connection, or never comes once it has ended.
#pragma once

#include "control.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace remote {

// Never destroyed: its thread ends with the process.
class Requests {
  public:
    explicit Requests(std::function<void(Message &)> answer) : answer_(std::move(answer)) {}
    // False: more than a client in its right mind sends, or no thread is left.
    bool add(Message request);

  private:
    [[noreturn]] void run();

    std::function<void(Message &)> answer_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Message> waiting_;
    std::thread thread_;
};

} // namespace remote
