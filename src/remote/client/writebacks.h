// SPDX-License-Identifier: MIT
// Bytes of buffers that come by themselves (docs/maps.md). A buffer that the program has read is
// one that it will read again: behind the commands that write it goes a read that nobody waits for
// (unasked.h), and the program's own read finds the bytes here. Whoever writes to a range ends what
// was promised of it. A program that stops reading is noticed by two promises that nobody used.
#pragma once

#include "connection.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace remote {

// Any thread.
class Writebacks {
  public:
    explicit Writebacks(Connection &connection) : connection_(connection) {}

    // A read had to ask for these bytes.
    void was_read(pipe_handle buffer, uint64_t offset, uint64_t size);
    // A record of that lane that writes there goes out. Costs nothing while no buffer is read.
    // False: nobody reads the buffer.
    bool written(uint32_t lane, pipe_handle buffer, uint64_t offset, uint64_t size) {
        return any() && end_range(lane, buffer, offset, size);
    }
    // It went out by that lane, and the GPU carries it out: the segment in which the bytes are
    // wanted. 0: they are not. No lock held; it may wait for the server. `early`: more may be
    // written there before anybody reads.
    uint32_t promise(uint32_t lane, pipe_handle buffer, uint64_t offset, uint64_t size,
                     bool early = false);
    struct Range {
        uint64_t offset, size;
    };
    static constexpr size_t most_promises = 4; // of a buffer: a ring of frames in one
    using Ranges = std::array<Range, most_promises>;
    // What the program reads of a range that shaders wrote. 0: nothing.
    size_t read_of(pipe_handle buffer, uint64_t offset, uint64_t size, Ranges &out);
    // An early promise is worth the bytes: the last one was not in vain.
    bool wants_early(pipe_handle buffer);
    bool any() const { return any_.load(std::memory_order_relaxed); }
    // It may be written to at any time: nothing is promised of it.
    void ban(pipe_handle buffer);
    void give_up();                // likewise of any buffer, from now on
    void drop(pipe_handle buffer); // it ends

    // The answer to a promise; false: it is no such event. Any lock but ours may be held.
    bool arrived(const pipe_on_buffer_writeback &event);
    // The bytes of a read are promised to the lane and neither there nor given up. What another
    // lane is promised it may not have asked for yet.
    bool pending(const pipe_resource_readback &p, uint32_t lane);
    bool promised(const pipe_resource_readback &p);
    // False: they are not there.
    bool copy(const pipe_resource_readback &p, const pipe_out_span &dst);

    void abandon();
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

  private:
    struct Promise {
        uint32_t lane;
        uint64_t offset, size;
        std::unique_ptr<OneShot> memory;
        bool pending, good; // not answered yet; the bytes are, or will be, the buffer's
        bool used, early;
    };
    struct Buffer {
        Ranges reads{};          // that had to ask, newest first; what followed one another is one
        unsigned unused = 0;     // promises in a row
        bool late = false;       // an early promise was in vain
        bool ended = false;      // waits for answers only
        uint32_t writer = no_lane;
        std::vector<Promise> promises; // oldest first
        void note_read(Range now);
    };
    static constexpr uint32_t no_lane = UINT32_MAX;
    using Memory = std::vector<std::unique_ptr<OneShot>>;
    bool end_range(uint32_t lane, pipe_handle buffer, uint64_t offset, uint64_t size);
    static void end(Buffer &b, Promise &p);
    Promise *find(const pipe_resource_readback &p);
    // What the server writes to no more, nor anybody reads.
    void take_free(Buffer &b, Memory &out);
    std::unique_ptr<OneShot> fitting(Memory &all, uint64_t size);

    Connection &connection_;
    std::mutex mutex_;
    std::unordered_map<uint64_t, Buffer> buffers_;
    std::unordered_set<uint64_t> banned_;
    uint64_t bytes_ = 0;
    bool given_up_ = false;
    std::atomic<bool> any_{false}, any_banned_{false};
};

} // namespace remote
