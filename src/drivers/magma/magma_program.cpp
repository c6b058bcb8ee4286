// SPDX-License-Identifier: MIT
// Programs: what the client sends about them, and the host objects made at the first use.
#include "magma_program.h"

#include "drivers_common/delay_flat.h"
#include "drivers_common/pass_control.h"
#include "magma_context.h"
#include "magma_patch.h"
#include "magma_patch_swizzle.h"
#include "magma_trash.h"
#include "util/hash.h"
#include "util/log.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>

namespace magma {

namespace {

// Set 0 takes bindings while the device can push them, set 1 the rest.
bool choose_layout(host_device &dev, program &p) {
    const uint32_t limit = dev.has.push_descriptor ? dev.max_push_descriptors : 0;
    uint32_t pushed = 0;
    uint16_t next[2] = {0, 0};
    std::stable_sort(p.bindings.begin(), p.bindings.end(),
                     [](const program_binding &a, const program_binding &b) {
                         return a.cls != b.cls ? a.cls < b.cls : a.slot < b.slot;
                     });
    for (program_binding &b : p.bindings) {
        b.set = pushed + b.count <= limit ? 0 : 1;
        if (b.set == 0)
            pushed += b.count;
        b.binding = next[b.set]++;
        p.descriptor_count += b.count;
    }
    p.layout = find_layout(dev, p.bindings, p.has_stage(PIPE_SHADER_COMPUTE));
    return p.layout != nullptr;
}

// Null: `why` says what the patches cannot do, or is null and the host refused the module.
VkShaderModule make_module(host_device &dev, const program &p, const pipe_archive_stage &s,
                           const stage_variant &variant, const border_set &borders,
                           const char *&why) {
    why = nullptr;
    std::vector<uint32_t> words =
        patch_stage(dev, p, s, s.stage == p.last_vertex_stage(), variant, borders, why);
    VkShaderModule out = VK_NULL_HANDLE;
    if (!words.empty()) {
        VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.codeSize = words.size() * 4;
        info.pCode = words.data();
        VkResult result = VK_TRY(&dev, CreateShaderModule(dev.device, &info, nullptr, &out));
        if (result == VK_SUCCESS)
            return out;
    }
    return VK_NULL_HANDLE;
}

bool make_modules(context &c, program &p, const char *&why) {
    for (const pipe_archive_stage &s : p.archive.stages) {
        if (s.spirv.empty())
            continue;
        p.modules[s.stage] = make_module(c.dev, p, s, {}, {}, why);
        if (!p.modules[s.stage])
            return false;
        p.writes_memory |= s.writes_memory != 0;
    }
    return true;
}

// Units and binding points that the source names; set_program_bindings changes them later.
void initial_units(program &p) {
    auto set = [&](uint8_t cls, uint32_t slot, int32_t unit) {
        if (cls > PIPE_SLOT_ATOMIC_BUFFER || slot >= 4096)
            return;
        if (p.units.fill()[cls].size() <= slot)
            p.units.fill()[cls].resize(slot + 1);
        p.units.fill()[cls][slot] = uint16_t(std::max(unit, 0));
    };
    for (const pipe_archive_opaque &o : p.archive.opaques)
        for (uint32_t k = 0; k < o.array_size && o.cls != PIPE_SLOT_ATOMIC_BUFFER; ++k)
            set(o.cls, o.slot + k, o.binding < 0 ? 0 : o.binding + int32_t(k));
    for (const pipe_archive_block &b : p.archive.blocks)
        set(b.cls, b.slot, b.binding);
}

void put_program(context &c, pipe_handle h, program_ref p) {
    std::lock_guard lock(c.scr.mutex);
    if (h.slot >= PIPE_COMPOSITE_SLOT_BASE)
        c.scr.composites.put({h.slot - PIPE_COMPOSITE_SLOT_BASE, h.gen}, std::move(p));
    else
        c.scr.programs.put(h, std::move(p));
}

} // namespace

size_t pipeline_key_hash::operator()(const pipeline_key &k) const {
    return util::hash64(&k, sizeof k);
}

program::program()
    : pipelines(new std::unordered_map<pipeline_key, VkPipeline, pipeline_key_hash>) {}

program::~program() {
    if (!dev)
        return;
    trash_can &t = *dev->trash;
    for (auto &entry : *pipelines)
        t.throw_away(VK_OBJECT_TYPE_PIPELINE, entry.second);
    t.throw_away(VK_OBJECT_TYPE_PIPELINE, compute);
    for (VkShaderModule m : modules)
        t.throw_away(VK_OBJECT_TYPE_SHADER_MODULE, m);
    for (bordered_modules &b : bordered)
        for (auto &entry : b.modules)
            t.throw_away(VK_OBJECT_TYPE_SHADER_MODULE, entry.second);
    for (auto &entry : expansions)
        t.throw_away(VK_OBJECT_TYPE_SHADER_MODULE, entry.second);
    for (auto &entry : controls)
        t.throw_away(VK_OBJECT_TYPE_SHADER_MODULE, entry.second);
    for (auto &entry : variants)
        t.throw_away(VK_OBJECT_TYPE_SHADER_MODULE, entry.second);
}

unsigned program::last_vertex_stage() const {
    if (has_stage(PIPE_SHADER_GEOMETRY))
        return PIPE_SHADER_GEOMETRY;
    if (has_stage(PIPE_SHADER_TESS_EVAL))
        return PIPE_SHADER_TESS_EVAL;
    return PIPE_SHADER_VERTEX;
}

VkShaderModule variant_module(host_device &dev, program &p, unsigned stage,
                              const stage_variant &v) {
    if (v == stage_variant{})
        return p.modules[stage];
    const char *why = nullptr;
    VkShaderModule &variant = p.variants[v];
    for (const pipe_archive_stage &s : p.archive.stages)
        if (!variant && s.stage == stage)
            variant = make_module(dev, p, s, v, {}, why);
    return variant;
}

VkShaderModule control_module(host_device &dev, program &p, uint32_t patch_vertices) {
    auto [it, fresh] = p.controls.try_emplace(patch_vertices, VkShaderModule(VK_NULL_HANDLE));
    if (!fresh)
        return it->second;
    const pipe_archive_stage s = drivers_common::pass_control_stage(
        p.archive, patch_vertices,
        {offsetof(push_block, outer), offsetof(push_block, inner), "levels"});
    const char *why = nullptr;
    if (!s.spirv.empty())
        it->second = make_module(dev, p, s, {}, {}, why);
    return it->second;
}

uint32_t intern_borders(program &p, const border_set &borders) {
    if (borders.empty())
        return 0;
    std::lock_guard lock(p.mutex);
    for (size_t i = 0; i < p.bordered.size(); ++i)
        if (p.bordered[i].borders.size() == borders.size() &&
            !memcmp(p.bordered[i].borders.data(), borders.data(),
                    borders.size() * sizeof borders[0]))
            return uint32_t(i + 1);
    p.bordered.push_back({borders, {}});
    return uint32_t(p.bordered.size());
}

bool can_turn_lookups(program &p) {
    if (p.turns >= 0) [[likely]]
        return p.turns;
    std::lock_guard lock(p.mutex);
    p.turns = 1;
    for (const pipe_archive_stage &s : p.archive.stages) {
        auto m = spirv::module::parse(std::span(s.spirv.data(), s.spirv.size()));
        if (m && !can_turn(*m))
            p.turns = 0;
    }
    if (!p.turns)
        log_warning_once("magma",
                         "program %u: a sampler cannot be followed; borders behind swizzles are as "
                         "the host has them",
                         p.gl_name);
    return p.turns;
}

VkShaderModule bordered_module(host_device &dev, program &p, unsigned stage, const stage_variant &v,
                               uint32_t borders) {
    bordered_modules &b = p.bordered[borders - 1];
    auto [it, fresh] = b.modules.try_emplace({stage, v}, VkShaderModule(VK_NULL_HANDLE));
    const char *why = nullptr;
    for (const pipe_archive_stage &s : p.archive.stages) {
        if (!fresh || s.stage != stage)
            continue;
        it->second = make_module(dev, p, s, v, b.borders, why);
        if (it->second || !why)
            continue;
        log_warning_once("magma", "program %u: %s; its border is the edge", p.gl_name, why);
        border_set turned;
        std::copy_if(b.borders.begin(), b.borders.end(), std::back_inserter(turned),
                     [](const border_sampler &k) { return k.turned; });
        it->second = make_module(dev, p, s, v, turned, why);
    }
    return it->second;
}

bool ready_program(context &c, program &p) {
    if (p.ready) [[likely]]
        return true;
    std::lock_guard lock(p.mutex);
    if (p.ready)
        return true;
    if (p.failed)
        return false;
    bool ok = true;
    const char *why = nullptr;
    for (const pipe_archive_stage &s : p.archive.stages) {
        ok = ok && (s.spirv.empty() || collect_bindings(s.spirv, s.stage, p.bindings));
        if (s.stage == PIPE_SHADER_VERTEX)
            collect_vertex_inputs(s.spirv, p);
        if (s.stage == PIPE_SHADER_FRAGMENT)
            collect_fragment_outputs(s.spirv, p);
    }
    p.shows_provoking = drivers_common::shows_provoking_vertex(p.archive);
    ok = ok && choose_layout(c.dev, p) && make_modules(c, p, why);
    if (!ok) {
        p.failed = true;
        c.scr.gl_error(c.lane, gl_out_of_memory, "program %u cannot be used on this host: %s",
                       p.gl_name, why ? why : failure_text().c_str());
        return false;
    }
    p.ready = true;
    return true;
}

void create_shader_state(pipe_context *ctx, const pipe_create_shader_state *p,
                         const pipe_shader_archive *archive) {
    static std::atomic<uint64_t> serials{0};
    context &c = ctx_of(ctx);
    auto fresh = std::make_shared<program>();
    fresh->dev = &c.dev;
    fresh->gl_name = p->gl_name;
    fresh->archive = *archive;
    fresh->serial = ++serials;
    fresh->globals.fill().resize((archive->globals_size + 15) & ~15u);
    // Initial values; the client sends the whole block too, so this only matters until then.
    for (const pipe_archive_member &m : archive->members)
        if (m.block == 0xffffffffu && !m.initial.empty() &&
            m.offset + m.initial.size() <= fresh->globals.fill().size())
            memcpy(fresh->globals.fill().data() + m.offset, m.initial.data(), m.initial.size());
    initial_units(*fresh);
    program_ref old = c.scr.find_program(p->shader);
    put_program(c, p->shader, fresh);
    // A relink on the same handle replaces the program where it is bound on this lane.
    if (old && c.st.draw_program.peek() == old) {
        c.st.draw_program = fresh;
        c.last_key_program = nullptr;
        c.dirty = dirty_all;
    }
    if (old && c.st.dispatch_program.peek() == old)
        c.st.dispatch_program = fresh, c.dirty_compute = dirty_all;
    c.scr.store_epoch.fetch_add(1);
}

void delete_shader_state(pipe_context *ctx, const pipe_delete_shader_state *p) {
    context &c = ctx_of(ctx);
    program_ref gone;
    std::lock_guard lock(c.scr.mutex);
    if (p->shader.slot >= PIPE_COMPOSITE_SLOT_BASE)
        gone = c.scr.composites.take({p->shader.slot - PIPE_COMPOSITE_SLOT_BASE, p->shader.gen});
    else
        gone = c.scr.programs.take(p->shader);
}

void bind_shader_state(pipe_context *, const pipe_bind_shader_state *) {
    // A hint. Pipelines depend on state that is not known yet.
}

void set_global_constants(pipe_context *ctx, const pipe_set_global_constants *p,
                          const pipe_host_span *data) {
    context &c = ctx_of(ctx);
    program_ref prog = c.scr.find_program(p->shader);
    if (!prog || !data || !data->ptr)
        return;
    if (uint64_t(p->offset) + p->size > prog->globals.fill().size() || p->size > data->size) {
        log_error_once("magma", "program %u: constants outside the default block", prog->gl_name);
        return;
    }
    memcpy(prog->globals.fill().data() + p->offset, data->ptr, p->size);
    ++prog->globals_serial;
    c.dirty |= dirty_descriptors;
    c.dirty_compute |= dirty_descriptors;
}

void set_program_bindings(pipe_context *ctx, const pipe_set_program_bindings *p,
                          const pipe_slot_binding *bindings) {
    context &c = ctx_of(ctx);
    program_ref prog = c.scr.find_program(p->shader);
    if (!prog)
        return;
    for (uint32_t i = 0; i < p->count; ++i) {
        const pipe_slot_binding &b = bindings[i];
        if (b.cls > PIPE_SLOT_ATOMIC_BUFFER || b.slot >= 4096)
            continue;
        std::vector<uint16_t> &units = prog->units.fill()[b.cls];
        if (units.size() <= b.slot)
            units.resize(b.slot + 1u);
        units[b.slot] = b.unit;
    }
    ++prog->bindings_serial;
    c.dirty |= dirty_descriptors | dirty_uses;
    c.dirty_compute |= dirty_descriptors | dirty_uses;
}

void set_draw_program(pipe_context *ctx, const pipe_set_draw_program *p) {
    context &c = ctx_of(ctx);
    program_ref prog = c.scr.find_program(p->shader);
    if (prog == c.st.draw_program.peek())
        return;
    c.st.draw_program = std::move(prog);
    c.last_key_program = nullptr; // the old one may go and a new one take its address
    c.dirty |= dirty_program | dirty_pipeline | dirty_descriptors | dirty_uses | dirty_push |
               dirty_vertex_buffers;
}

void set_dispatch_program(pipe_context *ctx, const pipe_set_dispatch_program *p) {
    context &c = ctx_of(ctx);
    c.st.dispatch_program = c.scr.find_program(p->shader);
    c.dirty_compute = dirty_all;
}

} // namespace magma
