// SPDX-License-Identifier: MIT
// GL types and enums for the whole frontend: Khronos' core header without prototypes.
#pragma once

#include <GL/glcorearb.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#ifndef GL_GENERATE_MIPMAP_SGIS
#define GL_GENERATE_MIPMAP_SGIS 0x8191
#endif
#ifndef GL_CONTEXT_LOST
#define GL_CONTEXT_LOST 0x0507
#endif
#ifndef GL_TEXTURE_SRGB_DECODE_EXT
#define GL_TEXTURE_SRGB_DECODE_EXT 0x8A48
#define GL_DECODE_EXT 0x8A49
#define GL_SKIP_DECODE_EXT 0x8A4A
#endif

#ifndef GL_COMPRESSED_SRGB_S3TC_DXT1_EXT
#define GL_COMPRESSED_SRGB_S3TC_DXT1_EXT 0x8C4C
#define GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT 0x8C4D
#define GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT 0x8C4E
#define GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT 0x8C4F
#endif
#ifndef GL_COMPRESSED_RGB_S3TC_DXT1_EXT
#define GL_COMPRESSED_RGB_S3TC_DXT1_EXT 0x83F0
#define GL_COMPRESSED_RGBA_S3TC_DXT1_EXT 0x83F1
#define GL_COMPRESSED_RGBA_S3TC_DXT3_EXT 0x83F2
#define GL_COMPRESSED_RGBA_S3TC_DXT5_EXT 0x83F3
#endif
#ifndef GL_ABGR_EXT
#define GL_ABGR_EXT 0x8000
#endif
#ifndef GL_COMPLETION_STATUS_KHR
#define GL_COMPLETION_STATUS_KHR 0x91B1
#endif
#ifndef GL_SR8_EXT
#define GL_SR8_EXT 0x8FBD
#endif

namespace gl {
struct Context;
struct ShareGroup;
struct Buffer;
struct VertexArray;
struct Texture;
struct Sampler;
struct Framebuffer;
struct Renderbuffer;
struct Shader;
struct Program;
struct ProgramPipeline;
struct Query;
struct Sync;
struct TransformFeedback;

constexpr unsigned kMaxDrawBuffers = 8;
constexpr unsigned kMaxViewports = 16;
constexpr unsigned kMaxVertexAttribs = 32; // storage; the advertised limit is in Limits
constexpr unsigned kMaxVertexBindings = 32;
constexpr unsigned kMaxTextureUnits = 192; // combined, merged over stages
constexpr unsigned kMaxImageUnits = 32;
constexpr unsigned kMaxUniformBuffers = 96;
constexpr unsigned kMaxStorageBuffers = 96;
constexpr unsigned kMaxAtomicBuffers = 16;
constexpr unsigned kMaxXfbBuffers = 4;
constexpr unsigned kMaxTextureLevels = 15;
constexpr unsigned kMaxClipDistances = 8;
constexpr unsigned kMaxSampleMaskWords = 2;
constexpr unsigned kMaxStreams = 4;
} // namespace gl
