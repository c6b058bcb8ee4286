// SPDX-License-Identifier: MIT
// Last pass: modes of the stages, resource limits, clean-up, words and the hash.
#include "compiler/lower.h"
#include "util/hash.h"

namespace compiler {
namespace {

void note_geometry(Lowering &l, const Stage &s) {
    static const std::pair<spv::ExecutionMode, pipe_prim> inputs[] = {
        {spv::ExecutionModeInputPoints, PIPE_PRIM_POINTS},
        {spv::ExecutionModeInputLines, PIPE_PRIM_LINES},
        {spv::ExecutionModeInputLinesAdjacency, PIPE_PRIM_LINES_ADJACENCY},
        {spv::ExecutionModeTriangles, PIPE_PRIM_TRIANGLES},
        {spv::ExecutionModeInputTrianglesAdjacency, PIPE_PRIM_TRIANGLES_ADJACENCY}};
    static const std::pair<spv::ExecutionMode, pipe_prim> outputs[] = {
        {spv::ExecutionModeOutputPoints, PIPE_PRIM_POINTS},
        {spv::ExecutionModeOutputLineStrip, PIPE_PRIM_LINE_STRIP},
        {spv::ExecutionModeOutputTriangleStrip, PIPE_PRIM_TRIANGLE_STRIP}};
    for (const auto &[mode, prim] : inputs)
        if (spirv::execution_mode(s.m, mode))
            l.archive.gs_input = prim;
    for (const auto &[mode, prim] : outputs)
        if (spirv::execution_mode(s.m, mode))
            l.archive.gs_output = prim;
    const auto first = [&](spv::ExecutionMode mode, uint32_t otherwise) {
        const auto words = spirv::execution_mode(s.m, mode);
        return words && !words->empty() ? (*words)[0] : otherwise;
    };
    l.archive.gs_max_vertices = first(spv::ExecutionModeOutputVertices, 0);
    l.archive.gs_invocations = std::max(first(spv::ExecutionModeInvocations, 1), 1u);
}

void note_tessellation(Lowering &l, const Stage &s) {
    const auto has = [&](spv::ExecutionMode mode) {
        return spirv::execution_mode(s.m, mode).has_value();
    };
    if (s.type == PIPE_SHADER_TESS_CTRL) {
        const auto words = spirv::execution_mode(s.m, spv::ExecutionModeOutputVertices);
        l.archive.tcs_vertices = words && !words->empty() ? (*words)[0] : 0;
        return;
    }
    l.archive.tes_mode = has(spv::ExecutionModeIsolines) ? PIPE_PRIM_LINES
                         : has(spv::ExecutionModeQuads)  ? PIPE_PRIM_QUADS
                                                         : PIPE_PRIM_TRIANGLES;
    l.archive.tes_spacing = has(spv::ExecutionModeSpacingFractionalEven)  ? 1
                            : has(spv::ExecutionModeSpacingFractionalOdd) ? 2
                                                                          : 0;
    l.archive.tes_ccw = !has(spv::ExecutionModeVertexOrderCw);
    l.archive.tes_point_mode = has(spv::ExecutionModePointMode);
}

void note_modes(Lowering &l, const Stage &s) {
    switch (s.type) {
    case PIPE_SHADER_GEOMETRY: note_geometry(l, s); break;
    case PIPE_SHADER_TESS_CTRL:
    case PIPE_SHADER_TESS_EVAL: note_tessellation(l, s); break;
    case PIPE_SHADER_COMPUTE:
        if (const auto size = spirv::execution_mode(s.m, spv::ExecutionModeLocalSize);
            size && size->size() >= 3)
            for (int i = 0; i < 3; ++i)
                l.archive.local_size[i] = (*size)[i];
        break;
    default: break;
    }
}

/// Word offsets of the Location operands, so that a driver or a composite can patch them.
void note_location_words(Stage &s) {
    std::unordered_map<spirv::id, uint32_t> at;
    const std::vector<uint32_t> &w = s.out.spirv;
    for (size_t i = 5; i < w.size();) {
        const uint32_t count = w[i] >> 16;
        if ((w[i] & 0xffff) == spv::OpDecorate && count == 4 && w[i + 2] == spv::DecorationLocation)
            at[w[i + 1]] = static_cast<uint32_t>(i + 3);
        i += std::max(count, 1u);
    }
    std::map<std::string, uint32_t> inputs, outputs;
    for (auto [storage, names] :
         {std::pair(spv::StorageClassInput, &inputs), std::pair(spv::StorageClassOutput, &outputs)})
        for (spirv::id v : s.m.variables(storage)) {
            spirv::id block = s.m.variable_type(v);
            while (s.m.type_op(block) == spv::OpTypeArray)
                block = s.m.element_type(block);
            const bool is_block = s.m.has_decoration(block, spv::DecorationBlock);
            if (at.count(v))
                (*names)[is_block ? s.m.name(block) : s.m.name(v)] = at[v];
        }
    const auto fill = [](std::vector<pipe_archive_io> &list,
                         const std::map<std::string, uint32_t> &names) {
        for (pipe_archive_io &e : list) {
            const std::string root =
                e.block.empty() ? e.name.substr(0, e.name.find_first_of(".[")) : e.block;
            if (const auto it = names.find(root); it != names.end())
                e.location_words.push_back(it->second);
        }
    };
    fill(s.out.inputs, inputs);
    fill(s.out.outputs, outputs);
}

void strip_source(spirv::module &m) {
    std::erase_if(m.debug, [](const spirv::instruction &inst) {
        return inst.op == spv::OpSource || inst.op == spv::OpSourceContinued ||
               inst.op == spv::OpSourceExtension || inst.op == spv::OpString ||
               inst.op == spv::OpModuleProcessed;
    });
    for (spirv::function &f : m.functions)
        std::erase_if(f.insts, [](const spirv::instruction &inst) {
            return inst.op == spv::OpLine || inst.op == spv::OpNoLine;
        });
    std::erase_if(m.globals, [](const spirv::instruction &inst) {
        return inst.op == spv::OpLine || inst.op == spv::OpNoLine;
    });
    m.reindex();
}

void trim_interface(spirv::module &m) {
    std::vector<spirv::id> ids = spirv::interface_of(m);
    std::erase_if(ids, [&](spirv::id x) {
        const spirv::instruction *d = m.def(x);
        return !d || (d->operand(0) != spv::StorageClassInput &&
                      d->operand(0) != spv::StorageClassOutput);
    });
    spirv::set_interface(m, ids);
}

void check_limits(Lowering &l) {
    const Limits &limits = l.options.limits;
    for (const Stage &s : l.stages) {
        int samplers = 0, images = 0, ubos = 0, ssbos = 0, counters = 0;
        uint32_t components = 0;
        for (const pipe_archive_opaque &o : l.archive.opaques)
            if (o.stages & s.bit()) {
                samplers += o.cls == PIPE_SLOT_SAMPLER ? static_cast<int>(o.array_size) : 0;
                images += o.cls == PIPE_SLOT_IMAGE ? static_cast<int>(o.array_size) : 0;
                counters += o.cls == PIPE_SLOT_ATOMIC_BUFFER ? static_cast<int>(o.array_size) : 0;
            }
        for (const pipe_archive_block &b : l.archive.blocks)
            if (b.stages & s.bit()) {
                ubos += b.cls == PIPE_SLOT_UNIFORM_BLOCK;
                ssbos += b.cls == PIPE_SLOT_STORAGE_BLOCK;
            }
        for (const GlobalVar &g : l.globals)
            if (g.stages & s.bit())
                components += component_count(*g.type);
        const auto check = [&](int used, int limit, const char *what) {
            if (used > limit)
                l.error("the %s shader uses %d %s, more than the limit of %d", stage_name(s.type),
                        used, what, limit);
        };
        check(samplers, limits.texture_units[s.type], "samplers");
        check(images, limits.images[s.type], "images");
        check(ubos, limits.uniform_blocks[s.type], "uniform blocks");
        check(ssbos, limits.storage_blocks[s.type], "storage blocks");
        check(counters, limits.atomic_counters[s.type], "atomic counters");
        check(static_cast<int>(components), limits.uniform_components[s.type],
              "uniform components");
    }
    for (const Stage &s : l.stages) {
        uint32_t bytes = 0;
        for (spirv::id v : s.m.variables(spv::StorageClassWorkgroup))
            if (v < s.used.size() && s.used[v])
                bytes += component_count(*read_type(s.m, s.m.variable_type(v))) * 4;
        if (bytes > static_cast<uint32_t>(limits.compute_shared_size))
            l.error("the %s shader shares %u bytes, more than GL_MAX_COMPUTE_SHARED_MEMORY_SIZE",
                    stage_name(s.type), bytes);
    }
    if (l.archive.num_sampler_slots > static_cast<uint32_t>(limits.combined_texture_units))
        l.error("the program uses %u samplers, more than GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS",
                l.archive.num_sampler_slots);
}

} // namespace

void lower_finish(Lowering &l) {
    check_limits(l);
    if (l.failed)
        return;
    util::Hasher hash;
    for (Stage &s : l.stages) {
        note_modes(l, s);
        strip_source(s.m);
        spirv::remove_dead_globals(s.m, [&](spirv::id v) {
            const spirv::instruction *d = s.m.def(v);
            return d->operand(0) == spv::StorageClassOutput &&
                   s.m.has_decoration(v, spv::DecorationLocation);
        });
        trim_interface(s.m);
        s.out.spirv = s.m.write();
        note_location_words(s);
        hash.value(uint32_t(s.type));
        hash.add(s.out.spirv.data(), s.out.spirv.size() * 4);
        l.archive.stage_mask |= s.bit();
        l.archive.stages.push_back(std::move(s.out));
    }
    for (const pipe_archive_xfb &x : l.archive.xfb) {
        hash.value(x.buffer).value(x.offset).value(x.stream).value(x.location).value(x.component);
        hash.value(x.components).value(x.builtin).value(x.builtin_element);
    }
    hash.add(l.archive.xfb_stride, sizeof l.archive.xfb_stride);
    l.archive.separable = l.options.separable;
    l.archive.content_hash = hash.finish64();
}

} // namespace compiler
