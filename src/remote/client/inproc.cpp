// SPDX-License-Identifier: MIT
// The link of the form inproc: the server is a Session of this process, requests are calls.
#include "../server/session.h"
#include "connection.h"

#include "util/log.h"

namespace remote {
namespace {

class InprocLink final : public Link {
  public:
    InprocLink(const Options &options, Connection *connection)
        : session_(new Session(options.create_screen, [connection](Message &m) { connection->receive(m); })) {}
    ~InprocLink() override { delete session_; }

    bool request(Message &in, Message &out) override {
        session_->handle(in, out);
        return true;
    }
    bool dead() const override { return abandoned_; }
    // The child of a fork has no apply threads to stop and no mappings to release.
    void abandon() override {
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
