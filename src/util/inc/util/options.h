// SPDX-License-Identifier: MIT
// Options as text: NAME=VALUE, one per line or parted by ';'. So a client's switches reach a driver
// in another process (pipe_screen_config::options).
#pragma once

#include <optional>
#include <string_view>

namespace util {

// The first value of `name`, a part of `text`; none when `text` is null or does not have it.
inline std::optional<std::string_view> option(const char *text, std::string_view name) {
    std::string_view rest = text ? text : "";
    while (!rest.empty()) {
        const size_t end = rest.find_first_of(";\n");
        const std::string_view one = rest.substr(0, end);
        if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
            return one.substr(name.size() + 1);
        rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    }
    return std::nullopt;
}

} // namespace util
