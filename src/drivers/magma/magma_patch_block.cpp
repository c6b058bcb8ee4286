// SPDX-License-Identifier: MIT
// Arrays of interface blocks.
#include "magma_patch_block.h"

#include "magma_emulation.h"
#include "spirv/rewrite.h"

#include <algorithm>
#include <unordered_set>

namespace magma {

using spirv::id;
using spirv::module;

uint32_t locations_of(const module &m, id type, uint32_t &components) {
    switch (m.type_op(type)) {
    case spv::OpTypeArray: {
        uint32_t n = m.length(type), inner = 0, each = locations_of(m, m.element_type(type), inner);
        components = inner * n;
        return each * n;
    }
    case spv::OpTypeMatrix: {
        uint32_t n = m.length(type), inner = 0, each = locations_of(m, m.element_type(type), inner);
        components = inner * n;
        return each * n;
    }
    case spv::OpTypeStruct: {
        uint32_t total = 0;
        components = 0;
        for (uint32_t k = 0; k < m.member_count(type); ++k) {
            uint32_t inner = 0;
            total += locations_of(m, m.member_type(type, k), inner);
            components += inner;
        }
        return total;
    }
    case spv::OpTypeVector: {
        uint32_t words = m.int_width(m.element_type(type)) / 32;
        components = m.length(type) * words;
        return components > 4 ? 2 : 1;
    }
    default: components = m.int_width(type) / 32; return 1;
    }
}

uint32_t free_output_location(const module &m) {
    uint32_t out = 0;
    for (id v : m.variables(spv::StorageClassOutput)) {
        if (m.has_decoration(v, spv::DecorationBuiltIn))
            continue;
        id type = m.variable_type(v);
        uint32_t ignored = 0, at = m.decoration(v, spv::DecorationLocation).value_or(0);
        const uint32_t size = locations_of(m, type, ignored);
        for (uint32_t k = 0; m.type_op(type) == spv::OpTypeStruct && k < m.member_count(type); ++k)
            at = std::max(at, m.member_decoration(type, k, spv::DecorationLocation).value_or(0));
        out = std::max(out, at + size);
    }
    return out;
}

namespace {

const spv::Decoration qualifiers[] = {spv::DecorationFlat, spv::DecorationNoPerspective,
                                      spv::DecorationCentroid, spv::DecorationSample};

// The type of the block that this variable is an array of; 0: none.
id block_of_array(const module &m, id variable) {
    id type = m.variable_type(variable);
    if (m.type_op(type) != spv::OpTypeArray)
        return 0;
    while (m.type_op(type) == spv::OpTypeArray)
        type = m.element_type(type);
    const bool block =
        m.type_op(type) == spv::OpTypeStruct && m.has_decoration(type, spv::DecorationBlock);
    return block ? type : 0;
}

bool is_access(const spirv::instruction &inst) {
    return inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain;
}

// The variable and every pointer made from it.
std::unordered_set<id> pointers_into(const module &m, id variable) {
    std::unordered_set<id> found = {variable};
    for (const spirv::function &f : m.functions)
        for (const spirv::instruction &inst : f.insts)
            if (is_access(inst) && found.count(inst.operand(0)))
                found.insert(inst.result);
    return found;
}

// interpolateAt*() wants the input itself.
bool interpolated_at(const module &m, const std::unordered_set<id> &pointers) {
    for (const spirv::function &f : m.functions)
        for (const spirv::instruction &inst : f.insts)
            if (inst.op == spv::OpExtInst &&
                std::any_of(inst.operands.begin(), inst.operands.end(),
                            [&](uint32_t word) { return pointers.count(word) != 0; }))
                return true;
    return false;
}

// One variable for each member of each element of an array of blocks.
struct splitter {
    module &m;
    spv::StorageClass storage;
    uint32_t location; // of the next variable
    struct part {
        id variable, type;
        std::vector<uint32_t> path; // in the array
    };
    std::vector<part> parts = {};

    void walk(id type, std::vector<uint32_t> &path) {
        const bool array = m.type_op(type) == spv::OpTypeArray;
        const uint32_t count = array ? m.length(type) : m.member_count(type);
        for (uint32_t k = 0; k < count; ++k) {
            path.push_back(k);
            if (array)
                walk(m.element_type(type), path);
            else
                add(type, k, path);
            path.pop_back();
        }
    }
    void add(id block, uint32_t k, const std::vector<uint32_t> &path) {
        const id type = m.member_type(block, k), variable = m.add_variable(storage, type);
        uint32_t ignored = 0;
        m.set_decoration(variable, spv::DecorationLocation, location);
        location += locations_of(m, type, ignored);
        for (spv::Decoration d : qualifiers)
            if (m.has_member_decoration(block, k, d))
                m.set_decoration(variable, d);
        spirv::add_to_interface(m, variable);
        parts.push_back({variable, type, path});
    }
    // Copies between the parts and the array `own`.
    void copy(spirv::code &c, id own) const {
        for (const part &p : parts) {
            std::vector<id> indices;
            for (uint32_t k : p.path)
                indices.push_back(m.const_u32(k));
            const id element = c.access(spv::StorageClassPrivate, p.type, own, indices);
            if (storage == spv::StorageClassInput)
                c.store(element, c.load(p.type, p.variable));
            else
                c.store(p.variable, c.load(p.type, element));
        }
    }
};

void split(module &m, id variable, spv::StorageClass storage, uint32_t location) {
    const std::unordered_set<id> pointers = pointers_into(m, variable);
    if (interpolated_at(m, pointers))
        return;
    emulated(emulation::block_array);
    const id type = m.variable_type(variable);
    const id own = m.add_variable(spv::StorageClassPrivate, type);
    for (spirv::function &f : m.functions)
        for (spirv::instruction &inst : f.insts)
            if (is_access(inst) && pointers.count(inst.result))
                inst.type = m.type_pointer(spv::StorageClassPrivate, m.pointee(inst.type));
    spirv::replace_uses(m, variable, own);
    spirv::remove_from_interface(m, own);
    spirv::remove_from_interface(m, variable);
    splitter s{m, storage, location};
    std::vector<uint32_t> path;
    s.walk(type, path);
    const auto copy = [&](spirv::code &c) { s.copy(c, own); };
    if (storage == spv::StorageClassInput) {
        spirv::code c(m);
        copy(c);
        spirv::insert_at_start(m, std::move(c.out));
    } else if (spirv::execution_model(m) == spv::ExecutionModelGeometry) {
        spirv::insert_before(m, spv::OpEmitVertex, copy);
        spirv::insert_before(m, spv::OpEmitStreamVertex, copy);
    } else {
        spirv::insert_before_returns(m, copy);
    }
    spirv::remove_globals(m, {variable});
}

} // namespace

void split_block_arrays(module &m, spv::StorageClass storage) {
    for (id v : m.variables(storage)) {
        const auto location = m.decoration(v, spv::DecorationLocation);
        const id block = location ? block_of_array(m, v) : 0;
        // Members with locations of their own are not those of an array.
        if (block && !m.has_member_decoration(block, 0, spv::DecorationLocation))
            split(m, v, storage, *location);
    }
}

} // namespace magma
