// SPDX-License-Identifier: MIT
// Fills the table of host entry points and, when asked, routes every call through one choke point
// that counts, traces and makes the n-th call fail.
#include "espryt_gl.h"

#include <atomic>
#include <cstring>
#include <string>

#include "util/env.h"
#include "util/log.h"
#include "util/thread_slot.h"

namespace espryt {

namespace {

const char *const call_names[gl_call_count] = {
#define X(name) "gl" #name,
    ESPRYT_GL_REQUIRED(X) ESPRYT_GL_OPTIONAL(X) ESPRYT_GL_EXTENSION(X)
#undef X
};

void *real_calls[gl_call_count];
std::atomic<uint64_t> calls_counted;
util::ThreadSlot<bool> fault_pending;

std::atomic<bool> counting;

uint64_t fault_at() {
    static const auto n = static_cast<uint64_t>(util::env_int(util::Env::FAIL_HOST_CALL));
    return n;
}

bool trace_wanted() {
    static const bool t = util::debug(util::Debug::trace);
    return t;
}

// True when the call may go to the host.
bool pass(int index) {
    if (trace_wanted())
        log_debug("espryt", "host call %s", call_names[index]);
    if (!counting.load(std::memory_order_relaxed))
        return true;
    if (calls_counted.fetch_add(1, std::memory_order_relaxed) + 1 != fault_at())
        return true;
    log_warning("espryt", "host call %s made to fail", call_names[index]);
    fault_pending.get() = true;
    return false;
}

template <int Index, typename F> struct hook;

template <int Index, typename R, typename... A> struct hook<Index, R (*)(A...)> {
    static R call(A... args) {
        if constexpr (Index == gl_call_GetError) {
            if (fault_pending.get()) {
                fault_pending.get() = false;
                return GL_OUT_OF_MEMORY;
            }
        } else if (!pass(Index)) {
            return R();
        }
        return reinterpret_cast<R (*)(A...)>(real_calls[Index])(args...);
    }
};

template <typename F> struct silent;

template <typename R, typename... A> struct silent<R (*)(A...)> {
    static R call(A...) { return R(); }
};

void *find(void *(*get)(const char *), const char *name, bool aliases) {
    if (void *p = get(name))
        return p;
    if (!aliases)
        return nullptr;
    for (const char *suffix : {"EXT", "OES", "KHR"}) {
        if (void *p = get((std::string(name) + suffix).c_str()))
            return p;
    }
    return nullptr;
}

} // namespace

bool gles_hooks_wanted() {
    return fault_at() != 0 || trace_wanted();
}

bool gles_fault_armed() {
    return fault_at() != 0;
}

void gles_count_from_here() {
    counting = true;
}

const char *gles_load(gles *table, void *(*get)(const char *name), bool hooked) {
    memset(table, 0, sizeof(*table));
    const char *missing = nullptr;
#define X(name)                                                                                    \
    real_calls[gl_call_##name] = find(get, "gl" #name, false);                                     \
    if (!real_calls[gl_call_##name] && !missing)                                                   \
        missing = "gl" #name;
    ESPRYT_GL_REQUIRED(X)
#undef X
#define X(name) real_calls[gl_call_##name] = find(get, "gl" #name, true);
    ESPRYT_GL_OPTIONAL(X)
    ESPRYT_GL_EXTENSION(X)
#undef X
#define X(name)                                                                                    \
    if (real_calls[gl_call_##name])                                                                \
        table->name = hooked                                                                       \
                          ? hook<gl_call_##name, decltype(table->name)>::call                      \
                          : reinterpret_cast<decltype(table->name)>(real_calls[gl_call_##name]);
    ESPRYT_GL_REQUIRED(X)
    ESPRYT_GL_OPTIONAL(X)
    ESPRYT_GL_EXTENSION(X)
#undef X
    return missing;
}

void gles_unload(gles *table) {
#define X(name)                                                                                    \
    if (table->name)                                                                               \
        table->name = silent<decltype(table->name)>::call;
    ESPRYT_GL_REQUIRED(X)
    ESPRYT_GL_OPTIONAL(X)
    ESPRYT_GL_EXTENSION(X)
#undef X
}

} // namespace espryt
