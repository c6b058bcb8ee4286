// SPDX-License-Identifier: MIT
// See presenter.h.
#include "presenter.h"

#include "util/stats.h"
#include "util/thread.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace egl {

namespace {

util::Counter count_shown("egl.frames_shown", "frames of a server that were handed to the window");
util::Counter count_waits("egl.frame_waits", "swaps that waited for the window");

// Frames that may be expected and not shown: two, and as many as fit into a round trip of the link,
// so that a slow link costs no frames. Paced frames are as long as those of a screen, others as the
// fastest that are worth it.
constexpr size_t least_ahead = 2, limit_ahead = 8;
constexpr uint64_t paced_ns = 16'666'667, unpaced_ns = 8'000'000;

// So often somebody who waits asks whether the device is lost, and so long for a frame that the
// server's death may have taken along.
constexpr auto look = std::chrono::milliseconds(20);
constexpr auto patience = std::chrono::seconds(1);

// Of a frame in a buffer, where a server that is well sends no more.
constexpr size_t most_boxes = 16;

uint32_t bgra(uint32_t rgba) {
    return (rgba & 0xff00ff00u) | (rgba & 0xffu) << 16 | (rgba >> 16 & 0xffu);
}

uint32_t bgr10(uint32_t rgb10) {
    return (rgb10 & 0xc00ffc00u) | (rgb10 & 0x3ffu) << 20 | (rgb10 >> 20 & 0x3ffu);
}

} // namespace

static_assert(std::endian::native == std::endian::little);

std::shared_ptr<Presenter> Presenter::start(NativeDrawable &target, bool ten_bits) {
    std::shared_ptr<Presenter> presenter(new Presenter(target, ten_bits));
    Presenter *self = presenter.get();
    if (!util::start_thread(&self->thread_, "mgpipe-frames", [self] { self->run(); }))
        return nullptr;
    return presenter;
}

Presenter::~Presenter() {
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
    }
    arrived_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

template <class Ready>
void Presenter::wait(std::unique_lock<std::mutex> &lock, const Lost &lost, Ready ready) {
    size_t before = frames_.size();
    auto end = std::chrono::steady_clock::now() + patience;
    while (!ready() && !gone_ && std::chrono::steady_clock::now() < end) {
        shown_.wait_for(lock, look);
        if (frames_.size() < before) {
            before = frames_.size();
            end = std::chrono::steady_clock::now() + patience;
        }
        if (ready() || gone_)
            return;
        lock.unlock();
        const bool over = lost();
        lock.lock();
        if (over)
            return;
    }
}

bool Presenter::expect(uint64_t source, uint64_t serial, EGLint width, EGLint height,
                       EGLint interval, const Lost &lost, uint32_t *slot) {
    std::unique_lock lock(mutex_);
    const auto room = [&] { return frames_.size() < most_ahead(interval); };
    if (!room()) {
        count_waits.add();
        wait(lock, lost, room);
    }
    if (gone_)
        return false;
    const Sharing sharing = sharing_[source];
    *slot = claim(lock, sharing);
    Frame frame;
    if (!spare_.empty()) {
        frame = std::move(spare_.back());
        spare_.pop_back();
    }
    frame.source = source;
    frame.serial = serial;
    frame.width = width;
    frame.height = height;
    frame.interval = interval;
    frame.arrived = false;
    frame.slot = *slot;
    frame.buffers = sharing.buffers;
    frame.boxes.clear();
    frame.pixels.clear();
    frames_.push_back(std::move(frame));
    return true;
}

// A frame that gets none of the driver's buffers comes as if there were no such.
uint32_t Presenter::claim(std::unique_lock<std::mutex> &lock, const Sharing &sharing) {
    if (!sharing.exported)
        return 0;
    lock.unlock();
    const int index = target_.claim_buffer(sharing.buffers);
    lock.lock();
    return uint32_t(index + 1);
}

bool Presenter::fit(uint64_t source, EGLint width, EGLint height, const ExportBuffer &make,
                    const ShareBuffers &share, const Lost &lost) {
    {
        const std::lock_guard lock(mutex_);
        const Sharing &now = sharing_[source];
        if (now.width == width && now.height == height && (!now.buffers || now.buffers == buffers_))
            return now.exported;
    }
    drain(lost); // frames of the old extent go first
    uint64_t buffers = make ? target_.take_buffers(width, height, make) : 0;
    const bool exported = buffers != 0;
    if (!exported && share)
        buffers = target_.share_buffers(width, height, share);
    const std::lock_guard lock(mutex_);
    sharing_[source] = {width, height, buffers, exported};
    if (buffers)
        buffers_ = buffers;
    return exported;
}

void Presenter::drain(const Lost &lost) {
    std::unique_lock lock(mutex_);
    wait(lock, lost, [this] { return frames_.empty(); });
}

void Presenter::part(uint64_t source, uint64_t serial, const Part &part, const void *pixels) {
    const std::lock_guard lock(mutex_);
    const auto frame = std::find_if(frames_.begin(), frames_.end(), [&](const Frame &f) {
        return f.source == source && f.serial == serial;
    });
    if (part.slot && part.last && (frame == frames_.end() || frame->arrived)) {
        unwanted_.push_back({sharing_[source].buffers, part.slot});
        arrived_.notify_all();
    }
    if (frame == frames_.end() || frame->arrived)
        return;
    const Rect &box = part.box;
    const size_t size = size_t(box.width) * size_t(box.height) * 4;
    const size_t whole = size_t(frame->width) * size_t(frame->height) * 4;
    // Everything may come from a hostile server; a frame never has more than all pixels.
    const bool fits = size && part.width == frame->width && part.height == frame->height;
    if (part.slot && fits && frame->boxes.size() < most_boxes) {
        frame->boxes.push_back(box);
        frame->slot = part.slot;
        frame->buffers = sharing_[source].buffers;
    } else if (!part.slot && fits && frame->pixels.size() + size <= whole) {
        frame->boxes.push_back(box);
        const auto *bytes = static_cast<const uint8_t *>(pixels);
        frame->pixels.insert(frame->pixels.end(), bytes, bytes + size);
    }
    if (!part.last)
        return;
    // Presents of a surface are done in order: what has not come by now does not come.
    for (auto earlier = frames_.begin(); earlier != frame; ++earlier)
        earlier->arrived = earlier->arrived || earlier->source == source;
    frame->arrived = true;
    arrived_.notify_all();
}

void Presenter::set_link(uint64_t round_trip_ns) {
    const std::lock_guard lock(mutex_);
    link_ns_ = std::max(link_ns_, round_trip_ns);
}

size_t Presenter::most_ahead(EGLint interval) const {
    const uint64_t frame = interval ? paced_ns * uint64_t(std::abs(interval)) : unpaced_ns;
    return std::min(least_ahead + size_t(link_ns_ / frame), limit_ahead);
}

void Presenter::put(Picture &picture, const Rect &box, const uint8_t *pixels) const {
    for (EGLint row = 0; row < box.height; row++) {
        uint32_t *to =
            picture.pixels.data() + size_t(box.y + row) * size_t(picture.width) + size_t(box.x);
        const uint8_t *from = pixels + size_t(row) * size_t(box.width) * 4;
        for (EGLint i = 0; i < box.width; i++) {
            uint32_t texel;
            std::memcpy(&texel, from + size_t(i) * 4, 4);
            to[i] = ten_bits_ ? bgr10(texel) : bgra(texel);
        }
    }
}

bool Presenter::show(const Frame &frame) {
    const bool first = shown_source_ != frame.source;
    const bool again = !first && shown_buffer_ && !frame.slot && frame.boxes.empty();
    if (frame.slot || again) {
        shown_source_ = frame.source;
        shown_buffer_ = true;
        count_shown.add();
        return again ? target_.post_again(frame.interval)
                     : target_.post_buffer(frame.buffers, frame.slot - 1, frame.interval,
                                           first ? nullptr : frame.boxes.data(),
                                           first ? 0 : EGLint(frame.boxes.size()));
    }
    shown_buffer_ = false;
    Picture &picture = pictures_[frame.source];
    if (picture.width != frame.width || picture.height != frame.height) {
        picture.width = frame.width;
        picture.height = frame.height;
        picture.pixels.assign(size_t(frame.width) * size_t(frame.height), 0);
    }
    const uint8_t *pixels = frame.pixels.data();
    for (const Rect &box : frame.boxes) {
        put(picture, box, pixels);
        pixels += size_t(box.width) * size_t(box.height) * 4;
    }
    const Rect nothing{0, 0, 0, 0};
    const bool whole = first;
    shown_source_ = frame.source;
    count_shown.add();
    return target_.post(picture.pixels.data(), picture.width, picture.height, picture.width * 4,
                        frame.interval,
                        whole                 ? nullptr
                        : frame.boxes.empty() ? &nothing
                                              : frame.boxes.data(),
                        whole ? 0 : std::max(EGLint(frame.boxes.size()), 1));
}

std::deque<Presenter::Frame>::iterator Presenter::next_arrived() {
    return std::find_if(frames_.begin(), frames_.end(),
                        [](const Frame &frame) { return frame.arrived; });
}

void Presenter::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        arrived_.wait(lock, [this] {
            return ending_ || next_arrived() != frames_.end() || !unwanted_.empty();
        });
        if (!unwanted_.empty()) {
            std::vector<Unwanted> unwanted;
            unwanted.swap(unwanted_);
            lock.unlock();
            for (const Unwanted &u : unwanted)
                target_.drop_buffer(u.buffers, u.slot - 1);
            lock.lock();
            continue;
        }
        const auto found = next_arrived();
        if (found == frames_.end())
            return;
        Frame frame = std::move(*found);
        found->arrived = false; // still counted, until it is shown
        found->serial = 0;
        const uint64_t source = frame.source;
        if (!gone_) {
            lock.unlock();
            const bool alive = show(frame);
            lock.lock();
            gone_ = !alive;
        }
        const auto done = std::find_if(frames_.begin(), frames_.end(), [&](const Frame &f) {
            return f.source == source && f.serial == 0;
        });
        if (done != frames_.end())
            frames_.erase(done);
        if (spare_.size() < limit_ahead)
            spare_.push_back(std::move(frame));
        shown_.notify_all();
    }
}

} // namespace egl
