// SPDX-License-Identifier: MIT
// The module is the evaluation stage's with another body, so that types, names and locations of
// what it reads are the very same.
#include "drivers_common/pass_control.h"

#include <algorithm>
#include <span>

#include "spirv/rewrite.h"

namespace drivers_common {

namespace {

using spirv::id;
using spirv::module;

class control_writer {
  public:
    control_writer(module &m, uint32_t vertices, const control_levels &levels)
        : m_(m), c_(m), vertices_(vertices), levels_(levels) {}
    void write();

  private:
    bool per_vertex(id variable) const;
    bool has_block(id type) const;
    void pass(id variable);
    void copy(id from, id to, id type, std::vector<id> path);
    void write_levels();
    void write_level(spv::BuiltIn builtin, uint32_t member, id source, uint32_t count);
    void finish();

    module &m_;
    spirv::code c_;
    uint32_t vertices_;
    control_levels levels_;
    std::vector<id> interface_;
    id invocation_ = 0;
};

bool control_writer::per_vertex(id variable) const {
    const id type = m_.variable_type(variable);
    id element = type;
    while (m_.type_op(element) == spv::OpTypeArray)
        element = m_.element_type(element);
    bool patch = m_.has_decoration(variable, spv::DecorationPatch);
    for (uint32_t i = 0; i < m_.member_count(element); ++i)
        patch |= m_.has_member_decoration(element, i, spv::DecorationPatch);
    return !patch && m_.type_op(type) == spv::OpTypeArray &&
           !m_.has_decoration(variable, spv::DecorationBuiltIn);
}

bool control_writer::has_block(id type) const {
    while (m_.type_op(type) == spv::OpTypeArray)
        type = m_.element_type(type);
    return m_.has_decoration(type, spv::DecorationBlock);
}

// Blocks are not values: their members are.
void control_writer::copy(id from, id to, id type, std::vector<id> path) {
    const bool block = has_block(type), array = m_.type_op(type) == spv::OpTypeArray;
    if (!block) {
        const id value = c_.load(type, c_.access(spv::StorageClassInput, type, from, path));
        c_.store(c_.access(spv::StorageClassOutput, type, to, path), value);
        return;
    }
    const uint32_t count = array ? m_.length(type) : m_.member_count(type);
    for (uint32_t i = 0; i < count; ++i) {
        path.push_back(m_.const_i32(static_cast<int32_t>(i)));
        copy(from, to, array ? m_.element_type(type) : m_.member_type(type, i), path);
        path.pop_back();
    }
}

void control_writer::pass(id variable) {
    const id element = m_.element_type(m_.variable_type(variable));
    const id out = m_.add_variable(spv::StorageClassOutput, m_.new_array_type(element, vertices_));
    m_.copy_decorations(variable, out);
    interface_.push_back(variable);
    interface_.push_back(out);
    copy(variable, out, element, {invocation_});
}

void control_writer::write_level(spv::BuiltIn builtin, uint32_t member, id source, uint32_t count) {
    const id f = m_.type_float(32);
    const id out = m_.add_variable(spv::StorageClassOutput, m_.new_array_type(f, count));
    m_.set_decoration(out, spv::DecorationBuiltIn, builtin);
    m_.set_decoration(out, spv::DecorationPatch);
    interface_.push_back(out);
    for (uint32_t i = 0; i < count; ++i) {
        const id k = m_.const_i32(static_cast<int32_t>(i));
        const id value = c_.load(f, c_.access(spv::StorageClassPushConstant, f, source,
                                              {m_.const_i32(static_cast<int32_t>(member)), k}));
        c_.store(c_.access(spv::StorageClassOutput, f, out, {k}), value);
    }
}

void control_writer::write_levels() {
    const id f = m_.type_float(32);
    const id four = m_.type_vector(f, 4);
    const id block = m_.new_struct_type({four, four});
    m_.set_decoration(block, spv::DecorationBlock);
    m_.set_member_decoration(block, 0, spv::DecorationOffset, levels_.outer_offset);
    m_.set_member_decoration(block, 1, spv::DecorationOffset, levels_.inner_offset);
    m_.set_member_name(block, 0, "outer");
    m_.set_member_name(block, 1, "inner");
    const id source = m_.add_variable(spv::StorageClassPushConstant, block);
    m_.set_name(source, levels_.name);
    write_level(spv::BuiltInTessLevelOuter, 0, source, 4);
    write_level(spv::BuiltInTessLevelInner, 1, source, 2);
}

void control_writer::finish() {
    const spirv::function *evaluation = m_.find_function(spirv::entry_function(m_));
    const id nothing = evaluation->insts.front().type,
             signature = evaluation->insts.front().operand(1);
    const id main = m_.new_id(), label = m_.new_id();
    spirv::function f;
    f.insts.emplace_back(spv::OpFunction, nothing, main, std::vector<uint32_t>{0, signature});
    f.insts.emplace_back(spv::OpLabel, 0, label);
    f.insts.insert(f.insts.end(), c_.out.begin(), c_.out.end());
    f.insts.emplace_back(spv::OpReturn, 0, 0);
    f.insts.emplace_back(spv::OpFunctionEnd, 0, 0);
    m_.functions.push_back(std::move(f)); // the evaluation stage's go below
    m_.execution_modes.clear();
    spirv::instruction &entry = m_.entry_points.front();
    entry.operands[0] = spv::ExecutionModelTessellationControl;
    entry.operands[1] = main;
    spirv::remove_dead_functions(m_);
    spirv::set_execution_mode(m_, spv::ExecutionModeOutputVertices, {vertices_});
    spirv::set_interface(m_, interface_);
    spirv::remove_dead_globals(m_, {});
}

void control_writer::write() {
    const id type = m_.type_int(32, true);
    const id variable = m_.add_variable(spv::StorageClassInput, type);
    m_.set_decoration(variable, spv::DecorationBuiltIn, spv::BuiltInInvocationId);
    std::vector<id> inputs = m_.variables(spv::StorageClassInput);
    std::erase_if(inputs, [&](id v) { return !per_vertex(v); });
    interface_.push_back(variable);
    invocation_ = c_.load(type, variable);
    for (const id v : inputs)
        pass(v);
    write_levels();
    finish();
}

const pipe_archive_stage *evaluation(const pipe_shader_archive &archive) {
    for (const pipe_archive_stage &s : archive.stages)
        if (s.stage == PIPE_SHADER_TESS_EVAL && !s.spirv.empty())
            return &s;
    return nullptr;
}

} // namespace

bool lacks_control(const pipe_shader_archive &archive) {
    return (archive.stage_mask & 1u << PIPE_SHADER_TESS_EVAL) &&
           !(archive.stage_mask & 1u << PIPE_SHADER_TESS_CTRL);
}

pipe_archive_stage pass_control_stage(const pipe_shader_archive &archive, uint32_t vertices,
                                      const control_levels &levels) {
    pipe_archive_stage out{};
    out.stage = PIPE_SHADER_TESS_CTRL;
    const pipe_archive_stage *eval = evaluation(archive);
    auto m = eval ? module::parse(std::span(eval->spirv.data(), eval->spirv.size())) : std::nullopt;
    if (!m || !m->find_function(spirv::entry_function(*m)))
        return out;
    control_writer(*m, std::clamp(vertices, 1u, 32u), levels).write();
    out.spirv = m->write();
    return out;
}

} // namespace drivers_common
