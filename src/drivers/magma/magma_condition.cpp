// SPDX-License-Identifier: MIT
// Conditions from queries.
#include "magma_condition.h"

#include "magma_context.h"

namespace magma {

namespace {

bool ready_predicate(context &c) {
    render_condition &r = c.condition;
    if (r.predicate)
        return true;
    VkResult result;
    r.predicate = create_buffer_storage(
        c.dev, 4, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        memory_use::device, result);
    return bool(r.predicate);
}

bool counts_samples(const query &q) {
    return q.type == PIPE_QUERY_TYPE_OCCLUSION_COUNTER ||
           q.type == PIPE_QUERY_TYPE_OCCLUSION_PREDICATE ||
           q.type == PIPE_QUERY_TYPE_OCCLUSION_PREDICATE_CONSERVATIVE;
}

// Copies the host slot into the predicate; false: the CPU has to decide.
bool copy_predicate(context &c, const query &q) {
    if (!c.dev.has.conditional_rendering || q.active || q.segments.size() != 1 ||
        !counts_samples(q) || q.segments[0].token->failed || !c.begin() || !ready_predicate(c))
        return false;
    c.end_pass();
    storage &s = *c.condition.predicate.get();
    c.rec.use(s, access_transfer_write());
    c.dev.vk.CmdCopyQueryPoolResults(c.rec.main(), q.segments[0].pool->pool, q.segments[0].slot, 1,
                                     s.buffer, 0, 4, VK_QUERY_RESULT_WAIT_BIT);
    return true;
}

void decide(context &c, bool wait) {
    render_condition &r = c.condition;
    const bool known = settle_query(c, *r.source, wait);
    r.state = !known || (r.source->result != 0) != r.inverted ? render_condition::draws
                                                              : render_condition::skips;
}

} // namespace

void set_render_condition(pipe_context *ctx, const pipe_set_render_condition *p) {
    context &c = ctx_of(ctx);
    render_condition &r = c.condition;
    if (r.state == render_condition::on_gpu)
        c.end_pass();
    r.source = c.queries.get(p->query);
    r.state = render_condition::draws;
    if (!r.source)
        return;
    r.wait = p->mode == PIPE_RENDER_COND_WAIT || p->mode == PIPE_RENDER_COND_BY_REGION_WAIT;
    r.inverted = p->inverted;
    r.state = render_condition::undecided;
    if (r.source->have_result)
        decide(c, false);
    else if (copy_predicate(c, *r.source))
        r.state = render_condition::on_gpu;
}

bool condition_allows(context &c) {
    if (c.condition.state == render_condition::undecided) {
        emulated(emulation::condition_wait);
        decide(c, c.condition.wait);
    }
    return c.condition.state != render_condition::skips;
}

bool condition_allows_now(context &c) {
    render_condition &r = c.condition;
    if (r.state != render_condition::on_gpu)
        return condition_allows(c);
    settle_query(c, *r.source, true);
    return (r.source->result != 0) != r.inverted;
}

void use_condition(context &c) {
    const render_condition &r = c.condition;
    if (r.state != render_condition::on_gpu || r.suspended)
        return;
    c.rec.use(*r.predicate.get(),
              {VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT,
               VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT, VK_IMAGE_LAYOUT_UNDEFINED, false});
}

void begin_condition(context &c) {
    render_condition &r = c.condition;
    if (r.state != render_condition::on_gpu || r.suspended)
        return;
    VkConditionalRenderingBeginInfoEXT info = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
    info.buffer = r.predicate->buffer;
    info.flags = r.inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0;
    c.dev.vk.CmdBeginConditionalRendering(c.rec.main_raw(), &info);
    r.running = true;
}

void end_condition(context &c) {
    if (!c.condition.running)
        return;
    c.dev.vk.CmdEndConditionalRendering(c.rec.main_raw());
    c.condition.running = false;
}

} // namespace magma
