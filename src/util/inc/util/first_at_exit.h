// SPDX-License-Identifier: MIT
// Exit handlers that run before those of libraries which were loaded, or did their first work,
// later: the static objects of a compiler register their destructors when it first runs, and an
// ordinary handler of ours that stops the threads in there would come after them.
#pragma once

namespace util {

// `handler` runs at exit(), once or several times; of several handlers the last added runs first.
// At most eight; one that is known is not added again. They come before everything else when a
// thread that called first_at_exit() or first_at_exit_here() calls exit(), which main()'s return
// does; otherwise they come in the order of ordinary exit handlers. Any thread.
void first_at_exit(void (*handler)());

// The calling thread may be the one that calls exit().
void first_at_exit_here();

} // namespace util
