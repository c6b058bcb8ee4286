## SPDX-License-Identifier: MIT
${c.BANNER}
// The generic wrapper: one forwarding entry per call.
#include "pipe_wrap/wrap.h"

namespace wrap {
namespace {

struct Screen : pipe_screen {
    pipe_screen *inner;
    std::unique_ptr<Observer> observer;
};

struct Context : pipe_context {
    pipe_context *inner;
};

Screen &of(pipe_screen *s) {
    return *static_cast<Screen *>(s);
}

Context &of(pipe_context *c) {
    return *static_cast<Context *>(c);
}

pipe_context *make_context(Screen &screen, pipe_context *inner);

% for k in m.calls:
<%
    first = 'screen' if k.root else 'ctx'
    table = ('of(screen).inner' if k.root else ('of(ctx->screen).inner' if k.table == 'screen' else 'of(ctx).inner'))
    inner_first = 'of(screen).inner' if k.root else 'of(ctx).inner'
    args = [inner_first] + k.args[1:]
    view = ', '.join(k.args[1:])
    create = k.name == 'lane_create'
    destroy = k.name == 'lane_destroy'
    rets = k.is_reply
%>\
${c.signature(k.ret + 'wrap_' + k.name, k.params, 0, ' {')}
    CallView v{};
    v.op = ${k.op};
    v.ctx = ${'nullptr' if k.root else 'ctx'};
    v.payload = p;
% for i, t in enumerate(k.tails):
    v.tails[${i}] = {${t.name}, p->${t.count}, sizeof *${t.name}};
% endfor
    v.num_tails = ${len(k.tails)};
% for i, s in enumerate(k.spans):
    v.spans[${i}] = ${s};
% endfor
    v.num_spans = ${len(k.spans)};
% if k.archive:
    v.archive = ${k.archive};
% endif
% if k.rep:
    v.out = out;
% endif
% if k.reply_bytes:
    v.dst = dst;
% endif
    Observer &o = *of(${'screen' if k.root else 'ctx->screen'}).observer;
    o.before(v);
% if create:
    pipe_context *inner = ${table}->${k.name}(${', '.join(args)});
    o.after(v);
    return inner ? make_context(of(screen), inner) : nullptr;
% elif rets:
    v.status = ${table}->${k.name}(${', '.join(args)});
    v.has_status = true;
    o.after(v);
% if not k.root:
    ctx->ordinal = of(ctx).inner->ordinal;
% endif
    return v.status;
% else:
% if k.fills:
    if (o.forwards(v))
        ${table}->${k.name}(${', '.join(args)});
% else:
    ${table}->${k.name}(${', '.join(args)});
% endif
    o.after(v);
% if destroy:
    delete &of(ctx);
% else:
    ctx->ordinal = of(ctx).inner->ordinal;
% endif
% endif
}

% endfor
void destroy(pipe_screen *screen) {
    Screen &s = of(screen);
    s.observer->end();
    s.inner->destroy(s.inner);
    delete &s;
}

void drain_events(pipe_screen *screen) {
    of(screen).inner->drain_events(of(screen).inner);
}

pipe_context *make_context(Screen &screen, pipe_context *inner) {
    auto *ctx = new Context{};
    ctx->inner = inner;
    ctx->screen = &screen;
    ctx->lane = inner->lane;
    ctx->ordinal = inner->ordinal;
% for k in m.calls:
% if k.table == 'context':
    ctx->${k.name} = inner->${k.name} ? wrap_${k.name} : nullptr;
% endif
% endfor
    return ctx;
}

} // namespace

pipe_screen *wrap_screen(pipe_screen *inner, std::unique_ptr<Observer> observer) {
    auto *s = new Screen{};
    s->inner = inner;
    s->observer = std::move(observer);
    s->caps = inner->caps;
    s->destroy = destroy;
    s->drain_events = inner->drain_events ? drain_events : nullptr;
% for k in m.calls:
% if k.table == 'screen':
    s->${k.name} = inner->${k.name} ? wrap_${k.name} : nullptr;
% endif
% endfor
    return s;
}

const char *const group_names[] = {
% for g in m.groups:
    "${g.name}",
% endfor
};

<%
    def bits(names):
        n = 0
        for g in m.groups:
            if g.name in names: n |= 1 << g.value
        return '0x%xull' % n
%>\
const GroupUse group_use[] = {
    {0, 0},
% for k in m.calls:
    {${bits(k.fills)}, ${bits(k.reads)}}, // ${k.name}
% endfor
};

} // namespace wrap
