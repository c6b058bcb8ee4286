#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that every file, function, command-line option and environment variable named in docs/ and README.md exists, and
that every variable that something reads is in the documentation or a man page.

usage: bin/check_docs.py [--self-test] [FILE...]

In code spans and link targets: a path from the root of the tree (globs and {a,b} are expanded; `build/...` is a generated
file, whose template must exist), a bare file name with a source extension, and `function()`, `Class::function()`, which must
be defined somewhere. In code spans and fenced blocks: the options of a command of ours, which its sources must have. Anywhere:
MGPIPE_NAME, and the words of MGPIPE_DEBUG=.... --self-test also checks pages with wrong names and a variable that no page has,
which must be found.
"""

import argparse
import fnmatch
import glob
import os
import re
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
TOP = ('bin', 'docs', 'include', 'src', 'tests', 'subprojects', '.ci')
SOURCE = ('.cpp', '.h', '.c', '.py', '.mako', '.vert', '.frag', '.map', '.in', '.supp', '.txt', '.sh', '.build', '.options')
NAMES_FILE = re.compile(r'^[\w.${}*,-]+\.(cpp|h|py|mako|md|vert|frag|map|build|in|supp)$')
CODE = re.compile(r'`([^`\n]+)`')
LINK = re.compile(r'\]\(([^)#\s]+)(?:#[^)]*)?\)')
FUNCTION = re.compile(r'^(?:[\w:~]+::)?(~?\w+)\(\)$')
# Functions of other interfaces, not ours to prove.
FOREIGN = re.compile(r'^(gl|egl|glX|vk)[A-Z]\w*$|^__egl_Main$|^(dlopen|fork|execve|memcmp|memcpy|atexit|abort|printf)$')
VARIABLE = re.compile(r'\bMGPIPE_[A-Z][A-Z_]*\b')
# What reads a variable outside of the table of switches: C, shell, Python.
READS = re.compile(r'(?:getenv\("|\$\{|environ(?:\.get\(|\[)[\'"])(MGPIPE_[A-Z][A-Z_]*)')
OPTION = re.compile(r'(?<![\w-])--[a-z][a-z0-9-]*')
# Commands of ours -> where their options are read; `bin/NAME` and tests/.../NAME.py are their own source.
COMMANDS = {'mgpipe': ('src/targets/mgpipe/',), 'mgpiped': ('src/targets/mgpiped/', 'src/remote/server/')}


class Tree:
    """Names of all files and the text of the sources."""

    def __init__(self):
        self.paths, self.names, self.text = set(), set(), {}
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [d for d in folders if d != '.git' and not (folder == ROOT and d not in TOP)]
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                self.paths.add(path)
                self.names.add(name)
                if name.endswith(SOURCE) or path.startswith('bin/'):
                    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as f:
                        self.text[path] = f.read()
        self.calls = set(re.findall(r"^(?:call|callback)\('(\w+)'", self.text.get('src/pipe/pipe_def.py', ''), re.M))
        self.templates = '\n'.join(t for p, t in self.text.items() if p.endswith('.mako'))
        self.known = {}
        table = self.text.get('src/util/inc/util/switches.h', '')
        variables, _, flags = table.partition('#define UTIL_DEBUG_FLAGS')
        self.switches = {'MGPIPE_' + name for name in re.findall(r'^ +X\((\w+),', variables, re.M)}
        self.flags = set(re.findall(r'^ +X\(\w+,\s*"([\w-]+)"', flags, re.M))
        self.flags |= {'force-' + name for path, text in self.text.items() if path.endswith('_emulation.h')
                       for name in re.findall(r'X\(\w+, "([\w-]+)"', text)} | {'force-all'}
        # Also what the commands in bin/ read.
        self.read = {name: path for path, text in self.text.items() if path.startswith(('src/', 'bin/')) and
                     path != 'bin/check_docs.py' for name in READS.findall(text)}

    def options_of(self, command):
        """The text that has the options of a command, or None where it is not ours."""
        if command in COMMANDS:
            return '\n'.join(t for p, t in self.text.items() if p.startswith(COMMANDS[command]))
        return self.text.get(command) if command.startswith(('bin/', 'tests/')) else None

    def has_function(self, name):
        if name not in self.known:
            self.known[name] = self.look_up(name)
        return self.known[name]

    def look_up(self, name):
        n = re.escape(name)
        cpp = re.compile(rf'(?<![\w.>]){n}(?:<[^;{{}}<>]*>)?\s*\((?:[^;{{}}]|\{{\}})*?\)[^;{{}}()]*(?:\([^;{{}}()]*\)[^;{{}}()]*)*\{{')
        entry = re.compile(rf'GL_ENTRY\({n}\)|#define {n}\(|^\s*def {n}\(|^{n}\(\) \{{|^using \w+ = .*\b{n}\b', re.M)
        for path, text in self.text.items():
            if name not in text:
                continue
            if entry.search(text):
                return True
            if not path.endswith(('.cpp', '.h', '.c', '.mako')):
                continue
            for found in cpp.finditer(text):
                line = text[text.rfind('\n', 0, found.start()) + 1:found.start()]
                if not re.search(r'\b(return|if|while|for|switch|else)\b|=', line):
                    return True
        return self.is_generated(name)

    def is_generated(self, name):
        """prefix_CALL where a template writes the prefix before the name of each call."""
        for call in self.calls:
            if name.endswith('_' + call):
                prefix = re.escape(name[:-len(call)])
                if re.search(rf"\b{prefix}(?:\$\{{|%s|' \+ )", self.templates):
                    return True
        return False


def expand(path):
    found = re.search(r'\{([^{}]*)\}', path)
    if not found:
        return [path]
    return [p for word in found[1].split(',') for p in expand(path[:found.start()] + word + path[found.end():])]


def path_problem(tree, path):
    path = path.rstrip('/')
    if path.startswith('build/'):
        return None if os.path.basename(path) + '.mako' in tree.names else f'no template makes {path}'
    for one in expand(path):
        if not glob.glob(os.path.join(ROOT, one)):
            return f'no file {one}'
    return None


def span_problem(tree, span):
    """Of one code span; None when it names nothing of the tree or something that is there."""
    function = FUNCTION.match(span)
    if function:
        name = function[1]
        return None if FOREIGN.match(name) or tree.has_function(name) else f'no function {span}'
    word = span.split()[0] if span.split() else ''
    if re.match(r'^(build|%s)/[\w.{}*,/+-]+$' % '|'.join(re.escape(t) for t in TOP), word):
        return path_problem(tree, word)
    if word == span and NAMES_FILE.match(word):
        for one in expand(word):
            known = (n for n in tree.names if fnmatch.fnmatch(n, one) or n == one + '.mako')
            if not any(known):
                return f'no file named {one}'
    return None


def option_problems(tree, line):
    """Of one command line: options that the command does not have."""
    words = line.split(' -- ')[0].split('#')[0].split()
    while words and (words[0] == '$' or re.match(r'^\w+=', words[0])):
        words = words[1:]
    text = tree.options_of(words[0]) if words else None
    return [f'{words[0]} has no {o}' for o in OPTION.findall(' '.join(words)) if o not in text] if text is not None else []


def variable_problems(tree, line):
    known = tree.switches | set(tree.read)
    found = [f'nothing reads {name}' for name in VARIABLE.findall(line) if name not in known]
    for words in re.findall(r'MGPIPE_DEBUG=([\w,-]+)', line):
        found += [f'no debug flag {w}' for w in words.split(',') if w not in tree.flags and w != 'force-NAME']
    return found


def undocumented(tree, pages_text):
    """Variables that something reads and no page has. The man page that holds the table documents all of it."""
    manuals = [t for p, t in tree.text.items() if p.startswith('src/targets/man/') and p.endswith('.in')]
    known = set(VARIABLE.findall('\n'.join(manuals + pages_text)))
    if any('@ENVIRONMENT@' in t for t in manuals):
        known |= tree.switches
    return [f'{path}: {name} is in no page and no man page' for name, path in sorted(tree.read.items())
            if name not in known] + \
        [f'src/util/inc/util/switches.h: {name} is in no page and no man page' for name in sorted(tree.switches - known)]


def check(tree, page):
    with open(page, encoding='utf-8') as f:
        text = f.read()
    problems = []
    fenced = False
    for number, line in enumerate(text.split('\n'), 1):
        if line.startswith('```'):
            fenced = not fenced
            continue
        spans = [] if fenced else CODE.findall(line)
        found = [span_problem(tree, s) for s in spans] + variable_problems(tree, line)
        for command in [line] if fenced or line.startswith('    ') else spans:
            found += option_problems(tree, command)
        if not fenced:
            for target in LINK.findall(CODE.sub('', line)):
                if '://' not in target and not os.path.exists(os.path.join(os.path.dirname(page), target)):
                    found.append(f'no link target {target}')
        problems += [f'{os.path.relpath(page, ROOT)}:{number}: {p}' for p in found if p]
    return problems


def pages():
    return [os.path.join(ROOT, 'README.md')] + sorted(glob.glob(os.path.join(ROOT, 'docs', '**', '*.md'), recursive=True))


def self_test(tree):
    """Each wrong name must be found, none of the right ones."""
    wrong = ['`src/pipe/no_such_file.cpp`', '`no_such_file.cpp`', '`no_such_function()`', '`st::no_such_function()`', '[x](no_such_page.md)',
             '`src/drivers/{espryt,nosuch}/meson.build`', '`build/include/pipe/no_such.h`', '`emit_no_such_call()`', 'MGPIPE_NO_SUCH',
             '`MGPIPE_DEBUG=trace,no-such`', '`MGPIPE_DEBUG=force-no-such`', '`bin/test --no-such`', '    mgpipe run --no-such -- ls --all']
    right = ['`src/pipe/pipe_def.py`', '`pipe_def.py`', '`main()`', '`emit_draw_vbo()`', '`glDrawArrays()`', '`build/include/pipe/pipe_tables.h`',
             '`src/drivers/{espryt,magma}/meson.build`', '`DrawArrays()`', 'MGPIPE_FORM', '`MGPIPE_DEBUG=trace,force-line-loop`',
             '`bin/test --full`', '    MGPIPE_LOG=x mgpipe run --form=spawn -- ls --all', '`ls --all`']
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, 'page.md')
        for name, want in [(n, 1) for n in wrong] + [(n, 0) for n in right]:
            with open(page, 'w', encoding='utf-8') as f:
                f.write(name + '\n')
            if len(check(tree, page)) != want:
                bad.append(f'self-test: {name} was {"not found to be wrong" if want else "taken for wrong"}')
    tree.read['MGPIPE_NOT_WRITTEN_DOWN'] = 'src/none.cpp'
    if len(undocumented(tree, ['MGPIPE_NO_INSTALL'])) != 1:
        bad.append('self-test: a variable that no page has was not found')
    return bad, len(wrong) + len(right) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('page', nargs='*')
    options = parser.parse_args()
    tree = Tree()
    passed, problems = 0, []
    for page in [os.path.abspath(a) for a in options.page] or pages():
        found = check(tree, page)
        problems += found
        passed += not found
    if not options.page:
        texts = []
        for page in pages():
            with open(page, encoding='utf-8') as f:
                texts.append(f.read())
        problems += undocumented(tree, texts)
    failed = len({p.split(':')[0] for p in problems})
    if options.self_test:
        bad, count = self_test(tree)
        problems += bad
        failed, passed = failed + len(bad), passed + count - len(bad)
    for line in problems:
        print('fail ' + line)
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
