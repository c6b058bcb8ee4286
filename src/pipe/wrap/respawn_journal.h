// SPDX-License-Identifier: MIT
// The journal: everything that makes the objects and the pushed state of one screen again. It is as
// old as the last call that was folded into it. Not locked.
#pragma once

#include "respawn_contents.h"
#include "respawn_log.h"

#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace wrap {

class Journal {
  public:
    // Tests: kinds (bit pipe_handle_kind) that are forgotten.
    explicit Journal(uint32_t forget) : forget_(forget) {}

    void add_lane(uint32_t id, const pipe_lane_create &create);
    void remove_lane(uint32_t id);
    void add_surface(const pipe_surface_create &create);
    void resize_surface(const pipe_surface_resize &resize);
    void remove_surface(pipe_handle surface);

    // The call of `lane` has happened.
    void fold(const uint8_t *stored);

    // --- making all of it again, in this order. False: refused.
    bool restore_surfaces(pipe_screen *screen) const;
    const pipe_lane_create &lane_create(uint32_t id) const { return lanes_.at(id).create; }
    // The lane whose context is the best for the objects of the group; 0: there is none.
    uint32_t first_lane() const;
    void restore_current(uint32_t id, pipe_context *ctx) const;
    void restore_group(pipe_context *ctx);
    // True: the lane is current.
    bool restore_lane(uint32_t id, pipe_context *ctx) const;
    // Queries of a lane whose results died with the server.
    std::unordered_set<uint64_t> orphans(uint32_t id) const;

    bool has_format(pipe_handle resource, uint32_t format);
    uint64_t objects() const;
    // What was lost, by kind: "2 textures, 1 buffer"; empty: nothing.
    std::string losses(uint64_t *count) const;

  private:
    struct Object {
        uint64_t turn = 0; // order of making
        KeptCall call;
        std::map<uint16_t, KeptCall> state; // by call
        std::vector<uint8_t> constants;     // of a program
        bool writes_memory = false;         // a program
        bool begun = false, paused = false; // a query, a capture
        enum pipe_prim mode = PIPE_PRIM_POINTS;
    };
    using Objects = std::unordered_map<uint64_t, Object>; // by pipe_handle_key()
    struct Resource {
        uint64_t turn = 0;
        pipe_resource_create create{};
        KeptCall params;
        Contents contents;
        uint32_t views = 0;
        bool destroyed = false; // kept for its views
    };
    struct RenderState {
        uint64_t turn = 0;
        pipe_render_state state{};
    };
    // Indexed state.
    struct Window {
        std::vector<uint8_t> bytes, set;
        void put(uint32_t start, uint32_t count, const void *elements, uint32_t element);
    };
    static const size_t num_plain, num_windows;
    struct Lane {
        pipe_lane_create create{};
        pipe_lane_current current{};
        bool was_current = false;
        std::unordered_map<uint64_t, RenderState> render_states;
        std::map<uint32_t, Objects> objects; // by kind
        std::unordered_map<uint64_t, pipe_set_swap_interval> intervals;
        std::vector<KeptCall> plain; // calls that are kept whole
        std::vector<Window> windows;
        pipe_dynamic_state dynamic{};
        uint32_t dynamic_mask = 0;
        uint64_t marked = 0; // epoch in which its draws' targets were marked; 0: anew
    };
    struct Surface {
        pipe_surface_create create{};
        bool drawn = false;
    };

    // Generated: what fills state, makes or ends an object. False: neither.
    bool fold_state(Lane &lane, const Recalled &r, const uint8_t *stored);
    bool fold_object(Lane &lane, const Recalled &r, const uint8_t *stored);
    static void restore_state(const Lane &lane, pipe_context *ctx);
    // Index of a lane's window or plain call.
    static size_t window_of(uint16_t op, uint32_t per);
    static size_t plain_of(uint16_t op);
    template <typename T, typename F>
    static void each_set(const Lane &lane, uint16_t op, uint32_t per, F f) {
        const Window &w = lane.windows[window_of(op, per)];
        for (size_t i = 0; i < w.set.size(); i++) {
            T v;
            memcpy(&v, w.bytes.data() + i * sizeof v, sizeof v);
            if (w.set[i])
                f(v);
        }
    }

    Objects &table(Lane &lane, uint32_t kind);
    void made(Lane &lane, uint32_t kind, pipe_handle h, const Recalled &r, const uint8_t *stored);
    void ended(Lane &lane, uint32_t kind, pipe_handle h);
    void keep_for(Lane &lane, uint32_t kind, pipe_handle h, const Recalled &r,
                  const uint8_t *stored);
    void keep_constants(const pipe_set_global_constants &p, const Recalled &r);
    void make_resource(const pipe_resource_create &p);
    void respecify(const pipe_resource_respecify &p);
    void end_resource(pipe_handle h);
    void make_render_state(Lane &lane, const Recalled &r);

    void fold_progress(Lane &lane, const Recalled &r);
    void fold_contents(Lane &lane, const Recalled &r, const uint8_t *stored);
    bool fold_client_write(const Recalled &r, const uint8_t *stored);
    bool fold_gpu_write(Lane &lane, const Recalled &r);
    void fold_subdata(const Recalled &r);
    void fold_copy(const pipe_resource_copy_region &p);
    void fold_buffer_to_texture(const Recalled &r);
    void fold_clear_buffer(const pipe_clear_buffer &p);
    void fold_clear_texture(pipe_clear_texture p);
    void fold_mipmap(const Recalled &r, const uint8_t *stored);
    void fold_invalidate(const pipe_resource_invalidate &p);
    void mark_draw(Lane &lane);
    void mark_memory(const Lane &lane, uint16_t program_call);
    void mark_framebuffer(const Lane &lane, pipe_handle framebuffer);
    void mark_captures(const Lane &lane, pipe_handle so);
    void mark_captures(const Object &so);
    void mark_resource(pipe_handle h, uint32_t level);
    void mark_buffer(pipe_handle h, uint64_t offset, uint64_t size);
    Resource *find(pipe_handle h);
    // The owner of the storage; `level` and `layer` become its.
    Contents *storage(pipe_handle h, uint32_t *level, uint32_t *layer);

    static void restore_resource(const Resource &r, pipe_context *ctx);
    bool forgets(uint32_t kind) const { return forget_ >> kind & 1; }
    static std::vector<const Object *> in_order(const Objects &objects);

    const uint32_t forget_;
    uint64_t turn_ = 0, epoch_ = 1;
    std::map<uint32_t, Lane> lanes_;
    std::map<uint32_t, Objects> group_; // by kind
    std::unordered_map<uint64_t, Resource> resources_;
    std::map<uint64_t, Surface> surfaces_;
};

// Carries a call out on a lane; calls that answer are not carried out. Generated.
void carry_out(pipe_context *ctx, const Recalled &r);
// The call is worth keeping until its frame was shown. Generated.
bool is_replayed(uint16_t op);

} // namespace wrap
