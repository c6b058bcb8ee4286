// SPDX-License-Identifier: MIT
// The audit: which thread calls which table. In the forms with a second half the driver belongs to
// the threads that apply records and the client's tables to all others; in every form one thread at
// a time is inside a lane.
#include "pipe_wrap/wrap.h"

#include "pipe_wire/wire.h"

#include "util/env.h"
#include "util/log.h"
#include "util/stats.h"
#include "util/thread_slot.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace wrap {
namespace {

util::Counter count_audited("audit.calls", "calls whose thread was looked at");
util::ThreadSlot<bool> applies; // this thread applies records

class Audit final : public Observer {
  public:
    explicit Audit(AuditSide side)
        : side_(side), corrupt_(util::debug(util::Debug::audit_corrupt)) {}

    void before(const CallView &c) override {
        if (!c.ctx)
            return; // root calls belong to no lane
        count_audited.add();
        bool applying = applies.get();
        // The control: one call seems to come from the other side.
        if (corrupt_ && side_ != AuditSide::whole && calls_.fetch_add(1) == 20)
            applying = !applying;
        if (side_ == AuditSide::client && applying)
            report(c, "a client's call on a thread that applies records");
        if (side_ == AuditSide::driver && !applying)
            report(c, "a driver's call on a thread that applies no records");
        enter(c);
    }

    void after(const CallView &c) override {
        if (!c.ctx)
            return;
        std::lock_guard lock(mutex_);
        auto it = inside_.find(c.ctx);
        if (it == inside_.end())
            return;
        if (--it->second.depth == 0 || c.op == PIPE_OP_LANE_DESTROY)
            inside_.erase(it);
    }

  private:
    struct Inside {
        pthread_t thread;
        unsigned depth;
    };

    static void report(const CallView &c, const char *what) {
        log_error("audit", "%s: %s", wire::call_info[c.op].name, what);
    }

    void enter(const CallView &c) {
        bool crowded;
        {
            std::lock_guard lock(mutex_);
            Inside &i = inside_.try_emplace(c.ctx, Inside{pthread_self(), 0}).first->second;
            crowded = !pthread_equal(i.thread, pthread_self());
            i.depth++;
        }
        if (crowded)
            report(c, "two threads inside one lane");
    }

    const AuditSide side_;
    const bool corrupt_;
    std::atomic<uint64_t> calls_{0};
    std::mutex mutex_;
    std::unordered_map<pipe_context *, Inside> inside_;
};

} // namespace

void audit_apply_thread() {
    if (util::debug(util::Debug::audit))
        applies.get() = true;
}

pipe_screen *audit_screen(pipe_screen *inner, AuditSide side) {
    return inner ? wrap_screen(inner, std::make_unique<Audit>(side)) : nullptr;
}

} // namespace wrap
