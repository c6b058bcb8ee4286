// SPDX-License-Identifier: MIT
// The operation on words, per component: normalised values are what they would be stored as.
#include "magma_patch_logic.h"

#include "pipe/pipe_enums.h"
#include "spirv/rewrite.h"

#include <vector>

namespace magma {

namespace {

using spirv::id;
using spirv::module;

enum : uint32_t { glsl_floor = 8, glsl_fmax = 40, glsl_fclamp = 43 };

// The type of an image of this component type; images are told apart by their operands, and
// declared once.
id image_type(module &m, id component, bool multisampled) {
    const std::vector<uint32_t> operands = {
        component, spv::Dim2D, 0, 1, multisampled ? 1u : 0u, 1, spv::ImageFormatUnknown};
    for (const spirv::instruction &g : m.globals)
        if (g.op == spv::OpTypeImage && g.operands == operands)
            return g.result;
    return m.add_global(spv::OpTypeImage, 0, operands);
}

id sampled_type(module &m, id image) {
    for (const spirv::instruction &g : m.globals)
        if (g.op == spv::OpTypeSampledImage && g.operand(0) == image)
            return g.result;
    return m.add_global(spv::OpTypeSampledImage, 0, {image});
}

class logic_writer {
  public:
    logic_writer(module &m, const logic_code &code) : m_(m), code_(code) {}
    void declare();
    void write(spirv::code &c);

  private:
    struct output {
        id variable, type, component;
        uint32_t element, location, first;
        bool array;
        id image = 0; // variable of the copy; 0: not read
    };
    id f32() { return m_.type_float(32); }
    id i32() { return m_.type_int(32, true); }
    id u32() { return m_.type_int(32, false); }
    id extended(uint32_t number, std::vector<id> arguments);
    id coordinates();
    id fetch(const output &o);
    id word_of(id value, uint32_t bits, uint32_t target);
    id value_of(id word, uint32_t bits, uint32_t target, id type);
    id combine(id s, id d);
    void apply(const output &o);
    id texel_scalar(uint32_t target) {
        return target & logic_integer ? m_.type_int(32, target & logic_signed) : f32();
    }

    module &m_;
    const logic_code &code_;
    spirv::code *c_ = nullptr;
    std::vector<output> outputs_;
    spirv::builtin_ref position_, sample_, layer_;
};

id logic_writer::extended(uint32_t number, std::vector<id> arguments) {
    std::vector<uint32_t> words = {m_.glsl_std_450(), number};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return c_->emit(spv::OpExtInst, f32(), words);
}

void logic_writer::declare() {
    for (id v : m_.variables(spv::StorageClassOutput)) {
        const auto location = m_.decoration(v, spv::DecorationLocation);
        if (!location || m_.decoration(v, spv::DecorationIndex).value_or(0))
            continue;
        id type = m_.variable_type(v);
        const bool array = m_.type_op(type) == spv::OpTypeArray;
        const uint32_t count = array ? m_.length(type) : 1;
        if (array)
            type = m_.element_type(type);
        id component = m_.type_op(type) == spv::OpTypeVector ? m_.element_type(type) : type;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t at = *location + i;
            const uint32_t target = at < code_.target.size() ? code_.target[at] : 0;
            const bool integer = m_.type_op(component) == spv::OpTypeInt;
            if (target && integer == bool(target & logic_integer))
                outputs_.push_back({v, type, component, i, at,
                                    m_.decoration(v, spv::DecorationComponent).value_or(0), array});
        }
    }
    if (!logic_reads_target(code_.op) || outputs_.empty())
        return;
    auto flat_input = [&](spv::BuiltIn builtin, spv::Capability needed) {
        auto ref = spirv::ensure_builtin(m_, spv::StorageClassInput, builtin, i32());
        if (!m_.has_decoration(ref.variable, spv::DecorationFlat))
            m_.set_decoration(ref.variable, spv::DecorationFlat);
        m_.add_capability(needed);
        return ref;
    };
    position_ = spirv::ensure_builtin(m_, spv::StorageClassInput, spv::BuiltInFragCoord,
                                      m_.type_vector(f32(), 4));
    if (code_.multisampled)
        sample_ = flat_input(spv::BuiltInSampleId, spv::CapabilitySampleRateShading);
    if (code_.layered)
        layer_ = flat_input(spv::BuiltInLayer, spv::CapabilityGeometry);
    for (output &o : outputs_) {
        id image = image_type(m_, texel_scalar(code_.target[o.location]), code_.multisampled);
        for (const output &other : outputs_) // of another component of the same target
            if (other.image && other.location == o.location)
                o.image = other.image;
        if (o.image)
            continue;
        o.image = m_.add_variable(spv::StorageClassUniformConstant, sampled_type(m_, image));
        m_.set_decoration(o.image, spv::DecorationDescriptorSet, logic_set);
        m_.set_decoration(o.image, spv::DecorationBinding, o.location);
    }
}

id logic_writer::coordinates() {
    id at = spirv::load_builtin(*c_, spv::StorageClassInput, position_);
    auto whole = [&](uint32_t k) {
        return c_->emit(spv::OpConvertFToS, i32(), {c_->extract(f32(), at, {k})});
    };
    id x = whole(0), y = whole(1), layer = m_.const_i32(0);
    if (layer_) {
        layer = spirv::load_builtin(*c_, spv::StorageClassInput, layer_);
        if (layer_.type != i32())
            layer = c_->emit(spv::OpBitcast, i32(), {layer});
    }
    return c_->construct(m_.type_vector(i32(), 3), {x, y, layer});
}

id logic_writer::fetch(const output &o) {
    id scalar = texel_scalar(code_.target[o.location]);
    id image = image_type(m_, scalar, code_.multisampled);
    id loaded = c_->emit(spv::OpImage, image, {c_->load(sampled_type(m_, image), o.image)});
    std::vector<uint32_t> operands = {loaded, coordinates()};
    if (sample_)
        operands.insert(operands.end(),
                        {spv::ImageOperandsSampleMask,
                         spirv::load_builtin(*c_, spv::StorageClassInput, sample_)});
    else
        operands.insert(operands.end(), {spv::ImageOperandsLodMask, m_.const_i32(0)});
    return c_->emit(spv::OpImageFetch, m_.type_vector(scalar, 4), operands);
}

// What `value` is stored as, in the low bits.
id logic_writer::word_of(id value, uint32_t bits, uint32_t target) {
    if (target & logic_integer)
        return c_->emit(spv::OpBitcast, u32(), {value});
    const bool snorm = target & logic_signed;
    const float top = float((1u << (bits - (snorm ? 1 : 0))) - 1);
    id inside = extended(glsl_fclamp, {value, m_.const_f32(snorm ? -1.0f : 0.0f), m_.const_f32(1)});
    id scaled = c_->emit(spv::OpFMul, f32(), {inside, m_.const_f32(top)});
    id rounded = extended(glsl_floor, {c_->emit(spv::OpFAdd, f32(), {scaled, m_.const_f32(0.5f)})});
    return c_->emit(spv::OpBitcast, u32(), {c_->emit(spv::OpConvertFToS, i32(), {rounded})});
}

id logic_writer::value_of(id word, uint32_t bits, uint32_t target, id type) {
    const bool sign = target & logic_signed, integer = target & logic_integer;
    if (sign && bits < 32) {
        id shift = m_.const_u32(32 - bits);
        id high = c_->emit(spv::OpBitcast, i32(),
                           {c_->emit(spv::OpShiftLeftLogical, u32(), {word, shift})});
        word = c_->emit(spv::OpShiftRightArithmetic, i32(), {high, shift});
        if (integer)
            return type == i32() ? word : c_->emit(spv::OpBitcast, type, {word});
    } else if (bits < 32) {
        word = c_->emit(spv::OpBitwiseAnd, u32(), {word, m_.const_u32((1u << bits) - 1)});
    }
    if (integer)
        return type == u32() ? word : c_->emit(spv::OpBitcast, type, {word});
    const float top = float((1u << (bits - (sign ? 1 : 0))) - 1);
    id whole = c_->emit(sign ? spv::OpConvertSToF : spv::OpConvertUToF, f32(), {word});
    id value = c_->emit(spv::OpFDiv, f32(), {whole, m_.const_f32(top)});
    return sign ? extended(glsl_fmax, {value, m_.const_f32(-1)}) : value;
}

// The four bits of an operation say which of s & d, s & ~d, ~s & d and ~s & ~d are set.
id logic_writer::combine(id s, id d) {
    if (!logic_reads_target(code_.op))
        d = m_.const_u32(0);
    id not_s = c_->emit(spv::OpNot, u32(), {s}), not_d = c_->emit(spv::OpNot, u32(), {d});
    const id terms[4][2] = {{s, d}, {s, not_d}, {not_s, d}, {not_s, not_d}};
    id out = m_.const_u32(0);
    for (int i = 0; i < 4; ++i)
        if (code_.op & 1 << i) {
            id term = c_->emit(spv::OpBitwiseAnd, u32(), {terms[i][0], terms[i][1]});
            out = c_->emit(spv::OpBitwiseOr, u32(), {out, term});
        }
    return out;
}

void logic_writer::apply(const output &o) {
    const uint32_t target = code_.target[o.location];
    id pointer = o.variable;
    if (o.array)
        pointer = c_->access(spv::StorageClassOutput, o.type, pointer, {m_.const_u32(o.element)});
    id source = c_->load(o.type, pointer), texel = o.image ? fetch(o) : 0;
    const bool vector = m_.type_op(o.type) == spv::OpTypeVector;
    std::vector<id> parts;
    for (uint32_t k = 0; k < (vector ? m_.length(o.type) : 1); ++k) {
        id s = vector ? c_->extract(o.component, source, {k}) : source;
        const uint32_t bits = target >> 6 * (k + o.first) & 63;
        if (bits) {
            id d = texel ? word_of(c_->extract(texel_scalar(target), texel, {k + o.first}), bits,
                                   target)
                         : 0;
            s = value_of(combine(word_of(s, bits, target), d), bits, target, o.component);
        }
        parts.push_back(s);
    }
    c_->store(pointer, vector ? c_->construct(o.type, parts) : parts[0]);
}

void logic_writer::write(spirv::code &c) {
    c_ = &c;
    for (const output &o : outputs_)
        apply(o);
}

} // namespace

bool logic_reads_target(uint8_t op) {
    return op != PIPE_LOGIC_OP_CLEAR && op != PIPE_LOGIC_OP_COPY &&
           op != PIPE_LOGIC_OP_COPY_INVERTED && op != PIPE_LOGIC_OP_SET;
}

void lower_logic(module &m, const logic_code &code) {
    logic_writer writer(m, code);
    writer.declare();
    spirv::insert_before_returns(m, [&](spirv::code &c) { writer.write(c); });
}

} // namespace magma
