// SPDX-License-Identifier: MIT
// One lane of a replay: its context, what the player must know of its state, and its thread. Host
// contexts are current per thread, so each lane has one; one of them runs at a time.
#pragma once

#include "pipe_wire/apply.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace wrap {

class Worker {
  public:
    Worker() : thread_([this] { loop(); }) {}
    ~Worker();
    // Runs `f` on the thread and waits for its end.
    void run(const std::function<void()> &f);

  private:
    void loop();
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()> *work_ = nullptr;
    bool ends_ = false;
    std::thread thread_;
};

// What the records of a lane may name beside themselves.
class ReplayMemory final : public wire::Memory {
  public:
    // Programs that read more at once are not played.
    static constexpr uint64_t max_answer = 1ull << 30;

    const void *readable(uint32_t seg, uint64_t offset, uint64_t size) override {
        if (seg != PIPE_SEG_STAGE || offset > content.size() || size > content.size() - offset)
            return nullptr;
        return content.data() + offset;
    }
    void *writable(uint32_t seg, uint64_t offset, uint64_t size) override {
        if (seg != PIPE_SEG_READ || offset || size > max_answer)
            return nullptr;
        answer.assign((size + 7) / 8, 0);
        answer_size = size;
        return answer.data();
    }
    std::vector<uint8_t> content;
    std::vector<uint64_t> answer;
    uint64_t answer_size = 0;
};

struct ReplaySurface {
    uint32_t width = 0, height = 0, format = 0;
    uint8_t samples = 0;
};

struct ReplayLane {
    pipe_context *ctx = nullptr;
    wire::Applier applier;
    wire::Generations generations;
    ReplayMemory memory;
    pipe_handle surface{}; // that it draws to
    pipe_handle draw_fb = pipe_default_framebuffer();
    pipe_handle drawn_fb = pipe_default_framebuffer(); // by the last verb
    std::map<uint64_t, pipe_set_framebuffer_state> framebuffers;
    bool drawn = false;       // since the last end of a frame
    uint64_t answer_hash = 0; // of the last call that answered bytes
    bool answered = false;
    Worker worker; // last: it ends first
};

// Reads what the lane drew last, from the default framebuffer or with `fbo` from the one drawn to,
// as RGBA bytes, rows from the bottom up. Empty when there is nothing to read; `why` says so. On
// the lane's thread.
std::vector<uint8_t> read_picture(ReplayLane &lane,
                                  const std::map<uint64_t, ReplaySurface> &surfaces, bool fbo,
                                  uint32_t *width, uint32_t *height, std::string &why);

} // namespace wrap
