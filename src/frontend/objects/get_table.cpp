// SPDX-License-Identifier: MIT
// The table behind glGet*: one row per name. Kind says how the value converts (GL 4.6
// section 2.2.2), the expression where it lives.
#include "compiler/compiler.h"
#include "objects/context.h"
#include "objects/get.h"
#include "tracker/tracker.h"

#include <bit>
#include <unordered_map>

namespace gl {

bool capability_value(const Context &ctx, GLenum cap, bool &value);
bool pixel_store_value(const Context &ctx, GLenum name, GLint &value, bool &flag);
unsigned compressed_format_list(Context &ctx, GLint *out);

namespace {

struct Row {
    GLenum name;
    Value::Kind kind;
    uint8_t count;
    void (*get)(Context &c, Value &v);
};

GLint name_of(const Object *o) {
    return o ? GLint(o->name) : 0;
}
template <class T> GLint name_of(const Ref<T> &r) {
    return name_of(static_cast<const Object *>(r.get()));
}
GLint texture_name(Context &c, TexIndex i) {
    return name_of(c.textures->unit[c.active_texture].tex[i]);
}
const Attachment *color_read(Context &c) {
    const Framebuffer &fb = *c.read_fb->fb;
    return fb.read_index < 0 ? nullptr : &fb.color[size_t(fb.read_index)];
}
const FormatInfo *read_format(Context &c) {
    const Attachment *a = color_read(c);
    return a && a->kind != Attachment::none ? a->format() : nullptr;
}
GLint samples_of(Context &c) {
    Framebuffer &fb = *c.draw_fb->fb;
    return framebuffer_status(c, fb) == GL_FRAMEBUFFER_COMPLETE ? fb.samples : 0;
}
constexpr GLenum kRgbaIntegerMode = 0x8D9E; // EXT_texture_integer; not among the core names

const Texture &buffer_texture(Context &c) {
    return *c.textures->unit[c.active_texture].tex[TEX_BUFFER];
}

bool draws_integers(Context &c) {
    Framebuffer &fb = *c.draw_fb->fb;
    for (int8_t i : fb.draw_index)
        if (const FormatInfo *f = i >= 0 ? fb.color[size_t(i)].format() : nullptr)
            if (f->integer())
                return true;
    return false;
}
GLint draw_buffer(Context &c, unsigned i) {
    return GLint(c.draw_fb->fb->draw_buffers[i]);
}

void clear_color(Context &c, Value &v) {
    const bool floats = c.clear->color_type == GL_FLOAT;
    v.kind = floats ? Value::norm : Value::int64_;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t word = c.clear->color[i];
        if (floats)
            v.d[i] = double(std::bit_cast<float>(word));
        else
            v.i[i] = c.clear->color_type == GL_INT ? int64_t(int32_t(word)) : int64_t(word);
    }
}

#define I(name, expr)                                                                              \
    {                                                                                              \
        name, Value::int_, 1, [](Context &c, Value &v) {                                           \
            (void)c;                                                                               \
            v.i[0] = int64_t(expr);                                                                \
        }                                                                                          \
    }
#define L(name, field)                                                                             \
    {                                                                                              \
        name, Value::int_, 1, [](Context &c, Value &v) { v.i[0] = int64_t(c.limits().field); }     \
    }
#define E(name, expr)                                                                              \
    {                                                                                              \
        name, Value::enum_, 1, [](Context &c, Value &v) {                                          \
            (void)c;                                                                               \
            v.i[0] = int64_t(expr);                                                                \
        }                                                                                          \
    }
#define B(name, expr)                                                                              \
    {                                                                                              \
        name, Value::bool_, 1, [](Context &c, Value &v) {                                          \
            (void)c;                                                                               \
            v.i[0] = (expr) ? 1 : 0;                                                               \
        }                                                                                          \
    }
#define F(name, expr)                                                                              \
    {                                                                                              \
        name, Value::float_, 1, [](Context &c, Value &v) {                                         \
            (void)c;                                                                               \
            v.d[0] = double(expr);                                                                 \
        }                                                                                          \
    }
#define F2(name, a, b)                                                                             \
    {                                                                                              \
        name, Value::float_, 2, [](Context &c, Value &v) {                                         \
            (void)c;                                                                               \
            v.d[0] = double(a);                                                                    \
            v.d[1] = double(b);                                                                    \
        }                                                                                          \
    }
#define STAGES(name, field, stage) L(name, field[unsigned(Stage::stage)])

const Row rows[] = {
    // rasterization and fragments
    F(GL_POINT_SIZE, c.point_line->point_size),
    F2(GL_POINT_SIZE_RANGE, c.limits().point_range[0], c.limits().point_range[1]),
    F(GL_POINT_SIZE_GRANULARITY, c.limits().point_granularity),
    F(GL_POINT_FADE_THRESHOLD_SIZE, c.point_line->fade_threshold),
    E(GL_POINT_SPRITE_COORD_ORIGIN, c.point_line->sprite_origin),
    F(GL_LINE_WIDTH, c.point_line->line_width),
    F2(GL_SMOOTH_LINE_WIDTH_RANGE, c.limits().line_range[0], c.limits().line_range[1]),
    F(GL_SMOOTH_LINE_WIDTH_GRANULARITY, c.limits().line_granularity),
    F2(GL_ALIASED_LINE_WIDTH_RANGE, c.limits().line_range[0], c.limits().line_range[1]),
    {GL_POLYGON_MODE, Value::enum_, 2, [](Context &c, Value &v) { v.i[0] = v.i[1] = c.raster->polygon_mode; }},
    E(GL_CULL_FACE_MODE, c.raster->cull_face),
    E(GL_FRONT_FACE, c.raster->front_face),
    F(GL_POLYGON_OFFSET_FACTOR, c.raster->offset_factor),
    F(GL_POLYGON_OFFSET_UNITS, c.raster->offset_units),
    F(GL_POLYGON_OFFSET_CLAMP, c.raster->offset_clamp),
    B(GL_DEPTH_WRITEMASK, c.depth->write),
    {GL_DEPTH_CLEAR_VALUE, Value::norm, 1, [](Context &c, Value &v) { v.d[0] = c.clear->depth; }},
    E(GL_DEPTH_FUNC, c.depth->func),
    {GL_DEPTH_RANGE, Value::norm, 2, [](Context &c, Value &v) { v.d[0] = c.viewport->vp[0].near; v.d[1] = c.viewport->vp[0].far; }},
    I(GL_STENCIL_CLEAR_VALUE, c.clear->stencil),
    E(GL_STENCIL_FUNC, c.stencil->face[0].func),
    I(GL_STENCIL_VALUE_MASK, c.stencil->face[0].value_mask),
    E(GL_STENCIL_FAIL, c.stencil->face[0].fail),
    E(GL_STENCIL_PASS_DEPTH_FAIL, c.stencil->face[0].zfail),
    E(GL_STENCIL_PASS_DEPTH_PASS, c.stencil->face[0].zpass),
    I(GL_STENCIL_REF, c.stencil->face[0].ref),
    I(GL_STENCIL_WRITEMASK, c.stencil->face[0].write_mask),
    E(GL_STENCIL_BACK_FUNC, c.stencil->face[1].func),
    I(GL_STENCIL_BACK_VALUE_MASK, c.stencil->face[1].value_mask),
    E(GL_STENCIL_BACK_FAIL, c.stencil->face[1].fail),
    E(GL_STENCIL_BACK_PASS_DEPTH_FAIL, c.stencil->face[1].zfail),
    E(GL_STENCIL_BACK_PASS_DEPTH_PASS, c.stencil->face[1].zpass),
    I(GL_STENCIL_BACK_REF, c.stencil->face[1].ref),
    I(GL_STENCIL_BACK_WRITEMASK, c.stencil->face[1].write_mask),
    {GL_VIEWPORT, Value::float_, 4,
     [](Context &c, Value &v) {
         const ViewportRect &r = c.viewport->vp[0];
         v.d[0] = double(r.x), v.d[1] = double(r.y), v.d[2] = double(r.w), v.d[3] = double(r.h);
     }},
    {GL_SCISSOR_BOX, Value::int_, 4,
     [](Context &c, Value &v) {
         const Rect &r = c.scissor->rect[0];
         v.i[0] = r.x, v.i[1] = r.y, v.i[2] = r.w, v.i[3] = r.h;
     }},
    E(GL_BLEND_SRC, c.blend->rt[0].src_rgb),
    E(GL_BLEND_DST, c.blend->rt[0].dst_rgb),
    E(GL_BLEND_SRC_RGB, c.blend->rt[0].src_rgb),
    E(GL_BLEND_DST_RGB, c.blend->rt[0].dst_rgb),
    E(GL_BLEND_SRC_ALPHA, c.blend->rt[0].src_alpha),
    E(GL_BLEND_DST_ALPHA, c.blend->rt[0].dst_alpha),
    E(GL_BLEND_EQUATION_RGB, c.blend->rt[0].eq_rgb),
    E(GL_BLEND_EQUATION_ALPHA, c.blend->rt[0].eq_alpha),
    {GL_BLEND_COLOR, Value::norm, 4, [](Context &c, Value &v) { for (unsigned i = 0; i < 4; i++) v.d[i] = double((*c.blend_color)[i]); }},
    E(GL_LOGIC_OP_MODE, c.logic_op->op),
    {GL_COLOR_CLEAR_VALUE, Value::norm, 4, clear_color},
    {GL_COLOR_WRITEMASK, Value::bool_, 4, [](Context &c, Value &v) { for (unsigned i = 0; i < 4; i++) v.i[i] = c.color_mask->mask[0] >> i & 1; }},
    F(GL_SAMPLE_COVERAGE_VALUE, c.multisample->coverage_value),
    B(GL_SAMPLE_COVERAGE_INVERT, c.multisample->coverage_invert),
    F(GL_MIN_SAMPLE_SHADING_VALUE, c.multisample->min_sample_shading),
    I(GL_SAMPLES, samples_of(c)),
    B(kRgbaIntegerMode, draws_integers(c)),
    I(GL_SAMPLE_BUFFERS, samples_of(c) > 0),
    E(GL_CLIP_ORIGIN, c.clip->origin),
    E(GL_CLIP_DEPTH_MODE, c.clip->depth),
    E(GL_PROVOKING_VERTEX, c.primitive->provoking),
    I(GL_PRIMITIVE_RESTART_INDEX, c.primitive->restart_index),
    I(GL_PATCH_VERTICES, c.patch->vertices),
    {GL_PATCH_DEFAULT_OUTER_LEVEL, Value::float_, 4, [](Context &c, Value &v) { for (unsigned i = 0; i < 4; i++) v.d[i] = double(c.patch->outer[i]); }},
    {GL_PATCH_DEFAULT_INNER_LEVEL, Value::float_, 2, [](Context &c, Value &v) { for (unsigned i = 0; i < 2; i++) v.d[i] = double(c.patch->inner[i]); }},
    E(GL_LINE_SMOOTH_HINT, c.hints->line_smooth),
    E(GL_POLYGON_SMOOTH_HINT, c.hints->polygon_smooth),
    E(GL_TEXTURE_COMPRESSION_HINT, c.hints->texture_compression),
    E(GL_FRAGMENT_SHADER_DERIVATIVE_HINT, c.hints->derivative),
    E(GL_CLAMP_READ_COLOR, c.pack->clamp_read_color),
    // bindings
    I(GL_ACTIVE_TEXTURE, GL_TEXTURE0 + c.active_texture),
    I(GL_TEXTURE_BINDING_1D, texture_name(c, TEX_1D)),
    I(GL_TEXTURE_BINDING_2D, texture_name(c, TEX_2D)),
    I(GL_TEXTURE_BINDING_3D, texture_name(c, TEX_3D)),
    I(GL_TEXTURE_BINDING_1D_ARRAY, texture_name(c, TEX_1D_ARRAY)),
    I(GL_TEXTURE_BINDING_2D_ARRAY, texture_name(c, TEX_2D_ARRAY)),
    I(GL_TEXTURE_BINDING_RECTANGLE, texture_name(c, TEX_RECT)),
    I(GL_TEXTURE_BINDING_CUBE_MAP, texture_name(c, TEX_CUBE)),
    I(GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, texture_name(c, TEX_CUBE_ARRAY)),
    I(GL_TEXTURE_BINDING_BUFFER, texture_name(c, TEX_BUFFER)),
    I(GL_TEXTURE_BUFFER_DATA_STORE_BINDING, name_of(buffer_texture(c).buffer)),
    E(GL_TEXTURE_BUFFER_FORMAT_ARB, buffer_texture(c).buffer_internal_format),
    I(GL_TEXTURE_BINDING_2D_MULTISAMPLE, texture_name(c, TEX_2D_MS)),
    I(GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, texture_name(c, TEX_2D_MS_ARRAY)),
    I(GL_SAMPLER_BINDING, name_of(c.samplers->unit[c.active_texture])),
    I(GL_ARRAY_BUFFER_BINDING, name_of(c.buffers->array)),
    I(GL_ELEMENT_ARRAY_BUFFER_BINDING, name_of(c.vertex_array->vao->index_buffer)),
    I(GL_COPY_READ_BUFFER_BINDING, name_of(c.buffers->copy_read)),
    I(GL_COPY_WRITE_BUFFER_BINDING, name_of(c.buffers->copy_write)),
    I(GL_PIXEL_PACK_BUFFER_BINDING, name_of(c.buffers->pixel_pack)),
    I(GL_PIXEL_UNPACK_BUFFER_BINDING, name_of(c.buffers->pixel_unpack)),
    I(GL_DRAW_INDIRECT_BUFFER_BINDING, name_of(c.buffers->draw_indirect)),
    I(GL_DISPATCH_INDIRECT_BUFFER_BINDING, name_of(c.buffers->dispatch_indirect)),
    I(GL_TEXTURE_BUFFER_BINDING, name_of(c.buffers->texture)),
    I(GL_QUERY_BUFFER_BINDING, name_of(c.buffers->query)),
    I(GL_PARAMETER_BUFFER_BINDING, name_of(c.buffers->parameter)),
    I(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, name_of(c.buffers->xfb)),
    I(GL_UNIFORM_BUFFER_BINDING, name_of(c.ubo->generic)),
    I(GL_SHADER_STORAGE_BUFFER_BINDING, name_of(c.ssbo->generic)),
    I(GL_ATOMIC_COUNTER_BUFFER_BINDING, name_of(c.atomic->generic)),
    I(GL_VERTEX_ARRAY_BINDING, name_of(c.vertex_array->vao)),
    I(GL_CURRENT_PROGRAM, name_of(c.program->program)),
    I(GL_PROGRAM_PIPELINE_BINDING, name_of(c.program->pipeline)),
    I(GL_TRANSFORM_FEEDBACK_BINDING, name_of(c.xfb->object)),
    B(GL_TRANSFORM_FEEDBACK_ACTIVE, c.xfb->object->active),
    B(GL_TRANSFORM_FEEDBACK_PAUSED, c.xfb->object->paused),
    I(GL_RENDERBUFFER_BINDING, name_of(c.renderbuffer)),
    I(GL_DRAW_FRAMEBUFFER_BINDING, name_of(c.draw_fb->fb)),
    I(GL_READ_FRAMEBUFFER_BINDING, name_of(c.read_fb->fb)),
    E(GL_READ_BUFFER, c.read_fb->fb->read_buffer),
    E(GL_DRAW_BUFFER, draw_buffer(c, 0)),
    E(GL_DRAW_BUFFER0, draw_buffer(c, 0)),
    E(GL_DRAW_BUFFER1, draw_buffer(c, 1)),
    E(GL_DRAW_BUFFER2, draw_buffer(c, 2)),
    E(GL_DRAW_BUFFER3, draw_buffer(c, 3)),
    E(GL_DRAW_BUFFER4, draw_buffer(c, 4)),
    E(GL_DRAW_BUFFER5, draw_buffer(c, 5)),
    E(GL_DRAW_BUFFER6, draw_buffer(c, 6)),
    E(GL_DRAW_BUFFER7, draw_buffer(c, 7)),
    B(GL_DOUBLEBUFFER, c.draw_fb->fb->is_default && c.draw_fb->fb->double_buffered),
    B(GL_STEREO, false),
    E(GL_IMPLEMENTATION_COLOR_READ_FORMAT, read_format(c) ? read_format(c)->transfer_format : GL_RGBA),
    E(GL_IMPLEMENTATION_COLOR_READ_TYPE, read_format(c) ? read_format(c)->transfer_type : GL_UNSIGNED_BYTE),
    // identity
    I(GL_MAJOR_VERSION, c.version / 10),
    I(GL_MINOR_VERSION, c.version % 10),
    I(GL_CONTEXT_FLAGS, (c.attribs.forward ? GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT : 0) | (c.attribs.debug ? GL_CONTEXT_FLAG_DEBUG_BIT : 0) |
                            (c.attribs.robust ? GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT : 0) | (c.attribs.no_error ? GL_CONTEXT_FLAG_NO_ERROR_BIT : 0)),
    I(GL_CONTEXT_PROFILE_MASK, GL_CONTEXT_CORE_PROFILE_BIT),
    E(GL_CONTEXT_RELEASE_BEHAVIOR, c.attribs.release_flush ? GL_CONTEXT_RELEASE_BEHAVIOR_FLUSH : GL_NONE),
    B(GL_CONTEXT_ROBUST_ACCESS, c.attribs.robust),
    E(GL_RESET_NOTIFICATION_STRATEGY, c.attribs.lose_on_reset ? GL_LOSE_CONTEXT_ON_RESET : GL_NO_RESET_NOTIFICATION),
    I(GL_MAX_SHADER_COMPILER_THREADS_KHR, compiler::max_threads()),
    I(GL_NUM_EXTENSIONS, c.caps->extensions.size()),
    I(GL_NUM_SHADING_LANGUAGE_VERSIONS, shading_languages(c).size()),
    I(GL_NUM_PROGRAM_BINARY_FORMATS, 1),
    I(GL_PROGRAM_BINARY_FORMATS, kProgramBinaryFormat),
    I(GL_NUM_SHADER_BINARY_FORMATS, c.has().spirv ? 1 : 0),
    {GL_SHADER_BINARY_FORMATS, Value::int_, 0, [](Context &c, Value &v) { v.count = c.has().spirv; v.i[0] = GL_SHADER_BINARY_FORMAT_SPIR_V; }},
    B(GL_SHADER_COMPILER, true),
    {GL_NUM_COMPRESSED_TEXTURE_FORMATS, Value::int_, 1, [](Context &c, Value &v) { GLint list[64]; v.i[0] = compressed_format_list(c, list); }},
    {GL_TIMESTAMP, Value::int64_, 1, [](Context &c, Value &v) { v.i[0] = c.has().timer_query ? int64_t(st::timestamp(c)) : 0; }},
    I(GL_DEBUG_LOGGED_MESSAGES, c.debug.log.size()),
    I(GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH, c.debug.log.empty() ? 0 : c.debug.log.front().text.size() + 1),
    I(GL_DEBUG_GROUP_STACK_DEPTH, c.debug.groups.size() + 1),
    L(GL_MAX_DEBUG_MESSAGE_LENGTH, debug_message_length),
    L(GL_MAX_DEBUG_LOGGED_MESSAGES, debug_messages),
    L(GL_MAX_DEBUG_GROUP_STACK_DEPTH, debug_groups),
    L(GL_MAX_LABEL_LENGTH, label_length),
    // limits
    L(GL_MAX_TEXTURE_SIZE, texture_size),
    L(GL_MAX_3D_TEXTURE_SIZE, texture_3d_size),
    L(GL_MAX_CUBE_MAP_TEXTURE_SIZE, cube_size),
    L(GL_MAX_RECTANGLE_TEXTURE_SIZE, rectangle_size),
    L(GL_MAX_ARRAY_TEXTURE_LAYERS, array_layers),
    L(GL_MAX_RENDERBUFFER_SIZE, renderbuffer_size),
    L(GL_MAX_TEXTURE_BUFFER_SIZE, texture_buffer_size),
    L(GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT, texture_buffer_alignment),
    F(GL_MAX_TEXTURE_LOD_BIAS, c.limits().lod_bias),
    F(GL_MAX_TEXTURE_MAX_ANISOTROPY, c.limits().anisotropy),
    {GL_MAX_VIEWPORT_DIMS, Value::int_, 2, [](Context &c, Value &v) { v.i[0] = c.limits().viewport_width; v.i[1] = c.limits().viewport_height; }},
    L(GL_MAX_VIEWPORTS, viewports),
    L(GL_VIEWPORT_SUBPIXEL_BITS, subpixel_bits),
    F2(GL_VIEWPORT_BOUNDS_RANGE, c.limits().viewport_bounds[0], c.limits().viewport_bounds[1]),
    E(GL_LAYER_PROVOKING_VERTEX, GL_UNDEFINED_VERTEX),
    E(GL_VIEWPORT_INDEX_PROVOKING_VERTEX, GL_UNDEFINED_VERTEX),
    B(GL_PRIMITIVE_RESTART_FOR_PATCHES_SUPPORTED, false),
    L(GL_SUBPIXEL_BITS, subpixel_bits),
    L(GL_MAX_DRAW_BUFFERS, draw_buffers),
    L(GL_MAX_DUAL_SOURCE_DRAW_BUFFERS, dual_source_draw_buffers),
    L(GL_MAX_COLOR_ATTACHMENTS, color_attachments),
    L(GL_MAX_SAMPLES, samples),
    L(GL_MAX_COLOR_TEXTURE_SAMPLES, color_samples),
    L(GL_MAX_DEPTH_TEXTURE_SAMPLES, depth_samples),
    L(GL_MAX_INTEGER_SAMPLES, integer_samples),
    L(GL_MAX_SAMPLE_MASK_WORDS, sample_mask_words),
    L(GL_MAX_FRAMEBUFFER_WIDTH, framebuffer_width),
    L(GL_MAX_FRAMEBUFFER_HEIGHT, framebuffer_height),
    L(GL_MAX_FRAMEBUFFER_LAYERS, framebuffer_layers),
    L(GL_MAX_FRAMEBUFFER_SAMPLES, framebuffer_samples),
    L(GL_MAX_VERTEX_ATTRIBS, vertex_attribs),
    L(GL_MAX_VERTEX_ATTRIB_BINDINGS, attrib_bindings),
    L(GL_MAX_VERTEX_ATTRIB_STRIDE, attrib_stride),
    L(GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET, attrib_relative_offset),
    L(GL_MAX_ELEMENTS_VERTICES, elements_vertices),
    L(GL_MAX_ELEMENTS_INDICES, elements_indices),
    {GL_MAX_ELEMENT_INDEX, Value::int64_, 1, [](Context &c, Value &v) { v.i[0] = c.limits().element_index; }},
    STAGES(GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, stage_texture_units, vertex),
    STAGES(GL_MAX_TESS_CONTROL_TEXTURE_IMAGE_UNITS, stage_texture_units, tess_control),
    STAGES(GL_MAX_TESS_EVALUATION_TEXTURE_IMAGE_UNITS, stage_texture_units, tess_evaluation),
    STAGES(GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS, stage_texture_units, geometry),
    STAGES(GL_MAX_TEXTURE_IMAGE_UNITS, stage_texture_units, fragment),
    STAGES(GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS, stage_texture_units, compute),
    L(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, combined_texture_units),
    STAGES(GL_MAX_VERTEX_UNIFORM_COMPONENTS, stage_uniform_components, vertex),
    STAGES(GL_MAX_TESS_CONTROL_UNIFORM_COMPONENTS, stage_uniform_components, tess_control),
    STAGES(GL_MAX_TESS_EVALUATION_UNIFORM_COMPONENTS, stage_uniform_components, tess_evaluation),
    STAGES(GL_MAX_GEOMETRY_UNIFORM_COMPONENTS, stage_uniform_components, geometry),
    STAGES(GL_MAX_FRAGMENT_UNIFORM_COMPONENTS, stage_uniform_components, fragment),
    STAGES(GL_MAX_COMPUTE_UNIFORM_COMPONENTS, stage_uniform_components, compute),
    I(GL_MAX_VERTEX_UNIFORM_VECTORS, c.limits().stage_uniform_components[0] / 4),
    I(GL_MAX_FRAGMENT_UNIFORM_VECTORS, c.limits().stage_uniform_components[4] / 4),
    STAGES(GL_MAX_VERTEX_UNIFORM_BLOCKS, stage_uniform_blocks, vertex),
    STAGES(GL_MAX_TESS_CONTROL_UNIFORM_BLOCKS, stage_uniform_blocks, tess_control),
    STAGES(GL_MAX_TESS_EVALUATION_UNIFORM_BLOCKS, stage_uniform_blocks, tess_evaluation),
    STAGES(GL_MAX_GEOMETRY_UNIFORM_BLOCKS, stage_uniform_blocks, geometry),
    STAGES(GL_MAX_FRAGMENT_UNIFORM_BLOCKS, stage_uniform_blocks, fragment),
    STAGES(GL_MAX_COMPUTE_UNIFORM_BLOCKS, stage_uniform_blocks, compute),
#define COMBINED(name, stage)                                                                      \
    I(name, c.limits().stage_uniform_components[unsigned(Stage::stage)] +                          \
                int64_t(c.limits().stage_uniform_blocks[unsigned(Stage::stage)]) *                 \
                    (c.limits().uniform_block_size / 4))
    COMBINED(GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS, vertex),
    COMBINED(GL_MAX_COMBINED_TESS_CONTROL_UNIFORM_COMPONENTS, tess_control),
    COMBINED(GL_MAX_COMBINED_TESS_EVALUATION_UNIFORM_COMPONENTS, tess_evaluation),
    COMBINED(GL_MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS, geometry),
    COMBINED(GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS, fragment),
    COMBINED(GL_MAX_COMBINED_COMPUTE_UNIFORM_COMPONENTS, compute),
    L(GL_MAX_COMBINED_UNIFORM_BLOCKS, combined_uniform_blocks),
    L(GL_MAX_UNIFORM_BUFFER_BINDINGS, uniform_bindings),
    L(GL_MAX_UNIFORM_BLOCK_SIZE, uniform_block_size),
    L(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, uniform_alignment),
    L(GL_MAX_UNIFORM_LOCATIONS, uniform_locations),
    STAGES(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, stage_storage_blocks, vertex),
    STAGES(GL_MAX_TESS_CONTROL_SHADER_STORAGE_BLOCKS, stage_storage_blocks, tess_control),
    STAGES(GL_MAX_TESS_EVALUATION_SHADER_STORAGE_BLOCKS, stage_storage_blocks, tess_evaluation),
    STAGES(GL_MAX_GEOMETRY_SHADER_STORAGE_BLOCKS, stage_storage_blocks, geometry),
    STAGES(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS, stage_storage_blocks, fragment),
    STAGES(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, stage_storage_blocks, compute),
    L(GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS, combined_storage_blocks),
    L(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, storage_bindings),
    {GL_MAX_SHADER_STORAGE_BLOCK_SIZE, Value::int64_, 1, [](Context &c, Value &v) { v.i[0] = c.limits().storage_block_size; }},
    L(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, storage_alignment),
    L(GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES, combined_shader_outputs),
    STAGES(GL_MAX_VERTEX_IMAGE_UNIFORMS, stage_images, vertex),
    STAGES(GL_MAX_TESS_CONTROL_IMAGE_UNIFORMS, stage_images, tess_control),
    STAGES(GL_MAX_TESS_EVALUATION_IMAGE_UNIFORMS, stage_images, tess_evaluation),
    STAGES(GL_MAX_GEOMETRY_IMAGE_UNIFORMS, stage_images, geometry),
    STAGES(GL_MAX_FRAGMENT_IMAGE_UNIFORMS, stage_images, fragment),
    STAGES(GL_MAX_COMPUTE_IMAGE_UNIFORMS, stage_images, compute),
    L(GL_MAX_IMAGE_UNITS, image_units),
    L(GL_MAX_COMBINED_IMAGE_UNIFORMS, combined_images),
    L(GL_MAX_IMAGE_SAMPLES, image_samples),
    STAGES(GL_MAX_VERTEX_ATOMIC_COUNTERS, stage_atomic_counters, vertex),
    STAGES(GL_MAX_TESS_CONTROL_ATOMIC_COUNTERS, stage_atomic_counters, tess_control),
    STAGES(GL_MAX_TESS_EVALUATION_ATOMIC_COUNTERS, stage_atomic_counters, tess_evaluation),
    STAGES(GL_MAX_GEOMETRY_ATOMIC_COUNTERS, stage_atomic_counters, geometry),
    STAGES(GL_MAX_FRAGMENT_ATOMIC_COUNTERS, stage_atomic_counters, fragment),
    STAGES(GL_MAX_COMPUTE_ATOMIC_COUNTERS, stage_atomic_counters, compute),
    STAGES(GL_MAX_VERTEX_ATOMIC_COUNTER_BUFFERS, stage_atomic_buffers, vertex),
    STAGES(GL_MAX_TESS_CONTROL_ATOMIC_COUNTER_BUFFERS, stage_atomic_buffers, tess_control),
    STAGES(GL_MAX_TESS_EVALUATION_ATOMIC_COUNTER_BUFFERS, stage_atomic_buffers, tess_evaluation),
    STAGES(GL_MAX_GEOMETRY_ATOMIC_COUNTER_BUFFERS, stage_atomic_buffers, geometry),
    STAGES(GL_MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS, stage_atomic_buffers, fragment),
    STAGES(GL_MAX_COMPUTE_ATOMIC_COUNTER_BUFFERS, stage_atomic_buffers, compute),
    L(GL_MAX_COMBINED_ATOMIC_COUNTERS, combined_atomic_counters),
    L(GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS, combined_atomic_buffers),
    L(GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS, atomic_bindings),
    L(GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE, atomic_buffer_size),
    L(GL_MAX_VARYING_COMPONENTS, varying_components),
    L(GL_MAX_VARYING_VECTORS, varying_vectors),
    L(GL_MAX_VERTEX_OUTPUT_COMPONENTS, vertex_output_components),
    L(GL_MAX_GEOMETRY_INPUT_COMPONENTS, geometry_input_components),
    L(GL_MAX_GEOMETRY_OUTPUT_COMPONENTS, geometry_output_components),
    L(GL_MAX_GEOMETRY_OUTPUT_VERTICES, geometry_output_vertices),
    L(GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS, geometry_total_components),
    L(GL_MAX_GEOMETRY_SHADER_INVOCATIONS, geometry_invocations),
    L(GL_MAX_FRAGMENT_INPUT_COMPONENTS, fragment_input_components),
    L(GL_MAX_VERTEX_STREAMS, vertex_streams),
    L(GL_MAX_CLIP_DISTANCES, clip_distances),
    L(GL_MAX_CULL_DISTANCES, cull_distances),
    L(GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES, combined_clip_cull),
    L(GL_MAX_PATCH_VERTICES, patch_vertices),
    L(GL_MAX_TESS_GEN_LEVEL, tess_level),
    L(GL_MAX_TESS_PATCH_COMPONENTS, tess_patch_components),
    L(GL_MAX_TESS_CONTROL_INPUT_COMPONENTS, tcs_input_components),
    L(GL_MAX_TESS_CONTROL_OUTPUT_COMPONENTS, tcs_output_components),
    L(GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS, tcs_total_components),
    L(GL_MAX_TESS_EVALUATION_INPUT_COMPONENTS, tes_input_components),
    L(GL_MAX_TESS_EVALUATION_OUTPUT_COMPONENTS, tes_output_components),
    L(GL_MAX_TRANSFORM_FEEDBACK_BUFFERS, xfb_buffers),
    L(GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, xfb_interleaved),
    L(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, xfb_separate),
    L(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS, xfb_separate_components),
    L(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, compute_invocations),
    L(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, compute_shared),
    L(GL_MIN_PROGRAM_TEXEL_OFFSET, min_texel_offset),
    L(GL_MAX_PROGRAM_TEXEL_OFFSET, max_texel_offset),
    L(GL_MIN_PROGRAM_TEXTURE_GATHER_OFFSET, min_gather_offset),
    L(GL_MAX_PROGRAM_TEXTURE_GATHER_OFFSET, max_gather_offset),
    I(GL_MAX_PROGRAM_TEXTURE_GATHER_COMPONENTS_ARB, 4),
    F(GL_MIN_FRAGMENT_INTERPOLATION_OFFSET, c.limits().min_interp_offset),
    F(GL_MAX_FRAGMENT_INTERPOLATION_OFFSET, c.limits().max_interp_offset),
    L(GL_FRAGMENT_INTERPOLATION_OFFSET_BITS, interp_bits),
    L(GL_MIN_MAP_BUFFER_ALIGNMENT, map_alignment),
    {GL_MAX_SERVER_WAIT_TIMEOUT, Value::int64_, 1, [](Context &, Value &v) { v.i[0] = INT64_MAX; }},
    L(GL_MAX_SUBROUTINES, subroutines),
    L(GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS, subroutine_locations),
};

const std::unordered_map<GLenum, const Row *> &index() {
    static const auto *map = [] {
        auto *m = new std::unordered_map<GLenum, const Row *>;
        for (const Row &r : rows)
            m->emplace(r.name, &r);
        return m;
    }();
    return *map;
}
} // namespace

// GL_COMPRESSED_TEXTURE_FORMATS: longer than a Value.
unsigned compressed_format_list(Context &, GLint *out) {
    unsigned n = 0;
    for (const GLenum *f = compressed_formats; *f; f++)
        out[n++] = GLint(*f);
    return n;
}

bool get_value(Context &ctx, GLenum pname, Value &out) {
    auto it = index().find(pname);
    if (it != index().end()) {
        out.kind = it->second->kind;
        out.count = it->second->count;
        it->second->get(ctx, out);
        return true;
    }
    bool flag = false;
    GLint number = 0;
    if (capability_value(ctx, pname, flag)) {
        out.kind = Value::bool_;
        out.count = 1;
        out.i[0] = flag;
        return true;
    }
    if (pixel_store_value(ctx, pname, number, flag)) {
        out.kind = flag ? Value::bool_ : Value::int_;
        out.count = 1;
        out.i[0] = number;
        return true;
    }
    return false;
}
} // namespace gl
