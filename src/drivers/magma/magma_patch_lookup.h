// SPDX-License-Identifier: MIT
// Texture look-ups in a module, and the sampler slot that each goes through.
#pragma once

#include "spirv/module.h"

#include <optional>
#include <unordered_map>

namespace magma {

struct lookup {
    bool implicit = false, dref = false, proj = false, gather = false;
    bool fetch = false; // of an image, no sampled image
};

// Nullopt: the instruction gives no texels.
std::optional<lookup> lookup_of(spv::Op op);

// Follows look-ups of one function back to what they sample. Points into both arguments.
class lookup_tracer {
  public:
    lookup_tracer(const spirv::module &m, const spirv::function &f);
    spirv::id type_of(spirv::id value) const;
    // The sampler slot that a sampled image, or the image of one, was loaded from; nullopt: cannot
    // be said (a sampler in a parameter, an index that varies). Bindings are still the pipe's.
    std::optional<uint32_t> slot_of(spirv::id sampled) const;

  private:
    const spirv::instruction *def(spirv::id value) const;

    const spirv::module &m_;
    std::unordered_map<spirv::id, const spirv::instruction *> defs_;
};

} // namespace magma
