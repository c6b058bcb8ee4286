// SPDX-License-Identifier: MIT
// `mgpipe gears`: three lit, textured gears drawn into a framebuffer object, then onto a pbuffer in
// a second pass. An ordinary EGL and OpenGL 3.3 core program: it uses the system's libEGL and knows
// nothing of MGPipe.
#include "commands.h"
#include "gears_gl.h"
#include "gears_mesh.h"
#include "png_writer.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

const char *load_egl(EglFunctions &egl) {
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return "libEGL.so.1";
#define X(result, name, args)                                                                      \
    if (!(egl.name = reinterpret_cast<decltype(egl.name)>(dlsym(library, "egl" #name))))           \
        return "egl" #name;
    GEARS_EGL_FUNCTIONS(X)
#undef X
    return nullptr;
}

const char *load_gl(const EglFunctions &egl, GlFunctions &gl) {
#define X(type, name)                                                                              \
    if (!(gl.name = reinterpret_cast<type>(egl.GetProcAddress("gl" #name))))                       \
        return "gl" #name;
    GEARS_GL_FUNCTIONS(X)
#undef X
    return nullptr;
}

namespace {

constexpr const char *gear_vertex_shader = R"(#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(std140) uniform Gear {
    mat4 projection;
    mat4 model_view;
    vec4 color;
    vec4 light; // direction to it, view space
};
out vec3 view_normal;
out vec3 view_position;
out vec2 texture_uv;
void main() {
    vec4 p = model_view * vec4(position, 1.0);
    view_position = p.xyz;
    view_normal = mat3(model_view) * normal;
    texture_uv = uv;
    gl_Position = projection * p;
}
)";

constexpr const char *gear_fragment_shader = R"(#version 330 core
layout(std140) uniform Gear {
    mat4 projection;
    mat4 model_view;
    vec4 color;
    vec4 light;
};
uniform sampler2D metal;
in vec3 view_normal;
in vec3 view_position;
in vec2 texture_uv;
out vec4 result;
void main() {
    vec3 n = normalize(view_normal);
    float diffuse = max(dot(n, light.xyz), 0.0);
    vec3 halfway = normalize(light.xyz - normalize(view_position));
    float shine = pow(max(dot(n, halfway), 0.0), 40.0);
    vec3 base = color.rgb * texture(metal, texture_uv).rgb;
    result = vec4(base * (0.25 + 0.85 * diffuse) + 0.35 * shine, 1.0);
}
)";

constexpr const char *screen_vertex_shader = R"(#version 330 core
out vec2 uv;
void main() { // one triangle that covers everything
    uv = vec2(float((gl_VertexID & 1) << 2), float((gl_VertexID & 2) << 1)) * 0.5;
    gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}
)";

constexpr const char *screen_fragment_shader = R"(#version 330 core
uniform sampler2D scene;
in vec2 uv;
out vec4 result;
void main() {
    vec4 s = texture(scene, uv);
    vec3 background = mix(vec3(0.05, 0.06, 0.09), vec3(0.28, 0.33, 0.42), uv.y);
    float vignette = 1.0 - 0.5 * dot(uv - 0.5, uv - 0.5);
    result = vec4(mix(background, s.rgb, s.a) * vignette, 1.0);
}
)";

// One block per gear in the uniform buffer (std140).
struct GearBlock {
    Matrix projection, model_view;
    float color[4], light[4];
};

struct Gear {
    GearShape shape;
    float x, y;
    float ratio, phase; // degrees = ratio * angle + phase
    float color[4];
    GLuint vertex_array = 0;
    GLsizei index_count = 0;
};

struct Options {
    int frames = 100, width = 640, height = 480;
    std::string png;
};

struct Demo {
    Options options;
    EglFunctions egl{};
    GlFunctions gl{};
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLSurface surface = EGL_NO_SURFACE;
    EGLContext context = EGL_NO_CONTEXT;
    Gear gears[3] = {
        {{1.0f, 4.0f, 1.0f, 20, 0.7f}, -3.0f, -2.0f, 1, 0, {0.85f, 0.15f, 0.10f, 1}},
        {{0.5f, 2.0f, 2.0f, 10, 0.7f}, 3.1f, -2.0f, -2, -9, {0.10f, 0.75f, 0.25f, 1}},
        {{1.3f, 2.0f, 0.5f, 10, 0.7f}, -3.1f, 4.2f, -2, -25, {0.25f, 0.35f, 0.95f, 1}},
    };
    GLuint gear_program = 0, screen_program = 0, metal = 0, scene = 0, framebuffer = 0;
    GLuint empty_vertex_array = 0, uniforms = 0;
    GLint block_stride = 0;

    bool start();
    bool make_program(GLuint &program, const char *vertex, const char *fragment);
    bool make_scene();
    void make_gear_buffers(Gear &gear);
    void make_texture();
    bool make_framebuffer();
    void draw(int frame);
    bool save();
};

bool complain(const char *what, const char *detail) {
    fprintf(stderr, "gears: %s: %s\n", what, detail);
    return false;
}

// Run from the build folder, the vendor library is not where the dispatch library looks.
void use_build_folder() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    if (length <= 0)
        return;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash : path, "/uninstalled.json");
    if (!access(path, R_OK))
        setenv("__EGL_VENDOR_LIBRARY_FILENAMES", path, 0);
}

bool Demo::start() {
    use_build_folder();
    if (const char *missing = load_egl(egl))
        return complain("not found", missing);
    display = egl.GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (!display || !egl.Initialize(display, nullptr, nullptr) || !egl.BindAPI(EGL_OPENGL_API))
        return complain("EGL", "no display on the surfaceless platform with OpenGL");
    const EGLint config_attribs[] = {EGL_SURFACE_TYPE,
                                     EGL_PBUFFER_BIT,
                                     EGL_RENDERABLE_TYPE,
                                     EGL_OPENGL_BIT,
                                     EGL_RED_SIZE,
                                     8,
                                     EGL_GREEN_SIZE,
                                     8,
                                     EGL_BLUE_SIZE,
                                     8,
                                     EGL_ALPHA_SIZE,
                                     8,
                                     EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!egl.ChooseConfig(display, config_attribs, &config, 1, &count) || count < 1)
        return complain("EGL", "no RGBA8 pbuffer config for OpenGL");
    const EGLint context_attribs[] = {EGL_CONTEXT_MAJOR_VERSION,
                                      3,
                                      EGL_CONTEXT_MINOR_VERSION,
                                      3,
                                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                      EGL_NONE};
    context = egl.CreateContext(display, config, EGL_NO_CONTEXT, context_attribs);
    const EGLint surface_attribs[] = {EGL_WIDTH, options.width, EGL_HEIGHT, options.height,
                                      EGL_NONE};
    surface = egl.CreatePbufferSurface(display, config, surface_attribs);
    if (!context || !surface || !egl.MakeCurrent(display, surface, surface, context))
        return complain("EGL", "no OpenGL 3.3 core context on a pbuffer");
    if (const char *missing = load_gl(egl, gl))
        return complain("not found", missing);
    return true;
}

bool Demo::make_program(GLuint &program, const char *vertex, const char *fragment) {
    program = gl.CreateProgram();
    char log[2048] = "";
    GLint good = 0;
    const struct {
        GLenum type;
        const char *source;
    } stages[] = {{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, fragment}};
    for (const auto &stage : stages) {
        const GLuint shader = gl.CreateShader(stage.type);
        gl.ShaderSource(shader, 1, &stage.source, nullptr);
        gl.CompileShader(shader);
        gl.GetShaderiv(shader, GL_COMPILE_STATUS, &good);
        gl.GetShaderInfoLog(shader, sizeof log, nullptr, log);
        if (!good)
            return complain("shader", log);
        gl.AttachShader(program, shader);
        gl.DeleteShader(shader);
    }
    gl.LinkProgram(program);
    gl.GetProgramiv(program, GL_LINK_STATUS, &good);
    gl.GetProgramInfoLog(program, sizeof log, nullptr, log);
    return good || complain("program", log);
}

void Demo::make_gear_buffers(Gear &gear) {
    const Mesh mesh = make_gear(gear.shape);
    GLuint buffers[2];
    gl.GenVertexArrays(1, &gear.vertex_array);
    gl.BindVertexArray(gear.vertex_array);
    gl.GenBuffers(2, buffers);
    gl.BindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    gl.BufferData(GL_ARRAY_BUFFER, GLsizeiptr(mesh.vertices.size() * sizeof(Vertex)),
                  mesh.vertices.data(), GL_STATIC_DRAW);
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, GLsizeiptr(mesh.indices.size() * sizeof(uint16_t)),
                  mesh.indices.data(), GL_STATIC_DRAW);
    const size_t offsets[] = {offsetof(Vertex, position), offsetof(Vertex, normal),
                              offsetof(Vertex, uv)};
    for (GLuint i = 0; i < 3; i++) {
        gl.EnableVertexAttribArray(i);
        gl.VertexAttribPointer(i, i < 2 ? 3 : 2, GL_FLOAT, GL_FALSE, sizeof(Vertex),
                               reinterpret_cast<const void *>(offsets[i]));
    }
    gear.index_count = GLsizei(mesh.indices.size());
}

// Brushed metal: streaks along u from a small hash.
void Demo::make_texture() {
    constexpr int size = 128;
    std::vector<uint8_t> texels(size * size * 4);
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            const uint32_t streak = (uint32_t(y) * 2654435761u) >> 24;
            const uint32_t grain = (uint32_t(x * 73 + y * 2741) * 2246822519u) >> 27;
            uint8_t *texel = &texels[(size_t(y) * size + x) * 4];
            texel[0] = texel[1] = texel[2] = uint8_t(160 + streak / 4 + grain);
            texel[3] = 255;
        }
    }
    gl.GenTextures(1, &metal);
    gl.BindTexture(GL_TEXTURE_2D, metal);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                  texels.data());
    gl.GenerateMipmap(GL_TEXTURE_2D);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

bool Demo::make_framebuffer() {
    GLuint depth = 0;
    gl.GenTextures(1, &scene);
    gl.BindTexture(GL_TEXTURE_2D, scene);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, options.width, options.height, 0, GL_RGBA,
                  GL_UNSIGNED_BYTE, nullptr);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl.GenRenderbuffers(1, &depth);
    gl.BindRenderbuffer(GL_RENDERBUFFER, depth);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, options.width, options.height);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, scene, 0);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    return gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE ||
           complain("framebuffer", "not complete");
}

bool Demo::make_scene() {
    if (!make_program(gear_program, gear_vertex_shader, gear_fragment_shader) ||
        !make_program(screen_program, screen_vertex_shader, screen_fragment_shader))
        return false;
    gl.UniformBlockBinding(gear_program, gl.GetUniformBlockIndex(gear_program, "Gear"), 0);
    for (Gear &gear : gears)
        make_gear_buffers(gear);
    gl.GenVertexArrays(1, &empty_vertex_array);
    make_texture();
    GLint alignment = 1;
    gl.GetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &alignment);
    block_stride = (GLint(sizeof(GearBlock)) + alignment - 1) / alignment * alignment;
    gl.GenBuffers(1, &uniforms);
    gl.BindBuffer(GL_UNIFORM_BUFFER, uniforms);
    gl.BufferData(GL_UNIFORM_BUFFER, 3 * block_stride, nullptr, GL_DYNAMIC_DRAW);
    return make_framebuffer();
}

void Demo::draw(int frame) {
    const float aspect = float(options.height) / float(options.width), angle = 2.0f * float(frame);
    const Matrix projection = frustum(-1, 1, -aspect, aspect, 5, 60);
    const Matrix view =
        multiply(translation(0, -0.3f, -47), multiply(rotation(20, 0), rotation(30, 1)));

    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.Viewport(0, 0, options.width, options.height);
    gl.ClearColor(0, 0, 0, 0);
    gl.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl.Enable(GL_DEPTH_TEST);
    gl.Enable(GL_CULL_FACE);
    gl.UseProgram(gear_program);
    gl.BindTexture(GL_TEXTURE_2D, metal);
    for (int i = 0; i < 3; i++) {
        const Gear &gear = gears[i];
        GearBlock block{projection, {}, {}, {0.40825f, 0.40825f, 0.81650f, 0}};
        block.model_view = multiply(multiply(view, translation(gear.x, gear.y, 0)),
                                    rotation(gear.ratio * angle + gear.phase, 2));
        memcpy(block.color, gear.color, sizeof block.color);
        gl.BufferSubData(GL_UNIFORM_BUFFER, i * block_stride, sizeof block, &block);
        gl.BindBufferRange(GL_UNIFORM_BUFFER, 0, uniforms, i * block_stride, sizeof block);
        gl.BindVertexArray(gear.vertex_array);
        gl.DrawElements(GL_TRIANGLES, gear.index_count, GL_UNSIGNED_SHORT, nullptr);
    }

    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.Disable(GL_DEPTH_TEST);
    gl.Disable(GL_CULL_FACE);
    gl.UseProgram(screen_program);
    gl.BindTexture(GL_TEXTURE_2D, scene);
    gl.BindVertexArray(empty_vertex_array);
    gl.DrawArrays(GL_TRIANGLES, 0, 3);
    egl.SwapBuffers(display, surface);
}

bool Demo::save() {
    std::vector<uint8_t> rgba(size_t(options.width) * options.height * 4);
    gl.ReadPixels(0, 0, options.width, options.height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    return options.png.empty() || write_png(options.png, options.width, options.height, rgba) ||
           complain("cannot write", options.png.c_str());
}

bool parse(int argc, char **argv, Options &options) {
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int end = 0;
        if (!strcmp(argv[i], "--frames") && sscanf(value, "%d%n", &options.frames, &end) == 1 &&
            !value[end])
            continue;
        else if (!strcmp(argv[i], "--size") &&
                 sscanf(value, "%dx%d%n", &options.width, &options.height, &end) == 2 &&
                 !value[end])
            continue;
        else if (!strcmp(argv[i], "--png") && *value)
            options.png = value;
        else
            return complain("unknown or incomplete option", argv[i]);
    }
    return (options.frames > 0 && options.width > 0 && options.height > 0) ||
           complain("frames and size", "must be positive");
}

// The frames behind the first one took `rest` seconds together.
std::string speed_of(int frames, double first, double rest) {
    char text[64];
    if (frames > 1 && rest > 0)
        snprintf(text, sizeof text, "%.1f frames per second", (frames - 1) / rest);
    else
        snprintf(text, sizeof text, "first frame in %.1f ms", first * 1e3);
    return text;
}

} // namespace

int gears_main(int argc, char **argv) {
    using Clock = std::chrono::steady_clock;
    if (wants_help(argc, argv)) {
        printf("usage: mgpipe %s\n", gears_usage);
        return 0;
    }
    Demo demo;
    if (!parse(argc, argv, demo.options))
        return 2;
    if (!demo.start() || !demo.make_scene())
        return 1;
    const Clock::time_point start = Clock::now();
    demo.draw(0);
    demo.gl.Finish();
    // The first frame compiles and uploads: its time counts only where there is no other.
    const Clock::time_point begin = Clock::now();
    for (int frame = 1; frame < demo.options.frames; frame++)
        demo.draw(frame);
    demo.gl.Finish();
    const std::string speed =
        speed_of(demo.options.frames, std::chrono::duration<double>(begin - start).count(),
                 std::chrono::duration<double>(Clock::now() - begin).count());
    const bool saved = demo.save();
    const GLenum error = demo.gl.GetError();
    const char *form = getenv("MGPIPE_FORM");
    if (error == GL_CONTEXT_LOST)
        fprintf(stderr, "gears: the context is lost\n");
    else
        printf("%s | %s | %s | %s\n", reinterpret_cast<const char *>(demo.gl.GetString(GL_VERSION)),
               reinterpret_cast<const char *>(demo.gl.GetString(GL_RENDERER)),
               form && *form ? form : "monolith", speed.c_str());
    if (error != GL_NO_ERROR && error != GL_CONTEXT_LOST)
        fprintf(stderr, "gears: OpenGL error 0x%04x\n", error);
    demo.egl.MakeCurrent(demo.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    demo.egl.DestroySurface(demo.display, demo.surface);
    demo.egl.DestroyContext(demo.display, demo.context);
    demo.egl.Terminate(demo.display);
    return saved && error == GL_NO_ERROR ? 0 : 1;
}
