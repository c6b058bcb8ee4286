## SPDX-License-Identifier: MIT
${c.BANNER}
// Capabilities that two drivers have in common, and those that differ.
#include "pipe_wrap/record.h"

#include "pipe/pipe.h"
#include "pipe_wire/wire.h"
#include "pipe_wrap/wrap.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wrap {

<%
    def rule(f):
        n = f.name
        if n in ('call_mask', 'features'): return 'and'
        if n in ('format', 'driver_name', 'device_name', 'host_version', 'device_uuid', 'driver_uuid', 'device', 'is_software',
                 'video_memory') or f.pad: return None
        if n.endswith('_alignment') or n.endswith('_granularity'): return 'max'
        if n in ('line_width_range', 'point_size_range'): return 'range'
        if n.startswith('min_'): return 'max'
        return 'min'
    def dims(f):
        return f.dims[0] if f.dims else 0
%>\
void caps_meet(pipe_caps &caps, const pipe_caps &other) {
% for f in m.caps.fields:
<% r = rule(f) %>\
% if r == 'range':
    caps.${f.name}[0] = std::max(caps.${f.name}[0], other.${f.name}[0]);
    caps.${f.name}[1] = std::min(caps.${f.name}[1], other.${f.name}[1]);
% elif r and dims(f):
    for (unsigned i = 0; i < ${dims(f)}; i++)
% if r == 'and':
        caps.${f.name}[i] &= other.${f.name}[i];
% else:
        caps.${f.name}[i] = std::${r}(caps.${f.name}[i], other.${f.name}[i]);
% endif
% elif r:
    caps.${f.name} = std::${r}(caps.${f.name}, other.${f.name});
% endif
% endfor
    for (unsigned i = 0; i < PIPE_FORMAT_COUNT; i++) {
        // Not what each stores as it is: that says nothing of what a program can do.
        caps.format[i].caps &= other.format[i].caps | PIPE_FORMAT_CAP_NATIVE;
        caps.format[i].sample_counts &= other.format[i].sample_counts;
    }
}

namespace {

const char *const feature_names[] = {
% for name, doc in m.cap_bits:
    "${name.lower()}",
% endfor
};

void line(std::string &out, const std::string &name, const std::string &a, const std::string &b) {
    out += name + ": " + a + ", " + b + '\n';
}

template <typename T> void compare(std::string &out, const char *name, T a, T b) {
    if (a != b)
        line(out, name, std::to_string(a), std::to_string(b));
}

std::string format_caps_text(const pipe_format_caps &f) {
    static const char *const names[] = {
% for i in m.enums['pipe_format_cap'].items:
        "${i.name.lower()}",
% endfor
    };
    std::string text;
    for (unsigned bit = 0; bit < std::size(names); bit++)
        if (f.caps >> bit & 1 && (1u << bit) != PIPE_FORMAT_CAP_NATIVE)
            text += (text.empty() ? "" : " ") + std::string(names[bit]);
    return text.empty() ? "nothing" : text;
}

} // namespace

std::string caps_difference(const pipe_caps &a, const pipe_caps &b) {
    std::string out;
    for (unsigned i = 0; i < std::size(feature_names); i++) {
        const bool in_a = a.features[i / 64] >> i % 64 & 1, in_b = b.features[i / 64] >> i % 64 & 1;
        if (in_a != in_b)
            line(out, feature_names[i], in_a ? "yes" : "no", in_b ? "yes" : "no");
    }
    for (unsigned op = 1; op < PIPE_OP_COUNT; op++) {
        const bool in_a = pipe_caps_has_call(&a, op), in_b = pipe_caps_has_call(&b, op);
        if (in_a != in_b)
            line(out, std::string("call ") + wire::call_info[op].name, in_a ? "yes" : "no", in_b ? "yes" : "no");
    }
% for f in m.caps.fields:
% if rule(f) in ('min', 'max', 'range'):
% if dims(f):
    for (unsigned i = 0; i < ${dims(f)}; i++)
        compare(out, ("${f.name}[" + std::to_string(i) + "]").c_str(), a.${f.name}[i], b.${f.name}[i]);
% else:
    compare(out, "${f.name}", a.${f.name}, b.${f.name});
% endif
% endif
% endfor
    for (unsigned i = 0; i < PIPE_FORMAT_COUNT; i++)
        if (((a.format[i].caps ^ b.format[i].caps) & ~uint32_t(PIPE_FORMAT_CAP_NATIVE)))
            line(out, pipe_format_name(i), format_caps_text(a.format[i]), format_caps_text(b.format[i]));
    return out;
}

namespace {

struct pipe_context *(*wrapped_lane_create)(struct pipe_screen *, const struct pipe_lane_create *);

struct pipe_context *limited_lane_create(struct pipe_screen *screen, const struct pipe_lane_create *p) {
    struct pipe_context *ctx = wrapped_lane_create(screen, p);
    if (!ctx)
        return nullptr;
% for k in m.calls:
% if k.table == 'context':
    if (!pipe_caps_has_call(&screen->caps, ${k.op}))
        ctx->${k.name} = nullptr;
% endif
% endfor
    return ctx;
}

enum pipe_status limited_caps(struct pipe_screen *screen, const struct pipe_get_caps *, struct pipe_get_caps_reply *out) {
    out->caps = screen->caps;
    return PIPE_OK;
}

} // namespace

pipe_screen *limit_screen(pipe_screen *inner, const pipe_caps &caps) {
    pipe_screen *s = wrap_screen(inner, std::make_unique<Observer>());
    s->caps = caps;
% for k in m.calls:
% if k.table == 'screen' and k.name not in ('get_caps', 'lane_create'):
    if (!pipe_caps_has_call(&caps, ${k.op}))
        s->${k.name} = nullptr;
% endif
% endfor
    wrapped_lane_create = s->lane_create;
    s->lane_create = limited_lane_create;
    s->get_caps = limited_caps;
    return s;
}

} // namespace wrap
