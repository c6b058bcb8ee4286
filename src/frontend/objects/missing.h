// SPDX-License-Identifier: MIT
// What a driver's caps do not let this frontend offer, for `mgpipe info --missing`.
#pragma once

#include "objects/capabilities.h"

#include <string>
#include <vector>

namespace gl {

struct MissingFeature {
    std::string name;      // of the extension, else of the feature
    std::vector<int> caps; // pipe_cap, those that lack; empty: not written here, or a format
};

// Sorted by name. Pure function of its arguments.
std::vector<MissingFeature> missing_features(const pipe_caps &caps, const Capabilities &offered);

} // namespace gl
