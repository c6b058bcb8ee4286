// SPDX-License-Identifier: MIT
// Reads MGPIPE_* once; the lists are in util/switches.h.
#include "util/env.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "util/log.h"

namespace util {

namespace {

constexpr EnvInfo env_table[] = {
#define X(name, value, help) {"MGPIPE_" #name, value, help},
    UTIL_ENV_VARIABLES(X)
#undef X
};

constexpr DebugInfo debug_table[] = {
#define X(name, text, help) {text, 1ull << static_cast<unsigned>(Debug::name), help},
    UTIL_DEBUG_FLAGS(X)
#undef X
};

struct Values {
    std::array<std::string, static_cast<size_t>(Env::count)> text;
    std::array<bool, static_cast<size_t>(Env::count)> set;
};

// Leaked on purpose: threads may read switches while the process exits.
const Values &values() {
    static const Values *const all = [] {
        auto *v = new Values;
        for (size_t i = 0; i < v->text.size(); ++i) {
            const char *text = secure_getenv(env_table[i].name);
            v->set[i] = text && *text;
            v->text[i] = v->set[i] ? text : env_table[i].default_text;
        }
        return v;
    }();
    return *all;
}

template <typename F> void for_each_word(std::string_view list, F f) {
    while (!list.empty()) {
        const size_t end = list.find_first_of(", ");
        const std::string_view word = list.substr(0, end);
        if (!word.empty())
            f(word);
        list = end == list.npos ? std::string_view() : list.substr(end + 1);
    }
}

} // namespace

std::span<const EnvInfo> env_infos() {
    return env_table;
}

std::span<const DebugInfo> debug_infos() {
    return debug_table;
}

const char *env_text(Env variable) {
    return values().text[static_cast<size_t>(variable)].c_str();
}

bool env_is_set(Env variable) {
    return values().set[static_cast<size_t>(variable)];
}

int64_t env_int(Env variable) {
    const char *text = env_text(variable);
    char *end = nullptr;
    const int64_t value = strtoll(text, &end, 0);
    if (end != text && !*end)
        return value;
    const EnvInfo &info = env_table[static_cast<size_t>(variable)];
    static std::atomic<uint64_t> warned{0};
    static_assert(static_cast<size_t>(Env::count) <= 64);
    const uint64_t bit = 1ull << static_cast<unsigned>(variable);
    if (!(warned.fetch_or(bit, std::memory_order_relaxed) & bit))
        log_warning("env", "%s=%s is not a number; using %s", info.name, text, info.default_text);
    return strtoll(info.default_text, nullptr, 0);
}

uint64_t debug_parse(std::string_view list) {
    uint64_t flags = 0;
    for_each_word(list, [&](std::string_view word) {
        if (word.starts_with("force-"))
            return;
        for (const DebugInfo &info : debug_table) {
            if (word == info.name) {
                flags |= info.bit;
                return;
            }
        }
        log_warning("env", "MGPIPE_DEBUG: unknown flag '%.*s'; `mgpipe info` lists them",
                    static_cast<int>(word.size()), word.data());
    });
    return flags;
}

const uint64_t debug_flags = debug_parse(env_text(Env::DEBUG));

} // namespace util
