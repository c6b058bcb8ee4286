// SPDX-License-Identifier: MIT
// See image_dma_buf.h.
#include "image_dma_buf.h"

#include "egl_api.h"
#include "gl_binding.h"

#include "util/log.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace egl {

namespace {

// Each at most once in effect: the last one counts.
struct Plane {
    std::optional<EGLAttrib> fd, offset, pitch, low, high;
    bool any() const { return fd || offset || pitch || low || high; }
};

struct Attribs {
    std::optional<EGLAttrib> width, height, fourcc;
    Plane planes[4];
};

// Null: not of a plane.
std::optional<EGLAttrib> *plane_slot(Attribs &a, EGLAttrib name) {
    constexpr struct {
        EGLAttrib name;
        std::optional<EGLAttrib> Plane::*slot;
        unsigned plane;
    } table[] = {
        {EGL_DMA_BUF_PLANE0_FD_EXT, &Plane::fd, 0},
        {EGL_DMA_BUF_PLANE0_OFFSET_EXT, &Plane::offset, 0},
        {EGL_DMA_BUF_PLANE0_PITCH_EXT, &Plane::pitch, 0},
        {EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, &Plane::low, 0},
        {EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, &Plane::high, 0},
        {EGL_DMA_BUF_PLANE1_FD_EXT, &Plane::fd, 1},
        {EGL_DMA_BUF_PLANE1_OFFSET_EXT, &Plane::offset, 1},
        {EGL_DMA_BUF_PLANE1_PITCH_EXT, &Plane::pitch, 1},
        {EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT, &Plane::low, 1},
        {EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT, &Plane::high, 1},
        {EGL_DMA_BUF_PLANE2_FD_EXT, &Plane::fd, 2},
        {EGL_DMA_BUF_PLANE2_OFFSET_EXT, &Plane::offset, 2},
        {EGL_DMA_BUF_PLANE2_PITCH_EXT, &Plane::pitch, 2},
        {EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT, &Plane::low, 2},
        {EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT, &Plane::high, 2},
        {EGL_DMA_BUF_PLANE3_FD_EXT, &Plane::fd, 3},
        {EGL_DMA_BUF_PLANE3_OFFSET_EXT, &Plane::offset, 3},
        {EGL_DMA_BUF_PLANE3_PITCH_EXT, &Plane::pitch, 3},
        {EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT, &Plane::low, 3},
        {EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT, &Plane::high, 3},
    };
    for (const auto &row : table)
        if (row.name == name)
            return &(a.planes[row.plane].*row.slot);
    return nullptr;
}

std::optional<EGLAttrib> *slot_of(Attribs &a, EGLAttrib name) {
    switch (name) {
    case EGL_WIDTH: return &a.width;
    case EGL_HEIGHT: return &a.height;
    case EGL_LINUX_DRM_FOURCC_EXT: return &a.fourcc;
    default: return plane_slot(a, name);
    }
}

// Hints of YUV images: checked, and without a meaning for the formats that there are.
enum class Hint { none, good, bad };

Hint look_at_hint(EGLAttrib name, EGLAttrib value) {
    const auto among = [value](std::initializer_list<EGLAttrib> values) {
        return std::count(values.begin(), values.end(), value) ? Hint::good : Hint::bad;
    };
    switch (name) {
    case EGL_YUV_COLOR_SPACE_HINT_EXT:
        return among({EGL_ITU_REC601_EXT, EGL_ITU_REC709_EXT, EGL_ITU_REC2020_EXT});
    case EGL_SAMPLE_RANGE_HINT_EXT:
        return among({EGL_YUV_FULL_RANGE_EXT, EGL_YUV_NARROW_RANGE_EXT});
    case EGL_YUV_CHROMA_HORIZONTAL_SITING_HINT_EXT:
    case EGL_YUV_CHROMA_VERTICAL_SITING_HINT_EXT:
        return among({EGL_YUV_CHROMA_SITING_0_EXT, EGL_YUV_CHROMA_SITING_0_5_EXT});
    default: return Hint::none;
    }
}

EGLint collect(const EGLAttrib *attribs, Attribs &a, const char **reason) {
    for (; attribs && *attribs != EGL_NONE; attribs += 2) {
        if (std::optional<EGLAttrib> *slot = slot_of(a, attribs[0])) {
            *slot = attribs[1];
            continue;
        }
        const Hint hint = look_at_hint(attribs[0], attribs[1]);
        if (hint == Hint::bad) {
            *reason = "a hint about YUV has no such value";
            return EGL_BAD_ATTRIBUTE;
        }
        if (hint == Hint::none && attribs[0] != EGL_IMAGE_PRESERVED) {
            *reason = "unknown image attribute";
            return EGL_BAD_PARAMETER;
        }
    }
    return EGL_SUCCESS;
}

uint64_t modifier_of(const Plane &plane) {
    return (uint64_t(*plane.low) & 0xffffffff) | (uint64_t(*plane.high) & 0xffffffff) << 32;
}

// Offsets and pitches are not negative and fit; how they fit the memory is looked at later.
bool fits(EGLAttrib value) {
    return value >= 0 && value <= std::numeric_limits<int32_t>::max();
}

EGLint take_plane(const Plane &plane, unsigned i, gl::DmaBuf *out, const char **reason) {
    if (bool(plane.low) != bool(plane.high)) {
        *reason = "half a modifier";
        return EGL_BAD_PARAMETER;
    }
    if (!plane.fd || !plane.offset || !plane.pitch) {
        *reason = "a plane needs a descriptor, an offset and a pitch";
        return EGL_BAD_PARAMETER;
    }
    if (*plane.fd < 0 || *plane.fd > std::numeric_limits<int>::max()) {
        *reason = "no descriptor";
        return EGL_BAD_PARAMETER;
    }
    if (!fits(*plane.offset) || !fits(*plane.pitch)) {
        *reason = "an offset or a pitch that cannot be";
        return EGL_BAD_ACCESS;
    }
    out->fd[i] = int(*plane.fd);
    out->offset[i] = uint32_t(*plane.offset);
    out->pitch[i] = uint32_t(*plane.pitch);
    return EGL_SUCCESS;
}

EGLint take_planes(const Attribs &a, gl::DmaBuf *out, const char **reason) {
    unsigned count = 4;
    while (count > 1 && !a.planes[count - 1].any())
        count--;
    out->planes = count;
    for (unsigned i = 0; i < count; i++)
        if (const EGLint error = take_plane(a.planes[i], i, out, reason); error != EGL_SUCCESS)
            return error;
    // DRM_FORMAT_MOD_INVALID, said aloud, is none.
    out->has_modifier = a.planes[0].low && modifier_of(a.planes[0]) != gl::no_modifier;
    out->modifier = out->has_modifier ? modifier_of(a.planes[0]) : 0;
    for (unsigned i = 1; i < count; i++)
        if (bool(a.planes[i].low) != bool(a.planes[0].low) ||
            (a.planes[i].low && modifier_of(a.planes[i]) != modifier_of(a.planes[0]))) {
            *reason = "planes with different modifiers";
            return EGL_BAD_MATCH;
        }
    return EGL_SUCCESS;
}

// YUV and whatever else is not one pixel after the other.
EGLint refuse_format(uint32_t fourcc, const char **reason) {
    const auto letter = [fourcc](unsigned i) {
        const char c = char(fourcc >> 8 * i);
        return c >= ' ' && c < 127 ? c : '?';
    };
    log_warning_once("egl", "no images of dma-bufs of format %c%c%c%c: formats are those of RGB",
                     letter(0), letter(1), letter(2), letter(3));
    *reason = "no such format of dma-bufs";
    return EGL_BAD_MATCH;
}

std::shared_ptr<Group> group_of(Display *display) {
    const Context *current = thread().current;
    if (current && current->display == display && !current->lost)
        return current->group;
    for (const Context *context : display->contexts)
        if (!context->lost)
            return context->group;
    if (!display->spare)
        display->spare = group_create(display->system.get());
    return display->spare;
}

const std::vector<gl::DmaBufFormat> &formats_of(Display *display) {
    if (!display->dma_buf_formats) {
        display->dma_buf_formats.emplace();
        if (const std::shared_ptr<Group> group = group_of(display))
            *display->dma_buf_formats = importable_formats(*group);
    }
    return *display->dma_buf_formats;
}

// Copies as many as there is room for; the count of them, or of all where none are wanted.
template <class T, class From>
void hand_out(const std::vector<From> &all, EGLint most, T *out, EGLint *count) {
    if (most > 0)
        std::copy_n(all.begin(), std::min<size_t>(all.size(), size_t(most)), out);
    if (count)
        *count = EGLint(most > 0 ? std::min<size_t>(all.size(), size_t(most)) : all.size());
}

} // namespace

EGLint parse_dma_buf(const EGLAttrib *attribs, gl::DmaBuf *out, const char **reason) {
    Attribs a;
    *out = {};
    if (const EGLint error = collect(attribs, a, reason); error != EGL_SUCCESS)
        return error;
    if (!a.width || !a.height || !a.fourcc || !a.planes[0].any()) {
        *reason = "an image needs a width, a height, a format and a plane";
        return EGL_BAD_PARAMETER;
    }
    if (*a.width <= 0 || *a.height <= 0 || !fits(*a.width) || !fits(*a.height)) {
        *reason = "no such width or height";
        return EGL_BAD_PARAMETER;
    }
    out->width = int32_t(*a.width);
    out->height = int32_t(*a.height);
    out->fourcc = uint32_t(*a.fourcc);
    if (!image_format_known(out->fourcc))
        return refuse_format(out->fourcc, reason);
    const bool more_planes = a.planes[1].any() || a.planes[2].any() || a.planes[3].any();
    if (more_planes && !a.planes[0].low && !a.planes[0].high) {
        *reason = "planes that the format does not have";
        return EGL_BAD_ATTRIBUTE;
    }
    return take_planes(a, out, reason);
}

EGLImage create_dma_buf_image(Display *display, EGLContext ctx, EGLClientBuffer buffer,
                              const EGLAttrib *attribs) {
    const char *reason = "a dma-buf has no context and no client buffer";
    gl::DmaBuf source;
    EGLint error = ctx != EGL_NO_CONTEXT || buffer ? EGL_BAD_PARAMETER : EGL_SUCCESS;
    if (error == EGL_SUCCESS)
        error = parse_dma_buf(attribs, &source, &reason);
    auto image = std::make_unique<Image>();
    image->display = display;
    if (error == EGL_SUCCESS && !(image->group = group_of(display))) {
        error = EGL_BAD_ALLOC;
        reason = "no driver can start";
    }
    if (error == EGL_SUCCESS)
        error = image_import(image.get(), source, &reason);
    if (error != EGL_SUCCESS) {
        fail(error, reason, display);
        return EGL_NO_IMAGE;
    }
    display->images.push_back(std::move(image));
    return display->images.back().get();
}

namespace api {

EGLBoolean EGLAPIENTRY QueryDmaBufFormatsEXT(EGLDisplay dpy, EGLint max_formats, EGLint *formats,
                                             EGLint *num_formats) {
    Call call("eglQueryDmaBufFormatsEXT");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    if (max_formats < 0 || (max_formats > 0 && !formats) || !num_formats)
        return fail(EGL_BAD_PARAMETER, "no room for formats", display);
    std::vector<EGLint> names;
    for (const gl::DmaBufFormat &f : formats_of(display))
        if (!std::count(names.begin(), names.end(), EGLint(f.fourcc)))
            names.push_back(EGLint(f.fourcc));
    hand_out(names, max_formats, formats, num_formats);
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY QueryDmaBufModifiersEXT(EGLDisplay dpy, EGLint format, EGLint max_modifiers,
                                               EGLuint64KHR *modifiers, EGLBoolean *external_only,
                                               EGLint *num_modifiers) {
    Call call("eglQueryDmaBufModifiersEXT");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    if (max_modifiers < 0 || (max_modifiers > 0 && !modifiers) || !num_modifiers)
        return fail(EGL_BAD_PARAMETER, "no room for modifiers", display);
    bool known = false;
    std::vector<EGLuint64KHR> values;
    for (const gl::DmaBufFormat &f : formats_of(display)) {
        known |= f.fourcc == uint32_t(format);
        if (f.fourcc == uint32_t(format) && f.modifier != gl::no_modifier)
            values.push_back(f.modifier);
    }
    if (!known)
        return fail(EGL_BAD_PARAMETER, "no such format of dma-bufs", display);
    hand_out(values, max_modifiers, modifiers, num_modifiers);
    if (external_only)
        std::fill_n(external_only, std::min<size_t>(values.size(), size_t(max_modifiers)),
                    EGLBoolean(EGL_FALSE));
    return EGL_TRUE;
}

} // namespace api
} // namespace egl
