// SPDX-License-Identifier: MIT
// Contexts: several, shared, on several threads; make-current; surfaceless; no-error; robustness.
#include "scenario.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace scenario;

SCENARIO(context_two_interleaved) {
    const Context other = make_context();
    for (int i = 0; i < 6; i++) {
        make_current(i & 1 ? other : current());
        glClearColor(float(i) / 5, i & 1 ? 1.0f : 0.0f, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        EXPECT_PIXEL(5, 5, float(i) / 5, i & 1 ? 1.0f : 0.0f, 0, 1);
    }
    make_current(current());
    EXPECT_PIXEL(5, 5, 0.8f, 0, 0, 1);
    destroy(other);
}

SCENARIO(context_state_is_its_own) {
    glEnable(GL_BLEND);
    glViewport(1, 2, 3, 4);
    const Context other = make_context();
    make_current(other);
    EXPECT(!glIsEnabled(GL_BLEND));
    GLint v[4];
    glGetIntegerv(GL_VIEWPORT, v);
    EXPECT(v[2] == 64 && v[3] == 64);
    make_current(current());
    EXPECT(glIsEnabled(GL_BLEND));
    destroy(other);
}

SCENARIO(context_share_group_objects) {
    const uint8_t red[4] = {255, 0, 0, 255};
    const GLuint t = texture_rgba8(1, 1, red);
    const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
    glFlush();
    const Context other = make_context(current().context);
    make_current(other);
    EXPECT(glIsTexture(t) && glIsProgram(p));
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(3, 3, 1, 0, 0, 1);
    const uint8_t green[4] = {0, 255, 0, 255};
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, green);
    glFinish();
    make_current(current());
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(3, 3, 0, 1, 0, 1);
    destroy(other);
}

SCENARIO(context_two_threads_share_group) {
    // One thread uploads, the other draws; a fence and a flag order them.
    const Context loader = make_context(current().context);
    std::atomic<int> ready{0}, done{0};
    const GLuint t = texture_rgba8(64, 64, nullptr);
    glFinish();
    std::thread thread([&] {
        make_current(loader);
        for (int i = 1; i <= 20; i++) {
            while (done.load() != i - 1)
                std::this_thread::yield();
            std::vector<uint8_t> texels(64 * 64 * 4, uint8_t(i * 10));
            glBindTexture(GL_TEXTURE_2D, t);
            glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 64, 64, GL_RGBA, GL_UNSIGNED_BYTE,
                            texels.data());
            glFinish();
            ready.store(i);
        }
        make_current({});
    });
    glUseProgram(fill_program("texture(t, uv)", "uniform sampler2D t;"));
    for (int i = 1; i <= 20; i++) {
        while (ready.load() != i)
            std::this_thread::yield();
        glBindTexture(GL_TEXTURE_2D, t);
        draw_fill();
        EXPECT_PIXEL(31, 31, float(i * 10) / 255, float(i * 10) / 255, float(i * 10) / 255,
                     float(i * 10) / 255);
        done.store(i);
    }
    thread.join();
    destroy(loader);
}

SCENARIO(context_threads_of_their_own) {
    // Four contexts without a share group, each drawing on its own thread.
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++)
        threads.emplace_back([&good, k] {
            const Context c = make_context();
            make_current(c);
            const GLuint p = fill_program("vec4(v, 0, 1, 1)", "uniform float v;");
            glUseProgram(p);
            bool ok = true;
            for (int i = 0; i < 30; i++) {
                const float v = float((i * 7 + k * 3) % 16) / 15;
                glUniform1f(glGetUniformLocation(p, "v"), v);
                draw_fill();
                ok = ok && near(pixel(8, 8), {v, 0, 1, 1}, 0.01f);
            }
            good += ok;
            make_current({});
            destroy(c);
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(good.load(), 4);
}

SCENARIO(sharing_four_threads_draw) {
    // One share group: a program and a texture that all of them use, objects that come and go, each
    // thread's own; nobody waits for anybody.
    const GLuint p = fill_program("texture(shared_one, uv) * texture(own, uv)",
                                  "uniform sampler2D shared_one, own;");
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "own"), 1);
    const std::vector<uint8_t> white(16 * 16 * 4, 255);
    const GLuint common = texture_rgba8(16, 16, white.data());
    glFinish();
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    std::vector<Context> contexts;
    for (int k = 0; k < 4; k++)
        contexts.push_back(make_context(current().context));
    for (int k = 0; k < 4; k++)
        threads.emplace_back([&, k] {
            make_current(contexts[size_t(k)]);
            glUseProgram(p);
            bool ok = true;
            for (int i = 0; i < 20; i++) {
                const auto value = uint8_t((i * 50 + k * 3) % 256);
                const std::vector<uint8_t> texels(8 * 8 * 4, value);
                const GLuint own = texture_rgba8(8, 8, texels.data());
                glBindTexture(GL_TEXTURE_2D, common);
                glActiveTexture(GL_TEXTURE1);
                glBindTexture(GL_TEXTURE_2D, own);
                const GLuint pack = buffer(GL_PIXEL_PACK_BUFFER, nullptr, 4, GL_STREAM_READ);
                draw_fill();
                uint8_t got[4] = {};
                for (int turn = 0; turn < 2; turn++) {
                    glReadPixels(8, 8, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
                    glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, 4, got);
                    ok = ok && got[0] == value && got[3] == value;
                }
                glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
                glDeleteBuffers(1, &pack);
                glDeleteTextures(1, &own);
            }
            good += ok;
            make_current({});
        });
    for (std::thread &t : threads)
        t.join();
    for (const Context &c : contexts)
        destroy(c);
    EXPECT_EQ(good.load(), 4);
}

SCENARIO(context_moves_between_threads) {
    const Context c = current();
    make_current({});
    for (int k = 0; k < 4; k++) {
        std::thread([&c, k] {
            make_current(c);
            glClearColor(float(k) / 3, 0, 0, 1);
            glClear(GL_COLOR_BUFFER_BIT);
            EXPECT_PIXEL(1, 1, float(k) / 3, 0, 0, 1);
            make_current({});
        }).join();
    }
    make_current(c);
}

SCENARIO(context_current_elsewhere_is_refused) {
    EGLBoolean ok = EGL_TRUE;
    EGLint code = 0;
    std::thread([&] {
        eglBindAPI(EGL_OPENGL_API);
        ok = eglMakeCurrent(display(), current().surface, current().surface, current().context);
        code = eglGetError();
    }).join();
    EXPECT(ok == EGL_FALSE && code == EGL_BAD_ACCESS);
}

SCENARIO(context_surfaceless) {
    EXPECT(eglMakeCurrent(display(), EGL_NO_SURFACE, EGL_NO_SURFACE, current().context));
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum(GL_FRAMEBUFFER_UNDEFINED));
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    glUseProgram(fill_program("vec4(1)"));
    draw_fill();
    EXPECT_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    uint8_t untouched[4] = {7, 7, 7, 7};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, untouched);
    EXPECT_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    EXPECT_EQ(untouched[0], 7);
    target(4, 4);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
}

SCENARIO(context_no_error) {
    if (!strstr(eglQueryString(display(), EGL_EXTENSIONS), "EGL_KHR_create_context_no_error"))
        skip("no EGL_KHR_create_context_no_error");
    const Context c = make_context(EGL_NO_CONTEXT, {EGL_CONTEXT_OPENGL_NO_ERROR_KHR, EGL_TRUE});
    make_current(c);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(1, 1, 0, 0, 1, 1);
    make_current(current());
    destroy(c);
}

SCENARIO(context_robust) {
    const Context c = make_context(EGL_NO_CONTEXT, {EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE,
                                                    EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                                    EGL_LOSE_CONTEXT_ON_RESET});
    make_current(c);
    GLint flags = 0, strategy = 0;
    glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
    glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY, &strategy);
    EXPECT(flags & GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT);
    EXPECT_EQ(strategy, GL_LOSE_CONTEXT_ON_RESET);
    if (version() >= 45)
        EXPECT_EQ(glGetGraphicsResetStatus(), GLenum(GL_NO_ERROR));
    make_current(current());
    destroy(c);
}

SCENARIO(context_handle_recycling) {
    for (int i = 0; i < 12; i++) {
        const Context c = make_context();
        make_current(c);
        glClearColor(float(i) / 11, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        EXPECT_PIXEL(0, 0, float(i) / 11, 0, 0, 1);
        make_current(current());
        destroy(c);
    }
}

SCENARIO(context_multisample_surface) {
    const Context c = make_context(EGL_NO_CONTEXT, {}, 32, 32, 4);
    make_current(c);
    GLint samples = 0;
    glGetIntegerv(GL_SAMPLES, &samples);
    EXPECT_EQ(samples, 4);
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLuint dst = target(32, 32).fbo;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 32, 32, 0, 0, 32, 32, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, dst);
    EXPECT_PIXEL(4, 4, 1, 0, 1, 1);
    make_current(current());
    destroy(c);
}

SCENARIO(context_egl_fence) {
    const EGLSync s = eglCreateSync(display(), EGL_SYNC_FENCE, nullptr);
    EXPECT(s != EGL_NO_SYNC);
    EXPECT(eglClientWaitSync(display(), s, EGL_SYNC_FLUSH_COMMANDS_BIT, EGL_FOREVER) ==
           EGL_CONDITION_SATISFIED);
    EGLAttrib status = 0;
    EXPECT(eglGetSyncAttrib(display(), s, EGL_SYNC_STATUS, &status) && status == EGL_SIGNALED);
    EXPECT(eglDestroySync(display(), s));
}

SCENARIO(context_makes_16_round_robin) {
    std::vector<Context> all;
    for (int i = 0; i < 16; i++)
        all.push_back(make_context());
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 16; i++) {
            make_current(all[size_t(i)]);
            if (round == 0) {
                glClearColor(float(i) / 15, 0, 0, 1);
                glClear(GL_COLOR_BUFFER_BIT);
            }
            EXPECT_PIXEL(7, 7, float(i) / 15, 0, 0, 1);
        }
    make_current(current());
    for (const Context &c : all)
        destroy(c);
}
