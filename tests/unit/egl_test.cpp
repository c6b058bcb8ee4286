// SPDX-License-Identifier: MIT
// EGL's own rules: config selection and order, error codes, what is current where, lifetimes, fork.
#include "egl/config.h"
#include "egl/core.h"
#include "egl/egl.h"
#include "egl/egl_tables.h"
#include "egl_mock.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using egl::mock;

// That many allocations of this thread from now on, the last of them fails. 0: none does.
static thread_local unsigned allocations_left = 0;

// Not inlined: gcc would see one half of a pair.
[[gnu::noinline]] void *operator new(size_t size) {
    void *p = allocations_left && !--allocations_left ? nullptr : std::malloc(size ? size : 1);
    return p ? p : throw std::bad_alloc();
}

[[gnu::noinline]] void operator delete(void *p) noexcept {
    std::free(p);
}

[[gnu::noinline]] void operator delete(void *p, size_t) noexcept {
    std::free(p);
}

// The address sanitizer has the other forms of new to itself and would see halves of pairs.
extern "C" [[gnu::visibility("default")]] const char *__asan_default_options() {
    return "alloc_dealloc_mismatch=0";
}

#define ENTRY(name) reinterpret_cast<decltype(&::egl##name)>(egl::find_entry("egl" #name))

namespace {

__EGLapiExports exports{};
__EGLapiImports imports{};

EGLint last_error() {
    return ENTRY(GetError)();
}

EGLDisplay open_display() {
    unsetenv("DISPLAY"); // of whoever runs the tests
    unsetenv("WAYLAND_DISPLAY");
    if (!imports.getPlatformDisplay)
        REQUIRE(egl::main_entry(EGL_VENDOR_ABI_VERSION, &exports, nullptr, &imports));
    EGLDisplay display =
        imports.getPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr);
    REQUIRE(display != EGL_NO_DISPLAY);
    REQUIRE(ENTRY(Initialize)(display, nullptr, nullptr));
    REQUIRE(ENTRY(BindAPI)(EGL_OPENGL_API));
    return display;
}

std::vector<EGLint> ids(const std::vector<const egl::Config *> &configs) {
    std::vector<EGLint> out;
    for (const egl::Config *config : configs)
        out.push_back(config->id);
    return out;
}

// Matches of a list on top of {pbuffer, OpenGL}.
std::vector<const egl::Config *> choose(const std::vector<egl::Config> &all,
                                        std::vector<EGLint> list) {
    list.insert(list.begin(),
                {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT});
    list.push_back(EGL_NONE);
    std::vector<const egl::Config *> out;
    REQUIRE(egl::choose_configs(all, list.data(), out) == EGL_SUCCESS);
    return out;
}

EGLConfig first_config(EGLDisplay display, std::vector<EGLint> list = {}) {
    list.insert(list.begin(), {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                               EGL_OPENGL_BIT, EGL_RED_SIZE, 1, EGL_ALPHA_SIZE, 1});
    list.push_back(EGL_NONE);
    EGLConfig config = nullptr;
    EGLint count = 0;
    REQUIRE(ENTRY(ChooseConfig)(display, list.data(), &config, 1, &count));
    REQUIRE(count == 1);
    return config;
}

EGLContext create(EGLDisplay display, std::vector<EGLint> list,
                  EGLConfig config = EGL_NO_CONFIG_KHR, EGLContext share = EGL_NO_CONTEXT) {
    list.push_back(EGL_NONE);
    return ENTRY(CreateContext)(display, config, share, list.data());
}

EGLContext create_core(EGLDisplay display, EGLConfig config = EGL_NO_CONFIG_KHR) {
    EGLContext context =
        create(display, {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3}, config);
    REQUIRE(context != EGL_NO_CONTEXT);
    return context;
}

EGLSurface create_pbuffer(EGLDisplay display, EGLConfig config) {
    const EGLint list[] = {EGL_WIDTH, 16, EGL_HEIGHT, 8, EGL_NONE};
    EGLSurface surface = ENTRY(CreatePbufferSurface)(display, config, list);
    REQUIRE(surface != EGL_NO_SURFACE);
    return surface;
}

void release(EGLDisplay display) {
    REQUIRE(ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
}

// The error of `call` on another thread.
template <class F> EGLint on_thread(F &&call) {
    EGLint error = EGL_SUCCESS;
    std::thread([&] {
        call();
        error = last_error();
        ENTRY(ReleaseThread)();
    }).join();
    return error;
}

} // namespace

TEST_CASE("without a driver every platform is refused quietly") {
    REQUIRE(egl::main_entry(EGL_VENDOR_ABI_VERSION, &exports, nullptr, &imports));
    mock.driver_present = false;
    CHECK(imports.getPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr) ==
          EGL_NO_DISPLAY);
    mock.driver_present = true;
}

TEST_CASE("another major version of the dispatch ABI is refused") {
    __EGLapiImports none{};
    CHECK_FALSE(egl::main_entry(EGL_VENDOR_ABI_VERSION + 0x10000, &exports, nullptr, &none));
    CHECK(none.getProcAddress == nullptr);
}

TEST_CASE("platforms") {
    EGLDisplay display = open_display();
    CHECK(imports.getPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr) == display);
    for (EGLenum platform : {EGL_PLATFORM_X11_KHR, EGL_PLATFORM_WAYLAND_KHR, EGL_PLATFORM_GBM_KHR})
        CHECK(imports.getPlatformDisplay(platform, nullptr, nullptr) == EGL_NO_DISPLAY);
    CHECK(imports.getPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, &mock, nullptr) ==
          EGL_NO_DISPLAY);

    EGLDeviceEXT device = nullptr;
    EGLint count = 0;
    REQUIRE(ENTRY(QueryDevicesEXT)(1, &device, &count));
    CHECK(count == 1);
    CHECK_FALSE(ENTRY(QueryDevicesEXT)(0, &device, &count));
    CHECK(last_error() == EGL_BAD_PARAMETER);
    EGLDisplay by_device = imports.getPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
    CHECK(by_device != EGL_NO_DISPLAY);
    CHECK(by_device != display);
    CHECK(imports.getPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, &mock, nullptr) == EGL_NO_DISPLAY);
    CHECK_FALSE(ENTRY(QueryDeviceStringEXT)(&mock, EGL_EXTENSIONS));
    CHECK(last_error() == EGL_BAD_DEVICE_EXT);

    const EGLAttrib by_attrib[] = {EGL_DEVICE_EXT, reinterpret_cast<EGLAttrib>(device), EGL_NONE};
    CHECK(imports.getPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, by_attrib) !=
          EGL_NO_DISPLAY);

    unsetenv("WAYLAND_DISPLAY");
    unsetenv("EGL_PLATFORM");
    setenv("DISPLAY", "no display", 1);
    CHECK(imports.getPlatformDisplay(EGL_NONE, nullptr, nullptr) == EGL_NO_DISPLAY);
    setenv("EGL_PLATFORM", "surfaceless", 1);
    CHECK(imports.getPlatformDisplay(EGL_NONE, nullptr, nullptr) == display);
    unsetenv("EGL_PLATFORM");
    unsetenv("DISPLAY");
    CHECK(imports.getPlatformDisplay(EGL_NONE, nullptr, nullptr) == display);
}

TEST_CASE("the config list") {
    const std::vector<egl::Config> all = egl::make_configs({});
    CHECK(all.size() == 4 * 2 * 7);
    CHECK(
        egl::make_configs({.max_samples = 1, .rgb10a2 = false, .rgba16f = false, .depth32f = false})
            .size() == 2 * 5);
    std::set<EGLint> seen;
    for (const egl::Config &config : all) {
        EGLint value = 0;
        CHECK(seen.insert(config.id).second);
        REQUIRE(egl::config_attrib(config, EGL_RENDERABLE_TYPE, &value));
        CHECK(value == EGL_OPENGL_BIT);
        CHECK_FALSE(egl::config_attrib(config, EGL_WIDTH, &value));
    }
}

TEST_CASE("config selection") {
    const std::vector<egl::Config> all = egl::make_configs({});
    std::vector<const egl::Config *> out;

    // The initial values ask for a window, and for no API although EGL's would be OpenGL ES.
    REQUIRE(egl::choose_configs(all, nullptr, out) == EGL_SUCCESS);
    CHECK(out.empty());
    EGLint pbuffers[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE, EGL_OPENGL_ES_BIT, EGL_NONE};
    REQUIRE(egl::choose_configs(all, pbuffers, out) == EGL_SUCCESS);
    CHECK_FALSE(out.empty());
    pbuffers[2] = EGL_RENDERABLE_TYPE;
    REQUIRE(egl::choose_configs(all, pbuffers, out) == EGL_SUCCESS);
    CHECK(out.empty());

    for (const egl::Config *config :
         choose(all, {EGL_DEPTH_SIZE, 24, EGL_STENCIL_SIZE, 8, EGL_SAMPLES, 2})) {
        CHECK(config->depth >= 24);
        CHECK(config->stencil == 8);
        CHECK(config->samples == 4);
        CHECK(config->color != egl::Color::rgba16f);
    }
    CHECK(choose(all, {EGL_SAMPLES, 5}).empty());
    CHECK(choose(all, {EGL_LUMINANCE_SIZE, 1}).empty());
    CHECK(choose(all, {EGL_BIND_TO_TEXTURE_RGB, EGL_TRUE}).empty());
    CHECK(choose(all, {EGL_MATCH_NATIVE_PIXMAP, 1}).empty());
    CHECK(ids(choose(all, {EGL_CONFIG_ID, 9, EGL_SAMPLES, 77})) == std::vector<EGLint>{9});
    CHECK(choose(all, {EGL_COLOR_COMPONENT_TYPE_EXT, EGL_DONT_CARE}).size() == all.size());
    CHECK(choose(all, {EGL_COLOR_COMPONENT_TYPE_EXT, EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT}).size() ==
          14);

    for (std::vector<EGLint> bad :
         std::vector<std::vector<EGLint>>{{EGL_WIDTH, 1, EGL_NONE},
                                          {EGL_LEVEL, EGL_DONT_CARE, EGL_NONE},
                                          {EGL_RED_SIZE, -2, EGL_NONE},
                                          {EGL_CONFIG_CAVEAT, 5, EGL_NONE}})
        CHECK(egl::choose_configs(all, bad.data(), out) == EGL_BAD_ATTRIBUTE);
}

TEST_CASE("config order") {
    const std::vector<egl::Config> all = egl::make_configs({});
    SECTION("asked colour bits first, the deepest first") {
        auto found = choose(all, {EGL_RED_SIZE, 8});
        CHECK(found.front()->color == egl::Color::rgb10a2);
        CHECK(found.back()->color == egl::Color::rgba8);
    }
    SECTION("alpha that was not asked for costs buffer size") {
        auto found = choose(all, {EGL_DEPTH_SIZE, 1});
        CHECK(found.front()->color == egl::Color::rgbx8);
        CHECK(found.front()->depth == 16);
        CHECK(found.front()->samples == 0);
    }
    SECTION("fixed point before float") {
        auto found = choose(all, {EGL_COLOR_COMPONENT_TYPE_EXT, EGL_DONT_CARE, EGL_RED_SIZE, 1});
        CHECK(found.front()->color == egl::Color::rgb10a2);
        CHECK(found.back()->color == egl::Color::rgba16f);
    }
    SECTION("the usual request") {
        auto found = choose(all, {EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8,
                                  EGL_ALPHA_SIZE, 8, EGL_DEPTH_SIZE, 24, EGL_STENCIL_SIZE, 8});
        CHECK(found.front()->color == egl::Color::rgba8);
        CHECK(found.front()->depth_stencil == egl::DepthStencil::z24s8);
        CHECK(found.front()->samples == 0);
    }
}

TEST_CASE("displays must be initialized") {
    EGLDisplay display = open_display();
    EGLint count = 0;
    CHECK_FALSE(ENTRY(Initialize)(&mock, nullptr, nullptr));
    CHECK(last_error() == EGL_BAD_DISPLAY);
    REQUIRE(ENTRY(Terminate)(display));
    CHECK_FALSE(ENTRY(GetConfigs)(display, nullptr, 0, &count));
    CHECK(last_error() == EGL_NOT_INITIALIZED);
    CHECK(last_error() == EGL_SUCCESS);
    CHECK(ENTRY(QueryString)(display, EGL_VERSION) == nullptr);
    EGLint major = 0, minor = 0;
    REQUIRE(ENTRY(Initialize)(display, &major, &minor));
    CHECK(major * 10 + minor == 15);
    REQUIRE(ENTRY(GetConfigs)(display, nullptr, 0, &count));
    CHECK(count == 56);
    CHECK_FALSE(ENTRY(GetConfigs)(display, nullptr, 0, nullptr));
    CHECK(last_error() == EGL_BAD_PARAMETER);
}

TEST_CASE("context attributes") {
    EGLDisplay display = open_display();
    EGLConfig config = first_config(display);
    auto error_of = [&](std::vector<EGLint> list, EGLConfig with = EGL_NO_CONFIG_KHR,
                        EGLContext share = EGL_NO_CONTEXT) {
        EGLContext context = create(display, list, with, share);
        const EGLint error = last_error();
        CHECK((context != EGL_NO_CONTEXT) == (error == EGL_SUCCESS));
        if (context)
            CHECK(ENTRY(DestroyContext)(display, context));
        return error;
    };
    constexpr EGLint major = EGL_CONTEXT_MAJOR_VERSION, minor = EGL_CONTEXT_MINOR_VERSION;
    constexpr EGLint profile = EGL_CONTEXT_OPENGL_PROFILE_MASK;

    CHECK(error_of({major, 3, minor, 3}, config) == EGL_SUCCESS);
    CHECK(error_of({major, 3, minor, 1}) == EGL_SUCCESS);
    CHECK(error_of({major, 4, minor, 5, profile, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT}) ==
          EGL_SUCCESS);
    CHECK(error_of({major, 4, minor, 6}) == EGL_BAD_MATCH); // more than the driver has
    CHECK(error_of({major, 4, minor, 7}) == EGL_BAD_MATCH);
    CHECK(error_of({major, 3, minor, 4}) == EGL_BAD_MATCH);
    CHECK(error_of({major, 2, minor, 1}) == EGL_BAD_MATCH);
    CHECK(error_of({}) == EGL_BAD_MATCH); // 1.0: compatibility
    CHECK(error_of({major, 3, minor, 2, profile, EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT}) ==
          EGL_BAD_MATCH);
    CHECK(error_of({major, 3, minor, 1, profile, EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT}) ==
          EGL_SUCCESS);
    CHECK(error_of({major, 3, minor, 2, profile, 0}) == EGL_BAD_MATCH);
    CHECK(error_of({major, 3, minor, 2, profile, 0x100 | EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT}) ==
          EGL_BAD_MATCH);
    CHECK(error_of({major, 3, minor, 0, EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE, EGL_TRUE}) ==
          EGL_SUCCESS);
    CHECK(error_of({major, 2, minor, 1, EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE, EGL_TRUE}) ==
          EGL_BAD_MATCH);
    CHECK(error_of({EGL_WIDTH, 1}) == EGL_BAD_ATTRIBUTE);
    CHECK(error_of({EGL_CONTEXT_FLAGS_KHR, 0x80}) == EGL_BAD_ATTRIBUTE);
    CHECK(error_of({EGL_CONTEXT_OPENGL_DEBUG, 2}) == EGL_BAD_ATTRIBUTE);
    CHECK(error_of({major, 3, minor, 3, EGL_CONTEXT_OPENGL_NO_ERROR_KHR, EGL_TRUE,
                    EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE}) == EGL_BAD_MATCH);
    CHECK(error_of({major, 3, minor, 3}, EGLConfig(&mock)) == EGL_BAD_CONFIG);
    CHECK(error_of({major, 3, minor, 3}, EGL_NO_CONFIG_KHR, EGLContext(&mock)) == EGL_BAD_CONTEXT);

    CHECK(error_of({major, 3, minor, 3, EGL_CONTEXT_FLAGS_KHR, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR,
                    EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET,
                    EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE, EGL_CONTEXT_RELEASE_BEHAVIOR_KHR,
                    EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR}) == EGL_SUCCESS);
    CHECK(mock.attribs.debug);
    CHECK(mock.attribs.robust);
    CHECK(mock.attribs.lose_on_reset);
    CHECK_FALSE(mock.attribs.flush_on_release);
}

// Hidden: meson runs it by its tag, with MGPIPE_GL_PROFILE=core (the environment is read once).
TEST_CASE("a core context where the old functions were asked for", "[.gl-profile]") {
    EGLDisplay display = open_display();
    auto asked = [&](std::vector<EGLint> list) {
        mock.attribs = {};
        EGLContext context = create(display, list);
        if (context)
            CHECK(ENTRY(DestroyContext)(display, context));
        else
            mock.attribs.major = 0;
        return mock.attribs;
    };
    constexpr EGLint major = EGL_CONTEXT_MAJOR_VERSION, minor = EGL_CONTEXT_MINOR_VERSION;
    constexpr EGLint profile = EGL_CONTEXT_OPENGL_PROFILE_MASK;

    for (const std::vector<EGLint> &list :
         {std::vector<EGLint>{}, {major, 2, minor, 1}, {major, 3, minor, 0}}) {
        const egl::ContextAttribs got = asked(list);
        CHECK((got.major == 3 && got.minor == 1 && got.forward_compatible));
        CHECK(got.profile == EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT);
    }
    const egl::ContextAttribs got =
        asked({major, 4, minor, 3, profile, EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT});
    CHECK((got.major == 4 && got.minor == 3 && got.forward_compatible));
    CHECK(got.profile == EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT);
    // What asks for core gets what it asked for; what does not exist still does not.
    CHECK_FALSE(asked({major, 3, minor, 3}).forward_compatible);
    CHECK_FALSE(asked({major, 3, minor, 1}).forward_compatible);
    CHECK(asked({major, 2, minor, 2}).major == 0);
    CHECK(asked({major, 3, minor, 2, profile, 0}).major == 0);
}

TEST_CASE("a new thread binds OpenGL ES, which has no contexts here") {
    EGLDisplay display = open_display();
    EGLConfig config = first_config(display);
    CHECK(on_thread([&] {
              create(display, {EGL_CONTEXT_MAJOR_VERSION, 3}, config);
          }) == EGL_BAD_CONFIG);
    CHECK(on_thread([&] { create(display, {EGL_CONTEXT_MAJOR_VERSION, 3}); }) == EGL_BAD_MATCH);
    CHECK(on_thread([&] { ENTRY(BindAPI)(EGL_OPENGL_ES_API); }) == EGL_BAD_PARAMETER);
}

TEST_CASE("sharing") {
    EGLDisplay display = open_display();
    EGLDeviceEXT device = nullptr;
    EGLint count = 0;
    REQUIRE(ENTRY(QueryDevicesEXT)(1, &device, &count));
    EGLDisplay other = imports.getPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
    REQUIRE(ENTRY(Initialize)(other, nullptr, nullptr));
    const std::vector<EGLint> core = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3};

    EGLContext a = create_core(display);
    const int groups = mock.groups;
    EGLContext b = create(display, core, EGL_NO_CONFIG_KHR, a);
    REQUIRE(b);
    CHECK(mock.groups == groups);
    EGLContext c = create_core(display);
    CHECK(mock.groups == groups + 1);
    CHECK(create(other, core, EGL_NO_CONFIG_KHR, a) == EGL_NO_CONTEXT);
    CHECK(last_error() == EGL_BAD_MATCH);
    for (EGLContext context : {a, b, c})
        CHECK(ENTRY(DestroyContext)(display, context));
    CHECK(mock.groups == groups - 1);

    // Contexts of a group are alike in errors and resets.
    for (std::vector<EGLint> own :
         {std::vector<EGLint>{EGL_CONTEXT_OPENGL_NO_ERROR_KHR, EGL_TRUE},
          std::vector<EGLint>{EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                              EGL_LOSE_CONTEXT_ON_RESET}}) {
        own.insert(own.end(), core.begin(), core.end());
        EGLContext plain = create_core(display), special = create(display, own);
        REQUIRE(special);
        CHECK(create(display, own, EGL_NO_CONFIG_KHR, plain) == EGL_NO_CONTEXT);
        CHECK(last_error() == EGL_BAD_MATCH);
        CHECK(create(display, core, EGL_NO_CONFIG_KHR, special) == EGL_NO_CONTEXT);
        CHECK(last_error() == EGL_BAD_MATCH);
        EGLContext like = create(display, own, EGL_NO_CONFIG_KHR, special);
        CHECK(like);
        for (EGLContext context : {plain, special, like})
            CHECK(ENTRY(DestroyContext)(display, context));
    }
}

TEST_CASE("make current") {
    EGLDisplay display = open_display();
    EGLConfig config = first_config(display, {EGL_DEPTH_SIZE, 24});
    EGLConfig other_config = first_config(display, {EGL_SAMPLES, 4});
    EGLContext context = create_core(display, config), second = create_core(display, config);
    EGLContext free_context = create_core(display);
    EGLSurface surface = create_pbuffer(display, config),
               other_surface = create_pbuffer(display, other_config);
    auto bind = [&](EGLSurface draw, EGLSurface read, EGLContext ctx) {
        ENTRY(MakeCurrent)(display, draw, read, ctx);
        return last_error();
    };

    CHECK(bind(surface, EGL_NO_SURFACE, context) == EGL_BAD_MATCH);
    CHECK(bind(surface, surface, EGL_NO_CONTEXT) == EGL_BAD_MATCH);
    CHECK(bind(surface, surface, EGLContext(&mock)) == EGL_BAD_CONTEXT);
    CHECK(bind(EGLSurface(&mock), surface, context) == EGL_BAD_SURFACE);
    CHECK(bind(other_surface, other_surface, context) == EGL_BAD_MATCH);
    CHECK(bind(other_surface, other_surface, free_context) == EGL_SUCCESS);
    CHECK(bind(EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_SUCCESS);
    CHECK(bind(surface, surface, context) == EGL_SUCCESS);
    CHECK(ENTRY(GetCurrentContext)() == context);
    CHECK(ENTRY(GetCurrentSurface)(EGL_READ) == surface);
    CHECK(ENTRY(GetCurrentDisplay)() == display);

    SECTION("the same again does nothing") {
        const int binds = mock.binds;
        CHECK(bind(surface, surface, context) == EGL_SUCCESS);
        CHECK(mock.binds == binds);
    }
    SECTION("a context or a surface is current on one thread only") {
        CHECK(on_thread([&] {
                  ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
              }) == EGL_BAD_ACCESS);
        CHECK(on_thread([&] {
                  ENTRY(MakeCurrent)(display, surface, surface, second);
              }) == EGL_BAD_ACCESS);
        CHECK(on_thread([&] {
                  ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, second);
              }) == EGL_SUCCESS);
        release(display);
        CHECK(on_thread([&] {
                  ENTRY(MakeCurrent)(display, surface, surface, context);
              }) == EGL_SUCCESS);
    }
    SECTION("a surface moves to another context of the thread") {
        CHECK(bind(surface, surface, second) == EGL_SUCCESS);
        CHECK(bind(surface, surface, context) == EGL_SUCCESS);
    }
    SECTION("a refusal of the driver changes nothing") {
        mock.bind_error = EGL_BAD_ALLOC;
        CHECK(bind(EGL_NO_SURFACE, EGL_NO_SURFACE, second) == EGL_BAD_ALLOC);
        mock.bind_error = EGL_SUCCESS;
        CHECK(ENTRY(GetCurrentContext)() == context);
        CHECK(ENTRY(GetCurrentSurface)(EGL_DRAW) == surface);
    }
    SECTION("what is current outlives its destruction") {
        const int alive = mock.contexts, freed = mock.surfaces_freed;
        CHECK(ENTRY(DestroySurface)(display, surface));
        CHECK(ENTRY(DestroyContext)(display, context));
        CHECK(mock.contexts == alive);
        CHECK(mock.surfaces_freed == freed);
        CHECK(bind(surface, surface, context) == EGL_BAD_CONTEXT);
        release(display);
        CHECK(mock.contexts == alive - 1);
        CHECK(mock.surfaces_freed == freed + 1);
    }
    SECTION("so does termination, and the display comes back") {
        const int alive = mock.contexts;
        REQUIRE(ENTRY(Terminate)(display));
        CHECK(mock.contexts == 1);
        CHECK(alive > 1);
        REQUIRE(ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
        CHECK(mock.contexts == 0);
        CHECK(mock.groups == 0);
        open_display();
        EGLContext again = create_core(display);
        CHECK(bind(EGL_NO_SURFACE, EGL_NO_SURFACE, again) == EGL_SUCCESS);
    }
    release(display);
    REQUIRE(ENTRY(Terminate)(display));
}

TEST_CASE("pbuffers") {
    EGLDisplay display = open_display();
    EGLConfig config = first_config(display, {EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 8});
    EGLConfig deep = first_config(display, {EGL_RED_SIZE, 10});
    auto error_of = [&](EGLConfig with, std::vector<EGLint> list) {
        list.push_back(EGL_NONE);
        EGLSurface surface = ENTRY(CreatePbufferSurface)(display, with, list.data());
        const EGLint error = last_error();
        if (surface)
            CHECK(ENTRY(DestroySurface)(display, surface));
        return error;
    };
    CHECK(error_of(config, {}) == EGL_SUCCESS);
    CHECK(error_of(EGLConfig(&mock), {}) == EGL_BAD_CONFIG);
    CHECK(error_of(config, {EGL_WIDTH, -1}) == EGL_BAD_PARAMETER);
    CHECK(error_of(config, {EGL_SAMPLES, 4}) == EGL_BAD_ATTRIBUTE);
    CHECK(error_of(config, {EGL_TEXTURE_TARGET, EGL_TEXTURE_2D, EGL_TEXTURE_FORMAT,
                            EGL_TEXTURE_RGBA}) == EGL_BAD_MATCH);
    CHECK(error_of(config, {EGL_TEXTURE_TARGET, EGL_TEXTURE_RGB}) == EGL_BAD_ATTRIBUTE);
    CHECK(error_of(config, {EGL_TEXTURE_FORMAT, EGL_TEXTURE_2D}) == EGL_BAD_ATTRIBUTE);
    CHECK(error_of(config, {EGL_WIDTH, 1 << 20, EGL_HEIGHT, 1}) == EGL_BAD_ALLOC);
    CHECK(error_of(config, {EGL_WIDTH, 1 << 20, EGL_HEIGHT, 1, EGL_LARGEST_PBUFFER, EGL_TRUE}) ==
          EGL_SUCCESS);
    CHECK(error_of(config, {EGL_GL_COLORSPACE, EGL_GL_COLORSPACE_SRGB}) == EGL_SUCCESS);
    CHECK(error_of(deep, {EGL_GL_COLORSPACE, EGL_GL_COLORSPACE_SRGB}) == EGL_BAD_MATCH);

    CHECK(ENTRY(CreateWindowSurface)(display, config, 0, nullptr) == EGL_NO_SURFACE);
    CHECK(last_error() == EGL_BAD_NATIVE_WINDOW);
    CHECK(ENTRY(CreateWindowSurface)(display, config, 1, nullptr) == EGL_NO_SURFACE);
    CHECK(last_error() == EGL_BAD_NATIVE_WINDOW);
    CHECK(ENTRY(CreateWindowSurface)(display, EGL_NO_CONFIG_KHR, 1, nullptr) == EGL_NO_SURFACE);
    CHECK(last_error() == EGL_BAD_NATIVE_WINDOW);

    EGLSurface surface = create_pbuffer(display, config);
    EGLint value = 0;
    CHECK(ENTRY(QuerySurface)(display, surface, EGL_WIDTH, &value));
    CHECK(value == 16);
    CHECK(ENTRY(QuerySurface)(display, surface, EGL_RENDER_BUFFER, &value));
    CHECK(value == EGL_BACK_BUFFER);
    CHECK_FALSE(ENTRY(QuerySurface)(display, surface, EGL_RED_SIZE, &value));
    CHECK(last_error() == EGL_BAD_ATTRIBUTE);
    CHECK_FALSE(ENTRY(SurfaceAttrib)(display, surface, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
    CHECK(last_error() == EGL_BAD_MATCH);
    CHECK_FALSE(ENTRY(CopyBuffers)(display, surface, 0));
    CHECK(last_error() == EGL_BAD_NATIVE_PIXMAP);
    CHECK_FALSE(ENTRY(SwapBuffers)(display, surface));
    CHECK(last_error() == EGL_BAD_SURFACE);
    // egl.xml and eglext.h differ in a const.
    auto *with_damage = reinterpret_cast<EGLBoolean (*)(EGLDisplay, EGLSurface, EGLint *, EGLint)>(
        egl::find_entry("eglSwapBuffersWithDamageKHR"));
    CHECK_FALSE(with_damage(EGLDisplay(&mock), surface, nullptr, -1));
    CHECK(last_error() == EGL_BAD_DISPLAY);
    CHECK_FALSE(ENTRY(SwapInterval)(display, 1));
    CHECK(last_error() == EGL_BAD_CONTEXT);
    EGLContext context = create_core(display, config);
    REQUIRE(ENTRY(MakeCurrent)(display, surface, surface, context));
    CHECK(ENTRY(SwapInterval)(display, 1));
    const int flushes = mock.flushes;
    CHECK(ENTRY(SwapBuffers)(display, surface));
    CHECK(mock.flushes == flushes + 1);
    release(display);
    REQUIRE(ENTRY(Terminate)(display));
}

TEST_CASE("fences") {
    EGLDisplay display = open_display();
    CHECK(ENTRY(CreateSync)(display, EGL_SYNC_FENCE, nullptr) == EGL_NO_SYNC);
    CHECK(last_error() == EGL_BAD_MATCH);
    EGLContext context = create_core(display);
    REQUIRE(ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    CHECK(ENTRY(CreateSync)(display, EGL_SYNC_CL_EVENT, nullptr) == EGL_NO_SYNC);
    CHECK(last_error() == EGL_BAD_ATTRIBUTE);
    EGLSync sync = ENTRY(CreateSync)(display, EGL_SYNC_FENCE, nullptr);
    REQUIRE(sync != EGL_NO_SYNC);
    EGLAttrib value = 0;
    CHECK(ENTRY(GetSyncAttrib)(display, sync, EGL_SYNC_STATUS, &value));
    CHECK(value == EGL_UNSIGNALED);
    CHECK_FALSE(ENTRY(GetSyncAttrib)(display, sync, EGL_WIDTH, &value));
    CHECK(last_error() == EGL_BAD_ATTRIBUTE);
    CHECK(ENTRY(WaitSync)(display, sync, 0));
    CHECK(mock.server_waits == 1);
    CHECK_FALSE(ENTRY(WaitSync)(display, sync, 1));
    CHECK(last_error() == EGL_BAD_PARAMETER);
    CHECK(ENTRY(ClientWaitSync)(display, sync, 0, 0) == EGL_TIMEOUT_EXPIRED);
    CHECK(ENTRY(ClientWaitSync)(display, sync, 0, EGL_FOREVER) == EGL_CONDITION_SATISFIED);
    CHECK(ENTRY(GetSyncAttrib)(display, sync, EGL_SYNC_STATUS, &value));
    CHECK(value == EGL_SIGNALED);
    CHECK(ENTRY(DestroySync)(display, sync));
    CHECK(mock.fences == 0);
    CHECK_FALSE(ENTRY(DestroySync)(display, sync));
    CHECK(last_error() == EGL_BAD_PARAMETER);
    release(display);
    REQUIRE(ENTRY(Terminate)(display));
}

TEST_CASE("a forked child finds its contexts lost and can go on") {
    EGLDisplay display = open_display();
    EGLContext context = create_core(display);
    REQUIRE(ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    const pid_t child = fork();
    if (!child) {
        int bad = 0;
        bad |= ENTRY(WaitClient)() != EGL_FALSE || last_error() != EGL_CONTEXT_LOST;
        const int releases = mock.releases;
        bad |= (ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT) !=
                EGL_TRUE)
               << 1;
        bad |= (mock.releases != releases) << 2; // the driver heard nothing
        bad |= (ENTRY(MakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_FALSE)
               << 3;
        bad |= (last_error() != EGL_CONTEXT_LOST) << 4;
        const EGLint list[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                               EGL_NONE};
        bad |= (ENTRY(CreateContext)(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, list) ==
                EGL_NO_CONTEXT)
               << 5;
        _exit(bad);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(ENTRY(WaitClient)());
    release(display);
    REQUIRE(ENTRY(Terminate)(display));
}

TEST_CASE("entry points and extension strings") {
    open_display();
    CHECK(imports.getProcAddress("eglCreateSyncKHR"));
    CHECK(imports.getProcAddress("eglDestroySyncKHR") == imports.getProcAddress("eglDestroySync"));
    CHECK(imports.getProcAddress("glFlush"));
    CHECK_FALSE(imports.getProcAddress("eglCreateStreamKHR"));
    CHECK_FALSE(imports.getProcAddress("eglFlush"));
    CHECK(imports.getDispatchAddress("eglCreateSyncKHR"));
    CHECK_FALSE(imports.getDispatchAddress("eglInitialize"));
    CHECK_FALSE(imports.getDispatchAddress("eglGetPlatformDisplayEXT"));
    CHECK(imports.getSupportsAPI(EGL_OPENGL_API));
    CHECK_FALSE(imports.getSupportsAPI(EGL_OPENGL_ES_API));
    for (const char *list : {egl::client_extensions, egl::display_extensions}) {
        std::set<std::string> seen;
        std::istringstream words{list};
        for (std::string word; words >> word;)
            CHECK(seen.insert(word).second);
    }
}

TEST_CASE("dispatch stubs find the vendor by its display") {
    static EGLint error = EGL_SUCCESS;
    static int slot_asked = -1;
    static auto *vendor = reinterpret_cast<__EGLvendorInfo *>(&mock);
    EGLDisplay display = open_display();
    exports.threadInit = [] {};
    exports.getVendorFromDisplay = [](EGLDisplay d) { return d == &mock ? nullptr : vendor; };
    exports.setEGLError = [](EGLint e) { error = e; };
    exports.setLastVendor = [](__EGLvendorInfo *) -> EGLBoolean { return EGL_TRUE; };
    exports.fetchDispatchEntry = [](__EGLvendorInfo *, int slot) {
        slot_asked = slot;
        return reinterpret_cast<__eglMustCastToProperFunctionPointerType>(
            egl::find_entry("eglDestroySync"));
    };
    imports.setDispatchIndex("eglDestroySyncKHR", 7);
    auto stub =
        reinterpret_cast<PFNEGLDESTROYSYNCKHRPROC>(imports.getDispatchAddress("eglDestroySyncKHR"));
    CHECK_FALSE(stub(&mock, EGL_NO_SYNC_KHR));
    CHECK(error == EGL_BAD_DISPLAY);
    CHECK_FALSE(stub(display, EGL_NO_SYNC_KHR));
    CHECK(slot_asked == 7);
    CHECK(last_error() == EGL_BAD_PARAMETER);

    exports.getVendorFromDevice = [](EGLDeviceEXT) -> __EGLvendorInfo * { return nullptr; };
    auto by_device = reinterpret_cast<PFNEGLQUERYDEVICESTRINGEXTPROC>(
        imports.getDispatchAddress("eglQueryDeviceStringEXT"));
    REQUIRE(by_device);
    CHECK_FALSE(by_device(nullptr, EGL_EXTENSIONS));
    CHECK(error == EGL_BAD_DEVICE_EXT);
}

TEST_CASE("debug messages name the call and the labelled object, without the lock") {
    static std::string seen;
    static EGLLabelKHR object_label;
    EGLDisplay display = open_display();
    auto control = reinterpret_cast<PFNEGLDEBUGMESSAGECONTROLKHRPROC>(
        egl::find_entry("eglDebugMessageControlKHR"));
    auto label = reinterpret_cast<PFNEGLLABELOBJECTKHRPROC>(egl::find_entry("eglLabelObjectKHR"));
    CHECK(label(display, EGL_OBJECT_DISPLAY_KHR, display, &mock) == EGL_SUCCESS);
    CHECK(label(display, EGL_OBJECT_SURFACE_KHR, &mock, &mock) == EGL_BAD_PARAMETER);
    control(
        [](EGLenum, const char *command, EGLint, EGLLabelKHR, EGLLabelKHR object, const char *) {
            seen = command;
            object_label = object;
            ENTRY(QueryAPI)(); // would hang with the lock held
        },
        nullptr);
    EGLint value = 0;
    CHECK_FALSE(ENTRY(GetConfigAttrib)(display, nullptr, EGL_RED_SIZE, &value));
    CHECK(seen == "eglGetConfigAttrib");
    CHECK(object_label == &mock);
    seen.clear(); // another vendor may take it: no error of the program's yet
    CHECK(imports.getPlatformDisplay(EGL_PLATFORM_X11_KHR, nullptr, nullptr) == EGL_NO_DISPLAY);
    CHECK(seen.empty());
    control(nullptr, nullptr);
}

namespace {

// A window of no window system.
struct FakeWindow : egl::NativeDrawable {
    EGLint width = 64, height = 48;
    bool alive = true;
    static inline int open = 0;

    FakeWindow() { open++; }
    ~FakeWindow() override { open--; }
    bool extent(EGLint *w, EGLint *h) override {
        *w = width;
        *h = height;
        return alive;
    }
    uint64_t native() const override { return 7; }
    bool is_window() const override { return true; }
    bool post(const void *, EGLint, EGLint, EGLint, EGLint, const egl::Rect *, EGLint) override {
        return alive;
    }
    bool fetch(std::vector<uint8_t> &, EGLint *, EGLint *) override { return false; }
};

} // namespace

TEST_CASE("configs of a window system") {
    const egl::Visual opaque{0x21, 4, 24, 8, 8, 8, 0}, blended{0x44, 4, 32, 8, 8, 8, 8};
    const auto all = egl::make_configs({}, egl::System::x11, {opaque, blended});
    EGLint value = 0, with_alpha[2] = {};
    for (const egl::Config &config : all) {
        egl::config_attrib(config, EGL_SURFACE_TYPE, &value);
        const bool window = value & EGL_WINDOW_BIT;
        CHECK(window == (config.red == 8)); // nothing here has 10 or 16 bits
        CHECK(window == bool(value & EGL_PIXMAP_BIT));
        if (window && config.alpha)
            with_alpha[config.visual.depth == 32]++;
        if (window && !config.alpha)
            CHECK(config.visual.id == 0x21);
    }
    CHECK(with_alpha[0] > 0);
    CHECK(with_alpha[0] == with_alpha[1]);
    CHECK(all.front().visual.id == 0x21);
    for (const egl::Config &config : egl::make_configs({}, egl::System::wayland, {blended}))
        CHECK(((config.surfaces & EGL_WINDOW_BIT) != 0) == (config.alpha == 8));
}

TEST_CASE("windows: extent, interval, age, ends") {
    EGLDisplay handle = open_display();
    const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    EGLContext context = ENTRY(CreateContext)(handle, nullptr, EGL_NO_CONTEXT, core);
    REQUIRE(context != EGL_NO_CONTEXT);
    auto *display = static_cast<egl::Display *>(handle);
    egl::Config config = display->configs.front();
    config.surfaces |= EGL_WINDOW_BIT;
    auto *window = new FakeWindow;
    egl::Surface *surface = nullptr;
    {
        egl::Lock lock;
        egl::SurfaceWish wish;
        wish.drawable = window;
        REQUIRE(egl::core_surface_create(display, &config, wish, surface) == EGL_SUCCESS);
    }
    CHECK(surface->width == 64);
    REQUIRE(ENTRY(MakeCurrent)(handle, surface, surface, context));

    EGLint value = -1;
    ENTRY(QuerySurface)(handle, surface, EGL_BUFFER_AGE_EXT, &value);
    CHECK(value == 0);
    mock.presents = mock.resizes = 0;
    CHECK(ENTRY(SwapBuffers)(handle, surface));
    CHECK(mock.presents == 1);
    CHECK(mock.interval == 1);
    ENTRY(QuerySurface)(handle, surface, EGL_BUFFER_AGE_EXT, &value);
    CHECK(value == 1);

    for (auto [asked, given] : {std::pair{0, 0}, {-3, 0}, {2, 2}, {1000, egl::max_swap_interval}}) {
        CHECK(ENTRY(SwapInterval)(handle, asked));
        CHECK(ENTRY(SwapBuffers)(handle, surface));
        CHECK(mock.interval == given);
    }
    {
        egl::Lock lock;
        egl::core_swap_interval(surface, -1); // GLX: a late swap tears
    }
    CHECK(ENTRY(SwapBuffers)(handle, surface));
    CHECK(mock.interval == -1);

    window->width = 300;
    CHECK(mock.resizes == 0);
    CHECK(ENTRY(SwapBuffers)(handle, surface));
    CHECK(mock.resizes == 1);
    ENTRY(QuerySurface)(handle, surface, EGL_WIDTH, &value);
    CHECK(value == 300);
    ENTRY(QuerySurface)(handle, surface, EGL_BUFFER_AGE_EXT, &value);
    CHECK(value == 0);
    window->width = 1 << 20; // more than any driver draws to
    ENTRY(QuerySurface)(handle, surface, EGL_WIDTH, &value);
    CHECK(value == config.max_pbuffer);

    mock.presents = 0;
    window->alive = false;
    CHECK_FALSE(ENTRY(SwapBuffers)(handle, surface));
    CHECK(last_error() == EGL_BAD_NATIVE_WINDOW);
    CHECK(mock.presents == 0);
    CHECK(FakeWindow::open == 1);
    CHECK(ENTRY(DestroySurface)(handle, surface)); // current: it lives on
    CHECK(FakeWindow::open == 1);
    CHECK(ENTRY(MakeCurrent)(handle, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    CHECK(FakeWindow::open == 0);
    CHECK(ENTRY(DestroyContext)(handle, context));
}

TEST_CASE("formats and modifiers of dma-bufs", "[egl]") {
    const EGLDisplay display = open_display();
    const auto formats = ENTRY(QueryDmaBufFormatsEXT);
    const auto modifiers = ENTRY(QueryDmaBufModifiersEXT);
    constexpr EGLint ar24 = 0x34325241, xr24 = 0x34325258;
    egl::get_display(display)->dma_buf_formats.reset();
    mock.dma_buf_formats = {{ar24, 0}, {ar24, 7}, {xr24, gl::no_modifier}};
    EGLint count = -1, names[4] = {};
    CHECK(formats(display, 0, nullptr, &count));
    CHECK(count == 2);
    CHECK(formats(display, 1, names, &count));
    CHECK(count == 1);
    CHECK(formats(display, 4, names, &count));
    CHECK(count == 2);
    CHECK(names[0] == ar24);
    CHECK(names[1] == xr24);
    CHECK_FALSE(formats(display, -1, names, &count));
    CHECK(last_error() == EGL_BAD_PARAMETER);
    CHECK_FALSE(formats(display, 1, nullptr, &count));
    CHECK(last_error() == EGL_BAD_PARAMETER);

    EGLuint64KHR values[4] = {};
    EGLBoolean external[4] = {9, 9, 9, 9};
    CHECK(modifiers(display, ar24, 0, nullptr, nullptr, &count));
    CHECK(count == 2);
    CHECK(modifiers(display, ar24, 4, values, external, &count));
    CHECK(count == 2);
    CHECK(values[1] == 7);
    CHECK(external[0] == EGL_FALSE);
    CHECK(external[1] == EGL_FALSE);
    CHECK(external[2] == 9);
    CHECK(modifiers(display, xr24, 4, values, external, &count));
    CHECK(count == 0); // none is not one
    CHECK_FALSE(modifiers(display, 1234, 4, values, external, &count));
    CHECK(last_error() == EGL_BAD_PARAMETER);
    CHECK_FALSE(modifiers(display, ar24, 1, nullptr, nullptr, &count));
    CHECK(last_error() == EGL_BAD_PARAMETER);
    mock.dma_buf_formats.clear();
    egl::get_display(display)->dma_buf_formats.reset();
}

TEST_CASE("images of dma-bufs", "[egl]") {
    const EGLDisplay display = open_display();
    const auto create_image = ENTRY(CreateImageKHR);
    const EGLint list[] = {EGL_WIDTH,
                           4,
                           EGL_HEIGHT,
                           2,
                           EGL_LINUX_DRM_FOURCC_EXT,
                           0x34325241,
                           EGL_DMA_BUF_PLANE0_FD_EXT,
                           0,
                           EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                           64,
                           EGL_DMA_BUF_PLANE0_PITCH_EXT,
                           32,
                           EGL_NONE};
    const auto create = [&](EGLContext context, EGLClientBuffer buffer) {
        return create_image(display, context, EGL_LINUX_DMA_BUF_EXT, buffer, list);
    };
    // Where the driver imports none, the target does not exist.
    CHECK(create(EGL_NO_CONTEXT, nullptr) == EGL_NO_IMAGE);
    CHECK(last_error() == EGL_BAD_PARAMETER);
    egl::state().limits.dma_bufs = true;
    const EGLImage image = create(EGL_NO_CONTEXT, nullptr);
    CHECK(image != EGL_NO_IMAGE);
    CHECK(mock.imported.pitch[0] == 32);
    CHECK(mock.imported.offset[0] == 64);
    CHECK(mock.imported.planes == 1);
    CHECK(create(EGL_NO_CONTEXT, EGLClientBuffer(1)) == EGL_NO_IMAGE);
    CHECK(last_error() == EGL_BAD_PARAMETER);
    mock.image_error = EGL_BAD_MATCH;
    CHECK(create(EGL_NO_CONTEXT, nullptr) == EGL_NO_IMAGE);
    CHECK(last_error() == EGL_BAD_MATCH);
    mock.image_error = EGL_SUCCESS;
    CHECK(ENTRY(DestroyImage)(display, image));
    egl::state().limits.dma_bufs = false;
}

TEST_CASE("egl: a call without memory fails, the next one works") {
    EGLDisplay display = open_display();
    const EGLConfig config = first_config(display);
    const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    // Each allocation of a call in turn; true: it succeeded without the one that was to fail.
    auto each = [](auto make, auto end) {
        for (unsigned at = 1; at < 200; at++) {
            allocations_left = at;
            void *made = make();
            const bool failed = !allocations_left;
            allocations_left = 0;
            if (!made)
                CHECK(last_error() == EGL_BAD_ALLOC);
            else
                CHECK(end(made));
            if (!failed)
                return made && at > 1;
        }
        return false;
    };
    CHECK(each([&] { return ENTRY(CreateContext)(display, config, EGL_NO_CONTEXT, core); },
               [&](void *c) { return ENTRY(DestroyContext)(display, c); }));
    const EGLint size[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_NONE};
    CHECK(each([&] { return ENTRY(CreatePbufferSurface)(display, config, size); },
               [&](void *s) { return ENTRY(DestroySurface)(display, s); }));
    ENTRY(Terminate)(display);
}
