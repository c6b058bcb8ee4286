// SPDX-License-Identifier: MIT
// A SPIR-V module in memory: instructions in vectors by section, functions flat from OpFunction to
// OpFunctionEnd. Used by the compiler and by both drivers, which patch what crosses the pipe.
// One thread at a time per module; a module owns everything and may be copied or moved. References
// to instructions are valid until the next call that adds or removes an instruction of that
// section.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "spirv/instruction.h"

namespace spirv {

/// Instructions from OpFunction to OpFunctionEnd, both included.
struct function {
    std::vector<instruction> insts;
    id result() const { return insts.empty() ? 0 : insts.front().result; }
};

/// What a decoration is put on: an id, or one member of a struct type.
struct decoration_target {
    id target = 0;
    int32_t member = -1; ///< -1: the id itself
};

class module {
  public:
    uint32_t version = 0x00010000;
    uint32_t generator = 0;
    uint32_t schema = 0;

    std::vector<instruction> capabilities;
    std::vector<instruction> extensions;
    std::vector<instruction> ext_imports;
    std::vector<instruction> memory_model;
    std::vector<instruction> entry_points;
    std::vector<instruction> execution_modes;
    std::vector<instruction> debug;       ///< OpString, OpSource*, OpName, OpMemberName, ...
    std::vector<instruction> annotations; ///< OpDecorate, OpMemberDecorate, groups
    std::vector<instruction> globals;     ///< types, constants, global variables
    std::vector<function> functions;

    /// Reads a module. Nothing is trusted: word counts, ids above the bound and instructions
    /// outside a function are checked; a malformed module gives nullopt.
    static std::optional<module> parse(std::span<const uint32_t> words);

    /// The words of the module, ready for a driver.
    std::vector<uint32_t> write() const;

    uint32_t bound() const { return bound_; }
    id new_id() { return bound_++; }

    // ---- definitions -----------------------------------------------------------------------

    /// The global instruction (type, constant, variable) that defines `result`, or null.
    const instruction *def(id result) const;
    instruction *def(id result);

    /// Must be called after `globals` was edited, or `debug` or `annotations` lost something, other
    /// than through this class.
    void reindex();

    /// Appends to `globals` and gives the result id.
    id add_global(spv::Op op, id type, std::vector<uint32_t> operands);

    // ---- types: looked up first, made when missing (aggregates are always made anew) ----------

    id type_bool();
    id type_int(uint32_t width, bool is_signed);
    id type_float(uint32_t width);
    id type_vector(id component, uint32_t count);
    id type_matrix(id column, uint32_t columns);
    id type_pointer(spv::StorageClass storage, id pointee);
    id new_array_type(id element, uint32_t length, uint32_t stride = 0); ///< stride 0: undecorated
    id new_runtime_array_type(id element, uint32_t stride);
    id new_struct_type(std::vector<id> members);

    /// The type of a global or of an id inside `f`; 0 when unknown.
    id type_of(id value, const function *f = nullptr) const;
    spv::Op type_op(id type) const;
    id pointee(id pointer_type) const;                      ///< 0 when not a pointer
    spv::StorageClass storage_class(id pointer_type) const; ///< StorageClassMax when not a pointer
    id element_type(id composite) const; ///< vector, matrix, array, runtime array
    uint32_t member_count(id struct_type) const;
    id member_type(id struct_type, uint32_t member) const;
    /// Elements of an array, components of a vector, columns of a matrix; 0 for runtime arrays.
    uint32_t length(id composite) const;
    uint32_t int_width(id type) const; ///< bit width of int or float scalar (or of a vector's)
    bool is_signed_int(id type) const;
    bool is_opaque(id type) const;       ///< image, sampler, sampled image, or an aggregate of them
    bool contains_opaque(id type) const; ///< somewhere inside

    // ---- constants --------------------------------------------------------------------------

    id const_u32(uint32_t value);
    id const_i32(int32_t value);
    id const_f32(float value);
    id const_scalar(id type, std::vector<uint32_t> words);
    id const_null(id type);
    id undef(id type);
    /// The value of an integer constant (not of a specialisation constant's override).
    std::optional<uint32_t> constant_value(id constant) const;

    // ---- names ------------------------------------------------------------------------------

    std::string name(id target) const;
    std::string member_name(id struct_type, uint32_t member) const;
    void set_name(id target, std::string_view text);
    void set_member_name(id struct_type, uint32_t member, std::string_view text);

    // ---- decorations ------------------------------------------------------------------------

    bool has_decoration(id target, spv::Decoration d) const;
    bool has_member_decoration(id target, uint32_t member, spv::Decoration d) const;
    /// First literal of the decoration; nullopt when it is not there.
    std::optional<uint32_t> decoration(id target, spv::Decoration d) const;
    std::optional<uint32_t> member_decoration(id target, uint32_t member, spv::Decoration d) const;
    void set_decoration(id target, spv::Decoration d);
    void set_decoration(id target, spv::Decoration d, uint32_t value);
    void set_member_decoration(id target, uint32_t member, spv::Decoration d);
    void set_member_decoration(id target, uint32_t member, spv::Decoration d, uint32_t value);
    void remove_decoration(id target, spv::Decoration d);
    void remove_member_decoration(id target, uint32_t member, spv::Decoration d);
    /// Removes a decoration from every id and member.
    void remove_all_decorations(spv::Decoration d);
    /// Every OpDecorate and OpMemberDecorate, with its literals.
    void for_each_decoration(const std::function<void(decoration_target, spv::Decoration,
                                                      std::span<const uint32_t>)> &fn) const;
    /// Copies all decorations of one id (not of its members) to another.
    void copy_decorations(id from, id to);

    // ---- variables and capabilities ------------------------------------------------------------

    /// Ids of the global variables of a storage class, in order of declaration.
    std::vector<id> variables(spv::StorageClass storage) const;
    /// A new global variable of pointee type `type`; not added to any entry point's interface.
    id add_variable(spv::StorageClass storage, id type, id initializer = 0);
    /// The pointee type of a global variable.
    id variable_type(id variable) const;
    bool has_capability(spv::Capability c) const;
    // The extended instructions of GLSL; imported if they are not yet.
    id glsl_std_450();
    void add_capability(spv::Capability c);
    void remove_capability(spv::Capability c);
    void add_extension(std::string_view text);

    function *find_function(id result);
    const function *find_function(id result) const;

  private:
    /// Where a list of names or decorations speaks of an id, or of a member of it.
    struct target_index {
        size_t size = 0; ///< of the list when it was last looked at
        std::unordered_map<uint64_t, std::vector<uint32_t>> at; ///< by id and member
        const std::vector<uint32_t> &find(const std::vector<instruction> &list, id target,
                                          int64_t member = -1);
        void forget() { size = 0, at.clear(); }
    };
    const instruction *find_name(id target) const;
    const instruction *find_member_name(id target, uint32_t member) const;
    const instruction *find_decoration(id target, spv::Decoration d) const;
    const instruction *find_decoration(id target, uint32_t member, spv::Decoration d) const;

    id find_or_add(spv::Op op, id type, std::vector<uint32_t> operands);

    uint32_t bound_ = 1;
    std::vector<uint32_t> global_index_;                   ///< id -> index in globals + 1
    std::unordered_map<uint64_t, std::vector<id>> dedupe_; ///< hash of op, type, operands -> ids
    mutable target_index names_, notes_;                   ///< of debug, of annotations
};

} // namespace spirv
