// SPDX-License-Identifier: MIT
// Threads of a replay and its pictures; see record_lane.h.
#include "record_lane.h"

#include "pipe/pipe_format.h"
#include "pipe/pipe_texel.h"

#include <algorithm>
#include <cmath>

namespace wrap {

Worker::~Worker() {
    {
        std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Worker::run(const std::function<void()> &f) {
    std::unique_lock lock(mutex_);
    work_ = &f;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !work_; });
}

void Worker::loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return work_ || ends_; });
        if (!work_)
            return;
        lock.unlock();
        (*work_)();
        lock.lock();
        work_ = nullptr;
        changed_.notify_all();
    }
}

// --- pictures ------------------------------------------------------------------------------------

namespace {

constexpr uint32_t max_side = 16384;

// Layouts in which every bit of the attachment has room, the likeliest first.
std::vector<uint32_t> answer_formats(uint32_t format) {
    const pipe_format_desc *d = pipe_format_describe(format);
    if (d->is_integer)
        return {
            uint32_t(d->is_signed ? PIPE_FORMAT_R32G32B32A32_SINT : PIPE_FORMAT_R32G32B32A32_UINT)};
    bool bytes = !d->is_float && !d->is_snorm;
    for (unsigned i = 0; i < d->num_channels; i++)
        bytes = bytes && d->channel[i].bits <= 8;
    if (bytes)
        return {PIPE_FORMAT_R8G8B8A8_UNORM};
    return {PIPE_FORMAT_R32G32B32A32_FLOAT, format};
}

uint8_t byte_of(const pipe_texel::texel &t, pipe_texel::texel_class cls, unsigned c) {
    using pipe_texel::texel_class;
    if (cls == texel_class::uint)
        return uint8_t(std::min(t.u[c], 255u));
    if (cls == texel_class::sint)
        return uint8_t(std::clamp(t.i[c], 0, 255));
    return std::isnan(t.f[c]) ? 0 : uint8_t(std::lround(std::clamp(t.f[c], 0.f, 1.f) * 255));
}

std::vector<uint8_t> to_bytes(uint32_t format, const std::vector<uint8_t> &texels, size_t count) {
    if (format == PIPE_FORMAT_R8G8B8A8_UNORM)
        return texels;
    std::vector<pipe_texel::texel> wide(count);
    if (!pipe_texel::unpack_texels(format, texels.data(), wide.data(), count))
        return {};
    const auto cls = pipe_texel::class_of(format);
    std::vector<uint8_t> rgba(count * 4);
    for (size_t i = 0; i < rgba.size(); i++)
        rgba[i] = byte_of(wide[i / 4], cls, i % 4);
    return rgba;
}

// What reads need of a default framebuffer that the program never described.
pipe_set_framebuffer_state describe_default(const ReplaySurface &s) {
    pipe_set_framebuffer_state state{};
    state.framebuffer = pipe_default_framebuffer();
    state.color[0].kind = PIPE_ATTACHMENT_SURFACE;
    state.color[0].format = uint16_t(s.format);
    state.color[0].samples = s.samples;
    state.color[0].num_layers = 1;
    std::fill_n(state.draw_buffer, 8, int8_t(-1));
    state.draw_buffer[0] = 0;
    state.num_draw_buffers = 1;
    state.samples = s.samples;
    state.complete = 1;
    state.width = s.width;
    state.height = s.height;
    return state;
}

std::vector<uint8_t> read_color(pipe_context *ctx, pipe_handle fb, uint32_t format, uint32_t width,
                                uint32_t height) {
    for (const uint32_t answer : answer_formats(format)) {
        pipe_read_pixels p{};
        p.framebuffer = fb;
        p.width = width;
        p.height = height;
        p.format = uint16_t(answer);
        p.mask = PIPE_BUFFER_COLOR0;
        p.row_stride = width * pipe_format_describe(answer)->block_bytes;
        std::vector<uint8_t> texels(size_t(p.row_stride) * height);
        const pipe_out_span dst{texels.data(), texels.size()};
        if (ctx->read_pixels && ctx->read_pixels(ctx, &p, &dst) == PIPE_OK)
            return to_bytes(answer, texels, size_t(width) * height);
    }
    return {};
}

} // namespace

std::vector<uint8_t> read_picture(ReplayLane &lane,
                                  const std::map<uint64_t, ReplaySurface> &surfaces, bool fbo,
                                  uint32_t *width, uint32_t *height, std::string &why) {
    const pipe_handle fb = fbo ? lane.drawn_fb : pipe_default_framebuffer();
    const bool is_default = pipe_handle_is_default_framebuffer(fb);
    const auto known = lane.framebuffers.find(pipe_handle_key(fb));
    const bool described = known != lane.framebuffers.end();
    const auto surface = surfaces.find(pipe_handle_key(lane.surface));
    if (is_default && surface == surfaces.end()) {
        why = "no surface is current; --fbo shows framebuffer objects";
        return {};
    }
    if (!is_default && (!described || !known->second.complete || known->second.samples > 1)) {
        why = "the framebuffer that was drawn to cannot be read";
        return {};
    }
    const pipe_set_framebuffer_state before =
        described ? known->second : describe_default(surface->second);
    pipe_set_framebuffer_state state = before;
    if (state.read_buffer < 0 || fbo)
        state.read_buffer = std::max<int8_t>(state.draw_buffer[0], 0);
    *width = is_default ? surface->second.width : state.width;
    *height = is_default ? surface->second.height : state.height;
    const uint32_t format =
        is_default ? surface->second.format : state.color[state.read_buffer % 8].format;
    if (!*width || !*height || *width > max_side || *height > max_side || !format) {
        why = "what was drawn to has no colours to read";
        return {};
    }
    const bool changes = !described || state.read_buffer != before.read_buffer;
    if (changes)
        lane.ctx->set_framebuffer_state(lane.ctx, &state);
    std::vector<uint8_t> rgba = read_color(lane.ctx, fb, format, *width, *height);
    if (changes && described)
        lane.ctx->set_framebuffer_state(lane.ctx, &before);
    if (rgba.empty())
        why = "the driver does not read what was drawn to";
    return rgba;
}

} // namespace wrap
