#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that every file and every function named in docs/ and README.md exists.

usage: bin/check_docs.py [--self-test] [FILE...]

In code spans and link targets: a path from the root of the tree (globs and {a,b} are expanded; `build/...` is a generated
file, whose template must exist), a bare file name with a source extension, and `function()`, `Class::function()`, which must
be defined somewhere. --self-test also checks a page with wrong names, which must be found.
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
        found = [span_problem(tree, s) for s in spans]
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
             '`src/drivers/{espryt,nosuch}/meson.build`', '`build/include/pipe/no_such.h`', '`emit_no_such_call()`']
    right = ['`src/pipe/pipe_def.py`', '`pipe_def.py`', '`main()`', '`emit_draw_vbo()`', '`glDrawArrays()`', '`build/include/pipe/pipe_tables.h`',
             '`src/drivers/{espryt,magma}/meson.build`', '`DrawArrays()`']
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, 'page.md')
        for name, want in [(n, 1) for n in wrong] + [(n, 0) for n in right]:
            with open(page, 'w', encoding='utf-8') as f:
                f.write(name + '\n')
            if len(check(tree, page)) != want:
                bad.append(f'self-test: {name} was {"not found to be wrong" if want else "taken for wrong"}')
    return bad, len(wrong) + len(right)


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
