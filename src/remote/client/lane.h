// SPDX-License-Identifier: MIT
// The client's lane (a context): the ring emitter behind its table, stage memory, answers, credit.
#pragma once

#include "ring.h"
#include "screen.h"
#include "stage.h"
#include "storage_writes.h"
#include "stream.h"

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace remote {

class Lane final : public RingEmitter {
  public:
    // Null: refused by the server, or lost.
    static pipe_context *create(ClientScreen &screen, const pipe_lane_create *p);
    ~Lane() override;

    static Lane &of(pipe_context *ctx) { return static_cast<Lane &>(wire::Emitter::of(ctx)); }

    ClientScreen &screen() const { return screen_; }
    uint32_t slot() const { return table.lane.slot; }
    void set_shared(bool shared) { publish_shared_.store(shared, std::memory_order_relaxed); }
    bool stage_alloc(uint64_t size, uint64_t alignment, uint64_t *offset);
    // The answer of the next call lands there; null ends it.
    void answer_into(OneShot *where, uint64_t offset) {
        answer_into_ = where;
        answer_offset_ = offset;
    }
    void abandon();
    // The bytes are wanted as they are now, unless they are not (writebacks.h).
    void promise(pipe_handle buffer, uint64_t offset, uint64_t size, bool early = false);
    // Waits for bytes that are promised. False: the server has to be asked.
    bool read_promised(const pipe_resource_readback *p, const pipe_out_span *dst);
    // Targets by slot of the stream output object.
    std::unordered_map<uint32_t, std::vector<pipe_so_target>> captures;
    StorageWrites storage;
    bool dispatches_write = false; // the program of dispatches writes memory
    // The entry of draws: they cost more while their program writes memory.
    void draws_write(bool write);

    wire::Span place(const pipe_host_span &span, uint16_t op) override;
    wire::Reply reply_place(uint64_t size) override;
    enum pipe_status reply_wait(const wire::Reply &where, uint16_t op, void *out, uint32_t out_size,
                                const pipe_out_span *dst) override;
    void applied_wait() override;
    void present_begin(pipe_handle surface, uint64_t serial) override;

    pipe_context table{};
    // The generated entries that have more to do here.
    void (*emit_destroy)(pipe_context *, const pipe_lane_destroy *) = nullptr;
    enum pipe_status (*emit_query_available)(pipe_context *, const pipe_query_available *,
                                             pipe_query_available_reply *) = nullptr;
    enum pipe_status (*emit_query_result)(pipe_context *, const pipe_query_result *,
                                          pipe_query_result_reply *) = nullptr;
    enum pipe_status (*emit_reset_status)(pipe_context *, const pipe_get_reset_status *,
                                          pipe_get_reset_status_reply *) = nullptr;

  protected:
    uint8_t *begin_slow(uint64_t size) override;
    uint8_t *begin_large(uint64_t size) override;
    void end_large(uint64_t size, uint16_t op) override;
    bool wait_tail(uint64_t tail) override;
    void after_publish() override;

  private:
    explicit Lane(ClientScreen &screen) : screen_(screen), stage_(screen.connection().stage) {}
    bool open(const pipe_lane_create *p);
    bool make_ring();
    // Ends the lane on the server.
    void close();
    void fill_table();
    void fill_buffer_calls();

    uint64_t applied() const { return page_->applied.load(std::memory_order_acquire); }
    uint64_t next_ordinal() const { return *ordinal_ + 1; }
    // Waits for `ready`, collecting events; false when the lane ended first.
    // The server wakes us when `applied` (an ordinal) or `tail` (a cursor) is reached.
    template <typename Ready> bool wait_for(uint64_t applied, uint64_t tail, Ready ready);
    // Stage memory for the next record, or (`hold`) for a later one that names it; waits for the
    // server while that can help.
    bool alloc(uint64_t size, uint64_t alignment, bool hold, uint64_t *offset);
    void retire_segments();
    void make_room(uint64_t size);
    uint8_t *one_shot(uint64_t size, wire::Span *where);
    // The record being built cannot be sent: it ends in no record and one GL_OUT_OF_MEMORY.
    void drop();
    // On a stream: bytes that the record being built names.
    void wrote(const wire::Span &where, const uint8_t *bytes);
    void send();

    ClientScreen &screen_;
    Segment segment_;
    std::unique_ptr<StreamWriter> stream_; // null: the server sees our memory
    uint64_t sent_ = 0;                    // cursor
    StageLane stage_;
    uint32_t id_ = 0;
    bool waiting_ = false;
    bool dropped_ = false;    // the record being built
    bool unanswered_ = false; // the last one, which has an answer
    wire::Span large_at_{};
    const uint8_t *large_bytes_ = nullptr;
    struct Kept {
        std::unique_ptr<OneShot> segment;
        uint64_t size, ordinal;
    };
    std::deque<Kept> kept_;
    uint64_t kept_bytes_ = 0;
    std::unique_ptr<OneShot> answer_; // of the call that waits
    OneShot *answer_into_ = nullptr;  // of the call that names its place
    uint64_t answer_offset_ = 0;
    Presents::ProgressRef progress_ = std::make_shared<Presents::Progress>();
};

} // namespace remote
