// SPDX-License-Identifier: MIT
// Texel * weight + border * (1 - weight). With edges repeated, what lies
// inside a footprint of the filter is interpolated as the border would have it, so the weight is a
// product over the dimensions. Exact but for two filtered levels at once, which share one weight.
#include "magma_patch_border.h"

#include "magma_patch_lookup.h"

#include "pipe/pipe.h"
#include "spirv/rewrite.h"

#include <algorithm>
#include <cstring>

namespace magma {

namespace {

using spirv::id;
using spirv::instruction;
using spirv::module;

// The optional operands of a look-up; 0: absent.
struct image_operands {
    id bias = 0, lod = 0, dx = 0, dy = 0, offset = 0;
    bool several_offsets = false;
};

image_operands operands_of(const instruction &inst, size_t at) {
    image_operands out;
    if (at >= inst.operands.size())
        return out;
    const uint32_t mask = inst.operand(at++);
    if (mask & spv::ImageOperandsBiasMask)
        out.bias = inst.operand(at++);
    if (mask & spv::ImageOperandsLodMask)
        out.lod = inst.operand(at++);
    if (mask & spv::ImageOperandsGradMask) {
        out.dx = inst.operand(at++);
        out.dy = inst.operand(at++);
    }
    if (mask & (spv::ImageOperandsConstOffsetMask | spv::ImageOperandsOffsetMask))
        out.offset = inst.operand(at++);
    out.several_offsets = mask & spv::ImageOperandsConstOffsetsMask;
    return out;
}

// Writes the code behind one look-up.
class border_code {
  public:
    border_code(module &m, spirv::code &c, const border_sampler &s, bool fragment)
        : m_(m), c_(c), s_(s), fragment_(fragment) {}

    // `inst` was emitted with `texel` as its result; gives what the program gets.
    id result(const instruction &inst, const lookup &kind, id texel, id sampled_type,
              id coord_type);

  private:
    id f32() { return m_.type_float(32); }
    id i32() { return m_.type_int(32, true); }
    id boolean() { return m_.type_bool(); }
    id number(float v) { return m_.const_f32(v); }
    id op(spv::Op o, id a, id b) { return c_.emit(o, f32(), {a, b}); }
    id both(id a, id b) { return c_.emit(spv::OpLogicalAnd, boolean(), {a, b}); }
    id compare(spv::Op o, id a, id b) { return c_.emit(o, boolean(), {a, b}); }
    id select(id type, id condition, id a, id b) {
        return c_.emit(spv::OpSelect, type, {condition, a, b});
    }
    id extended(uint32_t number, std::vector<id> arguments);
    id unit(id v) { return extended(43, {v, number(0), number(1)}); } // FClamp
    id floor(id v) { return extended(8, {v}); }
    id component(id vector, id type, uint32_t k) {
        return m_.length(type) > 1 ? c_.extract(f32(), vector, {k}) : vector;
    }
    id size_at(id level, uint32_t dimension);
    id shift(uint32_t dimension);
    id texel_position(uint32_t dimension, id level);
    id weight_of(bool linear, id level);
    id weight_of_levels(bool linear, id level);
    id level_of(const instruction &inst, const image_operands &o, bool implicit, id &lambda);
    id rho(id gradient);
    id border_value(id type, uint32_t k);
    id compared(id dref);
    id gathered(const instruction &inst, id texel, id border);
    id mixed(id type, id texel, id weight);

    module &m_;
    spirv::code &c_;
    const border_sampler &s_;
    const bool fragment_;
    id image_ = 0, size_type_ = 0, offset_ = 0;
    uint32_t dimensions_ = 0, size_components_ = 0;
    id at_[3] = {};
};

id border_code::extended(uint32_t number, std::vector<id> arguments) {
    std::vector<uint32_t> words = {m_.glsl_std_450(), number};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return c_.emit(spv::OpExtInst, f32(), words);
}

id border_code::size_at(id level, uint32_t dimension) {
    id size = c_.emit(spv::OpImageQuerySizeLod, size_type_, {image_, level});
    if (size_components_ > 1)
        size = c_.extract(i32(), size, {dimension});
    return c_.emit(spv::OpConvertSToF, f32(), {size});
}

// The offset operand of a dimension, in texels.
id border_code::shift(uint32_t dimension) {
    id whole = offset_;
    if (dimensions_ > 1)
        whole = c_.extract(i32(), whole, {dimension});
    return c_.emit(spv::OpConvertSToF, f32(), {whole});
}

// Where the look-up is in a level, in texels.
id border_code::texel_position(uint32_t dimension, id level) {
    id t = op(spv::OpFMul, at_[dimension], size_at(level, dimension));
    return offset_ ? op(spv::OpFAdd, t, shift(dimension)) : t;
}

id border_code::weight_of(bool linear, id level) {
    id weight = 0;
    for (uint32_t d = 0; d < dimensions_; ++d) {
        if (!(s_.wrap & 1u << d))
            continue;
        id one;
        if (linear) {
            id t = texel_position(d, level);
            id past = op(spv::OpFAdd, op(spv::OpFSub, size_at(level, d), t), number(0.5f));
            one = op(spv::OpFMul, unit(op(spv::OpFAdd, t, number(0.5f))), unit(past));
        } else {
            // Without an offset this needs no size.
            id t = offset_ ? texel_position(d, level) : at_[d];
            id end = offset_ ? size_at(level, d) : number(1);
            id inside = both(compare(spv::OpFOrdGreaterThanEqual, t, number(0)),
                             compare(spv::OpFOrdLessThan, t, end));
            one = select(f32(), inside, number(1), number(0));
        }
        weight = weight ? op(spv::OpFMul, weight, one) : one;
    }
    return weight;
}

id border_code::weight_of_levels(bool linear, id level) {
    auto whole = [&](id v) { return c_.emit(spv::OpConvertFToS, i32(), {v}); };
    if ((!linear && !offset_) || s_.mip == PIPE_TEX_MIP_NONE)
        return weight_of(linear, m_.const_i32(0));
    if (s_.mip == PIPE_TEX_MIP_NEAREST)
        return weight_of(linear, whole(floor(op(spv::OpFAdd, level, number(0.5f)))));
    id low = floor(level), part = op(spv::OpFSub, level, low);
    id near = weight_of(linear, whole(low));
    id far = weight_of(linear, whole(extended(9, {level}))); // Ceil
    return extended(46, {near, far, part});                  // FMix
}

id border_code::rho(id gradient) {
    id sum = 0;
    for (uint32_t d = 0; d < dimensions_; ++d) {
        id g = dimensions_ > 1 ? c_.extract(f32(), gradient, {d}) : gradient;
        g = op(spv::OpFMul, g, size_at(m_.const_i32(0), d));
        id squared = op(spv::OpFMul, g, g);
        sum = sum ? op(spv::OpFAdd, sum, squared) : squared;
    }
    return sum;
}

// The level of detail, relative to the first level of the view; `lambda` decides between the
// filters.
id border_code::level_of(const instruction &inst, const image_operands &o, bool implicit,
                         id &lambda) {
    if (implicit && !fragment_) {
        lambda = number(0);
    } else if (implicit) {
        std::vector<id> parts(at_, at_ + dimensions_);
        id coord =
            dimensions_ > 1 ? c_.construct(m_.type_vector(f32(), dimensions_), parts) : parts[0];
        id vec2 = m_.type_vector(f32(), 2);
        id pair = c_.emit(spv::OpImageQueryLod, vec2, {inst.operand(0), coord});
        lambda = c_.extract(f32(), pair, {1}); // with the sampler's bias already
        if (o.bias)
            lambda = op(spv::OpFAdd, lambda, o.bias);
    } else {
        lambda = o.lod;
        if (!lambda) {
            id longer = extended(40, {rho(o.dx), rho(o.dy)}); // FMax of squares
            longer = extended(40, {longer, number(1e-20f)});
            lambda = op(spv::OpFMul, extended(30, {longer}), number(0.5f)); // Log2
        }
        lambda = op(spv::OpFAdd, lambda, number(s_.lod_bias));
    }
    lambda = extended(43, {lambda, number(s_.min_lod), number(s_.max_lod)});
    id levels = c_.emit(spv::OpImageQueryLevels, i32(), {image_});
    id top = op(spv::OpFSub, c_.emit(spv::OpConvertSToF, f32(), {levels}), number(1));
    return extended(43, {lambda, number(0), top});
}

id border_code::border_value(id type, uint32_t k) {
    return m_.const_scalar(type, {s_.color[k]});
}

// What a comparison with the border gives.
id border_code::compared(id dref) {
    float border;
    memcpy(&border, &s_.color[0], sizeof border);
    static const spv::Op ops[] = {spv::OpNop,
                                  spv::OpFOrdLessThan,
                                  spv::OpFOrdEqual,
                                  spv::OpFOrdLessThanEqual,
                                  spv::OpFOrdGreaterThan,
                                  spv::OpFOrdNotEqual,
                                  spv::OpFOrdGreaterThanEqual,
                                  spv::OpNop};
    const uint8_t func = (s_.compare - 1) & 7;
    if (func == PIPE_COMPARE_NEVER || func == PIPE_COMPARE_ALWAYS)
        return number(func == PIPE_COMPARE_ALWAYS ? 1.0f : 0.0f);
    return select(f32(), compare(ops[func], dref, number(border)), number(1), number(0));
}

// Four texels, each inside or not: (0, 1), (1, 1), (1, 0), (0, 0).
id border_code::gathered(const instruction &inst, id texel, id border) {
    static const uint8_t step[2][4] = {{0, 1, 1, 0}, {1, 1, 0, 0}};
    id inside[2][2] = {};
    for (uint32_t d = 0; d < 2; ++d) {
        if (!(s_.wrap & 1u << d))
            continue;
        id level = m_.const_i32(0), size = size_at(level, d);
        id first = floor(op(spv::OpFSub, texel_position(d, level), number(0.5f)));
        for (uint32_t k = 0; k < 2; ++k) {
            id t = op(spv::OpFAdd, first, number(float(k)));
            inside[d][k] = both(compare(spv::OpFOrdGreaterThanEqual, t, number(0)),
                                compare(spv::OpFOrdLessThan, t, size));
        }
    }
    id scalar = m_.element_type(inst.type);
    std::vector<id> parts;
    for (uint32_t k = 0; k < 4; ++k) {
        id value = c_.extract(scalar, texel, {k});
        for (uint32_t d = 0; d < 2; ++d)
            if (id in = inside[d][step[d][k]])
                value = select(scalar, in, value, border);
        parts.push_back(value);
    }
    return c_.construct(inst.type, parts);
}

id border_code::result(const instruction &inst, const lookup &kind, id texel, id sampled_type,
                       id coord_type) {
    const id image_type = m_.def(sampled_type)->operand(0);
    const instruction &image = *m_.def(image_type);
    const uint32_t dim = image.operand(1), arrayed = image.operand(3) == 1;
    dimensions_ = dim == spv::Dim1D ? 1 : dim == spv::Dim3D ? 3 : 2;
    if (!(s_.wrap & ((1u << dimensions_) - 1)))
        return texel;
    size_components_ = dimensions_ + arrayed;
    size_type_ = m_.type_vector(i32(), size_components_);
    image_ = c_.emit(spv::OpImage, image_type, {inst.operand(0)});
    const id coord = inst.operand(1);
    const id q = kind.proj ? component(coord, coord_type, dimensions_) : 0;
    for (uint32_t d = 0; d < dimensions_; ++d) {
        at_[d] = component(coord, coord_type, d);
        if (q)
            at_[d] = op(spv::OpFDiv, at_[d], q);
    }
    const image_operands o = operands_of(inst, kind.dref || kind.gather ? 3 : 2);
    offset_ = o.offset;
    id border = 0;
    if (kind.dref)
        border = compared(q ? op(spv::OpFDiv, inst.operand(2), q) : inst.operand(2));
    if (kind.gather) {
        if (!kind.dref)
            border = border_value(m_.element_type(inst.type),
                                  m_.constant_value(inst.operand(2)).value_or(0) & 3);
        return gathered(inst, texel, border);
    }
    const bool same = s_.mag_linear == s_.min_linear;
    const bool sized = s_.mag_linear || s_.min_linear || offset_;
    id lambda = 0, level = 0;
    if (!same || (sized && s_.mip != PIPE_TEX_MIP_NONE))
        level = level_of(inst, o, kind.implicit, lambda);
    id weight = weight_of_levels(s_.min_linear, level);
    if (!same)
        weight = select(f32(), compare(spv::OpFOrdLessThanEqual, lambda, number(0)),
                        weight_of(s_.mag_linear, m_.const_i32(0)), weight);
    if (kind.dref)
        return extended(46, {border, texel, weight}); // FMix
    return mixed(inst.type, texel, weight);
}

id border_code::mixed(id type, id texel, id weight) {
    id scalar = m_.element_type(type);
    const bool real = m_.type_op(scalar) == spv::OpTypeFloat;
    id inside = real ? 0 : compare(spv::OpFOrdGreaterThan, weight, number(0.5f));
    std::vector<id> parts;
    for (uint32_t k = 0; k < 4; ++k) {
        id value = c_.extract(scalar, texel, {k}), border = border_value(scalar, k);
        parts.push_back(real ? extended(46, {border, value, weight})
                             : select(scalar, inside, value, border));
    }
    return c_.construct(type, parts);
}

bool has_borders(const module &m, id sampled_type) {
    const instruction *sampled = m.def(sampled_type);
    const instruction *image =
        sampled && sampled->op == spv::OpTypeSampledImage ? m.def(sampled->operand(0)) : nullptr;
    if (!image)
        return false;
    const uint32_t dim = image->operand(1);
    return dim == spv::Dim1D || dim == spv::Dim2D || dim == spv::Dim3D;
}

bool lower_function(module &m, spirv::function &f, const border_set &borders) {
    const spirv::function before = f; // the tracer points into it
    const lookup_tracer trace(m, before);
    const bool fragment = spirv::execution_model(m) == spv::ExecutionModelFragment;
    std::vector<instruction> out;
    out.reserve(f.insts.size() + 64);
    for (const instruction &inst : before.insts) {
        auto kind = lookup_of(inst.op);
        out.push_back(inst);
        if (!kind || kind->fetch || !has_borders(m, trace.type_of(inst.operand(0))))
            continue;
        auto slot = trace.slot_of(inst.operand(0));
        if (!slot)
            return false;
        for (const border_sampler &s : borders) {
            if (s.slot != *slot || s.turned)
                continue;
            if (operands_of(inst, kind->dref || kind->gather ? 3 : 2).several_offsets)
                return false;
            id texel = m.new_id();
            out.back().result = texel;
            spirv::code c(m);
            border_code code(m, c, s, fragment);
            id value = code.result(inst, *kind, texel, trace.type_of(inst.operand(0)),
                                   trace.type_of(inst.operand(1)));
            out.insert(out.end(), c.out.begin(), c.out.end());
            out.emplace_back(spv::OpCopyObject, inst.type, inst.result,
                             std::vector<uint32_t>{value});
            m.add_capability(spv::CapabilityImageQuery);
        }
    }
    f.insts = std::move(out);
    return true;
}

} // namespace

bool lower_borders(module &m, const border_set &borders) {
    if (std::none_of(borders.begin(), borders.end(),
                     [](const border_sampler &s) { return !s.turned; }))
        return true;
    for (spirv::function &f : m.functions)
        if (!lower_function(m, f, borders))
            return false;
    return true;
}

} // namespace magma
