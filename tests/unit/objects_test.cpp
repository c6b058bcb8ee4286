// SPDX-License-Identifier: MIT
// Rules of the GL objects on the noop driver: errors, conversions of getters, marks that setters
// leave, name tables, draw checks.
#include "tracker_mock.h"

#include "glapi/gl_api.h"
#include "objects/get.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <thread>

using namespace gl;

namespace {

struct Fixture {
    mock::Context holder;
    gl::Context &ctx;
    Fixture() : ctx(*holder) { ctx.dirty = 0; }
    GLenum error() { return GetError(ctx); }
    GLint integer(GLenum name) {
        GLint v[16] = {};
        GetIntegerv(ctx, name, v);
        return v[0];
    }
    GLuint buffer(GLsizeiptr size) {
        GLuint b = 0;
        CreateBuffers(ctx, 1, &b);
        NamedBufferData(ctx, b, size, nullptr, GL_STATIC_DRAW);
        return b;
    }
};

// One state call with a value that is not the initial one, the group it must mark, and the same
// call again, which must mark nothing.
struct Setter {
    const char *name;
    G group;
    void (*call)(gl::Context &);
};
const Setter setters[] = {
    {"glEnable(BLEND)", G::blend, [](gl::Context &c) { Enable(c, GL_BLEND); }},
    {"glEnablei(BLEND)", G::blend, [](gl::Context &c) { Enablei(c, GL_BLEND, 2); }},
    {"glBlendFunc", G::blend, [](gl::Context &c) { BlendFunc(c, GL_SRC_ALPHA, GL_ONE); }},
    {"glBlendEquation", G::blend, [](gl::Context &c) { BlendEquation(c, GL_MAX); }},
    {"glBlendColor", G::blend_color, [](gl::Context &c) { BlendColor(c, 1, 0, 0, 1); }},
    {"glColorMask", G::color_mask, [](gl::Context &c) { ColorMask(c, 0, 1, 1, 1); }},
    {"glColorMaski", G::color_mask, [](gl::Context &c) { ColorMaski(c, 1, 0, 1, 0, 1); }},
    {"glLogicOp", G::logic_op, [](gl::Context &c) { LogicOp(c, GL_XOR); }},
    {"glEnable(DEPTH_TEST)", G::depth, [](gl::Context &c) { Enable(c, GL_DEPTH_TEST); }},
    {"glDepthFunc", G::depth, [](gl::Context &c) { DepthFunc(c, GL_GREATER); }},
    {"glDepthMask", G::depth, [](gl::Context &c) { DepthMask(c, GL_FALSE); }},
    {"glStencilFunc", G::stencil, [](gl::Context &c) { StencilFunc(c, GL_LESS, 1, 0xff); }},
    {"glStencilOpSeparate", G::stencil,
     [](gl::Context &c) { StencilOpSeparate(c, GL_BACK, GL_INCR, GL_DECR, GL_INVERT); }},
    {"glStencilMask", G::stencil, [](gl::Context &c) { StencilMask(c, 3); }},
    {"glCullFace", G::raster, [](gl::Context &c) { CullFace(c, GL_FRONT); }},
    {"glFrontFace", G::raster, [](gl::Context &c) { FrontFace(c, GL_CW); }},
    {"glPolygonMode", G::raster,
     [](gl::Context &c) { PolygonMode(c, GL_FRONT_AND_BACK, GL_LINE); }},
    {"glPolygonOffset", G::raster, [](gl::Context &c) { PolygonOffset(c, 1, 2); }},
    {"glEnable(RASTERIZER_DISCARD)", G::raster,
     [](gl::Context &c) { Enable(c, GL_RASTERIZER_DISCARD); }},
    {"glPointSize", G::point_line, [](gl::Context &c) { PointSize(c, 3); }},
    {"glLineWidth", G::point_line, [](gl::Context &c) { LineWidth(c, 2); }},
    {"glScissor", G::scissor, [](gl::Context &c) { Scissor(c, 1, 2, 3, 4); }},
    {"glEnable(SCISSOR_TEST)", G::scissor, [](gl::Context &c) { Enable(c, GL_SCISSOR_TEST); }},
    {"glViewport", G::viewport, [](gl::Context &c) { Viewport(c, 1, 2, 3, 4); }},
    {"glDepthRange", G::viewport, [](gl::Context &c) { DepthRange(c, 0.25, 0.5); }},
    {"glEnable(CLIP_DISTANCE3)", G::clip, [](gl::Context &c) { Enable(c, GL_CLIP_DISTANCE3); }},
    {"glSampleCoverage", G::multisample, [](gl::Context &c) { SampleCoverage(c, 0.5f, GL_TRUE); }},
    {"glSampleMaski", G::multisample, [](gl::Context &c) { SampleMaski(c, 0, 5); }},
    {"glEnable(FRAMEBUFFER_SRGB)", G::framebuffer_srgb,
     [](gl::Context &c) { Enable(c, GL_FRAMEBUFFER_SRGB); }},
    {"glClearColor", G::clear, [](gl::Context &c) { ClearColor(c, 1, 1, 0, 1); }},
    {"glPixelStorei(PACK)", G::pixel_pack,
     [](gl::Context &c) { PixelStorei(c, GL_PACK_ALIGNMENT, 1); }},
    {"glPixelStorei(UNPACK)", G::pixel_unpack,
     [](gl::Context &c) { PixelStorei(c, GL_UNPACK_ROW_LENGTH, 9); }},
    {"glHint", G::hints, [](gl::Context &c) { Hint(c, GL_LINE_SMOOTH_HINT, GL_NICEST); }},
    {"glProvokingVertex", G::primitive,
     [](gl::Context &c) { ProvokingVertex(c, GL_FIRST_VERTEX_CONVENTION); }},
    {"glPrimitiveRestartIndex", G::primitive, [](gl::Context &c) { PrimitiveRestartIndex(c, 7); }},
    {"glVertexAttrib4f", G::current_attribs,
     [](gl::Context &c) { VertexAttrib4f(c, 1, 1, 2, 3, 4); }},
    {"glVertexAttribI4ui", G::current_attribs,
     [](gl::Context &c) { VertexAttribI4ui(c, 2, 1, 2, 3, 4); }},
};
} // namespace

TEST_CASE("a setter marks its group, and only when the value changes", "[objects]") {
    for (const Setter &s : setters) {
        Fixture f;
        INFO(s.name);
        s.call(f.ctx);
        CHECK(f.error() == GL_NO_ERROR);
        CHECK((f.ctx.dirty & bit(s.group)));
        CHECK((f.ctx.dirty & ~bits(s.group, G::uniforms)) == 0); // gl_DepthRange is a uniform
        f.ctx.dirty = 0;
        s.call(f.ctx);
        CHECK(f.ctx.dirty == 0);
    }
}

TEST_CASE("errors are kept until read, the first wins", "[objects]") {
    Fixture f;
    DepthFunc(f.ctx, GL_TEXTURE_2D);
    Viewport(f.ctx, 0, 0, -1, 1);
    CHECK(f.error() == GL_INVALID_ENUM);
    CHECK(f.error() == GL_NO_ERROR);
    CHECK(f.ctx.dirty == 0);
    BindBuffer(f.ctx, GL_ARRAY_BUFFER, 4711);
    CHECK(f.error() == GL_INVALID_OPERATION);
}

TEST_CASE("getters convert as section 2.2.2 says", "[objects]") {
    Fixture f;
    ClearColor(f.ctx, 1, 0.5f, 0, -1);
    GLint i[4];
    GetIntegerv(f.ctx, GL_COLOR_CLEAR_VALUE, i);
    CHECK(i[0] == INT32_MAX);
    CHECK(i[2] == 0);
    CHECK(i[3] == -INT32_MAX);
    LineWidth(f.ctx, 1.6f);
    CHECK(f.integer(GL_LINE_WIDTH) == 2);
    GLboolean b = 2;
    GetBooleanv(f.ctx, GL_LINE_WIDTH, &b);
    CHECK(b == GL_TRUE);
    GLfloat v[4];
    Scissor(f.ctx, 5, 6, 7, 8);
    GetFloatv(f.ctx, GL_SCISSOR_BOX, v);
    CHECK(v[3] == 8);
    GetIntegerv(f.ctx, GL_STENCIL_VALUE_MASK, i);
    CHECK(i[0] == -1);
    GLint64 l = 0;
    GetInteger64v(f.ctx, GL_MAX_ELEMENT_INDEX, &l);
    CHECK(l == 0xffffffffll);
    CHECK(f.integer(GL_MAX_ELEMENT_INDEX) == INT32_MAX);
    Enable(f.ctx, GL_BLEND);
    CHECK(f.integer(GL_BLEND) == 1);
    CHECK(f.error() == GL_NO_ERROR);
    f.integer(0x1234);
    CHECK(f.error() == GL_INVALID_ENUM);
    GLint m[4];
    GetIntegeri_v(f.ctx, GL_VIEWPORT, 99, m);
    CHECK(f.error() == GL_INVALID_VALUE);
}

TEST_CASE("every name of the extension list is found by index", "[objects]") {
    Fixture f;
    GLint n = f.integer(GL_NUM_EXTENSIONS);
    REQUIRE(n > 0);
    for (GLint i = 0; i < n; i++)
        CHECK(!strncmp(reinterpret_cast<const char *>(GetStringi(f.ctx, GL_EXTENSIONS, GLuint(i))),
                       "GL_", 3));
    CHECK(GetStringi(f.ctx, GL_EXTENSIONS, GLuint(n)) == nullptr);
    CHECK(f.error() == GL_INVALID_VALUE);
}

TEST_CASE("buffers", "[objects]") {
    Fixture f;
    GLuint b = f.buffer(256);
    BindBuffer(f.ctx, GL_ARRAY_BUFFER, b);
    SECTION("ranges") {
        BufferSubData(f.ctx, GL_ARRAY_BUFFER, 250, 8, "01234567");
        CHECK(f.error() == GL_INVALID_VALUE);
        CopyBufferSubData(f.ctx, GL_ARRAY_BUFFER, GL_ARRAY_BUFFER, 0, 16, 32);
        CHECK(f.error() == GL_INVALID_VALUE);
        CHECK(f.integer(GL_ARRAY_BUFFER_BINDING) == GLint(b));
    }
    SECTION("maps") {
        CHECK(MapBufferRange(f.ctx, GL_ARRAY_BUFFER, 0, 16,
                             GL_MAP_READ_BIT | GL_MAP_INVALIDATE_BUFFER_BIT) == nullptr);
        CHECK(f.error() == GL_INVALID_OPERATION);
        CHECK(MapBufferRange(f.ctx, GL_ARRAY_BUFFER, 0, 16,
                             GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT) == nullptr);
        CHECK(f.error() == GL_INVALID_OPERATION);
        void *p = MapBufferRange(f.ctx, GL_ARRAY_BUFFER, 16, 64,
                                 GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
        REQUIRE(p);
        memset(p, 1, 64);
        GLint64 offset = 0;
        GetBufferParameteri64v(f.ctx, GL_ARRAY_BUFFER, GL_BUFFER_MAP_OFFSET, &offset);
        CHECK(offset == 16);
        BufferSubData(f.ctx, GL_ARRAY_BUFFER, 14, 4, "abc");
        CHECK(f.error() == GL_INVALID_OPERATION);
        BufferSubData(f.ctx, GL_ARRAY_BUFFER, 12, 4, "abc"); // beside the mapped range
        CHECK(f.error() == GL_NO_ERROR);
        CHECK(UnmapBuffer(f.ctx, GL_ARRAY_BUFFER) == GL_TRUE);
        CHECK(UnmapBuffer(f.ctx, GL_ARRAY_BUFFER) == GL_FALSE);
        CHECK(f.error() == GL_INVALID_OPERATION);
    }
    SECTION("immutable storage") {
        GLuint s = 0;
        CreateBuffers(f.ctx, 1, &s);
        NamedBufferStorage(f.ctx, s, 64, nullptr, GL_MAP_COHERENT_BIT);
        CHECK(f.error() == GL_INVALID_VALUE);
        NamedBufferStorage(f.ctx, s, 64, nullptr, GL_MAP_READ_BIT);
        CHECK(f.error() == GL_NO_ERROR);
        NamedBufferData(f.ctx, s, 64, nullptr, GL_STATIC_DRAW);
        CHECK(f.error() == GL_INVALID_OPERATION);
        NamedBufferSubData(f.ctx, s, 0, 4, "abc");
        CHECK(f.error() == GL_INVALID_OPERATION);
    }
    SECTION("indexed points and deletion") {
        GLint align = f.integer(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
        if (align > 1) {
            BindBufferRange(f.ctx, GL_UNIFORM_BUFFER, 3, b, align + 1, 16);
            CHECK(f.error() == GL_INVALID_VALUE);
        }
        BindBufferBase(f.ctx, GL_UNIFORM_BUFFER, 3, b);
        GLint name = 0;
        GetIntegeri_v(f.ctx, GL_UNIFORM_BUFFER_BINDING, 3, &name);
        CHECK(name == GLint(b));
        CHECK(f.integer(GL_UNIFORM_BUFFER_BINDING) == GLint(b));
        f.ctx.dirty = 0;
        DeleteBuffers(f.ctx, 1, &b);
        CHECK((f.ctx.dirty & bit(G::uniform_buffers)));
        GetIntegeri_v(f.ctx, GL_UNIFORM_BUFFER_BINDING, 3, &name);
        CHECK(name == 0);
        CHECK_FALSE(IsBuffer(f.ctx, b));
    }
    SECTION("clear converts the value") {
        mock::reset();
        ClearBufferData(f.ctx, GL_ARRAY_BUFFER, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, "\1\2\3\4");
        CHECK(f.error() == GL_NO_ERROR);
        ClearBufferData(f.ctx, GL_ARRAY_BUFFER, GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, "\1\2\3\4");
        CHECK(f.error() == GL_INVALID_ENUM);
        ClearBufferSubData(f.ctx, GL_ARRAY_BUFFER, GL_RGBA32F, 8, 16, GL_RGBA, GL_FLOAT, nullptr);
        CHECK(f.error() == GL_INVALID_VALUE);
    }
}

TEST_CASE("clears of buffers: unbound targets, mapped ranges", "[objects]") {
    Fixture f;
    const uint32_t zero = 0;
    ClearBufferData(f.ctx, GL_ARRAY_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, &zero);
    CHECK(f.error() == GL_INVALID_VALUE);
    const GLuint b = f.buffer(64);
    REQUIRE(MapNamedBufferRange(f.ctx, b, 16, 16, GL_MAP_WRITE_BIT));
    ClearNamedBufferSubData(f.ctx, b, GL_R32UI, 32, 16, GL_RED_INTEGER, GL_UNSIGNED_INT, &zero);
    CHECK(f.error() == GL_NO_ERROR);
    ClearNamedBufferSubData(f.ctx, b, GL_R32UI, 28, 16, GL_RED_INTEGER, GL_UNSIGNED_INT, &zero);
    CHECK(f.error() == GL_INVALID_OPERATION);
    UnmapNamedBuffer(f.ctx, b);
}

TEST_CASE("regions of compressed images are checked before they are read", "[objects]") {
    Fixture f;
    GLuint t = 0;
    CreateTextures(f.ctx, GL_TEXTURE_2D, 1, &t);
    uint8_t out[256];
    GetCompressedTextureSubImage(f.ctx, t + 1, 0, 0, 0, 0, 4, 4, 1, sizeof out, out);
    CHECK(f.error() == GL_INVALID_OPERATION);
    TextureStorage2D(f.ctx, t, 1, GL_COMPRESSED_RED_RGTC1, 16, 16);
    REQUIRE(f.error() == GL_NO_ERROR);
    const auto read = [&](GLint x, GLsizei w, GLsizei size) {
        GetCompressedTextureSubImage(f.ctx, t, 0, x, 0, 0, w, 4, 1, size, out);
        return f.error();
    };
    CHECK(read(0, 4, 7) == GL_INVALID_OPERATION);
    CHECK(read(2, 4, 8) == GL_INVALID_OPERATION);
    CHECK(read(12, 8, 16) == GL_INVALID_VALUE);
}

TEST_CASE("vertex arrays", "[objects]") {
    Fixture f;
    VertexAttribPointer(f.ctx, 0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    CHECK(f.error() == GL_INVALID_OPERATION); // no vertex array object
    GLuint v = 0, b = f.buffer(64);
    GenVertexArrays(f.ctx, 1, &v);
    CHECK_FALSE(IsVertexArray(f.ctx, v));
    BindVertexArray(f.ctx, v);
    CHECK(IsVertexArray(f.ctx, v));
    VertexAttribPointer(f.ctx, 0, 4, GL_FLOAT, GL_FALSE, 0, reinterpret_cast<void *>(16));
    CHECK(f.error() == GL_INVALID_OPERATION); // no buffer
    BindBuffer(f.ctx, GL_ARRAY_BUFFER, b);
    VertexAttribPointer(f.ctx, 0, 5, GL_FLOAT, GL_FALSE, 0, nullptr);
    CHECK(f.error() == GL_INVALID_VALUE);
    VertexAttribPointer(f.ctx, 0, GL_BGRA, GL_UNSIGNED_BYTE, GL_FALSE, 0, nullptr);
    CHECK(f.error() == GL_INVALID_OPERATION);
    VertexAttribIPointer(f.ctx, 0, 4, GL_FLOAT, 0, nullptr);
    CHECK(f.error() == GL_INVALID_ENUM);
    VertexAttribPointer(f.ctx, 2, 3, GL_SHORT, GL_TRUE, 0, reinterpret_cast<void *>(8));
    EnableVertexAttribArray(f.ctx, 2);
    CHECK(f.error() == GL_NO_ERROR);
    const VertexArray &vao = *f.ctx.vertex_array->vao;
    CHECK(vao.binding[2].stride == 6);
    CHECK(vao.binding[2].offset == 8);
    CHECK(vao.enabled == 4);
    GLint value = 0;
    GetVertexAttribiv(f.ctx, 2, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &value);
    CHECK(value == GLint(b));
    DeleteVertexArrays(f.ctx, 1, &v);
    CHECK(f.integer(GL_VERTEX_ARRAY_BINDING) == 0);
}

TEST_CASE("draw errors come from the cached masks", "[objects]") {
    Fixture f;
    f.ctx.dirty = ~uint64_t(0);
    GLuint v = 0;
    DrawArrays(f.ctx, GL_TRIANGLES, 0, 3);
    CHECK(f.error() == GL_INVALID_OPERATION); // no vertex array object
    CreateVertexArrays(f.ctx, 1, &v);
    BindVertexArray(f.ctx, v);
    DrawArrays(f.ctx, GL_TRIANGLES, 0, 3);
    CHECK(f.error() == GL_NO_ERROR);
    DrawArrays(f.ctx, 7 /* GL_QUADS */, 0, 3);
    CHECK(f.error() == GL_INVALID_ENUM);
    DrawArrays(f.ctx, GL_PATCHES, 0, 3);
    CHECK(f.error() == GL_INVALID_OPERATION);
    DrawArrays(f.ctx, GL_TRIANGLES, -1, 3);
    CHECK(f.error() == GL_INVALID_VALUE);
    DrawElements(f.ctx, GL_TRIANGLES, 3, GL_UNSIGNED_INT, nullptr);
    CHECK(f.error() == GL_INVALID_OPERATION); // no element buffer
    GLuint b = f.buffer(64);
    VertexArrayElementBuffer(f.ctx, v, b);
    DrawElements(f.ctx, GL_TRIANGLES, 3, GL_FLOAT, nullptr);
    CHECK(f.error() == GL_INVALID_ENUM);
    DrawElements(f.ctx, GL_TRIANGLES, 3, GL_UNSIGNED_INT, nullptr);
    CHECK(f.error() == GL_NO_ERROR);
    MapNamedBuffer(f.ctx, b, GL_WRITE_ONLY);
    DrawElements(f.ctx, GL_TRIANGLES, 3, GL_UNSIGNED_INT, nullptr);
    CHECK(f.error() == GL_INVALID_OPERATION);
    DrawArrays(f.ctx, GL_TRIANGLES, 0, 3);
    CHECK(f.error() == GL_NO_ERROR);
    UnmapNamedBuffer(f.ctx, b);
    DrawElements(f.ctx, GL_TRIANGLES, 3, GL_UNSIGNED_INT, nullptr);
    CHECK(f.error() == GL_NO_ERROR);
}

TEST_CASE("debug output filters, groups and the log", "[objects]") {
    Fixture f;
    Enable(f.ctx, GL_DEBUG_OUTPUT);
    auto insert = [&](GLuint id, GLenum severity) {
        DebugMessageInsert(f.ctx, GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_OTHER, id, severity,
                           -1, "text");
    };
    insert(1, GL_DEBUG_SEVERITY_HIGH);
    insert(2, GL_DEBUG_SEVERITY_LOW); // off at first
    CHECK(f.integer(GL_DEBUG_LOGGED_MESSAGES) == 1);
    PushDebugGroup(f.ctx, GL_DEBUG_SOURCE_APPLICATION, 9, -1, "group");
    GLuint id = 3;
    DebugMessageControl(f.ctx, GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_OTHER, GL_DONT_CARE, 1,
                        &id, GL_FALSE);
    insert(3, GL_DEBUG_SEVERITY_HIGH);
    CHECK(f.integer(GL_DEBUG_LOGGED_MESSAGES) == 2); // the group itself
    PopDebugGroup(f.ctx);
    insert(3, GL_DEBUG_SEVERITY_HIGH);
    CHECK(f.integer(GL_DEBUG_LOGGED_MESSAGES) == 4);
    PopDebugGroup(f.ctx);
    CHECK(f.error() == GL_STACK_UNDERFLOW);
    GLuint ids[8];
    char text[64];
    CHECK(GetDebugMessageLog(f.ctx, 1, sizeof text, nullptr, nullptr, ids, nullptr, nullptr,
                             text) == 1);
    CHECK(ids[0] == 1);
    CHECK(!strcmp(text, "text"));
}

TEST_CASE("name tables give names back and survive threads", "[objects]") {
    auto table = std::make_unique<NameTable<Buffer>>();
    GLuint names[3];
    table->gen(3, names);
    CHECK(table->known(names[2]));
    CHECK(table->find(names[2]) == nullptr);
    CHECK_FALSE(table->remove(names[1]));
    CHECK_FALSE(table->known(names[1]));
    GLuint again = 0;
    table->gen(1, &again);
    CHECK(again == names[1]);
    std::vector<std::thread> threads;
    std::vector<std::vector<GLuint>> got(4, std::vector<GLuint>(5000));
    for (auto &list : got)
        threads.emplace_back([&] { table->gen(unsigned(list.size()), list.data()); });
    for (auto &t : threads)
        t.join();
    std::vector<GLuint> all;
    for (auto &list : got)
        all.insert(all.end(), list.begin(), list.end());
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("a change of a shared object reaches the other context", "[objects]") {
    mock::Context a;
    mock::Context b(&a);
    b.make_current();
    GLuint buffer = 0;
    CreateBuffers(*b, 1, &buffer);
    NamedBufferData(*b, buffer, 64, nullptr, GL_STATIC_DRAW);
    BindBufferBase(*b, GL_UNIFORM_BUFFER, 0, buffer);
    a.make_current();
    b.gl->remote = 0;
    NamedBufferData(*a, buffer, 128, nullptr, GL_STATIC_DRAW);
    CHECK((b.gl->remote & bit(G::uniform_buffers)));
}

TEST_CASE("the format table is whole", "[objects]") {
    for (GLenum internal :
         {GL_R8, GL_RGB8, GL_RGBA8, GL_SRGB8_ALPHA8, GL_RGBA16F, GL_R11F_G11F_B10F, GL_RGB9_E5,
          GL_RGBA32UI, GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT32F, GL_COMPRESSED_RG_RGTC2, GL_RGBA,
          GL_DEPTH_COMPONENT}) {
        const FormatInfo *f = format_info(internal);
        REQUIRE(f);
        CHECK(f->pipe[0] != PIPE_FORMAT_NONE);
        CHECK(check_format_type(f->transfer_format, f->transfer_type) == GL_NO_ERROR);
        CHECK(check_transfer_to(*f, f->transfer_format) == GL_NO_ERROR);
    }
    CHECK(format_info(3) == nullptr);
    CHECK(check_format_type(GL_RGBA, GL_UNSIGNED_SHORT_5_6_5) == GL_INVALID_OPERATION);
    CHECK(check_format_type(GL_RGB_INTEGER, GL_FLOAT) == GL_INVALID_ENUM);
    CHECK(check_format_type(GL_RGBA, GL_RGBA) == GL_INVALID_ENUM);
    PixelStore s;
    PixelLayout l = pixel_layout(s, 2, 3, 5, 1, GL_RGB, GL_UNSIGNED_BYTE);
    CHECK(l.row_stride == 12);
    CHECK(l.total == 4 * 12 + 9);
}
