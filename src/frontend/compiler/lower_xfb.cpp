// SPDX-License-Identifier: MIT
// Captured varyings: names of glTransformFeedbackVaryings or qualifiers of the shader, resolved to
// locations.
#include "compiler/io.h"

#include <cstdlib>

namespace compiler {
namespace {

/// Walks ".member" and "[n]" behind a variable's name. Null when the name does not fit the type.
const Type *walk(const Type *t, const char *rest, int32_t &location, std::vector<uint32_t> &path) {
    while (*rest) {
        if (*rest == '[') {
            char *end = nullptr;
            const unsigned long index = std::strtoul(rest + 1, &end, 10);
            if (t->kind != Type::Kind::array || *end != ']' || index >= t->length)
                return nullptr;
            t = t->element.get();
            location += static_cast<int32_t>(index * location_count(*t, false));
            path.push_back(static_cast<uint32_t>(index));
            rest = end + 1;
            continue;
        }
        if (*rest != '.' || t->kind != Type::Kind::structure)
            return nullptr;
        ++rest;
        const size_t length = std::string(rest).find_first_of(".[");
        const std::string member = std::string(rest).substr(0, length);
        const Type *found = nullptr;
        for (const Type::Member &m : t->members) {
            if (m.name == member) {
                found = m.type.get();
                path.push_back(static_cast<uint32_t>(&m - t->members.data()));
                break;
            }
            location += static_cast<int32_t>(location_count(*m.type, false));
        }
        if (!found)
            return nullptr;
        t = found;
        rest += member.size();
    }
    return t;
}

XfbTarget find_builtin_target(const Stage &s, const std::string &name) {
    static const std::pair<const char *, spv::BuiltIn> names[] = {
        {"gl_Position", spv::BuiltInPosition},
        {"gl_PointSize", spv::BuiltInPointSize},
        {"gl_ClipDistance", spv::BuiltInClipDistance},
        {"gl_CullDistance", spv::BuiltInCullDistance},
        {"gl_Layer", spv::BuiltInLayer},
        {"gl_ViewportIndex", spv::BuiltInViewportIndex},
        {"gl_PrimitiveID", spv::BuiltInPrimitiveId}};
    XfbTarget t;
    const std::string base = name.substr(0, name.find('['));
    for (const auto &[text, builtin] : names) {
        if (base != text)
            continue;
        const spirv::builtin_ref ref = spirv::find_builtin(s.m, spv::StorageClassOutput, builtin);
        if (!ref)
            return t;
        t.hold = read_type(s.m, ref.type);
        int32_t unused = 0;
        std::vector<uint32_t> path;
        t.type = walk(t.hold.get(), name.c_str() + base.size(), unused, path);
        t.found = t.type != nullptr;
        t.builtin = static_cast<int32_t>(builtin);
        if (!path.empty())
            t.builtin_element = static_cast<int32_t>(path[0]);
    }
    return t;
}

} // namespace

XfbTarget find_xfb_target(const Stage &s, const std::vector<IoVar> &outputs,
                          const std::string &name) {
    if (name.rfind("gl_", 0) == 0)
        return find_builtin_target(s, name);
    XfbTarget t;
    for (size_t i = 0; i < outputs.size() && !t.found; ++i) {
        const IoVar &v = outputs[i];
        // A member of a block that was taken apart has a dot in its name.
        const bool member = v.name.find('.') != std::string::npos && name.starts_with(v.name);
        const size_t length =
            member ? v.name.size() : std::min(name.find_first_of(".["), name.size());
        const std::string base = name.substr(0, length);
        t.hold = v.type;
        t.location = v.location;
        t.path.clear();
        if (v.block && v.prefix.empty())
            t.type = walk(v.type.get(), ("." + name).c_str(), t.location, t.path);
        else if ((v.block ? v.prefix : v.name) == base)
            t.type = walk(v.type.get(), name.c_str() + length, t.location, t.path);
        else
            continue;
        t.found = t.type != nullptr;
        t.output = i;
        t.component = v.component;
        t.stream = v.stream;
    }
    return t;
}

namespace {

Stage *last_vertex_stage(Lowering &l) {
    for (pipe_shader_type type : {PIPE_SHADER_GEOMETRY, PIPE_SHADER_TESS_EVAL, PIPE_SHADER_VERTEX})
        if (Stage *s = l.stage(type))
            return s;
    return nullptr;
}

bool is_wide(const Type &t) {
    const Type &v = innermost(t);
    return v.base == Type::Base::f64 || v.base == Type::Base::i64 || v.base == Type::Base::u64;
}

void add_entry(Lowering &l, const XfbTarget &t, const std::string &name, uint32_t buffer,
               uint32_t offset) {
    pipe_archive_xfb e{};
    e.name = name;
    e.gl_type = gl_type_of(innermost(*t.type));
    e.array_size = t.type->kind == Type::Kind::array ? t.type->length : 1;
    e.buffer = buffer;
    e.offset = offset;
    e.stream = t.stream;
    e.location = t.builtin >= 0 ? -1 : t.location;
    e.component = t.component;
    e.components = component_count(*t.type);
    e.builtin = t.builtin;
    e.builtin_element = t.builtin_element;
    e.is_double = is_wide(*t.type);
    l.archive.xfb.push_back(std::move(e));
}

/// A part of a struct, an array or a block is captured through an output of its own, which gets a
/// copy whenever the stage emits a vertex: hosts capture whole variables.
void give_own_output(Stage &s, const std::vector<IoVar> &outputs, XfbTarget &t, int32_t location) {
    spirv::module &m = s.m;
    const spirv::id source = outputs[t.output].variable;
    spirv::id type = m.variable_type(source);
    std::vector<spirv::id> indices;
    for (uint32_t k : t.path) {
        type = m.type_op(type) == spv::OpTypeStruct ? m.member_type(type, k) : m.element_type(type);
        indices.push_back(m.const_i32(static_cast<int32_t>(k)));
    }
    const spirv::id target = m.add_variable(spv::StorageClassOutput, type);
    m.set_name(target, "mgp_xfb" + std::to_string(location));
    m.set_decoration(target, spv::DecorationLocation, static_cast<uint32_t>(location));
    if (m.has_decoration(source, spv::DecorationStream))
        m.set_decoration(target, spv::DecorationStream, t.stream);
    spirv::add_to_interface(m, target);
    const auto copy = [&](spirv::code &c) {
        const spirv::id from = c.access(spv::StorageClassOutput, type, source, indices);
        c.store(target, c.load(type, from));
    };
    if (s.type == PIPE_SHADER_GEOMETRY) {
        spirv::insert_before(m, spv::OpEmitVertex, copy);
        spirv::insert_before(m, spv::OpEmitStreamVertex, copy);
    } else {
        spirv::insert_before_returns(m, copy);
    }
    t.location = location;
    t.component = 0;
}

/// The first location behind all outputs.
int32_t free_location(const std::vector<IoVar> &outputs) {
    int32_t next = 0;
    for (const IoVar &v : outputs)
        next = std::max(next, v.location + static_cast<int32_t>(location_count(*v.type, false)));
    return next;
}

/// Skipped components of gl_SkipComponentsN; 0 for any other name.
uint32_t skip_count(const std::string &name) {
    if (name.size() == 18 && name.rfind("gl_SkipComponents", 0) == 0 && name[17] >= '1' &&
        name[17] <= '4')
        return static_cast<uint32_t>(name[17] - '0');
    return 0;
}

/// Whether every captured part has room for a copy. If not, none gets one, so that a driver that
/// captures parts by itself has all that is left.
bool has_room_for_copies(const Lowering &l, const Stage &s, const std::vector<IoVar> &outputs) {
    int32_t end = free_location(outputs);
    for (const std::string &name : l.options.xfb_varyings) {
        const XfbTarget t = find_xfb_target(s, outputs, name);
        if (t.found && !t.path.empty() && t.builtin < 0)
            end += static_cast<int32_t>(location_count(*t.type, false));
    }
    return end <= static_cast<int32_t>(slot_limit(l, s.type));
}

void resolve_names(Lowering &l, Stage &s, const std::vector<IoVar> &outputs) {
    const Limits &limits = l.options.limits;
    uint32_t buffer = 0, offset = 0, seen_in_buffer = 0;
    std::set<std::string> seen;
    std::array<int, 4> stream_of{-1, -1, -1, -1};
    int32_t next_location = free_location(outputs);
    const bool copies = has_room_for_copies(l, s, outputs);
    const auto close = [&] {
        if (buffer < 4)
            l.archive.xfb_stride[buffer] = offset;
        if (offset / 4 > static_cast<uint32_t>(limits.xfb_interleaved_components) &&
            !l.options.xfb_separate)
            l.error("transform feedback buffer %u captures too many components", buffer);
    };
    for (const std::string &name : l.options.xfb_varyings) {
        if (name == "gl_NextBuffer" || skip_count(name)) {
            if (l.options.xfb_separate)
                l.error("'%s' is not allowed with GL_SEPARATE_ATTRIBS", name.c_str());
            if (const uint32_t skipped = skip_count(name)) {
                offset += 4 * skipped;
            } else {
                close();
                ++buffer;
                offset = seen_in_buffer = 0;
                if (buffer >= static_cast<uint32_t>(limits.xfb_buffers))
                    l.error("too many transform feedback buffers");
            }
            continue;
        }
        if (!seen.insert(name).second)
            l.error("transform feedback varying '%s' is listed twice", name.c_str());
        XfbTarget t = find_xfb_target(s, outputs, name);
        if (!t.found || innermost(*t.type).kind == Type::Kind::structure) {
            l.error("transform feedback varying '%s' is not an output of the %s shader",
                    name.c_str(), stage_name(s.type));
            continue;
        }
        if (l.options.xfb_separate) {
            if (component_count(*t.type) > static_cast<uint32_t>(limits.xfb_separate_components))
                l.error("transform feedback varying '%s' has too many components", name.c_str());
            if (buffer >= static_cast<uint32_t>(limits.xfb_separate_attribs)) {
                l.error("too many transform feedback varyings for GL_SEPARATE_ATTRIBS");
                return;
            }
        }
        if (buffer < 4 && stream_of[buffer] >= 0 && stream_of[buffer] != static_cast<int>(t.stream))
            l.error("transform feedback buffer %u would capture two vertex streams", buffer);
        if (buffer < 4)
            stream_of[buffer] = static_cast<int>(t.stream);
        offset = align_up(offset, is_wide(*t.type) ? 8 : 4);
        // Without a copy the driver captures out of the whole variable, if it can.
        if (copies && !t.path.empty() && t.builtin < 0) {
            give_own_output(s, outputs, t, next_location);
            next_location += static_cast<int32_t>(location_count(*t.type, false));
        }
        add_entry(l, t, name, buffer, offset);
        offset += 4 * component_count(*t.type);
        if (l.options.xfb_separate) {
            close();
            ++buffer;
            offset = 0;
        }
    }
    if (!l.options.xfb_separate)
        close();
}

/// Captures that the shader itself asks for with xfb_offset.
void resolve_qualifiers(Lowering &l, const Stage &s, const std::vector<IoVar> &outputs) {
    const spirv::module &m = s.m;
    const auto note_stride = [&](spirv::id target, int32_t member) {
        const auto get = [&](spv::Decoration d) {
            return member < 0 ? m.decoration(target, d)
                              : m.member_decoration(target, static_cast<uint32_t>(member), d);
        };
        const uint32_t buffer = std::min(get(spv::DecorationXfbBuffer).value_or(0), 3u);
        if (const auto stride = get(spv::DecorationXfbStride))
            l.archive.xfb_stride[buffer] = std::max(l.archive.xfb_stride[buffer], *stride);
        return buffer;
    };
    for (spirv::id v : m.variables(spv::StorageClassOutput)) {
        const uint32_t buffer = note_stride(v, -1);
        spirv::id block = m.variable_type(v);
        if (const auto offset = m.decoration(v, spv::DecorationOffset)) {
            const XfbTarget t = find_xfb_target(s, outputs, m.name(v));
            if (t.found)
                add_entry(l, t, m.name(v), buffer, *offset);
        }
        for (uint32_t i = 0; i < m.member_count(block); ++i) {
            const auto offset = m.member_decoration(block, i, spv::DecorationOffset);
            if (!offset)
                continue;
            const uint32_t of_member = m.member_decoration(block, i, spv::DecorationXfbBuffer)
                                           ? note_stride(block, static_cast<int32_t>(i))
                                           : buffer;
            std::string name = m.member_name(block, i);
            if (name.rfind("gl_", 0) != 0 && !m.name(v).empty())
                name = m.name(block) + "." + name;
            const XfbTarget t = find_xfb_target(s, outputs, name);
            if (t.found)
                add_entry(l, t, name, of_member, *offset);
        }
    }
    for (const pipe_archive_xfb &e : l.archive.xfb)
        l.archive.xfb_stride[e.buffer] =
            std::max(l.archive.xfb_stride[e.buffer],
                     align_up(e.offset + 4 * e.components, e.is_double ? 8 : 4));
}

void add_packed(const Lowering &l, const Stage &s, std::vector<IoVar> &outputs) {
    for (const PackedVarying &p : l.packed) {
        if (p.stage != s.type)
            continue;
        IoVar v;
        v.name = p.name;
        v.type = p.type;
        v.stream = p.stream;
        v.location =
            static_cast<int32_t>(s.m.decoration(p.carrier, spv::DecorationLocation).value_or(0));
        outputs.push_back(std::move(v));
    }
}

void strip(Stage &s) {
    spirv::module &m = s.m;
    m.remove_all_decorations(spv::DecorationXfbBuffer);
    m.remove_all_decorations(spv::DecorationXfbStride);
    for (spirv::id v : m.variables(spv::StorageClassOutput)) {
        m.remove_decoration(v, spv::DecorationOffset);
        spirv::id block = m.variable_type(v);
        while (m.type_op(block) == spv::OpTypeArray)
            block = m.element_type(block);
        for (uint32_t i = 0; i < m.member_count(block); ++i)
            m.remove_member_decoration(block, i, spv::DecorationOffset);
    }
    m.remove_capability(spv::CapabilityTransformFeedback);
    spirv::remove_execution_mode(m, spv::ExecutionModeXfb);
}

} // namespace

void lower_xfb(Lowering &l) {
    Stage *s = last_vertex_stage(l);
    if (s) {
        std::vector<IoVar> outputs = collect_io(*s, spv::StorageClassOutput);
        add_packed(l, *s, outputs);
        if (spirv::execution_mode(s->m, spv::ExecutionModeXfb))
            resolve_qualifiers(l, *s, outputs);
        else if (!l.options.xfb_varyings.empty())
            resolve_names(l, *s, outputs);
    } else if (!l.options.xfb_varyings.empty()) {
        l.error("transform feedback varyings are given, but there is no vertex processing stage");
    }
    l.archive.xfb_separate = l.options.xfb_separate && !l.archive.xfb.empty();
    for (Stage &x : l.stages)
        strip(x);
}

} // namespace compiler
