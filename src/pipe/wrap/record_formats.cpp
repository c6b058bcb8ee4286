// SPDX-License-Identifier: MIT
// Wider formats; see record_formats.h.
#include "record_formats.h"

#include "pipe/pipe_texel.h"
#include "pipe_wire/wire.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wrap {

namespace {

template <typename P> const P &payload(std::span<const uint8_t> record) {
    return *reinterpret_cast<const P *>(record.data() + sizeof(wire::Header));
}

// Whether every value of a channel is a value of the other one.
bool holds(const pipe_format_channel &wide, const pipe_format_channel &narrow) {
    if (wide.type != narrow.type || wide.bits < narrow.bits)
        return false;
    if (wide.bits == narrow.bits)
        return true;
    if (narrow.type == PIPE_CHANNEL_UNORM)
        return wide.bits % narrow.bits == 0; // n/255 is 257n/65535
    return narrow.type != PIPE_CHANNEL_SNORM;
}

bool holds(const pipe_format_desc &wide, const pipe_format_desc &narrow) {
    if (wide.layout != PIPE_FORMAT_LAYOUT_ARRAY || wide.is_srgb != narrow.is_srgb)
        return false;
    for (unsigned c = 0; c < 4; c++) {
        if (narrow.channel_of[c] < 0)
            continue;
        if (wide.channel_of[c] < 0 ||
            !holds(wide.channel[wide.channel_of[c]], narrow.channel[narrow.channel_of[c]]))
            return false;
    }
    return true;
}

constexpr int max_side = 1 << 15;

} // namespace

uint32_t wider_format(const pipe_caps &caps, uint32_t format) {
    const pipe_format_desc &narrow = *pipe_format_describe(format);
    uint32_t best = PIPE_FORMAT_NONE;
    if (narrow.layout != PIPE_FORMAT_LAYOUT_ARRAY && narrow.layout != PIPE_FORMAT_LAYOUT_PACKED)
        return best;
    for (uint32_t f = 1; f < PIPE_FORMAT_COUNT; f++)
        if (caps.format[f].caps & PIPE_FORMAT_CAP_SAMPLE &&
            holds(*pipe_format_describe(f), narrow) &&
            (!best ||
             pipe_format_describe(f)->block_bytes < pipe_format_describe(best)->block_bytes))
            best = f;
    return best;
}

std::vector<std::string> WiderFormats::take_notes() {
    return std::exchange(notes_, {});
}

const WiderFormats::Pair *WiderFormats::of(pipe_handle resource) const {
    const auto found = replaced_.find(pipe_handle_key(resource));
    return found == replaced_.end() ? nullptr : &found->second;
}

bool WiderFormats::refuse(const Pair &pair, const char *what) {
    why_ = std::string("this driver has no format ") + pipe_format_name(pair.from) + ", and " +
           what + "; record with --portable to play on every driver";
    return false;
}

// The record as a copy that may be changed.
template <typename P> P &WiderFormats::own(std::span<const uint8_t> &record) {
    if (reinterpret_cast<const uint8_t *>(copy_.data()) != record.data()) {
        copy_.assign((record.size() + 7) / 8, 0);
        memcpy(copy_.data(), record.data(), record.size());
        record = {reinterpret_cast<const uint8_t *>(copy_.data()), record.size()};
    }
    return *reinterpret_cast<P *>(reinterpret_cast<uint8_t *>(copy_.data()) + sizeof(wire::Header));
}

bool WiderFormats::describe(pipe_resource_desc &d) {
    replaced_.erase(pipe_handle_key(d.resource));
    const bool view = d.flags & PIPE_RESOURCE_VIEW;
    const Pair *store = view ? of(d.view_of) : nullptr;
    if (store && d.format != store->from)
        return refuse(*store, "it is seen as another one");
    if (d.target == PIPE_BUFFER || d.format == PIPE_FORMAT_NONE || d.format >= PIPE_FORMAT_COUNT ||
        caps_.format[d.format].caps)
        return true;
    const Pair pair{d.format, wider_format(caps_, d.format)};
    if (pair.to == PIPE_FORMAT_NONE)
        return refuse(pair, "no other one that holds it exactly");
    if (view && !store)
        return refuse(pair, "a texture of another one is seen as it");
    if (!std::exchange(noted_[pair.from], true))
        notes_.push_back(std::string("this driver has no format ") + pipe_format_name(pair.from) +
                         "; " + pipe_format_name(pair.to) + " stands for it");
    replaced_[pipe_handle_key(d.resource)] = pair;
    d.format = uint16_t(pair.to);
    return true;
}

bool WiderFormats::convert(const Pair &pair, const pipe_region &in, std::span<const uint8_t> bytes,
                           pipe_region &out, std::vector<uint8_t> &to) const {
    const pipe_box &b = in.box;
    if (b.width <= 0 || b.height <= 0 || b.depth <= 0 || b.width > max_side ||
        b.height > max_side || b.depth > max_side)
        return false;
    const uint64_t from_bytes = pipe_format_describe(pair.from)->block_bytes;
    const uint64_t to_bytes = pipe_format_describe(pair.to)->block_bytes;
    const uint64_t last = uint64_t(b.depth - 1) * in.slice_stride +
                          uint64_t(b.height - 1) * in.row_stride + uint64_t(b.width) * from_bytes;
    if (in.offset > bytes.size() || last > bytes.size() - in.offset)
        return false;
    out = in;
    out.offset = to.size();
    out.row_stride = uint32_t(uint64_t(b.width) * to_bytes);
    const uint64_t slice = uint64_t(out.row_stride) * uint64_t(b.height);
    if (slice > UINT32_MAX || slice * uint64_t(b.depth) > 1ull << 32)
        return false;
    out.slice_stride = uint32_t(slice);
    to.resize(to.size() + slice * uint64_t(b.depth));
    const pipe_texel::texel_rect dst{to.data() + out.offset, pair.to, out.row_stride, slice};
    const pipe_texel::texel_rect src{const_cast<uint8_t *>(bytes.data()) + in.offset, pair.from,
                                     in.row_stride, in.slice_stride};
    return pipe_texel::convert_texels(dst, src, uint32_t(b.width), uint32_t(b.height),
                                      uint32_t(b.depth));
}

bool WiderFormats::upload(const Pair &pair, std::span<const uint8_t> &record,
                          std::vector<uint8_t> &content) {
    const auto &p = payload<pipe_resource_subdata>(record);
    // As the decoder walks it; what does not fit is left for it to refuse.
    const uint64_t regions_at =
        wire::align_up(sizeof(wire::Header) + sizeof p, alignof(pipe_region));
    const uint64_t span_at =
        wire::align_up(regions_at + uint64_t(p.num_regions) * sizeof(pipe_region), 8);
    wire::Span span;
    const auto *header = reinterpret_cast<const wire::Header *>(record.data());
    if (p.num_regions > PIPE_MAX_REGIONS || !(header->flags & 1) ||
        span_at + sizeof span > record.size())
        return true;
    memcpy(&span, record.data() + span_at, sizeof span);
    const std::span<const uint8_t> in =
        span.seg == PIPE_SEG_INLINE ? record : std::span(std::as_const(content));
    if (span.offset > in.size() || span.size > in.size() - span.offset)
        return true;
    std::vector<pipe_region> regions(p.num_regions);
    std::vector<uint8_t> texels;
    for (uint32_t i = 0; i < p.num_regions; i++) {
        pipe_region region;
        memcpy(&region, record.data() + regions_at + i * sizeof region, sizeof region);
        if (!convert(pair, region, in.subspan(span.offset, span.size), regions[i], texels))
            return refuse(pair, "an upload does not convert");
    }
    const pipe_resource_subdata own_payload = p;
    content = std::move(texels);
    CallParts parts;
    parts.op = PIPE_OP_RESOURCE_SUBDATA;
    parts.payload = &own_payload;
    parts.payload_size = sizeof own_payload;
    parts.tails[0] = {regions.data(), regions.size(), sizeof(pipe_region), alignof(pipe_region)};
    parts.num_tails = 1;
    parts.spans[0] = {content.data(), 0, content.size(), PIPE_SEG_STAGE, 0};
    parts.num_spans = 1;
    record = encoder_.encode(parts);
    return true;
}

bool WiderFormats::fit(std::span<const uint8_t> &record, std::vector<uint8_t> &content) {
    const uint16_t op = reinterpret_cast<const wire::Header *>(record.data())->op;
    copy_.clear();
    if (op == PIPE_OP_RESOURCE_CREATE)
        return describe(own<pipe_resource_create>(record).desc);
    if (op == PIPE_OP_RESOURCE_RESPECIFY)
        return describe(own<pipe_resource_respecify>(record).desc);
    if (replaced_.empty())
        return true;
    switch (op) {
    case PIPE_OP_RESOURCE_DESTROY:
        replaced_.erase(pipe_handle_key(payload<pipe_resource_destroy>(record).resource));
        return true;
    case PIPE_OP_RESOURCE_SUBDATA:
        if (const Pair *pair = of(payload<pipe_resource_subdata>(record).resource))
            return upload(*pair, record, content);
        return true;
    case PIPE_OP_CREATE_SAMPLER_VIEW:
        if (const Pair *pair = of(payload<pipe_create_sampler_view>(record).texture)) {
            auto &p = own<pipe_create_sampler_view>(record);
            if (p.format != pair->from)
                return refuse(*pair, "it is sampled as another one");
            p.format = uint16_t(pair->to);
        }
        return true;
    case PIPE_OP_GENERATE_MIPMAP:
        if (const Pair *pair = of(payload<pipe_generate_mipmap>(record).texture)) {
            auto &p = own<pipe_generate_mipmap>(record);
            p.format = p.format == pair->from ? uint16_t(pair->to) : p.format;
        }
        return true;
    case PIPE_OP_SET_FRAMEBUFFER_STATE:
        for (const pipe_surface_view &v : payload<pipe_set_framebuffer_state>(record).color)
            if (const Pair *pair = of(v.resource))
                return refuse(*pair, "it is drawn to");
        return true;
    case PIPE_OP_RESOURCE_COPY_REGION: {
        const auto &p = payload<pipe_resource_copy_region>(record);
        const Pair *a = of(p.src), *b = of(p.dst);
        return (a ? b && a->from == b->from : !b) ||
               refuse(a ? *a : *b, "it is copied to or from another one");
    }
    case PIPE_OP_COPY_BUFFER_TO_TEXTURE:
        if (const Pair *pair = of(payload<pipe_copy_buffer_to_texture>(record).texture))
            return refuse(*pair, "a buffer holds its texels");
        return true;
    case PIPE_OP_COPY_FRAMEBUFFER_TO_TEXTURE:
        if (const Pair *pair = of(payload<pipe_copy_framebuffer_to_texture>(record).texture))
            return refuse(*pair, "a framebuffer is copied to it");
        return true;
    case PIPE_OP_CLEAR_TEXTURE:
        if (const Pair *pair = of(payload<pipe_clear_texture>(record).texture))
            return refuse(*pair, "it is cleared");
        return true;
    default: return true;
    }
}

} // namespace wrap
