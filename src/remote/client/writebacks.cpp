// SPDX-License-Identifier: MIT
// Promises of the bytes of buffers; see writebacks.h.
#include "writebacks.h"

#include "counters.h"

#include <algorithm>
#include <cstring>

namespace remote {

// Of all together, so that a program that reads much keeps no copy of all of it.
constexpr uint64_t most_bytes = 256ull << 20;
constexpr size_t most_buffers = 64;
constexpr unsigned patience = 2;
// Of a larger range, of which less than a part was read, most would come in vain.
constexpr uint64_t small_range = 64 * 1024, part = 4;

void Writebacks::end(Buffer &b, Promise &p) {
    if (!p.good)
        return;
    p.good = false;
    if (p.early && !p.used)
        b.late = true;
    else
        b.unused = p.used ? 0 : b.unused + 1;
}

bool Writebacks::end_range(uint32_t lane, pipe_handle buffer, uint64_t offset, uint64_t size) {
    std::lock_guard lock(mutex_);
    auto it = buffers_.find(pipe_handle_key(buffer));
    if (it == buffers_.end())
        return false;
    it->second.writer = lane;
    for (Promise &p : it->second.promises)
        if (p.offset < offset || p.offset - offset < size)
            if (offset < p.offset || offset - p.offset < p.size)
                end(it->second, p);
    return true;
}

void Writebacks::Buffer::note_read(Range now) {
    Range &last = reads[0];
    if (now.offset && now.offset == last.offset + last.size) {
        last.size += now.size;
        return;
    }
    auto same = std::find_if(reads.begin(), reads.end() - 1, [&](const Range &r) {
        return r.offset == now.offset && r.size == now.size;
    });
    std::move_backward(reads.begin(), same, same + 1);
    reads[0] = now;
}

void Writebacks::was_read(pipe_handle buffer, uint64_t offset, uint64_t size) {
    std::lock_guard lock(mutex_);
    const uint64_t key = pipe_handle_key(buffer);
    if (given_up_ || banned_.count(key) || (buffers_.size() >= most_buffers && !buffers_.count(key)))
        return;
    Buffer &b = buffers_[key];
    b.note_read({offset, size});
    b.unused = 0;
    b.late = false;
    any_.store(true, std::memory_order_relaxed);
}

void Writebacks::take_free(Buffer &b, Memory &out) {
    std::erase_if(b.promises, [&](Promise &p) {
        if (p.pending || p.good)
            return false;
        bytes_ -= p.memory->size();
        out.push_back(std::move(p.memory));
        return true;
    });
}

std::unique_ptr<OneShot> Writebacks::fitting(Memory &all, uint64_t size) {
    for (std::unique_ptr<OneShot> &m : all)
        if (m->size() >= size && m->size() / 4 <= std::max<uint64_t>(size, 4096))
            return std::move(m);
    return nullptr;
}

bool Writebacks::wants_early(pipe_handle buffer) {
    std::lock_guard lock(mutex_);
    auto it = buffers_.find(pipe_handle_key(buffer));
    return it != buffers_.end() && !it->second.late;
}

size_t Writebacks::read_of(pipe_handle buffer, uint64_t offset, uint64_t size, Ranges &out) {
    std::lock_guard lock(mutex_);
    auto it = buffers_.find(pipe_handle_key(buffer));
    if (it == buffers_.end() || it->second.unused >= patience)
        return 0;
    const uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
    size_t n = 0;
    for (const Range &r : it->second.reads) {
        const uint64_t from = std::max(r.offset, offset), to = std::min(r.offset + r.size, end);
        const bool covered = std::any_of(out.begin(), out.begin() + ptrdiff_t(n), [&](const Range &o) {
            return o.offset <= from && to <= o.offset + o.size;
        });
        if (from < to && !covered)
            out[n++] = {from, to - from};
    }
    return n;
}

uint32_t Writebacks::promise(uint32_t lane, pipe_handle buffer, uint64_t offset, uint64_t size,
                             bool early) {
    if (!any() || !size)
        return 0;
    const uint64_t key = pipe_handle_key(buffer);
    Memory free; // ends without the lock: the server is told
    std::unique_ptr<OneShot> memory;
    {
        std::lock_guard lock(mutex_);
        auto it = buffers_.find(key);
        if (it == buffers_.end() || it->second.unused >= patience || it->second.writer != lane)
            return 0;
        Buffer &b = it->second;
        if (size > small_range && size / part > b.reads[0].size)
            return 0;
        if (std::count_if(b.promises.begin(), b.promises.end(),
                          [](const Promise &p) { return p.good; }) >= ptrdiff_t(most_promises))
            end(b, *std::find_if(b.promises.begin(), b.promises.end(),
                                 [](const Promise &p) { return p.good; }));
        take_free(b, free);
        memory = fitting(free, size);
        if (!memory && (b.promises.size() >= 2 * most_promises || size > most_bytes - bytes_))
            return 0;
    }
    std::erase(free, nullptr);
    if (!memory)
        memory = std::make_unique<OneShot>(connection_, size);
    const uint32_t id = memory->id();
    std::lock_guard lock(mutex_);
    auto it = buffers_.find(key);
    if (!id || it == buffers_.end())
        return 0;
    bytes_ += memory->size();
    it->second.promises.push_back(
        {lane, offset, size, std::move(memory), true, true, false, early});
    return id;
}

void Writebacks::ban(pipe_handle buffer) {
    if (pipe_handle_is_null(buffer))
        return;
    std::lock_guard lock(mutex_);
    const uint64_t key = pipe_handle_key(buffer);
    if (!banned_.insert(key).second)
        return;
    any_banned_.store(true, std::memory_order_relaxed);
    if (auto it = buffers_.find(key); it != buffers_.end()) {
        for (Promise &p : it->second.promises)
            end(it->second, p);
        it->second.unused = patience;
    }
}

void Writebacks::give_up() {
    std::lock_guard lock(mutex_);
    given_up_ = true;
    for (auto &[key, b] : buffers_) {
        for (Promise &p : b.promises)
            end(b, p);
        b.unused = patience;
    }
}

void Writebacks::drop(pipe_handle buffer) {
    if (!any() && !any_banned_.load(std::memory_order_relaxed))
        return;
    Memory free;
    std::lock_guard lock(mutex_);
    const uint64_t key = pipe_handle_key(buffer);
    banned_.erase(key);
    auto it = buffers_.find(key);
    if (it == buffers_.end())
        return;
    for (Promise &p : it->second.promises)
        end(it->second, p);
    take_free(it->second, free);
    it->second.ended = true;
    if (it->second.promises.empty())
        buffers_.erase(it);
    any_.store(!buffers_.empty(), std::memory_order_relaxed);
}

bool Writebacks::arrived(const pipe_on_buffer_writeback &event) {
    std::lock_guard lock(mutex_);
    auto it = buffers_.find(pipe_handle_key(event.resource));
    if (it == buffers_.end())
        return false;
    Buffer &b = it->second;
    auto p = std::find_if(b.promises.begin(), b.promises.end(), [&](const Promise &one) {
        return one.pending && one.offset == event.offset && (!event.size || one.size == event.size);
    });
    if (p == b.promises.end())
        return false;
    p->pending = false;
    if (!event.size)
        p->good = false; // nobody is to blame for it
    else
        count_writebacks.add();
    return true;
}

Writebacks::Promise *Writebacks::find(const pipe_resource_readback &read) {
    auto it = buffers_.find(pipe_handle_key(read.resource));
    if (it == buffers_.end() || it->second.ended)
        return nullptr;
    for (Promise &p : it->second.promises)
        if (p.good && p.offset <= read.offset && read.offset - p.offset <= p.size &&
            read.size <= p.size - (read.offset - p.offset))
            return &p;
    return nullptr;
}

bool Writebacks::pending(const pipe_resource_readback &read, uint32_t lane) {
    std::lock_guard lock(mutex_);
    const Promise *p = find(read);
    return p && p->pending && p->lane == lane;
}

bool Writebacks::promised(const pipe_resource_readback &read) {
    if (!any())
        return false;
    std::lock_guard lock(mutex_);
    return find(read);
}

bool Writebacks::copy(const pipe_resource_readback &read, const pipe_out_span &dst) {
    std::lock_guard lock(mutex_);
    Promise *p = find(read);
    if (!p || p->pending || dst.size < read.size)
        return false;
    memcpy(dst.ptr, p->memory->data() + (read.offset - p->offset), read.size);
    p->used = true;
    count_writebacks_read.add();
    return true;
}

void Writebacks::abandon() {
    for (auto &[key, b] : buffers_)
        for (Promise &p : b.promises)
            p.memory->abandon();
    buffers_.clear();
    any_.store(false);
}

} // namespace remote
