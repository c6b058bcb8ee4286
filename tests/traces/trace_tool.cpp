// SPDX-License-Identifier: MIT
// Makes other recordings of one, for the tests of the player:
//   trace_tool pack IN OUT             as small as it gets
//   trace_tool restate IN OUT          in another definition (restate.h)
//   trace_tool damage IN OUT           one byte in the middle is another one
//   trace_tool forge IN OUT            the same, with a check that fits: only a proof finds it
//   trace_tool nest IN OUT             its definition nests structs without end
//   trace_tool base IN OUT             a base of chunks is a byte wide
//   trace_tool cut IN OUT              without its last third
//   trace_tool lie IN OUT              what was read back was something else
//   trace_tool fuzz SEED COUNT IN...   plays spoiled recordings on the driver that draws nothing
#include "record_file.h"
#include "restate.h"

#include "noop/noop_public.h"
#include "pipe_wire/wire.h"
#include "pipe_wrap/record.h"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <unistd.h>
#include <zstd.h>

using namespace wrap;

namespace {

struct Item {
    EntryHead head;
    std::vector<uint8_t> bytes;
};

std::vector<Item> load(const std::string &path) {
    RecordReader reader;
    std::string why;
    if (!reader.open(path, why)) {
        fprintf(stderr, "%s: %s\n", path.c_str(), why.c_str());
        exit(1);
    }
    std::vector<Item> items;
    EntryHead h;
    while (reader.next(h) == RecordReader::Result::entry)
        items.push_back({h, {reader.data(), reader.data() + h.size}});
    return items;
}

void put(std::string &out, const void *p, size_t n) {
    out.append(static_cast<const char *>(p), n);
}

void put_entry(std::string &out, EntryHead h, const std::vector<uint8_t> &bytes) {
    h.size = uint32_t(bytes.size());
    h.check = entry_check(h, bytes.data());
    put(out, &h, sizeof h);
    put(out, bytes.data(), bytes.size());
    out.append((8 - bytes.size() % 8) % 8, '\0');
}

std::string text_of(const std::vector<Item> &items) {
    std::string out;
    RecordHead head{};
    memcpy(head.magic, record_magic, sizeof head.magic);
    head.version = record_version;
    put(out, &head, sizeof head);
    for (const Item &i : items)
        put_entry(out, i.head, i.bytes);
    put_entry(out, {uint16_t(Entry::end), 0, 0, 0, 0}, {});
    return out;
}

void save(const std::string &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

std::string packed(const std::string &bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 19));
    return out;
}

// A draw in the middle, so that something is drawn before.
Item &victim(std::vector<Item> &items) {
    std::vector<Item *> draws;
    for (Item &i : items)
        if (i.head.kind == uint16_t(Entry::call) &&
            reinterpret_cast<const wire::Header *>(i.bytes.data())->op == PIPE_OP_DRAW_VBO)
            draws.push_back(&i);
    if (draws.empty()) {
        fprintf(stderr, "no draw in it\n");
        exit(1);
    }
    return *draws[draws.size() / 2];
}

// --- fuzzing -------------------------------------------------------------------------------------

class Silent final : public ReplayListener {
  public:
    void say(const std::string &) override {}
};

void spoil(std::vector<Item> &items, std::mt19937 &random) {
    const auto below = [&](size_t n) { return n ? random() % n : 0; };
    for (size_t n = 1 + below(3); n--;) {
        Item &i = items[below(items.size())];
        switch (below(8)) {
        case 0: i.head.kind = uint16_t(below(10)); break;
        case 1: i.head.lane = uint32_t(below(4)); break;
        case 2: i.head.screen = uint16_t(below(3)); break;
        case 3: i.bytes.resize(below(i.bytes.size() + 32)); break;
        case 4: std::swap(i, items[below(items.size())]); break;
        default:
            for (size_t k = 1 + below(4); k-- && !i.bytes.empty();) {
                // Heads and payloads more often than what is far behind.
                const size_t at =
                    below(below(2) ? i.bytes.size() : std::min<size_t>(i.bytes.size(), 64));
                static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff};
                i.bytes[at] = below(2) ? odd[below(5)] : uint8_t(random());
            }
        }
    }
}

int fuzz(unsigned seed, unsigned count, const std::vector<std::string> &files) {
    std::mt19937 random(seed);
    const std::string path = "/tmp/trace-fuzz-" + std::to_string(getpid());
    unsigned refused = 0;
    for (unsigned n = 0; n < count; n++) {
        std::vector<Item> items = load(files[random() % files.size()]);
        if (random() % 2)
            items = restated(
                items, [](Item &i, std::vector<uint8_t> bytes) { i.bytes = std::move(bytes); });
        spoil(items, random);
        save(path, text_of(items));
        ReplayOptions options;
        options.file = path;
        options.pictures = options.check = true;
        options.create_screen = noop_create_screen;
        Silent silent;
        ReplayCounts counts;
        refused += !replay(options, silent, counts);
    }
    unlink(path.c_str());
    printf("%u spoiled recordings, %u refused\n", count, refused);
    return refused > count / 10 && refused < count ? 0 : 1; // both happen
}

// The definition of this build and a chain of structs behind it, each in the next one.
std::string nested() {
    std::string text = record_layout_text;
    for (int i = 0; i < 100'000; i++)
        text += "archive deep" + std::to_string(i) + "\n." +
                (i ? "deep" + std::to_string(i - 1) : "u32") + " inner 0 1\n";
    return text;
}

// A call with chunks and no base has one that is a byte wide, at its end.
std::string narrow_base() {
    Layout l = Layout::own();
    for (auto &[op, call] : l.calls) {
        LayoutStruct &s = call.payload;
        if (!s.member("chunk_mask") || s.member("base"))
            continue;
        LayoutMember m;
        m.name = "base";
        m.type.size = 1;
        m.offset = s.size - 1;
        s.members.push_back(m);
    }
    return layout_text(l);
}

int change(const std::string &how, const std::string &from, const std::string &to) {
    std::vector<Item> items = load(from);
    if (how == "restate")
        items = restated(items,
                         [](Item &i, std::vector<uint8_t> bytes) { i.bytes = std::move(bytes); });
    for (Item &i : items)
        if ((how == "nest" || how == "base") && i.head.kind == uint16_t(Entry::layout)) {
            const std::string text = how == "nest" ? nested() : narrow_base();
            i.bytes.assign(text.begin(), text.end());
        }
    if (how == "forge")
        victim(items).bytes[sizeof(wire::Header)] = 0xee; // no such primitive
    for (Item &i : items)
        if (how == "lie" && i.head.kind == uint16_t(Entry::answer))
            i.bytes[offsetof(RecordAnswer, hash)] ^= 1;
    std::string bytes = text_of(items);
    if (how == "damage")
        bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] ^ 4);
    if (how == "cut")
        bytes.resize(bytes.size() - bytes.size() / 3);
    save(to, how == "pack" ? packed(bytes) : bytes);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const std::string how = argc > 1 ? argv[1] : "";
    if (how == "fuzz" && argc > 4)
        return fuzz(unsigned(atoi(argv[2])), unsigned(atoi(argv[3])), {argv + 4, argv + argc});
    for (const char *known : {"pack", "restate", "damage", "forge", "nest", "base", "cut", "lie"})
        if (how == known && argc == 4)
            return change(how, argv[2], argv[3]);
    fprintf(stderr, "usage: trace_tool pack|restate|damage|forge|nest|base|cut|lie IN OUT | fuzz "
                    "SEED COUNT IN...\n");
    return 2;
}
