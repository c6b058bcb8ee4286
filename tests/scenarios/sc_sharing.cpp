// SPDX-License-Identifier: MIT
// Contexts that share, threads that wait on each other, and EGL without windows.
#include "scenario.h"

#include <EGL/eglext.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

using namespace scenario;

namespace {

// Runs `body` on a thread of its own with a context of this share group.
template <typename F> std::thread on_thread(const Context &c, F body) {
    return std::thread([&c, body] {
        eglBindAPI(EGL_OPENGL_API);
        make_current(c);
        body();
        make_current({});
    });
}

void upload_and_draw(bool by_fence) {
    constexpr int kSize = 2048;
    const Context other = make_context(current().context);
    GLuint t = 0;
    GLsync fence = nullptr;
    on_thread(other, [&] {
        std::vector<uint32_t> texels(size_t(kSize) * kSize, 0xff00ff00u);
        t = texture_rgba8(kSize, kSize, texels.data());
        if (by_fence)
            fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        glFlush();
    }).join();
    if (fence) {
        glWaitSync(fence, 0, GL_TIMEOUT_IGNORED);
        glDeleteSync(fence);
    }
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(fill_program("texture(t, uv)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_RECT(0, 0, 64, 64, 0, 1, 0, 1);
    destroy(other);
}

bool egl_has(const char *name) {
    const char *all = eglQueryString(display(), EGL_EXTENSIONS);
    return all && strstr(all, name);
}

} // namespace

SCENARIO(sharing_contexts_wait_on_each_other) {
    const Context other = make_context(current().context);
    std::atomic<GLsync> sent{nullptr}, answered{nullptr};
    constexpr int kRounds = 300;
    std::thread b = on_thread(other, [&] {
        const GLuint p = fill_program("vec4(1)");
        glUseProgram(p);
        for (int i = 0; i < kRounds; i++) {
            GLsync s;
            while (!(s = sent.exchange(nullptr)))
                std::this_thread::yield();
            glWaitSync(s, 0, GL_TIMEOUT_IGNORED);
            glDeleteSync(s);
            draw_fill();
            const GLsync mine = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
            glFlush();
            answered = mine;
        }
    });
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    for (int i = 0; i < kRounds; i++) {
        draw_fill();
        const GLsync mine = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        glFlush();
        sent = mine;
        GLsync s;
        while (!(s = answered.exchange(nullptr)))
            std::this_thread::yield();
        glWaitSync(s, 0, GL_TIMEOUT_IGNORED);
        draw_fill();
        EXPECT(glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 10000000000ull) !=
               GL_TIMEOUT_EXPIRED);
        glDeleteSync(s);
    }
    b.join();
    EXPECT_PIXEL(3, 3, 0, 1, 0, 1);
    destroy(other);
}

// The place of a context that is gone, in its share group, is the next one's: who waited for the
// first has not waited for the second.
SCENARIO(sharing_contexts_follow_one_another) {
    constexpr int kSize = 512, kRounds = 8, kUploads = 12;
    const Context reader = current();
    std::vector<uint32_t> texels(size_t(kSize) * kSize, 0);
    const GLuint t = texture_rgba8(kSize, kSize, texels.data());
    GLuint fbo = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    for (int round = 1; round <= kRounds; round++) {
        const Context writer = make_context(reader.context);
        make_current(writer);
        glBindTexture(GL_TEXTURE_2D, t);
        for (int i = round == 1 ? 500 : 0; i; i--) // the first one sends more than all others
            glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels.data()),
                glFlush();
        for (int i = 1; i <= kUploads; i++) {
            std::fill(texels.begin(), texels.end(), i < kUploads ? 0u : 0x01010101u * round);
            glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE,
                            texels.data());
        }
        glFlush();
        make_current(reader);
        glBindTexture(GL_TEXTURE_2D, t);
        uint32_t got = 0;
        glReadPixels(kSize - 1, kSize - 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &got);
        EXPECT(got == 0x01010101u * round);
        destroy(writer);
    }
}

SCENARIO(sharing_upload_elsewhere_then_flush) {
    upload_and_draw(false);
}

SCENARIO(sharing_upload_elsewhere_then_fence) {
    upload_and_draw(true);
}

SCENARIO(sharing_context_hops_with_release_behaviour) {
    if (!egl_has("EGL_KHR_context_flush_control"))
        skip("no EGL_KHR_context_flush_control");
    for (const EGLint behaviour :
         {EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR, EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR}) {
        const Context c =
            make_context(EGL_NO_CONTEXT, {EGL_CONTEXT_RELEASE_BEHAVIOR_KHR, behaviour});
        GLuint p = 0;
        for (int i = 0; i < 16; i++)
            on_thread(c, [&, i] {
                GLint got = -1;
                glGetIntegerv(GL_CONTEXT_RELEASE_BEHAVIOR, &got);
                EXPECT(glGetError() != GL_NO_ERROR ||
                       (got == GL_NONE) == (behaviour == EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR));
                if (!p)
                    p = fill_program("vec4(1, 0, c, 1)", "uniform float c;");
                glUseProgram(p);
                glUniform1f(glGetUniformLocation(p, "c"), float(i) / 15);
                draw_fill();
                if (i % 4 == 3)
                    EXPECT_PIXEL(2, 2, 1, 0, float(i) / 15, 1);
            }).join();
        destroy(c);
    }
}

SCENARIO(sharing_equal_programs_deleted) {
    const GLuint live = fill_program("vec4(0, 0, 1, 1)"), dead = fill_program("vec4(0, 0, 1, 1)");
    glUseProgram(live);
    draw_fill();
    glDeleteProgram(dead);
    clear_color(0, 0, 0, 1);
    draw_fill();
    EXPECT_PIXEL(5, 5, 0, 0, 1, 1);
}

SCENARIO(sharing_swaps_from_two_threads) {
    // Storms of swaps, new surfaces and read-backs on two threads.
    Context c[2] = {make_context(current().context), make_context(current().context)};
    std::thread t[2];
    for (int k = 0; k < 2; k++)
        t[k] = std::thread([&, k] {
            eglBindAPI(EGL_OPENGL_API);
            for (int round = 0; round < 6; round++) {
                const EGLint size[] = {EGL_WIDTH, 16 + round * 8, EGL_HEIGHT, 16, EGL_NONE};
                const EGLSurface old = c[k].surface;
                c[k].surface = eglCreatePbufferSurface(display(), config(), size);
                make_current(c[k]);
                eglDestroySurface(display(), old);
                for (int i = 0; i < 30; i++) {
                    clear_color(float(k), float(i) / 29, 1, 1);
                    eglSwapBuffers(display(), c[k].surface);
                }
                clear_color(float(k), 0, 1, 1);
                EXPECT_PIXEL(15 + round * 8, 15, float(k), 0, 1, 1);
            }
            make_current({});
        });
    for (std::thread &one : t)
        one.join();
    for (const Context &one : c)
        destroy(one);
}

SCENARIO(egl_every_headless_platform) {
    // The default display, the surfaceless one and each device: a context, or a clean refusal.
    std::vector<EGLDisplay> all{eglGetDisplay(EGL_DEFAULT_DISPLAY), display()};
    const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    EXPECT(client != nullptr);
    if (client && strstr(client, "EGL_EXT_platform_device")) {
        const auto query =
            reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
        EGLDeviceEXT devices[16];
        EGLint n = 0;
        if (query && query(16, devices, &n))
            for (EGLint i = 0; i < n; i++)
                all.push_back(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr));
    }
    make_current({});
    int worked = 0;
    for (const EGLDisplay d : all) {
        if (d == EGL_NO_DISPLAY || (d != display() && !eglInitialize(d, nullptr, nullptr)))
            continue;
        eglBindAPI(EGL_OPENGL_API);
        const EGLint want[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                               EGL_OPENGL_BIT, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint n = 0;
        if (!eglChooseConfig(d, want, &config, 1, &n) || !n)
            continue;
        const EGLint list[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1,
                               EGL_NONE};
        const EGLContext c = eglCreateContext(d, config, EGL_NO_CONTEXT, list);
        if (c == EGL_NO_CONTEXT)
            continue;
        EXPECT(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c));
        target(4, 4);
        clear_color(0, 1, 1, 1);
        EXPECT_PIXEL(1, 1, 0, 1, 1, 1);
        EXPECT(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
        eglDestroyContext(d, c);
        worked++;
    }
    EXPECT(worked >= 1);
    make_current(current());
}

SCENARIO(egl_bound_api_decides) {
    // OpenGL ES is what a thread has until it binds OpenGL; without ES contexts: a clean refusal.
    EGLenum api = 0;
    std::thread([&] { api = eglQueryAPI(); }).join();
    EXPECT_EQ(api, EGLenum(EGL_OPENGL_ES_API));
    eglBindAPI(EGL_OPENGL_ES_API);
    const EGLint es[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    const EGLContext c = eglCreateContext(display(), config(), EGL_NO_CONTEXT, es);
    EXPECT(c != EGL_NO_CONTEXT || eglGetError() != EGL_SUCCESS);
    if (c != EGL_NO_CONTEXT)
        eglDestroyContext(display(), c);
    eglBindAPI(EGL_OPENGL_API);
    const Context gl = make_context();
    make_current(gl);
    EXPECT(strncmp(reinterpret_cast<const char *>(glGetString(GL_VERSION)), "OpenGL ES", 9) != 0);
    glDeleteProgram(fill_program("vec4(1)"));
    make_current(current());
    destroy(gl);
}

SCENARIO(egl_surface_of_two_threads) {
    // A surface that is current elsewhere is refused; the same context without one is fine there.
    const Context other = make_context(current().context);
    EGLBoolean taken = EGL_TRUE, bare = EGL_FALSE;
    EGLint code = 0;
    std::thread([&] {
        eglBindAPI(EGL_OPENGL_API);
        taken = eglMakeCurrent(display(), current().surface, current().surface, other.context);
        code = eglGetError();
        bare = eglMakeCurrent(display(), EGL_NO_SURFACE, EGL_NO_SURFACE, other.context);
        target(4, 4);
        clear_color(1, 0, 0, 1);
        EXPECT_PIXEL(0, 0, 1, 0, 0, 1);
        make_current({});
    }).join();
    EXPECT(!taken && code == EGL_BAD_ACCESS);
    EXPECT(bare);
    destroy(other);
}

SCENARIO(egl_errors_of_contexts_and_surfaces) {
    const EGLint list[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
    const EGLint impossible[] = {EGL_CONTEXT_MAJOR_VERSION, 9, EGL_CONTEXT_MINOR_VERSION, 9,
                                 EGL_NONE};
    EXPECT(eglCreateContext(display(), config(), EGL_NO_CONTEXT, impossible) == EGL_NO_CONTEXT);
    EXPECT_EQ(eglGetError(), EGL_BAD_MATCH);
    const EGLContext nowhere = reinterpret_cast<EGLContext>(uintptr_t(0x7b0));
    EXPECT(eglCreateContext(display(), config(), nowhere, list) == EGL_NO_CONTEXT);
    EXPECT_EQ(eglGetError(), EGL_BAD_CONTEXT);
    EXPECT(eglCreateWindowSurface(display(), config(), EGLNativeWindowType(0), nullptr) ==
           EGL_NO_SURFACE);
    const EGLint e = eglGetError();
    EXPECT(e == EGL_BAD_NATIVE_WINDOW || e == EGL_BAD_MATCH);
    const EGLDisplay second = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (second == EGL_NO_DISPLAY || second == display() || !eglInitialize(second, nullptr, nullptr))
        return;
    const EGLint want[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint n = 0;
    if (eglChooseConfig(second, want, &config, 1, &n) && n) {
        EXPECT(eglCreateContext(second, config, current().context, list) == EGL_NO_CONTEXT);
        const EGLint code = eglGetError();
        EXPECT(code == EGL_BAD_MATCH || code == EGL_BAD_CONTEXT);
    }
}

SCENARIO(egl_pointers_can_be_called) {
    // A pointer that is not null may be called; what GL lacks is an error, never a crash.
    const auto image =
        reinterpret_cast<PFNGLBINDIMAGETEXTUREPROC>(eglGetProcAddress("glBindImageTexture"));
    if (image)
        image(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
    const auto textures =
        reinterpret_cast<PFNGLCREATETEXTURESPROC>(eglGetProcAddress("glCreateTextures"));
    GLuint t = 0;
    if (textures)
        textures(GL_TEXTURE_2D, 1, &t);
    const auto spirv =
        reinterpret_cast<PFNGLSPECIALIZESHADERPROC>(eglGetProcAddress("glSpecializeShader"));
    if (spirv)
        spirv(0, "main", 0, nullptr, nullptr);
    while (glGetError() != GL_NO_ERROR) {
    }
    clear_color(0, 1, 0, 1);
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
}

// What one context reads and flushes by giving way, the next one on that thread writes only
// afterwards.
SCENARIO(sharing_read_before_the_next_context_writes) {
    const uint8_t red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255};
    const GLuint t = texture_rgba8(1, 1, red);
    target(64, 64);
    const Context other = make_context(current().context);
    for (int round = 0; round < 5; round++) {
        make_current(other); // the only one that writes
        glBindTexture(GL_TEXTURE_2D, t);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, red);
        make_current(current());
        glBindTexture(GL_TEXTURE_2D, t);
        // The driver makes it at the first draw, and the other lane overtakes if it may.
        const GLuint p = fill_program("texture(t, uv) * scale + vec4(0, 0, 0, " +
                                          std::to_string(round + 1) + ")",
                                      "uniform sampler2D t;\nuniform float scale;");
        glUseProgram(p);
        const GLint scale = glGetUniformLocation(p, "scale");
        for (int i = 0; i < 500; i++) { // each a record of its own, many to publish
            glUniform1f(scale, float(i) / 499);
            draw_fill();
        }
        make_current(other);
        glBindTexture(GL_TEXTURE_2D, t);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, green);
        glFlush();
        make_current(current());
        EXPECT_PIXEL(20, 20, 1, 0, 0, 1);
    }
    destroy(other);
}

// A query's context gives way to another one and comes back; its result is not lost meanwhile.
SCENARIO(sharing_query_of_a_context_that_gave_way) {
    target(16, 16);
    const GLuint p = fill_program("vec4(1)");
    glUseProgram(p);
    const Context other = make_context(current().context);
    GLuint q;
    glGenQueries(1, &q);
    for (int i = 0; i < 8; i++) {
        make_current(current());
        glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
        draw_fill();
        glEndQuery(GL_ANY_SAMPLES_PASSED);
        make_current(other);
        std::this_thread::sleep_for(std::chrono::milliseconds(8)); // whoever looks, looks now
        glFinish();
        make_current(current());
        GLuint passed = 0;
        glGetQueryObjectuiv(q, GL_QUERY_RESULT, &passed);
        EXPECT(passed == 1);
    }
    destroy(other);
}
