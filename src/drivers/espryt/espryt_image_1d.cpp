// SPDX-License-Identifier: MIT
#include "espryt_image_1d.h"

#include <set>
#include <span>

#include "spirv/rewrite.h"

namespace espryt {

namespace {

using spirv::id;
using spirv::module;

struct widener {
    module &m;
    std::set<id> plain, arrayed; // types, before they were changed

    bool wide(id type) const { return plain.count(type) || arrayed.count(type); }

    bool change_types() {
        for (spirv::instruction &inst : m.globals) {
            if (inst.op != spv::OpTypeImage || inst.operand(1) != spv::Dim1D ||
                inst.operand(5) != 2)
                continue;
            (inst.operand(3) ? arrayed : plain).insert(inst.result);
            inst.operands[1] = spv::Dim2D;
        }
        return !plain.empty() || !arrayed.empty();
    }

    // x -> (x, 0), (x, layer) -> (x, 0, layer)
    id coordinate(spirv::code &c, id image_type, id at, id type) {
        const bool array = arrayed.count(image_type) != 0;
        const id scalar = array ? m.element_type(type) : type;
        const id zero = m.const_null(scalar);
        if (!array)
            return c.construct(m.type_vector(scalar, 2), {at, zero});
        const id x = c.extract(scalar, at, {0}), layer = c.extract(scalar, at, {1});
        return c.construct(m.type_vector(scalar, 3), {x, zero, layer});
    }

    // The size without the height.
    void query(spirv::code &c, const spirv::instruction &inst, id image_type) {
        const bool array = arrayed.count(image_type) != 0;
        const id scalar = array ? m.element_type(inst.type) : inst.type;
        const id size =
            c.emit(spv::OpImageQuerySize, m.type_vector(scalar, array ? 3 : 2), {inst.operand(0)});
        const id x = c.extract(scalar, size, {0});
        if (array)
            c.construct(inst.type, {x, c.extract(scalar, size, {2})});
        c.out.back().result = inst.result;
    }

    void change(spirv::function &f) {
        std::unordered_map<id, id> types;
        spirv::code c(m);
        for (spirv::instruction &inst : f.insts) {
            if (inst.result)
                types[inst.result] = inst.type;
            const auto type_of = [&](id value) {
                const auto at = types.find(value);
                return at != types.end() ? at->second : m.type_of(value);
            };
            const bool access = inst.op == spv::OpImageRead || inst.op == spv::OpImageWrite,
                       pointer = inst.op == spv::OpImageTexelPointer;
            if (access || pointer) {
                id image = type_of(inst.operand(0));
                if (pointer)
                    image = m.pointee(image);
                if (wide(image))
                    inst.operands[1] =
                        coordinate(c, image, inst.operand(1), type_of(inst.operand(1)));
            } else if (inst.op == spv::OpImageQuerySize && wide(type_of(inst.operand(0)))) {
                query(c, inst, type_of(inst.operand(0)));
                continue;
            }
            c.out.push_back(std::move(inst));
        }
        f.insts = std::move(c.out);
    }
};

bool has_images_1d(const std::vector<uint32_t> &words) {
    for (size_t at = 5; at < words.size() && words[at] >> 16; at += words[at] >> 16)
        if ((words[at] & 0xffff) == spv::OpTypeImage && words[at] >> 16 >= 9 &&
            words[at + 3] == spv::Dim1D && words[at + 7] == 2)
            return true;
    return false;
}

} // namespace

void widen_images(std::vector<uint32_t> &words) {
    if (!has_images_1d(words))
        return;
    auto m = module::parse(std::span<const uint32_t>(words.data(), words.size()));
    if (!m)
        return;
    widener w{*m, {}, {}};
    if (!w.change_types())
        return;
    for (spirv::function &f : m->functions)
        w.change(f);
    m->remove_capability(spv::CapabilityImage1D);
    words = m->write();
}

} // namespace espryt
