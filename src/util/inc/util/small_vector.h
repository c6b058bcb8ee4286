// SPDX-License-Identifier: MIT
// A vector of trivially copyable values whose first N lie inside the object: no allocation in the
// common case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

namespace util {

template <typename T, uint32_t N> class SmallVector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    SmallVector() = default;
    SmallVector(const SmallVector &o) { assign(o.data(), o.size_); }
    SmallVector &operator=(const SmallVector &o) {
        if (this != &o)
            assign(o.data(), o.size_);
        return *this;
    }
    ~SmallVector() { free(heap_); }

    void push_back(const T &value) {
        const T copy = value;
        reserve(size_ + 1);
        data()[size_++] = copy;
    }
    void assign(const T *values, uint32_t count) {
        size_ = 0;
        reserve(count);
        if (count)
            memcpy(static_cast<void *>(data()), values, count * sizeof(T));
        size_ = count;
    }
    void resize(uint32_t count) {
        reserve(count);
        if (count > size_)
            memset(static_cast<void *>(data() + size_), 0, (count - size_) * sizeof(T));
        size_ = count;
    }
    void reserve(uint32_t count) {
        if (count <= capacity_)
            return;
        const uint32_t capacity = count > capacity_ * 2 ? count : capacity_ * 2;
        T *heap = static_cast<T *>(realloc(heap_, size_t(capacity) * sizeof(T)));
        if (!heap)
            throw std::bad_alloc();
        if (!heap_ && size_)
            memcpy(static_cast<void *>(heap), inline_, size_ * sizeof(T));
        heap_ = heap;
        capacity_ = capacity;
    }
    void clear() { size_ = 0; }
    void pop_back() { --size_; }

    uint32_t size() const { return size_; }
    bool empty() const { return !size_; }
    T *data() { return heap_ ? heap_ : reinterpret_cast<T *>(inline_); }
    const T *data() const { return heap_ ? heap_ : reinterpret_cast<const T *>(inline_); }
    T &operator[](uint32_t i) { return data()[i]; }
    const T &operator[](uint32_t i) const { return data()[i]; }
    T &back() { return data()[size_ - 1]; }
    T *begin() { return data(); }
    T *end() { return data() + size_; }
    const T *begin() const { return data(); }
    const T *end() const { return data() + size_; }

  private:
    T *heap_ = nullptr;
    uint32_t size_ = 0;
    uint32_t capacity_ = N;
    alignas(T) unsigned char inline_[N * sizeof(T)];
};

} // namespace util
