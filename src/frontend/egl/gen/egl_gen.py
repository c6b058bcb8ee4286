# SPDX-License-Identifier: MIT
# Renders one template from egl.xml and egl_def.py:
#   egl_gen.py --xml egl.xml --template NAME.EXT.mako --output NAME.EXT
# The model: every command of the versions and extensions that egl_def.py names, with its prototype, its alias and
# whether a call finds its vendor from an EGLDisplay or EGLDeviceEXT (then the dispatch library wants a stub from us).
import argparse
import os
import sys
import xml.etree.ElementTree as ElementTree

from mako.lookup import TemplateLookup

import egl_def


class Param:
    def __init__(self, node):
        self.name = node.find('name').text
        text = ''.join(node.itertext()).strip()
        self.type = ' '.join(text[:text.rindex(self.name)].split())
        self.decl = f'{self.type} {self.name}'.replace('* ', '*')


class Command:
    def __init__(self, node):
        proto = node.find('proto')
        self.name = proto.find('name').text
        text = ''.join(proto.itertext()).strip()
        self.ret = ' '.join(text[:text.rindex(self.name)].split())
        self.params = [Param(p) for p in node.findall('param')]
        alias = node.find('alias')
        self.alias = alias.get('name') if alias is not None else None

    @property
    def short(self):
        """The name without `egl`: the function is egl::api::SHORT."""
        return self.name[3:]

    @property
    def decls(self):
        return ', '.join(p.decl for p in self.params) or 'void'

    @property
    def args(self):
        return ', '.join(p.name for p in self.params)

    @property
    def vendor_from(self):
        """The word in find_vendor_by_WORD, or None."""
        kinds = {'EGLDisplay': 'display', 'EGLDeviceEXT': 'device'}
        return kinds.get(self.params[0].type) if self.params else None


class Model:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.known = {c.name: c for c in map(Command, root.findall('commands/command'))}
        self.core = set()
        for feature in root.findall('feature'):
            number = tuple(int(n) for n in feature.get('number').split('.'))
            if number <= egl_def.VERSION:
                self.core |= self.required(feature)
        extensions = {e.get('name'): e for e in root.findall('extensions/extension')}
        names = set(egl_def.CLIENT_EXTENSIONS + egl_def.DISPLAY_EXTENSIONS + egl_def.IMAGE_EXTENSIONS +
                    egl_def.DMA_BUF_EXTENSIONS) - set(egl_def.NO_COMMANDS)
        self.extra = set()
        for name in sorted(names):
            if name not in extensions:
                sys.exit(f'egl_gen: {path} knows no extension {name}')
            self.extra |= self.required(extensions[name])
        self.extra -= self.core
        wanted = self.core | self.extra
        self.commands = [self.known[name] for name in sorted(wanted)]
        for command in self.commands:
            self.resolve(command)
        self.implemented = [c for c in self.commands if c.alias is None]
        self.dispatched = [c for c in self.commands if c.name in self.extra and c.vendor_from]

    @staticmethod
    def required(node):
        return {c.get('name') for c in node.findall('require/command')}

    def resolve(self, command):
        """An alias shares the function of its target if that is here and differs in type names only."""
        target = self.known.get(command.alias)
        if target is None or target.name not in self.core | self.extra:
            command.alias = None
            return
        while target.alias in self.core | self.extra:
            target = self.known[target.alias]
        if len(target.params) != len(command.params):
            sys.exit(f'egl_gen: alias {command.name} of {target.name} differs in its parameters')
        command.alias = target.name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--xml', required=True)
    parser.add_argument('--template', required=True)
    parser.add_argument('--output', required=True)
    args = parser.parse_args()
    path = os.path.realpath(args.template)
    lookup = TemplateLookup(directories=[os.path.dirname(path)], strict_undefined=True)
    name = os.path.basename(path)
    banner = f'// Generated from egl.xml and egl_def.py by {name}. Do not edit.'
    text = lookup.get_template(name).render(model=Model(args.xml), egl_def=egl_def, banner=banner)
    with open(args.output, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main()
