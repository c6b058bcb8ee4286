// SPDX-License-Identifier: MIT
// GL uniform locations: explicit ones first, then each array takes as many as it has elements.
#include "compiler/lower.h"

namespace compiler {
namespace {

class LocationMap {
  public:
    bool take(uint32_t first, uint32_t count) {
        if (taken_.size() < first + count)
            taken_.resize(first + count, false);
        for (uint32_t i = first; i < first + count; ++i) {
            if (taken_[i])
                return false;
            taken_[i] = true;
        }
        return true;
    }
    uint32_t find(uint32_t count) {
        for (uint32_t first = next_;; ++first) {
            bool free = true;
            for (uint32_t i = first; i < first + count && free; ++i)
                free = i >= taken_.size() || !taken_[i];
            if (free) {
                take(first, count);
                next_ = first + count;
                return first;
            }
        }
    }

  private:
    std::vector<bool> taken_;
    uint32_t next_ = 0;
};

/// The part of a GL name before the first '.' or '[': the variable.
std::string root_name(const std::string &name) {
    return name.substr(0, name.find_first_of(".["));
}

struct Slot {
    std::string name;
    uint32_t count;
    int32_t explicit_location;
    int32_t *location;
};

void place_explicit(Lowering &l, LocationMap &map, const std::string &name, uint32_t first,
                    uint32_t count) {
    if (first + count > static_cast<uint32_t>(l.options.limits.uniform_locations))
        l.error("uniform '%s' lies beyond GL_MAX_UNIFORM_LOCATIONS", name.c_str());
    else if (!map.take(first, count))
        l.error("uniform '%s' overlaps another one at location %u", name.c_str(), first);
}

} // namespace

uint32_t uniform_locations(const Type &t) {
    uint32_t n = 0;
    switch (t.kind) {
    case Type::Kind::array: return std::max(t.length, 1u) * uniform_locations(*t.element);
    case Type::Kind::structure:
        for (const Type::Member &m : t.members)
            n += uniform_locations(*m.type);
        return n;
    default: return 1;
    }
}

void assign_uniform_locations(Lowering &l) {
    std::vector<Slot> slots;
    for (pipe_archive_member &m : l.archive.members)
        if (m.block == 0xffffffffu && m.name.rfind("gl_", 0) != 0)
            slots.push_back({m.name, std::max(m.array_size, 1u), m.explicit_location, &m.location});
    for (pipe_archive_opaque &o : l.archive.opaques)
        if (o.cls != PIPE_SLOT_ATOMIC_BUFFER)
            slots.push_back({o.name, o.array_size, o.explicit_location, &o.location});
    LocationMap map;
    std::map<std::string, uint32_t> next; // of explicitly placed variables
    for (const Slot &s : slots) {
        if (s.explicit_location < 0)
            continue;
        const std::string root = root_name(s.name);
        const auto [it, fresh] = next.emplace(root, static_cast<uint32_t>(s.explicit_location));
        const uint32_t first = it->second;
        it->second += s.count;
        place_explicit(l, map, s.name, first, s.count);
        *s.location = static_cast<int32_t>(first);
    }
    for (const InactiveUniform &u : l.inactive)
        place_explicit(l, map, u.name, u.location, u.count);
    if (l.failed)
        return;
    for (const Slot &s : slots)
        if (s.explicit_location < 0)
            *s.location = static_cast<int32_t>(map.find(s.count));
}

} // namespace compiler
