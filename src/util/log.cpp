// SPDX-License-Identifier: MIT
// The log's sink, level and line format; see util/log.h.
#include "util/log.h"

#include "util/descriptor.h"
#include "util/log_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace util {

namespace {

std::atomic<int> log_fd{STDERR_FILENO};
std::atomic<LogSink> sink_function{nullptr};
std::atomic<void *> sink_data{nullptr};

constexpr const char *level_names[] = {"error", "warning", "info", "debug"};

// The number of a level's name, -1 for text that names none.
int level_of(const char *text) {
    for (size_t i = 0; i < std::size(level_names); ++i)
        if (!strcmp(text, level_names[i]))
            return static_cast<int>(i);
    return -1;
}

void write_all(int fd, const char *text, size_t size) {
    while (size) {
        const ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text += n;
        size -= static_cast<size_t>(n);
    }
}

} // namespace

// Constant first: other files log while their own static objects are made.
constinit std::atomic<uint8_t> log_level{static_cast<uint8_t>(LogLevel::warning)};

bool log_open(const char *path) {
    const int fd = above_standard(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (fd < 0)
        return false;
    // The previous file stays open: another thread may be writing to it.
    log_fd.store(fd, std::memory_order_release);
    return true;
}

int log_descriptor() {
    return log_fd.load(std::memory_order_acquire);
}

void log_set_sink(LogSink sink, void *data) {
    sink_function.store(nullptr, std::memory_order_release);
    sink_data.store(data, std::memory_order_release);
    sink_function.store(sink, std::memory_order_release);
}

namespace {

void write_line(LogLevel level, const char *tag, const char *format, va_list args) {
    char line[1024];
    const int head = snprintf(line, sizeof line, "mgpipe[%d] %s %s: ", static_cast<int>(getpid()),
                              level_names[static_cast<size_t>(level)], tag);
    const size_t start = std::min<size_t>(static_cast<size_t>(std::max(head, 0)), sizeof line - 2);
    const int body = vsnprintf(line + start, sizeof line - start - 1, format, args);
    size_t end = std::min<size_t>(start + static_cast<size_t>(std::max(body, 0)), sizeof line - 2);
    // One message is one line, whatever a host compiler's log brings along.
    std::replace(line + start, line + end, '\n', ' ');
    // Text may be another machine's: none of it commands the terminal.
    std::replace_if(
        line + start, line + end, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');

    if (LogSink sink = sink_function.load(std::memory_order_acquire)) {
        void *data = sink_data.load(std::memory_order_acquire);
        line[end] = 0;
        if (sink == sink_function.load(std::memory_order_acquire)) // then the data is its own
            sink(data, level, tag, line + start);
    }
    line[end++] = '\n';
    write_all(log_fd.load(std::memory_order_acquire), line, end);
}

__attribute__((format(printf, 3, 4))) void write_own(LogLevel level, const char *tag,
                                                     const char *format, ...) {
    va_list args;
    va_start(args, format);
    write_line(level, tag, format, args);
    va_end(args);
}

// What the environment asks of the log is looked at with the first line, so that a wrong wish is
// said where the user looks for lines.
bool configure() {
    const char *path = secure_getenv("MGPIPE_LOG");
    if (path && *path && !log_open(path))
        write_own(LogLevel::warning, "log", "MGPIPE_LOG: cannot write %s: %s", path,
                  strerror(errno));
    const char *level = secure_getenv("MGPIPE_LOG_LEVEL");
    if (level && *level && level_of(level) < 0)
        write_own(LogLevel::warning, "log",
                  "MGPIPE_LOG_LEVEL=%s is none of error, warning, info, debug", level);
    return true;
}

void configure_once() {
    [[maybe_unused]] static const bool configured = configure();
}

// A level that is none hides the very lines that were asked for: it waits for no first line.
[[maybe_unused]] const bool level_set = [] {
    const char *text = secure_getenv("MGPIPE_LOG_LEVEL");
    const int level = text && *text ? level_of(text) : static_cast<int>(LogLevel::warning);
    if (level < 0)
        configure_once();
    else
        log_level.store(static_cast<uint8_t>(level), std::memory_order_relaxed);
    return true;
}();

} // namespace

void log_vwrite(LogLevel level, const char *tag, const char *format, va_list args) {
    configure_once();
    write_line(level, tag, format, args);
}

void log_write(LogLevel level, const char *tag, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_vwrite(level, tag, format, args);
    va_end(args);
}

} // namespace util
