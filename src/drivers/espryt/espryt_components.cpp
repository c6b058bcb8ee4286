// SPDX-License-Identifier: MIT
// The shader goes on with private copies of the variables: filled from the vector of the location
// at the start, gathered into it where the stage ends.
#include "espryt_components.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "spirv/rewrite.h"

namespace espryt {

namespace {

using spirv::id;
using spirv::module;

using place = std::pair<uint32_t, uint32_t>; // location, index of a second source

// A scalar or vector of one location.
struct piece {
    id variable, type;
    uint32_t component;
    std::vector<uint32_t> path; // from the variable
};

class packer {
  public:
    packer(module &m, spv::StorageClass storage) : m_(m), storage_(storage) {
        for (const id v : m.variables(storage))
            if (const auto location = m.decoration(v, spv::DecorationLocation))
                list(v, m.variable_type(v),
                     {*location, m.decoration(v, spv::DecorationIndex).value_or(0)},
                     m.decoration(v, spv::DecorationComponent).value_or(0), {});
    }

    bool pack() {
        choose();
        if (copies_.empty())
            return false;
        for (auto &[variable, copy] : copies_)
            copy = spirv::make_private(m_, variable);
        for (const auto &[at, pieces] : places_)
            if (copies_.count(pieces.front().variable))
                vectors_.emplace_back(add_vector(at, pieces), &pieces);
        if (storage_ == spv::StorageClassInput) {
            spirv::code c(m_);
            for (const auto &[vector, pieces] : vectors_)
                scatter(c, vector, *pieces);
            spirv::insert_at_start(m_, std::move(c.out));
        } else {
            spirv::insert_before_returns(m_, [&](spirv::code &c) {
                for (const auto &[vector, pieces] : vectors_)
                    gather(c, vector, *pieces);
            });
        }
        std::vector<id> gone;
        for (const auto &[variable, copy] : copies_)
            gone.push_back(variable);
        spirv::remove_globals(m_, gone);
        m_.reindex();
        return true;
    }

  private:
    bool is_vector(id type) const { return m_.type_op(type) == spv::OpTypeVector; }
    id scalar(id type) const { return is_vector(type) ? m_.element_type(type) : type; }
    uint32_t size(id type) const { return is_vector(type) ? m_.length(type) : 1; }

    // Returns the location behind the type.
    uint32_t list(id variable, id type, place at, uint32_t component, std::vector<uint32_t> path) {
        const spv::Op op = m_.type_op(type);
        if (op != spv::OpTypeArray && op != spv::OpTypeMatrix) {
            places_[at].push_back({variable, type, component, std::move(path)});
            return at.first + 1;
        }
        path.push_back(0);
        for (uint32_t i = 0; i < m_.length(type); i++) {
            path.back() = i;
            at.first = list(variable, m_.element_type(type), at, component, path);
        }
        return at.first;
    }

    // 32-bit values of one kind, within four components.
    bool packs(const std::vector<piece> &pieces) const {
        return std::all_of(pieces.begin(), pieces.end(), [&](const piece &p) {
            const id s = scalar(p.type);
            return s == scalar(pieces.front().type) && m_.int_width(s) == 32 &&
                   p.component + size(p.type) <= 4;
        });
    }

    // Variables at shared locations, those that share another location with them, and so on.
    void choose() {
        for (const auto &[at, pieces] : places_)
            if ((pieces.size() > 1 || pieces.front().component) && packs(pieces))
                for (const piece &p : pieces)
                    copies_[p.variable] = 0;
        for (bool again = true; again;) {
            again = false;
            for (const auto &[at, pieces] : places_) {
                const auto chosen = [&](const piece &p) { return copies_.count(p.variable) != 0; };
                if (std::none_of(pieces.begin(), pieces.end(), chosen))
                    continue;
                if (!packs(pieces))
                    return copies_.clear();
                for (const piece &p : pieces)
                    again = copies_.emplace(p.variable, 0).second || again;
            }
        }
    }

    // Attributes always have four components; outputs have as many as are written.
    id add_vector(place at, const std::vector<piece> &pieces) {
        uint32_t n = storage_ == spv::StorageClassInput ? 4 : 1;
        for (const piece &p : pieces)
            n = std::max(n, p.component + size(p.type));
        const id s = scalar(pieces.front().type);
        const id v = m_.add_variable(storage_, n > 1 ? m_.type_vector(s, n) : s);
        m_.set_decoration(v, spv::DecorationLocation, at.first);
        if (at.second)
            m_.set_decoration(v, spv::DecorationIndex, at.second);
        spirv::add_to_interface(m_, v);
        return v;
    }

    id pointer(spirv::code &c, const piece &p) {
        std::vector<id> indices;
        for (const uint32_t i : p.path)
            indices.push_back(m_.const_u32(i));
        const id copy = copies_.at(p.variable);
        return indices.empty() ? copy
                               : c.access(spv::StorageClassPrivate, p.type, copy, std::move(indices));
    }

    void scatter(spirv::code &c, id vector, const std::vector<piece> &pieces) {
        const id whole = c.load(m_.variable_type(vector), vector);
        for (const piece &p : pieces) {
            std::vector<uint32_t> operands = {whole, whole};
            for (uint32_t i = 0; i < size(p.type); i++)
                operands.push_back(p.component + i);
            const id value = is_vector(p.type)
                                 ? c.emit(spv::OpVectorShuffle, p.type, std::move(operands))
                                 : c.extract(p.type, whole, {p.component});
            c.store(pointer(c, p), value);
        }
    }

    void gather(spirv::code &c, id vector, const std::vector<piece> &pieces) {
        const id type = m_.variable_type(vector), s = scalar(type);
        std::vector<id> parts(size(type), m_.const_null(s));
        for (const piece &p : pieces) {
            const id value = c.load(p.type, pointer(c, p));
            for (uint32_t i = 0; i < size(p.type); i++)
                parts[p.component + i] = is_vector(p.type) ? c.extract(s, value, {i}) : value;
        }
        c.store(vector, parts.size() > 1 ? c.construct(type, parts) : parts.front());
    }

    module &m_;
    spv::StorageClass storage_;
    std::map<place, std::vector<piece>> places_;
    std::map<id, id> copies_; // of the variables that share locations
    std::vector<std::pair<id, const std::vector<piece> *>> vectors_;
};

// Whether two variables share a location, or one does not begin at its first component.
bool shares(const std::vector<pipe_archive_io> &list) {
    std::set<place> seen;
    for (const pipe_archive_io &e : list) {
        if (e.location < 0)
            continue;
        if (e.component || !seen.insert({static_cast<uint32_t>(e.location), e.index}).second)
            return true;
    }
    return false;
}

} // namespace

void pack_components(const pipe_archive_stage &stage, std::vector<uint32_t> &words) {
    const bool vertex = stage.stage == PIPE_SHADER_VERTEX;
    if ((!vertex && stage.stage != PIPE_SHADER_FRAGMENT) ||
        !shares(vertex ? stage.inputs : stage.outputs))
        return;
    auto m = module::parse(std::span<const uint32_t>(words.data(), words.size()));
    if (m && packer(*m, vertex ? spv::StorageClassInput : spv::StorageClassOutput).pack())
        words = m->write();
}

} // namespace espryt
