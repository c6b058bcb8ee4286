// SPDX-License-Identifier: MIT
// The scene of the recycling rows: one lane, one textured triangle; see recycling.h.
#include "recycling.h"

#include <cstring>

#include "triangle.h"

namespace recycling {

namespace {

constexpr uint32_t unit = 3;

pipe_shader_archive archive_of(bool captures) {
    pipe_shader_archive a = triangle_archive(unit);
    if (captures) {
        pipe_archive_xfb x;
        x.name = "gl_Position";
        x.array_size = 1;
        x.location = -1;
        x.components = 4;
        x.builtin_element = -1;
        a.xfb = {x};
        a.xfb_stride[0] = 16;
    }
    return a;
}

} // namespace

Scene::Scene(CreateScreen create) : create(create), screen(create(&config)) {
    if (!screen)
        return;
    pipe_lane_create lane{};
    lane.lane = mint(PIPE_HANDLE_LANE);
    ctx = screen->lane_create(screen, &lane);
    use_surface({});
    target = mint(PIPE_HANDLE_RESOURCE), image = mint(PIPE_HANDLE_RESOURCE);
    fb = mint(PIPE_HANDLE_FRAMEBUFFER), image_view = mint(PIPE_HANDLE_SAMPLER_VIEW);
    normal_state = mint(PIPE_HANDLE_RENDER_STATE), layout = mint(PIPE_HANDLE_VERTEX_ELEMENTS);
    normal_program = mint(PIPE_HANDLE_SHADER);
    const pipe_handle vertices = mint(PIPE_HANDLE_RESOURCE), own = mint(PIPE_HANDLE_SAMPLER);

    texture(target, 8, 8, nullptr);
    framebuffer(fb, target);
    pipe_bind_framebuffers bind{fb, fb};
    ctx->bind_framebuffers(ctx, &bind);
    const uint32_t red_green[] = {0xff0000ff, 0xff00ff00};
    texture(image, 2, 1, red_green);
    sampler(own, PIPE_TEX_FILTER_LINEAR);
    pipe_set_texture_params params{};
    params.params.texture = image;
    params.params.sampler = own;
    for (uint8_t i = 0; i < 4; i++)
        params.params.swizzle[i] = i;
    ctx->set_texture_params(ctx, &params);
    view(image_view, image);
    use_view(image_view);
    use_sampler({});
    const float corners[] = {-1, -1, 1, 1, 1, 3, -1, 1, 1, 1, -1, 3, 1, 1, 1};
    buffer(vertices, corners, sizeof(corners));
    pipe_set_vertex_buffers vbs{0, 1};
    pipe_vertex_buffer vb{vertices, 0, 20, 0};
    ctx->set_vertex_buffers(ctx, &vbs, &vb);
    vertex_elements(layout);
    use_vertex_elements(layout);
    render_state(normal_state, 15);
    use_render_state(normal_state);
    program(normal_program, false);
    use_program(normal_program);

    pipe_dynamic_state d{};
    d.viewport.viewport = {0, 0, 8, 8, 0, 1};
    d.viewport.count = 1;
    d.line_point.line_width = d.line_point.point_size = 1;
    std::vector<uint8_t> bytes(sizeof(d));
    pipe_set_dynamic_state set{};
    set.chunk_mask = (1u << PIPE_DS_CHUNK_COUNT) - 1;
    pipe_host_span span =
        pipe_span(bytes.data(), pipe_dynamic_state_pack(&d, set.chunk_mask, bytes.data()));
    ctx->set_dynamic_state(ctx, &set, &span);
}

Scene::~Scene() {
    if (ctx) {
        pipe_lane_current release{};
        release.release = 1;
        ctx->lane_current(ctx, &release);
        pipe_lane_destroy destroy{ctx->lane};
        ctx->lane_destroy(ctx, &destroy);
    }
    if (screen)
        screen->destroy(screen);
}

pipe_handle Scene::mint(enum pipe_handle_kind kind) {
    const util::SlotGen s = slots_[kind].mint();
    return {s.slot, s.gen};
}

// --- objects -------------------------------------------------------------------------------------

void Scene::buffer(pipe_handle h, const void *data, uint64_t size) {
    pipe_resource_create c{};
    c.desc.resource = h;
    c.desc.target = PIPE_BUFFER;
    c.desc.size = size;
    screen->resource_create(ctx, &c);
    pipe_resource_subdata s{};
    s.resource = h;
    s.size = size;
    pipe_host_span span = pipe_span(data, size);
    ctx->resource_subdata(ctx, &s, nullptr, &span);
}

void Scene::texture(pipe_handle h, uint32_t width, uint32_t height, const uint32_t *texels) {
    pipe_resource_create c{};
    c.desc.resource = h;
    c.desc.target = PIPE_TEXTURE_2D;
    c.desc.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    c.desc.width = width, c.desc.height = height;
    c.desc.depth = c.desc.layers = 1;
    c.desc.levels = 1;
    screen->resource_create(ctx, &c);
    if (!texels)
        return;
    pipe_resource_subdata s{};
    s.resource = h;
    s.num_regions = 1;
    pipe_region region{
        {0, 0, 0, int32_t(width), int32_t(height), 1}, 0, width * 4, width * height * 4};
    pipe_host_span span = pipe_span(texels, uint64_t(width) * height * 4);
    ctx->resource_subdata(ctx, &s, &region, &span);
}

void Scene::view(pipe_handle h, pipe_handle of) {
    pipe_create_sampler_view v{};
    v.view = h;
    v.texture = of;
    v.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    v.target = PIPE_TEXTURE_2D;
    for (uint8_t i = 0; i < 4; i++)
        v.swizzle[i] = i;
    v.num_levels = v.num_layers = 1;
    screen->create_sampler_view(ctx, &v);
}

void Scene::sampler(pipe_handle h, uint8_t filter) {
    pipe_create_sampler_state s{};
    s.sampler = h;
    s.state.srgb_decode = 1;
    s.state.wrap_s = s.state.wrap_t = s.state.wrap_r = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
    s.state.min_filter = s.state.mag_filter = filter;
    screen->create_sampler_state(ctx, &s);
}

void Scene::render_state(pipe_handle h, uint8_t colormask) {
    pipe_render_state rs{};
    for (pipe_rt_blend &b : rs.blend.rt)
        b.colormask = colormask;
    rs.depth_stencil.depth_func = PIPE_COMPARE_LESS;
    rs.raster.front_ccw = 1;
    rs.multisample.enable = 1;
    uint8_t bytes[sizeof(rs)];
    pipe_create_render_state c{};
    c.cso = h;
    c.chunk_mask = (1u << PIPE_RS_CHUNK_COUNT) - 1;
    pipe_host_span span = pipe_span(bytes, pipe_render_state_pack(&rs, c.chunk_mask, bytes));
    ctx->create_render_state(ctx, &c, &span);
}

void Scene::vertex_elements(pipe_handle h) {
    pipe_vertex_element e[2] = {};
    e[0].size = 2, e[0].flags = PIPE_ATTRIB_FLAG_ENABLED;
    e[1].location = 1, e[1].size = 3, e[1].offset = 8, e[1].flags = PIPE_ATTRIB_FLAG_ENABLED;
    pipe_vertex_binding b{20, 0};
    pipe_create_vertex_elements c{h, 2, 1};
    ctx->create_vertex_elements(ctx, &c, e, &b);
}

void Scene::framebuffer(pipe_handle h, pipe_handle attached) {
    pipe_set_framebuffer_state f{};
    f.framebuffer = h;
    f.color[0].resource = attached;
    f.color[0].kind = PIPE_ATTACHMENT_TEXTURE;
    f.color[0].num_layers = 1;
    memset(f.draw_buffer, -1, sizeof(f.draw_buffer));
    f.draw_buffer[0] = 0;
    f.width = f.height = 8;
    f.complete = 1, f.num_draw_buffers = 1, f.samples = 1;
    ctx->set_framebuffer_state(ctx, &f);
}

void Scene::program(pipe_handle h, bool captures) {
    pipe_shader_archive archive = archive_of(captures);
    pipe_create_shader_state c{};
    c.shader = h;
    screen->create_shader_state(ctx, &c, &archive);
    const float offset[4] = {};
    pipe_set_global_constants globals{h, 0, 16};
    pipe_host_span span = pipe_span(offset, 16);
    ctx->set_global_constants(ctx, &globals, &span);
}

// --- state ---------------------------------------------------------------------------------------

void Scene::use_render_state(pipe_handle h) {
    pipe_bind_render_state bind{h};
    ctx->bind_render_state(ctx, &bind);
}

void Scene::use_vertex_elements(pipe_handle h) {
    pipe_bind_vertex_elements bind{h};
    ctx->bind_vertex_elements(ctx, &bind);
}

void Scene::use_view(pipe_handle h) {
    pipe_set_sampler_views views{unit, 1};
    pipe_texture_slot slot{h, image};
    ctx->set_sampler_views(ctx, &views, &slot);
}

void Scene::use_sampler(pipe_handle h) {
    pipe_bind_sampler_states bind{unit, 1};
    ctx->bind_sampler_states(ctx, &bind, &h);
}

void Scene::use_program(pipe_handle h) {
    pipe_set_draw_program use{h};
    ctx->set_draw_program(ctx, &use);
}

void Scene::use_surface(pipe_handle h) {
    pipe_lane_current current{};
    current.draw = current.read = h;
    ctx->lane_current(ctx, &current);
}

// --- verbs ---------------------------------------------------------------------------------------

void Scene::draw() {
    pipe_draw_vbo d{};
    d.mode = PIPE_PRIM_TRIANGLES;
    d.instance_count = 1;
    d.num_ranges = 1;
    pipe_draw_range range{0, 3, 0};
    pipe_host_span none{};
    ctx->draw_vbo(ctx, &d, &range, nullptr, &none);
}

void Scene::clear(pipe_handle framebuffer, const float (&color)[4]) {
    pipe_clear c{};
    c.framebuffer = framebuffer;
    c.mask = PIPE_BUFFER_COLOR0;
    memcpy(c.color.word, color, sizeof(color));
    ctx->clear(ctx, &c);
}

uint32_t Scene::clear_anew(pipe_handle framebuffer) {
    const uint32_t n = ++colors_;
    clear(framebuffer, {static_cast<float>(n) / 255.0f, 0, 0, 1});
    return 0xff000000u | n;
}

void Scene::clear_black() {
    clear(fb, {0, 0, 0, 0});
}

uint32_t Scene::pixel(pipe_handle framebuffer) {
    pipe_read_pixels r{};
    r.framebuffer = framebuffer;
    r.x = r.y = 4;
    r.width = r.height = 1;
    r.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    r.mask = PIPE_BUFFER_COLOR0;
    r.row_stride = 4;
    uint32_t out = 0;
    pipe_out_span dst{&out, 4};
    return ctx->read_pixels(ctx, &r, &dst) == PIPE_OK ? out : 0;
}

void Scene::write(pipe_handle buffer, uint32_t word) {
    pipe_resource_subdata s{};
    s.resource = buffer;
    s.size = 4;
    pipe_host_span span = pipe_span(&word, 4);
    ctx->resource_subdata(ctx, &s, nullptr, &span);
}

uint32_t Scene::read(pipe_handle buffer) {
    pipe_resource_readback r{buffer, 0, 4};
    uint32_t out = 0;
    pipe_out_span dst{&out, 4};
    return ctx->resource_readback(ctx, &r, &dst) == PIPE_OK ? out : 0;
}

} // namespace recycling
