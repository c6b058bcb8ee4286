// SPDX-License-Identifier: MIT
// The narrow path through one driver in one form, with the pipe alone: screen, lane, pbuffer,
// clear, read back. forms DRIVER monolith|inproc|spawn. Exit 77 when the host lacks what the driver
// needs. The program is its own server.
#include "pipe/pipe.h"
#include "remote/remote.h"
#include "util/options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "noop/noop_public.h"
#ifdef MGPIPE_WITH_ESPRYT
#include "espryt/espryt_public.h"
#endif
#ifdef MGPIPE_WITH_MAGMA
#include "magma/magma_public.h"
#endif

namespace {

pipe_screen *create_driver(const pipe_screen_config *config) {
    // A server gets it from its client.
    const auto name = util::option(config->options, "MGPIPE_DRIVER");
    if (name == "noop")
        return noop_create_screen(config);
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

int fail(const char *what) {
    printf("FAILED: %s\n", what);
    return 1;
}

constexpr uint32_t size = 64;

int frames(pipe_screen *screen, pipe_context *ctx, pipe_handle surface, bool draws) {
    for (uint32_t frame = 1; frame <= 20; frame++) {
        pipe_clear clear{};
        clear.framebuffer = pipe_default_framebuffer();
        clear.mask = PIPE_BUFFER_COLOR0;
        float color[4] = {1.0f, 0.0f, static_cast<float>(frame % 2), 1.0f};
        memcpy(clear.color.word, color, sizeof color);
        clear.depth = 1.0f;
        ctx->clear(ctx, &clear);
        std::vector<uint8_t> pixels(size * size * 4, 0x55);
        pipe_read_pixels read{};
        read.framebuffer = pipe_default_framebuffer();
        read.width = read.height = size;
        read.format = PIPE_FORMAT_R8G8B8A8_UNORM;
        read.mask = PIPE_BUFFER_COLOR0;
        read.row_stride = size * 4;
        pipe_out_span dst{pixels.data(), pixels.size()};
        if (ctx->read_pixels(ctx, &read, &dst) != PIPE_OK)
            return fail("read_pixels");
        const uint8_t expected[4] = {255, 0, static_cast<uint8_t>(frame % 2 ? 255 : 0), 255};
        for (size_t i = 0; draws && i < pixels.size(); i += 4)
            if (memcmp(&pixels[i], expected, 4)) {
                printf("pixel %zu: %u %u %u %u\n", i / 4, pixels[i], pixels[i + 1], pixels[i + 2],
                       pixels[i + 3]);
                return fail("colour");
            }
        pipe_present present{};
        present.surface = surface;
        present.serial = frame;
        if (ctx->present)
            ctx->present(ctx, &present, nullptr);
    }
    return 0;
}

// A polling loop without any present must end.
int fences(pipe_screen *screen, pipe_context *ctx) {
    if (!screen->fence_create)
        return 0;
    for (uint32_t i = 1; i <= 50; i++) {
        pipe_fence_create create{{i, 0}};
        screen->fence_create(ctx, &create);
        bool done = false;
        for (int polls = 0; polls < 100000 && !done; polls++) {
            pipe_fence_status poll{{i, 0}};
            pipe_fence_status_reply answer{};
            if (screen->fence_status(ctx, &poll, &answer) != PIPE_OK)
                return fail("fence_status");
            done = answer.signaled;
        }
        if (!done)
            return fail("a fence never signals");
        pipe_fence_destroy destroy{{i, 0}};
        screen->fence_destroy(ctx, &destroy);
    }
    return 0;
}

size_t descriptors_of(uint32_t pid) {
    size_t count = 0;
    std::error_code error;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(
             "/proc/" + std::to_string(pid ? pid : uint32_t(getpid())) + "/fd", error))
        count++;
    return count;
}

// Descriptors cross to wherever noop is, which takes any memory, and nobody keeps one.
int imports(pipe_screen *screen, bool spawned) {
    const uint32_t server = spawned ? remote::server_pid(screen) : 0;
    const int memory = memfd_create("forms", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, size * size * 4))
        return fail("memfd");
    const size_t ours = descriptors_of(0), theirs = descriptors_of(server);
    pipe_resource_import p{};
    p.desc.resource = {1, 0};
    p.desc.target = PIPE_TEXTURE_2D;
    p.desc.format = PIPE_FORMAT_R8G8B8A8_UNORM;
    p.desc.width = p.desc.height = size;
    p.desc.depth = p.desc.layers = p.desc.levels = 1;
    p.fourcc = 0x34324241; // ABGR8888
    p.num_planes = 1;
    p.stride[0] = size * 4;
    p.fd[0] = memory;
    const auto status = [&](uint32_t offset, uint64_t modifier, int fd) {
        pipe_resource_import call = p;
        call.offset[0] = offset;
        call.modifier = modifier;
        call.fd[0] = fd;
        return screen->resource_import(screen, &call);
    };
    for (int i = 0; i < 100; i++)
        if (status(0, 0, memory) != PIPE_OK)
            return fail("an import");
    if (status(4, 0, memory) != PIPE_ERROR || status(0, 0, -1) != PIPE_ERROR ||
        status(0, 0, memory + 1000) != PIPE_ERROR)
        return fail("an import of memory that does not do");
    if (status(0, 77, memory) != PIPE_DECLINED)
        return fail("an import with an unknown modifier");
    pipe_dmabuf_formats ask{};
    pipe_dmabuf_formats_reply answer{};
    if (screen->dmabuf_formats(screen, &ask, &answer) != PIPE_OK || !answer.count ||
        answer.count != answer.total)
        return fail("dmabuf_formats");
    if (descriptors_of(0) != ours || descriptors_of(server) != theirs)
        return fail("a descriptor stays open");
    close(memory);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--control-fd=", 13))
            return remote::server_main(argc, argv, create_driver);
    if (argc != 3)
        return fail("usage: forms DRIVER FORM");
    pipe_screen_config config{};
    pipe_screen *screen = create(argv[1], argv[2], &config);
    if (!screen) {
        printf("SKIP: %s cannot start here\n", argv[1]);
        return 77;
    }
    printf("%s on %s\n", reinterpret_cast<const char *>(screen->caps.driver_name),
           reinterpret_cast<const char *>(screen->caps.device_name));
    pipe_lane_create lane{};
    lane.lane = {1, 0};
    pipe_context *ctx = screen->lane_create(screen, &lane);
    if (!ctx)
        return fail("lane_create");
    pipe_surface_create surface{};
    surface.surface = {1, 0};
    surface.kind = PIPE_SURFACE_KIND_PBUFFER;
    surface.color_format = PIPE_FORMAT_R8G8B8A8_UNORM;
    surface.depth_format = PIPE_FORMAT_Z24_UNORM_S8_UINT;
    surface.width = surface.height = size;
    pipe_surface_create_reply got{};
    if (screen->surface_create(screen, &surface, &got) != PIPE_OK)
        return fail("surface_create");
    pipe_lane_current current{};
    current.draw = current.read = surface.surface;
    ctx->lane_current(ctx, &current);
    pipe_bind_framebuffers bind{pipe_default_framebuffer(), pipe_default_framebuffer()};
    ctx->bind_framebuffers(ctx, &bind);
    // The default state of a context, as the tracker would send it.
    pipe_render_state state{};
    for (auto &rt : state.blend.rt)
        rt.colormask = 15;
    state.depth_stencil.depth_write = 1;
    state.depth_stencil.front.writemask = state.depth_stencil.back.writemask = 255;
    uint8_t bytes[sizeof state];
    pipe_create_render_state create_state{};
    create_state.cso = {1, 0};
    create_state.chunk_mask = (1u << PIPE_RS_CHUNK_COUNT) - 1;
    pipe_host_span chunks =
        pipe_span(bytes, pipe_render_state_pack(&state, create_state.chunk_mask, bytes));
    ctx->create_render_state(ctx, &create_state, &chunks);
    pipe_bind_render_state bind_state{{1, 0}};
    ctx->bind_render_state(ctx, &bind_state);
    int bad = frames(screen, ctx, surface.surface, strcmp(argv[1], "noop") != 0);
    if (!bad)
        bad = fences(screen, ctx);
    if (!bad && !strcmp(argv[1], "noop"))
        bad = imports(screen, !strcmp(argv[2], "spawn"));
    pipe_lane_current release{};
    release.release = 1;
    ctx->lane_current(ctx, &release);
    pipe_lane_destroy end{};
    end.lane = lane.lane;
    ctx->lane_destroy(ctx, &end);
    pipe_surface_destroy gone{surface.surface};
    if (screen->surface_destroy(screen, &gone) != PIPE_OK)
        bad |= fail("surface_destroy");
    screen->destroy(screen);
    if (!bad)
        printf("ok\n");
    return bad;
}
