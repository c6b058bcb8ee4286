// SPDX-License-Identifier: MIT
// What the tracker keeps beside each GL object (their `tracker` pointers). Everything here is owned
// by the object and dies with it; data of shared objects is changed under Group::mutex or, for
// values that GL orders only by the program's own synchronisation, by the context that runs the
// call.
#pragma once

#include "objects/context.h"
#include "tracker/cso/content_cache.h"
#include "util/dirty_pages.h"

#include <memory>
#include <vector>

namespace st {

// Last record of any lane that wrote an object: other lanes wait for it when they meet the object.
struct LastWrite {
    uint32_t lane = 0;    // index in the share group
    uint64_t ordinal = 0; // 0: never, or a form without ordinals
    bool shared = false;  // of an EGL image: other groups write the object too
};

// Key of a sampler view; compared as bytes.
struct ViewKey {
    pipe_handle texture;
    uint32_t format;
    uint32_t target;
    uint16_t first_level, num_levels, first_layer, num_layers;
    uint8_t swizzle[4];
    uint32_t aspect;
};
using SamplerCache = ContentCache<pipe_sampler_state>;
using ViewCache = ContentCache<ViewKey>;

struct Tracker;

// Memory of stage_alloc; null `ptr`: none.
struct StageBlock {
    uint8_t *ptr = nullptr;
    uint64_t offset = 0, size = 0;
    uint32_t seg = 0;
    Tracker *owner = nullptr; // the lane that asked for it; only compared
};

struct BufferData {
    LastWrite write;
    bool created = false;
    bool undefined = true; // nobody wrote it yet: a client copy needs no read-back
    bool listed = false;   // in Group::persistent
    // whole buffer, in copy_block or pages; from the first map that needs old bytes
    uint8_t *copy = nullptr;
    std::unique_ptr<uint8_t[]> copy_block;
    std::unique_ptr<util::DirtyPages> pages; // under persistent_mutex while `listed`
    // The part of `copy` that may differ from what the driver holds, and the lanes whose commands
    // made it differ; under persistent_mutex while `listed`.
    uint64_t stale_begin = 0, stale_end = 0;
    uint64_t stale_lanes = 0;
    // map
    std::unique_ptr<uint8_t[]> map_block; // memory of a map that is neither in `copy` nor shared
    StageBlock map_stage;                 // or it lies here, `map_lead` bytes from its start
    uint64_t map_lead = 0;
    void *shared = nullptr;            // store shared with the driver (map_persistent); then no
                                       // persistent map has a copy
    std::unique_ptr<uint8_t[]> pushed; // persistent maps that write: what the driver had last,
                                       // whole map; under persistent_mutex
};

// A level that does not fit the texture's main resource, in a resource of its own.
struct StrayLevel {
    uint8_t face, level;
    pipe_handle handle;
    pipe_resource_desc desc;
};

// The blocks of a compressed level whose texels are stored decoded: slices (layers, faces, depth)
// of rows of blocks, without gaps.
struct KeptLevel {
    unsigned level; // of the texture that owns the storage
    uint64_t row, slice;
    std::vector<uint8_t> bytes;
};

struct TextureData {
    LastWrite write;
    pipe_resource_desc desc{};         // main resource; valid while gl::Texture::handle is not null
    unsigned first_level = 0;          // GL level of the main resource's level 0
    std::array<uint32_t, 6> in_main{}; // per face: GL levels whose texels live in the main resource
    std::vector<StrayLevel> strays;
    std::vector<KeptLevel> kept;
    // resolved pieces; valid while resolved_version equals the texture's version
    ViewCache::Entry *view = nullptr;       // reference held
    SamplerCache::Entry *sampler = nullptr; // the texture's own; reference held
    uint32_t view_version = ~0u;
    uint32_t views_made = 0; // views of this texture in the cache
    uint32_t params_version = ~0u;
    pipe_texture_params params{}; // as sent
    bool params_sent = false, params_seamless = false;
};

struct RenderbufferData {
    LastWrite write;
    pipe_resource_desc desc{};
};

struct Group;
struct SamplerData {
    Group *group = nullptr;
    SamplerCache::Entry *entry = nullptr; // reference held
    uint32_t version = ~0u;
    bool seamless = false;
};

struct FramebufferData {
    uint32_t version = ~0u;            // gl::Framebuffer::version that was sent
    uint64_t stamp = 0;                // of the attachments' storage
    pipe_set_framebuffer_state sent{}; // compared before it is sent again
    bool created = false;
};

struct ProgramData {
    uint32_t bindings_sent = ~0u; // bindings_version the driver has
    bool globals_sent = false;    // whole image sent since the last link
    LastWrite write;
};

struct VertexArrayData {
    uint32_t version = ~0u;
    uint32_t inputs = 0;   // attribute locations it was built for
    void *entry = nullptr; // VertexElementsCache::Entry, reference held
};

struct XfbData {
    pipe_handle handle{};
    uint32_t version = ~0u;
    pipe_so_target sent[PIPE_MAX_SO_BUFFERS]{};
    bool sent_once = false;
};

struct QueryData {
    uint8_t type = 0, index = 0;
    uint32_t polls = 0;
    uint32_t finishes = 0; // of the group, when it was made or last polled
};
struct SyncData {
    Group *group = nullptr;
    uint32_t polls = 0;
    uint32_t finishes = 0; // of the group, when it was made or last polled
    LastWrite write;       // where the fence stands in its lane
};

} // namespace st
