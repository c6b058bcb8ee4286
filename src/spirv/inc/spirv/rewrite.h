// SPDX-License-Identifier: MIT
// Rewriting of modules: a cursor that builds instruction lists, def-use, replacement of ids,
// removal of what is not reached, entry-point interfaces, built-ins, insertion at entry and before
// returns.
#pragma once

#include "spirv/module.h"

namespace spirv {

/// Collects new function-body instructions; the caller splices `out` where it wants them. Holds a
/// reference to the module, so it must not outlive it.
class code {
  public:
    explicit code(module &m) : m_(m) {}
    std::vector<instruction> out;

    id emit(spv::Op op, id type, std::vector<uint32_t> operands = {});
    void emit_void(spv::Op op, std::vector<uint32_t> operands = {});
    id load(id type, id pointer) { return emit(spv::OpLoad, type, {pointer}); }
    void store(id pointer, id value) { emit_void(spv::OpStore, {pointer, value}); }
    /// `pointee` is the type behind the resulting pointer.
    id access(spv::StorageClass storage, id pointee, id base, std::vector<id> indices);
    id extract(id type, id composite, std::vector<uint32_t> path);
    id construct(id type, std::vector<id> parts);
    module &target() { return m_; }

  private:
    module &m_;
};

// ---- entry points ------------------------------------------------------------------------------

/// The module's first entry point (the pipe's form has exactly one); the id is 0 if there is none.
id entry_function(const module &m);
spv::ExecutionModel execution_model(const module &m);
/// Interface ids of the first entry point, in order.
std::vector<id> interface_of(const module &m);
void set_interface(module &m, const std::vector<id> &ids);
void add_to_interface(module &m, id variable);
void remove_from_interface(module &m, id variable);

/// The literals of an execution mode; nullopt when absent.
std::optional<std::vector<uint32_t>> execution_mode(const module &m, spv::ExecutionMode mode);
void set_execution_mode(module &m, spv::ExecutionMode mode, std::vector<uint32_t> literals = {});
void remove_execution_mode(module &m, spv::ExecutionMode mode);

/// Puts instructions behind the OpVariables of the entry point's first block.
void insert_at_start(module &m, std::vector<instruction> insts);
/// Puts what `make` emits before each OpReturn of the entry point (not before OpKill).
void insert_before_returns(module &m, const std::function<void(code &)> &make);
/// Puts what `make` emits before each instruction `op` of any function (OpEmitVertex, ...).
void insert_before(module &m, spv::Op op, const std::function<void(code &)> &make);

// ---- built-ins ---------------------------------------------------------------------------------

/// Where a built-in lives: a variable of its own, or a member of a block.
struct builtin_ref {
    id variable = 0;
    int32_t member = -1;
    id type = 0;          ///< type of the built-in itself
    bool arrayed = false; ///< the block or variable has an outer per-vertex array
    explicit operator bool() const { return variable != 0; }
};

builtin_ref find_builtin(const module &m, spv::StorageClass storage, spv::BuiltIn builtin);
/// Finds it, or adds a variable of `type` and lists it in the interface.
builtin_ref ensure_builtin(module &m, spv::StorageClass storage, spv::BuiltIn builtin, id type);
/// A pointer to a built-in that is not arrayed.
id builtin_pointer(code &c, spv::StorageClass storage, const builtin_ref &ref);
id load_builtin(code &c, spv::StorageClass storage, const builtin_ref &ref);
void store_builtin(code &c, spv::StorageClass storage, const builtin_ref &ref, id value);

// ---- ids ----------------------------------------------------------------------------------------

/// Replaces every use of `from` (operands and types, names and decorations excepted).
void replace_uses(module &m, id from, id to);
/// Uses of a global `variable`, chains into it included, become those of a new private variable of
/// its type, which is returned; the interface loses it. No function may take it as a parameter.
id make_private(module &m, id variable);

/// Every id that the functions reachable from the entry point use, closed over types and constants,
/// plus nothing else: interface lists, names and decorations do not count as uses.
std::vector<bool> reachable_ids(const module &m);

/// Removes functions that the entry point does not call.
void remove_dead_functions(module &m);
/// Removes names and decorations of ids nobody defines, and the given globals.
void remove_globals(module &m, const std::vector<id> &ids);
/// Removes global variables, constants and types that nothing uses any more. Variables for which
/// `keep` answers true stay.
void remove_dead_globals(module &m, const std::function<bool(id)> &keep = {});

/// Definitions and uses inside one function: indices into `f.insts`.
class def_use {
  public:
    def_use(const module &m, const function &f);
    int32_t def(id value) const; ///< -1: not defined in this function
    const std::vector<uint32_t> &uses(id value) const;

  private:
    std::unordered_map<id, int32_t> defs_;
    std::unordered_map<id, std::vector<uint32_t>> uses_;
    std::vector<uint32_t> none_;
};

} // namespace spirv
