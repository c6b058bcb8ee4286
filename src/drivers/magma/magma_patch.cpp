// SPDX-License-Identifier: MIT
// SPIR-V patches of one stage: descriptors, built-ins, the end of the last vertex stage.
#include "magma_patch.h"

#include "drivers_common/delay_flat.h"
#include "magma_instance.h"
#include "magma_patch_alpha.h"
#include "magma_patch_block.h"
#include "magma_patch_image.h"
#include "magma_patch_push.h"
#include "magma_patch_swizzle.h"
#include "spirv/rewrite.h"
#include "util/log.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace magma {

namespace {

using spirv::id;
using spirv::module;

struct resource_type {
    VkDescriptorType type;
    spv::Dim dim = spv::Dim2D;
    bool arrayed = false, multisampled = false, shadow = false;
    uint8_t value_class = PIPE_VALUE_FLOAT;
};

uint8_t value_class_of(const module &m, id type) {
    if (m.type_op(type) != spv::OpTypeInt)
        return PIPE_VALUE_FLOAT;
    return m.is_signed_int(type) ? PIPE_VALUE_SINT : PIPE_VALUE_UINT;
}

bool describe(const module &m, id type, spv::StorageClass storage, resource_type &out) {
    if (storage != spv::StorageClassUniformConstant) {
        bool buffer = storage == spv::StorageClassStorageBuffer ||
                      m.has_decoration(type, spv::DecorationBufferBlock);
        out.type = buffer ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        return true;
    }
    const spirv::instruction *t = m.def(type);
    if (!t)
        return false;
    bool sampled = t->op == spv::OpTypeSampledImage;
    if (sampled)
        t = m.def(t->operand(0));
    if (!t || t->op != spv::OpTypeImage)
        return false;
    out.dim = spv::Dim(t->operand(1));
    out.shadow = t->operand(2) == 1;
    out.arrayed = t->operand(3) == 1;
    out.multisampled = t->operand(4) == 1;
    out.value_class = value_class_of(m, t->operand(0));
    const bool store = t->operand(5) == 2;
    if (out.dim == spv::DimBuffer)
        out.type = store ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                         : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    else
        out.type =
            store ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    return true;
}

const spv::StorageClass resource_storages[] = {
    spv::StorageClassUniformConstant, spv::StorageClassUniform, spv::StorageClassStorageBuffer};

VkShaderStageFlags stage_flag(unsigned stage) {
    static const VkShaderStageFlags flags[] = {VK_SHADER_STAGE_VERTEX_BIT,
                                               VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                               VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                               VK_SHADER_STAGE_GEOMETRY_BIT,
                                               VK_SHADER_STAGE_FRAGMENT_BIT,
                                               VK_SHADER_STAGE_COMPUTE_BIT};
    return flags[stage];
}

// What hosts have at most between two stages.
constexpr uint32_t most_locations = 32;

// A captured value: where it lies in the outputs and the output that carries it to the buffer.
struct copied_output {
    id variable = 0, type = 0, output = 0;
    std::vector<uint32_t> path;
};

// Locations for copies. Where whole values do not fit, elements of one type share a location.
struct copy_space {
    uint32_t free, most;
    bool packed = false;
    id scalar = 0; // of the location in front of `free`
    uint32_t used = 4;
};

// The patches of one stage share the module and the push constants.
struct patcher {
    const host_device &dev;
    const program &prog;
    const pipe_archive_stage &stage;
    module &m;
    push_constants push;
    std::vector<copied_output> copies = {};
    id carried_size = 0; // output that takes gl_PointSize to a geometry stage of our own; 0: none

    bool descriptors(const char *&why);
    void vertex_inputs();
    void fragment_inputs(const stage_variant &variant);
    void face_by_polygon(uint32_t location);
    void last_stage();
    bool capture(const char *&why);
    bool find_captured(const pipe_archive_xfb &x, copied_output &copy);
    bool capture_copy(const pipe_archive_xfb &x, const copied_output &copy, copy_space &space);
    bool capture_elements(const pipe_archive_xfb &x, const copied_output &copy, copy_space &space);
    void add_copy(const pipe_archive_xfb &x, copied_output copy, uint32_t location,
                  uint32_t component);
    bool capture_position(const pipe_archive_xfb &x);
    bool capture_whole(const pipe_archive_xfb &x);
    void decorate_capture(id variable, int32_t member, const pipe_archive_xfb &x);
    void clean();

    // A private copy of the built-in input `variable`, initialised at the start of main with what
    // `make` computes from the loaded value; all code reads the copy.
    void shadow_input(id variable, const std::function<id(spirv::code &, id)> &make);
    void epilogue(spirv::code &c);
    id flag(spirv::code &c, uint32_t bit);
};

bool patcher::descriptors(const char *&why) {
    for (spv::StorageClass storage : resource_storages) {
        for (id v : m.variables(storage)) {
            auto set = m.decoration(v, spv::DecorationDescriptorSet);
            auto slot = m.decoration(v, spv::DecorationBinding);
            if (!set || !slot)
                continue;
            const program_binding *found = nullptr;
            for (const program_binding &b : prog.bindings)
                if (b.cls == *set && b.slot == *slot)
                    found = &b;
            if (!found) {
                why = "a resource without a slot";
                return false;
            }
            m.set_decoration(v, spv::DecorationDescriptorSet, found->set);
            m.set_decoration(v, spv::DecorationBinding, found->binding);
            m.remove_decoration(v, spv::DecorationLocation);
        }
    }
    return true;
}

void patcher::shadow_input(id variable, const std::function<id(spirv::code &, id)> &make) {
    id type = m.variable_type(variable);
    id copy = m.add_variable(spv::StorageClassPrivate, type);
    spirv::replace_uses(m, variable, copy);
    spirv::remove_from_interface(m, copy);
    spirv::add_to_interface(m, variable);
    for (spirv::function &f : m.functions)
        for (spirv::instruction &inst : f.insts)
            if ((inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain) &&
                inst.operand(0) == copy)
                inst.type = m.type_pointer(spv::StorageClassPrivate, m.pointee(inst.type));
    spirv::code c(m);
    id value = make(c, c.load(type, variable));
    c.store(copy, value);
    spirv::insert_at_start(m, c.out);
}

id patcher::flag(spirv::code &c, uint32_t bit) {
    id u = m.type_int(32, false);
    id flags = push.load(c, offsetof(push_block, flags), u);
    id masked = c.emit(spv::OpBitwiseAnd, u, {flags, m.const_u32(bit)});
    return c.emit(spv::OpINotEqual, m.type_bool(), {masked, m.const_u32(0)});
}

void patcher::vertex_inputs() {
    id i32 = m.type_int(32, true);
    if (auto ref = spirv::find_builtin(m, spv::StorageClassInput, spv::BuiltInVertexId))
        m.set_decoration(ref.variable, spv::DecorationBuiltIn, spv::BuiltInVertexIndex);
    if (auto ref = spirv::find_builtin(m, spv::StorageClassInput, spv::BuiltInInstanceId)) {
        m.set_decoration(ref.variable, spv::DecorationBuiltIn, spv::BuiltInInstanceIndex);
        spirv::builtin_ref base;
        if (dev.has.draw_parameters) {
            base = spirv::ensure_builtin(m, spv::StorageClassInput, spv::BuiltInBaseInstance, i32);
            m.add_capability(spv::CapabilityDrawParameters);
            m.add_extension("SPV_KHR_shader_draw_parameters");
        }
        shadow_input(ref.variable, [&](spirv::code &c, id value) {
            id type = m.variable_type(ref.variable);
            id b = base ? c.load(m.variable_type(base.variable), base.variable)
                        : push.load(c, offsetof(push_block, base_instance), i32);
            return c.emit(spv::OpISub, type, {value, b});
        });
    }
    if (auto ref = spirv::find_builtin(m, spv::StorageClassInput, spv::BuiltInBaseVertex))
        shadow_input(ref.variable, [&](spirv::code &c, id value) {
            id type = m.variable_type(ref.variable);
            id zero = m.const_scalar(type, {0});
            return c.emit(spv::OpSelect, type, {flag(c, push_indexed), value, zero});
        });
    if (auto ref = spirv::find_builtin(m, spv::StorageClassInput, spv::BuiltInDrawIndex))
        shadow_input(ref.variable, [&](spirv::code &c, id value) {
            id first = push.load(c, offsetof(push_block, draw_id), i32);
            return c.emit(spv::OpIAdd, m.variable_type(ref.variable), {value, first});
        });
}

// Edges and corners have the face of their polygon, which a geometry stage of ours gives.
void patcher::face_by_polygon(uint32_t location) {
    const auto face = spirv::find_builtin(m, spv::StorageClassInput, spv::BuiltInFrontFacing);
    if (!face)
        return;
    id i32 = m.type_int(32, true);
    id given = m.add_variable(spv::StorageClassInput, i32);
    m.set_decoration(given, spv::DecorationLocation, location);
    m.set_decoration(given, spv::DecorationFlat);
    id copy = m.add_variable(spv::StorageClassPrivate, m.type_bool());
    spirv::remove_from_interface(m, face.variable);
    spirv::add_to_interface(m, given);
    spirv::replace_uses(m, face.variable, copy);
    spirv::remove_globals(m, {face.variable});
    m.reindex();
    spirv::code c(m);
    c.store(copy, c.emit(spv::OpINotEqual, m.type_bool(), {c.load(i32, given), m.const_i32(0)}));
    spirv::insert_at_start(m, c.out);
}

void patcher::fragment_inputs(const stage_variant &variant) {
    const bool upper = spirv::execution_mode(m, spv::ExecutionModeOriginUpperLeft).has_value();
    const bool integer = spirv::execution_mode(m, spv::ExecutionModePixelCenterInteger).has_value();
    spirv::remove_execution_mode(m, spv::ExecutionModeOriginLowerLeft);
    spirv::remove_execution_mode(m, spv::ExecutionModePixelCenterInteger);
    spirv::set_execution_mode(m, spv::ExecutionModeOriginUpperLeft);
    id f32 = m.type_float(32), vec4 = m.type_vector(f32, 4), vec2 = m.type_vector(f32, 2);
    auto coord = spirv::find_builtin(m, spv::StorageClassInput, spv::BuiltInFragCoord);
    if (coord && (upper || integer))
        shadow_input(coord.variable, [&](spirv::code &c, id value) {
            id x = c.extract(f32, value, {0}), y = c.extract(f32, value, {1});
            if (upper)
                y = c.emit(spv::OpFSub, f32,
                           {push.load(c, offsetof(push_block, fb_height), f32), y});
            if (integer) {
                x = c.emit(spv::OpFSub, f32, {x, m.const_f32(0.5f)});
                y = c.emit(spv::OpFSub, f32, {y, m.const_f32(0.5f)});
            }
            return c.construct(vec4,
                               {x, y, c.extract(f32, value, {2}), c.extract(f32, value, {3})});
        });
    if (variant.front_face)
        face_by_polygon(variant.front_face - 1u);
    // Rows run upwards here, as in GL: the upper left origin of a point is the one that has to be
    // turned.
    if (auto point = spirv::find_builtin(m, spv::StorageClassInput, spv::BuiltInPointCoord)) {
        if (variant.point_coord) { // points are quads, whose corners carry it
            m.remove_decoration(point.variable, spv::DecorationBuiltIn);
            m.set_decoration(point.variable, spv::DecorationLocation, variant.point_coord - 1u);
        }
        shadow_input(point.variable, [&](spirv::code &c, id value) {
            id y = c.extract(f32, value, {1});
            id turned = c.emit(spv::OpFSub, f32, {m.const_f32(1.0f), y});
            id picked = c.emit(spv::OpSelect, f32, {flag(c, push_point_coord_flip), turned, y});
            return c.construct(vec2, {c.extract(f32, value, {0}), picked});
        });
    }
}

// Clip space, clip distances and point size, as the state of the moment wants them.
void patcher::epilogue(spirv::code &c) {
    for (const copied_output &copy : copies) {
        std::vector<id> indices;
        for (uint32_t k : copy.path)
            indices.push_back(m.const_u32(k));
        id pointer = copy.path.empty()
                         ? copy.variable
                         : c.access(spv::StorageClassOutput, copy.type, copy.variable, indices);
        c.store(copy.output, c.load(copy.type, pointer));
    }
    id f32 = m.type_float(32), u32 = m.type_int(32, false), vec4 = m.type_vector(f32, 4);
    auto position = spirv::find_builtin(m, spv::StorageClassOutput, spv::BuiltInPosition);
    if (position && !position.arrayed && !dev.has.depth_clip_control) {
        emulated(emulation::depth_range);
        id pos = spirv::load_builtin(c, spv::StorageClassOutput, position);
        id z = c.extract(f32, pos, {2}), w = c.extract(f32, pos, {3});
        id a = c.emit(spv::OpFMul, f32, {z, push.load(c, offsetof(push_block, z_scale), f32)});
        id b = c.emit(spv::OpFMul, f32, {w, push.load(c, offsetof(push_block, w_scale), f32)});
        id sum = c.emit(spv::OpFAdd, f32, {a, b});
        id all = c.construct(vec4, {c.extract(f32, pos, {0}), c.extract(f32, pos, {1}), sum, w});
        spirv::store_builtin(c, spv::StorageClassOutput, position, all);
    }
    auto clip = spirv::find_builtin(m, spv::StorageClassOutput, spv::BuiltInClipDistance);
    if (clip && !clip.arrayed && stage.clip_distances) {
        id pointer = spirv::builtin_pointer(c, spv::StorageClassOutput, clip);
        id mask = push.load(c, offsetof(push_block, clip_mask), u32);
        uint32_t count = std::min<uint32_t>(m.length(clip.type), stage.clip_distances);
        for (uint32_t i = 0; i < count; ++i) {
            id element = c.access(spv::StorageClassOutput, f32, pointer, {m.const_u32(i)});
            id bit = c.emit(spv::OpBitwiseAnd, u32, {mask, m.const_u32(1u << i)});
            id on = c.emit(spv::OpINotEqual, m.type_bool(), {bit, m.const_u32(0)});
            id value = c.load(f32, element);
            // What clips nothing stays: the fragment stage may read it.
            id inside = c.emit(spv::OpFOrdGreaterThan, m.type_bool(), {value, m.const_f32(0)});
            on = c.emit(spv::OpLogicalOr, m.type_bool(), {on, inside});
            c.store(element, c.emit(spv::OpSelect, f32, {on, value, m.const_f32(0)}));
        }
    }
    const bool vertex = stage.stage == PIPE_SHADER_VERTEX;
    if (!vertex && !dev.has.core.shaderTessellationAndGeometryPointSize)
        return;
    if (stage.stage == PIPE_SHADER_GEOMETRY && prog.archive.gs_output != PIPE_PRIM_POINTS)
        return;
    auto size = spirv::ensure_builtin(m, spv::StorageClassOutput, spv::BuiltInPointSize, f32);
    if (size.arrayed)
        return;
    id fixed = push.load(c, offsetof(push_block, point_size), f32);
    if (stage.writes_point_size) {
        id own = spirv::load_builtin(c, spv::StorageClassOutput, size);
        fixed = c.emit(spv::OpSelect, f32, {flag(c, push_program_point_size), own, fixed});
    }
    spirv::store_builtin(c, spv::StorageClassOutput, size, fixed);
    if (carried_size)
        c.store(carried_size, fixed);
    if (stage.stage == PIPE_SHADER_GEOMETRY)
        m.add_capability(spv::CapabilityGeometryPointSize);
    else if (!vertex)
        m.add_capability(spv::CapabilityTessellationPointSize);
}

void patcher::last_stage() {
    if (stage.stage == PIPE_SHADER_VERTEX && stage.writes_point_size && carries_point_size(dev)) {
        carried_size = m.add_variable(spv::StorageClassOutput, m.type_float(32));
        m.set_decoration(carried_size, spv::DecorationLocation, free_output_location(m));
        m.set_name(carried_size, carried_size_name);
        spirv::add_to_interface(m, carried_size);
    }
    if (stage.stage == PIPE_SHADER_GEOMETRY) {
        spirv::insert_before(m, spv::OpEmitVertex, [&](spirv::code &c) { epilogue(c); });
        spirv::insert_before(m, spv::OpEmitStreamVertex, [&](spirv::code &c) { epilogue(c); });
    } else {
        spirv::insert_before_returns(m, [&](spirv::code &c) { epilogue(c); });
    }
    // Two passes with equal vertex code must give equal depth.
    auto position = spirv::find_builtin(m, spv::StorageClassOutput, spv::BuiltInPosition);
    if (!position)
        return;
    if (position.member < 0) {
        if (!m.has_decoration(position.variable, spv::DecorationInvariant))
            m.set_decoration(position.variable, spv::DecorationInvariant);
    } else {
        id block = m.variable_type(position.variable);
        if (position.arrayed)
            block = m.element_type(block);
        if (!m.has_member_decoration(block, uint32_t(position.member), spv::DecorationInvariant))
            m.set_member_decoration(block, uint32_t(position.member), spv::DecorationInvariant);
    }
}

// The part of an output at `at` that starts at `wanted` and has `components` components: its path
// and type.
bool find_part(const module &m, id type, uint32_t at, uint32_t wanted, uint32_t components,
               std::vector<uint32_t> &path, id &found) {
    uint32_t have = 0, size = locations_of(m, type, have);
    if (wanted < at || (wanted >= at + size && m.type_op(type) != spv::OpTypeStruct))
        return false;
    const spv::Op op = m.type_op(type);
    if (wanted == at && have == components && op != spv::OpTypeStruct) {
        found = type;
        return true;
    }
    uint32_t next = at;
    const bool block = op == spv::OpTypeStruct;
    if (!block && op != spv::OpTypeArray && op != spv::OpTypeMatrix)
        return false;
    const uint32_t parts = block ? m.member_count(type) : m.length(type);
    for (uint32_t k = 0; k < parts; ++k) {
        id part = block ? m.member_type(type, k) : m.element_type(type);
        if (block)
            next = m.member_decoration(type, k, spv::DecorationLocation).value_or(next);
        path.push_back(k);
        if (find_part(m, part, next, wanted, components, path, found))
            return true;
        path.pop_back();
        uint32_t ignored = 0;
        next += locations_of(m, part, ignored);
    }
    return false;
}

void patcher::decorate_capture(id variable, int32_t member, const pipe_archive_xfb &x) {
    m.set_decoration(variable, spv::DecorationXfbBuffer, x.buffer);
    m.set_decoration(variable, spv::DecorationXfbStride, prog.archive.xfb_stride[x.buffer & 3]);
    if (member < 0)
        m.set_decoration(variable, spv::DecorationOffset, x.offset);
    else
        m.set_member_decoration(m.variable_type(variable), uint32_t(member), spv::DecorationOffset,
                                x.offset);
    if (x.stream)
        m.set_decoration(variable, spv::DecorationStream, x.stream);
}

bool patcher::find_captured(const pipe_archive_xfb &x, copied_output &copy) {
    if (x.builtin >= 0) {
        auto ref = spirv::find_builtin(m, spv::StorageClassOutput, spv::BuiltIn(x.builtin));
        if (!ref || ref.arrayed)
            return false;
        copy.variable = ref.variable;
        copy.type = ref.type;
        if (ref.member >= 0)
            copy.path.push_back(uint32_t(ref.member));
        if (x.builtin_element >= 0) {
            copy.path.push_back(uint32_t(x.builtin_element));
            copy.type = m.element_type(ref.type);
        }
    } else {
        for (id v : m.variables(spv::StorageClassOutput)) {
            if (m.has_decoration(v, spv::DecorationBuiltIn) ||
                m.decoration(v, spv::DecorationComponent).value_or(0) != x.component)
                continue;
            auto location = m.decoration(v, spv::DecorationLocation);
            id type = m.variable_type(v);
            const bool block = m.type_op(type) == spv::OpTypeStruct && m.member_count(type) &&
                               m.has_member_decoration(type, 0, spv::DecorationLocation);
            std::vector<uint32_t> path;
            id found = 0;
            if ((location || block) && find_part(m, type, location.value_or(0),
                                                 uint32_t(x.location), x.components, path, found)) {
                copy.variable = v;
                copy.path = std::move(path);
                copy.type = found;
                break;
            }
        }
        if (!copy.variable)
            return false;
    }
    return true;
}

void patcher::add_copy(const pipe_archive_xfb &x, copied_output copy, uint32_t location,
                       uint32_t component) {
    copy.output = m.add_variable(spv::StorageClassOutput, copy.type);
    m.set_decoration(copy.output, spv::DecorationLocation, location);
    if (component)
        m.set_decoration(copy.output, spv::DecorationComponent, component);
    decorate_capture(copy.output, -1, x);
    spirv::add_to_interface(m, copy.output);
    copies.push_back(std::move(copy));
}

// A value, or each element of an array of them, beside others of its type.
bool patcher::capture_elements(const pipe_archive_xfb &x, const copied_output &copy,
                               copy_space &space) {
    const bool array = m.type_op(copy.type) == spv::OpTypeArray;
    const id element = array ? m.element_type(copy.type) : copy.type;
    const auto op = m.type_op(element);
    const bool vector = op == spv::OpTypeVector;
    if (!vector && op != spv::OpTypeInt && op != spv::OpTypeFloat)
        return false;
    const id scalar = vector ? m.element_type(element) : element;
    const uint32_t components = vector ? m.length(element) : 1, n = array ? m.length(copy.type) : 1;
    if (m.int_width(scalar) != 32)
        return false;
    const copy_space before = space;
    std::vector<std::pair<uint32_t, uint32_t>> at;
    for (uint32_t k = 0; k < n; ++k) {
        if (space.scalar != scalar || space.used + components > 4) {
            space.scalar = scalar;
            space.used = 0;
            space.free++;
        }
        at.emplace_back(space.free - 1, space.used);
        space.used += components;
    }
    if (space.free > space.most) {
        space = before;
        return false;
    }
    for (uint32_t k = 0; k < n; ++k) {
        pipe_archive_xfb part = x;
        part.offset += decltype(part.offset)(k * components * 4);
        copied_output one = copy;
        one.type = element;
        if (array)
            one.path.push_back(k);
        add_copy(part, std::move(one), at[k].first, at[k].second);
    }
    return true;
}

// An output of its own for one captured value; the end of the stage copies the value into it. So a
// capture can be a part of a struct or array, be captured twice, and of gl_Position the value
// before any conversion.
bool patcher::capture_copy(const pipe_archive_xfb &x, const copied_output &copy,
                           copy_space &space) {
    if (space.packed && capture_elements(x, copy, space))
        return true;
    uint32_t ignored = 0;
    const uint32_t locations = locations_of(m, copy.type, ignored);
    if (space.free + locations > space.most)
        return false;
    add_copy(x, copy, space.free, 0);
    space.free += locations;
    space.used = 4;
    return true;
}

// gl_Position itself, where nothing changes it at the end of the stage.
bool patcher::capture_position(const pipe_archive_xfb &x) {
    const auto ref = spirv::find_builtin(m, spv::StorageClassOutput, spv::BuiltInPosition);
    const auto again = [&](const pipe_archive_xfb &o) {
        return &o != &x && o.builtin == x.builtin;
    };
    if (x.builtin != spv::BuiltInPosition || x.builtin_element >= 0 || !ref || ref.arrayed ||
        !dev.has.depth_clip_control ||
        std::any_of(prog.archive.xfb.begin(), prog.archive.xfb.end(), again))
        return false;
    decorate_capture(ref.variable, ref.member, x);
    return true;
}

// The variable itself, when no other capture takes a part of it: what is left when there are no
// locations for copies.
bool patcher::capture_whole(const pipe_archive_xfb &x) {
    if (x.builtin >= 0)
        return capture_position(x);
    for (id v : m.variables(spv::StorageClassOutput)) {
        const auto location = m.decoration(v, spv::DecorationLocation);
        uint32_t components = 0;
        const uint32_t size = locations_of(m, m.variable_type(v), components);
        if (location != uint32_t(x.location) || components != x.components ||
            m.decoration(v, spv::DecorationComponent).value_or(0) != x.component)
            continue;
        const auto overlaps = [&](const pipe_archive_xfb &o) {
            return &o != &x && o.builtin < 0 && o.location >= x.location &&
                   o.location < x.location + int32_t(size);
        };
        if (std::any_of(prog.archive.xfb.begin(), prog.archive.xfb.end(), overlaps))
            return false;
        decorate_capture(v, -1, x);
        return true;
    }
    return false;
}

bool patcher::capture(const char *&why) {
    if (prog.archive.xfb.empty() || !dev.has.transform_feedback)
        return true;
    // Hosts count the position and the point size too.
    copy_space space{free_output_location(m),
                     std::min(most_locations, dev.props.limits.maxVertexOutputComponents / 4 - 2)};
    const auto &captured = prog.archive.xfb;
    std::vector<copied_output> found(captured.size());
    uint32_t wanted = space.free, ignored = 0;
    for (size_t i = 0; i < captured.size(); ++i)
        if (find_captured(captured[i], found[i]))
            wanted += locations_of(m, found[i].type, ignored);
        else
            found[i].variable = 0;
    space.packed = wanted > space.most;
    // Built-ins first: only a copy captures them, and the others can do without.
    for (const bool builtins : {true, false})
        for (size_t i = 0; i < captured.size(); ++i) {
            const pipe_archive_xfb &x = captured[i];
            if ((x.builtin >= 0) == builtins &&
                !(found[i].variable && capture_copy(x, found[i], space)) && !capture_whole(x)) {
                log_error("magma",
                          "capture of %s: location %d component %u components %u built-in %d",
                          x.name.c_str(), x.location, x.component, x.components, x.builtin);
                why = "this capture cannot be expressed";
                return false;
            }
        }
    m.add_capability(spv::CapabilityTransformFeedback);
    spirv::set_execution_mode(m, spv::ExecutionModeXfb);
    return true;
}

// What GL-flavoured modules carry and Vulkan does not know.
void patcher::clean() {
    m.remove_all_decorations(spv::DecorationGLSLShared);
    m.remove_all_decorations(spv::DecorationGLSLPacked);
}

} // namespace

bool carries_point_size(const host_device &dev) {
    const VkPhysicalDeviceFeatures &core = dev.has.core;
    return core.geometryShader && !core.largePoints && !core.shaderTessellationAndGeometryPointSize;
}

bool collect_bindings(const std::vector<uint32_t> &words, unsigned stage,
                      std::vector<program_binding> &bindings) {
    auto parsed = module::parse(std::span(words.data(), words.size()));
    if (!parsed)
        return false;
    module &m = *parsed;
    for (spv::StorageClass storage : resource_storages) {
        for (id v : m.variables(storage)) {
            auto set = m.decoration(v, spv::DecorationDescriptorSet);
            auto slot = m.decoration(v, spv::DecorationBinding);
            if (!set || !slot || *set > PIPE_SLOT_ATOMIC_BUFFER)
                continue;
            id type = m.variable_type(v);
            uint32_t count = 1;
            while (m.type_op(type) == spv::OpTypeArray) {
                count *= std::max(m.length(type), 1u);
                type = m.element_type(type);
            }
            resource_type kind;
            if (!describe(m, type, storage, kind))
                return false;
            program_binding *b = nullptr;
            for (program_binding &have : bindings)
                if (have.cls == *set && have.slot == *slot)
                    b = &have;
            if (!b) {
                bindings.push_back({});
                b = &bindings.back();
                b->cls = uint8_t(*set);
                b->slot = uint16_t(*slot);
            }
            b->count = uint16_t(std::max<uint32_t>(b->count, count));
            b->type = kind.type;
            b->dim = uint8_t(kind.dim);
            b->arrayed = kind.arrayed;
            b->multisampled = kind.multisampled;
            b->shadow = kind.shadow;
            b->value_class = kind.value_class;
            b->stages |= stage_flag(stage);
            const bool storage_kind = kind.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
                                      kind.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
                                      kind.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
            b->writes |= storage_kind && !m.has_decoration(v, spv::DecorationNonWritable);
        }
    }
    return true;
}

void collect_vertex_inputs(const std::vector<uint32_t> &words, program &p) {
    std::fill_n(p.input_class, PIPE_MAX_ATTRIBS, uint8_t(PIPE_VALUE_FLOAT));
    auto parsed = module::parse(std::span(words.data(), words.size()));
    if (!parsed)
        return;
    module &m = *parsed;
    for (id v : m.variables(spv::StorageClassInput)) {
        auto location = m.decoration(v, spv::DecorationLocation);
        if (!location || m.has_decoration(v, spv::DecorationBuiltIn))
            continue;
        id type = m.variable_type(v);
        uint32_t count = 1;
        while (m.type_op(type) == spv::OpTypeArray) {
            count *= std::max(m.length(type), 1u);
            type = m.element_type(type);
        }
        if (m.type_op(type) == spv::OpTypeMatrix) {
            count *= m.length(type);
            type = m.element_type(type);
        }
        uint32_t size = 1;
        if (m.type_op(type) == spv::OpTypeVector) {
            size = m.length(type);
            type = m.element_type(type);
        }
        const bool wide = m.type_op(type) == spv::OpTypeFloat && m.int_width(type) == 64;
        // Three and four doubles take two locations of one attribute.
        const uint32_t step = wide && size > 2 ? 2 : 1;
        for (uint32_t k = 0; k < count && *location + k * step < PIPE_MAX_ATTRIBS; ++k) {
            uint32_t at = *location + k * step;
            p.input_mask |= 1u << at;
            p.input_class[at] = value_class_of(m, type);
            if (wide)
                p.input_double |= 1u << at;
        }
    }
}

void collect_fragment_outputs(const std::vector<uint32_t> &words, program &p) {
    auto parsed = module::parse(std::span(words.data(), words.size()));
    if (!parsed)
        return;
    module &m = *parsed;
    for (id v : m.variables(spv::StorageClassOutput)) {
        auto builtin = m.decoration(v, spv::DecorationBuiltIn);
        p.writes_sample_mask |= builtin && *builtin == spv::BuiltInSampleMask;
        auto location = m.decoration(v, spv::DecorationLocation);
        if (!location || builtin)
            continue;
        id type = m.variable_type(v);
        uint32_t ignored = 0;
        const uint32_t count = locations_of(m, type, ignored);
        while (m.type_op(type) == spv::OpTypeArray || m.type_op(type) == spv::OpTypeVector)
            type = m.element_type(type);
        p.outputs.push_back({uint8_t(*location), uint8_t(count), value_class_of(m, type)});
    }
}

namespace {

// The bit of an output in a mask of dropped ones; 0: never dropped.
uint32_t output_bit(const module &m, id variable) {
    if (auto builtin = m.decoration(variable, spv::DecorationBuiltIn))
        return *builtin == spv::BuiltInSampleMask ? drop_sample_mask : 0;
    auto location = m.decoration(variable, spv::DecorationLocation);
    return location && *location < 31 ? 1u << *location : 0;
}

} // namespace

void drop_outputs(module &m, uint32_t dropped) {
    std::vector<id> gone;
    for (id v : m.variables(spv::StorageClassOutput)) {
        if (!(dropped & output_bit(m, v)))
            continue;
        id copy = m.add_variable(spv::StorageClassPrivate, m.variable_type(v));
        spirv::remove_from_interface(m, v);
        spirv::replace_uses(m, v, copy);
        for (spirv::function &f : m.functions)
            for (spirv::instruction &inst : f.insts)
                if ((inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain) &&
                    inst.operand(0) == copy)
                    inst.type = m.type_pointer(spv::StorageClassPrivate, m.pointee(inst.type));
        gone.push_back(v);
    }
    spirv::remove_globals(m, gone);
    m.reindex();
}

std::vector<uint32_t> patch_stage(const host_device &dev, const program &p,
                                  const pipe_archive_stage &stage, bool last,
                                  const stage_variant &variant, const border_set &borders,
                                  const char *&why) {
    auto parsed = module::parse(std::span(stage.spirv.data(), stage.spirv.size()));
    if (!parsed) {
        why = "not a SPIR-V module";
        return {};
    }
    module &m = *parsed;
    if (m.has_capability(spv::CapabilityStorageImageWriteWithoutFormat) &&
        !dev.has.core.shaderStorageImageWriteWithoutFormat) {
        why = "the host writes no image without a format qualifier";
        return {};
    }
    patcher patch{dev, p, stage, m, push_constants(m)};
    patch.clean();
    patch_rectangles(m);
    turn_lookups(m, borders);
    if (!lower_borders(m, borders)) {
        why = "a sampler with a border cannot be followed";
        return {};
    }
    if (!patch.descriptors(why))
        return {};
    if (stage.stage == PIPE_SHADER_VERTEX)
        patch.vertex_inputs();
    if (stage.stage == PIPE_SHADER_FRAGMENT) {
        split_block_arrays(m, spv::StorageClassInput);
        patch.fragment_inputs(variant);
        if (variant.alpha_one)
            replace_alpha(m, variant.coverage);
        drop_outputs(m, variant.dropped);
        if (variant.logic.on)
            lower_logic(m, variant.logic);
    }
    if (last) {
        split_block_arrays(m, spv::StorageClassOutput);
        if (!patch.capture(why))
            return {};
        patch.last_stage();
        if (variant.held && !drivers_common::hold_vertices(m, p.archive))
            log_warning_once(
                "magma", "program %u emits to streams: its first vertices provoke here", p.gl_name);
    }
    return m.write();
}

} // namespace magma
