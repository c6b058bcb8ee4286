#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves the layering and the size limits of the tree.

usage: bin/check_layers.py [--build DIR] [--self-test]

Without --build only sources are read. With it, also the include roots of every compile command, the symbols of mgpiped,
what the libraries export and their thread-local storage are checked. --self-test breaks every rule once, in a copy of nothing but one file each, and fails unless every
break is found.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

# module -> modules whose public headers it may include ("" is the module itself)
ALLOWED = {
    'util': {'util'},
    'spirv': {'spirv', 'util'},
    'include/pipe': {'pipe', 'util'},
    'pipe': {'pipe', 'pipe_wire', 'pipe_wrap', 'util'},
    'remote': {'remote', 'pipe', 'pipe_wire', 'pipe_wrap', 'util'},
    'drivers/common': {'drivers_common', 'pipe', 'spirv', 'util'},
    'drivers/noop': {'drivers_common', 'pipe', 'spirv', 'util'},
    'drivers/espryt': {'drivers_common', 'pipe', 'spirv', 'util'},
    'drivers/magma': {'drivers_common', 'pipe', 'spirv', 'util'},
    'frontend/egl': {'egl', 'glx', 'glapi', 'objects', 'compiler', 'tracker/tracker.h', 'pipe', 'spirv', 'util'},
    'frontend/glx': {'egl', 'glx', 'glapi', 'objects', 'compiler', 'tracker/tracker.h', 'pipe', 'spirv', 'util'},
    'frontend/glapi': {'egl', 'glx', 'glapi', 'objects', 'compiler', 'tracker/tracker.h', 'pipe', 'spirv', 'util'},
    'frontend/objects': {'egl', 'glx', 'glapi', 'objects', 'compiler', 'tracker/tracker.h', 'pipe', 'spirv', 'util'},
    'frontend/compiler': {'egl', 'glx', 'glapi', 'objects', 'compiler', 'tracker/tracker.h', 'pipe', 'spirv', 'util'},
    'frontend/tracker': {'tracker', 'objects', 'pipe', 'pipe_wrap', 'util'},
}
KNOWN_ROOTS = {'util', 'spirv', 'pipe', 'pipe_wire', 'pipe_wrap', 'remote', 'drivers_common', 'egl', 'glx', 'glapi', 'objects', 'compiler',
               'tracker', 'noop', 'espryt', 'magma'}

# third-party headers -> modules that may see them
FOREIGN = [
    (r'^GL/', {'frontend/egl', 'frontend/glx', 'frontend/glapi', 'frontend/objects', 'frontend/compiler',
               'frontend/tracker', 'targets'}),
    (r'^(GLES\d?|EGL|glvnd)/', {'frontend/egl', 'frontend/glx', 'drivers/espryt', 'targets'}),
    (r'^vulkan/', {'drivers/magma'}),
    (r'^wayland-', {'frontend/egl', 'drivers/espryt'}),
    (r'^X11/', {'frontend/egl', 'frontend/glx'}),
    (r'^xcb/', {'frontend/egl', 'drivers/espryt', 'drivers/magma'}),
    (r'^glslang/|^SPIRV/', {'frontend/compiler'}),
    (r'^spirv-tools/', {'frontend/compiler', 'spirv', 'drivers/espryt', 'drivers/magma'}),
    (r'^spirv_cross/', {'drivers/espryt'}),
    (r'^xxhash', {'util', 'pipe'}),
]

LINTED = ('drivers/', 'remote', 'frontend/')
LINT = [
    (r'\babort\s*\(', 'abort'),
    (r'(?<!static_)\bassert\s*\(', 'assert'),
    (r'(?<![\w.>])(?:std::)?(?:v?printf|puts|putchar|perror)\s*\(', 'printf'),
    (r'\b(?:std::)?v?fprintf\s*\(\s*std(?:err|out)', 'fprintf to a standard stream'),
    (r'\bstd::c(?:err|out|log)\b', 'a standard stream'),
    (r'\bexit\s*\(', 'exit'),
]

# The command line of mgpiped: what it prints is what was asked for.
SPEAKERS = ('src/remote/server/arguments.cpp', 'src/remote/server/listener.cpp')

LIMITS = {'.cpp': 1200, '.h': 600}
FUNCTION_LIMIT = 150

# namespaces that the server must not contain
SERVER_FORBIDDEN = re.compile(r'\b(gl|glapi|egl|glx|compiler|st|glslang|TShader|TIntermediate)::')


def modules(src):
    yield 'include/pipe', os.path.join(os.path.dirname(src), 'include', 'pipe')
    for name in list(ALLOWED) + ['targets']:
        if name != 'include/pipe':
            yield name, os.path.join(src, name)


def sources(folder):
    for base, dirs, files in os.walk(folder):
        dirs.sort()
        for name in sorted(files):
            if os.path.splitext(name)[1] in LIMITS or name.endswith(('.cpp.mako', '.h.mako', '.c', '.glsl')):
                yield os.path.join(base, name)


def strip(text):
    """Comments and string contents become blanks; line numbers stay."""
    def blank(match):
        found = match.group(0)
        if found.startswith(('"', "'")):
            return found[0] + ' ' * (len(found) - 2) + found[0]
        return re.sub(r'[^\n]', ' ', found)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def check_includes(module, folder, path, text, report):
    for number, line in enumerate(text.split('\n'), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        name = match.group(2)
        where = f'{path}:{number}'
        for pattern, allowed in FOREIGN:
            if re.match(pattern, name) and module not in allowed:
                report(f'{where}: {module} may not include <{name}>')
        if match.group(1) != '"':
            continue
        if '..' in name.split('/'):
            target = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if not target.startswith(folder + os.sep):
                report(f'{where}: "{name}" leaves the folder of {module}')
            continue
        root = name.split('/')[0]
        if '/' not in name or module == 'targets':
            continue
        if root not in KNOWN_ROOTS:
            if not any(os.path.exists(os.path.join(base, name)) for base in (folder, os.path.dirname(path))):
                report(f'{where}: "{name}" has a root that this check does not know')
            continue
        allowed = ALLOWED[module]
        if root not in allowed and name not in allowed and not module.endswith('/' + root):
            report(f'{where}: {module} may not include "{name}"')


def check_lint(module, path, text, report):
    if not module.startswith(LINTED):
        return
    for number, line in enumerate(strip(text).split('\n'), 1):
        for pattern, what in LINT:
            if re.search(pattern, line) and not ('printf' in what and str(path).endswith(SPEAKERS)):
                report(f'{path}:{number}: {what} in {module}; log through util/log.h and return')


def check_sizes(path, text, report):
    suffix = os.path.splitext(path)[1]
    lines = text.split('\n')
    if suffix in LIMITS and len(lines) > LIMITS[suffix]:
        report(f'{path}: {len(lines)} lines, the limit is {LIMITS[suffix]}')
    start = None
    for number, line in enumerate(lines, 1):
        if start is None:
            # A definition at column 0 that is no type, namespace or table.
            if re.match(r'^[A-Za-z_\[~].*[)\w]\s*\{\s*$', line) and '=' not in line and \
                    not re.match(r'^(namespace|struct|class|enum|union|extern "C"|typedef)\b', line):
                start = number
            elif re.match(r'^\s+[^#].*\)\s*(const|noexcept|override)?\s*\{$', line) and number > 1 and \
                    re.match(r'^[A-Za-z_].*[(,]\s*$', lines[number - 2]):
                start = number - 1
        elif line.startswith('}'):
            if number - start + 1 > FUNCTION_LIMIT:
                report(f'{path}:{start}: function of {number - start + 1} lines, the limit is {FUNCTION_LIMIT}')
            start = None


def check_sources(root, report):
    count = 0
    for module, folder in modules(os.path.join(root, 'src')):
        for path in sources(folder):
            with open(path, encoding='utf-8', errors='replace') as f:
                text = f.read()
            count += 1
            if 'SPDX-License-Identifier: MIT' not in text[:200] and '.BANNER' not in text[:200]:
                report(f'{path}: no SPDX line')
            check_includes(module, folder, path, text, report)
            check_lint(module, path, text, report)
            if not path.endswith('.mako'):
                check_sizes(path, text, report)
    return count


def check_include_roots(root, build, report):
    """Nothing of drivers or remote sees the frontend; only targets has src/drivers as a root."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as f:
        commands = json.load(f)
    for command in commands:
        source = os.path.normpath(os.path.join(command['directory'], command['file']))
        inside = os.path.relpath(source, os.path.join(root, 'src'))
        if inside.startswith('..'):
            # Generated: the output's folder tells the module.
            inside = command.get('output', '').removeprefix('src/')
        module = next((m for m in ALLOWED if inside.startswith(m + '/')), None)
        if not module:
            continue
        for include in re.findall(r'-I\s*(\S+)', command['command']):
            folder = os.path.normpath(os.path.join(command['directory'], include))
            for base in (os.path.join(root, 'src'), os.path.join(build, 'src')):
                relative = os.path.relpath(folder, base)
                if relative.startswith('..'):
                    continue
                if relative == '.':
                    report(f'{inside}: has src itself as include root')
                if (module.startswith('drivers/') or module == 'remote') and relative.startswith('frontend'):
                    report(f'{inside}: has {relative} as include root')
                if module != 'targets' and relative == 'drivers':
                    report(f'{inside}: has src/drivers as include root')
    return len(commands)


# Static TLS of each library: a program that loads us late has little left. One word is the current context; the C++
# run-time's exception state (linked static) is 16 bytes. Everything else is a util::ThreadSlot.
TLS_LIMIT = 8 + 16


def check_tls(library, report):
    out = subprocess.run(['readelf', '-lW', library], capture_output=True, text=True, check=True).stdout
    sizes = [int(m.group(1), 16) for m in re.finditer(r'^\s*TLS\s+(?:0x[0-9a-f]+\s+){4}(0x[0-9a-f]+)', out, re.M)]
    size = max(sizes, default=0)
    if size > TLS_LIMIT:
        report(f'{library}: {size} bytes of thread-local storage, the limit is {TLS_LIMIT}')
    return size


def check_libraries(build, report):
    """Bytes of thread-local storage of the largest user among our libraries."""
    folder = os.path.join(build, 'src', 'targets')
    found = sorted({os.path.realpath(os.path.join(folder, n)) for n in os.listdir(folder) if re.search(r'\.so[.\d]*$', n)})
    if not found:
        report(f'{folder}: no library was built')
    # A sanitizer brings a run-time with storage of its own.
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as f:
        if '-fsanitize' in f.read():
            return 0
    return max((check_tls(path, report) for path in found), default=0)


def symbols_of(binary, report):
    out = subprocess.run(['nm', '-C', binary], capture_output=True, text=True, check=True).stdout
    symbols = re.sub(r'\bstd::__[a-z0-9]+::', '', out).split('\n')
    if len(symbols) < 20:
        report(f'{binary}: no symbols; is it stripped?')
    return symbols


def check_symbols(binary, report):
    symbols = symbols_of(binary, report)
    for line in [s for s in symbols if SERVER_FORBIDDEN.search(s)][:5]:
        report(f'{binary}: the server contains {line.strip()[:120]}')
    return len(symbols)


# All that programs and glvnd can see of a library.
EXPORTS = {'libmgpipe.so.0': {'mgpipe_entry'}, 'libEGL_mgpipe.so.0': {'__egl_Main'}, 'libGLX_mgpipe.so.0': {'__glx_Main'}}


def check_exports(path, expected, report):
    out = subprocess.run(['nm', '-D', '--defined-only', path], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].split('@')[0] for line in out.splitlines()} - {'MGPIPE_0'}
    for name in sorted(names - expected):
        report(f'{path}: exports {name}')
    for name in sorted(expected - names):
        report(f'{path}: does not export {name}')


def left_out(options):
    """What a build with these options (drivers, forms) must not contain: {part: pattern of its symbols}."""
    out = {f'driver {name}': rf'\b{name}::' for name in ('espryt', 'magma') if name not in options['drivers']}
    if not {'inproc', 'spawn'} & set(options['forms']):
        out['remote'] = r'\bremote::'
    else:
        out |= {f'form {name}': rf'\bremote::make_{name}_link' for name in ('inproc', 'spawn') if name not in options['forms']}
    return out


def check_parts(binary, options, report):
    """That nothing is linked which the options of the build leave out."""
    wanted = left_out(options)
    symbols = symbols_of(binary, report) if wanted else ()
    for part, pattern in wanted.items():
        for line in [s for s in symbols if re.search(pattern, s)][:1]:
            report(f'{binary}: {part} is not an option of this build, but there is {line.strip()[:120]}')


def build_options(build):
    with open(os.path.join(build, 'meson-info', 'intro-buildoptions.json'), encoding='utf-8') as f:
        return {o['name']: o['value'] for o in json.load(f)}


# --- negative controls ---------------------------------------------------------------------------------------------

HEADER = '// SPDX-License-Identifier: MIT\n'
BREAKS = [
    ('driver includes the frontend', 'src/drivers/magma/x.cpp', '#include "objects/context.h"\n', 'may not include'),
    ('driver leaves its folder', 'src/drivers/magma/x.cpp', '#include "../../frontend/tracker/tracker.h"\n', 'leaves the'),
    ('driver includes the other driver', 'src/drivers/magma/x.cpp', '#include "espryt/espryt_public.h"\n', 'may not'),
    ('driver includes remote', 'src/drivers/espryt/x.cpp', '#include "remote/ring.h"\n', 'may not include'),
    ('magma includes GLES', 'src/drivers/magma/x.cpp', '#include <GLES3/gl32.h>\n', 'may not include'),
    ('objects include Xlib', 'src/frontend/objects/x.cpp', '#include <X11/Xlib.h>\n', 'may not include'),
    ('remote includes xcb', 'src/remote/x.cpp', '#include <xcb/xcb.h>\n', 'may not include'),
    ('pipe includes GL', 'src/pipe/x.cpp', '#include <GL/glcorearb.h>\n', 'may not include'),
    ('objects sees tracker internals', 'src/frontend/objects/x.cpp', '#include "tracker/cso/cache.h"\n', 'may not'),
    ('tracker includes glapi', 'src/frontend/tracker/x.cpp', '#include "glapi/glapi.h"\n', 'may not include'),
    ('util includes pipe', 'src/util/x.cpp', '#include "pipe/pipe.h"\n', 'may not include'),
    ('remote includes the frontend', 'src/remote/x.cpp', '#include "egl/egl.h"\n', 'may not include'),
    ('driver includes the codec', 'src/drivers/espryt/x.cpp', '#include "pipe_wire/codec.h"\n', 'may not include'),
    ('unknown include root', 'src/util/x.cpp', '#include "frontend/objects/context.h"\n', 'does not know'),
    ('abort in a driver', 'src/drivers/magma/x.cpp', 'void f() { abort(); }\n', 'abort in'),
    ('assert in remote', 'src/remote/x.cpp', 'void f(int n) { assert(n); }\n', 'assert in'),
    ('printf in the frontend', 'src/frontend/objects/x.cpp', 'void f() { printf("x"); }\n', 'printf in'),
    ('stderr in a driver', 'src/drivers/espryt/x.cpp', 'void f() { fprintf(stderr, "x"); }\n', 'standard stream'),
    ('long source', 'src/util/x.cpp', '//\n' * 1300, 'the limit is 1200'),
    ('long header', 'src/util/x.h', '//\n' * 700, 'the limit is 600'),
    ('long function', 'src/util/x.cpp', 'void f() {\n' + '    g();\n' * 151 + '}\n', 'function of'),
]


def self_test():
    wrong = 0
    for name, path, text, expected in BREAKS:
        with tempfile.TemporaryDirectory() as root:
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full))
            with open(full, 'w', encoding='utf-8') as f:
                f.write(HEADER + text)
            found = []
            check_sources(root, found.append)
            if not any(expected in line for line in found):
                print(f'self-test: {name}: not found ({found})')
                wrong += 1
            elif len(found) != 1:
                print(f'self-test: {name}: also reports {found}')
                wrong += 1
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, 'x.cpp'), 'w', encoding='utf-8') as f:
            f.write('thread_local char words[32]; char *f() { return words; }\n')
        found = []
        if shutil.which('g++'):
            library = os.path.join(root, 'x.so.0.0.0')
            subprocess.run(['g++', '-shared', '-fPIC', '-o', library, os.path.join(root, 'x.cpp')], check=True)
            check_tls(library, found.append)
            if not any('32 bytes of thread-local storage' in line for line in found):
                print('self-test: a library with 32 bytes of TLS was not found')
                wrong += 1
            found = []
            check_exports(library, {'__glx_Main'}, found.append)
            if len(found) != 3 or not any('exports words' in line for line in found):
                print(f'self-test: of two wrong exports and a missing one these were found: {found}')
                wrong += 1
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, 'x.cpp'), 'w', encoding='utf-8') as f:
            f.write('namespace gl { struct Context; int Foo(Context &) { return 1; } }\nint main() { return 0; }\n')
        found = []
        if shutil.which('g++'):
            subprocess.run(['g++', '-o', os.path.join(root, 'x'), os.path.join(root, 'x.cpp')], check=True)
            check_symbols(os.path.join(root, 'x'), found.append)
            if not any('gl::Foo' in line for line in found):
                print('self-test: a server with gl:: symbols was not found')
                wrong += 1
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, 'x.cpp'), 'w', encoding='utf-8') as f:
            f.write('namespace remote { int make_spawn_link() { return 1; } }\nnamespace magma { int f() { return 1; } }\n'
                    'int main() { return 0; }\n')
        if shutil.which('g++'):
            subprocess.run(['g++', '-o', os.path.join(root, 'x'), os.path.join(root, 'x.cpp')], check=True)
            for options, count in (({'drivers': ['espryt'], 'forms': ['monolith']}, 2),
                                   ({'drivers': ['magma'], 'forms': ['monolith', 'inproc']}, 1),
                                   ({'drivers': ['espryt', 'magma'], 'forms': ['spawn', 'inproc']}, 0)):
                found = []
                check_parts(os.path.join(root, 'x'), options, found.append)
                if len(found) != count:
                    print(f'self-test: {options}: {len(found)} parts found, not {count}')
                    wrong += 1
        os.makedirs(os.path.join(root, 'src/drivers/magma'))
        with open(os.path.join(root, 'compile_commands.json'), 'w', encoding='utf-8') as f:
            json.dump([{'directory': root, 'file': 'src/drivers/magma/x.cpp', 'output': 'x',
                        'command': 'g++ -Isrc/frontend -c x.cpp'}], f)
        found = []
        check_include_roots(root, root, found.append)
        if not any('include root' in line for line in found):
            print('self-test: a driver with the frontend as include root was not found')
            wrong += 1
    print(f'self-test: {len(BREAKS) + 7} breaks, {wrong} not found')
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    problems = []
    count = check_sources(ROOT, problems.append)
    text = f'{count} files'
    if options.build:
        build = os.path.abspath(options.build)
        text += f', {check_include_roots(ROOT, build, problems.append)} compile commands'
        text += f', {check_libraries(build, problems.append)} bytes of TLS'
        chosen = build_options(build)
        targets = os.path.join(build, 'src', 'targets')
        for name, exports in EXPORTS.items():
            if os.path.exists(os.path.join(targets, name)):
                check_exports(os.path.join(targets, name), exports, problems.append)
        server = os.path.join(targets, 'mgpiped')
        check_parts(os.path.join(targets, 'libmgpipe.so.0'), chosen, problems.append)
        if os.path.exists(server) != ('spawn' in chosen['forms']):
            problems.append(f'{server}: built, or not, against the options of the build')
        elif 'spawn' in chosen['forms']:
            check_parts(server, chosen, problems.append)
            text += f', {check_symbols(server, problems.append)} symbols of mgpiped'
    for line in problems:
        print(line.replace(ROOT + os.sep, ''))
    print(f'layers: {text}, {len(problems)} problems')
    failed = bool(problems)
    if options.self_test:
        failed |= bool(self_test())
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
