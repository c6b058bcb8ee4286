// SPDX-License-Identifier: MIT
// Internal formats (GL 4.6 tables 8.12 to 8.14): base format, component sizes, the pipe formats
// that can hold them, and which (format, type) pairs are legal for transfers.
#pragma once

#include "objects/gltypes.h"

namespace gl {

struct FormatInfo {
    GLenum internal; // sized (or generic compressed) internal format
    GLenum base;     // GL_RED .. GL_RGBA, GL_DEPTH_COMPONENT, GL_DEPTH_STENCIL, GL_STENCIL_INDEX
    GLenum type; // GL_UNSIGNED_NORMALIZED, GL_SIGNED_NORMALIZED, GL_FLOAT, GL_INT, GL_UNSIGNED_INT
    uint8_t r, g, b, a, d, s; // component bits (nominal for compressed)
    uint8_t shared;           // shared exponent bits
    bool srgb, compressed;
    uint8_t block_w, block_h, block_bytes; // texels and bytes of a block; 1,1,0 when not compressed
    uint16_t pipe[3];                      // enum pipe_format, in order of preference; 0 ends
    GLenum transfer_format, transfer_type; // natural client pair
    enum Flags : uint16_t {
        color_renderable = 1,
        texture_buffer = 2,
        image_store = 4,
        filterable = 8
    };
    uint16_t flags;
    bool integer() const { return type == GL_INT || type == GL_UNSIGNED_INT; }
    bool depth() const { return d != 0; }
    bool stencil() const { return s != 0; }
    bool color() const { return !d && !s; }
};

// Sized, unsized (GL_RGBA ...) and generic compressed internal formats; null for anything else. An
// unsized format gives the sized one that is used. (format, type) refine the choice for unsized
// formats and may be 0.
const FormatInfo *format_info(GLenum internal, GLenum format = 0, GLenum type = 0);

// The same for renderbuffers and multisample textures; null for formats that cannot be rendered to
// (compressed ones, also the generic, and the unsized sRGB ones, which are for texture images
// only).
const FormatInfo *renderable_format(GLenum internal);

enum class FormatClass : uint8_t { none, color, color_integer, depth, stencil, depth_stencil };
FormatClass transfer_class(GLenum format); // of a pixel transfer format; none = not a format

// GL_NO_ERROR, GL_INVALID_ENUM (not a format or type) or GL_INVALID_OPERATION (pair does not go
// together), GL 4.6 table 8.2, 8.5.
GLenum check_format_type(GLenum format, GLenum type);
// Bytes of one texel in client memory of a legal pair; packed types give the whole word.
unsigned texel_bytes(GLenum format, GLenum type);
unsigned components_of(GLenum format);
unsigned type_bytes(GLenum type); // of one component or one packed word; 0 = unknown
bool type_is_packed(GLenum type);
// GL_INVALID_OPERATION when texels of `format` cannot become (or come from) `f`, else GL_NO_ERROR.
GLenum check_transfer_to(const FormatInfo &f, GLenum format);

// The pipe format of one element in a buffer (buffer textures, glClearBufferData); 0 when the
// format is not for buffers.
uint16_t buffer_element_format(const FormatInfo &f);

struct PixelStore;
// Client memory shape of a transfer: bytes between rows and images, and offset of the first texel.
// Compressed rows are not handled here. Values saturate at UINT64_MAX.
struct PixelLayout {
    uint64_t row_stride, image_stride, first,
        total; // total: bytes from the pointer to one past the last texel
};
PixelLayout pixel_layout(const PixelStore &s, unsigned dims, GLsizei w, GLsizei h, GLsizei d,
                         GLenum format, GLenum type);

bool compressed_format(GLenum internal);
bool astc_format(const FormatInfo &f);
bool s3tc_format(const FormatInfo &f);
// ETC2, EAC and ASTC: images come as blocks only, pixels do not become such blocks.
bool blocks_only(const FormatInfo &f);
uint64_t compressed_size(const FormatInfo &f, GLsizei w, GLsizei h, GLsizei d);
GLenum view_class(GLenum internal); // GL_VIEW_CLASS_* or GL_NONE
extern const GLenum
    *const compressed_formats; // specific ones reported by GL_COMPRESSED_TEXTURE_FORMATS, 0 ends
} // namespace gl
