// SPDX-License-Identifier: MIT
// Log: one line per message, "mgpipe[pid] LEVEL tag: text", to standard error or to the file named
// by MGPIPE_LOG. Any thread may call; a line is written with one write(2), so lines of two
// processes do not mix. Nothing is ever fatal here. Messages above the level chosen by
// MGPIPE_LOG_LEVEL (error, warning, info, debug; default warning) cost one load and one compare.
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstdint>

namespace util {

enum class LogLevel : uint8_t { error, warning, info, debug };

// The most talkative level that is still written.
extern std::atomic<uint8_t> log_level;

inline bool log_enabled(LogLevel level) {
    return static_cast<uint8_t>(level) <= log_level.load(std::memory_order_relaxed);
}

// `tag` is the part that speaks ("magma", "egl"); text has no newline. Lines longer than 1 KiB are
// cut.
void log_write(LogLevel level, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void log_vwrite(LogLevel level, const char *tag, const char *format, va_list args);

// Also hands every line to `sink` (test harness, a server that forwards its log). Null removes it.
// The sink may be called from any thread and must not log.
using LogSink = void (*)(void *data, LogLevel level, const char *tag, const char *text);
void log_set_sink(LogSink sink, void *data);

// Redirects the log to a file (appending); false and unchanged when it cannot be opened.
bool log_open(const char *path);

} // namespace util

#define UTIL_LOG(level, tag, ...)                                                                  \
    do {                                                                                           \
        if (::util::log_enabled(::util::LogLevel::level))                                          \
            ::util::log_write(::util::LogLevel::level, tag, __VA_ARGS__);                          \
    } while (0)

#define log_error(tag, ...) UTIL_LOG(error, tag, __VA_ARGS__)
#define log_warning(tag, ...) UTIL_LOG(warning, tag, __VA_ARGS__)
#define log_info(tag, ...) UTIL_LOG(info, tag, __VA_ARGS__)
#define log_debug(tag, ...) UTIL_LOG(debug, tag, __VA_ARGS__)

// The first `limit` messages of this source line only.
#define UTIL_LOG_LIMIT(limit, level, tag, ...)                                                     \
    do {                                                                                           \
        static std::atomic<uint32_t> util_log_count_{0};                                           \
        if (util_log_count_.load(std::memory_order_relaxed) < (limit) &&                           \
            util_log_count_.fetch_add(1, std::memory_order_relaxed) < (limit))                     \
            UTIL_LOG(level, tag, __VA_ARGS__);                                                     \
    } while (0)

#define log_error_once(tag, ...) UTIL_LOG_LIMIT(1, error, tag, __VA_ARGS__)
#define log_warning_once(tag, ...) UTIL_LOG_LIMIT(1, warning, tag, __VA_ARGS__)
#define log_info_once(tag, ...) UTIL_LOG_LIMIT(1, info, tag, __VA_ARGS__)
