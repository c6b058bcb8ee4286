// SPDX-License-Identifier: MIT
// The only file that sees xxHash, header only and therefore invisible outside.
#include "util/hash.h"

#include <cstdio>
#include <xxhash.h>

namespace util {

uint64_t hash64(const void *data, size_t size, uint64_t seed) {
    return XXH3_64bits_withSeed(data, size, seed);
}

Hash128 hash128(const void *data, size_t size, uint64_t seed) {
    const XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
    return {h.low64, h.high64};
}

Hasher::Hasher(uint64_t seed) : state_(XXH3_createState()) {
    XXH3_128bits_reset_withSeed(static_cast<XXH3_state_t *>(state_), seed);
}

Hasher::~Hasher() {
    XXH3_freeState(static_cast<XXH3_state_t *>(state_));
}

Hasher &Hasher::add(const void *data, size_t size) {
    XXH3_128bits_update(static_cast<XXH3_state_t *>(state_), data, size);
    return *this;
}

uint64_t Hasher::finish64() const {
    return XXH3_128bits_digest(static_cast<XXH3_state_t *>(state_)).low64;
}

Hash128 Hasher::finish128() const {
    const XXH128_hash_t h = XXH3_128bits_digest(static_cast<XXH3_state_t *>(state_));
    return {h.low64, h.high64};
}

void hash_to_text(const Hash128 &hash, char text[33]) {
    snprintf(text, 33, "%016llx%016llx", static_cast<unsigned long long>(hash.hi),
             static_cast<unsigned long long>(hash.lo));
}

} // namespace util
