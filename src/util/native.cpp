// SPDX-License-Identifier: MIT
// See util/native.h.
#include "util/native.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_map>

namespace util {

namespace {

struct Entry {
    void *object;
    int uses = 0;
};

struct Registry {
    std::mutex mutex;
    std::condition_variable unused;
    uint64_t last = 0;
    std::unordered_map<uint64_t, Entry> objects;
};

Registry &registry() {
    static auto *the = new Registry; // leaked: used by exit handlers
    return *the;
}

} // namespace

uint64_t native_mint(void *object) {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    r.objects.emplace(++r.last, Entry{object});
    return r.last;
}

void *native_find(uint64_t token) {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.objects.find(token);
    return found == r.objects.end() ? nullptr : found->second.object;
}

void native_forget(uint64_t token) {
    Registry &r = registry();
    std::unique_lock lock(r.mutex);
    auto found = r.objects.find(token);
    if (found == r.objects.end())
        return;
    found->second.object = nullptr; // no new uses
    r.unused.wait_for(lock, std::chrono::seconds(1), [&] {
        found = r.objects.find(token); // others may come and go
        return found == r.objects.end() || !found->second.uses;
    });
    r.objects.erase(token);
}

NativeUse::NativeUse(uint64_t token) : token_(token), object_(nullptr) {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.objects.find(token);
    if (found == r.objects.end() || !found->second.object)
        return;
    object_ = found->second.object;
    found->second.uses++;
}

NativeUse::~NativeUse() {
    if (!object_)
        return;
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.objects.find(token_);
    if (found != r.objects.end() && --found->second.uses == 0)
        r.unused.notify_all();
}

} // namespace util
