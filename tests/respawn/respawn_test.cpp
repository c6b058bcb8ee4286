// SPDX-License-Identifier: MIT
// The respawning wrapper around screens that only write down what they are called with: an object
// of every kind and a piece of every state is on the new screen again, and each kind that is
// forgotten is missed.
#include <catch2/catch.hpp>

#include "pipe/pipe_archive.h"
#include "pipe_wrap/respawn.h"
#include "pipe_wrap/wrap.h"
#include "probe.h"
#include "util/stats.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

// One of the tests asks for more memory than there is.
extern "C" const char *__asan_default_options(void);
extern "C" const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

namespace {

// What the screens of the source were called with, the oldest screen first.
struct World {
    std::vector<std::vector<std::string>> calls;
    std::vector<pipe_screen *> screens;
    std::set<const pipe_screen *> lost;
    unsigned refuse_from = ~0u; // screens from here on cannot be made
    bool other_caps = false;
    uint64_t credit = 1;      // presents that may be under way
    unsigned die_at_once = 0; // of those to come
    unsigned losses_told = 0, errors_told = 0;
    std::function<void(uint16_t op)> before, after; // of each call of any screen
};
World *world = nullptr;

const char *const end_of_screen = "its end";

class Writer final : public wrap::Observer {
  public:
    explicit Writer(size_t number) : number_(number) {}
    ~Writer() override { world->calls[number_].push_back(end_of_screen); }
    void before(const wrap::CallView &c) override {
        if (world->before)
            world->before(c.op);
    }
    void after(const wrap::CallView &c) override {
        std::string text;
        wrap::print_call(text, c);
        world->calls[number_].push_back(text);
        if (world->after)
            world->after(c.op);
    }

  private:
    size_t number_;
};

pipe_screen *create(const pipe_screen_config *config) {
    if (world->screens.size() >= world->refuse_from)
        return nullptr;
    pipe_screen *probe = probe::create_screen(config);
    if (world->other_caps && !world->screens.empty())
        probe->caps.max_samples++;
    world->calls.emplace_back();
    pipe_screen *s = wrap::wrap_screen(probe, std::make_unique<Writer>(world->screens.size()));
    world->lost.erase(s); // where one lay that is no more
    if (world->die_at_once && !world->screens.empty()) {
        world->die_at_once--;
        world->lost.insert(s);
    }
    world->screens.push_back(s);
    return s;
}

class Program {
  public:
    explicit Program(uint32_t forget = 0) {
        world = &own_;
        callbacks_.on_device_lost = [](void *, const pipe_on_device_lost *,
                                       const pipe_host_span *) { world->losses_told++; };
        callbacks_.on_gl_error = [](void *, const pipe_on_gl_error *, const pipe_host_span *) {
            world->errors_told++;
        };
        wrap::RespawnSource source;
        source.create = create;
        source.lost = [](const pipe_screen *s) { return world->lost.count(s) != 0; };
        source.server = [](const pipe_screen *) { return 0u; };
        source.credit = [](const pipe_screen *) { return world->credit; };
        source.forget = forget;
        pipe_screen_config config{};
        config.callbacks = &callbacks_;
        screen = wrap::respawn_screen(source, &config);
        REQUIRE(screen);
        ctx = lane(1);
    }
    ~Program() {
        for (pipe_context *c : lanes_) {
            const pipe_lane_destroy p{c->lane};
            c->lane_destroy(c, &p);
        }
        screen->destroy(screen);
    }
    pipe_context *lane(uint32_t slot) {
        pipe_lane_create p{};
        p.lane = {slot, 1};
        lanes_.push_back(screen->lane_create(screen, &p));
        return lanes_.back();
    }
    void end_lane(pipe_context *c) {
        const pipe_lane_destroy p{c->lane};
        std::erase(lanes_, c);
        c->lane_destroy(c, &p);
    }
    void end_frame() {
        pipe_flush p{};
        p.flags = PIPE_FLUSH_END_OF_FRAME;
        ctx->flush(ctx, &p);
    }
    // Everything so far is in the journal, nothing in the log.
    void forget_frames() {
        for (int i = 0; i < 4; i++) {
            const pipe_texture_barrier p{};
            ctx->texture_barrier(ctx, &p);
            end_frame();
        }
    }
    void lose() { own_.lost.insert(own_.screens.back()); }
    // The next call, whatever it is.
    void call() {
        const pipe_memory_barrier p{};
        ctx->memory_barrier(ctx, &p);
    }
    const std::vector<std::string> &calls(size_t screen_number) {
        return own_.calls.at(screen_number);
    }
    World &own() { return own_; }

    pipe_screen *screen;
    pipe_context *ctx;

  private:
    World own_;
    pipe_callbacks callbacks_{};
    std::vector<pipe_context *> lanes_;
};

const std::map<std::string, uint32_t> makers = {
    {"resource_create", PIPE_HANDLE_RESOURCE},
    {"create_sampler_state", PIPE_HANDLE_SAMPLER},
    {"create_sampler_view", PIPE_HANDLE_SAMPLER_VIEW},
    {"create_shader_state", PIPE_HANDLE_SHADER},
    {"fence_create", PIPE_HANDLE_FENCE},
    {"surface_create", PIPE_HANDLE_SURFACE},
    {"create_render_state", PIPE_HANDLE_RENDER_STATE},
    {"create_vertex_elements", PIPE_HANDLE_VERTEX_ELEMENTS},
    {"set_framebuffer_state", PIPE_HANDLE_FRAMEBUFFER},
    {"query_create", PIPE_HANDLE_QUERY},
    {"set_stream_output_targets", PIPE_HANDLE_STREAM_OUTPUT},
};

pipe_resource_desc buffer_desc(uint32_t slot, uint64_t size) {
    pipe_resource_desc d{};
    d.resource = {slot, 1};
    d.target = PIPE_BUFFER;
    d.size = size;
    return d;
}

pipe_resource_desc texture_desc(uint32_t slot) {
    pipe_resource_desc d{};
    d.resource = {slot, 1};
    d.target = PIPE_TEXTURE_2D;
    d.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    d.width = d.height = 4;
    d.depth = d.layers = 1;
    d.levels = 3;
    return d;
}

void make(pipe_context *ctx, const pipe_resource_desc &desc) {
    pipe_resource_create p{};
    p.desc = desc;
    ctx->screen->resource_create(ctx, &p);
}

void write(pipe_context *ctx, uint32_t slot, uint64_t offset, const std::string &text) {
    pipe_resource_subdata p{};
    p.resource = {slot, 1};
    p.offset = offset;
    p.size = text.size();
    const pipe_host_span data = pipe_span(text.data(), text.size());
    ctx->resource_subdata(ctx, &p, nullptr, &data);
}

void write_level(pipe_context *ctx, uint32_t slot, uint32_t level, int width, uint8_t value) {
    const std::vector<uint8_t> texels(size_t(width) * size_t(width) * 4, value);
    pipe_resource_subdata p{};
    p.resource = {slot, 1};
    p.level = level;
    p.num_regions = 1;
    p.aspect = PIPE_ASPECT_COLOR;
    const pipe_region region{
        {0, 0, 0, width, width, 1}, 0, uint32_t(width) * 4, uint32_t(width * width) * 4};
    const pipe_host_span data = pipe_span(texels.data(), texels.size());
    ctx->resource_subdata(ctx, &p, &region, &data);
}

// An object of every kind.
void make_each(Program &program) {
    pipe_context *ctx = program.ctx;
    pipe_surface_create surface{};
    surface.surface = {3, 1};
    surface.width = surface.height = 16;
    pipe_surface_create_reply reply{};
    while (program.screen->surface_create(program.screen, &surface, &reply) != PIPE_OK)
        surface.width++; // the probe answers by what it is asked
    pipe_lane_current current{};
    current.draw = current.read = surface.surface;
    ctx->lane_current(ctx, &current);
    make(ctx, buffer_desc(5, 64));
    pipe_create_sampler_state sampler{};
    sampler.sampler = {7, 1};
    ctx->screen->create_sampler_state(ctx, &sampler);
    make(ctx, texture_desc(6));
    pipe_create_sampler_view view{};
    view.view = {8, 1};
    view.texture = {6, 1};
    ctx->screen->create_sampler_view(ctx, &view);
    pipe_create_shader_state shader{};
    shader.shader = {9, 1};
    pipe_shader_archive archive;
    probe::Random random{5};
    probe::fill_archive(archive, random);
    ctx->screen->create_shader_state(ctx, &shader, &archive);
    const pipe_fence_create fence{{10, 1}};
    ctx->screen->fence_create(ctx, &fence);
    pipe_render_state state{};
    uint8_t bytes[sizeof state];
    pipe_create_render_state rs{};
    rs.cso = {11, 1};
    rs.chunk_mask = (1u << PIPE_RS_CHUNK_COUNT) - 1;
    const pipe_host_span chunks =
        pipe_span(bytes, pipe_render_state_pack(&state, rs.chunk_mask, bytes));
    ctx->create_render_state(ctx, &rs, &chunks);
    pipe_create_vertex_elements elements{};
    elements.cso = {12, 1};
    ctx->create_vertex_elements(ctx, &elements, nullptr, nullptr);
    pipe_set_framebuffer_state framebuffer{};
    framebuffer.framebuffer = {13, 1};
    ctx->set_framebuffer_state(ctx, &framebuffer);
    pipe_query_create query{};
    query.query = {14, 1};
    ctx->query_create(ctx, &query);
    pipe_set_stream_output_targets so{};
    so.so = {15, 1};
    ctx->set_stream_output_targets(ctx, &so, nullptr);
}

std::string name_of(const std::string &call) {
    return call.substr(0, call.find('{'));
}

std::multiset<std::string> names(const std::vector<std::string> &calls) {
    std::multiset<std::string> out;
    for (const std::string &c : calls)
        out.insert(name_of(c));
    return out;
}

size_t index_of(const std::vector<std::string> &calls, const std::string &text) {
    for (size_t i = 0; i < calls.size(); i++)
        if (calls[i].find(text) != std::string::npos)
            return i;
    return calls.size();
}

// Kinds of which something is on the first screen and not on the second.
std::set<uint32_t> missed(Program &program) {
    const auto first = names(program.calls(0)), second = names(program.calls(1));
    std::set<uint32_t> out;
    for (const auto &[name, kind] : makers) {
        REQUIRE(first.count(name) > 0);
        if (second.count(name) == 0)
            out.insert(kind);
    }
    return out;
}

} // namespace

TEST_CASE("respawn: an object of every kind is made again, from the journal and from the log") {
    for (const bool folded : {true, false}) {
        Program program;
        make_each(program);
        if (folded)
            program.forget_frames();
        program.lose();
        program.call();
        CHECK(missed(program).empty());
        CHECK(program.own().losses_told == 0);
    }
}

TEST_CASE("respawn: a kind that is forgotten is missed") {
    for (const auto &[name, kind] : makers) {
        INFO(name);
        Program program(1u << kind);
        make_each(program);
        program.forget_frames();
        program.lose();
        program.call();
        CHECK(missed(program) == std::set<uint32_t>{kind});
    }
}

TEST_CASE("respawn: pushed state comes back as it was left") {
    Program program;
    make_each(program);
    pipe_context *ctx = program.ctx;
    const pipe_vertex_buffer buffers[3] = {
        {{5, 1}, 8, 12, 0}, {{5, 1}, 16, 4, 0}, {{0, 0}, 0, 0, 0}};
    pipe_set_vertex_buffers p{1, 3};
    ctx->set_vertex_buffers(ctx, &p, buffers);
    p = {2, 1};
    ctx->set_vertex_buffers(ctx, &p, buffers); // the second of the three
    const pipe_set_draw_program draws{{9, 1}};
    ctx->set_draw_program(ctx, &draws);
    const std::string constants = "0123456789abcdef";
    pipe_set_global_constants c{{9, 1}, 4, 16};
    const pipe_host_span data = pipe_span(constants.data(), constants.size());
    ctx->set_global_constants(ctx, &c, &data);
    program.forget_frames();
    program.lose();
    program.call();
    const auto &calls = program.calls(1);
    auto find = [&calls](const std::string &name) {
        for (const std::string &call : calls)
            if (name_of(call) == name)
                return call;
        return std::string();
    };
    std::string whole;
    const pipe_vertex_buffer merged[3] = {buffers[0], buffers[0], buffers[2]};
    p = {1, 3};
    wrap::CallView v{};
    v.op = PIPE_OP_SET_VERTEX_BUFFERS;
    v.payload = &p;
    v.tails[0] = {merged, 3, sizeof merged[0]};
    v.num_tails = 1;
    wrap::print_call(whole, v);
    CHECK(find("set_vertex_buffers") == whole);
    CHECK(!find("set_draw_program").empty());
    CHECK(find("set_global_constants").find("size=20") != std::string::npos);
    CHECK(index_of(calls, "create_shader_state") < index_of(calls, "set_draw_program"));
    CHECK(index_of(calls, "resource_create") < index_of(calls, "set_vertex_buffers"));
}

TEST_CASE("respawn: contents are what the client last knew") {
    Program program;
    pipe_context *ctx = program.ctx;
    make(ctx, buffer_desc(5, 64));
    make(ctx, buffer_desc(6, 64));
    write(ctx, 5, 8, "abcdefgh");
    write(ctx, 5, 10, "XY");
    pipe_resource_copy_region copy{};
    copy.src = {5, 1};
    copy.dst = {6, 1};
    copy.src_offset = 8;
    copy.dst_offset = 0;
    copy.size = 8;
    ctx->resource_copy_region(ctx, &copy);
    // Levels by a mipmap of a base that was written since: both are right.
    make(ctx, texture_desc(7));
    write_level(ctx, 7, 0, 4, 1);
    pipe_generate_mipmap mips{};
    mips.texture = {7, 1};
    mips.last_level = 2;
    mips.num_layers = 1;
    ctx->generate_mipmap(ctx, &mips);
    write_level(ctx, 7, 0, 4, 2);
    program.forget_frames();
    program.lose();
    program.call();
    const auto &calls = program.calls(1);
    std::vector<std::string> sequence;
    for (const std::string &call : calls)
        if (name_of(call) == "resource_subdata" || name_of(call) == "generate_mipmap")
            sequence.push_back(name_of(call));
    // Two buffers; the old base, its levels, the new base.
    CHECK(sequence == std::vector<std::string>{"resource_subdata", "resource_subdata",
                                               "resource_subdata", "generate_mipmap",
                                               "resource_subdata"});
}

TEST_CASE("respawn: a lane waits for records of the new server only") {
    Program program;
    pipe_context *other = program.lane(2);
    program.call();
    program.call();
    const uint64_t before = program.ctx->ordinal;
    program.lose();
    program.call();
    auto waits = [&program] {
        size_t n = 0;
        for (const std::string &call : program.calls(1))
            n += name_of(call) == "lane_wait";
        return n;
    };
    const size_t replayed = waits();
    pipe_lane_wait p{program.ctx->lane, before};
    other->lane_wait(other, &p);
    CHECK(waits() == replayed); // long done
    CHECK(program.ctx->ordinal >= before);
}

TEST_CASE("respawn: a lane that a dying server made ends before its screen") {
    Program program;
    program.own().after = [&program](uint16_t op) {
        if (op == PIPE_OP_LANE_CREATE && program.own().screens.size() == 1)
            program.lose();
    };
    pipe_context *late = program.lane(2);
    program.own().after = nullptr;
    REQUIRE(late);
    const auto first = names(program.calls(0)), second = names(program.calls(1));
    CHECK(first.count("lane_create") == 2);
    CHECK(first.count("lane_destroy") == 2);
    CHECK(program.calls(0).back() == end_of_screen);
    CHECK(second.count("lane_create") == 2);
    CHECK(second.count("lane_destroy") == 0);
}

TEST_CASE("respawn: a lane that a dying server made is given out where the loss stands") {
    Program program;
    program.own().refuse_from = 1;
    program.own().after = [&program](uint16_t op) {
        if (op == PIPE_OP_LANE_CREATE)
            program.lose();
    };
    CHECK(program.lane(2) != nullptr);
    program.own().after = nullptr;
    program.screen->drain_events(program.screen);
    CHECK(program.own().losses_told == 1);
}

TEST_CASE("respawn: no screen ends while a lane of it does") {
    Program program;
    pipe_context *other = program.lane(2);
    std::thread finder;
    std::atomic<bool> begun{false};
    bool ended = true;
    program.own().before = [&](uint16_t op) {
        if (op != PIPE_OP_LANE_DESTROY || begun.exchange(true))
            return;
        program.lose();
        finder = std::thread([&program] { program.call(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        ended = program.own().screens.size() > 1;
    };
    program.end_lane(other);
    finder.join();
    program.own().before = nullptr;
    CHECK_FALSE(ended);
    CHECK(program.own().screens.size() == 2);
}

TEST_CASE("respawn: errors of objects that are made for a late lane are nobody's") {
    Program program;
    make_each(program);
    pipe_context *first = program.ctx;
    program.end_lane(first);
    program.lose();
    const pipe_memory_info ask{};
    pipe_memory_info_reply info{};
    program.screen->memory_info(program.screen, &ask, &info);
    REQUIRE(program.own().screens.size() == 2);
    const auto error = [](uint16_t op) {
        if (op != PIPE_OP_CREATE_SAMPLER_VIEW)
            return;
        const pipe_on_gl_error p{};
        probe::log().callbacks.on_gl_error(probe::log().config.data, &p, nullptr);
    };
    program.own().after = error;
    program.ctx = program.lane(2);
    CHECK(names(program.calls(1)).count("create_sampler_view") == 1);
    CHECK(program.own().errors_told == 0);
    error(PIPE_OP_CREATE_SAMPLER_VIEW); // from now on they are the program's
    CHECK(program.own().errors_told == 1);
    program.own().after = nullptr;
}

TEST_CASE("respawn: queries whose results died read zero and are available") {
    Program program;
    make_each(program);
    pipe_context *ctx = program.ctx;
    const pipe_query_begin begin{{14, 1}};
    const pipe_query_end end{{14, 1}};
    ctx->query_begin(ctx, &begin);
    ctx->query_end(ctx, &end);
    program.forget_frames();
    program.lose();
    program.call();
    const pipe_query_available poll{{14, 1}};
    pipe_query_available_reply available{};
    CHECK(ctx->query_available(ctx, &poll, &available) == PIPE_OK);
    CHECK(available.available == 1);
    const pipe_query_result read{{14, 1}};
    pipe_query_result_reply result{77};
    CHECK(ctx->query_result(ctx, &read, &result) == PIPE_OK);
    CHECK(result.result == 0);
    CHECK(names(program.calls(1)).count("query_result") == 0);
    ctx->query_begin(ctx, &begin); // it counts again
    ctx->query_end(ctx, &end);
    ctx->query_result(ctx, &read, &result);
    CHECK(names(program.calls(1)).count("query_result") == 1);
}

namespace {

// Objects whose contents are lost in a respawn that comes now.
uint64_t lost_now(Program &program) {
    util::stats_start(true);
    const uint64_t before = util::stats_total("respawn.gpu_only");
    program.forget_frames();
    program.lose();
    program.call();
    return util::stats_total("respawn.gpu_only") - before;
}

} // namespace

TEST_CASE("respawn: what there was no memory for is lost, and said") {
    for (const bool enough : {true, false}) {
        Program program;
        make(program.ctx, buffer_desc(5, enough ? 64 : 1ull << 62));
        write(program.ctx, 5, 0, "abc");
        CHECK(lost_now(program) == (enough ? 0 : 1));
    }
}

TEST_CASE("respawn: draws of a capture write again what an upload had made known") {
    for (const bool draws : {true, false})
        for (const bool paused : {false, true}) {
            INFO(draws << paused);
            Program program;
            pipe_context *ctx = program.ctx;
            make(ctx, buffer_desc(5, 64));
            pipe_set_stream_output_targets so{};
            so.so = {15, 1};
            so.count = 1;
            pipe_so_target target{};
            target.buffer = {5, 1};
            target.size = 16;
            ctx->set_stream_output_targets(ctx, &so, &target);
            pipe_begin_stream_output begin{};
            begin.so = so.so;
            ctx->begin_stream_output(ctx, &begin);
            const pipe_draw_vbo draw{};
            ctx->draw_vbo(ctx, &draw, nullptr, nullptr, nullptr);
            const pipe_pause_stream_output pause{so.so};
            if (paused)
                ctx->pause_stream_output(ctx, &pause);
            write(ctx, 5, 0, std::string(64, 'x'));
            if (draws)
                ctx->draw_vbo(ctx, &draw, nullptr, nullptr, nullptr);
            CHECK(lost_now(program) == (draws && !paused ? 1 : 0));
        }
}

TEST_CASE("respawn: a query that counts loses what it had, one that ended does not") {
    for (const bool ended : {true, false}) {
        Program program;
        make_each(program);
        const pipe_query_begin begin{{14, 1}};
        const pipe_query_end end{{14, 1}};
        program.ctx->query_begin(program.ctx, &begin);
        if (ended)
            program.ctx->query_end(program.ctx, &end);
        CHECK(lost_now(program) == (ended ? 0 : 1));
    }
}

TEST_CASE("respawn: the loss stands when there is no server, another one, or none that lives") {
    for (const int way : {0, 1, 2}) {
        INFO(way);
        Program program;
        make_each(program);
        World &own = program.own();
        own.refuse_from = way == 0 ? 1 : ~0u;
        own.other_caps = way == 1;
        own.die_at_once = way == 2 ? 100 : 0;
        program.lose();
        program.call();
        program.screen->drain_events(program.screen);
        CHECK(own.losses_told == 1);
        program.call();
        program.screen->drain_events(program.screen);
        CHECK(own.losses_told == 1);
        CHECK(own.screens.size() <= 4);
    }
}

TEST_CASE("respawn: a frame outlives two servers; three leave it out") {
    for (const unsigned dead : {0u, 1u, 2u}) {
        INFO(dead);
        Program program;
        make_each(program);
        program.forget_frames();
        pipe_draw_vbo draw{};
        program.ctx->draw_vbo(program.ctx, &draw, nullptr, nullptr, nullptr);
        program.own().die_at_once = dead;
        program.lose();
        program.call();
        REQUIRE(program.own().screens.size() == 2 + dead);
        CHECK(names(program.calls(1 + dead)).count("draw_vbo") == (dead < 2 ? 1 : 0));
        CHECK(program.own().losses_told == 0);
    }
}

TEST_CASE("respawn: as many frames come again as may have been under way") {
    for (const uint64_t credit : {1u, 5u}) {
        INFO(credit);
        Program program;
        program.own().credit = credit;
        make_each(program);
        program.forget_frames();
        pipe_draw_vbo draw{};
        program.ctx->draw_vbo(program.ctx, &draw, nullptr, nullptr, nullptr);
        for (int i = 0; i < 4; i++)
            program.end_frame();
        program.lose();
        program.call();
        CHECK(names(program.calls(1)).count("draw_vbo") == (credit < 4 ? 0 : 1));
    }
}

TEST_CASE("respawn: servers that die without a frame are the end after a while") {
    Program program;
    make_each(program);
    unsigned deaths = 0;
    while (!program.own().losses_told && deaths < 100) {
        program.lose();
        program.call();
        program.screen->drain_events(program.screen);
        deaths++;
    }
    CHECK(deaths > 4);
    CHECK(deaths < 20);
}

TEST_CASE("respawn: the log of frames is bounded") {
    Program program;
    make(program.ctx, buffer_desc(5, 1 << 20));
    const std::string large(1 << 20, 'x');
    for (int i = 0; i < 200; i++)
        write(program.ctx, 5, 0, large);
    program.lose();
    program.call();
    size_t writes = names(program.calls(1)).count("resource_subdata");
    CHECK(writes > 16);
    CHECK(writes <= 65);
}
