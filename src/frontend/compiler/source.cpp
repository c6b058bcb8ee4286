// SPDX-License-Identifier: MIT
// Line joining, #version and the wording of logs.
#include "compiler/source.h"

#include "compiler/directives.h"
#include "compiler/macros.h"
#include "compiler/names.h"
#include "compiler/tokens.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace compiler {
namespace {

/// Joins continued lines; the newlines taken out come back behind the joined line, so that numbers
/// stay right.
std::string join_lines(const std::string &source) {
    std::string text;
    text.reserve(source.size());
    int owed = 0;
    for (size_t i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (c == '\\') {
            size_t skip = 0;
            if (i + 1 < source.size() && source[i + 1] == '\n')
                skip = 1;
            else if (i + 2 < source.size() && source[i + 1] == '\r' && source[i + 2] == '\n')
                skip = 2;
            if (skip) {
                ++owed;
                i += skip;
                continue;
            }
        }
        if (c == '\0')
            break; // a terminator inside the given length ends the text for every parser
        text += c;
        if (c == '\n')
            for (; owed > 0; --owed)
                text += '\n';
    }
    return text;
}

/// Position behind white space and comments.
size_t skip_blank(const std::string &s, size_t i) {
    while (i < s.size()) {
        if (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r' || s[i] == '\f' ||
            s[i] == '\v') {
            ++i;
        } else if (s.compare(i, 2, "//") == 0) {
            i = s.find('\n', i);
            if (i == std::string::npos)
                return s.size();
        } else if (s.compare(i, 2, "/*") == 0) {
            i = s.find("*/", i + 2);
            if (i == std::string::npos)
                return s.size();
            i += 2;
        } else {
            break;
        }
    }
    return i;
}

struct VersionLine {
    int number = 110;
    std::string profile;
    int line = 1;
    bool found = false;
};

VersionLine find_version(const std::string &s) {
    VersionLine v;
    size_t i = skip_blank(s, 0);
    if (i >= s.size() || s[i] != '#')
        return v;
    v.line = 1 + static_cast<int>(std::count(s.begin(), s.begin() + i, '\n'));
    ++i;
    while (i < s.size() && (s[i] == ' ' || s[i] == '\t'))
        ++i;
    if (s.compare(i, 7, "version") != 0)
        return v;
    char *end = nullptr;
    v.found = true;
    v.number = static_cast<int>(std::strtol(s.c_str() + i + 7, &end, 10));
    while (*end == ' ' || *end == '\t')
        ++end;
    while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z'))
        v.profile += *end++;
    return v;
}

// ---- extensions ---------------------------------------------------------------------------------

/// What shaders may ask for if the context offers it. Some the translator knows; the others are
/// part of the language by a version, and the directive is taken out.
struct Extension {
    const char *name;
    bool translator; // glslang knows the name
    int core;        // version that contains it; only asked when glslang does not know the name
    int raise = 0;   // glslang knows the name but has (parts of) it from this version on only
};
const Extension extensions[] = {
    {"GL_AMD_conservative_depth", false, 420},
    {"GL_ARB_arrays_of_arrays", false, 430},
    {"GL_ARB_compute_shader", true, 430, 430},
    {"GL_ARB_conservative_depth", false, 420},
    {"GL_ARB_cull_distance", false, 450},
    {"GL_ARB_derivative_control", true, 450},
    {"GL_ARB_draw_buffers", false, 110},
    {"GL_ARB_draw_instanced", true, 140},
    {"GL_ARB_enhanced_layouts", true, 440, 150},
    {"GL_ARB_explicit_attrib_location", true, 330, 130}, // 1.10 and 1.20 have no `in`
    {"GL_ARB_explicit_uniform_location", true, 430},
    {"GL_ARB_fragment_coord_conventions", true, 150, 150},
    {"GL_ARB_fragment_layer_viewport", false, 430},
    {"GL_ARB_gpu_shader5", true, 400, 400},
    {"GL_ARB_gpu_shader_fp64", true, 400},
    {"GL_ARB_sample_shading", true, 400},
    {"GL_ARB_separate_shader_objects", true, 410},
    {"GL_ARB_shader_atomic_counter_ops", true, 460},
    {"GL_ARB_shader_atomic_counters", true, 420, 420},
    {"GL_ARB_shader_bit_encoding", false, 330},
    {"GL_ARB_shader_draw_parameters", true, 460, 440},
    {"GL_ARB_shader_image_load_store", true, 420},
    {"GL_ARB_shader_image_size", true, 430, 420},
    {"GL_ARB_shader_precision", false, 110},
    {"GL_ARB_shader_storage_buffer_object", true, 430, 150},
    {"GL_ARB_shader_texture_image_samples", true, 450},
    {"GL_ARB_shader_texture_lod", true, 130},
    {"GL_ARB_shader_viewport_layer_array", true, 0},
    {"GL_ARB_shading_language_420pack", true, 420},
    {"GL_ARB_shading_language_packing", true, 420},
    {"GL_ARB_tessellation_shader", true, 400},
    {"GL_ARB_texture_cube_map_array", true, 400},
    {"GL_ARB_texture_gather", true, 400},
    {"GL_ARB_texture_multisample", true, 150, 150},
    {"GL_ARB_texture_query_levels", false, 430},
    {"GL_ARB_texture_query_lod", true, 400},
    {"GL_ARB_texture_rectangle", true, 140},
    {"GL_ARB_uniform_buffer_object", false, 140},
    {"GL_ARB_vertex_attrib_64bit", true, 410},
    {"GL_ARB_viewport_array", true, 410},
    {"GL_EXT_shader_integer_mix", true, 450, 150},
    {"GL_EXT_texture_array", false, 130},
};
static_assert(std::size(extensions) <= 64, "a bit for each in Limits");

bool offered(const Extension &e, const Limits &limits) {
    const auto i = static_cast<size_t>(&e - extensions);
    return (limits.extensions[i / 32] >> (i % 32) & 1) != 0;
}

const Extension *find_extension(const std::string &name, const Limits &limits) {
    for (const Extension &e : extensions)
        if (name == e.name)
            return offered(e, limits) ? &e : nullptr;
    return nullptr;
}

/// The words of "#extension NAME : BEHAVIOUR" that starts at `i`; false when it is another
/// directive.
bool extension_line(const std::string &line, std::string &name, std::string &behavior) {
    size_t i = line.find_first_not_of(" \t");
    if (i == std::string::npos || line[i] != '#')
        return false;
    i = line.find_first_not_of(" \t", i + 1);
    if (i == std::string::npos || line.compare(i, 9, "extension") != 0)
        return false;
    const auto word = [&](size_t from) {
        size_t end = from;
        while (end < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
            ++end;
        return line.substr(from, end - from);
    };
    const size_t at = line.find_first_not_of(" \t", i + 9);
    const size_t colon = line.find(':');
    if (at == std::string::npos || colon == std::string::npos)
        return false;
    name = word(at);
    const size_t last = line.find_first_not_of(" \t", colon + 1);
    behavior = last == std::string::npos ? "" : word(last);
    return true;
}

/// Defined as 1 in front of every text that names it.
constexpr char offered_macro[] = "mgOffered";

/// Macros of extensions in conditionals: those that we offer and glslang does not know become a
/// macro that is always defined, those that we do not offer become a name that never is.
std::string rename_macros(const std::string &line, const Limits &limits) {
    const size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' || line.find("GL_") == std::string::npos)
        return line;
    const size_t name = std::min(line.find_first_not_of(" \t", hash + 1), line.size());
    size_t i = 0;
    if (line.compare(name, 6, "define") == 0 || line.compare(name, 5, "undef") == 0)
        i = std::min(line.find("GL_"), line.size()) + 3; // reserved: the translator says so
    std::string out = line.substr(0, i);
    while (i < line.size()) {
        const auto part = [&](size_t k) {
            return k < line.size() &&
                   (std::isalnum(static_cast<unsigned char>(line[k])) || line[k] == '_');
        };
        size_t end = i;
        while (part(end))
            ++end;
        if (end == i) {
            out += line[i++];
            continue;
        }
        const std::string word = line.substr(i, end - i);
        i = end;
        const bool extension =
            word.rfind("GL_", 0) == 0 && word.find("_profile") == std::string::npos;
        const Extension *e = extension ? find_extension(word, limits) : nullptr;
        if (!extension || (e && e->translator))
            out += word;
        else if (e)
            out += offered_macro;
        else
            out += "mg" + word.substr(2);
    }
    return out;
}

/// ARB_draw_instanced's name of gl_InstanceID.
constexpr char instance_id_arb[] = "gl_InstanceIDARB";

/// The version to translate a text as, so that all it enables is there.
int effective_version(const std::string &text, int version, const Limits &limits) {
    int needed = version;
    for (size_t at = 0; at < text.size();) {
        size_t end = text.find('\n', at);
        end = end == std::string::npos ? text.size() : end + 1;
        std::string name, behavior;
        if (extension_line(text.substr(at, end - at), name, behavior) && behavior != "disable")
            if (const Extension *e = find_extension(name, limits);
                e && (!e->translator || version >= 130 || e->raise == 130))
                needed = std::max(needed, e->translator ? e->raise : e->core);
        at = end;
    }
    if (needed < 330 && text.find("GL_ARB_explicit_attrib_location") != std::string::npos &&
        text.find("index =") != std::string::npos)
        needed = 330; // glslang has `index` with the version only
    if (needed < 430 && text.find("GL_ARB_shader_storage_buffer_object") != std::string::npos &&
        text.find("atomic") != std::string::npos)
        needed = 430; // atomicAdd() and its like
    if (needed < 150 && text.find(instance_id_arb) != std::string::npos)
        needed = 150;
    if (version == 140 && text.find("inverse") != std::string::npos)
        needed = std::max(needed, 150); // glslang has inverse() one version late
    if (version == 130 && text.find("2DRect") != std::string::npos)
        needed = std::max(needed, 140); // fetches from rectangles
    return needed;
}

/// Whether the text calls a look-up of GLSL 1.20. Drivers keep them in core contexts; the
/// translator knows the names there, but has them in the compatibility profile only.
bool has_old_lookups(const std::vector<Token> &tokens) {
    for (const Token &t : tokens)
        for (const char *name : {"texture1D", "texture2D", "texture3D", "textureCube", "shadow1D",
                                 "shadow2D", "texture2DRect", "shadow2DRect"})
            if (t.text.starts_with(name))
                return true;
    return false;
}

/// Stages that glslang has from 1.50 on. Drivers take them in older texts too.
bool needs_150(pipe_shader_type stage) {
    return stage == PIPE_SHADER_TESS_CTRL || stage == PIPE_SHADER_TESS_EVAL ||
           stage == PIPE_SHADER_GEOMETRY;
}

/// Rewrites the version directive; the line numbers stay.
void raise_version(std::string &text, const VersionLine &v, int version) {
    const std::string directive =
        "#version " + std::to_string(version) + (version >= 150 ? " compatibility" : "");
    if (!v.found) { // "#line N": the next line is N + 1 below 3.30, N from there on
        text.insert(0, directive + "\n#line " + (version < 330 ? "0" : "1") + "\n");
        return;
    }
    size_t at = 0;
    for (int i = 1; i < v.line; ++i)
        at = text.find('\n', at) + 1;
    const size_t hash = text.find('#', at), end = std::min(text.find('\n', at), text.size());
    text.replace(hash, end - hash, directive);
}

/// Takes out directives that glslang would refuse or that ask for what we do not have. The number
/// of lines stays.
std::string filter_extensions(const std::string &text, int version, const Limits &limits) {
    std::string out;
    out.reserve(text.size());
    bool comment = false;
    for (size_t at = 0; at < text.size();) {
        size_t end = text.find('\n', at);
        end = end == std::string::npos ? text.size() : end + 1;
        const std::string line = text.substr(at, end - at);
        std::string name, behavior;
        if (!comment && extension_line(line, name, behavior) && name != "all") {
            const Extension *e = find_extension(name, limits);
            const bool there = e && (e->translator || version >= e->core);
            const char *newline = line.back() == '\n' ? "\n" : "";
            if (there && e->translator)
                out += line;
            else if (!there && behavior == "require")
                out += "#error extension " + name + " is not supported" + newline;
            else
                out += newline;
        } else {
            out += comment ? line : rename_macros(line, limits);
        }
        for (size_t i = 0; i + 1 < line.size(); ++i) {
            if (!comment && line[i] == '/' && line[i + 1] == '/')
                break;
            if (!comment && line[i] == '/' && line[i + 1] == '*')
                comment = true, ++i;
            else if (comment && line[i] == '*' && line[i + 1] == '/')
                comment = false, ++i;
        }
        at = end;
    }
    return out;
}

// ---- noise --------------------------------------------------------------------------------------

/// noise1 to noise4 may answer zero for everything, as drivers do. The macros stay away when the
/// shader has functions of these names itself.
std::string noise_macros(const std::string &text) {
    std::string macros;
    for (char n = '1'; n <= '4'; ++n) {
        const std::string name = std::string("noise") + n;
        bool used = false, own = false;
        for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
            const size_t before = at ? text.find_last_not_of(" \t\r\n", at - 1) : std::string::npos;
            used = true;
            own |=
                before != std::string::npos &&
                (std::isalnum(static_cast<unsigned char>(text[before])) || text[before] == '_') &&
                !(before >= 5 && text.compare(before - 5, 6, "return") == 0);
        }
        if (used && !own)
            macros += "#define " + name + "(x) " +
                      (n == '1' ? "(0.0)" : std::string("vec") + n + "(0.0)") + "\n";
    }
    return macros;
}

/// `layout(NAME = (`: where enhanced layouts are offered, drivers take expressions without being
/// asked.
bool has_layout_expression(const std::string &text) {
    const std::vector<Token> t = scan_tokens(text);
    for (size_t i = 4; i < t.size(); ++i)
        if (t[i].text == "(" && t[i - 1].text == "=" && t[i - 3].text == "(" &&
            t[i - 4].text == "layout")
            return true;
    return false;
}

// ---- names of extensions ------------------------------------------------------------------------

/// Replaces whole words; the line numbers stay.
void replace_word(std::string &text, std::string_view word, std::string_view by) {
    std::vector<size_t> found;
    for (const Token &t : scan_tokens(text))
        if (t.text == word)
            found.push_back(static_cast<size_t>(t.text.data() - text.data()));
    for (auto at = found.rbegin(); at != found.rend(); ++at)
        text.replace(*at, word.size(), by);
}

/// Functions of EXT_texture_array, which glslang does not know.
void lower_texture_arrays(std::string &text, std::string &preamble) {
    if (text.find("GL_EXT_texture_array") == std::string::npos)
        return;
    for (const char *n : {"1", "2"}) {
        const std::string dims = std::string(n) + "DArray";
        if (text.find("texture" + dims) != std::string::npos) // macros may name them too
            preamble +=
                "#define texture" + dims + " texture\n#define texture" + dims + "Lod textureLod\n";
        if (text.find("shadow" + dims) == std::string::npos)
            continue;
        const std::string coord = n[0] == '1' ? "vec3" : "vec4";
        insert_declaration(text, "vec4 shadow" + dims + "(sampler" + dims + "Shadow s, " + coord +
                                     " c) { return vec4(vec3(texture(s, c)), 1.0); } ");
    }
}

/// Version 1.10 has no suffix at numbers, but drivers take it.
void drop_float_suffixes(std::string &text) {
    std::vector<size_t> found;
    for (const Token &t : scan_tokens(text))
        if (t.text.size() > 1 && std::isdigit(static_cast<unsigned char>(t.text[0])) &&
            (t.text.back() == 'f' || t.text.back() == 'F') &&
            t.text.find_first_of("xX") == std::string_view::npos)
            found.push_back(static_cast<size_t>(t.text.data() - text.data()) + t.text.size() - 1);
    for (const size_t at : found)
        text[at] = ' ';
}

std::string dotted(int version) {
    const int minor = version % 100;
    return std::to_string(version / 100) + (minor < 10 ? ".0" : ".") + std::to_string(minor);
}

std::string unsupported(const VersionLine &v, const Limits &limits) {
    return "0:" + std::to_string(v.line) + ": error: GLSL " + dotted(v.number) +
           (v.profile.empty() ? "" : " " + v.profile) +
           " is not supported; the highest version is " + dotted(limits.glsl_accepted) + "\n";
}

} // namespace

std::array<uint32_t, 2> offered_extensions(const std::vector<std::string> &names) {
    std::array<uint32_t, 2> bits{};
    for (size_t i = 0; i < std::size(extensions); ++i)
        if (std::find(names.begin(), names.end(), extensions[i].name) != names.end())
            bits[i / 32] |= 1u << (i % 32);
    return bits;
}

SourceCheck check_source(const std::string &source, pipe_shader_type stage, const Limits &limits,
                         int at_least, bool expand) {
    SourceCheck check;
    check.text = join_lines(source);
    const VersionLine v = find_version(check.text);
    check.version = v.number;
    if (expand)
        if (std::string expanded = expand_macros(check.text, v.number); !expanded.empty())
            check.text = std::move(expanded);
    const bool es = v.profile == "es" || v.number == 100;
    const bool compat = v.profile == "compatibility";
    if ((!es && v.number > limits.glsl_accepted) || (compat && limits.core_profile))
        check.error = unsupported(v, limits);
    if (!es) {
        int version = std::max(effective_version(check.text, v.number, limits), at_least);
        if (needs_150(stage))
            version = std::max(version, 150);
        if (version != v.number || (version >= 150 && has_old_lookups(scan_tokens(check.text))))
            raise_version(check.text, v, version);
        if (v.number < 120)
            drop_float_suffixes(check.text);
        replace_word(check.text, instance_id_arb, "gl_InstanceID");
        check.error += find_bad_directive(check.text);
        lower_texture_arrays(check.text, check.preamble);
        check.text = expand_defined(filter_extensions(check.text, version, limits));
        if (version < 460)
            check.text = blank_lone_semicolons(std::move(check.text));
        if (check.text.find("GL_ARB_shader_atomic_counters") != std::string::npos)
            check.text = blank_typeless_offsets(std::move(check.text));
        check.text = hide_names(brace_do_bodies(std::move(check.text)), v.number);
        if (version < 140) // drivers have it on without being asked
            check.preamble += "#extension GL_ARB_texture_rectangle : enable\n";
        for (const char *name : {"GL_ARB_shader_atomic_counters", "GL_ARB_shader_image_load_store",
                                 "GL_ARB_shader_storage_buffer_object"})
            if (version >= 140 && version < 420 && check.text.find(name) != std::string::npos) {
                check.preamble +=
                    "#extension GL_ARB_shading_language_420pack : enable\n"; // bindings
                break;
            }
        if (version >= 150 && version < 410) // redeclared built-in blocks, which 1.50 has already
            check.preamble += "#extension GL_ARB_separate_shader_objects : enable\n";
        if (version >= 150 && version < 440 &&
            (check.text.find("GL_ARB_separate_shader_objects") !=
                 std::string::npos || // locations on blocks
             has_layout_expression(check.text)))
            check.preamble += "#extension GL_ARB_enhanced_layouts : enable\n";
    }
    if (check.text.find(offered_macro) != std::string::npos)
        check.preamble += std::string("#define ") + offered_macro + " 1\n";
    check.preamble += noise_macros(check.text);
    const std::vector<Token> tokens = scan_tokens(check.text);
    check.error += find_fatal(tokens);
    if (!es)
        check.error += find_reserved(tokens, check.version);
    if (check.version >= 400 && !find_extension("GL_ARB_gpu_shader_fp64", limits))
        check.error += find_double(tokens);
    return check;
}

FragCoordUse take_frag_coord(std::string &text) {
    FragCoordUse use;
    std::vector<std::pair<size_t, size_t>> blanks;
    const std::vector<Token> tokens = scan_tokens(text);
    const auto at = [&](const Token &t) {
        return static_cast<size_t>(t.text.data() - text.data());
    };
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].text != "gl_FragCoord")
            continue;
        const bool declared = tokens[i].depth == 0 && i >= 2 && tokens[i - 1].text == "vec4" &&
                              i + 1 < tokens.size() && tokens[i + 1].text == ";";
        if (!declared) {
            use.used = true;
            continue;
        }
        use.redeclared = true;
        size_t first = i;
        while (first > 0 && tokens[first - 1].text != ";" && tokens[first - 1].text != "}") {
            --first;
            use.upper_left |= tokens[first].text == "origin_upper_left";
            use.center_integer |= tokens[first].text == "pixel_center_integer";
        }
        blanks.emplace_back(at(tokens[first]), at(tokens[i + 1]) + 1);
    }
    for (const auto &[from, to] : blanks)
        for (size_t i = from; i < to; ++i)
            if (text[i] != '\n' && text[i] != '\r')
                text[i] = ' ';
    return use;
}

void insert_declaration(std::string &text, const std::string &declaration) {
    const std::vector<Token> tokens = scan_tokens(text);
    if (!tokens.empty())
        text.insert(static_cast<size_t>(tokens[0].text.data() - text.data()), declaration);
}

bool defer_overlaps(std::string &log) {
    constexpr char error[] = "error: ";
    constexpr char overlap[] = "error: 'location' : overlapping use of location";
    constexpr char sharing[] =
        "error: 'location' : fragment outputs sharing the same location must be the same";
    std::string out;
    for (size_t at = 0; at < log.size();) {
        const size_t end = std::min(log.find('\n', at), log.size());
        std::string line = log.substr(at, end - at);
        at = end + 1;
        if (const size_t found = line.find(error); found != std::string::npos) {
            if (line.compare(found, std::strlen(overlap), overlap) != 0 &&
                line.compare(found, std::strlen(sharing), sharing) != 0)
                return false;
            line.replace(found, std::strlen(error), "warning: ");
        }
        out += line + "\n";
    }
    log = std::move(out);
    return true;
}

bool wants_integer_functions(const std::string &log) {
    bool any = false;
    for (size_t at = 0; at < log.size();) {
        const size_t end = std::min(log.find('\n', at), log.size());
        const std::string line = log.substr(at, end - at);
        at = end + 1;
        if (line.find("error: ") == std::string::npos)
            continue;
        const size_t from = line.find("cannot convert from "), to = line.find(" to ", from);
        if (from == std::string::npos || to == std::string::npos || line.find("float", from) > to ||
            line.find("int", to) == std::string::npos)
            return false;
        any = true;
    }
    return any;
}

std::string clean_log(const char *log) {
    std::string out;
    for (const char *line = log; line && *line;) {
        const char *end = std::strchr(line, '\n');
        std::string text = end ? std::string(line, end) : std::string(line);
        line = end ? end + 1 : nullptr;
        while (!text.empty() && (text.back() == ' ' || text.back() == '\r'))
            text.pop_back();
        if (text.empty() ||
            text.find("compilation errors.  No code generated") != std::string::npos ||
            text.find("compilation terminated") != std::string::npos)
            continue;
        const char *kind = nullptr;
        for (const char *prefix : {"ERROR: ", "WARNING: ", "INTERNAL ERROR: "})
            if (text.rfind(prefix, 0) == 0) {
                kind = prefix[0] == 'W' ? "warning: " : "error: ";
                text.erase(0, std::strlen(prefix));
                break;
            }
        if (kind) {
            const size_t colon = text.find(':'); // "0:12: message"
            const size_t second = colon == std::string::npos ? colon : text.find(':', colon + 1);
            const bool located = second != std::string::npos && colon > 0 &&
                                 text.find_first_not_of("0123456789") == colon &&
                                 text.find_first_not_of("0123456789", colon + 1) == second;
            if (located)
                text.insert(second + 2 <= text.size() ? second + 2 : text.size(), kind);
            else
                text.insert(0, kind);
        }
        out += text + "\n";
    }
    return out;
}

} // namespace compiler
