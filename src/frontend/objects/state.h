// SPDX-License-Identifier: MIT
// Values of the fixed-function state groups, with GL's initial values. Plain data, comparable.
#pragma once

#include "objects/ref.h"
#include "objects/tracked.h"

namespace gl {

struct BlendTarget {
    bool enabled = false;
    GLenum src_rgb = GL_ONE, dst_rgb = GL_ZERO, src_alpha = GL_ONE, dst_alpha = GL_ZERO;
    GLenum eq_rgb = GL_FUNC_ADD, eq_alpha = GL_FUNC_ADD;
    bool operator==(const BlendTarget &) const = default;
};
struct BlendState {
    std::array<BlendTarget, kMaxDrawBuffers> rt;
    bool dither = true;
    bool operator==(const BlendState &) const = default;
};
struct ColorMaskState {
    std::array<uint8_t, kMaxDrawBuffers> mask{15, 15, 15, 15, 15, 15, 15, 15}; // r=1 g=2 b=4 a=8
    bool operator==(const ColorMaskState &) const = default;
};
struct LogicOpState {
    bool enabled = false;
    GLenum op = GL_COPY;
};
struct DepthState {
    bool test = false, write = true;
    GLenum func = GL_LESS;
};
struct StencilFace {
    GLenum func = GL_ALWAYS, fail = GL_KEEP, zfail = GL_KEEP, zpass = GL_KEEP;
    GLint ref = 0;
    GLuint value_mask = ~0u, write_mask = ~0u;
    bool operator==(const StencilFace &) const = default;
};
struct StencilState {
    bool test = false;
    std::array<StencilFace, 2> face; // front, back
};
struct RasterState {
    bool cull = false, offset_fill = false, offset_line = false, offset_point = false,
         discard = false, depth_clamp = false, polygon_smooth = false;
    GLenum cull_face = GL_BACK, front_face = GL_CCW, polygon_mode = GL_FILL;
    float offset_factor = 0, offset_units = 0, offset_clamp = 0;
};
struct PointLineState {
    bool program_point_size = false, line_smooth = false;
    float point_size = 1, line_width = 1, fade_threshold = 1;
    GLenum sprite_origin = GL_UPPER_LEFT;
};
struct Rect {
    GLint x = 0, y = 0;
    GLsizei w = 0, h = 0;
    bool operator==(const Rect &) const = default;
};
struct ScissorState {
    std::array<Rect, kMaxViewports> rect;
    uint32_t enabled = 0; // bit per viewport
    uint32_t written = 0; // a rectangle never written is the surface of the first make-current
};
struct ViewportRect {
    float x = 0, y = 0, w = 0, h = 0;
    double near = 0, far = 1;
    bool operator==(const ViewportRect &) const = default;
};
struct ViewportState {
    std::array<ViewportRect, kMaxViewports> vp;
    bool written = false;
};
struct ClipState {
    GLenum origin = GL_LOWER_LEFT, depth = GL_NEGATIVE_ONE_TO_ONE;
    uint32_t distances = 0; // GL_CLIP_DISTANCEi enables
};
struct MultisampleState {
    bool enabled = true, alpha_to_coverage = false, alpha_to_one = false, coverage = false,
         coverage_invert = false, mask_enabled = false, sample_shading = false;
    float coverage_value = 1, min_sample_shading = 0;
    std::array<GLbitfield, kMaxSampleMaskWords> mask{~0u, ~0u};
};
struct ClearState {
    std::array<uint32_t, 4> color{}; // bits of values of the type
    GLenum color_type = GL_FLOAT;    // by glClearColorI*EXT: GL_INT or GL_UNSIGNED_INT
    double depth = 1;
    GLint stencil = 0;
};
struct PixelStore { // pack or unpack
    bool swap_bytes = false, lsb_first = false;
    GLint row_length = 0, image_height = 0, skip_rows = 0, skip_pixels = 0, skip_images = 0,
          alignment = 4;
    GLint block_width = 0, block_height = 0, block_depth = 0, block_size = 0;
};
struct PixelPackState {
    PixelStore store;
    GLenum clamp_read_color = GL_FIXED_ONLY;
};
struct PixelUnpackState {
    PixelStore store;
};
struct HintState {
    GLenum line_smooth = GL_DONT_CARE, polygon_smooth = GL_DONT_CARE,
           texture_compression = GL_DONT_CARE, derivative = GL_DONT_CARE;
};
struct PrimitiveState {
    bool restart = false, restart_fixed = false;
    GLuint restart_index = 0;
    GLenum provoking = GL_LAST_VERTEX_CONVENTION;
};
struct PatchState {
    GLint vertices = 3;
    std::array<float, 4> outer{1, 1, 1, 1};
    std::array<float, 2> inner{1, 1};
};
enum class AttribType : uint8_t { float_, int_, uint_, double_ };
struct CurrentAttrib {
    union {
        float f[4];
        GLint i[4];
        GLuint u[4];
        double d[4];
    } v{{0, 0, 0, 1}};
    AttribType type = AttribType::float_;
};
struct CurrentAttribState {
    std::array<CurrentAttrib, kMaxVertexAttribs> a;
};

// --- bindings ------------------------------------------------------------------------------------
enum TexIndex : uint8_t {
    TEX_1D,
    TEX_2D,
    TEX_3D,
    TEX_1D_ARRAY,
    TEX_2D_ARRAY,
    TEX_RECT,
    TEX_CUBE,
    TEX_CUBE_ARRAY,
    TEX_BUFFER,
    TEX_2D_MS,
    TEX_2D_MS_ARRAY,
    TEX_COUNT
};
struct TextureUnit {
    std::array<Ref<Texture>, TEX_COUNT> tex; // never null once the context lives: name 0 is the
                                             // group's default texture of the target
};
struct TextureState {
    std::vector<TextureUnit> unit; // limits.max_combined_texture_units
};
struct SamplerState {
    std::vector<Ref<Sampler>> unit; // null = the texture's own
};
struct ImageUnit {
    Ref<Texture> texture;
    GLint level = 0, layer = 0;
    bool layered = false;
    GLenum access = GL_READ_ONLY, format = GL_R8;
};
struct ImageState {
    std::array<ImageUnit, kMaxImageUnits> unit;
};
struct BufferRange {
    Ref<Buffer> buffer;
    GLintptr offset = 0;
    GLsizeiptr size = 0; // 0 with whole = true: the buffer's size at the verb
    bool whole = true;
    bool operator==(const BufferRange &) const = default;
};
struct UniformBufferState {
    std::array<BufferRange, kMaxUniformBuffers> slot;
    Ref<Buffer> generic;
};
struct StorageBufferState {
    std::array<BufferRange, kMaxStorageBuffers> slot;
    Ref<Buffer> generic;
};
struct AtomicBufferState {
    std::array<BufferRange, kMaxAtomicBuffers> slot;
    Ref<Buffer> generic;
};
struct BufferBindings { // the points that are not indexed
    Ref<Buffer> array, copy_read, copy_write, pixel_pack, pixel_unpack, draw_indirect,
        dispatch_indirect, texture, query, parameter, xfb;
};
struct FramebufferBinding {
    Ref<Framebuffer> fb; // never null after make-current: the default framebuffer has name 0
};
struct VertexArrayBinding {
    Ref<VertexArray> vao; // core: name 0 is an object that cannot draw
};
struct ProgramBinding {
    Ref<Program> program; // glUseProgram; wins over the pipeline
    Ref<ProgramPipeline> pipeline;
};
struct XfbBinding {
    Ref<TransformFeedback> object; // never null: name 0 is the context's default object
};
struct QueryState {
    // active query per target and stream
    Ref<Query> occlusion, time_elapsed;
    std::array<Ref<Query>, kMaxStreams> generated, written, overflow;
    Ref<Query> overflow_any;
    std::array<Ref<Query>, 11> pipeline_stats;
};
struct ConditionState {
    Ref<Query> query;
    GLenum mode = GL_NONE;
    bool skip = false; // decided once at begin, when the driver cannot
};
} // namespace gl
