// SPDX-License-Identifier: MIT
// The counting driver behind tests of the tracker.
#include "tracker_mock.h"

#include "glapi/glapi.h"

#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <pthread.h>

namespace {
thread_local uint64_t thread_allocations, thread_locks;
}

void *operator new(size_t size) {
    thread_allocations++;
    if (void *p = std::malloc(size ? size : 1))
        return p;
    throw std::bad_alloc();
}
void *operator new[](size_t size) {
    return operator new(size);
}
// A sanitizer's own would not go with our delete.
void *operator new(size_t size, const std::nothrow_t &) noexcept {
    thread_allocations++;
    return std::malloc(size ? size : 1);
}
void *operator new[](size_t size, const std::nothrow_t &tag) noexcept {
    return operator new(size, tag);
}
void operator delete(void *p) noexcept {
    std::free(p);
}
void operator delete[](void *p) noexcept {
    std::free(p);
}
void operator delete(void *p, size_t) noexcept {
    std::free(p);
}
void operator delete[](void *p, size_t) noexcept {
    std::free(p);
}

extern "C" int pthread_mutex_lock(pthread_mutex_t *m) {
    using Fn = int (*)(pthread_mutex_t *);
    static const Fn real = reinterpret_cast<Fn>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    thread_locks++;
    return real(m);
}

namespace mock {

Calls calls;
uint64_t allocations() {
    return thread_allocations;
}
uint64_t locks() {
    return thread_locks;
}

std::string Calls::list() const {
    std::string s;
    for (const auto &[name, n] : by_name)
        s += (s.empty() ? "" : ", ") + name + " x" + std::to_string(n);
    return s;
}
uint64_t Calls::of(const char *name) const {
    auto it = by_name.find(name);
    return it == by_name.end() ? 0 : it->second;
}
void reset() {
    const bool names = calls.names;
    calls = Calls{};
    calls.names = names;
}

namespace {

pipe_screen original_screen;
pipe_context original_context;
pipe_context *(*original_lane_create)(pipe_screen *, const pipe_lane_create *);

void note(const char *name) {
    calls.total++;
    if (calls.names)
        calls.by_name[name]++;
}

// One counting entry per member of a table.
template <auto member, const char *name> struct Thunk;
template <class R, class... A, R (*pipe_context::*member)(A...), const char *name>
struct Thunk<member, name> {
    static R call(A... a) {
        note(name);
        return (original_context.*member)(a...);
    }
};
template <class R, class... A, R (*pipe_screen::*member)(A...), const char *name>
struct Thunk<member, name> {
    static R call(A... a) {
        note(name);
        return (original_screen.*member)(a...);
    }
};

#define X(entry) constexpr char name_##entry[] = #entry;
MOCK_CONTEXT_ENTRIES(X)
MOCK_SCREEN_ENTRIES(X)
#undef X

void watch_draw(pipe_context *c, const pipe_draw_vbo *p, const pipe_draw_range *r,
                const pipe_indirect *i, const pipe_host_span *s) {
    note("draw_vbo");
    calls.draw = *p;
    calls.ranges += p->num_ranges;
    original_context.draw_vbo(c, p, r, i, s);
}
void watch_subdata(pipe_context *c, const pipe_resource_subdata *p, const pipe_region *r,
                   const pipe_host_span *s) {
    note("resource_subdata");
    calls.regions += p->num_regions;
    calls.upload_bytes += s->size;
    original_context.resource_subdata(c, p, r, s);
}

pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
    pipe_context *c = original_lane_create(screen, p);
    original_context = *c;
#define X(entry)                                                                                   \
    if (c->entry)                                                                                  \
        c->entry = Thunk<&pipe_context::entry, name_##entry>::call;
    MOCK_CONTEXT_ENTRIES(X)
#undef X
    c->draw_vbo = watch_draw;
    c->resource_subdata = watch_subdata;
    return c;
}

} // namespace

pipe_screen *create_screen() {
    pipe_screen *s = noop_create_screen(nullptr);
    original_screen = *s;
    original_lane_create = s->lane_create;
    s->lane_create = lane_create;
#define X(entry)                                                                                   \
    if (s->entry)                                                                                  \
        s->entry = Thunk<&pipe_screen::entry, name_##entry>::call;
    MOCK_SCREEN_ENTRIES(X)
#undef X
    return s;
}

Context::Context(const Context *share) {
    if (share)
        screen = share->screen;
    else
        screen.reset(create_screen(), [](pipe_screen *s) { s->destroy(s); });
    group = share ? share->group : gl::share_group_create(screen.get());
    gl::ContextAttribs attribs;
    attribs.major = 3;
    attribs.minor = 3;
    gl = gl::context_create(group, attribs);
    make_current();
}

void Context::make_current() {
    gl::SurfaceInfo surface;
    surface.handle = pipe_handle{1, 1};
    surface.width = surface.height = 64;
    surface.depth_format = surface.stencil_format = GL_DEPTH24_STENCIL8;
    gl::make_current(gl, &surface, &surface);
}

Context::~Context() {
    if (gl::current() == gl)
        gl::make_current(nullptr, nullptr, nullptr);
    gl::context_destroy(gl);
}

gl::Ref<gl::Program> make_program(gl::Context &c, const ProgramWish &wish) {
    gl::Ref<gl::Program> p(new gl::Program);
    p->group = c.group.get();
    auto archive = std::make_shared<pipe_shader_archive>();
    auto linked = std::make_shared<gl::LinkedProgram>();
    linked->stages = wish.compute ? 1u << PIPE_SHADER_COMPUTE
                                  : 1u << PIPE_SHADER_VERTEX | 1u << PIPE_SHADER_FRAGMENT;
    archive->stage_mask = uint8_t(linked->stages);
    archive->globals_size = wish.globals_size;
    archive->num_sampler_slots = uint32_t(wish.samplers.size());
    archive->num_uniform_block_slots = wish.uniform_blocks;
    archive->num_storage_block_slots = wish.storage_blocks;
    archive->num_image_slots = wish.images;
    for (unsigned i = 0; i < wish.uniform_blocks + wish.storage_blocks; i++) {
        const bool uniform = i < wish.uniform_blocks;
        pipe_archive_block b;
        b.name = "block" + std::to_string(i);
        b.cls = uniform ? PIPE_SLOT_UNIFORM_BLOCK : PIPE_SLOT_STORAGE_BLOCK;
        b.slot = uniform ? i : i - wish.uniform_blocks;
        b.size = 256;
        archive->blocks.push_back(b);
        (uniform ? linked->uniform_blocks : linked->storage_blocks).push_back(i);
    }
    linked->archive = archive;
    linked->vertex_inputs = wish.vertex_inputs;
    linked->uses_draw_id = wish.draw_id;
    linked->sampler_target = wish.samplers;
    p->globals.resize(wish.globals_size);
    for (size_t i = 0; i < wish.samplers.size(); i++)
        p->sampler_unit.push_back(GLint(i));
    for (unsigned i = 0; i < wish.uniform_blocks; i++)
        p->ubo_binding.push_back(i);
    for (unsigned i = 0; i < wish.storage_blocks; i++)
        p->ssbo_binding.push_back(i);
    for (unsigned i = 0; i < wish.images; i++)
        p->image_unit.push_back(GLint(i));
    p->linked = linked;
    p->link_status = true;
    p->link_version = 1;
    st::program_linked(c, *p);
    return p;
}

} // namespace mock
