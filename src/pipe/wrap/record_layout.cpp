// SPDX-License-Identifier: MIT
// The parser of layouts; see record_layout.h.
#include "record_layout.h"

#include <algorithm>
#include <charconv>

namespace wrap {

namespace {

constexpr uint32_t max_struct = 1 << 20, max_count = 1 << 16, max_archive_count = 64;
constexpr uint32_t max_depth = 32; // who walks a value calls itself for each struct in it
constexpr uint32_t max_calls = 4096, max_tails = 4, max_spans = 4;

class Parser {
  public:
    Parser(Layout &out, std::string_view text) : out_(out), text_(text) {}

    bool run(std::string &why) {
        for (number_ = 1; !text_.empty(); number_++) {
            const size_t end = text_.find('\n');
            rest_ = text_.substr(0, end);
            text_ = end == text_.npos ? std::string_view() : text_.substr(end + 1);
            if (!rest_.empty() && !line()) {
                why = "line " + std::to_string(number_) + " of its layout is not sound";
                return false;
            }
        }
        return true;
    }

  private:
    std::string_view word() {
        const size_t end = rest_.find(' ');
        const std::string_view w = rest_.substr(0, end);
        rest_ = end == rest_.npos ? std::string_view() : rest_.substr(end + 1);
        return w;
    }

    template <typename T> bool number(T &n, T most) {
        const std::string_view w = word();
        const auto r = std::from_chars(w.data(), w.data() + w.size(), n);
        return !w.empty() && r.ec == std::errc() && r.ptr == w.data() + w.size() && n <= most;
    }

    bool line() {
        if (rest_[0] == '.') {
            rest_.remove_prefix(1);
            return member();
        }
        const std::string_view what = word();
        if (what == "enum")
            return enumeration();
        if (what == "struct")
            return structure();
        if (what == "chunk")
            return chunk();
        if (what == "archive")
            return archive();
        if (what == "call")
            return call();
        if (!call_)
            return false;
        if (what == "tail")
            return tail();
        if (what == "span")
            return span();
        if (what == "coded")
            return (call_->archive = index_of(out_.archives, word())) >= 0;
        if (what == "reply")
            return reply();
        return false;
    }

    bool enumeration() {
        LayoutEnum e;
        e.name = word();
        uint32_t bits = 0, flags = 0;
        if (!number(bits, 32u) || !number(flags, 1u) || (bits != 8 && bits != 16 && bits != 32))
            return false;
        e.bytes = bits / 8;
        e.flags = flags;
        while (!rest_.empty()) {
            const std::string_view w = word();
            const size_t is = w.find('=');
            uint64_t value = 0;
            if (is == w.npos ||
                std::from_chars(w.data() + is + 1, w.data() + w.size(), value).ec != std::errc())
                return false;
            e.items.emplace_back(w.substr(0, is), value);
        }
        out_.enums.push_back(std::move(e));
        return true;
    }

    bool structure() {
        LayoutStruct s;
        s.name = word();
        if (!number(s.size, max_struct))
            return false;
        out_.structs.push_back(std::move(s));
        begin(nullptr, false);
        return true;
    }

    bool archive() {
        LayoutStruct s;
        s.name = word();
        out_.archives.push_back(std::move(s));
        begin(nullptr, true);
        return true;
    }

    bool call() {
        LayoutCall c;
        c.payload.name = word();
        uint32_t op = 0;
        if (!number(op, max_calls) || !op || !number(c.payload.size, max_struct) ||
            out_.calls.count(op))
            return false;
        begin(&(out_.calls[op] = std::move(c)), false);
        return true;
    }

    bool chunk() {
        const std::string_view subset = word();
        LayoutChunk k;
        k.name = word();
        k.structure = index_of(out_.structs, word());
        std::vector<LayoutChunk> &list = subset == "pipeline" ? out_.pipeline : out_.dynamic;
        if (k.structure < 0 || list.size() == 32 || (subset != "pipeline" && subset != "dynamic"))
            return false;
        list.push_back(std::move(k));
        return true;
    }

    bool tail() {
        LayoutTail t;
        t.name = word();
        if (!type(word(), t.type, false))
            return false;
        const LayoutMember *count = call_->payload.member(word());
        if (!count || count->type.kind != LayoutType::uint || count->count != 1 ||
            !call_->spans.empty() || call_->tails.size() == max_tails)
            return false;
        t.count = *count;
        call_->tails.push_back(std::move(t));
        return true;
    }

    bool span() {
        call_->spans.emplace_back(word());
        return call_->spans.size() <= max_spans;
    }

    bool reply() {
        uint32_t bytes = 0;
        call_->answers = true;
        if (!number(call_->reply_size, max_struct) || !number(bytes, 1u))
            return false;
        call_->answers_bytes = bytes;
        return true;
    }

    bool member() {
        LayoutMember m;
        const std::string_view name_of_type = word();
        m.name = word();
        if (!type(name_of_type, m.type, in_archive_) || !number(m.offset, max_struct) ||
            !number(m.count, in_archive_ ? max_archive_count : max_count) || !m.count)
            return false;
        LayoutStruct *s = call_         ? &call_->payload
                          : in_archive_ ? (out_.archives.empty() ? nullptr : &out_.archives.back())
                          : out_.structs.empty() ? nullptr
                                                 : &out_.structs.back();
        if (!s || (!in_archive_ &&
                   (m.offset > s->size || uint64_t(m.type.size) * m.count > s->size - m.offset)))
            return false;
        s->align = std::max(s->align, m.type.align);
        s->depth = std::max(s->depth, depth_of(m.type));
        if (s->depth > max_depth)
            return false;
        s->members.push_back(std::move(m));
        return true;
    }

    uint32_t depth_of(const LayoutType &t) const {
        if (t.kind == LayoutType::list)
            return depth_of(*t.of);
        if (t.kind != LayoutType::structure)
            return 0;
        return (in_archive_ ? out_.archives : out_.structs)[size_t(t.ref)].depth + 1;
    }

    // A struct or an archive struct that stands above; never the one that is being read.
    bool type(std::string_view w, LayoutType &t, bool archive) {
        static const struct {
            const char *name;
            LayoutType::Kind kind;
            uint32_t size;
        } scalars[] = {{"u8", LayoutType::uint, 1},  {"u16", LayoutType::uint, 2},
                       {"u32", LayoutType::uint, 4}, {"u64", LayoutType::uint, 8},
                       {"i8", LayoutType::sint, 1},  {"i16", LayoutType::sint, 2},
                       {"i32", LayoutType::sint, 4}, {"i64", LayoutType::sint, 8},
                       {"f32", LayoutType::real, 4}, {"f64", LayoutType::real, 8}};
        for (const auto &s : scalars)
            if (w == s.name)
                return set(t, s.kind, s.size, s.size, -1);
        if (w.starts_with("handle:") || w == "pipe_handle")
            return set(t, LayoutType::handle, 8, 4, -1);
        if (w.starts_with("enum:")) {
            const int i = index_of(out_.enums, w.substr(5));
            return i >= 0 &&
                   set(t, LayoutType::enumerated, out_.enums[i].bytes, out_.enums[i].bytes, i);
        }
        if (archive && (w == "str" || w == "words" || w == "bytes"))
            return set(t,
                       w == "str"     ? LayoutType::text
                       : w == "words" ? LayoutType::words
                                      : LayoutType::bytes,
                       0, 1, -1);
        if (archive && w.starts_with("vec:")) {
            t.of = std::make_shared<LayoutType>();
            return set(t, LayoutType::list, 0, 1, -1) && !w.substr(4).starts_with("vec:") &&
                   type(w.substr(4), *t.of, true);
        }
        if (archive) {
            const int i = index_of(out_.archives, w);
            // Each value takes bytes, so that no text makes endless work of few.
            return i >= 0 && size_t(i) + 1 < out_.archives.size() &&
                   !out_.archives[i].members.empty() && set(t, LayoutType::structure, 0, 1, i);
        }
        const int i = index_of(out_.structs, w);
        return i >= 0 && (call_ || size_t(i) + 1 < out_.structs.size()) && out_.structs[i].size &&
               set(t, LayoutType::structure, out_.structs[i].size, out_.structs[i].align, i);
    }

    static bool set(LayoutType &t, LayoutType::Kind kind, uint32_t size, uint32_t align, int ref) {
        t.kind = kind;
        t.size = size;
        t.align = align;
        t.ref = ref;
        return true;
    }

    template <typename T> static int index_of(const std::vector<T> &list, std::string_view name) {
        for (size_t i = 0; i < list.size(); i++)
            if (list[i].name == name)
                return int(i);
        return -1;
    }

    void begin(LayoutCall *call, bool archive) {
        call_ = call;
        in_archive_ = archive;
    }

    Layout &out_;
    std::string_view text_, rest_;
    unsigned number_ = 0;
    LayoutCall *call_ = nullptr;
    bool in_archive_ = false;
};

} // namespace

const uint64_t *LayoutEnum::value_of(const std::string &item) const {
    for (const auto &[name, value] : items)
        if (name == item)
            return &value;
    return nullptr;
}

const LayoutMember *LayoutStruct::member(std::string_view wanted) const {
    for (const LayoutMember &m : members)
        if (m.name == wanted)
            return &m;
    return nullptr;
}

const LayoutCall *Layout::call_named(std::string_view name, uint32_t *op) const {
    for (const auto &[number, call] : calls)
        if (call.payload.name == name) {
            *op = number;
            return &call;
        }
    return nullptr;
}

const LayoutStruct *Layout::struct_named(std::string_view name) const {
    for (const LayoutStruct &s : structs)
        if (s.name == name)
            return &s;
    return nullptr;
}

const LayoutEnum *Layout::enum_named(std::string_view name) const {
    for (const LayoutEnum &e : enums)
        if (e.name == name)
            return &e;
    return nullptr;
}

bool Layout::parse(std::string_view text, std::string &why) {
    return Parser(*this, text).run(why);
}

const Layout &Layout::own() {
    static const Layout layout = [] {
        Layout l;
        std::string why;
        l.parse(record_layout_text, why);
        return l;
    }();
    return layout;
}

} // namespace wrap
