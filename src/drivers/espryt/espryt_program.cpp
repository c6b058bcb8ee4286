// SPDX-License-Identifier: MIT
// Program objects: archives in, host programs out, default block bytes, slot bindings.
#include "espryt_program.h"

#include <algorithm>
#include <cstring>

#include "drivers_common/delay_flat.h"
#include "drivers_common/pass_control.h"
#include "espryt_outline.h"
#include "espryt_scatter.h"
#include "util/log.h"
#include "util/stats.h"

namespace espryt {

namespace {

GLenum stage_enum(uint8_t s) {
    static const GLenum map[] = {GL_VERTEX_SHADER,          GL_TESS_CONTROL_SHADER,
                                 GL_TESS_EVALUATION_SHADER, GL_GEOMETRY_SHADER,
                                 GL_FRAGMENT_SHADER,        GL_COMPUTE_SHADER};
    return map[s < 6 ? s : 0];
}

// 0 when the host refuses it; `why` says what it said.
GLuint compile(context *ctx, uint8_t stage, const std::string &source, std::string *why) {
    const gles *gl = ctx->gl;
    GLuint n = gl->CreateShader(stage_enum(stage));
    if (!n)
        return 0;
    const char *text = source.c_str();
    gl->ShaderSource(n, 1, &text, nullptr);
    gl->CompileShader(n);
    GLint ok = 0;
    gl->GetShaderiv(n, GL_COMPILE_STATUS, &ok);
    if (ok)
        return n;
    char log[2048] = "";
    gl->GetShaderInfoLog(n, sizeof(log), nullptr, log);
    static const char *const names[] = {
        "vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment",
        "compute"};
    *why = std::string("its ") + names[stage < 6 ? stage : 0] + " shader was refused: " + log;
    log_info("espryt", "its source:");
    for (size_t at = 0; at < source.size();) {
        size_t end = source.find('\n', at);
        log_info("espryt", "| %s", source.substr(at, end - at).c_str());
        at = end == std::string::npos ? source.size() : end + 1;
    }
    gl->DeleteShader(n);
    return 0;
}

// What built-ins are called by the host.
struct builtin_names {
    const char *position, *clip;
};

// Name of a captured varying as the host knows it; empty when it has none.
std::string capture_name(const pipe_archive_xfb &x, const essl_stage &last,
                         const builtin_names &names) {
    if (x.builtin >= 0) {
        switch (x.builtin) {
        case 0: return names.position;
        case 1: return "gl_PointSize";
        case 3:
            return x.builtin_element >= 0
                       ? names.clip + ("[" + std::to_string(x.builtin_element) + "]")
                       : names.clip;
        default: return {};
        }
    }
    const essl_stage::output *found = nullptr; // the last that begins before x at its location
    for (const essl_stage::output &o : last.outputs)
        if (x.location >= o.location && x.location < o.location + o.locations &&
            x.component >= o.component && (!found || o.component > found->component))
            found = &o;
    if (!found)
        return {};
    const essl_stage::output &o = *found;
    const int element = x.location - o.location;
    const bool whole = element == 0 && (!o.array_size || x.array_size > 1 || o.array_size == 1);
    return whole || !o.array_size
               ? o.name
               : o.name + "[" + std::to_string(element * o.array_size / o.locations) + "]";
}

// Declares the capture before the link. OpenGL ES captures all varyings of one buffer without gaps,
// or one per buffer.
bool declare_capture(context *ctx, program *p, GLuint host, const essl_stage &last,
                     const builtin_names &builtins) {
    const pipe_shader_archive &a = p->archive;
    if (a.xfb.empty())
        return true;
    std::vector<std::string> names;
    uint32_t next[4] = {};
    bool one_each = true, contiguous = true;
    for (size_t i = 0; i < a.xfb.size(); i++) {
        const pipe_archive_xfb &x = a.xfb[i];
        if (x.stream || x.buffer > 3 || x.is_double)
            return false;
        contiguous = contiguous && x.offset == next[x.buffer];
        one_each = one_each && x.buffer == i;
        next[x.buffer] = x.offset + x.components * 4;
        names.push_back(capture_name(x, last, builtins));
        if (names.back().empty())
            return false;
    }
    bool one_buffer = std::all_of(a.xfb.begin(), a.xfb.end(),
                                  [](const pipe_archive_xfb &x) { return x.buffer == 0; });
    for (unsigned b = 0; b < 4; b++)
        contiguous = contiguous && (!next[b] || !a.xfb_stride[b] || a.xfb_stride[b] == next[b]);
    const bool lacks = !contiguous || (!one_each && !one_buffer);
    const bool scatters =
        (lacks || ctx->forced(emulation::capture_scatter)) && plan_scatter(ctx, p, &p->scatter);
    if (lacks && !scatters) {
        log_warning("espryt", "a capture with gaps or several varyings in several buffers: the "
                              "host has no such layout");
        return false;
    }
    std::vector<const char *> list;
    for (const std::string &n : names)
        list.push_back(n.c_str());
    GLenum mode = scatters || (one_buffer && !(a.xfb_separate && one_each)) ? GL_INTERLEAVED_ATTRIBS
                                                                            : GL_SEPARATE_ATTRIBS;
    ctx->gl->TransformFeedbackVaryings(host, static_cast<GLsizei>(list.size()), list.data(), mode);
    return true;
}

bool vertex_like(uint8_t s) {
    return s == PIPE_SHADER_VERTEX || s == PIPE_SHADER_TESS_EVAL || s == PIPE_SHADER_GEOMETRY;
}

void attach(context *ctx, GLuint host, GLuint shader) {
    if (!shader)
        return;
    ctx->gl->AttachShader(host, shader);
    ctx->gl->DeleteShader(shader);
}

outline_options outline_of_variant(context *ctx, const pipe_archive_stage &s, unsigned bits) {
    outline_options o;
    o.version = ctx->host->info.version;
    o.points = bits & variant_outline_points;
    o.state_size = o.points && bits & variant_point_size;
    o.program_size = o.points && !o.state_size && s.writes_point_size;
    o.clamp_depth = bits & variant_depth_clamp;
    return o;
}

// The fragment stage of programs that have none.
std::string empty_fragment(context *ctx, uint32_t clip, unsigned bits) {
    std::string text = "#version " + std::to_string(ctx->host->info.version) + " es\n", body;
    if (clip) {
        text += clip_declarations(clip, true) + "\n";
        body += clip_statement(clip);
    }
    if (bits & variant_count) {
        text += std::string(count_declarations) + "\n";
        body += count_statement;
    }
    if (bits & variant_depth_clamp) {
        lowered_text lowered;
        lower_depth_fragment(false, lowered);
        text += lowered.declarations;
        for (const std::vector<std::string> *lines : {&lowered.first, &lowered.last})
            for (const std::string &line : *lines)
                body += line + " ";
    }
    return text + "void main() { " + body + " }\n";
}

// The control stage of a program that has none.
bool attach_control(context *ctx, program *p, GLuint host, unsigned bits,
                    const essl_options &options, std::string *why) {
    emulated(emulation::pass_control);
    const pipe_archive_stage s = drivers_common::pass_control_stage(
        p->archive, bits >> variant_patch_shift, {0, 16, "mgp_patch"});
    const essl_stage t = essl_translate(*ctx->host, p->archive, s, options);
    GLuint shader = t.error.empty() ? compile(ctx, s.stage, t.source, why) : 0;
    if (!t.error.empty())
        *why = "no ESSL: " + t.error;
    attach(ctx, host, shader);
    return shader != 0;
}

// Empty: linked. Else why not.
std::string link(context *ctx, program *p, host_program *out, unsigned bits) {
    const gles *gl = ctx->gl;
    uint8_t last_vertex = PIPE_SHADER_VERTEX;
    for (const pipe_archive_stage &s : p->archive.stages) {
        if (!s.spirv.empty() && vertex_like(s.stage))
            last_vertex = std::max(last_vertex, s.stage);
    }
    GLuint host = gl->CreateProgram();
    if (!host)
        return "no program object";
    std::string why;
    bool ok = true, fragment = false;
    essl_stage last;
    essl_options options;
    options.discard_clipped =
        !ctx->has(feature::clip_cull_distance) || ctx->forced(emulation::clip_discard);
    options.outline = bits & (variant_outline_lines | variant_outline_points);
    options.discard_clipped = options.discard_clipped || options.outline;
    options.flatten_structs = ctx->forced(emulation::flatten_varyings) || options.outline;
    const uint32_t clip = options.discard_clipped ? clip_distances(p->archive) : 0;
    if (clip)
        emulated(emulation::clip_discard);
    for (const pipe_archive_stage &s : p->archive.stages) {
        if (s.spirv.empty())
            continue;
        essl_options o = options;
        o.override_point_size = bits & variant_point_size && s.stage == last_vertex &&
                                s.stage != PIPE_SHADER_GEOMETRY && !options.outline;
        o.lod_bias = bits & variant_lod_bias;
        o.texels = bits & variant_texels;
        o.decode_outputs = bits & variant_decode && s.stage == PIPE_SHADER_FRAGMENT;
        o.border = bits & variant_border;
        o.count_fragments = bits & variant_count && s.stage == PIPE_SHADER_FRAGMENT;
        o.clamp_depth = bits & variant_depth_clamp;
        o.alpha_to_one = bits & variant_alpha_one;
        o.alpha_to_coverage = bits & variant_alpha_cover;
        o.logic = bits & variant_logic_fetch  ? logic_source::fetch
                  : bits & variant_logic_copy ? logic_source::copy
                                              : logic_source::none;
        o.delay_flat = bits & variant_delay_flat && s.stage == PIPE_SHADER_GEOMETRY;
        essl_stage t = essl_translate(*ctx->host, p->archive, s, o);
        std::string outline;
        if (options.outline && s.stage == last_vertex && t.error.empty())
            outline = outline_geometry(t.source, outline_of_variant(ctx, s, bits));
        GLuint shader = t.error.empty() ? compile(ctx, s.stage, t.source, &why) : 0;
        if (!t.error.empty())
            why = "no ESSL: " + t.error;
        if (t.flattened)
            emulated(emulation::flatten_varyings);
        ok = ok && shader;
        attach(ctx, host, shader);
        if (ok && options.outline && s.stage == last_vertex) {
            shader = compile(ctx, PIPE_SHADER_GEOMETRY, outline, &why);
            ok = shader != 0;
            attach(ctx, host, shader);
        }
        fragment = fragment || s.stage == PIPE_SHADER_FRAGMENT;
        for (const color_output &c : t.colors)
            if (!c.index && c.location < 8)
                out->logic_locations.push_back(static_cast<uint8_t>(c.location));
        if (s.stage == last_vertex)
            last = std::move(t);
    }
    if (ok && p->lacks_control)
        ok = attach_control(ctx, p, host, bits, options, &why);
    if (ok && !fragment && !p->compute()) { // OpenGL ES links nothing without a fragment stage
        const std::string text = empty_fragment(ctx, clip, bits);
        GLuint shader = compile(ctx, PIPE_SHADER_FRAGMENT, text, &why);
        ok = shader != 0;
        attach(ctx, host, shader);
    }
    // Nothing is captured while outlines are drawn.
    if (!options.outline)
        p->has_xfb = ok && !p->archive.xfb.empty() &&
                     declare_capture(ctx, p, host, last,
                                     {bits & variant_depth_clamp ? "mgp_position" : "gl_Position",
                                      options.discard_clipped ? "mgp_clip" : "gl_ClipDistance"});
    GLint linked = 0;
    if (ok) {
        gl->LinkProgram(host);
        gl->GetProgramiv(host, GL_LINK_STATUS, &linked);
        if (!linked) {
            char log[1024] = "";
            gl->GetProgramInfoLog(host, sizeof(log), nullptr, log);
            why = std::string("it was not linked: ") + log;
        }
    }
    out->name = {host, next_serial()};
    out->base_vertex = gl->GetUniformLocation(host, "mgp_base_vertex");
    out->base_instance = gl->GetUniformLocation(host, "mgp_base_instance");
    out->draw_id = gl->GetUniformLocation(host, "mgp_draw_id");
    out->clip_enable = gl->GetUniformLocation(host, "mgp_clip_enable");
    out->point_size = gl->GetUniformLocation(host, "mgp_point_size");
    out->point_turn = gl->GetUniformLocation(host, "mgp_point_turn");
    out->fb_height = gl->GetUniformLocation(host, "mgp_fb_height");
    out->levels = gl->GetUniformLocation(host, "mgp_levels");
    if (out->levels >= 0)
        out->levels_value.assign(p->archive.num_sampler_slots, 0);
    out->srgb = gl->GetUniformLocation(host, "mgp_srgb");
    out->texels = gl->GetUniformLocation(host, "mgp_texels");
    if (out->texels >= 0)
        out->texels_value.assign(2u * p->archive.num_sampler_slots, -1);
    out->bias = gl->GetUniformLocation(host, "mgp_bias");
    out->outer_levels = gl->GetUniformLocation(host, "mgp_patch.outer");
    out->inner_levels = gl->GetUniformLocation(host, "mgp_patch.inner");
    out->depth_range = gl->GetUniformLocation(host, "mgp_depth_range");
    out->depth_offset = gl->GetUniformLocation(host, "mgp_depth_offset");
    out->outline = gl->GetUniformLocation(host, "mgp_outline");
    out->outline_offset = gl->GetUniformLocation(host, "mgp_outline_offset");
    out->outline_window = gl->GetUniformLocation(host, "mgp_outline_window");
    out->border = gl->GetUniformLocation(host, "mgp_border");
    if (out->border >= 0)
        out->border_value.assign(size_t(p->archive.num_sampler_slots) * 8, 0);
    out->logic = gl->GetUniformLocation(host, "mgp_logic");
    if (out->bias >= 0)
        out->bias_value.assign(p->archive.num_sampler_slots, 0);
    if (linked && !host_failed(ctx, "program"))
        return {};
    gl->DeleteProgram(host);
    out->name = {};
    return why.empty() ? "the host gave no reason" : why;
}

void delete_program(context *ctx, program *p) {
    for (const host_program *v = p->variants; v; v = v->next)
        if (v->name.name)
            ctx->sh.forget_program(v->name);
    if (ctx->bound_program == p)
        ctx->bound_program = nullptr;
    bury_program(ctx->scr, p);
}

// Where slots read before set_program_bindings says otherwise, and which slots there are.
void fill_slots(program *p) {
    const pipe_shader_archive &a = p->archive;
    p->unit_of.fill()[PIPE_SLOT_UNIFORM_BLOCK].resize(a.num_uniform_block_slots);
    p->unit_of.fill()[PIPE_SLOT_SAMPLER].resize(a.num_sampler_slots);
    p->unit_of.fill()[PIPE_SLOT_STORAGE_BLOCK].resize(a.num_storage_block_slots);
    p->unit_of.fill()[PIPE_SLOT_IMAGE].resize(a.num_image_slots);
    p->unit_of.fill()[PIPE_SLOT_ATOMIC_BUFFER].resize(a.num_atomic_buffer_slots);
    p->image_access.resize(a.num_image_slots);
    auto put = [&](uint8_t cls, uint32_t slot, int32_t unit) {
        if (cls < 6 && slot < p->unit_of.fill()[cls].size())
            p->unit_of.fill()[cls][slot] = static_cast<uint16_t>(std::max(0, unit));
    };
    for (const pipe_archive_opaque &o : a.opaques) {
        for (uint32_t i = 0; i < std::max(1u, o.array_size); i++) {
            uint32_t slot = o.slot + i;
            put(o.cls, slot, o.binding < 0 ? o.binding : o.binding + static_cast<int32_t>(i));
            if (o.cls == PIPE_SLOT_SAMPLER && slot < max_units - 1)
                p->samplers.push_back({static_cast<uint16_t>(slot), o.target});
            if (o.cls == PIPE_SLOT_IMAGE && slot < a.num_image_slots) {
                p->images.push_back(static_cast<uint16_t>(slot));
                p->image_access[slot] = o.access;
            }
        }
    }
    for (const pipe_archive_block &b : a.blocks) {
        put(b.cls, b.slot, b.binding);
        auto slot = static_cast<uint16_t>(b.slot);
        if (b.cls == PIPE_SLOT_UNIFORM_BLOCK)
            p->blocks.push_back(slot);
        else if (b.cls == PIPE_SLOT_STORAGE_BLOCK)
            p->stores.push_back(slot);
        else
            p->atomics.push_back(slot);
    }
}

void fill_globals(program *p) {
    p->globals.fill().assign((p->archive.globals_size + 15u) & ~15u, 0);
    for (const pipe_archive_member &m : p->archive.members) {
        if (m.block == 0xffffffffu && !m.initial.empty() &&
            m.offset + m.initial.size() <= p->globals.fill().size())
            memcpy(p->globals.fill().data() + m.offset, m.initial.data(), m.initial.size());
    }
}

void create_shader_state(pipe_context *pc, const pipe_create_shader_state *c,
                         const pipe_shader_archive *archive) {
    context *ctx = to_context(pc);
    auto p = new program;
    p->desc = *c;
    p->archive = *archive;
    p->id = p->globals_serial = ++ctx->scr->program_serial;
    for (const pipe_archive_stage &s : p->archive.stages) {
        if (!s.spirv.empty())
            p->stage_mask |= 1u << s.stage;
        p->uses_viewport_index = p->uses_viewport_index || s.writes_viewport_index;
    }
    p->lacks_control = drivers_common::lacks_control(p->archive);
    p->shows_provoking = drivers_common::shows_provoking_vertex(p->archive);
    fill_slots(p);
    fill_globals(p);
    std::lock_guard<std::mutex> guard(ctx->scr->lock);
    if (program *old = ctx->scr->programs.take_slot(c->shader))
        delete_program(ctx, old);
    if (!ctx->scr->programs.insert(c->shader, p))
        delete_program(ctx, p);
    ctx->dirty |= dirty_program;
}

void delete_shader_state(pipe_context *pc, const pipe_delete_shader_state *p) {
    context *ctx = to_context(pc);
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        if (program *old = ctx->scr->programs.take(p->shader))
            delete_program(ctx, old);
    }
    ctx->dirty |= dirty_program;
    verb_done(ctx, "delete_shader_state");
}

void bind_shader_state(pipe_context *pc, const pipe_bind_shader_state *p) {
    // A hint: the common variant is linked before the first draw asks for it.
    context *ctx = to_context(pc);
    program *twin = ctx->scr->programs.find(p->shader);
    if (twin && !gles_fault_armed() && !twin->lacks_control)
        program_variant(ctx, twin, 0);
    verb_done(ctx, "bind_shader_state");
}

void set_global_constants(pipe_context *pc, const pipe_set_global_constants *p,
                          const pipe_host_span *data) {
    context *ctx = to_context(pc);
    program *twin = ctx->scr->programs.find(p->shader);
    if (!twin || !data->ptr || data->size < p->size)
        return;
    uint64_t end = uint64_t(p->offset) + p->size;
    if (end > twin->globals.fill().size())
        twin->globals.fill().resize((end + 15u) & ~uint64_t(15));
    memcpy(twin->globals.fill().data() + p->offset, data->ptr, p->size);
    twin->globals_serial = ++ctx->scr->program_serial;
    ctx->dirty |= dirty_globals;
}

void set_program_bindings(pipe_context *pc, const pipe_set_program_bindings *p,
                          const pipe_slot_binding *bindings) {
    context *ctx = to_context(pc);
    program *twin = ctx->scr->programs.find(p->shader);
    if (!twin)
        return;
    for (uint32_t i = 0; i < p->count; i++) {
        const pipe_slot_binding &b = bindings[i];
        if (b.cls < 6 && b.slot < twin->unit_of.fill()[b.cls].size())
            twin->unit_of.fill()[b.cls][b.slot] = b.unit;
    }
    ctx->dirty |= dirty_textures | dirty_images | dirty_uniform | dirty_storage;
}

void set_draw_program(pipe_context *pc, const pipe_set_draw_program *p) {
    context *ctx = to_context(pc);
    ctx->draw_program = p->shader;
    ctx->dirty |= dirty_program;
}

void set_dispatch_program(pipe_context *pc, const pipe_set_dispatch_program *p) {
    context *ctx = to_context(pc);
    ctx->dispatch_program = p->shader;
}

} // namespace

void bury_program(screen *s, program *p) {
    for (const host_program *v = p->variants; v; v = v->next)
        if (v->name.name)
            bury(s, {grave::program, v->name.name, nullptr});
    delete p;
}

static util::Counter count_variants("espryt.variants", "host programs linked");

program *find_program(context *ctx, pipe_handle h) {
    return ctx->scr->programs.find(h);
}

namespace {

host_program *find_variant(const program *p, unsigned bits) {
    host_program *v = p->variants.load(std::memory_order_acquire);
    while (v && v->bits != bits)
        v = v->next.load(std::memory_order_acquire);
    return v;
}

// Another thread may be making the same one.
host_program *add_variant(context *ctx, program *p, unsigned bits) {
    std::lock_guard guard(p->variant_lock);
    if (host_program *made = find_variant(p, bits))
        return made;
    auto v = std::make_unique<host_program>();
    v->bits = bits;
    if (bits & variant_point_size)
        emulated(emulation::point_size);
    const std::string why = link(ctx, p, v.get(), bits);
    v->failed = !why.empty();
    v->has_uniforms = v->asks_for_uniforms();
    count_variants.add();
    if (v->failed) {
        host_failed(ctx, "program");
        report_error(ctx, GL_OUT_OF_MEMORY, "program %u cannot be used on this host: %.400s",
                     p->desc.gl_name, why.c_str());
    }
    std::atomic<host_program *> *at = &p->variants;
    while (host_program *before = *at)
        at = &before->next;
    at->store(v.get(), std::memory_order_release);
    return v.release();
}

} // namespace

host_program *program_variant(context *ctx, program *p, unsigned bits) {
    host_program *v = find_variant(p, bits);
    if (!v) [[unlikely]]
        v = add_variant(ctx, p, bits);
    return v->failed ? nullptr : v;
}

void init_program_functions(screen *s, context *c) {
    if (s) {
        s->create_shader_state = create_shader_state;
        s->delete_shader_state = delete_shader_state;
    }
    if (!c)
        return;
    c->bind_shader_state = bind_shader_state;
    c->set_global_constants = set_global_constants;
    c->set_program_bindings = set_program_bindings;
    c->set_draw_program = set_draw_program;
    c->set_dispatch_program = set_dispatch_program;
}

} // namespace espryt
