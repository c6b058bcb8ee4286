// SPDX-License-Identifier: MIT
// Types, constants, variables and capabilities of a module, looked up before they are made.
#include "spirv/module.h"

#include <cstring>

namespace spirv {
namespace {

uint64_t hash_of(spv::Op op, id type, const std::vector<uint32_t> &operands) {
    uint64_t h = 0x9e3779b97f4a7c15ull ^ (static_cast<uint64_t>(op) << 32 | type);
    for (uint32_t w : operands)
        h = (h ^ w) * 0x100000001b3ull + (h >> 29);
    return h;
}

/// Aggregates carry decorations of their own, so equal words do not make them equal.
bool dedupable(spv::Op op) {
    if (op == spv::OpTypeStruct || op == spv::OpTypeArray || op == spv::OpTypeRuntimeArray)
        return false;
    return is_type(op) || (is_constant(op) && op < spv::OpSpecConstantTrue) || op == spv::OpUndef;
}

} // namespace

void module::reindex() {
    names_.forget();
    notes_.forget();
    global_index_.assign(bound_, 0);
    dedupe_.clear();
    for (size_t i = 0; i < globals.size(); ++i) {
        const instruction &inst = globals[i];
        if (!inst.result || inst.result >= bound_)
            continue;
        global_index_[inst.result] = static_cast<uint32_t>(i + 1);
        if (dedupable(inst.op))
            dedupe_[hash_of(inst.op, inst.type, inst.operands)].push_back(inst.result);
    }
}

const instruction *module::def(id result) const {
    if (result >= global_index_.size() || !global_index_[result])
        return nullptr;
    return &globals[global_index_[result] - 1];
}

instruction *module::def(id result) {
    return const_cast<instruction *>(std::as_const(*this).def(result));
}

id module::add_global(spv::Op op, id type, std::vector<uint32_t> operands) {
    const id result = new_id();
    if (dedupable(op))
        dedupe_[hash_of(op, type, operands)].push_back(result);
    globals.emplace_back(op, type, result, std::move(operands));
    if (global_index_.size() < bound_)
        global_index_.resize(bound_ + 64, 0);
    global_index_[result] = static_cast<uint32_t>(globals.size());
    return result;
}

id module::find_or_add(spv::Op op, id type, std::vector<uint32_t> operands) {
    const auto it = dedupe_.find(hash_of(op, type, operands));
    if (it != dedupe_.end())
        for (id candidate : it->second) {
            const instruction *d = def(candidate);
            if (d && d->op == op && d->type == type && d->operands == operands)
                return candidate;
        }
    return add_global(op, type, std::move(operands));
}

// ---- types -----------------------------------------------------------------------------------

id module::type_bool() {
    return find_or_add(spv::OpTypeBool, 0, {});
}
id module::type_int(uint32_t width, bool is_signed) {
    return find_or_add(spv::OpTypeInt, 0, {width, is_signed ? 1u : 0u});
}
id module::type_float(uint32_t width) {
    return find_or_add(spv::OpTypeFloat, 0, {width});
}
id module::type_vector(id component, uint32_t count) {
    return count == 1 ? component : find_or_add(spv::OpTypeVector, 0, {component, count});
}
id module::type_matrix(id column, uint32_t columns) {
    return find_or_add(spv::OpTypeMatrix, 0, {column, columns});
}
id module::type_pointer(spv::StorageClass storage, id pointee) {
    return find_or_add(spv::OpTypePointer, 0, {static_cast<uint32_t>(storage), pointee});
}

id module::new_array_type(id element, uint32_t length, uint32_t stride) {
    const id count = const_u32(length);
    const id type = add_global(spv::OpTypeArray, 0, {element, count});
    if (stride)
        set_decoration(type, spv::DecorationArrayStride, stride);
    return type;
}

id module::new_runtime_array_type(id element, uint32_t stride) {
    const id type = add_global(spv::OpTypeRuntimeArray, 0, {element});
    if (stride)
        set_decoration(type, spv::DecorationArrayStride, stride);
    return type;
}

id module::new_struct_type(std::vector<id> members) {
    return add_global(spv::OpTypeStruct, 0, std::move(members));
}

id module::type_of(id value, const function *f) const {
    if (const instruction *d = def(value))
        return d->type;
    if (f)
        for (const instruction &inst : f->insts)
            if (inst.result == value)
                return inst.type;
    return 0;
}

spv::Op module::type_op(id type) const {
    const instruction *d = def(type);
    return d ? d->op : spv::OpNop;
}

id module::pointee(id pointer_type) const {
    const instruction *d = def(pointer_type);
    return d && d->op == spv::OpTypePointer ? d->operand(1) : 0;
}

spv::StorageClass module::storage_class(id pointer_type) const {
    const instruction *d = def(pointer_type);
    return d && d->op == spv::OpTypePointer ? static_cast<spv::StorageClass>(d->operand(0))
                                            : spv::StorageClassMax;
}

id module::element_type(id composite) const {
    const instruction *d = def(composite);
    if (!d)
        return 0;
    switch (d->op) {
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray: return d->operand(0);
    default: return 0;
    }
}

uint32_t module::member_count(id struct_type) const {
    const instruction *d = def(struct_type);
    return d && d->op == spv::OpTypeStruct ? static_cast<uint32_t>(d->operands.size()) : 0;
}

id module::member_type(id struct_type, uint32_t member) const {
    const instruction *d = def(struct_type);
    return d && d->op == spv::OpTypeStruct ? d->operand(member) : 0;
}

uint32_t module::length(id composite) const {
    const instruction *d = def(composite);
    if (!d)
        return 0;
    if (d->op == spv::OpTypeArray)
        return constant_value(d->operand(1)).value_or(0);
    return d->op == spv::OpTypeVector || d->op == spv::OpTypeMatrix ? d->operand(1) : 0;
}

uint32_t module::int_width(id type) const {
    const instruction *d = def(type);
    while (d && (d->op == spv::OpTypeVector || d->op == spv::OpTypeMatrix))
        d = def(d->operand(0));
    return d && (d->op == spv::OpTypeInt || d->op == spv::OpTypeFloat) ? d->operand(0) : 0;
}

bool module::is_signed_int(id type) const {
    const instruction *d = def(type);
    return d && d->op == spv::OpTypeInt && d->operand(1) == 1;
}

bool module::is_opaque(id type) const {
    const instruction *d = def(type);
    while (d && (d->op == spv::OpTypeArray || d->op == spv::OpTypeRuntimeArray))
        d = def(d->operand(0));
    return d && (d->op == spv::OpTypeImage || d->op == spv::OpTypeSampler ||
                 d->op == spv::OpTypeSampledImage);
}

bool module::contains_opaque(id type) const {
    if (is_opaque(type))
        return true;
    const instruction *d = def(type);
    while (d && (d->op == spv::OpTypeArray || d->op == spv::OpTypeRuntimeArray)) {
        type = d->operand(0);
        d = def(type);
    }
    for (uint32_t i = 0; i < member_count(type); ++i)
        if (contains_opaque(member_type(type, i)))
            return true;
    return false;
}

// ---- constants ---------------------------------------------------------------------------------

id module::const_scalar(id type, std::vector<uint32_t> words) {
    return find_or_add(spv::OpConstant, type, std::move(words));
}
id module::const_u32(uint32_t value) {
    return const_scalar(type_int(32, false), {value});
}
id module::const_i32(int32_t value) {
    return const_scalar(type_int(32, true), {static_cast<uint32_t>(value)});
}
id module::const_f32(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return const_scalar(type_float(32), {bits});
}
id module::const_null(id type) {
    return find_or_add(spv::OpConstantNull, type, {});
}
id module::undef(id type) {
    return find_or_add(spv::OpUndef, type, {});
}

std::optional<uint32_t> module::constant_value(id constant) const {
    const instruction *d = def(constant);
    if (!d || type_op(d->type) != spv::OpTypeInt)
        return std::nullopt;
    if (d->op == spv::OpConstantNull)
        return 0;
    if (d->op != spv::OpConstant && d->op != spv::OpSpecConstant)
        return std::nullopt;
    return d->operand(0);
}

// ---- variables and capabilities -----------------------------------------------------------------

std::vector<id> module::variables(spv::StorageClass storage) const {
    std::vector<id> found;
    for (const instruction &inst : globals)
        if (inst.op == spv::OpVariable && inst.operand(0) == static_cast<uint32_t>(storage))
            found.push_back(inst.result);
    return found;
}

id module::add_variable(spv::StorageClass storage, id type, id initializer) {
    std::vector<uint32_t> operands = {static_cast<uint32_t>(storage)};
    if (initializer)
        operands.push_back(initializer);
    const id pointer = type_pointer(storage, type);
    return add_global(spv::OpVariable, pointer, std::move(operands));
}

id module::variable_type(id variable) const {
    const instruction *d = def(variable);
    return d ? pointee(d->type) : 0;
}

bool module::has_capability(spv::Capability c) const {
    for (const instruction &inst : capabilities)
        if (inst.operand(0) == static_cast<uint32_t>(c))
            return true;
    return false;
}

id module::glsl_std_450() {
    for (const instruction &inst : ext_imports)
        if (literal_string(inst, 0) == "GLSL.std.450")
            return inst.result;
    std::vector<uint32_t> name;
    append_literal_string(name, "GLSL.std.450");
    const id set = new_id();
    ext_imports.emplace_back(spv::OpExtInstImport, 0, set, name);
    return set;
}

void module::add_capability(spv::Capability c) {
    if (!has_capability(c))
        capabilities.emplace_back(spv::OpCapability, 0, 0,
                                  std::vector<uint32_t>{static_cast<uint32_t>(c)});
}

void module::remove_capability(spv::Capability c) {
    std::erase_if(capabilities, [&](const instruction &inst) {
        return inst.operand(0) == static_cast<uint32_t>(c);
    });
}

void module::add_extension(std::string_view text) {
    for (const instruction &inst : extensions)
        if (literal_string(inst, 0) == text)
            return;
    std::vector<uint32_t> words;
    append_literal_string(words, text);
    extensions.emplace_back(spv::OpExtension, 0, 0, std::move(words));
}

function *module::find_function(id result) {
    return const_cast<function *>(std::as_const(*this).find_function(result));
}

const function *module::find_function(id result) const {
    for (const function &f : functions)
        if (f.result() == result)
            return &f;
    return nullptr;
}

} // namespace spirv
