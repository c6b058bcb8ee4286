// SPDX-License-Identifier: MIT
// Compile and link: the order of the steps. Everything else is in the passes.
#include "compiler/lower.h"
#include "compiler/source.h"

#include <sstream>

namespace compiler {
namespace {

void run_passes(Lowering &l) {
    using Pass = void (*)(Lowering &);
    static const Pass passes[] = {
        lower_prepare,  lower_uniforms,   lower_blocks, lower_counters, assign_uniform_locations,
        lower_builtins, lower_interfaces, lower_xfb,    lower_finish};
    for (Pass pass : passes) {
        pass(l);
        if (l.failed)
            return;
    }
}

/// Rules about which stages may stand together.
void check_stages(Lowering &l, uint32_t mask, bool separable) {
    const auto has = [&](pipe_shader_type t) { return (mask >> t & 1) != 0; };
    if (!mask)
        l.error("the program has no shaders");
    if (has(PIPE_SHADER_COMPUTE) && mask != 1u << PIPE_SHADER_COMPUTE)
        l.error("a compute shader stands alone in a program");
    if (separable)
        return;
    if (has(PIPE_SHADER_GEOMETRY) && !has(PIPE_SHADER_VERTEX))
        l.error("a geometry shader needs a vertex shader");
    if (has(PIPE_SHADER_TESS_EVAL) && !has(PIPE_SHADER_VERTEX))
        l.error("a tessellation evaluation shader needs a vertex shader");
    if (has(PIPE_SHADER_TESS_CTRL) && !has(PIPE_SHADER_TESS_EVAL))
        l.error("a tessellation control shader needs a tessellation evaluation shader");
}

bool add_stage(Lowering &l, pipe_shader_type type, const std::vector<uint32_t> &spirv,
               const std::string &side, unsigned part) {
    auto parsed = spirv::module::parse(spirv);
    if (!parsed) {
        l.error("the %s shader could not be translated", stage_name(type));
        return false;
    }
    Stage s;
    s.type = type;
    s.m = std::move(*parsed);
    s.side = SideInfo::parse(side);
    s.part = part;
    l.stages.push_back(std::move(s));
    return true;
}

} // namespace

std::string SideInfo::serialize() const {
    std::ostringstream out;
    out << "v " << version << '\n';
    if (redeclares_in)
        out << "p in\n";
    if (redeclares_out)
        out << "p out\n";
    if (invariant_all)
        out << "i\n";
    for (const std::string &name : implicit_arrays)
        out << "a " << name << '\n';
    for (const std::string &name : inputs)
        out << "< " << name << '\n';
    for (const std::string &name : outputs)
        out << "> " << name << '\n';
    for (const std::string &name : bound)
        out << "k " << name << '\n';
    for (const auto &[block, paths] : bool_members)
        for (const std::string &path : paths)
            out << "b " << block << ' ' << path << '\n';
    return out.str();
}

SideInfo SideInfo::parse(const std::string &text) {
    SideInfo side;
    std::istringstream in(text);
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string kind, name, path;
        words >> kind >> name >> path;
        if (kind == "v")
            side.version = std::atoi(name.c_str());
        else if (kind == "p")
            (name == "in" ? side.redeclares_in : side.redeclares_out) = true;
        else if (kind == "i")
            side.invariant_all = true;
        else if (kind == "<" || kind == ">")
            (kind == "<" ? side.inputs : side.outputs).push_back(name);
        else if (kind == "a")
            side.implicit_arrays.insert(name);
        else if (kind == "k")
            side.bound.insert(name);
        else if (kind == "b")
            side.bool_members[name].insert(path);
    }
    return side;
}

std::shared_ptr<const CompiledShader> compile(pipe_shader_type stage, std::string source,
                                              const Limits &limits) {
    auto shader = std::make_shared<CompiledShader>();
    shader->stage = stage;
    shader->source = std::move(source);
    FrontendOutput out = cached_parse(stage, shader->source, limits);
    shader->ok = out.ok;
    shader->log = std::move(out.log);
    return shader;
}

LinkOutput link(const LinkInput &input) {
    LinkOutput result;
    Lowering l;
    l.options = {input.attrib_binding, input.frag_binding, input.xfb_varyings,
                 input.xfb_separate,   input.separable,    input.limits};
    uint32_t mask = 0;
    for (const auto &s : input.shaders)
        mask |= 1u << s->stage;
    check_stages(l, mask, input.separable);
    auto code = std::make_shared<std::vector<StageCode>>();
    for (int t = PIPE_SHADER_VERTEX; t <= PIPE_SHADER_COMPUTE && !l.failed; ++t) {
        std::vector<const CompiledShader *> shaders;
        for (const auto &s : input.shaders)
            if (s->stage == t)
                shaders.push_back(s.get());
        if (shaders.empty())
            continue;
        const auto type = static_cast<pipe_shader_type>(t);
        FrontendOutput out = cached_generate(type, shaders, input.limits);
        if (!out.ok) {
            l.error("linking the %s shader failed", stage_name(type));
            l.log += out.log;
            break;
        }
        code->push_back({type, out.spirv, out.side.serialize()});
        add_stage(l, type, code->back().spirv, code->back().side, 0);
    }
    if (!l.failed)
        run_passes(l);
    result.log = std::move(l.log);
    result.ok = !l.failed;
    if (result.ok) {
        result.archive = std::make_shared<pipe_shader_archive>(std::move(l.archive));
        result.code = std::move(code);
        for (const InactiveUniform &u : l.inactive)
            result.inactive_locations.emplace_back(u.location, u.count);
    }
    return result;
}

namespace {

/// Where the values of one part went: default-block ranges by variable, slots by class.
ComposeMap map_part(const Lowering &l, unsigned part, const pipe_shader_archive &own) {
    ComposeMap map;
    for (const GlobalVar &g : l.globals) {
        if (g.part != part)
            continue;
        const auto starts = [&](const std::string &name) {
            return name == g.name || name.rfind(g.name + ".", 0) == 0 ||
                   name.rfind(g.name + "[", 0) == 0;
        };
        uint32_t from = ~0u;
        for (const pipe_archive_member &m : own.members)
            if (m.block == 0xffffffffu && starts(m.name))
                from = std::min(from, m.offset);
        if (from != ~0u)
            map.globals.push_back({from, g.offset, std140_size(*g.type)});
    }
    const auto put = [&](unsigned cls, uint32_t own_slot, uint32_t slot, uint32_t count) {
        std::vector<int32_t> &v = map.slot[cls];
        if (v.size() < own_slot + count)
            v.resize(own_slot + count, -1);
        for (uint32_t i = 0; i < count; ++i)
            v[own_slot + i] = static_cast<int32_t>(slot + i);
    };
    for (const SlotUse &u : l.slot_uses) {
        if (u.part != part)
            continue;
        if (u.cls == PIPE_SLOT_SAMPLER || u.cls == PIPE_SLOT_IMAGE) {
            for (const pipe_archive_opaque &o : own.opaques)
                if (o.cls == u.cls && o.name == u.name)
                    put(u.cls, o.slot, u.slot, u.count);
        } else {
            for (const pipe_archive_block &b : own.blocks)
                if (b.cls == u.cls && b.name == u.name &&
                    (u.cls != PIPE_SLOT_ATOMIC_BUFFER || b.binding == u.binding))
                    put(u.cls, b.slot, u.slot, u.count);
        }
    }
    return map;
}

} // namespace

ComposeOutput compose(const std::vector<ComposePart> &parts, const Limits &limits) {
    ComposeOutput result;
    Lowering l;
    l.options.limits = limits;
    for (int t = PIPE_SHADER_VERTEX; t <= PIPE_SHADER_COMPUTE; ++t)
        for (unsigned p = 0; p < parts.size(); ++p)
            if (parts[p].stages >> t & 1)
                for (const StageCode &c : *parts[p].code)
                    if (c.stage == t)
                        add_stage(l, c.stage, c.spirv, c.side, p);
    for (const ComposePart &p : parts)
        if (!p.xfb_varyings.empty()) {
            l.options.xfb_varyings = p.xfb_varyings;
            l.options.xfb_separate = p.xfb_separate;
        }
    if (!l.failed)
        run_passes(l);
    result.log = std::move(l.log);
    result.ok = !l.failed;
    if (result.ok) {
        for (unsigned p = 0; p < parts.size(); ++p)
            result.maps.push_back(map_part(l, p, *parts[p].archive));
        result.archive = std::make_shared<pipe_shader_archive>(std::move(l.archive));
    }
    return result;
}

} // namespace compiler
