// SPDX-License-Identifier: MIT
// Intrusive reference counts of GL objects and the name tables of a share group.
#pragma once

#include "objects/gltypes.h"

#include <mutex>
#include <utility>

namespace gl {

// Base of every object that a name or a binding holds. Objects live at a fixed address until the
// last reference goes.
struct Object {
    GLuint name = 0;
    std::atomic<uint32_t> refs{0};
    std::atomic<uint64_t> bound_lanes{0}; // bit per context of the group that ever bound it
    std::string label;                    // glObjectLabel
    virtual ~Object() = default;          // runs on the thread that dropped the last reference
};

// Strong reference. Safe to copy on any thread; one Ref object is used by one thread at a time.
template <class T> class Ref {
    T *p_ = nullptr;

  public:
    Ref() = default;
    Ref(T *p) : p_(p) {
        if (p_)
            p_->refs.fetch_add(1, std::memory_order_relaxed);
    }
    Ref(const Ref &o) : Ref(o.p_) {}
    Ref(Ref &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    ~Ref() { reset(); }
    Ref &operator=(const Ref &o) {
        if (p_ != o.p_) {
            Ref t(o);
            std::swap(p_, t.p_);
        }
        return *this;
    }
    Ref &operator=(Ref &&o) noexcept {
        Ref t(std::move(o));
        std::swap(p_, t.p_);
        return *this;
    }
    void reset() {
        T *p = std::exchange(p_, nullptr);
        if (p && p->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete p;
    }
    T *get() const { return p_; }
    T *operator->() const { return p_; }
    T &operator*() const { return *p_; }
    explicit operator bool() const { return p_ != nullptr; }
    bool operator==(const Ref &o) const { return p_ == o.p_; }
    bool operator==(const T *o) const { return p_ == o; }
};

// name -> object, three levels of pages. Look-up takes no lock; gen, insert and remove take the
// table's mutex. A name is free, reserved (generated, no object yet) or holds an object (the table
// owns one reference).
template <class T> class NameTable {
    static constexpr unsigned kBits = 11, kSize = 1u << kBits, kMask = kSize - 1;
    struct Page {
        std::atomic<T *> slot[kSize]{};
        std::atomic<uint64_t> reserved[kSize / 64]{};
    };
    struct Dir {
        std::atomic<Page *> page[kSize]{};
    };
    std::atomic<Dir *> root_[1024]{};
    std::mutex mutex_;
    GLuint next_ = 1;
    std::vector<GLuint> free_;
    std::atomic<unsigned> live_{0};

    Page *page(GLuint n) const {
        Dir *d = root_[n >> (2 * kBits)].load(std::memory_order_acquire);
        return d ? d->page[(n >> kBits) & kMask].load(std::memory_order_acquire) : nullptr;
    }
    Page *make_page(GLuint n) {
        auto &r = root_[n >> (2 * kBits)];
        if (!r.load(std::memory_order_relaxed))
            r.store(new Dir, std::memory_order_release);
        auto &p = r.load(std::memory_order_relaxed)->page[(n >> kBits) & kMask];
        if (!p.load(std::memory_order_relaxed))
            p.store(new Page, std::memory_order_release);
        return p.load(std::memory_order_relaxed);
    }
    GLuint take_name() {
        while (!free_.empty()) {
            GLuint n = free_.back();
            free_.pop_back();
            if (!known(n))
                return n;
        }
        while (known(next_))
            next_++;
        return next_++;
    }
    void set_reserved(GLuint n, bool on) {
        auto &w = make_page(n)->reserved[(n & kMask) / 64];
        uint64_t b = uint64_t(1) << (n & 63);
        if (on)
            w.fetch_or(b);
        else
            w.fetch_and(~b);
    }

  public:
    NameTable() = default;
    NameTable(const NameTable &) = delete;
    ~NameTable() {
        clear();
        for (auto &r : root_)
            if (Dir *d = r.load()) {
                for (auto &p : d->page)
                    delete p.load();
                delete d;
            }
    }
    // Drops every object and name. Nobody else may use the table.
    void clear() {
        for (auto &r : root_) {
            Dir *d = r.load();
            for (unsigned i = 0; d && i < kSize; i++) {
                Page *p = d->page[i].load();
                if (!p)
                    continue;
                for (auto &w : p->reserved)
                    w.store(0);
                for (auto &s : p->slot)
                    if (T *o = s.exchange(nullptr)) {
                        Ref<T> drop(o);
                        o->refs.fetch_sub(1);
                    }
            }
        }
    }
    T *find(GLuint n) const {
        Page *p = page(n);
        return p ? p->slot[n & kMask].load(std::memory_order_acquire) : nullptr;
    }
    bool known(GLuint n) const { // generated or in use
        Page *p = n ? page(n) : nullptr;
        return p && (p->reserved[(n & kMask) / 64].load() >> (n & 63) & 1);
    }
    void gen(unsigned n, GLuint *names) {
        std::lock_guard lock(mutex_);
        for (unsigned i = 0; i < n; i++) {
            names[i] = take_name();
            set_reserved(names[i], true);
        }
    }
    // Puts an object under a name (reserving it if needed). If another thread was first, returns
    // that one and deletes `o`.
    T *insert(GLuint n, T *o) {
        std::lock_guard lock(mutex_);
        Page *p = make_page(n);
        if (T *first = p->slot[n & kMask].load()) {
            delete o;
            return first;
        }
        o->name = n;
        o->refs.fetch_add(1);
        set_reserved(n, true);
        p->slot[n & kMask].store(o, std::memory_order_release);
        live_++;
        return o;
    }
    // Frees the name and hands over the table's reference (null if it was only reserved).
    Ref<T> remove(GLuint n) {
        std::lock_guard lock(mutex_);
        Page *p = n ? page(n) : nullptr;
        if (!p || !known(n))
            return {};
        T *o = p->slot[n & kMask].exchange(nullptr);
        set_reserved(n, false);
        if (n < next_) // others come from another table, or from the program itself
            free_.push_back(n);
        Ref<T> r(o);
        if (o) {
            o->refs.fetch_sub(1);
            live_--;
        }
        return r;
    }
    unsigned live() const { return live_; }
    template <class F> void each(F &&f) {
        for (auto &r : root_)
            if (Dir *d = r.load())
                for (auto &pp : d->page)
                    if (Page *p = pp.load())
                        for (auto &s : p->slot)
                            if (T *o = s.load())
                                f(o);
    }
};
} // namespace gl
