// SPDX-License-Identifier: MIT
// Built-in functions of constants that glslang leaves to the driver, although GLSL has their values
// in constant expressions: sizes of arrays, case labels (GLSL 4.60, 4.3.3). The linker sends
// glslang's calls of its folding here (--wrap); what is not one of these goes on to it.
// Built without RTTI, as glslang is.
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

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

// ---- numbers ------------------------------------------------------------------------------------

double of_number(TOperator op, double x) {
    switch (op) {
    case EOpSinh: return std::sinh(x);
    case EOpCosh: return std::cosh(x);
    case EOpTanh: return std::tanh(x);
    case EOpAsinh: return std::asinh(x);
    case EOpAcosh: return std::acosh(x);
    default: return std::atanh(x);
    }
}

bool of_numbers(TOperator op) {
    return op == EOpSinh || op == EOpCosh || op == EOpTanh || op == EOpAsinh || op == EOpAcosh ||
           op == EOpAtanh;
}

bool of_bits(TOperator op) {
    return op == EOpFloatBitsToInt || op == EOpFloatBitsToUint || op == EOpIntBitsToFloat ||
           op == EOpUintBitsToFloat;
}

TConstUnion with_bits(TOperator op, const TConstUnion &c) {
    TConstUnion out;
    if (op == EOpFloatBitsToInt)
        out.setIConst(std::bit_cast<int>(static_cast<float>(c.getDConst())));
    else if (op == EOpFloatBitsToUint)
        out.setUConst(std::bit_cast<uint32_t>(static_cast<float>(c.getDConst())));
    else
        out.setDConst(std::bit_cast<float>(word(c)));
    return out;
}

// ---- packed words -------------------------------------------------------------------------------

uint32_t half_of(float f) {
    const uint32_t bits = std::bit_cast<uint32_t>(f), sign = bits >> 16 & 0x8000u;
    const float x = std::fabs(f);
    if (!(x <= 65519.9961f)) // what rounds to infinity, and no number
        return sign | (x == x ? 0x7c00u : 0x7e00u);
    if (x < 0x1p-14f)
        return sign | static_cast<uint32_t>(std::nearbyint(x * 0x1p24f));
    const uint32_t rounded = (bits & 0x7fffffffu) + 0xfffu + (bits >> 13 & 1u);
    return sign | ((rounded >> 13) - (112u << 10));
}

float of_half(uint32_t h) {
    const uint32_t exponent = h >> 10 & 31u, fraction = h & 0x3ffu;
    const float sign = h & 0x8000u ? -1.0f : 1.0f;
    if (exponent == 31)
        return fraction ? std::nanf("") : sign * INFINITY;
    return sign * (exponent ? std::ldexp(1024.0f + static_cast<float>(fraction),
                                         static_cast<int>(exponent) - 25)
                            : std::ldexp(static_cast<float>(fraction), -24));
}

struct Packing {
    TOperator pack, unpack;
    int count, bits;
    bool is_signed, is_half;
};
const Packing packings[] = {
    {EOpPackHalf2x16, EOpUnpackHalf2x16, 2, 16, false, true},
    {EOpPackUnorm2x16, EOpUnpackUnorm2x16, 2, 16, false, false},
    {EOpPackSnorm2x16, EOpUnpackSnorm2x16, 2, 16, true, false},
    {EOpPackUnorm4x8, EOpUnpackUnorm4x8, 4, 8, false, false},
    {EOpPackSnorm4x8, EOpUnpackSnorm4x8, 4, 8, true, false},
};

uint32_t packed(const Packing &p, double v) {
    if (p.is_half)
        return half_of(static_cast<float>(v));
    const uint32_t mask = (1u << p.bits) - 1;
    const double most = p.is_signed ? mask >> 1 : mask, least = p.is_signed ? -1 : 0;
    const double scaled = std::nearbyint(std::clamp(v, least, 1.0) * most);
    return static_cast<uint32_t>(static_cast<int>(scaled)) & mask;
}

double unpacked(const Packing &p, uint32_t w) {
    if (p.is_half)
        return of_half(w);
    const uint32_t mask = (1u << p.bits) - 1;
    if (!p.is_signed)
        return double(w) / mask;
    const int value = static_cast<int>(w << (32 - p.bits)) >> (32 - p.bits);
    return std::clamp(double(value) / (mask >> 1), -1.0, 1.0);
}

// ---- matrices -----------------------------------------------------------------------------------

/// By columns, like glslang's constants.
struct Matrix {
    int columns, rows;
    std::array<double, 16> at{};
    double &operator()(int c, int r) { return at[static_cast<size_t>(c * rows + r)]; }
};

Matrix matrix_of(const TIntermConstantUnion &c) {
    Matrix m{c.getType().getMatrixCols(), c.getType().getMatrixRows()};
    for (int i = 0; i < m.columns * m.rows; ++i)
        m.at[static_cast<size_t>(i)] = c.getConstArray()[i].getDConst();
    return m;
}

/// `m` without a column and a row.
Matrix minor_of(Matrix m, int column, int row) {
    Matrix out{m.columns - 1, m.rows - 1};
    for (int c = 0; c < out.columns; ++c)
        for (int r = 0; r < out.rows; ++r)
            out(c, r) = m(c + (c >= column), r + (r >= row));
    return out;
}

double determinant(Matrix m) {
    if (m.columns == 1)
        return m(0, 0);
    double sum = 0;
    for (int c = 0; c < m.columns; ++c)
        sum += (c % 2 ? -1 : 1) * m(c, 0) * determinant(minor_of(m, c, 0));
    return sum;
}

Matrix inverse(Matrix m) {
    Matrix out{m.columns, m.rows};
    const double whole = determinant(m);
    for (int c = 0; c < m.columns; ++c)
        for (int r = 0; r < m.rows; ++r)
            out(c, r) = ((c + r) % 2 ? -1 : 1) * determinant(minor_of(m, r, c)) / whole;
    return out;
}

Matrix transpose(Matrix m) {
    Matrix out{m.rows, m.columns};
    for (int c = 0; c < out.columns; ++c)
        for (int r = 0; r < out.rows; ++r)
            out(c, r) = m(r, c);
    return out;
}

bool of_matrices(TOperator op) {
    return op == EOpDeterminant || op == EOpTranspose || op == EOpMatrixInverse;
}

Matrix of_matrix(TOperator op, const Matrix &m) {
    if (op == EOpDeterminant)
        return {1, 1, {determinant(m)}};
    return op == EOpTranspose ? transpose(m) : inverse(m);
}

// ---- integers -----------------------------------------------------------------------------------

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

TIntermTyped *constant(const TConstUnionArray &values, const TType &type, const TSourceLoc &loc) {
    auto *node = new TIntermConstantUnion(values, type);
    node->getWritableType().getQualifier().storage = EvqConst;
    node->setLoc(loc);
    return node;
}

/// Null: not one of these.
TIntermTyped *folded_floats(TOperator op, const TIntermConstantUnion &c, const TType &type) {
    const TBasicType base = c.getBasicType();
    const bool is_float = base == EbtFloat || base == EbtDouble;
    const bool numbers = of_numbers(op) && is_float, matrices = of_matrices(op) && is_float;
    if (!numbers && !matrices && !(of_bits(op) && base != EbtDouble))
        return nullptr;
    TConstUnionArray values(type.computeNumComponents());
    const Matrix m = matrices ? of_matrix(op, matrix_of(c)) : Matrix{};
    for (int i = 0; i < values.size(); ++i)
        if (matrices)
            values[i].setDConst(m.at[static_cast<size_t>(i)]);
        else if (numbers)
            values[i].setDConst(of_number(op, c.getConstArray()[i].getDConst()));
        else
            values[i] = with_bits(op, c.getConstArray()[i]);
    return constant(values, type, c.getLoc());
}

/// Null: not one of these.
TIntermTyped *folded_packing(TOperator op, const TIntermConstantUnion &c, const TType &type) {
    for (const Packing &p : packings) {
        TConstUnionArray values(type.computeNumComponents());
        const uint32_t mask = (1u << p.bits) - 1;
        if (op == p.pack && c.getConstArray().size() == p.count) {
            uint32_t all = 0;
            for (int i = 0; i < p.count; ++i)
                all |= packed(p, c.getConstArray()[i].getDConst()) << (i * p.bits);
            values[0].setUConst(all);
        } else if (op == p.unpack && values.size() == p.count) {
            for (int i = 0; i < p.count; ++i)
                values[i].setDConst(unpacked(p, word(c.getConstArray()[0]) >> (i * p.bits) & mask));
        } else {
            continue;
        }
        return constant(values, type, c.getLoc());
    }
    return nullptr;
}

/// matrixCompMult(), which glslang has as a product of two.
TIntermTyped *folded_product(const TIntermConstantUnion &a, const TIntermConstantUnion &b,
                             const TType &type) {
    TConstUnionArray values(type.computeNumComponents());
    for (int i = 0; i < values.size(); ++i)
        values[i].setDConst(a.getConstArray()[i].getDConst() * b.getConstArray()[i].getDConst());
    return constant(values, type, a.getLoc());
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
    return constant(values, type, arguments[0]->getLoc());
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
    if (TIntermTyped *done = folded_floats(op, *self, type))
        return done;
    if (TIntermTyped *done = folded_packing(op, *self, type))
        return done;
    const bool whole = self->getBasicType() == EbtInt || self->getBasicType() == EbtUint;
    return folds(op) && whole ? folded(op, {self}, type) : mgpipe_glslang_fold(self, op, type);
}

TIntermTyped *mgpipe_fold_aggregate(TIntermediate *self, TIntermAggregate *node) {
    std::vector<const TIntermConstantUnion *> arguments;
    for (TIntermNode *n : node->getSequence())
        arguments.push_back(n->getAsTyped() ? n->getAsTyped()->getAsConstantUnion() : nullptr);
    const TBasicType base = node->getBasicType();
    const bool all = std::find(arguments.begin(), arguments.end(), nullptr) == arguments.end(),
               fits = node->getOp() == EOpFma ? base == EbtFloat || base == EbtDouble
                                              : base == EbtInt || base == EbtUint;
    if (node->getOp() == EOpMul && all && arguments.size() == 2 && node->isMatrix() &&
        arguments[0]->isMatrix() && arguments[1]->isMatrix())
        return folded_product(*arguments[0], *arguments[1], node->getType());
    return folds(node->getOp()) && all && fits && arguments.size() >= 3
               ? folded(node->getOp(), arguments, node->getType())
               : mgpipe_glslang_fold_aggregate(self, node);
}
