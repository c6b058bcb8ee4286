// SPDX-License-Identifier: MIT
// The log of a session on its way to the client, whose user does not see our standard error. No
// thread that logs ever touches the connection: lines wait here for a thread of their own.
//
// Errors are never lost: a line that comes again within a second is sent once more, with how often
// it came (past 8 MiB of different ones that wait, the rest is a number). Of everything else a
// flood is cut, and how many lines were left out is said.
#pragma once

#include "control.h"

#include "util/log.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

namespace remote {

class LogForward {
  public:
    // `send`: false when the client is gone; called from one thread.
    explicit LogForward(std::function<bool(Message &)> send) : send_(std::move(send)) {}
    ~LogForward();
    LogForward(const LogForward &) = delete;
    LogForward &operator=(const LogForward &) = delete;

    // False: no thread is left.
    bool start();
    // A line. Any thread; never waits for the client.
    void add(util::LogLevel level, const char *tag, const char *text);
    // Waits until all that was added is sent, `limit_ns` at most; repetitions are not held back.
    void flush(uint64_t limit_ns);

    // For util::log_set_sink(); `data` is a LogForward.
    static void sink(void *data, util::LogLevel level, const char *tag, const char *text);

  private:
    struct Line {
        util::LogLevel level;
        std::string text;
        uint32_t times = 1;
    };
    using Lines = std::multimap<uint64_t, Line>; // by the time at which it is due

    void run();
    bool allowed(uint64_t now); // a line that is no error
    uint64_t due(const std::string &text, uint64_t now);
    bool take(Line *line, uint64_t now);
    void summarize(uint64_t now);
    bool send(const Line &line);

    std::function<bool(Message &)> send_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
    Lines lines_;
    std::unordered_map<std::string, Lines::iterator> waiting_errors_;
    std::unordered_map<std::string, uint64_t> sent_errors_; // when
    uint64_t error_bytes_ = 0;
    uint32_t others_waiting_ = 0, left_out_ = 0, unkept_errors_ = 0;
    // Lines other than errors that may come now.
    static constexpr double most_tokens = 128;
    double tokens_ = most_tokens;
    uint64_t tokens_ns_ = 0, summarized_ns_ = 0;
    bool stop_ = false, gone_ = false, flushing_ = false, sending_ = false;
};

} // namespace remote
