// SPDX-License-Identifier: MIT
// Look-ups whose results the shader swizzles; see magma_patch_swizzle.h.
#include "magma_patch_swizzle.h"

#include "magma_patch_lookup.h"
#include "magma_vk.h"

#include "spirv/rewrite.h"

#include <algorithm>

namespace magma {

namespace {

using spirv::id;
using spirv::instruction;
using spirv::module;

// A component of a swizzled texel: where it comes from, or which constant it is.
id constant_of(module &m, id scalar, uint8_t swizzle) {
    if (swizzle == VK_COMPONENT_SWIZZLE_ZERO)
        return m.const_scalar(scalar, {0});
    if (swizzle == VK_COMPONENT_SWIZZLE_ONE)
        return m.const_scalar(scalar, {m.type_op(scalar) == spv::OpTypeFloat ? 0x3f800000u : 1u});
    return 0;
}

// `inst`, whose result is still to be named, and what follows it.
void turn(module &m, std::vector<instruction> &out, instruction inst, const lookup &kind,
          const uint8_t (&swizzle)[4]) {
    const id result = inst.result, type = inst.type;
    const bool vector = m.type_op(type) == spv::OpTypeVector;
    const id scalar = vector ? m.element_type(type) : type;
    inst.result = m.new_id();
    spirv::code c(m);
    id value = inst.result;
    if (kind.dref || kind.gather) { // one component, of one texel or of four
        const uint32_t k = kind.dref ? 0 : m.constant_value(inst.operand(2)).value_or(0) & 3;
        if (id constant = constant_of(m, scalar, swizzle[k]))
            value = vector ? c.construct(type, std::vector<id>(4, constant)) : constant;
        else if (!kind.dref)
            inst.operands[2] = m.const_i32(swizzle[k] - VK_COMPONENT_SWIZZLE_R);
    } else {
        std::vector<id> parts;
        for (const uint8_t from : swizzle) {
            const id constant = constant_of(m, scalar, from);
            parts.push_back(
                constant ? constant
                         : c.extract(scalar, value, {uint32_t(from - VK_COMPONENT_SWIZZLE_R)}));
        }
        value = c.construct(type, parts);
    }
    out.push_back(std::move(inst));
    out.insert(out.end(), c.out.begin(), c.out.end());
    out.emplace_back(spv::OpCopyObject, type, result, std::vector<uint32_t>{value});
}

} // namespace

bool can_turn(const module &m) {
    for (const spirv::function &f : m.functions) {
        const lookup_tracer trace(m, f);
        for (const instruction &inst : f.insts) {
            auto kind = lookup_of(inst.op);
            if (!kind)
                continue;
            const bool which = !kind->gather || kind->dref || m.constant_value(inst.operand(2));
            if (!which || !trace.slot_of(inst.operand(0)))
                return false;
        }
    }
    return true;
}

void turn_lookups(module &m, const border_set &borders) {
    if (std::none_of(borders.begin(), borders.end(),
                     [](const border_sampler &s) { return s.turned; }))
        return;
    for (spirv::function &f : m.functions) {
        const spirv::function before = f; // the tracer points into it
        const lookup_tracer trace(m, before);
        f.insts.clear();
        for (const instruction &inst : before.insts) {
            const auto kind = lookup_of(inst.op);
            const auto slot = kind ? trace.slot_of(inst.operand(0)) : std::nullopt;
            const border_sampler *turned = nullptr;
            for (const border_sampler &s : borders)
                if (slot && s.turned && s.slot == *slot)
                    turned = &s;
            if (turned)
                turn(m, f.insts, inst, *kind, turned->swizzle);
            else
                f.insts.push_back(inst);
        }
    }
}

} // namespace magma
