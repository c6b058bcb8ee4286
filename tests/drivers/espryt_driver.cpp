// SPDX-License-Identifier: MIT
// The Espryt driver by its tables alone, without a frontend: clear and read back, an upload, a
// textured triangle whose shaders come in the pipe's form, a scissored clear, a copy between
// buffers.
#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

#include "espryt/espryt_public.h"
#include "pipe/pipe.h"
#include "triangle.h"

namespace {

struct driver {
    pipe_screen_config config{};
    pipe_screen *screen;
    pipe_context *ctx = nullptr;

    driver() : screen(espryt_create_screen(&config)) {
        if (!screen)
            return;
        pipe_lane_create lane{};
        lane.lane = {1, 1};
        ctx = screen->lane_create(screen, &lane);
        pipe_lane_current current{};
        ctx->lane_current(ctx, &current);
        pipe_render_state rs{};
        for (pipe_rt_blend &b : rs.blend.rt)
            b.colormask = 15;
        rs.depth_stencil.depth_func = PIPE_COMPARE_LESS;
        rs.raster.front_ccw = 1;
        rs.multisample.enable = 1;
        uint8_t bytes[sizeof(rs)];
        pipe_create_render_state create{};
        create.cso = {1, 1};
        create.chunk_mask = (1u << PIPE_RS_CHUNK_COUNT) - 1;
        pipe_host_span span =
            pipe_span(bytes, pipe_render_state_pack(&rs, create.chunk_mask, bytes));
        ctx->create_render_state(ctx, &create, &span);
        pipe_bind_render_state bind{{1, 1}};
        ctx->bind_render_state(ctx, &bind);
    }
    ~driver() {
        if (ctx) {
            pipe_lane_current release{};
            release.release = 1;
            ctx->lane_current(ctx, &release);
            pipe_lane_destroy destroy{{1, 1}};
            ctx->lane_destroy(ctx, &destroy);
        }
        if (screen)
            screen->destroy(screen);
    }

    void texture(uint32_t slot, uint32_t format, uint32_t w, uint32_t h) {
        pipe_resource_create c{};
        c.desc.resource = {slot, 1};
        c.desc.target = PIPE_TEXTURE_2D;
        c.desc.format = static_cast<decltype(c.desc.format)>(format);
        c.desc.width = w, c.desc.height = h, c.desc.depth = 1, c.desc.layers = 1, c.desc.levels = 1;
        screen->resource_create(ctx, &c);
    }
    void buffer(uint32_t slot, const void *data, uint64_t size) {
        pipe_resource_create c{};
        c.desc.resource = {slot, 1};
        c.desc.target = PIPE_BUFFER;
        c.desc.size = size;
        screen->resource_create(ctx, &c);
        pipe_resource_subdata s{};
        s.resource = {slot, 1};
        s.size = size;
        pipe_host_span span = pipe_span(data, size);
        ctx->resource_subdata(ctx, &s, nullptr, &span);
    }
    void framebuffer(uint32_t slot, uint32_t texture_slot, uint32_t w, uint32_t h) {
        pipe_set_framebuffer_state f{};
        f.framebuffer = {slot, 1};
        f.color[0].resource = {texture_slot, 1};
        f.color[0].kind = PIPE_ATTACHMENT_TEXTURE;
        f.color[0].num_layers = 1;
        memset(f.draw_buffer, -1, sizeof(f.draw_buffer));
        f.draw_buffer[0] = 0;
        f.width = w, f.height = h, f.complete = 1, f.num_draw_buffers = 1, f.samples = 1;
        ctx->set_framebuffer_state(ctx, &f);
        pipe_bind_framebuffers bind{{slot, 1}, {slot, 1}};
        ctx->bind_framebuffers(ctx, &bind);
    }
    void viewport(float w, float h) {
        pipe_dynamic_state d{};
        d.viewport.viewport = {0, 0, w, h, 0, 1};
        d.viewport.count = 1;
        d.line_point.line_width = d.line_point.point_size = 1;
        std::vector<uint8_t> bytes(sizeof(d));
        pipe_set_dynamic_state set{};
        set.chunk_mask = (1u << PIPE_DS_CHUNK_COUNT) - 1;
        pipe_host_span span =
            pipe_span(bytes.data(), pipe_dynamic_state_pack(&d, set.chunk_mask, bytes.data()));
        ctx->set_dynamic_state(ctx, &set, &span);
    }
    void clear(float r, float g, float b, float a) {
        pipe_clear c{};
        c.framebuffer = {1, 1};
        c.mask = PIPE_BUFFER_COLOR0;
        float v[4] = {r, g, b, a};
        memcpy(c.color.word, v, sizeof(v));
        ctx->clear(ctx, &c);
    }
    uint32_t pixel(int x, int y) {
        pipe_read_pixels r{};
        r.framebuffer = {1, 1};
        r.x = x, r.y = y, r.width = r.height = 1;
        r.format = PIPE_FORMAT_R8G8B8A8_UNORM;
        r.mask = PIPE_BUFFER_COLOR0;
        r.row_stride = 4;
        uint32_t out = 0;
        pipe_out_span dst{&out, 4};
        REQUIRE(ctx->read_pixels(ctx, &r, &dst) == PIPE_OK);
        return out;
    }
};

} // namespace

TEST_CASE("clear and read back") {
    driver d;
    REQUIRE(d.screen);
    d.texture(1, PIPE_FORMAT_R8G8B8A8_UNORM, 64, 64);
    d.framebuffer(1, 1, 64, 64);
    d.clear(1, 0.5f, 0, 1);
    CHECK((d.pixel(3, 5) & 0xff) == 0xff);
    CHECK((d.pixel(3, 5) >> 24) == 0xff);
    CHECK((d.pixel(3, 5) >> 16 & 0xff) == 0);
}

TEST_CASE("a textured triangle with a default block") {
    driver d;
    REQUIRE(d.screen);
    d.texture(1, PIPE_FORMAT_R8G8B8A8_UNORM, 64, 64);
    d.framebuffer(1, 1, 64, 64);
    d.viewport(64, 64);
    d.clear(0, 0, 1, 1);

    d.texture(2, PIPE_FORMAT_B8G8R8A8_UNORM, 1, 1); // widened: the red is in byte 2
    const uint8_t texel[4] = {0, 0, 255, 255};
    pipe_resource_subdata s{};
    s.resource = {2, 1};
    s.num_regions = 1;
    pipe_region region{{0, 0, 0, 1, 1, 1}, 0, 4, 4};
    pipe_host_span span = pipe_span(texel, 4);
    d.ctx->resource_subdata(d.ctx, &s, &region, &span);
    pipe_create_sampler_view v{};
    v.view = {1, 1};
    v.texture = {2, 1};
    v.format = PIPE_FORMAT_B8G8R8A8_UNORM;
    v.target = PIPE_TEXTURE_2D;
    for (uint8_t i = 0; i < 4; i++)
        v.swizzle[i] = i;
    v.num_levels = v.num_layers = 1;
    d.screen->create_sampler_view(d.ctx, &v);
    pipe_set_sampler_views views{3, 1};
    pipe_texture_slot slot{{1, 1}, {2, 1}};
    d.ctx->set_sampler_views(d.ctx, &views, &slot);
    pipe_create_sampler_state sampler{};
    sampler.sampler = {1, 1};
    sampler.state.srgb_decode = 1;
    d.screen->create_sampler_state(d.ctx, &sampler);
    pipe_bind_sampler_states bind{3, 1};
    pipe_handle h{1, 1};
    d.ctx->bind_sampler_states(d.ctx, &bind, &h);

    const float vertices[] = {-1, -1, 1, 1, 1, 3, -1, 1, 1, 1, -1, 3, 1, 1, 1};
    d.buffer(3, vertices, sizeof(vertices));
    pipe_vertex_element e[2] = {};
    e[0].size = 2, e[0].flags = PIPE_ATTRIB_FLAG_ENABLED;
    e[1].location = 1, e[1].size = 3, e[1].offset = 8, e[1].flags = PIPE_ATTRIB_FLAG_ENABLED;
    pipe_vertex_binding b{20, 0};
    pipe_create_vertex_elements ve{{1, 1}, 2, 1};
    d.ctx->create_vertex_elements(d.ctx, &ve, e, &b);
    pipe_bind_vertex_elements bind_ve{{1, 1}};
    d.ctx->bind_vertex_elements(d.ctx, &bind_ve);
    pipe_set_vertex_buffers vbs{0, 1};
    pipe_vertex_buffer vb{{3, 1}, 0, 20, 0};
    d.ctx->set_vertex_buffers(d.ctx, &vbs, &vb);

    pipe_shader_archive archive = triangle_archive(3);
    pipe_create_shader_state create{};
    create.shader = {1, 1};
    d.screen->create_shader_state(d.ctx, &create, &archive);
    pipe_set_draw_program use{{1, 1}};
    d.ctx->set_draw_program(d.ctx, &use);
    const float offset[4] = {1, 0, 0, 0}; // half the picture to the right
    pipe_set_global_constants globals{{1, 1}, 0, 16};
    span = pipe_span(offset, 16);
    d.ctx->set_global_constants(d.ctx, &globals, &span);

    pipe_draw_vbo draw{};
    draw.mode = PIPE_PRIM_TRIANGLES;
    draw.instance_count = 1;
    draw.num_ranges = 1;
    pipe_draw_range range{0, 3, 0};
    pipe_host_span none{};
    d.ctx->draw_vbo(d.ctx, &draw, &range, nullptr, &none);
    CHECK(d.pixel(48, 32) == 0xff0000ffu);
    CHECK(d.pixel(8, 32) == 0xffff0000u);

    // The same by indices that only this driver can restart: 7 instead of the largest index.
    d.clear(0, 0, 1, 1);
    const uint8_t indices[] = {0, 1, 7, 0, 1, 2};
    draw.index_size = 1;
    draw.flags = PIPE_DRAW_USER_INDICES | PIPE_DRAW_RESTART;
    draw.restart_index = 7;
    range.count = 6;
    pipe_host_span index_span = pipe_span(indices, sizeof(indices));
    d.ctx->draw_vbo(d.ctx, &draw, &range, nullptr, &index_span);
    CHECK(d.pixel(48, 32) == 0xff0000ffu);
}

TEST_CASE("formats that the host cannot read back") {
    driver d;
    REQUIRE(d.screen);
    d.texture(1, PIPE_FORMAT_R9G9B9E5_FLOAT, 4, 4);
    std::vector<uint32_t> texels(16, 0x84020100u), back(16);
    pipe_resource_subdata s{};
    s.resource = {1, 1};
    s.num_regions = 1;
    pipe_region region{{0, 0, 0, 4, 4, 1}, 0, 16, 64};
    pipe_host_span span = pipe_span(texels.data(), 64);
    d.ctx->resource_subdata(d.ctx, &s, &region, &span);
    pipe_get_texture_image g{};
    g.texture = {1, 1};
    g.format = PIPE_FORMAT_R9G9B9E5_FLOAT;
    g.box = {0, 0, 0, 4, 4, 1};
    g.row_stride = 16, g.slice_stride = 64;
    pipe_out_span dst{back.data(), 64};
    REQUIRE(d.ctx->get_texture_image(d.ctx, &g, &dst) == PIPE_OK);
    CHECK(back == texels);
}
