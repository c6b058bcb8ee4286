// SPDX-License-Identifier: MIT
// A value of each thread that costs no static TLS: programs load the library late, when little of
// that is left, and its one word belongs to the current context. A look-up is a function call, so
// this is not for the way of a draw.
#pragma once

#include <pthread.h>

namespace util {

// One per process and purpose, at namespace scope; never destroyed. The value of a thread is made
// by its first get() and deleted when the thread ends.
template <typename T> class ThreadSlot {
  public:
    ThreadSlot() {
        pthread_key_create(&key_, [](void *value) { delete static_cast<T *>(value); });
    }
    ThreadSlot(const ThreadSlot &) = delete;
    ThreadSlot &operator=(const ThreadSlot &) = delete;

    T &get() {
        if (auto *value = static_cast<T *>(pthread_getspecific(key_)))
            return *value;
        auto *value = new T{};
        pthread_setspecific(key_, value);
        return *value;
    }

  private:
    pthread_key_t key_{};
};

} // namespace util
