// SPDX-License-Identifier: MIT
// Stores that the program writes and reads while the GPU uses them. Each way of having one is tried
// once per device, in both directions, before a program gets it.
#include "magma_map.h"

#include "magma_context.h"
#include "magma_transfer.h"

#include "drivers_common/map_trial.h"
#include "util/log.h"

#include <algorithm>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace magma {

namespace {

struct offer {
    uint8_t *address = nullptr; // null: memory of the host's own
    uint64_t size = 0;
};

// What the GPU has done to the store so far is complete, and the CPU sees it.
bool settle(context &c, storage &s) {
    if (c.rec.recording()) {
        c.end_pass();
        c.rec.use(s, access_host_read());
    }
    const token_ref token = c.rec.token();
    return c.flush() && (!token || (token->wait(UINT64_MAX) && !token->failed)) && !c.dev.lost;
}

bool copy_store(context &c, storage &from, storage &to, const VkBufferCopy &what) {
    VkCommandBuffer cmd =
        begin_transfer(c, {{&from, access_transfer_read()}, {&to, access_transfer_write()}});
    if (!cmd)
        return false;
    c.dev.vk.CmdCopyBuffer(cmd, from.buffer, to.buffer, 1, &what);
    return true;
}

// Whether the CPU can use the store as it is, reading as well as writing.
bool usable(const host_device &dev, const storage &s, bool reads) {
    const VkMemoryPropertyFlags flags = dev.mem->properties(s.memory);
    return s.memory.map && (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) &&
           (!reads || (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT));
}

storage_ref make_store(context &c, uint64_t size, bool reads, const offer &o) {
    VkResult result;
    const VkBufferUsageFlags usage = all_buffer_usages(c.dev);
    const attempt other; // the caller has another way
    storage_ref s =
        o.address
            ? import_buffer_storage(c.dev, size, usage, o.address, o.size, result)
            : create_buffer_storage(c.dev, size, usage,
                                    reads ? memory_use::readback : memory_use::upload, result);
    other.got_by();
    if (s && !s->memory.map)
        return {};
    return s;
}

// --- trial ---------------------------------------------------------------------------------------

// The GPU reads what the CPU wrote to `map` and the CPU what the GPU wrote, while it stays mapped.
bool both_ways(context &c, storage &s, uint8_t *map) {
    constexpr uint32_t bytes = drivers_common::map_trial_bytes;
    return drivers_common::map_works_both_ways(map, [&] {
        return copy_store(c, s, s, {0, bytes, bytes}) && settle(c, s);
    });
}

bool try_own(context &c) {
    const storage_ref s = make_store(c, 4096, true, {});
    if (!s)
        return false;
    s->pin();
    return both_ways(c, *s.get(), s->memory.map);
}

bool try_import(context &c) {
    const uint64_t size = std::max<uint64_t>(c.dev.import_alignment, 64 << 10);
    const int fd = memfd_create("mgpipe-trial", MFD_CLOEXEC);
    void *p = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, off_t(size)) == 0)
        p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED)
        return false;
    auto *bytes = static_cast<uint8_t *>(p);
    bool ok = false;
    if (const storage_ref s = make_store(c, 4096, true, {bytes, size})) {
        s->pin();
        ok = both_ways(c, *s.get(), bytes);
    }
    munmap(p, size);
    return ok;
}

bool proved(context &c, bool import) {
    static std::mutex mutex;
    host_device &dev = c.dev;
    std::lock_guard lock(mutex);
    map_trial &state = import ? dev.import_trial : dev.own_trial;
    if (state == map_trial::open) {
        const bool may = import ? dev.has.host_pointers : dev.has.host_maps;
        const bool ok = may && (import ? try_import(c) : try_own(c));
        if (dev.lost)
            return false;
        state = ok ? map_trial::passed : map_trial::failed;
        log_info("magma", "persistent maps by %s: %s",
                 import ? "imported memory" : "memory of the host",
                 ok    ? "tried, they work"
                 : may ? "tried, they do not work"
                       : "not to be had");
    }
    return state == map_trial::passed;
}

// -------------------------------------------------------------------------------------------------

// Gives the resource another store with the same contents.
bool move_store(context &c, resource &r, const offer &o) {
    storage_ref fresh = make_store(c, r.st()->size, r.desc.storage & PIPE_STORAGE_MAP_READ, o);
    if (!fresh || !c.begin() || !copy_store(c, *r.st(), *fresh.get(), {0, 0, r.st()->size}))
        return false;
    std::lock_guard lock(c.scr.mutex);
    r.store = std::move(fresh);
    c.scr.store_epoch.fetch_add(1);
    return true;
}

} // namespace

pipe_status map_persistent(pipe_context *ctx, const pipe_map_persistent *p,
                           pipe_map_persistent_reply *out) {
    context &c = ctx_of(ctx);
    const offer o = {reinterpret_cast<uint8_t *>(uintptr_t(out->address)), out->size};
    *out = {};
    if (!proved(c, o.address != nullptr))
        return PIPE_DECLINED;
    resource_ref r = c.find(p->resource);
    if (!r || r->bad || !r->store || !r->is_buffer())
        return PIPE_ERROR;
    const bool pinned = r->st()->pinned;
    if (pinned && o.address)
        return PIPE_ERROR; // the first offer stays
    const bool stays =
        pinned || (!o.address && usable(c.dev, *r->st(), r->desc.storage & PIPE_STORAGE_MAP_READ));
    if (!stays && !move_store(c, *r, o))
        return PIPE_ERROR;
    r->st()->pin();
    if (!settle(c, *r->st()))
        return PIPE_ERROR;
    out->address =
        uint64_t(reinterpret_cast<uintptr_t>(o.address ? o.address : r->st()->memory.map));
    out->size = r->desc.size;
    return PIPE_OK;
}

} // namespace magma
