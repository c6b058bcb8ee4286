#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every entry point of what a context says it has (version, extensions) can be found, is called, and is written.

usage: entry_points.py --build DIR [--self-test]

The Khronos registry names the commands of each version and extension, core profile. A child of its own per driver and profile
makes a context, calls each once with zeros and memory that may be written, and must live; "is not implemented" in its log is a
fault. --self-test is the negative control: an extension that nobody wrote, taken for advertised, must be found.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

REGISTRY = '/usr/share/khronos-api/gl.xml'
HIDE_ALL = {'MGPIPE_HOST_HIDE': 'all'}
RUNS = {'espryt': ('espryt', {}), 'magma': ('magma', {}), 'noop': ('noop', {}),
        'es31-min': ('espryt', dict(HIDE_ALL, MESA_GLES_VERSION_OVERRIDE='3.1')), 'vk11-min': ('magma', HIDE_ALL)}
UNWRITTEN = 'GL_ARB_bindless_texture'
# Commands that the registry lists under an extension and that belong to another one's presence: NV_depth_buffer_float,
# EXT_direct_state_access.
OTHERS = {'glDepthRangeArraydvNV', 'glDepthRangeIndexeddNV', 'glTextureStorage1DEXT', 'glTextureStorage2DEXT',
          'glTextureStorage3DEXT', 'glNamedBufferStorageEXT', 'glTextureBufferRangeEXT', 'glVertexArrayVertexAttribDivisorEXT',
          'glVertexArrayVertexAttribLOffsetEXT', 'glTextureStorage2DMultisampleEXT', 'glTextureStorage3DMultisampleEXT',
          'glClearNamedBufferDataEXT', 'glClearNamedBufferSubDataEXT', 'glNamedFramebufferParameteriEXT',
          'glGetNamedFramebufferParameterivEXT', 'glVertexArrayBindVertexBufferEXT', 'glVertexArrayVertexAttribFormatEXT',
          'glVertexArrayVertexAttribIFormatEXT', 'glVertexArrayVertexAttribLFormatEXT', 'glVertexArrayVertexAttribBindingEXT',
          'glVertexArrayVertexBindingDivisorEXT'}
UNWRITTEN_SAID = re.compile(r'(gl\w+) is not implemented')

# --- the registry --------------------------------------------------------------------------------


def commands_of(root, version, extensions):
    """Names of the commands that a core context of the version with the extensions has."""
    names = set()
    removed = set()
    for feature in root.findall('feature'):
        for node in feature if feature.get('api') == 'gl' else ():
            here = {c.get('name') for c in node.findall('command')}
            if node.tag == 'remove':
                removed |= here
            elif node.get('profile') != 'compatibility' and tuple(map(int, feature.get('number').split('.'))) <= version:
                names |= here
    names -= removed
    for extension in root.find('extensions'):
        if extension.get('name') in extensions:
            for node in extension.findall('require'):
                if node.get('api') in (None, 'gl', 'glcore') and node.get('profile') != 'compatibility':
                    names |= {c.get('name') for c in node.findall('command')} - OTHERS
    return sorted(names)


def kind_of(node):
    text = ''.join(node.itertext())
    if '*' in text or re.search(r'\b(GLsync|GLDEBUGPROC\w*|GLeglImageOES)\b', text):
        return ctypes.c_void_p
    for words, kind in ((r'GLfloat|GLclampf', ctypes.c_float), (r'GLdouble|GLclampd', ctypes.c_double),
                        (r'GLintptr\w*|GLsizeiptr\w*|GLu?int64\w*', ctypes.c_int64)):
        if re.search(rf'\b({words})\b', text):
            return kind
    return ctypes.c_int


def parameters(root):
    return {node.find('proto/name').text: [kind_of(p) for p in node.findall('param')]
            for node in root.find('commands')}


# --- the child -----------------------------------------------------------------------------------


def context():
    """A current core context without a surface; returns libEGL."""
    egl = ctypes.CDLL('libEGL.so.1')
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    egl.eglGetPlatformDisplay.restype = egl.eglCreateContext.restype = ctypes.c_void_p
    display = ctypes.c_void_p(egl.eglGetPlatformDisplay(0x31DD, None, None))  # EGL_PLATFORM_SURFACELESS_MESA
    if not egl.eglInitialize(display, None, None) or not egl.eglBindAPI(0x30A2):  # EGL_OPENGL_API
        sys.exit('no display')
    config, count = ctypes.c_void_p(), ctypes.c_int()
    egl.eglChooseConfig(display, (ctypes.c_int * 3)(0x3040, 8, 0x3038), ctypes.byref(config), 1, ctypes.byref(count))
    for version in (46, 45, 44, 43, 42, 41, 40, 33, 32, 31):
        # EGL_CONTEXT_MAJOR_VERSION, EGL_CONTEXT_MINOR_VERSION, and the core profile where versions have profiles
        core = (0x30FD, 1) if version >= 32 else ()
        wanted = (0x3098, version // 10, 0x30FB, version % 10, *core, 0x3038)
        made = ctypes.c_void_p(egl.eglCreateContext(display, config, None, (ctypes.c_int * len(wanted))(*wanted)))
        if made:
            break
    if not made or not egl.eglMakeCurrent(display, None, None, made):
        sys.exit('no context')
    return egl


def advertised(call):
    string = call('glGetString', [ctypes.c_int], ctypes.c_char_p)
    indexed = call('glGetStringi', [ctypes.c_int] * 2, ctypes.c_char_p)
    count = ctypes.c_int()
    call('glGetIntegerv', [ctypes.c_int, ctypes.c_void_p], None)(0x821D, ctypes.byref(count))  # GL_NUM_EXTENSIONS
    version = tuple(map(int, re.match(rb'(\d+)\.(\d+)', string(0x1F02)).groups()))
    return version, {indexed(0x1F03, i).decode() for i in range(count.value)}


def child(more):
    root = ET.parse(REGISTRY).getroot()
    egl, kinds = context(), parameters(root)

    def call(name, args, result):
        at = egl.eglGetProcAddress(name.encode())
        return ctypes.CFUNCTYPE(result, *args)(at) if at else None

    version, extensions = advertised(call)
    names = commands_of(root, version, extensions | set(more))
    zeros = ctypes.create_string_buffer(1 << 20)
    missing = []
    for name in names:
        function = call(name, kinds[name], None)
        if not function:
            missing.append(name)
            continue
        # A callback is called later: it must be null.
        pointer = None if 'Callback' in name else ctypes.addressof(zeros)
        function(*[pointer if k is ctypes.c_void_p else 0 for k in kinds[name]])
    for name in missing:
        print('missing', name)
    print('called', len(names) - len(missing), 'of', '%d.%d' % version, 'and', len(extensions))


# --- the gate ------------------------------------------------------------------------------------


def problems(build, run, more=()):
    """What is wrong in one run, and how many entry points were called."""
    targets = os.path.join(build, 'src', 'targets')
    driver, extra = RUNS[run]
    env = dict(os.environ, LD_LIBRARY_PATH=targets, MGPIPE_FORM='monolith', MGPIPE_DRIVER=driver, MGPIPE_LOG_LEVEL='warning',
               __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'), **extra)
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    done = subprocess.run([sys.executable, os.path.abspath(__file__), '--child', *more], env=env, capture_output=True, text=True,
                          errors='replace', timeout=300)
    found = [f'{run}: no {name}' for name in re.findall(r'^missing (\S+)', done.stdout, re.M)]
    found += [f'{run}: {name} is not written' for name in UNWRITTEN_SAID.findall(done.stderr)]
    called = re.search(r'^called (\d+) .*$', done.stdout, re.M)
    if done.returncode or not called or int(called.group(1)) < 400:
        found.append(f'{run}: ended with {done.returncode}: {(done.stdout + done.stderr)[-300:]}')
    return found, called.group(0) if called else 'called nothing'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build')
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('--child', nargs='*', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        return child(options.child)
    build = os.path.abspath(options.build)
    found = []
    for run in RUNS:
        some, called = problems(build, run)
        print(f'{run}: {called}')
        found += some
    if options.self_test and not any('is not written' in p for p in problems(build, 'noop', (UNWRITTEN,))[0]):
        found.append(f'control: {UNWRITTEN} was not missed')
    for problem in found:
        print(f'fail {problem}')
    print(f'{0 if found else 1} passed, {len(found)} failed, 0 skipped')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
