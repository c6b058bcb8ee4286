// SPDX-License-Identifier: MIT
// Runs a folder of shaders through the compiler: *.vert *.tesc *.tese *.geom *.frag *.comp one by
// one and *.shader_test section by section, linked. Ends with counts; a module that spirv-val
// refuses, or a crash, fails the run. shader_corpus [--dump] [--quiet] [--skip WORD]... PATH...
// --control: every module loses its memory model before it is validated, so the run must fail.
#include "compiler/compiler.h"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace {

struct Counts {
    unsigned files = 0, compiled = 0, rejected = 0, linked = 0, unlinked = 0, invalid = 0,
             skipped = 0, unexpected = 0;
};

struct Options {
    bool dump = false, quiet = false, control = false;
    std::vector<std::string> skip = {"ftransform"};
    std::vector<fs::path> paths;
};

const std::pair<const char *, pipe_shader_type> suffixes[] = {
    {".vert", PIPE_SHADER_VERTEX},    {".tesc", PIPE_SHADER_TESS_CTRL},
    {".tese", PIPE_SHADER_TESS_EVAL}, {".geom", PIPE_SHADER_GEOMETRY},
    {".frag", PIPE_SHADER_FRAGMENT},  {".comp", PIPE_SHADER_COMPUTE}};

const std::pair<const char *, pipe_shader_type> sections[] = {
    {"[vertex shader]", PIPE_SHADER_VERTEX},
    {"[tessellation control shader]", PIPE_SHADER_TESS_CTRL},
    {"[tessellation evaluation shader]", PIPE_SHADER_TESS_EVAL},
    {"[geometry shader]", PIPE_SHADER_GEOMETRY},
    {"[fragment shader]", PIPE_SHADER_FRAGMENT},
    {"[compute shader]", PIPE_SHADER_COMPUTE}};

std::string read_file(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// "GLSL >= 1.40" of [require] -> "#version 140"; shaders that name no version run with it.
std::string required_version(const std::string &text) {
    const size_t at = text.find("GLSL >= ");
    if (at == std::string::npos)
        return {};
    const int major = std::atoi(text.c_str() + at + 8);
    const size_t dot = text.find('.', at);
    const int minor = dot == std::string::npos ? 0 : std::atoi(text.c_str() + dot + 1);
    return "#version " + std::to_string(major * 100 + minor) + "\n";
}

/// What a parser test expects: 1 pass, 0 fail, -1 does not say.
int expectation(const std::string &text) {
    const size_t at = text.find("expect_result:");
    if (at == std::string::npos)
        return -1;
    const std::string rest = text.substr(at + 14, 8);
    return rest.find("pass") != std::string::npos   ? 1
           : rest.find("fail") != std::string::npos ? 0
                                                    : -1;
}

using Sources = std::vector<std::pair<pipe_shader_type, std::string>>;

Sources split(const std::string &text) {
    Sources out;
    std::istringstream in(text);
    std::string line;
    bool inside = false;
    const std::string version = required_version(text);
    while (std::getline(in, line)) {
        if (!line.empty() && line[0] == '[') {
            inside = false;
            for (const auto &[name, type] : sections)
                if (line.rfind(name, 0) == 0) {
                    out.emplace_back(type, "");
                    inside = true;
                }
            if (line.rfind("[vertex shader passthrough]", 0) == 0)
                out.emplace_back(PIPE_SHADER_VERTEX, "#version 140\nin vec4 piglit_vertex;\nvoid "
                                                     "main() { gl_Position = piglit_vertex; }\n");
            continue;
        }
        if (inside)
            out.back().second += line + "\n";
    }
    for (auto &[type, source] : out)
        if (source.find("#version") == std::string::npos)
            source = version + source;
    return out;
}

bool validate(const pipe_shader_archive &archive, const fs::path &path, bool control) {
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_0);
    bool ok = true;
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char *, const spv_position_t &, const char *text) {
            std::printf("INVALID %s: %s\n", path.c_str(), text);
        });
    for (const pipe_archive_stage &stage : archive.stages) {
        std::vector<uint32_t> words = stage.spirv;
        for (size_t i = 5; control && i < words.size(); i += std::max(words[i] >> 16, 1u))
            if ((words[i] & 0xffff) == 14) // OpMemoryModel
                words.erase(words.begin() + long(i), words.begin() + long(i + (words[i] >> 16)));
        ok &= tools.Validate(words);
    }
    return ok;
}

void dump(const compiler::LinkOutput &result) {
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_0);
    for (const pipe_archive_stage &stage : result.archive->stages) {
        std::string text;
        tools.Disassemble(stage.spirv, &text,
                          SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                              SPV_BINARY_TO_TEXT_OPTION_INDENT);
        std::printf("%s\n", text.c_str());
        for (const auto *list : {&stage.inputs, &stage.outputs})
            for (const pipe_archive_io &io : *list)
                std::printf("io %s type %x size %u location %d builtin %d\n", io.name.c_str(),
                            io.gl_type, io.array_size, io.location, io.builtin);
    }
    for (const pipe_archive_member &m : result.archive->members)
        std::printf(
            "member %s type %x size %u block %d offset %u stride %u matrix %u row %u location %d\n",
            m.name.c_str(), m.gl_type, m.array_size, static_cast<int>(m.block), m.offset,
            m.array_stride, m.matrix_stride, m.row_major, m.location);
    for (const pipe_archive_opaque &o : result.archive->opaques)
        std::printf("opaque %s type %x class %u slot %u size %u location %d binding %d\n",
                    o.name.c_str(), o.gl_type, o.cls, o.slot, o.array_size, o.location, o.binding);
    for (const pipe_archive_block &b : result.archive->blocks)
        std::printf("block %s class %u slot %u size %u binding %d stages %x\n", b.name.c_str(),
                    b.cls, b.slot, b.size, b.binding, b.stages);
    for (const pipe_archive_xfb &x : result.archive->xfb)
        std::printf(
            "xfb %s buffer %u offset %u location %d component %u components %u builtin %d\n",
            x.name.c_str(), x.buffer, x.offset, x.location, x.component, x.components, x.builtin);
}

void run(const fs::path &path, const Sources &sources, bool separable, const Options &options,
         Counts &counts) {
    compiler::LinkInput input;
    input.separable = separable;
    input.limits.core_profile = false;
    for (const auto &[type, text] : sources) {
        for (const std::string &word : options.skip)
            if (text.find(word) != std::string::npos) {
                ++counts.skipped;
                return;
            }
        const auto shader = compiler::compile(type, text, input.limits);
        if (!shader->ok) {
            ++counts.rejected;
            if (!options.quiet)
                std::printf("rejected %s\n%s", path.c_str(), shader->log.c_str());
            return;
        }
        ++counts.compiled;
        input.shaders.push_back(shader);
    }
    const compiler::LinkOutput result = compiler::link(input);
    if (!result.ok) {
        ++counts.unlinked;
        if (!options.quiet)
            std::printf("unlinked %s\n%s", path.c_str(), result.log.c_str());
        return;
    }
    ++counts.linked;
    if (options.dump)
        dump(result);
    if (!validate(*result.archive, path, options.control))
        ++counts.invalid;
}

void run_file(const fs::path &path, const Options &options, Counts &counts) {
    const std::string extension = path.extension();
    if (extension == ".shader_test") {
        const Sources sources = split(read_file(path));
        if (sources.empty())
            return;
        ++counts.files;
        const std::string text = read_file(path);
        run(path, sources, text.find("SSO ENABLED") != std::string::npos, options, counts);
        return;
    }
    for (const auto &[suffix, type] : suffixes)
        if (extension == suffix) {
            ++counts.files;
            const std::string text = read_file(path);
            const unsigned before = counts.rejected;
            run(path, {{type, text}}, true, options, counts);
            const int expected = expectation(text);
            if (expected >= 0 && (counts.rejected == before) != (expected == 1)) {
                ++counts.unexpected;
                if (!options.quiet)
                    std::printf("unexpected %s: should %s\n", path.c_str(),
                                expected ? "compile" : "be rejected");
            }
        }
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--dump"))
            options.dump = true;
        else if (!std::strcmp(argv[i], "--control"))
            options.control = true;
        else if (!std::strcmp(argv[i], "--quiet"))
            options.quiet = true;
        else if (!std::strcmp(argv[i], "--skip") && i + 1 < argc)
            options.skip.push_back(argv[++i]);
        else
            options.paths.emplace_back(argv[i]);
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::vector<fs::path> files;
    for (const fs::path &path : options.paths)
        if (fs::is_directory(path))
            for (const auto &entry : fs::recursive_directory_iterator(path))
                files.push_back(entry.path());
        else
            files.push_back(path);
    std::sort(files.begin(), files.end());
    Counts counts;
    for (const fs::path &file : files) {
        if (!options.quiet && files.size() > 1 && std::getenv("SHADER_CORPUS_TRACE"))
            std::printf("file %s\n", file.c_str());
        run_file(file, options, counts);
    }
    std::printf("%u files: %u shaders compiled, %u files rejected, %u programs linked, %u not "
                "linked, %u invalid, "
                "%u skipped, %u unexpected\n",
                counts.files, counts.compiled, counts.rejected, counts.linked, counts.unlinked,
                counts.invalid, counts.skipped, counts.unexpected);
    return counts.invalid ? 1 : 0;
}
