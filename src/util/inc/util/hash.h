// SPDX-License-Identifier: MIT
// Content hashes (xxHash) and mixing for hash tables. Padding must be zeroed by the caller before
// hashing a struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace util {

struct Hash128 {
    uint64_t lo = 0, hi = 0;
    bool operator==(const Hash128 &) const = default;
    bool operator<(const Hash128 &o) const { return hi != o.hi ? hi < o.hi : lo < o.lo; }
};

uint64_t hash64(const void *data, size_t size, uint64_t seed = 0);
Hash128 hash128(const void *data, size_t size, uint64_t seed = 0);

// Hash of several pieces in order, for keys that do not lie in one block.
class Hasher {
  public:
    explicit Hasher(uint64_t seed = 0);
    ~Hasher();
    Hasher(const Hasher &) = delete;
    Hasher &operator=(const Hasher &) = delete;

    Hasher &add(const void *data, size_t size);
    template <typename T> Hasher &value(const T &v) { return add(&v, sizeof v); }
    uint64_t finish64() const;
    Hash128 finish128() const;

  private:
    void *state_;
};

// Cheap mixing of small integers (table keys); not for content.
inline uint64_t hash_mix(uint64_t a, uint64_t b = 0) {
    uint64_t x = a * 0x9E3779B97F4A7C15ull + b;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ull;
    return x ^ (x >> 32);
}

// 32 hexadecimal digits and a final 0.
void hash_to_text(const Hash128 &hash, char text[33]);

} // namespace util

template <> struct std::hash<util::Hash128> {
    size_t operator()(const util::Hash128 &h) const noexcept {
        return static_cast<size_t>(h.lo ^ h.hi);
    }
};
