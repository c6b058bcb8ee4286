// SPDX-License-Identifier: MIT
// Bytes of buffers that come by themselves: the read behind a command of the GPU finds them, once a
// read had to ask; every read that finds none asks.
#include <catch2/catch.hpp>

#include "probe.h"

#include "pipe/pipe_archive.h"
#include "remote/remote.h"
#include "util/stats.h"

#include <array>
#include <cstring>
#include <thread>

namespace {

constexpr pipe_handle buffer{5, 0};

struct Client {
    Client() {
        util::stats_start(true);
        remote::Options options;
        options.form = remote::Form::inproc;
        options.create_screen = probe::create_screen;
        screen = remote::create_screen(options, nullptr);
        REQUIRE(screen);
    }
    ~Client() { screen->destroy(screen); }
    pipe_context *lane(uint32_t slot) {
        pipe_lane_create p{};
        p.lane = {slot, 0};
        pipe_context *ctx = screen->lane_create(screen, &p);
        REQUIRE(ctx);
        return ctx;
    }
    pipe_screen *screen;
};

void end(pipe_context *ctx) {
    pipe_lane_destroy p{};
    p.lane = ctx->lane;
    ctx->lane_destroy(ctx, &p);
}

using Bytes = std::array<uint8_t, 256>;

pipe_status read(pipe_context *ctx, uint64_t offset, Bytes &got) {
    const pipe_resource_readback p{buffer, offset, sizeof got};
    const pipe_out_span dst{got.data(), got.size()};
    return ctx->resource_readback(ctx, &p, &dst);
}

// A place whose read the probe answers, which is learned by that.
uint64_t good_offset(pipe_context *ctx, uint64_t from, Bytes &expected) {
    while (read(ctx, from, expected) != PIPE_OK)
        from += 64;
    return from;
}

// The GPU writes there.
void write(pipe_context *ctx, uint64_t offset) {
    pipe_clear_buffer p{};
    p.buffer = buffer;
    p.offset = offset;
    p.size = sizeof(Bytes);
    ctx->clear_buffer(ctx, &p);
}

uint64_t round_trips() {
    return util::stats_total("wire.replies");
}

// Round trips of one read that must find the expected bytes.
uint64_t cost(pipe_context *ctx, uint64_t offset, const Bytes &expected) {
    Bytes got{};
    const uint64_t before = round_trips();
    CHECK(read(ctx, offset, got) == PIPE_OK);
    CHECK(got == expected);
    return round_trips() - before;
}

} // namespace

TEST_CASE("writebacks: what was read once comes by itself") {
    Client client;
    pipe_context *ctx = client.lane(1);
    Bytes expected{};
    uint64_t offset = 0;
    for (int i = 0; i < 20; i++) {
        offset = good_offset(ctx, offset + 512, expected);
        CHECK(cost(ctx, offset, expected) == 1); // no command wrote it
        write(ctx, offset);
        CHECK(cost(ctx, offset, expected) == 0);
        CHECK(cost(ctx, offset, expected) == 0); // still its bytes
    }
    // A part of it, and more than it.
    write(ctx, offset);
    const pipe_resource_readback p{buffer, offset + 64, 8};
    uint64_t got = 0;
    const pipe_out_span dst{&got, sizeof got};
    const uint64_t before = round_trips();
    CHECK(ctx->resource_readback(ctx, &p, &dst) == PIPE_OK);
    CHECK(!memcmp(&got, expected.data() + 64, sizeof got));
    CHECK(round_trips() == before);
    Bytes more{};
    read(ctx, offset + 8, more);
    CHECK(round_trips() == before + 1);
    end(ctx);
}

TEST_CASE("writebacks: whoever writes ends what was promised") {
    Client client;
    pipe_context *ctx = client.lane(1), *other = client.lane(2);
    Bytes expected{};
    const uint64_t offset = good_offset(ctx, 0, expected);
    const std::string text(16, 'x');
    const pipe_host_span data = pipe_span(text.data(), text.size());
    for (pipe_context *writer : {ctx, other}) {
        write(ctx, offset);
        pipe_resource_subdata s{};
        s.resource = buffer;
        s.offset = offset + 240;
        s.size = text.size();
        writer->resource_subdata(writer, &s, nullptr, &data);
        CHECK(cost(ctx, offset, expected) == 1);
        write(ctx, offset);
        s.offset = offset + 256; // behind it
        writer->resource_subdata(writer, &s, nullptr, &data);
        CHECK(cost(ctx, offset, expected) == 0);
        write(ctx, offset);
        pipe_resource_invalidate gone{};
        gone.resource = buffer;
        gone.size = PIPE_WHOLE_SIZE;
        client.screen->resource_invalidate(writer, &gone);
        CHECK(cost(ctx, offset, expected) == 1);
    }
    // The GPU's next write is the one that counts.
    write(other, offset);
    write(ctx, offset);
    CHECK(cost(ctx, offset, expected) == 0);
    end(other);
    end(ctx);
}

TEST_CASE("writebacks: a capture is over when it ends") {
    Client client;
    pipe_context *ctx = client.lane(1);
    Bytes expected{};
    const uint64_t offset = good_offset(ctx, 0, expected);
    pipe_set_stream_output_targets targets{};
    targets.so = {7, 0};
    targets.count = 1;
    const pipe_so_target target{buffer, offset, sizeof(Bytes)};
    ctx->set_stream_output_targets(ctx, &targets, &target);
    for (int i = 0; i < 3; i++) {
        pipe_begin_stream_output begin{};
        begin.so = targets.so;
        begin.mode = PIPE_PRIM_POINTS;
        ctx->begin_stream_output(ctx, &begin);
        CHECK(cost(ctx, offset, expected) == 1);
        pipe_end_stream_output over{};
        over.so = targets.so;
        ctx->end_stream_output(ctx, &over);
        CHECK(cost(ctx, offset, expected) == 0);
    }
    end(ctx);
}

namespace {

void make_program(pipe_context *ctx, pipe_handle shader, bool writes, uint32_t serial = 1) {
    pipe_shader_archive archive{};
    archive.stages.resize(1);
    archive.stages[0].stage = PIPE_SHADER_COMPUTE;
    archive.stages[0].writes_memory = writes;
    pipe_create_shader_state p{};
    p.shader = shader;
    p.serial = serial;
    ctx->screen->create_shader_state(ctx, &p, &archive);
}

void dispatch(pipe_context *ctx, pipe_handle shader) {
    const pipe_set_dispatch_program program{shader};
    ctx->set_dispatch_program(ctx, &program);
    pipe_launch_grid p{};
    p.grid[0] = p.grid[1] = p.grid[2] = 1;
    ctx->launch_grid(ctx, &p);
}

void draw(pipe_context *ctx, pipe_handle shader) {
    const pipe_set_draw_program program{shader};
    ctx->set_draw_program(ctx, &program);
    pipe_draw_vbo p{};
    p.num_ranges = p.instance_count = 1;
    const pipe_draw_range range{0, 3, 0};
    ctx->draw_vbo(ctx, &p, &range, nullptr, nullptr);
}

void bind(pipe_context *ctx, enum pipe_buffer_class cls, uint64_t offset, uint64_t size) {
    pipe_set_shader_buffers set{};
    set.cls = uint8_t(cls);
    set.start = 3;
    set.count = 1;
    const pipe_buffer_range range{buffer, offset, size};
    ctx->set_shader_buffers(ctx, &set, &range);
}

void barrier(pipe_context *ctx, uint32_t bits = PIPE_BARRIER_BUFFER_UPDATE) {
    pipe_memory_barrier p{};
    p.barriers = static_cast<decltype(p.barriers)>(bits);
    ctx->memory_barrier(ctx, &p);
}

constexpr pipe_handle writer{1, 0}, reader{2, 0};

} // namespace

TEST_CASE("writebacks: what shaders write comes when a barrier makes it readable") {
    Client client;
    pipe_context *ctx = client.lane(1), *other = client.lane(2);
    Bytes expected{};
    const uint64_t offset = good_offset(ctx, 0, expected);
    make_program(ctx, writer, true);
    make_program(ctx, reader, false);
    for (enum pipe_buffer_class cls : {PIPE_BUFFER_CLASS_STORAGE, PIPE_BUFFER_CLASS_ATOMIC}) {
        bind(ctx, cls, 0, cls == PIPE_BUFFER_CLASS_ATOMIC ? offset + 512 : PIPE_WHOLE_SIZE);
        for (auto verb : {dispatch, draw}) {
            write(ctx, offset);
            verb(ctx, writer);
            CHECK(cost(ctx, offset, expected) == 1); // it ends what was promised
            verb(ctx, writer);
            barrier(ctx, PIPE_BARRIER_SHADER_STORAGE);
            CHECK(cost(ctx, offset, expected) == 1); // not for readers
            for (int i = 0; i < 5; i++) {
                verb(ctx, writer);
                barrier(ctx);
                verb(ctx, reader); // bound there too, writes nothing
                CHECK(cost(ctx, offset, expected) == 0);
                CHECK(cost(ctx, offset, expected) == 0);
            }
            verb(ctx, writer);
            barrier(ctx);
            bind(other, cls, 0, PIPE_WHOLE_SIZE);
            verb(other, writer);
            CHECK(cost(ctx, offset, expected) == 1);
        }
        bind(ctx, cls, offset + 4096, 64);
        bind(other, cls, offset + 4096, 64);
        write(ctx, offset);
        dispatch(ctx, writer); // elsewhere
        CHECK(cost(ctx, offset, expected) == 0);
    }
    end(other);
    end(ctx);
}

TEST_CASE("writebacks: what shaders write several times comes once") {
    Client client;
    pipe_context *ctx = client.lane(1);
    Bytes expected{};
    const uint64_t offset = good_offset(ctx, 0, expected);
    make_program(ctx, writer, true);
    bind(ctx, PIPE_BUFFER_CLASS_STORAGE, 0, PIPE_WHOLE_SIZE);
    const uint64_t before = util::stats_total("writebacks.arrived");
    constexpr int frames = 20;
    for (int frame = 0; frame < frames; frame++) {
        for (int i = 0; i < 3; i++) {
            dispatch(ctx, writer);
            barrier(ctx);
        }
        const pipe_flush f{};
        ctx->flush(ctx, &f);
        CHECK(cost(ctx, offset, expected) == 0);
    }
    CHECK(util::stats_total("writebacks.arrived") - before <= frames + 1);
    end(ctx);
}

TEST_CASE("writebacks: a program that comes to write while lanes have it ends all promises") {
    Client client;
    pipe_context *ctx = client.lane(1);
    Bytes expected{};
    const uint64_t offset = good_offset(ctx, 0, expected);
    bind(ctx, PIPE_BUFFER_CLASS_STORAGE, 0, PIPE_WHOLE_SIZE);
    make_program(ctx, reader, false);
    dispatch(ctx, reader);
    write(ctx, offset);
    make_program(ctx, reader, true, 2);
    CHECK(cost(ctx, offset, expected) == 1);
    write(ctx, offset);
    CHECK(cost(ctx, offset, expected) == 1);
    end(ctx);
}

TEST_CASE("writebacks: texels that the GPU puts into a buffer") {
    Client client;
    pipe_context *ctx = client.lane(1);
    Bytes expected{};
    const uint64_t offset = good_offset(ctx, 0, expected);
    pipe_get_texture_image_to_buffer p{};
    p.texture = {9, 0};
    p.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    p.box = {0, 0, 0, 4, 4, 4};
    p.row_stride = 16;
    p.slice_stride = 64;
    p.buffer = buffer;
    p.offset = offset;
    for (int i = 0; i < 3; i++) {
        ctx->get_texture_image_to_buffer(ctx, &p);
        CHECK(cost(ctx, offset, expected) == 0);
    }
    p.box.depth = 3; // less than what is read
    ctx->get_texture_image_to_buffer(ctx, &p);
    CHECK(cost(ctx, offset, expected) == 1);
    end(ctx);
}

TEST_CASE("writebacks: a program that reads no more is sent no more") {
    Client client;
    pipe_context *ctx = client.lane(1);
    Bytes expected{};
    const uint64_t offset = good_offset(ctx, 0, expected);
    const uint64_t before = util::stats_total("writebacks.arrived");
    pipe_finish f{};
    for (int i = 0; i < 200; i++)
        write(ctx, offset);
    ctx->finish(ctx, &f);
    CHECK(util::stats_total("writebacks.arrived") - before <= 3);
    CHECK(util::stats_total("segments") < 32);
    // The read that asks is a reason to send again.
    CHECK(cost(ctx, offset, expected) <= 1);
    cost(ctx, offset, expected);
    write(ctx, offset);
    CHECK(cost(ctx, offset, expected) == 0);
    end(ctx);
}

TEST_CASE("writebacks: lanes read what another lane was promised") {
    Client client;
    pipe_context *a = client.lane(1), *b = client.lane(2);
    Bytes expected{};
    const uint64_t offset = good_offset(a, 0, expected);
    unsigned wrong = 0;
    const pipe_finish f{};
    const uint64_t before = round_trips();
    for (int i = 0; i < 50; i++) {
        write(a, offset);
        a->finish(a, &f); // what is still on its way to another lane is asked for
        std::thread([&] {
            Bytes got{};
            wrong += read(b, offset, got) != PIPE_OK || got != expected;
        }).join();
    }
    CHECK(wrong == 0);
    CHECK(round_trips() == before + 50); // those of finish
    // The lane that was promised them ends, then the buffer.
    write(a, offset);
    end(a);
    CHECK(cost(b, offset, expected) <= 1);
    const pipe_resource_destroy gone{buffer};
    client.screen->resource_destroy(b, &gone);
    CHECK(cost(b, offset, expected) == 1);
    end(b);
}
