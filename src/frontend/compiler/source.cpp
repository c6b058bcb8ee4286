// SPDX-License-Identifier: MIT
// Line joining, #version and the wording of logs.
#include "compiler/source.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace compiler {
namespace {

/// Joins continued lines; the newlines taken out come back behind the joined line, so that numbers stay right.
std::string join_lines(const std::string &source) {
    std::string text;
    text.reserve(source.size());
    int owed = 0;
    for (size_t i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (c == '\\') {
            size_t skip = 0;
            if (i + 1 < source.size() && source[i + 1] == '\n')
                skip = 1;
            else if (i + 2 < source.size() && source[i + 1] == '\r' && source[i + 2] == '\n')
                skip = 2;
            if (skip) {
                ++owed;
                i += skip;
                continue;
            }
        }
        if (c == '\0')
            break; // a terminator inside the given length ends the text for every parser
        text += c;
        if (c == '\n')
            for (; owed > 0; --owed)
                text += '\n';
    }
    return text;
}

/// Position behind white space and comments.
size_t skip_blank(const std::string &s, size_t i) {
    while (i < s.size()) {
        if (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r' || s[i] == '\f' || s[i] == '\v') {
            ++i;
        } else if (s.compare(i, 2, "//") == 0) {
            i = s.find('\n', i);
            if (i == std::string::npos)
                return s.size();
        } else if (s.compare(i, 2, "/*") == 0) {
            i = s.find("*/", i + 2);
            if (i == std::string::npos)
                return s.size();
            i += 2;
        } else {
            break;
        }
    }
    return i;
}

struct VersionLine {
    int number = 110;
    std::string profile;
    int line = 1;
};

VersionLine find_version(const std::string &s) {
    VersionLine v;
    size_t i = skip_blank(s, 0);
    if (i >= s.size() || s[i] != '#')
        return v;
    v.line = 1 + static_cast<int>(std::count(s.begin(), s.begin() + i, '\n'));
    ++i;
    while (i < s.size() && (s[i] == ' ' || s[i] == '\t'))
        ++i;
    if (s.compare(i, 7, "version") != 0)
        return v;
    char *end = nullptr;
    v.number = static_cast<int>(std::strtol(s.c_str() + i + 7, &end, 10));
    while (*end == ' ' || *end == '\t')
        ++end;
    while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z'))
        v.profile += *end++;
    return v;
}

std::string unsupported(const VersionLine &v, const Limits &limits) {
    return "0:" + std::to_string(v.line) + ": error: GLSL " + std::to_string(v.number / 100) + "." +
           (v.number % 100 < 10 ? "0" : "") + std::to_string(v.number % 100) +
           (v.profile.empty() ? "" : " " + v.profile) + " is not supported; the highest version is " +
           std::to_string(limits.glsl_version / 100) + "." + std::to_string(limits.glsl_version % 100) + "\n";
}

} // namespace

SourceCheck check_source(const std::string &source, const Limits &limits) {
    SourceCheck check;
    check.text = join_lines(source);
    const VersionLine v = find_version(check.text);
    check.version = v.number;
    const bool es = v.profile == "es" || v.number == 100;
    const bool compat = v.profile == "compatibility";
    if ((!es && v.number > limits.glsl_version) || (compat && limits.core_profile))
        check.error = unsupported(v, limits);
    return check;
}

std::string clean_log(const char *log) {
    std::string out;
    for (const char *line = log; line && *line;) {
        const char *end = std::strchr(line, '\n');
        std::string text = end ? std::string(line, end) : std::string(line);
        line = end ? end + 1 : nullptr;
        while (!text.empty() && (text.back() == ' ' || text.back() == '\r'))
            text.pop_back();
        if (text.empty() || text.find("compilation errors.  No code generated") != std::string::npos ||
            text.find("compilation terminated") != std::string::npos)
            continue;
        const char *kind = nullptr;
        for (const char *prefix : {"ERROR: ", "WARNING: ", "INTERNAL ERROR: "})
            if (text.rfind(prefix, 0) == 0) {
                kind = prefix[0] == 'W' ? "warning: " : "error: ";
                text.erase(0, std::strlen(prefix));
                break;
            }
        if (kind) {
            const size_t colon = text.find(':'); // "0:12: message"
            const size_t second = colon == std::string::npos ? colon : text.find(':', colon + 1);
            const bool located = second != std::string::npos && colon > 0 &&
                                 text.find_first_not_of("0123456789") == colon &&
                                 text.find_first_not_of("0123456789", colon + 1) == second;
            if (located)
                text.insert(second + 2 <= text.size() ? second + 2 : text.size(), kind);
            else
                text.insert(0, kind);
        }
        out += text + "\n";
    }
    return out;
}

} // namespace compiler
