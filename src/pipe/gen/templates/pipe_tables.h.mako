## SPDX-License-Identifier: MIT
${c.BANNER}
// The two function tables. A null entry means: not implemented, the frontend falls back (caps.call_mask
// says the same). A screen is one share group. Every entry but the root ones takes the lane, because
// records are ordered per lane; a pipe_context is used by one thread at a time. Payload, tails and
// spans are readable during the call only. Entries of wait class `reply` return a status: PIPE_OK,
// PIPE_DECLINED (an answer: nothing to say), PIPE_ERROR.
#pragma once

#include "pipe/pipe_callbacks.h"
#include "pipe/pipe_calls.h"
#include "pipe/pipe_caps.h"
#include "pipe/pipe_host_span.h"

struct pipe_context;
struct pipe_screen;
struct pipe_shader_archive;

// What a driver gets when its screen is made. `callbacks` may be null; `options` is the text of the
// driver's own switches (MGPIPE_DEBUG and friends, "name=value" separated by ';'), may be null.
struct pipe_screen_config {
    const struct pipe_callbacks *callbacks;
    void *data;
    const char *options;
    uint64_t flags; // 0
    // The window system that the screen's surfaces belong to (enum pipe_platform) and its display: X11
    // by name, as XOpenDisplay takes it (never null then); Wayland by the token of the program's
    // wl_display (util/native.h), 0 in a server of its own.
    uint32_t platform;
    const char *display_name;
    uint64_t native_display;
};

// Per lane.
struct pipe_context {
    struct pipe_screen *screen;
    void *owner;                // of whoever made this table (a wrapper or an emitter); drivers leave it alone
    struct pipe_handle lane;    // as given to lane_create
    uint64_t ordinal;           // records emitted so far on this lane; stays 0 in the monolith
% for k in m.calls:
% if k.table == 'context':

${c.comment('%d %s. %s' % (k.op, k.cls, k.doc), 4)}
${c.signature('%s(*%s)' % (k.ret, k.name), k.params, 4)}
% endif
% endfor
};

// Per share group.
struct pipe_screen {
    void *owner;                // as in pipe_context
    struct pipe_caps caps;      // the same that get_caps answers
    // Where calls become records: what a ring of them and its stage memory have, in bytes. 0: entries
    // are the driver's own. Set by whoever chooses the form, on the screen that the frontend gets.
    uint64_t ring_size, stage_size;

    // Ends the screen; all its lanes were destroyed before.
    void (*destroy)(struct pipe_screen *screen);
    // Delivers pending reverse callbacks to the calling thread; null where they arrive at once.
    void (*drain_events)(struct pipe_screen *screen);
% for k in m.calls:
% if k.table == 'screen':

${c.comment('%d %s. %s%s' % (k.op, k.cls, k.doc, ' (root)' if k.root else ''), 4)}
${c.signature('%s(*%s)' % (k.ret, k.name), k.params, 4)}
% endif
% endfor
};

// call_mask bits of what the tables implement.
void pipe_tables_call_mask(const struct pipe_screen *screen, const struct pipe_context *ctx,
                           uint64_t *mask, uint32_t words);
