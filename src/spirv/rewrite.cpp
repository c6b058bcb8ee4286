// SPDX-License-Identifier: MIT
// Def-use, replacement of ids, reachability and removal of what is not reached.
#include "spirv/rewrite.h"

#include <algorithm>
#include <unordered_set>

namespace spirv {

id code::emit(spv::Op op, id type, std::vector<uint32_t> operands) {
    const id result = m_.new_id();
    out.emplace_back(op, type, result, std::move(operands));
    return result;
}

void code::emit_void(spv::Op op, std::vector<uint32_t> operands) {
    out.emplace_back(op, 0, 0, std::move(operands));
}

id code::access(spv::StorageClass storage, id pointee, id base, std::vector<id> indices) {
    if (indices.empty())
        return base;
    indices.insert(indices.begin(), base);
    return emit(spv::OpAccessChain, m_.type_pointer(storage, pointee), std::move(indices));
}

id code::extract(id type, id composite, std::vector<uint32_t> path) {
    path.insert(path.begin(), composite);
    return emit(spv::OpCompositeExtract, type, std::move(path));
}

id code::construct(id type, std::vector<id> parts) {
    return emit(spv::OpCompositeConstruct, type, std::move(parts));
}

void replace_uses(module &m, id from, id to) {
    const auto visit = [&](instruction &inst) {
        if (inst.type == from)
            inst.type = to;
        for_each_id_operand(inst, [&](uint32_t &w) {
            if (w == from)
                w = to;
        });
    };
    for (auto *section : {&m.entry_points, &m.execution_modes, &m.globals})
        std::for_each(section->begin(), section->end(), visit);
    for (function &f : m.functions)
        std::for_each(f.insts.begin(), f.insts.end(), visit);
    m.reindex();
}

id make_private(module &m, id variable) {
    const id copy = m.add_variable(spv::StorageClassPrivate, m.variable_type(variable));
    remove_from_interface(m, variable);
    replace_uses(m, variable, copy);
    std::unordered_set<id> pointers = {copy};
    for (function &f : m.functions) {
        for (instruction &inst : f.insts) {
            const bool chain =
                inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain;
            if (!chain || !pointers.count(inst.operand(0)))
                continue;
            inst.type = m.type_pointer(spv::StorageClassPrivate, m.pointee(inst.type));
            pointers.insert(inst.result);
        }
    }
    return copy;
}

namespace {

/// Function ids reachable from the entry points.
std::unordered_set<id> reachable_functions(const module &m) {
    std::unordered_set<id> seen;
    std::vector<id> todo;
    for (const instruction &e : m.entry_points)
        todo.push_back(e.operand(1));
    while (!todo.empty()) {
        const id current = todo.back();
        todo.pop_back();
        if (!seen.insert(current).second)
            continue;
        if (const function *f = m.find_function(current))
            for (const instruction &inst : f->insts)
                if (inst.op == spv::OpFunctionCall)
                    todo.push_back(inst.operand(0));
    }
    return seen;
}

/// Closes a set of used ids over the globals they are made of.
void close_over_globals(const module &m, std::vector<bool> &used) {
    for (size_t i = m.globals.size(); i-- > 0;) {
        const instruction &inst = m.globals[i];
        if (!inst.result || !used[inst.result])
            continue;
        if (inst.type)
            used[inst.type] = true;
        for_each_id_operand(inst, [&](uint32_t w) { used[w] = true; });
    }
}

void drop_dangling_annotations(module &m, const std::vector<bool> &gone) {
    const auto dangling = [&](const instruction &inst) {
        switch (inst.op) {
        case spv::OpName:
        case spv::OpMemberName:
        case spv::OpDecorate:
        case spv::OpMemberDecorate:
        case spv::OpDecorateString:
        case spv::OpMemberDecorateString:
            return inst.operand(0) < gone.size() && gone[inst.operand(0)];
        default: return false;
        }
    };
    std::erase_if(m.debug, dangling);
    std::erase_if(m.annotations, dangling);
}

} // namespace

std::vector<bool> reachable_ids(const module &m) {
    std::vector<bool> used(m.bound(), false);
    const std::unordered_set<id> live = reachable_functions(m);
    for (const function &f : m.functions) {
        if (!live.count(f.result()))
            continue;
        for (const instruction &inst : f.insts) {
            if (inst.type)
                used[inst.type] = true;
            for_each_id_operand(inst, [&](uint32_t w) { used[w] = true; });
        }
    }
    for (const instruction &inst : m.execution_modes)
        if (inst.op == spv::OpExecutionModeId)
            for (size_t i = 2; i < inst.operands.size(); ++i)
                used[inst.operands[i]] = true;
    close_over_globals(m, used);
    return used;
}

void remove_dead_functions(module &m) {
    const std::unordered_set<id> live = reachable_functions(m);
    std::vector<bool> gone(m.bound(), false);
    for (const function &f : m.functions)
        if (!live.count(f.result()))
            for (const instruction &inst : f.insts)
                gone[inst.result] = true;
    gone[0] = false;
    std::erase_if(m.functions, [&](const function &f) { return !live.count(f.result()); });
    drop_dangling_annotations(m, gone);
    m.reindex();
}

void remove_globals(module &m, const std::vector<id> &ids) {
    std::vector<bool> gone(m.bound(), false);
    for (id x : ids)
        gone[x] = true;
    std::erase_if(m.globals,
                  [&](const instruction &inst) { return inst.result && gone[inst.result]; });
    drop_dangling_annotations(m, gone);
    std::vector<id> kept = interface_of(m);
    std::erase_if(kept, [&](id x) { return gone[x]; });
    set_interface(m, kept);
    m.reindex();
}

void remove_dead_globals(module &m, const std::function<bool(id)> &keep) {
    std::vector<bool> used = reachable_ids(m);
    for (const instruction &inst : m.globals)
        if (inst.op == spv::OpVariable && keep && keep(inst.result))
            used[inst.result] = true;
    // gl_WorkGroupSize is named by its decoration only.
    m.for_each_decoration([&](decoration_target t, spv::Decoration d, std::span<const uint32_t> w) {
        if (t.member < 0 && d == spv::DecorationBuiltIn && w.size() == 1 &&
            w[0] == spv::BuiltInWorkgroupSize)
            used[t.target] = true;
    });
    close_over_globals(m, used);
    std::vector<id> dead;
    for (const instruction &inst : m.globals)
        if (inst.result && !used[inst.result])
            dead.push_back(inst.result);
    remove_globals(m, dead);
}

def_use::def_use(const module &, const function &f) {
    for (size_t i = 0; i < f.insts.size(); ++i) {
        const instruction &inst = f.insts[i];
        if (inst.result)
            defs_[inst.result] = static_cast<int32_t>(i);
        for_each_id_operand(inst,
                            [&](uint32_t w) { uses_[w].push_back(static_cast<uint32_t>(i)); });
    }
}

int32_t def_use::def(id value) const {
    const auto it = defs_.find(value);
    return it == defs_.end() ? -1 : it->second;
}

const std::vector<uint32_t> &def_use::uses(id value) const {
    const auto it = uses_.find(value);
    return it == uses_.end() ? none_ : it->second;
}

} // namespace spirv
