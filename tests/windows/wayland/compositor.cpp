// SPDX-License-Identifier: MIT
// See compositor.h. All of libwayland-server runs on the compositor's thread; other threads hand it
// tasks.
#include "compositor.h"

#include <wayland-client-core.h>
#include <linux-dmabuf-unstable-v1-server-protocol.h>
#include <wayland-server.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace wl_test {

namespace {

struct Surface;

// A buffer that a surface shows; it may die first.
struct Held {
    wl_listener destroyed{};
    wl_resource *buffer = nullptr;

    Held() {
        destroyed.notify = [](wl_listener *listener, void *) {
            Held *self = wl_container_of(listener, self, destroyed);
            self->forget();
        };
    }
    void hold(wl_resource *next) {
        forget();
        buffer = next;
        if (buffer)
            wl_resource_add_destroy_listener(buffer, &destroyed);
    }
    void forget() {
        if (buffer)
            wl_list_remove(&destroyed.link);
        buffer = nullptr;
    }
};

} // namespace

struct Compositor::Impl {
    std::mutex mutex; // guards behaviour, surfaces' `shown`, tasks
    std::condition_variable committed;
    Behaviour behaviour;
    std::vector<std::unique_ptr<Surface>> surfaces; // never shrinks
    std::vector<std::function<void()>> tasks;
    int offered = 0, alive = 0; // dma-bufs
    bool stop = false;

    wl_display *display = nullptr;
    int wake = -1;
    std::thread thread;

    void run();
    void post(std::function<void()> task);
    void call(const std::function<void()> &task);
    void commit(Surface &surface);
    void show(Surface &surface, wl_resource *buffer);
    void show_shm(Shown &shown, wl_shm_buffer *shm);
    void answer(Surface &surface);
};

namespace {

struct Surface {
    Compositor::Impl *owner = nullptr;
    wl_resource *resource = nullptr;
    wl_event_source *timer = nullptr;
    Held pending, current;
    bool attached = false;
    int dx = 0, dy = 0;
    std::vector<Box> damage, surface_damage;
    std::vector<wl_resource *> new_callbacks, callbacks;
    std::vector<std::unique_ptr<Held>> withheld;
    std::set<uint32_t> seen; // buffers' names
    Shown shown;
};

Surface *surface_of(wl_resource *resource) {
    return static_cast<Surface *>(wl_resource_get_user_data(resource));
}

void destroy_resource(wl_client *, wl_resource *resource) {
    wl_resource_destroy(resource);
}

void surface_attach(wl_client *, wl_resource *resource, wl_resource *buffer, int32_t x, int32_t y) {
    Surface *s = surface_of(resource);
    if (wl_resource_get_version(resource) >= WL_SURFACE_OFFSET_SINCE_VERSION && (x || y)) {
        wl_resource_post_error(resource, WL_SURFACE_ERROR_INVALID_OFFSET, "offset in attach");
        return;
    }
    s->pending.hold(buffer);
    s->attached = true;
    s->dx += x;
    s->dy += y;
}

void surface_damage(wl_client *, wl_resource *resource, int32_t x, int32_t y, int32_t w,
                    int32_t h) {
    surface_of(resource)->surface_damage.push_back({x, y, w, h});
}

void surface_damage_buffer(wl_client *, wl_resource *resource, int32_t x, int32_t y, int32_t w,
                           int32_t h) {
    surface_of(resource)->damage.push_back({x, y, w, h});
}

void surface_frame(wl_client *client, wl_resource *resource, uint32_t id) {
    Surface *s = surface_of(resource);
    wl_resource *callback = wl_resource_create(client, &wl_callback_interface, 1, id);
    wl_resource_set_implementation(callback, nullptr, s, [](wl_resource *gone) {
        Surface *owner = surface_of(gone);
        std::erase(owner->new_callbacks, gone);
        std::erase(owner->callbacks, gone);
    });
    s->new_callbacks.push_back(callback);
}

void surface_region(wl_client *, wl_resource *, wl_resource *) {}

void surface_commit(wl_client *, wl_resource *resource) {
    Surface *s = surface_of(resource);
    s->owner->commit(*s);
}

void surface_set(wl_client *, wl_resource *, int32_t) {}

void surface_offset(wl_client *, wl_resource *resource, int32_t x, int32_t y) {
    Surface *s = surface_of(resource);
    s->dx += x;
    s->dy += y;
}

const struct wl_surface_interface surface_functions = {
    destroy_resource, surface_attach,        surface_damage, surface_frame,
    surface_region,   surface_region,        surface_commit, surface_set,
    surface_set,      surface_damage_buffer, surface_offset,
};

int frame_timer(void *data) {
    auto *s = static_cast<Surface *>(data);
    s->owner->answer(*s);
    return 0;
}

void surface_gone(wl_resource *resource) {
    Surface *s = surface_of(resource);
    s->resource = nullptr;
    s->pending.forget();
    s->current.forget();
    for (const std::unique_ptr<Held> &held : s->withheld)
        held->forget();
    if (s->timer)
        wl_event_source_remove(s->timer);
    s->timer = nullptr;
}

void create_surface(wl_client *client, wl_resource *resource, uint32_t id) {
    auto *owner = static_cast<Compositor::Impl *>(wl_resource_get_user_data(resource));
    auto surface = std::make_unique<Surface>();
    Surface *s = surface.get();
    s->owner = owner;
    s->resource =
        wl_resource_create(client, &wl_surface_interface, wl_resource_get_version(resource), id);
    s->timer = wl_event_loop_add_timer(wl_display_get_event_loop(owner->display), frame_timer, s);
    wl_resource_set_implementation(s->resource, &surface_functions, s, surface_gone);
    std::lock_guard lock(owner->mutex);
    owner->surfaces.push_back(std::move(surface));
}

void region_box(wl_client *, wl_resource *, int32_t, int32_t, int32_t, int32_t) {}

void create_region(wl_client *client, wl_resource *, uint32_t id) {
    static const struct wl_region_interface functions = {destroy_resource, region_box, region_box};
    wl_resource *region = wl_resource_create(client, &wl_region_interface, 1, id);
    wl_resource_set_implementation(region, &functions, nullptr, nullptr);
}

void bind_compositor(wl_client *client, void *data, uint32_t version, uint32_t id) {
    static const struct wl_compositor_interface functions = {create_surface, create_region};
    wl_resource *resource = wl_resource_create(client, &wl_compositor_interface, int(version), id);
    wl_resource_set_implementation(resource, &functions, data, nullptr);
}

// Memory of any kind that passes for a dma-buf: the parameters, then the buffer made of them.
struct Dmabuf {
    Compositor::Impl *owner = nullptr;
    int fd = -1, width = 0, height = 0;
    uint32_t offset = 0, stride = 0, format = 0;
    uint64_t modifier = 0;
    bool buffer = false;

    explicit Dmabuf(Compositor::Impl *impl) : owner(impl) {}
    ~Dmabuf() {
        if (fd >= 0)
            close(fd);
        std::lock_guard lock(owner->mutex);
        owner->alive -= buffer;
    }
    void show(Shown &shown) const;
};

Dmabuf *dmabuf_of(wl_resource *resource) {
    return static_cast<Dmabuf *>(wl_resource_get_user_data(resource));
}

void dmabuf_gone(wl_resource *resource) {
    delete dmabuf_of(resource);
}

const struct wl_buffer_interface dmabuf_functions = {destroy_resource};

// Black where the memory cannot be read.
void Dmabuf::show(Shown &shown) const {
    shown.dmabufs++;
    shown.width = width;
    shown.height = height;
    shown.format = format;
    shown.modifier = modifier;
    shown.pixels.assign(size_t(width) * size_t(height), 0);
    const size_t size = offset + size_t(stride) * size_t(height);
    void *map = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return;
    for (int y = 0; y < height; y++)
        std::memcpy(&shown.pixels[size_t(y) * size_t(width)],
                    static_cast<const char *>(map) + offset + size_t(y) * stride,
                    size_t(width) * 4);
    munmap(map, size);
}

void params_add(wl_client *, wl_resource *resource, int32_t fd, uint32_t plane, uint32_t offset,
                uint32_t stride, uint32_t modifier_high, uint32_t modifier_low) {
    Dmabuf *d = dmabuf_of(resource);
    if (plane || d->fd >= 0) {
        close(fd);
        wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_PLANE_SET, "one plane");
        return;
    }
    d->fd = fd;
    d->offset = offset;
    d->stride = stride;
    d->modifier = uint64_t(modifier_high) << 32 | modifier_low;
}

void params_create(wl_client *client, wl_resource *resource, int32_t width, int32_t height,
                   uint32_t format, uint32_t flags) {
    Dmabuf *d = dmabuf_of(resource);
    Dmabufs now;
    bool known;
    {
        std::lock_guard lock(d->owner->mutex);
        d->owner->offered++;
        now = d->owner->behaviour.dmabufs;
        const std::vector<uint64_t> &told = d->owner->behaviour.modifiers;
        known = std::count(told.begin(), told.end(), d->modifier) && !flags && d->fd >= 0;
    }
    if (now == Dmabufs::unanswered)
        return;
    if (now != Dmabufs::taken || !known)
        return zwp_linux_buffer_params_v1_send_failed(resource);
    auto made = std::make_unique<Dmabuf>(d->owner);
    made->fd = std::exchange(d->fd, -1);
    made->width = width;
    made->height = height;
    made->format = format;
    made->offset = d->offset;
    made->stride = d->stride;
    made->modifier = d->modifier;
    made->buffer = true;
    {
        std::lock_guard lock(d->owner->mutex);
        d->owner->alive++;
    }
    wl_resource *buffer = wl_resource_create(client, &wl_buffer_interface, 1, 0);
    wl_resource_set_implementation(buffer, &dmabuf_functions, made.release(), dmabuf_gone);
    zwp_linux_buffer_params_v1_send_created(resource, buffer);
}

void create_params(wl_client *client, wl_resource *resource, uint32_t id) {
    static const struct zwp_linux_buffer_params_v1_interface functions = {
        destroy_resource, params_add, params_create, nullptr};
    auto *owner = static_cast<Compositor::Impl *>(wl_resource_get_user_data(resource));
    wl_resource *params = wl_resource_create(client, &zwp_linux_buffer_params_v1_interface,
                                             wl_resource_get_version(resource), id);
    wl_resource_set_implementation(params, &functions, new Dmabuf(owner), dmabuf_gone);
}

void bind_dmabuf(wl_client *client, void *data, uint32_t version, uint32_t id) {
    static const struct zwp_linux_dmabuf_v1_interface functions = {destroy_resource, create_params,
                                                                   nullptr, nullptr};
    auto *owner = static_cast<Compositor::Impl *>(data);
    wl_resource *resource =
        wl_resource_create(client, &zwp_linux_dmabuf_v1_interface, int(version), id);
    wl_resource_set_implementation(resource, &functions, data, nullptr);
    std::lock_guard lock(owner->mutex);
    for (uint32_t format : {0x34324241u, 0x34324258u, 0x30334241u}) { // AB24, XB24, AB30
        zwp_linux_dmabuf_v1_send_format(resource, format);
        for (uint64_t m : owner->behaviour.modifiers)
            if (version >= ZWP_LINUX_DMABUF_V1_MODIFIER_SINCE_VERSION)
                zwp_linux_dmabuf_v1_send_modifier(resource, format, uint32_t(m >> 32), uint32_t(m));
    }
}

} // namespace

void Compositor::Impl::show(Surface &s, wl_resource *resource) {
    wl_shm_buffer *shm = wl_shm_buffer_get(resource);
    Shown &shown = s.shown;
    s.seen.insert(wl_resource_get_id(resource));
    std::lock_guard lock(mutex);
    shown.commits++;
    shown.buffers = int(s.seen.size());
    shown.damage = std::move(s.damage);
    shown.surface_damage = std::move(s.surface_damage);
    if (shm)
        show_shm(shown, shm);
    else if (wl_resource_instance_of(resource, &wl_buffer_interface, &dmabuf_functions))
        dmabuf_of(resource)->show(shown);
}

void Compositor::Impl::show_shm(Shown &shown, wl_shm_buffer *shm) {
    shown.width = wl_shm_buffer_get_width(shm);
    shown.height = wl_shm_buffer_get_height(shm);
    shown.format = wl_shm_buffer_get_format(shm);
    shown.pixels.resize(size_t(shown.width) * size_t(shown.height));
    wl_shm_buffer_begin_access(shm);
    const auto *rows = static_cast<const char *>(wl_shm_buffer_get_data(shm));
    for (int y = 0; y < shown.height; y++)
        std::memcpy(&shown.pixels[size_t(y) * size_t(shown.width)],
                    rows + size_t(y) * size_t(wl_shm_buffer_get_stride(shm)),
                    size_t(shown.width) * 4);
    wl_shm_buffer_end_access(shm);
}

void Compositor::Impl::commit(Surface &s) {
    if (s.attached && s.pending.buffer)
        show(s, s.pending.buffer);
    Behaviour now;
    {
        std::lock_guard lock(mutex);
        now = behaviour;
        s.shown.dx += s.dx;
        s.shown.dy += s.dy;
        s.shown.frames += int(s.new_callbacks.size());
    }
    s.dx = s.dy = 0;
    s.damage.clear();
    s.surface_damage.clear();
    s.callbacks.insert(s.callbacks.end(), s.new_callbacks.begin(), s.new_callbacks.end());
    s.new_callbacks.clear();
    if (s.attached) {
        wl_resource *old = s.current.buffer;
        s.current.hold(s.pending.buffer);
        s.pending.forget();
        s.attached = false;
        if (now.release == Release::at_once && s.current.buffer) {
            wl_buffer_send_release(s.current.buffer);
            s.current.forget();
        } else if (now.release == Release::when_replaced && old) {
            wl_buffer_send_release(old);
        } else if (now.release == Release::never && old) {
            s.withheld.push_back(std::make_unique<Held>());
            s.withheld.back()->hold(old);
        }
    }
    if (now.frames && !s.callbacks.empty())
        wl_event_source_timer_update(s.timer, std::max(now.frame_ms, 1));
    committed.notify_all();
}

void Compositor::Impl::answer(Surface &s) {
    for (wl_resource *callback : std::vector<wl_resource *>(s.callbacks)) {
        wl_callback_send_done(callback, 0);
        wl_resource_destroy(callback);
    }
}

void Compositor::Impl::run() {
    wl_event_loop *loop = wl_display_get_event_loop(display);
    for (;;) {
        std::vector<std::function<void()>> now;
        {
            std::lock_guard lock(mutex);
            if (stop)
                return;
            now.swap(tasks);
        }
        for (const std::function<void()> &task : now)
            task();
        wl_display_flush_clients(display);
        wl_event_loop_dispatch(loop, -1);
    }
}

void Compositor::Impl::post(std::function<void()> task) {
    {
        std::lock_guard lock(mutex);
        tasks.push_back(std::move(task));
    }
    eventfd_write(wake, 1);
}

void Compositor::Impl::call(const std::function<void()> &task) {
    std::mutex done_mutex;
    std::condition_variable done_changed;
    bool done = false;
    post([&] {
        task();
        std::lock_guard lock(done_mutex);
        done = true;
        done_changed.notify_all();
    });
    std::unique_lock lock(done_mutex);
    done_changed.wait(lock, [&] { return done; });
}

Compositor::Compositor(const Behaviour &behaviour, const char *socket)
    : impl_(std::make_unique<Impl>()) {
    impl_->behaviour = behaviour;
    impl_->display = wl_display_create();
    impl_->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    wl_display_init_shm(impl_->display);
    if (behaviour.ten_bits) {
        wl_display_add_shm_format(impl_->display, WL_SHM_FORMAT_ARGB2101010);
        wl_display_add_shm_format(impl_->display, WL_SHM_FORMAT_XRGB2101010);
    }
    wl_global_create(impl_->display, &wl_compositor_interface, behaviour.compositor_version,
                     impl_.get(), bind_compositor);
    if (behaviour.dmabufs != Dmabufs::none)
        wl_global_create(impl_->display, &zwp_linux_dmabuf_v1_interface,
                         behaviour.dmabufs == Dmabufs::old ? 2 : 3, impl_.get(), bind_dmabuf);
    wl_event_loop_add_fd(
        wl_display_get_event_loop(impl_->display), impl_->wake, WL_EVENT_READABLE,
        [](int fd, uint32_t, void *) {
            eventfd_t count;
            eventfd_read(fd, &count);
            return 0;
        },
        nullptr);
    if (socket)
        wl_display_add_socket(impl_->display, socket);
    impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

Compositor::~Compositor() {
    kill();
    {
        std::lock_guard lock(impl_->mutex);
        impl_->stop = true;
    }
    eventfd_write(impl_->wake, 1);
    impl_->thread.join();
    wl_display_destroy(impl_->display);
    close(impl_->wake);
}

wl_display *Compositor::connect() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return nullptr;
    impl_->call([&] { wl_client_create(impl_->display, ends[0]); });
    return wl_display_connect_to_fd(ends[1]);
}

void Compositor::behave(const std::function<void(Behaviour &)> &change) {
    std::lock_guard lock(impl_->mutex);
    change(impl_->behaviour);
}

Shown Compositor::shown(int surface) {
    std::lock_guard lock(impl_->mutex);
    return size_t(surface) < impl_->surfaces.size() ? impl_->surfaces[size_t(surface)]->shown
                                                    : Shown{};
}

bool Compositor::wait_commits(int surface, int commits, int ms) {
    std::unique_lock lock(impl_->mutex);
    return impl_->committed.wait_for(lock, std::chrono::milliseconds(ms), [&] {
        return size_t(surface) < impl_->surfaces.size() &&
               impl_->surfaces[size_t(surface)]->shown.commits >= commits;
    });
}

void Compositor::relent() {
    impl_->call([&] {
        for (const std::unique_ptr<Surface> &surface : impl_->surfaces) {
            if (!surface->resource)
                continue;
            impl_->answer(*surface);
            for (const std::unique_ptr<Held> &held : surface->withheld) {
                if (held->buffer)
                    wl_buffer_send_release(held->buffer);
                held->forget();
            }
            surface->withheld.clear();
        }
    });
}

int Compositor::dmabufs_offered() {
    std::lock_guard lock(impl_->mutex);
    return impl_->offered;
}

int Compositor::dmabufs_alive() {
    std::lock_guard lock(impl_->mutex);
    return impl_->alive;
}

void Compositor::kill() {
    impl_->call([&] { wl_display_destroy_clients(impl_->display); });
}

} // namespace wl_test
