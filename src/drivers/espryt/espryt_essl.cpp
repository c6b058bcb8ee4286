// SPDX-License-Identifier: MIT
// SPIRV-Cross as a subclass that knows what GLES spells differently, between small rewrites of the
// SPIR-V before it and header lines after it.
#include "espryt_essl.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <spirv_cross/spirv_glsl.hpp>
#include <utility>

#include "espryt_components.h"
#include "espryt_image_1d.h"
#include "espryt_offsets.h"
#include "espryt_row_major.h"
#include "espryt_texel_buffer.h"
#include "espryt_varyings.h"
#include "util/log.h"

namespace espryt {

namespace {

using namespace spirv_cross;

// Drops what must not reach the printer: precision hints (GL has none, and two stages would
// disagree), and makes rectangle images two-dimensional. Returns the ids of their types.
std::set<uint32_t> rewrite(std::vector<uint32_t> &words) {
    std::set<uint32_t> rectangles;
    for (size_t at = 5; at < words.size();) {
        uint32_t op = words[at] & 0xffff, count = words[at] >> 16;
        if (!count || at + count > words.size())
            break;
        bool relaxed = (op == spv::OpDecorate && count >= 3 &&
                        words[at + 2] == spv::DecorationRelaxedPrecision) ||
                       (op == spv::OpMemberDecorate && count >= 4 &&
                        words[at + 3] == spv::DecorationRelaxedPrecision);
        if (relaxed) {
            for (uint32_t i = 0; i < count; i++)
                words[at + i] = spv::OpNop | 1u << 16;
        } else if (op == spv::OpTypeImage && count >= 9 && words[at + 3] == spv::DimRect) {
            words[at + 3] = spv::Dim2D;
            rectangles.insert(words[at + 1]);
        } else if (op == spv::OpTypeSampledImage && count >= 3 && rectangles.count(words[at + 2])) {
            rectangles.insert(words[at + 1]);
        } else if (op == spv::OpCapability && words[at + 1] == spv::CapabilitySampledRect) {
            words[at + 1] = spv::CapabilityShader;
        }
        at += count;
    }
    return rectangles;
}

// New locations of varyings, by location and component.
using component_map = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

class printer : public CompilerGLSL {
  public:
    printer(std::vector<uint32_t> words, std::set<uint32_t> rectangles, const host &h)
        : CompilerGLSL(std::move(words)), rectangles_(std::move(rectangles)), host_(h) {}

    std::set<std::string> uniforms, extensions;
    std::string lowered;                  // declarations and functions
    std::vector<std::string> before_emit; // statements that end a vertex of a geometry stage
    bool clamp_depth = false, outline = false, border = false, borders = false;
    bool uses_rectangles = false, discard_clipped = false, lod_bias = false, texels = false;
    uint32_t num_samplers = 0; // slots of the program
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> moved; // what the locations were

    void override_point_size() {
        uniforms.insert("uniform highp float mgp_point_size;");
        if (get_execution_model() != spv::ExecutionModelVertex)
            extensions.insert("GL_EXT_tessellation_point_size");
        auto &entry = get<SPIRFunction>(ir.default_entry_point);
        entry.fixup_hooks_out.push_back([this] { statement("gl_PointSize = mgp_point_size;"); });
    }

    // GL_FRAMEBUFFER_SRGB off on a host that always encodes.
    void decode_outputs() {
        uniforms.insert("uniform highp int mgp_srgb;");
        uniforms.insert("highp vec3 mgp_decode(highp vec3 c) {\n"
                        "    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), "
                        "greaterThan(c, vec3(0.04045)));\n}");
        auto &entry = get<SPIRFunction>(ir.default_entry_point);
        entry.fixup_hooks_out.push_back([this] {
            each_interface(spv::StorageClassOutput, [&](uint32_t id, SPIRVariable &v) {
                const SPIRType &t = get_variable_data_type(v);
                if (t.basetype == SPIRType::Float && !get_decoration(id, spv::DecorationIndex))
                    decode_output(to_name(id), t, get_decoration(id, spv::DecorationLocation));
            });
        });
    }

    void run_first(const std::string &line) {
        auto &entry = get<SPIRFunction>(ir.default_entry_point);
        entry.fixup_hooks_in.push_back([this, line] { statement(line); });
    }

    void run_last(const std::string &line) {
        auto &entry = get<SPIRFunction>(ir.default_entry_point);
        entry.fixup_hooks_out.push_back([this, line] { statement(line); });
    }

    void add(const lowered_text &t) {
        lowered += t.declarations;
        for (const std::string &line : t.first)
            run_first(line);
        for (const std::string &line : t.last)
            run_last(line);
    }

    template <typename F> void each_interface(spv::StorageClass storage, F f) {
        ir.for_each_typed_id<SPIRVariable>([&](uint32_t id, SPIRVariable &v) {
            if (v.storage == storage && !is_builtin_variable(v) &&
                interface_variable_exists_in_entry_point(id))
                f(id, v);
        });
    }

    // All but the entry point.
    template <typename F> void each_function(F f) {
        ir.for_each_typed_id<SPIRFunction>([&](uint32_t id, SPIRFunction &) {
            if (id != ir.default_entry_point)
                f(id);
        });
    }

    // Outputs with their locations, down to vectors and matrices, by the names that were printed.
    void collect_outputs(bool per_vertex, std::vector<essl_stage::output> *out) {
        each_interface(spv::StorageClassOutput, [&](uint32_t id, SPIRVariable &v) {
            const SPIRType *t = &get<SPIRType>(v.basetype);
            if (t->pointer)
                t = &get<SPIRType>(t->parent_type);
            if (per_vertex && !t->array.empty())
                t = &get<SPIRType>(t->parent_type);
            const uint32_t at = get_decoration(id, spv::DecorationLocation);
            const auto was = moved.find(at);
            bool block = has_decoration(t->self, spv::DecorationBlock);
            std::string name = block ? to_name(t->self, false) : to_name(id, false);
            if (was == moved.end())
                collect(*t, name, static_cast<int>(at), 0, out);
            else
                collect(*t, name, static_cast<int>(was->second.first), was->second.second, out);
        });
    }

    bool writes_builtin(spv::BuiltIn b) {
        bool found = false;
        ir.for_each_typed_id<SPIRVariable>([&](uint32_t id, SPIRVariable &v) {
            found = found || (v.storage == spv::StorageClassOutput &&
                              has_decoration(id, spv::DecorationBuiltIn) &&
                              get_decoration(id, spv::DecorationBuiltIn) == uint32_t(b));
        });
        return found;
    }

    // Colour outputs of a fragment stage, by location.
    std::vector<color_output> collect_colors() {
        std::vector<color_output> out;
        each_interface(spv::StorageClassOutput, [&](uint32_t id, SPIRVariable &v) {
            const SPIRType *t = &get<SPIRType>(v.basetype);
            if (t->pointer)
                t = &get<SPIRType>(t->parent_type);
            const uint32_t elements = t->array.empty() ? 1 : t->array.back();
            for (uint32_t i = 0; i < elements; i++)
                out.push_back(
                    {get_decoration(id, spv::DecorationLocation) + i,
                     get_decoration(id, spv::DecorationIndex), t->vecsize,
                     t->basetype == SPIRType::Int    ? 'i'
                     : t->basetype == SPIRType::UInt ? 'u'
                                                     : 'f',
                     to_name(id) + (t->array.empty() ? "" : "[" + std::to_string(i) + "]")});
        });
        std::sort(out.begin(), out.end(), [](const color_output &a, const color_output &b) {
            return a.location < b.location;
        });
        return out;
    }

  protected:
    std::string builtin_to_glsl(spv::BuiltIn builtin, spv::StorageClass storage) override {
        switch (builtin) {
        case spv::BuiltInVertexIndex:
        case spv::BuiltInVertexId: return "gl_VertexID";
        case spv::BuiltInInstanceId:
        case spv::BuiltInInstanceIndex: return "gl_InstanceID";
        case spv::BuiltInPatchVertices: return "gl_PatchVerticesIn";
        case spv::BuiltInBaseVertex:
            uniforms.insert("uniform highp int mgp_base_vertex;");
            return "mgp_base_vertex";
        case spv::BuiltInBaseInstance:
            uniforms.insert("uniform highp int mgp_base_instance;");
            return "mgp_base_instance";
        case spv::BuiltInDrawIndex:
            uniforms.insert("uniform highp int mgp_draw_id;");
            return "mgp_draw_id";
        case spv::BuiltInFragCoord: return frag_coord();
        case spv::BuiltInFrontFacing:
            if (!outline)
                break;
            uniforms.insert("flat in highp int mgp_front;");
            return "(mgp_front != 0)";
        case spv::BuiltInClipDistance:
            if (discard_clipped)
                return "mgp_clip";
            extensions.insert("GL_EXT_clip_cull_distance");
            return "gl_ClipDistance";
        case spv::BuiltInCullDistance:
            extensions.insert("GL_EXT_clip_cull_distance");
            return "gl_CullDistance";
        case spv::BuiltInViewportIndex:
            extensions.insert("GL_OES_viewport_array");
            return "gl_ViewportIndex";
        case spv::BuiltInPointCoord: // from the upper left here; by the state in GL
            uniforms.insert("uniform highp float mgp_point_turn;");
            return "vec2(gl_PointCoord.x, abs(mgp_point_turn - gl_PointCoord.y))";
        case spv::BuiltInPointSize:
            if (get_execution_model() == spv::ExecutionModelGeometry)
                extensions.insert("GL_EXT_geometry_point_size");
            else if (get_execution_model() != spv::ExecutionModelVertex)
                extensions.insert("GL_EXT_tessellation_point_size");
            return "gl_PointSize";
        default: break;
        }
        return CompilerGLSL::builtin_to_glsl(builtin, storage);
    }

    std::string to_function_args(const TextureFunctionArguments &args, bool *forward) override {
        std::string s = CompilerGLSL::to_function_args(args, forward);
        if (border)
            note_border(args, s);
        if (lod_bias)
            add_bias(args, &s);
        if (args.base.imgtype && args.base.imgtype->image.dim == spv::Dim1D)
            widen_1d(args, &s);
        if (!args.base.imgtype || !rectangles_.count(args.base.imgtype->self) || args.base.is_fetch)
            return s;
        // "image, coordinate[, more]": the coordinate is in texels.
        size_t first = top_comma(s, 0);
        if (first == std::string::npos)
            return s;
        size_t second = top_comma(s, first + 1);
        std::string image = s.substr(0, first);
        std::string coord =
            s.substr(first + 2, second == std::string::npos ? second : second - first - 2);
        uses_rectangles = true;
        return image + ", mgp_rect(" + coord + ", textureSize(" + image + ", 0))" +
               (second == std::string::npos ? "" : s.substr(second));
    }

    std::string to_texture_op(const Instruction &i, bool sparse, bool *forward,
                              SmallVector<uint32_t> &inherited) override {
        border_note_.clear();
        std::string s = CompilerGLSL::to_texture_op(i, sparse, forward, inherited);
        const auto op = static_cast<spv::Op>(i.op);
        const bool compares =
            op == spv::OpImageSampleDrefImplicitLod || op == spv::OpImageSampleDrefExplicitLod;
        if (compares && compares_in_array(stream(i)[2]))
            s = array_shadow(s);
        if (border_note_.empty())
            return s;
        borders = true;
        return border_call_ + "(" + s + ", " + border_note_ + ")";
    }

    void emit_instruction(const Instruction &i) override {
        const uint32_t *ops = stream(i);
        auto op = static_cast<spv::Op>(i.op);
        if (op == spv::OpEmitVertex || op == spv::OpEmitStreamVertex)
            for (const std::string &line : before_emit)
                statement(line);
        if (op == spv::OpImageQueryLod) {
            extensions.insert("GL_EXT_texture_query_lod");
            emit_op(ops[0], ops[1],
                    join("textureQueryLOD(", to_non_uniform_aware_expression(ops[2]), ", ",
                         to_expression(ops[3]), ")"),
                    false);
            return;
        }
        if (op == spv::OpImageQueryLevels) {
            emit_op(ops[0], ops[1], levels_of(ops[2]), true);
            return;
        }
        if (texels && op == spv::OpImageFetch && is_texels(expression_type(ops[2]))) {
            emit_op(ops[0], ops[1], fetch_texel(ops[2], ops[3]), false);
            return;
        }
        if (flat_texels() && op == spv::OpImageQuerySize && is_texels(expression_type(ops[2]))) {
            emit_op(ops[0], ops[1], texel_word(ops[2], 1), true);
            return;
        }
        if (op == spv::OpImageQuerySize && rectangles_.count(expression_type(ops[2]).self)) {
            const bool storage = expression_type(ops[2]).image.sampled == 2;
            emit_op(ops[0], ops[1],
                    join(storage ? "imageSize(" : "textureSize(", to_expression(ops[2]),
                         storage ? ")" : ", 0)"),
                    true);
            return;
        }
        if ((op == spv::OpImageQuerySize || op == spv::OpImageQuerySizeLod) &&
            emit_1d_array_size(op, ops))
            return;
        CompilerGLSL::emit_instruction(i);
    }

    std::string to_interpolation_qualifiers(const Bitset &flags) override {
        if (!flags.get(spv::DecorationNoPerspective))
            return CompilerGLSL::to_interpolation_qualifiers(flags);
        Bitset rest = flags;
        rest.clear(spv::DecorationNoPerspective);
        std::string s = CompilerGLSL::to_interpolation_qualifiers(rest);
        if (!host_.has(feature::noperspective)) {
            log_warning_once("espryt",
                             "noperspective is dropped: the host has no such interpolation");
            return s;
        }
        extensions.insert("GL_NV_shader_noperspective_interpolation");
        return "noperspective " + s;
    }

    std::string image_type_glsl(const SPIRType &type, uint32_t id) override {
        if (!texels || !is_texels(type))
            return CompilerGLSL::image_type_glsl(type, id);
        const SPIRType::BaseType of = get<SPIRType>(type.image.type).basetype;
        const std::string prefix = of == SPIRType::Int ? "i" : "u";
        if (flat_texels())
            return prefix + "sampler2D";
        const std::string own = CompilerGLSL::image_type_glsl(type, id); // asks for the extension
        return of == SPIRType::Float ? prefix + own : own;
    }

  private:
    void decode_output(const std::string &name, const SPIRType &t, uint32_t location) {
        static const char *const parts[] = {"", ".rg", ".rgb"};
        static const char *const rest[] = {", 0.0, 0.0)).r", ", 0.0)).rg", "))"};
        const uint32_t n = std::min(t.vecsize, 3u) - 1;
        for (uint32_t i = 0; i < (t.array.empty() ? 1 : t.array.back()); i++) {
            const std::string one =
                name + (t.array.empty() ? "" : "[" + std::to_string(i) + "]") + parts[n];
            statement("if ((mgp_srgb >> ", location + i, " & 1) != 0) ", one, " = mgp_decode(vec3(",
                      one, rest[n], ";");
        }
    }

    static bool is_texels(const SPIRType &t) {
        return t.image.dim == spv::DimBuffer && t.image.sampled != 2;
    }

    bool flat_texels() const { return texels && !host_.has(feature::texture_buffer); }

    // Code and size of the buffer texture of a slot.
    std::string texel_word(uint32_t image, unsigned which) {
        const std::string slot = slot_of(image);
        if (slot.empty())
            SPIRV_CROSS_THROW("a buffer texture that the host lacks is a parameter");
        uniforms.insert("uniform highp int mgp_texels[" + std::to_string(2 * num_samplers) + "];");
        return "mgp_texels[2 * (" + slot + ") + " + std::to_string(which) + "]";
    }

    std::string fetch_texel(uint32_t image, uint32_t at) {
        const std::string words =
            texel_fetch(to_expression(image), to_enclosed_expression(at), flat_texels());
        const SPIRType &of = get<SPIRType>(expression_type(image).image.type);
        if (of.basetype != SPIRType::Float)
            return words;
        uniforms.insert(texel_function());
        return "mgp_texel(" + words + ", " + texel_word(image, 0) + ")";
    }

    // Appends the leaves of one type; returns the location behind it.
    int collect(const SPIRType &t, const std::string &name, int location, uint32_t component,
                std::vector<essl_stage::output> *out) {
        bool is_struct = t.basetype == SPIRType::Struct;
        if (!t.array.empty() && (is_struct || t.array.size() > 1)) {
            const SPIRType &element = get<SPIRType>(t.parent_type);
            for (uint32_t i = 0; i < t.array.back(); i++)
                location = collect(element, name + "[" + std::to_string(i) + "]", location,
                                   component, out);
            return location;
        }
        if (is_struct) {
            for (uint32_t i = 0; i < t.member_types.size(); i++) {
                if (has_member_decoration(t.self, i, spv::DecorationLocation))
                    location =
                        static_cast<int>(get_member_decoration(t.self, i, spv::DecorationLocation));
                location = collect(get<SPIRType>(t.member_types[i]),
                                   name + "." + to_member_name(t, i), location,
                                   get_member_decoration(t.self, i, spv::DecorationComponent), out);
            }
            return location;
        }
        essl_stage::output o;
        o.location = location;
        o.array_size = t.array.empty() ? 0 : static_cast<int>(t.array.back());
        o.locations =
            static_cast<int>(t.columns ? t.columns : 1) * (o.array_size ? o.array_size : 1);
        o.component = component;
        o.name = name;
        out->push_back(o);
        return location + o.locations;
    }

    std::set<uint32_t> rectangles_;
    std::string border_note_; // of the look-up that is being printed; empty: it has no border
    std::string border_call_; // what takes it
    const host &host_;

    // The language has the lower left origin and half-integer centres only.
    std::string frag_coord() {
        const Bitset &modes = get_entry_point().flags;
        const std::string zw = clamp_depth ? "mgp_z, gl_FragCoord.w" : "gl_FragCoord.zw";
        const char *shift =
            modes.get(spv::ExecutionModePixelCenterInteger) ? " - vec4(0.5, 0.5, 0.0, 0.0)" : "";
        if (modes.get(spv::ExecutionModeOriginUpperLeft)) {
            uniforms.insert("uniform highp float mgp_fb_height;");
            return join("(vec4(gl_FragCoord.x, mgp_fb_height - gl_FragCoord.y, ", zw, ")", shift,
                        ")");
        }
        if (clamp_depth)
            return join("(vec4(gl_FragCoord.xy, ", zw, ")", shift, ")");
        return *shift ? join("(gl_FragCoord", shift, ")") : "gl_FragCoord";
    }

    // The language has no textureQueryLevels: the driver knows them, by sampler slot.
    std::string levels_of(uint32_t image) {
        const std::string slot = slot_of(image);
        if (slot.empty())
            SPIRV_CROSS_THROW("textureQueryLevels of a sampler that is a parameter");
        uniforms.insert("uniform highp int mgp_levels[" + std::to_string(num_samplers) + "];");
        return "mgp_levels[" + slot + "]";
    }

    // What mgp_bordered() needs besides the texel: of look-ups with one or several coordinates of a
    // sampler that is not a parameter. Cubes have no border, fetches no coordinate.
    void note_border(const TextureFunctionArguments &args, const std::string &s) {
        if (!args.base.imgtype || args.base.is_fetch)
            return;
        if (args.offset && !expression_type(args.offset).array.empty())
            return; // four offsets of one textureGather
        const SPIRType::ImageType &image = args.base.imgtype->image;
        const uint32_t n = image.dim == spv::Dim1D ? 1 : image.dim == spv::Dim3D ? 3 : 2;
        const std::string slot = slot_of(args.base.img);
        if (image.ms || image.dim == spv::DimCube || image.dim == spv::DimBuffer || slot.empty() ||
            (args.dref && args.base.is_proj))
            return;
        const bool rectangle = rectangles_.count(args.base.imgtype->self) != 0;
        const std::string coord = "(" + to_expression(args.coord) + ")";
        const std::string sampler = s.substr(0, top_comma(s, 0));
        const bool scalar = expression_type(args.coord).vecsize == 1;
        static const char *const first[] = {".x", ".xy", ".xyz"}, *const pad[] = {", 0.5, 0.5)",
                                                                                  ", 0.5)", ")"};
        const auto three = [&](const std::string &v, bool whole) {
            return "vec3(" + v + (whole ? "" : first[n - 1]) + pad[n - 1];
        };
        const std::string lod = args.lod ? "int(" + to_expression(args.lod) + ")" : "0";
        const std::string size = three("vec3(textureSize(" + sampler + ", " + lod + ")" +
                                           (image.arrayed || n == 3 ? "" : ", 1.0") + ")",
                                       false);
        std::string at = three(coord, scalar);
        if (args.base.is_proj)
            at = at + " / " + coord + "." + "xyzw"[n];
        if (!rectangle)
            at = "(" + at + ") * " + size;
        if (args.offset)
            at += " + vec3(" + to_expression(args.offset) +
                  (n == 1   ? ", 0.0, 0.0)"
                   : n == 2 ? ", 0.0)"
                            : ")");
        if (args.base.is_gather) {
            border_call_ = "mgp_gathered";
            border_note_ = "mgp_gather_inside(" + at + ", " + size + ", " + slot + "), " + slot;
            border_note_ += ", " + (args.dref        ? to_expression(args.dref)
                                    : args.component ? "int(" + to_expression(args.component) + ")"
                                                     : std::string("0"));
            return;
        }
        border_call_ = "mgp_bordered";
        border_note_ = "mgp_inside(" + at + ", " + size + ", " + std::to_string(n) + ", " + slot +
                       "), " + slot;
        if (args.dref)
            border_note_ += ", " + to_expression(args.dref);
    }

    // The bias of the sampler slot, on what the look-up says itself. No overload with a bias exists
    // for shadow arrays, and outside fragment shaders none does.
    void add_bias(const TextureFunctionArguments &args, std::string *s) {
        const auto &base = args.base;
        const SPIRType::ImageType &image = base.imgtype->image;
        if (base.is_fetch || base.is_gather || image.ms || image.dim == spv::DimBuffer ||
            rectangles_.count(base.imgtype->self))
            return;
        const std::string slot = slot_of(base.img);
        const bool no_overload = image.depth && image.arrayed;
        if (slot.empty() || (no_overload && !args.grad_x))
            return;
        const std::string bias = "mgp_bias[" + slot + "]";
        if (args.grad_x) {
            const std::string x = to_expression(args.grad_x), y = to_expression(args.grad_y);
            replace(s, ", " + x + ", " + y,
                    ", (" + x + ") * exp2(" + bias + "), (" + y + ") * exp2(" + bias + ")");
        } else if (args.lod) {
            const std::string lod = to_expression(args.lod);
            replace(s, ", " + lod, ", (" + lod + ") + " + bias);
        } else if (get_execution_model() != spv::ExecutionModelFragment) {
            return;
        } else if (args.bias) {
            const std::string b = to_expression(args.bias);
            replace(s, ", " + b, ", (" + b + ") + " + bias);
        } else {
            *s += ", " + bias;
        }
        uniforms.insert("uniform highp float mgp_bias[" + std::to_string(num_samplers) + "];");
    }

    // The sampler slot as an expression; empty for a parameter of a function.
    std::string slot_of(uint32_t image) {
        const SPIRVariable *v = maybe_get_backing_variable(image);
        if (!v || !has_decoration(v->self, spv::DecorationBinding))
            return {};
        std::string index = std::to_string(get_decoration(v->self, spv::DecorationBinding));
        std::string expression = to_expression(image);
        const size_t bracket = expression.find('[');
        if (bracket != std::string::npos)
            index += " + " + expression.substr(bracket + 1, expression.rfind(']') - bracket - 1);
        return index;
    }

    // The size of a one-dimensional array is that of a two-dimensional one without its height.
    bool emit_1d_array_size(spv::Op op, const uint32_t *ops) {
        const SPIRType &t = expression_type(ops[2]);
        if (t.image.dim != spv::Dim1D || !t.image.arrayed)
            return false;
        std::string lod = op == spv::OpImageQuerySizeLod ? to_expression(ops[3]) : "0";
        emit_op(ops[0], ops[1], join("textureSize(", to_expression(ops[2]), ", int(", lod, ")).xz"),
                true);
        return true;
    }

    // One-dimensional images are two-dimensional here: derivatives and offsets get a second
    // component.
    void widen_1d(const TextureFunctionArguments &args, std::string *s) {
        if (args.grad_x && args.grad_y) {
            std::string x = to_expression(args.grad_x), y = to_expression(args.grad_y);
            replace(s, ", " + x + ", " + y, ", vec2(" + x + ", 0.0), vec2(" + y + ", 0.0)");
        }
        if (args.offset) {
            std::string o = to_expression(args.offset);
            replace(s, ", " + o, ", ivec2(" + o + ", 0)");
        }
    }

    // Whole arguments only: ", 1" is not the beginning of ", 1.0".
    static void replace(std::string *s, const std::string &what, const std::string &by) {
        size_t at = s->rfind(what);
        while (at != std::string::npos && at > 0 && at + what.size() < s->size() &&
               (*s)[at + what.size()] != ',')
            at = s->rfind(what, at - 1);
        if (at != std::string::npos)
            s->replace(at, what.size(), by);
    }

    // The language compares in arrays at its own level of detail or with derivatives: offsets,
    // biases and levels become derivatives.
    std::string array_shadow(const std::string &s) {
        const size_t open = s.find('(');
        const std::string name = s.substr(0, open);
        const bool lod = name == "textureLod" || name == "textureLodOffset",
                   offset = name == "textureOffset" || name == "textureLodOffset";
        std::vector<std::string> args;
        for (size_t at = open + 1; at < s.size();) {
            const size_t end = std::min(top_comma(s, at), s.size() - 1);
            args.push_back(s.substr(at, end - at));
            at = end + 2;
        }
        const bool bias = !lod && args.size() > 2 + size_t(offset);
        if ((!lod && !offset && name != "texture") || (!lod && !offset && !bias) || args.size() < 3)
            return s;
        std::string x = "vec2(0.0)", y = x;
        if (lod) {
            x = join("vec2(exp2(", args[2], ") / float(textureSize(", args[0], ", 0).x), 0.0)");
        } else if (get_execution_model() == spv::ExecutionModelFragment) {
            const std::string scale = bias ? " * exp2(" + args.back() + ")" : "";
            x = join("dFdx((", args[1], ").xy)", scale);
            y = join("dFdy((", args[1], ").xy)", scale);
        }
        return join(offset ? "textureGradOffset(" : "textureGrad(", args[0], ", ", args[1], ", ", x,
                    ", ", y, offset ? ", " + args[lod ? 3 : 2] : std::string(), ")");
    }

    bool compares_in_array(uint32_t image) {
        const SPIRType &t = expression_type(image);
        return t.image.arrayed && t.image.depth && t.image.dim != spv::DimCube;
    }

    static size_t top_comma(const std::string &s, size_t from) {
        int depth = 0;
        for (size_t i = from; i < s.size(); i++) {
            char c = s[i];
            depth += (c == '(' || c == '[') - (c == ')' || c == ']');
            if (c == ',' && depth == 0)
                return i;
        }
        return std::string::npos;
    }
};

void place_bindings(printer &p, const pipe_shader_archive &a) {
    auto move = [&](const SmallVector<Resource> &list) {
        for (const Resource &r : list) {
            uint32_t set = p.get_decoration(r.id, spv::DecorationDescriptorSet);
            uint32_t slot = p.get_decoration(r.id, spv::DecorationBinding);
            switch (set) {
            case PIPE_SLOT_GLOBALS: slot = globals_point; break;
            case PIPE_SLOT_UNIFORM_BLOCK: slot += first_block_point; break;
            case PIPE_SLOT_ATOMIC_BUFFER: slot += a.num_storage_block_slots; break;
            default: break;
            }
            p.set_decoration(r.id, spv::DecorationBinding, slot);
        }
    };
    ShaderResources r = p.get_shader_resources();
    move(r.uniform_buffers);
    move(r.storage_buffers);
    move(r.sampled_images);
    move(r.storage_images);
    move(r.atomic_counters);
}

std::string io_name(const char *prefix, printer &p, uint32_t id) {
    uint32_t location = p.get_decoration(id, spv::DecorationLocation);
    uint32_t component = p.get_decoration(id, spv::DecorationComponent);
    std::string name = prefix + std::to_string(location);
    if (component)
        name += "_" + std::to_string(component);
    if (uint32_t index = p.get_decoration(id, spv::DecorationIndex))
        name += "_i" + std::to_string(index);
    return name;
}

// The language has no locations in arrays of blocks (per-vertex arrays aside): those are matched by
// name.
void drop_array_block_locations(printer &p, uint8_t stage) {
    auto drop = [&](uint32_t id, const SPIRVariable &v, size_t per_vertex) {
        const SPIRType &t = p.get_type(v.basetype);
        if (t.array.size() <= per_vertex || !p.has_decoration(t.self, spv::DecorationBlock))
            return;
        p.unset_decoration(id, spv::DecorationLocation);
        for (uint32_t i = 0; i < t.member_types.size(); i++)
            p.unset_member_decoration(t.self, i, spv::DecorationLocation);
    };
    bool arrayed_in = stage == PIPE_SHADER_GEOMETRY || stage == PIPE_SHADER_TESS_CTRL ||
                      stage == PIPE_SHADER_TESS_EVAL;
    p.each_interface(spv::StorageClassInput,
                     [&](uint32_t id, SPIRVariable &v) { drop(id, v, arrayed_in); });
    p.each_interface(spv::StorageClassOutput, [&](uint32_t id, SPIRVariable &v) {
        drop(id, v, stage == PIPE_SHADER_TESS_CTRL);
    });
}

// Locations, one for all stages of the program, of the varyings that begin behind component 0 of a
// location: the language has no components.
component_map spread_components(const pipe_shader_archive &a) {
    constexpr uint32_t limit = 32;
    std::array<bool, limit> taken{};
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> sizes;
    auto note = [&](const std::vector<pipe_archive_io> &list) {
        for (const pipe_archive_io &e : list) {
            if (e.location < 0 || e.builtin >= 0)
                continue;
            const auto at = static_cast<uint32_t>(e.location);
            if (e.component)
                sizes[{at, e.component}] = std::max(sizes[{at, e.component}], e.array_size);
            else // matrices have up to four columns
                for (uint32_t i = at; i < at + e.array_size * 4 && i < limit; i++)
                    taken[i] = taken[i] || i < at + e.array_size ||
                               (e.gl_type >= GL_FLOAT_MAT2 && e.gl_type <= GL_FLOAT_MAT4) ||
                               (e.gl_type >= GL_FLOAT_MAT2x3 && e.gl_type <= GL_FLOAT_MAT4x3);
        }
    };
    for (const pipe_archive_stage &s : a.stages) {
        if (s.stage != PIPE_SHADER_VERTEX)
            note(s.inputs);
        if (s.stage != PIPE_SHADER_FRAGMENT)
            note(s.outputs);
    }
    component_map out;
    for (const auto &[key, size] : sizes) {
        uint32_t at = 0, run = 0;
        for (; at < limit && run < size; at++)
            run = taken[at] ? 0 : run + 1;
        if (run < size)
            return {};
        out[key] = at - size;
        std::fill_n(taken.begin() + (at - size), size, true);
    }
    return out;
}

void move_components(printer &p, const component_map &map, uint8_t stage) {
    auto drop_first = [&](uint32_t id, SPIRVariable &) {
        if (!p.get_decoration(id, spv::DecorationComponent))
            p.unset_decoration(id, spv::DecorationComponent);
    };
    p.each_interface(spv::StorageClassInput, drop_first);
    p.each_interface(spv::StorageClassOutput, drop_first);
    auto move = [&](uint32_t id, SPIRVariable &) {
        const auto at = map.find({p.get_decoration(id, spv::DecorationLocation),
                                  p.get_decoration(id, spv::DecorationComponent)});
        if (at == map.end())
            return;
        p.set_decoration(id, spv::DecorationLocation, at->second);
        p.unset_decoration(id, spv::DecorationComponent);
        p.moved[at->second] = at->first;
    };
    if (stage != PIPE_SHADER_VERTEX)
        p.each_interface(spv::StorageClassInput, move);
    if (stage != PIPE_SHADER_FRAGMENT)
        p.each_interface(spv::StorageClassOutput, move);
}

// Blocks meet by location: hosts that go by their names find the same one.
bool name_block(printer &p, uint32_t id, const SPIRVariable &v) {
    const uint32_t type = p.get_type(v.basetype).self;
    if (!p.has_decoration(type, spv::DecorationBlock))
        return false;
    if (p.has_decoration(id, spv::DecorationLocation))
        p.set_name(type, io_name("mgp_b", p, id));
    return true;
}

void name_interface(printer &p, const pipe_archive_stage &stage) {
    bool vertex = stage.stage == PIPE_SHADER_VERTEX, fragment = stage.stage == PIPE_SHADER_FRAGMENT;
    p.each_interface(spv::StorageClassInput, [&](uint32_t id, SPIRVariable &v) {
        if (!name_block(p, id, v))
            p.set_name(id, io_name(vertex ? "mgp_a" : "mgp_v", p, id));
    });
    p.each_interface(spv::StorageClassOutput, [&](uint32_t id, SPIRVariable &v) {
        if (name_block(p, id, v))
            return;
        std::string name = io_name(fragment ? "mgp_o" : "mgp_v", p, id);
        // Input and output of one stage may share a location: they must not share a name.
        if (!vertex && !fragment)
            name += "_o";
        p.set_name(id, name);
    });
}

// Programs have functions of names that the language gives to its own, which it does not let go.
void name_functions(printer &p) {
    p.each_function([&](uint32_t id) { p.set_name(id, "fn_" + p.get_name(id)); });
}

// Lines that SPIRV-Cross does not write: extensions, then uniforms after the precision statements.
std::string add_header(const std::string &text, const printer &p, const host &h,
                       const pipe_archive_stage &stage) {
    std::set<std::string> ext = p.extensions;
    if (stage.stage == PIPE_SHADER_FRAGMENT) {
        for (const pipe_archive_io &o : stage.outputs) {
            if (o.index && h.has(feature::blend_func_extended))
                ext.insert("GL_EXT_blend_func_extended");
        }
    }
    std::string head;
    for (const std::string &e : ext)
        head += "#extension " + e + " : require\n";
    std::string decl;
    for (const std::string &u : p.uniforms)
        decl += u + "\n";
    decl += p.lowered;
    if (p.borders)
        decl += border_functions(p.num_samplers);
    if (p.uses_rectangles) {
        decl += "highp vec2 mgp_rect(highp vec2 c, highp ivec2 s) { return c / vec2(s); }\n"
                "highp vec3 mgp_rect(highp vec3 c, highp ivec2 s) { return vec3(c.xy / vec2(s), "
                "c.z); }\n"
                "highp vec4 mgp_rect(highp vec4 c, highp ivec2 s) { return vec4(c.xy / vec2(s), "
                "c.zw); }\n";
    }
    size_t line = text.find('\n') + 1, after = line;
    // Past the extension lines and, in fragment shaders, the precision statements.
    for (size_t at = line; at < text.size();) {
        size_t end = text.find('\n', at);
        if (end == std::string::npos)
            break;
        std::string l = text.substr(at, end - at);
        bool header = l.empty() || l[0] == '#' || l.rfind("precision ", 0) == 0 ||
                      l.rfind("layout(local_size", 0) == 0;
        if (!header)
            break;
        at = after = end + 1;
    }
    return text.substr(0, line) + head + text.substr(line, after - line) + decl +
           text.substr(after);
}

uint8_t last_vertex_stage(const pipe_shader_archive &archive) {
    uint8_t last = PIPE_SHADER_VERTEX;
    for (const pipe_archive_stage &s : archive.stages) {
        if (!s.spirv.empty() && s.stage != PIPE_SHADER_FRAGMENT && s.stage != PIPE_SHADER_COMPUTE)
            last = std::max(last, s.stage);
    }
    return last;
}

// Between two stages both sides declare the same block: hosts take the implicit arrays of clip and
// cull distances in gl_in for unsized, and compare the blocks.
void size_distances(const pipe_shader_archive &archive, const pipe_archive_stage &stage, printer &p,
                    std::string &text) {
    auto array = [](const char *name, uint32_t n) {
        return n ? std::string("highp float ") + name + "[" + std::to_string(n) + "]; " : "";
    };
    auto block = [&](uint32_t clip, uint32_t cull, const char *size) {
        const bool sizes = text.find(size) != std::string::npos;
        return std::string(" gl_PerVertex { highp vec4 gl_Position; ") +
               (sizes ? "highp float gl_PointSize; " : "") + array("gl_ClipDistance", clip) +
               array("gl_CullDistance", cull) + "}";
    };
    if (stage.stage != last_vertex_stage(archive)) {
        // The first line becomes the block, the second goes.
        std::string by =
            "out" + block(stage.clip_distances, stage.cull_distances, "gl_PointSize") + ";\n";
        const std::pair<const char *, uint32_t> rows[] = {
            {"gl_ClipDistance", stage.clip_distances}, {"gl_CullDistance", stage.cull_distances}};
        for (const auto &[name, n] : rows) {
            const std::string line =
                std::string("out float ") + name + "[" + std::to_string(n) + "];\n";
            const size_t at = n ? text.find(line) : std::string::npos;
            if (at == std::string::npos)
                continue;
            text.replace(at, line.size(), by);
            by.clear();
        }
    }
    uint32_t clip = 0, cull = 0;
    for (const pipe_archive_stage &s : archive.stages) {
        if (s.stage < stage.stage && !s.spirv.empty()) {
            clip = s.clip_distances;
            cull = s.cull_distances;
        }
    }
    if ((!clip && !cull) || stage.stage == PIPE_SHADER_FRAGMENT)
        return;
    p.extensions.insert("GL_EXT_clip_cull_distance");
    p.uniforms.insert("in" + block(clip, cull, "].gl_PointSize") + " gl_in[];");
}

// Removes the line on which the printer redeclares a built-in.
void drop_declaration(std::string &text, const char *name) {
    for (const char *qualifier : {"out ", "in "}) {
        for (const char *type : {"float ", "highp float "}) {
            size_t at = text.find(qualifier + std::string(type) + name + "[");
            if (at == std::string::npos || (at && text[at - 1] != '\n'))
                continue;
            text.erase(at, text.find('\n', at) + 1 - at);
        }
    }
}

// The printer asks for desktop GL's extension although the built-ins are uniforms here.
void drop_extension_check(std::string &text) {
    const std::string check = "#ifndef GL_ARB_shader_draw_parameters\n"
                              "#error GL_ARB_shader_draw_parameters is not supported.\n#endif\n";
    const size_t at = text.find(check);
    if (at != std::string::npos)
        text.erase(at, check.size());
}

// What the stage before the rasteriser does for it.
void lower_last_vertex(printer &p, const pipe_shader_archive &archive, bool geometry) {
    const bool position =
        std::any_of(archive.xfb.begin(), archive.xfb.end(),
                    [](const pipe_archive_xfb &x) { return x.builtin == spv::BuiltInPosition; });
    lowered_text text;
    lower_depth_vertex(position, text);
    if (geometry)
        p.before_emit = std::exchange(text.last, {});
    p.add(text);
}

// What the fragment stage does for the fixed function behind it.
void lower_fragment(printer &p, const pipe_shader_archive &archive, const pipe_archive_stage &stage,
                    const essl_options &options, const std::vector<color_output> &colors) {
    lowered_text text;
    if (options.clamp_depth)
        lower_depth_fragment(stage.writes_depth, text);
    p.clamp_depth = options.clamp_depth;
    if (options.alpha_to_one)
        lower_alpha_to_one(colors, options.alpha_to_coverage,
                           p.writes_builtin(spv::BuiltInSampleMask), text);
    if (options.logic != logic_source::none)
        lower_logic(colors, options.logic, archive.num_sampler_slots, text);
    if (options.logic == logic_source::fetch)
        for (const color_output &o : colors)
            if (!o.index)
                p.remap_ext_framebuffer_fetch(~0u, o.location, true);
    p.add(text);
}

} // namespace

uint32_t clip_distances(const pipe_shader_archive &archive) {
    uint32_t n = 0;
    for (const pipe_archive_stage &s : archive.stages) {
        if (!s.spirv.empty() && s.stage != PIPE_SHADER_FRAGMENT && s.stage != PIPE_SHADER_COMPUTE)
            n = s.clip_distances;
    }
    return std::min<uint32_t>(n, 8);
}

std::string clip_declarations(uint32_t n, bool input) {
    std::string array = "highp float mgp_clip[" + std::to_string(n) + "];";
    return input ? "uniform highp int mgp_clip_enable;\nin " + array : "out " + array;
}

std::string clip_statement(uint32_t n) {
    return "for (int mgp_i = 0; mgp_i < " + std::to_string(n) +
           "; mgp_i++) if ((mgp_clip_enable >> mgp_i & 1) != 0 && mgp_clip[mgp_i] < 0.0) discard;";
}

const char *const count_declarations =
    "layout(early_fragment_tests) in;\n"
    "layout(binding = 0, offset = 0) uniform highp atomic_uint mgp_count;";
const char *const count_statement = "atomicCounterIncrement(mgp_count);";

namespace {

// `pad`: blocks are rebuilt with the offsets of their members.
essl_stage translate(const host &h, const pipe_shader_archive &archive,
                     const pipe_archive_stage &stage, const essl_options &options, bool pad) {
    essl_stage out;
    try {
        std::vector<uint32_t> words = stage.spirv;
        out.flattened = flatten_varyings(stage, options.flatten_structs, words);
        pack_components(stage, words);
        if (options.delay_flat)
            delay_flat_outputs(archive, words);
        widen_images(words);
        split_row_major(words);
        if (pad)
            pad_blocks(words);
        std::set<uint32_t> rectangles = rewrite(words);
        printer p(std::move(words), std::move(rectangles), h);
        CompilerGLSL::Options o = p.get_common_options();
        o.version = static_cast<uint32_t>(h.info.version);
        o.es = true;
        o.vulkan_semantics = false;
        o.enable_420pack_extension = false;
        o.vertex.support_nonzero_base_instance = false;
        o.fragment.default_float_precision = CompilerGLSL::Options::Highp;
        o.fragment.default_int_precision = CompilerGLSL::Options::Highp;
        p.set_common_options(o);
        place_bindings(p, archive);
        move_components(p, spread_components(archive), stage.stage);
        name_interface(p, stage);
        name_functions(p);
        drop_array_block_locations(p, stage.stage);
        if (options.override_point_size)
            p.override_point_size();
        p.discard_clipped = options.discard_clipped;
        p.lod_bias = options.lod_bias;
        p.texels = options.texels;
        p.outline = options.outline;
        p.border = options.border;
        p.num_samplers = archive.num_sampler_slots;
        const uint32_t clip = options.discard_clipped ? clip_distances(archive) : 0;
        bool fragment = stage.stage == PIPE_SHADER_FRAGMENT;
        if (clip && (fragment || stage.clip_distances))
            p.uniforms.insert(clip_declarations(clip, fragment));
        if (clip && fragment)
            p.run_first(clip_statement(clip));
        if (options.count_fragments) {
            p.uniforms.insert(count_declarations);
            p.run_first(count_statement);
        }
        if (fragment) {
            out.colors = p.collect_colors();
            lower_fragment(p, archive, stage, options, out.colors);
        }
        if (options.decode_outputs) // behind logic operations, which take coded colours
            p.decode_outputs();
        if (options.alpha_to_coverage && fragment && o.version < 320)
            p.extensions.insert("GL_OES_sample_variables");
        if (options.clamp_depth && !options.outline && !fragment &&
            stage.stage == last_vertex_stage(archive))
            lower_last_vertex(p, archive, stage.stage == PIPE_SHADER_GEOMETRY);
        std::string text = p.compile();
        drop_extension_check(text);
        if (clip)
            drop_declaration(text, "gl_ClipDistance");
        else
            size_distances(archive, stage, p, text);
        out.source = add_header(text, p, h, stage);
        if (stage.stage != PIPE_SHADER_FRAGMENT && stage.stage != PIPE_SHADER_COMPUTE)
            p.collect_outputs(stage.stage == PIPE_SHADER_TESS_CTRL, &out.outputs);
    } catch (const std::exception &e) {
        out.error = e.what();
    } catch (...) {
        out.error = "unknown exception";
    }
    return out;
}

} // namespace

essl_stage essl_translate(const host &h, const pipe_shader_archive &archive,
                          const pipe_archive_stage &stage, const essl_options &options) {
    essl_stage out = translate(h, archive, stage, options, false);
    // What the printer says of offsets that no layout of the language has.
    if (out.error.find("do not support GL_ARB_enhanced_layouts") != std::string::npos)
        out = translate(h, archive, stage, options, true);
    return out;
}

} // namespace espryt
