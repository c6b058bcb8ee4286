// SPDX-License-Identifier: MIT
// Look-ups and where they lead; see magma_patch_lookup.h.
#include "magma_patch_lookup.h"

namespace magma {

using spirv::id;
using spirv::instruction;

std::optional<lookup> lookup_of(spv::Op op) {
    switch (op) {
    case spv::OpImageSampleImplicitLod: return lookup{.implicit = true};
    case spv::OpImageSampleExplicitLod: return lookup{};
    case spv::OpImageSampleDrefImplicitLod: return lookup{.implicit = true, .dref = true};
    case spv::OpImageSampleDrefExplicitLod: return lookup{.dref = true};
    case spv::OpImageSampleProjImplicitLod: return lookup{.implicit = true, .proj = true};
    case spv::OpImageSampleProjExplicitLod: return lookup{.proj = true};
    case spv::OpImageSampleProjDrefImplicitLod:
        return lookup{.implicit = true, .dref = true, .proj = true};
    case spv::OpImageSampleProjDrefExplicitLod: return lookup{.dref = true, .proj = true};
    case spv::OpImageGather: return lookup{.gather = true};
    case spv::OpImageDrefGather: return lookup{.dref = true, .gather = true};
    case spv::OpImageFetch: return lookup{.fetch = true};
    default: return std::nullopt;
    }
}

lookup_tracer::lookup_tracer(const spirv::module &m, const spirv::function &f) : m_(m) {
    for (const instruction &inst : f.insts)
        if (inst.result)
            defs_[inst.result] = &inst;
}

const instruction *lookup_tracer::def(id value) const {
    auto it = defs_.find(value);
    return it != defs_.end() ? it->second : nullptr;
}

id lookup_tracer::type_of(id value) const {
    const instruction *inst = def(value);
    return inst ? inst->type : m_.type_of(value);
}

std::optional<uint32_t> lookup_tracer::slot_of(id sampled) const {
    const instruction *inst = def(sampled);
    if (inst && inst->op == spv::OpImage)
        inst = def(inst->operand(0));
    if (!inst || inst->op != spv::OpLoad)
        return std::nullopt;
    id pointer = inst->operand(0);
    uint32_t element = 0;
    if (const instruction *chain = def(pointer)) {
        if (chain->op != spv::OpAccessChain && chain->op != spv::OpInBoundsAccessChain)
            return std::nullopt;
        pointer = chain->operand(0);
        id type = m_.variable_type(pointer);
        for (size_t k = 1; k < chain->operands.size(); ++k) {
            auto index = m_.constant_value(chain->operand(k));
            if (!index)
                return std::nullopt;
            element = element * m_.length(type) + *index;
            type = m_.element_type(type);
        }
    }
    auto binding = m_.decoration(pointer, spv::DecorationBinding);
    return binding ? std::optional(*binding + element) : std::nullopt;
}

} // namespace magma
