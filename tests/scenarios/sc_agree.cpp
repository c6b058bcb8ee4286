// SPDX-License-Identifier: MIT
// What the shaders of a program must agree about, and how blocks and loose variables meet.
#include "scenario.h"

using namespace scenario;

namespace {

using Text = std::pair<GLenum, std::string>;

// Whether shaders, each of which compiles, link.
bool links(const std::vector<Text> &texts) {
    const GLuint p = glCreateProgram();
    for (const auto &[stage, text] : texts)
        glAttachShader(p, shader(stage, text));
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    glDeleteProgram(p);
    return ok == GL_TRUE;
}

std::string head(const std::string &extensions = "") {
    return "#version 330\n" + extensions;
}

constexpr char empty_main[] = "void main() { gl_Position = vec4(0); }\n";

GLuint separable(GLenum stage, const std::string &source) {
    const std::string spoken = in_version(source);
    const char *text = spoken.c_str();
    const GLuint p = glCreateShaderProgramv(stage, 1, &text);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    EXPECT_EQ(ok, GL_TRUE);
    return p;
}

void draw_pipeline(GLuint v, GLuint f) {
    GLuint p;
    glGenProgramPipelines(1, &p);
    glUseProgramStages(p, GL_VERTEX_SHADER_BIT, v);
    glUseProgramStages(p, GL_FRAGMENT_SHADER_BIT, f);
    glBindProgramPipeline(p);
    glUseProgram(0);
    target(8, 8);
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
    glDeleteProgramPipelines(1, &p);
    glDeleteProgram(v);
    glDeleteProgram(f);
}

constexpr char corner[] = "vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0; "
                          "gl_Position = vec4(at, 0, 1);\n";

} // namespace

SCENARIO(agree_global_initialisers) {
    const auto with = [](const std::string &a, const std::string &b) {
        const std::string angle = "uniform float angle;\n";
        return links({{GL_VERTEX_SHADER, head() + angle + a + "float own() { return v; }\n"},
                      {GL_VERTEX_SHADER, head() + angle + b +
                                             "float own();\nvoid main() { gl_Position = "
                                             "vec4(v + own()); }\n"}});
    };
    EXPECT(with("float v;\n", "float v = 1.0;\n"));
    EXPECT(with("float v = 1.0;\n", "float v = 1.0;\n"));
    EXPECT(!with("float v = 1.0;\n", "float v = 2.0;\n"));
    EXPECT(!with("float v = sin(angle);\n", "float v = sin(angle);\n"));
    EXPECT(!with("float v = sin(angle);\n", "float v = 1.0;\n"));
}

SCENARIO(agree_invariance) {
    const auto with = [](const std::string &a, const std::string &b) {
        return links({{GL_VERTEX_SHADER, head() + a +
                                             "out vec4 v;\nvoid main() { v = vec4(1); "
                                             "gl_Position = vec4(0); }\n"},
                      {GL_FRAGMENT_SHADER,
                       head() + b + "in vec4 v;\nout vec4 o;\nvoid main() { o = v; }\n"}});
    };
    EXPECT(with("invariant ", "invariant "));
    EXPECT(!with("invariant ", ""));
    EXPECT(!with("", "invariant "));
    EXPECT(with("#pragma STDGL invariant(all)\n", ""));
}

SCENARIO(agree_atomic_counters) {
    need(42, "GL_ARB_shader_atomic_counters");
    const std::string ask = head("#extension GL_ARB_shader_atomic_counters : require\n");
    const auto fs = [&](const std::string &decls, const std::string &use) {
        return ask + decls + "out vec4 o;\nvoid main() { o = vec4(" + use + "); }\n";
    };
    GLint most = 0, combined = 0, buffers = 0, combined_buffers = 0;
    glGetIntegerv(GL_MAX_VERTEX_ATOMIC_COUNTERS, &most);
    glGetIntegerv(GL_MAX_COMBINED_ATOMIC_COUNTERS, &combined);
    glGetIntegerv(GL_MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS, &buffers);
    glGetIntegerv(GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS, &combined_buffers);
    if (most < 2)
        skip("no atomic counters in vertex shaders");
    const auto vs = [&](const std::string &decls, const std::string &use) {
        return ask + decls + "void main() { gl_Position = vec4(" + use + "); }\n";
    };
    const std::string at0 = "layout(binding = 0, offset = 0) uniform atomic_uint a;\n",
                      at4 = "layout(binding = 0, offset = 4) uniform atomic_uint b;\n",
                      over = "layout(binding = 0, offset = 0) uniform atomic_uint c[2];\n";
    EXPECT(links({{GL_VERTEX_SHADER, vs(at0, "atomicCounter(a)")},
                  {GL_FRAGMENT_SHADER, fs(at4, "atomicCounter(b)")}}));
    EXPECT(!links({{GL_VERTEX_SHADER, vs(over, "atomicCounter(c[0])")},
                   {GL_FRAGMENT_SHADER, fs(at4, "atomicCounter(b)")}}));
    // A default that names no type says nothing.
    EXPECT(links({{GL_VERTEX_SHADER,
                   vs("layout(binding = 0, offset = 8) uniform;\n" + at0, "atomicCounter(a)")},
                  {GL_FRAGMENT_SHADER, fs(at4, "atomicCounter(b)")}}));
    if (buffers + 1 > combined_buffers) {
        std::string decls, use = "0u";
        for (int i = 0; i < buffers; i++) {
            const std::string n = std::to_string(i);
            decls += "layout(binding = " + n + ") uniform atomic_uint f" + n + ";\n";
            use += " + atomicCounter(f" + n + ")";
        }
        EXPECT(!links({{GL_VERTEX_SHADER, vs("layout(binding = 0, offset = 4) uniform "
                                             "atomic_uint v;\n",
                                             "atomicCounter(v)")},
                       {GL_FRAGMENT_SHADER, fs(decls, use)}}));
    }
}

SCENARIO(agree_components_of_one_location) {
    need(44, "GL_ARB_enhanced_layouts");
    const std::string ask = head("#extension GL_ARB_enhanced_layouts : require\n");
    const auto with = [&](const std::string &a, const std::string &b) {
        const std::string decls = "layout(location = 0) flat DIR " + a +
                                  " a;\nlayout(location = 0, component = 3) flat DIR " + b +
                                  " b;\n";
        const auto side = [&](const std::string &dir) {
            std::string text = decls;
            for (size_t at; (at = text.find("DIR")) != std::string::npos;)
                text.replace(at, 3, dir);
            return ask + text;
        };
        return links(
            {{GL_VERTEX_SHADER, side("out") + "void main() { a = " + a + "(1); b = " + b +
                                    "(1); gl_Position = vec4(0); }\n"},
             {GL_FRAGMENT_SHADER, side("in") + "out vec4 o;\nvoid main() { o = vec4(a, b); }\n"}});
    };
    EXPECT(with("vec3", "float"));
    EXPECT(with("ivec3", "uint"));
    EXPECT(!with("ivec3", "float"));
    EXPECT(!with("vec3", "uint"));
    const auto block = [&](const std::string &dir, const std::string &y, const std::string &z) {
        return ask + dir + " Block {\nlayout(location = 0, component = " + y +
               ") vec3 a;\nlayout(location = 0, component = " + z + ") float b;\n} blk;\n";
    };
    const std::string set =
                          "void main() { blk.a = vec3(1); blk.b = 1.0; gl_Position = vec4(0); }\n",
                      get = "out vec4 o;\nvoid main() { o = vec4(blk.a, blk.b); }\n";
    EXPECT(links({{GL_VERTEX_SHADER, block("out", "1", "0") + set},
                  {GL_FRAGMENT_SHADER, block("in", "1", "0") + get}}));
    EXPECT(!links({{GL_VERTEX_SHADER, block("out", "0", "3") + set},
                   {GL_FRAGMENT_SHADER, block("in", "1", "0") + get}}));
}

SCENARIO(agree_clip_and_cull_distances) {
    need(45, "GL_ARB_cull_distance");
    GLint most = 0;
    glGetIntegerv(GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES, &most);
    const auto vs = [&](int clip, int cull) {
        return head("#extension GL_ARB_cull_distance : require\n") + "out float gl_ClipDistance[" +
               std::to_string(clip) + "];\nout float gl_CullDistance[" + std::to_string(cull) +
               "];\n" + empty_main;
    };
    EXPECT(links({{GL_VERTEX_SHADER, vs(most / 2, most / 2)}}));
    EXPECT(!links({{GL_VERTEX_SHADER, vs(most / 2 + 1, most / 2 + 1)}}));
    // The kind that the shader does not name takes nothing.
    for (const std::string name : {"gl_ClipDistance", "gl_CullDistance"}) {
        GLint all = 0;
        glGetIntegerv(name == "gl_ClipDistance" ? GL_MAX_CLIP_DISTANCES : GL_MAX_CULL_DISTANCES,
                      &all);
        EXPECT(links(
            {{GL_VERTEX_SHADER, head("#extension GL_ARB_cull_distance : require\n") + "out float " +
                                    name + "[" + std::to_string(all) +
                                    "];\nvoid main() { for (int i = 0; i < " + std::to_string(all) +
                                    "; i++) " + name + "[i] = 1.0; gl_Position = vec4(0); }\n"}}));
    }
}

SCENARIO(agree_block_bindings_below_the_limit) {
    need(43, "GL_ARB_arrays_of_arrays");
    GLint most = 0;
    glGetIntegerv(GL_MAX_UNIFORM_BUFFER_BINDINGS, &most);
    const auto compiles = [](int binding) {
        const std::string text = head("#extension GL_ARB_arrays_of_arrays : require\n"
                                      "#extension GL_ARB_shading_language_420pack : require\n") +
                                 "layout(binding = " + std::to_string(binding) +
                                 ") uniform Block { vec4 c; } b[2][2];\n"
                                 "void main() { gl_Position = b[1][1].c; }\n";
        const std::string spoken = in_version(text);
        const char *p = spoken.c_str();
        const GLuint s = glCreateShader(GL_VERTEX_SHADER);
        glShaderSource(s, 1, &p, nullptr);
        glCompileShader(s);
        GLint ok = 0;
        glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
        glDeleteShader(s);
        return ok == GL_TRUE;
    };
    EXPECT(compiles(most - 4));
    EXPECT(!compiles(most - 3));
}

// The body of a do-while loop is a scope; the condition is outside of it.
SCENARIO(glsl_scope_of_do_bodies) {
    target(8, 8);
    glUseProgram(program(fill_vs, head() + R"(
        out vec4 o;
        void main() {
            int i = 17, j = -2;
            do
                int i = (j++, 0);
            while (i <= 0 && j < 3);
            o = j == -1 ? vec4(0, 1, 0, 1) : vec4(1, 0, j == 2, 1);
        })"));
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
}

// GLSL has these of integers from 1.30 on, drivers in every version.
SCENARIO(glsl_integer_functions_before_130) {
    target(8, 8);
    glUseProgram(program("#version 120\nattribute vec4 p;\nvoid main() { gl_Position = p; }\n",
                         "#version 120\nuniform int u;\nvoid main() { int a[3]; int i = min(u, "
                         "a.length() - 1); i = max(abs(i - 3), 1); gl_FragColor = i == 3 ? "
                         "vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1); }\n"));
    vertex_array();
    const float corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    buffer(GL_ARRAY_BUFFER, corners, sizeof corners);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
    const std::string wrong = "#version 120\nvoid main() { int i = 0.5; gl_Position = vec4(i); }\n";
    const char *text = wrong.c_str();
    const GLuint s = glCreateShader(GL_VERTEX_SHADER);
    glShaderSource(s, 1, &text, nullptr);
    glCompileShader(s);
    GLint ok = 1;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    EXPECT_EQ(ok, 0);
}

// Members of a block of one program are loose inputs of the next, by location.
SCENARIO(pipeline_block_meets_loose_inputs) {
    need(44, "GL_ARB_enhanced_layouts");
    need(41, "GL_ARB_separate_shader_objects");
    const std::string ask = head("#extension GL_ARB_separate_shader_objects : require\n"
                                 "#extension GL_ARB_enhanced_layouts : require\n");
    const std::string block = " Block {\nlayout(location = 2) vec4 c;\nvec4 d;\n"
                              "layout(location = 0) vec4 a;\nvec4 b;\n} blk;\n",
                      per_vertex = "out gl_PerVertex { vec4 gl_Position; };\n";
    const auto loose = [](const char *dir) {
        std::string text;
        for (int i = 0; i < 4; i++)
            text += "layout(location = " + std::to_string(i) + ") " + dir + " vec4 v" +
                    std::to_string(i) + ";\n";
        return text;
    };
    const std::string judge = "vec4(float(x != 1.0 || y != 2.0 || z != 3.0 || w != 4.0), 1, 0, 1)";
    const auto verdict = [&](const std::string &x, const std::string &y, const std::string &z,
                             const std::string &w) {
        return "out vec4 o;\nvoid main() { float x = " + x + ".x, y = " + y + ".x, z = " + z +
               ".x, w = " + w + ".x; o = " + judge + "; }\n";
    };
    draw_pipeline(
        separable(GL_VERTEX_SHADER, ask + per_vertex + "layout(location = 0) out" + block +
                                        "void main() { " + corner +
                                        "blk.a = vec4(1); blk.b = vec4(2); blk.c = "
                                        "vec4(3); blk.d = vec4(4); }\n"),
        separable(GL_FRAGMENT_SHADER, ask + loose("in") + verdict("v0", "v1", "v2", "v3")));
    draw_pipeline(separable(GL_VERTEX_SHADER, ask + per_vertex + loose("out") + "void main() { " +
                                                  corner +
                                                  "v0 = vec4(1); v1 = vec4(2); v2 = vec4(3); "
                                                  "v3 = vec4(4); }\n"),
                  separable(GL_FRAGMENT_SHADER, ask + "layout(location = 0) in" + block +
                                                    verdict("blk.a", "blk.b", "blk.c", "blk.d")));
}

// Inputs that no output has the name of take the outputs in their place, as other drivers do.
SCENARIO(pipeline_inputs_without_a_name_in_common) {
    need(41, "GL_ARB_separate_shader_objects");
    const std::string ask = head("#extension GL_ARB_separate_shader_objects : require\n");
    draw_pipeline(
        separable(GL_VERTEX_SHADER, ask +
                                        "out gl_PerVertex { vec4 gl_Position; };\nout vec4 c0;\n"
                                        "out vec4 c1;\nout vec4 c2;\nvoid main() { " +
                                        corner +
                                        "c0 = c2 = vec4(1, 0, 0, 1); c1 = vec4(0, 1, 0, 1); }\n"),
        separable(GL_FRAGMENT_SHADER, ask + "in vec4 color0;\nin vec4 color1;\n"
                                            "out vec4 o;\nvoid main() { o = color1; }\n"));
}

// A block of scalars as large as geometry shaders take it has more members than there are
// locations.
SCENARIO(link_block_of_scalars_through_geometry) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    const std::string size = "float f[min(gl_MaxGeometryInputComponents, "
                             "gl_MaxVertexOutputComponents)];\n";
    const std::string vs = head() + "out Block {\n" + size +
                           "} outs;\nvoid main() { for (int i = 0; "
                           "i < outs.f.length(); i++) outs.f[i] "
                           "= float(gl_VertexID * 1000 + i); }\n";
    const std::string gs = head() +
                           "layout(triangles) in;\nlayout(triangle_strip, max_vertices = 4) "
                           "out;\nin Block {\n" +
                           size + R"(} ins[];
        out vec4 color;
        void main() {
            bool ok = true;
            for (int v = 0; v < 3; v++)
                for (int i = 0; i < ins[v].f.length(); i++)
                    ok = ok && ins[v].f[i] == float(v * 1000 + i);
            for (int i = 0; i < 4; i++) {
                gl_Position = vec4(vec2(i & 1, i >> 1) * 2.0 - 1.0, 0, 1);
                color = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
                EmitVertex();
            }
        })";
    target(8, 8);
    vertex_array();
    glUseProgram(
        program(vs, head() + "in vec4 color;\nout vec4 o;\nvoid main() { o = color; }\n", gs));
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
}

SCENARIO(link_location_of_a_built_in_attribute) {
    const GLuint p = program("#version 120\nattribute vec4 own;\nvoid main() { gl_Position = "
                             "gl_Vertex + own; }\n",
                             "#version 120\nvoid main() { gl_FragColor = vec4(1); }\n");
    EXPECT(glGetAttribLocation(p, "own") >= 0);
    EXPECT_EQ(glGetAttribLocation(p, "gl_Vertex"), -1);
    EXPECT_ERROR(GL_NO_ERROR);
}

// Bytes that a shader wrote are read back without a barrier: GL does not ask for it, drivers do it.
SCENARIO(buffer_read_back_without_a_barrier) {
    need(43, "GL_ARB_shader_storage_buffer_object");
    GLint blocks = 0;
    glGetIntegerv(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS, &blocks);
    if (!blocks)
        skip("no storage blocks in fragment shaders");
    uint32_t words[2] = {};
    const GLuint b = buffer(GL_SHADER_STORAGE_BUFFER, words, sizeof words);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, b);
    target(16, 16);
    glUseProgram(program(fill_vs, head("#extension GL_ARB_shader_storage_buffer_object : require\n"
                                       "#extension GL_ARB_shading_language_420pack : require\n") +
                                      "layout(std430, binding = 0) buffer Words { uint w[2]; };\n"
                                      "out vec4 o;\nvoid main() { o = vec4(atomicAdd(w[1], 1u)); "
                                      "}\n"));
    draw_fill();
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof words, words);
    EXPECT_EQ(words[0], 0u);
    EXPECT_EQ(words[1], 256u);
}

SCENARIO(image_of_one_dimension) {
    need(42, "GL_ARB_shader_image_load_store");
    need(43, "GL_ARB_shader_image_size");
    const std::string ask = head("#extension GL_ARB_shader_image_load_store : require\n"
                                 "#extension GL_ARB_shader_image_size : require\n");
    struct Kind {
        GLenum target;
        const char *type, *at;
        int width, height, layers;
        const char *size;
    };
    for (const Kind &k :
         {Kind{GL_TEXTURE_1D, "image1D", "int(gl_FragCoord.x)", 8, 1, 1, "ivec3(s, 1, 1)"},
          Kind{GL_TEXTURE_1D_ARRAY, "image1DArray",
               "ivec2(gl_FragCoord.x, int(gl_FragCoord.y) % 4)", 8, 1, 4, "ivec3(s.x, 1, s.y)"},
          Kind{GL_TEXTURE_RECTANGLE, "image2DRect", "ivec2(gl_FragCoord.xy)", 8, 8, 1,
               "ivec3(s, 1)"}}) {
        const GLuint t = texture(k.target, GL_RGBA32F, k.width, k.height, k.layers);
        glBindImageTexture(0, t, 0, GL_TRUE, 0, GL_READ_WRITE, GL_RGBA32F);
        const std::string decl =
            ask + "layout(rgba32f) uniform " + k.type + " image;\nout vec4 o;\nvoid main() { ";
        target(8, 8);
        glUseProgram(program(fill_vs, decl + "imageStore(image, " + k.at +
                                          ", vec4(0.25, gl_FragCoord.x, 0, 1)); o = vec4(1); }\n"));
        draw_fill();
        glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
        const std::string s = k.target == GL_TEXTURE_1D ? "int" : "ivec2";
        glUseProgram(program(
            fill_vs, decl + s + " s = imageSize(image); vec4 v = imageLoad(image, " + k.at +
                         "); bool good = v == vec4(0.25, gl_FragCoord.x, 0, 1) && " + k.size +
                         " == ivec3(" + std::to_string(k.width) + ", " + std::to_string(k.height) +
                         ", " + std::to_string(k.layers) + "); o = vec4(!good, good, 0, 1); }\n"));
        draw_fill();
        EXPECT_PIXEL(5, 2, 0, 1, 0, 1);
    }
}

SCENARIO(agree_shared_memory_below_the_limit) {
    need(43, "GL_ARB_compute_shader");
    GLint most = 0;
    glGetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &most);
    const auto with = [](int words) {
        return links({{GL_COMPUTE_SHADER,
                       head("#extension GL_ARB_compute_shader : require\n") +
                           "layout(local_size_x = 4) in;\nshared int s[" + std::to_string(words) +
                           "];\nuniform int u;\nlayout(r32i) writeonly uniform iimage2D i;\n"
                           "void main() { s[u] = u; barrier(); imageStore(i, ivec2(0), "
                           "ivec4(s[u + 1])); }\n"}});
    };
    EXPECT(with(most / 4));
    EXPECT(!with(most / 4 + 1));
}

// Members of a block in places of their own.
SCENARIO(blocks_with_offsets_of_members) {
    need(44, "GL_ARB_enhanced_layouts");
    const float data[16] = {9, 2, 9, 9, 0.25f, 0.5f, 0.75f, 9, 9, 9, 9, 9, 1, 9, 9, 9};
    const GLuint b = buffer(GL_UNIFORM_BUFFER, data, sizeof data);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
    target(8, 8);
    glUseProgram(
        program(fill_vs,
                head("#extension GL_ARB_enhanced_layouts : require\n") +
                    "layout(std140) uniform Block {\nlayout(offset = 4) float c;\n"
                    "layout(offset = 16) vec3 b;\nlayout(offset = 48) float a[1];\n} blk;\n"
                    "out vec4 o;\nvoid main() { bool good = blk.a[0] == 1.0 && blk.b == vec3(0.25, "
                    "0.5, 0.75) && blk.c == 2.0; o = vec4(!good, good, 0, 1); }\n"));
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
}
