// SPDX-License-Identifier: MIT
// Connection: a client process and one server. It owns the link, the stage and the answer memory,
// and knows all screens and lanes so that a loss reaches each of them.
#pragma once

#include "control.h"
#include "frames.h"
#include "mirrors.h"
#include "presents.h"
#include "remote/remote.h"
#include "segment.h"
#include "session_page.h"
#include "stage.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace remote {

class ClientScreen;
class Connection;

// A segment made for one large content or answer. The server knows it while this lives.
class OneShot {
  public:
    OneShot(Connection &connection, uint64_t size);
    ~OneShot();
    uint32_t id() const { return id_; } // 0: it could not be made
    uint8_t *data() const { return segment_.data(); }
    uint64_t size() const { return segment_.size(); }
    void abandon() { segment_.abandon(); }
    // The memory alone, for whoever needs it longer than the server's knowledge of it.
    Segment take() { return std::move(segment_); }

  private:
    Connection &connection_;
    Segment segment_;
    uint32_t id_ = 0;
};

// Space for answers in the READ segment. Any thread.
class ReadArea {
  public:
    void attach(Segment *segment);
    bool take(uint64_t size, uint64_t *offset);
    void give(uint64_t offset, uint64_t size);
    uint8_t *data() const { return data_; }

  private:
    static constexpr uint64_t unit = 4096;
    std::mutex mutex_;
    uint8_t *data_ = nullptr;
    std::vector<bool> used_;
};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    ~Connection();
    // The process's connection of that form; a new one where there is none or the old one is lost.
    // Null: logged.
    static std::shared_ptr<Connection> get(const Options &options,
                                           const pipe_screen_config *config);

    bool request(Message &in, Message &out);
    // The same for a message that is answered by `reply`; PIPE_DECLINED when the server is gone.
    enum pipe_status ask(Message &in, Message &out, pipe_ctl_reply *reply);
    bool lost() const { return lost_.load(std::memory_order_acquire); }
    // The server is gone: every screen and lane is told. Any thread, repeatable.
    void lose(const char *reason);
    // The link has ended; a loss unless we are leaving.
    void hung_up();
    // Our hello waits for its answer.
    void still_unanswered();
    // An unasked message of the server.
    // False: no message that a server sends unasked.
    bool receive(Message &m);

    // See remote.h.
    static bool share_frames(const FrameShare &share);

    // Takes the events of every screen: for threads that wait for an answer to a request.
    void collect_events();

    // Of a surface; unless MGPIPE_CREDIT says it, more on a stream whose answers take long.
    uint64_t present_credit() const;

    void add(ClientScreen *screen);
    void remove(ClientScreen *screen);
    uint32_t new_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

    SessionPage &page() const { return *reinterpret_cast<SessionPage *>(read.data()); }

    Segment stage_segment, read;
    Stage stage;
    ReadArea read_area;
    Presents presents;
    FrameReader frames;
    uint32_t ring_size = 0;
    uint64_t event_size = 0;
    uint32_t server_pid = 0;
    Form form = Form::inproc;
    // Where this half's bytes are sent; null: both halves have the same memory.
    Channel *stream = nullptr;
    // What the server's bytes go to on a stream.
    Mirrors mirrors;

    // Fork handlers.
    static void fork_prepare();
    static void fork_done(bool child);

  private:
    void abandon();
    bool start(const Options &options, const pipe_screen_config *config);
    std::unique_ptr<Link> dial(const Options &options);
    // What came of it.
    enum class Greeting { welcome, refused, no_memory };
    Greeting handshake(const Options &options, const pipe_screen_config *config,
                       enum pipe_data_plane data);
    bool take_memory(Message &welcome, const pipe_ctl_welcome &sizes);

    std::unique_ptr<Link> link_;
    std::string address_;
    std::atomic<uint64_t> fastest_answer_ns_{UINT64_MAX};
    std::atomic<bool> losing_{false}, lost_{false};
    // The server has not answered yet, or we are leaving: a hang-up is then no loss.
    std::atomic<bool> leaving_{true};
    std::atomic<uint32_t> next_id_{
        16}; // wire::seg_dynamic: one number space serves segments, screens, lanes
    std::mutex screens_mutex_;
    std::vector<ClientScreen *> screens_;
};

// The kinds of link. Null: logged. Each exists in a build that has its form; the last three come
// with spawn.
std::unique_ptr<Link> make_inproc_link(const Options &options, Connection *connection);
std::unique_ptr<Link> make_spawn_link(const Options &options, Connection *connection);
std::unique_ptr<Link> make_unix_link(const std::string &path, Connection *connection);
std::unique_ptr<Link> make_tcp_link(const std::string &where, Connection *connection);
std::unique_ptr<Link> make_ssh_link(const std::string &host, Connection *connection);

} // namespace remote
