// SPDX-License-Identifier: MIT
// dma-bufs in the Espryt driver on a host of this file: which formats it lists, the image that the
// host is asked for, the texture of it, and that both go when they should.
#include <catch2/catch.hpp>

#include "espryt/espryt_dmabuf.h"
#include "espryt/espryt_public.h"

#include "pipe/pipe_fourcc.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

using namespace espryt;

namespace {

constexpr uint32_t argb = pipe_fourcc('A', 'R', '2', '4'), nv12 = pipe_fourcc('N', 'V', '1', '2');
constexpr uint64_t tiled = 0x0300000000606010;

struct Seen {
    std::map<EGLint, EGLint> attribs;
    int images = 0, textures = 0; // alive
    GLuint bound = 5;             // to GL_TEXTURE_2D
    GLuint shows = 0;             // the texture that shows the image
    EGLint error = EGL_SUCCESS;   // of the next image
    GLenum gl_error = GL_NO_ERROR;
    GLenum storage = 0; // of the last texture
    // What an export says.
    int fourcc = 0, planes = 1, descriptor = 1234;
    EGLuint64KHR modifier = tiled;
} seen;

EGLImageKHR create_image(EGLDisplay, EGLContext context, EGLenum target, EGLClientBuffer buffer,
                         const EGLint *attribs) {
    if (target == EGL_GL_TEXTURE_2D_KHR) {
        CHECK(context != EGL_NO_CONTEXT);
        CHECK(buffer);
    } else {
        CHECK(context == EGL_NO_CONTEXT);
        CHECK(target == EGL_LINUX_DMA_BUF_EXT);
        CHECK(!buffer);
    }
    seen.attribs.clear();
    for (; *attribs != EGL_NONE; attribs += 2)
        seen.attribs[attribs[0]] = attribs[1];
    if (seen.error != EGL_SUCCESS)
        return EGL_NO_IMAGE_KHR;
    seen.images++;
    return &seen;
}
EGLBoolean destroy_image(EGLDisplay, EGLImageKHR) {
    seen.images--;
    return EGL_TRUE;
}
EGLBoolean query_formats(EGLDisplay, EGLint max, EGLint *formats, EGLint *count) {
    const EGLint all[] = {EGLint(nv12), EGLint(argb)};
    std::copy_n(all, std::min(max, 2), formats);
    *count = 2;
    return EGL_TRUE;
}
EGLBoolean query_modifiers(EGLDisplay, EGLint, EGLint max, EGLuint64KHR *modifiers,
                           EGLBoolean *external, EGLint *count) {
    if (max) {
        modifiers[0] = 0, external[0] = EGL_TRUE;
        modifiers[1] = tiled, external[1] = EGL_FALSE;
    }
    *count = 2;
    return EGL_TRUE;
}

EGLBoolean query_export(EGLDisplay, EGLImageKHR, int *fourcc, int *planes,
                        EGLuint64KHR *modifiers) {
    if (fourcc)
        *fourcc = seen.fourcc;
    if (planes)
        *planes = seen.planes;
    if (modifiers)
        *modifiers = seen.modifier;
    return EGL_TRUE;
}
EGLBoolean export_image(EGLDisplay, EGLImageKHR, int *fds, EGLint *strides, EGLint *offsets) {
    *fds = seen.descriptor;
    *strides = 256;
    *offsets = 512;
    return seen.descriptor >= 0;
}

struct Host {
    host h;
    screen s{};
    int memory;

    Host() {
        // The table of formats is what a real host made of it.
        static pipe_screen *const real = espryt_create_screen(nullptr);
        REQUIRE(real);
        seen = {};
        h.egl.BindAPI = [](EGLenum) -> EGLBoolean { return EGL_TRUE; };
        h.egl.CreateContext = [](EGLDisplay, EGLConfig, EGLContext, const EGLint *) -> EGLContext {
            return &seen;
        };
        h.egl.MakeCurrent = [](EGLDisplay, EGLSurface, EGLSurface, EGLContext) -> EGLBoolean {
            return EGL_TRUE;
        };
        h.egl.GetError = []() -> EGLint { return seen.error; };
        h.images = {create_image,    destroy_image, query_formats,
                    query_modifiers, query_export,  export_image};
        h.info.has.set(static_cast<size_t>(feature::egl_image));
        gles &gl = h.gl;
        gl.GetIntegerv = [](GLenum, GLint *out) { *out = GLint(seen.bound); };
        gl.GenTextures = [](GLsizei, GLuint *out) { *out = GLuint(10 + ++seen.textures); };
        gl.DeleteTextures = [](GLsizei, const GLuint *) { seen.textures--; };
        gl.BindTexture = [](GLenum, GLuint name) { seen.bound = name; };
        gl.TexStorage2D = [](GLenum, GLsizei, GLenum format, GLsizei, GLsizei) {
            seen.storage = format;
        };
        gl.EGLImageTargetTexture2DOES = [](GLenum, GLeglImageOES) { seen.shows = seen.bound; };
        gl.GetError = []() -> GLenum { return seen.gl_error; };
        gl.Flush = [] {};
        s.host = &h;
        s.gl = &h.gl;
        init_dmabuf_functions(&s);
        memory = memfd_create("dma-buf", MFD_CLOEXEC);
        REQUIRE(ftruncate(memory, 64 * 64 * 4) == 0);
    }
    ~Host() { close(memory); }

    pipe_resource_import call(uint64_t modifier) const {
        pipe_resource_import p{};
        p.desc.resource = {1, 1};
        p.desc.target = PIPE_TEXTURE_2D;
        p.desc.format = PIPE_FORMAT_B8G8R8A8_UNORM;
        p.desc.width = 32, p.desc.height = 16;
        p.desc.depth = p.desc.layers = p.desc.levels = 1;
        p.fourcc = argb;
        p.num_planes = 1;
        p.modifier = modifier;
        p.offset[0] = 256;
        p.stride[0] = 128;
        p.fd[0] = memory;
        return p;
    }
    pipe_status import(const pipe_resource_import &p) { return s.resource_import(&s, &p); }
};

} // namespace

TEST_CASE("a host without images takes no dma-bufs") {
    Host h;
    CHECK(dmabuf_import(&h.h));
    h.h.images = {};
    CHECK_FALSE(dmabuf_import(&h.h));
    screen bare{};
    bare.host = &h.h;
    init_dmabuf_functions(&bare);
    CHECK_FALSE(bare.resource_import);
}

TEST_CASE("formats are those of OpenGL's own textures") {
    Host h;
    pipe_dmabuf_formats p{};
    pipe_dmabuf_formats_reply out{};
    REQUIRE(h.s.dmabuf_formats(&h.s, &p, &out) == PIPE_OK);
    REQUIRE(out.count == 1); // no YUV, nothing for external textures alone
    CHECK(out.pair[0].fourcc == argb);
    CHECK(out.pair[0].modifier == tiled);
}

TEST_CASE("an import is an image of the host and a texture of it") {
    Host h;
    REQUIRE(h.import(h.call(tiled)) == PIPE_OK);
    CHECK(seen.attribs[EGL_WIDTH] == 32);
    CHECK(seen.attribs[EGL_HEIGHT] == 16);
    CHECK(seen.attribs[EGL_LINUX_DRM_FOURCC_EXT] == EGLint(argb));
    CHECK(seen.attribs[EGL_DMA_BUF_PLANE0_FD_EXT] == h.memory);
    CHECK(seen.attribs[EGL_DMA_BUF_PLANE0_OFFSET_EXT] == 256);
    CHECK(seen.attribs[EGL_DMA_BUF_PLANE0_PITCH_EXT] == 128);
    CHECK(seen.attribs[EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT] == EGLint(tiled & 0xffffffff));
    CHECK(seen.attribs[EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT] == EGLint(tiled >> 32));
    CHECK_FALSE(seen.attribs.count(EGL_DMA_BUF_PLANE1_FD_EXT));
    resource *r = h.s.resources.find({1, 1});
    REQUIRE(r);
    CHECK(r->name.name == seen.shows);
    CHECK(seen.bound == 5); // as it was
    CHECK(seen.images == 1);
    CHECK(seen.textures == 1);
    // Another one in its place.
    pipe_resource_import again = h.call(pipe_modifier_none);
    again.desc.resource.gen++;
    REQUIRE(h.import(again) == PIPE_OK);
    CHECK_FALSE(seen.attribs.count(EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT)); // the host's to know
    CHECK(seen.images == 1);
    resource *second = h.s.resources.take({1, 2});
    REQUIRE(second);
    resource_unref(nullptr, &h.s, second);
    CHECK(seen.images == 0);
}

TEST_CASE("what the host refuses") {
    Host h;
    CHECK(h.import(h.call(0)) == PIPE_DECLINED); // for external textures alone
    pipe_resource_import p = h.call(tiled);
    p.fourcc = nv12;
    CHECK(h.import(p) == PIPE_DECLINED);
    p = h.call(tiled);
    p.fd[0] = -1;
    CHECK(h.import(p) == PIPE_ERROR);
    p = h.call(tiled);
    p.offset[0] = 64 * 64 * 4; // behind the memory
    CHECK(h.import(p) == PIPE_ERROR);
    CHECK(seen.attribs.empty());
    seen.error = EGL_BAD_MATCH;
    CHECK(h.import(h.call(tiled)) == PIPE_DECLINED);
    seen.error = EGL_BAD_ALLOC;
    CHECK(h.import(h.call(tiled)) == PIPE_ERROR);
    seen.error = EGL_SUCCESS;
    seen.gl_error = GL_INVALID_OPERATION; // an image, but no texture of it
    CHECK(h.import(h.call(tiled)) == PIPE_DECLINED);
    CHECK(seen.images == 0);
    CHECK(seen.textures == 0);
    CHECK_FALSE(h.s.resources.find({1, 1}));
}

TEST_CASE("an export is a texture, its image and the image's descriptor") {
    Host h;
    pipe_resource_export p{};
    p.desc.resource = {1, 1};
    p.desc.target = PIPE_TEXTURE_2D;
    p.desc.format = PIPE_FORMAT_R8G8B8A8_SRGB;
    p.desc.width = 32, p.desc.height = 16;
    p.desc.depth = p.desc.layers = p.desc.levels = 1;
    p.num_modifiers = 2;
    p.modifier[1] = tiled;
    pipe_resource_export_reply out{};
    const auto ask = [&] { return h.s.resource_export(&h.s, &p, &out); };
    // Mesa's own name for sRGB is as good as DRM's.
    for (const uint32_t fourcc : {pipe_fourcc('A', 'B', '2', '4'), 0x84324258u}) {
        seen.fourcc = int(fourcc);
        REQUIRE(ask() == PIPE_OK);
        CHECK(seen.storage == GL_SRGB8_ALPHA8);
        CHECK(seen.attribs[EGL_GL_TEXTURE_LEVEL_KHR] == 0);
        CHECK(seen.bound == 5); // as it was
        CHECK(out.modifier == tiled);
        CHECK(out.offset == 512);
        CHECK(out.stride == 256);
        CHECK(out.fd == 1234);
        resource *r = h.s.resources.take({1, 1});
        REQUIRE(r);
        CHECK(seen.images == 1);
        resource_unref(nullptr, &h.s, r);
        CHECK(seen.images == 0);
    }
    const int textures = seen.textures;
    const auto declined = [&] {
        CHECK(ask() == PIPE_DECLINED);
        CHECK(seen.images == 0);
        CHECK(seen.textures == textures);
        CHECK_FALSE(h.s.resources.find({1, 1}));
    };
    const Seen good = seen;
    seen.fourcc = int(argb); // other bytes
    declined();
    seen = good;
    seen.planes = 2;
    declined();
    seen = good;
    seen.modifier = 99;
    declined();
    seen = good;
    seen.descriptor = -1;
    declined();
    seen = good;
    seen.gl_error = GL_OUT_OF_MEMORY;
    declined();
    seen = good;
    p.desc.format = PIPE_FORMAT_R8_UNORM;
    declined();
    // Images alone are not enough.
    h.h.images.Export = nullptr;
    screen bare{};
    bare.host = &h.h;
    init_dmabuf_functions(&bare);
    CHECK(bare.resource_import);
    CHECK_FALSE(bare.resource_export);
}
