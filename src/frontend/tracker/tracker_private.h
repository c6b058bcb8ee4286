// SPDX-License-Identifier: MIT
// The tracker's own state: what it sent last on this lane (State), what waits (open draw, open
// upload), and the caches. Only files of this folder include it.
#pragma once

#include "tracker/emit.h"
#include "tracker/object_data.h"
#include "tracker/tracker.h"
#include "util/bits.h"
#include "util/env.h"
#include "util/handles.h"
#include "util/stats.h"

#include <atomic>
#include <bit>
#include <deque>
#include <mutex>

namespace st {

inline pipe_handle to_pipe(util::SlotGen s) {
    return pipe_handle{s.slot, s.gen};
}
inline util::SlotGen to_slot(pipe_handle h) {
    return util::SlotGen{h.slot, h.gen};
}

// --- CSO keys ------------------------------------------------------------------------------------

// A render state by the hashes of its chunks: a changed chunk alone is hashed again.
struct RenderStateKey {
    pipe_render_state state;
    uint32_t pad0;
};
struct VertexElementsKey {
    uint32_t num_elements, num_bindings;
    pipe_vertex_element elements[PIPE_MAX_ATTRIBS];
    pipe_vertex_binding bindings[PIPE_MAX_VERTEX_BUFFERS];
};
using RenderStateCache = ContentCache<RenderStateKey>;
using VertexElementsCache = ContentCache<VertexElementsKey>;

// --- share group ---------------------------------------------------------------------------------

// A handle whose object died while no context of its group was current.
struct DeadHandle {
    uint32_t kind; // pipe_handle_kind
    pipe_handle handle;
};

// Written under a lock, read by anybody: eight bytes at once.
class AtomicHandle {
  public:
    void store(pipe_handle h) {
        bits_.store(std::bit_cast<uint64_t>(h), std::memory_order_relaxed);
    }
    pipe_handle load() const {
        return std::bit_cast<pipe_handle>(bits_.load(std::memory_order_relaxed));
    }

  private:
    std::atomic<uint64_t> bits_{0};
};

struct Group {
    explicit Group(gl::ShareGroup &group) : g(group), screen(group.screen) {}

    gl::ShareGroup &g;
    pipe_screen *screen;
    util::SlotAllocator resources, samplers, views, fences;
    util::SlotAllocator shaders{PIPE_COMPOSITE_SLOT_BASE};
    util::SlotAllocator composites{0xffffffffu, PIPE_COMPOSITE_SLOT_BASE};

    std::mutex mutex; // caches, object data, dead handles; never taken by a steady draw
    SamplerCache sampler_cache{256};
    ViewCache view_cache{4096};
    std::mutex program_mutex; // what draws of several threads send of one program
    std::mutex dead_mutex;    // the dead list alone: objects may die under `mutex`
    std::vector<DeadHandle> dead;
    std::atomic<bool> has_dead{false};
    std::array<AtomicHandle, 64> lane_handle{};      // by lane index
    std::array<std::atomic<uint64_t>, 64> flushed{}; // ordinal of its last flush, likewise
    // LastWrite goes on counting where the context before at this index ended: a wait for that one
    // is none for this one.
    std::array<std::atomic<uint64_t>, 64> first_ordinal{};
    std::atomic<uint32_t> finishes{0}; // of all lanes: the next poll of an older fence asks
    std::atomic<uint32_t> lanes{0};    // contexts alive: with one lane nothing waits
    // Persistently mapped without a shared store. Held while they are pushed and pulled.
    std::mutex persistent_mutex;
    std::vector<gl::Buffer *> persistent;
    std::atomic<uint32_t> num_persistent{0};
    std::atomic<bool> shares_nothing{false}; // the driver declined map_persistent for good
    std::atomic<bool> shares_images{false};  // listed among the sharers (shared_image.cpp)
    // Events look objects up by handle slot, also while a call under `mutex` waits for the driver.
    std::mutex event_mutex;
    std::vector<gl::Sync *> sync_of;
};

// What a validation is for.
enum class Verb : uint8_t { draw, clear, blit, dispatch, read };

// --- context -------------------------------------------------------------------------------------

constexpr unsigned kMaxOpenRanges = 256;

// Draws that differ in their range only.
struct OpenDraw {
    pipe_draw_vbo head{};
    unsigned count = 0;
    pipe_draw_range ranges[kMaxOpenRanges];
};

// Sub-images of one level that wait to leave as one record.
struct OpenUpload {
    pipe_handle resource{};
    uint32_t level = 0;
    uint8_t aspect = 0;
    LastWrite *write = nullptr; // of the texture
    std::vector<pipe_region> regions;
    std::vector<uint8_t> bytes; // when they do not lie in stage memory
    StageBlock stage;           // or they do: one region that fills it
};
constexpr size_t kOpenUploadBytes = 1u << 20;

#ifdef MGPIPE_VERIFY
// What an upload has to write (verify_upload.h).
struct DueUpload {
    pipe_handle resource{};
    uint64_t left = 0; // texels or bytes that no record has brought yet
    // --- texels
    uint32_t level = 0;
    uint8_t aspect = 0;
    bool one_piece = false; // small enough for one region
    bool by_gpu = false;    // out of `source`, where the corners of the box lie at these offsets
    pipe_box box{};
    std::vector<pipe_box> written;
    uint32_t block_width = 1, block_height = 1, block_bytes = 0;
    uint64_t step = 1;          // every step-th block of the box, x first, is in `bytes`
    std::vector<uint8_t> bytes; // empty: not compared
    pipe_handle source{};
    uint64_t corners[4]{};
    // --- bytes of a buffer
    bool is_buffer = false, whole = false;
    uint64_t offset = 0;
    const uint8_t *from = nullptr; // null: not compared
};
#endif

// What this lane holds now. A set that equals it is not sent again.
struct SentState {
    pipe_dynamic_state dynamic{};
    uint32_t dynamic_valid = 0; // chunks sent at least once
    pipe_set_sample_state sample{};
    bool sample_valid = false;
    pipe_handle draw_fb{~0u, 0}, read_fb{~0u, 0};
    pipe_handle index_buffer{};
    pipe_set_indirect_buffers indirect{};
    pipe_handle draw_program{}, dispatch_program{};
    pipe_vertex_buffer vertex[PIPE_MAX_VERTEX_BUFFERS]{};
    pipe_attrib_value attrib[PIPE_MAX_ATTRIBS]{};
    uint32_t attrib_valid = 0;
    pipe_texture_slot texture[PIPE_MAX_TEXTURE_UNITS]{};
    ViewCache::Entry *view[PIPE_MAX_TEXTURE_UNITS]{}; // references of `texture`
    pipe_handle sampler[PIPE_MAX_TEXTURE_UNITS]{};
    SamplerCache::Entry *sampler_ref[PIPE_MAX_TEXTURE_UNITS]{};
    pipe_shader_image image[PIPE_MAX_IMAGE_UNITS]{};
    pipe_buffer_range buffer[3][PIPE_MAX_INDEXED_BUFFERS]{};
    pipe_set_patch_state patch{};
    bool patch_valid = false;
    pipe_set_pixel_pack_state pack{};
    bool pack_valid = false;
    pipe_handle condition{};
};

// Units and binding points that the bound programs read.
struct UsedSlots {
    util::BitSet<PIPE_MAX_TEXTURE_UNITS> textures;
    util::BitSet<PIPE_MAX_IMAGE_UNITS> images;
    util::BitSet<PIPE_MAX_INDEXED_BUFFERS> buffers[3]; // by pipe_buffer_class
    uint8_t target[PIPE_MAX_TEXTURE_UNITS]{};          // gl::TexIndex that the program samples
    uint8_t shadow[PIPE_MAX_TEXTURE_UNITS]{};
};

struct Composite;

// A program as a verb sees it: a linked program or a composed pipeline.
struct BoundProgram {
    pipe_handle handle{};
    std::shared_ptr<const gl::LinkedProgram> linked;
    gl::Program *program = nullptr; // null for a composite
    Composite *composite = nullptr;
    uint32_t link_version = 0;
    uint32_t bindings_version = ~0u; // of which `used` was made
    bool writes_memory = false;
    UsedSlots used;
};

struct Tracker {
    explicit Tracker(gl::Context &ctx, Group &grp) : c(ctx), group(grp) {}

    gl::Context &c;
    Group &group;
    Lane lane;
    pipe_handle lane_handle{};
    uint64_t first_ordinal = 0; // of this context in its group (see there)
    bool merge_draws = true;    // MGPIPE_DEBUG=nomerge
    bool suppress = true;       // nosuppress
    bool find_cso = true;       // nocso
    bool poll_always = true;    // monolith: a poll is an ordinary call

    util::SlotAllocator render_states, vertex_elements, framebuffers, queries, stream_outputs;
    RenderStateCache render_state_cache{64};
    VertexElementsCache vertex_elements_cache{1024};

    // working copies that the atoms fill; compared when all of them ran
    pipe_render_state rs{};
    uint32_t rs_changed = ~0u; // chunks that differ from the bound state
    uint64_t rs_hash[PIPE_RS_CHUNK_COUNT]{};
    RenderStateCache::Entry *rs_bound = nullptr;
    pipe_dynamic_state ds{};
    uint32_t ds_changed = ~0u; // chunks that may differ from what was sent
    VertexElementsCache::Entry *ve_bound = nullptr;

    SentState sent;
    BoundProgram draw, dispatch;
    bool skip_draws = false; // nothing can be drawn: no program, no storage, condition false
    bool lane_current = false;
    gl::Framebuffer *default_fb = nullptr; // the one that {0,1} describes now
    gl::Framebuffer *clear_fb = nullptr;   // framebuffer that a clear names and that is not bound
    Verb verb = Verb::draw;                // the one that validates now
    bool condition_skips = false; // conditional rendering decided on the client: nothing is drawn
    bool restart = false, restart_fixed = false;
    uint32_t restart_index = 0;
    bool seamless = false; // global enable that the sent samplers were made with
    uint8_t unit_target[PIPE_MAX_TEXTURE_UNITS]{}; // gl::TexIndex each unit was resolved for
    bool so_active = false;                        // a capture runs
    unsigned max_units = PIPE_MAX_TEXTURE_UNITS;
    uint64_t chunk_bytes = ~uint64_t(0);        // largest upload record
    std::array<uint64_t, 64> waited{};          // per lane index: ordinal this lane has waited for
    std::vector<pipe_lane_wait> waited_sharers; // likewise, of the groups that share images
    uint64_t flushed_ordinal = ~uint64_t(0);    // last flush that a poll sent
    // Results that came as events of any thread, by slot of the query; under event_mutex of the
    // group. Whoever asks for a result looks here first.
    struct ReadyResult {
        uint32_t gen = 0;
        bool ready = false;
        uint64_t result = 0;
    };
    std::vector<ReadyResult> ready_results;

    bool draws_front = false; // the bound draw framebuffer does
    OpenDraw open_draw;
    OpenUpload open_upload;
    std::vector<pipe_draw_range> ranges; // of a multi-draw
    uint32_t max_ranges = 1u << 16;      // of one record
#ifdef MGPIPE_VERIFY
    bool deriving = false; // the state is made anew, from the objects alone: nothing cached counts
    std::deque<DueUpload> due; // oldest first
    uint64_t uploads_due = 0;  // ever
#else
    static constexpr bool deriving = false;
#endif
    std::vector<uint8_t> scratch; // conversions; grows to the largest one

    pipe_context *out() {
        return lane.out();
    }
};

// --- counters (util/stats) -----------------------------------------------------------------------
extern util::Counter stat_cso_creates, stat_cso_binds, stat_cso_over_capacity;
extern util::Counter stat_sets_sent, stat_sets_suppressed;
extern util::Counter stat_draws, stat_draw_records, stat_ranges;
extern util::Counter stat_staged_bytes;
extern util::Counter stat_uploads, stat_upload_regions, stat_upload_bytes;
extern util::Counter stat_gpu_write_syncs, stat_round_trips, stat_composites;

// --- shared by the files of this folder ----------------------------------------------------------

inline Tracker &of(gl::Context &c) {
    return *c.tracker;
}

// True when `sent` differs from `now` (or suppression is off); counts either way and stores `now`.
template <class T> bool changed(Tracker &t, T &sent, const T &now) {
    if (std::memcmp(&sent, &now, sizeof(T)) == 0 && t.suppress) {
        stat_sets_suppressed.add();
        return false;
    }
    sent = now;
    stat_sets_sent.add();
    return true;
}

// validate.cpp
void validate_verb(Tracker &t, Verb verb);
void invalidate_all(Tracker &t); // forget what was sent: everything goes again

// verify.cpp: after the validation of a verb. Verify builds derive the state of the verb from the
// objects, with no dirty bits and no suppression, and compare it with what the lane holds; others
// do nothing. `named`: framebuffers that the verb names beside the bound ones.
using NamedFramebuffers = std::initializer_list<gl::Framebuffer *>;
#ifdef MGPIPE_VERIFY
void verify_state(Tracker &t, Verb verb, NamedFramebuffers named = {});
#else
inline void verify_state(Tracker &, Verb, NamedFramebuffers = {}) {}
#endif

// lanes.cpp
void wait_for(Tracker &t, const LastWrite &w);
// For what the other lanes have flushed.
void wait_for_flushed(Tracker &t);
void note_write(Tracker &t, LastWrite &w);
// Of the last record, as LastWrite counts.
uint64_t last_ordinal(const Tracker &t);

// shared_image.cpp
util::SlotAllocator &image_slots(); // images are named per process, like lanes
// For what the lanes of all groups that share images have flushed.
void wait_for_sharers(Tracker &t);
// A lane of a group comes or goes (null): at its index, under the mutex of the sharers.
void set_lane_handle(Group &g, unsigned index, pipe_handle lane);
void forget_sharer(Group &g);

// stage.cpp: memory for a later record, which names it once. False: use memory of your own.
bool stage_take(Tracker &t, uint64_t size, StageBlock &out);
// The span of `size` bytes from `lead` on.
pipe_host_span stage_span(const StageBlock &block, uint64_t lead, uint64_t size);

// fence.cpp: what a local poll needs, at most one flush however often it is asked
void flush_for_poll(Tracker &t);

// lifetime.cpp
void kill_handle(Group &group, uint32_t kind, pipe_handle handle);
void bury_dead(Tracker &t);

// buffers
BufferData &data_of(gl::Buffer &b);
pipe_handle buffer_handle(Tracker &t,
                          gl::Buffer *b); // waits for other lanes; {0,0} without storage
// What a command may write: the client's copy is stale there from now on.
void buffer_gpu_written(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size);
void buffer_gpu_written(Tracker &t, const gl::BufferRange &r);
bool buffer_read(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size, void *out);
bool store_read(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size, void *out); // no copy
inline bool copy_valid(const BufferData &d, uint64_t offset, uint64_t size) {
    return d.copy && (offset >= d.stale_end || offset + size <= d.stale_begin);
}
void copy_stale(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size);
void copy_synced(Tracker &t, BufferData &d); // the stale part was just read
// The client's copy with valid bytes. Null when out of memory.
uint8_t *valid_copy(Tracker &t, gl::Buffer &b, BufferData &d);

// persistent.cpp
void drop_copy(BufferData &d);
void *map_persistent(Tracker &t, gl::Buffer &b, GLintptr offset, GLsizeiptr length,
                     GLbitfield access);
void unmap_persistent(Tracker &t, gl::Buffer &b);
void flush_persistent(Tracker &t, gl::Buffer &b, GLintptr offset, GLsizeiptr length);
// Bytes that a command brings and that the program shall see in its map at once.
void write_persistent(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size, const void *bytes);
void forget_persistent(Group &g, gl::Buffer &b);
void push_persistent(Tracker &t); // before a verb
void pull_persistent(Tracker &t); // what the GPU wrote, when the program may look: fences, finish

// textures
TextureData &data_of(gl::Texture &t);
RenderbufferData &data_of(gl::Renderbuffer &r);
struct Location { // where the texels of one level lie
    pipe_handle resource{};
    const pipe_resource_desc *desc = nullptr;
    uint32_t level = 0;
    uint32_t layer = 0; // of face or view, to be added to z
    LastWrite *write = nullptr;
};
Location locate(Tracker &t, gl::Texture &tex, unsigned face,
                unsigned level); // resource null: not defined
Location locate_storage(Tracker &t, gl::Texture &tex, unsigned face,
                        unsigned level);             // views: in the owner
bool texture_finalize(Tracker &t, gl::Texture &tex); // all sampled levels into the main resource
uint32_t choose_format(Group &g, const gl::FormatInfo &f, pipe_texture_target target,
                       unsigned samples);
uint8_t pipe_target(gl::TexIndex i);
void resolve_params(Tracker &t, gl::Texture &tex); // set_texture_params when they moved
void set_swizzle(const gl::Texture &tex, const gl::FormatInfo &f, uint8_t out[4],
                 bool with_texture);
ViewCache::Entry *resolve_view(Tracker &t,
                               gl::Texture &tex); // one more reference; null: no storage
SamplerCache::Entry *sampler_entry(Tracker &t, const gl::SamplerParams &p, bool global_seamless);
void release_view(Group &g, ViewCache::Entry *e);
void release_sampler(Group &g, SamplerCache::Entry *e);

// capture
XfbData &xfb_data(Tracker &t, gl::TransformFeedback &x);
void send_so_targets(Tracker &t, gl::TransformFeedback &x);

// framebuffers
pipe_handle resolve_framebuffer(Tracker &t,
                                gl::Framebuffer &fb); // sends set_framebuffer_state when it changed

// programs
void send_constants(Tracker &t, BoundProgram &p);
void send_bindings(Tracker &t, BoundProgram &p);
bool compose_pipeline(Tracker &t, gl::ProgramPipeline &p, uint32_t stages, BoundProgram &out);

// queries
void query_destroy_handle(Tracker &t, pipe_handle handle);

// uploads
void close_upload(Tracker &t);
void upload_span(Tracker &t, pipe_handle buffer, uint64_t offset, const pipe_host_span &bytes,
                 uint32_t flags);
void upload_bytes(Tracker &t, pipe_handle buffer, uint64_t offset, uint64_t size, const void *bytes,
                  uint32_t flags);

} // namespace st
