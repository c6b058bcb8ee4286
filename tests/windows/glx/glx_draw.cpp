// SPDX-License-Identifier: MIT
// What is drawn arrives: windows, pixmaps, pbuffers, resizes, swaps, textures of pixmaps.
#include "glx_harness.h"

#include <cstring>
#include <thread>

using namespace glxtest;

namespace {

// The lower half red, the upper half blue: GL's first row is at the bottom.
void draw_halves(int width, int height) {
    clear(1, 0, 0);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, height / 2, width, height - height / 2);
    clear(0, 0, 1);
    glDisable(GL_SCISSOR_TEST);
}

unsigned drawable_value(Display *dpy, GLXDrawable drawable, int attribute) {
    unsigned value = 12345;
    glXQueryDrawable(dpy, drawable, attribute, &value);
    return value;
}

uint32_t read_pixel(int x, int y) {
    uint8_t p[4] = {};
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return uint32_t(p[0]) << 16 | uint32_t(p[1]) << 8 | p[2];
}

} // namespace

GLX_TEST(window_shows_a_swap) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 64, 48);
    GLXContext context = make_context(dpy, config);
    CHECK(context && glXIsDirect(dpy, context));
    CHECK(glXMakeCurrent(dpy, window, context));
    CHECK(glXGetCurrentContext() == context && glXGetCurrentDrawable() == window &&
          glXGetCurrentReadDrawable() == window && glXGetCurrentDisplay() == dpy);
    GLint viewport[4] = {};
    glGetIntegerv(GL_VIEWPORT, viewport);
    CHECK_EQUAL(viewport[2], 64);
    CHECK_EQUAL(viewport[3], 48);
    draw_halves(64, 48);
    glXSwapBuffers(dpy, window);
    CHECK_EQUAL(shown_soon(dpy, window, 10, 5, 0x0000ff), 0x0000ffu);
    CHECK_EQUAL(shown(dpy, window, 10, 43), 0xff0000u);
    CHECK_EQUAL(glGetError(), GL_NO_ERROR);
    for (int i = 0; i < 20; i++) {
        clear(0, float(i % 2), 0);
        glXSwapBuffers(dpy, window);
    }
    CHECK_EQUAL(shown_soon(dpy, window, 10, 5, 0x00ff00), 0x00ff00u);
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    CHECK(!glXGetCurrentContext());
    glXDestroyContext(dpy, context);
    XDestroyWindow(dpy, window);
    XCloseDisplay(dpy);
}

GLX_TEST(window_by_visual_alone) {
    // A window of the screen's visual, as programs make them that never ask GLX.
    Display *dpy = open_display();
    const Window window = XCreateSimpleWindow(dpy, DefaultRootWindow(dpy), 0, 0, 40, 40, 0, 0, 0);
    XMapWindow(dpy, window);
    GLXContext context = make_context(dpy, config_with(dpy));
    CHECK(glXMakeCurrent(dpy, window, context)); // the server may not know the window yet
    clear(1, 1, 0);
    glXSwapBuffers(dpy, window);
    CHECK_EQUAL(shown_soon(dpy, window, 5, 5, 0xffff00), 0xffff00u);
    XCloseDisplay(dpy);
}

GLX_TEST(window_multisampled) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy, {GLX_SAMPLE_BUFFERS, 1, GLX_SAMPLES, 4});
    const Window window = make_window(dpy, config, 64, 48);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    draw_halves(64, 48);
    glXSwapBuffers(dpy, window);
    CHECK_EQUAL(shown_soon(dpy, window, 10, 5, 0x0000ff), 0x0000ffu);
    CHECK_EQUAL(shown(dpy, window, 10, 43), 0xff0000u);
    XCloseDisplay(dpy);
}

GLX_TEST(window_srgb) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy, {GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, True});
    const Window window = make_window(dpy, config, 32, 32);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    clear(0.5f, 0.5f, 0.5f);
    glXSwapBuffers(dpy, window);
    const uint32_t plain = shown_soon(dpy, window, 5, 5, 0x808080) & 0xff;
    CHECK(plain == 0x7f || plain == 0x80);
    glEnable(GL_FRAMEBUFFER_SRGB);
    clear(0.5f, 0.5f, 0.5f);
    glXSwapBuffers(dpy, window);
    const uint32_t coded = shown_soon(dpy, window, 5, 5, 0xbcbcbc) & 0xff;
    CHECK(coded >= 0xba && coded <= 0xbe);
    XCloseDisplay(dpy);
}

GLX_TEST(window_resizes) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 40, 40);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    for (int size : {40, 100, 30, 64}) {
        XResizeWindow(dpy, window, unsigned(size), unsigned(size + 1));
        clear(1, 1, 1); // a frame is under way
        XSync(dpy, False);
        for (int i = 0; i < 100 && int(drawable_value(dpy, window, GLX_WIDTH)) != size; i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        CHECK_EQUAL(int(drawable_value(dpy, window, GLX_WIDTH)), size);
        CHECK_EQUAL(int(drawable_value(dpy, window, GLX_HEIGHT)), size + 1);
        draw_halves(size, size + 1);
        glXSwapBuffers(dpy, window);
        CHECK_EQUAL(shown_soon(dpy, window, size - 1, 0, 0x0000ff), 0x0000ffu);
        CHECK_EQUAL(shown(dpy, window, size - 1, size), 0xff0000u);
    }
    XCloseDisplay(dpy);
}

GLX_TEST(window_single_buffered) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy, {GLX_DOUBLEBUFFER, False});
    CHECK_EQUAL(config_value(dpy, config, GLX_DOUBLEBUFFER), False);
    const Window window = make_window(dpy, config, 32, 32);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    GLint twofold = 7, buffer = 0;
    glGetIntegerv(GL_DOUBLEBUFFER, &twofold);
    glGetIntegerv(GL_DRAW_BUFFER, &buffer);
    CHECK_EQUAL(twofold, 0);
    CHECK_EQUAL(buffer, GL_FRONT);
    draw_halves(32, 32);
    glFlush();
    CHECK_EQUAL(shown_soon(dpy, window, 3, 3, 0x0000ff), 0x0000ffu);
    CHECK_EQUAL(shown(dpy, window, 3, 28), 0xff0000u);
    clear(0, 1, 0);
    glXSwapBuffers(dpy, window); // no effect, and no error
    glFinish();
    CHECK_EQUAL(shown_soon(dpy, window, 3, 3, 0x00ff00), 0x00ff00u);
    XCloseDisplay(dpy);
}

GLX_TEST(glx_window_and_read_drawable) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 32, 32);
    const GLXWindow named = glXCreateWindow(dpy, config, window, nullptr);
    CHECK(named != None && named != window);
    const int size[] = {GLX_PBUFFER_WIDTH, 32, GLX_PBUFFER_HEIGHT, 32, None};
    const GLXPbuffer pbuffer = glXCreatePbuffer(dpy, config, size);
    CHECK(pbuffer != None);
    CHECK_EQUAL(drawable_value(dpy, pbuffer, GLX_WIDTH), 32u);
    CHECK_EQUAL(drawable_value(dpy, pbuffer, GLX_FBCONFIG_ID),
                unsigned(config_value(dpy, config, GLX_FBCONFIG_ID)));
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeContextCurrent(dpy, pbuffer, pbuffer, context));
    draw_halves(32, 32);
    CHECK_EQUAL(read_pixel(3, 3), 0xff0000u);
    CHECK(glXMakeContextCurrent(dpy, named, pbuffer, context));
    CHECK(glXGetCurrentDrawable() == named && glXGetCurrentReadDrawable() == pbuffer);
    clear(0, 1, 0);
    CHECK_EQUAL(read_pixel(3, 3), 0xff0000u);
    CHECK_EQUAL(read_pixel(3, 28), 0x0000ffu);
    glBlitFramebuffer(0, 0, 32, 32, 0, 0, 32, 32, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glXSwapBuffers(dpy, named);
    CHECK_EQUAL(shown_soon(dpy, window, 3, 28, 0xff0000), 0xff0000u);
    CHECK_EQUAL(glGetError(), GL_NO_ERROR);
    Errors errors(dpy);
    CHECK(glXCreateWindow(dpy, config, window, nullptr) == None); // it has one
    errors.take_one(BadAlloc);
    glXDestroyWindow(dpy, named);
    glXDestroyPbuffer(dpy, pbuffer);
    clear(1, 1, 1); // both are current still
    glFinish();
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    CHECK(errors.take().empty());
    glXDestroyWindow(dpy, named);
    errors.take_one(errors.glx(12)); // GLXBadWindow
    glXDestroyPbuffer(dpy, pbuffer);
    errors.take_one(errors.glx(10)); // GLXBadPbuffer
    XCloseDisplay(dpy);
}

GLX_TEST(pbuffer_attributes) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy, {GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT});
    const int huge[] = {
        GLX_PBUFFER_WIDTH, 1 << 20, GLX_PBUFFER_HEIGHT, 4, GLX_LARGEST_PBUFFER, True, None};
    const GLXPbuffer largest = glXCreatePbuffer(dpy, config, huge);
    CHECK(largest != None);
    CHECK_EQUAL(int(drawable_value(dpy, largest, GLX_WIDTH)),
                config_value(dpy, config, GLX_MAX_PBUFFER_WIDTH));
    CHECK_EQUAL(drawable_value(dpy, largest, GLX_LARGEST_PBUFFER), unsigned(True));
    glXSelectEvent(dpy, largest, GLX_PBUFFER_CLOBBER_MASK);
    unsigned long mask = 0;
    glXGetSelectedEvent(dpy, largest, &mask);
    CHECK_EQUAL(mask, GLX_PBUFFER_CLOBBER_MASK);
    Errors errors(dpy);
    const int too_large[] = {GLX_PBUFFER_WIDTH, 1 << 20, GLX_PBUFFER_HEIGHT, 4, None};
    CHECK(glXCreatePbuffer(dpy, config, too_large) == None);
    errors.take_one(BadAlloc);
    unsigned value = 0;
    glXQueryDrawable(dpy, 0x7777777, GLX_WIDTH, &value);
    errors.take_one(errors.glx(2)); // GLXBadDrawable
    const auto create = proc<PFNGLXCREATEGLXPBUFFERSGIXPROC>("glXCreateGLXPbufferSGIX");
    const auto query = proc<PFNGLXQUERYGLXPBUFFERSGIXPROC>("glXQueryGLXPbufferSGIX");
    const auto destroy = proc<PFNGLXDESTROYGLXPBUFFERSGIXPROC>("glXDestroyGLXPbufferSGIX");
    const GLXPbuffer old = create(dpy, config, 20, 10, nullptr);
    CHECK(old != None);
    query(dpy, old, GLX_HEIGHT_SGIX, &value);
    CHECK_EQUAL(value, 10u);
    destroy(dpy, old);
    CHECK(errors.take().empty());
    XCloseDisplay(dpy);
}

GLX_TEST(pbuffer_float) {
    Display *dpy = open_display();
    const int wish[] = {GLX_RENDER_TYPE,
                        GLX_RGBA_FLOAT_BIT_ARB,
                        GLX_DRAWABLE_TYPE,
                        GLX_PBUFFER_BIT,
                        GLX_RED_SIZE,
                        16,
                        None};
    int count = 0;
    GLXFBConfig *found = glXChooseFBConfig(dpy, DefaultScreen(dpy), wish, &count);
    CHECK(found && count > 0);
    GLXFBConfig config = found[0];
    XFree(found);
    const int size[] = {GLX_PBUFFER_WIDTH, 8, GLX_PBUFFER_HEIGHT, 8, None};
    const GLXPbuffer pbuffer = glXCreatePbuffer(dpy, config, size);
    GLXContext context =
        make_context(dpy, config, nullptr, {GLX_RENDER_TYPE, GLX_RGBA_FLOAT_TYPE_ARB});
    CHECK(context && glXMakeCurrent(dpy, pbuffer, context));
    glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
    clear(4, 0.5f, 0);
    float pixel[4] = {};
    glReadPixels(2, 2, 1, 1, GL_RGBA, GL_FLOAT, pixel);
    CHECK(pixel[0] == 4 && pixel[1] == 0.5f);
    XCloseDisplay(dpy);
}

GLX_TEST(pixmap_is_drawn_to) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, config);
    const Pixmap pixmap =
        XCreatePixmap(dpy, DefaultRootWindow(dpy), 40, 30, unsigned(visual->depth));
    XFree(visual);
    const GLXPixmap named = glXCreatePixmap(dpy, config, pixmap, nullptr);
    CHECK(named != None);
    CHECK_EQUAL(drawable_value(dpy, named, GLX_WIDTH), 40u);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, named, context));
    draw_halves(40, 30);
    glFinish();
    CHECK_EQUAL(shown(dpy, pixmap, 3, 3), 0x0000ffu);
    CHECK_EQUAL(shown(dpy, pixmap, 3, 27), 0xff0000u);
    clear(0, 1, 0);
    glXSwapBuffers(dpy, named); // no effect on a pixmap
    glXWaitGL();
    CHECK_EQUAL(shown(dpy, pixmap, 3, 3), 0x00ff00u);
    Errors errors(dpy);
    const GLXPixmap twice = glXCreatePixmap(dpy, config, pixmap, nullptr);
    CHECK(twice != None && twice != named);
    glXDestroyPixmap(dpy, twice);
    glXDestroyPixmap(dpy, named);
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    CHECK(errors.take().empty());
    const Pixmap wrong = XCreatePixmap(dpy, DefaultRootWindow(dpy), 8, 8, 1);
    CHECK(glXCreatePixmap(dpy, config, wrong, nullptr) == None);
    errors.take_one(BadMatch);
    CHECK(glXCreatePixmap(dpy, config, 0x7777777, nullptr) == None);
    errors.take_one(BadPixmap);
    XCloseDisplay(dpy);
}

GLX_TEST(texture_from_pixmap) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy, {GLX_BIND_TO_TEXTURE_RGBA_EXT, True});
    XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, config);
    const Pixmap pixmap =
        XCreatePixmap(dpy, DefaultRootWindow(dpy), 16, 8, unsigned(visual->depth));
    XFree(visual);
    GC gc = XCreateGC(dpy, pixmap, 0, nullptr);
    XSetForeground(dpy, gc, 0xffff0000);
    XFillRectangle(dpy, pixmap, gc, 0, 0, 16, 4);
    XSetForeground(dpy, gc, 0xff0000ff);
    XFillRectangle(dpy, pixmap, gc, 0, 4, 16, 4);
    const int attribs[] = {GLX_TEXTURE_FORMAT_EXT, GLX_TEXTURE_FORMAT_RGB_EXT,
                           GLX_TEXTURE_TARGET_EXT, GLX_TEXTURE_2D_EXT, None};
    const GLXPixmap named = glXCreatePixmap(dpy, config, pixmap, attribs);
    CHECK(named != None);
    CHECK_EQUAL(drawable_value(dpy, named, GLX_TEXTURE_TARGET_EXT), unsigned(GLX_TEXTURE_2D_EXT));
    CHECK_EQUAL(drawable_value(dpy, named, GLX_Y_INVERTED_EXT), unsigned(True));
    const Window window = make_window(dpy, config, 16, 16);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    const auto bind = proc<PFNGLXBINDTEXIMAGEEXTPROC>("glXBindTexImageEXT");
    const auto release = proc<PFNGLXRELEASETEXIMAGEEXTPROC>("glXReleaseTexImageEXT");
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    // The program's own unpack state stays, and does no harm.
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 77);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 3);
    const auto texel = [&](int x, int y) {
        uint8_t all[16 * 8 * 4] = {};
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, all);
        const uint8_t *p = all + (y * 16 + x) * 4;
        return uint32_t(p[0]) << 16 | uint32_t(p[1]) << 8 | p[2];
    };
    XSync(dpy, False);
    bind(dpy, named, GLX_FRONT_LEFT_EXT, nullptr);
    GLint width = 0, row_length = 0;
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
    CHECK_EQUAL(width, 16);
    CHECK_EQUAL(texel(3, 0), 0xff0000u); // the pixmap's top row is the texture's first
    CHECK_EQUAL(texel(3, 7), 0x0000ffu);
    release(dpy, named, GLX_FRONT_LEFT_EXT);
    XSetForeground(dpy, gc, 0xff00ff00);
    XFillRectangle(dpy, pixmap, gc, 0, 0, 16, 8);
    XSync(dpy, False);
    bind(dpy, named, GLX_FRONT_LEFT_EXT, nullptr);
    CHECK_EQUAL(texel(3, 0), 0x00ff00u);
    glGetIntegerv(GL_UNPACK_ROW_LENGTH, &row_length);
    CHECK_EQUAL(row_length, 77);
    CHECK_EQUAL(glGetError(), GL_NO_ERROR);
    Errors errors(dpy);
    bind(dpy, named, 0x7777, nullptr);
    errors.take_one(BadValue);
    bind(dpy, window, GLX_FRONT_LEFT_EXT, nullptr);
    errors.take_one(errors.glx(3)); // GLXBadPixmap
    XCloseDisplay(dpy);
}

GLX_TEST(swap_control) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 32, 32);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    CHECK_EQUAL(drawable_value(dpy, window, GLX_SWAP_INTERVAL_EXT), 1u);
    const auto ext = proc<PFNGLXSWAPINTERVALEXTPROC>("glXSwapIntervalEXT");
    const auto mesa = proc<PFNGLXSWAPINTERVALMESAPROC>("glXSwapIntervalMESA");
    const auto mesa_get = proc<PFNGLXGETSWAPINTERVALMESAPROC>("glXGetSwapIntervalMESA");
    const auto sgi = proc<PFNGLXSWAPINTERVALSGIPROC>("glXSwapIntervalSGI");
    ext(dpy, window, 0);
    CHECK_EQUAL(drawable_value(dpy, window, GLX_SWAP_INTERVAL_EXT), 0u);
    CHECK_EQUAL(mesa_get(), 0);
    CHECK_EQUAL(mesa(2), 0);
    CHECK_EQUAL(drawable_value(dpy, window, GLX_SWAP_INTERVAL_EXT), 2u);
    ext(dpy, window, -1);
    CHECK_EQUAL(drawable_value(dpy, window, GLX_SWAP_INTERVAL_EXT), 1u);
    CHECK_EQUAL(drawable_value(dpy, window, GLX_LATE_SWAPS_TEAR_EXT), unsigned(True));
    CHECK_EQUAL(sgi(0), GLX_BAD_VALUE);
    CHECK_EQUAL(sgi(1), 0);
    CHECK_EQUAL(drawable_value(dpy, window, GLX_LATE_SWAPS_TEAR_EXT), unsigned(False));
    for (int interval : {0, 1}) {
        ext(dpy, window, interval);
        for (int i = 0; i < 5; i++) {
            clear(0, float(i & 1), 1);
            glXSwapBuffers(dpy, window);
        }
        CHECK_EQUAL(shown_soon(dpy, window, 5, 5, 0x0000ff), 0x0000ffu);
    }
    Errors errors(dpy);
    ext(dpy, 0x7777777, 1);
    CHECK_EQUAL(errors.take().size(), 1u);
    XCloseDisplay(dpy);
}

GLX_TEST(frame_counts) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 32, 32);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    int32_t numerator = 0, denominator = 0;
    CHECK(proc<PFNGLXGETMSCRATEOMLPROC>("glXGetMscRateOML")(dpy, window, &numerator, &denominator));
    const double rate = double(numerator) / denominator;
    CHECK(rate > 10 && rate < 1000);
    const auto values = proc<PFNGLXGETSYNCVALUESOMLPROC>("glXGetSyncValuesOML");
    int64_t ust = 0, msc = 0, sbc = -1, msc2 = 0, ust2 = 0, sbc2 = 0;
    CHECK(values(dpy, window, &ust, &msc, &sbc));
    CHECK(ust > 0 && sbc == 0);
    clear(0, 0, 1);
    glXSwapBuffers(dpy, window);
    const auto wait = proc<PFNGLXWAITFORMSCOMLPROC>("glXWaitForMscOML");
    CHECK(wait(dpy, window, msc + 3, 0, 0, &ust2, &msc2, &sbc2));
    CHECK(msc2 >= msc + 3 && msc2 < msc + 1000 && ust2 > ust && sbc2 == 1);
    CHECK(!wait(dpy, window, -1, 0, 0, &ust2, &msc2, &sbc2));
    CHECK(!wait(dpy, window, 0, 2, 2, &ust2, &msc2, &sbc2));
    CHECK(wait(dpy, window, 0, 4, 1, &ust2, &msc2, &sbc2));
    clear(0, 1, 0);
    const auto swap = proc<PFNGLXSWAPBUFFERSMSCOMLPROC>("glXSwapBuffersMscOML");
    CHECK_EQUAL(swap(dpy, window, msc2 + 2, 0, 0), 2);
    CHECK_EQUAL(shown_soon(dpy, window, 5, 5, 0x00ff00), 0x00ff00u);
    CHECK(proc<PFNGLXWAITFORSBCOMLPROC>("glXWaitForSbcOML")(dpy, window, 2, &ust2, &msc2, &sbc2));
    unsigned count = 0, later = 0;
    CHECK_EQUAL(proc<PFNGLXGETVIDEOSYNCSGIPROC>("glXGetVideoSyncSGI")(&count), 0);
    CHECK_EQUAL(proc<PFNGLXWAITVIDEOSYNCSGIPROC>("glXWaitVideoSyncSGI")(2, 1, &later), 0);
    CHECK(later >= count);
    XCloseDisplay(dpy);
}

GLX_TEST(buffer_age) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 32, 32);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    CHECK_EQUAL(drawable_value(dpy, window, GLX_BACK_BUFFER_AGE_EXT), 0u);
    clear(1, 0, 0);
    glXSwapBuffers(dpy, window);
    const unsigned age = drawable_value(dpy, window, GLX_BACK_BUFFER_AGE_EXT);
    CHECK_EQUAL(age, 1u);
    CHECK_EQUAL(read_pixel(3, 3), 0xff0000u); // what an age of 1 promises
    XCloseDisplay(dpy);
}
