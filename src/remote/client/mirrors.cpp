// SPDX-License-Identifier: MIT
// Data of a stream on the client; see mirrors.h.
#include "mirrors.h"

#include "screen.h"
#include "session_page.h"

#include <cerrno>
#include <cstring>

namespace remote {

void Mirrors::add_commands(uint32_t lane, RingPage *page) {
    std::lock_guard lock(mutex_);
    all_[lane] = {page, nullptr, nullptr, 0};
}

void Mirrors::add_events(uint32_t screen, RingPage *page, uint64_t ring_size, ClientScreen *owner) {
    std::lock_guard lock(mutex_);
    all_[screen] = {page, owner, reinterpret_cast<uint8_t *>(page) + page_size, ring_size};
}

void Mirrors::add_segment(uint32_t seg, uint8_t *data, uint64_t size) {
    std::lock_guard lock(mutex_);
    if (seg == PIPE_SEG_READ) {
        read_ = data;
        read_size_ = size;
    } else {
        all_[seg] = {nullptr, nullptr, data, size};
    }
}

void Mirrors::remove(uint32_t id) {
    std::lock_guard lock(mutex_);
    all_.erase(id);
}

bool Mirrors::receive(const MessageHead &head, Channel &channel) {
    pipe_ctl_ring_taken taken;
    bool ok = false;
    if (head.type == PIPE_CTL_SEGMENT_DATA && head.size >= sizeof(pipe_ctl_segment_data))
        ok = segment_data(head.size - sizeof(pipe_ctl_segment_data), channel);
    else if (head.type == PIPE_CTL_RING_DATA && head.size >= sizeof(pipe_ctl_ring_data))
        ok = ring_data(head.size - sizeof(pipe_ctl_ring_data), channel);
    else if (head.type == PIPE_CTL_RING_TAKEN && head.size == sizeof taken)
        ok = channel.read(&taken, sizeof taken) && ring_taken(taken);
    if (!ok)
        errno = EPROTO;
    return ok;
}

bool Mirrors::take_bytes(uint64_t size, Channel &channel) {
    if (bytes_.size() < size)
        bytes_.resize(size);
    return channel.read(bytes_.data(), size);
}

static bool inside(uint64_t offset, uint64_t size, uint64_t whole) {
    return offset <= whole && size <= whole - offset;
}

bool Mirrors::segment_data(uint64_t size, Channel &channel) {
    pipe_ctl_segment_data fixed;
    if (!channel.read(&fixed, sizeof fixed))
        return false;
    // Answers stay where they are until the connection ends.
    if (fixed.seg == PIPE_SEG_READ)
        return fixed.offset >= read_base && inside(fixed.offset, size, read_size_) &&
               channel.read(read_ + fixed.offset, size);
    if (!take_bytes(size, channel))
        return false;
    std::lock_guard lock(mutex_);
    auto it = all_.find(fixed.seg);
    if (it == all_.end())
        return true; // of a call that gave up
    if (it->second.page || !inside(fixed.offset, size, it->second.size))
        return false;
    memcpy(it->second.data + fixed.offset, bytes_.data(), size);
    return true;
}

bool Mirrors::ring_data(uint64_t size, Channel &channel) {
    pipe_ctl_ring_data fixed;
    if (!channel.read(&fixed, sizeof fixed) || !take_bytes(size, channel))
        return false;
    std::lock_guard lock(mutex_);
    auto it = all_.find(fixed.owner);
    if (it == all_.end())
        return true; // of a screen that is ending
    const Mirror &m = it->second;
    if (!m.screen)
        return false;
    const uint64_t from = m.page->head.load(std::memory_order_relaxed);
    const uint64_t tail = m.page->tail.load(std::memory_order_acquire);
    if (size % 8 || fixed.head - from != size || fixed.head - tail > m.size)
        return false;
    const uint64_t at = from & (m.size - 1), first = std::min(size, m.size - at);
    memcpy(m.data + at, bytes_.data(), first);
    memcpy(m.data, bytes_.data() + first, size - first);
    m.page->head.store(fixed.head, std::memory_order_release);
    m.screen->ring_lanes();
    return true;
}

bool Mirrors::ring_taken(const pipe_ctl_ring_taken &taken) {
    std::lock_guard lock(mutex_);
    auto it = all_.find(taken.owner);
    if (it == all_.end())
        return true; // of a lane that is ending
    if (!it->second.page || it->second.screen)
        return false;
    RingPage &page = *it->second.page;
    const uint64_t head = page.head.load(std::memory_order_relaxed);
    const uint64_t before = page.tail.load(std::memory_order_relaxed);
    if (taken.tail > head || taken.tail < before || taken.tail % 8 ||
        taken.applied < page.applied.load(std::memory_order_relaxed))
        return false;
    page.applied.store(taken.applied, std::memory_order_release);
    page.tail.store(taken.tail, std::memory_order_release);
    page.reply_status.store(taken.reply_status, std::memory_order_relaxed);
    page.reply_ordinal.store(taken.reply_ordinal, std::memory_order_release);
    if (taken.ended)
        page.ended.store(1, std::memory_order_release);
    ring_bell(page.producer, nullptr);
    return true;
}

} // namespace remote
