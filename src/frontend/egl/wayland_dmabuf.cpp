// SPDX-License-Identifier: MIT
// See wayland_dmabuf.h.
#include "wayland_dmabuf.h"

#include "util/log.h"

#include <linux-dmabuf-unstable-v1-client-protocol.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace egl::wayland {

// A compositor may look at the memory before it answers.
constexpr milliseconds answer_limit{1000};

void DmabufOffer::listen() {
    // Every modifier of a format comes with the former; the latter are older than modifiers.
    static const zwp_linux_dmabuf_v1_listener listener = {
        [](void *, zwp_linux_dmabuf_v1 *, uint32_t) {},
        [](void *data, zwp_linux_dmabuf_v1 *, uint32_t fourcc, uint32_t high, uint32_t low) {
            static_cast<DmabufOffer *>(data)->formats.push_back(
                {fourcc, uint64_t(high) << 32 | low});
        }};
    zwp_linux_dmabuf_v1_add_listener(global, &listener, this);
}

std::vector<uint64_t> DmabufOffer::modifiers(uint32_t fourcc) const {
    std::vector<uint64_t> out;
    for (const Format &f : formats)
        if (f.fourcc == fourcc)
            out.push_back(f.modifier);
    return out;
}

const zwp_linux_buffer_params_v1_listener DmaBuffers::params_listener = {
    [](void *data, zwp_linux_buffer_params_v1 *, wl_buffer *buffer) {
        auto *self = static_cast<Buffer *>(data);
        self->buffer = buffer;
        self->answered = true;
        wl_buffer_add_listener(buffer, &buffer_listener, self);
    },
    [](void *data, zwp_linux_buffer_params_v1 *) { static_cast<Buffer *>(data)->answered = true; }};

const wl_buffer_listener DmaBuffers::buffer_listener = {
    [](void *data, wl_buffer *) { static_cast<Buffer *>(data)->taken = false; }};

DmaBuffers::Set::~Set() {
    for (Buffer &b : buffers)
        if (b.buffer)
            wl_buffer_destroy(b.buffer);
}

DmaBuffers::DmaBuffers(const DmabufOffer &offer, Queue &queue)
    : offer_(offer), queue_(queue), dmabuf_(offer.global ? queue.wrap(offer.global) : nullptr) {}

DmaBuffers::~DmaBuffers() {
    if (dmabuf_)
        wl_proxy_wrapper_destroy(dmabuf_);
}

zwp_linux_buffer_params_v1 *DmaBuffers::offer(Buffer &buffer, const Shape &shape,
                                              const ExportBuffer &make) {
    ExportedBuffer out;
    zwp_linux_buffer_params_v1 *params =
        make(shape.modifiers, out) ? zwp_linux_dmabuf_v1_create_params(dmabuf_) : nullptr;
    if (params) {
        zwp_linux_buffer_params_v1_add_listener(params, &params_listener, &buffer);
        zwp_linux_buffer_params_v1_add(params, out.fd, 0, out.offset, out.stride,
                                       uint32_t(out.modifier >> 32), uint32_t(out.modifier));
        zwp_linux_buffer_params_v1_create(params, shape.width, shape.height, shape.fourcc, 0);
    }
    if (out.fd >= 0)
        close(out.fd); // libwayland has its own
    return params;
}

bool DmaBuffers::offer_all(Set &set, const Shape &shape, const ExportBuffer &make) {
    std::array<zwp_linux_buffer_params_v1 *, count> params{};
    size_t offered = 0;
    while (offered < count && (params[offered] = offer(set.buffers[offered], shape, make)))
        offered++;
    const auto begin = set.buffers.begin(), end = begin + long(offered);
    const Clock::time_point limit = Clock::now() + answer_limit;
    while (std::any_of(begin, end, [](const Buffer &b) { return !b.answered; })) {
        const auto left = std::chrono::duration_cast<milliseconds>(limit - Clock::now());
        if (left.count() <= 0 || !queue_.dispatch(left))
            break;
    }
    for (size_t i = 0; i < offered; i++)
        zwp_linux_buffer_params_v1_destroy(params[i]);
    refused_ = std::any_of(begin, end, [](const Buffer &b) { return !b.buffer; });
    return offered == count && !refused_;
}

bool DmaBuffers::make(int width, int height, uint32_t fourcc, const ExportBuffer &make) {
    const Shape shape = {width, height, fourcc, offer_.modifiers(fourcc)};
    if (now_)
        before_ = std::move(now_);
    if (!dmabuf_ || refused_ || shape.modifiers.empty() || width <= 0 || height <= 0)
        return false;
    auto set = std::make_unique<Set>();
    const bool good = offer_all(*set, shape, make);
    if (refused_)
        log_info("egl", "the compositor takes no dma-buf of %dx%d: frames go through wl_shm", width,
                 height);
    if (!good)
        return false;
    now_ = std::move(set);
    number_++;
    width_ = width;
    height_ = height;
    return true;
}

int DmaBuffers::claim() {
    for (int i = 0; now_ && i < count; i++)
        if (!std::exchange(now_->buffers[size_t(i)].taken, true))
            return i;
    return -1;
}

void DmaBuffers::give_back(uint32_t index) {
    if (now_ && index < count)
        now_->buffers[index].taken = false;
}

wl_buffer *DmaBuffers::find(uint64_t number, uint32_t index) const {
    return now_ && number == number_ && index < count ? now_->buffers[index].buffer : nullptr;
}

} // namespace egl::wayland
