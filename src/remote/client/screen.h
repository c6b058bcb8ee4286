// SPDX-License-Identifier: MIT
// The client's screen (a share group): root calls by control message, fences that are mostly
// answered here, and the inbox of reverse events.
#pragma once

#include "connection.h"
#include "ring.h"
#include "root_emitter.h"
#include "shared_maps.h"
#include "writebacks.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace remote {

class Lane;

class ClientScreen : public pipe_screen {
  public:
    ClientScreen(std::shared_ptr<Connection> connection, const pipe_screen_config *config);
    ~ClientScreen();
    // Opens the share group on the server; false: refused.
    bool open();

    static ClientScreen &of(pipe_screen *s) { return *static_cast<ClientScreen *>(s); }

    RootEmitter &root() { return root_; }
    Connection &connection() const { return *connection_; }
    Writebacks &writebacks() { return writebacks_; }
    uint32_t id() const { return id_; }
    SharedMaps maps;

    // A display is known by its name to a server that this process started, to others not at all.
    bool shares_display() const {
        return connection_->form == Form::inproc || connection_->form == Form::spawn;
    }

    void add(Lane *lane);
    void remove(Lane *lane);
    Lane *find_lane(uint32_t slot);

    // How far the events were taken on a stream, and what the server knows of it.
    struct Taken {
        uint32_t owner = 0;
        std::atomic<uint64_t> tail{0}, told{0};
        std::mutex telling; // across the sending, so that a later word is sent later
        bool ended = false; // the server is told that the screen closes
        // Sends what is new. Any thread, no lock of this library held.
        void tell(Channel &channel);
    };

    // Moves arrived events to the inbox (and notes signaled fences). Cheap when there are none; any
    // thread; on a stream it may send.
    void collect_events();
    // Without the sending, any lock may be held. Not null: the server of a stream waits for word of
    // it, which the caller tells when it holds no lock.
    [[nodiscard]] std::shared_ptr<Taken> take_arrived();
    bool events_arrived() const {
        return event_ring_.page().head.load(std::memory_order_relaxed) != event_tail_;
    }
    void deliver_events();
    // A part of a frame, at once. A thread of the link, with the connection's screens locked.
    void deliver_frame(const pipe_on_frame &event, const pipe_host_span &pixels) const {
        if (callbacks_.on_frame)
            callbacks_.on_frame(data_, &event, &pixels);
    }
    // Programs that write memory. Any thread; looking costs nothing while there are none.
    void note_writer(pipe_handle shader, bool relinked);
    void forget_program(pipe_handle shader);
    bool writes_memory(pipe_handle shader);
    // Surfaces of kind FRAMES that are alive. Any thread.
    void note_frames(pipe_handle surface, bool alive);
    bool sends_frames(pipe_handle surface);
    // Wakes the lanes that wait: something arrived.
    void ring_lanes();

    // True: signaled, as far as this side knows.
    bool fence_known(pipe_handle fence);
    void fence_add(pipe_handle fence);
    void fence_signal(pipe_handle fence);
    void fence_forget(pipe_handle fence);

    // A call of the lane had no memory for what it sends, or for its answer: as if the driver had
    // refused it. The lane's thread.
    void raise_out_of_memory(pipe_handle lane, const char *call);

    // Puts on_device_lost into the inbox.
    void tell_loss(const char *reason);
    // From here on nothing is sent and nobody waits.
    void lose();
    void abandon();
    void fork_lock();
    void fork_unlock();

  private:
    bool make_event_ring();
    bool take_event_ring(Message &answer, uint64_t size);
    // True: something came that another thread than ours may wait for.
    bool take_events();
    void push_event(uint16_t op, const void *payload, uint64_t payload_size, const char *text);

    std::shared_ptr<Connection> connection_;
    Writebacks writebacks_;
    pipe_callbacks callbacks_{};
    void *data_ = nullptr;
    enum pipe_platform platform_ = PIPE_PLATFORM_NONE;
    std::string display_name_;
    uint64_t native_display_ = 0;
    uint32_t id_;
    RootEmitter root_;

    std::mutex lanes_mutex_;
    std::vector<Lane *> lanes_;

    Segment event_segment_;
    RingConsumer event_ring_;
    std::atomic<uint64_t> event_tail_{0};
    uint64_t event_ordinal_ = 0;
    const std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
    std::mutex events_mutex_; // consumer side and inbox
    std::vector<uint64_t> inbox_;
    std::atomic<bool> inbox_full_{false};
    std::atomic_flag delivering_ = ATOMIC_FLAG_INIT;

    std::vector<pipe_handle> frame_surfaces_; // with the fences' lock, as is the next
    std::unordered_set<uint64_t> writers_;
    std::atomic<bool> any_writers_{false};
    std::mutex fences_mutex_;
    std::unordered_map<uint64_t, bool> fences_; // handle -> signaled
};

} // namespace remote
