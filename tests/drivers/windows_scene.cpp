// SPDX-License-Identifier: MIT
// Tables of a driver in a form; see the header.
#include "windows.h"

#include "remote/remote.h"
#include "util/options.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unistd.h>

#ifdef MGPIPE_WITH_ESPRYT
#include "espryt/espryt_public.h"
#endif
#ifdef MGPIPE_WITH_MAGMA
#include "magma/magma_public.h"
#endif

namespace windows {

int failures = 0;

pipe_screen *create_driver(const pipe_screen_config *config) {
    const auto name = util::option(config->options, "MGPIPE_DRIVER");
#ifdef MGPIPE_WITH_ESPRYT
    if (name == "espryt")
        return espryt_create_screen(config);
#endif
#ifdef MGPIPE_WITH_MAGMA
    if (name == "magma")
        return magma_create_screen(config);
#endif
    return nullptr;
}

namespace {

std::mutex surfaces_mutex;

util::SlotAllocator &surfaces() {
    static auto *slots = new util::SlotAllocator;
    return *slots;
}

pipe_handle mint_lane() {
    static std::atomic<uint32_t> lanes{0};
    return {++lanes, 0};
}

pipe_screen *create(const char *driver, const char *form, const pipe_screen_config *config) {
    if (!strcmp(form, "monolith")) {
        const std::string wanted = std::string("MGPIPE_DRIVER=") + driver;
        pipe_screen_config named = *config;
        named.options = wanted.c_str();
        return create_driver(&named);
    }
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    setenv("MGPIPE_SERVER", path, 1);
    remote::Options options;
    options.form = !strcmp(form, "spawn") ? remote::Form::spawn : remote::Form::inproc;
    options.create_screen = create_driver;
    options.driver = driver;
    return remote::create_screen(options, config);
}

void set_color(pipe_clear &clear, uint32_t rgb) {
    const float color[4] = {float(rgb >> 16 & 255) / 255, float(rgb >> 8 & 255) / 255,
                            float(rgb & 255) / 255, 1};
    memcpy(clear.color.word, color, sizeof color);
}

} // namespace

pipe_handle mint_surface() {
    std::lock_guard lock(surfaces_mutex);
    const util::SlotGen s = surfaces().mint();
    return {s.slot, s.gen};
}

void release_surface(pipe_handle h) {
    std::lock_guard lock(surfaces_mutex);
    surfaces().release({h.slot, h.gen});
}

Screen::Screen(const char *driver, const char *form, const std::string &display)
    : display(display) {
    config.platform = PIPE_PLATFORM_X11;
    config.display_name = this->display.c_str();
    table = create(driver, form, &config);
}

Screen::~Screen() {
    if (table)
        table->destroy(table);
}

Surface::Surface(Screen &screen, uint32_t window, uint32_t width, uint32_t height, uint8_t samples,
                 enum pipe_format format)
    : screen(screen), handle(mint_surface()), width(width), height(height) {
    pipe_surface_create p{};
    p.surface = handle;
    p.kind = PIPE_SURFACE_KIND_WINDOW;
    p.samples = samples;
    p.color_format = format;
    p.depth_format = PIPE_FORMAT_Z24_UNORM_S8_UINT;
    p.width = width;
    p.height = height;
    p.double_buffered = 1;
    p.platform = PIPE_PLATFORM_X11;
    p.native = window;
    pipe_surface_create_reply reply{};
    ok = screen.table->surface_create(screen.table, &p, &reply) == PIPE_OK;
}

Surface::~Surface() {
    pipe_surface_destroy p{handle};
    if (ok)
        screen.table->surface_destroy(screen.table, &p);
    release_surface(handle);
}

void Surface::resize(uint32_t w, uint32_t h) {
    pipe_surface_resize p{handle, w, h};
    EXPECT(screen.table->surface_resize(screen.table, &p) == PIPE_OK);
    width = w;
    height = h;
}

Lane::Lane(Screen &screen) : screen(screen) {
    pipe_lane_create p{};
    p.lane = mint_lane();
    ctx = screen.table->lane_create(screen.table, &p);
    current(nullptr);
    pipe_render_state state{};
    for (auto &rt : state.blend.rt)
        rt.colormask = 15;
    state.depth_stencil.depth_write = 1;
    uint8_t bytes[sizeof state];
    pipe_create_render_state create{};
    create.cso = {1, 0};
    create.chunk_mask = (1u << PIPE_RS_CHUNK_COUNT) - 1;
    pipe_host_span chunks =
        pipe_span(bytes, pipe_render_state_pack(&state, create.chunk_mask, bytes));
    ctx->create_render_state(ctx, &create, &chunks);
    pipe_bind_render_state bind{{1, 0}};
    ctx->bind_render_state(ctx, &bind);
    scissor(nullptr);
}

Lane::~Lane() {
    pipe_lane_current release{};
    release.release = 1;
    ctx->lane_current(ctx, &release);
    pipe_lane_destroy p{ctx->lane};
    ctx->lane_destroy(ctx, &p);
}

void Lane::scissor(const pipe_scissor *box) {
    pipe_dynamic_state d{};
    d.viewport.viewport = {0, 0, 64, 64, 0, 1};
    d.viewport.count = 1;
    d.line_point.line_width = d.line_point.point_size = 1;
    if (box) {
        d.scissor.scissor = *box;
        d.scissor.enable_mask = d.scissor.written_mask = 1;
    }
    std::vector<uint8_t> bytes(sizeof d);
    pipe_set_dynamic_state set{};
    set.chunk_mask = (1u << PIPE_DS_CHUNK_COUNT) - 1;
    pipe_host_span span =
        pipe_span(bytes.data(), pipe_dynamic_state_pack(&d, set.chunk_mask, bytes.data()));
    ctx->set_dynamic_state(ctx, &set, &span);
}

void Lane::current(const Surface *surface) {
    pipe_lane_current p{};
    if (surface)
        p.draw = p.read = surface->handle;
    ctx->lane_current(ctx, &p);
    pipe_bind_framebuffers bind{pipe_default_framebuffer(), pipe_default_framebuffer()};
    ctx->bind_framebuffers(ctx, &bind);
}

void Lane::clear(uint32_t rgb) {
    pipe_clear p{};
    p.framebuffer = pipe_default_framebuffer();
    p.mask = PIPE_BUFFER_COLOR0;
    set_color(p, rgb);
    ctx->clear(ctx, &p);
}

void Lane::clear_quarter(const Surface &s, int quarter, uint32_t rgb) {
    pipe_scissor box{};
    box.width = s.width / 2, box.height = s.height / 2;
    box.x = decltype(box.x)(quarter & 1 ? s.width / 2 : 0);
    box.y = decltype(box.y)(quarter & 2 ? s.height / 2 : 0);
    scissor(&box);
    clear(rgb);
    scissor(nullptr);
}

void Lane::present(Surface &surface, int32_t interval, pipe_handle target) {
    pipe_present p{};
    p.target = target;
    p.surface = surface.handle;
    p.serial = ++surface.serial;
    p.interval = interval;
    ctx->present(ctx, &p, nullptr);
}

void Lane::finish() {
    pipe_finish p{};
    ctx->finish(ctx, &p);
}

uint32_t Lane::pixel(int x, int y) {
    pipe_read_pixels r{};
    r.framebuffer = pipe_default_framebuffer();
    r.x = x, r.y = y, r.width = r.height = 1;
    r.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    r.mask = PIPE_BUFFER_COLOR0;
    r.row_stride = 4;
    uint8_t out[4] = {};
    pipe_out_span dst{out, 4};
    EXPECT(ctx->read_pixels(ctx, &r, &dst) == PIPE_OK);
    return uint32_t(out[0]) << 16 | uint32_t(out[1]) << 8 | out[2];
}

} // namespace windows
