// SPDX-License-Identifier: MIT
// FBConfigs: EGL's configs as GLX offers them. Each is there double- and single-buffered, with
// and without sRGB, once for each kind of X visual that shows its colours. Programs of GLX
// before 1.3 name a config by a visual alone, so every visual stands for one config, its owner.
// Plain values without locks; a list does not change once it is made.
#pragma once

#include "egl/config.h"

#include <GL/glx.h>
#include <GL/glxext.h>

#include <cstdint>
#include <vector>

namespace glx {

// A visual of an X screen.
struct XVisual {
    VisualID id;
    int visual_class;     // TrueColor, ...
    int depth;            // bits of a window's pixel that count: 24, 30, 32
    int red, green, blue; // bits
};

// GLXFBConfig is the address of one.
struct FBConfig {
    const egl::Config *config;
    int id; // GLX_FBCONFIG_ID
    int screen;
    VisualID visual; // 0: pbuffers only
    int depth;       // of the visual
    bool double_buffered;
    bool srgb;  // GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB
    bool owner; // what the visual alone stands for
};

// `visuals` in the server's order; `root` is the screen's default one, which its best config owns.
std::vector<FBConfig> make_fbconfigs(const std::vector<egl::Config> &configs,
                                     std::vector<XVisual> visuals, VisualID root, int screen);

// The value of `attribute`, false for a name that no config has.
bool fbconfig_attrib(const FBConfig &config, int attribute, int *value);

// glXChooseFBConfig (GLX 1.4, section 3.3.3): `attribs` is null or a list ended by None; best
// first. Empty when nothing matches, for unknown names and for illegal values.
std::vector<const FBConfig *> choose_fbconfigs(const std::vector<FBConfig> &all,
                                               const int *attribs);

// glXChooseVisual (GLX 1.4, section 3.4.1): among the owners of visuals. Null when none fits.
const FBConfig *choose_visual(const std::vector<FBConfig> &all, const int *attribs);

// The config that a visual stands for, null for a visual that GLX does not draw to.
const FBConfig *owner_of(const std::vector<FBConfig> &all, VisualID visual);

} // namespace glx
