// SPDX-License-Identifier: MIT
// The link to a server at the other end of a connection, and the one thread that reads it.
#pragma once

#include "channel.h"
#include "connection.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace remote {

class SocketLink final : public Link {
  public:
    // Null (logged) when no thread is left.
    static std::unique_ptr<Link> start(std::unique_ptr<Channel> channel, Connection *connection);
    ~SocketLink() override;

    bool request(Message &in, Message &out) override;
    Channel *channel() override { return channel_.get(); }
    bool dead() const override;
    void abandon() override;

  private:
    SocketLink(std::unique_ptr<Channel> channel, Connection *connection)
        : channel_(std::move(channel)), connection_(connection) {}
    void read();
    // False: no message that a server sends.
    bool take(Message &m);

    std::unique_ptr<Channel> channel_;
    Connection *connection_;
    std::thread reader_;
    std::mutex turn_; // one request at a time
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    Message answer_;
    bool answered_ = false; // a refusal stays: nothing follows it
    bool dead_ = false;
};

} // namespace remote
