// SPDX-License-Identifier: MIT
// What the texture files and internal_format.cpp share; nobody else includes it.
#pragma once

#include "objects/context.h"

namespace gl {

bool is_face_target(GLenum target);
// The target that a GL_PROXY_* stands for; 0 for anything else.
GLenum proxied_target(GLenum target);
// The same, or `target` itself when it is no proxy.
GLenum real_target(GLenum target);
bool multisample_target(GLenum target);
Texture *texture_make(Context &ctx, GLuint name, GLenum target); // the name becomes an object
void texture_storage_changed(Context &ctx, Texture &t);          // + framebuffers that hold it

// Whether the calls of `dims` dimensions (glTexImage1D ...) take `target`: a cube map by its faces,
// a proxy like what it stands for.
bool target_has_dims(const Context &ctx, GLenum target, unsigned dims);
// Whether `target`, or what it is a face or proxy of, can have images of the compressed format `f`.
GLenum check_block_target(GLenum target, const FormatInfo &f);
// Commands by texture name see a cube map as six layers: they need all of its faces at `level`.
// False after GL_INVALID_OPERATION; true for other textures and for single faces.
bool check_whole_cube(Context &ctx, const Texture &t, GLenum target, GLint level, const char *func);

// Whether glGet*TexImage take `target`: a cube map by its faces.
bool image_target(GLenum target);
// Where the faces of a whole cube lie in client memory; each goes on its own, as an image of two
// dimensions: bytes to the first (skipped images) and from one to the next.
struct CubeSteps {
    uint64_t first, face;
};
CubeSteps cube_steps(const PixelStore &s, GLsizei w, GLsizei h, GLsizei faces, GLenum format,
                     GLenum type);

// Highest number of levels that width x height x depth can have at `target`.
int max_levels_for(GLenum target, GLsizei w, GLsizei h, GLsizei d);
// Largest level number + 1 at `target`.
int level_limit(Context &ctx, GLenum target);
// Sizes within the limits of the target (proxies answer 0 sizes instead of errors).
bool size_within_limits(Context &ctx, GLenum target, GLint level, GLsizei w, GLsizei h, GLsizei d);
// Extent of `level` of a texture whose level 0 is w x h x d (only the dimensions that shrink do).
void level_size(GLenum target, GLint level, GLsizei &w, GLsizei &h, GLsizei &d);
// Checks the unpack (or pack) buffer: not mapped, aligned, large enough for `bytes` from `pixels`.
// Raises the error and returns false.
bool check_pixel_buffer(Context &ctx, const Buffer *b, const void *pixels, uint64_t bytes,
                        unsigned element, const char *func);
// Pixels for a part of a level of blocks: the format has an encoder and no block is cut, else
// GL_INVALID_OPERATION and false. True for plain formats.
bool check_whole_blocks(Context &ctx, const TexImage &im, GLint x, GLint y, GLsizei w, GLsizei h,
                        const char *func);
// The image of a face and level; null and GL_INVALID_* when it does not exist.
TexImage *defined_image(Context &ctx, Texture &t, GLenum target, GLint level, const char *func);
// Number of layers or slices: cube maps as a whole have 6.
GLsizei image_depth(const Texture &t, const TexImage &im);
} // namespace gl
