// SPDX-License-Identifier: MIT
// Hostile peers: the session is latched by a named fault, the server lives and serves the next one.
#include <catch2/catch.hpp>

#include "hostile.h"

#include "ring.h"
#include "server/session.h"

#include <atomic>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

// A client that speaks the protocol by hand.
struct RawClient {
    RawClient()
        : session(probe::create_screen, [this](remote::Message &m) {
              pipe_ctl_fault f;
              if (m.type == PIPE_CTL_FAULT && m.get(&f))
                  fault.store(static_cast<enum pipe_fault>(f.fault));
          }) {
        remote::Message in, out;
        pipe_ctl_hello h{};
        h.magic = remote::control_magic;
        h.control_version = remote::control_version;
        h.fingerprint[0] = wire::fingerprint[0];
        h.fingerprint[1] = wire::fingerprint[1];
        h.ring_kb = 64;
        in.set(PIPE_CTL_HELLO, h);
        session.handle(in, out);
        REQUIRE(out.type == PIPE_CTL_WELCOME);
        pipe_ctl_screen s{};
        s.screen = 20;
        s.open = 1;
        in.set(PIPE_CTL_SCREEN, s);
        session.handle(in, out);
        pipe_ctl_lane l{};
        l.screen = 20;
        l.lane = 21;
        l.open = 1;
        l.lane_handle = {1, 0};
        in.set(PIPE_CTL_LANE, l);
        session.handle(in, out);
        pipe_ctl_reply r;
        REQUIRE(out.get(&r));
        REQUIRE(r.status == PIPE_OK);
        REQUIRE(ring.adopt(out.take_fd(0), remote::page_size + session.ring_size()));
        page = reinterpret_cast<remote::RingPage *>(ring.data());
    }
    // Atomic, because other threads of the test may write there too.
    void send(const void *p, uint64_t n) {
        auto *from = static_cast<const uint8_t *>(p);
        auto *to = reinterpret_cast<uint8_t *>(ring.data()) + remote::page_size + head;
        for (uint64_t i = 0; i < n; i++)
            std::atomic_ref(to[i]).store(from[i], std::memory_order_relaxed);
        publish(head + n);
    }
    void publish(uint64_t to) {
        head = to;
        page->head.store(head);
        page->consumer.sequence.fetch_add(1);
        util::futex_wake(page->consumer.sequence, 1, util::FutexScope::shared);
    }
    enum pipe_fault wait_fault() {
        for (int i = 0; i < 2000 && fault.load() == PIPE_FAULT_NONE; i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return fault.load();
    }
    // Until so many records were applied or a fault came.
    void wait_applied(uint64_t records) {
        for (int i = 0; i < 2000 && page->applied.load() < records && !fault.load(); i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    remote::Session session;
    remote::Segment ring;
    remote::RingPage *page = nullptr;
    uint64_t head = 0;
    std::atomic<enum pipe_fault> fault{PIPE_FAULT_NONE};
};

struct Raw {
    wire::Header h;
    uint64_t words[8];
};

} // namespace

TEST_CASE("hostile: each fault has its name") {
    Raw r{};
    SECTION("opcode") {
        RawClient c;
        r.h = {PIPE_OP_COUNT + 5, 0, 16};
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_OPCODE);
    }
    SECTION("root call in a ring") {
        RawClient c;
        r.h = {PIPE_OP_SURFACE_DESTROY, 0, 16};
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_PROTOCOL);
    }
    SECTION("size below the header") {
        RawClient c;
        r.h = {PIPE_OP_FLUSH, 0, 4};
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_RECORD_SIZE);
    }
    SECTION("size beyond the head") {
        RawClient c;
        r.h = {PIPE_OP_FLUSH, 0, 4096};
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_RECORD_SIZE);
    }
    SECTION("payload cut") {
        RawClient c;
        r.h = {PIPE_OP_DRAW_VBO, 0, 16};
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_RECORD_SIZE);
    }
    SECTION("count beyond the record") {
        RawClient c;
        r.h = {PIPE_OP_SET_VERTEX_BUFFERS, 0, 16};
        r.words[0] = 30ull << 32;
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_COUNT);
    }
    SECTION("window of indexed state") {
        RawClient c;
        r.h = {PIPE_OP_SET_SAMPLER_VIEWS, 0, 16};
        r.words[0] = 0xffffffffull;
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_COUNT);
    }
    SECTION("enum") {
        RawClient c;
        pipe_generate_mipmap p{};
        p.format = 60000;
        r.h = {PIPE_OP_GENERATE_MIPMAP, 0, uint32_t(8 + sizeof p)};
        memcpy(r.words, &p, sizeof p);
        c.send(&r, r.h.size);
        CHECK(c.wait_fault() == PIPE_FAULT_ENUM);
    }
    SECTION("handle slot") {
        RawClient c;
        r.h = {PIPE_OP_BIND_RENDER_STATE, 0, 16};
        r.words[0] = 0x7fffffff;
        c.send(&r, 16);
        CHECK(c.wait_fault() == PIPE_FAULT_ENUM);
    }
    SECTION("span without a segment, span outside one") {
        for (uint32_t seg : {uint32_t(PIPE_SEG_NONE), uint32_t(PIPE_SEG_STAGE), 77u}) {
            RawClient c;
            pipe_set_dynamic_state p{};
            wire::Span s{seg, 0, 1ull << 40, 64};
            r.h = {PIPE_OP_SET_DYNAMIC_STATE, 1, uint32_t(8 + sizeof p + sizeof s)};
            memcpy(r.words, &p, sizeof p);
            memcpy(r.words + 1, &s, sizeof s);
            c.send(&r, r.h.size);
            CHECK(c.wait_fault() == (seg == PIPE_SEG_NONE ? PIPE_FAULT_SEGMENT : PIPE_FAULT_SPAN));
        }
    }
    SECTION("archive") {
        RawClient c;
        pipe_create_shader_state p{};
        wire::Span s{PIPE_SEG_STAGE, 0, 0, 64};
        r.h = {PIPE_OP_CREATE_SHADER_STATE, 1, uint32_t(8 + sizeof p + sizeof s)};
        memcpy(r.words, &p, sizeof p);
        memcpy(reinterpret_cast<uint8_t *>(r.words) + sizeof p, &s, sizeof s);
        c.send(&r, r.h.size);
        CHECK(c.wait_fault() == PIPE_FAULT_ARCHIVE);
    }
    SECTION("answer outside its segment") {
        RawClient c;
        pipe_finish p{};
        pipe_query_timestamp q{};
        (void)p;
        wire::Reply a{PIPE_SEG_READ, 0, 0, 16}; // the session page is not for answers
        r.h = {PIPE_OP_QUERY_TIMESTAMP, 0, uint32_t(8 + sizeof q + sizeof a)};
        memcpy(r.words, &q, sizeof q);
        memcpy(r.words + 1, &a, sizeof a);
        c.send(&r, r.h.size);
        CHECK(c.wait_fault() == PIPE_FAULT_REPLY);
    }
    SECTION("cursor") {
        RawClient c;
        c.publish(1ull << 40);
        CHECK(c.wait_fault() == PIPE_FAULT_CURSOR);
    }
    SECTION("indirect record that names another") {
        RawClient c;
        wire::Span s{PIPE_SEG_STAGE, 0, 0, 64};
        r.h = {PIPE_OP_FLUSH, wire::flag_indirect, uint32_t(8 + sizeof s)};
        memcpy(r.words, &s, sizeof s);
        c.send(&r, r.h.size);
        CHECK(c.wait_fault() == PIPE_FAULT_PROTOCOL);
    }
    SECTION("generation that runs backwards") {
        for (uint32_t gen : {2u, 4u}) { // older than the slot's last, or younger
            RawClient c;
            auto create = [&](uint32_t g) {
                pipe_fence_create p{};
                p.fence = {9, g};
                Raw q{};
                q.h = {PIPE_OP_FENCE_CREATE, 0, uint32_t(8 + sizeof p)};
                memcpy(q.words, &p, sizeof p);
                c.send(&q, q.h.size);
            };
            create(3);
            create(gen);
            if (gen == 2) {
                CHECK(c.wait_fault() == PIPE_FAULT_GENERATION);
            } else {
                c.wait_applied(2);
                CHECK(c.fault.load() == PIPE_FAULT_NONE);
            }
        }
    }
    SECTION("dead name of a lane's object") {
        RawClient c;
        auto send = [&](uint16_t op, uint32_t gen) {
            pipe_query_create p{};
            p.query = {4, gen};
            const uint32_t size = op == PIPE_OP_QUERY_CREATE ? sizeof p : sizeof p.query;
            Raw q{};
            q.h = {op, 0, 8 + size};
            memcpy(q.words, &p, size);
            c.send(&q, q.h.size);
        };
        send(PIPE_OP_QUERY_CREATE, 1);
        send(PIPE_OP_QUERY_BEGIN, 1);
        send(PIPE_OP_QUERY_CREATE, 2);
        c.wait_applied(3);
        CHECK(c.fault.load() == PIPE_FAULT_NONE);
        send(PIPE_OP_QUERY_END, 1);
        CHECK(c.wait_fault() == PIPE_FAULT_GENERATION);
    }
    SECTION("segment without seals") {
        RawClient c;
        remote::Message in, out;
        pipe_ctl_segment s{};
        s.seg = 40;
        s.size = 4096;
        in.set(PIPE_CTL_SEGMENT, s);
        int fd = memfd_create("plain", 0);
        REQUIRE(ftruncate(fd, 4096) == 0);
        in.fds.push_back(fd);
        c.session.handle(in, out);
        CHECK(c.wait_fault() == PIPE_FAULT_SEAL);
    }
    // Whatever happened: the next session works.
    RawClient next;
    r = {};
    r.h = {PIPE_OP_FLUSH, 0, 16};
    next.send(&r, 16);
    for (int i = 0; i < 2000 && next.page->applied.load() < 1; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(next.page->applied.load() == 1);
    CHECK(next.fault.load() == PIPE_FAULT_NONE);
}

TEST_CASE("hostile: damaged records of every call") {
    uint64_t refused = hostile::run(7, 30000);
    CHECK(refused > 3000);
    CHECK(refused < 30000);
}

// What is proved is what is used: a record that was taken no longer depends on the ring.
TEST_CASE("hostile: a record is read once") {
    remote::Segment segment;
    constexpr uint64_t ring_size = 4096;
    REQUIRE(segment.create("test-ring", remote::page_size + ring_size));
    remote::RingConsumer consumer;
    consumer.attach(&segment, ring_size);
    uint8_t *ring = segment.data() + remote::page_size;
    auto put = [&](Raw r) { memcpy(ring, &r, sizeof r); };
    Raw sent{};
    sent.h = {PIPE_OP_SET_SAMPLE_STATE, 0, sizeof sent};
    for (unsigned i = 0; i < 8; i++)
        sent.words[i] = 0x1111111111111111ull * (i + 1);
    put(sent);
    consumer.page().head.store(sizeof sent);
    REQUIRE(consumer.available() == sizeof sent);
    uint64_t size = 0;
    const uint8_t *taken = consumer.take(&size);
    REQUIRE(taken);
    CHECK(size == sizeof sent);
    CHECK((taken < ring || taken >= ring + ring_size));
    Raw other{};
    memset(&other, 0xee, sizeof other);
    put(other); // the peer writes on
    CHECK(memcmp(taken, &sent, sizeof sent) == 0);
}

// A writer flips the bytes of records while the server decodes them. Only sizes and opcodes change
// between valid values, so that most records are applied; a decoder that fetched them twice would
// prove one and use the other.
TEST_CASE("hostile: a ring that changes while it is read") {
    uint64_t applied = 0, faults = 0;
    // A loaded machine may let one of the two always be first: then more rounds.
    for (uint64_t seed = 1; seed <= 8 || (seed <= 64 && !(applied && faults)); seed++) {
        RawClient c;
        std::atomic<bool> stop{false};
        std::thread scribbler([&] {
            probe::Random r{seed};
            auto *ring = reinterpret_cast<uint32_t *>(c.ring.data() + remote::page_size);
            auto store = [ring](uint32_t at, uint32_t v) {
                std::atomic_ref(ring[at]).store(v, std::memory_order_relaxed);
            };
            while (!stop.load()) {
                const uint32_t at = r.below(1024);
                if (seed % 2) // anything anywhere
                    store(at, static_cast<uint32_t>(r.below(4) ? r.below(256) : r.next()));
                else // the count of a tail, between what fits and what does not
                    store(at / 10 * 10 + 3, r.below(2) ? 1 : 0x7fffffff);
            }
        });
        Raw r{};
        pipe_set_vertex_buffers p{0, 1};
        r.h = {PIPE_OP_SET_VERTEX_BUFFERS, 0, 8 + sizeof p + sizeof(pipe_vertex_buffer)};
        memcpy(r.words, &p, sizeof p);
        for (int i = 0; i < 400 && c.fault.load() == PIPE_FAULT_NONE; i++)
            c.send(&r, r.h.size);
        c.wait_applied(400);
        applied += c.page->applied.load();
        faults += c.fault.load() != PIPE_FAULT_NONE;
        stop = true;
        scribbler.join();
    }
    CHECK(applied > 0); // the writer was not always first
    CHECK(faults > 0);  // nor always last
    RawClient next;
    Raw r{};
    r.h = {PIPE_OP_FLUSH, 0, 16};
    next.send(&r, 16);
    next.wait_applied(1);
    CHECK(next.page->applied.load() == 1);
}

TEST_CASE("hostile: handshakes that do not fit are refused by name") {
    auto refuse = [](pipe_ctl_hello h) {
        remote::Session s(probe::create_screen, [](remote::Message &) {});
        remote::Message in, out;
        in.set(PIPE_CTL_HELLO, h);
        s.handle(in, out);
        pipe_ctl_refuse r{};
        REQUIRE(out.type == PIPE_CTL_REFUSE);
        REQUIRE(out.get(&r));
        return static_cast<enum pipe_refusal>(r.code);
    };
    pipe_ctl_hello h{};
    CHECK(refuse(h) == PIPE_REFUSAL_MAGIC);
    h.magic = remote::control_magic;
    CHECK(refuse(h) == PIPE_REFUSAL_VERSION);
    h.control_version = remote::control_version;
    CHECK(refuse(h) == PIPE_REFUSAL_FINGERPRINT);
    h.fingerprint[0] = wire::fingerprint[0];
    h.fingerprint[1] = wire::fingerprint[1];
    for (const char *name : {"../x", "a;MGPIPE_DEBUG=b", "a\n", "Noop", "\xff"}) {
        memset(h.driver, 0, sizeof h.driver);
        memcpy(h.driver, name, strlen(name));
        CHECK(refuse(h) == PIPE_REFUSAL_DRIVER);
    }
}

namespace {

// What a client is told, and that every byte of it can be read.
struct Heard {
    unsigned calls = 0;
    uint64_t digest = 0;
    template <class P> static void plain(void *data, const P *p) {
        auto *h = static_cast<Heard *>(data);
        h->calls++;
        h->digest = probe::digest_bytes(h->digest, p, sizeof *p);
    }
    template <class P> static void content(void *data, const P *p, const pipe_host_span *span) {
        plain(data, p);
        auto *h = static_cast<Heard *>(data);
        h->digest = probe::digest_bytes(h->digest, span->ptr, span->size);
    }
    static pipe_callbacks all() {
        pipe_callbacks c{};
        c.on_gl_error = content<pipe_on_gl_error>;
        c.on_buffer_writeback = plain<pipe_on_buffer_writeback>;
        c.on_fence_signaled = plain<pipe_on_fence_signaled>;
        c.on_query_ready = plain<pipe_on_query_ready>;
        c.on_device_lost = content<pipe_on_device_lost>;
        c.on_log = content<pipe_on_log>;
        c.on_frame = content<pipe_on_frame>;
        return c;
    }
};

// One record of each event.
std::vector<std::vector<uint64_t>> events() {
    capture::Emitter emitter;
    void *owner = static_cast<wire::Emitter *>(&emitter);
    const pipe_host_span text = pipe_span("forty bytes of content, give or take one", 40);
    const pipe_callbacks &c = wire::emitting_callbacks;
    auto plain = [&](auto call, auto p) { call(owner, &p); };
    auto content = [&](auto call, auto p) { call(owner, &p, &text); };
    content(c.on_gl_error, pipe_on_gl_error{});
    plain(c.on_buffer_writeback, pipe_on_buffer_writeback{{1, 1}, 8, 40});
    plain(c.on_fence_signaled, pipe_on_fence_signaled{});
    plain(c.on_query_ready, pipe_on_query_ready{});
    content(c.on_device_lost, pipe_on_device_lost{});
    content(c.on_log, pipe_on_log{});
    content(c.on_frame, pipe_on_frame{});
    return std::move(emitter.records);
}

enum pipe_fault apply_event(const pipe_callbacks *c, Heard *heard,
                            const std::vector<uint64_t> &record) {
    return wire::apply_event(c, heard, reinterpret_cast<const uint8_t *>(record.data()),
                             record.size() * 8);
}

} // namespace

TEST_CASE("hostile: events of a server") {
    const pipe_callbacks all = Heard::all(), none{};
    const auto good = events();
    REQUIRE(good.size() + 1 == PIPE_EVENT_COUNT);
    Heard heard;
    for (const auto &record : good)
        CHECK(apply_event(&all, &heard, record) == PIPE_FAULT_NONE);
    CHECK(heard.calls == good.size());
    // A client that does not listen loses nothing but the event.
    for (const auto &record : good)
        CHECK(apply_event(&none, nullptr, record) == PIPE_FAULT_NONE);
    // Cut anywhere, and believed to be whole or not.
    for (const auto &record : good)
        for (size_t words = 1; words < record.size(); words++) {
            std::vector<uint64_t> cut(record.begin(), record.begin() + long(words));
            CHECK(apply_event(&all, &heard, cut) == PIPE_FAULT_RECORD_SIZE);
            reinterpret_cast<wire::Header *>(cut.data())->size = uint32_t(words * 8);
            const enum pipe_fault f = apply_event(&all, &heard, cut);
            CHECK((f == PIPE_FAULT_RECORD_SIZE || f == PIPE_FAULT_SPAN));
        }
    std::vector<uint64_t> unknown = good[0];
    reinterpret_cast<wire::Header *>(unknown.data())->op = PIPE_EVENT_COUNT + 3;
    CHECK(apply_event(&all, &heard, unknown) == PIPE_FAULT_OPCODE);
    CHECK(heard.calls == good.size());
    probe::Random r{17};
    unsigned refused = 0;
    for (int i = 0; i < 50000; i++) {
        std::vector<uint64_t> record = good[r.below(uint32_t(good.size()))];
        hostile::damage(record, r);
        refused += apply_event(&all, &heard, record) != PIPE_FAULT_NONE;
    }
    CHECK(refused > 5000);
    CHECK(refused < 50000);
}

TEST_CASE("hostile: archives that lie about their counts") {
    probe::Random r{3};
    for (int i = 0; i < 300; i++) {
        pipe_shader_archive a;
        probe::fill_archive(a, r);
        std::vector<uint8_t> bytes;
        pipe_shader_archive_encode(a, bytes);
        pipe_shader_archive back;
        REQUIRE(pipe_shader_archive_decode(back, bytes.data(), bytes.size()));
        CHECK(probe::digest_archive(back) == probe::digest_archive(a));
        // Cut anywhere, or with a huge count somewhere: refused or read, never a crash or a great
        // allocation.
        std::vector<uint8_t> cut(bytes.begin(),
                                 bytes.begin() + r.below(static_cast<uint32_t>(bytes.size())));
        pipe_shader_archive other;
        CHECK(!pipe_shader_archive_decode(other, cut.data(), cut.size()));
        std::vector<uint8_t> lie = bytes;
        memset(lie.data() + r.below(static_cast<uint32_t>(lie.size() - 4)), 0xff, 4);
        pipe_shader_archive third;
        pipe_shader_archive_decode(third, lie.data(), lie.size());
    }
}
