// SPDX-License-Identifier: MIT
// Names and decorations of a module.
#include "spirv/module.h"

namespace spirv {
namespace {

bool is_name(const instruction &inst, id target) {
    return inst.op == spv::OpName && inst.operand(0) == target;
}

bool is_member_name(const instruction &inst, id target, uint32_t member) {
    return inst.op == spv::OpMemberName && inst.operand(0) == target && inst.operand(1) == member;
}

bool decorates(const instruction &inst, id target, spv::Decoration d) {
    return inst.op == spv::OpDecorate && inst.operand(0) == target &&
           inst.operand(1) == static_cast<uint32_t>(d);
}

bool decorates_member(const instruction &inst, id target, uint32_t member, spv::Decoration d) {
    return inst.op == spv::OpMemberDecorate && inst.operand(0) == target &&
           inst.operand(1) == member && inst.operand(2) == static_cast<uint32_t>(d);
}

} // namespace

std::string module::name(id target) const {
    for (const instruction &inst : debug)
        if (is_name(inst, target))
            return literal_string(inst, 1);
    return {};
}

std::string module::member_name(id struct_type, uint32_t member) const {
    for (const instruction &inst : debug)
        if (is_member_name(inst, struct_type, member))
            return literal_string(inst, 2);
    return {};
}

void module::set_name(id target, std::string_view text) {
    std::erase_if(debug, [&](const instruction &inst) { return is_name(inst, target); });
    std::vector<uint32_t> words = {target};
    append_literal_string(words, text);
    debug.emplace_back(spv::OpName, 0, 0, std::move(words));
}

void module::set_member_name(id struct_type, uint32_t member, std::string_view text) {
    std::erase_if(
        debug, [&](const instruction &inst) { return is_member_name(inst, struct_type, member); });
    std::vector<uint32_t> words = {struct_type, member};
    append_literal_string(words, text);
    debug.emplace_back(spv::OpMemberName, 0, 0, std::move(words));
}

bool module::has_decoration(id target, spv::Decoration d) const {
    for (const instruction &inst : annotations)
        if (decorates(inst, target, d))
            return true;
    return false;
}

bool module::has_member_decoration(id target, uint32_t member, spv::Decoration d) const {
    for (const instruction &inst : annotations)
        if (decorates_member(inst, target, member, d))
            return true;
    return false;
}

std::optional<uint32_t> module::decoration(id target, spv::Decoration d) const {
    for (const instruction &inst : annotations)
        if (decorates(inst, target, d) && inst.operands.size() > 2)
            return inst.operands[2];
    return std::nullopt;
}

std::optional<uint32_t> module::member_decoration(id target, uint32_t member,
                                                  spv::Decoration d) const {
    for (const instruction &inst : annotations)
        if (decorates_member(inst, target, member, d) && inst.operands.size() > 3)
            return inst.operands[3];
    return std::nullopt;
}

void module::set_decoration(id target, spv::Decoration d) {
    if (!has_decoration(target, d))
        annotations.emplace_back(spv::OpDecorate, 0, 0,
                                 std::vector<uint32_t>{target, static_cast<uint32_t>(d)});
}

void module::set_decoration(id target, spv::Decoration d, uint32_t value) {
    for (instruction &inst : annotations)
        if (decorates(inst, target, d) && inst.operands.size() > 2) {
            inst.operands[2] = value;
            return;
        }
    annotations.emplace_back(spv::OpDecorate, 0, 0,
                             std::vector<uint32_t>{target, static_cast<uint32_t>(d), value});
}

void module::set_member_decoration(id target, uint32_t member, spv::Decoration d) {
    if (!has_member_decoration(target, member, d))
        annotations.emplace_back(spv::OpMemberDecorate, 0, 0,
                                 std::vector<uint32_t>{target, member, static_cast<uint32_t>(d)});
}

void module::set_member_decoration(id target, uint32_t member, spv::Decoration d, uint32_t value) {
    for (instruction &inst : annotations)
        if (decorates_member(inst, target, member, d) && inst.operands.size() > 3) {
            inst.operands[3] = value;
            return;
        }
    annotations.emplace_back(
        spv::OpMemberDecorate, 0, 0,
        std::vector<uint32_t>{target, member, static_cast<uint32_t>(d), value});
}

void module::remove_decoration(id target, spv::Decoration d) {
    std::erase_if(annotations, [&](const instruction &inst) { return decorates(inst, target, d); });
}

void module::remove_member_decoration(id target, uint32_t member, spv::Decoration d) {
    std::erase_if(annotations, [&](const instruction &inst) {
        return decorates_member(inst, target, member, d);
    });
}

void module::remove_all_decorations(spv::Decoration d) {
    std::erase_if(annotations, [&](const instruction &inst) {
        return (inst.op == spv::OpDecorate && inst.operand(1) == static_cast<uint32_t>(d)) ||
               (inst.op == spv::OpMemberDecorate && inst.operand(2) == static_cast<uint32_t>(d));
    });
}

void module::for_each_decoration(const std::function<void(decoration_target, spv::Decoration,
                                                          std::span<const uint32_t>)> &fn) const {
    for (const instruction &inst : annotations) {
        const std::span<const uint32_t> words(inst.operands);
        if (inst.op == spv::OpDecorate && words.size() >= 2)
            fn({words[0], -1}, static_cast<spv::Decoration>(words[1]), words.subspan(2));
        else if (inst.op == spv::OpMemberDecorate && words.size() >= 3)
            fn({words[0], static_cast<int32_t>(words[1])}, static_cast<spv::Decoration>(words[2]),
               words.subspan(3));
    }
}

void module::copy_decorations(id from, id to) {
    const size_t count = annotations.size();
    for (size_t i = 0; i < count; ++i)
        if (annotations[i].op == spv::OpDecorate && annotations[i].operand(0) == from) {
            instruction copy = annotations[i];
            copy.operands[0] = to;
            annotations.push_back(std::move(copy));
        }
}

} // namespace spirv
