// SPDX-License-Identifier: MIT
// Rectangle textures as 2D textures.
#include "magma_patch_image.h"

#include "spirv/rewrite.h"

#include <algorithm>
#include <map>
#include <set>

namespace magma {

namespace {

using spirv::id;
using spirv::instruction;
using spirv::module;

bool samples(spv::Op op) {
    switch (op) {
    case spv::OpImageSampleImplicitLod:
    case spv::OpImageSampleExplicitLod:
    case spv::OpImageSampleDrefImplicitLod:
    case spv::OpImageSampleDrefExplicitLod:
    case spv::OpImageSampleProjImplicitLod:
    case spv::OpImageSampleProjExplicitLod:
    case spv::OpImageSampleProjDrefImplicitLod:
    case spv::OpImageSampleProjDrefExplicitLod:
    case spv::OpImageGather:
    case spv::OpImageDrefGather:
    case spv::OpImageQueryLod: return true;
    default: return false;
    }
}

// Types that became equal by the change are merged: SPIR-V allows each non-aggregate type once.
void merge_types(module &m) {
    for (bool again = true; again;) {
        again = false;
        std::map<std::pair<uint32_t, std::vector<uint32_t>>, id> seen;
        std::vector<id> gone;
        for (const instruction &g : m.globals) {
            if (g.op != spv::OpTypeImage && g.op != spv::OpTypeSampledImage &&
                g.op != spv::OpTypePointer)
                continue;
            auto [it, fresh] = seen.emplace(std::make_pair(uint32_t(g.op), g.operands), g.result);
            if (!fresh) {
                spirv::replace_uses(m, g.result, it->second);
                gone.push_back(g.result);
                again = true;
                break;
            }
        }
        spirv::remove_globals(m, gone);
    }
}

void patch_function(module &m, spirv::function &f, const std::set<id> &rect_images,
                    const std::set<id> &rect_sampled) {
    std::map<id, id> types; // value -> type, for values of this function
    for (const instruction &inst : f.insts)
        if (inst.result)
            types[inst.result] = inst.type;
    id f32 = m.type_float(32), i32 = m.type_int(32, true);
    id vec2 = m.type_vector(f32, 2), ivec2 = m.type_vector(i32, 2);
    std::vector<instruction> out;
    out.reserve(f.insts.size() + 16);
    for (instruction &inst : f.insts) {
        auto type_of = [&](id v) { return types.count(v) ? types[v] : m.type_of(v); };
        if (samples(inst.op) && rect_sampled.count(type_of(inst.operand(0)))) {
            id sampled_type = type_of(inst.operand(0));
            id image_type = m.def(sampled_type)->operand(0);
            spirv::code c(m);
            id image = c.emit(spv::OpImage, image_type, {inst.operand(0)});
            id size = c.emit(spv::OpImageQuerySizeLod, ivec2, {image, m.const_i32(0)});
            id real = c.emit(spv::OpConvertSToF, vec2, {size});
            id coord = inst.operand(1), coord_type = type_of(coord);
            uint32_t n = std::max(m.length(coord_type), 2u);
            id xy = coord;
            if (n > 2)
                xy = c.emit(spv::OpVectorShuffle, vec2, {coord, coord, 0, 1});
            id scaled = c.emit(spv::OpFDiv, vec2, {xy, real});
            if (n > 2) {
                std::vector<uint32_t> shuffle = {coord, scaled, n, n + 1};
                for (uint32_t k = 2; k < n; ++k)
                    shuffle.push_back(k);
                scaled = c.emit(spv::OpVectorShuffle, coord_type, shuffle);
            }
            inst.operands[1] = scaled;
            out.insert(out.end(), c.out.begin(), c.out.end());
            m.add_capability(spv::CapabilityImageQuery);
        } else if (inst.op == spv::OpImageQuerySize &&
                   rect_images.count(type_of(inst.operand(0)))) {
            inst.op = spv::OpImageQuerySizeLod;
            inst.operands.push_back(m.const_i32(0));
            m.add_capability(spv::CapabilityImageQuery);
        }
        out.push_back(std::move(inst));
    }
    f.insts = std::move(out);
}

} // namespace

void patch_rectangles(module &m) {
    std::set<id> images, sampled;
    bool store = false;
    for (instruction &g : m.globals)
        if (g.op == spv::OpTypeImage && g.operand(1) == spv::DimRect) {
            images.insert(g.result);
            store |= g.operand(5) == 2;
            g.operands[1] = spv::Dim2D;
        }
    if (images.empty())
        return;
    for (const instruction &g : m.globals)
        if (g.op == spv::OpTypeSampledImage && images.count(g.operand(0)))
            sampled.insert(g.result);
    // Storage images keep integer coordinates and are queried without a level.
    std::set<id> queried = images;
    if (store)
        for (const instruction &g : m.globals)
            if (g.op == spv::OpTypeImage && g.operand(5) == 2)
                queried.erase(g.result);
    for (spirv::function &f : m.functions)
        patch_function(m, f, queried, sampled);
    m.remove_capability(spv::CapabilitySampledRect);
    m.remove_capability(spv::CapabilityImageRect);
    m.add_capability(spv::CapabilityShader);
    m.reindex();
    merge_types(m);
    m.reindex();
}

} // namespace magma
