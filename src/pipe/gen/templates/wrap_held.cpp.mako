${c.BANNER}
// The pieces of state that each call fills, how they are kept and how they are compared.
#include "held.h"

#include "pipe/pipe_compare.h"

#include "pipe_wire/wire.h"

#include "util/env.h"

#include <cstring>

namespace wrap {

<%
    def owner(k):
        """The member that `per` names."""
        path = k.per.split('.')
        f = k.payload.member(path[0])
        for part in path[1:]:
            f = f.elem.member(part)
        return f

    def shared(k):
        if not k.per or owner(k).kind != 'handle':
            return False
        for kind in m.kinds:
            if kind.name == owner(k).elem:
                return kind.scope == 'group'
        return False

    def per(k):
        if not k.per:
            return '0'
        return 'pipe_handle_key(p.%s)' % k.per if owner(k).kind == 'handle' else 'uint64_t(p.%s)' % k.per
%>\
// No default block is larger; what claims to be is not kept.
constexpr uint64_t most_constants = 1 << 20;

template <typename F> void Held::pieces(const CallView &c, F &&f) {
    switch (c.op) {
% for k in m.calls:
% if k.fills:
    case ${k.op}: {
        const auto &p = *static_cast<const pipe_${k.name} *>(c.payload);
        const Key key{c.op, ${'0u' if shared(k) else 'c.ctx->lane.slot'}, ${per(k)}, 0};
% if k.spans == ['chunks']:
        pipe_dynamic_state fits; // a call whose bytes are not those of its mask sets nothing
        if (!c.spans[0]->ptr ||
            !pipe_dynamic_state_unpack(&fits, p.chunk_mask, c.spans[0]->ptr, c.spans[0]->size))
            break;
        const auto *bytes = static_cast<const uint8_t *>(c.spans[0]->ptr);
% for ch in m.subset('dynamic'):
        if (p.chunk_mask & (1u << ${ch.bit})) {
            ${ch.struct} v;
            memcpy(&v, bytes, sizeof v);
            bytes += sizeof v;
            f(Key{key.op, key.lane, key.per, ${ch.bit}}, v, "${ch.name}", -1);
        }
% endfor
% elif k.spans:
        f.range(key, p.offset, c.spans[0]->ptr, c.spans[0]->ptr ? c.spans[0]->size : 0);
% elif k.tails and k.payload.member('start'):
        const auto *v = static_cast<const ${k.tails[0].ctype} *>(c.tails[0].data);
        for (uint32_t i = 0; i < p.${k.tails[0].count}; i++)
            f(Key{key.op, key.lane, key.per, p.start + i}, v[i], "${k.tails[0].name}", int(p.start + i));
% elif k.tails and k.tails[0].elem.kind == 'struct' and k.tails[0].elem.elem.member('index'):
        const auto *v = static_cast<const ${k.tails[0].ctype} *>(c.tails[0].data);
        for (uint32_t i = 0; i < p.${k.tails[0].count}; i++)
            f(Key{key.op, key.lane, key.per, v[i].index}, v[i], "${k.tails[0].name}", int(v[i].index));
% elif k.tails:
        const auto *v = static_cast<const ${k.tails[0].ctype} *>(c.tails[0].data);
        f(key, p, "", -1);
        for (uint32_t i = 0; i < p.${k.tails[0].count}; i++)
            f(Key{key.op, key.lane, key.per, i + 1}, v[i], "${k.tails[0].name}", int(i));
% else:
        f(key, p, "", -1);
% endif
        break;
    }
% endif
% endfor
    }
}

struct Held::Store {
    Held &held;
    template <typename T> void operator()(const Key &key, const T &v, const char *, int) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&v);
        held.pieces_[key].assign(bytes, bytes + sizeof v);
    }
    void range(const Key &key, uint64_t offset, const void *bytes, uint64_t size) {
        if (offset > most_constants || size > most_constants)
            return;
        std::vector<uint8_t> &all = held.pieces_[key];
        if (all.size() < offset + size)
            all.resize(offset + size);
        if (size)
            memcpy(all.data() + offset, bytes, size);
    }
};

struct Held::Compare {
    const Held &held;
    std::string found;

    void note(const char *part, int index, const char *member) {
        found = part;
        if (index >= 0)
            found += '[' + std::to_string(index) + ']';
        if (!found.empty() && *member)
            found += '.';
        found += member;
    }
    template <typename T> void operator()(const Key &key, const T &now, const char *part, int index) {
        if (!found.empty())
            return;
        auto at = held.pieces_.find(key);
        T was{}; // nothing is bound before the first set
        if (at != held.pieces_.end() && at->second.size() == sizeof was)
            memcpy(&was, at->second.data(), sizeof was);
        if (const char *member = pipe_difference(now, was))
            note(part, index, member);
    }
    void range(const Key &key, uint64_t offset, const void *bytes, uint64_t size) {
        auto at = held.pieces_.find(key);
        const uint64_t have = at == held.pieces_.end() ? 0 : at->second.size();
        if (have < offset + size)
            return note("size", -1, "");
        for (uint64_t i = 0; i < size; i++)
            if (at->second[offset + i] != static_cast<const uint8_t *>(bytes)[i])
                return note("byte", int(offset + i), "");
    }
};

Held::Held() : corrupt_(util::debug(util::Debug::verify_corrupt)) {}

void Held::take(const CallView &c) {
    if (c.op == PIPE_OP_CREATE_RENDER_STATE)
        take_render_state(c);
    if (c.op == PIPE_OP_CREATE_SHADER_STATE) { // a relink starts from nothing
        const uint64_t shader = pipe_handle_key(static_cast<const pipe_create_shader_state *>(c.payload)->shader);
        pieces_.erase(Key{PIPE_OP_SET_GLOBAL_CONSTANTS, 0, shader, 0});
    }
    if (c.op == PIPE_OP_LANE_DESTROY)
        std::erase_if(pieces_, [&c](const auto &piece) { return piece.first.lane == c.ctx->lane.slot; });
    pieces(c, Store{*this});
    if (corrupt_ && c.op == PIPE_OP_SET_SAMPLE_STATE) { // negative control: one byte, once
        corrupt_ = false;
        pieces_[Key{c.op, c.ctx->lane.slot, 0, 0}][0] ^= 1;
    }
}

std::string Held::difference(const CallView &c) const {
    Compare compare{*this, {}};
    pieces(c, compare);
    if (c.op == PIPE_OP_BIND_RENDER_STATE && !compare.found.empty())
        compare.found = render_state_difference(c);
    return compare.found.empty() ? compare.found
                                 : wire::call_info[c.op].name + ("." + compare.found);
}

// --- the contents behind a bound render state ----------------------------------------------------

void Held::take_render_state(const CallView &c) {
    const auto &p = *static_cast<const pipe_create_render_state *>(c.payload);
    auto key = [&c](pipe_handle h) { return uint64_t(c.ctx->lane.slot) << 32 | h.slot; };
    pipe_render_state s{};
    if (auto base = render_states_.find(key(p.base)); base != render_states_.end())
        s = base->second;
    if (c.spans[0]->ptr &&
        pipe_render_state_unpack(&s, p.chunk_mask, c.spans[0]->ptr, c.spans[0]->size))
        render_states_[key(p.cso)] = s;
}

std::string Held::render_state_difference(const CallView &c) const {
    auto contents = [&](pipe_handle h) {
        auto at = render_states_.find(uint64_t(c.ctx->lane.slot) << 32 | h.slot);
        return at == render_states_.end() ? pipe_render_state{} : at->second;
    };
    pipe_bind_render_state was{};
    auto at = pieces_.find(Key{c.op, c.ctx->lane.slot, 0, 0});
    if (at != pieces_.end())
        memcpy(&was, at->second.data(), sizeof was);
    const char *member = pipe_difference(
        contents(static_cast<const pipe_bind_render_state *>(c.payload)->cso), contents(was.cso));
    return member ? member : ""; // two names of one content
}

} // namespace wrap
