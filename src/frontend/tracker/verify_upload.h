// SPDX-License-Identifier: MIT
// Verify builds: uploads derived anew. A call that brings texels or bytes first says what has to be
// written: where, and which bytes, worked out from the arguments by a path of its own. Every upload
// record is compared with that when it leaves; one that nothing asked for, a wrong box, wrong bytes
// and an upload that never leaves are differences (pipe_wrap/derive.h). Other builds do nothing.
// Only for the thread of the lane.
#pragma once

#include "tracker/tracker_private.h"

namespace st {

#ifdef MGPIPE_VERIFY

// Before texels are converted. `base`: the program's first byte, or the start of what was read of
// its pixel buffer; skips are not added yet.
void due_texels(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                const PixelRect &src, const void *base);
// Before the GPU copies texels out of src.buffer.
void due_copy(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
              const PixelRect &src);
// Before blocks are copied; `base` as above.
void due_blocks(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                const gl::PixelStore &store, const void *base);
// Before what the tracker itself coded or decoded is sent: where it lies, but not which bytes.
void due_shape(Tracker &t, gl::Texture &tex, unsigned face, unsigned level, const Box &box);
// Before bytes of a buffer are sent; they stay until the call returns. Null: not compared. `whole`:
// older contents may be dropped.
void due_bytes(Tracker &t, const gl::Buffer &b, uint64_t offset, uint64_t size, const void *bytes,
               bool whole);

#else

inline void due_texels(Tracker &, gl::Texture &, unsigned, unsigned, const Box &, const PixelRect &,
                       const void *) {}
inline void due_copy(Tracker &, gl::Texture &, unsigned, unsigned, const Box &, const PixelRect &) {
}
inline void due_blocks(Tracker &, gl::Texture &, unsigned, unsigned, const Box &,
                       const gl::PixelStore &, const void *) {}
inline void due_shape(Tracker &, gl::Texture &, unsigned, unsigned, const Box &) {}
inline void due_bytes(Tracker &, const gl::Buffer &, uint64_t, uint64_t, const void *, bool) {}

#endif

} // namespace st
