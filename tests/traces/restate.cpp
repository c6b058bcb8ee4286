// SPDX-License-Identifier: MIT
// Another definition; see restate.h.
#include "restate.h"

#include <algorithm>

using namespace wrap;

namespace {

// Values in reverse order, flags from the highest bit down.
void turn(LayoutEnum &e) {
    uint64_t most = 0;
    for (const auto &[name, value] : e.items)
        most = std::max(most, value);
    unsigned bits = 0;
    while (most >> bits)
        bits++;
    for (auto &[name, value] : e.items) {
        if (!e.flags) {
            value = most - value;
            continue;
        }
        uint64_t turned = 0;
        for (unsigned i = 0; i < bits; i++)
            if (value >> i & 1)
                turned |= 1ull << (bits - 1 - i);
        value = turned;
    }
}

// Counts and masks keep their width; other numbers grow.
void widen(LayoutMember &m) {
    const bool number = m.type.kind == LayoutType::uint || m.type.kind == LayoutType::sint;
    if (number && m.type.size < 4)
        m.type.size = m.type.align = m.type.size * 2;
}

uint32_t up(uint32_t n, uint32_t a) {
    return (n + a - 1) / a * a;
}

LayoutMember unknown() {
    LayoutMember m;
    m.name = unknown_member;
    m.type.kind = LayoutType::uint;
    m.type.size = m.type.align = 8;
    return m;
}

// Members from the last to the first behind the unknown one.
void turn(LayoutStruct &s, const std::vector<LayoutStruct> &structs) {
    std::reverse(s.members.begin(), s.members.end());
    s.members.insert(s.members.begin(), unknown());
    uint32_t at = 0;
    s.align = 8;
    for (LayoutMember &m : s.members) {
        widen(m);
        if (m.type.kind == LayoutType::structure) {
            m.type.size = structs[size_t(m.type.ref)].size;
            m.type.align = structs[size_t(m.type.ref)].align;
        }
        m.offset = at = up(at, m.type.align);
        at += m.type.size * m.count;
    }
    s.size = up(at, s.align);
}

void turn(LayoutCall &c, const std::vector<LayoutStruct> &structs) {
    turn(c.payload, structs);
    for (LayoutTail &t : c.tails) {
        t.count = *c.payload.member(t.count.name);
        if (t.type.kind == LayoutType::structure) {
            t.type.size = structs[size_t(t.type.ref)].size;
            t.type.align = structs[size_t(t.type.ref)].align;
        }
    }
    std::reverse(c.tails.begin(), c.tails.end());
    std::reverse(c.spans.begin(), c.spans.end());
}

std::string type_text(const Layout &l, const LayoutType &t, bool archive) {
    const std::string bits = std::to_string(t.size * 8);
    switch (t.kind) {
    case LayoutType::uint: return "u" + bits;
    case LayoutType::sint: return "i" + bits;
    case LayoutType::real: return "f" + bits;
    case LayoutType::handle: return "pipe_handle";
    case LayoutType::enumerated: return "enum:" + l.enums[size_t(t.ref)].name;
    case LayoutType::structure:
        return archive ? l.archives[size_t(t.ref)].name : l.structs[size_t(t.ref)].name;
    case LayoutType::text: return "str";
    case LayoutType::words: return "words";
    case LayoutType::bytes: return "bytes";
    case LayoutType::list: return "vec:" + type_text(l, *t.of, archive);
    }
    return {};
}

std::string members_text(const Layout &l, const LayoutStruct &s, bool archive) {
    std::string out;
    for (const LayoutMember &m : s.members)
        out += "." + type_text(l, m.type, archive) + " " + m.name + " " + std::to_string(m.offset) +
               " " + std::to_string(m.count) + "\n";
    return out;
}

} // namespace

Layout other_layout() {
    Layout l = Layout::own();
    for (LayoutEnum &e : l.enums)
        turn(e);
    for (LayoutStruct &s : l.structs)
        turn(s, l.structs);
    for (LayoutStruct &a : l.archives) {
        std::reverse(a.members.begin(), a.members.end());
        LayoutMember m = unknown();
        a.members.insert(a.members.begin(), m);
    }
    std::reverse(l.pipeline.begin(), l.pipeline.end());
    std::reverse(l.dynamic.begin(), l.dynamic.end());
    std::map<uint32_t, LayoutCall> calls;
    const uint32_t count = uint32_t(l.calls.size());
    for (auto &[op, call] : l.calls) {
        turn(call, l.structs);
        calls[count + 1 - op] = call;
    }
    LayoutCall gone;
    gone.payload.name = unknown_call;
    gone.payload.members.push_back(unknown());
    gone.payload.size = 8;
    calls[count + 1] = gone;
    l.calls = calls;
    return l;
}

std::string layout_text(const Layout &l) {
    std::string out;
    for (const LayoutEnum &e : l.enums) {
        out += "enum " + e.name + " " + std::to_string(e.bytes * 8) + (e.flags ? " 1" : " 0");
        for (const auto &[name, value] : e.items)
            out += " " + name + "=" + std::to_string(value);
        out += '\n';
    }
    for (const LayoutStruct &s : l.structs)
        out += "struct " + s.name + " " + std::to_string(s.size) + "\n" + members_text(l, s, false);
    for (const LayoutChunk &k : l.pipeline)
        out += "chunk pipeline " + k.name + " " + l.structs[size_t(k.structure)].name + "\n";
    for (const LayoutChunk &k : l.dynamic)
        out += "chunk dynamic " + k.name + " " + l.structs[size_t(k.structure)].name + "\n";
    for (const LayoutStruct &a : l.archives)
        out += "archive " + a.name + "\n" + members_text(l, a, true);
    for (const auto &[op, c] : l.calls) {
        out += "call " + c.payload.name + " " + std::to_string(op) + " " +
               std::to_string(c.payload.size) + "\n" + members_text(l, c.payload, false);
        for (const LayoutTail &t : c.tails)
            out += "tail " + t.name + " " + type_text(l, t.type, false) + " " + t.count.name + "\n";
        for (const std::string &s : c.spans)
            out += "span " + s + "\n";
        if (c.archive >= 0)
            out += "coded " + l.archives[size_t(c.archive)].name + "\n";
        if (c.answers)
            out += "reply " + std::to_string(c.reply_size) + (c.answers_bytes ? " 1\n" : " 0\n");
    }
    return out;
}
