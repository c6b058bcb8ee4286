// SPDX-License-Identifier: MIT
// See frames.h.
#include "frames.h"

#include "counters.h"

#include "pipe/pipe_format.h"
#include "pipe_wire/wire.h"

#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <unistd.h>
#include <utility>

namespace remote {

constexpr uint32_t pixel_bytes = 4;
constexpr uint32_t tile = 32;           // pixels, both ways
constexpr int level = 1;                // of zstd
constexpr uint32_t max_extent = 16384;  // of frames that are sent; a row fits a message
constexpr size_t max_shared_boxes = 16; // more are one: everything
constexpr uint32_t max_slice = max_message - sizeof(pipe_ctl_frame);
static_assert(max_extent * pixel_bytes <= max_slice);

namespace {

bool tile_differs(const uint8_t *a, const uint8_t *b, size_t stride, uint32_t bytes,
                  uint32_t rows) {
    for (uint32_t row = 0; row < rows; row++, a += stride, b += stride)
        if (memcmp(a, b, bytes))
            return true;
    return false;
}

// Two pictures and their shape; rows are counted from the top.
struct Pair {
    const uint8_t *a, *b;
    size_t stride;
    uint32_t height;

    bool row_differs(const FrameBox &box, uint32_t row) const {
        const size_t at = offset(box.x, row);
        return memcmp(a + at, b + at, size_t(box.width) * pixel_bytes) != 0;
    }
    bool column_differs(const FrameBox &box, uint32_t column) const {
        for (uint32_t row = box.y; row < box.y + box.height; row++) {
            const size_t at = offset(column, row);
            if (memcmp(a + at, b + at, pixel_bytes))
                return true;
        }
        return false;
    }
    size_t offset(uint32_t column, uint32_t row) const {
        return size_t(height - 1 - row) * stride + size_t(column) * pixel_bytes;
    }
};

// To what really differs; something does.
void trim(const Pair &pair, FrameBox &box) {
    for (; !pair.row_differs(box, box.y); box.height--)
        box.y++;
    while (!pair.row_differs(box, box.y + box.height - 1))
        box.height--;
    for (; !pair.column_differs(box, box.x); box.width--)
        box.x++;
    while (!pair.column_differs(box, box.x + box.width - 1))
        box.width--;
}

} // namespace

void changed_boxes(const uint8_t *a, const uint8_t *b, uint32_t width, uint32_t height,
                   std::vector<FrameBox> &out) {
    const size_t stride = size_t(width) * pixel_bytes;
    size_t above = out.size(); // first box of the band above
    for (uint32_t top = 0; top < height; top += tile) {
        const uint32_t rows = std::min(tile, height - top);
        const size_t bottom_row = size_t(height - top - rows) * stride;
        const size_t band = out.size();
        for (uint32_t left = 0; left < width; left += tile) {
            const uint32_t columns = std::min(tile, width - left);
            const size_t at = bottom_row + size_t(left) * pixel_bytes;
            if (!tile_differs(a + at, b + at, stride, columns * pixel_bytes, rows))
                continue;
            if (out.size() > band && out.back().x + out.back().width == left)
                out.back().width += columns;
            else
                out.push_back({left, top, columns, rows});
        }
        // A band that changed in the same columns as the one above continues its boxes.
        const size_t count = out.size() - band;
        const auto same = [&](const FrameBox &upper, const FrameBox &lower) {
            return upper.x == lower.x && upper.width == lower.width &&
                   upper.y + upper.height == lower.y;
        };
        if (count && count == band - above &&
            std::equal(out.begin() + long(above), out.begin() + long(band),
                       out.begin() + long(band), same)) {
            for (size_t i = 0; i < count; i++)
                out[above + i].height += rows;
            out.resize(band);
        } else {
            above = band;
        }
    }
    for (FrameBox &box : out)
        trim({a, b, stride, height}, box);
}

bool FrameMemory::open(const pipe_ctl_frame_memory &shape, int fd) {
    const uint64_t frame = uint64_t(shape.width) * shape.height * pixel_bytes;
    const bool good =
        shape.count && shape.count <= max_buffers && frame && shape.width <= max_extent &&
        shape.height <= max_extent && shape.buffer_size >= frame &&
        shape.offset >= shape.count * sizeof(uint32_t) && shape.offset % pixel_bytes == 0 &&
        shape.buffer_size % pixel_bytes == 0 && shape.offset <= shape.size &&
        shape.buffer_size <= (shape.size - shape.offset) / shape.count;
    if (!good || shape.size > UINT32_MAX) {
        close(fd);
        return false;
    }
    shape_ = shape;
    return memory_.adopt(fd, shape.size);
}

int FrameMemory::take() {
    auto *words = reinterpret_cast<uint32_t *>(memory_.data());
    for (uint32_t i = 0; i < shape_.count; i++) {
        uint32_t free = 0;
        if (std::atomic_ref(words[i]).compare_exchange_strong(free, 1, std::memory_order_acquire))
            return int(i);
    }
    return -1;
}

FrameSource::FrameSource(uint32_t screen, const pipe_surface_create &desc)
    : screen_(screen), surface_(desc.surface), format_(desc.color_format) {
    resize(desc.width, desc.height);
}

FrameSource::~FrameSource() {
    ZSTD_freeCCtx(packer_);
}

// A frame that no message can hold has no pixels.
void FrameSource::resize(uint32_t width, uint32_t height) {
    const bool sends = width <= max_extent && height <= max_extent;
    width_ = sends ? width : 0;
    height_ = sends ? height : 0;
}

bool FrameSource::read(pipe_context *ctx) {
    frame_.frame_width = width_;
    frame_.frame_height = height_;
    now_.resize(size_t(width_) * height_ * pixel_bytes);
    if (!ctx || !ctx->read_pixels || now_.empty())
        return false;
    pipe_read_pixels p{};
    p.framebuffer = pipe_default_framebuffer();
    p.width = width_;
    p.height = height_;
    p.format = format_;
    p.mask = PIPE_BUFFER_COLOR0;
    p.row_stride = width_ * pixel_bytes;
    const pipe_out_span out{now_.data(), now_.size()};
    return ctx->read_pixels(ctx, &p, &out) == PIPE_OK;
}

void FrameSource::put(Message &m, const FrameBox &box, bool packed) {
    frame_.x = box.x;
    frame_.y = box.y;
    frame_.width = box.width;
    frame_.height = box.height;
    frame_.encoding = PIPE_FRAME_ENCODING_RAW;
    const size_t size = size_t(box.width) * pixel_bytes * box.height;
    count_frame_raw_bytes.add(size);
    m.type = PIPE_CTL_FRAME;
    m.bytes.resize(sizeof frame_ + size);
    uint8_t *tail = m.bytes.data() + sizeof frame_;
    if (packed && (packer_ || (packer_ = ZSTD_createCCtx()))) {
        rows_.resize(size);
        copy_rows(box, rows_.data());
        // No room for more than the pixels themselves: then it fails, and they go as they are.
        const size_t less = ZSTD_compressCCtx(packer_, tail, size - 1, rows_.data(), size, level);
        if (!ZSTD_isError(less)) {
            frame_.encoding = PIPE_FRAME_ENCODING_ZSTD;
            m.bytes.resize(sizeof frame_ + less);
        }
    }
    if (frame_.encoding == PIPE_FRAME_ENCODING_RAW)
        copy_rows(box, tail);
    memcpy(m.bytes.data(), &frame_, sizeof frame_);
}

void FrameSource::copy_rows(const FrameBox &box, uint8_t *to) const {
    const size_t row = size_t(box.width) * pixel_bytes, stride = size_t(sent_width_) * pixel_bytes;
    const uint8_t *from =
        sent_.data() + size_t(sent_height_ - 1 - box.y) * stride + size_t(box.x) * pixel_bytes;
    for (uint32_t y = 0; y < box.height; y++, to += row, from -= stride)
        memcpy(to, from, row);
}

void FrameSource::send_box(const FrameBox &box, bool packed, bool last,
                           const std::function<void(Message &)> &send) {
    const uint32_t band = max_slice / (box.width * pixel_bytes);
    for (uint32_t done = 0; done < box.height; done += band) {
        const uint32_t rows = std::min(band, box.height - done);
        frame_.last = last && done + rows == box.height;
        put(message_, {box.x, box.y + done, box.width, rows}, packed);
        count_frame_bytes.add(message_.bytes.size());
        count_frame_messages.add();
        send(message_);
    }
}

void FrameSource::set_memory(std::unique_ptr<FrameMemory> memory) {
    std::lock_guard taking(taking_);
    memory_ = std::move(memory);
}

// A pixel with red and blue the other way round.
static uint32_t swapped(uint32_t pixel, bool ten_bits) {
    return ten_bits ? (pixel & 0xc00ffc00u) | (pixel & 0x3ffu) << 20 | (pixel >> 20 & 0x3ffu)
                    : (pixel & 0xff00ff00u) | (pixel & 0xffu) << 16 | (pixel >> 16 & 0xffu);
}

bool FrameSource::send_shared(const std::function<void(Message &)> &send) {
    const int index = memory_ && memory_->fits(sent_width_, sent_height_) ? memory_->take() : -1;
    if (index < 0)
        return false;
    auto *to = reinterpret_cast<uint32_t *>(memory_->buffer(index));
    const bool swap = memory_->swaps_red_blue(),
               ten_bits = format_ == PIPE_FORMAT_R10G10B10A2_UNORM;
    for (uint32_t row = sent_height_; row-- > 0; to += sent_width_) { // the top row first
        const uint8_t *from = sent_.data() + size_t(row) * sent_width_ * pixel_bytes;
        if (!swap)
            memcpy(to, from, size_t(sent_width_) * pixel_bytes);
        for (uint32_t i = 0; swap && i < sent_width_; i++) {
            uint32_t pixel;
            memcpy(&pixel, from + size_t(i) * pixel_bytes, pixel_bytes);
            to[i] = swapped(pixel, ten_bits);
        }
    }
    count_frame_shared_bytes.add(uint64_t(sent_width_) * sent_height_ * pixel_bytes);
    if (boxes_.size() > max_shared_boxes)
        boxes_.assign(1, whole());
    frame_.slot = uint8_t(index + 1);
    for (const FrameBox &box : boxes_) {
        frame_.x = box.x;
        frame_.y = box.y;
        frame_.width = box.width;
        frame_.height = box.height;
        frame_.last = &box == &boxes_.back();
        send_words(send);
    }
    behind_ = true;
    return true;
}

void FrameSource::send_words(const std::function<void(Message &)> &send) {
    Message m;
    m.set(PIPE_CTL_FRAME, frame_);
    count_frame_bytes.add(m.bytes.size());
    count_frame_messages.add();
    send(m);
}

void FrameSource::begin(uint64_t serial) {
    frame_ = {};
    frame_.screen = screen_;
    frame_.surface = surface_;
    frame_.serial = serial;
}

void FrameSource::copied(uint64_t serial, const std::function<void(Message &)> &send) {
    std::lock_guard taking(taking_);
    begin(serial);
    frame_.frame_width = width_;
    frame_.frame_height = height_;
    frame_.last = 1;
    sent_width_ = sent_height_ = 0; // what is read next is compared with nothing
    count_frames.add();
    count_frame_copies.add();
    send_words(send);
}

void FrameSource::take(pipe_context *ctx, uint64_t serial, std::unique_lock<std::mutex> &group,
                       bool packed, const std::function<void(Message &)> &send) {
    std::lock_guard taking(taking_);
    begin(serial);
    boxes_.clear();
    const bool good = read(ctx);
    group.unlock();
    if (good && (frame_.frame_width != sent_width_ || frame_.frame_height != sent_height_))
        boxes_.push_back({0, 0, frame_.frame_width, frame_.frame_height});
    else if (good)
        changed_boxes(now_.data(), sent_.data(), sent_width_, sent_height_, boxes_);
    if (good) {
        sent_.swap(now_);
        sent_width_ = frame_.frame_width;
        sent_height_ = frame_.frame_height;
    }
    count_frames.add();
    if (boxes_.empty()) { // the client counts frames
        frame_.last = 1;
        send_words(send);
    } else if (!send_shared(send)) {
        if (behind_)
            boxes_.assign(1, whole());
        behind_ = false;
        for (const FrameBox &box : boxes_)
            send_box(box, packed, &box == &boxes_.back(), send);
    }
    group.lock();
}

void FrameSources::root_call(uint32_t screen, const uint8_t *record) {
    const auto *h = reinterpret_cast<const wire::Header *>(record);
    if (h->op == PIPE_OP_SURFACE_CREATE) {
        const auto *p = reinterpret_cast<const pipe_surface_create *>(h + 1);
        if (p->kind == PIPE_SURFACE_KIND_FRAMES &&
            pipe_format_describe(p->color_format)->block_bytes == pixel_bytes)
            all_[pipe_handle_key(p->surface)] = std::make_shared<FrameSource>(screen, *p);
    } else if (h->op == PIPE_OP_SURFACE_RESIZE) {
        const auto *p = reinterpret_cast<const pipe_surface_resize *>(h + 1);
        if (auto it = all_.find(pipe_handle_key(p->surface)); it != all_.end())
            it->second->resize(p->width, p->height);
    } else if (h->op == PIPE_OP_SURFACE_DESTROY) {
        const auto *p = reinterpret_cast<const pipe_surface_destroy *>(h + 1);
        all_.erase(pipe_handle_key(p->surface));
    }
}

std::shared_ptr<FrameSource> FrameSources::find(pipe_handle surface) const {
    auto it = all_.find(pipe_handle_key(surface));
    return it == all_.end() ? nullptr : it->second;
}

} // namespace remote
