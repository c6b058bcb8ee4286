// SPDX-License-Identifier: MIT
// Uniform and storage blocks: class, slot and what the program may ask about them. Arrays of arrays
// of blocks become one array.
#include "compiler/lower.h"

namespace compiler {
namespace {

using Kind = Type::Kind;

struct BlockVar {
    std::string name;     // block name
    std::string instance; // prefix of member names: the block name, or nothing for anonymous blocks
    unsigned part = 0;
    pipe_uniform_type cls = PIPE_SLOT_UNIFORM_BLOCK;
    TypeRef type;               // the struct
    std::vector<uint32_t> dims; // of the block array, empty for a single block
    uint32_t count = 1, slot = 0;
    int32_t binding = -1;
    uint32_t bound = 0; // declared binding + 1; 0: none declared
    uint8_t stages = 0, written = 0;
    bool readonly = false;
};

bool is_storage(const spirv::module &m, spirv::id variable, spirv::id block_type) {
    const spirv::instruction *d = m.def(variable);
    return d->operand(0) == spv::StorageClassStorageBuffer ||
           m.has_decoration(block_type, spv::DecorationBufferBlock);
}

/// Bytes the type takes with its decorated strides.
uint32_t decorated_size(const Type &t, uint32_t matrix_stride, bool row_major) {
    switch (t.kind) {
    case Kind::array: return std::max(t.length, 1u) * t.stride;
    case Kind::structure: {
        uint32_t end = 0;
        for (const Type::Member &m : t.members)
            end = std::max(end, m.offset + decorated_size(*m.type, m.matrix_stride, m.row_major));
        return end;
    }
    default:
        return t.cols > 1 ? matrix_stride * (row_major ? t.rows : t.cols) : component_count(t) * 4;
    }
}

bool same_layout(const Type &a, const Type &b) {
    if (!same_type(a, b))
        return false;
    if (a.kind == Kind::array)
        return a.stride == b.stride && same_layout(*a.element, *b.element);
    for (size_t i = 0; i < a.members.size(); ++i) {
        const Type::Member &x = a.members[i], &y = b.members[i];
        if (x.offset != y.offset || x.matrix_stride != y.matrix_stride ||
            x.row_major != y.row_major || !same_layout(*x.type, *y.type))
            return false;
    }
    return true;
}

/// Whether some function stores to, or does an atomic on, a pointer into the variable.
bool is_written(const spirv::module &m, spirv::id variable) {
    for (const spirv::function &f : m.functions) {
        std::unordered_map<spirv::id, bool> derived;
        for (const spirv::instruction &inst : f.insts) {
            const auto into = [&](spirv::id x) { return x == variable || derived.count(x); };
            if ((inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain) &&
                into(inst.operand(0)))
                derived[inst.result] = true;
            const bool atomic = inst.op >= spv::OpAtomicStore && inst.op <= spv::OpAtomicXor;
            if ((inst.op == spv::OpStore || inst.op == spv::OpCopyMemory || atomic) &&
                into(inst.operand(0)))
                return true;
            if (inst.op == spv::OpFunctionCall)
                for (size_t i = 1; i < inst.operands.size(); ++i)
                    if (into(inst.operands[i]))
                        return true;
        }
    }
    return false;
}

std::vector<uint32_t> block_dims(const spirv::module &m, spirv::id type, spirv::id &block_type) {
    std::vector<uint32_t> dims;
    while (m.type_op(type) == spv::OpTypeArray || m.type_op(type) == spv::OpTypeRuntimeArray) {
        dims.push_back(std::max(m.length(type), 1u));
        type = m.element_type(type);
    }
    block_type = type;
    return dims;
}

BlockVar *collect(Lowering &l, Stage &s, spirv::id variable, std::vector<BlockVar> &blocks) {
    spirv::module &m = s.m;
    spirv::id block_type = 0;
    BlockVar b;
    b.dims = block_dims(m, m.variable_type(variable), block_type);
    b.name = m.name(block_type);
    b.part = s.part;
    b.cls = is_storage(m, variable, block_type) ? PIPE_SLOT_STORAGE_BLOCK : PIPE_SLOT_UNIFORM_BLOCK;
    const auto bools = s.side.bool_members.find(b.name);
    b.type =
        read_type(m, block_type, bools == s.side.bool_members.end() ? nullptr : &bools->second);
    b.instance = m.name(variable).empty() ? "" : b.name;
    for (uint32_t d : b.dims)
        b.count *= d;
    BlockVar *found = nullptr;
    for (BlockVar &x : blocks)
        if (x.part == b.part && x.name == b.name && x.cls == b.cls)
            found = &x;
    if (!found) {
        blocks.push_back(b);
        found = &blocks.back();
        found->readonly = m.has_decoration(variable, spv::DecorationNonWritable);
    } else if (!same_layout(*found->type, *b.type) || found->dims != b.dims) {
        l.error("block '%s' is declared differently in different stages", b.name.c_str());
        return nullptr;
    } else if (found->instance.empty() != b.instance.empty()) {
        l.error("block '%s' has an instance name in one stage and none in another", b.name.c_str());
        return nullptr;
    }
    if (const auto binding = m.decoration(variable, spv::DecorationBinding)) {
        if (found->bound && found->bound != *binding + 1)
            l.error("block '%s' has different bindings in different stages", b.name.c_str());
        found->bound = *binding + 1;
        found->binding = *binding ? static_cast<int32_t>(*binding) : -1;
    }
    if (s.used[variable]) {
        found->stages |= s.bit();
        if (b.cls == PIPE_SLOT_STORAGE_BLOCK && is_written(m, variable)) {
            found->written |= s.bit();
            s.out.writes_memory = 1;
        }
    }
    return found;
}

/// "Block[1][2]" for flat element 5 of [2][3].
std::string element_name(const BlockVar &b, uint32_t flat) {
    std::string suffix;
    for (size_t k = b.dims.size(); k-- > 0;) {
        suffix = "[" + std::to_string(flat % b.dims[k]) + "]" + suffix;
        flat /= b.dims[k];
    }
    return b.name + suffix;
}

/// Buffer variables: only the first element of a top-level array of aggregates is listed.
void list_storage_members(const BlockVar &b, const std::function<void(const Leaf &)> &fn) {
    for (const Type::Member &m : b.type->members) {
        const std::string name = b.instance.empty() ? m.name : b.instance + "." + m.name;
        const bool aggregate = m.type->kind == Kind::array && m.type->element->kind != Kind::value;
        const auto with_top = [&](const Leaf &leaf) {
            Leaf copy = leaf;
            copy.readonly = m.readonly;
            if (m.type->kind == Kind::array) {
                copy.top_size = aggregate ? m.type->length : 1;
                copy.top_stride = aggregate ? m.type->stride : 0;
            }
            fn(copy);
        };
        if (aggregate)
            enumerate_leaves(*m.type->element, name + "[0]", m.offset, m.matrix_stride, m.row_major,
                             with_top);
        else
            enumerate_leaves(*m.type, name, m.offset, m.matrix_stride, m.row_major, with_top);
    }
}

void list_block(Lowering &l, const BlockVar &b) {
    const uint32_t first = static_cast<uint32_t>(l.archive.blocks.size());
    const uint32_t size = align_up(decorated_size(*b.type, 0, false), 16); // as a structure
    if (b.cls == PIPE_SLOT_UNIFORM_BLOCK &&
        size > static_cast<uint32_t>(l.options.limits.uniform_block_size))
        l.error("uniform block '%s' takes %u bytes, more than GL_MAX_UNIFORM_BLOCK_SIZE",
                b.name.c_str(), size);
    for (uint32_t i = 0; i < b.count; ++i) {
        pipe_archive_block e{};
        e.name = element_name(b, i);
        e.cls = b.cls;
        e.slot = b.slot + i;
        e.binding = b.binding < 0 ? -1 : b.binding + static_cast<int32_t>(i);
        e.size = std::max(size, 4u);
        e.stages = b.stages;
        e.written = b.written;
        e.readonly = b.readonly;
        l.slot_uses.push_back({b.part, b.cls, e.name, e.slot, 1, 0});
        l.archive.blocks.push_back(std::move(e));
    }
    const auto add = [&](const Leaf &leaf) {
        pipe_archive_member m = member_of(leaf);
        m.block = first;
        m.stages = b.stages;
        l.archive.members.push_back(std::move(m));
    };
    if (b.cls == PIPE_SLOT_STORAGE_BLOCK)
        list_storage_members(b, add);
    else
        enumerate_leaves(*b.type, b.instance, 0, 0, false, add);
}

/// Members of blocks without an instance name share one scope with each other and with plain
/// uniforms, over all stages (GLSL 4.60, 4.3.9).
void check_scope(Lowering &l, const std::vector<BlockVar> &blocks) {
    std::map<std::pair<unsigned, std::string>, const char *> taken;
    for (const GlobalVar &g : l.globals)
        taken[{g.part, g.name}] = "a uniform";
    for (const BlockVar &b : blocks) {
        if (!b.instance.empty())
            continue;
        for (const Type::Member &m : b.type->members) {
            const auto [at, fresh] =
                taken.emplace(std::pair(b.part, m.name), "a member of another block");
            if (!fresh)
                l.error("'%s' of block '%s' is %s too", m.name.c_str(), b.name.c_str(), at->second);
        }
    }
}

/// Folds an array of arrays of blocks into one array.
void flatten(spirv::module &m, spirv::id variable, const BlockVar &b) {
    spirv::id block_type = 0;
    const std::vector<uint32_t> dims = block_dims(m, m.variable_type(variable), block_type);
    const auto storage = static_cast<spv::StorageClass>(m.def(variable)->operand(0));
    const spirv::id array = m.new_array_type(block_type, b.count);
    const spirv::id target = m.add_variable(storage, array);
    m.set_name(target, m.name(variable));
    m.copy_decorations(variable, target);
    rewrite_accesses(
        m, [&](spirv::id x) { return x == variable; },
        [&](spirv::code &c, spirv::id, const std::vector<spirv::id> &path) {
            const size_t n = std::min(path.size(), dims.size());
            std::vector<spirv::id> outer(path.begin(), path.begin() + n), indices;
            indices.push_back(flat_index(c, outer, dims));
            spirv::id type = block_type;
            for (size_t i = n; i < path.size(); ++i) {
                indices.push_back(path[i]);
                type = m.type_op(type) == spv::OpTypeStruct
                           ? m.member_type(type, m.constant_value(path[i]).value_or(0))
                           : m.element_type(type);
            }
            return c.access(storage, type, target, std::move(indices));
        });
    spirv::remove_globals(m, {variable});
}

} // namespace

void lower_blocks(Lowering &l) {
    struct Use {
        Stage *stage;
        spirv::id variable;
        size_t block;
    };
    std::vector<BlockVar> blocks;
    std::vector<Use> uses;
    for (Stage &s : l.stages) {
        std::vector<spirv::id> variables = s.m.variables(spv::StorageClassUniform);
        for (spirv::id v : s.m.variables(spv::StorageClassStorageBuffer))
            variables.push_back(v);
        for (spirv::id v : variables) {
            if (v >= s.used.size()) // made by an earlier pass
                continue;
            if (BlockVar *b = collect(l, s, v, blocks))
                uses.push_back({&s, v, static_cast<size_t>(b - blocks.data())});
        }
    }
    check_scope(l, blocks);
    if (l.failed)
        return;
    for (BlockVar &b : blocks) {
        uint32_t &next = b.cls == PIPE_SLOT_STORAGE_BLOCK ? l.archive.num_storage_block_slots
                                                          : l.archive.num_uniform_block_slots;
        b.slot = next;
        next += b.count;
        list_block(l, b);
    }
    for (const Use &u : uses) {
        spirv::module &m = u.stage->m;
        if (!u.stage->used[u.variable])
            continue;
        m.set_decoration(u.variable, spv::DecorationDescriptorSet, blocks[u.block].cls);
        m.set_decoration(u.variable, spv::DecorationBinding, blocks[u.block].slot);
        if (blocks[u.block].dims.size() > 1)
            flatten(m, u.variable, blocks[u.block]);
    }
    for (Stage &s : l.stages) {
        s.m.remove_all_decorations(spv::DecorationGLSLShared);
        s.m.remove_all_decorations(spv::DecorationGLSLPacked);
    }
}

} // namespace compiler
