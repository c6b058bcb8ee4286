// SPDX-License-Identifier: MIT
// The recorder: an observer around what the frontend calls; see pipe_wrap/record.h.
#include "pipe_wrap/record.h"

#include "pipe_wrap/wrap.h"
#include "record_encoder.h"
#include "record_file.h"
#include "record_layout.h"

#include "pipe/pipe_archive.h"
#include "pipe_wire/wire.h"

#include "util/env.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

namespace wrap {
namespace {

util::Counter count_calls("record.calls", "calls that were recorded");
util::Counter count_bytes("record.bytes", "bytes of recorded calls, before compression");

constexpr size_t content_entry = 1 << 20;

// The file of this process. Leaked: observers and the exit handler outlive static objects.
class Recording {
  public:
    static Recording &get() {
        static Recording *r = new Recording;
        return *r;
    }

    static void watch_forks() {
        [[maybe_unused]] static const int registered = pthread_atfork(
            [] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); }, [] { get().forked(); });
    }

    // A number for a new screen; 0: nothing is recorded.
    uint16_t add_screen(const pipe_caps &caps, uint64_t *life) {
        std::lock_guard lock(mutex_);
        if (!opened_)
            open();
        *life = life_;
        if (!writes_ || screens_ == UINT16_MAX)
            return 0;
        writer_.append(Entry::open, ++screens_, 0, &caps, sizeof caps);
        return screens_;
    }

    template <typename F> void with(uint64_t life, F f) {
        std::lock_guard lock(mutex_);
        if (writes_ && life == life_)
            f(writer_, encoder_);
    }

  private:
    Recording() {
        watch_forks();
        atexit([] { get().exit(); });
    }

    // Screens of the parent are not recorded any more; those of the child go to a file of their
    // own.
    void forked() {
        writer_.abandon();
        writes_ = opened_ = false;
        screens_ = 0;
        life_++;
        mutex_.unlock();
    }

    void exit() {
        std::lock_guard lock(mutex_);
        writer_.close(true);
        writes_ = false;
    }

    void open() {
        opened_ = true;
        const std::string wanted(record_path());
        std::string path = wanted;
        writes_ = writer_.open(path);
        if (!writes_ && errno == EEXIST) {
            const bool packed = wanted.ends_with(".zst");
            path = wanted.substr(0, wanted.size() - (packed ? 4 : 0)) + '.' +
                   std::to_string(getpid()) + (packed ? ".zst" : "");
            writes_ = writer_.open(path);
            if (writes_)
                log_warning("record", "%s exists; this process writes %s", wanted.c_str(),
                            path.c_str());
        }
        if (!writes_) {
            log_error("record", "cannot write %s: %s", path.c_str(), strerror(errno));
            return;
        }
        RecordHead head{};
        memcpy(head.magic, record_magic, sizeof head.magic);
        head.version = record_version;
        memcpy(head.fingerprint, wire::fingerprint, sizeof head.fingerprint);
        writer_.head(head);
        writer_.append(Entry::layout, 0, 0, record_layout_text, strlen(record_layout_text));
        writer_.append(Entry::program, 0, 0, program_invocation_short_name,
                       strlen(program_invocation_short_name));
    }

    std::mutex mutex_;
    RecordWriter writer_;
    RecordEncoder encoder_;
    bool opened_ = false, writes_ = false;
    uint16_t screens_ = 0;
    uint64_t life_ = 1; // counts forks
};

// The end of a frame or of work that somebody may wait for: what is in the file then is worth a
// replay if the program goes down.
bool completes(const CallView &c) {
    switch (c.op) {
    case PIPE_OP_PRESENT:
    case PIPE_OP_FINISH:
    case PIPE_OP_LANE_DESTROY: return true;
    case PIPE_OP_FLUSH:
        return static_cast<const pipe_flush *>(c.payload)->flags & PIPE_FLUSH_END_OF_FRAME;
    default: return false;
    }
}

class Recorder final : public Observer {
  public:
    explicit Recorder(const pipe_caps &caps)
        : screen_(Recording::get().add_screen(caps, &life_)),
          each_(util::debug(util::Debug::sync)) {}

    void before(const CallView &c) override {
        if (!screen_ || wire::call_info[c.op].local || c.op == PIPE_OP_GET_CAPS)
            return;
        Recording::get().with(life_, [&](RecordWriter &w, RecordEncoder &e) { take(c, w, e); });
    }

    void after(const CallView &c) override {
        if (!screen_ || !c.dst || !c.dst->size || c.status != PIPE_OK)
            return;
        const RecordAnswer a{c.op, 0, util::hash64(c.dst->ptr, c.dst->size)};
        Recording::get().with(life_, [&](RecordWriter &w, RecordEncoder &) {
            w.append(Entry::answer, screen_, lane_of(c), &a, sizeof a);
        });
    }

    void end() override {
        if (!screen_)
            return;
        Recording::get().with(life_, [&](RecordWriter &w, RecordEncoder &) {
            w.append(Entry::close, screen_, 0, nullptr, 0);
            w.flush();
        });
    }

  private:
    static uint32_t lane_of(const CallView &c) { return c.ctx ? c.ctx->lane.slot : 0; }

    void take(const CallView &c, RecordWriter &w, RecordEncoder &e) {
        CallParts parts;
        std::vector<uint8_t> archive;
        describe(c, parts, archive);
        pipe_resource_import import;
        if (c.op == PIPE_OP_RESOURCE_IMPORT) { // a descriptor is a number of this process
            import = *static_cast<const pipe_resource_import *>(c.payload);
            std::fill(std::begin(import.fd), std::end(import.fd), -1);
            parts.payload = &import;
        }
        const auto record = e.encode(parts);
        if (record.size() > max_entry) {
            log_warning_once("record", "%s with %zu bytes of ranges is not recorded",
                             wire::call_info[c.op].name, record.size());
            return;
        }
        const uint32_t lane = lane_of(c);
        uint64_t bytes = record.size();
        for (const pipe_host_span &piece : e.content()) {
            bytes += piece.size;
            for (uint64_t at = 0; at < piece.size; at += content_entry)
                w.append(Entry::content, screen_, lane,
                         static_cast<const uint8_t *>(piece.ptr) + at,
                         std::min<uint64_t>(piece.size - at, content_entry));
        }
        w.append(Entry::call, screen_, lane, record.data(), record.size());
        if (each_ || completes(c))
            w.flush();
        count_calls.add();
        count_bytes.add(bytes);
    }

    static void describe(const CallView &c, CallParts &parts, std::vector<uint8_t> &archive) {
        const wire::CallInfo &info = wire::call_info[c.op];
        const LayoutCall &call = Layout::own().calls.at(c.op);
        parts.op = c.op;
        parts.payload = c.payload;
        parts.payload_size = info.payload_size;
        for (unsigned i = 0; i < c.num_tails; i++)
            parts.tails[i] = {c.tails[i].data, c.tails[i].count, c.tails[i].element,
                              call.tails[i].type.align};
        parts.num_tails = c.num_tails;
        for (unsigned i = 0; i < c.num_spans; i++)
            if (c.spans[i])
                parts.spans[i] = pipe_span(c.spans[i]->ptr, c.spans[i]->size);
        parts.num_spans = c.num_spans;
        if (info.archive) {
            if (c.archive)
                pipe_shader_archive_encode(*c.archive, archive);
            parts.spans[parts.num_spans++] = pipe_span(archive.data(), archive.size());
        }
        parts.answers = info.wait == PIPE_WAIT_REPLY;
        parts.reply_size = info.reply_size;
        parts.answers_bytes = info.reply_bytes;
        parts.dst_size = c.dst ? c.dst->size : 0;
    }

    uint64_t life_ = 0;
    const uint16_t screen_;
    const bool each_;
};

} // namespace

static constexpr std::string_view portable_mark = "portable:";

bool record_is_portable() {
    return std::string_view(util::env_text(util::Env::RECORD)).starts_with(portable_mark);
}

std::string_view record_path() {
    std::string_view text = util::env_text(util::Env::RECORD);
    return record_is_portable() ? text.substr(portable_mark.size()) : text;
}

void record_watch_forks() {
    if (!record_path().empty())
        Recording::watch_forks();
}

pipe_screen *record_screen(pipe_screen *inner) {
    if (!inner || record_path().empty())
        return inner;
    pipe_screen *s = wrap_screen(inner, std::make_unique<Recorder>(inner->caps));
    // Written bytes must pass: no memory that the driver and the program share.
    s->stage_alloc = nullptr;
    s->map_persistent = nullptr;
    s->unmap_persistent = nullptr;
    for (unsigned op : {PIPE_OP_STAGE_ALLOC, PIPE_OP_MAP_PERSISTENT, PIPE_OP_UNMAP_PERSISTENT})
        pipe_caps_drop_call(&s->caps, op);
    return s;
}

} // namespace wrap
