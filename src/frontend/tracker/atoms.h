// SPDX-License-Identifier: MIT
// All atoms: which state groups each one reads. The table "group -> atoms it wakes" is computed
// from these lines, and an atom's body sees exactly the groups named here, so neither can be wrong
// without a compile error.
#pragma once

#include "tracker/tracker_private.h"

#include <array>
#include <tuple>

namespace st {

using gl::G;
template <G... gs> using Reads = gl::Reads<gs...>;

// Verbs that need an atom; bits of Verb.
constexpr uint32_t on(auto... verbs) {
    return ((1u << unsigned(verbs)) | ... | 0u);
}
constexpr uint32_t kRenderVerbs = on(Verb::draw, Verb::clear, Verb::blit);
constexpr uint32_t kShaderVerbs = on(Verb::draw, Verb::dispatch);

#define ST_ATOM(name, verb_mask, ...)                                                              \
    struct name##_atom {                                                                           \
        using in = Reads<__VA_ARGS__>;                                                             \
        static constexpr uint32_t verbs = verb_mask;                                               \
        static constexpr const char *text = #name;                                                 \
        static void update(in view, Tracker &t);                                                   \
    };

// Order matters only where a later atom reads what an earlier one resolved: programs say which
// slots count, framebuffers say which formats.
ST_ATOM(program, kShaderVerbs, G::program, G::program_bindings)
ST_ATOM(framebuffer, kRenderVerbs | on(Verb::read), G::draw_framebuffer, G::read_framebuffer)
// gl_DepthRange and gl_NumSamples are members of the default block
ST_ATOM(constants, kShaderVerbs, G::uniforms, G::program, G::viewport, G::draw_framebuffer)
// chunks of the pipeline subset
ST_ATOM(blend, kRenderVerbs, G::blend, G::color_mask, G::logic_op, G::draw_framebuffer)
ST_ATOM(depth_stencil, kRenderVerbs, G::depth, G::stencil, G::draw_framebuffer)
ST_ATOM(raster, kRenderVerbs, G::raster, G::point_line, G::clip, G::primitive, G::framebuffer_srgb)
ST_ATOM(multisample, kRenderVerbs, G::multisample, G::draw_framebuffer)
ST_ATOM(restart, on(Verb::draw), G::primitive, G::patch)
// chunks of the dynamic subset
ST_ATOM(viewport, on(Verb::draw), G::viewport)
ST_ATOM(scissor, kRenderVerbs, G::scissor)
ST_ATOM(blend_color, on(Verb::draw), G::blend_color)
ST_ATOM(stencil_ref, on(Verb::draw), G::stencil)
ST_ATOM(line_point, on(Verb::draw), G::point_line)
ST_ATOM(polygon_offset, on(Verb::draw), G::raster)
// sets
ST_ATOM(sample_state, on(Verb::draw), G::multisample, G::draw_framebuffer)
ST_ATOM(patch, on(Verb::draw), G::patch)
ST_ATOM(vertex_array, on(Verb::draw), G::vertex_array, G::buffer_content, G::program)
ST_ATOM(index_buffer, on(Verb::draw), G::index_buffer, G::vertex_array, G::buffer_content)
ST_ATOM(current_attribs, on(Verb::draw), G::current_attribs, G::vertex_array, G::program)
ST_ATOM(textures, kShaderVerbs, G::textures, G::samplers, G::seamless_cube, G::program,
        G::program_bindings)
ST_ATOM(images, kShaderVerbs, G::images, G::textures, G::program, G::program_bindings)
ST_ATOM(uniform_buffers, kShaderVerbs, G::uniform_buffers, G::buffer_content, G::program,
        G::program_bindings)
ST_ATOM(storage_buffers, kShaderVerbs, G::storage_buffers, G::buffer_content, G::program,
        G::program_bindings)
ST_ATOM(atomic_buffers, kShaderVerbs, G::atomic_buffers, G::buffer_content, G::program,
        G::program_bindings)
ST_ATOM(stream_output, on(Verb::draw), G::xfb, G::buffer_content)
ST_ATOM(condition, kRenderVerbs, G::condition)

using AllAtoms =
    std::tuple<program_atom, framebuffer_atom, constants_atom, blend_atom, depth_stencil_atom,
               raster_atom, multisample_atom, restart_atom, viewport_atom, scissor_atom,
               blend_color_atom, stencil_ref_atom, line_point_atom, polygon_offset_atom,
               sample_state_atom, patch_atom, vertex_array_atom, index_buffer_atom,
               current_attribs_atom, textures_atom, images_atom, uniform_buffers_atom,
               storage_buffers_atom, atomic_buffers_atom, stream_output_atom, condition_atom>;
constexpr unsigned kAtoms = std::tuple_size_v<AllAtoms>;
static_assert(kAtoms <= 32);

struct AtomInfo {
    const char *name;
    uint64_t reads;
    uint32_t verbs;
    void (*run)(gl::Context &c, Tracker &t);
};

template <class A> void run_atom(gl::Context &c, Tracker &t) {
    A::update(typename A::in(c), t);
}
template <class... A> constexpr auto make_atom_table(std::tuple<A...> *) {
    return std::array<AtomInfo, sizeof...(A)>{
        AtomInfo{A::text, A::in::mask, A::verbs, run_atom<A>}...};
}
inline constexpr auto kAtomTable = make_atom_table(static_cast<AllAtoms *>(nullptr));

// Group -> atoms it wakes.
constexpr std::array<uint32_t, unsigned(G::count)> make_wakes() {
    std::array<uint32_t, unsigned(G::count)> w{};
    for (unsigned g = 0; g < w.size(); g++)
        for (unsigned a = 0; a < kAtoms; a++)
            if (kAtomTable[a].reads >> g & 1)
                w[g] |= 1u << a;
    return w;
}
inline constexpr auto kWakes = make_wakes();
constexpr uint64_t make_draw_groups() {
    uint64_t m = gl::kDrawCheckGroups;
    for (const AtomInfo &a : kAtomTable)
        if (a.verbs & on(Verb::draw))
            m |= a.reads;
    return m;
}
// Groups that can matter to a draw at all.
inline constexpr uint64_t kDrawGroups = make_draw_groups();

} // namespace st
