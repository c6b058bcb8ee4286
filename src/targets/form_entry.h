// SPDX-License-Identifier: MIT
// Names of a table of forms, in which "tcp:HOST:PORT" stands for every address.
#pragma once

#include <cstring>

// Whether `name` is the form that an entry of the table stands for.
inline bool is_form(const char *entry, const char *name) {
    const char *colon = strchr(entry, ':');
    if (!colon)
        return !strcmp(entry, name);
    const auto head = static_cast<size_t>(colon + 1 - entry);
    return !strncmp(entry, name, head) && name[head];
}
