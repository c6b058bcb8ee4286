// SPDX-License-Identifier: MIT
// The link of the form inproc: the server is a Session of this process, requests are calls.
#include "connection.h"
#include "server/session.h"

#include "util/first_at_exit.h"
#include "util/log.h"
#include "util/seeded.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace remote {
namespace {

// Sessions whose threads must end before the host's own exit handlers take its library apart.
// Leaked.
struct Sessions {
    std::mutex mutex;
    std::vector<Session *> all;
};

Sessions &sessions() {
    static auto *s = new Sessions;
    return *s;
}

void freeze_all() {
    std::lock_guard lock(sessions().mutex);
    for (Session *s : sessions().all)
        s->freeze();
}

class InprocLink final : public Link {
  public:
    InprocLink(const Options &options, Connection *connection)
        : session_(new Session(options.create_screen,
                               [connection](Message &m) { connection->receive(m); })) {
        session_->while_waiting = [connection] { connection->collect_events(); };
        util::first_at_exit_here(); // lanes may be opened by other threads only
        std::lock_guard lock(sessions().mutex);
        sessions().all.push_back(session_);
    }
    ~InprocLink() override {
        {
            std::lock_guard lock(sessions().mutex);
            std::erase(sessions().all, session_);
        }
        delete session_;
    }

    bool request(Message &in, Message &out) override {
        session_->handle(in, out);
        util::seeded_race();
        // After the driver's own handlers, so that it runs before them.
        if (in.type == PIPE_CTL_LANE)
            util::first_at_exit(freeze_all);
        return true;
    }
    bool dead() const override { return abandoned_; }
    // The child of a fork has no apply threads to stop and no mappings to release.
    void abandon() override {
        sessions().all.clear(); // the fork holds no lock of it: nothing else runs in the child
        session_ = nullptr;
        abandoned_ = true;
    }

  private:
    Session *session_;
    bool abandoned_ = false;
};

} // namespace

std::unique_ptr<Link> make_inproc_link(const Options &options, Connection *connection) {
    if (!options.create_screen) {
        log_error("remote", "inproc: no driver to run");
        return nullptr;
    }
    return std::make_unique<InprocLink>(options, connection);
}

} // namespace remote
