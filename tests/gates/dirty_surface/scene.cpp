// SPDX-License-Identifier: MIT
// The scene of the sweep: everything that can have an effect has one.
#include "surface.h"

namespace surface {

std::vector<Row> &rows() {
    static std::vector<Row> list;
    return list;
}

namespace {

constexpr int kUniforms = 40; // locations: 0-3 float vectors, 4-7 int, 8-11 uint, 12-20 matrices,
                              // 21-24 double vectors, 25-33 double matrices

struct Type {
    GLenum type;
    gl::UniformBase base;
    uint8_t rows, cols;
};

std::vector<Type> uniform_types() {
    using B = gl::UniformBase;
    std::vector<Type> t{{GL_FLOAT, B::float_, 1, 1},
                        {GL_FLOAT_VEC2, B::float_, 2, 1},
                        {GL_FLOAT_VEC3, B::float_, 3, 1},
                        {GL_FLOAT_VEC4, B::float_, 4, 1},
                        {GL_INT, B::int_, 1, 1},
                        {GL_INT_VEC2, B::int_, 2, 1},
                        {GL_INT_VEC3, B::int_, 3, 1},
                        {GL_INT_VEC4, B::int_, 4, 1},
                        {GL_UNSIGNED_INT, B::uint_, 1, 1},
                        {GL_UNSIGNED_INT_VEC2, B::uint_, 2, 1},
                        {GL_UNSIGNED_INT_VEC3, B::uint_, 3, 1},
                        {GL_UNSIGNED_INT_VEC4, B::uint_, 4, 1}};
    const GLenum fm[9] = {GL_FLOAT_MAT2,   GL_FLOAT_MAT2x3, GL_FLOAT_MAT2x4,
                          GL_FLOAT_MAT3x2, GL_FLOAT_MAT3,   GL_FLOAT_MAT3x4,
                          GL_FLOAT_MAT4x2, GL_FLOAT_MAT4x3, GL_FLOAT_MAT4};
    const GLenum dm[9] = {GL_DOUBLE_MAT2,   GL_DOUBLE_MAT2x3, GL_DOUBLE_MAT2x4,
                          GL_DOUBLE_MAT3x2, GL_DOUBLE_MAT3,   GL_DOUBLE_MAT3x4,
                          GL_DOUBLE_MAT4x2, GL_DOUBLE_MAT4x3, GL_DOUBLE_MAT4};
    for (int i = 0; i < 9; i++)
        t.push_back({fm[i], B::float_, uint8_t(2 + i % 3), uint8_t(2 + i / 3)});
    t.push_back({GL_DOUBLE, B::double_, 1, 1});
    t.push_back({GL_DOUBLE_VEC2, B::double_, 2, 1});
    t.push_back({GL_DOUBLE_VEC3, B::double_, 3, 1});
    t.push_back({GL_DOUBLE_VEC4, B::double_, 4, 1});
    for (int i = 0; i < 9; i++)
        t.push_back({dm[i], B::double_, uint8_t(2 + i % 3), uint8_t(2 + i / 3)});
    return t;
}

// A program object under a name, whose default block has one uniform of every type at the locations
// above.
gl::Ref<gl::Program> make_program(gl::Context &c, GLuint &name) {
    mock::ProgramWish wish;
    wish.vertex_inputs = 0x7;
    wish.samplers = {gl::TEX_2D, gl::TEX_BUFFER};
    wish.uniform_blocks = 2;
    wish.globals_size = kUniforms * 128;
    wish.images = 1;
    wish.storage_blocks = 1;
    gl::Ref<gl::Program> p = mock::make_program(c, wish);
    auto l = std::make_shared<gl::LinkedProgram>(*p->linked);
    static const std::string label = "u";
    const auto types = uniform_types();
    for (size_t i = 0; i < types.size(); i++) {
        gl::ActiveUniform u;
        u.name = &label;
        u.type = types[i].type;
        u.base = types[i].base;
        u.rows = types[i].rows;
        u.cols = types[i].cols;
        u.offset = GLint(i * 128);
        u.matrix_stride =
            types[i].cols > 1 ? (types[i].base == gl::UniformBase::double_ ? 32 : 16) : 0;
        u.array_stride = 0;
        u.location = GLint(i);
        l->uniforms.push_back(u);
        l->locations.push_back({uint32_t(i), 0});
    }
    p->linked = l;
    c.group->programs.gen(1, &name);
    c.group->programs.insert(name, p.get());
    st::program_linked(c, *p);
    return p;
}

} // namespace

Scene::Scene() {
    gl::SurfaceInfo surface;
    surface.handle = pipe_handle{1, 1};
    surface.width = surface.height = 64;
    surface.samples = 4;
    surface.depth_format = surface.stencil_format = GL_DEPTH24_STENCIL8;
    gl::make_current(&c, &surface, &surface);

    gl::GenBuffers(c, 4, buffer);
    for (GLuint b : buffer) {
        gl::BindBuffer(c, GL_ARRAY_BUFFER, b);
        gl::BufferData(c, GL_ARRAY_BUFFER, 65536, nullptr, GL_STATIC_DRAW);
    }
    gl::GenVertexArrays(c, 1, &vao);
    gl::BindVertexArray(c, vao);
    gl::BindBuffer(c, GL_ARRAY_BUFFER, buffer[0]);
    gl::VertexAttribPointer(c, 0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    gl::EnableVertexAttribArray(c, 0);
    gl::BindBuffer(c, GL_ELEMENT_ARRAY_BUFFER, buffer[1]);
    gl::GenTextures(c, 4, texture);
    for (GLuint t : texture) {
        gl::BindTexture(c, GL_TEXTURE_2D, t);
        gl::TexImage2D(c, GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                       nullptr);
        gl::GenerateMipmap(c, GL_TEXTURE_2D);
    }
    gl::BindTexture(c, GL_TEXTURE_2D, texture[0]);
    gl::GenTextures(c, 1, &buffer_texture);
    gl::ActiveTexture(c, GL_TEXTURE1);
    gl::BindTexture(c, GL_TEXTURE_BUFFER, buffer_texture);
    gl::TexBuffer(c, GL_TEXTURE_BUFFER, GL_RGBA8, buffer[2]);
    gl::ActiveTexture(c, GL_TEXTURE0);
    gl::GenSamplers(c, 1, &sampler);
    gl::BindSampler(c, 0, sampler);
    gl::BindBufferBase(c, GL_UNIFORM_BUFFER, 0, buffer[2]);
    gl::BindBufferBase(c, GL_UNIFORM_BUFFER, 1, buffer[3]);
    gl::BindBufferBase(c, GL_SHADER_STORAGE_BUFFER, 0, buffer[3]);

    for (GLenum cap : {GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_SCISSOR_TEST,
                       GL_POLYGON_OFFSET_FILL, GL_CULL_FACE, GL_SAMPLE_COVERAGE, GL_SAMPLE_MASK,
                       GL_SAMPLE_SHADING, GL_PRIMITIVE_RESTART})
        gl::Enable(c, cap);
    program = make_program(c, program_name);
    other_program = make_program(c, other_name);
    gl::UseProgram(c, program_name);
    draw();
}

Scene::~Scene() {
    gl::UseProgram(c, 0);
    program.reset();
    other_program.reset();
}

void Scene::draw() {
    gl::DrawElements(c, GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, nullptr);
    gl::Flush(c);
}

void Scene::bind_fbo() {
    gl::GenFramebuffers(c, 1, &fbo);
    gl::BindFramebuffer(c, GL_FRAMEBUFFER, fbo);
    gl::GenTextures(c, 2, target);
    for (unsigned i = 0; i < 2; i++) {
        gl::ActiveTexture(c, GL_TEXTURE2);
        gl::BindTexture(c, GL_TEXTURE_2D, target[i]);
        gl::TexStorage2D(c, GL_TEXTURE_2D, 3, GL_RGBA8, 64, 64);
        gl::FramebufferTexture2D(c, GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D,
                                 target[i], 0);
        gl::ActiveTexture(c, GL_TEXTURE0);
    }
    gl::GenRenderbuffers(c, 1, &renderbuffer);
    gl::BindRenderbuffer(c, GL_RENDERBUFFER, renderbuffer);
    gl::RenderbufferStorage(c, GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, 64, 64);
    gl::FramebufferRenderbuffer(c, GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                                renderbuffer);
    const GLenum both[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    gl::DrawBuffers(c, 2, both);
}

} // namespace surface
