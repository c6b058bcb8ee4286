// SPDX-License-Identifier: MIT
// State groups and the one dirty word. State is const to everybody and is written only through
// Writer, which marks the group; an atom sees only the groups its Reads<...> names. So neither a
// forgotten mark nor an undeclared read compiles.
#pragma once

#include "objects/gltypes.h"

namespace gl {

// One line per state group: NAME. At most 64.
#define GL_STATE_GROUPS(X)                                                                         \
    X(blend) /* equations, factors, enables */                                                     \
    X(blend_color)                                                                                 \
    X(color_mask)                                                                                  \
    X(logic_op)                                                                                    \
    X(depth)      /* test, function, write mask */                                                 \
    X(stencil)    /* test, functions, operations, masks, references */                             \
    X(raster)     /* cull, front face, polygon mode and offset, discard, depth clamp */            \
    X(point_line) /* sizes, smoothing, sprite origin */                                            \
    X(scissor)                                                                                     \
    X(viewport)    /* rectangles and depth ranges */                                               \
    X(clip)        /* clip control, clip distances */                                              \
    X(multisample) /* enables, coverage, mask, sample shading */                                   \
    X(framebuffer_srgb)                                                                            \
    X(clear) /* clear values */                                                                    \
    X(pixel_pack)                                                                                  \
    X(pixel_unpack)                                                                                \
    X(hints)                                                                                       \
    X(primitive) /* restart, provoking vertex */                                                   \
    X(patch)                                                                                       \
    X(draw_framebuffer) /* binding, attachments, draw buffers */                                   \
    X(read_framebuffer)                                                                            \
    X(vertex_array) /* binding, formats, vertex buffers */                                         \
    X(index_buffer)                                                                                \
    X(current_attribs)                                                                             \
    X(textures) /* bound textures, their parameters and storage; slots in SlotDirty */             \
    X(samplers) /* bound sampler objects and their parameters */                                   \
    X(images)                                                                                      \
    X(uniform_buffers)                                                                             \
    X(storage_buffers)                                                                             \
    X(atomic_buffers)                                                                              \
    X(xfb)              /* transform feedback object, its buffers, active and paused */            \
    X(program)          /* bound program or pipeline, and their link version */                    \
    X(program_bindings) /* which unit or binding point a slot reads */                             \
    X(uniforms)         /* values of default blocks */                                             \
    X(buffers)          /* non-indexed buffer binding points */                                    \
    X(buffer_content)   /* a bound buffer was mapped, unmapped or got new storage */               \
    X(queries)                                                                                     \
    X(condition) /* conditional rendering */                                                       \
    X(seamless_cube)                                                                               \
    X(debug)                                                                                       \
    X(draw_check) /* only wakes the cached draw errors */

enum class G : uint8_t {
#define X(name) name,
    GL_STATE_GROUPS(X)
#undef X
        count
};
static_assert(unsigned(G::count) <= 64);

constexpr uint64_t bit(G g) {
    return uint64_t(1) << unsigned(g);
}
template <class... Gs> constexpr uint64_t bits(Gs... gs) {
    return (bit(gs) | ... | 0);
}
const char *group_name(G g);

// Line 0 of a context: all that a steady draw reads.
struct alignas(64) HotLine {
    uint64_t dirty = ~uint64_t(0);   // groups changed by this context since the last validate
    std::atomic<uint64_t> remote{0}; // groups changed by other contexts in objects bound here
    uint64_t active = ~uint64_t(0);  // groups that the bound programs use (tracker writes)
    uint32_t valid_modes =
        0; // bit per primitive mode: legal now for non-indexed draws (draw_check.cpp writes)
    uint32_t valid_modes_indexed = 0; // the same for indexed draws
    bool client_indices = false; // no element array buffer: indices lie in the program's memory
    uint32_t draw_error = 0;     // GL error of a mode < 32 that is not in the mask
    uint32_t open_prims = 0;     // not 0: immediate-mode vertices wait (compatibility profile)
    uint64_t open_draw_key = 0;  // tracker: mode | type | instances of the open draw, 0 = none
    void *open_draw = nullptr;   // tracker: where ranges are appended
};

void flush_prims(HotLine &c); // hook of the compatibility profile

template <G g, class T> class Tracked {
    T v_{};
    friend struct Writer;

  public:
    static constexpr G group = g;
    const T &operator*() const { return v_; }
    const T *operator->() const { return &v_; }
};

// The only way to write tracked state.
//   Writer{ctx}(ctx.depth).func = f;            marks always
//   Writer{ctx}.set(ctx.depth, &DepthState::func, f);   marks when the value differs; returns
//   whether it did
struct Writer {
    HotLine &c;
    explicit Writer(HotLine &ctx) : c(ctx) {}
    template <G g, class T> T &operator()(Tracked<g, T> &t) const {
        if (c.open_prims)
            flush_prims(c);
        c.dirty |= bit(g);
        return t.v_;
    }
    template <G g, class T, class M>
    bool set(Tracked<g, T> &t, M T::*member, const M &value) const {
        if (t.v_.*member == value)
            return false;
        (*this)(t).*member = value;
        return true;
    }
    template <G g, class T> bool set(Tracked<g, T> &t, const T &value) const {
        if (t.v_ == value)
            return false;
        (*this)(t) = value;
        return true;
    }
    // Bookkeeping inside a group that changes nothing a driver sees (e.g. a cached status): no
    // mark.
    template <G g, class T> T &quiet(Tracked<g, T> &t) const { return t.v_; }
    void mark(G g) const { c.dirty |= bit(g); }
};

// What an atom may see. `view.get<&Context::blend>()` compiles only when the member's group is in
// the list.
template <class M> struct member_group;
template <class C, G g, class T> struct member_group<Tracked<g, T> C::*> {
    static constexpr G value = g;
};
template <G... gs> struct Reads {
    static constexpr uint64_t mask = (bit(gs) | ... | 0);
    const Context &ctx;
    explicit Reads(const Context &c) : ctx(c) {}
    template <auto member> const auto &get() const {
        constexpr G g = member_group<std::remove_const_t<decltype(member)>>::value;
        static_assert(((g == gs) || ...), "atom reads a state group that it did not declare");
        return *(ctx.*member);
    }
};

// Dirty bits of indexed state; setters set, the tracker clears what it resolved again.
template <unsigned N> struct SlotMask {
    uint64_t w[(N + 63) / 64];
    SlotMask() { set_all(); }
    void set(unsigned i) { w[i / 64] |= uint64_t(1) << (i % 64); }
    void set_all() {
        for (auto &x : w)
            x = ~uint64_t(0);
    }
    void clear(unsigned i) { w[i / 64] &= ~(uint64_t(1) << (i % 64)); }
    bool test(unsigned i) const { return w[i / 64] >> (i % 64) & 1; }
};

struct SlotDirty {
    SlotMask<kMaxTextureUnits> textures, samplers;
    SlotMask<kMaxImageUnits> images;
    SlotMask<kMaxUniformBuffers> uniform_buffers;
    SlotMask<kMaxStorageBuffers> storage_buffers;
    SlotMask<kMaxAtomicBuffers> atomic_buffers;
    SlotMask<kMaxVertexBindings> vertex_buffers;
};
} // namespace gl
