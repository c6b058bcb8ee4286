/* SPDX-License-Identifier: MIT */
/* Preloaded into a program: appends the begin and the end of each of its swaps (ns of the monotonic
 * clock, two 64-bit words) to the file FRAME_TIMES names. Swaps are found however the program looks
 * them up: by linking, dlsym() or a GetProcAddress. A server of ours notes nothing: what it shows
 * is a frame of the program already. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
typedef void *(*lookup)(void *, const char *);
typedef void *(*address)(const char *);

static __thread int depth; /* a host's swap inside ours is no frame */

static lookup real_dlsym(void) {
    static lookup real;
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5", "GLIBC_2.0"};
    for (unsigned i = 0; !real && i < sizeof versions / sizeof *versions; i++)
        real = (lookup)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return real;
}

/* The library's own function; a plugin's libraries are in nobody's search order but its own. */
static void *real_function(const char *name) {
    void *found = real_dlsym()(RTLD_NEXT, name);
    static const char *const libraries[] = {"libEGL.so.1", "libGLX.so.0"};
    for (unsigned i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library)
            found = real_dlsym()(library, name);
    }
    return found;
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void note(uint64_t begin) {
    static int file = -2;
    if (file == -2) {
        const char *path = getenv("FRAME_TIMES");
        file = path && !getenv("MGPIPE_SERVER_CHILD")
                   ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                   : -1;
    }
    const uint64_t words[2] = {begin, now()};
    if (file >= 0 && write(file, words, sizeof words) != (ssize_t)sizeof words)
        file = -1;
}

/* X(result, name, parameters, arguments) */
#define SWAPS(X)                                                                                   \
    X(unsigned, eglSwapBuffers, (void *display, void *surface), (display, surface))                \
    X(unsigned, eglSwapBuffersWithDamageKHR,                                                       \
      (void *display, void *surface, const int *rects, int n), (display, surface, rects, n))       \
    X(unsigned, eglSwapBuffersWithDamageEXT,                                                       \
      (void *display, void *surface, const int *rects, int n), (display, surface, rects, n))       \
    X(int64_t, glXSwapBuffersMscOML,                                                               \
      (void *display, unsigned long drawable, int64_t target, int64_t divisor, int64_t remainder), \
      (display, drawable, target, divisor, remainder))

#define WRAP(result, name, parameters, arguments)                                                  \
    static result(*real_##name) parameters;                                                        \
    EXPORT result name parameters;                                                                 \
    result name parameters {                                                                       \
        const uint64_t begin = now();                                                              \
        if (!real_##name)                                                                          \
            real_##name = (result(*) parameters)real_function(#name);                              \
        if (!real_##name)                                                                          \
            return 0;                                                                              \
        depth++;                                                                                   \
        const result done = real_##name arguments;                                                 \
        if (!--depth)                                                                              \
            note(begin);                                                                           \
        return done;                                                                               \
    }
SWAPS(WRAP)

static void (*real_glXSwapBuffers)(void *, unsigned long);
EXPORT void glXSwapBuffers(void *display, unsigned long drawable);
void glXSwapBuffers(void *display, unsigned long drawable) {
    const uint64_t begin = now();
    if (!real_glXSwapBuffers)
        real_glXSwapBuffers = (void (*)(void *, unsigned long))real_function("glXSwapBuffers");
    if (!real_glXSwapBuffers)
        return;
    depth++;
    real_glXSwapBuffers(display, drawable);
    if (!--depth)
        note(begin);
}

EXPORT void *eglGetProcAddress(const char *name);
EXPORT void *glXGetProcAddress(const char *name);
EXPORT void *glXGetProcAddressARB(const char *name);

static address real_eglGetProcAddress, real_glXGetProcAddress, real_glXGetProcAddressARB;

/* What a program gets for `name` where the library has `found`. */
static void *instead(const char *name, void *found) {
    if (!found)
        return found;
#define SWAP(result, function, parameters, arguments)                                              \
    if (!strcmp(name, #function)) {                                                                \
        if (found != (void *)function)                                                             \
            real_##function = (result(*) parameters)found;                                         \
        return (void *)function;                                                                   \
    }
    SWAPS(SWAP)
    SWAP(void, glXSwapBuffers, (void *, unsigned long), )
#define ADDRESS(function) SWAP(void *, function, (const char *), )
    ADDRESS(eglGetProcAddress)
    ADDRESS(glXGetProcAddress)
    ADDRESS(glXGetProcAddressARB)
    return found;
}

#define WRAP_ADDRESS(function)                                                                     \
    void *function(const char *name) {                                                             \
        if (!real_##function)                                                                      \
            real_##function = (address)real_function(#function);                                   \
        return real_##function ? instead(name, real_##function(name)) : NULL;                      \
    }
WRAP_ADDRESS(eglGetProcAddress)
WRAP_ADDRESS(glXGetProcAddress)
WRAP_ADDRESS(glXGetProcAddressARB)

EXPORT void *dlsym(void *restrict library, const char *restrict name);
void *dlsym(void *restrict library, const char *restrict name) {
    /* The next one as seen from here is not the caller's next one, but for these names it is ours.
     */
    return instead(name, real_dlsym()(library, name));
}
