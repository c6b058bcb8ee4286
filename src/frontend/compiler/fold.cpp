// SPDX-License-Identifier: MIT
// Built-in functions of constants that glslang leaves to the driver, although GLSL has their values
// in constant expressions: sizes of arrays, case labels (GLSL 4.60, 4.3.3). The linker sends
// glslang's calls of its folding here (--wrap); what is not one of these goes on to it.
// Built without RTTI, as glslang is.
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <bit>
#include <cmath>

using namespace glslang;

namespace {

using Words = std::array<uint32_t, 3>;

uint32_t word(const TConstUnion &c) {
    return c.getType() == EbtUint ? c.getUConst() : static_cast<uint32_t>(c.getIConst());
}

bool folds(TOperator op) {
    return op == EOpBitCount || op == EOpFindLSB || op == EOpFindMSB || op == EOpBitFieldReverse ||
           op == EOpBitfieldExtract || op == EOpBitfieldInsert || op == EOpFma;
}

uint32_t reversed(uint32_t v) {
    uint32_t out = 0;
    for (int i = 0; i < 32; ++i)
        out |= (v >> i & 1) << (31 - i);
    return out;
}

uint32_t extracted(uint32_t value, uint32_t offset, uint32_t bits, bool is_signed) {
    if (!bits || offset > 31 || bits > 32 - offset)
        return 0; // beyond: undefined
    const uint32_t up = value << (32 - offset - bits), down = 32 - bits;
    return is_signed ? static_cast<uint32_t>(static_cast<int32_t>(up) >> down) : up >> down;
}

uint32_t inserted(uint32_t base, uint32_t insert, uint32_t offset, uint32_t bits) {
    if (!bits || offset > 31 || bits > 32 - offset)
        return base;
    const uint32_t mask = (bits == 32 ? ~0u : (1u << bits) - 1) << offset;
    return (base & ~mask) | (insert << offset & mask);
}

uint32_t folded_word(TOperator op, const Words &w, uint32_t bits, bool is_signed) {
    switch (op) {
    case EOpBitCount: return static_cast<uint32_t>(std::popcount(w[0]));
    case EOpFindLSB: return w[0] ? static_cast<uint32_t>(std::countr_zero(w[0])) : ~0u;
    case EOpFindMSB: {
        const uint32_t v = is_signed && w[0] >> 31 ? ~w[0] : w[0];
        return v ? static_cast<uint32_t>(31 - std::countl_zero(v)) : ~0u;
    }
    case EOpBitFieldReverse: return reversed(w[0]);
    case EOpBitfieldExtract: return extracted(w[0], w[1], w[2], is_signed);
    default: return inserted(w[0], w[1], w[2], bits);
    }
}

/// Component `i` of an argument; scalars have one for all.
const TConstUnion &component(const TConstUnionArray &a, int i) {
    return a[std::min(i, a.size() - 1)];
}

TIntermTyped *folded(TOperator op, const std::vector<const TIntermConstantUnion *> &arguments,
                     const TType &type) {
    const int count = type.computeNumComponents();
    TConstUnionArray values(count);
    const bool is_signed = arguments[0]->getBasicType() == EbtInt;
    for (int i = 0; i < count; ++i) {
        if (op == EOpFma) {
            double v[3];
            for (size_t k = 0; k < 3; ++k)
                v[k] = component(arguments[k]->getConstArray(), i).getDConst();
            values[i].setDConst(std::fma(v[0], v[1], v[2]));
            continue;
        }
        Words w{};
        for (size_t k = 0; k < std::min<size_t>(arguments.size(), 3); ++k)
            w[k] = word(component(arguments[k]->getConstArray(), i));
        const uint32_t bits =
            arguments.size() > 3 ? word(component(arguments[3]->getConstArray(), i)) : 0;
        const uint32_t v = folded_word(op, w, bits, is_signed);
        if (type.getBasicType() == EbtUint)
            values[i].setUConst(v);
        else
            values[i].setIConst(static_cast<int>(v));
    }
    auto *node = new TIntermConstantUnion(values, type);
    node->getWritableType().getQualifier().storage = EvqConst;
    node->setLoc(arguments[0]->getLoc());
    return node;
}

} // namespace

#define MGPIPE_FOLD_UNARY "_ZNK7glslang20TIntermConstantUnion4foldENS_9TOperatorERKNS_5TTypeE"
#define MGPIPE_FOLD_AGGREGATE "_ZN7glslang13TIntermediate4foldEPNS_16TIntermAggregateE"

extern "C" {
TIntermTyped *mgpipe_glslang_fold(const TIntermConstantUnion *self, TOperator op,
                                  const TType &type) __asm__("__real_" MGPIPE_FOLD_UNARY);
TIntermTyped *
mgpipe_glslang_fold_aggregate(TIntermediate *self,
                              TIntermAggregate *node) __asm__("__real_" MGPIPE_FOLD_AGGREGATE);
TIntermTyped *mgpipe_fold(const TIntermConstantUnion *self, TOperator op,
                          const TType &type) __asm__("__wrap_" MGPIPE_FOLD_UNARY);
TIntermTyped *
mgpipe_fold_aggregate(TIntermediate *self,
                      TIntermAggregate *node) __asm__("__wrap_" MGPIPE_FOLD_AGGREGATE);
}

TIntermTyped *mgpipe_fold(const TIntermConstantUnion *self, TOperator op, const TType &type) {
    const bool whole = self->getBasicType() == EbtInt || self->getBasicType() == EbtUint;
    return folds(op) && whole ? folded(op, {self}, type) : mgpipe_glslang_fold(self, op, type);
}

TIntermTyped *mgpipe_fold_aggregate(TIntermediate *self, TIntermAggregate *node) {
    std::vector<const TIntermConstantUnion *> arguments;
    for (TIntermNode *n : node->getSequence())
        arguments.push_back(n->getAsTyped() ? n->getAsTyped()->getAsConstantUnion() : nullptr);
    const TBasicType base = node->getBasicType();
    const bool constant = std::find(arguments.begin(), arguments.end(), nullptr) == arguments.end(),
               fits = node->getOp() == EOpFma ? base == EbtFloat || base == EbtDouble
                                              : base == EbtInt || base == EbtUint;
    return folds(node->getOp()) && constant && fits && arguments.size() >= 3
               ? folded(node->getOp(), arguments, node->getType())
               : mgpipe_glslang_fold_aggregate(self, node);
}
