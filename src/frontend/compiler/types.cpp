// SPDX-License-Identifier: MIT
// GL's view of SPIR-V types: reading, comparing, naming and std140 sizes.
#include "compiler/types.h"

namespace compiler {
namespace {

using Kind = Type::Kind;
using Base = Type::Base;

Base base_of(const spirv::module &m, spirv::id scalar) {
    const spirv::instruction *d = m.def(scalar);
    if (!d)
        return Base::other;
    switch (d->op) {
    case spv::OpTypeBool: return Base::boolean;
    case spv::OpTypeFloat:
        return d->operand(0) == 64 ? Base::f64 : d->operand(0) == 32 ? Base::f32 : Base::other;
    case spv::OpTypeInt:
        if (d->operand(0) == 64)
            return d->operand(1) ? Base::i64 : Base::u64;
        return d->operand(0) == 32 ? (d->operand(1) ? Base::i32 : Base::u32) : Base::other;
    default: return Base::other;
    }
}

/// Which of float, int, uint a sampled type is: 0, 1, 2.
unsigned sampled_class(Base b) {
    return b == Base::i32 ? 1 : b == Base::u32 ? 2 : 0;
}

struct OpaqueRow {
    spv::Dim dim;
    bool arrayed, ms;
    GLenum sampler[3], shadow, image[3];
};
const OpaqueRow opaque_rows[] = {
    {spv::Dim1D,
     false,
     false,
     {GL_SAMPLER_1D, GL_INT_SAMPLER_1D, GL_UNSIGNED_INT_SAMPLER_1D},
     GL_SAMPLER_1D_SHADOW,
     {GL_IMAGE_1D, GL_INT_IMAGE_1D, GL_UNSIGNED_INT_IMAGE_1D}},
    {spv::Dim2D,
     false,
     false,
     {GL_SAMPLER_2D, GL_INT_SAMPLER_2D, GL_UNSIGNED_INT_SAMPLER_2D},
     GL_SAMPLER_2D_SHADOW,
     {GL_IMAGE_2D, GL_INT_IMAGE_2D, GL_UNSIGNED_INT_IMAGE_2D}},
    {spv::Dim3D,
     false,
     false,
     {GL_SAMPLER_3D, GL_INT_SAMPLER_3D, GL_UNSIGNED_INT_SAMPLER_3D},
     0,
     {GL_IMAGE_3D, GL_INT_IMAGE_3D, GL_UNSIGNED_INT_IMAGE_3D}},
    {spv::DimCube,
     false,
     false,
     {GL_SAMPLER_CUBE, GL_INT_SAMPLER_CUBE, GL_UNSIGNED_INT_SAMPLER_CUBE},
     GL_SAMPLER_CUBE_SHADOW,
     {GL_IMAGE_CUBE, GL_INT_IMAGE_CUBE, GL_UNSIGNED_INT_IMAGE_CUBE}},
    {spv::DimRect,
     false,
     false,
     {GL_SAMPLER_2D_RECT, GL_INT_SAMPLER_2D_RECT, GL_UNSIGNED_INT_SAMPLER_2D_RECT},
     GL_SAMPLER_2D_RECT_SHADOW,
     {GL_IMAGE_2D_RECT, GL_INT_IMAGE_2D_RECT, GL_UNSIGNED_INT_IMAGE_2D_RECT}},
    {spv::DimBuffer,
     false,
     false,
     {GL_SAMPLER_BUFFER, GL_INT_SAMPLER_BUFFER, GL_UNSIGNED_INT_SAMPLER_BUFFER},
     0,
     {GL_IMAGE_BUFFER, GL_INT_IMAGE_BUFFER, GL_UNSIGNED_INT_IMAGE_BUFFER}},
    {spv::Dim1D,
     true,
     false,
     {GL_SAMPLER_1D_ARRAY, GL_INT_SAMPLER_1D_ARRAY, GL_UNSIGNED_INT_SAMPLER_1D_ARRAY},
     GL_SAMPLER_1D_ARRAY_SHADOW,
     {GL_IMAGE_1D_ARRAY, GL_INT_IMAGE_1D_ARRAY, GL_UNSIGNED_INT_IMAGE_1D_ARRAY}},
    {spv::Dim2D,
     true,
     false,
     {GL_SAMPLER_2D_ARRAY, GL_INT_SAMPLER_2D_ARRAY, GL_UNSIGNED_INT_SAMPLER_2D_ARRAY},
     GL_SAMPLER_2D_ARRAY_SHADOW,
     {GL_IMAGE_2D_ARRAY, GL_INT_IMAGE_2D_ARRAY, GL_UNSIGNED_INT_IMAGE_2D_ARRAY}},
    {spv::DimCube,
     true,
     false,
     {GL_SAMPLER_CUBE_MAP_ARRAY, GL_INT_SAMPLER_CUBE_MAP_ARRAY,
      GL_UNSIGNED_INT_SAMPLER_CUBE_MAP_ARRAY},
     GL_SAMPLER_CUBE_MAP_ARRAY_SHADOW,
     {GL_IMAGE_CUBE_MAP_ARRAY, GL_INT_IMAGE_CUBE_MAP_ARRAY, GL_UNSIGNED_INT_IMAGE_CUBE_MAP_ARRAY}},
    {spv::Dim2D,
     false,
     true,
     {GL_SAMPLER_2D_MULTISAMPLE, GL_INT_SAMPLER_2D_MULTISAMPLE,
      GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE},
     0,
     {GL_IMAGE_2D_MULTISAMPLE, GL_INT_IMAGE_2D_MULTISAMPLE, GL_UNSIGNED_INT_IMAGE_2D_MULTISAMPLE}},
    {spv::Dim2D,
     true,
     true,
     {GL_SAMPLER_2D_MULTISAMPLE_ARRAY, GL_INT_SAMPLER_2D_MULTISAMPLE_ARRAY,
      GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE_ARRAY},
     0,
     {GL_IMAGE_2D_MULTISAMPLE_ARRAY, GL_INT_IMAGE_2D_MULTISAMPLE_ARRAY,
      GL_UNSIGNED_INT_IMAGE_2D_MULTISAMPLE_ARRAY}},
};

GLenum opaque_gl_type(const spirv::module &m, const spirv::instruction &image, bool sampled) {
    const unsigned cls = sampled_class(base_of(m, image.operand(0)));
    for (const OpaqueRow &row : opaque_rows)
        if (row.dim == static_cast<spv::Dim>(image.operand(1)) &&
            row.arrayed == (image.operand(3) != 0) && row.ms == (image.operand(4) != 0)) {
            if (!sampled)
                return row.image[cls];
            return image.operand(2) == 1 && row.shadow ? row.shadow : row.sampler[cls];
        }
    return 0;
}

TypeRef read_struct(const spirv::module &m, spirv::id id, const std::set<std::string> *bools,
                    const std::string &path) {
    auto t = std::make_shared<Type>();
    t->kind = Kind::structure;
    t->name = m.name(id);
    for (uint32_t i = 0; i < m.member_count(id); ++i) {
        Type::Member member;
        member.name = m.member_name(id, i);
        const std::string here = path.empty() ? std::to_string(i) : path + "." + std::to_string(i);
        member.type = read_type(m, m.member_type(id, i), bools, here);
        member.offset = m.member_decoration(id, i, spv::DecorationOffset).value_or(0);
        member.matrix_stride = m.member_decoration(id, i, spv::DecorationMatrixStride).value_or(0);
        member.row_major = m.has_member_decoration(id, i, spv::DecorationRowMajor);
        member.readonly = m.has_member_decoration(id, i, spv::DecorationNonWritable);
        member.writeonly = m.has_member_decoration(id, i, spv::DecorationNonReadable);
        t->members.push_back(std::move(member));
    }
    return t;
}

} // namespace

TypeRef read_type(const spirv::module &m, spirv::id id, const std::set<std::string> *bools,
                  const std::string &path) {
    auto t = std::make_shared<Type>();
    const spirv::instruction *d = m.def(id);
    if (!d)
        return t;
    switch (d->op) {
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray:
        t->kind = Kind::array;
        t->length = d->op == spv::OpTypeArray ? m.length(id) : 0;
        t->stride = m.decoration(id, spv::DecorationArrayStride).value_or(0);
        t->element = read_type(m, d->operand(0), bools, path);
        return t;
    case spv::OpTypeStruct: return read_struct(m, id, bools, path);
    case spv::OpTypeSampledImage:
        t->kind = Kind::opaque;
        t->gl_type = opaque_gl_type(m, *m.def(d->operand(0)), true);
        return t;
    case spv::OpTypeImage:
        t->kind = Kind::opaque;
        t->gl_type = opaque_gl_type(m, *d, false);
        t->format = d->operand(6);
        return t;
    case spv::OpTypeMatrix:
        t->cols = static_cast<uint8_t>(d->operand(1));
        t->rows = static_cast<uint8_t>(m.length(d->operand(0)));
        t->base = base_of(m, m.element_type(d->operand(0)));
        return t;
    case spv::OpTypeVector:
        t->rows = static_cast<uint8_t>(d->operand(1));
        t->base = base_of(m, d->operand(0));
        break;
    default: t->base = base_of(m, id);
    }
    if (bools && bools->count(path))
        t->base = Base::boolean;
    return t;
}

namespace {

bool compare(const Type &a, const Type &b, bool sizes) {
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case Kind::value: return a.base == b.base && a.rows == b.rows && a.cols == b.cols;
    case Kind::opaque: return a.gl_type == b.gl_type;
    case Kind::array:
        return (!sizes || a.length == b.length) && compare(*a.element, *b.element, sizes);
    case Kind::structure:
        if (a.name != b.name || a.members.size() != b.members.size())
            return false;
        for (size_t i = 0; i < a.members.size(); ++i)
            if (a.members[i].name != b.members[i].name ||
                !compare(*a.members[i].type, *b.members[i].type, sizes))
                return false;
        return true;
    }
    return false;
}

} // namespace

bool same_type(const Type &a, const Type &b) {
    return compare(a, b, true);
}
bool same_type_but_sizes(const Type &a, const Type &b) {
    return compare(a, b, false);
}

bool has_opaque(const Type &t) {
    if (t.kind == Kind::opaque)
        return true;
    if (t.kind == Kind::array)
        return has_opaque(*t.element);
    for (const Type::Member &m : t.members)
        if (has_opaque(*m.type))
            return true;
    return false;
}

TypeRef without_opaque(const TypeRef &t) {
    if (t->kind == Kind::opaque)
        return nullptr;
    if (!has_opaque(*t))
        return t;
    auto copy = std::make_shared<Type>(*t);
    if (t->kind == Kind::array) {
        copy->element = without_opaque(t->element);
        return copy->element ? copy : nullptr;
    }
    copy->members.clear();
    for (const Type::Member &m : t->members)
        if (TypeRef left = without_opaque(m.type)) {
            copy->members.push_back(m);
            copy->members.back().type = left;
        }
    return copy->members.empty() ? nullptr : copy;
}

const Type &innermost(const Type &t) {
    const Type *p = &t;
    while (p->kind == Kind::array)
        p = p->element.get();
    return *p;
}

GLenum gl_type_of(const Type &t) {
    if (t.kind == Kind::opaque)
        return t.gl_type;
    static const GLenum vectors[7][4] = {
        {GL_FLOAT, GL_FLOAT_VEC2, GL_FLOAT_VEC3, GL_FLOAT_VEC4},
        {GL_DOUBLE, GL_DOUBLE_VEC2, GL_DOUBLE_VEC3, GL_DOUBLE_VEC4},
        {GL_INT, GL_INT_VEC2, GL_INT_VEC3, GL_INT_VEC4},
        {GL_UNSIGNED_INT, GL_UNSIGNED_INT_VEC2, GL_UNSIGNED_INT_VEC3, GL_UNSIGNED_INT_VEC4},
        {GL_BOOL, GL_BOOL_VEC2, GL_BOOL_VEC3, GL_BOOL_VEC4},
        {0x140E, 0x8FE9, 0x8FEA, 0x8FEB}, // ARB_gpu_shader_int64
        {0x140F, 0x8FF5, 0x8FF6, 0x8FF7},
    };
    static const GLenum matrices[2][3][3] = {
        {{GL_FLOAT_MAT2, GL_FLOAT_MAT2x3, GL_FLOAT_MAT2x4},
         {GL_FLOAT_MAT3x2, GL_FLOAT_MAT3, GL_FLOAT_MAT3x4},
         {GL_FLOAT_MAT4x2, GL_FLOAT_MAT4x3, GL_FLOAT_MAT4}},
        {{GL_DOUBLE_MAT2, GL_DOUBLE_MAT2x3, GL_DOUBLE_MAT2x4},
         {GL_DOUBLE_MAT3x2, GL_DOUBLE_MAT3, GL_DOUBLE_MAT3x4},
         {GL_DOUBLE_MAT4x2, GL_DOUBLE_MAT4x3, GL_DOUBLE_MAT4}},
    };
    if (t.base == Base::other || t.rows < 1 || t.rows > 4)
        return 0;
    if (t.cols == 1)
        return vectors[static_cast<int>(t.base)][t.rows - 1];
    if (static_cast<int>(t.base) > 1 || t.rows < 2 || t.cols > 4)
        return 0;
    return matrices[static_cast<int>(t.base)][t.cols - 2][t.rows - 2];
}

uint32_t location_count(const Type &t, bool vertex_input) {
    switch (t.kind) {
    case Kind::array: return std::max(t.length, 1u) * location_count(*t.element, vertex_input);
    case Kind::structure: {
        uint32_t n = 0;
        for (const Type::Member &m : t.members)
            n += location_count(*m.type, vertex_input);
        return n;
    }
    default: {
        const bool wide =
            (t.base == Base::f64 || t.base == Base::i64 || t.base == Base::u64) && t.rows > 2;
        return t.cols * (wide && !vertex_input ? 2u : 1u);
    }
    }
}

uint32_t component_count(const Type &t) {
    switch (t.kind) {
    case Kind::array: return std::max(t.length, 1u) * component_count(*t.element);
    case Kind::structure: {
        uint32_t n = 0;
        for (const Type::Member &m : t.members)
            n += component_count(*m.type);
        return n;
    }
    default: {
        const bool wide = t.base == Base::f64 || t.base == Base::i64 || t.base == Base::u64;
        return t.rows * t.cols * (wide ? 2u : 1u);
    }
    }
}

// ---- std140 -------------------------------------------------------------------------------------

namespace {

uint32_t scalar_size(Base b) {
    return b == Base::f64 || b == Base::i64 || b == Base::u64 ? 8 : 4;
}
uint32_t vector_align(const Type &t) {
    return scalar_size(t.base) * (t.rows == 1 ? 1 : t.rows == 2 ? 2 : 4);
}

} // namespace

uint32_t std140_align(const Type &t) {
    switch (t.kind) {
    case Kind::array: return align_up(std140_align(*t.element), 16);
    case Kind::structure: {
        uint32_t a = 16;
        for (const Type::Member &m : t.members)
            a = std::max(a, std140_align(*m.type));
        return a;
    }
    default: return t.cols > 1 ? align_up(vector_align(t), 16) : vector_align(t);
    }
}

uint32_t std140_matrix_stride(const Type &t) {
    return t.kind == Kind::value && t.cols > 1 ? align_up(vector_align(t), 16) : 0;
}

uint32_t std140_array_stride(const Type &array) {
    return align_up(std140_size(*array.element), std::max(std140_align(*array.element), 16u));
}

uint32_t std140_size(const Type &t) {
    switch (t.kind) {
    case Kind::array: return std::max(t.length, 1u) * std140_array_stride(t);
    case Kind::structure: {
        uint32_t at = 0;
        for (const Type::Member &m : t.members)
            at = align_up(at, std140_align(*m.type)) + std140_size(*m.type);
        return align_up(at, std140_align(t));
    }
    default: return t.cols > 1 ? t.cols * std140_matrix_stride(t) : t.rows * scalar_size(t.base);
    }
}

std::vector<uint32_t> std140_offsets(const Type &t) {
    std::vector<uint32_t> offsets;
    uint32_t at = 0;
    for (const Type::Member &m : t.members) {
        at = align_up(at, std140_align(*m.type));
        offsets.push_back(at);
        at += std140_size(*m.type);
    }
    return offsets;
}

} // namespace compiler
