// SPDX-License-Identifier: MIT
// The config list, config attributes, and the selection rules of eglChooseConfig as one table.
#include "config.h"

#include "config_match.h"

#include <algorithm>
#include <iterator>

namespace egl {

namespace {

struct ColorLayout {
    Color color;
    uint8_t red, green, blue, alpha;
};

// In the order of their ids: programs that take the first config get the usual one.
constexpr ColorLayout colors[] = {
    {Color::rgba8, 8, 8, 8, 8},
    {Color::rgbx8, 8, 8, 8, 0},
    {Color::rgb10a2, 10, 10, 10, 2},
    {Color::rgba16f, 16, 16, 16, 16},
};

struct DepthLayout {
    DepthStencil format;
    uint8_t depth, stencil;
};

constexpr DepthLayout depths[] = {
    {DepthStencil::z24s8, 24, 8},  {DepthStencil::z24, 24, 0}, {DepthStencil::none, 0, 0},
    {DepthStencil::z16, 16, 0},    {DepthStencil::s8, 0, 8},   {DepthStencil::z32f, 32, 0},
    {DepthStencil::z32fs8, 32, 8},
};

enum class Legal : uint8_t {
    any,
    size,
    boolean,
    caveat,
    color_type,
    component,
    mask,
    transparent,
    id
};

struct Attribute {
    EGLint name;
    Rule rule;
    Legal legal;
    EGLint initial;
};

constexpr Attribute attributes[] = {
    {EGL_BUFFER_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_RED_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_GREEN_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_BLUE_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_ALPHA_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_LUMINANCE_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_ALPHA_MASK_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_DEPTH_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_STENCIL_SIZE, Rule::at_least, Legal::size, 0},
    {EGL_SAMPLE_BUFFERS, Rule::at_least, Legal::size, 0},
    {EGL_SAMPLES, Rule::at_least, Legal::size, 0},
    {EGL_BIND_TO_TEXTURE_RGB, Rule::exact, Legal::boolean, EGL_DONT_CARE},
    {EGL_BIND_TO_TEXTURE_RGBA, Rule::exact, Legal::boolean, EGL_DONT_CARE},
    {EGL_COLOR_BUFFER_TYPE, Rule::exact, Legal::color_type, EGL_RGB_BUFFER},
    {EGL_COLOR_COMPONENT_TYPE_EXT, Rule::exact, Legal::component,
     EGL_COLOR_COMPONENT_TYPE_FIXED_EXT},
    {EGL_CONFIG_CAVEAT, Rule::exact, Legal::caveat, EGL_DONT_CARE},
    {EGL_CONFIG_ID, Rule::exact, Legal::id, EGL_DONT_CARE},
    {EGL_CONFORMANT, Rule::mask, Legal::mask, 0},
    {EGL_LEVEL, Rule::exact, Legal::any, 0},
    {EGL_MAX_PBUFFER_WIDTH, Rule::ignored, Legal::any, EGL_DONT_CARE},
    {EGL_MAX_PBUFFER_HEIGHT, Rule::ignored, Legal::any, EGL_DONT_CARE},
    {EGL_MAX_PBUFFER_PIXELS, Rule::ignored, Legal::any, EGL_DONT_CARE},
    {EGL_MAX_SWAP_INTERVAL, Rule::exact, Legal::size, EGL_DONT_CARE},
    {EGL_MIN_SWAP_INTERVAL, Rule::exact, Legal::size, EGL_DONT_CARE},
    {EGL_NATIVE_RENDERABLE, Rule::exact, Legal::boolean, EGL_DONT_CARE},
    {EGL_NATIVE_VISUAL_ID, Rule::ignored, Legal::any, EGL_DONT_CARE},
    {EGL_NATIVE_VISUAL_TYPE, Rule::exact, Legal::any, EGL_DONT_CARE},
    // EGL's default, OpenGL ES, would leave programs nothing that forget the attribute (GTK 4).
    {EGL_RENDERABLE_TYPE, Rule::mask, Legal::mask, EGL_DONT_CARE},
    {EGL_SURFACE_TYPE, Rule::mask, Legal::mask, EGL_WINDOW_BIT},
    {EGL_TRANSPARENT_TYPE, Rule::exact, Legal::transparent, EGL_NONE},
    {EGL_TRANSPARENT_RED_VALUE, Rule::ignored, Legal::any, EGL_DONT_CARE},
    {EGL_TRANSPARENT_GREEN_VALUE, Rule::ignored, Legal::any, EGL_DONT_CARE},
    {EGL_TRANSPARENT_BLUE_VALUE, Rule::ignored, Legal::any, EGL_DONT_CARE},
};
using ConfigRequest = Request<std::size(attributes)>;

EGLint wanted(const ConfigRequest &request, EGLint name) {
    return request[index_of(attributes, name)];
}

bool one_of(EGLint value, std::initializer_list<EGLint> legal) {
    return std::find(legal.begin(), legal.end(), value) != legal.end();
}

bool legal_value(const Attribute &attribute, EGLint value) {
    if (value == EGL_DONT_CARE)
        return attribute.name != EGL_LEVEL;
    switch (attribute.legal) {
    case Legal::any: return true;
    case Legal::size: return value >= 0;
    case Legal::boolean: return one_of(value, {EGL_TRUE, EGL_FALSE});
    case Legal::caveat:
        return one_of(value, {EGL_NONE, EGL_SLOW_CONFIG, EGL_NON_CONFORMANT_CONFIG});
    case Legal::color_type: return one_of(value, {EGL_RGB_BUFFER, EGL_LUMINANCE_BUFFER});
    case Legal::component:
        return one_of(value,
                      {EGL_COLOR_COMPONENT_TYPE_FIXED_EXT, EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT});
    case Legal::mask: return value >= 0;
    case Legal::transparent: return one_of(value, {EGL_NONE, EGL_TRANSPARENT_RGB});
    case Legal::id: return value > 0;
    }
    return false;
}

int asked_bits(const Config &config, const ConfigRequest &request) {
    return asked_color_bits(attributes, request,
                            {EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE},
                            {config.red, config.green, config.blue, config.alpha},
                            [](EGLint value) { return value != 0 && value != EGL_DONT_CARE; });
}

// The total order of EGL 1.5, section 3.4.1.2; rules on which all our configs are equal are left
// out.
bool sorts_before(const Config &a, const Config &b, const ConfigRequest &request) {
    const bool a_float = a.color == Color::rgba16f, b_float = b.color == Color::rgba16f;
    if (a_float != b_float)
        return b_float;
    const int a_asked = asked_bits(a, request), b_asked = asked_bits(b, request);
    if (a_asked != b_asked)
        return a_asked > b_asked;
    const int a_bits = a.red + a.green + a.blue + a.alpha,
              b_bits = b.red + b.green + b.blue + b.alpha;
    if (a_bits != b_bits)
        return a_bits < b_bits;
    if (a.samples != b.samples)
        return a.samples < b.samples;
    if (a.depth != b.depth)
        return a.depth < b.depth;
    if (a.stencil != b.stencil)
        return a.stencil < b.stencil;
    return a.id < b.id;
}

const Visual *visual_with(const std::vector<Visual> &visuals, const ColorLayout &color,
                          uint8_t alpha) {
    for (const Visual &visual : visuals)
        if (visual.red == color.red && visual.green == color.green && visual.blue == color.blue &&
            visual.alpha == alpha)
            return &visual;
    return nullptr;
}

// X windows are usually opaque, and programs that take the first config with alpha want such a one.
const Visual *first_visual(const ColorLayout &color, System system,
                           const std::vector<Visual> &visuals) {
    if (color.color == Color::rgba16f)
        return nullptr;
    if (system == System::x11)
        if (const Visual *opaque = visual_with(visuals, color, 0))
            return opaque;
    return color.color == Color::rgba8 && system == System::x11
               ? nullptr
               : visual_with(visuals, color, color.alpha);
}

void add_configs(std::vector<Config> &configs, const ConfigLimits &limits, const ColorLayout &color,
                 System system, const Visual *visual) {
    EGLint surfaces = EGL_PBUFFER_BIT;
    if (visual)
        surfaces |= EGL_WINDOW_BIT | EGL_SWAP_BEHAVIOR_PRESERVED_BIT;
    if (visual && system == System::x11)
        surfaces |= EGL_PIXMAP_BIT;
    for (uint8_t samples : {uint8_t(0), uint8_t(4)}) {
        if (samples > limits.max_samples)
            continue;
        for (const DepthLayout &depth : depths) {
            if (depth.depth == 32 && !limits.depth32f)
                continue;
            configs.push_back({EGLint(configs.size()) + 1, color.color, depth.format, color.red,
                               color.green, color.blue, color.alpha, depth.depth, depth.stencil,
                               samples, limits.max_pbuffer, surfaces, visual ? *visual : Visual{}});
        }
    }
}

} // namespace

std::vector<Config> make_configs(const ConfigLimits &limits, System system,
                                 const std::vector<Visual> &visuals) {
    std::vector<Config> configs;
    for (const ColorLayout &color : colors) {
        if ((color.color == Color::rgb10a2 && !limits.rgb10a2) ||
            (color.color == Color::rgba16f && !limits.rgba16f))
            continue;
        add_configs(configs, limits, color, system, first_visual(color, system, visuals));
    }
    // A config has one visual, so that windows with and without alpha are two configs on X.
    if (system == System::x11)
        if (const Visual *visual = visual_with(visuals, colors[0], 8))
            add_configs(configs, limits, colors[0], system, visual);
    return configs;
}

bool config_attrib(const Config &config, EGLint attribute, EGLint *value) {
    switch (attribute) {
    case EGL_BUFFER_SIZE: *value = config.red + config.green + config.blue + config.alpha; break;
    case EGL_RED_SIZE: *value = config.red; break;
    case EGL_GREEN_SIZE: *value = config.green; break;
    case EGL_BLUE_SIZE: *value = config.blue; break;
    case EGL_ALPHA_SIZE: *value = config.alpha; break;
    case EGL_DEPTH_SIZE: *value = config.depth; break;
    case EGL_STENCIL_SIZE: *value = config.stencil; break;
    case EGL_SAMPLE_BUFFERS: *value = config.samples ? 1 : 0; break;
    case EGL_SAMPLES: *value = config.samples; break;
    case EGL_CONFIG_ID: *value = config.id; break;
    case EGL_COLOR_BUFFER_TYPE: *value = EGL_RGB_BUFFER; break;
    case EGL_COLOR_COMPONENT_TYPE_EXT:
        *value = config.color == Color::rgba16f ? EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT
                                                : EGL_COLOR_COMPONENT_TYPE_FIXED_EXT;
        break;
    case EGL_CONFIG_CAVEAT:
    case EGL_TRANSPARENT_TYPE: *value = EGL_NONE; break;
    case EGL_NATIVE_VISUAL_TYPE: *value = config.visual.type; break;
    case EGL_NATIVE_VISUAL_ID: *value = config.visual.id; break;
    case EGL_NATIVE_RENDERABLE: *value = (config.surfaces & EGL_PIXMAP_BIT) != 0; break;
    case EGL_CONFORMANT:
    case EGL_RENDERABLE_TYPE: *value = EGL_OPENGL_BIT; break;
    case EGL_SURFACE_TYPE: *value = config.surfaces; break;
    case EGL_MAX_PBUFFER_WIDTH:
    case EGL_MAX_PBUFFER_HEIGHT: *value = config.max_pbuffer; break;
    case EGL_MAX_PBUFFER_PIXELS: *value = config.max_pbuffer * config.max_pbuffer; break;
    case EGL_MAX_SWAP_INTERVAL:
        *value = config.surfaces & EGL_WINDOW_BIT ? max_swap_interval : 1;
        break;
    case EGL_LUMINANCE_SIZE:
    case EGL_ALPHA_MASK_SIZE:
    case EGL_BIND_TO_TEXTURE_RGB:
    case EGL_BIND_TO_TEXTURE_RGBA:
    case EGL_LEVEL:
    case EGL_MIN_SWAP_INTERVAL:
    case EGL_TRANSPARENT_RED_VALUE:
    case EGL_TRANSPARENT_GREEN_VALUE:
    case EGL_TRANSPARENT_BLUE_VALUE: *value = 0; break;
    default: return false;
    }
    return true;
}

static auto value_of(const Config &config) {
    return [&config](EGLint name, EGLint *value) { config_attrib(config, name, value); };
}

EGLint choose_configs(const std::vector<Config> &all, const EGLint *attribs,
                      std::vector<const Config *> &out, EGLint *pixmap) {
    ConfigRequest request = initial_request(attributes);
    EGLint native_pixmap = EGL_NONE;
    for (; attribs && *attribs != EGL_NONE; attribs += 2) {
        if (attribs[0] == EGL_MATCH_NATIVE_PIXMAP) {
            native_pixmap = attribs[1];
            continue;
        }
        const size_t i = index_of(attributes, attribs[0]);
        if (i == request.size() || !legal_value(attributes[i], attribs[1]))
            return EGL_BAD_ATTRIBUTE;
        request[i] = attribs[1];
    }

    out.clear();
    const EGLint id = wanted(request, EGL_CONFIG_ID);
    for (const Config &config : all) {
        // An id makes every other attribute void.
        const bool fits = pixmap || native_pixmap == EGL_NONE;
        if (id != EGL_DONT_CARE
                ? config.id == id
                : fits && matches(attributes, request, EGL_DONT_CARE, value_of(config)))
            out.push_back(&config);
    }
    if (pixmap)
        *pixmap = id == EGL_DONT_CARE ? native_pixmap : EGL_NONE;
    std::sort(out.begin(), out.end(), [&request](const Config *a, const Config *b) {
        return sorts_before(*a, *b, request);
    });
    return EGL_SUCCESS;
}

bool configs_compatible(const Config *context, const Config &surface) {
    return !context || (context->color == surface.color && context->depth == surface.depth &&
                        context->stencil == surface.stencil && context->samples == surface.samples);
}

} // namespace egl
