// SPDX-License-Identifier: MIT
// Sessions out of pages; see top_sessions.h.
#include "top_sessions.h"

#include <algorithm>

using util::StatsKind;
using util::StatsRole;

const char *state_name(SessionState state) {
    constexpr const char *names[] = {"running", "slow", "stopped", "lost"};
    return names[static_cast<int>(state)];
}

static const Snapshot *find(const std::vector<Snapshot> &all, pid_t pid) {
    const auto at =
        std::find_if(all.begin(), all.end(), [pid](const Snapshot &s) { return s.pid == pid; });
    return at == all.end() ? nullptr : &*at;
}

namespace {

// One process at both moments.
struct Span {
    const Snapshot *before = nullptr, *after = nullptr;

    uint64_t value(const char *name) const {
        const auto at = after->counters.find(name);
        return at == after->counters.end() ? 0 : at->second.value;
    }
    // What was added; `by_frame`: up to the ends of whole frames. Totals of a new process of the
    // same number, or of one that scribbles, may fall.
    double added(const std::string &name, bool by_frame) const {
        const auto at = after->counters.find(name);
        if (!before || at == after->counters.end())
            return 0;
        const auto old = before->counters.find(name);
        const CounterValue from = old == before->counters.end() ? CounterValue{} : old->second;
        const uint64_t a = by_frame ? from.at_last_frame : from.value;
        const uint64_t b = by_frame ? at->second.at_last_frame : at->second.value;
        return b > a ? static_cast<double>(b - a) : 0;
    }
    uint64_t frames() const {
        return before && after->frames_counted > before->frames_counted
                   ? after->frames_counted - before->frames_counted
                   : 0;
    }
    double seconds() const {
        return before ? static_cast<double>(after->taken_ns - before->taken_ns) / 1e9 : 0;
    }
};

} // namespace

static Rates rates(const Span &client, const Span *server, bool by_frame, double over) {
    Rates r;
    const auto of = [&](const char *name) { return client.added(name, by_frame) / over; };
    r.draws = of("draws");
    r.draw_records = of("draw-records");
    r.records = of("wire.records");
    r.round_trips = of("wire.replies");
    r.ring = of("wire.record_bytes");
    r.stage = of("wire.stage_bytes");
    r.segment = of("wire.segment_bytes");
    r.copied = of("wire.copied_bytes");
    r.answers = of("wire.reply_bytes");
    r.events = of("wire.event_bytes");
    r.credit = of("wire.credit_waits");
    r.stage_waits = of("wire.stage_waits");
    r.ring_waits = of("wire.ring_waits");
    r.parks = of("wire.parks");
    r.server_parks = of("server.parks");
    if (server)
        r.server_parks += server->added("server.parks", false) / over;
    const std::string prefix = "wire.reply.";
    for (auto at = client.after->counters.lower_bound(prefix);
         at != client.after->counters.end() && at->first.rfind(prefix, 0) == 0; ++at)
        if (const double n = client.added(at->first, by_frame); n > 0)
            r.by_call[at->first.substr(prefix.size())] = n / over;
    return r;
}

static uint64_t host_objects(const Snapshot &s) {
    uint64_t sum = 0;
    for (const auto &[name, counter] : s.counters)
        if (counter.kind == StatsKind::level &&
            (name.rfind("espryt.", 0) == 0 || name.rfind("magma.", 0) == 0))
            sum += static_cast<int64_t>(counter.value) > 0 ? counter.value : 0;
    return sum;
}

// Somebody waits, and nothing at all has happened.
static bool stands_still(const Span &client, const Span *server) {
    if (!client.before || !client.value("wire.waiting") || client.seconds() < 0.2)
        return false;
    const auto waited = client.before->counters.find("wire.waiting");
    if (waited == client.before->counters.end() || !waited->second.value)
        return false;
    double moved = static_cast<double>(client.after->frames - client.before->frames);
    for (const char *name : {"wire.records", "wire.replies", "wire.events"})
        moved += client.added(name, false);
    return moved == 0 && (!server || server->added("server.records", false) == 0);
}

static bool is_stopped(char state) {
    return state == 'T' || state == 't';
}

static SessionState state_of(const Span &client, const Span *server) {
    if (client.after->lost)
        return SessionState::lost;
    if (is_stopped(client.after->process_state))
        return SessionState::stopped;
    if ((server && is_stopped(server->after->process_state)) || stands_still(client, server))
        return SessionState::slow;
    return SessionState::running;
}

static Session describe(const Span &client, const Span *server) {
    Session s;
    const Snapshot &c = *client.after;
    s.program = c.program;
    s.pid = c.pid;
    s.form = c.form;
    s.driver = c.driver.empty() && server ? server->after->driver : c.driver;
    s.server_pid = server ? server->after->pid : 0;
    s.crosses = c.role != StatsRole::whole || c.form == "inproc";
    s.state = state_of(client, server);
    s.counted = client.before;
    s.host_objects = host_objects(c) + (server ? host_objects(*server->after) : 0);
    s.largest_record = client.value("wire.largest_record");
    s.seconds = client.seconds();
    if (!s.counted || s.seconds <= 0)
        return s;
    if (c.frames > client.before->frames)
        s.frames_per_second = static_cast<double>(c.frames - client.before->frames) / s.seconds;
    s.per_second = rates(client, server, false, s.seconds);
    if (const uint64_t n = client.frames())
        s.per_frame = rates(client, server, true, static_cast<double>(n));
    return s;
}

std::vector<Session> sessions_of(const std::vector<Snapshot> &before,
                                 const std::vector<Snapshot> &after) {
    std::vector<Session> all;
    std::vector<pid_t> taken;
    for (const Snapshot &c : after) {
        if (c.role == StatsRole::server)
            continue;
        const Span client{find(before, c.pid), &c};
        const auto peer = std::find_if(after.begin(), after.end(), [&c](const Snapshot &s) {
            return c.role == StatsRole::client && s.role == StatsRole::server &&
                   s.own_pid == c.peer_pid && s.peer_pid == c.own_pid;
        });
        if (peer == after.end()) {
            all.push_back(describe(client, nullptr));
            continue;
        }
        const Span server{find(before, peer->pid), &*peer};
        taken.push_back(peer->pid);
        all.push_back(describe(client, &server));
    }
    // Their programs are on other machines, or not ours to see.
    for (const Snapshot &s : after) {
        if (s.role != StatsRole::server || std::count(taken.begin(), taken.end(), s.pid))
            continue;
        Session session = describe({find(before, s.pid), &s}, nullptr);
        session.server_pid = session.pid;
        session.pid = 0;
        session.program = "(elsewhere)";
        session.form = "served";
        all.push_back(session);
    }
    return all;
}
