// SPDX-License-Identifier: MIT
// The compiler alone: GLSL in, valid SPIR-V and the archive out.
#include "compiler/compiler.h"
#include "compiler/macros.h"
#include "spirv/rewrite.h"

#include <GL/glcorearb.h>
#include <catch2/catch.hpp>
#include <spirv-tools/libspirv.hpp>

#include <cstring>

namespace {

compiler::LinkOutput link(std::vector<std::pair<pipe_shader_type, std::string>> sources,
                          const std::function<void(compiler::LinkInput &)> &edit = {}) {
    compiler::LinkInput input;
    for (auto &[stage, text] : sources) {
        auto shader = compiler::compile(stage, text, input.limits);
        INFO(shader->log);
        REQUIRE(shader->ok);
        input.shaders.push_back(shader);
    }
    if (edit)
        edit(input);
    return compiler::link(input);
}

compiler::LinkOutput link_ok(std::vector<std::pair<pipe_shader_type, std::string>> sources,
                             const std::function<void(compiler::LinkInput &)> &edit = {}) {
    compiler::LinkOutput out = link(std::move(sources), edit);
    INFO(out.log);
    REQUIRE(out.ok);
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_0);
    std::string message;
    tools.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &,
                                 const char *text) { message = text; });
    for (const pipe_archive_stage &stage : out.archive->stages) {
        const bool valid = tools.Validate(stage.spirv);
        INFO(message);
        REQUIRE(valid);
    }
    return out;
}

const pipe_archive_member &member(const compiler::LinkOutput &out, const std::string &name) {
    for (const pipe_archive_member &m : out.archive->members)
        if (m.name == name)
            return m;
    FAIL("no member " << name);
    return out.archive->members.front();
}

const pipe_archive_opaque &opaque(const compiler::LinkOutput &out, const std::string &name) {
    for (const pipe_archive_opaque &o : out.archive->opaques)
        if (o.name == name)
            return o;
    FAIL("no opaque uniform " << name);
    return out.archive->opaques.front();
}

const pipe_archive_io *find_io(const std::vector<pipe_archive_io> &list, const std::string &name) {
    for (const pipe_archive_io &io : list)
        if (io.name == name)
            return &io;
    return nullptr;
}

const char *const simple_vertex = "#version 330\nin vec4 pos; out vec2 uv; uniform mat4 mvp;\n"
                                  "void main() { gl_Position = mvp * pos; uv = pos.xy; }\n";
const char *const simple_fragment =
    "#version 330\nin vec2 uv; out vec4 color; uniform sampler2D tex; uniform vec4 tint;\n"
    "void main() { color = texture(tex, uv) * tint; }\n";

} // namespace

TEST_CASE("a vertex and a fragment shader link") {
    const auto out =
        link_ok({{PIPE_SHADER_VERTEX, simple_vertex}, {PIPE_SHADER_FRAGMENT, simple_fragment}});
    REQUIRE(out.archive->stages.size() == 2);
    CHECK(out.archive->stage_mask == (1u << PIPE_SHADER_VERTEX | 1u << PIPE_SHADER_FRAGMENT));
    CHECK(member(out, "mvp").gl_type == GL_FLOAT_MAT4);
    CHECK(member(out, "mvp").matrix_stride == 16);
    CHECK(member(out, "tint").offset == 64);
    CHECK(out.archive->globals_size == 80);
    CHECK(opaque(out, "tex").slot == 0);
    const auto *written = find_io(out.archive->stages[0].outputs, "uv");
    const auto *read = find_io(out.archive->stages[1].inputs, "uv");
    REQUIRE(written);
    REQUIRE(read);
    CHECK(written->location == read->location);
    REQUIRE(written->location_words.size() == 1);
    CHECK(out.archive->stages[0].spirv[written->location_words[0]] == uint32_t(written->location));
}

TEST_CASE("both stages declare the same default block") {
    const auto out =
        link_ok({{PIPE_SHADER_VERTEX, simple_vertex}, {PIPE_SHADER_FRAGMENT, simple_fragment}});
    for (const pipe_archive_stage &stage : out.archive->stages) {
        const auto m = spirv::module::parse(stage.spirv);
        REQUIRE(m);
        const auto blocks = m->variables(spv::StorageClassUniform);
        REQUIRE(blocks.size() == 1);
        CHECK(m->decoration(blocks[0], spv::DecorationDescriptorSet) == PIPE_SLOT_GLOBALS);
        const spirv::id type = m->variable_type(blocks[0]);
        REQUIRE(m->member_count(type) == 2);
        CHECK(m->member_decoration(type, 1, spv::DecorationOffset) == 64u);
    }
}

TEST_CASE("initial values and bools of the default block") {
    const auto out = link_ok(
        {{PIPE_SHADER_VERTEX,
          "#version 330\nuniform bool on = true; uniform vec3 a[2] = vec3[2](vec3(1), vec3(2));\n"
          "void main() { gl_Position = on ? vec4(a[0], 1) : vec4(a[1], 1); }"}});
    CHECK(member(out, "on").gl_type == GL_BOOL);
    const auto &on = member(out, "on").initial;
    REQUIRE(on.size() == 4);
    CHECK(on[0] == 1);
    const auto &a = member(out, "a[0]");
    CHECK(a.array_size == 2);
    CHECK(a.array_stride == 16);
    REQUIRE(a.initial.size() == 32);
    float f;
    std::memcpy(&f, a.initial.data() + 16, 4);
    CHECK(f == 2.0f);
}

TEST_CASE("structs with samplers are flattened") {
    const auto out =
        link_ok({{PIPE_SHADER_FRAGMENT,
                  "#version 400\nstruct M { vec4 c; sampler2D t[2]; }; uniform M m[3]; uniform int "
                  "i; in vec2 uv; out vec4 o;\n"
                  "vec4 f(sampler2D s) { return texture(s, uv); }\n"
                  "void main() { o = m[i].c + texture(m[1].t[i], uv) + f(m[2].t[1]); }"}},
                [](compiler::LinkInput &in) { in.separable = true; });
    CHECK(opaque(out, "m[2].t[0]").slot == 4);
    CHECK(opaque(out, "m[2].t[0]").array_size == 2);
    CHECK(member(out, "m[1].c").offset == 16);
    CHECK(out.archive->num_sampler_slots == 6);
}

TEST_CASE(
    "uniform blocks: shared ones get offsets, arrays take slots, members speak the block's name") {
    const auto out =
        link_ok({{PIPE_SHADER_VERTEX,
                  "#version 330\nuniform B { float x; vec3 y[2]; bool z; } b[2];\n"
                  "layout(std140, row_major) uniform C { mat3x2 m; };\n"
                  "void main() { gl_Position = vec4(b[1].y[1], b[0].z ? b[0].x : m[0].x); }"}});
    CHECK(member(out, "B.y[0]").offset == 16);
    CHECK(member(out, "B.z").gl_type == GL_BOOL);
    CHECK(member(out, "m").row_major);
    REQUIRE(out.archive->blocks.size() == 3);
    CHECK(out.archive->blocks[1].name == "B[1]");
    CHECK(out.archive->num_uniform_block_slots == 3);
}

TEST_CASE("locations: explicit, bound and automatic") {
    const auto out =
        link_ok({{PIPE_SHADER_VERTEX,
                  "#version 430\nlayout(location = 3) in vec4 a; in mat3 b; in vec4 c; in vec4 d;\n"
                  "layout(location = 7) uniform vec4 u; uniform vec4 v[2];\n"
                  "void main() { gl_Position = a + vec4(b[0], 1) + c + d + u + v[1]; }"}},
                [](compiler::LinkInput &in) { in.attrib_binding["c"] = 0; });
    const auto &inputs = out.archive->stages[0].inputs;
    CHECK(find_io(inputs, "a")->location == 3);
    CHECK(find_io(inputs, "c")->location == 0);
    CHECK(find_io(inputs, "b")->location == 4);
    CHECK(find_io(inputs, "d")->location == 1);
    CHECK(member(out, "u").location == 7);
    CHECK(member(out, "v[0]").location == 0);
}

TEST_CASE("fragment outputs take bound locations and indices") {
    const auto out = link_ok(
        {{PIPE_SHADER_FRAGMENT,
          "#version 330\nout vec4 a; out vec4 b; void main() { a = vec4(1); b = vec4(2); }"}},
        [](compiler::LinkInput &in) {
            in.separable = true;
            in.frag_binding["a"] = {0, 1};
            in.frag_binding["b"] = {0, 0};
        });
    const auto &outputs = out.archive->stages[0].outputs;
    CHECK(find_io(outputs, "a")->index == 1);
    CHECK(find_io(outputs, "b")->location == 0);
}

TEST_CASE("link errors between stages") {
    const std::string fragment =
        "#version 330\nin vec3 uv; out vec4 o; void main() { o = vec4(uv, 1); }";
    CHECK_FALSE(link({{PIPE_SHADER_VERTEX, simple_vertex}, {PIPE_SHADER_FRAGMENT, fragment}}).ok);
    const std::string missing =
        "#version 330\nin vec2 other; out vec4 o; void main() { o = vec4(other, 0, 1); }";
    const auto out = link({{PIPE_SHADER_VERTEX, simple_vertex}, {PIPE_SHADER_FRAGMENT, missing}});
    CHECK_FALSE(out.ok);
    CHECK(out.log.find("other") != std::string::npos);
    const std::string clash =
        "#version 330\nuniform vec4 mvp; out vec4 o; void main() { o = mvp; }";
    CHECK_FALSE(link({{PIPE_SHADER_VERTEX, simple_vertex}, {PIPE_SHADER_FRAGMENT, clash}}).ok);
}

TEST_CASE("gl_PerVertex is redeclared by both sides or by none") {
    const std::string geometry =
        "layout(points) in; layout(points, max_vertices = 1) out;\n"
        "void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }\n";
    const std::string plain = "#version 150\nvoid main() { gl_Position = vec4(0); }\n";
    const std::string block = "#version 150\nout gl_PerVertex { vec4 gl_Position; };\nvoid main() "
                              "{ gl_Position = vec4(0); }\n";
    const std::string in = "in gl_PerVertex { vec4 gl_Position; } gl_in[];\n";
    const auto linked = [&](const std::string &vertex, const std::string &gs, bool separable) {
        return link({{PIPE_SHADER_VERTEX, vertex}, {PIPE_SHADER_GEOMETRY, "#version 150\n" + gs}},
                    [&](compiler::LinkInput &i) { i.separable = separable; })
            .ok;
    };
    CHECK(linked(plain, geometry, false));
    CHECK(linked(block, in + geometry, false));
    CHECK_FALSE(linked(block, geometry, false));
    CHECK_FALSE(linked(plain, geometry, true));
}

TEST_CASE("several fragment shaders and gl_FragCoord") {
    const std::string layout =
        "layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;\n";
    const std::string first =
        "out vec4 color; vec4 more();\nvoid main() { color = gl_FragCoord + more(); }\n";
    const std::string same = "vec4 more() { return gl_FragCoord.yxzw; }\n",
                      other = "vec4 more() { return vec4(1); }\n";
    const auto linked = [&](const std::string &a, const std::string &b) {
        return link({{PIPE_SHADER_FRAGMENT, "#version 150\n" + a},
                     {PIPE_SHADER_FRAGMENT, "#version 150\n" + b}});
    };
    const auto agreed = linked(layout + first, layout + same);
    INFO(agreed.log);
    REQUIRE(agreed.ok);
    CHECK(agreed.archive->stages[0].origin_upper_left);
    CHECK(agreed.archive->stages[0].pixel_center_integer);
    CHECK(linked(layout + first, other).ok);
    CHECK(linked(first, same).ok);
    CHECK_FALSE(linked("in vec4 gl_FragCoord;\n" + first, same).ok);
    CHECK_FALSE(linked(layout + first, "in vec4 gl_FragCoord;\n" + same).ok);
}

TEST_CASE("a geometry shader without an input layout has that of the others") {
    link_ok(
        {{PIPE_SHADER_VERTEX,
          "#version 150\nout vec4 c;\nvoid main() { c = vec4(1); gl_Position = c; }\n"},
         {PIPE_SHADER_GEOMETRY,
          "#version 150\nlayout(triangles) in; layout(points, max_vertices = 1) out; void emit();\n"
          "void main() { emit(); }\n"},
         {PIPE_SHADER_GEOMETRY,
          "#version 150\nin vec4 c[];\nvoid emit() { gl_Position = c[1]; EmitVertex(); }\n"}});
}

TEST_CASE("older versions with newer extensions") {
    const auto compiles = [](pipe_shader_type stage, const std::string &text) {
        const auto shader = compiler::compile(stage, text, compiler::LinkInput().limits);
        INFO(shader->log);
        CHECK(shader->ok);
    };
    compiles(
        PIPE_SHADER_FRAGMENT,
        "#version 130\n#extension GL_ARB_texture_multisample : require\nuniform sampler2DMS s;\n"
        "void main() { gl_FragColor = texelFetch(s, ivec2(0), 0); }\n");
    compiles(PIPE_SHADER_FRAGMENT, "#version 130\nuniform sampler2DRect s;\nvoid main() { "
                                   "gl_FragColor = texelFetch(s, ivec2(0)); }\n");
    compiles(PIPE_SHADER_FRAGMENT,
             "#version 130\n#extension GL_ARB_fragment_coord_conventions : require\n"
             "layout(pixel_center_integer) in vec4 gl_FragCoord;\nvoid main() { gl_FragColor = "
             "gl_FragCoord; }\n");
    compiles(PIPE_SHADER_GEOMETRY,
             "#version 150\n#extension GL_ARB_gpu_shader5 : require\nlayout(points, invocations = "
             "4) in;\n"
             "layout(points, max_vertices = 1) out;\nvoid main() { EmitVertex(); }\n");
}

TEST_CASE("captured varyings by name") {
    const auto out = link_ok(
        {{PIPE_SHADER_VERTEX, "#version 330\nin vec4 p; out vec3 a; out float b[3]; void main() {\n"
                              "gl_Position = p; a = p.xyz; b[0] = b[1] = b[2] = p.w; }"}},
        [](compiler::LinkInput &in) {
            in.xfb_varyings = {"a", "gl_SkipComponents1", "b[1]", "gl_Position"};
        });
    REQUIRE(out.archive->xfb.size() == 3);
    CHECK(out.archive->xfb[1].offset == 16);
    CHECK(out.archive->xfb[1].components == 1);
    CHECK(out.archive->xfb[2].builtin == int(spv::BuiltInPosition));
    CHECK(out.archive->xfb_stride[0] == 36);
    CHECK_FALSE(link({{PIPE_SHADER_VERTEX, simple_vertex}}, [](compiler::LinkInput &in) {
                    in.xfb_varyings = {"nothing"};
                }).ok);
}

TEST_CASE("atomic counters become storage") {
    const auto out =
        link_ok({{PIPE_SHADER_COMPUTE,
                  "#version 430\nlayout(local_size_x = 8) in;\n"
                  "layout(binding = 2, offset = 8) uniform atomic_uint c; layout(binding = 2) "
                  "uniform atomic_uint d[2];\n"
                  "layout(std430, binding = 1) buffer S { uint v[]; }; uint f(atomic_uint x) { "
                  "return atomicCounterIncrement(x); }\n"
                  "void main() { v[f(c)] = atomicCounter(d[gl_LocalInvocationID.x & 1u]); }"}});
    CHECK(opaque(out, "c").offset == 8);
    CHECK(opaque(out, "d[0]").offset == 12);
    CHECK(out.archive->num_atomic_buffer_slots == 1);
    CHECK(out.archive->local_size[0] == 8);
    CHECK(member(out, "v[0]").array_size == 0);
}

TEST_CASE("geometry shaders") {
    const auto out = link_ok(
        {{PIPE_SHADER_VERTEX, "#version 330\nin vec4 p; out V { vec4 c; } o; void main() { "
                              "gl_Position = p; o.c = p; }"},
         {PIPE_SHADER_GEOMETRY, "#version 330\nlayout(triangles) in; layout(line_strip, "
                                "max_vertices = 4) out; in V { vec4 c; } i[]; out vec4 c;\n"
                                "void main() { for (int k = 0; k < 3; ++k) { gl_Position = "
                                "gl_in[k].gl_Position; c = i[k].c; EmitVertex(); } }"},
         {PIPE_SHADER_FRAGMENT, "#version 330\nin vec4 c; out vec4 o; void main() { o = c; }"}});
    CHECK(out.archive->gs_input == PIPE_PRIM_TRIANGLES);
    CHECK(out.archive->gs_output == PIPE_PRIM_LINE_STRIP);
    CHECK(out.archive->gs_max_vertices == 4);
}

TEST_CASE("logs speak the program's lines") {
    const auto shader = compiler::compile(
        PIPE_SHADER_FRAGMENT, "#version 330\nout vec4 c;\nvoid main() { c = nothing; }\n", {});
    CHECK_FALSE(shader->ok);
    CHECK(shader->log.rfind("0:3: error:", 0) == 0);
    const auto newer =
        compiler::compile(PIPE_SHADER_FRAGMENT, "#version 990\nvoid main() {}\n", {});
    CHECK_FALSE(newer->ok);
}

static bool takes(const std::string &text) {
    return compiler::compile(PIPE_SHADER_VERTEX, text, {})->ok;
}

TEST_CASE("directives that GLSL and glslang see differently") {
    const std::string rest = "void main() { gl_Position = vec4(0); }\n";
    CHECK_FALSE(takes("#version 330\n#define S(a) #a\n" + rest));
    CHECK(takes("#version 330\n#define S(a, b) a##b\nfloat S(x, y);\n" + rest));
    CHECK(takes("#version 330\n#define S 1 /* # */ // #\n" + rest));
    CHECK_FALSE(takes("#version 330\n#extension 2 : all\n" + rest));
    CHECK_FALSE(takes("#version 330\n#extension : all\n" + rest));
    const std::string asks = "#version 330\n#define B\n#define A defined(B)\n#define AA (A && 1)\n";
    CHECK(takes(asks + "#if !AA\n#error no\n#elif A\n#endif\n" + rest));
    CHECK_FALSE(takes(asks + "#undef B\n#if !A\n#error yes\n#endif\n" + rest));
}

TEST_CASE("reserved words") {
    const auto with = [](const char *name, const char *version) {
        return std::string("#version ") + version + "\nfloat " + name +
               ";\nvoid main() { gl_Position = vec4(0); }\n";
    };
    for (const char *word : {"packed", "row_major", "image2DArrayShadow"})
        CHECK_FALSE(takes(with(word, "330")));
    CHECK(takes(with("row_majors", "330")));
    CHECK(takes("#version 330\nlayout(row_major) uniform;\nlayout(packed) uniform B { mat4 m; };\n"
                "void main() { gl_Position = m[0]; }\n"));
}

TEST_CASE("members of blocks without an instance name share a scope") {
    const auto linked = [](const char *v, const char *f) {
        return link({{PIPE_SHADER_VERTEX, std::string("#version 330\n") + v +
                                              "void main() { gl_Position = vec4(f); }\n"},
                     {PIPE_SHADER_FRAGMENT, std::string("#version 330\nout vec4 c;\n") + f +
                                                "void main() { c = vec4(f); }\n"}})
            .ok;
    };
    const char *in_block = "uniform A { float f; };\n", *plain = "uniform float f;\n",
               *other_block = "uniform B { float f; };\n";
    CHECK(linked(in_block, in_block));
    CHECK(linked(plain, plain));
    CHECK_FALSE(linked(in_block, plain));
    CHECK_FALSE(linked(in_block, other_block));
}

TEST_CASE("lines that end in a backslash are joined in every version") {
    const auto shader = compiler::compile(
        PIPE_SHADER_FRAGMENT,
        "// c\n\n#version 150\n#define A \\\r\n 1.0\nout vec4 c; void main() { c = vec4(A); }\n",
        {});
    INFO(shader->log);
    CHECK(shader->ok);
}

TEST_CASE("macros that are expanded here leave lines where they are") {
    using compiler::expand_macros;
    CHECK(expand_macros("#define CAT(a, b) a##b\n#define VIA(a, b) CAT(a, b)\n#define ONE 1\n"
                        "CAT(1, 2) VIA(ONE, u) CAT(,x)\n",
                        330) == "\n\n\n12 1u x\n");
    CHECK(expand_macros("#define F(a) a\nF(1 +\n 2) __LINE__\n__LINE__\n", 330) ==
          "\n1 + 2 3\n\n4\n");
    CHECK(expand_macros("#define bar(x) [x]\n#define foo(x) bar x\nfoo((1)) foo(foo)(2)\n", 330) ==
          "\n\n[1] bar foo(2)\n");
    CHECK(expand_macros("#if 0\n' \"\n#elif __VERSION__ > 140 && !defined(A)\nx/* \n */y\n#endif\n",
                        150) == "\n\n\nx\ny\n\n");
    // Not well formed: nothing.
    for (const char *text : {"#if 1\n", "#endif\n", "#if A\n#endif\n", "#define F(a) a\nF(1, 2)\n",
                             "#if 1 / 0\n#endif\n", "#line 7\n"})
        CHECK(expand_macros(text, 330).empty());
}

TEST_CASE("separable programs compose") {
    const auto separable = [](compiler::LinkInput &in) { in.separable = true; };
    const auto v = link_ok({{PIPE_SHADER_VERTEX, simple_vertex}}, separable);
    const auto f = link_ok({{PIPE_SHADER_FRAGMENT, simple_fragment}}, separable);
    const auto out = compiler::compose({{v.code, v.archive, 1u << PIPE_SHADER_VERTEX, {}, false},
                                        {f.code, f.archive, 1u << PIPE_SHADER_FRAGMENT, {}, false}},
                                       {});
    INFO(out.log);
    REQUIRE(out.ok);
    REQUIRE(out.maps.size() == 2);
    REQUIRE(out.maps[1].globals.size() == 1);
    CHECK(out.maps[1].globals[0].from == 0);
    CHECK(out.maps[1].globals[0].to == 64);
    CHECK(out.maps[1].slot[PIPE_SLOT_SAMPLER] == std::vector<int32_t>{0});
}
