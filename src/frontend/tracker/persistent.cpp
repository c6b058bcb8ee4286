// SPDX-License-Identifier: MIT
// Persistent maps (docs/maps.md). They share the driver's store where it agrees. Else the program
// works on the client's copy: what it changed is pushed before each verb, and what the GPU may have
// written is pulled when the program learns that commands are complete (a fence that signaled, a
// finish). What it changed is found by comparison with what was pushed last: of the pages that it
// wrote where the system tells them, else of everything.
#include "tracker/verify_upload.h"

#include "util/dirty_pages.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

namespace st {

namespace {

util::Counter stat_shared("maps.shared", "persistent maps of memory that the driver shares");
util::Counter stat_scans("maps.scans", "persistent maps asked for their written pages");
util::Counter stat_compared("maps.compared_bytes", "bytes of persistent maps that were compared");
util::Counter stat_pushed("maps.pushed_bytes", "bytes of persistent maps that were sent");

// Below this a comparison costs less than the question and the faults of writes (docs/maps.md).
constexpr uint64_t kWatchBytes = 128 * 1024;

enum class Means : uint8_t { any, shared, pages, compare };

Means means() {
    static const Means asked = [] {
        const std::string_view text = util::env_text(util::Env::MAPS);
        if (text == "shared")
            return Means::shared;
        if (text == "scan" || text == "protect")
            return Means::pages;
        if (text == "hash")
            return Means::compare;
        if (text != "any" && !text.empty())
            log_warning("maps", "MGPIPE_MAPS: no means is called so; any is used");
        return Means::any;
    }();
    return asked;
}

// Whether to ask the system which pages of a map of that size were written.
bool may_watch(uint64_t length) {
    if (means() == Means::compare || (means() != Means::pages && length < kWatchBytes))
        return false;
    if (util::DirtyPages::work())
        return true;
    if (means() == Means::pages)
        log_warning_once("maps", "this system does not tell written pages: persistent maps are "
                                 "compared instead");
    return false;
}

void list(Tracker &t, gl::Buffer &b) {
    std::lock_guard lock(t.group.persistent_mutex);
    data_of(b).listed = true;
    t.group.persistent.push_back(&b);
    t.group.num_persistent.store(uint32_t(t.group.persistent.size()));
}

// --- from the program ----------------------------------------------------------------------------

void push_range(Tracker &t, gl::Buffer &b, BufferData &d, uint64_t at, uint64_t size) {
    std::memcpy(d.pushed.get() + at, d.copy + b.map_offset + at, size);
    // The program may write on meanwhile: its bytes are not compared.
    due_bytes(t, b, uint64_t(b.map_offset) + at, size, nullptr, false);
    upload_bytes(t, b.handle, uint64_t(b.map_offset) + at, size, d.pushed.get() + at, 0);
    note_write(t, d.write);
    stat_pushed.add(size);
}

// Exactly the bytes that the program changed: between them may stand what the GPU wrote.
void push_runs(Tracker &t, gl::Buffer &b, BufferData &d, uint64_t at, uint64_t end) {
    const uint8_t *now = d.copy + b.map_offset, *base = d.pushed.get();
    while (at < end) {
        if (now[at] == base[at]) {
            at++;
            continue;
        }
        uint64_t stop = at + 1;
        while (stop < end && now[stop] != base[stop])
            stop++;
        push_range(t, b, d, at, stop - at);
        at = stop;
    }
}

// The cells that differ; those with little between them go as one.
void push_cells(Tracker &t, gl::Buffer &b, BufferData &d, uint64_t at, uint64_t end) {
    constexpr uint64_t cell = 256, bridge = 2048;
    const uint8_t *now = d.copy + b.map_offset, *base = d.pushed.get();
    uint64_t from = end, to = at; // of what waits to be sent
    for (; at < end; at += cell) {
        const uint64_t n = std::min(cell, end - at);
        if (std::memcmp(now + at, base + at, n) == 0)
            continue;
        if (from < to && at - to > bridge) {
            push_range(t, b, d, from, to - from);
            from = end;
        }
        from = std::min(from, at);
        to = at + n;
    }
    if (from < to)
        push_range(t, b, d, from, to - from);
}

// Sends what differs from what was pushed last in [at, end) of the map.
void push_changes(Tracker &t, gl::Buffer &b, BufferData &d, uint64_t at, uint64_t end) {
    static const uint64_t block = uint64_t(util::env_int(util::Env::MAP_BLOCK_KB)) * 1024;
    const uint64_t lead = uint64_t(b.map_offset);
    stat_compared.add(end - at);
    for (; at < end; at += block) {
        const uint64_t n = std::min(block, end - at);
        if (std::memcmp(d.copy + lead + at, d.pushed.get() + at, n) == 0)
            continue;
        if (copy_valid(d, lead + at, n))
            push_cells(t, b, d, at, at + n);
        else
            push_runs(t, b, d, at, at + n);
    }
}

// Under persistent_mutex.
void push_map(Tracker &t, gl::Buffer &b) {
    BufferData &d = data_of(b);
    if (!d.pushed || !d.copy)
        return;
    const uint64_t begin = uint64_t(b.map_offset), end = begin + uint64_t(b.map_length);
    d.undefined = false;
    if (!d.pages || !d.pages->watched())
        return push_changes(t, b, d, 0, end - begin);
    util::PageRun runs[32];
    for (uint64_t at = begin; at < end;) {
        stat_scans.add();
        const size_t n = d.pages->take(&at, end, runs, std::size(runs));
        for (size_t i = 0; i < n; i++) {
            const uint64_t from = std::max(runs[i].offset, begin);
            const uint64_t to = std::min(runs[i].offset + runs[i].size, end);
            if (from < to)
                push_changes(t, b, d, from - begin, to - begin);
        }
    }
}

// --- from the GPU --------------------------------------------------------------------------------

// `got` is what the store holds, `pushed` what it held when both sides agreed. A byte that the
// program changed meanwhile stays and goes with the next push.
void merge(uint8_t *now, uint8_t *pushed, const uint8_t *got, uint64_t size) {
    constexpr uint64_t step = 64;
    for (uint64_t at = 0; at < size; at += step) {
        const uint64_t n = std::min(step, size - at);
        if (std::memcmp(pushed + at, got + at, n) == 0)
            continue;
        for (uint64_t i = at; i < at + n; i++) {
            if (pushed[i] == got[i])
                continue;
            if (now[i] == pushed[i])
                now[i] = got[i];
            pushed[i] = got[i];
        }
    }
}

// Under persistent_mutex.
void pull(Tracker &t, gl::Buffer &b) {
    BufferData &d = data_of(b);
    const uint64_t begin = d.stale_begin, end = d.stale_end;
    if (!d.copy || begin >= end)
        return;
    if (!d.pushed) {
        if (store_read(t, b, begin, end - begin, d.copy + begin))
            copy_synced(t, d);
        return;
    }
    std::unique_ptr<uint8_t[]> got(new (std::nothrow) uint8_t[end - begin]);
    if (!got || !store_read(t, b, begin, end - begin, got.get()))
        return;
    const uint64_t map_begin = std::clamp(uint64_t(b.map_offset), begin, end);
    const uint64_t map_end = std::clamp(uint64_t(b.map_offset + b.map_length), begin, end);
    std::memcpy(d.copy + begin, got.get(), map_begin - begin);
    if (map_begin < map_end)
        merge(d.copy + map_begin, d.pushed.get() + (map_begin - uint64_t(b.map_offset)),
              got.get() + (map_begin - begin), map_end - map_begin);
    std::memcpy(d.copy + map_end, got.get() + (map_end - begin), end - map_end);
    copy_synced(t, d);
}

// --- kinds of map --------------------------------------------------------------------------------

// What crosses must be all that there is where somebody keeps or records it.
bool may_share(Tracker &t) {
    static const bool only_by_records =
        util::env_is_set(util::Env::RECORD) || util::env_int(util::Env::RESPAWN) != 0;
    if (means() == Means::pages || means() == Means::compare || only_by_records)
        return false;
    return !t.group.shares_nothing.load(std::memory_order_relaxed);
}

void *shares_not(Tracker &t, bool ever) {
    if (ever)
        t.group.shares_nothing.store(true, std::memory_order_relaxed);
    if (means() == Means::shared)
        log_warning_once("maps", "the driver shares no memory in this form: writes to persistent "
                                 "maps are found otherwise");
    return nullptr;
}

// The whole store, or null. Commands so far are complete when it returns, as a map wants it.
void *shared_store(Tracker &t, gl::Buffer &b, BufferData &d, GLbitfield access) {
    if (!may_share(t))
        return nullptr;
    if (d.shared && (access & GL_MAP_UNSYNCHRONIZED_BIT))
        return d.shared;
    if (!pipe_caps_has(&t.group.screen->caps, PIPE_CAP_PERSISTENT_MAP) ||
        !t.lane.has<&pipe_screen::map_persistent>())
        return shares_not(t, true);
    pipe_map_persistent p{b.handle};
    pipe_map_persistent_reply r{};
    r.size = uint64_t(b.size);
    stat_round_trips.add();
    const enum pipe_status status = t.lane.emit<&pipe_screen::map_persistent>(&p, &r);
    if (status == PIPE_OK && r.address && r.size >= uint64_t(b.size))
        d.shared = reinterpret_cast<void *>(uintptr_t(r.address));
    return d.shared ? d.shared : shares_not(t, status == PIPE_DECLINED);
}

// The copy in pages of its own, where writes to it can be watched.
void copy_into_pages(Tracker &t, gl::Buffer &b, BufferData &d) {
    if (d.pages)
        return;
    std::unique_ptr<util::DirtyPages> pages(new (std::nothrow) util::DirtyPages);
    if (!pages || !pages->allocate(uint64_t(b.size)))
        return;
    const bool fresh = !d.copy;
    if (!fresh)
        std::memcpy(pages->data(), d.copy, size_t(b.size));
    d.copy = pages->data();
    d.pages = std::move(pages);
    d.copy_block.reset();
    if (fresh)
        copy_stale(t, b, 0, uint64_t(b.size));
}

} // namespace

void drop_copy(BufferData &d) {
    d.copy = nullptr;
    d.copy_block.reset();
    d.pages.reset();
    d.stale_begin = d.stale_end = d.stale_lanes = 0;
}

void *map_persistent(Tracker &t, gl::Buffer &b, GLintptr offset, GLsizeiptr length,
                     GLbitfield access) {
    BufferData &d = data_of(b);
    if (void *store = shared_store(t, b, d, access)) {
        stat_shared.add();
        drop_copy(d); // the program writes beside it
        d.undefined = false;
        return static_cast<uint8_t *>(store) + offset;
    }
    const bool watch = (access & GL_MAP_WRITE_BIT) && !(access & GL_MAP_FLUSH_EXPLICIT_BIT) &&
                       may_watch(uint64_t(length));
    if (watch)
        copy_into_pages(t, b, d);
    uint8_t *copy = valid_copy(t, b, d);
    if (!copy)
        return nullptr;
    if (access & GL_MAP_WRITE_BIT) {
        d.pushed.reset(new (std::nothrow) uint8_t[uint64_t(length)]);
        if (!d.pushed)
            return nullptr;
        std::memcpy(d.pushed.get(), copy + offset, size_t(length));
    }
    if (watch && d.pages)
        d.pages->watch();
    list(t, b);
    return copy + offset;
}

void unmap_persistent(Tracker &t, gl::Buffer &b) {
    BufferData &d = data_of(b);
    if (!d.listed)
        return;
    if ((b.map_access & GL_MAP_WRITE_BIT) && !(b.map_access & GL_MAP_FLUSH_EXPLICIT_BIT)) {
        std::lock_guard lock(t.group.persistent_mutex);
        push_map(t, b);
    }
    forget_persistent(t.group, b);
    d.pushed.reset();
    if (d.pages)
        d.pages->unwatch();
}

void flush_persistent(Tracker &t, gl::Buffer &b, GLintptr offset, GLsizeiptr length) {
    BufferData &d = data_of(b);
    if (!d.listed)
        return; // shared memory is coherent
    std::lock_guard lock(t.group.persistent_mutex);
    push_range(t, b, d, uint64_t(offset - b.map_offset), uint64_t(length));
    d.undefined = false;
}

void write_persistent(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size,
                      const void *bytes) {
    BufferData &d = data_of(b);
    std::lock_guard lock(t.group.persistent_mutex);
    const auto *from = static_cast<const uint8_t *>(bytes);
    std::memcpy(d.copy + offset, from, size);
    const uint64_t begin = std::max(offset, uint64_t(b.map_offset));
    const uint64_t end = std::min(offset + size, uint64_t(b.map_offset + b.map_length));
    if (d.pushed && begin < end)
        std::memcpy(d.pushed.get() + (begin - uint64_t(b.map_offset)), from + (begin - offset),
                    end - begin);
}

void forget_persistent(Group &g, gl::Buffer &b) {
    if (!data_of(b).listed)
        return;
    std::lock_guard lock(g.persistent_mutex);
    data_of(b).listed = false;
    std::erase(g.persistent, &b);
    g.num_persistent.store(uint32_t(g.persistent.size()));
}

void push_persistent(Tracker &t) {
    if (t.group.num_persistent.load(std::memory_order_relaxed) == 0)
        return;
    const uint64_t me = uint64_t(1) << t.c.lane_index;
    std::lock_guard lock(t.group.persistent_mutex);
    for (gl::Buffer *b : t.group.persistent)
        if (b->map && !(b->map_access & GL_MAP_FLUSH_EXPLICIT_BIT) &&
            (b->bound_lanes.load(std::memory_order_relaxed) & me))
            push_map(t, *b);
}

void pull_persistent(Tracker &t) {
    if (t.group.num_persistent.load(std::memory_order_relaxed) == 0)
        return;
    std::lock_guard lock(t.group.persistent_mutex);
    for (gl::Buffer *b : t.group.persistent)
        if (b->map)
            pull(t, *b);
}

} // namespace st
