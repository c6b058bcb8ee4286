// SPDX-License-Identifier: MIT
// GLSL 4.60, 3.3: macros as in C++, without the operator # and without strings. An expression that
// asks for a name which is no macro, or a division by zero, ends the work: the first text is as
// good then.
#include "compiler/macros.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace compiler {
namespace {

struct Piece {
    std::string text;
    bool space = false;        // white space before it
    std::set<std::string> hid; // macros that made it, which it does not name again
};
using Pieces = std::vector<Piece>;

struct Macro {
    bool function = false;
    std::vector<std::string> parameters;
    Pieces body;
};

bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}
bool is_name(const std::string &t) {
    return !t.empty() && word_char(t[0]) && !std::isdigit(static_cast<unsigned char>(t[0]));
}

/// Where the token that starts at `i` ends.
size_t token_end(const std::string &s, size_t i) {
    const auto digit = [&](size_t k) {
        return k < s.size() && std::isdigit(static_cast<unsigned char>(s[k]));
    };
    size_t end = i;
    if (digit(i) || (s[i] == '.' && digit(i + 1))) { // numbers with suffixes and exponents
        while (end < s.size() &&
               (word_char(s[end]) || s[end] == '.' ||
                ((s[end] == '+' || s[end] == '-') && (s[end - 1] == 'e' || s[end - 1] == 'E') &&
                 s.compare(i, 2, "0x") != 0)))
            ++end;
        return end;
    }
    while (end < s.size() && word_char(s[end]))
        ++end;
    if (end > i)
        return end;
    for (const char *op : {"<<=", ">>=", "##", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                           "^^",  "++",  "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="})
        if (s.compare(i, std::char_traits<char>::length(op), op) == 0)
            return i + std::char_traits<char>::length(op);
    return i + 1;
}

Pieces split(const std::string &s) {
    Pieces out;
    bool space = false;
    for (size_t i = 0; i < s.size();) {
        if (std::isspace(static_cast<unsigned char>(s[i]))) {
            space = true;
            ++i;
            continue;
        }
        const size_t end = token_end(s, i);
        out.push_back({s.substr(i, end - i), space, {}});
        space = false;
        i = end;
    }
    return out;
}

/// Tokens that would become another one side by side.
bool clings(const std::string &a, const std::string &b) {
    return (word_char(a.back()) || a.back() == '.') && (word_char(b[0]) || b[0] == '.')
               ? true
               : token_end(a + b, 0) > a.size();
}

std::string join(const Pieces &pieces) {
    std::string out;
    for (size_t i = 0; i < pieces.size(); ++i) {
        if (i && (pieces[i].space || clings(pieces[i - 1].text, pieces[i].text)))
            out += ' ';
        out += pieces[i].text;
    }
    return out;
}

class Preprocessor {
  public:
    explicit Preprocessor(int version) : version_(version) {}
    std::string run(const std::string &text);

  private:
    struct Group {
        bool outer, taken, active, closed = false; // closed: #else was there
    };
    bool active() const { return groups_.empty() || groups_.back().active; }
    bool directive(const std::string &line, std::string &out);
    void define(const std::string &rest);
    void conditional(const std::string &name, const std::string &rest);
    bool condition(const std::string &rest);
    bool builtin(const std::string &name, std::string &value) const;

    Pieces expand(Pieces in, bool conditional = false);
    bool call(const Pieces &in, size_t &at, std::vector<Pieces> &arguments) const;
    Pieces substitute(const Macro &m, const std::vector<Pieces> &arguments);

    bool open_call(const Pieces &in) const;

    int version_, line_ = 1, depth_ = 0;
    bool failed_ = false;
    std::map<std::string, Macro> macros_;
    std::vector<Group> groups_;
    Pieces pending_; // of a call that goes on in the next line
    int owed_ = 0;   // lines that it has taken
};

bool Preprocessor::builtin(const std::string &name, std::string &value) const {
    if (name == "__VERSION__")
        value = std::to_string(version_);
    else
        return false;
    return true;
}

/// The arguments of the call whose name is in[at]; `at` is behind it then. False: none, or it does
/// not end.
bool Preprocessor::call(const Pieces &in, size_t &at, std::vector<Pieces> &arguments) const {
    size_t i = at + 1;
    if (i >= in.size() || in[i].text != "(")
        return false;
    int open = 1;
    arguments.assign(1, {});
    for (++i; i < in.size(); ++i) {
        const std::string &t = in[i].text;
        open += t == "(" ? 1 : t == ")" ? -1 : 0;
        if (open == 0) {
            at = i + 1;
            return true;
        }
        if (t == "," && open == 1)
            arguments.emplace_back();
        else
            arguments.back().push_back(in[i]);
    }
    return false;
}

Pieces Preprocessor::substitute(const Macro &m, const std::vector<Pieces> &arguments) {
    Pieces out;
    bool paste = false;
    for (size_t i = 0; i < m.body.size(); ++i) {
        const Piece &b = m.body[i];
        if (b.text == "##") {
            paste = true;
            continue;
        }
        const auto p = std::find(m.parameters.begin(), m.parameters.end(), b.text);
        Pieces value{b};
        if (m.function && p != m.parameters.end()) {
            const Pieces &given = arguments[static_cast<size_t>(p - m.parameters.begin())];
            const bool joined = paste || (i + 1 < m.body.size() && m.body[i + 1].text == "##");
            value = joined ? given : expand(given);
            if (!value.empty())
                value.front().space = b.space;
        }
        if (paste && !out.empty() && !value.empty()) {
            out.back().text += value.front().text;
            value.erase(value.begin());
        }
        paste = false;
        out.insert(out.end(), value.begin(), value.end());
    }
    return out;
}

Pieces Preprocessor::expand(Pieces in, bool conditional) {
    if (++depth_ > 200)
        failed_ = true;
    Pieces out;
    for (size_t i = 0; i < in.size() && !failed_;) {
        const Piece piece = in[i];
        std::string value;
        if (conditional && piece.text == "defined") { // its name is not expanded
            const size_t name = i + 1 < in.size() && in[i + 1].text == "(" ? i + 2 : i + 1;
            const bool known = name < in.size() && (macros_.count(in[name].text) ||
                                                    in[name].text.rfind("GL_", 0) == 0 ||
                                                    builtin(in[name].text, value));
            if (name < in.size() && in[name].text.rfind("GL_", 0) == 0 &&
                !macros_.count(in[name].text))
                failed_ = true; // what is offered is known elsewhere
            out.push_back({known ? "1" : "0", true, {}});
            i = name + (name == i + 2 ? 2 : 1);
            continue;
        }
        if (piece.text == "__LINE__") {
            out.push_back({std::to_string(line_), piece.space, {}});
            ++i;
            continue;
        }
        if (conditional && builtin(piece.text, value)) {
            out.push_back({value, piece.space, {}});
            ++i;
            continue;
        }
        const auto m = macros_.find(piece.text);
        std::vector<Pieces> arguments;
        size_t next = i + 1;
        if (m == macros_.end() || piece.hid.count(piece.text) ||
            (m->second.function && !call(in, next = i, arguments))) {
            out.push_back(piece);
            ++i;
            continue;
        }
        const Macro &macro = m->second;
        if (macro.function && macro.parameters.empty() && arguments.size() == 1 &&
            arguments[0].empty())
            arguments.clear();
        if (macro.function && arguments.size() != macro.parameters.size()) {
            failed_ = true;
            break;
        }
        Pieces made = substitute(macro, arguments);
        for (Piece &p : made) {
            p.hid.insert(piece.hid.begin(), piece.hid.end());
            p.hid.insert(piece.text);
        }
        if (!made.empty())
            made.front().space = piece.space;
        in.erase(in.begin() + static_cast<long>(i), in.begin() + static_cast<long>(next));
        in.insert(in.begin() + static_cast<long>(i), made.begin(), made.end());
        if (in.size() > 1000000)
            failed_ = true;
    }
    --depth_;
    return out;
}

// ---- conditions ---------------------------------------------------------------------------------

class Expression {
  public:
    explicit Expression(const Pieces &p) : p_(p) {}
    std::optional<int64_t> value() {
        const int64_t v = binary(0);
        return ok_ && at_ == p_.size() ? std::optional<int64_t>(v) : std::nullopt;
    }

  private:
    static int rank(const std::string &op) {
        static const std::map<std::string, int> ranks = {
            {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
            {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
            {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
        const auto it = ranks.find(op);
        return it == ranks.end() ? 0 : it->second;
    }
    int64_t binary(int least) {
        int64_t left = unary();
        while (ok_ && at_ < p_.size() && rank(p_[at_].text) > least) {
            const std::string op = p_[at_++].text;
            const bool decided = (op == "||" && left) || (op == "&&" && !left);
            quiet_ += decided;
            const int64_t right = binary(rank(op));
            quiet_ -= decided;
            left = apply(op, left, right);
        }
        return left;
    }
    int64_t apply(const std::string &op, int64_t a, int64_t b) {
        if (op == "||")
            return a || b;
        if (op == "&&")
            return a && b;
        if ((op == "/" || op == "%") && !b) {
            ok_ &= quiet_ > 0;
            return 0;
        }
        switch (op[0]) {
        case '|': return a | b;
        case '^': return a ^ b;
        case '&': return a & b;
        case '=': return a == b;
        case '!': return a != b;
        case '+': return a + b;
        case '-': return a - b;
        case '*': return a * b;
        case '/': return a / b;
        case '%': return a % b;
        case '<': return op == "<<" ? int64_t(uint64_t(a) << (b & 31)) : op == "<" ? a < b : a <= b;
        default: return op == ">>" ? a >> (b & 31) : op == ">" ? a > b : a >= b;
        }
    }
    int64_t unary() {
        if (at_ >= p_.size() || ++depth_ > 200) {
            ok_ = false;
            return 0;
        }
        const std::string t = p_[at_++].text;
        int64_t v = 0;
        if (t == "(") {
            v = binary(0);
            ok_ &= at_ < p_.size() && p_[at_].text == ")";
            ++at_;
        } else if (t == "!") {
            v = !unary();
        } else if (t == "-") {
            v = -unary();
        } else if (t == "+") {
            v = unary();
        } else if (t == "~") {
            v = ~unary();
        } else if (std::isdigit(static_cast<unsigned char>(t[0]))) {
            v = static_cast<int64_t>(std::strtoul(t.c_str(), nullptr, 0));
        } else {
            ok_ &= quiet_ > 0 && is_name(t);
        }
        --depth_;
        return v;
    }
    const Pieces &p_;
    size_t at_ = 0;
    int quiet_ = 0, depth_ = 0;
    bool ok_ = true;
};

bool Preprocessor::condition(const std::string &rest) {
    const Pieces pieces = expand(split(rest), true);
    const std::optional<int64_t> v = Expression(pieces).value();
    failed_ |= !v;
    return v.value_or(0) != 0;
}

void Preprocessor::conditional(const std::string &name, const std::string &rest) {
    if (name == "if" || name == "ifdef" || name == "ifndef") {
        const bool outer = active();
        bool taken = false;
        if (outer && name == "if")
            taken = condition(rest);
        else if (outer)
            taken = condition("defined " + rest.substr(0, rest.find(' '))) == (name == "ifdef");
        groups_.push_back({outer, taken, outer && taken});
        return;
    }
    if (groups_.empty() || (groups_.back().closed && name != "endif")) {
        failed_ = true;
        return;
    }
    Group &g = groups_.back();
    if (name == "endif") {
        groups_.pop_back();
    } else if (name == "else") {
        g.active = g.outer && !g.taken;
        g.closed = true;
    } else {
        g.active = g.outer && !g.taken && condition(rest);
        g.taken |= g.active;
    }
}

void Preprocessor::define(const std::string &rest) {
    const size_t end = token_end(rest, 0);
    const std::string name = rest.substr(0, end);
    Macro m;
    m.function = end < rest.size() && rest[end] == '(';
    m.body = split(rest.substr(end));
    if (m.function) {
        size_t i = 1;
        for (; i < m.body.size() && m.body[i].text != ")"; ++i)
            if (m.body[i].text != ",")
                m.parameters.push_back(m.body[i].text);
        failed_ |= i >= m.body.size();
        m.body.erase(m.body.begin(),
                     m.body.begin() + static_cast<long>(std::min(i + 1, m.body.size())));
    }
    failed_ |= !is_name(name) || name.rfind("GL_", 0) == 0;
    macros_[name] = std::move(m);
}

/// Whether the line is a directive; `out` is what stays of it.
bool Preprocessor::directive(const std::string &line, std::string &out) {
    size_t i = line.find_first_not_of(" \t\r");
    if (i == std::string::npos || line[i] != '#')
        return false;
    i = std::min(line.find_first_not_of(" \t", i + 1), line.size());
    const size_t end = i < line.size() ? token_end(line, i) : i;
    const std::string name = line.substr(i, end - i);
    std::string rest = line.substr(end);
    rest.erase(0, std::min(rest.find_first_not_of(" \t"), rest.size()));
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.back())))
        rest.pop_back();
    for (const char *c : {"if", "ifdef", "ifndef", "elif", "else", "endif"})
        if (name == c) {
            conditional(name, rest);
            return true;
        }
    if (!active())
        return true;
    if (name == "define" && !rest.empty()) {
        define(rest);
    } else if (name == "undef") {
        macros_.erase(rest);
    } else {
        failed_ |= name == "line"; // __LINE__ would be another one
        out = line;
    }
    return true;
}

/// Whether a call of a macro begins in the pieces and does not end.
bool Preprocessor::open_call(const Pieces &in) const {
    for (size_t i = 0; i < in.size(); ++i) {
        const auto m = macros_.find(in[i].text);
        size_t at = i;
        std::vector<Pieces> arguments;
        if (m != macros_.end() && m->second.function &&
            (i + 1 == in.size() || in[i + 1].text == "(") && !call(in, at, arguments))
            return true;
    }
    return false;
}

std::string without_comments(std::string text) {
    for (size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*'))
            continue;
        const bool line = text[i + 1] == '/';
        const size_t close = line ? text.find('\n', i) : text.find("*/", i + 2);
        const size_t end = close == std::string::npos ? text.size() : close + (line ? 0 : 2);
        for (; i < end; ++i)
            if (text[i] != '\n')
                text[i] = ' ';
        --i;
    }
    return text;
}

std::string Preprocessor::run(const std::string &text) {
    const std::string plain = without_comments(text);
    std::string out;
    for (size_t at = 0; at < plain.size() && !failed_; ++line_) {
        const size_t end = std::min(plain.find('\n', at), plain.size());
        const std::string line = plain.substr(at, end - at);
        at = end + 1;
        std::string kept;
        if (directive(line, kept)) {
            failed_ |= owed_ > 0; // inside of a call
            out += kept + "\n";
            continue;
        }
        Pieces pieces = active() ? split(line) : Pieces{};
        if (!pieces.empty())
            pieces.front().space = true;
        pending_.insert(pending_.end(), pieces.begin(), pieces.end());
        if (open_call(pending_) && at < plain.size()) {
            ++owed_;
            continue;
        }
        out += join(expand(std::move(pending_))) + "\n" +
               std::string(static_cast<size_t>(owed_), '\n');
        pending_.clear();
        owed_ = 0;
    }
    return failed_ || !groups_.empty() ? std::string() : out;
}

} // namespace

bool wants_expansion(const std::string &log) {
    for (const char *what : {"'##' : not supported for these tokens", "Too few args in Macro",
                             "'string' : End of line in string", "'string' : Invalid escape"})
        if (log.find(what) != std::string::npos)
            return true;
    return false;
}

std::string expand_macros(const std::string &text, int version) {
    return Preprocessor(version).run(text);
}

} // namespace compiler
