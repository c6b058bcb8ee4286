// SPDX-License-Identifier: MIT
#include "espryt_offsets.h"

#include <algorithm>
#include <span>

#include "spirv/rewrite.h"

namespace espryt {

namespace {

using spirv::id;
using spirv::module;

uint32_t align_up(uint32_t x, uint32_t a) {
    return (x + a - 1) / a * a;
}

// Places of types by the rules of one layout.
struct layout {
    const module &m;
    bool std140;

    bool is_array(id t) const {
        return m.type_op(t) == spv::OpTypeArray || m.type_op(t) == spv::OpTypeRuntimeArray;
    }
    // Arrays, structs and columns of matrices begin at four words in std140.
    uint32_t widen(uint32_t align) const { return std140 ? align_up(align, 16) : align; }

    uint32_t vector_align(uint32_t n) const { return n == 1 ? 4 : n == 2 ? 8 : 16; }

    uint32_t align(id t, bool row_major) const {
        switch (m.type_op(t)) {
        case spv::OpTypeVector: return vector_align(m.length(t));
        case spv::OpTypeMatrix:
            return widen(vector_align(row_major ? m.length(t) : m.length(m.element_type(t))));
        case spv::OpTypeStruct: {
            uint32_t most = 4;
            for (uint32_t i = 0; i < m.member_count(t); i++)
                most =
                    std::max(most, align(m.member_type(t, i),
                                         m.has_member_decoration(t, i, spv::DecorationRowMajor)));
            return widen(most);
        }
        default: return is_array(t) ? widen(align(m.element_type(t), row_major)) : 4;
        }
    }

    uint32_t size(id t, bool row_major) const {
        switch (m.type_op(t)) {
        case spv::OpTypeVector: return 4 * m.length(t);
        case spv::OpTypeMatrix:
            return align(t, row_major) * (row_major ? m.length(m.element_type(t)) : m.length(t));
        case spv::OpTypeStruct: {
            uint32_t end = 0;
            for (uint32_t i = 0; i < m.member_count(t); i++) {
                const bool rows = m.has_member_decoration(t, i, spv::DecorationRowMajor);
                end = align_up(end, align(m.member_type(t, i), rows)) +
                      size(m.member_type(t, i), rows);
            }
            return align_up(end, align(t, false));
        }
        default:
            if (!is_array(t))
                return 4;
            return align_up(size(m.element_type(t), row_major), align(t, row_major)) * m.length(t);
        }
    }
};

// A type of one word that is declared before the struct.
id word_in(const module &m, id t) {
    while (m.type_op(t) != spv::OpTypeInt && m.type_op(t) != spv::OpTypeFloat)
        t = m.type_op(t) == spv::OpTypeStruct ? m.member_type(t, 0) : m.element_type(t);
    return t;
}

struct padder {
    module &m;
    id block;
    std::vector<uint32_t> places; // of the old members

    // Sorts and fills; false when the members lie where the layout puts them.
    bool rebuild(bool std140) {
        const layout rules{m, std140};
        const uint32_t count = m.member_count(block);
        std::vector<uint32_t> order(count), offsets(count);
        for (uint32_t i = 0; i < count; i++) {
            order[i] = i;
            offsets[i] = m.member_decoration(block, i, spv::DecorationOffset).value_or(0);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return offsets[a] < offsets[b]; });
        bool moved = !std::is_sorted(order.begin(), order.end());
        const id word = word_in(m, block);
        std::vector<uint32_t> members, filled;
        places.assign(count, 0);
        uint32_t end = 0;
        for (uint32_t i : order) {
            const id type = m.member_type(block, i);
            const bool rows = m.has_member_decoration(block, i, spv::DecorationRowMajor);
            for (; align_up(end, rules.align(type, rows)) < offsets[i]; end += 4) {
                filled.push_back(static_cast<uint32_t>(members.size()));
                fill_offsets.push_back(end);
                members.push_back(word);
                moved = true;
            }
            places[i] = static_cast<uint32_t>(members.size());
            members.push_back(type);
            end = offsets[i] + rules.size(type, rows);
        }
        if (!moved)
            return false;
        renumber();
        m.def(block)->operands = members;
        m.reindex();
        for (size_t k = 0; k < filled.size(); k++) {
            m.set_member_decoration(block, filled[k], spv::DecorationOffset, fill_offsets[k]);
            m.set_member_name(block, filled[k], "mgp_pad" + std::to_string(k));
        }
        return true;
    }

    // Names and decorations of members.
    void renumber() {
        for (std::vector<spirv::instruction> *list : {&m.debug, &m.annotations})
            for (spirv::instruction &inst : *list)
                if ((inst.op == spv::OpMemberName || inst.op == spv::OpMemberDecorate) &&
                    inst.operand(0) == block)
                    inst.operands[1] = places[inst.operand(1)];
    }

    // Accesses through a variable, whose type is the block behind `dims` arrays.
    void redirect(id variable, size_t dims) {
        for (spirv::function &f : m.functions)
            for (spirv::instruction &inst : f.insts) {
                const bool chain =
                    inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain;
                if (chain && inst.operand(0) == variable && inst.operands.size() > 1 + dims)
                    inst.operands[1 + dims] = m.const_i32(static_cast<int32_t>(
                        places[m.constant_value(inst.operand(1 + dims)).value_or(0)]));
                if (inst.op == spv::OpArrayLength && inst.operand(0) == variable)
                    inst.operands[1] = places[inst.operand(1)];
            }
    }

    std::vector<uint32_t> fill_offsets;
};

} // namespace

bool pad_blocks(std::vector<uint32_t> &words) {
    auto m = module::parse(std::span<const uint32_t>(words.data(), words.size()));
    if (!m)
        return false;
    bool any = false;
    for (spv::StorageClass storage : {spv::StorageClassUniform, spv::StorageClassStorageBuffer})
        for (id v : m->variables(storage)) {
            id type = m->variable_type(v);
            size_t dims = 0;
            for (; m->type_op(type) == spv::OpTypeArray; dims++)
                type = m->element_type(type);
            if (m->type_op(type) != spv::OpTypeStruct)
                continue;
            padder p{*m, type, {}, {}};
            if (p.rebuild(storage == spv::StorageClassUniform &&
                          !m->has_decoration(type, spv::DecorationBufferBlock))) {
                p.redirect(v, dims);
                any = true;
            }
        }
    if (any)
        words = m->write();
    return any;
}

} // namespace espryt
