// SPDX-License-Identifier: MIT
// Rules of vertex streams that only the whole geometry stage can break.
#include "compiler/io.h"

namespace compiler {
namespace {

bool emits_to_stream(spv::Op op) {
    return op == spv::OpEmitStreamVertex || op == spv::OpEndStreamPrimitive;
}

} // namespace

void check_streams(Lowering &l, const Stage &s) {
    uint32_t most = 0;
    for (const IoVar &v : collect_io(s, spv::StorageClassOutput))
        most = std::max(most, v.stream);
    for (const spirv::function &f : s.m.functions)
        for (const spirv::instruction &inst : f.insts)
            if (emits_to_stream(inst.op))
                most = std::max(most, s.m.constant_value(inst.operand(0)).value_or(0));
    if (most >= std::max(static_cast<uint32_t>(l.options.limits.vertex_streams), 1u))
        l.error("the geometry shader emits to stream %d, which there is not",
                static_cast<int>(most));
    else if (most && !spirv::execution_mode(s.m, spv::ExecutionModeOutputPoints))
        l.error("the geometry shader emits to stream %u, but no points", most);
}

void check_stream_read(Lowering &l, const IoVar &out) {
    if (out.stream)
        l.error("'%s' belongs to stream %u, of which fragment shaders see nothing",
                out.name.c_str(), out.stream);
}

} // namespace compiler
