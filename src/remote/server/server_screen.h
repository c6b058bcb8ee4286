// SPDX-License-Identifier: MIT
// ServerScreen: one share group on the server: the driver's screen, its lanes and the event ring.
#pragma once

#include "frames.h"
#include "ring.h"
#include "session.h"
#include "stream.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace remote {

class ServerLane;

// Reverse events into the ring; several threads take turns by lock(). A driver never waits for
// room: what finds none waits in a backlog, in order, and the lanes take no further record until
// the client has drained it (rest()). They hold no lock meanwhile. On a stream an event is sent
// inside the driver's callback, which lasts as long as the socket takes no bytes.
class EventEmitter final : public RingEmitter {
  public:
    bool open(Session *session, ServerScreen *screen, Segment *segment, uint64_t ring_size);

    wire::Span place(const pipe_host_span &span, uint16_t op) override;
    wire::Reply reply_place(uint64_t) override { return {}; }
    enum pipe_status reply_wait(const wire::Reply &, uint16_t, void *, uint32_t,
                                const pipe_out_span *) override {
        return PIPE_DECLINED;
    }
    void applied_wait() override {}
    void present_begin(pipe_handle, uint64_t) override {}
    void lock() override { mutex_.lock(); }
    void unlock() override { mutex_.unlock(); }

    // Some events wait for room.
    bool behind() const { return behind_.load(std::memory_order_acquire); }
    // Moves what fits; true when nothing waits any more.
    bool catch_up();
    // Sleeps, a moment at most, until the client has taken something.
    void rest();

  protected:
    uint8_t *begin_slow(uint64_t size) override;
    void end_large(uint64_t size, uint16_t op) override;
    uint8_t *begin_large(uint64_t) override { return nullptr; }
    bool wait_tail(uint64_t) override { return false; }
    void after_publish() override;

  private:
    Session *session_ = nullptr;
    ServerScreen *screen_ = nullptr;
    std::mutex mutex_;
    uint64_t ordinal_store_ = 0;
    std::unique_ptr<StreamWriter> stream_; // null: the client sees our memory
    uint64_t sent_ = 0;                    // cursor
    std::deque<std::vector<uint64_t>> backlog_;
    uint64_t backlog_bytes_ = 0;
    std::atomic<bool> behind_{false};
};

class ServerScreen : public std::enable_shared_from_this<ServerScreen> {
  public:
    ServerScreen(Session &session, uint32_t id) : session(session), id(id) {}
    ~ServerScreen();
    // Makes the driver's screen and the event ring; false: no driver. `event` keeps its descriptor
    // for the client.
    bool open();
    // Ends all lanes, then the driver's screen.
    void close();
    // Ends the lanes' threads only.
    void freeze();

    // Opens a lane; null: the driver refused.
    std::shared_ptr<ServerLane> open_lane(const pipe_ctl_lane &ctl);
    void close_lane(uint32_t id);
    // Null when the lane has ended, also when its slot is another lane's by now.
    std::shared_ptr<ServerLane> find_lane(pipe_handle lane);
    // By the number that its client gave it; null: none.
    std::shared_ptr<ServerLane> lane_of(uint32_t id);
    // One root call; its record in, its answer out.
    // `fds`: what came beside the record; they stay the caller's.
    void root_call(const uint8_t *record, uint64_t size, const std::vector<int> &fds, Message &out);
    // Memory for the frames of a surface; `fd` is used up. -1: there is none any more.
    enum pipe_status frame_memory(const pipe_ctl_frame_memory &shape, int fd);
    void ring_clients();
    // Everything published so far is applied, but for what stands behind a present of another
    // surface that is held up.
    void drain(pipe_handle surface);

    Session &session;
    const uint32_t id;
    // Of pipe_screen_config; set before open().
    enum pipe_platform platform = PIPE_PLATFORM_NONE;
    std::string display_name;
    uint64_t native_display = 0;
    pipe_screen *driver = nullptr;
    Segment event;
    EventEmitter events;
    // Held by a lane while it applies a batch.
    std::mutex group;
    wire::Generations generations; // of handles of group scope; under `group`
    FrameSources frames;           // under `group`
    std::atomic<bool> several_lanes{false};

  private:
    std::mutex lanes_mutex_;
    std::map<uint32_t, std::shared_ptr<ServerLane>> lanes_;
    pipe_callbacks callbacks_{};
};

} // namespace remote
