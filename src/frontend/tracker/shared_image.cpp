// SPDX-License-Identifier: MIT
// EGL images: storage that several share groups have in common. The driver knows it by a handle of
// the display; each group has a resource of its own for it. Between groups there is no order but
// that of flushes: who looks at such storage, or is made current, comes after what the lanes of the
// groups that share images have flushed.
#include "objects/egl_image.h"
#include "tracker/texture_storage.h"

#include <algorithm>
#include <vector>

namespace st {

namespace {

// Groups that made or imported an image. Never taken by a steady draw.
struct Sharers {
    std::mutex mutex; // also of who writes their lane_handle
    std::vector<Group *> groups;
};

Sharers &sharers() {
    static auto *s = new Sharers;
    return *s;
}

void add_sharer(Group &g) {
    std::lock_guard lock(sharers().mutex);
    if (!g.shares_images.exchange(true))
        sharers().groups.push_back(&g);
}

} // namespace

util::SlotAllocator &image_slots() {
    static auto *slots = new util::SlotAllocator(1u << 20);
    return *slots;
}

void set_lane_handle(Group &g, unsigned index, pipe_handle lane) {
    std::lock_guard lock(sharers().mutex);
    g.lane_handle[index].store(lane);
    g.flushed[index].store(0, std::memory_order_relaxed);
}

// The driver ends the images of a screen with it.
void forget_sharer(Group &g) {
    for (const DeadHandle &d : g.dead)
        if (d.kind == PIPE_HANDLE_IMAGE)
            image_slots().release(to_slot(d.handle));
    std::lock_guard lock(sharers().mutex);
    std::erase(sharers().groups, &g);
}

void wait_for_sharers(Tracker &t) {
    std::vector<pipe_lane_wait> waits;
    {
        std::lock_guard lock(sharers().mutex);
        for (const Group *g : sharers().groups)
            for (unsigned i = 0; i < g->lane_handle.size(); i++) {
                const pipe_handle lane = g->lane_handle[i].load();
                if (!pipe_handle_is_null(lane) && !pipe_handle_equal(lane, t.lane_handle))
                    waits.push_back({lane, g->flushed[i].load(std::memory_order_acquire)});
            }
    }
    waits.swap(t.waited_sharers);
    for (const pipe_lane_wait &w : t.waited_sharers) {
        const auto before = std::find_if(waits.begin(), waits.end(), [&w](const auto &b) {
            return pipe_handle_equal(b.lane, w.lane);
        });
        // A form without ordinals has called the driver already: it only has to look again.
        if (!t.poll_always && w.ordinal <= (before == waits.end() ? 0 : before->ordinal))
            continue;
        t.lane.emit<&pipe_context::lane_wait>(&w);
        if (t.poll_always)
            break;
    }
}

bool image_create(gl::Context &c, gl::Texture &tex, gl::SharedImage &out) {
    Tracker &t = of(c);
    TextureData &d = data_of(tex);
    if (tex.origin || pipe_handle_is_null(tex.handle) ||
        !t.lane.has<&pipe_screen::image_create>() || !t.lane.has<&pipe_screen::image_import>())
        return false;
    wait_for(t, d.write);
    const pipe_image_create p{to_pipe(image_slots().mint()), tex.handle};
    if (pipe_handle_is_null(p.image))
        return false;
    stat_round_trips.add();
    if (t.lane.emit<&pipe_screen::image_create>(&p) != PIPE_OK) {
        image_slots().release(to_slot(p.image));
        return false;
    }
    out.handle = p.image;
    out.desc = d.desc;
    d.write.shared = true;
    add_sharer(t.group);
    flush(c); // what was drawn so far is in the image
    return true;
}

bool image_import(gl::Context &c, gl::Texture &tex, const gl::SharedImage &image) {
    Tracker &t = of(c);
    TextureData &d = data_of(tex);
    if (!t.lane.has<&pipe_screen::image_import>())
        return false;
    add_sharer(t.group);
    wait_for_sharers(t);
    const pipe_image_import p{to_pipe(t.group.resources.mint()), image.handle};
    if (pipe_handle_is_null(p.resource))
        return false;
    stat_round_trips.add();
    if (t.lane.emit<&pipe_screen::image_import>(&p) != PIPE_OK) {
        t.group.resources.release(to_slot(p.resource));
        return false;
    }
    d.desc = image.desc;
    d.desc.resource = p.resource;
    d.first_level = 0;
    for (uint32_t &levels : d.in_main)
        levels = (1u << d.desc.levels) - 1;
    d.write.shared = true;
    tex.handle = p.resource;
    return true;
}

void image_destroy(gl::ShareGroup &g, pipe_handle image) {
    kill_handle(*g.tracker, PIPE_HANDLE_IMAGE, image);
}

} // namespace st
