// SPDX-License-Identifier: MIT
// See util/native.h.
#include "util/native.h"

#include <mutex>
#include <unordered_map>

namespace util {

namespace {

struct Registry {
    std::mutex mutex;
    uint64_t last = 0;
    std::unordered_map<uint64_t, void *> objects;
};

Registry &registry() {
    static auto *the = new Registry; // leaked: used by exit handlers
    return *the;
}

} // namespace

uint64_t native_mint(void *object) {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    r.objects.emplace(++r.last, object);
    return r.last;
}

void *native_find(uint64_t token) {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.objects.find(token);
    return found == r.objects.end() ? nullptr : found->second;
}

void native_forget(uint64_t token) {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    r.objects.erase(token);
}

} // namespace util
