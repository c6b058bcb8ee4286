// SPDX-License-Identifier: MIT
// Program pipelines as one shader handle: composed once per set of (program, link), never again for
// changed uniforms, released exactly once.
#include "tracker/composite.h"

#include "objects/errors.h"
#include "util/log.h"

#include <algorithm>

namespace st {

namespace {

constexpr size_t kMemo = 16; // composites a pipeline object remembers

PipelineData &data_of(gl::ProgramPipeline &p) {
    if (!p.tracker)
        p.tracker = new PipelineData;
    return *static_cast<PipelineData *>(p.tracker);
}

void release(Group &g, Composite &c) {
    kill_handle(g, PIPE_HANDLE_SHADER, c.handle);
    c.handle = {};
}

// The stages of a verb by program, in stage order.
std::vector<gl::PipelinePart> parts_of(Tracker &t, gl::ProgramPipeline &pipeline, uint32_t stages) {
    std::vector<gl::PipelinePart> parts;
    for (unsigned s = 0; s < gl::kStages; s++) {
        gl::Program *p = pipeline.stage[s].get();
        if (!p || !(stages >> s & 1))
            continue;
        gl::program_wait(t.c, *p);
        if (!p->linked || !(p->linked->stages >> s & 1))
            continue;
        auto same = std::find_if(parts.begin(), parts.end(),
                                 [p](const gl::PipelinePart &q) { return q.program == p; });
        if (same == parts.end()) {
            gl::PipelinePart part;
            part.program = gl::Ref<gl::Program>(p);
            part.linked = p->linked;
            part.link_version = p->link_version;
            parts.push_back(std::move(part));
            same = parts.end() - 1;
        }
        same->stages |= 1u << s;
    }
    return parts;
}

bool matches(const Composite &c, const std::vector<gl::PipelinePart> &parts) {
    const auto &mine = c.pipeline.parts;
    return std::equal(mine.begin(), mine.end(), parts.begin(), parts.end(),
                      [](const gl::PipelinePart &a, const gl::PipelinePart &b) {
                          return a.program == b.program && a.linked == b.linked &&
                                 a.stages == b.stages;
                      });
}

// A new composite, sent. One that does not link is remembered with a null handle, so that it fails
// once.
Composite *make(Tracker &t, PipelineData &d, std::vector<gl::PipelinePart> parts) {
    if (d.memo.size() >= kMemo) {
        release(t.group, *d.memo.front());
        d.memo.erase(d.memo.begin());
    }
    auto c = std::make_unique<Composite>();
    std::string log;
    std::vector<gl::PipelinePart> kept = parts;
    if (gl::compose_pipeline(t.c, std::move(parts), c->pipeline, log)) {
        c->handle = to_pipe(t.group.composites.mint());
        pipe_create_shader_state s{};
        s.shader = c->handle;
        s.serial = 1;
        s.content_hash = c->pipeline.linked->archive->content_hash;
        t.lane.emit<&pipe_screen::create_shader_state>(&s, c->pipeline.linked->archive.get());
        stat_composites.add();
    } else {
        c->pipeline.parts = std::move(kept);
        log_warning("tracker", "a program pipeline does not link: %s", log.c_str());
    }
    d.memo.push_back(std::move(c));
    return d.memo.back().get();
}

void collect_used(Tracker &t, BoundProgram &b, const Composite &c) {
    UsedSlots u{};
    auto each = [](const std::vector<int32_t> &slots, const auto &units, auto &&fn) {
        for (size_t i = 0; i < slots.size() && i < units.size(); i++)
            if (slots[i] >= 0)
                fn(unsigned(slots[i]), unsigned(units[i]));
    };
    auto points = [&](const std::vector<int32_t> &slots, const std::vector<GLuint> &binding,
                      auto &set) {
        each(slots, binding, [&set](unsigned, unsigned point) {
            if (point < PIPE_MAX_INDEXED_BUFFERS)
                set.set(point);
        });
    };
    for (const gl::PipelinePart &part : c.pipeline.parts) {
        const gl::Program &p = *part.program;
        each(part.slot[PIPE_SLOT_SAMPLER], p.sampler_unit, [&](unsigned slot, unsigned unit) {
            if (unit >= t.max_units)
                return;
            u.textures.set(unit);
            if (slot < c.pipeline.linked->sampler_target.size())
                u.target[unit] = c.pipeline.linked->sampler_target[slot];
        });
        each(part.slot[PIPE_SLOT_IMAGE], p.image_unit, [&u](unsigned, unsigned unit) {
            if (unit < PIPE_MAX_IMAGE_UNITS)
                u.images.set(unit);
        });
        points(part.slot[PIPE_SLOT_UNIFORM_BLOCK], p.ubo_binding,
               u.buffers[PIPE_BUFFER_CLASS_UNIFORM]);
        points(part.slot[PIPE_SLOT_STORAGE_BLOCK], p.ssbo_binding,
               u.buffers[PIPE_BUFFER_CLASS_STORAGE]);
        points(part.slot[PIPE_SLOT_ATOMIC_BUFFER], p.atomic_binding,
               u.buffers[PIPE_BUFFER_CLASS_ATOMIC]);
    }
    b.used = u;
}

} // namespace

bool compose_pipeline(Tracker &t, gl::ProgramPipeline &pipeline, uint32_t stages,
                      BoundProgram &out) {
    std::vector<gl::PipelinePart> parts = parts_of(t, pipeline, stages);
    if (parts.empty())
        return false;
    PipelineData &d = data_of(pipeline);
    d.group = &t.group;
    Composite *c = nullptr;
    for (auto &m : d.memo)
        if (matches(*m, parts))
            c = m.get();
    if (!c)
        c = make(t, d, std::move(parts));
    if (pipe_handle_is_null(c->handle))
        return false;
    out.handle = c->handle;
    out.linked = c->pipeline.linked;
    out.program = nullptr;
    out.composite = c;
    out.bindings_version = ~0u;
    out.writes_memory = false;
    for (const pipe_archive_stage &s : out.linked->archive->stages)
        out.writes_memory |= s.writes_memory != 0;
    collect_used(t, out, *c);
    return true;
}

void send_composite_bindings(Tracker &t, Composite &c) {
    std::vector<uint32_t> versions;
    for (const gl::PipelinePart &p : c.pipeline.parts)
        versions.push_back(p.program->bindings_version);
    if (versions == c.binding_versions && t.suppress)
        return;
    c.binding_versions = std::move(versions);
    std::vector<pipe_slot_binding> list;
    for (const gl::PipelinePart &p : c.pipeline.parts)
        append_program_bindings(list, *p.program, &p.slot);
    emit_bindings(t, c.handle, list);
}

// The parts' own dirty ranges belong to their own handles, which a pipeline never draws with: the
// composite compares its image.
void send_composite_constants(Tracker &t, Composite &c) {
    std::vector<uint8_t> now(c.pipeline.linked->archive->globals_size);
    for (const gl::PipelinePart &p : c.pipeline.parts)
        gl::update_state_uniforms(t.c, *p.program);
    for (const gl::PipelinePart &p : c.pipeline.parts)
        for (const auto &r : p.globals)
            if (uint64_t(r.from) + r.size <= p.program->globals.size() &&
                uint64_t(r.to) + r.size <= now.size())
                std::memcpy(now.data() + r.to, p.program->globals.data() + r.from, r.size);
    if (now.empty() || (c.globals == now && t.suppress))
        return;
    size_t begin = 0, end = now.size();
    if (c.globals.size() == now.size() && t.suppress) {
        while (c.globals[begin] == now[begin])
            begin++;
        while (c.globals[end - 1] == now[end - 1])
            end--;
        begin &= ~size_t(15);
        end = std::min((end + 15) & ~size_t(15), now.size());
    }
    emit_constants(t, c.handle, uint32_t(begin), uint32_t(end - begin), now.data() + begin);
    c.globals = std::move(now);
}

void pipeline_destroy(gl::ProgramPipeline &p) {
    auto *d = static_cast<PipelineData *>(p.tracker);
    if (d && d->group)
        for (auto &c : d->memo)
            release(*d->group, *c);
    delete d;
    p.tracker = nullptr;
}

} // namespace st
