// SPDX-License-Identifier: MIT
// The current context and look-ups in the generated tables.
#include "glapi/glapi.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "glapi/glapi_private.h"
#include "util/log.h"
#include "util/thread_slot.h"

namespace glapi {

__thread gl::Context *current_context = nullptr;

// No way of a draw comes here: a lost context is not current any more.
static util::ThreadSlot<gl::Context *> lost_context;

void lose_current(gl::Context *ctx) {
    if (ctx && current_context == ctx)
        current_context = nullptr;
    lost_context.get() = ctx;
}

gl::Context *lost() {
    return lost_context.get();
}

void no_context(const char *name) {
    if (gl::Context *ctx = lost())
        return gl::command_of_lost_context(*ctx, name);
    log_warning_once("glapi", "%s called without a current context; such calls do nothing", name);
}

void (*get_proc_address(const char *name))() {
    if (!name)
        return nullptr;
    const NameEntry *end = name_table.entries + name_table.count;
    const NameEntry *entry =
        std::lower_bound(name_table.entries, end, name, [](const NameEntry &e, const char *wanted) {
            return strcmp(name_table.text + e.offset, wanted) < 0;
        });
    if (entry == end || strcmp(name_table.text + entry->offset, name) != 0)
        return nullptr;
    return entry->function;
}

std::span<const char *const> missing() {
    return {missing_table.names, missing_table.count};
}

uint32_t core_command_count() {
    return missing_table.core_count;
}

const char *enum_name(uint32_t value) {
    const EnumEntry *end = enum_table.entries + enum_table.count;
    const EnumEntry *entry =
        std::lower_bound(enum_table.entries, end, value,
                         [](const EnumEntry &e, uint32_t wanted) { return e.value < wanted; });
    return entry != end && entry->value == value ? entry->name : nullptr;
}

std::string enum_string(uint32_t value) {
    if (const char *name = enum_name(value))
        return name;
    char text[16];
    snprintf(text, sizeof text, "0x%04x", value);
    return text;
}

} // namespace glapi
