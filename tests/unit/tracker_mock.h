// SPDX-License-Identifier: MIT
// A counting pipe driver for tests of the tracker: the noop driver with a counter in front of every
// entry, and a context on it whose programs are made by hand, so that no test needs the compiler.
#pragma once

#include "noop/noop_public.h"
#include "objects/context.h"
#include "tracker/tracker.h"

#include <map>
#include <string>

namespace mock {

#define MOCK_CONTEXT_ENTRIES(X)                                                                    \
    X(lane_current)                                                                                \
    X(lane_wait)                                                                                   \
    X(get_reset_status)                                                                            \
    X(flush) X(finish) X(flush_resource) X(debug_marker) X(query_create) X(query_begin)            \
        X(query_end) X(query_available) X(query_result) X(query_destroy) X(query_counter) X(       \
            query_timestamp) X(query_result_to_buffer) X(set_render_condition)                     \
            X(create_render_state) X(bind_render_state) X(delete_render_state) X(                  \
                create_vertex_elements) X(bind_vertex_elements) X(delete_vertex_elements)          \
                X(bind_shader_state) X(set_dynamic_state) X(set_sample_state) X(                   \
                    set_framebuffer_state) X(bind_framebuffers) X(set_vertex_buffers)              \
                    X(set_index_buffer) X(set_indirect_buffers) X(set_sampler_views) X(            \
                        bind_sampler_states) X(set_shader_images) X(set_shader_buffers)            \
                        X(set_stream_output_targets) X(set_global_constants) X(                    \
                            set_vertex_attrib_defaults) X(set_pixel_pack_state) X(set_patch_state) \
                            X(set_draw_program) X(set_dispatch_program) X(set_program_bindings) X( \
                                set_texture_params) X(resource_subdata) X(buffer_subdata_resident) \
                                X(resource_flush_range) X(resource_readback) X(                    \
                                    resource_copy_region) X(copy_buffer_to_texture)                \
                                    X(clear_buffer) X(clear_texture) X(blit) X(clear) X(           \
                                        invalidate_framebuffer) X(generate_mipmap) X(read_pixels)  \
                                        X(read_pixels_to_buffer) X(get_texture_image)              \
                                            X(get_texture_image_to_buffer)                         \
                                                X(copy_framebuffer_to_texture) X(draw_vbo)         \
                                                    X(launch_grid) X(memory_barrier)               \
                                                        X(texture_barrier) X(begin_stream_output)  \
                                                            X(end_stream_output)                   \
                                                                X(pause_stream_output)             \
                                                                    X(resume_stream_output)        \
                                                                        X(present)                 \
                                                                            X(set_swap_interval)
#define MOCK_SCREEN_ENTRIES(X)                                                                     \
    X(resource_create)                                                                             \
    X(resource_respecify)                                                                          \
    X(resource_destroy)                                                                            \
    X(resource_invalidate) X(resource_export) X(map_persistent)                 \
        X(unmap_persistent) X(fence_create) X(fence_status) X(fence_wait) X(fence_wait_server)     \
            X(fence_destroy) X(fence_import_fd) X(fence_export_fd) X(destroy_object)               \
                X(image_create) X(image_import) X(image_destroy)                                   \
                X(create_shader_state) X(delete_shader_state) X(create_sampler_state)              \
                    X(delete_sampler_state) X(create_sampler_view) X(delete_sampler_view)

// Calls by name since the last reset(), and what the last draw said.
struct Calls {
    uint64_t total = 0;
    std::map<std::string, uint64_t>
        by_name; // filled only while `names` is set: a steady draw must not allocate
    bool names = true;
    pipe_draw_vbo draw{};
    uint64_t ranges = 0, regions = 0, upload_bytes = 0;
    std::string list() const; // "name xN, ..."
    uint64_t of(const char *name) const;
};
extern Calls calls;
void reset();

// A screen on noop whose entries count.
pipe_screen *create_screen();

// One context with a pbuffer of 64 x 64 that is current.
struct Context {
    std::shared_ptr<pipe_screen> screen; // goes after the last group on it
    std::shared_ptr<gl::ShareGroup> group;
    gl::Context *gl = nullptr;
    explicit Context(const Context *share = nullptr);
    ~Context();
    gl::Context &operator*() { return *gl; }
    void make_current();
};

// What a hand-made program reads.
struct ProgramWish {
    uint32_t vertex_inputs = 1;
    std::vector<uint8_t> samplers; // gl::TexIndex by slot
    unsigned uniform_blocks = 0, storage_blocks = 0, images = 0;
    uint32_t globals_size = 0;
    bool draw_id = false, compute = false;
};
gl::Ref<gl::Program> make_program(gl::Context &c, const ProgramWish &wish);

// Allocations and mutex locks of this thread since the start (counted by the test program's own
// operator new and pthread hook).
uint64_t allocations();
uint64_t locks();

} // namespace mock
