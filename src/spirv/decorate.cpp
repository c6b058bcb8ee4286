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

const std::vector<uint32_t> &module::target_index::find(const std::vector<instruction> &list,
                                                        id target, int64_t member) {
    const auto key = [](id of, int64_t k) { return uint64_t(of) << 32 | uint32_t(k + 1); };
    if (list.size() < size)
        forget();
    for (; size < list.size(); ++size) {
        const instruction &inst = list[size];
        const bool of_member = inst.op == spv::OpMemberName || inst.op == spv::OpMemberDecorate;
        if (inst.operands.size() > of_member)
            at[key(inst.operand(0), of_member ? int64_t(inst.operand(1)) : -1)].push_back(
                static_cast<uint32_t>(size));
    }
    static const std::vector<uint32_t> none;
    const auto found = at.find(key(target, member));
    return found == at.end() ? none : found->second;
}

const instruction *module::find_name(id target) const {
    for (uint32_t i : names_.find(debug, target))
        if (is_name(debug[i], target))
            return &debug[i];
    return nullptr;
}

const instruction *module::find_member_name(id target, uint32_t member) const {
    for (uint32_t i : names_.find(debug, target, member))
        if (is_member_name(debug[i], target, member))
            return &debug[i];
    return nullptr;
}

const instruction *module::find_decoration(id target, spv::Decoration d) const {
    for (uint32_t i : notes_.find(annotations, target))
        if (decorates(annotations[i], target, d))
            return &annotations[i];
    return nullptr;
}

const instruction *module::find_decoration(id target, uint32_t member, spv::Decoration d) const {
    for (uint32_t i : notes_.find(annotations, target, member))
        if (decorates_member(annotations[i], target, member, d))
            return &annotations[i];
    return nullptr;
}

std::string module::name(id target) const {
    const instruction *inst = find_name(target);
    return inst ? literal_string(*inst, 1) : std::string();
}

std::string module::member_name(id struct_type, uint32_t member) const {
    const instruction *inst = find_member_name(struct_type, member);
    return inst ? literal_string(*inst, 2) : std::string();
}

void module::set_name(id target, std::string_view text) {
    std::vector<uint32_t> words = {target};
    append_literal_string(words, text);
    if (const instruction *known = find_name(target))
        debug[static_cast<size_t>(known - debug.data())].operands = std::move(words);
    else
        debug.emplace_back(spv::OpName, 0, 0, std::move(words));
}

void module::set_member_name(id struct_type, uint32_t member, std::string_view text) {
    std::vector<uint32_t> words = {struct_type, member};
    append_literal_string(words, text);
    if (const instruction *known = find_member_name(struct_type, member))
        debug[static_cast<size_t>(known - debug.data())].operands = std::move(words);
    else
        debug.emplace_back(spv::OpMemberName, 0, 0, std::move(words));
}

bool module::has_decoration(id target, spv::Decoration d) const {
    return find_decoration(target, d);
}

bool module::has_member_decoration(id target, uint32_t member, spv::Decoration d) const {
    return find_decoration(target, member, d);
}

std::optional<uint32_t> module::decoration(id target, spv::Decoration d) const {
    const instruction *inst = find_decoration(target, d);
    return inst && inst->operands.size() > 2 ? std::optional(inst->operands[2]) : std::nullopt;
}

std::optional<uint32_t> module::member_decoration(id target, uint32_t member,
                                                  spv::Decoration d) const {
    const instruction *inst = find_decoration(target, member, d);
    return inst && inst->operands.size() > 3 ? std::optional(inst->operands[3]) : std::nullopt;
}

void module::set_decoration(id target, spv::Decoration d) {
    if (!has_decoration(target, d))
        annotations.emplace_back(spv::OpDecorate, 0, 0,
                                 std::vector<uint32_t>{target, static_cast<uint32_t>(d)});
}

void module::set_decoration(id target, spv::Decoration d, uint32_t value) {
    const instruction *known = find_decoration(target, d);
    if (known && known->operands.size() > 2)
        annotations[static_cast<size_t>(known - annotations.data())].operands[2] = value;
    else
        annotations.emplace_back(spv::OpDecorate, 0, 0,
                                 std::vector<uint32_t>{target, static_cast<uint32_t>(d), value});
}

void module::set_member_decoration(id target, uint32_t member, spv::Decoration d) {
    if (!has_member_decoration(target, member, d))
        annotations.emplace_back(spv::OpMemberDecorate, 0, 0,
                                 std::vector<uint32_t>{target, member, static_cast<uint32_t>(d)});
}

void module::set_member_decoration(id target, uint32_t member, spv::Decoration d, uint32_t value) {
    const instruction *known = find_decoration(target, member, d);
    if (known && known->operands.size() > 3)
        annotations[static_cast<size_t>(known - annotations.data())].operands[3] = value;
    else
        annotations.emplace_back(
            spv::OpMemberDecorate, 0, 0,
            std::vector<uint32_t>{target, member, static_cast<uint32_t>(d), value});
}

void module::remove_decoration(id target, spv::Decoration d) {
    if (!find_decoration(target, d))
        return;
    notes_.forget();
    std::erase_if(annotations, [&](const instruction &inst) { return decorates(inst, target, d); });
}

void module::remove_member_decoration(id target, uint32_t member, spv::Decoration d) {
    if (!find_decoration(target, member, d))
        return;
    notes_.forget();
    std::erase_if(annotations, [&](const instruction &inst) {
        return decorates_member(inst, target, member, d);
    });
}

void module::remove_all_decorations(spv::Decoration d) {
    notes_.forget();
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
    const std::vector<uint32_t> places = notes_.find(annotations, from); // a copy: the list grows
    for (uint32_t i : places)
        if (annotations[i].op == spv::OpDecorate) {
            instruction copy = annotations[i];
            copy.operands[0] = to;
            annotations.push_back(std::move(copy));
        }
}

} // namespace spirv
