// SPDX-License-Identifier: MIT
// Reading and writing of recordings; see record_file.h.
#include "record_file.h"

#include "util/descriptor.h"
#include "util/hash.h"
#include "util/log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

namespace wrap {

namespace {

constexpr size_t buffer_size = 256 << 10;
constexpr int level = 1; // the program waits for it

size_t pad_of(size_t size) {
    return (8 - size % 8) % 8;
}

} // namespace

uint32_t entry_check(const EntryHead &head, const void *bytes) {
    const uint64_t of_head = util::hash64(&head, offsetof(EntryHead, check));
    return uint32_t(util::hash64(bytes, head.size, of_head));
}

// --- writer --------------------------------------------------------------------------------------

struct RecordWriter::Zstd {
    ZSTD_CCtx *c = ZSTD_createCCtx();
    std::vector<uint8_t> out = std::vector<uint8_t>(ZSTD_CStreamOutSize());
    ~Zstd() { ZSTD_freeCCtx(c); }
};

RecordWriter::RecordWriter() = default;

RecordWriter::~RecordWriter() {
    close(false);
}

bool RecordWriter::open(const std::string &path) {
    fd_ = util::above_standard(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (fd_ < 0)
        return false;
    if (path.ends_with(".zst")) {
        zstd_ = std::make_unique<Zstd>();
        ZSTD_CCtx_setParameter(zstd_->c, ZSTD_c_compressionLevel, level);
    }
    return true;
}

void RecordWriter::head(const RecordHead &head) {
    put(&head, sizeof head);
}

void RecordWriter::append(Entry kind, uint16_t screen, uint32_t lane, const void *bytes,
                          size_t size) {
    if (fd_ < 0)
        return;
    EntryHead h{uint16_t(kind), screen, lane, uint32_t(size), 0};
    h.check = entry_check(h, bytes);
    put(&h, sizeof h);
    put(bytes, size);
    static const uint8_t zeros[8] = {};
    put(zeros, pad_of(size));
}

void RecordWriter::put(const void *bytes, size_t size) {
    if (fd_ < 0 || !size)
        return;
    const uint8_t *p = static_cast<const uint8_t *>(bytes);
    waiting_.insert(waiting_.end(), p, p + size);
    if (waiting_.size() >= buffer_size)
        drain(false, false);
}

void RecordWriter::drain(bool flush, bool end) {
    if (!zstd_) {
        write_all(waiting_.data(), waiting_.size());
        waiting_.clear();
        return;
    }
    ZSTD_inBuffer in{waiting_.data(), waiting_.size(), 0};
    const ZSTD_EndDirective how = end ? ZSTD_e_end : flush ? ZSTD_e_flush : ZSTD_e_continue;
    for (size_t left = 1; left;) {
        ZSTD_outBuffer out{zstd_->out.data(), zstd_->out.size(), 0};
        left = ZSTD_compressStream2(zstd_->c, &out, &in, how);
        if (ZSTD_isError(left))
            break;
        write_all(zstd_->out.data(), out.pos);
        if (how == ZSTD_e_continue && in.pos == in.size)
            break;
    }
    waiting_.clear();
}

void RecordWriter::write_all(const uint8_t *p, size_t size) {
    while (size && fd_ >= 0) {
        const ssize_t n = ::write(fd_, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            log_error("record", "the recording ends here: %s", strerror(errno));
            ::close(fd_);
            fd_ = -1;
            return;
        }
        p += n;
        size -= size_t(n);
    }
}

void RecordWriter::flush() {
    if (fd_ >= 0)
        drain(true, false);
}

void RecordWriter::close(bool whole) {
    if (fd_ < 0)
        return;
    if (whole)
        append(Entry::end, 0, 0, nullptr, 0);
    drain(true, true);
    if (fd_ >= 0)
        ::close(fd_);
    fd_ = -1;
}

void RecordWriter::abandon() {
    if (fd_ >= 0)
        ::close(fd_);
    fd_ = -1;
    waiting_.clear();
}

// --- reader --------------------------------------------------------------------------------------

struct RecordReader::Zstd {
    ZSTD_DCtx *d = ZSTD_createDCtx();
    std::vector<uint8_t> in = std::vector<uint8_t>(ZSTD_DStreamInSize());
    ZSTD_inBuffer fed{in.data(), 0, 0};
    ~Zstd() { ZSTD_freeDCtx(d); }
};

RecordReader::RecordReader() = default;

RecordReader::~RecordReader() {
    if (fd_ >= 0)
        ::close(fd_);
}

bool RecordReader::open(const std::string &path, std::string &why) {
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) {
        why = strerror(errno);
        return false;
    }
    uint32_t magic = 0;
    std::vector<uint8_t> first(sizeof magic);
    first.resize(read_raw(first.data(), first.size()));
    if (first.size() == sizeof magic)
        memcpy(&magic, first.data(), sizeof magic);
    ahead_ = std::move(first);
    if (magic == ZSTD_MAGICNUMBER)
        zstd_ = std::make_unique<Zstd>();
    RecordHead head{};
    if (read(&head, sizeof head) != sizeof head ||
        memcmp(head.magic, record_magic, sizeof record_magic)) {
        why = "not a recording";
        return false;
    }
    if (head.version != record_version) {
        why = "version " + std::to_string(head.version) +
              " of the file format, this player reads " + std::to_string(record_version);
        return false;
    }
    return true;
}

size_t RecordReader::read_raw(void *to, size_t size) {
    uint8_t *p = static_cast<uint8_t *>(to);
    size_t got = std::min(size, ahead_.size() - ahead_at_);
    if (got)
        memcpy(p, ahead_.data() + ahead_at_, got);
    ahead_at_ += got;
    while (got < size) {
        const ssize_t n = ::read(fd_, p + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += size_t(n);
    }
    return got;
}

size_t RecordReader::read(void *to, size_t size) {
    if (!zstd_)
        return read_raw(to, size);
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < size && !broken_) {
        Zstd &z = *zstd_;
        if (z.fed.pos == z.fed.size) {
            z.fed = {z.in.data(), read_raw(z.in.data(), z.in.size()), 0};
            if (!z.fed.size) {
                // What the decoder still holds.
                const size_t before = out.pos;
                if (ZSTD_isError(ZSTD_decompressStream(z.d, &out, &z.fed)) || out.pos == before)
                    break;
                continue;
            }
        }
        broken_ = ZSTD_isError(ZSTD_decompressStream(z.d, &out, &z.fed));
    }
    return out.pos;
}

RecordReader::Result RecordReader::bad(const char *what) {
    problem_ = "entry " + std::to_string(number_) + " " + what;
    return Result::bad;
}

RecordReader::Result RecordReader::next(EntryHead &head) {
    number_++;
    const size_t got = read(&head, sizeof head);
    if (broken_)
        return bad("lies in a damaged part of the compressed stream");
    if (got != sizeof head)
        return Result::cut;
    if (head.size > max_entry)
        return bad("is longer than an entry can be");
    const size_t padded = head.size + pad_of(head.size);
    bytes_.resize(padded / 8);
    const size_t bytes = read(bytes_.data(), padded);
    if (broken_)
        return bad("lies in a damaged part of the compressed stream");
    if (bytes != padded)
        return Result::cut;
    if (entry_check(head, bytes_.data()) != head.check)
        return bad("is damaged");
    return head.kind == uint16_t(Entry::end) ? Result::end : Result::entry;
}

} // namespace wrap
