// SPDX-License-Identifier: MIT
// One row for each kind of handle but the lane; see recycling.h.
#include "recycling.h"

namespace recycling {

namespace {

struct SceneRow : Row {
    explicit SceneRow(Scene &s) : s(s) {}
    Scene &s;
    pipe_handle second{};
};

struct ResourceRow : SceneRow {
    using SceneRow::SceneRow;
    uint32_t word = 1;
    void make(pipe_handle h, bool is_second) override {
        if (is_second)
            second = h;
        const uint32_t zero = 0;
        s.buffer(h, &zero, sizeof(zero));
    }
    bool reaches(pipe_handle h) override {
        s.write(h, ++word);
        return s.read(second) == word;
    }
    void drop(pipe_handle h) override {
        pipe_resource_destroy p{h};
        s.screen->resource_destroy(s.ctx, &p);
    }
};

// Only the second does not mix the two texels of the image.
struct SamplerRow : SceneRow {
    using SceneRow::SceneRow;
    void make(pipe_handle h, bool is_second) override {
        s.sampler(h, is_second ? PIPE_TEX_FILTER_NEAREST : PIPE_TEX_FILTER_LINEAR);
    }
    bool reaches(pipe_handle h) override {
        s.clear_black();
        s.use_sampler(h);
        s.draw();
        s.use_sampler({});
        const uint32_t p = s.pixel(s.fb);
        return p == 0xff0000ff || p == 0xff00ff00;
    }
    void drop(pipe_handle h) override {
        pipe_delete_sampler_state p{h};
        s.screen->delete_sampler_state(s.ctx, &p);
    }
};

struct ViewRow : SceneRow {
    explicit ViewRow(Scene &s) : SceneRow(s), blue_texture(s.mint(PIPE_HANDLE_RESOURCE)) {
        const uint32_t blue = 0xffff0000;
        s.texture(blue_texture, 1, 1, &blue);
    }
    const pipe_handle blue_texture;
    void make(pipe_handle h, bool is_second) override {
        s.view(h, is_second ? blue_texture : s.image);
    }
    bool reaches(pipe_handle h) override {
        s.clear_black();
        s.use_view(h);
        s.draw();
        s.use_view(s.image_view);
        return s.pixel(s.fb) == 0xffff0000;
    }
    void drop(pipe_handle h) override {
        pipe_delete_sampler_view p{h};
        s.screen->delete_sampler_view(s.ctx, &p);
    }
};

struct ShaderRow : SceneRow {
    using SceneRow::SceneRow;
    void make(pipe_handle h, bool) override { s.program(h, false); }
    bool reaches(pipe_handle h) override {
        s.clear_black();
        s.use_program(h);
        s.draw();
        s.use_program(s.normal_program);
        return s.pixel(s.fb) != 0;
    }
    void drop(pipe_handle h) override {
        pipe_delete_shader_state p{h};
        s.screen->delete_shader_state(s.ctx, &p);
    }
};

struct FenceRow : SceneRow {
    using SceneRow::SceneRow;
    void make(pipe_handle h, bool) override {
        pipe_fence_create p{h};
        s.screen->fence_create(s.ctx, &p);
    }
    bool reaches(pipe_handle h) override {
        pipe_fence_status p{h};
        pipe_fence_status_reply out{};
        return s.screen->fence_status(s.ctx, &p, &out) == PIPE_OK;
    }
    void drop(pipe_handle h) override {
        pipe_fence_destroy p{h};
        s.screen->fence_destroy(s.ctx, &p);
    }
};

struct SurfaceRow : SceneRow {
    using SceneRow::SceneRow;
    void make(pipe_handle h, bool is_second) override {
        if (is_second)
            second = h;
        pipe_surface_create p{};
        p.surface = h;
        p.kind = PIPE_SURFACE_KIND_PBUFFER;
        p.color_format = PIPE_FORMAT_R8G8B8A8_UNORM;
        p.width = p.height = 8;
        pipe_surface_create_reply out{};
        s.screen->surface_create(s.screen, &p, &out);
    }
    bool reaches(pipe_handle h) override {
        s.use_surface(h);
        const uint32_t color = s.clear_anew(pipe_default_framebuffer());
        s.use_surface(second);
        const bool felt = s.pixel(pipe_default_framebuffer()) == color;
        s.use_surface({});
        return felt;
    }
    void drop(pipe_handle h) override {
        pipe_surface_destroy p{h};
        s.screen->surface_destroy(s.screen, &p);
    }
};

// The second writes green only.
struct RenderStateRow : SceneRow {
    using SceneRow::SceneRow;
    void make(pipe_handle h, bool is_second) override { s.render_state(h, is_second ? 2 : 15); }
    bool reaches(pipe_handle h) override {
        s.clear_black();
        s.use_render_state(h);
        s.draw();
        s.use_render_state(s.normal_state);
        const uint32_t p = s.pixel(s.fb);
        return p && !(p & ~0xff00u);
    }
    void drop(pipe_handle h) override {
        pipe_delete_render_state p{h};
        s.ctx->delete_render_state(s.ctx, &p);
    }
};

struct VertexElementsRow : SceneRow {
    using SceneRow::SceneRow;
    void make(pipe_handle h, bool) override { s.vertex_elements(h); }
    bool reaches(pipe_handle h) override {
        s.clear_black();
        s.use_vertex_elements(h);
        s.draw();
        s.use_vertex_elements(s.layout);
        return s.pixel(s.fb) != 0;
    }
    void drop(pipe_handle h) override {
        pipe_delete_vertex_elements p{h};
        s.ctx->delete_vertex_elements(s.ctx, &p);
    }
};

struct FramebufferRow : SceneRow {
    explicit FramebufferRow(Scene &s) : SceneRow(s), attached(s.mint(PIPE_HANDLE_RESOURCE)) {
        s.texture(attached, 8, 8, nullptr);
    }
    const pipe_handle attached;
    void make(pipe_handle h, bool is_second) override {
        if (is_second)
            second = h;
        s.framebuffer(h, is_second ? attached : s.target);
    }
    bool reaches(pipe_handle h) override {
        const uint32_t color = s.clear_anew(h);
        return s.pixel(second) == color;
    }
    void drop(pipe_handle h) override {
        pipe_destroy_object p{h, PIPE_HANDLE_FRAMEBUFFER, 0};
        s.screen->destroy_object(s.ctx, &p);
    }
};

struct QueryRow : SceneRow {
    using SceneRow::SceneRow;
    void make(pipe_handle h, bool is_second) override {
        if (is_second)
            second = h;
        pipe_query_create p{};
        p.query = h;
        p.type = PIPE_QUERY_TYPE_OCCLUSION_COUNTER;
        s.ctx->query_create(s.ctx, &p);
    }
    bool reaches(pipe_handle h) override {
        pipe_query_begin begin{h};
        s.ctx->query_begin(s.ctx, &begin);
        s.draw();
        pipe_query_end end{h};
        s.ctx->query_end(s.ctx, &end);
        pipe_query_result result{second};
        pipe_query_result_reply out{};
        return s.ctx->query_result(s.ctx, &result, &out) == PIPE_OK && out.result;
    }
    void drop(pipe_handle h) override {
        pipe_query_destroy p{h};
        s.ctx->query_destroy(s.ctx, &p);
    }
};

struct StreamOutputRow : SceneRow {
    explicit StreamOutputRow(Scene &s)
        : SceneRow(s), program(s.mint(PIPE_HANDLE_SHADER)), captured{s.mint(PIPE_HANDLE_RESOURCE),
                                                                     s.mint(PIPE_HANDLE_RESOURCE)} {
        const uint32_t zeros[12] = {};
        for (pipe_handle b : captured)
            s.buffer(b, zeros, sizeof(zeros));
        s.program(program, true);
    }
    const pipe_handle program, captured[2];
    void make(pipe_handle h, bool is_second) override {
        pipe_set_stream_output_targets p{h, 1, 0};
        pipe_so_target target{captured[is_second], 0, 48};
        s.ctx->set_stream_output_targets(s.ctx, &p, &target);
    }
    bool reaches(pipe_handle h) override {
        s.write(captured[1], 0);
        s.use_program(program);
        pipe_begin_stream_output begin{h, PIPE_PRIM_TRIANGLES, {}};
        s.ctx->begin_stream_output(s.ctx, &begin);
        s.draw();
        pipe_end_stream_output end{h, 0, {}, 0};
        s.ctx->end_stream_output(s.ctx, &end);
        s.use_program(s.normal_program);
        return s.read(captured[1]) != 0;
    }
    void drop(pipe_handle h) override {
        pipe_destroy_object p{h, PIPE_HANDLE_STREAM_OUTPUT, 0};
        s.screen->destroy_object(s.ctx, &p);
    }
};

// What is imported of the second is another texture.
struct ImageRow : SceneRow {
    explicit ImageRow(Scene &s)
        : SceneRow(s), other(s.mint(PIPE_HANDLE_RESOURCE)),
          other_fb(s.mint(PIPE_HANDLE_FRAMEBUFFER)) {
        s.texture(other, 8, 8, nullptr);
        s.framebuffer(other_fb, other);
    }
    const pipe_handle other, other_fb;
    void make(pipe_handle h, bool is_second) override {
        pipe_image_create p{h, is_second ? other : s.target};
        s.screen->image_create(s.ctx, &p);
    }
    bool reaches(pipe_handle h) override {
        const pipe_image_import p{s.mint(PIPE_HANDLE_RESOURCE), h};
        if (s.screen->image_import(s.ctx, &p) != PIPE_OK)
            return false;
        const pipe_handle fb = s.mint(PIPE_HANDLE_FRAMEBUFFER);
        s.framebuffer(fb, p.resource);
        const uint32_t color = s.clear_anew(fb);
        return s.pixel(other_fb) == color;
    }
    void drop(pipe_handle h) override {
        pipe_image_destroy p{h};
        s.screen->image_destroy(s.ctx, &p);
    }
};

template <class T> std::unique_ptr<Row> make_row(Scene &s) {
    return std::make_unique<T>(s);
}

} // namespace

#define ROW(kind, type)                                                                            \
    std::unique_ptr<Row> row_of_##kind(Scene &s) {                                                 \
        return make_row<type>(s);                                                                  \
    }
ROW(resource, ResourceRow)
ROW(sampler, SamplerRow)
ROW(sampler_view, ViewRow)
ROW(shader, ShaderRow)
ROW(fence, FenceRow)
ROW(surface, SurfaceRow)
ROW(render_state, RenderStateRow)
ROW(vertex_elements, VertexElementsRow)
ROW(framebuffer, FramebufferRow)
ROW(query, QueryRow)
ROW(stream_output, StreamOutputRow)
ROW(image, ImageRow)

} // namespace recycling
