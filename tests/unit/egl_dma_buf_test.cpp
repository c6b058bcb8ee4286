// SPDX-License-Identifier: MIT
// The attributes of images of dma-bufs and their errors (EGL_EXT_image_dma_buf_import,
// EGL_EXT_image_dma_buf_import_modifiers).
#include "egl/image_dma_buf.h"

#include <catch2/catch.hpp>

#include <map>
#include <vector>

namespace {

using List = std::map<EGLAttrib, EGLAttrib>;

const List complete = {{EGL_WIDTH, 64},
                       {EGL_HEIGHT, 32},
                       {EGL_LINUX_DRM_FOURCC_EXT, 0x34325241},
                       {EGL_DMA_BUF_PLANE0_FD_EXT, 5},
                       {EGL_DMA_BUF_PLANE0_OFFSET_EXT, 128},
                       {EGL_DMA_BUF_PLANE0_PITCH_EXT, 256}};

EGLint parse(const List &list, gl::DmaBuf *out = nullptr) {
    std::vector<EGLAttrib> flat;
    for (const auto &[name, value] : list)
        flat.insert(flat.end(), {name, value});
    flat.push_back(EGL_NONE);
    gl::DmaBuf unused;
    const char *reason = nullptr;
    const EGLint error = egl::parse_dma_buf(flat.data(), out ? out : &unused, &reason);
    CHECK((error == EGL_SUCCESS) == !reason);
    return error;
}

EGLint with(EGLAttrib name, EGLAttrib value) {
    List list = complete;
    list[name] = value;
    return parse(list);
}

List with_modifier(uint64_t modifier) {
    List list = complete;
    list[EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT] = EGLAttrib(int32_t(modifier)); // as an EGLint has it
    list[EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT] = EGLAttrib(int32_t(modifier >> 32));
    return list;
}

} // namespace

TEST_CASE("what a dma-buf needs") {
    gl::DmaBuf out;
    REQUIRE(parse(complete, &out) == EGL_SUCCESS);
    CHECK(out.width == 64);
    CHECK(out.height == 32);
    CHECK(out.planes == 1);
    CHECK(out.fd[0] == 5);
    CHECK(out.offset[0] == 128);
    CHECK(out.pitch[0] == 256);
    CHECK_FALSE(out.has_modifier);
    for (const auto &[name, value] : complete) {
        List less = complete;
        less.erase(name);
        INFO(name);
        CHECK(parse(less) == EGL_BAD_PARAMETER);
    }
    const char *reason = nullptr;
    CHECK(egl::parse_dma_buf(nullptr, &out, &reason) == EGL_BAD_PARAMETER);
    CHECK(with(EGL_WIDTH, 0) == EGL_BAD_PARAMETER);
    CHECK(with(EGL_HEIGHT, -3) == EGL_BAD_PARAMETER);
    CHECK(with(EGL_DMA_BUF_PLANE0_FD_EXT, -1) == EGL_BAD_PARAMETER);
    CHECK(with(EGL_DMA_BUF_PLANE0_OFFSET_EXT, -1) == EGL_BAD_ACCESS);
    CHECK(with(EGL_DMA_BUF_PLANE0_PITCH_EXT, EGLAttrib(1) << 40) == EGL_BAD_ACCESS);
    CHECK(with(EGL_GL_TEXTURE_LEVEL, 0) == EGL_BAD_PARAMETER); // of another target
    CHECK(with(EGL_IMAGE_PRESERVED, EGL_TRUE) == EGL_SUCCESS);
}

TEST_CASE("formats of dma-bufs that there are not") {
    CHECK(with(EGL_LINUX_DRM_FOURCC_EXT, 0x3231564e) == EGL_BAD_MATCH); // NV12
    CHECK(with(EGL_LINUX_DRM_FOURCC_EXT, 0) == EGL_BAD_MATCH);
}

TEST_CASE("hints about YUV") {
    for (EGLAttrib value : {EGL_ITU_REC601_EXT, EGL_ITU_REC709_EXT, EGL_ITU_REC2020_EXT})
        CHECK(with(EGL_YUV_COLOR_SPACE_HINT_EXT, value) == EGL_SUCCESS);
    CHECK(with(EGL_YUV_COLOR_SPACE_HINT_EXT, EGL_YUV_FULL_RANGE_EXT) == EGL_BAD_ATTRIBUTE);
    for (EGLAttrib value : {EGL_YUV_FULL_RANGE_EXT, EGL_YUV_NARROW_RANGE_EXT})
        CHECK(with(EGL_SAMPLE_RANGE_HINT_EXT, value) == EGL_SUCCESS);
    CHECK(with(EGL_SAMPLE_RANGE_HINT_EXT, 0) == EGL_BAD_ATTRIBUTE);
    for (EGLAttrib name :
         {EGL_YUV_CHROMA_HORIZONTAL_SITING_HINT_EXT, EGL_YUV_CHROMA_VERTICAL_SITING_HINT_EXT}) {
        CHECK(with(name, EGL_YUV_CHROMA_SITING_0_EXT) == EGL_SUCCESS);
        CHECK(with(name, EGL_YUV_CHROMA_SITING_0_5_EXT) == EGL_SUCCESS);
        CHECK(with(name, EGL_ITU_REC601_EXT) == EGL_BAD_ATTRIBUTE);
    }
}

TEST_CASE("modifiers and planes") {
    constexpr uint64_t tiled = 0x03000000f0e1d2c3;
    gl::DmaBuf out;
    REQUIRE(parse(with_modifier(tiled), &out) == EGL_SUCCESS);
    CHECK(out.has_modifier);
    CHECK(out.modifier == tiled);
    REQUIRE(parse(with_modifier(gl::no_modifier), &out) == EGL_SUCCESS);
    CHECK_FALSE(out.has_modifier);
    CHECK(with(EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, 0) == EGL_BAD_PARAMETER);
    CHECK(with(EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, 0) == EGL_BAD_PARAMETER);

    // More planes than the format has are the modifier's.
    CHECK(with(EGL_DMA_BUF_PLANE1_FD_EXT, 6) == EGL_BAD_ATTRIBUTE);
    CHECK(with(EGL_DMA_BUF_PLANE2_PITCH_EXT, 6) == EGL_BAD_ATTRIBUTE);
    List two = with_modifier(tiled);
    two[EGL_DMA_BUF_PLANE1_FD_EXT] = 6;
    CHECK(parse(two) == EGL_BAD_PARAMETER); // incomplete
    two[EGL_DMA_BUF_PLANE1_OFFSET_EXT] = 4096;
    two[EGL_DMA_BUF_PLANE1_PITCH_EXT] = 64;
    CHECK(parse(two) == EGL_BAD_MATCH); // a plane without the modifier
    two[EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT] = two[EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT];
    CHECK(parse(two) == EGL_BAD_PARAMETER); // half of it
    two[EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT] = two[EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT];
    REQUIRE(parse(two, &out) == EGL_SUCCESS);
    CHECK(out.planes == 2);
    CHECK(out.fd[1] == 6);
    CHECK(out.offset[1] == 4096);
    two[EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT] = 1;
    CHECK(parse(two) == EGL_BAD_MATCH);
    // A hole before the last plane.
    List holed = with_modifier(tiled);
    holed[EGL_DMA_BUF_PLANE2_FD_EXT] = 6;
    CHECK(parse(holed) == EGL_BAD_PARAMETER);
}
