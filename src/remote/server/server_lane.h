// SPDX-License-Identifier: MIT
// ServerLane: a ring and the thread that applies it.
#pragma once

#include "ring.h"
#include "server_screen.h"

#include "util/futex.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace remote {

// What the records of a lane name. Until the next record nothing of it ends, and on a stream what
// was written is known.
class LaneMemory final : public wire::Memory {
  public:
    explicit LaneMemory(Session &session) : session_(session) {}
    const void *readable(uint32_t seg, uint64_t offset, uint64_t size) override {
        return session_.readable(seg, offset, size, &held_);
    }
    void *writable(uint32_t seg, uint64_t offset, uint64_t size) override;
    // What writable() returned last for this record, the place of its answer; null: nothing.
    const void *last_writable() const { return last_writable_; }
    void next_record() {
        last_writable_ = nullptr;
        held_.clear();
        written_.clear();
    }
    // Puts what was written into the writer.
    void send_written(StreamWriter &writer) const;

  private:
    struct Written {
        uint32_t seg;
        uint64_t offset, size;
        const uint8_t *bytes;
    };
    Session &session_;
    Session::Hold held_;
    void *last_writable_ = nullptr;
    std::vector<Written> written_;
};

class ServerLane {
  public:
    ServerLane(ServerScreen &screen, const pipe_ctl_lane &ctl);
    ~ServerLane();
    // Makes ring and driver lane on the new thread; false: refused.
    bool open();
    // Ends the thread (a batch in progress is finished). Not from the lane's own thread.
    void stop();

    pipe_handle handle() const { return handle_; }
    uint64_t applied() const { return applied_.load(std::memory_order_acquire); }
    bool ended() const { return ended_.load(std::memory_order_acquire); }
    RingPage &page() const { return consumer_.page(); }
    // Nothing published waits.
    bool drained() const { return tail() == published(); }
    // Cursor up to which the client has published.
    uint64_t published() const { return page().head.load(std::memory_order_acquire); }
    // It has been inside a present of another surface for so long.
    bool presenting_other(pipe_handle surface, uint64_t ns) const {
        const uint64_t since = present_since_ns_.load(std::memory_order_acquire);
        return since && util::now_ns() - since >= ns &&
               present_surface_.load(std::memory_order_relaxed) != pipe_handle_key(surface);
    }
    uint64_t tail() const { return page().tail.load(std::memory_order_acquire); }

    Segment segment;

  private:
    void run();
    bool make_driver_lane();
    void end_driver_lane();
    void batch();
    void release();
    void answer();
    void send_progress();
    void note_progress();
    enum pipe_fault apply_one(const uint8_t *record, uint64_t size,
                              std::unique_lock<std::mutex> &group);
    enum pipe_fault apply_indirect(const uint8_t *record, uint64_t size,
                                   std::unique_lock<std::mutex> &group);
    enum pipe_fault apply_special(const uint8_t *record, uint64_t size,
                                  std::unique_lock<std::mutex> &group);
    void present(const uint8_t *record, std::unique_lock<std::mutex> &group, enum pipe_fault *fault,
                 uint64_t size);
    void frame_ended(uint32_t flush_flags);
    enum pipe_fault map_persistent(const uint8_t *record, uint64_t size);
    enum pipe_fault fence_wait(const uint8_t *record, uint64_t size,
                               std::unique_lock<std::mutex> &group);
    void publish_progress();
    enum pipe_fault fence_wait_server(const uint8_t *record, uint64_t size,
                                      std::unique_lock<std::mutex> &group);
    void lane_wait(const uint8_t *record, std::unique_lock<std::mutex> &group);
    void idle();
    void poll_fences();
    void note_query(uint16_t op, pipe_handle query);
    void poll_queries();
    // A read that nobody waits for: the answer is an event (unasked.h).
    enum pipe_fault read_unasked(const uint8_t *record, uint64_t size);
    bool ending() const;
    // Between two records: waits until the client has taken its events. True: it had to.
    bool wait_for_events();

    ServerScreen &screen_;
    Session &session_;
    pipe_lane_create create_{};
    pipe_handle handle_{};
    RingConsumer consumer_;
    const uint32_t id_;
    LaneMemory memory_;
    std::unique_ptr<StreamWriter> stream_; // null: the client sees our memory
    pipe_ctl_ring_taken told_{};           // what a client on a stream knows
    wire::Applier applier_;
    wire::Generations generations_; // of handles of lane scope
    pipe_context *ctx_ = nullptr;
    std::thread thread_;
    std::atomic<uint32_t> started_{0}; // 1: made, 2: refused
    std::atomic<bool> stop_{false}, ended_{false};
    std::atomic<uint64_t> applied_{0};
    std::atomic<uint64_t> present_since_ns_{0}; // 0: in none
    std::atomic<uint64_t> present_surface_{0};
    uint64_t ordinal_ = 0;
    std::vector<uint64_t> large_;
    std::vector<pipe_handle> fences_; // created here, not yet retired
    uint64_t fence_polled_ns_ = 0;
    uint64_t fence_polled_at_ = 0;
    std::vector<pipe_handle> queries_; // ended, result not yet reported
    bool current_ = false;             // a host may know queries by the current context only
    bool may_poll_queries() const { return !queries_.empty() && ctx_ && current_; }
    uint64_t query_polled_ns_ = 0;
};

} // namespace remote
