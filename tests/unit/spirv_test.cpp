// SPDX-License-Identifier: MIT
// Modules that a peer may send: parsing refuses what later walks could not survive.
#include <catch2/catch.hpp>

#include "spirv/module.h"
#include "spirv/rewrite.h"

namespace {

using words = std::vector<uint32_t>;

// A module with a memory model and these instructions, each {op, operands...}.
words module_of(const std::vector<words> &insts) {
    words out = {spv::MagicNumber, 0x00010000, 0, 16, 0};
    std::vector<words> all = {
        {spv::OpCapability, spv::CapabilityShader},
        {spv::OpMemoryModel, spv::AddressingModelLogical, spv::MemoryModelGLSL450}};
    all.insert(all.end(), insts.begin(), insts.end());
    for (const words &inst : all) {
        out.push_back(static_cast<uint32_t>(inst.size()) << 16 | inst[0]);
        out.insert(out.end(), inst.begin() + 1, inst.end());
    }
    return out;
}

bool parses(const std::vector<words> &insts) {
    return spirv::module::parse(module_of(insts)).has_value();
}

const words u32 = {spv::OpTypeInt, 1, 32, 0};
const words two = {spv::OpConstant, 1, 2, 2};

} // namespace

TEST_CASE("a type names only earlier types") {
    CHECK(parses({u32, two, {spv::OpTypeArray, 3, 1, 2}, {spv::OpTypeStruct, 4, 3, 1}}));
    CHECK_FALSE(parses({u32, two, {spv::OpTypeArray, 3, 3, 2}}));
    CHECK_FALSE(parses({u32, {spv::OpTypeStruct, 4, 5}, {spv::OpTypeStruct, 5, 4}}));
    CHECK_FALSE(parses({{spv::OpTypeVector, 3, 1, 4}, u32}));
}

TEST_CASE("a result has one definition") {
    CHECK_FALSE(parses({u32, two, {spv::OpTypeArray, 3, 1, 2}, {spv::OpTypeArray, 1, 3, 2}}));
    CHECK_FALSE(parses({u32, two, {spv::OpConstant, 1, 2, 3}}));
}

TEST_CASE("pointers may be named before they are declared") {
    CHECK(parses({u32,
                  {spv::OpTypeForwardPointer, 6, spv::StorageClassPhysicalStorageBuffer},
                  {spv::OpTypeStruct, 7, 1, 6},
                  {spv::OpTypePointer, 6, spv::StorageClassPhysicalStorageBuffer, 7}}));
}

TEST_CASE("an execution mode may be cut short") {
    const auto m = spirv::module::parse(module_of({{spv::OpExecutionMode, 1}}));
    REQUIRE(m);
    CHECK_FALSE(spirv::execution_mode(*m, spv::ExecutionModeInvocations));
}

TEST_CASE("lengths that do not fit are refused") {
    words cut = module_of({u32});
    cut.pop_back();
    CHECK_FALSE(spirv::module::parse(cut));
    words zero = module_of({u32});
    zero.push_back(spv::OpNop);
    CHECK_FALSE(spirv::module::parse(zero));
    CHECK_FALSE(parses({{spv::OpTypeInt, 99, 32, 0}})); // above the bound
}
