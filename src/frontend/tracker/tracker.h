// SPDX-License-Identifier: MIT
// What the GL objects may ask of the tracker. Objects have checked every error before they call;
// the tracker translates GL values into the pipe's, pushes state before verbs, and lowers what the
// pipe cannot say. All functions run on the context's thread. Functions that can fail for memory
// return false and have raised GL_OUT_OF_MEMORY (or the device is lost, then nothing is raised).
#pragma once

#include "objects/context.h"
#include "objects/dma_buf.h"

#include <span>

namespace gl {
struct SharedImage;
} // namespace gl

namespace st {

// --- life ----------------------------------------------------------------------------------------
bool group_create(
    gl::ShareGroup &g); // after g.screen is set: caps are read, default objects may follow
void group_destroy(gl::ShareGroup &g);
bool context_create(gl::Context &c); // creates the lane: c.pipe, c.tracker
void context_destroy(gl::Context &c);
void make_current(gl::Context &c); // c.draw_surface / c.read_surface are set; emits lane_current
void release_current(gl::Context &c, bool flush);
const pipe_caps &caps(const gl::ShareGroup &g);

// --- draws ---------------------------------------------------------------------------------------
struct DrawInfo {
    GLenum mode;
    uint32_t first, count; // first: vertex (arrays) or index (elements)
    uint32_t instances = 1, base_instance = 0;
    int32_t base_vertex = 0;
    uint8_t index_size = 0; // 0 = arrays; 1, 2, 4
    bool has_range = false; // glDrawRangeElements
    uint32_t min_index = 0, max_index = ~0u;
    uint32_t draw_id = 0;
    const void *user_indices = nullptr; // client memory when no element buffer is bound; else
                                        // `first` counts from the buffer's start
};
struct DrawRange {
    uint32_t first, count;
    int32_t base_vertex;
};
// Runs validate when needed. The caller has checked mode against ctx.valid_modes after calling
// validate() (which refreshes the masks).
void validate(gl::Context &c); // the analogue of st_validate_state: (dirty | remote) & active
void draw(gl::Context &c, const DrawInfo &info);
void multi_draw(gl::Context &c, const DrawInfo &common, const DrawRange *ranges,
                uint32_t n); // common.first/count/base_vertex unused
struct IndirectDraw {
    GLenum mode;
    uint8_t index_size; // 0 = arrays
    gl::Buffer *buffer;
    uint64_t offset;
    uint32_t draw_count, stride;
    gl::Buffer *count_buffer; // or null
    uint64_t count_offset;
};
bool draw_indirect(gl::Context &c, const IndirectDraw &info); // false: not supported
bool draw_transform_feedback(gl::Context &c, GLenum mode, gl::TransformFeedback &x, unsigned stream,
                             uint32_t instances);
bool dispatch(gl::Context &c, uint32_t x, uint32_t y, uint32_t z);
bool dispatch_indirect(gl::Context &c, gl::Buffer &b, uint64_t offset);
void memory_barrier(gl::Context &c, GLbitfield barriers, bool by_region);
void texture_barrier(gl::Context &c);

// --- framebuffer operations ----------------------------------------------------------------------
union ClearValue {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
    struct {
        double depth;
        int32_t stencil;
    } ds;
};
void clear(gl::Context &c,
           GLbitfield mask); // glClear: bound draw framebuffer, masks and scissor apply
enum class ClearType : uint8_t { float_, int_, uint_, depth, stencil, depth_stencil };
void clear_buffer(gl::Context &c, gl::Framebuffer &fb, ClearType type, unsigned draw_buffer,
                  const ClearValue &v);
struct BlitInfo {
    gl::Framebuffer *read, *draw;
    GLint src[4], dst[4]; // x0 y0 x1 y1 as given
    GLbitfield mask;      // only buffers that exist on both sides
    GLenum filter;
};
void blit(gl::Context &c, const BlitInfo &b);
void invalidate_framebuffer(gl::Context &c, gl::Framebuffer &fb, uint32_t color_mask, bool depth,
                            bool stencil, const gl::Rect *area);
struct PixelRect { // a transfer in client terms
    GLenum format, type;
    const gl::PixelStore *store;
    gl::Buffer *buffer; // pixel buffer object or null
    void *pixels;       // client pointer, or offset in `buffer`; const data for uploads
};
bool read_pixels(gl::Context &c, gl::Framebuffer &fb, GLint x, GLint y, GLsizei w, GLsizei h,
                 const PixelRect &dst);
void framebuffer_destroy(gl::Framebuffer &fb);

// --- buffers -------------------------------------------------------------------------------------
bool buffer_storage(gl::Context &c, gl::Buffer &b,
                    const void *data); // b.size, usage, flags, immutable are set; new storage
void buffer_subdata(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr size,
                    const void *data);
void *buffer_map(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr length,
                 GLbitfield access); // null: GL_OUT_OF_MEMORY was raised
void buffer_flush_range(gl::Context &c, gl::Buffer &b, GLintptr offset,
                        GLsizeiptr length);       // offset from the buffer's start
bool buffer_unmap(gl::Context &c, gl::Buffer &b); // false: contents lost
void buffer_copy(gl::Context &c, gl::Buffer &src, gl::Buffer &dst, GLintptr src_offset,
                 GLintptr dst_offset, GLsizeiptr size);
void buffer_clear(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr size,
                  const void *pattern, unsigned pattern_size);
bool buffer_readback(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr size, void *out);
void buffer_invalidate(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr length);
void buffer_destroy(
    gl::Buffer &b); // last reference gone; on the thread of gl::current(), which may be null

// --- textures and renderbuffers ------------------------------------------------------------------
struct Box {
    GLint x, y, z;
    GLsizei w, h, d; // arrays: z, d are layers (1D arrays too); cube maps: z is the face when DSA
};
bool texture_storage(gl::Context &c,
                     gl::Texture &t); // immutable: levels, sizes, samples are filled in t.image
void texture_level_defined(gl::Context &c, gl::Texture &t, unsigned face,
                           unsigned level); // mutable: t.image[face][level] is new (TexImage)
void texture_subdata(gl::Context &c, gl::Texture &t, unsigned face, unsigned level, const Box &box,
                     const PixelRect &src);
void texture_compressed_subdata(gl::Context &c, gl::Texture &t, unsigned face, unsigned level,
                                const Box &box, GLenum format, GLsizei image_size,
                                const gl::PixelStore &store, gl::Buffer *buffer, const void *data);
bool texture_get_image(gl::Context &c, gl::Texture &t, unsigned face, unsigned level,
                       const Box &box, const PixelRect &dst);
bool texture_get_compressed(gl::Context &c, gl::Texture &t, unsigned face, unsigned level,
                            const Box &box, gl::Buffer *buffer, void *out);
void texture_copy_from_framebuffer(gl::Context &c, gl::Texture &t, unsigned face, unsigned level,
                                   GLint dx, GLint dy, GLint dz, gl::Framebuffer &fb, GLint x,
                                   GLint y, GLsizei w, GLsizei h);
struct ImageRef { // one side of glCopyImageSubData
    gl::Texture *tex;
    gl::Renderbuffer *rb;
    unsigned face, level;
    GLint x, y, z;
};
bool copy_image(gl::Context &c, const ImageRef &src, const ImageRef &dst, GLsizei w, GLsizei h,
                GLsizei d);
bool texture_clear(gl::Context &c, gl::Texture &t, unsigned face, unsigned level, const Box &box,
                   GLenum format, GLenum type, const void *data);
void texture_generate_mipmap(gl::Context &c,
                             gl::Texture &t); // t.image of the levels made is filled in
void texture_invalidate(gl::Context &c, gl::Texture &t, unsigned level, const Box *box);
bool texture_view(gl::Context &c, gl::Texture &t); // t.origin, min_level ... are set
// Storage in a dma-buf of others for t, whose image[0][0] is set; `format` is a pipe_format. Any
// thread, no context.
enum class Import { done, no_format, no_access, no_handle };
Import texture_import(gl::ShareGroup &g, gl::Texture &t, const gl::DmaBuf &source, uint32_t format);
// What it takes; asks the driver.
std::vector<gl::DmaBufFormat> importable_formats(const gl::ShareGroup &g);
// A texture of one level that others reach as a dma-buf; `format` is a pipe_format, any of the
// modifiers will do. False: the driver has none. Any thread, no context; `fd` is the caller's.
struct Exported {
    pipe_handle resource;
    uint64_t modifier;
    uint32_t offset, stride; // bytes
    int fd;
};
bool texture_export(gl::ShareGroup &g, uint32_t format, uint32_t width, uint32_t height,
                    std::span<const uint64_t> modifiers, Exported &out);
void exported_drop(gl::ShareGroup &g, pipe_handle resource); // likewise
void texture_drop(gl::Context &c, gl::Texture &t);           // its storage or view goes
void texture_buffer_changed(gl::Context &c, gl::Texture &t); // t.buffer ... are set
void texture_params_changed(gl::Context &c,
                            gl::Texture &t); // only cached pieces are dropped; nothing is sent
void texture_destroy(gl::Texture &t);
// Makes the storage of a texture that is no view an image of the display; `out` is what any group
// makes a texture of. False: the driver shares nothing, nothing is raised.
bool image_create(gl::Context &c, gl::Texture &t, gl::SharedImage &out);
// Gives the texture, whose images are set, that storage. False: the image is gone.
bool image_import(gl::Context &c, gl::Texture &t, const gl::SharedImage &image);
void image_destroy(gl::ShareGroup &g, pipe_handle image); // on any thread
bool renderbuffer_storage(gl::Context &c, gl::Renderbuffer &r);
void renderbuffer_destroy(gl::Renderbuffer &r);
void sampler_destroy(gl::Sampler &s);
void vertex_array_destroy(gl::VertexArray &v);
bool format_supported(gl::Context &c, const gl::FormatInfo &f, GLenum target,
                      unsigned samples); // samples 0 or 1: single
uint32_t format_sample_mask(gl::Context &c, const gl::FormatInfo &f,
                            GLenum target); // bit n: n samples can be had (n up to 31)
bool format_renderable(gl::Context &c, const gl::FormatInfo &f);

// --- programs ------------------------------------------------------------------------------------
void program_linked(gl::Context &c,
                    gl::Program &p); // p.linked is new: create_shader_state leaves now
void program_destroy(gl::Program &p);
void pipeline_destroy(gl::ProgramPipeline &p);

// --- transform feedback --------------------------------------------------------------------------
void xfb_begin(gl::Context &c, gl::TransformFeedback &x);
void xfb_end(gl::Context &c, gl::TransformFeedback &x);
void xfb_pause(gl::Context &c, gl::TransformFeedback &x);
void xfb_resume(gl::Context &c, gl::TransformFeedback &x);
void xfb_destroy(gl::TransformFeedback &x);

// --- queries, fences, ordering -------------------------------------------------------------------
bool query_begin(gl::Context &c, gl::Query &q);
void query_end(gl::Context &c, gl::Query &q);
void query_counter(gl::Context &c, gl::Query &q); // glQueryCounter(TIMESTAMP)
// Polls; makes progress; sets q.ready and q.result. `ask`: the server, however seldom polls do.
bool query_available(gl::Context &c, gl::Query &q, bool ask = false);
uint64_t query_wait(gl::Context &c, gl::Query &q);
bool query_result_to_buffer(gl::Context &c, gl::Query &q, gl::Buffer &b, GLintptr offset,
                            GLenum pname, unsigned bytes, bool is_signed);
void query_destroy(gl::Query &q);
uint64_t timestamp(gl::Context &c); // nanoseconds, glGetInteger64v(GL_TIMESTAMP)
bool render_condition(
    gl::Context &c, gl::Query *q,
    GLenum mode); // null ends; false: the driver cannot, objects decide by the result
bool fence_create(gl::Context &c, gl::Sync &s);
bool fence_signaled(gl::Context &c, gl::Sync &s);                              // polls
bool fence_wait(gl::Context &c, gl::Sync &s, uint64_t timeout_ns, bool flush); // true: signaled
void fence_wait_server(gl::Context &c, gl::Sync &s);
void fence_destroy(gl::Sync &s);
void flush(gl::Context &c, uint32_t flags = 0); // PIPE_FLUSH_*
void finish(gl::Context &c);
// Shows a surface; `damage`: p.num_rects boxes.
void present(gl::Context &c, const pipe_present &p, const pipe_scissor *damage);
// Shows the draw surface, p.surface, of kind FRAMES: the server finds it in the read buffer.
void present_frame(gl::Context &c, const pipe_present &p);
// The colours of the default draw framebuffer, whatever the read buffer is: 4 bytes a texel, tight,
// the bottom row first, GL_BGRA of `type`.
bool read_surface(gl::Context &c, GLenum type, void *pixels);
GLenum reset_status(gl::Context &c); // GL_NO_ERROR or the reason
// Delivers what the driver reported meanwhile: its errors, the loss of the context (which then is
// not current any more), fences, query results. Cheap when there is nothing; any thread.
void drain_events(gl::Context &c);
void debug_marker(gl::Context &c, GLenum kind, const char *text,
                  size_t length); // PUSH_GROUP, POP_GROUP, MARKER

// --- events of the driver (pipe_callbacks), handed on by whoever made the screen; any thread -----
void on_fence_signaled(gl::ShareGroup &g, const pipe_on_fence_signaled &e);
void on_query_ready(gl::Context &c, const pipe_on_query_ready &e);
} // namespace st
