// SPDX-License-Identifier: MIT
// Attributes, fragment outputs and varyings: matching between stages, locations, what the archive
// tells of them.
#include "compiler/io.h"

namespace compiler {
uint32_t slot_limit(const Lowering &l, pipe_shader_type stage) {
    int components = l.options.limits.fragment_input_components;
    if (stage == PIPE_SHADER_VERTEX)
        components = std::min(components, l.options.limits.vertex_output_components);
    return std::min(max_varying_slots, static_cast<uint32_t>(std::max(components / 4, 15)));
}

namespace {

class Slots {
  public:
    /// False when one of them was taken before.
    bool take(uint32_t first, uint32_t count) {
        bool free = true;
        for (uint32_t i = first; i < first + count && i < used_.size(); ++i) {
            free &= !used_[i];
            used_[i] = true;
        }
        return free;
    }
    int32_t find(uint32_t count, uint32_t limit) {
        for (uint32_t first = 0; first + count <= limit; ++first) {
            bool free = true;
            for (uint32_t i = first; i < first + count && free; ++i)
                free = !used_[i];
            if (free) {
                take(first, count);
                return static_cast<int32_t>(first);
            }
        }
        return -1;
    }

  private:
    std::array<bool, 512> used_{};
};

void place(spirv::module &m, IoVar &v, int32_t location) {
    v.location = location;
    if (!v.member_locations)
        m.set_decoration(v.variable, spv::DecorationLocation, static_cast<uint32_t>(location));
}

// ---- what the archive tells ---------------------------------------------------------------------

void list_io(const IoVar &v, const Type &t, const std::string &name, int32_t location,
             bool vertex_input, std::vector<pipe_archive_io> &out) {
    if (t.kind == Type::Kind::structure) {
        for (const Type::Member &m : t.members) {
            list_io(v, *m.type, name.empty() ? m.name : name + "." + m.name, location, vertex_input,
                    out);
            location += static_cast<int32_t>(location_count(*m.type, vertex_input));
        }
        return;
    }
    if (t.kind == Type::Kind::array && t.element->kind != Type::Kind::value) {
        for (uint32_t i = 0; i < t.length; ++i) {
            list_io(v, *t.element, name + "[" + std::to_string(i) + "]", location, vertex_input,
                    out);
            location += static_cast<int32_t>(location_count(*t.element, vertex_input));
        }
        return;
    }
    pipe_archive_io e{};
    e.is_array = t.kind == Type::Kind::array;
    e.name = e.is_array ? name + "[0]" : name;
    e.gl_type = gl_type_of(innermost(t));
    e.array_size = e.is_array ? t.length : 1;
    e.location = location;
    e.component = v.component;
    e.index = v.index;
    e.patch = v.patch;
    e.centroid = v.centroid;
    e.sample = v.sample;
    e.flat = v.flat;
    e.noperspective = v.noperspective;
    e.per_vertex = v.per_vertex;
    e.builtin = -1;
    e.explicit_location = v.explicit_location;
    if (v.block)
        e.block = v.name;
    out.push_back(std::move(e));
}

void list_builtin(const Stage &s, spirv::id type, const std::string &name, uint32_t builtin,
                  bool per_vertex, std::vector<pipe_archive_io> &out) {
    const TypeRef t = read_type(s.m, type);
    const Type &value = innermost(*t);
    if (value.kind != Type::Kind::value || name.empty())
        return;
    pipe_archive_io e{};
    e.is_array = t->kind == Type::Kind::array;
    e.name = e.is_array ? name + "[0]" : name;
    e.gl_type = gl_type_of(value);
    e.array_size = e.is_array ? t->length : 1;
    e.location = -1;
    e.builtin = static_cast<int32_t>(builtin);
    e.per_vertex = per_vertex;
    out.push_back(std::move(e));
}

void list_builtins(const Stage &s, spv::StorageClass storage, std::vector<pipe_archive_io> &out) {
    const std::vector<bool> used = spirv::reachable_ids(s.m);
    for (spirv::id v : s.m.variables(storage)) {
        if (v >= used.size() || !used[v])
            continue;
        if (const auto b = s.m.decoration(v, spv::DecorationBuiltIn))
            list_builtin(s, s.m.variable_type(v), s.m.name(v), *b, false, out);
        spirv::id type = s.m.variable_type(v);
        bool arrayed = false;
        while (s.m.type_op(type) == spv::OpTypeArray) {
            type = s.m.element_type(type);
            arrayed = true;
        }
        for (uint32_t i = 0; i < s.m.member_count(type); ++i)
            if (const auto b = s.m.member_decoration(type, i, spv::DecorationBuiltIn))
                list_builtin(s, s.m.member_type(type, i), s.m.member_name(type, i), *b, arrayed,
                             out);
    }
}

void list_interface(Stage &s, spv::StorageClass storage, const std::vector<IoVar> &vars) {
    std::vector<pipe_archive_io> &out =
        storage == spv::StorageClassInput ? s.out.inputs : s.out.outputs;
    const bool attributes = s.type == PIPE_SHADER_VERTEX && storage == spv::StorageClassInput;
    for (const IoVar &v : vars)
        list_io(v, *v.type, v.block ? v.prefix : v.name, v.location, attributes, out);
    list_builtins(s, storage, out);
}

// ---- the two ends -------------------------------------------------------------------------------

/// GLES has no arrays of attributes: each element becomes a variable, copied at the start to an
/// array of the stage's own.
void split_attribute_array(spirv::module &m, const IoVar &v) {
    const spirv::id array = m.variable_type(v.variable), element = m.element_type(array);
    const uint32_t step = location_count(*v.type->element, true);
    const spirv::id own = replace_variable(m, v.variable, spv::StorageClassPrivate, array, {}, 0);
    spirv::code c(m);
    for (uint32_t i = 0; i < v.type->length; ++i) {
        const spirv::id input = m.add_variable(spv::StorageClassInput, element);
        m.set_name(input, v.name + "_" + std::to_string(i));
        m.set_decoration(input, spv::DecorationLocation,
                         static_cast<uint32_t>(v.location) + i * step);
        if (v.component)
            m.set_decoration(input, spv::DecorationComponent, v.component);
        spirv::add_to_interface(m, input);
        const spirv::id value = c.load(element, input);
        c.store(c.access(spv::StorageClassPrivate, element, own,
                         {m.const_i32(static_cast<int32_t>(i))}),
                value);
    }
    spirv::insert_at_start(m, std::move(c.out));
}

/// GL lets attributes share a location (GL 4.6, 11.1.1), GLES does not: those of one type become
/// one variable.
void merge_attributes(spirv::module &m, const std::vector<IoVar> &vars) {
    for (size_t i = 1; i < vars.size(); ++i)
        for (size_t k = 0; k < i; ++k) {
            const spirv::id from = vars[i].variable, to = vars[k].variable;
            if (vars[i].location != vars[k].location || vars[i].component != vars[k].component ||
                m.variable_type(from) != m.variable_type(to))
                continue;
            spirv::remove_from_interface(m, from);
            spirv::replace_uses(m, from, to);
            spirv::remove_globals(m, {from});
            break;
        }
}

void place_attributes(Lowering &l, Stage &s) {
    std::vector<IoVar> vars = collect_io(s, spv::StorageClassInput);
    std::erase_if(vars, [](const IoVar &v) { return !v.used; });
    const uint32_t limit = static_cast<uint32_t>(l.options.limits.vertex_attribs);
    Slots slots;
    for (IoVar &v : vars) {
        const uint32_t count = location_count(*v.type, true);
        const auto bound = l.options.attrib_binding.find(v.name);
        if (!v.explicit_location && bound != l.options.attrib_binding.end()) {
            place(s.m, v, static_cast<int32_t>(bound->second));
        }
        if (v.location < 0)
            continue;
        if (v.location + count > limit)
            l.error("attribute '%s' does not fit below GL_MAX_VERTEX_ATTRIBS at location %d",
                    v.name.c_str(), v.location);
        slots.take(static_cast<uint32_t>(v.location), count);
    }
    for (IoVar &v : vars) {
        if (v.location >= 0)
            continue;
        const int32_t at = slots.find(location_count(*v.type, true), limit);
        if (at < 0) {
            l.error("too many vertex attributes: no location is left for '%s'", v.name.c_str());
            return;
        }
        place(s.m, v, at);
    }
    list_interface(s, spv::StorageClassInput, vars);
    for (const IoVar &v : vars)
        if (v.type->kind == Type::Kind::array)
            split_attribute_array(s.m, v);
    std::erase_if(vars, [](const IoVar &v) { return v.type->kind == Type::Kind::array; });
    merge_attributes(s.m, vars);
}

bool is_legacy_output(const std::string &name) {
    return name == "gl_FragColor" || name == "gl_FragData";
}

/// gl_FragColor goes to every draw buffer: the other outputs get a copy when the shader returns.
void broadcast_frag_color(Lowering &l, Stage &s) {
    spirv::module &m = s.m;
    spirv::id color = 0;
    for (const IoVar &v : collect_io(s, spv::StorageClassOutput))
        if (v.used && v.name == "gl_FragColor")
            color = v.variable;
    if (!color)
        return;
    const spirv::id type = m.variable_type(color);
    std::vector<spirv::id> copies;
    for (int i = 1; i < l.options.limits.draw_buffers; ++i) {
        const spirv::id copy = m.add_variable(spv::StorageClassOutput, type);
        m.set_name(copy, "gl_FragColor" + std::to_string(i));
        m.set_decoration(copy, spv::DecorationLocation, static_cast<uint32_t>(i));
        spirv::add_to_interface(m, copy);
        copies.push_back(copy);
    }
    spirv::insert_before_returns(m, [&](spirv::code &c) {
        const spirv::id value = c.load(type, color);
        for (spirv::id copy : copies)
            c.store(copy, value);
    });
}

void place_fragment_outputs(Lowering &l, Stage &s) {
    broadcast_frag_color(l, s);
    std::vector<IoVar> vars = collect_io(s, spv::StorageClassOutput);
    std::erase_if(vars, [](const IoVar &v) { return !v.used; });
    std::array<Slots, 2> slots;
    for (IoVar &v : vars) {
        const uint32_t count = location_count(*v.type, false);
        bool by_api = false;
        auto bound = l.options.frag_binding.find(v.name);
        if (bound == l.options.frag_binding.end())
            bound = l.options.frag_binding.find(v.name + "[0]");
        if (is_legacy_output(v.name)) {
            place(s.m, v, 0);
        } else if (!v.explicit_location && bound != l.options.frag_binding.end()) {
            by_api = true;
            v.index = bound->second.second;
            place(s.m, v, static_cast<int32_t>(bound->second.first));
            if (v.index)
                s.m.set_decoration(v.variable, spv::DecorationIndex, v.index);
        }
        if (!v.index) // hosts without a second source do not know the word
            s.m.remove_decoration(v.variable, spv::DecorationIndex);
        if (v.location < 0)
            continue;
        const int limit =
            v.index ? l.options.limits.dual_source_draw_buffers : l.options.limits.draw_buffers;
        if (v.location + static_cast<int>(count) > limit)
            l.error(
                "fragment output '%s' does not fit below the number of draw buffers at location %d",
                v.name.c_str(), v.location);
        if (!slots[v.index & 1].take(static_cast<uint32_t>(v.location), count) && by_api)
            l.error("fragment output '%s' overlaps another one at location %d", v.name.c_str(),
                    v.location);
    }
    for (IoVar &v : vars) {
        if (v.location >= 0)
            continue;
        const int32_t at = slots[0].find(location_count(*v.type, false),
                                         static_cast<uint32_t>(l.options.limits.draw_buffers));
        if (at < 0) {
            l.error("too many fragment outputs: no location is left for '%s'", v.name.c_str());
            return;
        }
        place(s.m, v, at);
    }
    list_interface(s, spv::StorageClassOutput, vars);
}

// ---- between stages -----------------------------------------------------------------------------

const char *interpolation(const IoVar &v) {
    return v.flat ? "flat" : v.noperspective ? "noperspective" : "smooth";
}

bool by_location(const IoVar &out, const IoVar &in) {
    return in.explicit_location && out.explicit_location;
}

void check_match(Lowering &l, const Stage &a, const Stage &b, const IoVar &out, const IoVar &in) {
    const bool implicit_out = a.side.implicit_arrays.count(in.name),
               implicit_in = b.side.implicit_arrays.count(in.name);
    Type written = *out.type;
    if (by_location(out, in)) // names of types do not matter then
        written.name = in.type->name;
    // An array without a declared size has the one of the other side, if its indices allow that.
    const bool fits = (implicit_out && (implicit_in || written.length <= in.type->length)) ||
                      (implicit_in && in.type->length <= written.length);
    if (!same_type(written, *in.type) && !(fits && same_type_but_sizes(written, *in.type)))
        l.error("'%s' has one type as an output of the %s shader and another as an input of the %s "
                "shader",
                in.name.c_str(), stage_name(a.type), stage_name(b.type));
    if (in.block && a.part == b.part && !same_places(a, out, b, in))
        l.error("members of block '%s' have different locations in the %s and %s shaders",
                in.name.c_str(), stage_name(a.type), stage_name(b.type));
    if (out.patch != in.patch)
        l.error("'%s' is a patch variable in one stage only", in.name.c_str());
    const int version = std::max(a.side.version, b.side.version);
    if (b.type == PIPE_SHADER_FRAGMENT && version < 430 && a.part == b.part && !in.block &&
        out.sample != in.sample)
        l.error("'%s' is a sample variable in the %s shader only", in.name.c_str(),
                stage_name(out.sample ? a.type : b.type));
    if (b.type == PIPE_SHADER_FRAGMENT && version < 440 && a.part == b.part && !in.block &&
        (out.flat != in.flat || out.noperspective != in.noperspective))
        l.error("'%s' is %s in the %s shader and %s in the fragment shader", in.name.c_str(),
                interpolation(out), stage_name(a.type), interpolation(in));
}

/// GLSL before 4.30 wants inputs to be invariant exactly when the outputs are; for hosts it is a
/// matter of outputs.
void match_invariance(Lowering &l, Stage &b, const Stage &a, const IoVar &out, const IoVar &in) {
    const int version = std::max(a.side.version, b.side.version);
    const bool plain = !a.side.invariant_all && !b.side.invariant_all;
    if (version < 430 && a.part == b.part && !in.block && plain && in.invariant != out.invariant)
        l.error("'%s' is invariant in the %s shader only", in.name.c_str(),
                stage_name(in.invariant ? b.type : a.type));
    b.m.remove_decoration(in.variable, spv::DecorationInvariant);
}

IoVar *find_output(std::vector<IoVar> &outs, const IoVar &in) {
    for (IoVar &o : outs) {
        if (o.block != in.block)
            continue;
        if (by_location(o, in)) {
            if (o.location == in.location && o.component == in.component && o.patch == in.patch)
                return &o;
        } else if (o.name == in.name) {
            return &o;
        }
    }
    return nullptr;
}

/// Whether a block of the other side has the location of `v`.
bool in_block(const std::vector<IoVar> &blocks, const IoVar &v) {
    return v.explicit_location && !v.block &&
           std::any_of(blocks.begin(), blocks.end(), [&](const IoVar &b) {
               return b.block && b.explicit_location && b.location <= v.location &&
                      v.location < b.location + static_cast<int>(location_count(*b.type, false));
           });
}

void split_blocks(Stage &s, spv::StorageClass storage, bool located) {
    for (const IoVar &v : collect_io(s, storage))
        if (can_split(s, v) && v.explicit_location == located)
            split_block(s, storage, v);
}

/// Members that share locations meet the other side's one by one, whatever the host has for blocks.
void split_where_shared(Stage &s, spv::StorageClass storage) {
    const auto behind = [&](spirv::id block) {
        for (uint32_t i = 0; i < s.m.member_count(block); ++i)
            if (s.m.member_decoration(block, i, spv::DecorationComponent).value_or(0))
                return true;
        return false;
    };
    for (const IoVar &v : collect_io(s, storage)) {
        const spirv::id type = s.m.variable_type(v.variable);
        if (can_split(s, v) && behind(v.per_vertex ? s.m.element_type(type) : type))
            split_block(s, storage, v);
    }
}

/// Programs of a pipeline meet by location, a block of one with loose variables of another.
void split_where_loose(Stage &a, Stage &b) {
    const std::vector<IoVar> outs = collect_io(a, spv::StorageClassOutput),
                             ins = collect_io(b, spv::StorageClassInput);
    const auto meets = [](const std::vector<IoVar> &vars, const std::vector<IoVar> &blocks) {
        return std::any_of(vars.begin(), vars.end(),
                           [&](const IoVar &v) { return in_block(blocks, v); });
    };
    if (!meets(ins, outs) && !meets(outs, ins))
        return;
    split_blocks(a, spv::StorageClassOutput, true);
    split_blocks(b, spv::StorageClassInput, true);
}

/// The type of a block as one of an ordinary variable: without the decorations of an interface.
spirv::id plain_type(spirv::module &m, spirv::id type) {
    if (m.type_op(type) == spv::OpTypeArray)
        return m.new_array_type(plain_type(m, m.element_type(type)), m.length(type));
    if (!m.has_decoration(type, spv::DecorationBlock))
        return type;
    std::vector<spirv::id> members;
    for (uint32_t i = 0; i < m.member_count(type); ++i)
        members.push_back(m.member_type(type, i));
    const spirv::id plain = m.new_struct_type(std::move(members));
    m.set_name(plain, m.name(type) + "_own");
    for (uint32_t i = 0; i < m.member_count(type); ++i)
        m.set_member_name(plain, i, m.member_name(type, i));
    return plain;
}

void make_private(Stage &s, const IoVar &v) {
    const spirv::id type = s.m.variable_type(v.variable);
    replace_variable(s.m, v.variable, spv::StorageClassPrivate,
                     v.block ? plain_type(s.m, type) : type);
}

/// Inputs that the program of the stage before does not write are undefined (GL 4.6
/// section 7.4.1).
void leave_undefined(Stage &s, IoVar &in) {
    make_private(s, in);
    in.used = false;
}

/// Outputs that nobody reads become ordinary variables.
void demote(Stage &s, const std::vector<IoVar> &outs) {
    for (const IoVar &v : outs) {
        if (v.keep || v.packed || s.type == PIPE_SHADER_TESS_CTRL)
            continue;
        if (v.used)
            make_private(s, v);
        else
            spirv::remove_globals(s.m, {v.variable});
    }
}

void mark_captured(Lowering &l, const Stage &s, std::vector<IoVar> &outs) {
    for (const std::string &name : l.options.xfb_varyings) {
        const XfbTarget t = find_xfb_target(s, outs, name);
        if (t.found && t.builtin < 0)
            outs[t.output].keep = true;
    }
    for (IoVar &v : outs) {
        bool captured = s.m.decoration(v.variable, spv::DecorationOffset).has_value();
        spirv::id type = s.m.variable_type(v.variable);
        for (uint32_t i = 0; i < s.m.member_count(type); ++i)
            captured |= s.m.member_decoration(type, i, spv::DecorationOffset).has_value();
        v.keep |= captured;
    }
}

bool is_last_vertex_stage(const Lowering &l, const Stage &s) {
    if (s.type == PIPE_SHADER_FRAGMENT || s.type == PIPE_SHADER_COMPUTE ||
        s.type == PIPE_SHADER_TESS_CTRL)
        return false;
    for (const Stage &x : l.stages)
        if (x.type > s.type && x.type != PIPE_SHADER_FRAGMENT && x.type != PIPE_SHADER_COMPUTE)
            return false;
    return true;
}

bool overfull(const Lowering &l, const Stage &a, const std::vector<IoVar> &outs) {
    uint32_t locations = 0;
    for (const IoVar &v : outs)
        locations += v.keep ? location_count(*v.type, false) : 0;
    return locations > slot_limit(l, a.type);
}

void place_outputs(Lowering &l, Stage &a, std::vector<IoVar> &outs) {
    Slots slots;
    for (const IoVar &v : outs)
        if (v.keep && v.location >= 0)
            slots.take(static_cast<uint32_t>(v.location), location_count(*v.type, false));
    for (IoVar &v : outs) {
        if (!v.keep || v.location >= 0)
            continue;
        const uint32_t count = location_count(*v.type, false), limit = slot_limit(l, a.type);
        int32_t at = slots.find(count, limit);
        if (at < 0) // the limit leaves room for built-ins, which the stage may not write
            at = slots.find(count, std::min(limit + 2, max_varying_slots));
        if (at < 0) {
            l.error("too many outputs of the %s shader: no location is left for '%s'",
                    stage_name(a.type), v.name.c_str());
            return;
        }
        place(a.m, v, at);
    }
}

/// The two sides of an interface and who meets whom.
struct Meeting {
    std::vector<IoVar> outs, ins;
    std::vector<std::pair<IoVar *, IoVar *>> pairs; // both lists have room, see pack_varyings()
};

/// An input of another program that no output has the name of is undefined; the output in its
/// place, if it fits, is what drivers give it.
IoVar *in_place_of(const Stage &a, std::vector<IoVar> &outs, const Stage &b, const IoVar &in) {
    const std::vector<std::string> &names = b.side.inputs;
    const auto place =
        static_cast<size_t>(std::find(names.begin(), names.end(), in.name) - names.begin());
    if (place >= a.side.outputs.size() || in.block || in.explicit_location)
        return nullptr;
    for (IoVar &out : outs)
        if (out.name == a.side.outputs[place] && !out.block && !out.explicit_location &&
            out.patch == in.patch && same_type(*out.type, *in.type))
            return &out;
    return nullptr;
}

Meeting meet(Lowering &l, Stage &a, Stage &b) {
    Meeting m;
    m.outs = collect_io(a, spv::StorageClassOutput);
    m.ins = collect_io(b, spv::StorageClassInput);
    check_aliases(l, a, m.outs);
    check_aliases(l, b, m.ins);
    m.outs.reserve(m.outs.size() * 2);
    m.ins.reserve(m.ins.size() + m.outs.size());
    for (IoVar &in : m.ins) {
        IoVar *out = find_output(m.outs, in);
        const bool undefined = !out && in.used && a.part != b.part;
        if (undefined)
            out = in_place_of(a, m.outs, b, in);
        if (out) {
            check_match(l, a, b, *out, in);
            match_invariance(l, b, a, *out, in);
            if (b.type == PIPE_SHADER_FRAGMENT && in.used)
                check_stream_read(l, *out);
            out->keep |= in.used;
            if (in.used)
                m.pairs.emplace_back(out, &in);
        } else if (undefined) {
            leave_undefined(b, in);
        } else if (in.used) {
            l.error("input '%s' of the %s shader is not an output of the %s shader",
                    in.name.c_str(), stage_name(b.type), stage_name(a.type));
        }
    }
    if (is_last_vertex_stage(l, a))
        mark_captured(l, a, m.outs);
    return m;
}

void connect(Lowering &l, Stage &a, Stage &b) {
    if (a.part != b.part)
        split_where_loose(a, b);
    Meeting m = meet(l, a, b);
    if (l.failed)
        return;
    if (overfull(l, a, m.outs)) {
        split_blocks(a, spv::StorageClassOutput, false);
        split_blocks(b, spv::StorageClassInput, false);
        m = meet(l, a, b);
        pack_varyings(l, a, m.outs, &b, m.ins, m.pairs);
    }
    auto &[outs, ins, pairs] = m;
    place_outputs(l, a, outs);
    for (const auto &[out, in] : pairs)
        if (!in->member_locations && !in->packed)
            place(b.m, *in, out->location);
    demote(a, outs);
    if (a.type != PIPE_SHADER_TESS_CTRL)
        std::erase_if(outs, [](const IoVar &v) { return !v.keep; });
    else
        for (IoVar &v : outs)
            if (!v.keep && v.used) { // still read by the stage itself
                v.keep = true;
                place_outputs(l, a, outs);
            }
    std::erase_if(ins, [](const IoVar &v) { return !v.used; });
    list_interface(a, spv::StorageClassOutput, outs);
    list_interface(b, spv::StorageClassInput, ins);
}

/// An end that meets another program, or nothing: locations by order of declaration.
void place_open_end(Lowering &l, Stage &s, spv::StorageClass storage) {
    std::vector<IoVar> vars = collect_io(s, storage);
    if (!l.options.separable)
        std::erase_if(vars, [](const IoVar &v) { return !v.used; });
    for (IoVar &v : vars)
        v.keep = true;
    if (storage == spv::StorageClassOutput && overfull(l, s, vars)) {
        std::vector<IoVar> ins;
        std::vector<std::pair<IoVar *, IoVar *>> pairs;
        vars.reserve(vars.size() * 2);
        pack_varyings(l, s, vars, nullptr, ins, pairs);
    }
    place_outputs(l, s, vars);
    list_interface(s, storage, vars);
}

} // namespace

void lower_interfaces(Lowering &l) {
    for (Stage &s : l.stages) {
        split_where_shared(s, spv::StorageClassInput);
        split_where_shared(s, spv::StorageClassOutput);
    }
    for (size_t i = 0; i < l.stages.size() && !l.failed; ++i) {
        Stage &s = l.stages[i];
        if (s.type == PIPE_SHADER_COMPUTE)
            continue;
        if (s.type == PIPE_SHADER_GEOMETRY)
            check_streams(l, s);
        if (s.type == PIPE_SHADER_VERTEX)
            place_attributes(l, s);
        else if (i == 0)
            place_open_end(l, s, spv::StorageClassInput);
        if (s.type == PIPE_SHADER_FRAGMENT)
            place_fragment_outputs(l, s);
        else if (i + 1 < l.stages.size())
            connect(l, s, l.stages[i + 1]);
        else
            place_open_end(l, s, spv::StorageClassOutput);
    }
}

} // namespace compiler
