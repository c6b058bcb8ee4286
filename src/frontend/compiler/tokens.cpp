// SPDX-License-Identifier: MIT
// The scanner, and the checks that keep known crashes of glslang away from programs.
#include "compiler/tokens.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace compiler {
namespace {

bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// End of the comment or directive that starts at `i`, or `i` when there is none.
size_t skip_at(const std::string &s, size_t i, bool line_start) {
    if (s.compare(i, 2, "//") == 0 || (line_start && s[i] == '#'))
        return std::min(s.find('\n', i), s.size());
    if (s.compare(i, 2, "/*") == 0) {
        const size_t end = s.find("*/", i + 2);
        return end == std::string::npos ? s.size() : end + 2;
    }
    return i;
}

bool is_storage(std::string_view text) {
    return text == "in" || text == "out" || text == "uniform" || text == "buffer" ||
           text == "patch";
}

} // namespace

std::vector<Token> scan_tokens(const std::string &s) {
    std::vector<Token> tokens;
    int line = 1, depth = 0;
    bool line_start = true;
    for (size_t i = 0; i < s.size();) {
        const char c = s[i];
        if (c == '\n') {
            ++line;
            line_start = true;
            ++i;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
            continue;
        }
        const size_t end = skip_at(s, i, line_start);
        if (end != i) {
            line += static_cast<int>(std::count(s.begin() + static_cast<long>(i),
                                                s.begin() + static_cast<long>(end), '\n'));
            i = end;
            continue;
        }
        line_start = false;
        size_t stop = i;
        while (stop < s.size() && word_char(s[stop]))
            ++stop;
        stop = std::max(stop, i + 1);
        if (c == '}')
            depth = std::max(depth - 1, 0);
        tokens.push_back({std::string_view(s).substr(i, stop - i), line, depth,
                          word_char(c) && !std::isdigit(static_cast<unsigned char>(c))});
        if (c == '{')
            ++depth;
        i = stop;
    }
    return tokens;
}

std::string find_fatal(const std::vector<Token> &tokens) {
    std::set<std::string_view> functions; // "TYPE NAME (" at global scope
    for (size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (tokens[i].depth || !tokens[i].identifier || !tokens[i + 1].identifier)
            continue;
        if (tokens[i + 2].text == "(")
            functions.insert(tokens[i + 1].text);
        if (tokens[i + 2].text == "{" && is_storage(tokens[i].text) &&
            functions.count(tokens[i + 1].text))
            return "0:" + std::to_string(tokens[i + 1].line) + ": error: '" +
                   std::string(tokens[i + 1].text) +
                   "' : a block cannot have the name of a function\n";
    }
    return {};
}

std::string find_reserved(const std::vector<Token> &tokens, int version) {
    static const std::set<std::string_view> images = {"image1DShadow", "image2DShadow",
                                                      "image1DArrayShadow", "image2DArrayShadow"};
    if (version < 130 || version >= 420)
        return {};
    int layout = 0; // depth of parentheses since `layout`
    for (size_t i = 0; i < tokens.size(); ++i) {
        const std::string_view t = tokens[i].text;
        if (layout || (t == "(" && i && tokens[i - 1].text == "layout"))
            layout += t == "(" ? 1 : t == ")" ? -1 : 0;
        const bool qualifier = t == "packed" || (t == "row_major" && version >= 140);
        if (images.count(t) || (qualifier && !layout))
            return "0:" + std::to_string(tokens[i].line) + ": error: '" + std::string(t) +
                   "' : reserved word\n";
    }
    return {};
}

std::string find_double(const std::vector<Token> &tokens) {
    for (const Token &t : tokens)
        if (t.text == "double" || t.text.starts_with("dvec") || t.text.starts_with("dmat"))
            return "0:" + std::to_string(t.line) + ": error: '" + std::string(t.text) +
                   "' : the host has no double precision\n";
    return {};
}

namespace {

/// Whether the brace tokens[i] opens the body of a function: a type, a name, parameters before it.
/// A macro with arguments in a function's place is none.
bool opens_function(const std::vector<Token> &tokens, size_t i) {
    if (i == 0 || tokens[i - 1].text != ")")
        return false;
    int open = 0;
    for (size_t k = i; k-- > 0;) {
        open += tokens[k].text == ")" ? 1 : tokens[k].text == "(" ? -1 : 0;
        if (open == 0)
            return k >= 2 && tokens[k - 1].identifier &&
                   (tokens[k - 2].text == "]" ||
                    (tokens[k - 2].identifier && !is_storage(tokens[k - 2].text)));
    }
    return false;
}

} // namespace

std::string blank_lone_semicolons(std::string text) {
    const std::string copy = text;
    const std::vector<Token> tokens = scan_tokens(copy);
    std::vector<size_t> open; // braces
    bool between = true;      // no declaration has begun
    for (size_t i = 0; i < tokens.size(); ++i) {
        const std::string_view t = tokens[i].text;
        if (t == "{") {
            open.push_back(i);
        } else if (t == "}" && !open.empty()) {
            const size_t start = open.back();
            open.pop_back();
            if (open.empty() && opens_function(tokens, start)) {
                between = true;
                continue;
            }
        } else if (t == ";" && open.empty()) {
            if (between)
                text[size_t(t.data() - copy.data())] = ' ';
            between = true;
            continue;
        }
        between = false;
    }
    return text;
}

namespace {

/// Whether a statement at tokens[i] declares a variable: two words that no statement begins with.
bool declares(const std::vector<Token> &tokens, size_t i) {
    static const std::set<std::string_view> statements = {
        "if", "for", "while", "do", "switch", "return", "break", "continue", "discard", "else"};
    return i + 1 < tokens.size() && tokens[i].identifier && tokens[i + 1].identifier &&
           !statements.count(tokens[i].text);
}

} // namespace

std::string brace_do_bodies(std::string text) {
    const std::vector<Token> tokens = scan_tokens(text);
    std::vector<std::pair<size_t, const char *>> marks;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].text != "do" || !declares(tokens, i + 1))
            continue;
        size_t end = i + 1;
        while (end < tokens.size() && tokens[end].text != ";")
            ++end;
        if (end == tokens.size())
            break;
        const auto at = [&](const Token &t) { return size_t(t.text.data() - text.data()); };
        marks.emplace_back(at(tokens[i + 1]), "{ ");
        marks.emplace_back(at(tokens[end]) + 1, " }");
    }
    for (auto m = marks.rbegin(); m != marks.rend(); ++m)
        text.insert(m->first, m->second);
    return text;
}

std::string blank_typeless_offsets(std::string text) {
    const std::string copy = text;
    const std::vector<Token> tokens = scan_tokens(copy);
    for (size_t i = 2; i < tokens.size(); ++i) {
        if (tokens[i].text != ";" || tokens[i - 1].text != "uniform" || tokens[i - 2].text != ")")
            continue;
        bool offset = false;
        size_t first = i - 2;
        while (first > 0 && tokens[first].text != "layout")
            offset |= tokens[--first].text == "offset";
        const auto at = [&](size_t k) { return size_t(tokens[k].text.data() - copy.data()); };
        for (size_t k = at(first); offset && k <= at(i); ++k)
            if (text[k] != '\n')
                text[k] = ' ';
    }
    return text;
}

} // namespace compiler
