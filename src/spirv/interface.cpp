// SPDX-License-Identifier: MIT
// Entry points, execution modes, built-ins, and insertion of code at entry and before returns.
#include "spirv/rewrite.h"

namespace spirv {
namespace {

instruction *entry(module &m) {
    return m.entry_points.empty() ? nullptr : &m.entry_points.front();
}
const instruction *entry(const module &m) {
    return m.entry_points.empty() ? nullptr : &m.entry_points.front();
}

/// Index of the first interface id among the operands of OpEntryPoint.
size_t interface_start(const instruction &inst) {
    size_t words = 0;
    literal_string(inst, 2, &words);
    return 2 + words;
}

/// The type behind outer arrays.
id strip_arrays(const module &m, id type, bool &arrayed) {
    while (m.type_op(type) == spv::OpTypeArray || m.type_op(type) == spv::OpTypeRuntimeArray) {
        arrayed = true;
        type = m.element_type(type);
    }
    return type;
}

} // namespace

id entry_function(const module &m) {
    const instruction *e = entry(m);
    return e ? e->operand(1) : 0;
}

spv::ExecutionModel execution_model(const module &m) {
    const instruction *e = entry(m);
    return e ? static_cast<spv::ExecutionModel>(e->operand(0)) : spv::ExecutionModelMax;
}

std::vector<id> interface_of(const module &m) {
    const instruction *e = entry(m);
    if (!e)
        return {};
    const size_t first = std::min(interface_start(*e), e->operands.size());
    return {e->operands.begin() + first, e->operands.end()};
}

void set_interface(module &m, const std::vector<id> &ids) {
    if (instruction *e = entry(m)) {
        e->operands.resize(std::min(interface_start(*e), e->operands.size()));
        e->operands.insert(e->operands.end(), ids.begin(), ids.end());
    }
}

void add_to_interface(module &m, id variable) {
    std::vector<id> ids = interface_of(m);
    for (id x : ids)
        if (x == variable)
            return;
    ids.push_back(variable);
    set_interface(m, ids);
}

void remove_from_interface(module &m, id variable) {
    std::vector<id> ids = interface_of(m);
    std::erase(ids, variable);
    set_interface(m, ids);
}

std::optional<std::vector<uint32_t>> execution_mode(const module &m, spv::ExecutionMode mode) {
    for (const instruction &inst : m.execution_modes)
        if (inst.operands.size() >= 2 && inst.operands[1] == static_cast<uint32_t>(mode))
            return std::vector<uint32_t>(inst.operands.begin() + 2, inst.operands.end());
    return std::nullopt;
}

void set_execution_mode(module &m, spv::ExecutionMode mode, std::vector<uint32_t> literals) {
    remove_execution_mode(m, mode);
    std::vector<uint32_t> words = {entry_function(m), static_cast<uint32_t>(mode)};
    words.insert(words.end(), literals.begin(), literals.end());
    m.execution_modes.emplace_back(spv::OpExecutionMode, 0, 0, std::move(words));
}

void remove_execution_mode(module &m, spv::ExecutionMode mode) {
    std::erase_if(m.execution_modes, [&](const instruction &inst) {
        return inst.operand(1) == static_cast<uint32_t>(mode);
    });
}

void insert_at_start(module &m, std::vector<instruction> insts) {
    function *f = m.find_function(entry_function(m));
    if (!f)
        return;
    size_t at = 0;
    while (at < f->insts.size() && f->insts[at].op != spv::OpLabel)
        ++at;
    ++at;
    while (at < f->insts.size() &&
           (f->insts[at].op == spv::OpVariable || f->insts[at].op == spv::OpLine ||
            f->insts[at].op == spv::OpNoLine))
        ++at;
    at = std::min(at, f->insts.size());
    f->insts.insert(f->insts.begin() + at, std::make_move_iterator(insts.begin()),
                    std::make_move_iterator(insts.end()));
}

namespace {

void insert_before_in(module &m, function &f, spv::Op op, const std::function<void(code &)> &make) {
    std::vector<instruction> result;
    result.reserve(f.insts.size());
    for (instruction &inst : f.insts) {
        if (inst.op == op) {
            code c(m);
            make(c);
            for (instruction &added : c.out)
                result.push_back(std::move(added));
        }
        result.push_back(std::move(inst));
    }
    f.insts = std::move(result);
}

} // namespace

void insert_before_returns(module &m, const std::function<void(code &)> &make) {
    if (function *f = m.find_function(entry_function(m)))
        insert_before_in(m, *f, spv::OpReturn, make);
}

void insert_before(module &m, spv::Op op, const std::function<void(code &)> &make) {
    for (function &f : m.functions)
        insert_before_in(m, f, op, make);
}

builtin_ref find_builtin(const module &m, spv::StorageClass storage, spv::BuiltIn builtin) {
    for (id variable : m.variables(storage)) {
        builtin_ref ref;
        const id type = strip_arrays(m, m.variable_type(variable), ref.arrayed);
        if (m.decoration(variable, spv::DecorationBuiltIn) == static_cast<uint32_t>(builtin)) {
            ref.variable = variable;
            ref.type = m.variable_type(variable);
            ref.arrayed = false;
            return ref;
        }
        for (uint32_t i = 0; i < m.member_count(type); ++i)
            if (m.member_decoration(type, i, spv::DecorationBuiltIn) ==
                static_cast<uint32_t>(builtin)) {
                ref.variable = variable;
                ref.member = static_cast<int32_t>(i);
                ref.type = m.member_type(type, i);
                return ref;
            }
    }
    return {};
}

builtin_ref ensure_builtin(module &m, spv::StorageClass storage, spv::BuiltIn builtin, id type) {
    if (builtin_ref found = find_builtin(m, storage, builtin)) {
        add_to_interface(m, found.variable);
        return found;
    }
    builtin_ref ref;
    ref.variable = m.add_variable(storage, type);
    ref.type = type;
    m.set_decoration(ref.variable, spv::DecorationBuiltIn, static_cast<uint32_t>(builtin));
    const bool integral = m.int_width(type) && m.type_op(type) == spv::OpTypeInt;
    if (storage == spv::StorageClassInput && integral &&
        execution_model(m) == spv::ExecutionModelFragment)
        m.set_decoration(ref.variable, spv::DecorationFlat);
    add_to_interface(m, ref.variable);
    return ref;
}

id builtin_pointer(code &c, spv::StorageClass storage, const builtin_ref &ref) {
    if (ref.member < 0)
        return ref.variable;
    return c.access(storage, ref.type, ref.variable, {c.target().const_i32(ref.member)});
}

id load_builtin(code &c, spv::StorageClass storage, const builtin_ref &ref) {
    const id pointer = builtin_pointer(c, storage, ref);
    return c.load(ref.type, pointer);
}

void store_builtin(code &c, spv::StorageClass storage, const builtin_ref &ref, id value) {
    const id pointer = builtin_pointer(c, storage, ref);
    c.store(pointer, value);
}

} // namespace spirv
