// SPDX-License-Identifier: MIT
// EGL's share groups, contexts, surfaces and fences as the GL side and the pipe know them.
#include "core.h"

#include "egl.h"
#include "presenter.h"

#include "glapi/glapi.h"
#include "objects/context.h"
#include "objects/egl_image.h"
#include "pipe/pipe.h"
#include "pipe/pipe_fourcc.h"
#include "tracker/tracker.h"
#include "util/env.h"
#include "util/futex.h"
#include "util/handles.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace egl {

// A share group: one screen and what GL keeps for it. `service` is a context nobody sees: threads
// without a context wait for fences with it.
struct Group {
    pipe_screen *screen = nullptr;
    std::shared_ptr<gl::ShareGroup> gl;
    std::mutex service_mutex;
    gl::Context *service = nullptr;
    bool abandoned = false; // forked child: belongs to the parent
    // Twins of surfaces. They go with the group when it dies before them: the driver keeps surfaces
    // beside its screens.
    std::vector<pipe_handle> surfaces;
    // By pipe_handle_key() of a surface: buffers of its window that its frames are copied to.
    std::unordered_map<uint64_t, std::vector<pipe_handle>> exported;
    std::mutex surfaces_mutex;
    // Where their frames go, by pipe_handle_key(). Threads of a server's link look here.
    std::mutex presenters_mutex;
    std::unordered_map<uint64_t, std::shared_ptr<Presenter>> presenters;

    ~Group();
};

namespace {

ScreenFactory screen_factory = nullptr;
ShareFrames share_frames = nullptr;

struct ColorFormat {
    pipe_format linear, srgb;
    GLenum gl_linear, gl_srgb;
};

// In the order of Color.
constexpr ColorFormat color_formats[] = {
    {PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_R8G8B8A8_SRGB, GL_RGBA8, GL_SRGB8_ALPHA8},
    {PIPE_FORMAT_R8G8B8X8_UNORM, PIPE_FORMAT_R8G8B8X8_SRGB, GL_RGB8, GL_SRGB8},
    {PIPE_FORMAT_R10G10B10A2_UNORM, PIPE_FORMAT_R10G10B10A2_UNORM, GL_RGB10_A2, GL_RGB10_A2},
    {PIPE_FORMAT_R16G16B16A16_FLOAT, PIPE_FORMAT_R16G16B16A16_FLOAT, GL_RGBA16F, GL_RGBA16F},
};

struct DepthFormat {
    pipe_format format;
    GLenum gl_depth, gl_stencil;
};

// In the order of DepthStencil.
constexpr DepthFormat depth_formats[] = {
    {PIPE_FORMAT_NONE, GL_NONE, GL_NONE},
    {PIPE_FORMAT_Z16_UNORM, GL_DEPTH_COMPONENT16, GL_NONE},
    {PIPE_FORMAT_Z24X8_UNORM, GL_DEPTH_COMPONENT24, GL_NONE},
    {PIPE_FORMAT_Z32_FLOAT, GL_DEPTH_COMPONENT32F, GL_NONE},
    {PIPE_FORMAT_S8_UINT, GL_NONE, GL_STENCIL_INDEX8},
    {PIPE_FORMAT_Z24_UNORM_S8_UINT, GL_DEPTH24_STENCIL8, GL_DEPTH24_STENCIL8},
    {PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, GL_DEPTH32F_STENCIL8, GL_DEPTH32F_STENCIL8},
};

// Calls `f` for the context of a lane, or for all when the lane is null.
template <class F> void each_context(void *data, pipe_handle lane, F &&f) {
    auto *group = static_cast<Group *>(data);
    if (!group->gl)
        return;
    std::lock_guard lock(group->gl->contexts_mutex);
    for (gl::Context *context : group->gl->contexts)
        if (context && !context->dying &&
            (pipe_handle_is_null(lane) ||
             (context->pipe && pipe_handle_equal(context->pipe->lane, lane))))
            f(*context);
}

void on_gl_error(void *data, const pipe_on_gl_error *p, const pipe_host_span *message) {
    const char *text = message && message->ptr ? static_cast<const char *>(message->ptr) : "";
    log_info("egl", "the driver raised 0x%04x %.*s", p->error, message ? int(message->size) : 0,
             text);
    each_context(data, p->lane, [p](gl::Context &context) {
        gl::error_from_driver(context, p->error, "of an earlier call");
    });
}

void on_device_lost(void *data, const pipe_on_device_lost *p, const pipe_host_span *reason) {
    const char *text = reason && reason->ptr ? static_cast<const char *>(reason->ptr) : "";
    log_error("egl", "context lost: %.*s", reason ? int(reason->size) : 0, text);
    const GLenum status = p->status == PIPE_RESET_GUILTY     ? GL_GUILTY_CONTEXT_RESET
                          : p->status == PIPE_RESET_INNOCENT ? GL_INNOCENT_CONTEXT_RESET
                                                             : GL_UNKNOWN_CONTEXT_RESET;
    each_context(data, p->lane,
                 [status](gl::Context &context) { gl::context_lost(context, status); });
}

void on_fence_signaled(void *data, const pipe_on_fence_signaled *p) {
    auto *group = static_cast<Group *>(data);
    if (group->gl)
        st::on_fence_signaled(*group->gl, *p);
}

void on_query_ready(void *data, const pipe_on_query_ready *p) {
    each_context(data, p->lane, [p](gl::Context &context) { st::on_query_ready(context, *p); });
}

void on_log(void *, const pipe_on_log *p, const pipe_host_span *text) {
    if (!text || !text->ptr)
        return;
    const auto level = util::LogLevel(std::min<uint8_t>(p->level, uint8_t(util::LogLevel::debug)));
    if (util::log_enabled(level))
        util::log_write(level, "driver", "%.*s", int(text->size),
                        static_cast<const char *>(text->ptr));
}

void on_frame(void *data, const pipe_on_frame *p, const pipe_host_span *pixels) {
    auto *group = static_cast<Group *>(data);
    const bool inside = p->x <= p->frame_width && p->width <= p->frame_width - p->x &&
                        p->y <= p->frame_height && p->height <= p->frame_height - p->y;
    const uint64_t size = p->slot ? 0 : uint64_t(p->width) * p->height * 4;
    if (!p->serial || !inside || size != (pixels ? pixels->size : 0))
        return;
    Presenter::Part part{};
    part.box = {EGLint(p->x), EGLint(p->y), EGLint(p->width), EGLint(p->height)};
    part.width = EGLint(p->frame_width);
    part.height = EGLint(p->frame_height);
    part.last = p->last;
    part.slot = p->slot;
    const std::lock_guard lock(group->presenters_mutex);
    const uint64_t source = pipe_handle_key(p->surface);
    if (auto found = group->presenters.find(source); found != group->presenters.end())
        found->second->part(source, p->serial, part, pixels ? pixels->ptr : nullptr);
}

const pipe_callbacks callbacks = [] {
    pipe_callbacks table{};
    table.on_gl_error = on_gl_error;
    table.on_device_lost = on_device_lost;
    table.on_log = on_log;
    table.on_fence_signaled = on_fence_signaled;
    table.on_query_ready = on_query_ready;
    table.on_frame = on_frame;
    return table;
}();

// Surfaces are named per process: drivers keep them beside the groups.
util::SlotAllocator &surface_slots() {
    static auto *slots = new util::SlotAllocator;
    return *slots;
}

SurfaceTwin *find_twin(Surface &surface, const std::shared_ptr<Group> &group) {
    const std::lock_guard lock(surface.twins_mutex);
    for (SurfaceTwin &twin : surface.twins)
        if (twin.group.lock() == group)
            return &twin;
    return nullptr;
}

// Programs expect of desktop GL that GL_FRAMEBUFFER_SRGB works on any window, whatever
// EGL_GL_COLORSPACE says: Mesa's and NVIDIA's do, and programs ask no further.
bool encodes(const Surface &surface) {
    const ColorFormat &color = color_formats[size_t(surface.config->color)];
    return surface.colorspace == EGL_GL_COLORSPACE_SRGB ||
           (surface.is_window() && color.srgb != color.linear);
}

pipe_surface_create describe(const Surface &surface, bool srgb) {
    const ColorFormat &color = color_formats[size_t(surface.config->color)];
    pipe_surface_create create{};
    create.kind = PIPE_SURFACE_KIND_PBUFFER;
    create.samples = surface.config->samples;
    create.color_format = srgb ? color.srgb : color.linear;
    create.depth_format = depth_formats[size_t(surface.config->depth_stencil)].format;
    create.width = uint32_t(std::max(surface.width, 1));
    create.height = uint32_t(std::max(surface.height, 1));
    create.double_buffered = !surface.single_buffered;
    create.srgb = srgb;
    return create;
}

bool make_surface(Group &group, const pipe_surface_create &create) {
    pipe_surface_create_reply reply{};
    return group.screen->surface_create &&
           group.screen->surface_create(group.screen, &create, &reply) == PIPE_OK;
}

bool make_window(Group &group, const Surface &surface, pipe_surface_create create) {
    create.kind = PIPE_SURFACE_KIND_WINDOW;
    create.platform = uint8_t(surface.display->system->system());
    create.native = surface.drawable->native();
    return make_surface(group, create);
}

// MGPIPE_FRAMES: also what the server could show comes back.
bool frames_forced(const Group &group) {
    const std::string_view wish = util::env_text(util::Env::FRAMES);
    return group.screen->drain_events && (wish == "raw" || wish == "zstd");
}

// Of the creation of a surface, which took `created_ns`, and a second question about it: how long
// the link is.
uint64_t shortest_answer(Group &group, const pipe_surface_create &create, uint64_t created_ns) {
    pipe_surface_resize same{};
    same.surface = create.surface;
    same.width = create.width;
    same.height = create.height;
    const uint64_t start = util::now_ns();
    if (!group.screen->surface_resize ||
        group.screen->surface_resize(group.screen, &same) != PIPE_OK)
        return created_ns;
    return std::min(created_ns, util::now_ns() - start);
}

// A window or pixmap that this process shows. False: frames do not come by themselves.
bool make_frames(Group &group, Surface &surface, pipe_surface_create create) {
    if (!surface.drawable || !group.screen->drain_events) // the driver is here
        return false;
    if (!surface.presenter)
        surface.presenter =
            Presenter::start(*surface.drawable, surface.config->color == Color::rgb10a2);
    if (!surface.presenter)
        return false;
    const uint64_t source = pipe_handle_key(create.surface);
    {
        const std::lock_guard lock(group.presenters_mutex);
        group.presenters[source] = surface.presenter;
    }
    create.kind = PIPE_SURFACE_KIND_FRAMES;
    if (const uint64_t start = util::now_ns(); make_surface(group, create)) {
        surface.presenter->set_link(shortest_answer(group, create, util::now_ns() - start));
        return true;
    }
    const std::lock_guard lock(group.presenters_mutex);
    group.presenters.erase(source);
    return false;
}

// A window that the driver does not show sends its frames, or is a pbuffer to it. False: refused as
// well.
bool make_twin(Group &group, Surface &surface, SurfaceTwin &twin) {
    pipe_surface_create create = describe(surface, twin.srgb);
    create.surface = {twin.slot, twin.gen};
    twin.window = surface.is_window() && surface.drawable->native() && !frames_forced(group);
    if (twin.window) {
        if (make_window(group, surface, create))
            return true;
        // The host's windows may not encode.
        pipe_surface_create linear = describe(surface, false);
        linear.surface = create.surface;
        if (twin.srgb && surface.colorspace != EGL_GL_COLORSPACE_SRGB &&
            make_window(group, surface, linear)) {
            twin.srgb = false;
            return true;
        }
        log_info("egl", "the driver does not show this window itself");
        twin.window = false;
    }
    twin.frames = make_frames(group, surface, create);
    if (twin.frames || make_surface(group, create))
        return true;
    log_warning("egl", "the driver made no surface of %ux%u, format %u, %u samples", create.width,
                create.height, create.color_format, create.samples);
    return false;
}

// What the group of a context knows of `surface`; null when the driver refuses.
const SurfaceTwin *surface_twin(Surface &surface, const std::shared_ptr<Group> &group) {
    if (const SurfaceTwin *twin = find_twin(surface, group))
        return twin;
    const util::SlotGen handle = surface_slots().mint();
    SurfaceTwin twin{group, handle.slot, handle.gen};
    twin.srgb = encodes(surface);
    if (!handle || !make_twin(*group, surface, twin)) {
        surface_slots().release(handle);
        return nullptr;
    }
    {
        const std::lock_guard lock(group->surfaces_mutex);
        group->surfaces.push_back({twin.slot, twin.gen});
    }
    const std::lock_guard lock(surface.twins_mutex);
    std::erase_if(surface.twins, [](const SurfaceTwin &old) { return old.group.expired(); });
    surface.twins.push_back(twin);
    return &surface.twins.back();
}

constexpr EGLint max_damage = 64; // more boxes are one: everything

Presenter::Lost lost_of(Context *context) {
    return [context] { return gl_is_lost(context); };
}

void drop_exported(Group &group, pipe_handle surface) {
    std::vector<pipe_handle> dropped;
    {
        const std::lock_guard lock(group.surfaces_mutex);
        if (auto found = group.exported.extract(pipe_handle_key(surface)))
            dropped = std::move(found.mapped());
    }
    for (pipe_handle resource : dropped)
        st::exported_drop(*group.gl, resource);
}

// Makes the buffers of the window anew, one at a time; null where the driver has none.
ExportBuffer export_for(Group &group, const Surface &surface, const SurfaceTwin &twin, EGLint width,
                        EGLint height) {
    if (!group.screen->resource_export)
        return nullptr;
    const pipe_handle handle{twin.slot, twin.gen};
    const uint32_t format = describe(surface, twin.srgb).color_format;
    return [=, &group, first = true](const std::vector<uint64_t> &modifiers,
                                     ExportedBuffer &out) mutable {
        if (std::exchange(first, false))
            drop_exported(group, handle);
        st::Exported made{};
        if (!st::texture_export(*group.gl, format, uint32_t(width), uint32_t(height), modifiers,
                                made))
            return false;
        out = {made.fd, made.offset, made.stride, made.modifier};
        const std::lock_guard lock(group.surfaces_mutex);
        group.exported[pipe_handle_key(handle)].push_back(made.resource);
        return true;
    };
}

// In the extent that the context knows, which is the driver's.
bool present_frame(Context *context, Surface *surface, SurfaceTwin &twin, EGLint interval) {
    Group &group = *context->group;
    const EGLint width = context->gl->draw_surface.width, height = context->gl->draw_surface.height;
    pipe_present p{};
    p.surface = {twin.slot, twin.gen};
    p.serial = ++twin.serial;
    const uint64_t source = pipe_handle_key(p.surface);
    const Presenter::Lost lost = lost_of(context);
    if (!frames_forced(group)) {
        const ExportBuffer make = export_for(group, *surface, twin, width, height);
        ShareBuffers share;
        if (share_frames)
            share = [&p](const FrameBuffers &buffers) {
                return share_frames(p.surface.slot, p.surface.gen, buffers);
            };
        if (!surface->presenter->fit(source, width, height, make, share, lost) && make)
            drop_exported(group, p.surface); // the window did not take them all
    }
    uint32_t slot = 0;
    if (!surface->presenter->expect(source, p.serial, width, height, interval, lost, &slot))
        return false;
    if (slot) {
        const std::lock_guard lock(group.surfaces_mutex);
        p.target = group.exported[source].at(slot - 1);
    }
    st::present_frame(*context->gl, p);
    return true;
}

// What is drawn to a front buffer is seen when the call returns.
void wait_shown(Context *context, Surface *surface) {
    if (const std::shared_ptr<Presenter> presenter = surface ? surface->presenter : nullptr)
        presenter->drain(lost_of(context));
}

// False: the window is gone.
bool present(Context *context, Surface *surface, EGLint interval, const Rect *damage,
             EGLint num_rects) {
    context->gl->default_draw_fb->front_drawn = false; // seen with this frame
    SurfaceTwin *twin = find_twin(*surface, context->group);
    if (twin && twin->frames)
        return present_frame(context, surface, *twin, interval);
    if (!twin || !twin->window)
        return gl_post(context, surface, *surface->drawable, interval, damage, num_rects);
    pipe_present p{};
    p.surface = {twin->slot, twin->gen};
    p.serial = ++twin->serial;
    p.interval = surface->drawable->pace(interval);
    pipe_scissor rects[max_damage];
    p.num_rects = num_rects <= max_damage ? uint32_t(num_rects) : 0;
    for (uint32_t i = 0; i < p.num_rects; i++) {
        const Rect &r = damage[i];
        rects[i] = {r.x, surface->height - r.y - r.height, r.width, r.height};
    }
    st::present(*context->gl, p, rects);
    return true;
}

void destroy_twin(Group &group, pipe_handle handle) {
    pipe_surface_destroy destroy{};
    destroy.surface = handle;
    if (group.screen->surface_destroy)
        group.screen->surface_destroy(group.screen, &destroy);
    {
        const std::lock_guard lock(group.presenters_mutex); // every frame has come by now
        group.presenters.erase(pipe_handle_key(handle));
    }
    if (group.gl)
        drop_exported(group, handle);
    surface_slots().release({handle.slot, handle.gen});
}

// Of a surface that is current on this thread.
void fit(void *owner, bool ask) {
    auto *surface = static_cast<Surface *>(owner);
    if (ask && !surface->gone)
        surface->drawable->sync();
    Lock lock;
    core_surface_update(lock, surface);
}

void show(void *owner) {
    auto *surface = static_cast<Surface *>(owner);
    Context *mine = thread().current; // not `user`, which may be another thread's
    if (mine && !surface->gone)
        surface->gone = !present(mine, surface, 0, nullptr, 0);
    if (mine && !surface->gone)
        wait_shown(mine, surface);
}

constexpr gl::SurfaceOps surface_ops{fit, show};

// What the context that is current on this thread has in a front buffer.
void show_front() {
    gl::Context *current = gl::current();
    if (current && gl::take_front(*current))
        show(current->draw_surface.owner);
}

// False when the driver refuses the surface.
bool surface_info(Surface *surface, const std::shared_ptr<Group> &group, gl::SurfaceInfo &out) {
    if (!surface)
        return true;
    const SurfaceTwin *twin = surface_twin(*surface, group);
    if (!twin)
        return false;
    const ColorFormat &color = color_formats[size_t(surface->config->color)];
    const DepthFormat &depth = depth_formats[size_t(surface->config->depth_stencil)];
    out.handle = {twin->slot, twin->gen};
    out.width = surface->width;
    out.height = surface->height;
    out.samples = surface->config->samples;
    out.color_format = twin->srgb ? color.gl_srgb : color.gl_linear;
    out.depth_format = depth.gl_depth;
    out.stencil_format = depth.gl_stencil;
    out.double_buffered = !surface->single_buffered; // a pbuffer: EGL 1.5, section 2.2.2
    out.srgb = twin->srgb;
    out.ops = surface->drawable ? &surface_ops : nullptr;
    out.owner = surface;
    return true;
}

} // namespace

void set_screen_factory(ScreenFactory factory) {
    screen_factory = factory;
}

void set_frame_sharing(ShareFrames share) {
    share_frames = share;
}

Group::~Group() {
    if (abandoned) {
        new std::shared_ptr<gl::ShareGroup>(
            std::move(gl)); // leaked: its death would call the driver
        return;
    }
    if (service)
        gl::context_destroy(service);
    gl.reset();
    for (pipe_handle surface : surfaces)
        destroy_twin(*this, surface);
    if (screen)
        screen->destroy(screen);
}

std::shared_ptr<Group> group_create(const Platform *system) {
    if (!screen_factory)
        return nullptr;
    auto group = std::make_shared<Group>();
    pipe_screen_config config{};
    config.callbacks = &callbacks;
    config.data = group.get();
    if (system) {
        config.platform = uint32_t(system->system());
        config.display_name = system->display_name().c_str();
        config.native_display = system->native_display();
    }
    group->screen = screen_factory(&config);
    if (!group->screen)
        return nullptr;
    group->gl = gl::share_group_create(group->screen);
    return group->gl ? group : nullptr;
}

ConfigLimits group_config_limits(const Group &group) {
    const pipe_caps &caps = st::caps(*group.gl);
    auto renders = [&caps](pipe_format format, uint32_t bit) {
        return (caps.format[format].caps & bit) != 0;
    };
    ConfigLimits limits;
    const uint32_t sides[] = {uint32_t(limits.max_pbuffer), caps.max_renderbuffer_size,
                              caps.max_framebuffer_width, caps.max_framebuffer_height};
    limits.max_pbuffer = EGLint(*std::min_element(std::begin(sides), std::end(sides)));
    limits.max_samples = std::min(caps.max_color_samples, caps.max_depth_samples);
    limits.images = pipe_caps_has(&caps, PIPE_CAP_TEXTURE_VIEW) &&
                    pipe_caps_has(&caps, PIPE_CAP_COPY_IMAGE) &&
                    pipe_caps_has_call(&caps, PIPE_OP_RESOURCE_COPY_REGION);
    limits.dma_bufs = limits.images && pipe_caps_has(&caps, PIPE_CAP_DMABUF_IMPORT) &&
                      group.screen->resource_import && group.screen->dmabuf_formats;
    limits.rgb10a2 = renders(PIPE_FORMAT_R10G10B10A2_UNORM, PIPE_FORMAT_CAP_RENDER);
    limits.rgba16f = renders(PIPE_FORMAT_R16G16B16A16_FLOAT, PIPE_FORMAT_CAP_RENDER);
    limits.depth32f = renders(PIPE_FORMAT_Z32_FLOAT, PIPE_FORMAT_CAP_DEPTH_STENCIL);
    return limits;
}

std::string group_renderer(const Group &group) {
    return group.gl->caps.renderer;
}

EGLint group_version(const Group &group) {
    return group.gl->caps.version;
}

void group_abandon(Group &group) {
    group.abandoned = true;
}

EGLint gl_create(Context *context, const ContextAttribs &attribs) {
    Group &group = *context->group;
    gl::ContextAttribs wish;
    wish.major = attribs.major;
    wish.minor = attribs.minor;
    wish.core = true;
    wish.forward = attribs.forward_compatible;
    wish.debug = attribs.debug;
    wish.robust = attribs.robust;
    wish.no_error = attribs.no_error;
    wish.lose_on_reset = attribs.lose_on_reset;
    wish.release_flush = attribs.flush_on_release;
    const int version = attribs.major * 10 + attribs.minor;
    if (version > group.gl->caps.version) {
        log_info("egl", "OpenGL %d.%d was asked for, the driver has %d.%d", attribs.major,
                 attribs.minor, group.gl->caps.version / 10, group.gl->caps.version % 10);
        return EGL_BAD_MATCH;
    }
    context->gl = gl::context_create(group.gl, wish);
    return context->gl ? EGL_SUCCESS : EGL_BAD_ALLOC;
}

void gl_destroy(Context *context) {
    // The driver of a forked child must not hear of it, so such a context is leaked.
    if (context->gl && !context->group->abandoned)
        gl::context_destroy(context->gl);
    context->gl = nullptr;
}

EGLint gl_version(const Context *context) {
    return context->gl->version;
}

EGLint gl_make_current(Context *context) {
    gl::SurfaceInfo draw, read;
    if (!surface_info(context->draw, context->group, draw) ||
        !surface_info(context->read, context->group, read))
        return EGL_BAD_ALLOC;
    if (gl::current() != context->gl)
        show_front();
    const bool done = gl::make_current(context->gl, context->draw ? &draw : nullptr,
                                       context->read ? &read : nullptr);
    return done ? EGL_SUCCESS : EGL_BAD_ALLOC;
}

void gl_release() {
    show_front();
    gl::make_current(nullptr, nullptr, nullptr);
}

void gl_forget() {
    glapi::set_current(nullptr);
    glapi::lose_current(nullptr);
}

bool gl_is_lost(const Context *context) {
    st::drain_events(*context->gl);
    return context->gl->lost.load(std::memory_order_relaxed);
}

void gl_end_frame(Context *context) {
    st::flush(*context->gl, PIPE_FLUSH_END_OF_FRAME);
    util::stats_frame();
    show_front();
}

void gl_finish(Context *context) {
    show_front();
    st::finish(*context->gl);
    wait_shown(context, context->draw);
}

namespace {

// GL's rows begin at the bottom.
void flip_rows(uint8_t *pixels, size_t row, size_t rows) {
    for (size_t top = 0, bottom = rows - 1; top < bottom; top++, bottom--)
        std::swap_ranges(pixels + top * row, pixels + (top + 1) * row, pixels + bottom * row);
}

} // namespace

bool gl_swap(Context *context, Surface *surface, const Rect *damage, EGLint num_rects) {
    const bool alive = present(context, surface, surface->interval, damage, num_rects);
    const SurfaceTwin *twin = find_twin(*surface, context->group);
    if (twin &&
        (twin->window || twin->frames)) // its presentation ends the frame for the driver's half
        util::stats_frame();
    else
        gl_end_frame(context);
    return alive;
}

bool gl_post(Context *context, Surface *surface, NativeDrawable &target, EGLint interval,
             const Rect *damage, EGLint num_rects) {
    // Several threads may show a surface, each in the extent that its context knows.
    const std::lock_guard lock(surface->posting);
    const EGLint width = context->gl->draw_surface.width, height = context->gl->draw_surface.height;
    const size_t row = size_t(width) * 4;
    surface->pixels.resize(row * size_t(height));
    const GLenum type = surface->config->color == Color::rgb10a2 ? GL_UNSIGNED_INT_2_10_10_10_REV
                                                                 : GL_UNSIGNED_BYTE;
    if (!st::read_surface(*context->gl, type, surface->pixels.data()))
        return true; // the loss of the device is told elsewhere
    flip_rows(surface->pixels.data(), row, size_t(height));
    return target.post(surface->pixels.data(), width, height, EGLint(row), interval, damage,
                       num_rects);
}

void surface_resized(Surface *surface) {
    Context *user = surface->user;
    if (user && (user->lost || gl_is_lost(user)))
        return;
    if (user && !surface->twins.empty())
        st::finish(*user->gl); // what is on its way is drawn to the old buffers
    for (const SurfaceTwin &twin : surface->twins) {
        std::shared_ptr<Group> group = twin.group.lock();
        if (!group || group->abandoned || !group->screen->surface_resize)
            continue;
        pipe_surface_resize resize{};
        resize.surface = {twin.slot, twin.gen};
        resize.width = uint32_t(surface->width);
        resize.height = uint32_t(surface->height);
        if (group->screen->surface_resize(group->screen, &resize) != PIPE_OK)
            log_warning("egl", "the driver has no memory for a surface of %ux%u", resize.width,
                        resize.height);
    }
    gl::SurfaceInfo draw, read;
    if (user && surface_info(user->draw, user->group, draw) &&
        surface_info(user->read, user->group, read)) {
        gl::surfaces_changed(*user->gl, &draw, &read);
        st::make_current(*user->gl); // the driver looks at its surfaces anew
    }
}

void gl_mark_lost(Context *context) {
    gl::context_lost(*context->gl, GL_UNKNOWN_CONTEXT_RESET);
}

void surface_release(Surface *surface) {
    for (const SurfaceTwin &twin : surface->twins) {
        std::shared_ptr<Group> group = twin.group.lock();
        if (!group || group->abandoned)
            continue;
        const pipe_handle handle{twin.slot, twin.gen};
        {
            const std::lock_guard lock(group->surfaces_mutex);
            std::erase(group->surfaces, handle);
        }
        destroy_twin(*group, handle);
    }
    surface->twins.clear();
    surface->presenter.reset(); // shows what has come
}

bool fence_create(Context *context, Sync *sync) {
    gl::Ref<gl::Sync> fence(new gl::Sync);
    if (!st::fence_create(*context->gl, *fence))
        return false;
    fence->refs.fetch_add(1); // the Sync's
    sync->fence = fence.get();
    return true;
}

void fence_destroy(Sync *sync) {
    if (!sync->fence || sync->group->abandoned)
        return;
    gl::Ref<gl::Sync> fence(sync->fence);
    fence->refs.fetch_sub(1);
    sync->fence = nullptr;
}

// Calls `f` with a context of the group, which is current on this thread meanwhile; false: there is
// none.
template <typename F>
static bool with_context(Context *current, const std::shared_ptr<Group> &of, F &&f) {
    Group &group = *of;
    if (current && current->group == of)
        return f(*current->gl);
    std::lock_guard lock(group.service_mutex);
    if (!group.service)
        group.service = gl::context_create(group.gl, {.major = 3, .minor = 1});
    if (!group.service || !gl::make_current(group.service, nullptr, nullptr))
        return false;
    const bool done = f(*group.service);
    gl::SurfaceInfo draw, read;
    if (current && !current->lost && surface_info(current->draw, current->group, draw) &&
        surface_info(current->read, current->group, read))
        gl::make_current(current->gl, current->draw ? &draw : nullptr,
                         current->read ? &read : nullptr);
    else
        gl::make_current(nullptr, nullptr, nullptr);
    return done;
}

bool fence_wait(Context *current, Sync *sync, uint64_t timeout_ns, bool flush) {
    if (sync->group->abandoned || sync->group->gl->lost)
        return true;
    if (current && current->group == sync->group && current->lost)
        return true;
    return with_context(current, sync->group, [&](gl::Context &context) {
        return timeout_ns ? st::fence_wait(context, *sync->fence, timeout_ns, flush)
                          : st::fence_signaled(context, *sync->fence);
    });
}

void fence_wait_server(Context *context, Sync *sync) {
    st::fence_wait_server(*context->gl, *sync->fence);
}

// --- images --------------------------------------------------------------------------------------

namespace {

EGLint error_of(gl::ImageError failed, const char **reason) {
    switch (failed) {
    case gl::ImageError::none: return EGL_SUCCESS;
    case gl::ImageError::no_object: *reason = "no such object of that target"; break;
    case gl::ImageError::incomplete: *reason = "the object is incomplete"; break;
    case gl::ImageError::multisample: *reason = "multisampled"; break;
    case gl::ImageError::no_level: *reason = "no such level"; return EGL_BAD_MATCH;
    case gl::ImageError::no_memory: *reason = "no memory for an image"; return EGL_BAD_ALLOC;
    case gl::ImageError::no_format:
        *reason = "the driver takes no dma-buf of this format, modifier or extent";
        return EGL_BAD_MATCH;
    case gl::ImageError::no_descriptor: *reason = "no descriptor"; break;
    case gl::ImageError::outside:
        *reason = "an offset or a pitch that does not fit the memory";
        return EGL_BAD_ACCESS;
    case gl::ImageError::no_access:
        *reason = "the driver cannot use this memory in this way";
        return EGL_BAD_ACCESS;
    }
    return EGL_BAD_PARAMETER;
}

GLenum gl_image_target(EGLenum target) {
    switch (target) {
    case EGL_GL_TEXTURE_2D: return GL_TEXTURE_2D;
    case EGL_GL_RENDERBUFFER: return GL_RENDERBUFFER;
    default: return GL_TEXTURE_CUBE_MAP_POSITIVE_X + (target - EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_X);
    }
}

// A dma-buf that came without a context is shared when another group asks for it.
void share_late(gl::EglImage &source, const std::shared_ptr<Group> &group) {
    gl::Ref<gl::EglImage> made(new gl::EglImage);
    made->group = source.group;
    with_context(thread().current, group, [&](gl::Context &context) {
        made->shared = gl::share_egl_image(context, source);
        return true;
    });
    Lock lock;
    if (pipe_handle_is_null(source.shared.handle)) // no other thread has
        std::swap(source.shared, made->shared);
}

// GL's calls come without EGL's lock, under which an image and its group stay.
gl::FoundImage find_image(void *handle, const gl::ShareGroup *group) {
    gl::FoundImage found;
    gl::Ref<gl::EglImage> source;
    std::shared_ptr<Group> owner;
    Lock lock;
    for (const Display *display : state().displays)
        if (const Image *image = display->find_image(handle); image && !image->group->abandoned) {
            source = gl::Ref<gl::EglImage>(image->source);
            owner = image->group;
            break;
        }
    if (!source)
        return found;
    if (source->group == group) {
        found.own = source;
        return found;
    }
    if (pipe_handle_is_null(source->shared.handle)) {
        lock.unlock();
        share_late(*source, owner);
        lock.lock();
    }
    found.other = true;
    found.place = source->place;
    found.shared = source->shared;
    return found;
}

} // namespace

EGLint image_create(Context *current, Image *image, EGLenum target, uint32_t name, EGLint level,
                    const char **reason) {
    gl::set_egl_image_lookup(find_image);
    EGLint error = EGL_BAD_ALLOC;
    *reason = "no context can make it";
    with_context(current, image->group, [&](gl::Context &context) {
        gl::Ref<gl::EglImage> source;
        if (context.has().egl_image)
            error = error_of(
                gl::make_egl_image(context, gl_image_target(target), name, level, source), reason);
        else
            *reason = "the driver has no views or copies";
        if (source) {
            source->refs.fetch_add(1); // the Image's
            image->source = source.get();
        }
        return true;
    });
    return error;
}

EGLint image_import(Image *image, const gl::DmaBuf &dma_buf, const char **reason) {
    gl::set_egl_image_lookup(find_image);
    gl::Ref<gl::EglImage> source;
    const EGLint error = error_of(gl::import_egl_image(*image->group->gl, dma_buf, source), reason);
    if (source) {
        source->refs.fetch_add(1); // the Image's
        image->source = source.get();
    }
    return error;
}

bool image_format_known(uint32_t fourcc) {
    return pipe_format_of_fourcc(fourcc) != PIPE_FORMAT_NONE;
}

std::vector<gl::DmaBufFormat> importable_formats(const Group &group) {
    return st::importable_formats(*group.gl);
}

void image_destroy(Image *image) {
    if (!image->source || image->group->abandoned)
        return;
    gl::Ref<gl::EglImage> source(image->source);
    source->refs.fetch_sub(1);
    image->source = nullptr;
}

} // namespace egl
