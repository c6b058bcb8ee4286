// SPDX-License-Identifier: MIT
// Wrappers around the tables: tables in, tables out, every call, generated. An observer sees each
// call before and after the inner entry ran. Null entries stay null, so wrapping changes no
// behaviour.
#pragma once

#include "pipe/pipe.h"

#include <cstdint>
#include <memory>
#include <string>

namespace wrap {

// One call as it passes. Pointers are valid during the callback only.
struct CallView {
    uint16_t op;
    pipe_context *ctx; // of the outer table; null for root calls
    const void *payload;
    struct Tail {
        const void *data;
        uint64_t count;
        uint32_t element;
    } tails[4];
    unsigned num_tails;
    const pipe_host_span *spans[4];
    unsigned num_spans;
    const pipe_shader_archive *archive;
    void *out; // reply struct, filled after the call
    const pipe_out_span *dst;
    enum pipe_status status; // after the call
    bool has_status;
};

class Observer {
  public:
    virtual ~Observer() = default;
    virtual void before(const CallView &) {}
    // Asked after before() for calls that fill an input group: false keeps the call from going on.
    virtual bool forwards(const CallView &) { return true; }
    virtual void after(const CallView &) {}
    // The screen ends.
    virtual void end() {}
};

// A screen whose entries call those of `inner`. It owns `inner` (destroyed with it) and the
// observer.
pipe_screen *wrap_screen(pipe_screen *inner, std::unique_ptr<Observer> observer);

// Text of a call with all members, one line: "draw_vbo{mode=TRIANGLES ...} ranges=[...]".
void print_call(std::string &out, const CallView &call);
// First difference of two views of the same call ("draw_vbo.ranges[2].count"), empty when equal.
std::string difference(const CallView &a, const CallView &b);

// Every call as text into the log (level info) or a file; null file: the log.
std::unique_ptr<Observer> make_trace(const char *file);
// Calls and bytes by call, as util counters "pipe.NAME".
std::unique_ptr<Observer> make_statistics();
// Announces each verb, its row and the fill serials of its lane to the cells that the driver keeps
// pushed state in (G5, pipe/pipe_input.h). Goes directly around a driver.
std::unique_ptr<Observer> make_poison();

// Sends every call through encoder and applier on the calling thread and compares what arrives with
// what was sent; the first difference of each call is logged as `record.field@call #n`. The screen
// owns `inner`.
pipe_screen *verify_screen(pipe_screen *inner);
uint64_t verify_count();
// From now on the first difference ends the process (verify builds).
void verify_stops();

// MGPIPE_DEBUG=audit: who calls. The client's tables are not for threads that apply records, the
// driver's are for nobody else (`whole`: a form without the distinction), and one thread at a time
// is inside a lane. What breaks it is logged as an error of `audit`. Null stays null.
enum class AuditSide { whole, client, driver };
pipe_screen *audit_screen(pipe_screen *inner, AuditSide side);
// The calling thread applies records.
void audit_apply_thread();

// The wrappers that MGPIPE_DEBUG (trace) and MGPIPE_STATS ask for, and verify in a verify build;
// `inner` itself when none does. Null stays null.
pipe_screen *wrap_by_environment(pipe_screen *inner);

// Input groups (bits) that a call fills and reads.
struct GroupUse {
    uint64_t fills, reads;
};
extern const GroupUse group_use[]; // PIPE_OP_COUNT entries
extern const char *const group_names[];

} // namespace wrap
