// SPDX-License-Identifier: MIT
// Content-addressed cache of constant state objects: hash first, then an exact compare of the
// bytes. Entries somebody holds are never evicted; a full cache mints beyond its capacity and
// counts it.
#pragma once

#include "pipe/pipe.h"
#include "util/hash.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace st {

// Key: a trivially copyable struct whose padding was zeroed by its maker (it is compared as bytes,
// so floats compare bitwise). An Entry never moves; holders keep its address and a reference.
// One context or share group owns a cache; calls on it are serialised by that owner.
template <class Key> class ContentCache {
    static_assert(std::is_trivially_copyable_v<Key>);

  public:
    struct Entry {
        Key key;
        uint64_t hash;
        pipe_handle handle;
        uint32_t refs;
        bool forgotten;       // no longer in the table; goes with its last reference
        Entry *chain;         // next of the same bucket
        Entry *older, *newer; // LRU list of entries nobody holds
    };

    explicit ContentCache(uint32_t capacity) : capacity_(capacity), buckets_(64, nullptr) {}
    ContentCache(const ContentCache &) = delete;
    ContentCache &operator=(const ContentCache &) = delete;
    ~ContentCache() {
        for (Entry *head : buckets_)
            while (head) {
                Entry *next = head->chain;
                delete head;
                head = next;
            }
    }

    static uint64_t hash(const Key &key) { return util::hash64(&key, sizeof(key)); }

    // The entry with these bytes, with one more reference, or null.
    Entry *find(const Key &key, uint64_t hash) {
        for (Entry *e = buckets_[hash & (buckets_.size() - 1)]; e; e = e->chain)
            if (e->hash == hash && std::memcmp(&e->key, &key, sizeof(key)) == 0) {
                ref(e);
                return e;
            }
        return nullptr;
    }

    // A new entry holding one reference. Evicts the least recently released entry when full and
    // calls `drop(handle)` for it before the new one is made.
    template <class Drop>
    Entry *insert(const Key &key, uint64_t hash, pipe_handle handle, Drop &&drop) {
        while (size_ >= capacity_ && oldest_)
            forget(oldest_, drop);
        if (size_ >= capacity_)
            ++over_capacity_;
        if (size_ >= buckets_.size())
            grow();
        auto *e = new Entry{key, hash, handle, 1, false, nullptr, nullptr, nullptr};
        Entry *&head = buckets_[hash & (buckets_.size() - 1)];
        e->chain = head;
        head = e;
        ++size_;
        return e;
    }

    void ref(Entry *e) {
        if (e->refs++ == 0)
            unlink(e);
    }

    void unref(Entry *e) {
        if (--e->refs != 0)
            return;
        if (e->forgotten) {
            delete e;
            return;
        }
        e->older = newest_;
        e->newer = nullptr;
        (newest_ ? newest_->newer : oldest_) = e;
        newest_ = e;
    }

    // Takes an entry out of the table now, held or not (a view whose texture died must go before
    // its owner). Its memory stays until the last holder lets go.
    template <class Drop> void forget(Entry *e, Drop &&drop) {
        Entry **link = &buckets_[e->hash & (buckets_.size() - 1)];
        while (*link != e)
            link = &(*link)->chain;
        *link = e->chain;
        --size_;
        drop(e->handle);
        if (e->refs == 0) {
            unlink(e);
            delete e;
        } else {
            e->forgotten = true;
        }
    }

    // Calls `fn(entry)` for every entry; `fn` must not change the cache.
    template <class Fn> void for_each(Fn &&fn) {
        for (Entry *head : buckets_)
            for (Entry *e = head; e; e = e->chain)
                fn(e);
    }

    uint32_t size() const { return size_; }
    uint64_t over_capacity() const { return over_capacity_; }

  private:
    void unlink(Entry *e) {
        (e->older ? e->older->newer : oldest_) = e->newer;
        (e->newer ? e->newer->older : newest_) = e->older;
        e->older = e->newer = nullptr;
    }

    void grow() {
        std::vector<Entry *> bigger(buckets_.size() * 2, nullptr);
        for (Entry *head : buckets_)
            while (head) {
                Entry *next = head->chain;
                Entry *&slot = bigger[head->hash & (bigger.size() - 1)];
                head->chain = slot;
                slot = head;
                head = next;
            }
        buckets_.swap(bigger);
    }

    uint32_t capacity_, size_ = 0;
    uint64_t over_capacity_ = 0;
    std::vector<Entry *> buckets_;
    Entry *oldest_ = nullptr, *newest_ = nullptr;
};

} // namespace st
