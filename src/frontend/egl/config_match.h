// SPDX-License-Identifier: MIT
// How configs are selected by a list of attributes, which EGL (1.5, section 3.4.1) and GLX (1.4,
// section 3.3.3) do alike: a table says how each attribute is compared, a request holds a value for
// each. Plain values; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace egl {

enum class Rule : uint8_t { exact, at_least, mask, ignored };

// A row of a table: its name, its rule and the value of those who do not ask.
struct MatchRule {
    int name;
    Rule rule;
    int initial;
};

template <size_t N> using Request = std::array<int, N>;

// `table` has rows with at least MatchRule's members. N where there is no such name.
template <typename Row, size_t N> constexpr size_t index_of(const Row (&table)[N], int name) {
    size_t i = 0;
    while (i < N && table[i].name != name)
        i++;
    return i;
}

template <typename Row, size_t N> Request<N> initial_request(const Row (&table)[N]) {
    Request<N> request;
    for (size_t i = 0; i < N; i++)
        request[i] = table[i].initial;
    return request;
}

inline bool satisfies(Rule rule, int value, int wanted) {
    switch (rule) {
    case Rule::exact: return value == wanted;
    case Rule::at_least: return value >= wanted;
    case Rule::mask: return (value & wanted) == wanted;
    case Rule::ignored: break;
    }
    return true;
}

// `value_of(name, &value)` is the config's; `dont_care` is the value that asks for nothing.
template <typename Row, size_t N, typename ValueOf>
bool matches(const Row (&table)[N], const Request<N> &request, int dont_care, ValueOf &&value_of) {
    for (size_t i = 0; i < N; i++) {
        if (request[i] == dont_care || table[i].rule == Rule::ignored)
            continue;
        int value = 0;
        value_of(table[i].name, &value);
        if (!satisfies(table[i].rule, value, request[i]))
            return false;
    }
    return true;
}

// Bits of a config's colour components (their names and the config's bits) that the program asked
// for: more of them sort first. `asks` says whether a requested value does.
template <typename Row, size_t N, typename Asks>
int asked_color_bits(const Row (&table)[N], const Request<N> &request, const int (&names)[4],
                     const int (&bits)[4], Asks &&asks) {
    int sum = 0;
    for (size_t i = 0; i < 4; i++)
        if (asks(request[index_of(table, names[i])]))
            sum += bits[i];
    return sum;
}

} // namespace egl
