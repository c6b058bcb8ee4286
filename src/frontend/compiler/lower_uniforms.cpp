// SPDX-License-Identifier: MIT
// Loose uniforms: values go to one std140 block that is the same in all stages, samplers and images
// get class and slot. Struct-held opaques and arrays of arrays become flat variables of their own.
#include "compiler/lower.h"

#include <cstring>
#include <map>

namespace compiler {
namespace {

using Kind = Type::Kind;

/// A copy of the type with the offsets and strides of std140.
TypeRef lay_out(const TypeRef &t) {
    auto copy = std::make_shared<Type>(*t);
    if (t->kind == Kind::array) {
        copy->element = lay_out(t->element);
        copy->stride = std140_array_stride(*t);
    } else if (t->kind == Kind::structure) {
        const std::vector<uint32_t> offsets = std140_offsets(*t);
        for (size_t i = 0; i < copy->members.size(); ++i) {
            Type::Member &m = copy->members[i];
            m.type = lay_out(m.type);
            m.offset = offsets[i];
            m.matrix_stride = std140_matrix_stride(innermost(*m.type));
            m.row_major = false;
        }
    }
    return copy;
}

// ---- initial values -----------------------------------------------------------------------------

void put_constant(const spirv::module &m, spirv::id constant, const Type &t, uint8_t *at) {
    const spirv::instruction *d = m.def(constant);
    if (!d || d->op == spv::OpConstantNull)
        return;
    if (t.kind == Kind::array || t.kind == Kind::structure || t.rows > 1 || t.cols > 1) {
        for (size_t i = 0; i < d->operands.size(); ++i) {
            if (t.kind == Kind::array) {
                put_constant(m, d->operands[i], *t.element, at + i * t.stride);
            } else if (t.kind == Kind::structure) {
                if (i < t.members.size())
                    put_constant(m, d->operands[i], *t.members[i].type, at + t.members[i].offset);
            } else {
                Type part = t;
                const bool matrix = t.cols > 1;
                part.cols = 1;
                part.rows = matrix ? t.rows : 1;
                const uint32_t step = matrix ? std140_matrix_stride(t) : std140_size(part);
                put_constant(m, d->operands[i], part, at + i * step);
            }
        }
        return;
    }
    uint32_t words[2] = {d->operand(0), d->operand(1)};
    if (d->op == spv::OpConstantTrue || d->op == spv::OpConstantFalse)
        words[0] = d->op == spv::OpConstantTrue;
    std::memcpy(at, words, std140_size(t));
}

// ---- collection ---------------------------------------------------------------------------------

GlobalVar &find_global(Lowering &l, unsigned part, const std::string &name, const TypeRef &type) {
    const auto [at, fresh] = l.global_at.emplace(std::pair(part, name), l.globals.size());
    if (!fresh)
        return l.globals[at->second];
    GlobalVar g;
    g.name = name;
    g.part = part;
    g.type = type;
    l.globals.push_back(std::move(g));
    return l.globals.back();
}

bool larger_array(const Type &a, const Type &b) {
    return a.kind == Kind::array && b.kind == Kind::array && a.length > b.length;
}

void note_location(Lowering &l, const Stage &s, spirv::id variable, int32_t &location) {
    const auto own = s.m.decoration(variable, spv::DecorationLocation);
    if (!own)
        return;
    if (location >= 0 && location != static_cast<int32_t>(*own))
        l.error("uniform '%s' has different explicit locations in different stages",
                s.m.name(variable).c_str());
    location = static_cast<int32_t>(*own);
}

void collect_global(Lowering &l, Stage &s, spirv::id variable, const TypeRef &stripped) {
    const std::string name = s.m.name(variable);
    const TypeRef type = lay_out(stripped);
    GlobalVar &g = find_global(l, s.part, name, type);
    const bool implicit = s.side.implicit_arrays.count(name);
    if (!same_type(*g.type, *type) && !(implicit && same_type_but_sizes(*g.type, *type))) {
        l.error("uniform '%s' is declared with different types in different stages", name.c_str());
        return;
    }
    if (larger_array(*type, *g.type))
        g.type = type;
    g.stages |= s.bit();
    note_location(l, s, variable, g.explicit_location);
    const spirv::instruction *d = s.m.def(variable);
    if (d->operands.size() > 1 && d->operands[1]) {
        std::vector<uint8_t> bytes(std140_size(*type), 0);
        put_constant(s.m, d->operands[1], *type, bytes.data());
        if (!g.initial.empty() && g.initial != bytes)
            l.error("uniform '%s' is initialized differently in different stages", name.c_str());
        g.initial = std::move(bytes);
    }
}

struct OpaqueLeaf {
    std::vector<uint32_t> path;
    std::vector<uint32_t> dims;
    TypeRef type;
    spirv::id type_id;
};

void find_leaves(const spirv::module &m, const TypeRef &t, spirv::id id, OpaqueLeaf at,
                 std::vector<OpaqueLeaf> &out) {
    if (t->kind == Kind::opaque) {
        at.type = t;
        at.type_id = id;
        out.push_back(std::move(at));
    } else if (t->kind == Kind::array) {
        at.dims.push_back(std::max(t->length, 1u));
        find_leaves(m, t->element, m.element_type(id), std::move(at), out);
    } else {
        for (uint32_t i = 0; i < t->members.size(); ++i) {
            OpaqueLeaf next = at;
            next.path.push_back(i);
            find_leaves(m, t->members[i].type, m.member_type(id, i), std::move(next), out);
        }
    }
}

uint32_t product(const std::vector<uint32_t> &dims) {
    uint32_t n = 1;
    for (uint32_t d : dims)
        n *= d;
    return n;
}

uint8_t image_access(const spirv::module &m, spirv::id variable) {
    uint8_t access = PIPE_IMAGE_ACCESS_READ | PIPE_IMAGE_ACCESS_WRITE;
    if (m.has_decoration(variable, spv::DecorationNonWritable))
        access &= ~PIPE_IMAGE_ACCESS_WRITE;
    if (m.has_decoration(variable, spv::DecorationNonReadable))
        access &= ~PIPE_IMAGE_ACCESS_READ;
    return access;
}

bool is_image_type(GLenum type) {
    return type >= GL_IMAGE_1D && type <= GL_UNSIGNED_INT_IMAGE_2D_MULTISAMPLE_ARRAY;
}

void collect_opaque(Lowering &l, Stage &s, spirv::id variable, const TypeRef &root) {
    const std::string name = s.m.name(variable);
    std::vector<OpaqueLeaf> leaves;
    find_leaves(s.m, root, s.m.variable_type(variable), {}, leaves);
    for (const OpaqueLeaf &leaf : leaves) {
        OpaqueVar *found = nullptr;
        for (OpaqueVar &o : l.opaques)
            if (o.part == s.part && o.name == name && o.path == leaf.path)
                found = &o;
        if (!found) {
            OpaqueVar o;
            o.name = name;
            o.part = s.part;
            o.root = root;
            o.path = leaf.path;
            l.opaques.push_back(std::move(o));
            found = &l.opaques.back();
        }
        const bool implicit = s.side.implicit_arrays.count(name);
        if (!same_type(*found->root, *root) &&
            !(implicit && same_type_but_sizes(*found->root, *root))) {
            l.error("uniform '%s' is declared with different types in different stages",
                    name.c_str());
            continue;
        }
        if (larger_array(*root, *found->root))
            found->root = root;
        found->cls = is_image_type(leaf.type->gl_type) ? PIPE_SLOT_IMAGE : PIPE_SLOT_SAMPLER;
        found->count = std::max(found->count, product(leaf.dims));
        found->arrayed = !leaf.dims.empty();
        found->stages |= s.bit();
        if (found->cls == PIPE_SLOT_IMAGE)
            found->access |= image_access(s.m, variable);
        const auto binding = s.m.decoration(variable, spv::DecorationBinding);
        if (binding && s.side.bound.count(name)) {
            const int32_t unit = static_cast<int32_t>(*binding);
            if (found->binding >= 0 && unit != found->binding)
                l.error("uniform '%s' has different bindings in different stages", name.c_str());
            found->binding = unit;
        }
        note_location(l, s, variable, found->explicit_location);
    }
}

using Declarations = std::map<std::pair<unsigned, std::string>, TypeRef>;

/// A declaration must agree with those of other stages, used or not. `unused`: what no stage uses.
void check_unused(Lowering &l, const Stage &s, spirv::id variable, Declarations &unused) {
    const std::pair key(s.part, s.m.name(variable));
    const TypeRef whole = read_type(s.m, s.m.variable_type(variable));
    const auto at = l.global_at.find(key);
    const bool used = at != l.global_at.end();
    const TypeRef type = used ? without_opaque(whole) : whole;
    const TypeRef &other =
        used ? l.globals[at->second].type : unused.emplace(key, whole).first->second;
    if (!type || (!same_type(*other, *type) && !same_type_but_sizes(*other, *type)))
        l.error("uniform '%s' is declared with different types in different stages",
                key.second.c_str());
}

/// A uniform that this stage declares with a location and does not use: another stage's uniform of
/// that name gets the location, else nobody does.
void collect_inactive(Lowering &l, Stage &s, spirv::id variable) {
    const std::string name = s.m.name(variable);
    bool active = false;
    for (GlobalVar &g : l.globals)
        if (g.part == s.part && g.name == name) {
            note_location(l, s, variable, g.explicit_location);
            active = true;
        }
    for (OpaqueVar &o : l.opaques)
        if (o.part == s.part && o.name == name) {
            note_location(l, s, variable, o.explicit_location);
            active = true;
        }
    if (active)
        return;
    const uint32_t count = uniform_locations(*read_type(s.m, s.m.variable_type(variable)));
    for (InactiveUniform &u : l.inactive)
        if (u.name == name) {
            int32_t location = static_cast<int32_t>(u.location);
            note_location(l, s, variable, location);
            u.count = std::max(u.count, count);
            return;
        }
    l.inactive.push_back({name, *s.m.decoration(variable, spv::DecorationLocation), count});
}

// ---- rewriting ----------------------------------------------------------------------------------

/// Per stage: laid-out types and the variables that replace the loose ones.
class UniformRewriter {
  public:
    UniformRewriter(Lowering &l, Stage &s) : l_(l), s_(s), m_(s.m) {}
    void run(const std::vector<spirv::id> &variables);

  private:
    struct Loose {
        TypeRef type;        // as declared in this stage
        int32_t global = -1; // index in l.globals
        std::vector<std::pair<OpaqueLeaf, spirv::id>> leaves;
    };
    spirv::id laid_type(const Type &t);
    void make_block();
    void place_opaques(spirv::id variable, Loose &loose);
    spirv::id global_pointer(spirv::code &c, const Loose &loose, const std::vector<spirv::id> &path,
                             const Type **type, spirv::id *laid);
    spirv::id opaque_pointer(spirv::code &c, const Loose &loose,
                             const std::vector<spirv::id> &path);
    bool is_opaque_path(const Loose &loose, const std::vector<spirv::id> &path);
    spirv::id convert(spirv::code &c, spirv::id value, const Type &t, spirv::id laid,
                      spirv::id logical);

    Lowering &l_;
    Stage &s_;
    spirv::module &m_;
    spirv::id block_type_ = 0, block_ = 0;
    std::unordered_map<spirv::id, Loose> loose_;
    std::map<const Type *, spirv::id> types_;
};

spirv::id UniformRewriter::laid_type(const Type &t) {
    const auto known = types_.find(&t);
    if (known != types_.end())
        return known->second;
    spirv::id id = 0;
    if (t.kind == Kind::array) {
        id = m_.new_array_type(laid_type(*t.element), std::max(t.length, 1u), t.stride);
    } else if (t.kind == Kind::structure) {
        std::vector<spirv::id> members;
        for (const Type::Member &member : t.members)
            members.push_back(laid_type(*member.type));
        id = m_.new_struct_type(members);
        m_.set_name(id, t.name);
        for (uint32_t i = 0; i < t.members.size(); ++i) {
            m_.set_member_name(id, i, t.members[i].name);
            m_.set_member_decoration(id, i, spv::DecorationOffset, t.members[i].offset);
            if (t.members[i].matrix_stride) {
                m_.set_member_decoration(id, i, spv::DecorationColMajor);
                m_.set_member_decoration(id, i, spv::DecorationMatrixStride,
                                         t.members[i].matrix_stride);
            }
        }
    } else {
        spirv::id scalar = 0;
        switch (t.base) {
        case Type::Base::f64: scalar = m_.type_float(64); break;
        case Type::Base::i32: scalar = m_.type_int(32, true); break;
        case Type::Base::u32:
        case Type::Base::boolean: scalar = m_.type_int(32, false); break;
        case Type::Base::i64: scalar = m_.type_int(64, true); break;
        case Type::Base::u64: scalar = m_.type_int(64, false); break;
        default: scalar = m_.type_float(32);
        }
        id = m_.type_vector(scalar, t.rows);
        if (t.cols > 1)
            id = m_.type_matrix(id, t.cols);
    }
    types_[&t] = id;
    return id;
}

void UniformRewriter::make_block() {
    std::vector<spirv::id> members;
    for (const GlobalVar &g : l_.globals)
        members.push_back(laid_type(*g.type));
    block_type_ = m_.new_struct_type(members);
    m_.set_name(block_type_, "mgp_globals");
    m_.set_decoration(block_type_, spv::DecorationBlock);
    for (uint32_t i = 0; i < l_.globals.size(); ++i) {
        const GlobalVar &g = l_.globals[i];
        m_.set_member_name(block_type_, i,
                           g.part ? g.name + "_p" + std::to_string(g.part) : g.name);
        m_.set_member_decoration(block_type_, i, spv::DecorationOffset, g.offset);
        if (const uint32_t stride = std140_matrix_stride(innermost(*g.type))) {
            m_.set_member_decoration(block_type_, i, spv::DecorationColMajor);
            m_.set_member_decoration(block_type_, i, spv::DecorationMatrixStride, stride);
        }
    }
    block_ = m_.add_variable(spv::StorageClassUniform, block_type_);
    m_.set_decoration(block_, spv::DecorationDescriptorSet, PIPE_SLOT_GLOBALS);
    m_.set_decoration(block_, spv::DecorationBinding, 0);
}

std::string leaf_name(const Type &root, const std::string &name,
                      const std::vector<uint32_t> &path) {
    std::string text = name;
    const Type *t = &innermost(root);
    for (uint32_t i : path) {
        text += "." + t->members[i].name;
        t = &innermost(*t->members[i].type);
    }
    return text;
}

void UniformRewriter::place_opaques(spirv::id variable, Loose &loose) {
    std::vector<OpaqueLeaf> leaves;
    find_leaves(m_, loose.type, m_.variable_type(variable), {}, leaves);
    for (OpaqueLeaf &leaf : leaves)
        for (const OpaqueVar &o : l_.opaques) {
            if (o.part != s_.part || o.name != m_.name(variable) || o.path != leaf.path)
                continue;
            spirv::id target = variable;
            const bool plain =
                leaf.path.empty() && leaf.dims.size() <= 1 && product(leaf.dims) == o.count;
            if (!plain) {
                const spirv::id type =
                    leaf.dims.empty() ? leaf.type_id : m_.new_array_type(leaf.type_id, o.count);
                target = m_.add_variable(spv::StorageClassUniformConstant, type);
                m_.set_name(target, leaf_name(*loose.type, o.name, o.path));
                m_.copy_decorations(variable, target);
            }
            m_.remove_decoration(target, spv::DecorationLocation);
            m_.set_decoration(target, spv::DecorationDescriptorSet, o.cls);
            m_.set_decoration(target, spv::DecorationBinding, o.slot);
            loose.leaves.emplace_back(leaf, target);
        }
}

bool UniformRewriter::is_opaque_path(const Loose &loose, const std::vector<spirv::id> &path) {
    const Type *t = loose.type.get();
    for (spirv::id index : path) {
        if (t->kind == Kind::array)
            t = t->element.get();
        else if (t->kind == Kind::structure)
            t = t->members[std::min<size_t>(m_.constant_value(index).value_or(0),
                                            t->members.size() - 1)]
                    .type.get();
        else
            break;
    }
    return innermost(*t).kind == Kind::opaque;
}

spirv::id UniformRewriter::opaque_pointer(spirv::code &c, const Loose &loose,
                                          const std::vector<spirv::id> &path) {
    std::vector<uint32_t> members;
    std::vector<spirv::id> indices;
    const Type *t = loose.type.get();
    for (spirv::id index : path) {
        if (t->kind == Kind::array) {
            indices.push_back(index);
            t = t->element.get();
        } else {
            members.push_back(m_.constant_value(index).value_or(0));
            t = t->members[members.back()].type.get();
        }
    }
    for (const auto &[leaf, target] : loose.leaves) {
        if (leaf.path != members)
            continue;
        if (leaf.dims.empty() || indices.empty())
            return target;
        return c.access(spv::StorageClassUniformConstant, leaf.type_id, target,
                        {flat_index(c, indices, leaf.dims)});
    }
    return path.empty() ? 0 : loose.leaves.front().second;
}

/// The pointer into the default block; also the type behind it, GL's and SPIR-V's.
spirv::id UniformRewriter::global_pointer(spirv::code &c, const Loose &loose,
                                          const std::vector<spirv::id> &path, const Type **type,
                                          spirv::id *laid) {
    std::vector<spirv::id> indices = {m_.const_i32(loose.global)};
    const Type *from = loose.type.get();
    const Type *to = l_.globals[loose.global].type.get();
    spirv::id laid_id = laid_type(*to);
    for (spirv::id index : path) {
        if (from && from->kind == Kind::structure) {
            const uint32_t k = m_.constant_value(index).value_or(0);
            uint32_t kept = 0; // members that are opaque through and through left the struct
            for (uint32_t i = 0; i < k; ++i)
                kept += without_opaque(from->members[i].type) != nullptr;
            indices.push_back(m_.const_i32(static_cast<int32_t>(kept)));
            from = from->members[k].type.get();
            to = to->members[kept].type.get();
            laid_id = m_.member_type(laid_id, kept);
        } else {
            indices.push_back(index);
            laid_id = m_.element_type(laid_id);
            const bool array = from && from->kind == Kind::array;
            from = array ? from->element.get() : nullptr;
            if (array)
                to = to->element.get();
        }
    }
    *type = to; // for a component of a vector: the vector, whose base is what counts
    *laid = laid_id;
    return c.access(spv::StorageClassUniform, laid_id, block_, std::move(indices));
}

spirv::id UniformRewriter::convert(spirv::code &c, spirv::id value, const Type &t, spirv::id laid,
                                   spirv::id logical) {
    if (laid == logical)
        return value;
    if (t.kind == Kind::value)
        return c.emit(spv::OpINotEqual, logical, {value, m_.const_null(laid)});
    std::vector<spirv::id> parts;
    const bool array = t.kind == Kind::array;
    const uint32_t count = array ? m_.length(logical) : m_.member_count(logical);
    for (uint32_t i = 0; i < count; ++i) {
        const spirv::id from = array ? m_.element_type(laid) : m_.member_type(laid, i);
        const spirv::id to = array ? m_.element_type(logical) : m_.member_type(logical, i);
        const spirv::id part = c.extract(from, value, {i});
        parts.push_back(convert(c, part, array ? *t.element : *t.members[i].type, from, to));
    }
    return c.construct(logical, std::move(parts));
}

void UniformRewriter::run(const std::vector<spirv::id> &variables) {
    bool any_global = false;
    for (spirv::id v : variables) {
        Loose loose;
        loose.type = read_type(m_, m_.variable_type(v));
        const auto at = l_.global_at.find({s_.part, m_.name(v)});
        if (at != l_.global_at.end() && without_opaque(loose.type))
            loose.global = static_cast<int32_t>(at->second);
        any_global |= loose.global >= 0;
        loose_[v] = std::move(loose);
    }
    if (any_global)
        make_block();
    for (spirv::id v : variables)
        place_opaques(v, loose_[v]);
    const auto tracked = [&](spirv::id x) {
        const auto it = loose_.find(x);
        if (it == loose_.end())
            return false;
        return !(it->second.global < 0 && it->second.leaves.size() == 1 &&
                 it->second.leaves[0].second == x);
    };
    const PointerMaker pointer = [&](spirv::code &c, spirv::id v,
                                     const std::vector<spirv::id> &path) {
        Loose &loose = loose_[v];
        if (is_opaque_path(loose, path) || loose.global < 0)
            return opaque_pointer(c, loose, path);
        const Type *type = nullptr;
        spirv::id laid = 0;
        return global_pointer(c, loose, path, &type, &laid);
    };
    const LoadMaker load = [&](spirv::code &c, const spirv::instruction &inst, spirv::id v,
                               const std::vector<spirv::id> &path) {
        Loose &loose = loose_[v];
        if (is_opaque_path(loose, path) || loose.global < 0)
            return false;
        const Type *type = nullptr;
        spirv::id laid = 0;
        const spirv::id from = global_pointer(c, loose, path, &type, &laid);
        const spirv::id value = c.load(laid, from);
        convert(c, value, *type, laid, inst.type);
        c.out.back().result = inst.result;
        return true;
    };
    rewrite_accesses(m_, tracked, pointer, load);
    std::vector<spirv::id> gone;
    for (spirv::id v : variables)
        if (tracked(v))
            gone.push_back(v);
    spirv::remove_globals(m_, gone);
}

void place_globals(Lowering &l) {
    uint32_t at = 0;
    for (GlobalVar &g : l.globals) {
        at = align_up(at, std140_align(*g.type));
        g.offset = at;
        at += std140_size(*g.type);
        if (g.initial.size() && g.initial.size() < std140_size(*g.type))
            g.initial.resize(std140_size(*g.type), 0);
        enumerate_leaves(*g.type, g.name, g.offset, std140_matrix_stride(innermost(*g.type)), false,
                         [&](const Leaf &leaf) {
                             pipe_archive_member m = member_of(leaf);
                             m.stages = g.stages;
                             m.explicit_location = g.explicit_location;
                             if (!g.initial.empty()) {
                                 const uint32_t first = leaf.offset - g.offset;
                                 const uint32_t size = std140_size(*leaf.type);
                                 m.initial.assign(g.initial.begin() + first,
                                                  g.initial.begin() + first + size);
                             }
                             l.archive.members.push_back(std::move(m));
                         });
    }
    l.archive.globals_size = align_up(at, 16);
    for (Stage &s : l.stages)
        for (const GlobalVar &g : l.globals)
            if (g.stages & s.bit() && g.part == s.part)
                s.out.globals_size = l.archive.globals_size;
}

void describe_target(GLenum type, pipe_archive_opaque &o) {
    switch (type) {
#define SHAPE(NAME, TARGET)                                                                        \
    case GL_SAMPLER_##NAME:                                                                        \
    case GL_IMAGE_##NAME:                                                                          \
        o.target = TARGET;                                                                         \
        o.value_class = PIPE_VALUE_FLOAT;                                                          \
        break;                                                                                     \
    case GL_INT_SAMPLER_##NAME:                                                                    \
    case GL_INT_IMAGE_##NAME:                                                                      \
        o.target = TARGET;                                                                         \
        o.value_class = PIPE_VALUE_SINT;                                                           \
        break;                                                                                     \
    case GL_UNSIGNED_INT_SAMPLER_##NAME:                                                           \
    case GL_UNSIGNED_INT_IMAGE_##NAME:                                                             \
        o.target = TARGET;                                                                         \
        o.value_class = PIPE_VALUE_UINT;                                                           \
        break;
        SHAPE(1D, PIPE_TEXTURE_1D)
        SHAPE(2D, PIPE_TEXTURE_2D)
        SHAPE(3D, PIPE_TEXTURE_3D)
        SHAPE(CUBE, PIPE_TEXTURE_CUBE)
        SHAPE(2D_RECT, PIPE_TEXTURE_RECT)
        SHAPE(BUFFER, PIPE_TEXTURE_BUFFER)
        SHAPE(1D_ARRAY, PIPE_TEXTURE_1D_ARRAY)
        SHAPE(2D_ARRAY, PIPE_TEXTURE_2D_ARRAY)
        SHAPE(CUBE_MAP_ARRAY, PIPE_TEXTURE_CUBE_ARRAY)
        SHAPE(2D_MULTISAMPLE, PIPE_TEXTURE_2D_MS)
        SHAPE(2D_MULTISAMPLE_ARRAY, PIPE_TEXTURE_2D_MS_ARRAY)
#undef SHAPE
#define SHADOW(NAME, TARGET)                                                                       \
    case GL_SAMPLER_##NAME##_SHADOW:                                                               \
        o.target = TARGET;                                                                         \
        o.shadow = 1;                                                                              \
        break;
        SHADOW(1D, PIPE_TEXTURE_1D)
        SHADOW(2D, PIPE_TEXTURE_2D)
        SHADOW(CUBE, PIPE_TEXTURE_CUBE)
        SHADOW(2D_RECT, PIPE_TEXTURE_RECT)
        SHADOW(1D_ARRAY, PIPE_TEXTURE_1D_ARRAY)
        SHADOW(2D_ARRAY, PIPE_TEXTURE_2D_ARRAY)
        SHADOW(CUBE_MAP_ARRAY, PIPE_TEXTURE_CUBE_ARRAY)
#undef SHADOW
    default: break;
    }
}

/// One archive entry per array that GL names, walking along one leaf's path.
void list_opaque(Lowering &l, const OpaqueVar &o, const Type &t, const std::string &name,
                 size_t depth, uint32_t flat) {
    if (t.kind == Kind::structure) {
        const Type::Member &m = t.members[o.path[depth]];
        list_opaque(l, o, *m.type, name + "." + m.name, depth + 1, flat);
        return;
    }
    const bool last = t.kind == Kind::opaque || t.element->kind == Kind::opaque;
    if (!last) {
        for (uint32_t i = 0; i < std::max(t.length, 1u); ++i)
            list_opaque(l, o, *t.element, name + "[" + std::to_string(i) + "]", depth,
                        flat * std::max(t.length, 1u) + i);
        return;
    }
    pipe_archive_opaque e{};
    e.is_array = t.kind == Kind::array;
    e.array_size = e.is_array ? std::max(t.length, 1u) : 1;
    e.active_size = e.array_size;
    e.name = e.is_array ? name + "[0]" : name;
    e.gl_type = innermost(t).gl_type;
    e.cls = o.cls;
    describe_target(e.gl_type, e);
    const uint32_t first = flat * e.array_size;
    e.slot = o.slot + first;
    e.stages = o.stages;
    e.location = -1;
    e.explicit_location = o.explicit_location;
    e.binding = o.binding < 0 ? -1 : o.binding + static_cast<int32_t>(first);
    e.access = o.access;
    e.format = image_format(innermost(t).format);
    e.block = 0xffffffffu;
    l.slot_uses.push_back({o.part, o.cls, e.name, e.slot, e.array_size, 0});
    l.archive.opaques.push_back(std::move(e));
}

} // namespace

void lower_uniforms(Lowering &l) {
    std::vector<std::vector<spirv::id>> live(l.stages.size());
    for (size_t i = 0; i < l.stages.size(); ++i) {
        Stage &s = l.stages[i];
        for (spirv::id v : s.m.variables(spv::StorageClassUniformConstant)) {
            if (!s.used[v])
                continue;
            live[i].push_back(v);
            const TypeRef type = read_type(s.m, s.m.variable_type(v));
            if (const TypeRef stripped = without_opaque(type))
                collect_global(l, s, v, stripped);
            if (has_opaque(*type))
                collect_opaque(l, s, v, type);
        }
    }
    Declarations unused;
    for (Stage &s : l.stages)
        for (spirv::id v : s.m.variables(spv::StorageClassUniformConstant))
            if (!s.used[v]) {
                check_unused(l, s, v, unused);
                if (s.m.has_decoration(v, spv::DecorationLocation))
                    collect_inactive(l, s, v);
            }
    if (l.failed)
        return;
    place_globals(l);
    for (OpaqueVar &o : l.opaques) {
        uint32_t &next =
            o.cls == PIPE_SLOT_IMAGE ? l.archive.num_image_slots : l.archive.num_sampler_slots;
        o.slot = next;
        next += o.count;
        list_opaque(l, o, *o.root, o.name, 0, 0);
    }
    for (size_t i = 0; i < l.stages.size(); ++i)
        UniformRewriter(l, l.stages[i]).run(live[i]);
}

} // namespace compiler
