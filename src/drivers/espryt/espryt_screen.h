// SPDX-License-Identifier: MIT
// One share group: the tables of the objects that its lanes share. All native contexts of a host
// lie in one host share group, so a surface of the display can be drawn to by any of them.
// Entries take `lock` while they change a table; a steady draw only looks objects up, without a
// lock.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "drivers_common/slot_table.h"
#include "espryt_format.h"
#include "espryt_host.h"
#include "espryt_shadow.h"
#include "pipe/pipe.h"

namespace espryt {

struct context;
struct resource;
struct sampler;
struct sampler_view;
struct program;
struct fence;
struct surface;

struct debug_flags {
    bool shadow = false, raw_bind = false, sync = false;
    bool checks = false; // verb_done() has more to do than usual
    // force-NAME of the emulations in espryt_emulation.h, one bit each.
    uint64_t force = 0;
};

// Host objects whose last user died on a thread without a current context.
struct grave {
    enum kind_t : uint8_t {
        buffer,
        texture,
        renderbuffer,
        framebuffer,
        sampler,
        program,
        query,
        sync
    } kind;
    GLuint name;
    GLsync sync_object;
};

struct screen : pipe_screen {
    espryt::host *host = nullptr;
    const gles *gl = nullptr;
    pipe_screen_config config{};
    debug_flags debug;
    uint32_t frames_in_flight = 2; // of a window
    std::mutex lock;
    std::atomic<bool> border_samplers{false}; // ever: one with a border was made
    std::atomic<bool> biased_samplers{false}; // ever: one with a level of detail bias was made
    std::atomic<bool> texel_buffers{false};   // ever: a buffer texture that the host lacks
    std::atomic<uint64_t> program_serial{0};  // last one given to a program or its globals
    std::atomic<int> num_lanes{0};
    std::atomic<int> num_bad{0}; // resources that the host refused
    std::atomic<int> num_mapped{0}; // stores that programs have the address of
    // Moves when a texture got new storage: framebuffer twins attach again.
    std::atomic<uint32_t> attach_epoch{1};
    drivers_common::slot_table<resource> resources;
    drivers_common::slot_table<sampler> samplers;
    drivers_common::slot_table<sampler_view> views;
    drivers_common::slot_table<program> programs;
    drivers_common::slot_table<fence> fences;
    std::mutex view_lock; // lists of host views of buffer textures
    std::mutex grave_lock;
    std::vector<grave> graves;
    std::atomic<bool> has_graves{false};
};

inline screen *to_screen(pipe_screen *s) {
    return static_cast<screen *>(s);
}

// Deletes a host object now when a context is current here, else hands it to the next lane.
void bury(screen *s, grave g);
void dig_graves(context *ctx);

// The anchor of the host's share group; created at first use, never destroyed.
EGLContext share_anchor(host *h);

} // namespace espryt
