// SPDX-License-Identifier: MIT
// The host's context of root calls, current for a scope.
#pragma once

#include "espryt_screen.h"

namespace espryt {

// Root calls come from a thread whose own context, if any, must stay current.
struct anchor_scope {
    host *h;
    host *before_host;
    EGLContext before;
    bool ok;
    explicit anchor_scope(host *host)
        : h(host), before_host(host_of_current()), before(host_current()) {
        ok = before_host == h;
        if (ok)
            return;
        h->anchor_lock.lock();
        ok = host_make_current(h, share_anchor(h));
    }
    ~anchor_scope() {
        if (before_host == h)
            return;
        host_make_current(before_host ? before_host : h, before);
        h->anchor_lock.unlock();
    }
    anchor_scope(const anchor_scope &) = delete;
    anchor_scope &operator=(const anchor_scope &) = delete;
};

} // namespace espryt
