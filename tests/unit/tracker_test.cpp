// SPDX-License-Identifier: MIT
// What leaves the tracker, counted: a steady draw, state toggles, suppression, merging, caches,
// handle recycling.
#include "tracker_mock.h"

#include "glapi/gl_api.h"

#include <catch2/catch.hpp>

using namespace mock;

namespace {

// A context that can draw: a program, a vertex array with one buffer, an element buffer.
struct Scene {
    Context ctx;
    gl::Context &c = *ctx.gl;
    gl::Ref<gl::Program> program;
    GLuint vao = 0, vbo = 0, ibo = 0;

    explicit Scene(const ProgramWish &wish = {}) {
        gl::GenVertexArrays(c, 1, &vao);
        gl::BindVertexArray(c, vao);
        gl::GenBuffers(c, 1, &vbo);
        gl::BindBuffer(c, GL_ARRAY_BUFFER, vbo);
        const float data[64] = {};
        gl::BufferData(c, GL_ARRAY_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
        gl::VertexAttribPointer(c, 0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
        gl::EnableVertexAttribArray(c, 0);
        gl::GenBuffers(c, 1, &ibo);
        gl::BindBuffer(c, GL_ELEMENT_ARRAY_BUFFER, ibo);
        const GLushort index[12] = {};
        gl::BufferData(c, GL_ELEMENT_ARRAY_BUFFER, sizeof(index), index, GL_STATIC_DRAW);
        use(make_program(c, wish));
        draw();
        settle();
    }
    ~Scene() {
        gl::Writer w(c);
        w(c.program).program.reset();
    }
    void use(gl::Ref<gl::Program> p) {
        program = p;
        gl::Writer w(c);
        w(c.program).program = p;
        w.mark(gl::G::program_bindings);
        w.mark(gl::G::uniforms);
    }
    void draw() { gl::DrawArrays(c, GL_TRIANGLES, 0, 3); }
    // Sends what is open and forgets the counts.
    void settle() {
        gl::Flush(c);
        reset();
    }
    // Records of a draw that is closed by a flush, without the flush.
    uint64_t records_of_draw() {
        draw();
        gl::Flush(c);
        const uint64_t n = calls.total - 1;
        return n;
    }
};

GLuint make_texture(gl::Context &c, GLsizei size) {
    GLuint t = 0;
    gl::GenTextures(c, 1, &t);
    gl::BindTexture(c, GL_TEXTURE_2D, t);
    gl::TexParameteri(c, GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl::TexImage2D(c, GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   nullptr);
    return t;
}

} // namespace

TEST_CASE("a steady draw sends one record, allocates nothing and takes no lock") {
    Scene s;
    s.draw();
    calls.names = false;
    const uint64_t before = calls.total, memory = allocations(), mutex = locks();
    for (int i = 0; i < 200; i++)
        s.draw();
    CHECK(calls.total == before);
    CHECK(allocations() == memory);
    CHECK(locks() == mutex);
    gl::Flush(s.c);
    CHECK(calls.total == before + 2);
    CHECK(calls.ranges == 201);
    calls.names = true;
}

TEST_CASE("an open draw of 256 ranges leaves and the next one begins") {
    Scene s;
    for (int i = 0; i < 1000; i++)
        gl::DrawElements(s.c, GL_TRIANGLES, 3, GL_UNSIGNED_SHORT,
                         reinterpret_cast<void *>(uintptr_t(i % 4 * 6)));
    gl::Flush(s.c);
    INFO(calls.list());
    CHECK(calls.of("draw_vbo") == 4);
    CHECK(calls.ranges == 1000);
}

TEST_CASE("draws that differ in more than their range do not merge") {
    Scene s;
    gl::DrawArrays(s.c, GL_TRIANGLES, 0, 3);
    gl::DrawArrays(s.c, GL_POINTS, 0, 3);
    gl::DrawArraysInstanced(s.c, GL_POINTS, 0, 3, 2);
    gl::DrawElements(s.c, GL_POINTS, 3, GL_UNSIGNED_SHORT, nullptr);
    gl::Flush(s.c);
    CHECK(calls.of("draw_vbo") == 4);
}

TEST_CASE("a program that reads gl_DrawID is not merged") {
    ProgramWish wish;
    wish.draw_id = true;
    Scene s(wish);
    s.draw();
    s.draw();
    CHECK(calls.of("draw_vbo") == 2);
    CHECK((calls.draw.flags & PIPE_DRAW_DRAW_ID));
}

TEST_CASE("other records close the open draw in order") {
    Scene s;
    s.draw();
    const float data[4] = {};
    gl::BindBuffer(s.c, GL_ARRAY_BUFFER, s.vbo);
    gl::BufferSubData(s.c, GL_ARRAY_BUFFER, 0, sizeof(data), data);
    CHECK(calls.of("draw_vbo") == 1);
    CHECK(calls.of("resource_subdata") == 1);
    s.draw();
    gl::Flush(s.c);
    CHECK(calls.of("draw_vbo") == 2);
}

TEST_CASE("a state toggle makes two state objects once, then only binds") {
    Scene s;
    for (int i = 0; i < 10; i++) {
        gl::Enable(s.c, GL_BLEND);
        s.draw();
        gl::Disable(s.c, GL_BLEND);
        s.draw();
    }
    gl::Flush(s.c);
    INFO(calls.list());
    // Without a blend function the enabled state still is a state of its own.
    CHECK(calls.of("create_render_state") == 1);
    CHECK(calls.of("bind_render_state") == 20);
    CHECK(calls.of("draw_vbo") == 20);
}

TEST_CASE("state without effect is not sent") {
    Scene s;
    gl::BlendFunc(s.c, GL_SRC_ALPHA, GL_ONE); // blending is off
    gl::Scissor(s.c, 1, 2, 3, 4);             // the test is off
    gl::StencilFunc(s.c, GL_LESS, 3, 7);      // likewise
    gl::SampleMaski(s.c, 0, 5);               // one sample
    gl::PolygonOffset(s.c, 1, 2);             // no offset enabled
    const uint64_t n = s.records_of_draw();
    INFO(calls.list());
    CHECK(n == 1);
}

TEST_CASE("a value set and set back is not sent") {
    Scene s;
    gl::Viewport(s.c, 1, 2, 3, 4);
    gl::Viewport(s.c, 0, 0, 64, 64);
    gl::DepthFunc(s.c, GL_GREATER);
    gl::DepthFunc(s.c, GL_LESS);
    CHECK(s.records_of_draw() == 1);
}

TEST_CASE("a viewport mints no state object") {
    Scene s;
    gl::Viewport(s.c, 1, 2, 3, 4);
    CHECK(s.records_of_draw() == 2);
    CHECK(calls.of("set_dynamic_state") == 1);
    CHECK(calls.of("create_render_state") == 0);
}

TEST_CASE("a texture is resolved once; binding the same again sends nothing") {
    ProgramWish wish;
    wish.samplers = {gl::TEX_2D, gl::TEX_2D};
    Scene s(wish);
    const GLuint a = make_texture(s.c, 16), b = make_texture(s.c, 16);
    gl::BindTexture(s.c, GL_TEXTURE_2D, a);
    s.draw();
    s.settle();
    for (int i = 0; i < 100; i++) {
        gl::BindTexture(s.c, GL_TEXTURE_2D, a);
        s.draw();
    }
    gl::Flush(s.c);
    INFO(calls.list());
    CHECK(calls.of("set_sampler_views") == 0);
    CHECK(calls.of("draw_vbo") == 1);
    reset();
    for (int i = 0; i < 100; i++) {
        gl::BindTexture(s.c, GL_TEXTURE_2D, i & 1 ? a : b);
        s.draw();
    }
    gl::Flush(s.c);
    INFO(calls.list());
    CHECK(calls.of("set_sampler_views") == 100);
    CHECK(calls.of("create_sampler_view") <= 1);
    CHECK(calls.of("bind_sampler_states") == 0);
}

TEST_CASE("sub-images of one level leave as one record") {
    Scene s;
    make_texture(s.c, 256);
    s.settle();
    const std::vector<uint8_t> pixels(16 * 16 * 4);
    for (int i = 0; i < 100; i++)
        gl::TexSubImage2D(s.c, GL_TEXTURE_2D, 0, i % 10 * 16, i / 10 * 16, 16, 16, GL_RGBA,
                          GL_UNSIGNED_BYTE, pixels.data());
    gl::Flush(s.c);
    INFO(calls.list());
    CHECK(calls.of("resource_subdata") == 1);
    CHECK(calls.regions == 100);
    // The same tile again is a second write of the same texels: a record of its own.
    for (int i = 0; i < 2; i++)
        gl::TexSubImage2D(s.c, GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE,
                          pixels.data());
    gl::Flush(s.c);
    CHECK(calls.of("resource_subdata") == 3);
}

TEST_CASE("uniforms: only the changed bytes, whole vectors") {
    ProgramWish wish;
    wish.globals_size = 256;
    Scene s(wish);
    s.program->globals[40] = 1;
    s.program->globals_dirty_begin = 40;
    s.program->globals_dirty_end = 44;
    gl::Writer(s.c).mark(gl::G::uniforms);
    CHECK(s.records_of_draw() == 2);
    CHECK(calls.of("set_global_constants") == 1);
}

TEST_CASE("uniform buffers: only the changed binding point") {
    ProgramWish wish;
    wish.uniform_blocks = 4;
    Scene s(wish);
    GLuint b[2];
    gl::GenBuffers(s.c, 2, b);
    for (GLuint name : b) {
        gl::BindBuffer(s.c, GL_UNIFORM_BUFFER, name);
        gl::BufferData(s.c, GL_UNIFORM_BUFFER, 1024, nullptr, GL_DYNAMIC_DRAW);
    }
    for (GLuint i = 0; i < 4; i++)
        gl::BindBufferBase(s.c, GL_UNIFORM_BUFFER, i, b[0]);
    s.draw();
    s.settle();
    gl::BindBufferBase(s.c, GL_UNIFORM_BUFFER, 2, b[1]);
    CHECK(s.records_of_draw() == 2);
    CHECK(calls.of("set_shader_buffers") == 1);
    reset();
    gl::BindBufferBase(s.c, GL_UNIFORM_BUFFER, 2, b[1]);
    gl::BindBufferBase(s.c, GL_UNIFORM_BUFFER, 9, b[1]); // nobody reads it
    CHECK(s.records_of_draw() == 1);
}

TEST_CASE("a buffer name used again is a new handle") {
    Scene s;
    GLuint a = 0;
    gl::GenBuffers(s.c, 1, &a);
    gl::BindBuffer(s.c, GL_COPY_WRITE_BUFFER, a);
    gl::BufferData(s.c, GL_COPY_WRITE_BUFFER, 16, nullptr, GL_STATIC_DRAW);
    const pipe_handle first = s.c.buffers->copy_write->handle;
    gl::DeleteBuffers(s.c, 1, &a);
    CHECK(calls.of("resource_destroy") == 1);
    gl::GenBuffers(s.c, 1, &a);
    gl::BindBuffer(s.c, GL_COPY_WRITE_BUFFER, a);
    gl::BufferData(s.c, GL_COPY_WRITE_BUFFER, 16, nullptr, GL_STATIC_DRAW);
    const pipe_handle second = s.c.buffers->copy_write->handle;
    CHECK(first.slot == second.slot);
    CHECK(first.gen != second.gen);
}

TEST_CASE("maps: no read-back without need") {
    Scene s;
    GLuint b = 0;
    gl::GenBuffers(s.c, 1, &b);
    gl::BindBuffer(s.c, GL_COPY_WRITE_BUFFER, b);
    gl::BufferData(s.c, GL_COPY_WRITE_BUFFER, 4096, nullptr, GL_STREAM_DRAW);
    reset();
    auto map = [&](GLbitfield access) {
        void *p = gl::MapBufferRange(s.c, GL_COPY_WRITE_BUFFER, 64, 128, access);
        REQUIRE(p);
        CHECK((reinterpret_cast<uintptr_t>(p) - 64) % 64 == 0);
        gl::UnmapBuffer(s.c, GL_COPY_WRITE_BUFFER);
    };
    map(GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
    CHECK(calls.of("resource_subdata") == 1);
    CHECK(calls.upload_bytes == 128);
    map(GL_MAP_WRITE_BIT |
        GL_MAP_UNSYNCHRONIZED_BIT); // keeps what is not written: one read-back, then never again
    map(GL_MAP_WRITE_BIT);
    map(GL_MAP_READ_BIT);
    CHECK(calls.of("resource_readback") == 1);
    CHECK(calls.of("resource_subdata") == 3);
}

TEST_CASE("a mutable chain built out of order ends in one resource with all levels") {
    ProgramWish wish;
    wish.samplers = {gl::TEX_2D};
    Scene s(wish);
    GLuint t = 0;
    gl::GenTextures(s.c, 1, &t);
    gl::BindTexture(s.c, GL_TEXTURE_2D, t);
    std::vector<uint8_t> pixels(32 * 32 * 4);
    for (int level : {2, 0, 4, 1, 3, 5})
        gl::TexImage2D(s.c, GL_TEXTURE_2D, level, GL_RGBA8, 32 >> level, 32 >> level, 0, GL_RGBA,
                       GL_UNSIGNED_BYTE, pixels.data());
    reset();
    s.draw();
    gl::Flush(s.c);
    INFO(calls.list());
    CHECK(calls.of("set_sampler_views") == 1);
    CHECK(calls.of("resource_create") == 0);
    // Another size for level 0: a new chain; the old levels wait in resources of their own.
    reset();
    gl::TexImage2D(s.c, GL_TEXTURE_2D, 0, GL_RGBA8, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    CHECK(calls.of("resource_copy_region") == 5);
    gl::TexParameteri(s.c, GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    reset();
    s.draw();
    gl::Flush(s.c);
    INFO(calls.list());
    CHECK(calls.of("resource_copy_region") == 6); // five come back, level 0 leaves
    CHECK(calls.of("set_sampler_views") == 1);
}

TEST_CASE("two contexts of a group: a change in one reaches the other's next draw") {
    ProgramWish wish;
    wish.samplers = {gl::TEX_2D};
    Scene s(wish);
    const GLuint t = make_texture(s.c, 16);
    s.draw();
    s.settle();
    {
        Context other(&s.ctx);
        gl::BindTexture(*other, GL_TEXTURE_2D, t);
        gl::TexParameteri(*other, GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_GREEN);
        s.ctx.make_current();
        s.settle();
        s.draw();
        gl::Flush(s.c);
        INFO(calls.list());
        CHECK(calls.of("set_texture_params") == 1);
        CHECK(calls.of("set_sampler_views") == 1);
    }
    s.ctx.make_current();
}

TEST_CASE("clears send the framebuffer's state and nothing of a program") {
    Context ctx;
    gl::Context &c = *ctx.gl;
    gl::ClearColor(c, 1, 0, 0, 1);
    gl::Clear(c, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    INFO(calls.list());
    CHECK(calls.of("clear") == 1);
    CHECK(calls.of("set_framebuffer_state") == 1);
    CHECK(calls.of("bind_framebuffers") == 1);
    CHECK(calls.of("set_draw_program") == 0);
    reset();
    gl::Clear(c, GL_COLOR_BUFFER_BIT);
    CHECK(calls.total == 1);
}
