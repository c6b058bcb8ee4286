// SPDX-License-Identifier: MIT
// See the header. A stored call: its head, the counts of its tails, the sizes of its spans and of
// its archive, then payload, tails, spans and archive in that order.
#include "respawn_log.h"

#include "pipe_wire/wire.h"

#include <cstring>
#include <new>

namespace wrap {
namespace {

constexpr uint64_t chunk_size = 1 << 20;
constexpr size_t most_spare = 32;
constexpr uint64_t unit = 16;

struct Head {
    uint64_t size;
    uint32_t lane;
    uint16_t op;
    uint8_t tails, spans;
};

uint64_t counts_size(const CallView &v) {
    return wire::align_up((v.num_tails + v.num_spans + 1) * sizeof(uint64_t), unit);
}

uint64_t span_size(const CallView &v, unsigned i) {
    return v.spans[i] && v.spans[i]->ptr ? v.spans[i]->size : 0;
}

} // namespace

uint64_t stored_size(const CallView &v, uint64_t archive_size) {
    uint64_t size = sizeof(Head) + counts_size(v);
    size += wire::align_up(wire::call_info[v.op].payload_size, unit);
    for (unsigned i = 0; i < v.num_tails; i++)
        size += wire::align_up(v.tails[i].count * v.tails[i].element, unit);
    for (unsigned i = 0; i < v.num_spans; i++)
        size += wire::align_up(span_size(v, i), unit);
    return size + wire::align_up(archive_size, unit);
}

void store_call(uint8_t *to, const CallView &v, uint32_t lane,
                const std::vector<uint8_t> &archive) {
    const Head head{stored_size(v, archive.size()), lane, v.op, uint8_t(v.num_tails),
                    uint8_t(v.num_spans)};
    memcpy(to, &head, sizeof head);
    auto *counts = reinterpret_cast<uint64_t *>(to + sizeof head);
    uint8_t *at = to + sizeof head + counts_size(v);
    auto put = [&at](const void *bytes, uint64_t size) {
        if (size)
            memcpy(at, bytes, size);
        at += wire::align_up(size, unit);
    };
    put(v.payload, wire::call_info[v.op].payload_size);
    for (unsigned i = 0; i < v.num_tails; i++) {
        *counts++ = v.tails[i].count;
        put(v.tails[i].data, v.tails[i].count * v.tails[i].element);
    }
    for (unsigned i = 0; i < v.num_spans; i++) {
        *counts++ = span_size(v, i);
        put(v.spans[i] ? v.spans[i]->ptr : nullptr, span_size(v, i));
    }
    *counts = archive.size();
    put(archive.data(), archive.size());
}

void recall(Recalled &r, const uint8_t *from) {
    Head head;
    memcpy(&head, from, sizeof head);
    r = {};
    r.size = head.size;
    r.lane = head.lane;
    CallView &v = r.view;
    v.op = head.op;
    v.num_tails = head.tails;
    v.num_spans = head.spans;
    const auto *counts = reinterpret_cast<const uint64_t *>(from + sizeof head);
    const uint8_t *at = from + sizeof head + counts_size(v);
    auto take = [&at](uint64_t size) {
        const uint8_t *here = at;
        at += wire::align_up(size, unit);
        return here;
    };
    v.payload = take(wire::call_info[v.op].payload_size);
    for (unsigned i = 0; i < v.num_tails; i++) {
        const uint32_t element = call_shapes[v.op].tail_element[i];
        v.tails[i] = {nullptr, *counts++, element};
        v.tails[i].data = take(v.tails[i].count * element);
    }
    for (unsigned i = 0; i < v.num_spans; i++) {
        const uint64_t size = *counts++;
        const uint8_t *bytes = take(size);
        r.spans[i] = pipe_span(size ? bytes : nullptr, size);
        v.spans[i] = &r.spans[i];
    }
    r.archive_size = *counts;
    r.archive = take(r.archive_size);
}

void KeptCall::keep(const Recalled &r, const uint8_t *from) {
    words_.resize(r.size / sizeof(Word));
    memcpy(words_.data(), from, r.size);
}

void KeptCall::keep(const CallView &view) {
    words_.resize(stored_size(view, 0) / sizeof(Word));
    store_call(reinterpret_cast<uint8_t *>(words_.data()), view, 0, {});
}

// --- the log -------------------------------------------------------------------------------------

void CallLog::Free::operator()(uint8_t *p) const {
    ::operator delete(p, std::align_val_t(unit));
}

uint64_t CallLog::size_of(const uint8_t *call) {
    uint64_t size;
    memcpy(&size, call, sizeof size);
    return size;
}

uint8_t *CallLog::room(uint64_t size) {
    if (chunks_.empty() || chunks_.back().size - chunks_.back().used < size) {
        if (size <= chunk_size && !spare_.empty()) {
            chunks_.push_back(std::move(spare_.back()));
            spare_.pop_back();
        } else {
            const uint64_t whole = size > chunk_size ? size : chunk_size;
            auto *p = static_cast<uint8_t *>(::operator new(whole, std::align_val_t(unit)));
            chunks_.push_back({std::unique_ptr<uint8_t, Free>(p), whole, 0, 0});
        }
    }
    Chunk &c = chunks_.back();
    uint8_t *p = c.bytes.get() + c.used;
    c.used += size;
    return p;
}

void CallLog::append(const CallView &view, uint32_t lane) {
    archive_.clear();
    if (view.archive)
        pipe_shader_archive_encode(*view.archive, archive_);
    const uint64_t size = stored_size(view, archive_.size());
    store_call(room(size), view, lane, archive_);
    end_ += size;
    calls_++;
}

const uint8_t *CallLog::oldest() const {
    return begin_ == end_ ? nullptr : chunks_.front().bytes.get() + chunks_.front().first;
}

void CallLog::drop_oldest() {
    Chunk &c = chunks_.front();
    const uint64_t size = size_of(c.bytes.get() + c.first);
    c.first += size;
    begin_ += size;
    calls_--;
    if (c.first < c.used)
        return;
    c.first = c.used = 0;
    if (c.size == chunk_size && spare_.size() < most_spare)
        spare_.push_back(std::move(c));
    chunks_.pop_front();
}

} // namespace wrap
