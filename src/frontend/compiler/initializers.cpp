// SPDX-License-Identifier: MIT
// Built without RTTI, as glslang is.
#include "compiler/initializers.h"

#include <glslang/MachineIndependent/localintermediate.h>

#include <map>

namespace compiler {
namespace {

struct Initializer {
    bool constant = false;
    glslang::TConstUnionArray value;
};
using Initializers = std::map<std::string, Initializer>;

/// Assignments outside of functions.
class Collect : public glslang::TIntermTraverser {
  public:
    Initializers found;
    bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate *node) override {
        return node->getOp() != glslang::EOpFunction && node->getOp() != glslang::EOpLinkerObjects;
    }
    bool visitBinary(glslang::TVisit, glslang::TIntermBinary *node) override {
        const glslang::TIntermSymbol *symbol = node->getLeft()->getAsSymbolNode();
        if (node->getOp() != glslang::EOpAssign || !symbol ||
            symbol->getQualifier().storage != glslang::EvqGlobal)
            return false;
        Initializer init;
        if (const auto *constant = node->getRight()->getAsConstantUnion()) {
            init.constant = true;
            init.value = constant->getConstArray();
        }
        found[symbol->getName().c_str()] = init;
        return false;
    }
};

} // namespace

std::string check_initializers(const std::vector<glslang::TIntermediate *> &shaders) {
    Initializers all;
    for (glslang::TIntermediate *shader : shaders) {
        Collect own;
        shader->getTreeRoot()->traverse(&own);
        for (const auto &[name, init] : own.found) {
            const auto [at, fresh] = all.emplace(name, init);
            if (!fresh &&
                (!init.constant || !at->second.constant || !(init.value == at->second.value)))
                return "error: '" + name + "' has more than one initialiser\n";
        }
    }
    return {};
}

} // namespace compiler
