// SPDX-License-Identifier: MIT
// Opens the host's EGL vendor library by `__egl_Main` with an exports table of our own, so that the
// glvnd state of the program above us is not touched, and makes OpenGL ES contexts on displays of
// our own.
#include "espryt_host.h"

#include "espryt_native.h"

#include <dlfcn.h>
#include <glvnd/libeglabi.h>
#include <new>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "pipe/pipe.h"
#include "util/env.h"
#include "util/first_at_exit.h"
#include "util/log.h"
#include "util/thread_slot.h"

namespace espryt {

namespace {

struct current_state {
    host *owner = nullptr; // of what is current, or of what was
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE; // of a window
};
util::ThreadSlot<current_state> current;

// Leaked on purpose: native objects may outlive static destructors. Changed with `hosts_lock`.
std::vector<host *> &hosts() {
    static auto *all = new std::vector<host *>;
    return *all;
}
std::mutex hosts_lock;

int vendor_token;
__EGLvendorInfo *vendor() {
    return reinterpret_cast<__EGLvendorInfo *>(&vendor_token);
}

const __EGLapiExports exports_table = {
    .threadInit = [] {},
    .getCurrentApi = []() -> EGLenum { return EGL_OPENGL_ES_API; },
    .getCurrentVendor = [] { return vendor(); },
    .getCurrentContext = []() -> EGLContext { return current.get().context; },
    .getCurrentDisplay = []() -> EGLDisplay {
        return current.get().owner ? current.get().owner->display : EGL_NO_DISPLAY;
    },
    .getCurrentSurface = [](EGLint) -> EGLSurface { return current.get().surface; },
    .fetchDispatchEntry = [](__EGLvendorInfo *, int) -> __eglMustCastToProperFunctionPointerType {
        return nullptr;
    },
    .setEGLError = [](EGLint) {},
    .setLastVendor = [](__EGLvendorInfo *) -> EGLBoolean { return EGL_TRUE; },
    .getVendorFromDisplay = [](EGLDisplay) { return vendor(); },
    .getVendorFromDevice = [](EGLDeviceEXT) { return vendor(); },
    .setVendorForDevice = [](EGLDeviceEXT, __EGLvendorInfo *) -> EGLBoolean { return EGL_TRUE; },
};

using get_proc = void *(*)(const char *);
using get_display = EGLDisplay (*)(EGLenum platform, void *native, const EGLAttrib *attribs);

struct entry {
    get_proc proc = nullptr;
    get_display display = nullptr;
};

// ANGLE is no glvnd vendor: its own library is opened by its full name and asked directly.
bool open_direct(void *lib, entry *out) {
    out->proc = reinterpret_cast<get_proc>(dlsym(lib, "eglGetProcAddress"));
    out->display = reinterpret_cast<get_display>(dlsym(lib, "eglGetPlatformDisplay"));
    return out->proc && out->display;
}

bool open_vendor(void *lib, entry *out) {
    auto egl_main = reinterpret_cast<__PFNEGLMAINPROC>(dlsym(lib, __EGL_MAIN_PROTO_NAME));
    if (!egl_main)
        return false;
    static __EGLapiImports imports;
    memset(&imports, 0, sizeof(imports));
    if (!egl_main(EGL_VENDOR_ABI_VERSION, &exports_table, vendor(), &imports))
        return false;
    out->proc = imports.getProcAddress;
    out->display = imports.getPlatformDisplay;
    return out->proc && out->display;
}

template <typename F> bool load(F *slot, get_proc proc, const char *name) {
    *slot = reinterpret_cast<F>(proc(name));
    return *slot != nullptr;
}

bool load_egl(egl_api *egl, get_proc proc) {
    return load(&egl->BindAPI, proc, "eglBindAPI") &&
           load(&egl->ChooseConfig, proc, "eglChooseConfig") &&
           load(&egl->CreateContext, proc, "eglCreateContext") &&
           load(&egl->CreatePbufferSurface, proc, "eglCreatePbufferSurface") &&
           load(&egl->CreateWindowSurface, proc, "eglCreateWindowSurface") &&
           load(&egl->DestroyContext, proc, "eglDestroyContext") &&
           load(&egl->DestroySurface, proc, "eglDestroySurface") &&
           load(&egl->GetConfigAttrib, proc, "eglGetConfigAttrib") &&
           load(&egl->GetError, proc, "eglGetError") &&
           load(&egl->Initialize, proc, "eglInitialize") &&
           load(&egl->MakeCurrent, proc, "eglMakeCurrent") &&
           load(&egl->QueryString, proc, "eglQueryString") &&
           load(&egl->QuerySurface, proc, "eglQuerySurface") &&
           load(&egl->SwapBuffers, proc, "eglSwapBuffers") &&
           load(&egl->SwapInterval, proc, "eglSwapInterval") &&
           load(&egl->Terminate, proc, "eglTerminate");
}

bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; p && (p = strstr(p, word)); p += n) {
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0))
            return true;
    }
    return false;
}

void load_images(host *h, get_proc proc, const char *ext) {
    image_api &images = h->images;
    if (!has_word(ext, "EGL_EXT_image_dma_buf_import") || !has_word(ext, "EGL_KHR_image_base") ||
        !load(&images.CreateImage, proc, "eglCreateImageKHR") ||
        !load(&images.DestroyImage, proc, "eglDestroyImageKHR")) {
        images = {};
        return;
    }
    if (has_word(ext, "EGL_EXT_image_dma_buf_import_modifiers") &&
        load(&images.QueryDmaBufFormats, proc, "eglQueryDmaBufFormatsEXT"))
        load(&images.QueryDmaBufModifiers, proc, "eglQueryDmaBufModifiersEXT");
    if (has_word(ext, "EGL_MESA_image_dma_buf_export") &&
        has_word(ext, "EGL_KHR_gl_texture_2D_image") &&
        load(&images.QueryExport, proc, "eglExportDMABUFImageQueryMESA"))
        load(&images.Export, proc, "eglExportDMABUFImageMESA");
}

EGLDisplay first_device(const entry &e) {
    auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(e.proc("eglQueryDevicesEXT"));
    EGLDeviceEXT devices[8];
    EGLint n = 0;
    if (!query || !query(8, devices, &n) || n < 1)
        return EGL_NO_DISPLAY;
    return e.display(EGL_PLATFORM_DEVICE_EXT, devices[0], nullptr);
}

// By either of its names.
PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC damage_swap(const char *ext, get_proc proc) {
    void *entry =
        has_word(ext, "EGL_KHR_swap_buffers_with_damage")   ? proc("eglSwapBuffersWithDamageKHR")
        : has_word(ext, "EGL_EXT_swap_buffers_with_damage") ? proc("eglSwapBuffersWithDamageEXT")
                                                            : nullptr;
    return reinterpret_cast<PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC>(entry);
}

bool open_display(host *h, const entry &e) {
    EGLDisplay candidates[2] = {EGL_NO_DISPLAY, EGL_NO_DISPLAY};
    if (h->platform != PIPE_PLATFORM_NONE) {
        candidates[0] = native_host_display(h, e.display);
    } else {
        candidates[0] = e.display(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr);
        candidates[1] = first_device(e);
    }
    for (EGLDisplay d : candidates) {
        EGLint major = 0, minor = 0;
        if (d != EGL_NO_DISPLAY && h->egl.Initialize(d, &major, &minor)) {
            h->display = d;
            break;
        }
    }
    if (h->display == EGL_NO_DISPLAY)
        return false;
    const char *ext = h->egl.QueryString(h->display, EGL_EXTENSIONS);
    bool no_config =
        has_word(ext, "EGL_KHR_no_config_context") || has_word(ext, "EGL_MESA_configless_context");
    bool surfaceless = has_word(ext, "EGL_KHR_surfaceless_context");
    h->robust = has_word(ext, "EGL_EXT_create_context_robustness");
    h->srgb_windows = has_word(ext, "EGL_KHR_gl_colorspace");
    h->egl.SwapBuffersWithDamage = damage_swap(ext, e.proc);
    load_images(h, e.proc, ext);
    if (no_config && surfaceless)
        return true;
    const EGLint want[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_ES3_BIT, EGL_NONE};
    EGLint n = 0;
    if (!h->egl.ChooseConfig(h->display, want, &h->config, 1, &n) || n < 1)
        return false;
    if (surfaceless)
        return true;
    const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    h->dummy = h->egl.CreatePbufferSurface(h->display, h->config, size);
    return h->dummy != EGL_NO_SURFACE;
}

struct display_key {
    uint32_t platform;
    const char *name;
    uint64_t native;
};

// Loads one library and opens its display.
host *try_library(const display_key &key, const std::string &name, bool direct, std::string *why) {
    void *lib = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!lib) {
        *why = dlerror();
        return nullptr;
    }
    entry e;
    auto h = new host;
    h->library = name;
    h->platform = key.platform;
    h->display_name = key.name;
    h->native_token = key.native;
    const char *missing = nullptr;
    if (!(direct ? open_direct(lib, &e) : open_vendor(lib, &e) || open_direct(lib, &e)))
        *why = name + " has no usable entry";
    else if (!load_egl(&h->egl, e.proc))
        *why = name + " lacks an EGL 1.4 function";
    else if (!open_display(h, e))
        *why = name + (key.platform ? " does not know the window system"
                                    : " offers no display without a window system");
    else if ((missing = gles_load(&h->gl, e.proc, gles_hooks_wanted())))
        *why = name + " lacks " + missing;
    else
        return h;
    native_host_close(h);
    delete h;
    return nullptr;
}

bool probe(host *h) {
    const current_state before = current.get();
    EGLContext c = host_context_create(h, EGL_NO_CONTEXT);
    if (c == EGL_NO_CONTEXT || !host_make_current(h, c))
        return false;
    host_probe(&h->gl, &h->info);
    host_make_current(before.owner ? before.owner : h, before.context);
    host_context_destroy(h, c);
    return true;
}

// Runs before the host's own exit handlers: a program that ends with its context current has none
// any more when the host's destructors run, and what still calls us later (exit handlers of ours
// and the program's, other threads) reaches nothing. May run again.
void leave(host *h) {
    if (h->process == getpid() && current.get().owner == h)
        host_make_current(h, EGL_NO_CONTEXT); // a forked child has it, but not the host's threads
    gles_unload(&h->gl);
    h->egl.CreateContext = [](EGLDisplay, EGLConfig, EGLContext, const EGLint *) -> EGLContext {
        return EGL_NO_CONTEXT;
    };
    h->egl.CreateWindowSurface = [](EGLDisplay, EGLConfig, EGLNativeWindowType,
                                    const EGLint *) -> EGLSurface { return EGL_NO_SURFACE; };
    h->egl.DestroyContext = [](EGLDisplay, EGLContext) -> EGLBoolean { return EGL_TRUE; };
    h->egl.DestroySurface = [](EGLDisplay, EGLSurface) -> EGLBoolean { return EGL_TRUE; };
    h->egl.MakeCurrent = [](EGLDisplay, EGLSurface, EGLSurface, EGLContext) -> EGLBoolean {
        return EGL_TRUE;
    };
    h->egl.QuerySurface = [](EGLDisplay, EGLSurface, EGLint, EGLint *) -> EGLBoolean {
        return EGL_FALSE;
    };
    h->egl.SwapBuffers = [](EGLDisplay, EGLSurface) -> EGLBoolean { return EGL_TRUE; };
    h->egl.SwapBuffersWithDamage = nullptr;
    h->egl.SwapInterval = [](EGLDisplay, EGLint) -> EGLBoolean { return EGL_TRUE; };
    h->egl.Terminate = [](EGLDisplay) -> EGLBoolean { return EGL_TRUE; };
    h->egl.BindAPI = [](EGLenum) -> EGLBoolean { return EGL_TRUE; };
    h->egl.GetError = []() -> EGLint { return EGL_SUCCESS; };
    if (h->images.CreateImage)
        h->images = {[](EGLDisplay, EGLContext, EGLenum, EGLClientBuffer,
                        const EGLint *) -> EGLImageKHR { return EGL_NO_IMAGE_KHR; },
                     [](EGLDisplay, EGLImageKHR) -> EGLBoolean { return EGL_TRUE; }, nullptr,
                     nullptr};
}

void leave_hosts() {
    for (host *h : hosts())
        leave(h);
}

// In a forked child: threads that it has not got may have had the anchor, or its locks.
void forget_anchors() {
    for (host *h : hosts()) {
        new (&h->anchor_mutex) std::mutex;
        new (&h->anchor_lock) std::mutex;
        h->anchored = false;
    }
}

struct candidate {
    const char *name;
    bool direct;
};

std::vector<candidate> candidates() {
    const char *wish = util::env_text(util::Env::HOST);
    if (!*wish)
        return {{"libEGL_mesa.so.0", false}, {"libEGL_nvidia.so.0", false}};
    if (!strcmp(wish, "mesa"))
        return {{"libEGL_mesa.so.0", false}};
    if (!strcmp(wish, "nvidia"))
        return {{"libEGL_nvidia.so.0", false}};
    bool angle = strstr(wish, "angle") || strstr(wish, "ANGLE");
    return {{!strcmp(wish, "angle") ? "libEGL_angle.so" : wish, angle}};
}

// With `hosts_lock`.
host *open_new(const display_key &key, std::string *reasons) {
    for (const candidate &c : candidates()) {
        std::string why;
        if (host *h = try_library(key, c.name, c.direct, &why)) {
            if (probe(h)) {
                h->process = getpid();
                if (hosts().empty()) {
                    util::first_at_exit(leave_hosts);
                    pthread_atfork(nullptr, nullptr, forget_anchors);
                }
                hosts().push_back(h);
                log_info("espryt", "host %s: %s, %s", c.name, h->info.version_text.c_str(),
                         h->info.renderer.c_str());
                return h;
            }
            native_host_close(h);
            why = std::string(c.name) + " makes no OpenGL ES 3.1 context";
        }
        *reasons += (reasons->empty() ? "" : "; ") + why;
    }
    return nullptr;
}

// With `hosts_lock`.
host *find_or_open(const display_key &key) {
    for (host *h : hosts()) {
        if (h->platform == key.platform && h->display_name == key.name &&
            h->native_token == key.native && native_host_alive(h))
            return h;
    }
    std::string reasons;
    if (host *h = open_new(key, &reasons))
        return h;
    if (key.platform != PIPE_PLATFORM_NONE) {
        log_info("espryt", "the host shows no windows: %s", reasons.c_str());
        for (host *h : hosts()) {
            if (h->platform == PIPE_PLATFORM_NONE)
                return h;
        }
        reasons.clear();
        if (host *h = open_new({PIPE_PLATFORM_NONE, "", 0}, &reasons))
            return h;
    }
    log_error("espryt", "no host OpenGL ES: %s", reasons.c_str());
    return nullptr;
}

} // namespace

host *host_open(uint32_t platform, const char *display_name, uint64_t native_display) {
    std::lock_guard<std::mutex> guard(hosts_lock);
    host *h = find_or_open({platform, display_name ? display_name : "", native_display});
    if (h)
        h->screens++;
    return h;
}

void host_close(host *h) {
    std::lock_guard<std::mutex> guard(hosts_lock);
    if (--h->screens || h->platform != PIPE_PLATFORM_WAYLAND)
        return;
    std::erase(hosts(), h);
    if (h->anchor != EGL_NO_CONTEXT)
        host_context_destroy(h, h->anchor);
    h->egl.Terminate(h->display);
    // Leaked: a surface that was never destroyed still names it.
}

EGLContext host_context_create(host *h, EGLContext share) {
    h->egl.BindAPI(EGL_OPENGL_ES_API);
    const int versions[] = {320, 310};
    for (int v : versions) {
        if (h->context_version && v != h->context_version)
            continue;
        std::vector<EGLint> attribs = {EGL_CONTEXT_MAJOR_VERSION, v / 100,
                                       EGL_CONTEXT_MINOR_VERSION, v / 10 % 10};
        if (h->robust)
            attribs.insert(attribs.end(), {EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGL_TRUE});
        attribs.push_back(EGL_NONE);
        EGLContext c = h->egl.CreateContext(h->display, h->config, share, attribs.data());
        if (c == EGL_NO_CONTEXT && h->robust) {
            attribs.resize(4);
            attribs.push_back(EGL_NONE);
            c = h->egl.CreateContext(h->display, h->config, share, attribs.data());
            if (c != EGL_NO_CONTEXT)
                h->robust = false;
        }
        if (c != EGL_NO_CONTEXT) {
            h->context_version = v;
            return c;
        }
    }
    log_error("espryt", "the host made no context (EGL error 0x%x)",
              static_cast<unsigned>(h->egl.GetError()));
    return EGL_NO_CONTEXT;
}

void host_context_destroy(host *h, EGLContext context) {
    if (current.get().context == context)
        host_make_current(h, EGL_NO_CONTEXT);
    h->egl.DestroyContext(h->display, context);
}

bool host_make_current(host *h, EGLContext context) {
    current_state &now = current.get();
    if (now.context == context)
        return true;
    if (now.context != EGL_NO_CONTEXT && now.owner != h) { // a host knows its own contexts only
        now.owner->egl.BindAPI(EGL_OPENGL_ES_API);
        now.owner->egl.MakeCurrent(now.owner->display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                                   EGL_NO_CONTEXT);
        now = {};
        if (context == EGL_NO_CONTEXT)
            return true;
    }
    h->egl.BindAPI(EGL_OPENGL_ES_API);
    EGLSurface s = context == EGL_NO_CONTEXT ? EGL_NO_SURFACE : h->dummy;
    if (!h->egl.MakeCurrent(h->display, s, s, context)) {
        log_error("espryt", "the host's make-current failed (EGL error 0x%x)",
                  static_cast<unsigned>(h->egl.GetError()));
        return false;
    }
    now = {h, context, EGL_NO_SURFACE};
    return true;
}

EGLContext host_current() {
    return current.get().context;
}

host *host_of_current() {
    return current.get().context == EGL_NO_CONTEXT ? nullptr : current.get().owner;
}

bool host_bind_surface(host *h, EGLSurface surface, EGLint *error) {
    current_state &now = current.get();
    if (now.surface == surface)
        return true;
    h->egl.BindAPI(EGL_OPENGL_ES_API);
    EGLSurface s = surface == EGL_NO_SURFACE ? h->dummy : surface;
    if (!h->egl.MakeCurrent(h->display, s, s, now.context)) {
        *error = h->egl.GetError();
        return false;
    }
    now.surface = surface;
    return true;
}

EGLSurface host_current_surface() {
    return current.get().surface;
}

} // namespace espryt
