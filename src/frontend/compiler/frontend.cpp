// SPDX-License-Identifier: MIT
// glslang with OpenGL rules and no SPIR-V target: parse, link per stage, generate. Built without
// RTTI, because glslang is and its traverser is derived from here.
#include "compiler/frontend.h"
#include "compiler/initializers.h"
#include "compiler/macros.h"
#include "compiler/names.h"
#include "compiler/source.h"
#include "compiler/tokens.h"
#include "util/log.h"

#include <glslang/MachineIndependent/localintermediate.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

namespace compiler {
namespace {

constexpr EShMessages messages = EShMsgDefault;

EShLanguage language(pipe_shader_type stage) {
    switch (stage) {
    case PIPE_SHADER_TESS_CTRL: return EShLangTessControl;
    case PIPE_SHADER_TESS_EVAL: return EShLangTessEvaluation;
    case PIPE_SHADER_GEOMETRY: return EShLangGeometry;
    case PIPE_SHADER_FRAGMENT: return EShLangFragment;
    case PIPE_SHADER_COMPUTE: return EShLangCompute;
    default: return EShLangVertex;
    }
}

void init_process() {
    [[maybe_unused]] static const bool done = glslang::InitializeProcess();
}

void fill_stage_limits(TBuiltInResource &r, const Limits &l) {
    r.maxVertexUniformComponents = l.uniform_components[0];
    r.maxTessControlUniformComponents = l.uniform_components[1];
    r.maxTessEvaluationUniformComponents = l.uniform_components[2];
    r.maxGeometryUniformComponents = l.uniform_components[3];
    r.maxFragmentUniformComponents = l.uniform_components[4];
    r.maxComputeUniformComponents = l.uniform_components[5];
    r.maxVertexUniformVectors = l.uniform_components[0] / 4;
    r.maxFragmentUniformVectors = l.uniform_components[4] / 4;
    r.maxVertexTextureImageUnits = l.texture_units[0];
    r.maxTessControlTextureImageUnits = l.texture_units[1];
    r.maxTessEvaluationTextureImageUnits = l.texture_units[2];
    r.maxGeometryTextureImageUnits = l.texture_units[3];
    r.maxTextureImageUnits = l.texture_units[4];
    r.maxComputeTextureImageUnits = l.texture_units[5];
    r.maxCombinedTextureImageUnits = l.combined_texture_units;
    r.maxVertexImageUniforms = l.images[0];
    r.maxTessControlImageUniforms = l.images[1];
    r.maxTessEvaluationImageUniforms = l.images[2];
    r.maxGeometryImageUniforms = l.images[3];
    r.maxFragmentImageUniforms = l.images[4];
    r.maxComputeImageUniforms = l.images[5];
    r.maxCombinedImageUniforms = l.combined_images;
    r.maxVertexAtomicCounters = l.atomic_counters[0];
    r.maxTessControlAtomicCounters = l.atomic_counters[1];
    r.maxTessEvaluationAtomicCounters = l.atomic_counters[2];
    r.maxGeometryAtomicCounters = l.atomic_counters[3];
    r.maxFragmentAtomicCounters = l.atomic_counters[4];
    r.maxComputeAtomicCounters = l.atomic_counters[5];
    r.maxCombinedAtomicCounters = l.combined_atomic_counters;
    r.maxVertexAtomicCounterBuffers = l.atomic_buffers[0];
    r.maxTessControlAtomicCounterBuffers = l.atomic_buffers[1];
    r.maxTessEvaluationAtomicCounterBuffers = l.atomic_buffers[2];
    r.maxGeometryAtomicCounterBuffers = l.atomic_buffers[3];
    r.maxFragmentAtomicCounterBuffers = l.atomic_buffers[4];
    r.maxComputeAtomicCounterBuffers = l.atomic_buffers[5];
    r.maxCombinedAtomicCounterBuffers = l.combined_atomic_buffers;
}

void fill_interface_limits(TBuiltInResource &r, const Limits &l) {
    r.maxVertexAttribs = l.vertex_attribs;
    r.maxDrawBuffers = l.draw_buffers;
    r.maxDualSourceDrawBuffersEXT = l.dual_source_draw_buffers;
    r.maxClipPlanes = r.maxClipDistances = l.clip_distances;
    r.maxCullDistances = l.cull_distances;
    r.maxCombinedClipAndCullDistances = l.combined_clip_cull;
    r.maxVaryingFloats = r.maxVaryingComponents = l.varying_components;
    r.maxVaryingVectors = l.varying_vectors;
    r.maxVertexOutputComponents = l.vertex_output_components;
    r.maxVertexOutputVectors = l.vertex_output_components / 4;
    r.maxFragmentInputComponents = l.fragment_input_components;
    r.maxFragmentInputVectors = l.fragment_input_components / 4;
    r.maxGeometryInputComponents = l.geometry_input_components;
    r.maxGeometryOutputComponents = r.maxGeometryVaryingComponents = l.geometry_output_components;
    r.maxGeometryOutputVertices = l.geometry_output_vertices;
    r.maxGeometryTotalOutputComponents = l.geometry_total_output_components;
    r.maxTessControlInputComponents = l.tess_control_input_components;
    r.maxTessControlOutputComponents = l.tess_control_output_components;
    r.maxTessControlTotalOutputComponents = l.tess_control_total_components;
    r.maxTessEvaluationInputComponents = l.tess_evaluation_input_components;
    r.maxTessEvaluationOutputComponents = l.tess_evaluation_output_components;
    r.maxTessPatchComponents = l.tess_patch_components;
    r.maxPatchVertices = l.patch_vertices;
    r.maxTessGenLevel = l.tess_level;
}

TBuiltInResource resources(const Limits &l) {
    TBuiltInResource r{};
    fill_stage_limits(r, l);
    fill_interface_limits(r, l);
    r.maxLights = 8;
    r.maxTextureUnits = 8;
    r.maxTextureCoords = 8;
    r.minProgramTexelOffset = l.min_texel_offset;
    r.maxProgramTexelOffset = l.max_texel_offset;
    r.maxComputeWorkGroupCountX = l.compute_count[0];
    r.maxComputeWorkGroupCountY = l.compute_count[1];
    r.maxComputeWorkGroupCountZ = l.compute_count[2];
    r.maxComputeWorkGroupSizeX = l.compute_size[0];
    r.maxComputeWorkGroupSizeY = l.compute_size[1];
    r.maxComputeWorkGroupSizeZ = l.compute_size[2];
    r.maxImageUnits = l.image_units;
    r.maxImageSamples = l.image_samples;
    r.maxCombinedImageUnitsAndFragmentOutputs = r.maxCombinedShaderOutputResources =
        l.combined_shader_outputs;
    r.maxAtomicCounterBindings = l.atomic_bindings;
    r.maxAtomicCounterBufferSize = l.atomic_buffer_size;
    r.maxTransformFeedbackBuffers = l.xfb_buffers;
    r.maxTransformFeedbackInterleavedComponents = l.xfb_interleaved_components;
    r.maxViewports = l.viewports;
    r.maxSamples = l.samples;
    r.limits.nonInductiveForLoops = r.limits.whileLoops = r.limits.doWhileLoops = true;
    r.limits.generalUniformIndexing = r.limits.generalAttributeMatrixVectorIndexing = true;
    r.limits.generalVaryingIndexing = r.limits.generalSamplerIndexing = true;
    r.limits.generalVariableIndexing = r.limits.generalConstantMatrixVectorIndexing = true;
    return r;
}

/// Gives shared and packed blocks the std140 layout, whose offsets glslang then writes, and finds
/// what it cannot do.
class Prepare : public glslang::TIntermTraverser {
  public:
    std::string missing; // a built-in function without meaning in this version
    void visitSymbol(glslang::TIntermSymbol *symbol) override {
        glslang::TQualifier &q = symbol->getWritableType().getQualifier();
        if (symbol->getBasicType() == glslang::EbtBlock && q.isUniformOrBuffer() &&
            (q.layoutPacking == glslang::ElpShared || q.layoutPacking == glslang::ElpPacked ||
             q.layoutPacking == glslang::ElpNone))
            q.layoutPacking = glslang::ElpStd140;
    }
    bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate *node) override {
        const bool undefined = node->getOp() == glslang::EOpFunctionCall && !node->isUserDefined();
        if (undefined || node->getOp() == glslang::EOpFtransform)
            missing = undefined ? std::string(node->getName().c_str()) : "ftransform(";
        return true;
    }
};

void collect_bools(const glslang::TType &type, const std::string &path,
                   std::set<std::string> &found) {
    if (!type.isStruct()) {
        if (type.getBasicType() == glslang::EbtBool)
            found.insert(path);
        return;
    }
    size_t i = 0;
    for (const glslang::TTypeLoc &member : *type.getStruct()) {
        collect_bools(*member.type,
                      path.empty() ? std::to_string(i) : path + "." + std::to_string(i), found);
        ++i;
    }
}

const glslang::TIntermSequence *linker_objects(glslang::TIntermediate &intermediate) {
    if (!intermediate.getTreeRoot())
        return nullptr;
    glslang::TIntermAggregate *root = intermediate.getTreeRoot()->getAsAggregate();
    if (!root || root->getSequence().empty())
        return nullptr;
    for (auto it = root->getSequence().rbegin(); it != root->getSequence().rend(); ++it) {
        glslang::TIntermAggregate *objects = (*it)->getAsAggregate();
        if (objects && objects->getOp() == glslang::EOpLinkerObjects)
            return &objects->getSequence();
    }
    return nullptr;
}

void collect_side(glslang::TIntermediate &intermediate, SideInfo &side) {
    const glslang::TIntermSequence *objects = linker_objects(intermediate);
    side.version = std::max(side.version, intermediate.getVersion());
    side.invariant_all |= intermediate.isInvariantAll();
    if (!objects)
        return;
    for (TIntermNode *node : *objects) {
        const glslang::TIntermSymbol *symbol = node->getAsSymbolNode();
        if (!symbol)
            continue;
        const glslang::TType &type = symbol->getType();
        if (type.isArray() && type.isUnsizedArray())
            side.implicit_arrays.insert(symbol->getName().c_str());
        if (type.getBasicType() != glslang::EbtBlock) {
            if (type.getQualifier().storage == glslang::EvqVaryingIn)
                side.inputs.emplace_back(symbol->getName().c_str());
            if (type.getQualifier().storage == glslang::EvqVaryingOut)
                side.outputs.emplace_back(symbol->getName().c_str());
        }
        if (type.getQualifier().hasBinding())
            side.bound.insert(symbol->getName().c_str());
        if (type.getBasicType() == glslang::EbtBlock) {
            std::set<std::string> bools;
            collect_bools(type, "", bools);
            if (!bools.empty())
                side.bool_members[type.getTypeName().c_str()] = std::move(bools);
        }
    }
}

void collect_redeclarations(const std::string &source, SideInfo &side) {
    const std::vector<Token> tokens = scan_tokens(source);
    for (size_t i = 1; i + 1 < tokens.size(); ++i)
        if (tokens[i].text == "gl_PerVertex" && tokens[i + 1].text == "{")
            (tokens[i - 1].text == "in" ? side.redeclares_in : side.redeclares_out) = true;
}

/// The array of blocks must lie below the binding points (GLSL 4.60, 4.4.5); glslang looks at
/// opaque uniforms only.
std::string check_block_bindings(glslang::TIntermediate &intermediate, const Limits &limits) {
    const glslang::TIntermSequence *objects = linker_objects(intermediate);
    for (size_t i = 0; objects && i < objects->size(); ++i) {
        const glslang::TIntermSymbol *symbol = (*objects)[i]->getAsSymbolNode();
        if (!symbol || symbol->getBasicType() != glslang::EbtBlock)
            continue;
        const glslang::TType &type = symbol->getType();
        const glslang::TQualifier &q = type.getQualifier();
        if (!q.isUniformOrBuffer() || !q.hasBinding())
            continue;
        const int count = type.isSizedArray() ? type.getCumulativeArraySize() : 1,
                  limit = q.storage == glslang::EvqBuffer ? limits.storage_bindings
                                                          : limits.uniform_bindings;
        if (static_cast<int>(q.layoutBinding) + count > limit)
            return "0:" + std::to_string(symbol->getLoc().line) + ": error: '" +
                   type.getTypeName().c_str() + "' : its bindings end beyond the limit of " +
                   std::to_string(limit) + "\n";
    }
    return {};
}

/// What glslang knows of a shader and does not hold against the limits.
std::string check_limits(glslang::TIntermediate &intermediate, const Prepare &found,
                         const Limits &limits) {
    if (!found.missing.empty())
        return "0:0: error: " + found.missing.substr(0, found.missing.find('(')) +
               "() is not supported\n";
    const int invocations = intermediate.getInvocations();
    if (invocations != glslang::TQualifier::layoutNotSet &&
        invocations > limits.geometry_invocations)
        return "0:0: error: 'invocations' : more than GL_MAX_GEOMETRY_SHADER_INVOCATIONS, which "
               "is " +
               std::to_string(limits.geometry_invocations) + "\n";
    return check_block_bindings(intermediate, limits);
}

/// What one of the shaders of a stage must say.
std::string check_stage(glslang::TIntermediate &intermediate, pipe_shader_type stage) {
    return stage == PIPE_SHADER_COMPUTE && !intermediate.isLocalSizeSet()
               ? "error: no compute shader declares the size of work groups\n"
               : "";
}

/// How a text is parsed that glslang refuses at first.
struct Leniency {
    int at_least = 0;        // version
    bool expand = false;     // macros are expanded by us
    bool any_offset = false; // offsets of texels beyond the limits
};

/// What offsets beyond the limits do is undefined in GL, and no error: the nearest one is taken.
class ClampOffsets : public glslang::TIntermTraverser {
  public:
    explicit ClampOffsets(const Limits &limits) : limits_(limits) {}
    bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate *node) override {
        glslang::TIntermSequence &arguments = node->getSequence();
        const size_t at = position(node->getOp(), arguments.size());
        glslang::TIntermTyped *offset =
            at < arguments.size() ? arguments[at]->getAsTyped() : nullptr;
        const glslang::TIntermConstantUnion *given =
            offset ? offset->getAsConstantUnion() : nullptr;
        if (!given)
            return true;
        glslang::TConstUnionArray values(given->getConstArray().size());
        for (int i = 0; i < values.size(); ++i)
            values[i].setIConst(std::clamp(given->getConstArray()[i].getIConst(),
                                           limits_.min_texel_offset, limits_.max_texel_offset));
        arguments[at] = new glslang::TIntermConstantUnion(values, given->getType());
        return true;
    }

  private:
    static size_t position(glslang::TOperator op, size_t count) {
        switch (op) {
        case glslang::EOpTextureOffset:
        case glslang::EOpTextureProjOffset: return 2;
        case glslang::EOpTextureLodOffset:
        case glslang::EOpTextureProjLodOffset: return 3;
        case glslang::EOpTextureGradOffset:
        case glslang::EOpTextureProjGradOffset: return 4;
        case glslang::EOpTextureFetchOffset: return count - 1;
        default: return count;
        }
    }
    const Limits &limits_;
};

bool parse_into(glslang::TShader &shader, pipe_shader_type stage, const std::string &source,
                const Limits &limits, std::string &log, Leniency lenient = {}) {
    const SourceCheck check = check_source(source, stage, limits, lenient.at_least, lenient.expand);
    if (!check.error.empty()) {
        log += check.error;
        return false;
    }
    const char *text = check.text.c_str();
    const int length = static_cast<int>(check.text.size());
    shader.setStringsWithLengths(&text, &length, 1);
    if (!check.preamble.empty())
        shader.setPreamble(check.preamble.c_str());
    TBuiltInResource r = resources(limits);
    if (lenient.any_offset) {
        r.minProgramTexelOffset = INT32_MIN;
        r.maxProgramTexelOffset = INT32_MAX;
    }
    const bool ok = shader.parse(&r, 110, false, messages);
    log += clean_log(shader.getInfoLog());
    if (!ok)
        return false;
    if (lenient.any_offset) {
        ClampOffsets clamp(limits);
        shader.getIntermediate()->getTreeRoot()->traverse(&clamp);
    }
    Prepare prepare;
    shader.getIntermediate()->getTreeRoot()->traverse(&prepare);
    const std::string beyond = check_limits(*shader.getIntermediate(), prepare, limits);
    log += beyond;
    return beyond.empty();
}

/// Whether a text declares how many vertices its control stage makes.
bool declares_vertices(const std::string &text) {
    const std::vector<Token> tokens = scan_tokens(text);
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens[i].text == "vertices" && tokens[i + 1].text == "=")
            return true;
    return false;
}

std::string vertices_declaration(int count) {
    return "layout(vertices = " + std::to_string(count) + ") out; ";
}

/// A new shader with the text parsed into it; `ok` tells whether that went well.
std::unique_ptr<glslang::TShader> parse_unit(pipe_shader_type stage, const std::string &source,
                                             const Limits &limits, std::string &log, bool &ok) {
    auto unit = std::make_unique<glslang::TShader>(language(stage));
    std::string own;
    ok = parse_into(*unit, stage, source, limits, own);
    const auto again = [&](Leniency lenient) {
        auto later = std::make_unique<glslang::TShader>(language(stage));
        std::string second;
        if (!parse_into(*later, stage, source, limits, second, lenient))
            return;
        ok = true;
        own = std::move(second);
        unit = std::move(later);
    };
    if (!ok && unit->getIntermediate()->getVersion() < 130 && wants_integer_functions(own))
        again({.at_least = 130});
    if (!ok && own.find("TextureOffset does not support") != std::string::npos)
        again({.at_least = 430}); // drivers have it of arrays that compare in every version
    if (!ok && own.find("'texel offset' : value is out of range") != std::string::npos)
        again({.any_offset = true});
    if (!ok && wants_expansion(own))
        again({.expand = true});
    if (may_hide_names(source))
        show_names(own);
    log += own;
    return unit;
}

using Units = std::vector<std::unique_ptr<glslang::TShader>>;

/// Several fragment shaders: those that use gl_FragCoord must agree about it (GLSL 4.60
/// section 4.4.1.3).
bool merge_frag_coord(std::vector<std::string> &texts, FragCoordUse &merged, std::string &log) {
    bool plain = false, differ = false;
    for (std::string &text : texts) {
        const FragCoordUse use = take_frag_coord(text);
        plain |= use.used && !use.redeclared;
        if (!use.redeclared)
            continue;
        differ |= merged.redeclared && (use.upper_left != merged.upper_left ||
                                        use.center_integer != merged.center_integer);
        merged = use;
    }
    if (differ || (plain && merged.redeclared))
        log += "error: gl_FragCoord is declared differently in the fragment shaders\n";
    return !differ && !(plain && merged.redeclared);
}

/// Geometry shaders without an input layout get the one of the others: glslang derives sizes in
/// each alone.
bool share_input_primitive(Units &units, std::vector<std::string> &texts, const Limits &limits,
                           std::string &log) {
    glslang::TLayoutGeometry input = glslang::ElgNone;
    for (const auto &unit : units)
        if (unit->getIntermediate()->getInputPrimitive() != glslang::ElgNone)
            input = unit->getIntermediate()->getInputPrimitive();
    for (size_t i = 0; i < units.size() && input != glslang::ElgNone; ++i) {
        if (units[i]->getIntermediate()->getInputPrimitive() != glslang::ElgNone)
            continue;
        insert_declaration(texts[i], std::string("layout(") +
                                         glslang::TQualifier::getGeometryString(input) + ") in; ");
        units[i] = std::make_unique<glslang::TShader>(EShLangGeometry);
        if (!parse_into(*units[i], PIPE_SHADER_GEOMETRY, texts[i], limits, log))
            return false;
    }
    return true;
}

/// Control shaders that do not say how many vertices they make get the declaration of those that
/// do.
void share_output_vertices(std::vector<std::string> &texts, const Limits &limits) {
    const auto saying = std::find_if(texts.begin(), texts.end(), declares_vertices);
    if (saying == texts.end())
        return;
    std::string log;
    bool ok = false;
    const auto unit = parse_unit(PIPE_SHADER_TESS_CTRL, *saying, limits, log, ok);
    const int count = unit->getIntermediate()->getVertices();
    if (!ok || count == glslang::TQualifier::layoutNotSet)
        return;
    for (std::string &text : texts)
        if (!declares_vertices(text))
            insert_declaration(text, vertices_declaration(count));
}

bool parse_units(pipe_shader_type stage, const std::vector<const CompiledShader *> &shaders,
                 const Limits &limits, Units &units, FragCoordUse &frag_coord, std::string &log) {
    std::vector<std::string> texts;
    for (const CompiledShader *s : shaders)
        texts.push_back(s->source);
    if (stage == PIPE_SHADER_FRAGMENT && texts.size() > 1 &&
        !merge_frag_coord(texts, frag_coord, log))
        return false;
    if (stage == PIPE_SHADER_TESS_CTRL && texts.size() > 1)
        share_output_vertices(texts, limits);
    for (const std::string &text : texts) {
        bool ok = false;
        std::string own;
        units.push_back(parse_unit(stage, text, limits, own, ok));
        if (!ok) {
            log += own;
            return false;
        }
    }
    return stage != PIPE_SHADER_GEOMETRY || units.size() < 2 ||
           share_input_primitive(units, texts, limits, log);
}

} // namespace

FrontendOutput parse_shader(pipe_shader_type stage, const std::string &source,
                            const Limits &limits) {
    init_process();
    FrontendOutput out;
    parse_unit(stage, source, limits, out.log, out.ok);
    if (!out.ok && stage == PIPE_SHADER_TESS_CTRL && !declares_vertices(source)) {
        // Another shader of the stage may: then indices of outputs can be anything here.
        std::string text = source, log;
        insert_declaration(text, vertices_declaration(limits.patch_vertices));
        parse_unit(stage, text, limits, log, out.ok);
        if (out.ok)
            out.log = std::move(log);
    }
    out.ok = out.ok || defer_overlaps(out.log);
    return out;
}

FrontendOutput generate_stage(pipe_shader_type stage,
                              const std::vector<const CompiledShader *> &shaders,
                              const Limits &limits) {
    init_process();
    FrontendOutput out;
    FragCoordUse frag_coord;
    Units units;
    if (!parse_units(stage, shaders, limits, units, frag_coord, out.log))
        return out;
    std::vector<glslang::TIntermediate *> trees;
    for (const auto &unit : units)
        trees.push_back(unit->getIntermediate());
    const std::string initializers = check_initializers(trees);
    out.log += initializers;
    if (!initializers.empty())
        return out;
    glslang::TProgram program; // declared behind the shaders it refers to
    for (size_t i = 0; i < shaders.size(); ++i) {
        collect_side(*units[i]->getIntermediate(), out.side);
        collect_redeclarations(shaders[i]->source, out.side);
        program.addShader(units[i].get());
    }
    const bool linked = program.link(messages);
    out.log += clean_log(program.getInfoLog());
    const bool hides = std::any_of(shaders.begin(), shaders.end(), [](const CompiledShader *s) {
        return may_hide_names(s->source);
    });
    if (hides)
        show_names(out.log);
    if (!linked)
        return out;
    glslang::TIntermediate *intermediate = program.getIntermediate(language(stage));
    if (!intermediate || !intermediate->getTreeRoot())
        return out;
    const std::string open = check_stage(*intermediate, stage);
    out.log += open;
    if (!open.empty())
        return out;
    if (frag_coord.upper_left)
        intermediate->setOriginUpperLeft();
    if (frag_coord.center_integer)
        intermediate->setPixelCenterInteger();
    Prepare prepare; // symbols that linking added
    intermediate->getTreeRoot()->traverse(&prepare);
    glslang::SpvOptions options;
    options.disableOptimizer = true;
    spv::SpvBuildLogger logger;
    glslang::GlslangToSpv(*intermediate, out.spirv, &logger, &options);
    if (hides) {
        show_names(out.spirv);
        std::string side = out.side.serialize();
        show_names(side);
        out.side = SideInfo::parse(side);
    }
    const std::string notes = logger.getAllMessages();
    if (!notes.empty())
        log_debug("compiler", "glslang: %s", notes.c_str());
    out.ok = out.spirv.size() > 5;
    if (out.ok)
        out.spirv[1] = 0x00010000;
    else
        out.log += "error: the shader could not be translated\n";
    return out;
}

} // namespace compiler
