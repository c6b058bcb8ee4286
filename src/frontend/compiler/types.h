// SPDX-License-Identifier: MIT
// GL's view of a SPIR-V type, free of any module: used to compare stages, lay out blocks and name
// what is active.
#pragma once

#include "spirv/module.h"

#include <GL/glcorearb.h>

#include <memory>
#include <set>
#include <string>

namespace compiler {

struct Type;
using TypeRef = std::shared_ptr<const Type>;

struct Type {
    enum class Kind : uint8_t { value, array, structure, opaque };
    enum class Base : uint8_t { f32, f64, i32, u32, boolean, i64, u64, other };
    struct Member {
        std::string name;
        TypeRef type;
        uint32_t offset = 0, matrix_stride = 0; // as decorated, for blocks
        bool row_major = false, readonly = false, writeonly = false;
    };
    Kind kind = Kind::value;
    Base base = Base::f32;
    uint8_t rows = 1, cols = 1;  // value
    uint32_t length = 0;         // array; 0: runtime
    uint32_t stride = 0;         // array, as decorated
    TypeRef element;             // array
    std::string name;            // structure
    std::vector<Member> members; // structure
    GLenum gl_type = 0;          // opaque
    uint32_t format = 0;         // opaque: SPIR-V image format
};

/// `bools`: paths of members that are bool in the source (see SideInfo); `path` is where `id`
/// stands.
TypeRef read_type(const spirv::module &m, spirv::id id,
                  const std::set<std::string> *bools = nullptr, const std::string &path = {});
/// Structural equality, names of structs and members included, offsets and strides not.
bool same_type(const Type &a, const Type &b);
/// Like same_type, but array sizes may differ where one side is larger; used for implicitly sized
/// arrays.
bool same_type_but_sizes(const Type &a, const Type &b);
bool has_opaque(const Type &t);
/// The same type without opaque members; null when nothing is left.
TypeRef without_opaque(const TypeRef &t);

GLenum gl_type_of(const Type &t);     // of a value or opaque
const Type &innermost(const Type &t); // behind all arrays
/// Locations that an input, output or varying takes; vertex inputs count a dvec3/4 once.
uint32_t location_count(const Type &t, bool vertex_input);
/// 32-bit components of everything inside.
uint32_t component_count(const Type &t);

// ---- std140 -----------------------------------------------------------------------------------

uint32_t std140_align(const Type &t);
uint32_t std140_size(const Type &t); // padded to the alignment for arrays and structs
uint32_t std140_array_stride(const Type &array);
uint32_t std140_matrix_stride(const Type &t); // column stride; 0 for non-matrices
/// Offsets of the members of a structure.
std::vector<uint32_t> std140_offsets(const Type &t);

inline uint32_t align_up(uint32_t x, uint32_t a) {
    return (x + a - 1) / a * a;
}

} // namespace compiler
