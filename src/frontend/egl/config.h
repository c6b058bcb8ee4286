// SPDX-License-Identifier: MIT
// EGL configs: the list a display offers, their attributes, and the selection and order of
// eglChooseConfig (EGL 1.5, section 3.4). Plain values without locks; a list does not change while
// its display is initialised.
#pragma once

#include "platform.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <cstdint>
#include <vector>

namespace egl {

// Storage of a colour buffer; `rgbx8` is an 8-bit buffer whose alpha reads as one.
enum class Color : uint8_t { rgba8, rgbx8, rgb10a2, rgba16f };
enum class DepthStencil : uint8_t { none, z16, z24, z32f, s8, z24s8, z32fs8 };

struct Config {
    EGLint id;
    Color color;
    DepthStencil depth_stencil;
    uint8_t red, green, blue, alpha; // bits
    uint8_t depth, stencil;          // bits
    uint8_t samples;                 // 0 or the count
    EGLint max_pbuffer;              // texels per side
    EGLint surfaces; // EGL_SURFACE_TYPE: EGL_PBUFFER_BIT and what there is a visual for
    Visual visual;   // of its windows and pixmaps; depth 0: neither fits
};

// What the driver can carry; members are exact counts or yes/no.
struct ConfigLimits {
    uint32_t max_samples = 4; // 4-sample configs appear from 4 on
    bool rgb10a2 = true;
    bool rgba16f = true;
    bool depth32f = true;
    bool images = true;         // of textures and renderbuffers
    bool dma_bufs = false;      // images of dma-bufs
    EGLint max_pbuffer = 16384; // texels per side
};

// `visuals` of the window system `system`, the preferred one of each kind first.
std::vector<Config> make_configs(const ConfigLimits &limits, System system = System::none,
                                 const std::vector<Visual> &visuals = {});

// The value of `attribute`, false for a name that no config has.
bool config_attrib(const Config &config, EGLint attribute, EGLint *value);

// Fills `out` with the configs of `all` that match `attribs` (null or a list ended by EGL_NONE),
// best first. Returns EGL_SUCCESS, also when nothing matches, or EGL_BAD_ATTRIBUTE for an unknown
// name or an illegal value. EGL_MATCH_NATIVE_PIXMAP is left to the caller: its value comes back in
// `pixmap` (EGL_NONE: not asked for; a null `pixmap`: nothing matches one).
EGLint choose_configs(const std::vector<Config> &all, const EGLint *attribs,
                      std::vector<const Config *> &out, EGLint *pixmap = nullptr);

// Largest EGL_MAX_SWAP_INTERVAL of configs that draw to windows.
constexpr EGLint max_swap_interval = 8;

// Whether a context made for `context` (null: for no config) can draw to a surface made with
// `surface`: same colour layout, depth, stencil and samples (EGL 1.5, section 2.2).
bool configs_compatible(const Config *context, const Config &surface);

} // namespace egl
