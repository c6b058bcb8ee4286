// SPDX-License-Identifier: MIT
// What the lowering passes share: messages, access rewriting, enumeration of members.
#include "compiler/lower.h"

#include <cstdarg>
#include <cstdio>

namespace compiler {
namespace {

void append(std::string &log, const char *kind, const char *format, va_list args) {
    char text[1024];
    std::vsnprintf(text, sizeof text, format, args);
    log += kind;
    log += text;
    log += '\n';
}

struct Chain {
    spirv::id variable;
    std::vector<spirv::id> path;
};

bool is_chain(spv::Op op) {
    return op == spv::OpAccessChain || op == spv::OpInBoundsAccessChain;
}

} // namespace

void Lowering::error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    append(log, "error: ", format, args);
    va_end(args);
    failed = true;
}

void Lowering::warning(const char *format, ...) {
    va_list args;
    va_start(args, format);
    append(log, "warning: ", format, args);
    va_end(args);
}

Stage *Lowering::stage(pipe_shader_type type) {
    for (Stage &s : stages)
        if (s.type == type)
            return &s;
    return nullptr;
}

const char *stage_name(pipe_shader_type type) {
    static const char *const names[] = {
        "vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment",
        "compute"};
    return unsigned(type) < 6 ? names[type] : "unknown";
}

void rewrite_accesses(spirv::module &m, const std::function<bool(spirv::id)> &tracked,
                      const PointerMaker &pointer, const LoadMaker &load) {
    for (spirv::function &f : m.functions) {
        std::unordered_map<spirv::id, Chain> chains;
        spirv::code c(m);
        c.out.reserve(f.insts.size() + 16);
        const auto find = [&](spirv::id x, Chain &chain) {
            const auto it = chains.find(x);
            if (it != chains.end()) {
                chain = it->second;
                return true;
            }
            if (!tracked(x))
                return false;
            chain = {x, {}};
            return true;
        };
        for (spirv::instruction &inst : f.insts) {
            Chain chain;
            if (is_chain(inst.op) && find(inst.operand(0), chain)) {
                chain.path.insert(chain.path.end(), inst.operands.begin() + 1, inst.operands.end());
                chains[inst.result] = std::move(chain);
                continue;
            }
            if (inst.op == spv::OpLoad && find(inst.operand(0), chain) && load &&
                load(c, inst, chain.variable, chain.path))
                continue;
            spirv::for_each_id_operand(inst, [&](uint32_t &w) {
                if (find(w, chain))
                    w = pointer(c, chain.variable, chain.path);
            });
            c.out.push_back(std::move(inst));
        }
        f.insts = std::move(c.out);
    }
}

spirv::id flat_index(spirv::code &c, const std::vector<spirv::id> &indices,
                     const std::vector<uint32_t> &dims) {
    spirv::module &m = c.target();
    const spirv::id i32 = m.type_int(32, true);
    uint32_t constant = 0;
    spirv::id dynamic = 0;
    uint32_t stride = 1;
    for (size_t k = dims.size(); k-- > 0; stride *= dims[k + 0]) {
        if (k >= indices.size())
            continue; // a pointer to a whole inner array starts at its first element
        if (const auto value = m.constant_value(indices[k])) {
            constant += *value * stride;
            continue;
        }
        spirv::id term = indices[k];
        spirv::id type = 0;
        for (const spirv::instruction &inst : c.out)
            if (inst.result == term)
                type = inst.type;
        if (!type || !m.is_signed_int(type))
            term = c.emit(spv::OpBitcast, i32, {term});
        if (stride != 1)
            term = c.emit(spv::OpIMul, i32, {term, m.const_i32(static_cast<int32_t>(stride))});
        dynamic = dynamic ? c.emit(spv::OpIAdd, i32, {dynamic, term}) : term;
    }
    const spirv::id fixed = m.const_i32(static_cast<int32_t>(constant));
    if (!dynamic)
        return fixed;
    return constant ? c.emit(spv::OpIAdd, i32, {dynamic, fixed}) : dynamic;
}

void enumerate_leaves(const Type &t, const std::string &name, uint32_t offset,
                      uint32_t matrix_stride, bool row_major,
                      const std::function<void(const Leaf &)> &fn) {
    switch (t.kind) {
    case Type::Kind::value: fn({name, &t, offset, matrix_stride, row_major, 1, 0, false}); return;
    case Type::Kind::array:
        if (t.element->kind == Type::Kind::value) {
            fn({name + "[0]", &t, offset, matrix_stride, row_major, 1, 0, false});
            return;
        }
        for (uint32_t i = 0; i < std::max(t.length, 1u); ++i)
            enumerate_leaves(*t.element, name + "[" + std::to_string(i) + "]",
                             offset + i * t.stride, matrix_stride, row_major, fn);
        return;
    case Type::Kind::structure:
        for (const Type::Member &m : t.members)
            enumerate_leaves(*m.type, name.empty() ? m.name : name + "." + m.name,
                             offset + m.offset, m.matrix_stride, m.row_major, fn);
        return;
    case Type::Kind::opaque: return;
    }
}

pipe_archive_member member_of(const Leaf &leaf) {
    pipe_archive_member m{};
    m.name = leaf.name;
    m.is_array = leaf.type->kind == Type::Kind::array;
    const Type &value = innermost(*leaf.type);
    m.gl_type = gl_type_of(value);
    m.array_size = m.is_array ? leaf.type->length : 1;
    m.active_size = std::max(m.array_size, 1u);
    m.block = 0xffffffffu;
    m.offset = leaf.offset;
    m.array_stride = m.is_array ? leaf.type->stride : 0;
    m.matrix_stride = value.cols > 1 ? leaf.matrix_stride : 0;
    m.row_major = value.cols > 1 && leaf.row_major;
    m.location = -1;
    m.explicit_location = -1;
    m.top_level_array_size = leaf.top_size;
    m.top_level_array_stride = leaf.top_stride;
    return m;
}

} // namespace compiler
