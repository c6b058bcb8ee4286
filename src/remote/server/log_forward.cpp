// SPDX-License-Identifier: MIT
// Queue and sender of log lines; see log_forward.h.
#include "log_forward.h"

#include "util/futex.h"
#include "util/thread.h"

#include <algorithm>
#include <chrono>

namespace remote {

constexpr uint64_t second_ns = 1'000'000'000;
constexpr double tokens_each_second = 64;
constexpr uint32_t max_others = 256;
constexpr uint64_t max_error_bytes = 8 << 20; // of lines that wait
constexpr size_t max_remembered = 1024;

LogForward::~LogForward() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable())
        thread_.join();
}

bool LogForward::start() {
    return util::start_thread(&thread_, "mgpipe-log", [this] { run(); });
}

void LogForward::sink(void *data, util::LogLevel level, const char *tag, const char *text) {
    static_cast<LogForward *>(data)->add(level, tag, text);
}

bool LogForward::allowed(uint64_t now) {
    tokens_ += static_cast<double>(now - std::min(now, tokens_ns_)) * tokens_each_second /
               static_cast<double>(second_ns);
    tokens_ = std::min(tokens_, most_tokens);
    tokens_ns_ = now;
    if (tokens_ < 1 || others_waiting_ >= max_others)
        return false;
    tokens_ -= 1;
    return true;
}

// Now, or a second after the same line was sent.
uint64_t LogForward::due(const std::string &text, uint64_t now) {
    if (sent_errors_.size() > max_remembered)
        std::erase_if(sent_errors_, [&](const auto &s) { return now - s.second >= second_ns; });
    const auto sent = sent_errors_.find(text);
    return sent == sent_errors_.end() ? now : std::max(now, sent->second + second_ns);
}

void LogForward::add(util::LogLevel level, const char *tag, const char *text) {
    std::string line = std::string(tag) + ": " + text;
    const uint64_t now = util::now_ns();
    std::lock_guard lock(mutex_);
    if (gone_)
        return;
    if (level != util::LogLevel::error) {
        if (!allowed(now)) {
            left_out_++;
            return;
        }
        others_waiting_++;
        lines_.insert({now, {level, std::move(line)}});
        changed_.notify_all();
        return;
    }
    if (const auto same = waiting_errors_.find(line); same != waiting_errors_.end()) {
        same->second->second.times++;
        return;
    }
    if (error_bytes_ + line.size() > max_error_bytes) {
        unkept_errors_++;
        return;
    }
    error_bytes_ += line.size();
    const uint64_t when = due(line, now);
    waiting_errors_[line] = lines_.insert({when, {level, line}});
    changed_.notify_all();
}

bool LogForward::take(Line *line, uint64_t now) {
    if (lines_.empty() || (lines_.begin()->first > now && !flushing_))
        return false;
    *line = std::move(lines_.begin()->second);
    lines_.erase(lines_.begin());
    if (line->level != util::LogLevel::error) {
        others_waiting_--;
        return true;
    }
    error_bytes_ -= line->text.size();
    waiting_errors_.erase(line->text);
    sent_errors_[line->text] = now;
    return true;
}

// What was left out is said when there is room again.
void LogForward::summarize(uint64_t now) {
    if (unkept_errors_ && error_bytes_ < max_error_bytes / 2) {
        lines_.insert({now,
                       {util::LogLevel::warning,
                        std::to_string(unkept_errors_) + " more errors were not kept"}});
        others_waiting_++;
        unkept_errors_ = 0;
    }
    if (left_out_ && (now - summarized_ns_ >= second_ns || flushing_)) {
        summarized_ns_ = now;
        lines_.insert({now,
                       {util::LogLevel::warning,
                        std::to_string(left_out_) + " lines of the log were left out"}});
        others_waiting_++;
        left_out_ = 0;
    }
}

bool LogForward::send(const Line &line) {
    std::string text = line.text;
    if (line.times > 1)
        text += " (" + std::to_string(line.times) + " times)";
    pipe_ctl_log log{};
    log.level = line.level == util::LogLevel::error     ? PIPE_LOG_ERROR
                : line.level == util::LogLevel::warning ? PIPE_LOG_WARN
                                                        : PIPE_LOG_INFO;
    log.size = static_cast<uint32_t>(text.size());
    Message m;
    m.set(PIPE_CTL_LOG, log, text.data(), text.size());
    return send_(m);
}

void LogForward::run() {
    std::unique_lock lock(mutex_);
    while (!stop_ && !gone_) {
        const uint64_t now = util::now_ns();
        Line line;
        summarize(now);
        if (!take(&line, now)) {
            changed_.notify_all();
            const uint64_t until = lines_.empty() ? second_ns : lines_.begin()->first - now;
            changed_.wait_for(lock, std::chrono::nanoseconds(std::min(until, second_ns)));
            continue;
        }
        sending_ = true;
        lock.unlock();
        const bool sent = send(line);
        lock.lock();
        sending_ = false;
        gone_ = !sent;
    }
    gone_ = true;
    changed_.notify_all();
}

void LogForward::flush(uint64_t limit_ns) {
    std::unique_lock lock(mutex_);
    flushing_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::nanoseconds(limit_ns),
                      [&] { return gone_ || (lines_.empty() && !left_out_ && !sending_); });
    flushing_ = false;
}

} // namespace remote
