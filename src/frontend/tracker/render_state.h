// SPDX-License-Identifier: MIT
// Commit of the two halves of the render state: the pipeline subset through the CSO cache, the
// dynamic subset by chunks.
#pragma once

#include "tracker/tracker_private.h"

namespace st {

// Stores `now` as a chunk of the working copy; a chunk that differs is marked for the commit.
template <class T> void set_rs_chunk(Tracker &t, unsigned chunk, T &member, const T &now) {
    if (std::memcmp(&member, &now, sizeof(T)) == 0)
        return;
    member = now;
    t.rs_changed |= 1u << chunk;
}

template <class T> void set_ds_chunk(Tracker &t, unsigned chunk, T &member, const T &now) {
    if (std::memcmp(&member, &now, sizeof(T)) == 0)
        return;
    member = now;
    t.ds_changed |= 1u << chunk;
}

void commit_render_state(Tracker &t);
void commit_dynamic_state(Tracker &t);

} // namespace st
