// SPDX-License-Identifier: MIT
#include "compiler/directives.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

namespace compiler {
namespace {

bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

size_t skip_blank(const std::string &s, size_t i) {
    while (i < s.size() && (s[i] == ' ' || s[i] == '\t'))
        ++i;
    return i;
}

std::string word_at(const std::string &s, size_t i) {
    size_t end = i;
    while (end < s.size() && word_char(s[end]))
        ++end;
    return s.substr(i, end - i);
}

/// Comments as blanks, so that what is left can be taken by words. Line ends stay.
std::string without_comments(const std::string &text) {
    std::string out = text;
    for (size_t i = 0; i + 1 < out.size(); ++i) {
        if (out[i] != '/' || (out[i + 1] != '/' && out[i + 1] != '*'))
            continue;
        const bool line = out[i + 1] == '/';
        const size_t close = line ? out.find('\n', i) : out.find("*/", i + 2);
        const size_t end =
            std::min(close == std::string::npos ? out.size() : close + (line ? 0 : 2), out.size());
        for (; i < end; ++i)
            if (out[i] != '\n')
                out[i] = ' ';
        --i;
    }
    return out;
}

/// Calls fn(name of the directive, line, where the rest begins, number of the line) for each.
void each_directive(
    std::string &text,
    const std::function<void(const std::string &, std::string &, size_t, int)> &fn) {
    int number = 1;
    std::string out;
    for (size_t at = 0; at < text.size(); ++number) {
        const size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        const size_t hash = skip_blank(line, 0);
        if (hash < line.size() && line[hash] == '#') {
            const size_t name = skip_blank(line, hash + 1);
            const std::string word = word_at(line, name);
            fn(word, line, skip_blank(line, name + word.size()), number);
        }
        out += line;
        if (end < text.size())
            out += '\n';
        at = end + 1;
    }
    text = std::move(out);
}

/// Whether the replacement of a #define has the operator #, which only C has.
bool stringifies(const std::string &body) {
    for (size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '#')
            continue;
        if (i + 1 >= body.size() || body[i + 1] != '#')
            return true;
        ++i;
    }
    return false;
}

/// Where the replacement begins behind the macro's name at `i`: behind the parameters if any.
size_t replacement(const std::string &line, size_t i) {
    i += word_at(line, i).size();
    if (i < line.size() && line[i] == '(')
        i = std::min(line.find(')', i), line.size() - 1) + 1;
    return i;
}

using Macros = std::map<std::string, std::string>;

std::string substitute(const std::string &line, size_t from, const Macros &macros, int depth) {
    std::string out = line.substr(0, from), before;
    for (size_t i = from; i < line.size();) {
        const std::string word = word_at(line, i);
        if (word.empty()) {
            out += line[i++];
            continue;
        }
        const auto m = before == "defined" ? macros.end() : macros.find(word);
        out += m == macros.end() || !depth ? word : substitute(m->second, 0, macros, depth - 1);
        before = word;
        i += word.size();
    }
    return out;
}

} // namespace

std::string find_bad_directive(const std::string &text) {
    std::string error, plain = without_comments(text);
    each_directive(plain, [&](const std::string &name, std::string &line, size_t rest, int number) {
        const char *what = nullptr;
        if (name == "extension" && (rest >= line.size() || !word_char(line[rest]) ||
                                    std::isdigit(static_cast<unsigned char>(line[rest]))))
            what = "'#extension' : no name of an extension";
        if (name == "define" && stringifies(line.substr(replacement(line, rest))))
            what = "'#' : there is no such operator in macros";
        if (what && error.empty())
            error = "0:" + std::to_string(number) + ": error: " + what + "\n";
    });
    return error;
}

std::string expand_defined(const std::string &text) {
    std::string plain = without_comments(text), out = text;
    Macros macros;
    each_directive(plain, [&](const std::string &name, std::string &line, size_t rest, int) {
        const std::string macro = word_at(line, rest);
        const size_t body = rest + macro.size();
        if (name == "define" && (body >= line.size() || line[body] != '(') &&
            line.find("defined", body) != std::string::npos)
            macros[macro] = line.substr(body);
    });
    if (macros.empty())
        return text;
    // Object-like macros that name one of these matter as well.
    each_directive(plain, [&](const std::string &name, std::string &line, size_t rest, int) {
        const std::string macro = word_at(line, rest);
        const size_t body = rest + macro.size();
        if (name == "define" && body < line.size() && line[body] != '(')
            for (const auto &[known, value] : Macros(macros))
                if (line.find(known, body) != std::string::npos)
                    macros.emplace(macro, line.substr(body));
    });
    each_directive(out, [&](const std::string &name, std::string &line, size_t rest, int) {
        if (name == "if" || name == "elif")
            line = substitute(line, rest, macros, 16);
    });
    return out;
}

} // namespace compiler
