// SPDX-License-Identifier: MIT
// A share group. Holds the tables of what GL shares between contexts; `mutex` guards them. Steady
// draws do not take it: lanes hold references to what is bound and watch `store_epoch` for replaced
// storage.
#pragma once

#include "magma_handles.h"
#include "magma_instance.h"
#include "magma_resource.h"
#include "magma_upload.h"
#include "magma_window.h"

#include "pipe/pipe.h"

#include <atomic>
#include <mutex>

namespace magma {

struct program;
struct fence;

struct share_group : pipe_screen {
    host_device *dev = nullptr;
    const pipe_callbacks *callbacks = nullptr;
    void *callback_data = nullptr;
    window_system windows;
    uint32_t frames_in_flight = 2; // of a window

    std::mutex mutex;
    handle_table<resource> resources;
    handle_table<sampler> samplers;
    handle_table<sampler_view> views;
    handle_table<program> programs;
    handle_table<program> composites; // slots above PIPE_COMPOSITE_SLOT_BASE, by slot - base
    handle_table<fence> fences;
    std::atomic<uint64_t> store_epoch{1}; // moves when a resource changes its storage
    stage_memory stage;

    resource_ref find_resource(pipe_handle h) {
        std::lock_guard lock(mutex);
        return resources.get(h);
    }
    std::shared_ptr<program> find_program(pipe_handle h);

    // One GL error for the client and one log line.
    void gl_error(pipe_handle lane, uint32_t error, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
};

inline share_group &screen_of(pipe_screen *s) {
    return *static_cast<share_group *>(s);
}

constexpr uint32_t gl_out_of_memory = 0x0505, gl_invalid_operation = 0x0502;

// Fills caps from the device (magma_caps.cpp).
void fill_caps(host_device &dev, pipe_caps &caps);

} // namespace magma
