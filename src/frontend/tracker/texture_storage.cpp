// SPDX-License-Identifier: MIT
// The chain behind a texture. Drivers see immutable textures only: for mutable ones the tracker
// guesses the chain from the first level, keeps levels that do not fit in resources of their own,
// and moves them in when a chain can hold them.
#include "tracker/texture_storage.h"

#include "objects/errors.h"
#include "util/log.h"

#include <algorithm>

namespace st {

unsigned image_dims(const gl::Texture &tex) {
    switch (tex.index) {
    case gl::TEX_1D: return 1;
    case gl::TEX_3D:
    case gl::TEX_2D_ARRAY:
    case gl::TEX_CUBE_ARRAY: return 3;
    default: return 2;
    }
}

TextureData &data_of(gl::Texture &t) {
    if (!t.tracker)
        t.tracker = new TextureData;
    return *static_cast<TextureData *>(t.tracker);
}

RenderbufferData &data_of(gl::Renderbuffer &r) {
    if (!r.tracker)
        r.tracker = new RenderbufferData;
    return *static_cast<RenderbufferData *>(r.tracker);
}

uint8_t pipe_target(gl::TexIndex i) {
    static constexpr uint8_t table[gl::TEX_COUNT] = {
        PIPE_TEXTURE_1D,       PIPE_TEXTURE_2D,          PIPE_TEXTURE_3D,
        PIPE_TEXTURE_1D_ARRAY, PIPE_TEXTURE_2D_ARRAY,    PIPE_TEXTURE_RECT,
        PIPE_TEXTURE_CUBE,     PIPE_TEXTURE_CUBE_ARRAY,  PIPE_TEXTURE_BUFFER,
        PIPE_TEXTURE_2D_MS,    PIPE_TEXTURE_2D_MS_ARRAY,
    };
    return table[i];
}

// --- formats -------------------------------------------------------------------------------------

uint32_t choose_format(Group &g, const gl::FormatInfo &f, pipe_texture_target target,
                       unsigned samples) {
    const pipe_caps &caps = g.screen->caps;
    const uint32_t zs = PIPE_FORMAT_CAP_DEPTH_STENCIL, sample = PIPE_FORMAT_CAP_SAMPLE,
                   render = PIPE_FORMAT_CAP_RENDER;
    uint32_t best = PIPE_FORMAT_NONE;
    int best_score = -1;
    if (target ==
        PIPE_TEXTURE_BUFFER) { // the bytes are the program's own: one format has their layout
        const uint32_t p = gl::buffer_element_format(f);
        return caps.format[p].caps & PIPE_FORMAT_CAP_TEXTURE_BUFFER ? p
                                                                    : uint32_t(PIPE_FORMAT_NONE);
    }
    for (uint16_t p : f.pipe) {
        if (p == PIPE_FORMAT_NONE)
            break;
        const pipe_format_caps &c = caps.format[p];
        if (!(c.caps & (sample | render | zs)))
            continue;
        if (samples > 1 && !(c.sample_counts >> samples & 1) &&
            !(c.caps & PIPE_FORMAT_CAP_MULTISAMPLE))
            continue;
        if (f.compressed && c.caps & sample) // blocks stay blocks: programs ask for them again
            return p;
        // The first that can also be drawn to, where GL draws to the format, wins; preference
        // decides among equals.
        const bool target = f.flags & gl::FormatInfo::color_renderable;
        const bool draws = !f.color() ? (c.caps & zs) != 0 : target && (c.caps & render) != 0;
        const int score = (c.caps & sample ? 1 : 0) + (draws ? 2 : 0);
        if (score > best_score) {
            best = p;
            best_score = score;
        }
    }
    return best;
}

// --- resources -----------------------------------------------------------------------------------

static uint32_t minify(uint32_t v, unsigned level) {
    return std::max(v >> level, 1u);
}

unsigned max_levels(const pipe_resource_desc &d) {
    if (d.target == PIPE_TEXTURE_RECT || d.target == PIPE_TEXTURE_BUFFER ||
        d.target == PIPE_TEXTURE_2D_MS || d.target == PIPE_TEXTURE_2D_MS_ARRAY ||
        d.target == PIPE_RENDERBUFFER)
        return 1;
    uint32_t top = std::max({d.width, d.height, d.depth});
    unsigned n = 1;
    while (top >>= 1)
        n++;
    return std::min<unsigned>(n, gl::kMaxTextureLevels);
}

static bool within_limits(const pipe_caps &c, const pipe_resource_desc &d) {
    const uint32_t edge = std::max(d.width, d.height);
    switch (d.target) {
    case PIPE_TEXTURE_3D: return std::max(edge, d.depth) <= c.max_texture_3d_size;
    case PIPE_TEXTURE_CUBE:
    case PIPE_TEXTURE_CUBE_ARRAY: return edge <= c.max_texture_cube_size;
    case PIPE_RENDERBUFFER: return edge <= c.max_renderbuffer_size;
    default: return edge <= c.max_texture_2d_size;
    }
}

bool create_resource(Tracker &t, pipe_resource_desc &desc, bool want_ack) {
    desc.resource = to_pipe(t.group.resources.mint());
    if (pipe_handle_is_null(desc.resource)) {
        gl::error(t.c, GL_OUT_OF_MEMORY, "no handle is left for a resource");
        return false;
    }
    pipe_resource_create p{};
    p.desc = desc;
    p.want_ack = want_ack;
    t.lane.emit<&pipe_screen::resource_create>(&p);
    return true;
}

// Extent of a GL image in the pipe's terms: layers apart from depth.
static void image_extent(const gl::Texture &tex, const gl::TexImage &im, pipe_resource_desc &d) {
    d.width = uint32_t(im.width);
    d.height = uint32_t(im.height);
    d.depth = 1;
    d.layers = 1;
    switch (tex.index) {
    case gl::TEX_1D: d.height = 1; break;
    case gl::TEX_1D_ARRAY:
        d.layers = uint32_t(im.height);
        d.height = 1;
        break;
    case gl::TEX_2D_ARRAY:
    case gl::TEX_CUBE_ARRAY:
    case gl::TEX_2D_MS_ARRAY: d.layers = uint32_t(im.depth); break;
    case gl::TEX_3D: d.depth = uint32_t(im.depth); break;
    case gl::TEX_CUBE: d.layers = 6; break;
    default: break;
    }
}

static pipe_resource_desc describe(Tracker &t, const gl::Texture &tex, const gl::TexImage &im) {
    pipe_resource_desc d{};
    d.target = pipe_target(tex.index);
    d.samples = uint8_t(std::max(im.samples, 1));
    d.format =
        uint16_t(choose_format(t.group, *im.format, pipe_texture_target(d.target), d.samples));
    image_extent(tex, im, d);
    d.levels = 1;
    d.gl_name = tex.name;
    d.bind = PIPE_BIND_SAMPLER_VIEW |
             (im.format->color() ? PIPE_BIND_RENDER_TARGET : PIPE_BIND_DEPTH_STENCIL);
    if (im.format->compressed || !(t.group.screen->caps.format[d.format].caps &
                                   (PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_DEPTH_STENCIL)))
        d.bind = PIPE_BIND_SAMPLER_VIEW;
    if (t.group.screen->caps.format[d.format].caps & PIPE_FORMAT_CAP_IMAGE_STORE)
        d.bind |= PIPE_BIND_SHADER_IMAGE;
    if (tex.immutable)
        d.storage = PIPE_STORAGE_IMMUTABLE | PIPE_STORAGE_MUTABLE_FORMAT;
    if (im.fixed_locations)
        d.storage |= PIPE_STORAGE_FIXED_SAMPLE_LOCATIONS;
    return d;
}

static void drop_main(Tracker &t, gl::Texture &tex, TextureData &d) {
    forget_views(t.group, tex, d);
    kill_handle(t.group, PIPE_HANDLE_RESOURCE, tex.handle);
    tex.handle = {};
    d.in_main.fill(0);
    d.params_sent = false;
}

static void drop_strays(Tracker &t, TextureData &d) {
    for (const StrayLevel &s : d.strays)
        kill_handle(t.group, PIPE_HANDLE_RESOURCE, s.handle);
    d.strays.clear();
}

static unsigned faces_of(const gl::Texture &tex) {
    return tex.index == gl::TEX_CUBE ? 6 : 1;
}

bool texture_storage(gl::Context &c, gl::Texture &tex) {
    Tracker &t = of(c);
    TextureData &d = data_of(tex);
    const gl::TexImage &im = tex.image[0][0];
    drop_main(t, tex, d);
    drop_strays(t, d);
    pipe_resource_desc desc = describe(t, tex, im);
    desc.levels = uint8_t(tex.immutable ? tex.immutable_levels : 1);
    if (desc.format == PIPE_FORMAT_NONE || !within_limits(t.group.screen->caps, desc)) {
        gl::error(c, GL_OUT_OF_MEMORY, "no storage for %d x %d x %d, %s, %d samples", im.width,
                  im.height, im.depth, gl::enum_name(im.format->internal), im.samples);
        return false;
    }
    if (!create_resource(t, desc, false))
        return false;
    note_write(t, d.write);
    d.desc = desc;
    d.first_level = 0;
    for (unsigned f = 0; f < faces_of(tex); f++)
        d.in_main[f] = (1u << desc.levels) - 1;
    tex.handle = desc.resource;
    return true;
}

// --- mutable chains ------------------------------------------------------------------------------

// Could the main resource hold this image at this level?
static bool image_fits(Tracker &t, const gl::Texture &tex, const gl::TexImage &im,
                       const pipe_resource_desc &main, unsigned first, unsigned level) {
    if (!im.defined() || level < first || level - first >= main.levels)
        return false;
    const pipe_resource_desc w = describe(t, tex, im);
    const unsigned r = level - first;
    return w.format == main.format && w.samples == main.samples && w.layers == main.layers &&
           w.width == minify(main.width, r) && w.height == minify(main.height, r) &&
           w.depth == minify(main.depth, r);
}

static void copy_level(Tracker &t, pipe_handle dst, unsigned dst_level, unsigned dst_z,
                       pipe_handle src, unsigned src_level, unsigned src_z,
                       const pipe_resource_desc &size, unsigned size_level, unsigned layers) {
    pipe_resource_copy_region p{};
    p.dst = dst;
    p.src = src;
    p.dst_level = dst_level;
    p.src_level = src_level;
    p.src_box =
        pipe_box{0,
                 0,
                 int32_t(src_z),
                 int32_t(minify(size.width, size_level)),
                 int32_t(minify(size.height, size_level)),
                 int32_t(size.target == PIPE_TEXTURE_3D ? minify(size.depth, size_level) : layers)};
    p.dst_z = int32_t(dst_z);
    t.lane.emit<&pipe_context::resource_copy_region>(&p);
}

static StrayLevel *find_stray(TextureData &d, unsigned face, unsigned level) {
    for (StrayLevel &s : d.strays)
        if (s.face == face && s.level == level)
            return &s;
    return nullptr;
}

static void drop_stray(Tracker &t, TextureData &d, unsigned face, unsigned level) {
    if (StrayLevel *s = find_stray(d, face, level)) {
        kill_handle(t.group, PIPE_HANDLE_RESOURCE, s->handle);
        d.strays.erase(d.strays.begin() + (s - d.strays.data()));
    }
}

// A level in a resource of its own. A cube face becomes a 2D texture.
static StrayLevel *make_stray(Tracker &t, const gl::Texture &tex, TextureData &d, unsigned face,
                              unsigned level, const gl::TexImage &im) {
    StrayLevel s{uint8_t(face), uint8_t(level), {}, describe(t, tex, im)};
    if (tex.index == gl::TEX_CUBE) {
        s.desc.target = PIPE_TEXTURE_2D;
        s.desc.layers = 1;
    }
    if (s.desc.format == PIPE_FORMAT_NONE || !create_resource(t, s.desc, false))
        return nullptr;
    s.handle = s.desc.resource;
    d.strays.push_back(s);
    return &d.strays.back();
}

// Puts a level that the new main resource holds into it, from wherever its texels are; one that it
// does not hold goes astray.
static void move_level(Tracker &t, gl::Texture &tex, TextureData &d, unsigned face, unsigned level,
                       const pipe_resource_desc &old_main, unsigned old_first,
                       const std::array<uint32_t, 6> &old_in, const pipe_resource_desc &main,
                       unsigned first) {
    const gl::TexImage &im = tex.image[face][level];
    const bool in_old = old_in[face] >> level & 1;
    StrayLevel *stray = find_stray(d, face, level);
    const bool holds = image_fits(t, tex, im, main, first, level);
    const unsigned layers = tex.index == gl::TEX_CUBE ? 1 : main.layers;
    if (holds) {
        if (stray) {
            copy_level(t, main.resource, level - first, face, stray->handle, 0, 0, stray->desc, 0,
                       layers);
            drop_stray(t, d, face, level);
        } else if (in_old) {
            copy_level(t, main.resource, level - first, face, old_main.resource, level - old_first,
                       face, old_main, level - old_first, layers);
        } else {
            return;
        }
        d.in_main[face] |= 1u << level;
        return;
    }
    if (in_old && im.defined() && !stray)
        if (StrayLevel *s = make_stray(t, tex, d, face, level, im))
            copy_level(t, s->handle, 0, 0, old_main.resource, level - old_first, face, old_main,
                       level - old_first, tex.index == gl::TEX_CUBE ? 1 : old_main.layers);
}

// Replaces the main resource by one that has `desc` as its first level and moves what stays.
// `fresh` names the image whose old texels do not matter (~0: none).
static bool replace_main(Tracker &t, gl::Texture &tex, TextureData &d, pipe_resource_desc desc,
                         unsigned first, unsigned fresh_face, unsigned fresh_level) {
    if (!create_resource(t, desc, false))
        return false;
    const pipe_resource_desc old = d.desc;
    const unsigned old_first = d.first_level;
    std::array<uint32_t, 6> old_in = d.in_main;
    const bool had = !pipe_handle_is_null(tex.handle);
    if (!had)
        old_in.fill(0);
    d.in_main.fill(0);
    for (unsigned f = 0; f < faces_of(tex); f++)
        for (unsigned l = 0; l < gl::kMaxTextureLevels; l++)
            if (f != fresh_face || l != fresh_level)
                move_level(t, tex, d, f, l, old, old_first, old_in, desc, first);
    if (had) {
        forget_views(t.group, tex, d);
        kill_handle(t.group, PIPE_HANDLE_RESOURCE, tex.handle);
    }
    tex.handle = desc.resource;
    d.desc = desc;
    d.first_level = first;
    d.params_sent = false;
    tex.version++;
    note_write(t, d.write);
    return true;
}

// The chain that an image at `level` suggests: level 0 by doubling, all levels when the sampler
// asks for them or another level than the base one is defined (GL's default filter does).
static pipe_resource_desc guess_chain(Tracker &t, const gl::Texture &tex, unsigned level,
                                      const gl::TexImage &im, unsigned &first) {
    pipe_resource_desc d = describe(t, tex, im);
    first = 0;
    pipe_resource_desc up = d;
    for (unsigned i = 0; i < level; i++) {
        up.width = d.width > 1 || d.height == 1 ? up.width * 2 : up.width;
        if (tex.index != gl::TEX_1D && tex.index != gl::TEX_1D_ARRAY)
            up.height = d.height > 1 || d.width == 1 ? up.height * 2 : up.height;
        if (tex.index == gl::TEX_3D)
            up.depth = d.depth > 1 ? up.depth * 2 : up.depth;
    }
    if (within_limits(t.group.screen->caps, up) && max_levels(up) > level)
        d = up;
    else
        first = level;
    const GLenum filter = tex.sampler.min_filter;
    const bool mipmapped = filter != GL_NEAREST && filter != GL_LINEAR;
    const bool one = level == unsigned(std::max(tex.base_level, 0)) &&
                     (!mipmapped || tex.max_level == tex.base_level);
    d.levels = uint8_t(one ? level - first + 1 : max_levels(d));
    return d;
}

void texture_level_defined(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level) {
    Tracker &t = of(c);
    TextureData &d = data_of(tex);
    const gl::TexImage &im = tex.image[face][level];
    drop_stray(t, d, face, level);
    d.in_main[face] &= ~(1u << level);
    if (!im.defined() || im.width == 0 || im.height == 0 || im.depth == 0)
        return;
    const bool main = !pipe_handle_is_null(tex.handle);
    if (main && image_fits(t, tex, im, d.desc, d.first_level, level)) {
        d.in_main[face] |= 1u << level;
        return;
    }
    unsigned first = 0;
    pipe_resource_desc want = guess_chain(t, tex, level, im, first);
    if (want.format == PIPE_FORMAT_NONE) {
        gl::error(c, GL_OUT_OF_MEMORY, "the driver has no format for %s",
                  gl::enum_name(im.format->internal));
        return;
    }
    // A level above the end of a chain that suits it: the same chain with all its levels.
    if (main && want.format == d.desc.format && level > d.first_level) {
        pipe_resource_desc longer = d.desc;
        longer.levels = uint8_t(max_levels(longer));
        if (image_fits(t, tex, im, longer, d.first_level, level)) {
            want = longer;
            first = d.first_level;
        }
    }
    const bool is_base = level == unsigned(std::max(tex.base_level, 0));
    bool others = false;
    for (unsigned f = 0; f < faces_of(tex); f++)
        others |= d.in_main[f] != 0;
    const bool longer = main && want.width == d.desc.width && want.height == d.desc.height &&
                        want.depth == d.desc.depth && want.layers == d.desc.layers &&
                        first == d.first_level && want.format == d.desc.format;
    if (!main || is_base || !others || longer) {
        if (replace_main(t, tex, d, want, first, face, level))
            d.in_main[face] |= 1u << level;
        return;
    }
    make_stray(t, tex, d, face, level, im);
}

bool texture_finalize(Tracker &t, gl::Texture &tex) {
    TextureData &d = data_of(tex);
    if (tex.immutable || d.strays.empty())
        return !pipe_handle_is_null(tex.handle);
    // Fits all levels from the base one on that belong to its chain; the others may stay astray.
    const unsigned base = unsigned(std::clamp(tex.base_level, 0, int(gl::kMaxTextureLevels) - 1));
    const gl::TexImage &im = tex.image[0][base];
    if (!im.defined())
        return !pipe_handle_is_null(tex.handle);
    bool all = true;
    const unsigned last = gl::texture_last_level(tex);
    for (unsigned f = 0; f < faces_of(tex); f++)
        for (unsigned l = base; l <= last && l < gl::kMaxTextureLevels; l++)
            if (tex.image[f][l].defined() && !(d.in_main[f] >> l & 1))
                all = false;
    if (all)
        return true;
    unsigned first = 0;
    pipe_resource_desc want = guess_chain(t, tex, base, im, first);
    want.levels = uint8_t(max_levels(want));
    const bool same = !pipe_handle_is_null(tex.handle) && want.width == d.desc.width &&
                      want.height == d.desc.height && want.depth == d.desc.depth &&
                      want.layers == d.desc.layers && want.format == d.desc.format &&
                      want.levels == d.desc.levels && first == d.first_level;
    if (same)
        return true; // what is astray does not belong to this chain: the texture is incomplete
                     // there
    if (!replace_main(t, tex, d, want, first, ~0u, ~0u))
        return false;
    gl::framebuffers_texture_changed(t.c, tex);
    return true;
}

// --- where a level lies --------------------------------------------------------------------------

Location locate(Tracker &t, gl::Texture &tex, unsigned face, unsigned level) {
    TextureData &d = data_of(tex);
    Location at;
    at.write = &d.write;
    if (level >= gl::kMaxTextureLevels)
        return at;
    if (tex.origin || tex.immutable || (d.in_main[face] >> level & 1)) {
        at.resource = tex.handle;
        at.desc = &d.desc;
        at.level = level - d.first_level;
        at.layer = tex.index == gl::TEX_CUBE ? face : 0;
        return at;
    }
    if (StrayLevel *s = find_stray(d, face, level)) {
        at.resource = s->handle;
        at.desc = &s->desc;
        return at;
    }
    return at;
}

Location locate_storage(Tracker &t, gl::Texture &tex, unsigned face, unsigned level) {
    if (!tex.origin)
        return locate(t, tex, face, level);
    gl::Texture &owner = *tex.origin;
    TextureData &d = data_of(owner);
    Location at;
    at.resource = owner.handle;
    at.desc = &d.desc;
    at.level = level + unsigned(tex.min_level);
    at.layer = unsigned(tex.min_layer) + (tex.index == gl::TEX_CUBE ? face : 0);
    at.write = &d.write;
    return at;
}

// --- views, buffer textures, renderbuffers -------------------------------------------------------

bool texture_view(gl::Context &c, gl::Texture &tex) {
    Tracker &t = of(c);
    gl::Texture &owner = *tex.origin;
    TextureData &od = data_of(owner), &d = data_of(tex);
    const gl::TexImage &im = tex.image[0][0];
    wait_for(t, od.write);
    pipe_resource_desc desc = describe(t, tex, im);
    desc.levels = uint8_t(tex.num_levels);
    desc.flags = PIPE_RESOURCE_VIEW;
    desc.view_of = owner.handle;
    desc.view_min_level = uint16_t(tex.min_level);
    desc.view_num_levels = uint16_t(tex.num_levels);
    desc.view_min_layer = uint16_t(tex.min_layer);
    desc.view_num_layers = uint16_t(tex.num_layers);
    // Same bits under another name: the owner's own format when the view's internal format is the
    // owner's.
    if (owner.image[0][0].format == im.format)
        desc.format = od.desc.format;
    if (!create_resource(t, desc, false))
        return false;
    note_write(t, d.write);
    d.desc = desc;
    d.first_level = 0;
    tex.handle = desc.resource;
    return true;
}

void texture_drop(gl::Context &c, gl::Texture &tex) {
    TextureData &d = data_of(tex);
    drop_main(of(c), tex, d);
    drop_strays(of(c), d);
}

void texture_buffer_changed(gl::Context &c, gl::Texture &tex) {
    Tracker &t = of(c);
    TextureData &d = data_of(tex);
    drop_main(t, tex, d);
    resolve_buffer_texture(t, tex);
}

// A buffer texture gets its resource when its buffer has a store.
void resolve_buffer_texture(Tracker &t, gl::Texture &tex) {
    TextureData &d = data_of(tex);
    const pipe_handle store = tex.buffer ? buffer_handle(t, tex.buffer.get()) : pipe_null_handle();
    if (!pipe_handle_is_null(tex.handle) && d.desc.buffer == store)
        return;
    drop_main(t, tex, d);
    if (pipe_handle_is_null(store) || !tex.buffer_format)
        return;
    pipe_resource_desc desc{};
    desc.target = PIPE_TEXTURE_BUFFER;
    desc.format = uint16_t(choose_format(t.group, *tex.buffer_format, PIPE_TEXTURE_BUFFER, 1));
    desc.samples = 1;
    desc.levels = 1;
    desc.depth = desc.height = desc.layers = 1;
    const uint64_t size =
        tex.buffer_size < 0 ? uint64_t(tex.buffer->size) : uint64_t(tex.buffer_size);
    desc.width = uint32_t(size / std::max<unsigned>(tex.buffer_format->block_bytes, 1));
    desc.bind = PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_SHADER_IMAGE;
    desc.gl_name = tex.name;
    desc.buffer = store;
    desc.buffer_offset = uint64_t(tex.buffer_offset);
    desc.buffer_size = tex.buffer_size < 0 ? PIPE_WHOLE_SIZE : uint64_t(tex.buffer_size);
    if (desc.format == PIPE_FORMAT_NONE) {
        log_warning_once("tracker", "the driver has no buffer textures of %s: they read zeros",
                         gl::enum_name(tex.buffer_format->internal));
        return;
    }
    if (!create_resource(t, desc, false))
        return;
    d.desc = desc;
    tex.handle = desc.resource;
    tex.version++;
    note_write(t, d.write);
}

void texture_params_changed(gl::Context &, gl::Texture &) {} // versions tell

void texture_destroy(gl::Texture &tex) {
    auto *d = static_cast<TextureData *>(tex.tracker);
    if (!d)
        return;
    if (tex.group && tex.group->tracker) {
        Group &g = *tex.group->tracker;
        forget_views(g, tex, *d);
        release_own_sampler(g, *d);
        for (const StrayLevel &s : d->strays)
            kill_handle(g, PIPE_HANDLE_RESOURCE, s.handle);
        kill_handle(g, PIPE_HANDLE_RESOURCE, tex.handle);
    }
    delete d;
    tex.tracker = nullptr;
}

bool renderbuffer_storage(gl::Context &c, gl::Renderbuffer &r) {
    Tracker &t = of(c);
    RenderbufferData &d = data_of(r);
    kill_handle(t.group, PIPE_HANDLE_RESOURCE, r.handle);
    r.handle = {};
    pipe_resource_desc desc{};
    desc.target = PIPE_RENDERBUFFER;
    desc.samples = uint8_t(std::max(r.samples, 1));
    desc.format = uint16_t(choose_format(t.group, *r.format, PIPE_RENDERBUFFER, desc.samples));
    desc.width = uint32_t(r.width);
    desc.height = uint32_t(r.height);
    desc.depth = desc.layers = desc.levels = 1;
    desc.gl_name = r.name;
    desc.bind = r.format->color() ? PIPE_BIND_RENDER_TARGET : PIPE_BIND_DEPTH_STENCIL;
    r.version++;
    if (r.width == 0 || r.height == 0)
        return true;
    if (desc.format == PIPE_FORMAT_NONE || !within_limits(t.group.screen->caps, desc)) {
        gl::error(c, GL_OUT_OF_MEMORY, "no storage for a renderbuffer of %d x %d, %s", r.width,
                  r.height, gl::enum_name(r.format->internal));
        return false;
    }
    const bool large = uint64_t(desc.width) * desc.height * desc.samples * 4 > (1u << 20);
    if (!create_resource(t, desc, large))
        return false;
    d.desc = desc;
    r.handle = desc.resource;
    note_write(t, d.write);
    return true;
}

void renderbuffer_destroy(gl::Renderbuffer &r) {
    if (r.group && r.group->tracker)
        kill_handle(*r.group->tracker, PIPE_HANDLE_RESOURCE, r.handle);
    delete static_cast<RenderbufferData *>(r.tracker);
    r.tracker = nullptr;
}

bool format_supported(gl::Context &c, const gl::FormatInfo &f, GLenum target, unsigned samples) {
    const pipe_texture_target t = target == GL_RENDERBUFFER     ? PIPE_RENDERBUFFER
                                  : target == GL_TEXTURE_BUFFER ? PIPE_TEXTURE_BUFFER
                                                                : PIPE_TEXTURE_2D;
    if (samples > 1)
        return (format_sample_mask(c, f, target) >> samples & 1) != 0;
    const uint32_t p = choose_format(*c.group->tracker, f, t, samples);
    if (p == PIPE_FORMAT_NONE)
        return false;
    return target != GL_RENDERBUFFER || format_renderable(c, f);
}

uint32_t format_sample_mask(gl::Context &c, const gl::FormatInfo &f, GLenum) {
    const pipe_caps &caps = c.screen->caps;
    for (uint16_t p : f.pipe)
        if (p != PIPE_FORMAT_NONE &&
            (caps.format[p].caps &
             (f.color() ? PIPE_FORMAT_CAP_RENDER : PIPE_FORMAT_CAP_DEPTH_STENCIL)))
            return caps.format[p].sample_counts & ~3u;
    return 0;
}

bool format_renderable(gl::Context &c, const gl::FormatInfo &f) {
    const pipe_caps &caps = c.screen->caps;
    for (uint16_t p : f.pipe)
        if (p != PIPE_FORMAT_NONE &&
            (caps.format[p].caps &
             (f.color() ? PIPE_FORMAT_CAP_RENDER : PIPE_FORMAT_CAP_DEPTH_STENCIL)))
            return true;
    return false;
}

} // namespace st
