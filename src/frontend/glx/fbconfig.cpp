// SPDX-License-Identifier: MIT
// The list of FBConfigs, their attributes, and the selection rules as one table.
#include "fbconfig.h"

#include "egl/config_match.h"

#include <X11/Xutil.h>

#include <algorithm>
#include <iterator>

namespace glx {

namespace {

using egl::Rule;

constexpr int dont_care = int(GLX_DONT_CARE);

// GLX 1.4, table 3.4, with the attributes of the extensions.
constexpr egl::MatchRule attributes[] = {
    {GLX_FBCONFIG_ID, Rule::exact, dont_care},
    {GLX_BUFFER_SIZE, Rule::at_least, 0},
    {GLX_LEVEL, Rule::exact, 0},
    {GLX_DOUBLEBUFFER, Rule::exact, dont_care},
    {GLX_STEREO, Rule::exact, False},
    {GLX_AUX_BUFFERS, Rule::at_least, 0},
    {GLX_RED_SIZE, Rule::at_least, 0},
    {GLX_GREEN_SIZE, Rule::at_least, 0},
    {GLX_BLUE_SIZE, Rule::at_least, 0},
    {GLX_ALPHA_SIZE, Rule::at_least, 0},
    {GLX_DEPTH_SIZE, Rule::at_least, 0},
    {GLX_STENCIL_SIZE, Rule::at_least, 0},
    {GLX_ACCUM_RED_SIZE, Rule::at_least, 0},
    {GLX_ACCUM_GREEN_SIZE, Rule::at_least, 0},
    {GLX_ACCUM_BLUE_SIZE, Rule::at_least, 0},
    {GLX_ACCUM_ALPHA_SIZE, Rule::at_least, 0},
    {GLX_SAMPLE_BUFFERS, Rule::at_least, 0},
    {GLX_SAMPLES, Rule::at_least, 0},
    {GLX_RENDER_TYPE, Rule::mask, GLX_RGBA_BIT},
    {GLX_DRAWABLE_TYPE, Rule::mask, GLX_WINDOW_BIT},
    {GLX_X_RENDERABLE, Rule::exact, dont_care},
    {GLX_X_VISUAL_TYPE, Rule::exact, dont_care},
    {GLX_CONFIG_CAVEAT, Rule::exact, dont_care},
    {GLX_TRANSPARENT_TYPE, Rule::exact, GLX_NONE},
    {GLX_TRANSPARENT_INDEX_VALUE, Rule::ignored, dont_care},
    {GLX_TRANSPARENT_RED_VALUE, Rule::ignored, dont_care},
    {GLX_TRANSPARENT_GREEN_VALUE, Rule::ignored, dont_care},
    {GLX_TRANSPARENT_BLUE_VALUE, Rule::ignored, dont_care},
    {GLX_TRANSPARENT_ALPHA_VALUE, Rule::ignored, dont_care},
    {GLX_MAX_PBUFFER_WIDTH, Rule::ignored, dont_care},
    {GLX_MAX_PBUFFER_HEIGHT, Rule::ignored, dont_care},
    {GLX_MAX_PBUFFER_PIXELS, Rule::ignored, dont_care},
    {GLX_OPTIMAL_PBUFFER_WIDTH_SGIX, Rule::ignored, dont_care},
    {GLX_OPTIMAL_PBUFFER_HEIGHT_SGIX, Rule::ignored, dont_care},
    {GLX_VISUAL_ID, Rule::ignored, dont_care},
    {GLX_SCREEN, Rule::ignored, dont_care},
    {GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, Rule::exact, dont_care},
    {GLX_SWAP_METHOD_OML, Rule::exact, dont_care},
    {GLX_BIND_TO_TEXTURE_RGB_EXT, Rule::exact, dont_care},
    {GLX_BIND_TO_TEXTURE_RGBA_EXT, Rule::exact, dont_care},
    {GLX_BIND_TO_MIPMAP_TEXTURE_EXT, Rule::exact, dont_care},
    {GLX_BIND_TO_TEXTURE_TARGETS_EXT, Rule::mask, 0},
    {GLX_Y_INVERTED_EXT, Rule::exact, dont_care},
};
using Request = egl::Request<std::size(attributes)>;

constexpr size_t index_of(int name) {
    return egl::index_of(attributes, name);
}

bool matches(const FBConfig &config, const Request &request) {
    return egl::matches(attributes, request, dont_care,
                        [&config](int name, int *value) { fbconfig_attrib(config, name, value); });
}

int asked_bits(const FBConfig &config, const Request &request) {
    const egl::Config &c = *config.config;
    return egl::asked_color_bits(
        attributes, request, {GLX_RED_SIZE, GLX_GREEN_SIZE, GLX_BLUE_SIZE, GLX_ALPHA_SIZE},
        {c.red, c.green, c.blue, c.alpha}, [](int value) { return value > 0; });
}

int color_bits(const egl::Config &c) {
    return c.red + c.green + c.blue + c.alpha;
}

// The total order of GLX 1.4, section 3.3.3; rules on which all our configs are equal are left out.
// A size that was not asked for counts as "the smallest", one that was as "the largest".
bool sorts_before(const FBConfig &a, const FBConfig &b, const Request &request) {
    const egl::Config &x = *a.config, &y = *b.config;
    const int a_asked = asked_bits(a, request), b_asked = asked_bits(b, request);
    if (a_asked != b_asked)
        return a_asked > b_asked;
    if (color_bits(x) != color_bits(y))
        return color_bits(x) < color_bits(y);
    if (a.double_buffered != b.double_buffered)
        return !a.double_buffered;
    if (x.samples != y.samples)
        return x.samples < y.samples;
    if (x.depth != y.depth)
        return (x.depth < y.depth) == (request[index_of(GLX_DEPTH_SIZE)] <= 0);
    if (x.stencil != y.stencil)
        return x.stencil < y.stencil;
    if (a.srgb != b.srgb)
        return b.srgb;
    return a.id < b.id;
}

std::vector<const FBConfig *> select(const std::vector<FBConfig> &all, const Request &request,
                                     bool owners_only) {
    std::vector<const FBConfig *> found;
    const int id = request[index_of(GLX_FBCONFIG_ID)];
    for (const FBConfig &config : all) {
        if (owners_only && !config.owner)
            continue;
        // An id makes every other attribute void.
        if (id != dont_care ? config.id == id : matches(config, request))
            found.push_back(&config);
    }
    std::sort(found.begin(), found.end(), [&request](const FBConfig *a, const FBConfig *b) {
        return sorts_before(*a, *b, request);
    });
    return found;
}

bool is_float(const FBConfig &config) {
    return config.config->color == egl::Color::rgba16f;
}

bool is_bytes(const egl::Config &config) {
    return config.color == egl::Color::rgba8 || config.color == egl::Color::rgbx8;
}

bool shows(const XVisual &visual, const egl::Config &config) {
    return visual.visual_class == TrueColor && visual.depth == config.visual.depth &&
           visual.red == config.red && visual.green == config.green && visual.blue == config.blue;
}

bool same_kind(const XVisual &a, const XVisual &b) {
    return a.visual_class == b.visual_class && a.depth == b.depth && a.red == b.red &&
           a.green == b.green && a.blue == b.blue;
}

} // namespace

std::vector<FBConfig> make_fbconfigs(const std::vector<egl::Config> &configs,
                                     std::vector<XVisual> visuals, VisualID root, int screen) {
    std::stable_partition(visuals.begin(), visuals.end(),
                          [root](const XVisual &visual) { return visual.id == root; });
    std::vector<FBConfig> out;
    auto add = [&](const egl::Config &config, const XVisual *visual, bool owner, bool twofold,
                   bool srgb) {
        out.push_back({&config, int(out.size()) + 1, screen, visual ? visual->id : 0,
                       visual ? visual->depth : 0, twofold, srgb, owner});
    };
    while (!visuals.empty()) {
        const XVisual first = visuals.front();
        const auto rest =
            std::stable_partition(visuals.begin(), visuals.end(),
                                  [&first](const XVisual &v) { return same_kind(v, first); });
        const std::vector<XVisual> kind(visuals.begin(), rest);
        visuals.erase(visuals.begin(), rest);
        size_t next = 0; // the visual that the next config will own
        for (bool srgb : {false, true}) {
            for (const egl::Config &config : configs) {
                for (bool twofold : {true, false}) {
                    if (!shows(first, config) || (srgb && (!twofold || !is_bytes(config))))
                        continue;
                    const bool owner = next < kind.size();
                    add(config, owner ? &kind[next++] : &kind.front(), owner, twofold, srgb);
                }
            }
        }
    }
    for (const egl::Config &config : configs)
        for (bool twofold : {true, false})
            if (!config.visual.depth)
                add(config, nullptr, false, twofold, false);
    return out;
}

bool fbconfig_attrib(const FBConfig &config, int attribute, int *value) {
    const egl::Config &c = *config.config;
    const bool drawn = config.visual != 0;
    switch (attribute) {
    case GLX_FBCONFIG_ID: *value = config.id; break;
    case GLX_SCREEN: *value = config.screen; break;
    case GLX_BUFFER_SIZE: *value = color_bits(c); break;
    case GLX_DOUBLEBUFFER: *value = config.double_buffered; break;
    case GLX_RED_SIZE: *value = c.red; break;
    case GLX_GREEN_SIZE: *value = c.green; break;
    case GLX_BLUE_SIZE: *value = c.blue; break;
    case GLX_ALPHA_SIZE: *value = c.alpha; break;
    case GLX_DEPTH_SIZE: *value = c.depth; break;
    case GLX_STENCIL_SIZE: *value = c.stencil; break;
    case GLX_SAMPLE_BUFFERS: *value = c.samples ? 1 : 0; break;
    case GLX_SAMPLES: *value = c.samples; break;
    case GLX_RENDER_TYPE:
        *value = is_float(config) ? int(GLX_RGBA_FLOAT_BIT_ARB) : int(GLX_RGBA_BIT);
        break;
    case GLX_DRAWABLE_TYPE:
        *value = GLX_PBUFFER_BIT | (drawn ? GLX_WINDOW_BIT | GLX_PIXMAP_BIT : 0);
        break;
    case GLX_X_RENDERABLE: *value = drawn; break;
    case GLX_X_VISUAL_TYPE: *value = drawn ? GLX_TRUE_COLOR : GLX_NONE; break;
    case GLX_VISUAL_ID: *value = int(config.visual); break;
    case GLX_CONFIG_CAVEAT:
    case GLX_TRANSPARENT_TYPE: *value = GLX_NONE; break;
    case GLX_MAX_PBUFFER_WIDTH:
    case GLX_MAX_PBUFFER_HEIGHT: *value = c.max_pbuffer; break;
    case GLX_MAX_PBUFFER_PIXELS: *value = c.max_pbuffer * c.max_pbuffer; break;
    case GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB: *value = config.srgb; break;
    case GLX_SWAP_METHOD_OML:
        *value = config.double_buffered ? GLX_SWAP_COPY_OML : GLX_SWAP_UNDEFINED_OML;
        break;
    case GLX_BIND_TO_TEXTURE_RGB_EXT: *value = drawn && is_bytes(c); break;
    case GLX_BIND_TO_TEXTURE_RGBA_EXT: *value = drawn && is_bytes(c) && c.alpha; break;
    case GLX_BIND_TO_TEXTURE_TARGETS_EXT:
        *value = drawn && is_bytes(c) ? GLX_TEXTURE_2D_BIT_EXT | GLX_TEXTURE_RECTANGLE_BIT_EXT : 0;
        break;
    case GLX_Y_INVERTED_EXT: *value = drawn; break;
    case GLX_LEVEL:
    case GLX_STEREO:
    case GLX_AUX_BUFFERS:
    case GLX_ACCUM_RED_SIZE:
    case GLX_ACCUM_GREEN_SIZE:
    case GLX_ACCUM_BLUE_SIZE:
    case GLX_ACCUM_ALPHA_SIZE:
    case GLX_TRANSPARENT_INDEX_VALUE:
    case GLX_TRANSPARENT_RED_VALUE:
    case GLX_TRANSPARENT_GREEN_VALUE:
    case GLX_TRANSPARENT_BLUE_VALUE:
    case GLX_TRANSPARENT_ALPHA_VALUE:
    case GLX_OPTIMAL_PBUFFER_WIDTH_SGIX:
    case GLX_OPTIMAL_PBUFFER_HEIGHT_SGIX:
    case GLX_BIND_TO_MIPMAP_TEXTURE_EXT: *value = 0; break;
    default: return false;
    }
    return true;
}

std::vector<const FBConfig *> choose_fbconfigs(const std::vector<FBConfig> &all,
                                               const int *attribs) {
    Request request = egl::initial_request(attributes);
    for (; attribs && *attribs != int(None); attribs += 2) {
        const size_t i = index_of(attribs[0]);
        if (i == request.size())
            return {};
        const bool negative = attributes[i].rule == Rule::at_least && attribs[1] < 0;
        if (negative && attribs[1] != dont_care)
            return {};
        request[i] = attribs[1];
    }
    return select(all, request, false);
}

const FBConfig *choose_visual(const std::vector<FBConfig> &all, const int *attribs) {
    Request request = egl::initial_request(attributes);
    request[index_of(GLX_DOUBLEBUFFER)] = False;
    bool rgba = false;
    while (attribs && *attribs != int(None)) {
        const int name = *attribs++;
        if (name == GLX_USE_GL)
            continue;
        if (name == GLX_RGBA) {
            rgba = true;
            continue;
        }
        const size_t i = index_of(name);
        if (i == request.size())
            return nullptr;
        const bool flag = name == GLX_DOUBLEBUFFER || name == GLX_STEREO;
        request[i] = flag ? True : *attribs++;
    }
    if (!rgba) // a colour index visual
        return nullptr;
    const std::vector<const FBConfig *> found = select(all, request, true);
    return found.empty() ? nullptr : found.front();
}

const FBConfig *owner_of(const std::vector<FBConfig> &all, VisualID visual) {
    for (const FBConfig &config : all)
        if (config.owner && config.visual == visual)
            return &config;
    return nullptr;
}

} // namespace glx
