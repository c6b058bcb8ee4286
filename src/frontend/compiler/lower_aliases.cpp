// SPDX-License-Identifier: MIT
// Variables that share a location by intent: their components may not hold different kinds of
// numbers (GLSL 4.60, 4.4.1).
#include "compiler/io.h"

namespace compiler {
namespace {

struct Located {
    std::string name;
    uint32_t first, count;
    const Type *value; // a struct: null
    bool patch;
};

void add(const Type &t, const std::string &name, uint32_t location, bool patch,
         std::vector<Located> &out) {
    const Type &value = innermost(t);
    out.push_back({name, location, location_count(t, false),
                   value.kind == Type::Kind::value ? &value : nullptr, patch});
}

std::vector<Located> locate(const Stage &s, const std::vector<IoVar> &vars) {
    std::vector<Located> found;
    for (const IoVar &v : vars) {
        if (!v.explicit_location)
            continue;
        if (!v.block) {
            add(*v.type, v.name, static_cast<uint32_t>(v.location), v.patch, found);
            continue;
        }
        spirv::id block = s.m.variable_type(v.variable);
        while (s.m.type_op(block) == spv::OpTypeArray)
            block = s.m.element_type(block);
        const Type &type = innermost(*v.type);
        for (uint32_t i = 0; i < type.members.size(); ++i)
            if (const auto at = s.m.member_decoration(block, i, spv::DecorationLocation))
                add(*type.members[i].type, type.members[i].name, *at, v.patch, found);
    }
    return found;
}

/// Floats of 32 bits, floats of 64 bits, integers of 32 bits, ...
int kind_of(const Type &t) {
    switch (t.base) {
    case Type::Base::f32: return 0;
    case Type::Base::f64: return 1;
    case Type::Base::i64:
    case Type::Base::u64: return 2;
    default: return 3;
    }
}

bool alike(const Located &a, const Located &b) {
    return a.value && b.value && kind_of(*a.value) == kind_of(*b.value);
}

} // namespace

void check_aliases(Lowering &l, const Stage &s, const std::vector<IoVar> &vars) {
    const std::vector<Located> at = locate(s, vars);
    for (size_t i = 0; i < at.size(); ++i)
        for (size_t k = 0; k < i; ++k)
            if (at[i].patch == at[k].patch && at[i].first < at[k].first + at[k].count &&
                at[k].first < at[i].first + at[i].count && !alike(at[i], at[k]))
                l.error("'%s' and '%s' of the %s shader share a location and have different kinds "
                        "of components",
                        at[k].name.c_str(), at[i].name.c_str(), stage_name(s.type));
}

bool same_places(const Stage &a, const IoVar &out, const Stage &b, const IoVar &in) {
    const auto block = [](const Stage &s, const IoVar &v) {
        spirv::id type = s.m.variable_type(v.variable);
        while (s.m.type_op(type) == spv::OpTypeArray)
            type = s.m.element_type(type);
        return type;
    };
    const spirv::id x = block(a, out), y = block(b, in);
    for (uint32_t i = 0; i < std::min(a.m.member_count(x), b.m.member_count(y)); ++i)
        for (spv::Decoration d : {spv::DecorationLocation, spv::DecorationComponent})
            if (a.m.member_decoration(x, i, d).value_or(0) !=
                b.m.member_decoration(y, i, d).value_or(0))
                return false;
    return true;
}

} // namespace compiler
