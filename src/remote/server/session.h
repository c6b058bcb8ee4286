// SPDX-License-Identifier: MIT
// Session: the server half for one client. It owns the segments, the driver screens and the apply
// threads. Everything that arrives is hostile until proved; the first fault latches the session
// (its lanes end, the client is told why) and leaves other sessions and the process alone.
#pragma once

#include "channel.h"
#include "control.h"
#include "pipe_wire/apply.h"
#include "remote/remote.h"
#include "segment.h"
#include "session_page.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace remote {

class ServerLane;
class ServerScreen;

class Session final : public wire::Memory {
  public:
    // `send` carries unasked messages to the client; called from any thread. `channel` is what it
    // talks by, null for a client of this process.
    Session(CreateScreen create_screen, std::function<void(Message &)> send,
            Channel *channel = nullptr);
    ~Session() override;

    // Answers one request; for requests of the client's threads or of the control socket's reader.
    // `out.type` stays PIPE_CTL_NONE where there is no answer.
    void handle(Message &in, Message &out);
    // Messages that the reader of the connection deals with at once and in order: hello and what
    // comes before it, on a stream segments too. Any other request may wait, for what the reader
    // brings or for what ends only when it sees the client gone.
    bool handles_at_once(uint32_t type) const;
    // Takes the rest of a message of the data plane. False: the connection is broken.
    bool receive_data(const MessageHead &head, Channel &channel);
    // Ends all lanes and destroys the driver's screens. The client is gone.
    void stop();
    // The process is about to exit while the client still lives in it (inproc): the apply threads
    // end where they are, nothing of the driver is touched any more, and every wait of the client
    // returns.
    void freeze();
    bool frozen() const { return frozen_.load(std::memory_order_acquire); }

    // Latches the session; the first fault counts. Any thread.
    void latch(enum pipe_fault fault, const char *text);
    bool latched() const { return fault_.load(std::memory_order_acquire) != PIPE_FAULT_NONE; }
    bool stopping() const { return stopping_.load(std::memory_order_acquire); }

    SessionPage &page() const { return *reinterpret_cast<SessionPage *>(read_.data()); }
    // Where our bytes are sent; null: the client sees our memory.
    Channel *stream() const { return stream_; }
    CreateScreen driver() const { return create_screen_; }
    // An unasked message to the client. Any thread.
    void send(Message &m) { send_(m); }
    // Frames that go back are compressed (MGPIPE_FRAMES; else on a stream).
    bool packs_frames() const;
    const char *options() const { return options_.c_str(); }
    uint64_t ring_size() const { return ring_size_; }
    uint64_t event_size() const { return event_size_; }
    // Called again and again while a request waits for the lanes: the requesting thread of a client
    // in this process takes its events meanwhile. May be empty.
    std::function<void()> while_waiting;
    // This process is a server: nobody else counts its frames.
    bool own_process = false;
    // The client came through a door of its own accord: displays and windows that it names are not
    // ours, and naming one is a fault.
    bool stranger = false;

    // wire::Memory. A segment of its own may end while somebody still uses it: `hold` keeps it.
    using Hold = std::vector<std::shared_ptr<Segment>>;
    const void *readable(uint32_t seg, uint64_t offset, uint64_t size) override {
        return readable(seg, offset, size, nullptr);
    }
    void *writable(uint32_t seg, uint64_t offset, uint64_t size) override {
        return writable(seg, offset, size, nullptr);
    }
    const void *readable(uint32_t seg, uint64_t offset, uint64_t size, Hold *hold);
    void *writable(uint32_t seg, uint64_t offset, uint64_t size, Hold *hold);

    // Of any screen; null when the lane has ended.
    std::shared_ptr<ServerLane> find_lane(pipe_handle lane);
    // lane_wait: some lane of the session has applied more.
    void progress();
    template <typename Ready> void wait_progress(Ready ready) {
        std::unique_lock lock(progress_mutex_);
        waiters_++;
        std::atomic_thread_fence(std::memory_order_seq_cst); // as progress()
        progress_cv_.wait(lock, [&] { return ready() || stopping() || latched(); });
        waiters_--;
    }

  private:
    void hello(const Message &in, Message &out);
    // What both ends can; PIPE_DATA_PLANE_ANY: nothing.
    enum pipe_data_plane choose_data(uint8_t wanted) const;
    bool make_memory(uint64_t stage_size, uint64_t read_size);
    void new_segment(Message &in, Message &out, const pipe_ctl_segment &ctl);
    bool segment_data(uint64_t size, Channel &channel);
    bool ring_data(uint64_t size, Channel &channel);
    bool ring_taken(Channel &channel);
    bool broken(Channel &channel, uint64_t left, enum pipe_fault fault, const char *text);
    uint8_t *dynamic(uint32_t seg, uint64_t offset, uint64_t size, Hold *hold);
    void segment(Message &in, Message &out);
    void screen(const Message &in, Message &out);
    void lane(const Message &in, Message &out);
    void root_call(const Message &in, Message &out);
    void frame_memory(Message &in, Message &out);
    std::shared_ptr<ServerScreen> find(uint32_t id);
    std::shared_ptr<ServerLane> find_lane(uint32_t id);

    CreateScreen create_screen_;
    std::function<void(Message &)> send_;
    Channel *channel_, *stream_ = nullptr;
    std::string options_;
    bool greeted_ = false;
    uint64_t ring_size_ = 0, event_size_ = 0;
    Segment stage_, read_;
    std::shared_mutex segments_mutex_;
    std::unordered_map<uint32_t, std::shared_ptr<Segment>> segments_;
    std::mutex screens_mutex_;
    std::map<uint32_t, std::shared_ptr<ServerScreen>> screens_;
    std::atomic<enum pipe_fault> fault_{PIPE_FAULT_NONE};
    std::atomic<bool> stopping_{false}, frozen_{false};
    std::mutex progress_mutex_;
    std::condition_variable progress_cv_;
    std::atomic<uint32_t> waiters_{0};
};

// A reply message. `bytes` may be null.
void set_reply(Message &out, enum pipe_status status, const void *bytes = nullptr,
               uint64_t size = 0);
void set_refusal(Message &out, enum pipe_refusal code, uint64_t ours, uint64_t theirs,
                 const char *text);

} // namespace remote
