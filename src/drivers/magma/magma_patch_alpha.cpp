// SPDX-License-Identifier: MIT
// What GL does with the alpha of a fragment, for hosts that cannot.
#include "magma_patch_alpha.h"

#include "spirv/rewrite.h"

namespace magma {

namespace {

using spirv::id;
using spirv::module;

bool has_alpha(const module &m, id type) {
    return m.type_op(type) == spv::OpTypeVector && m.length(type) == 4 &&
           m.type_op(m.element_type(type)) == spv::OpTypeFloat;
}

// The lowest `alpha * samples` bits of the sample mask, rounded; of the shader's `own` if it has
// one.
void cover(spirv::code &c, id color, uint32_t samples, bool own) {
    module &m = c.target();
    id f32 = m.type_float(32), i32 = m.type_int(32, true), u32 = m.type_int(32, false);
    auto mask = spirv::find_builtin(m, spv::StorageClassOutput, spv::BuiltInSampleMask);
    if (!mask)
        mask = spirv::ensure_builtin(m, spv::StorageClassOutput, spv::BuiltInSampleMask,
                                     m.new_array_type(i32, 1));
    id alpha = c.load(f32, c.access(spv::StorageClassOutput, f32, color, {m.const_u32(3)}));
    id scaled = c.emit(spv::OpFMul, f32, {alpha, m.const_f32(float(samples))});
    id rounded = c.emit(spv::OpFAdd, f32, {scaled, m.const_f32(0.5f)});
    // Neither alpha below 0 nor above 1 nor NaN may reach the conversion.
    id low = c.emit(spv::OpFOrdGreaterThan, m.type_bool(), {rounded, m.const_f32(0)});
    id high = c.emit(spv::OpFOrdLessThan, m.type_bool(), {rounded, m.const_f32(float(samples))});
    id above = c.emit(spv::OpSelect, f32, {high, rounded, m.const_f32(float(samples))});
    id count =
        c.emit(spv::OpConvertFToU, u32, {c.emit(spv::OpSelect, f32, {low, above, m.const_f32(0)})});
    id power = c.emit(spv::OpShiftLeftLogical, u32, {m.const_u32(1), count});
    id bits = c.emit(spv::OpBitcast, i32, {c.emit(spv::OpISub, u32, {power, m.const_u32(1)})});
    id pointer = c.access(spv::StorageClassOutput, i32, mask.variable, {m.const_u32(0)});
    if (own)
        bits = c.emit(spv::OpBitwiseAnd, i32, {bits, c.load(i32, pointer)});
    c.store(pointer, bits);
}

} // namespace

void replace_alpha(module &m, uint32_t samples) {
    id f32 = m.type_float(32);
    const bool own = bool(spirv::find_builtin(m, spv::StorageClassOutput, spv::BuiltInSampleMask));
    spirv::insert_before_returns(m, [&](spirv::code &c) {
        for (id v : m.variables(spv::StorageClassOutput)) {
            auto location = m.decoration(v, spv::DecorationLocation);
            id type = m.variable_type(v);
            if (!location)
                continue;
            const bool array = m.type_op(type) == spv::OpTypeArray;
            if (!has_alpha(m, array ? m.element_type(type) : type))
                continue;
            if (!array && samples && !*location &&
                !m.decoration(v, spv::DecorationIndex).value_or(0))
                cover(c, v, samples, own);
            for (uint32_t i = 0; i < (array ? m.length(type) : 1); ++i) {
                std::vector<id> path;
                if (array)
                    path.push_back(m.const_u32(i));
                path.push_back(m.const_u32(3));
                c.store(c.access(spv::StorageClassOutput, f32, v, path), m.const_f32(1.0f));
            }
        }
    });
}

} // namespace magma
