// SPDX-License-Identifier: MIT
// GL counts varyings by components, hosts by locations of four. When the locations do not suffice,
// scalars, short vectors and matrices share vectors of four: the stages go on with private copies,
// which are gathered where a vertex is finished and scattered where the next stage begins. A
// captured variable keeps locations of its own, so that hosts capture it whole.
#include "compiler/io.h"

namespace compiler {
namespace {

using Path = std::vector<uint32_t>;

struct Part {
    IoVar *out, *in;    // `in` is null when only a capture reads it
    uint32_t start = 0; // component in the group
    spirv::id copy = 0; // the private variable of the stage that is being rewritten
    std::vector<Path> scalars;
};

struct Group {
    Type::Base base = Type::Base::f32;
    IoVar like; // qualifiers
    bool captured = false;
    uint32_t components = 0;
    std::vector<Part> parts;
    uint32_t vectors() const { return (components + 3) / 4; }
};

void list_scalars(const Type &t, const Path &at, std::vector<Path> &out) {
    const bool array = t.kind == Type::Kind::array;
    const uint32_t n = array ? t.length : t.cols > 1 ? t.cols : t.rows > 1 ? t.rows : 0;
    if (!n)
        out.push_back(at);
    Type part = t;
    part.rows = t.cols > 1 ? t.rows : 1;
    part.cols = 1;
    for (uint32_t i = 0; i < n; ++i) {
        Path next = at;
        next.push_back(i);
        list_scalars(array ? *t.element : part, next, out);
    }
}

bool packs(const IoVar &v, bool interpolates) {
    const Type &value = innermost(*v.type);
    return v.keep && !v.explicit_location && !v.block && !v.patch &&
           value.kind == Type::Kind::value && (v.flat || !interpolates) &&
           (value.base == Type::Base::f32 || value.base == Type::Base::i32 ||
            value.base == Type::Base::u32);
}

bool alike(const IoVar &a, const IoVar &b) {
    return a.flat == b.flat && a.noperspective == b.noperspective && a.centroid == b.centroid &&
           a.sample == b.sample && a.stream == b.stream;
}

/// Whether the variable is captured, and if so whether as a whole.
enum class Capture { none, whole, part };
Capture capture_of(const Lowering &l, const Stage &a, const std::vector<IoVar> &outs, size_t i) {
    Capture c = Capture::none;
    for (const std::string &name : l.options.xfb_varyings) {
        const XfbTarget t = find_xfb_target(a, outs, name);
        if (t.found && t.builtin < 0 && t.output == i)
            c = t.path.empty() && c == Capture::none ? Capture::whole : Capture::part;
    }
    if (a.m.has_decoration(outs[i].variable, spv::DecorationOffset))
        c = Capture::part;
    return c;
}

void add_part(std::vector<Group> &groups, IoVar &out, IoVar *in, bool captured) {
    const Type &value = innermost(*out.type);
    const IoVar &like = in ? *in : out;
    Group *g = nullptr;
    for (Group &x : groups)
        if (!captured && !x.captured && x.base == value.base && alike(x.like, like) &&
            x.like.stream == out.stream)
            g = &x;
    if (!g) {
        groups.emplace_back();
        g = &groups.back();
        g->base = value.base;
        g->like = like;
        g->like.stream = out.stream;
        g->captured = captured;
    }
    Part p;
    p.out = &out;
    p.in = in;
    p.start = g->components;
    list_scalars(*out.type, {}, p.scalars);
    g->components += static_cast<uint32_t>(p.scalars.size());
    g->parts.push_back(std::move(p));
}

TypeRef group_type(const Group &g) {
    Type four;
    four.base = g.base;
    four.rows = 4;
    TypeRef element = std::make_shared<Type>(four);
    if (g.vectors() == 1)
        return element;
    Type array;
    array.kind = Type::Kind::array;
    array.length = g.vectors();
    array.element = element;
    return std::make_shared<Type>(array);
}

/// The packed variable of one side of the interface.
class Side {
  public:
    Side(Stage &s, spv::StorageClass storage, Group &g, size_t number)
        : m_(s.m), s_(s), storage_(storage), g_(g) {
        scalar_ = g.base == Type::Base::f32 ? m_.type_float(32)
                                            : m_.type_int(32, g.base == Type::Base::i32);
        four_ = m_.type_vector(scalar_, 4);
        for (Part &p : g.parts) {
            IoVar *v = input() ? p.in : p.out;
            p.copy = 0;
            if (!v)
                continue;
            const spirv::id type = m_.variable_type(v->variable);
            if (v->per_vertex)
                vertices_ = m_.length(type);
            p.copy = replace_variable(m_, v->variable, spv::StorageClassPrivate, type);
        }
        spirv::id type = g.vectors() == 1 ? four_ : m_.new_array_type(four_, g.vectors());
        if (vertices_)
            type = m_.new_array_type(type, vertices_);
        variable_ = m_.add_variable(storage, type);
        m_.set_name(variable_, "mgp_packed" + std::to_string(number));
        decorate();
        spirv::add_to_interface(m_, variable_);
    }

    IoVar io() const {
        IoVar v = g_.like;
        v.variable = variable_;
        v.name = m_.name(variable_);
        v.type = group_type(g_);
        v.per_vertex = vertices_ != 0;
        v.location = -1;
        v.used = v.keep = true;
        return v;
    }

    void gather(spirv::code &c) const {
        for (uint32_t k = 0; k < g_.vectors(); ++k) {
            std::vector<spirv::id> values(4, m_.const_null(scalar_));
            each_scalar(k, [&](const Part &p, const Path &path, uint32_t at) {
                values[at] = c.load(scalar_, place(c, p, path, 0));
            });
            c.store(vector(c, k, 0), c.construct(four_, values));
        }
    }

    void scatter(spirv::code &c) const {
        for (uint32_t vertex = 0; vertex < std::max(vertices_, 1u); ++vertex)
            for (uint32_t k = 0; k < g_.vectors(); ++k) {
                const spirv::id value = c.load(four_, vector(c, k, vertex));
                each_scalar(k, [&](const Part &p, const Path &path, uint32_t at) {
                    c.store(place(c, p, path, vertex), c.extract(scalar_, value, {at}));
                });
            }
    }

    void apply() const {
        const auto put = [this](spirv::code &c) { gather(c); };
        if (input()) {
            spirv::code c(m_);
            scatter(c);
            spirv::insert_at_start(m_, std::move(c.out));
        } else if (s_.type == PIPE_SHADER_GEOMETRY) {
            spirv::insert_before(m_, spv::OpEmitVertex, put);
            spirv::insert_before(m_, spv::OpEmitStreamVertex, put);
        } else {
            spirv::insert_before_returns(m_, put);
        }
    }

  private:
    bool input() const { return storage_ == spv::StorageClassInput; }

    void decorate() {
        const std::pair<bool, spv::Decoration> flags[] = {
            {g_.like.flat, spv::DecorationFlat},
            {g_.like.noperspective, spv::DecorationNoPerspective},
            {g_.like.centroid, spv::DecorationCentroid},
            {g_.like.sample, spv::DecorationSample}};
        for (const auto &[on, decoration] : flags)
            if (on)
                m_.set_decoration(variable_, decoration);
        if (g_.like.stream && !input())
            m_.set_decoration(variable_, spv::DecorationStream, g_.like.stream);
    }

    template <class Fn> void each_scalar(uint32_t vector, Fn &&fn) const {
        for (const Part &p : g_.parts)
            for (uint32_t i = 0; p.copy && i < p.scalars.size(); ++i)
                if ((p.start + i) / 4 == vector)
                    fn(p, p.scalars[i], (p.start + i) % 4);
    }

    spirv::id place(spirv::code &c, const Part &p, const Path &path, uint32_t vertex) const {
        std::vector<spirv::id> indices;
        if (vertices_)
            indices.push_back(m_.const_u32(vertex));
        for (uint32_t i : path)
            indices.push_back(m_.const_u32(i));
        return indices.empty() ? p.copy
                               : c.access(spv::StorageClassPrivate, scalar_, p.copy, indices);
    }

    spirv::id vector(spirv::code &c, uint32_t k, uint32_t vertex) const {
        std::vector<spirv::id> indices;
        if (vertices_)
            indices.push_back(m_.const_u32(vertex));
        if (g_.vectors() > 1)
            indices.push_back(m_.const_u32(k));
        return indices.empty() ? variable_ : c.access(storage_, four_, variable_, indices);
    }

    spirv::module &m_;
    Stage &s_;
    spv::StorageClass storage_;
    Group &g_;
    spirv::id scalar_ = 0, four_ = 0, variable_ = 0;
    uint32_t vertices_ = 0;
};

void take_apart(Stage &s, spv::StorageClass storage, Group &g, size_t number,
                std::vector<IoVar> &vars) {
    const Side side(s, storage, g, number);
    side.apply();
    vars.push_back(side.io());
}

} // namespace

void pack_varyings(Lowering &l, Stage &a, std::vector<IoVar> &outs, Stage *b,
                   std::vector<IoVar> &ins, std::vector<std::pair<IoVar *, IoVar *>> &pairs) {
    if (a.type == PIPE_SHADER_TESS_CTRL ||
        (b && (b->type == PIPE_SHADER_TESS_CTRL || b->type == PIPE_SHADER_TESS_EVAL)))
        return; // what patches share stays as it is
    const bool interpolates = b && b->m.has_capability(spv::CapabilityInterpolationFunction);
    std::vector<Group> groups;
    for (size_t i = 0; i < outs.size(); ++i) {
        IoVar &out = outs[i];
        IoVar *in = nullptr;
        for (const auto &[o, x] : pairs)
            if (o == &out)
                in = x;
        const Capture capture = capture_of(l, a, outs, i);
        if (!packs(out, interpolates) || (in && !same_type(*in->type, *out.type)) ||
            (in && in->explicit_location) || capture == Capture::part)
            continue;
        const bool captured = capture == Capture::whole;
        const uint32_t components = component_count(*out.type);
        if (captured && (components % 4 || components / 4 >= location_count(*out.type, false)))
            continue;
        add_part(groups, out, in, captured);
    }
    // Pointers into both lists stay good: the room is taken before anything is added.
    for (size_t i = 0; i < groups.size(); ++i) {
        Group &g = groups[i];
        const bool read = std::any_of(g.parts.begin(), g.parts.end(),
                                      [](const Part &p) { return p.in != nullptr; });
        take_apart(a, spv::StorageClassOutput, g, i, outs);
        if (b && read) {
            take_apart(*b, spv::StorageClassInput, g, i, ins);
            pairs.emplace_back(&outs.back(), &ins.back());
        }
        for (const Part &p : g.parts) {
            l.packed.push_back(
                {a.type, p.out->name, p.out->type, p.out->stream, outs.back().variable});
            p.out->keep = false;
            p.out->packed = true;
            if (p.in)
                p.in->packed = true, p.in->used = false;
        }
    }
}

} // namespace compiler
