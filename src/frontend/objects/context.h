// SPDX-License-Identifier: MIT
// The GL context and the share group. One thread uses a context at a time; the share group is used
// by all its contexts.
#pragma once

#include "objects/buffer.h"
#include "objects/capabilities.h"
#include "objects/debug.h"
#include "objects/errors.h"
#include "objects/framebuffer.h"
#include "objects/program.h"
#include "objects/query.h"
#include "objects/sampler.h"
#include "objects/state.h"
#include "objects/sync.h"
#include "objects/texture.h"
#include "objects/transform_feedback.h"
#include "objects/vertex_array.h"
#include "pipe/pipe.h"

namespace st {
struct Tracker; // per context
struct Group;   // per share group
} // namespace st

namespace gl {

struct ShareGroup {
    pipe_screen *screen = nullptr; // one screen = one share group
    Capabilities caps;
    NameTable<Buffer> buffers;
    NameTable<Texture> textures;
    NameTable<Sampler> samplers;
    NameTable<Renderbuffer> renderbuffers;
    NameTable<Sync> syncs;
    NameTable<Program> programs; // shaders and programs share names: gen in `programs`, a shader's
                                 // name is reserved there
    NameTable<Shader> shaders;
    std::mutex program_mutex; // attach, detach, delete, link results
    std::array<Ref<Texture>, TEX_COUNT> default_texture;
    std::mutex contexts_mutex;
    std::array<Context *, 64> contexts{};   // by lane index
    std::atomic<unsigned> context_count{0}; // read without the mutex
    std::atomic<bool> lost{false};
    st::Group *tracker = nullptr;
};
// `screen` stays the caller's; it must outlive the group. Null and one log line on failure.
std::shared_ptr<ShareGroup> share_group_create(pipe_screen *screen);

struct SurfaceOps { // of a window or pixmap; on the thread it is current on, without EGL's lock
    // Its extent may have changed: surfaces_changed() follows if so. `ask`: the window system,
    // where the news might still be on its way.
    void (*fit)(void *owner, bool ask);
    void (*show)(void *owner); // what was drawn to its front buffer
};
struct SurfaceInfo {      // a draw or read surface, filled by egl/glx and kept by it until replaced
    pipe_handle handle{}; // surface; {0,0} = surfaceless
    GLsizei width = 0, height = 0, samples = 0;
    GLenum color_format = GL_RGBA8, depth_format = GL_NONE,
           stencil_format = GL_NONE; // sized internal formats; may be one DEPTH24_STENCIL8 in both
    bool double_buffered = true, srgb = false;
    const SurfaceOps *ops = nullptr; // null: a pbuffer
    void *owner = nullptr;
};
struct ContextAttribs {
    int major = 1, minor = 0; // asked; the context gets the highest compatible core version
    bool core = true, forward = false, debug = false, robust = false, no_error = false;
    bool lose_on_reset = false;
    bool release_flush = true; // GL_CONTEXT_RELEASE_BEHAVIOR
};

struct Context : HotLine {
    // --- fixed function ---
    Tracked<G::blend, BlendState> blend;
    Tracked<G::blend_color, std::array<float, 4>> blend_color;
    Tracked<G::color_mask, ColorMaskState> color_mask;
    Tracked<G::logic_op, LogicOpState> logic_op;
    Tracked<G::depth, DepthState> depth;
    Tracked<G::stencil, StencilState> stencil;
    Tracked<G::raster, RasterState> raster;
    Tracked<G::point_line, PointLineState> point_line;
    Tracked<G::scissor, ScissorState> scissor;
    Tracked<G::viewport, ViewportState> viewport;
    Tracked<G::clip, ClipState> clip;
    Tracked<G::multisample, MultisampleState> multisample;
    Tracked<G::framebuffer_srgb, bool> framebuffer_srgb;
    Tracked<G::clear, ClearState> clear;
    Tracked<G::pixel_pack, PixelPackState> pack;
    Tracked<G::pixel_unpack, PixelUnpackState> unpack;
    Tracked<G::hints, HintState> hints;
    Tracked<G::primitive, PrimitiveState> primitive;
    Tracked<G::patch, PatchState> patch;
    Tracked<G::seamless_cube, bool> seamless_cube;
    // --- bindings ---
    Tracked<G::draw_framebuffer, FramebufferBinding> draw_fb;
    Tracked<G::read_framebuffer, FramebufferBinding> read_fb;
    Tracked<G::vertex_array, VertexArrayBinding> vertex_array;
    Tracked<G::current_attribs, CurrentAttribState> current;
    Tracked<G::textures, TextureState> textures;
    Tracked<G::samplers, SamplerState> samplers;
    Tracked<G::images, ImageState> images;
    Tracked<G::uniform_buffers, UniformBufferState> ubo;
    Tracked<G::storage_buffers, StorageBufferState> ssbo;
    Tracked<G::atomic_buffers, AtomicBufferState> atomic;
    Tracked<G::buffers, BufferBindings> buffers;
    Tracked<G::program, ProgramBinding> program;
    Tracked<G::xfb, XfbBinding> xfb;
    Tracked<G::queries, QueryState> queries;
    Tracked<G::condition, ConditionState> condition;
    SlotDirty slots;

    // --- not pushed ---
    GLuint active_texture = 0;
    std::array<std::array<TexImage, kMaxTextureLevels>, TEX_COUNT>
        proxies; // what the last proxy call of each target answered
    TexImage &proxy_image(GLenum target, unsigned level); // of a GL_PROXY_* target
    Ref<Renderbuffer> renderbuffer;
    NameTable<VertexArray> vertex_arrays; // containers are not shared
    NameTable<Framebuffer> framebuffers;
    NameTable<ProgramPipeline> pipelines;
    NameTable<TransformFeedback> xfbs;
    NameTable<Query> query_names;
    Ref<VertexArray> default_vao;
    Ref<Framebuffer> default_draw_fb, default_read_fb; // the same object when both surfaces are one
    Ref<TransformFeedback> default_xfb;
    SurfaceInfo draw_surface, read_surface;
    bool has_surface = false, was_current = false;
    // Extents of viewports that were smaller than their window when that was asked for.
    std::array<uint64_t, 8> smaller_viewports{};
    unsigned next_smaller = 0;

    struct DrawCheck { // parts of the cached draw errors, each recomputed when its groups are
                       // marked
        bool framebuffer = false, arrays = false, indexed = false, program = false;
        uint32_t program_modes = 0;
    } draw_check;

    // --- errors and debug ---
    GLenum pending_error = GL_NO_ERROR;
    DebugState debug;
    std::atomic<uint32_t> driver_error{0}; // set by events of any thread

    // --- identity ---
    ContextAttribs attribs;
    int version = 33;                   // 10 * major + minor of this context
    const Capabilities *caps = nullptr; // group->caps
    std::shared_ptr<ShareGroup> group;
    unsigned lane_index = 0;               // in group->contexts
    std::atomic<uint32_t> reset_status{0}; // GL_NO_ERROR or GL_*_CONTEXT_RESET, sticky until read
    std::atomic<bool> lost{false};
    bool lost_reported = false;
    bool dying = false; // context_destroy runs: objects may still die, nothing else is sent, and no
                        // event reaches it any more (set under contexts_mutex)

    // --- pipe ---
    pipe_screen *screen = nullptr;
    pipe_context *pipe = nullptr;
    st::Tracker *tracker = nullptr;

    const Limits &limits() const { return caps->limits; }
    const Features &has() const { return caps->has; }
    bool no_error() const { return attribs.no_error; }
};

// The calling thread's context, or null (glapi keeps it). For destructors, which get no context.
Context *current();

// A context of `group`, current nowhere; null and one log line when the version asked for is above
// the group's or the driver makes no lane. Any thread.
Context *context_create(const std::shared_ptr<ShareGroup> &group, const ContextAttribs &attribs);
// The context must not be current anywhere.
void context_destroy(Context *ctx);
// Null ctx releases. Null surfaces: surfaceless. Flushes the old context unless its release
// behaviour is NONE.
bool make_current(Context *ctx, const SurfaceInfo *draw, const SurfaceInfo *read);
// The surfaces of the context, which is current on this thread, have other extents.
void surfaces_changed(Context &ctx, const SurfaceInfo *draw, const SurfaceInfo *read);
// The program is about to draw to this part of the draw framebuffer. That it is not the whole
// window may be news: a program that heard of its window's new extent sets its viewport first.
void fit_surface(Context &ctx, GLint x, GLint y, GLsizei w, GLsizei h);
// Whether the front buffer of the draw surface was drawn to since the last call: show() is due,
// because the program flushes.
bool take_front(Context &ctx);
void context_lost(Context &ctx,
                  GLenum reason); // GL_GUILTY/INNOCENT/UNKNOWN_CONTEXT_RESET; any thread
// A context that another thread found lost stops being current on its own thread; called there.
void notice_loss(Context &ctx);

// Marks `g` in every other context of the group that has bound `o`, and in this one.
void object_changed(Context &ctx, const Object &o, G g);
inline void note_bound(Context &ctx, Object &o) {
    uint64_t b = uint64_t(1) << ctx.lane_index;
    if (!(o.bound_lanes.load(std::memory_order_relaxed) & b))
        o.bound_lanes.fetch_or(b, std::memory_order_relaxed);
}
// Recomputes valid_modes, valid_modes_indexed and draw_error from the marked groups. Draw entry
// points call it when (dirty | remote) & active is not 0, before anything is pushed: a draw with an
// error pushes nothing.
constexpr uint64_t kDrawCheckGroups =
    bits(G::draw_framebuffer, G::vertex_array, G::index_buffer, G::program, G::program_bindings,
         G::xfb, G::buffer_content, G::condition, G::draw_check);
void update_draw_check(Context &ctx);
} // namespace gl
