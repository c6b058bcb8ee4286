// SPDX-License-Identifier: MIT
// The file of a recording: a head and entries, one after the other; the whole of it may be a zstd
// stream. An entry is an EntryHead and its bytes, padded to 8. Numbers are little endian.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wrap {

struct RecordHead {
    char magic[8];
    uint32_t version;
    uint32_t pad0;
    uint64_t fingerprint[2]; // of the wire; for people, the layout entry decides
};
static_assert(sizeof(RecordHead) == 32);

constexpr char record_magic[8] = {'M', 'G', 'P', 'I', 'P', 'E', '\x1a', 'R'};
constexpr uint32_t record_version = 1;

enum class Entry : uint16_t {
    layout = 1,  // record_layout_text; before every call
    program = 2, // name of the program, for people
    open = 3,    // a screen: pipe_caps of its driver
    close = 4,   // a screen
    content = 5, // bytes that the next call of its lane names by segment
    call = 6,    // a wire record; root calls have lane 0
    answer = 7,  // RecordAnswer to the last call of the lane that answered bytes
    end = 8,     // the program ended; what lacks it was cut
};

struct EntryHead {
    uint16_t kind;
    uint16_t screen; // from 1, in the order of their opening
    uint32_t lane;   // slot
    uint32_t size;   // bytes, without padding
    uint32_t check;  // of the other members and the bytes
};
static_assert(sizeof(EntryHead) == 16);

struct RecordAnswer {
    uint32_t op;
    uint32_t pad0;
    uint64_t hash; // of the bytes
};

// Entries have at most this many bytes; contents take several.
constexpr uint32_t max_entry = 16u << 20;

uint32_t entry_check(const EntryHead &head, const void *bytes);

// Not locked. A failed write is said once, and then nothing is written any more.
class RecordWriter {
  public:
    RecordWriter();
    ~RecordWriter();
    RecordWriter(const RecordWriter &) = delete;
    RecordWriter &operator=(const RecordWriter &) = delete;

    // Makes `path`; false with errno when it is there already or cannot be made. Compressed when
    // the name ends in ".zst".
    bool open(const std::string &path);
    void head(const RecordHead &head);
    void append(Entry kind, uint16_t screen, uint32_t lane, const void *bytes, size_t size);
    // What was appended reaches the file.
    void flush();
    // Flushes; with `whole` the end entry comes before.
    void close(bool whole);
    // Closes the descriptor and forgets what waits: of a forked child.
    void abandon();

  private:
    struct Zstd;
    void put(const void *bytes, size_t size);
    void drain(bool flush, bool end);
    void write_all(const uint8_t *p, size_t size);

    int fd_ = -1;
    std::vector<uint8_t> waiting_;
    std::unique_ptr<Zstd> zstd_;
};

// Trusts nothing in the file.
class RecordReader {
  public:
    enum class Result { entry, end, cut, bad };

    RecordReader();
    ~RecordReader();
    RecordReader(const RecordReader &) = delete;
    RecordReader &operator=(const RecordReader &) = delete;

    // False with the reason: no such file, or not a recording.
    bool open(const std::string &path, std::string &why);
    // The next entry; its bytes lie at data(), 8-byte aligned, until the next call. `cut`: the file
    // ends without an end entry; `bad`: an entry is damaged, problem() says how.
    Result next(EntryHead &head);
    const uint8_t *data() const { return reinterpret_cast<const uint8_t *>(bytes_.data()); }
    const std::string &problem() const { return problem_; }
    uint64_t number() const { return number_; } // of the entry, from 1

  private:
    struct Zstd;
    size_t read(void *to, size_t size);
    size_t read_raw(void *to, size_t size);
    Result bad(const char *what);

    int fd_ = -1;
    std::unique_ptr<Zstd> zstd_;
    std::vector<uint8_t> ahead_;
    size_t ahead_at_ = 0;
    std::vector<uint64_t> bytes_;
    std::string problem_;
    uint64_t number_ = 0;
    bool broken_ = false; // the compressed stream is
};

} // namespace wrap
