// SPDX-License-Identifier: MIT
// RootEmitter: root calls (surfaces, memory) as control messages that carry their record.
#pragma once

#include "connection.h"
#include "pipe_wire/emitter.h"

#include <mutex>
#include <vector>

namespace remote {

class RootEmitter : public wire::Emitter {
  public:
    void attach(Connection *connection, uint32_t screen);
    // Duplicates that go beside the next resource_import; the caller keeps `importing` until that
    // has returned. False: no descriptor is free.
    bool put_beside(const int *fds, unsigned count);
    std::mutex importing;

    void lose() { lost_.store(true, std::memory_order_relaxed); }

    wire::Span place(const pipe_host_span &span, uint16_t op) override;
    wire::Reply reply_place(uint64_t size) override;
    enum pipe_status reply_wait(const wire::Reply &where, uint16_t op, void *out, uint32_t out_size,
                                const pipe_out_span *dst) override;
    void applied_wait() override {}
    void present_begin(pipe_handle, uint64_t) override {}
    void publish() override {}
    void lock() override { mutex_.lock(); }
    void unlock() override { mutex_.unlock(); }

  protected:
    uint8_t *begin_slow(uint64_t size) override;
    void end_large(uint64_t, uint16_t) override {}

  private:
    Connection *connection_ = nullptr;
    uint32_t screen_ = 0;
    std::mutex mutex_;
    std::vector<uint8_t> record_;
    Message beside_; // for its descriptors
};

} // namespace remote
