// SPDX-License-Identifier: MIT
#include "espryt_row_major.h"

#include <span>

#include "spirv/rewrite.h"

namespace espryt {

namespace {

using spirv::id;
using spirv::module;

bool has_row_major(const module &m) {
    bool found = false;
    m.for_each_decoration(
        [&](spirv::decoration_target, spv::Decoration d, std::span<const uint32_t>) {
            found = found || d == spv::DecorationRowMajor;
        });
    return found;
}

bool contains_matrix(const module &m, id type) {
    switch (m.type_op(type)) {
    case spv::OpTypeMatrix: return true;
    case spv::OpTypeArray: return contains_matrix(m, m.element_type(type));
    case spv::OpTypeStruct:
        for (uint32_t i = 0; i < m.member_count(type); i++)
            if (contains_matrix(m, m.member_type(type, i)))
                return true;
        return false;
    default: return false;
    }
}

// Square matrices by themselves are read right by all compilers.
bool is_whole(const module &m, id type) {
    const bool square = m.type_op(type) == spv::OpTypeMatrix &&
                        m.length(type) == m.length(m.element_type(type));
    return !square && contains_matrix(m, type);
}

class splitter {
  public:
    splitter(module &m, spv::StorageClass storage, id pointer)
        : c(m), m_(m), storage_(storage), pointer_(pointer) {}
    spirv::code c;

    // `column`: of a matrix, which goes by scalars.
    id load(id type, const std::vector<uint32_t> &path, bool column = false) {
        if (!column && !contains_matrix(m_, type))
            return c.load(type, part(type, path));
        std::vector<id> parts;
        each(type, path, [&](id element, const std::vector<uint32_t> &next) {
            parts.push_back(load(element, next, is_matrix(type)));
        });
        return c.construct(type, std::move(parts));
    }

    void store(id type, id value, const std::vector<uint32_t> &path, bool column = false) {
        if (!column && !contains_matrix(m_, type)) {
            c.store(part(type, path), c.extract(type, value, path));
            return;
        }
        each(type, path, [&](id element, const std::vector<uint32_t> &next) {
            store(element, value, next, is_matrix(type));
        });
    }

  private:
    bool is_matrix(id type) const { return m_.type_op(type) == spv::OpTypeMatrix; }

    id part(id type, const std::vector<uint32_t> &path) {
        std::vector<id> indices;
        for (const uint32_t i : path)
            indices.push_back(m_.const_u32(i));
        return c.access(storage_, type, pointer_, std::move(indices));
    }

    template <typename F> void each(id type, std::vector<uint32_t> path, F f) {
        const bool structure = m_.type_op(type) == spv::OpTypeStruct;
        const uint32_t count = structure ? m_.member_count(type) : m_.length(type);
        path.push_back(0);
        for (uint32_t i = 0; i < count; i++) {
            path.back() = i;
            f(structure ? m_.member_type(type, i) : m_.element_type(type), path);
        }
    }

    module &m_;
    spv::StorageClass storage_;
    id pointer_;
};

// Replaces insts[i] by what it becomes and returns the index behind it.
size_t split(module &m, spirv::function &f, size_t i) {
    const spirv::instruction inst = f.insts[i];
    const bool load = inst.op == spv::OpLoad, store = inst.op == spv::OpStore;
    if (!load && !store)
        return i + 1;
    const id pointer = inst.operand(0), at = m.type_of(pointer, &f), type = m.pointee(at);
    const spv::StorageClass storage = m.storage_class(at);
    if ((storage != spv::StorageClassUniform && storage != spv::StorageClassStorageBuffer) ||
        !is_whole(m, type))
        return i + 1;
    splitter s(m, storage, pointer);
    if (load) {
        s.load(type, {});
        s.c.out.back().result = inst.result;
    } else {
        s.store(type, inst.operand(1), {});
    }
    const size_t count = s.c.out.size();
    f.insts.erase(f.insts.begin() + static_cast<long>(i));
    f.insts.insert(f.insts.begin() + static_cast<long>(i), s.c.out.begin(), s.c.out.end());
    return i + count;
}

} // namespace

void split_row_major(std::vector<uint32_t> &words) {
    auto m = module::parse(std::span(words.data(), words.size()));
    if (!m || !has_row_major(*m))
        return;
    for (spirv::function &f : m->functions)
        for (size_t i = 0; i < f.insts.size();)
            i = split(*m, f, i);
    words = m->write();
}

} // namespace espryt
