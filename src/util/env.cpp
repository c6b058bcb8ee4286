// SPDX-License-Identifier: MIT
// Reads MGPIPE_* once; the lists are in util/switches.h.
#include "util/env.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <sys/auxv.h>
#include <unistd.h>

#include "util/log.h"

namespace util {

namespace {

constexpr EnvInfo with_limits(EnvInfo info, Env variable) {
    info.least = 1, info.most = 0;
    switch (variable) {
#define N(name, low, high)                                                                         \
    case Env::name: info.least = low, info.most = high; break;
        UTIL_ENV_NUMBERS(N)
#undef N
    default: break;
    }
    return info;
}

constexpr EnvInfo env_table[] = {
#define X(name, value, help) with_limits({"MGPIPE_" #name, value, help, 0, 0}, Env::name),
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

// Marks a server's process, whose program has said all of it.
static constexpr const char *server_mark = "MGPIPE_SERVER_CHILD";

// Says once per variable what is wrong with its number and what is used instead.
static int64_t instead(Env variable, const char *wrong, int64_t used) {
    const EnvInfo &info = env_table[static_cast<size_t>(variable)];
    static std::atomic<uint64_t> warned{0};
    static_assert(static_cast<size_t>(Env::count) <= 64);
    const uint64_t bit = 1ull << static_cast<unsigned>(variable);
    if (!(warned.fetch_or(bit, std::memory_order_relaxed) & bit) && !secure_getenv(server_mark))
        log_warning(
            "env", "%s=%s is %s: %" PRId64 " to %" PRId64 " are legal, %" PRId64 " is used instead",
            info.name, env_text(variable), wrong, info.least, info.most, used);
    return used;
}

int64_t env_int(Env variable) {
    const EnvInfo &info = env_table[static_cast<size_t>(variable)];
    const char *text = env_text(variable);
    char *end = nullptr;
    const int64_t value = strtoll(text, &end, 0);
    if (end == text || *end)
        return instead(variable, "no number", strtoll(info.default_text, nullptr, 0));
    if (value < info.least || value > info.most)
        return instead(variable, "out of range", std::clamp(value, info.least, info.most));
    return value;
}

static bool is_ours(std::string_view name) {
    return name == server_mark ||
           std::any_of(std::begin(env_table), std::end(env_table),
                       [&](const EnvInfo &info) { return name == info.name; });
}

static void check_names() {
    for (char **entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry, name = text.substr(0, text.find('='));
        if (name.starts_with("MGPIPE_") && !is_ours(name))
            // Its value may be a secret that was meant for another.
            log_warning("env", "there is no variable %.*s, it is ignored; `mgpipe info` lists all",
                        static_cast<int>(name.size()), name.data());
    }
}

static void check_words(bool (*is_emulation)(std::string_view name)) {
    for_each_word(env_text(Env::DEBUG), [&](std::string_view word) {
        const bool known =
            word.starts_with("force-") ? is_emulation(word.substr(6)) : debug_parse(word) != 0;
        if (!known)
            log_warning(
                "env",
                "MGPIPE_DEBUG=%s: there is no flag %.*s, it is ignored; `mgpipe info` lists "
                "all",
                env_text(Env::DEBUG), static_cast<int>(word.size()), word.data());
    });
}

void env_check(bool (*is_emulation)(std::string_view name)) {
    static std::atomic<bool> checked{false};
    if (getauxval(AT_SECURE) || checked.exchange(true))
        return;
    check_names();
    check_words(is_emulation);
    for (size_t i = 0; i < std::size(env_table); ++i)
        if (env_table[i].is_number())
            env_int(static_cast<Env>(i));
}

uint64_t debug_parse(std::string_view list) {
    uint64_t flags = 0;
    for_each_word(list, [&](std::string_view word) {
        for (const DebugInfo &info : debug_table)
            if (word == info.name)
                flags |= info.bit;
    });
    return flags;
}

const uint64_t debug_flags = debug_parse(env_text(Env::DEBUG));

} // namespace util
