// SPDX-License-Identifier: MIT
// Late flat outputs: the values of the last one or two vertices wait in private variables. What a
// vertex before the first whole primitive of a strip carries is shown by nobody.
#include "drivers_common/delay_flat.h"

#include <algorithm>
#include <functional>

#include "spirv/rewrite.h"

namespace drivers_common {

namespace {

using spirv::id;
using spirv::module;

struct late_output {
    id variable;
    int32_t member; // of a block, -1: the whole variable
    id type;
    id newer = 0, older = 0; // values of the vertex before this one, and of the one before that
};

std::set<uint32_t> flat_locations(const pipe_shader_archive &archive) {
    std::set<uint32_t> found;
    for (const pipe_archive_stage &s : archive.stages)
        if (s.stage == PIPE_SHADER_FRAGMENT)
            for (const pipe_archive_io &io : s.inputs)
                if (io.flat && io.location >= 0)
                    found.insert(static_cast<uint32_t>(io.location));
    return found;
}

bool is_integer(const module &m, id type) {
    for (;;) {
        const spv::Op op = m.type_op(type);
        if (op == spv::OpTypeInt || (op == spv::OpTypeFloat && m.int_width(type) == 64))
            return true;
        if (op != spv::OpTypeVector && op != spv::OpTypeMatrix && op != spv::OpTypeArray)
            return false;
        type = m.element_type(type);
    }
}

void find_in(const module &m, id v, const std::set<uint32_t> &flat, std::vector<late_output> &out) {
    const id type = m.variable_type(v);
    if (const auto builtin = m.decoration(v, spv::DecorationBuiltIn)) {
        if (*builtin == spv::BuiltInPrimitiveId)
            out.push_back({v, -1, type});
        return;
    }
    const auto location = m.decoration(v, spv::DecorationLocation);
    const bool whole =
        m.has_decoration(v, spv::DecorationFlat) || (location && flat.count(*location));
    if (whole || is_integer(m, type)) {
        out.push_back({v, -1, type});
        return;
    }
    if (m.type_op(type) != spv::OpTypeStruct)
        return;
    for (uint32_t k = 0; k < m.member_count(type); ++k) {
        const auto own = m.member_decoration(type, k, spv::DecorationLocation);
        if (!m.has_member_decoration(type, k, spv::DecorationBuiltIn) &&
            (m.has_member_decoration(type, k, spv::DecorationFlat) || (own && flat.count(*own)) ||
             is_integer(m, m.member_type(type, k))))
            out.push_back({v, static_cast<int32_t>(k), m.member_type(type, k)});
    }
}

id pointer_to(spirv::code &c, const late_output &o) {
    if (o.member < 0)
        return o.variable;
    return c.access(spv::StorageClassOutput, o.type, o.variable,
                    {c.target().const_u32(static_cast<uint32_t>(o.member))});
}

// One emitted vertex: the waiting values go out with it, its own wait; afterwards the outputs are
// as the shader left them.
void emit_late(spirv::code &c, const std::vector<late_output> &outputs, spirv::instruction &&emit) {
    std::vector<id> own;
    for (const late_output &o : outputs) {
        const id pointer = pointer_to(c, o);
        own.push_back(c.load(o.type, pointer));
        c.store(pointer, c.load(o.type, o.older ? o.older : o.newer));
        if (o.older)
            c.store(o.older, c.load(o.type, o.newer));
        c.store(o.newer, own.back());
    }
    c.out.push_back(std::move(emit));
    for (size_t i = 0; i < outputs.size(); ++i)
        c.store(pointer_to(c, outputs[i]), own[i]);
}

} // namespace

bool shows_provoking_vertex(const pipe_shader_archive &archive) {
    if (archive.gs_output != PIPE_PRIM_LINE_STRIP && archive.gs_output != PIPE_PRIM_TRIANGLE_STRIP)
        return false;
    bool geometry = false, shows = false;
    for (const pipe_archive_stage &s : archive.stages) {
        geometry |= s.stage == PIPE_SHADER_GEOMETRY;
        if (s.stage == PIPE_SHADER_FRAGMENT)
            shows = std::any_of(s.inputs.begin(), s.inputs.end(), [](const pipe_archive_io &io) {
                return io.flat || io.builtin == spv::BuiltInPrimitiveId;
            });
    }
    return geometry && shows;
}

unsigned delay_flat_outputs(module &m, const pipe_shader_archive &archive) {
    const std::set<uint32_t> flat = flat_locations(archive);
    std::vector<late_output> outputs;
    for (id v : m.variables(spv::StorageClassOutput))
        if (!m.has_decoration(v, spv::DecorationXfbBuffer))
            find_in(m, v, flat, outputs);
    for (late_output &o : outputs) {
        o.newer = m.add_variable(spv::StorageClassPrivate, o.type, m.const_null(o.type));
        if (archive.gs_output == PIPE_PRIM_TRIANGLE_STRIP)
            o.older = m.add_variable(spv::StorageClassPrivate, o.type, m.const_null(o.type));
    }
    for (spirv::function &f : m.functions) {
        spirv::code c(m);
        for (spirv::instruction &inst : f.insts) {
            if (inst.op == spv::OpEmitVertex)
                emit_late(c, outputs, std::move(inst));
            else
                c.out.push_back(std::move(inst));
        }
        f.insts = std::move(c.out);
    }
    return static_cast<unsigned>(outputs.size());
}

namespace {

// A part of the outputs that a held vertex keeps.
struct held_output {
    late_output part;
    bool flat;
};

// Whether something reaches this member of a block.
bool is_reached(const module &m, id block, uint32_t member) {
    for (const spirv::function &f : m.functions)
        for (const spirv::instruction &inst : f.insts)
            if ((inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain) &&
                inst.operand(0) == block && m.constant_value(inst.operand(1)) == member)
                return true;
    return false;
}

// Built-ins that nobody writes are left out: a copy would be a write.
std::vector<held_output> held_outputs(const module &m, const pipe_shader_archive &archive) {
    const std::set<uint32_t> flat = flat_locations(archive);
    std::vector<held_output> found;
    for (id v : m.variables(spv::StorageClassOutput)) {
        std::vector<late_output> late;
        if (!m.has_decoration(v, spv::DecorationXfbBuffer))
            find_in(m, v, flat, late);
        const auto is_late = [&](int32_t member) {
            return std::any_of(late.begin(), late.end(), [&](const late_output &o) {
                return o.member == member || o.member < 0;
            });
        };
        const id type = m.variable_type(v);
        if (m.type_op(type) != spv::OpTypeStruct) {
            found.push_back({{v, -1, type}, is_late(-1)});
            continue;
        }
        for (uint32_t k = 0; k < m.member_count(type); ++k)
            if (!m.has_member_decoration(type, k, spv::DecorationBuiltIn) || is_reached(m, v, k))
                found.push_back({{v, int32_t(k), m.member_type(type, k)}, is_late(int32_t(k))});
    }
    return found;
}

// Writes the two functions that stand in for OpEmitVertex and OpEndPrimitive.
class holder {
  public:
    holder(module &m, const pipe_shader_archive &archive)
        : m_(m), hold_(archive.gs_output == PIPE_PRIM_TRIANGLE_STRIP ? 2 : 1),
          outputs_(held_outputs(m, archive)) {
        const spirv::instruction &main =
            m.find_function(spirv::entry_function(m))->insts.front(); // returns and takes nothing
        none_ = main.type;
        type_ = main.operand(1);
        count_ = m.add_variable(spv::StorageClassPrivate, u32(), m.const_u32(0));
        for (held_output &o : outputs_) {
            o.part.newer = m.add_variable(spv::StorageClassPrivate, o.part.type);
            if (hold_ == 2)
                o.part.older = m.add_variable(spv::StorageClassPrivate, o.part.type);
        }
    }

    id emit_function();
    id end_function();
    void call(spirv::code &c, id function) { c.emit(spv::OpFunctionCall, none_, {function}); }

  private:
    id u32() { return m_.type_int(32, false); }
    id begin(spirv::code &c);
    void when_full(spirv::code &c, const std::function<void()> &what);
    void finish(spirv::code &c);
    void copy(spirv::code &c, const late_output &o, id from, id to) {
        c.store(to, c.load(o.type, from));
    }
    id waiting(const late_output &o) const { return o.older ? o.older : o.newer; }

    module &m_;
    const uint32_t hold_; // vertices that wait
    std::vector<held_output> outputs_;
    id none_ = 0, type_ = 0, count_ = 0;
};

id holder::begin(spirv::code &c) {
    const id function = c.emit(spv::OpFunction, none_, {spv::FunctionControlMaskNone, type_});
    c.out.emplace_back(spv::OpLabel, 0, m_.new_id(), std::vector<uint32_t>{});
    return function;
}

// Code for when as many vertices wait as a primitive needs before its last one.
void holder::when_full(spirv::code &c, const std::function<void()> &what) {
    const id yes = m_.new_id(), after = m_.new_id();
    const id full = c.emit(spv::OpUGreaterThanEqual, m_.type_bool(),
                           {c.load(u32(), count_), m_.const_u32(hold_)});
    c.emit_void(spv::OpSelectionMerge, {after, spv::SelectionControlMaskNone});
    c.emit_void(spv::OpBranchConditional, {full, yes, after});
    c.out.emplace_back(spv::OpLabel, 0, yes, std::vector<uint32_t>{});
    what();
    c.emit_void(spv::OpBranch, {after});
    c.out.emplace_back(spv::OpLabel, 0, after, std::vector<uint32_t>{});
}

void holder::finish(spirv::code &c) {
    c.emit_void(spv::OpReturn);
    c.emit_void(spv::OpFunctionEnd);
    m_.functions.push_back({std::move(c.out)});
}

// The oldest vertex goes out with the flat values of this one, which waits in its turn; afterwards
// the outputs are as the shader left them.
id holder::emit_function() {
    spirv::code c(m_);
    const id function = begin(c);
    when_full(c, [&] {
        std::vector<id> own;
        for (const held_output &o : outputs_) {
            own.push_back(o.flat ? 0 : c.load(o.part.type, pointer_to(c, o.part)));
            if (!o.flat)
                copy(c, o.part, waiting(o.part), pointer_to(c, o.part));
        }
        c.emit_void(spv::OpEmitVertex);
        for (size_t i = 0; i < outputs_.size(); ++i)
            if (own[i])
                c.store(pointer_to(c, outputs_[i].part), own[i]);
    });
    for (const held_output &o : outputs_) {
        if (o.part.older)
            copy(c, o.part, o.part.newer, o.part.older);
        copy(c, o.part, pointer_to(c, o.part), o.part.newer);
    }
    c.store(count_, c.emit(spv::OpIAdd, u32(), {c.load(u32(), count_), m_.const_u32(1)}));
    finish(c);
    return function;
}

// What still waits belongs to whole primitives or to none; no primitive begins with it.
id holder::end_function() {
    spirv::code c(m_);
    const id function = begin(c);
    when_full(c, [&] {
        std::vector<id> own;
        for (const held_output &o : outputs_)
            own.push_back(c.load(o.part.type, pointer_to(c, o.part)));
        for (uint32_t k = 0; k < hold_; ++k) {
            for (const held_output &o : outputs_)
                copy(c, o.part, k ? o.part.newer : waiting(o.part), pointer_to(c, o.part));
            c.emit_void(spv::OpEmitVertex);
        }
        for (size_t i = 0; i < outputs_.size(); ++i)
            c.store(pointer_to(c, outputs_[i].part), own[i]);
    });
    c.store(count_, m_.const_u32(0));
    finish(c);
    return function;
}

bool emits_to_streams(const module &m) {
    for (const spirv::function &f : m.functions)
        for (const spirv::instruction &inst : f.insts)
            if (inst.op == spv::OpEmitStreamVertex || inst.op == spv::OpEndStreamPrimitive)
                return true;
    return false;
}

} // namespace

bool hold_vertices(module &m, const pipe_shader_archive &archive) {
    if (emits_to_streams(m) || !m.find_function(spirv::entry_function(m)))
        return false;
    const size_t own_functions = m.functions.size();
    holder h(m, archive);
    const id emit = h.emit_function(), end = h.end_function();
    const id entry = spirv::entry_function(m);
    for (size_t i = 0; i < own_functions; ++i) {
        spirv::code c(m);
        const bool main = m.functions[i].result() == entry;
        for (spirv::instruction &inst : m.functions[i].insts) {
            if (inst.op == spv::OpEndPrimitive || (main && inst.op == spv::OpReturn))
                h.call(c, end);
            if (inst.op == spv::OpEmitVertex)
                h.call(c, emit);
            else
                c.out.push_back(std::move(inst));
        }
        m.functions[i].insts = std::move(c.out);
    }
    return true;
}

} // namespace drivers_common
