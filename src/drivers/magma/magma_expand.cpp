// SPDX-License-Identifier: MIT
// The geometry stage is the vertex module without its code: outputs stay, each has an input array.
#include "magma_expand.h"

#include "magma_context.h"
#include "magma_patch.h"
#include "magma_patch_block.h"
#include "magma_patch_push.h"
#include "util/log.h"

#include <algorithm>
#include <span>

namespace magma {

namespace {

using spirv::code;
using spirv::id;
using spirv::module;

// A vertex to emit: which of the primitive, where, and its gl_PointCoord (0: none).
struct vertex_ref {
    uint32_t index;
    id position;
    id coord = 0;
};

// Writes one stage.
class writer {
  public:
    // `sizes`: a geometry stage may read and write gl_PointSize.
    writer(module &m, const expansion &e, bool sizes)
        : m_(m), e_(e), sizes_(sizes), push_(m), c_(m) {}

    // False: the outputs are none that this can pass on.
    bool write(bool primitive_id, bool facing, program &p);

  private:
    struct passed {
        id output, input, type;
        bool flat;
    };
    struct passed_builtin {
        spirv::builtin_ref output;
        id input;
    };
    bool take_outputs(id &void_type, id &function_type);
    bool declare_inputs();
    void declare_builtin(spv::BuiltIn builtin, spv::Capability needed);
    void declare_primitive_id();
    id input_array(id type);
    id input_of(id variable, id type, uint32_t vertex, std::vector<uint32_t> path = {});
    void emit(const vertex_ref &v);
    void copy(const passed &p, uint32_t vertex);
    void end_primitive() { c_.emit_void(spv::OpEndPrimitive); }
    void point_quad(uint32_t vertex);
    void line_quad(uint32_t from, uint32_t to);
    void elements();
    id facing();
    id kept();
    id moved(id position, id x, id y);
    uint32_t vertex_count() const;
    void finish(id void_type, id function_type);

    // ---- arithmetic of scalars
    id f32() { return m_.type_float(32); }
    id u32() { return m_.type_int(32, false); }
    id boolean() { return m_.type_bool(); }
    id mul(id a, id b) { return c_.emit(spv::OpFMul, f32(), {a, b}); }
    id sub(id a, id b) { return c_.emit(spv::OpFSub, f32(), {a, b}); }
    id add(id a, id b) { return c_.emit(spv::OpFAdd, f32(), {a, b}); }
    id div(id a, id b) { return c_.emit(spv::OpFDiv, f32(), {a, b}); }
    id negate(id a) { return c_.emit(spv::OpFNegate, f32(), {a}); }
    id number(float v) { return m_.const_f32(v); }
    id at(id vector, uint32_t k) { return c_.extract(f32(), vector, {k}); }
    id select(id condition, id a, id b) { return c_.emit(spv::OpSelect, f32(), {condition, a, b}); }
    id less(id a, id b) { return c_.emit(spv::OpFOrdLessThan, boolean(), {a, b}); }
    id magnitude(id a) { return select(less(a, number(0)), negate(a), a); }
    id sign(id a) { return select(less(a, number(0)), number(-1), number(1)); }
    id square_root(id a);
    id pushed(size_t offset) { return push_.load(c_, offset, f32()); }

    module &m_;
    const expansion &e_;
    const bool sizes_;
    push_constants push_;
    code c_;
    std::vector<passed> passed_;
    std::vector<passed_builtin> builtins_;
    spirv::builtin_ref position_, size_;
    id position_in_ = 0, size_in_ = 0, carried_size_ = 0, id_in_ = 0, id_out_ = 0, coord_out_ = 0;
    id face_out_ = 0, face_ = 0; // what gl_FrontFacing is of the polygon
    std::vector<id> positions_;
    uint32_t next_location_ = 0;
};

id writer::square_root(id a) {
    constexpr uint32_t glsl_sqrt = 31;
    return c_.emit(spv::OpExtInst, f32(), {m_.glsl_std_450(), glsl_sqrt, a});
}

uint32_t writer::vertex_count() const {
    const uint32_t elements = e_.from == 3 ? 3 : 1;
    if (e_.quads)
        return elements * 4;
    return e_.corners ? elements : elements + 1;
}

// The vertex stage keeps its outputs and loses everything else.
bool writer::take_outputs(id &void_type, id &function_type) {
    spirv::function *main = m_.find_function(spirv::entry_function(m_));
    if (!main || main->insts.empty())
        return false;
    void_type = main->insts.front().type;
    function_type = main->insts.front().operand(1);
    std::vector<id> gone;
    for (const spirv::function &f : m_.functions)
        for (const spirv::instruction &inst : f.insts)
            if (inst.result)
                gone.push_back(inst.result);
    m_.functions.clear();
    m_.execution_modes.clear();
    std::vector<id> outputs = m_.variables(spv::StorageClassOutput);
    for (id v : outputs)
        for (spv::Decoration d : {spv::DecorationXfbBuffer, spv::DecorationXfbStride,
                                  spv::DecorationOffset, spv::DecorationStream})
            m_.remove_decoration(v, d);
    spirv::set_interface(m_, outputs);
    spirv::remove_globals(m_, gone);
    m_.remove_capability(spv::CapabilityTransformFeedback);
    m_.remove_capability(spv::CapabilityDrawParameters);
    m_.add_capability(spv::CapabilityGeometry);
    return true;
}

id writer::input_array(id type) {
    id v = m_.add_variable(spv::StorageClassInput, m_.new_array_type(type, e_.from));
    spirv::add_to_interface(m_, v);
    return v;
}

void writer::declare_builtin(spv::BuiltIn builtin, spv::Capability needed) {
    auto out = spirv::find_builtin(m_, spv::StorageClassOutput, builtin);
    if (!out || !m_.has_capability(needed))
        return;
    id in = input_array(out.type);
    m_.set_decoration(in, spv::DecorationBuiltIn, uint32_t(builtin));
    builtins_.push_back({out, in});
    if (builtin == spv::BuiltInPosition)
        position_ = out, position_in_ = in;
    if (builtin == spv::BuiltInPointSize)
        size_ = out, size_in_ = in;
}

bool writer::declare_inputs() {
    for (spv::BuiltIn b : {spv::BuiltInLayer, spv::BuiltInViewportIndex})
        if (spirv::find_builtin(m_, spv::StorageClassOutput, b))
            return false;
    declare_builtin(spv::BuiltInPosition, spv::CapabilityShader);
    if (sizes_) {
        m_.add_capability(spv::CapabilityGeometryPointSize);
        declare_builtin(spv::BuiltInPointSize, spv::CapabilityGeometryPointSize);
    } else if (auto size = spirv::find_builtin(m_, spv::StorageClassOutput, spv::BuiltInPointSize);
               size && size.member < 0) {
        spirv::remove_from_interface(m_, size.variable);
    }
    declare_builtin(spv::BuiltInClipDistance, spv::CapabilityClipDistance);
    declare_builtin(spv::BuiltInCullDistance, spv::CapabilityCullDistance);
    if (!position_in_)
        return false;
    for (id v : m_.variables(spv::StorageClassOutput)) {
        auto location = m_.decoration(v, spv::DecorationLocation);
        id type = m_.variable_type(v);
        const bool block = m_.type_op(type) == spv::OpTypeStruct && m_.member_count(type) &&
                           m_.has_member_decoration(type, 0, spv::DecorationLocation);
        if (!location && !block)
            continue;
        uint32_t ignored = 0, first = location.value_or(0);
        const uint32_t size = locations_of(m_, type, ignored);
        for (uint32_t k = 0; block && k < m_.member_count(type); ++k)
            first =
                std::max(first, m_.member_decoration(type, k, spv::DecorationLocation).value_or(0));
        next_location_ = std::max(next_location_, first + size);
        id in = input_array(type);
        if (m_.name(v) == carried_size_name)
            carried_size_ = in;
        m_.copy_decorations(v, in);
        m_.remove_decoration(in, spv::DecorationInvariant);
        passed_.push_back({v, in, type, m_.has_decoration(v, spv::DecorationFlat)});
    }
    return true;
}

void writer::declare_primitive_id() {
    id i32 = m_.type_int(32, true);
    id_in_ = m_.add_variable(spv::StorageClassInput, i32);
    id_out_ = m_.add_variable(spv::StorageClassOutput, i32);
    for (id v : {id_in_, id_out_}) {
        m_.set_decoration(v, spv::DecorationBuiltIn, spv::BuiltInPrimitiveId);
        spirv::add_to_interface(m_, v);
    }
}

id writer::input_of(id variable, id type, uint32_t vertex, std::vector<uint32_t> path) {
    std::vector<id> indices = {m_.const_u32(vertex)};
    for (uint32_t k : path)
        indices.push_back(m_.const_u32(k));
    return c_.load(type, c_.access(spv::StorageClassInput, type, variable, indices));
}

void writer::copy(const passed &p, uint32_t vertex) {
    const uint32_t provoking = e_.last ? e_.from - 1u : 0;
    if (m_.type_op(p.type) != spv::OpTypeStruct) {
        c_.store(p.output, input_of(p.input, p.type, p.flat ? provoking : vertex));
        return;
    }
    for (uint32_t k = 0; k < m_.member_count(p.type); ++k) {
        const bool flat = p.flat || m_.has_member_decoration(p.type, k, spv::DecorationFlat);
        id type = m_.member_type(p.type, k);
        c_.store(c_.access(spv::StorageClassOutput, type, p.output, {m_.const_u32(k)}),
                 input_of(p.input, type, flat ? provoking : vertex, {k}));
    }
}

void writer::emit(const vertex_ref &v) {
    for (const passed &p : passed_)
        copy(p, v.index);
    for (const passed_builtin &b : builtins_)
        spirv::store_builtin(c_, spv::StorageClassOutput, b.output,
                             b.input == position_in_ ? v.position
                                                     : input_of(b.input, b.output.type, v.index));
    if (coord_out_)
        c_.store(coord_out_, v.coord);
    if (face_out_)
        c_.store(face_out_, face_);
    if (id_out_)
        c_.store(id_out_, c_.load(m_.type_int(32, true), id_in_));
    c_.emit_void(spv::OpEmitVertex);
}

// The position, to the side by x and y in clip space of w = 1.
id writer::moved(id position, id x, id y) {
    id w = at(position, 3);
    id to_x = add(at(position, 0), mul(x, w)), to_y = add(at(position, 1), mul(y, w));
    return c_.construct(position_.type, {to_x, to_y, at(position, 2), w});
}

void writer::point_quad(uint32_t vertex) {
    id size = size_in_        ? input_of(size_in_, size_.type, vertex)
              : carried_size_ ? input_of(carried_size_, f32(), vertex)
                              : pushed(offsetof(push_block, point_size));
    size = select(less(number(max_quad_size), size), number(max_quad_size), size);
    id x = div(size, pushed(offsetof(push_block, viewport_width)));
    id y = div(size, pushed(offsetof(push_block, viewport_height)));
    id flags = push_.load(c_, offsetof(push_block, flags), u32());
    id bit = c_.emit(spv::OpBitwiseAnd, u32(), {flags, m_.const_u32(push_rows_down)});
    id turned = c_.emit(spv::OpINotEqual, boolean(), {bit, m_.const_u32(0)});
    id below = select(turned, number(1), number(0)), above = sub(number(1), below);
    id vec2 = m_.type_vector(f32(), 2);
    for (int k = 0; k < 4; ++k) {
        id coord = c_.construct(vec2, {number(k & 1 ? 1.0f : 0.0f), k & 2 ? above : below});
        emit({vertex, moved(positions_[vertex], k & 1 ? x : negate(x), k & 2 ? y : negate(y)),
              coord});
    }
    end_primitive();
}

// Homogeneous all the way: an end behind the eye gives the right part of the quad in front of it.
void writer::line_quad(uint32_t from, uint32_t to) {
    id a = positions_[from], b = positions_[to];
    id width = pushed(offsetof(push_block, viewport_width));
    id height = pushed(offsetof(push_block, viewport_height));
    id wide = pushed(offsetof(push_block, line_width));
    auto along = [&](uint32_t k, id scale) {
        return mul(sub(mul(at(b, k), at(a, 3)), mul(at(a, k), at(b, 3))), scale);
    };
    id dx = along(0, width), dy = along(1, height), x, y;
    if (e_.square) {
        id length = square_root(add(mul(dx, dx), mul(dy, dy)));
        length = select(less(number(0), length), length, number(1));
        x = negate(div(dy, length));
        y = div(dx, length);
    } else {
        // Columns of pixels along lines that are wider than high, else rows.
        id steep = less(magnitude(dx), magnitude(dy));
        x = select(steep, negate(sign(dy)), number(0));
        y = select(steep, number(0), sign(dx));
    }
    x = div(mul(x, wide), width);
    y = div(mul(y, wide), height);
    emit({from, moved(a, negate(x), negate(y))});
    emit({to, moved(b, negate(x), negate(y))});
    emit({from, moved(a, x, y)});
    emit({to, moved(b, x, y)});
    end_primitive();
}

// Whether the polygon shows its front.
id writer::facing() {
    // The determinant of x, y and w has the sign of the area.
    auto minor = [&](uint32_t i, uint32_t j) {
        return sub(mul(at(positions_[i], 0), at(positions_[j], 1)),
                   mul(at(positions_[j], 0), at(positions_[i], 1)));
    };
    id area = mul(minor(0, 1), at(positions_[2], 3));
    area = add(area, mul(minor(1, 2), at(positions_[0], 3)));
    area = add(area, mul(minor(2, 0), at(positions_[1], 3)));
    return e_.front_ccw ? less(number(0), area) : less(area, number(0));
}

// Whether the primitive is drawn, a point by its centre and a polygon by its facing; 0: always.
id writer::kept() {
    if (e_.from == 1) {
        id w = at(positions_[0], 3);
        id x = less(w, magnitude(at(positions_[0], 0)));
        id y = less(w, magnitude(at(positions_[0], 1)));
        id outside = c_.emit(spv::OpLogicalOr, boolean(), {x, y});
        return c_.emit(spv::OpLogicalNot, boolean(), {outside});
    }
    if (e_.from != 3 || !e_.cull)
        return 0;
    const bool front = !(e_.cull & VK_CULL_MODE_FRONT_BIT);
    if (!front && e_.cull & VK_CULL_MODE_BACK_BIT)
        return m_.const_null(boolean());
    return front ? facing() : c_.emit(spv::OpLogicalNot, boolean(), {facing()});
}

void writer::elements() {
    const uint32_t n = e_.from;
    if (e_.corners) {
        for (uint32_t k = 0; k < n; ++k) {
            if (e_.quads)
                point_quad(k);
            else
                emit({k, positions_[k]});
        }
        return;
    }
    const uint32_t lines = n == 3 ? 3 : 1;
    if (e_.quads) {
        for (uint32_t k = 0; k < lines; ++k)
            line_quad(k, (k + 1) % n);
        return;
    }
    for (uint32_t k = 0; k <= lines; ++k)
        emit({k % n, positions_[k % n]});
    end_primitive();
}

bool writer::write(bool primitive_id, bool facing, program &p) {
    id void_type = 0, function_type = 0;
    if (!take_outputs(void_type, function_type) || !declare_inputs())
        return false;
    if (primitive_id)
        declare_primitive_id();
    if (e_.corners && e_.quads) {
        coord_out_ = m_.add_variable(spv::StorageClassOutput, m_.type_vector(f32(), 2));
        m_.set_decoration(coord_out_, spv::DecorationLocation, next_location_);
        spirv::add_to_interface(m_, coord_out_);
        p.point_coord = uint8_t(next_location_ + 1);
    }
    for (uint32_t k = 0; k < e_.from; ++k)
        positions_.push_back(input_of(position_in_, position_.type, k));
    if (facing && e_.from == 3) {
        id i32 = m_.type_int(32, true);
        face_out_ = m_.add_variable(spv::StorageClassOutput, i32);
        m_.set_decoration(face_out_, spv::DecorationLocation, next_location_ + 1);
        m_.set_decoration(face_out_, spv::DecorationFlat);
        spirv::add_to_interface(m_, face_out_);
        face_ = c_.emit(spv::OpSelect, i32, {this->facing(), m_.const_i32(1), m_.const_i32(0)});
        p.front_face = uint8_t(next_location_ + 2);
    }
    const id condition = kept(), then = m_.new_id(), merge = m_.new_id();
    if (condition) {
        c_.emit_void(spv::OpSelectionMerge, {merge, 0});
        c_.emit_void(spv::OpBranchConditional, {condition, then, merge});
        c_.out.emplace_back(spv::OpLabel, 0, then);
    }
    elements();
    if (condition) {
        c_.emit_void(spv::OpBranch, {merge});
        c_.out.emplace_back(spv::OpLabel, 0, merge);
    }
    finish(void_type, function_type);
    return true;
}

void writer::finish(id void_type, id function_type) {
    const id main = m_.new_id(), label = m_.new_id();
    spirv::function f;
    f.insts.emplace_back(spv::OpFunction, void_type, main, std::vector<uint32_t>{0, function_type});
    f.insts.emplace_back(spv::OpLabel, 0, label);
    f.insts.insert(f.insts.end(), c_.out.begin(), c_.out.end());
    f.insts.emplace_back(spv::OpReturn, 0, 0);
    f.insts.emplace_back(spv::OpFunctionEnd, 0, 0);
    m_.functions.push_back(std::move(f));
    spirv::instruction &entry = m_.entry_points.front();
    entry.operands[0] = spv::ExecutionModelGeometry;
    entry.operands[1] = main;
    const spv::ExecutionMode in[] = {spv::ExecutionModeInputPoints, spv::ExecutionModeInputLines,
                                     spv::ExecutionModeTriangles};
    spirv::set_execution_mode(m_, in[e_.from - 1]);
    spirv::set_execution_mode(m_, e_.quads     ? spv::ExecutionModeOutputTriangleStrip
                                  : e_.corners ? spv::ExecutionModeOutputPoints
                                               : spv::ExecutionModeOutputLineStrip);
    spirv::set_execution_mode(m_, spv::ExecutionModeInvocations, {1});
    spirv::set_execution_mode(m_, spv::ExecutionModeOutputVertices, {vertex_count()});
    const std::vector<id> listed = spirv::interface_of(m_);
    spirv::remove_dead_globals(
        m_, [&](id v) { return std::find(listed.begin(), listed.end(), v) != listed.end(); });
}

const pipe_archive_stage *stage_of(const program &p, unsigned stage) {
    for (const pipe_archive_stage &s : p.archive.stages)
        if (s.stage == stage && !s.spirv.empty())
            return &s;
    return nullptr;
}

bool fragment_reads(const program &p, spv::BuiltIn builtin) {
    const pipe_archive_stage *s = stage_of(p, PIPE_SHADER_FRAGMENT);
    if (!s)
        return false;
    auto m = module::parse(std::span(s->spirv.data(), s->spirv.size()));
    return m && spirv::find_builtin(*m, spv::StorageClassInput, builtin);
}

std::vector<uint32_t> expansion_code(host_device &dev, program &p, const expansion &e) {
    const pipe_archive_stage *vertex = stage_of(p, PIPE_SHADER_VERTEX);
    const char *why = nullptr;
    if (!vertex)
        return {};
    const std::vector<uint32_t> words = patch_stage(dev, p, *vertex, true, {}, {}, why);
    auto m = module::parse(std::span(words.data(), words.size()));
    const bool sizes = dev.has.core.shaderTessellationAndGeometryPointSize;
    if (!m || !writer(*m, e, sizes)
                   .write(fragment_reads(p, spv::BuiltInPrimitiveId),
                          fragment_reads(p, spv::BuiltInFrontFacing), p))
        return {};
    return m->write();
}

uint8_t vertices_of(VkPrimitiveTopology topology) {
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST: return 1;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP: return 2;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN: return 3;
    default: return 0;
    }
}

// Whether the host draws points and lines of these sizes by itself.
bool host_points(const context &c, const pipe_raster_state &r) {
    const bool written =
        r.program_point_size && stage_of(*c.st.draw_program, PIPE_SHADER_VERTEX)->writes_point_size;
    return c.dev.has.core.largePoints || (!written && c.st.dynamic->line_point.point_size <= 1.0f);
}

bool host_lines(const context &c) {
    return c.dev.has.core.wideLines || c.st.dynamic->line_point.line_width < 1.5f;
}

} // namespace

expansion expansion_for(const context &c, VkPrimitiveTopology topology) {
    const VkPhysicalDeviceFeatures &core = c.dev.has.core;
    expansion e;
    if ((core.wideLines && core.largePoints && core.fillModeNonSolid) || !core.geometryShader ||
        !c.st.render || !stage_of(*c.st.draw_program, PIPE_SHADER_VERTEX))
        return {};
    const pipe_raster_state &r = c.st.render->s.raster;
    const uint8_t n = vertices_of(topology);
    const bool unfilled =
        n == 3 && !core.fillModeNonSolid && r.fill_front != PIPE_POLYGON_MODE_FILL;
    if (!n || r.discard || (n == 3 && !unfilled))
        return {};
    e.corners = n == 1 || (unfilled && r.fill_front == PIPE_POLYGON_MODE_POINT);
    // Of what a geometry stage makes, only polygons are offset.
    e.quads = e.corners ? !host_points(c, r) : !host_lines(c) || (unfilled && r.offset_line);
    if (!unfilled && !e.quads)
        return {};
    if (c.capture || c.st.draw_program->has_stage(PIPE_SHADER_GEOMETRY) ||
        c.st.draw_program->has_stage(PIPE_SHADER_TESS_EVAL)) {
        log_warning_once("magma", "a geometry or tessellation stage or a capture keeps points and "
                                  "lines thin and polygons filled on this host");
        return {};
    }
    if (unfilled)
        emulated(emulation::polygon_mode);
    if (e.quads)
        emulated(e.corners ? emulation::large_points : emulation::wide_lines);
    e.from = n;
    e.last = c.dev.has.provoking_vertex && !r.flatshade_first;
    e.cull = n == 3 ? r.cull_face & 3 : 0;
    e.front_ccw = r.front_ccw & 1;
    e.square = e.quads && !e.corners && c.pass.formats.samples > 1;
    return e;
}

VkShaderModule expansion_module(host_device &dev, program &p, const expansion &e) {
    auto [it, fresh] = p.expansions.try_emplace(e.bits(), VkShaderModule(VK_NULL_HANDLE));
    if (!fresh)
        return it->second;
    const std::vector<uint32_t> words = expansion_code(dev, p, e);
    if (words.empty()) {
        log_warning_once("magma", "points, lines or polygon modes of a program need another host");
        return VK_NULL_HANDLE;
    }
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size() * 4;
    info.pCode = words.data();
    if (VK_TRY(&dev, CreateShaderModule(dev.device, &info, nullptr, &it->second)) != VK_SUCCESS)
        it->second = VK_NULL_HANDLE;
    return it->second;
}

} // namespace magma
