// SPDX-License-Identifier: MIT
// Bit loops, alignment and a fixed bit set.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace util {

template <typename T> constexpr T align_up(T value, T alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

// for (unsigned i : bits(mask)) visits set bits from the lowest.
class bits {
  public:
    constexpr explicit bits(uint64_t mask) : mask_(mask) {}
    class iterator {
      public:
        constexpr explicit iterator(uint64_t mask) : mask_(mask) {}
        constexpr unsigned operator*() const {
            return static_cast<unsigned>(std::countr_zero(mask_));
        }
        constexpr iterator &operator++() {
            mask_ &= mask_ - 1;
            return *this;
        }
        constexpr bool operator!=(const iterator &o) const { return mask_ != o.mask_; }

      private:
        uint64_t mask_;
    };
    constexpr iterator begin() const { return iterator(mask_); }
    constexpr iterator end() const { return iterator(0); }

  private:
    uint64_t mask_;
};

// std::bitset with a loop over set bits.
template <unsigned N> class BitSet {
  public:
    void set(unsigned i) { words_[i / 64] |= 1ull << (i % 64); }
    void clear(unsigned i) { words_[i / 64] &= ~(1ull << (i % 64)); }
    bool test(unsigned i) const { return words_[i / 64] >> (i % 64) & 1; }
    void reset() { words_ = {}; }
    bool any() const {
        uint64_t all = 0;
        for (uint64_t w : words_)
            all |= w;
        return all != 0;
    }
    unsigned count() const {
        unsigned n = 0;
        for (uint64_t w : words_)
            n += static_cast<unsigned>(std::popcount(w));
        return n;
    }
    template <typename F> void for_each(F f) const {
        for (unsigned w = 0; w < words_.size(); ++w)
            for (unsigned i : bits(words_[w]))
                f(w * 64 + i);
    }
    BitSet &operator|=(const BitSet &o) {
        for (unsigned w = 0; w < words_.size(); ++w)
            words_[w] |= o.words_[w];
        return *this;
    }
    bool operator==(const BitSet &) const = default;

  private:
    std::array<uint64_t, (N + 63) / 64> words_{};
};

} // namespace util
