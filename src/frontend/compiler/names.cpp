// SPDX-License-Identifier: MIT
#include "compiler/names.h"

#include "compiler/tokens.h"

#include <algorithm>
#include <cstring>
#include <spirv/unified1/spirv.hpp>

namespace compiler {
namespace {

constexpr char prefix[] = "mgHidden_";

/// Words of the language from a version or an extension on.
struct Word {
    const char *text;
    int version;
    const char *extension;
};
const Word words[] = {
    {"shared", 430, "GL_ARB_compute_shader"},
    {"samplerCubeArray", 400, "GL_ARB_texture_cube_map_array"},
    {"isamplerCubeArray", 400, "GL_ARB_texture_cube_map_array"},
    {"usamplerCubeArray", 400, "GL_ARB_texture_cube_map_array"},
    {"samplerCubeArrayShadow", 400, "GL_ARB_texture_cube_map_array"},
};

bool hidden(std::string_view token, const std::string &text, int version) {
    for (const Word &w : words)
        if (token == w.text)
            return version < w.version && text.find(w.extension) == std::string::npos;
    return false;
}

} // namespace

bool may_hide_names(const std::string &text) {
    return text.find("shared") != std::string::npos ||
           text.find("amplerCubeArray") != std::string::npos;
}

std::string hide_names(std::string text, int version) {
    if (!may_hide_names(text))
        return text;
    std::vector<size_t> found;
    int layout = 0; // depth of parentheses since `layout`, where `shared` is a layout
    const std::vector<Token> tokens = scan_tokens(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
        const std::string_view t = tokens[i].text;
        if (layout || (t == "(" && i && tokens[i - 1].text == "layout"))
            layout += t == "(" ? 1 : t == ")" ? -1 : 0;
        if (!layout && hidden(t, text, version))
            found.push_back(static_cast<size_t>(t.data() - text.data()));
    }
    for (auto at = found.rbegin(); at != found.rend(); ++at)
        text.insert(*at, prefix);
    return text;
}

void show_names(std::string &text) {
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
        text.erase(at, std::strlen(prefix));
}

void show_names(std::vector<uint32_t> &spirv) {
    std::vector<uint32_t> out(spirv.begin(), spirv.begin() + std::min<long>(5, long(spirv.size())));
    for (size_t at = 5; at < spirv.size();) {
        const uint32_t op = spirv[at] & 0xffff,
                       count = std::min<uint32_t>(std::max(spirv[at] >> 16, 1u),
                                                  static_cast<uint32_t>(spirv.size() - at));
        const uint32_t first = op == spv::OpName ? 2 : op == spv::OpMemberName ? 3 : count;
        const auto *begin = reinterpret_cast<const char *>(&spirv[at] + std::min(first, count));
        std::string name(begin, strnlen(begin, (count - std::min(first, count)) * 4u));
        const size_t start = out.size();
        out.insert(out.end(), spirv.begin() + long(at), spirv.begin() + long(at + count));
        at += count;
        if (name.find(prefix) == std::string::npos)
            continue;
        show_names(name);
        out.resize(start + first + name.size() / 4 + 1);
        std::fill(out.begin() + long(start + first), out.end(), 0u);
        std::memcpy(&out[start + first], name.data(), name.size());
        out[start] = static_cast<uint32_t>(out.size() - start) << 16 | op;
    }
    spirv = std::move(out);
}

} // namespace compiler
