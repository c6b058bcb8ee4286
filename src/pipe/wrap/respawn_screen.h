// SPDX-License-Identifier: MIT
// The screen and the lanes of a respawn. Each call of a lane holds the lane's mutex: whoever makes
// the new server holds all of them, so no call is under way meanwhile.
#pragma once

#include "pipe_wrap/respawn.h"
#include "respawn_journal.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace wrap {

class RespawnLane;
class RespawnScreen;

// What an inner screen's callbacks get: whose it is.
struct InnerTag {
    RespawnScreen &outer;
    std::atomic<bool> silent{true}; // calls are being replayed
    pipe_screen *screen = nullptr;
};

// True: the call names a query whose result died with a server, and is done, on the inner lane
// where anything is to do.
bool call_of_orphan(std::unordered_set<uint64_t> &orphans, const CallView &v, pipe_context *ctx);

class RespawnScreen final : public pipe_screen {
  public:
    RespawnScreen(const RespawnSource &source, const pipe_screen_config &config);
    ~RespawnScreen();
    RespawnScreen(const RespawnScreen &) = delete;
    bool open();

    static RespawnScreen &of(pipe_screen *s) { return *static_cast<RespawnScreen *>(s); }

    const pipe_callbacks &callbacks() const { return callbacks_; }
    void *data() const { return data_; }

    bool lost() const { return source_.lost(inner_); }
    bool server_lost(const InnerTag &tag) const { return tag.screen && source_.lost(tag.screen); }
    // Keeps a call until its frame was shown.
    void note(uint32_t lane, const CallView &v);
    // Keeps bytes that were read: now the client has them.
    void note_answer(uint32_t lane, const CallView &v);
    // A new server, unless somebody made one since `generation`. False: there is none. No lane's
    // mutex may be held.
    bool respawn(uint64_t generation);
    uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }

    pipe_context *make_lane(const pipe_lane_create *p);
    void end_lane(RespawnLane *lane, const pipe_lane_destroy *p);
    // Ordinal of the inner lane that stands for one of ours; 0: long reached.
    uint64_t inner_ordinal(pipe_handle lane, uint64_t ordinal, uint64_t *generation);

    static void tell_device_lost(void *data, const pipe_on_device_lost *p,
                                 const pipe_host_span *reason);

  private:
    friend struct RootCalls;
    struct Rebuilt {
        std::unique_ptr<InnerTag> tag;
        pipe_screen *screen = nullptr;
        std::vector<pipe_context *> lanes; // as lanes_
        std::vector<std::unordered_set<uint64_t>> orphans;
        ~Rebuilt();
    };

    void fill_callbacks();
    void fill_table();
    pipe_screen *make_inner(std::unique_ptr<InnerTag> &tag);
    bool may_respawn() const;
    bool respawn_locked(uint64_t generation);
    bool rebuild(Rebuilt &built);
    void replay(Rebuilt &built);
    void restore_group_late(uint32_t lane, pipe_context *inner);
    void adopt(Rebuilt &built);
    void give_up(const char *why);
    void fold_until(uint64_t position);
    void fold_bounded();
    void frame_ends(pipe_handle surface);
    void drain();
    template <typename Call, typename Done> enum pipe_status root(Call call, Done done);

    const RespawnSource source_;
    pipe_callbacks callbacks_{}, inner_callbacks_{};
    void *data_ = nullptr;
    std::string options_, display_name_;
    pipe_screen_config config_{};
    const int pid_;

    std::mutex respawn_mutex_; // lanes_, and who makes the new server
    std::mutex root_mutex_;    // root calls, draining_
    std::mutex journal_mutex_; // log_, journal_, frames_
    // Read with any mutex of a lane or root_mutex_ held, changed with all of them.
    pipe_screen *inner_ = nullptr;
    std::unique_ptr<InnerTag> tag_;
    std::atomic<uint64_t> generation_{0};
    std::atomic<bool> dead_{false}, loss_pending_{false};
    std::string loss_reason_;

    std::vector<RespawnLane *> lanes_;
    uint32_t next_lane_ = 1;
    bool group_pending_ = false; // no lane was there to make its objects
    unsigned draining_ = 0;
    std::vector<std::unique_ptr<Rebuilt>> graves_; // still drained
    uint64_t born_ns_ = 0;
    uint64_t frames_lived_ = 0; // of the server
    unsigned early_deaths_ = 0; // in a row

    CallLog log_;
    Journal journal_;
    struct Frame {
        pipe_handle surface;
        uint64_t end; // position in the log
    };
    std::deque<Frame> frames_;
};

class RespawnLane final : public pipe_context {
  public:
    RespawnLane(RespawnScreen &screen, pipe_context *inner, uint32_t id);
    static RespawnLane &of(pipe_context *c) { return *static_cast<RespawnLane *>(c); }

    template <typename Call> void call(const CallView &v, Call go_on) {
        std::unique_lock lock(mutex_);
        screen_.note(id_, v);
        if (orphans_.empty() || !call_of_orphan(orphans_, v, inner_)) [[likely]]
            go_on(inner_);
        after(lock);
    }
    template <typename Call> enum pipe_status answer(const CallView &v, Call go_on) {
        for (;;) {
            std::unique_lock lock(mutex_);
            if (!orphans_.empty() && call_of_orphan(orphans_, v, inner_))
                return PIPE_OK;
            const enum pipe_status status = go_on(inner_);
            ordinal = inner_->ordinal + base_;
            if (!screen_.lost()) [[likely]] {
                if (status == PIPE_OK && v.dst)
                    screen_.note_answer(id_, v);
                return status;
            }
            const uint64_t generation = screen_.generation();
            lock.unlock();
            if (!screen_.respawn(generation))
                return status;
        }
    }
    void wait_for(const pipe_lane_wait *p);
    uint32_t id() const { return id_; }

  private:
    friend class RespawnScreen;
    void fill_table();
    void after(std::unique_lock<std::mutex> &lock);

    RespawnScreen &screen_;
    std::mutex mutex_;
    pipe_context *inner_;
    const uint32_t id_;
    uint64_t base_ = 0;    // ours minus the inner lane's ordinal
    uint64_t settled_ = 0; // everything up to here happened before the last respawn
    std::unordered_set<uint64_t> orphans_;
};

} // namespace wrap
