// SPDX-License-Identifier: MIT
// Life of contexts and share groups; make-current; what one context tells the others of its group.
#include "objects/context.h"

#include "glapi/glapi.h"
#include "tracker/tracker.h"
#include "util/log.h"

#include <algorithm>

namespace gl {

Context *current() {
    return glapi::current();
}

void flush_prims(HotLine &c) {
    c.open_prims = 0;
} // immediate mode belongs to the compatibility profile

const char *group_name(G g) {
    static const char *const names[] = {
#define X(name) #name,
        GL_STATE_GROUPS(X)
#undef X
    };
    return g < G::count ? names[unsigned(g)] : "?";
}

// --- share group ---------------------------------------------------------------------------------

static void share_group_destroy(ShareGroup *g) {
    for (auto &t : g->default_texture)
        t.reset();
    g->textures.clear();
    g->samplers.clear();
    g->renderbuffers.clear();
    g->buffers.clear();
    g->programs.clear();
    g->shaders.clear();
    g->syncs.clear();
    if (g->tracker)
        st::group_destroy(*g);
    delete g;
}

std::shared_ptr<ShareGroup> share_group_create(pipe_screen *screen) {
    auto *g = new ShareGroup;
    g->screen = screen;
    if (!screen || !st::group_create(*g)) {
        log_error("gl", "no share group: the driver gave no screen or no capabilities");
        delete g;
        return nullptr;
    }
    compute_capabilities(st::caps(*g), g->caps);
    for (unsigned i = 0; i < TEX_COUNT; i++) {
        Ref<Texture> t(new Texture);
        t->group = g;
        t->index = TexIndex(i);
        t->target = tex_target(TexIndex(i));
        if (i == TEX_RECT) {
            t->sampler.min_filter = GL_LINEAR;
            t->sampler.wrap_s = t->sampler.wrap_t = t->sampler.wrap_r = GL_CLAMP_TO_EDGE;
        }
        g->default_texture[i] = t;
    }
    return std::shared_ptr<ShareGroup>(g, share_group_destroy);
}

// --- context -------------------------------------------------------------------------------------

static bool take_lane_index(Context &ctx) {
    ShareGroup &g = *ctx.group;
    std::lock_guard lock(g.contexts_mutex);
    for (unsigned i = 0; i < g.contexts.size(); i++)
        if (!g.contexts[i]) {
            g.contexts[i] = &ctx;
            g.context_count++;
            ctx.lane_index = i;
            return true;
        }
    return false;
}

static void initial_state(Context &ctx) {
    Writer w(ctx);
    ShareGroup &g = *ctx.group;
    TextureUnit unit;
    for (unsigned i = 0; i < TEX_COUNT; i++)
        unit.tex[i] = g.default_texture[i];
    w(ctx.textures).unit.assign(size_t(ctx.limits().combined_texture_units), unit);
    w(ctx.samplers).unit.resize(size_t(ctx.limits().combined_texture_units));
    for (auto &t : g.default_texture)
        note_bound(ctx, *t);

    ctx.default_vao = Ref<VertexArray>(new VertexArray);
    w(ctx.vertex_array).vao = ctx.default_vao;
    ctx.default_xfb = Ref<TransformFeedback>(new TransformFeedback);
    w(ctx.xfb).object = ctx.default_xfb;
    ctx.default_draw_fb = Ref<Framebuffer>(new Framebuffer);
    ctx.default_draw_fb->is_default = true;
    ctx.default_draw_fb->ever_bound = true;
    ctx.default_draw_fb->handle = pipe_default_framebuffer();
    ctx.default_read_fb = ctx.default_draw_fb;
    w(ctx.draw_fb).fb = ctx.default_draw_fb;
    w(ctx.read_fb).fb = ctx.default_read_fb;
    ctx.debug.output = ctx.attribs.debug;
}

Context *context_create(const std::shared_ptr<ShareGroup> &group, const ContextAttribs &attribs) {
    if (!group)
        return nullptr;
    int asked = attribs.major * 10 + attribs.minor;
    if (asked > group->caps.version) {
        log_info("gl", "version %d.%d was asked, %d.%d is what the driver can carry", attribs.major,
                 attribs.minor, group->caps.version / 10, group->caps.version % 10);
        return nullptr;
    }
    auto *ctx = new Context;
    ctx->group = group;
    ctx->caps = &group->caps;
    ctx->screen = group->screen;
    ctx->attribs = attribs;
    ctx->version = group->caps.version;
    if (!take_lane_index(*ctx)) {
        log_error("gl", "a share group holds at most %zu contexts", group->contexts.size());
        delete ctx;
        return nullptr;
    }
    initial_state(*ctx);
    if (!st::context_create(*ctx)) {
        context_destroy(ctx);
        return nullptr;
    }
    return ctx;
}

// Objects die while the context counts as current, so that their last references find a lane to
// tell.
void context_destroy(Context *ctx) {
    if (!ctx)
        return;
    Context *before = glapi::current();
    if (glapi::lost() == ctx)
        glapi::lose_current(nullptr);
    glapi::set_current(ctx);
    {
        std::lock_guard lock(ctx->group->contexts_mutex);
        ctx->dying = true;
    }
    programs_unused(*ctx);
    Writer w(*ctx);
    w(ctx->program) = {};
    w(ctx->queries) = {};
    w(ctx->condition) = {};
    w(ctx->xfb) = {};
    w(ctx->images) = {};
    w(ctx->ubo) = {};
    w(ctx->ssbo) = {};
    w(ctx->atomic) = {};
    w(ctx->buffers) = {};
    w(ctx->samplers) = {};
    w(ctx->textures) = {};
    w(ctx->vertex_array) = {};
    w(ctx->draw_fb) = {};
    w(ctx->read_fb) = {};
    ctx->renderbuffer.reset();
    ctx->pipelines.clear();
    ctx->xfbs.clear();
    ctx->query_names.clear();
    ctx->vertex_arrays.clear();
    ctx->framebuffers.clear();
    ctx->default_vao.reset();
    ctx->default_draw_fb.reset();
    ctx->default_read_fb.reset();
    ctx->default_xfb.reset();
    if (ctx->tracker)
        st::context_destroy(*ctx);
    {
        ShareGroup &g = *ctx->group;
        std::lock_guard lock(g.contexts_mutex);
        g.contexts[ctx->lane_index] = nullptr;
        g.context_count--;
    }
    glapi::set_current(before == ctx ? nullptr : before);
    // The group may die here, after the lane: its objects then have no lane to tell and the screen
    // takes them along.
    std::shared_ptr<ShareGroup> group = std::move(ctx->group);
    delete ctx;
}

// --- make current --------------------------------------------------------------------------------

static void first_current(Context &ctx) {
    const SurfaceInfo &s = ctx.draw_surface;
    Writer w(ctx);
    for (auto &vp : w(ctx.viewport).vp) {
        vp.w = float(s.width);
        vp.h = float(s.height);
    }
    for (auto &r : w(ctx.scissor).rect)
        r = {0, 0, s.width, s.height};
    ctx.was_current = true;
}

static void set_surfaces(Context &ctx, const SurfaceInfo *draw, const SurfaceInfo *read) {
    ctx.draw_surface = draw ? *draw : SurfaceInfo{};
    ctx.read_surface = read ? *read : ctx.draw_surface;
    ctx.has_surface = draw != nullptr;
    bool one = !draw || !read || pipe_handle_equal(draw->handle, read->handle);
    Ref<Framebuffer> old_read = ctx.default_read_fb;
    if (one) {
        ctx.default_read_fb = ctx.default_draw_fb;
    } else if (ctx.default_read_fb == ctx.default_draw_fb) {
        ctx.default_read_fb = Ref<Framebuffer>(new Framebuffer);
        ctx.default_read_fb->is_default = ctx.default_read_fb->ever_bound = true;
        ctx.default_read_fb->handle = pipe_default_framebuffer();
    }
    Writer w(ctx);
    if (ctx.read_fb->fb == old_read)
        w(ctx.read_fb).fb = ctx.default_read_fb;
    w(ctx.draw_fb);
    w(ctx.read_fb);
    default_framebuffer_update(ctx);
}

bool make_current(Context *ctx, const SurfaceInfo *draw, const SurfaceInfo *read) {
    Context *old = glapi::current();
    if (old && old != ctx) {
        st::release_current(*old, old->attribs.release_flush);
        glapi::set_current(nullptr);
    }
    glapi::lose_current(nullptr);
    if (!ctx)
        return true;
    set_surfaces(*ctx, draw, read);
    if (!ctx->was_current)
        first_current(*ctx);
    glapi::set_current(ctx);
    st::make_current(*ctx);
    return true;
}

void surfaces_changed(Context &ctx, const SurfaceInfo *draw, const SurfaceInfo *read) {
    set_surfaces(ctx, draw, read);
}

// A window that shrank may not have told yet; one that did not is asked once for each extent.
static bool is_new_viewport(Context &ctx, GLsizei w, GLsizei h) {
    const uint64_t extent = uint64_t(uint32_t(w)) << 32 | uint32_t(h);
    auto &known = ctx.smaller_viewports;
    if (std::find(known.begin(), known.end(), extent) != known.end())
        return false;
    known[ctx.next_smaller++ % known.size()] = extent;
    return true;
}

void fit_surface(Context &ctx, GLint x, GLint y, GLsizei w, GLsizei h) {
    const SurfaceInfo &s = ctx.draw_surface;
    if (!s.ops || !ctx.draw_fb->fb->is_default ||
        (x == 0 && y == 0 && w == s.width && h == s.height))
        return;
    const bool beyond = int64_t(x) + w > s.width || int64_t(y) + h > s.height;
    s.ops->fit(s.owner, beyond || (x == 0 && y == 0 && is_new_viewport(ctx, w, h)));
}

bool take_front(Context &ctx) {
    return std::exchange(ctx.default_draw_fb->front_drawn, false) && ctx.draw_surface.ops;
}

void context_lost(Context &ctx, GLenum reason) {
    uint32_t none = 0;
    ctx.reset_status.compare_exchange_strong(none, reason);
    ctx.lost.store(true);
    ctx.remote.fetch_or(~uint64_t(0));
    notice_loss(ctx);
}

void notice_loss(Context &ctx) {
    if (glapi::current() == &ctx && ctx.lost.load(std::memory_order_relaxed) && !ctx.dying)
        glapi::lose_current(&ctx);
}

void object_changed(Context &ctx, const Object &o, G g) {
    Writer{ctx}.mark(g);
    uint64_t others =
        o.bound_lanes.load(std::memory_order_relaxed) & ~(uint64_t(1) << ctx.lane_index);
    if (!others)
        return;
    ShareGroup &group = *ctx.group;
    if (group.context_count <= 1)
        return;
    std::lock_guard lock(group.contexts_mutex);
    for (; others; others &= others - 1)
        if (Context *c = group.contexts[unsigned(__builtin_ctzll(others))])
            c->remote.fetch_or(bit(g), std::memory_order_release);
}
} // namespace gl
