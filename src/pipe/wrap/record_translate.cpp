// SPDX-License-Identifier: MIT
// From one definition to another; see record_translate.h.
#include "record_translate.h"

#include "pipe/pipe_caps.h"
#include "pipe_wire/wire.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wrap {

using wire::align_up;

namespace {

uint64_t read_uint(const uint8_t *p, uint32_t size) {
    uint64_t v = 0;
    memcpy(&v, p, size);
    return v;
}

int64_t read_sint(const uint8_t *p, uint32_t size) {
    const unsigned shift = 64 - 8 * size;
    return int64_t(read_uint(p, size) << shift) >> shift;
}

double read_real(const uint8_t *p, uint32_t size) {
    if (size == 8) {
        double d;
        memcpy(&d, p, 8);
        return d;
    }
    float f;
    memcpy(&f, p, 4);
    return f;
}

bool is_number(const LayoutType &t) {
    return t.kind == LayoutType::uint || t.kind == LayoutType::sint;
}

// Spans that hold chunks, and the mask that names them.
const std::vector<LayoutChunk> *chunks_of(const Layout &l, const LayoutCall &call) {
    if (call.payload.name == "create_render_state")
        return &l.pipeline;
    return call.payload.name == "set_dynamic_state" ? &l.dynamic : nullptr;
}

} // namespace

// Bytes that are left of an archive.
struct Translator::In {
    const uint8_t *at, *end;
    uint64_t left() const { return uint64_t(end - at); }
    bool count(uint32_t &n) {
        if (left() < 4)
            return false;
        memcpy(&n, at, 4);
        at += 4;
        return n <= left();
    }
};

bool Translator::fail(const std::string &text) {
    problem_ = text;
    return false;
}

void Translator::note(const std::string &text) {
    if (noted_.insert(text).second)
        notes_.push_back(text);
}

std::vector<std::string> Translator::take_notes() {
    return std::exchange(notes_, {});
}

// --- values --------------------------------------------------------------------------------------

bool Translator::enum_value(const LayoutEnum &from, uint64_t v, const LayoutEnum &to, uint64_t &out,
                            const std::string &where) {
    out = 0;
    if (from.flags) {
        for (const auto &[name, bits] : from.items) {
            if (!(v & bits))
                continue;
            v &= ~bits;
            if (const uint64_t *now = to.value_of(name))
                out |= *now;
            else
                note(where + ": " + name + " exists no more");
        }
        return true;
    }
    for (const auto &[name, value] : from.items) {
        if (value != v)
            continue;
        const uint64_t *now = to.value_of(name);
        if (!now)
            return fail(where + ": " + name + " exists no more");
        out = *now;
        return true;
    }
    return fail(where + ": no such value");
}

bool Translator::value(const LayoutType &from, const uint8_t *in, const LayoutType &to,
                       uint8_t *out, const std::string &where) {
    if (from.kind == LayoutType::enumerated && to.kind == LayoutType::enumerated) {
        uint64_t v;
        if (!enum_value(from_.enums[from.ref], read_uint(in, from.size), to_.enums[to.ref], v,
                        where))
            return false;
        memcpy(out, &v, to.size);
        return true;
    }
    if (from.kind == LayoutType::structure && to.kind == LayoutType::structure)
        return members(from_.structs[from.ref], in, to_.structs[to.ref], out, where);
    if (is_number(from) && is_number(to)) {
        const uint64_t v = from.kind == LayoutType::sint ? uint64_t(read_sint(in, from.size))
                                                         : read_uint(in, from.size);
        memcpy(out, &v, to.size);
        const uint64_t back = to.kind == LayoutType::sint ? uint64_t(read_sint(out, to.size))
                                                          : read_uint(out, to.size);
        return back == v || fail(where + ": too large now");
    }
    if (from.kind == LayoutType::real && to.kind == LayoutType::real) {
        const double d = read_real(in, from.size);
        const float f = float(d);
        memcpy(out, to.size == 8 ? static_cast<const void *>(&d) : &f, to.size);
        return true;
    }
    if (from.kind == to.kind && from.size == to.size) {
        memcpy(out, in, to.size);
        return true;
    }
    return fail(where + ": another kind of value now");
}

bool Translator::members(const LayoutStruct &from, const uint8_t *in, const LayoutStruct &to,
                         uint8_t *out, const std::string &where) {
    for (const LayoutMember &m : from.members) {
        const LayoutMember *now = to.member(m.name);
        if (!now) {
            const uint8_t *p = in + m.offset;
            if (std::any_of(p, p + m.type.size * m.count, [](uint8_t b) { return b; }))
                note(where + "." + m.name + " exists no more");
            continue;
        }
        for (uint32_t i = 0; i < std::min(m.count, now->count); i++)
            if (!value(m.type, in + m.offset + uint64_t(i) * m.type.size, now->type,
                       out + now->offset + uint64_t(i) * now->type.size, where + "." + m.name))
                return false;
    }
    return true;
}

bool Translator::translate_caps(std::span<const uint8_t> bytes, std::vector<uint8_t> &out) {
    const LayoutStruct *from = from_.struct_named("pipe_caps"), *to = to_.struct_named("pipe_caps");
    const LayoutEnum *old_formats = from_.enum_named("pipe_format");
    const LayoutEnum *formats = to_.enum_named("pipe_format");
    if (!from || !to || !old_formats || !formats || bytes.size() != from->size)
        return false;
    out.assign(to->size, 0);
    if (!members(*from, bytes.data(), *to, out.data(), "caps"))
        return false;
    const LayoutMember *a = from->member("format"), *b = to->member("format");
    const LayoutMember *mask_a = from->member("call_mask"), *mask_b = to->member("call_mask");
    if (!a || !b || !mask_a || !mask_b)
        return false;
    memset(out.data() + b->offset, 0, b->type.size * b->count);
    for (const auto &[name, old] : old_formats->items)
        if (const uint64_t *now = formats->value_of(name);
            now && old < a->count && *now < b->count &&
            !value(a->type, bytes.data() + a->offset + old * a->type.size, b->type,
                   out.data() + b->offset + *now * b->type.size, "caps.format"))
            return false;
    uint8_t *mask = out.data() + mask_b->offset;
    memset(mask, 0, mask_b->type.size * mask_b->count);
    for (const auto &[old, call] : from_.calls) {
        uint32_t now;
        if (old <= mask_a->type.size * mask_a->count * 8 &&
            to_.call_named(call.payload.name, &now) &&
            now <= mask_b->type.size * mask_b->count * 8 &&
            bytes[mask_a->offset + (old - 1) / 8] >> (old - 1) % 8 & 1)
            mask[(now - 1) / 8] |= uint8_t(1 << (now - 1) % 8);
    }
    return true;
}

// --- chunks --------------------------------------------------------------------------------------

bool Translator::chunks(const LayoutCall &from, const uint8_t *old_payload,
                        std::vector<uint8_t> &payload, const LayoutCall &to,
                        std::span<const uint8_t> in, std::vector<uint8_t> &out) {
    const std::vector<LayoutChunk> &olds = *chunks_of(from_, from), &news = *chunks_of(to_, to);
    const LayoutMember *old_mask = from.payload.member("chunk_mask");
    const LayoutMember *new_mask = to.payload.member("chunk_mask");
    const LayoutMember *base = from.payload.member("base");
    if (!old_mask || !new_mask || old_mask->type.size != 4 || new_mask->type.size != 4)
        return fail("no mask of chunks");
    if (base && base->type.size != 8)
        return fail("the base of chunks is no handle");
    const uint64_t mask = read_uint(old_payload + old_mask->offset, 4);
    std::vector<const uint8_t *> at(olds.size());
    uint64_t pos = 0;
    for (size_t i = 0; i < olds.size(); i++) {
        if (!(mask >> i & 1))
            continue;
        const uint32_t size = from_.structs[olds[i].structure].size;
        if (size > in.size() - pos)
            return fail("chunks are cut");
        at[i] = in.data() + pos;
        pos += size;
    }
    if (pos != in.size() || mask >> olds.size())
        return fail("chunks do not fit their mask");
    const bool whole = base && !read_uint(old_payload + base->offset, 8);
    uint32_t now_mask = 0;
    for (size_t i = 0; i < news.size(); i++) {
        const auto old = std::find_if(olds.begin(), olds.end(),
                                      [&](const LayoutChunk &c) { return c.name == news[i].name; });
        const uint8_t *bytes = old == olds.end() ? nullptr : at[size_t(old - olds.begin())];
        if (!bytes && !whole)
            continue;
        const LayoutStruct &now = to_.structs[news[i].structure];
        now_mask |= 1u << i;
        const size_t begin = out.size();
        out.resize(begin + now.size);
        if (bytes &&
            !members(from_.structs[old->structure], bytes, now, out.data() + begin, news[i].name))
            return false;
    }
    memcpy(payload.data() + new_mask->offset, &now_mask, 4);
    return true;
}

// --- archives ------------------------------------------------------------------------------------

bool Translator::skip(const LayoutType &t, In &in) {
    uint32_t n = 0;
    uint64_t size = t.size;
    switch (t.kind) {
    case LayoutType::text:
    case LayoutType::bytes:
    case LayoutType::words:
        if (!in.count(n))
            return fail("archive is cut");
        size = uint64_t(n) * (t.kind == LayoutType::words ? 4 : 1);
        break;
    case LayoutType::list:
        if (!in.count(n))
            return fail("archive is cut");
        for (uint32_t i = 0; i < n; i++)
            if (!skip(*t.of, in))
                return false;
        return true;
    case LayoutType::structure:
        for (const LayoutMember &m : from_.archives[t.ref].members)
            for (uint32_t i = 0; i < m.count; i++)
                if (!skip(m.type, in))
                    return false;
        return true;
    default: break;
    }
    if (size > in.left())
        return fail("archive is cut");
    in.at += size;
    return true;
}

// What a member is that a recording does not know.
void Translator::zero(const LayoutMember &m, std::vector<uint8_t> &out) {
    for (uint32_t i = 0; i < m.count; i++) {
        if (m.type.kind == LayoutType::structure) {
            for (const LayoutMember &inner : to_.archives[m.type.ref].members)
                zero(inner, out);
        } else {
            out.insert(out.end(), m.type.size ? m.type.size : 4, 0); // a count of none
        }
    }
}

bool Translator::archive_value(const LayoutType &from, const LayoutType &to, In &in,
                               std::vector<uint8_t> &out, const std::string &where) {
    if (from.kind == LayoutType::structure && to.kind == LayoutType::structure)
        return archive(from.ref, to.ref, in, out, where);
    if (from.kind == LayoutType::list && to.kind == LayoutType::list) {
        uint32_t n = 0;
        if (!in.count(n))
            return fail("archive is cut");
        const uint8_t *p = reinterpret_cast<const uint8_t *>(&n);
        out.insert(out.end(), p, p + 4);
        for (uint32_t i = 0; i < n; i++)
            if (!archive_value(*from.of, *to.of, in, out, where))
                return false;
        return true;
    }
    const uint8_t *begin = in.at;
    if (!skip(from, in))
        return false;
    if (from.size && to.size) {
        out.resize(out.size() + to.size);
        return value(from, begin, to, out.data() + out.size() - to.size, where);
    }
    if (from.kind != to.kind)
        return fail(where + ": another kind of value now");
    out.insert(out.end(), begin, in.at);
    return true;
}

bool Translator::archive(int from, int to, In &in, std::vector<uint8_t> &out,
                         const std::string &where) {
    const LayoutStruct &olds = from_.archives[from], &news = to_.archives[to];
    std::vector<In> found(olds.members.size());
    for (size_t i = 0; i < olds.members.size(); i++) {
        found[i] = in;
        for (uint32_t n = 0; n < olds.members[i].count; n++)
            if (!skip(olds.members[i].type, in))
                return false;
        found[i].end = in.at;
        if (!news.member(olds.members[i].name))
            note(where + "." + olds.members[i].name + " exists no more");
    }
    for (const LayoutMember &m : news.members) {
        const LayoutMember *old = olds.member(m.name);
        if (!old) {
            zero(m, out);
            continue;
        }
        if (old->count != m.count)
            return fail(where + "." + m.name + ": another count now");
        In &at = found[size_t(old - olds.members.data())];
        for (uint32_t i = 0; i < m.count; i++)
            if (!archive_value(old->type, m.type, at, out, where + "." + m.name))
                return false;
    }
    return true;
}

// --- records -------------------------------------------------------------------------------------

// Walks a record of the old definition.
struct Translator::Call {
    std::span<const uint8_t> record;
    std::span<const uint8_t> content;
    uint64_t at = sizeof(wire::Header);
    unsigned bit = 0;

    template <typename T> bool take(T &out) {
        if (record.size() - at < sizeof(T))
            return false;
        memcpy(&out, record.data() + at, sizeof(T));
        at += sizeof(T);
        return true;
    }
    bool bytes(uint64_t count, uint64_t size, uint64_t align, const uint8_t *&out) {
        at = align_up(at, align);
        if (at > record.size() || (size && count > (record.size() - at) / size))
            return false;
        out = record.data() + at;
        at += count * size;
        return true;
    }
    // The next span; empty when it is not there. Content keeps its place.
    bool span(uint16_t flags, pipe_host_span &out, std::span<const uint8_t> &bytes) {
        out = {};
        bytes = {};
        if (!(flags >> bit++ & 1))
            return true;
        wire::Span s;
        if (!take(s))
            return false;
        const bool inlined = s.seg == PIPE_SEG_INLINE;
        const std::span<const uint8_t> in = inlined ? record : content;
        if ((!inlined && s.seg != PIPE_SEG_STAGE) || s.offset > in.size() ||
            s.size > in.size() - s.offset)
            return false;
        bytes = in.subspan(s.offset, s.size);
        out = inlined ? pipe_span(bytes.data(), bytes.size())
                      : pipe_host_span{bytes.data(), s.offset, s.size, PIPE_SEG_STAGE, 0};
        return true;
    }
};

Translator::Result Translator::translate(std::span<const uint8_t> record,
                                         std::vector<uint8_t> &content) {
    const auto bad = [this](const char *what) {
        if (what)
            problem_ = what;
        return Result::bad;
    };
    wire::Header h;
    Call in{record, content};
    in.at = 0;
    if (!in.take(h) || h.size != record.size() || record.size() % 8)
        return bad("no header");
    const auto found = from_.calls.find(h.op);
    if (found == from_.calls.end())
        return bad("no such call");
    const LayoutCall &old = found->second;
    uint32_t op = 0;
    const LayoutCall *now = to_.call_named(old.payload.name, &op);
    if (!now) {
        note("call " + old.payload.name + " exists no more");
        return Result::dropped;
    }
    const std::string &name = old.payload.name;
    CallParts parts;
    made_.clear();
    made_.reserve(16); // what parts point to stays where it is
    const uint8_t *old_payload;
    if (!in.bytes(1, old.payload.size, 1, old_payload))
        return bad("payload is cut");
    std::vector<uint8_t> &payload = made_.emplace_back(now->payload.size);
    if (!members(old.payload, old_payload, now->payload, payload.data(), name))
        return bad(nullptr);

    for (const LayoutTail &t : old.tails) {
        const uint8_t *p;
        const uint64_t count = read_uint(old_payload + t.count.offset, t.count.type.size);
        if (!in.bytes(count, t.type.size, t.type.align, p))
            return bad("tail is cut");
        const auto to = std::find_if(now->tails.begin(), now->tails.end(),
                                     [&](const LayoutTail &n) { return n.name == t.name; });
        if (to == now->tails.end())
            continue;
        std::vector<uint8_t> &out = made_.emplace_back(count * to->type.size);
        for (uint64_t i = 0; i < count; i++)
            if (!value(t.type, p + i * t.type.size, to->type, out.data() + i * to->type.size,
                       name + "." + t.name))
                return bad(nullptr);
        parts.tails[to - now->tails.begin()] = {out.data(), count, to->type.size, to->type.align};
    }
    // A tail that the recording does not know has no elements: so its new count says.
    parts.num_tails = unsigned(now->tails.size());
    for (unsigned i = 0; i < parts.num_tails; i++)
        if (!parts.tails[i].element)
            parts.tails[i] = {nullptr, 0, now->tails[i].type.size, now->tails[i].type.align};

    in.at = align_up(in.at, 8);
    parts.num_spans = unsigned(now->spans.size()) + (now->archive >= 0);
    for (const std::string &span : old.spans) {
        pipe_host_span s;
        std::span<const uint8_t> bytes;
        if (in.at > record.size() || !in.span(h.flags, s, bytes))
            return bad("span is cut");
        const auto to = std::find(now->spans.begin(), now->spans.end(), span);
        if (to == now->spans.end())
            continue;
        if (span == "chunks" && chunks_of(from_, old)) {
            std::vector<uint8_t> &out = made_.emplace_back();
            if (!chunks(old, old_payload, payload, *now, bytes, out))
                return bad(nullptr);
            s = pipe_span(out.data(), out.size());
        }
        parts.spans[to - now->spans.begin()] = s;
    }
    if (old.archive >= 0) {
        pipe_host_span s;
        std::span<const uint8_t> bytes;
        if (in.at > record.size() || !in.span(h.flags, s, bytes))
            return bad("archive is cut");
        if (!bytes.empty() && now->archive >= 0) {
            std::vector<uint8_t> &out = made_.emplace_back();
            In coded{bytes.data(), bytes.data() + bytes.size()};
            if (!archive(old.archive, now->archive, coded, out, "archive"))
                return bad(nullptr);
            // Behind what the record named already.
            s = {out.data(), content.size(), out.size(), PIPE_SEG_STAGE, 0};
            content.insert(content.end(), out.begin(), out.end());
            parts.spans[now->spans.size()] = s;
        }
    }
    if (now->answers) {
        wire::Reply reply{};
        if (old.answers && (in.at > record.size() || !in.take(reply)))
            return bad("reply is cut");
        const uint64_t head = align_up(old.reply_size, wire::reply_alignment);
        parts.answers = true;
        parts.reply_size = now->reply_size;
        parts.answers_bytes = now->answers_bytes;
        parts.dst_size = reply.size > head ? reply.size - head : 0;
    }
    parts.op = uint16_t(op);
    parts.payload = payload.data();
    parts.payload_size = now->payload.size;
    record_ = encoder_.encode(parts);
    return Result::done;
}

} // namespace wrap
