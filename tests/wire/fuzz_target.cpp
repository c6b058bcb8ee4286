// SPDX-License-Identifier: MIT
// One input of the coverage-guided fuzzer (libFuzzer's entry), also of the corpus test. The first
// byte chooses what it is: records for the applier, messages for a session, a byte stream for a
// connection, a stranger at the listener's door.
#include "hostile.h"

#include "channel.h"
#include "noop/noop_public.h"
#include "server/newcomer.h"
#include "server/session.h"
#include "util/log.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

// What is left of the input.
struct Bytes {
    const uint8_t *at, *end;
    size_t left() const { return static_cast<size_t>(end - at); }
    uint8_t byte() { return at < end ? *at++ : 0; }
    Bytes take(size_t n) {
        n = std::min(n, left());
        at += n;
        return {at - n, at};
    }
};

// A control of the fuzzer itself: contents end a byte before they should, as if a bound was wrong.
class ShortMemory final : public wire::Memory {
  public:
    explicit ShortMemory(hostile::Memory &inner) : inner_(inner) {}
    const void *readable(uint32_t seg, uint64_t offset, uint64_t size) override {
        const auto *p = static_cast<const uint8_t *>(inner_.readable(seg, offset, size));
        if (!p || !size)
            return p;
        block_ = std::make_unique<uint8_t[]>(size - 1);
        memcpy(block_.get(), p, size - 1);
        return block_.get();
    }
    void *writable(uint32_t seg, uint64_t offset, uint64_t size) override {
        return inner_.writable(seg, offset, size);
    }

  private:
    hostile::Memory &inner_;
    std::unique_ptr<uint8_t[]> block_;
};

void records(Bytes in) {
    static hostile::Memory memory;
    static ShortMemory wrong(memory);
    static pipe_screen *const screen = probe::create_screen(nullptr);
    static const bool control = getenv("WIRE_FUZZ_CONTROL");
    pipe_context ctx{};
    ctx.screen = screen;
    probe::fill_context(&ctx);
    wire::Generations group, lane;
    wire::Applier a;
    a.screen = screen;
    a.ctx = &ctx;
    a.memory = control ? static_cast<wire::Memory *>(&wrong) : &memory;
    a.group_generations = &group;
    a.lane_generations = &lane;
    std::vector<uint64_t> whole(in.left() / 8);
    if (!whole.empty())
        memcpy(whole.data(), in.at, whole.size() * 8);
    for (size_t at = 0; at < whole.size();) {
        wire::Header h;
        memcpy(&h, &whole[at], sizeof h);
        const size_t words = std::clamp<size_t>(h.size / 8, 1, whole.size() - at);
        // A heap block of exactly that size: one byte too far is seen by the sanitizer.
        const std::vector<uint64_t> exact(whole.begin() + static_cast<long>(at),
                                          whole.begin() + static_cast<long>(at + words));
        if (wire::apply(a, reinterpret_cast<const uint8_t *>(exact.data()), exact.size() * 8) !=
            PIPE_FAULT_NONE)
            break;
        at += words;
    }
    probe::forget_calls();
}

// --- messages ------------------------------------------------------------------------------------

enum Prefix : uint8_t { with_hello = 1, with_screen = 2, with_lane = 4, asks_for_stream = 8 };

std::vector<remote::Message> prefix(uint8_t flags) {
    std::vector<remote::Message> out;
    if (flags & with_hello) {
        pipe_ctl_hello h{};
        h.magic = remote::control_magic;
        h.control_version = remote::control_version;
        memcpy(h.fingerprint, wire::fingerprint, sizeof h.fingerprint);
        h.ring_kb = 64;
        h.stage_kb = 256;
        h.event_kb = 16;
        h.data = flags & asks_for_stream ? PIPE_DATA_PLANE_STREAM : PIPE_DATA_PLANE_ANY;
        out.emplace_back().set(PIPE_CTL_HELLO, h);
    }
    if (flags & with_screen) {
        pipe_ctl_screen s{};
        s.screen = 20;
        s.open = 1;
        out.emplace_back().set(PIPE_CTL_SCREEN, s);
    }
    if (flags & with_lane) {
        pipe_ctl_lane l{};
        l.screen = 20;
        l.lane = 21;
        l.open = 1;
        l.lane_handle = {1, 0};
        out.emplace_back().set(PIPE_CTL_LANE, l);
    }
    return out;
}

int some_segment(bool sealed) {
    const int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, 8192) == 0 && sealed)
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    return fd;
}

// Each message: number, what comes beside it, size, bytes.
void messages(Bytes in) {
    remote::Session session(noop_create_screen, [](remote::Message &) {});
    session.own_process = true;
    remote::Message out;
    for (remote::Message &m : prefix(in.byte()))
        session.handle(m, out);
    while (in.left()) {
        remote::Message m;
        m.type = in.byte() % (PIPE_CTL_COUNT + 2);
        const uint8_t beside = in.byte();
        const size_t low = in.byte();
        const Bytes body = in.take(low | size_t(in.byte()) << 8);
        m.bytes.assign(body.at, body.end);
        if (beside & 1)
            m.fds.push_back(some_segment(beside & 2));
        session.handle(m, out);
    }
    session.stop();
}

void append(std::vector<uint8_t> &to, const remote::Message &m) {
    const remote::MessageHead head{m.type, static_cast<uint32_t>(m.bytes.size())};
    const auto *h = reinterpret_cast<const uint8_t *>(&head);
    to.insert(to.end(), h, h + sizeof head);
    to.insert(to.end(), m.bytes.begin(), m.bytes.end());
}

// What a session's process does, with a file in place of a client.
void connection(Bytes in) {
    std::vector<uint8_t> bytes;
    for (const remote::Message &m : prefix(in.byte()))
        append(bytes, m);
    bytes.insert(bytes.end(), in.at, in.end);
    const int file = memfd_create("fuzz", MFD_CLOEXEC), null = open("/dev/null", O_RDWR);
    if (write(file, bytes.data(), bytes.size()) < 0 || lseek(file, 0, SEEK_SET) != 0)
        abort();
    remote::Channel channel(file, null);
    remote::Session session(
        noop_create_screen, [&](remote::Message &m) { channel.send(m); }, &channel);
    session.own_process = true;
    for (remote::MessageHead head; channel.next(&head);) {
        remote::Message m, out;
        if (remote::is_data(head.type)) {
            if (!session.receive_data(head, channel))
                break;
            continue;
        }
        if (!channel.finish(head, m))
            break;
        session.handle(m, out);
        if (out.type != PIPE_CTL_NONE)
            channel.send(out);
        if (out.type == PIPE_CTL_REFUSE)
            break;
    }
    session.stop();
}

// --- strangers -----------------------------------------------------------------------------------

void stranger(Bytes in) {
    remote::Door door;
    door.token = "0123456789abcdef";
    door.users = {geteuid()};
    const uint8_t flags = in.byte();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        abort();
    uint64_t now = 1;
    {
        remote::Newcomer newcomer(pair[0], flags & 1, now);
        using State = remote::Newcomer::State;
        std::vector<uint8_t> bytes;
        if (flags & 2) {
            pipe_ctl_auth auth{remote::control_magic, remote::control_version,
                               static_cast<uint32_t>(door.token.size())};
            remote::Message m;
            m.set(PIPE_CTL_AUTH, auth, door.token.data(), door.token.size());
            append(bytes, m);
        }
        bytes.insert(bytes.end(), in.at, in.end);
        size_t at = 0, piece = flags & 4 ? 1 : flags & 8 ? 7 : bytes.size();
        while (at < bytes.size() && newcomer.state() != State::gone &&
               newcomer.state() != State::arrived) {
            const size_t n = std::min(piece, bytes.size() - at);
            if (send(pair[1], &bytes[at], n, MSG_DONTWAIT | MSG_NOSIGNAL) <= 0)
                break;
            at += n;
            newcomer.look(door, now += 30'000'000);
        }
        // Only the token opens the door, and hello is still there behind it.
        remote::MessageHead head{};
        if (newcomer.state() == State::arrived &&
            (recv(newcomer.fd(), &head, sizeof head, MSG_PEEK | MSG_DONTWAIT) != sizeof head ||
             head.type != PIPE_CTL_HELLO || (flags & 1 && !(flags & 2) && bytes.size() < 40)))
            abort();
    }
    close(pair[1]);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size)
        return 0;
    [[maybe_unused]] static const bool quiet = util::log_open("/dev/null");
    Bytes in{data, data + size};
    switch (in.byte() % 4) {
    case 0: records(in); break;
    case 1: messages(in); break;
    case 2: connection(in); break;
    default: stranger(in);
    }
    return 0;
}
