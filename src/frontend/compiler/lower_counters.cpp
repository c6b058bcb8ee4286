// SPDX-License-Identifier: MIT
// Atomic counters become words of storage buffers, one buffer per binding.
#include "compiler/lower.h"

#include <bit>

namespace compiler {
namespace {

struct CounterVar {
    std::string name;
    unsigned part = 0;
    TypeRef type;
    uint32_t binding = 0, offset = 0;
    uint8_t stages = 0;
};

struct CounterBuffer {
    unsigned part = 0;
    uint32_t binding = 0, size = 0, slot = 0, block = 0;
    uint8_t stages = 0;
};

uint32_t bytes(const Type &t) {
    return component_count(t) * 4;
}

void list_counter(Lowering &l, const CounterVar &v, const CounterBuffer &b, const Type &t,
                  const std::string &name, uint32_t offset) {
    if (t.kind == Type::Kind::array && t.element->kind == Type::Kind::array) {
        for (uint32_t i = 0; i < t.length; ++i)
            list_counter(l, v, b, *t.element, name + "[" + std::to_string(i) + "]",
                         offset + i * bytes(*t.element));
        return;
    }
    pipe_archive_opaque e{};
    e.is_array = t.kind == Type::Kind::array;
    e.name = e.is_array ? name + "[0]" : name;
    e.gl_type = GL_UNSIGNED_INT_ATOMIC_COUNTER;
    e.cls = PIPE_SLOT_ATOMIC_BUFFER;
    e.slot = b.slot;
    e.array_size = e.is_array ? t.length : 1;
    e.active_size = e.array_size;
    e.stages = v.stages;
    e.location = -1;
    e.explicit_location = -1;
    e.binding = static_cast<int32_t>(v.binding);
    e.block = b.block;
    e.offset = offset;
    l.archive.opaques.push_back(std::move(e));
}

void rewrite(Stage &s, const std::vector<CounterBuffer> &buffers) {
    spirv::module &m = s.m;
    struct Target {
        spirv::id variable;
        uint32_t word;
        std::vector<uint32_t> dims;
    };
    std::unordered_map<spirv::id, Target> targets;
    std::map<uint32_t, spirv::id> made;
    for (spirv::id v : m.variables(spv::StorageClassAtomicCounter)) {
        if (!s.used[v])
            continue;
        const uint32_t binding = m.decoration(v, spv::DecorationBinding).value_or(0);
        for (const CounterBuffer &b : buffers) {
            if (b.binding != binding || b.part != s.part)
                continue;
            spirv::id &target = made[binding];
            if (!target) {
                const spirv::id words = m.new_array_type(m.type_int(32, false), b.size / 4, 4);
                const spirv::id block = m.new_struct_type({words});
                m.set_name(block, "mgp_counters" + std::to_string(binding));
                m.set_member_name(block, 0, "c");
                m.set_decoration(block, spv::DecorationBufferBlock);
                m.set_member_decoration(block, 0, spv::DecorationOffset, 0);
                target = m.add_variable(spv::StorageClassUniform, block);
                m.set_decoration(target, spv::DecorationDescriptorSet, PIPE_SLOT_ATOMIC_BUFFER);
                m.set_decoration(target, spv::DecorationBinding, b.slot);
            }
            Target t{target, m.decoration(v, spv::DecorationOffset).value_or(0) / 4, {}};
            for (spirv::id type = m.variable_type(v); m.type_op(type) == spv::OpTypeArray;
                 type = m.element_type(type))
                t.dims.push_back(m.length(type));
            targets[v] = std::move(t);
        }
    }
    if (targets.empty())
        return;
    const spirv::id u32 = m.type_int(32, false), i32 = m.type_int(32, true);
    rewrite_accesses(
        m, [&](spirv::id x) { return targets.count(x) != 0; },
        [&](spirv::code &c, spirv::id v, const std::vector<spirv::id> &path) {
            const Target &t = targets[v];
            spirv::id index = t.dims.empty() ? m.const_i32(0) : flat_index(c, path, t.dims);
            if (const auto constant = m.constant_value(index))
                index = m.const_i32(static_cast<int32_t>(*constant + t.word));
            else if (t.word)
                index =
                    c.emit(spv::OpIAdd, i32, {index, m.const_i32(static_cast<int32_t>(t.word))});
            return c.access(spv::StorageClassUniform, u32, t.variable, {m.const_i32(0), index});
        });
    s.out.writes_memory = 1;
}

/// Two counters of one buffer must not share bytes, whatever the stages (GLSL 4.60, 4.4.6.1).
void check_overlaps(Lowering &l, const std::vector<CounterVar> &counters) {
    for (const CounterVar &a : counters)
        for (const CounterVar &b : counters)
            if (&a < &b && a.part == b.part && a.binding == b.binding &&
                a.offset < b.offset + bytes(*b.type) && b.offset < a.offset + bytes(*a.type))
                l.error("atomic counters '%s' and '%s' overlap in binding %u", a.name.c_str(),
                        b.name.c_str(), a.binding);
}

/// Buffers and counters of all stages, one in two stages twice (GL 4.6, 7.7).
void check_combined(Lowering &l, const std::vector<CounterVar> &counters,
                    const std::vector<CounterBuffer> &buffers) {
    int used = 0, bound = 0;
    for (const CounterVar &c : counters)
        used += std::popcount(c.stages) * static_cast<int>(component_count(*c.type));
    for (const CounterBuffer &b : buffers)
        bound += std::popcount(b.stages);
    if (used > l.options.limits.combined_atomic_counters)
        l.error("the program uses %d atomic counters, more than "
                "GL_MAX_COMBINED_ATOMIC_COUNTERS",
                used);
    if (bound > l.options.limits.combined_atomic_buffers)
        l.error("the program uses %d atomic counter buffers, more than "
                "GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS",
                bound);
}

} // namespace

void lower_counters(Lowering &l) {
    std::vector<CounterVar> counters;
    std::vector<CounterBuffer> buffers;
    for (Stage &s : l.stages)
        for (spirv::id v : s.m.variables(spv::StorageClassAtomicCounter)) {
            if (v >= s.used.size() || !s.used[v])
                continue;
            CounterVar c;
            c.name = s.m.name(v);
            c.part = s.part;
            c.type = read_type(s.m, s.m.variable_type(v));
            c.binding = s.m.decoration(v, spv::DecorationBinding).value_or(0);
            c.offset = s.m.decoration(v, spv::DecorationOffset).value_or(0);
            CounterVar *found = nullptr;
            for (CounterVar &x : counters)
                if (x.part == c.part && x.name == c.name)
                    found = &x;
            if (!found) {
                counters.push_back(c);
                found = &counters.back();
            } else if (found->binding != c.binding || found->offset != c.offset ||
                       !same_type(*found->type, *c.type)) {
                l.error("atomic counter '%s' is declared differently in different stages",
                        c.name.c_str());
            }
            found->stages |= s.bit();
            CounterBuffer *b = nullptr;
            for (CounterBuffer &x : buffers)
                if (x.part == s.part && x.binding == c.binding)
                    b = &x;
            if (!b) {
                buffers.push_back({s.part, c.binding, 0, 0, 0, 0});
                b = &buffers.back();
            }
            b->size = std::max(b->size, c.offset + bytes(*c.type));
            b->stages |= s.bit();
        }
    check_overlaps(l, counters);
    check_combined(l, counters, buffers);
    for (CounterBuffer &b : buffers) {
        b.slot = l.archive.num_atomic_buffer_slots++;
        b.block = static_cast<uint32_t>(l.archive.blocks.size());
        pipe_archive_block e{};
        e.cls = PIPE_SLOT_ATOMIC_BUFFER;
        e.slot = b.slot;
        e.binding = static_cast<int32_t>(b.binding);
        e.size = b.size;
        e.stages = e.written = b.stages;
        l.slot_uses.push_back({b.part, PIPE_SLOT_ATOMIC_BUFFER, "", b.slot, 1, e.binding});
        l.archive.blocks.push_back(std::move(e));
        for (const CounterVar &v : counters)
            if (v.binding == b.binding && v.part == b.part)
                list_counter(l, v, b, *v.type, v.name, v.offset);
    }
    for (Stage &s : l.stages) {
        rewrite(s, buffers);
        s.m.remove_capability(spv::CapabilityAtomicStorage);
    }
}

} // namespace compiler
