// SPDX-License-Identifier: MIT
// Output of `mgpipe top`; see top_print.h.
#include "top_print.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

static std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

static std::string format(const char *text, ...) {
    char buffer[512];
    va_list arguments;
    va_start(arguments, text);
    const int length = vsnprintf(buffer, sizeof buffer, text, arguments);
    va_end(arguments);
    return {buffer, length < 0 ? 0 : std::min<size_t>(static_cast<size_t>(length), 511)};
}

// --- text ----------------------------------------------------------------------------------------

static std::string number(double n) {
    if (n >= 9999.5e3)
        return format("%.1fM", n / 1e6);
    return n == 0 ? "0" : n < 99.95 ? format("%.1f", n) : format("%.0f", n);
}

static std::string bytes(double n) {
    if (n < 9999.5)
        return format("%.0f", n);
    return n < 9999.5 * 1024 ? format("%.1fK", n / 1024) : format("%.1fM", n / 1024 / 1024);
}

static std::string pid(pid_t pid) {
    return pid ? std::to_string(pid) : "-";
}

static std::string round_trips(const Rates &r) {
    std::string text;
    for (const auto &[call, n] : r.by_call)
        text += format("  %s %s", call.c_str(), number(n).c_str());
    return text.empty() ? "  none" : text;
}

static void add_details(const Session &s, const Rates &r, std::vector<std::string> &lines) {
    const char *per = s.per_frame ? "per frame " : "per second";
    if (s.crosses) {
        lines.push_back(format("  bytes %s   ring %s  stage %s  segments %s  copied %s  answers %s"
                               "  events %s",
                               per, bytes(r.ring).c_str(), bytes(r.stage).c_str(),
                               bytes(r.segment).c_str(), bytes(r.copied).c_str(),
                               bytes(r.answers).c_str(), bytes(r.events).c_str()));
        lines.push_back(format("  trips %s ", per) + round_trips(r));
        lines.push_back(format("  waits %s   credit %s  stage %s  ring %s  parks %s  server's parks"
                               " %s",
                               per, number(r.credit).c_str(), number(r.stage_waits).c_str(),
                               number(r.ring_waits).c_str(), number(r.parks).c_str(),
                               number(r.server_parks).c_str()));
    }
    lines.push_back(format("  largest record %s   host objects %llu",
                           bytes(static_cast<double>(s.largest_record)).c_str(),
                           static_cast<unsigned long long>(s.host_objects)));
}

std::vector<std::string> text_of(const std::vector<Session> &sessions, size_t width) {
    std::vector<std::string> lines;
    size_t form_width = 16; // an address may be long
    for (const Session &s : sessions)
        form_width = std::max(form_width, s.form.size());
    const int form = static_cast<int>(std::min<size_t>(form_width, 64));
    lines.push_back(format("%-16s %7s %7s %-7s %-*s %-8s %8s %8s %9s", "PROGRAM", "PID", "SERVER",
                           "DRIVER", form, "FORM", "STATE", "FRAMES/S", "DRAWS", "RECORDS"));
    for (const Session &s : sessions) {
        const Rates &r = s.per_frame ? *s.per_frame : s.per_second;
        const char *mark = s.per_frame ? "" : "/s";
        const double records = s.crosses ? r.records : r.draw_records;
        lines.push_back(format("%-16s %7s %7s %-7s %-*.*s %-8s %8s %8s %9s", s.program.c_str(),
                               pid(s.pid).c_str(), pid(s.server_pid).c_str(), s.driver.c_str(),
                               form, form, s.form.c_str(), state_name(s.state),
                               s.counted ? format("%.1f", s.frames_per_second).c_str() : "...",
                               s.counted ? (number(r.draws) + mark).c_str() : "...",
                               s.counted ? (number(records) + mark).c_str() : "..."));
        if (s.counted)
            add_details(s, r, lines);
    }
    if (sessions.empty())
        lines.emplace_back("no program of this user draws with mgpipe");
    for (std::string &line : lines)
        if (line.size() > width)
            line.resize(width);
    return lines;
}

// --- JSON ----------------------------------------------------------------------------------------

// Texts are printable ASCII.
static std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
}

static std::string member(const char *name, double value) {
    return format("\"%s\":%.6g", name, value);
}

static std::string json_of(const Rates &r) {
    std::string out = "{" + member("draws", r.draws) + "," +
                      member("draw_records", r.draw_records) + "," + member("records", r.records) +
                      ",\"bytes\":{" + member("ring", r.ring) + "," + member("stage", r.stage) +
                      "," + member("segments", r.segment) + "," + member("copied", r.copied) + "," +
                      member("answers", r.answers) + "," + member("events", r.events) + "}," +
                      member("round_trips", r.round_trips) + ",\"round_trips_by_call\":{";
    bool first = true;
    for (const auto &[call, n] : r.by_call) {
        out += (first ? "" : ",") + member(call.c_str(), n);
        first = false;
    }
    return out + "},\"waits\":{" + member("credit", r.credit) + "," +
           member("stage", r.stage_waits) + "," + member("ring", r.ring_waits) + "," +
           member("parks", r.parks) + "," + member("server_parks", r.server_parks) + "}}";
}

static std::string json_of(const Session &s) {
    const auto id = [](pid_t pid) { return pid ? std::to_string(pid) : std::string("null"); };
    std::string out = "{\"program\":" + quoted(s.program) + ",\"pid\":" + id(s.pid) +
                      ",\"server_pid\":" + id(s.server_pid) + ",\"driver\":" + quoted(s.driver) +
                      ",\"form\":" + quoted(s.form) + ",\"state\":\"" + state_name(s.state) + "\",";
    if (s.counted)
        out += member("seconds", s.seconds) + "," +
               member("frames_per_second", s.frames_per_second) +
               ",\"per_frame\":" + (s.per_frame ? json_of(*s.per_frame) : "null") +
               ",\"per_second\":" + json_of(s.per_second) + ",";
    return out + member("largest_record", static_cast<double>(s.largest_record)) + "," +
           member("host_objects", static_cast<double>(s.host_objects)) + "}";
}

std::string json_of(const std::vector<Session> &sessions) {
    std::string out = "{\"sessions\":[";
    for (const Session &s : sessions)
        out += (&s == sessions.data() ? "" : ",") + json_of(s);
    return out + "]}";
}
