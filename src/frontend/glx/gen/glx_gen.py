# SPDX-License-Identifier: MIT
# Renders one template from glx.xml and glx_def.py:
#   glx_gen.py --xml glx.xml --template NAME.EXT.mako --output NAME.EXT
# The model: every command of the versions and extensions that glx_def.py names, with its prototype, the function behind
# it, and for extension commands how a call finds its vendor (the dispatch library wants a stub from us for each).
import argparse
import os
import sys
import xml.etree.ElementTree as ElementTree

from mako.lookup import TemplateLookup

import glx_def


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
        self.alias = glx_def.ALIASES.get(self.name)
        self.mapping = glx_def.MAPPING.get(self.name, (None, None))
        self.failure = glx_def.FAILURE.get(self.name, f'static_cast<{self.ret}>(0)')

    @property
    def short(self):
        """The name without `glX`: the function is glx::api::SHORT."""
        return self.name[3:]

    @property
    def decls(self):
        return ', '.join(p.decl for p in self.params) or 'void'

    @property
    def args(self):
        return ', '.join(p.name for p in self.params)

    @property
    def vendor_from(self):
        return glx_def.VENDOR_FROM.get(self.name, 'current')

    @property
    def vendor_args(self):
        """What find_vendor_by_WORD takes of the parameters, the slot apart."""
        count = {'current': 0, 'context': 1}.get(self.vendor_from, 2)
        names = [p.name for p in self.params]
        if self.vendor_from == 'context':
            return [next(p.name for p in self.params if 'GLXContext' in p.type)]
        return names[:count]


class Model:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.known = {c.name: c for c in map(Command, root.findall('commands/command'))}
        self.core = set()
        for feature in root.findall('feature'):
            number = tuple(int(n) for n in feature.get('number').split('.'))
            if number <= glx_def.VERSION:
                self.core |= self.required(feature)
        extensions = {e.get('name'): e for e in root.findall('extensions/extension')}
        self.extra = set()
        for name in sorted(set(glx_def.EXTENSIONS + glx_def.UNLISTED) - set(glx_def.NO_COMMANDS)):
            if name not in extensions:
                sys.exit(f'glx_gen: {path} knows no extension {name}')
            self.extra |= self.required(extensions[name])
        self.core -= set(glx_def.NOT_OURS)
        self.extra -= self.core | set(glx_def.NOT_OURS)
        wanted = self.core | self.extra
        for table in (glx_def.NO_STUB, glx_def.ALIASES, glx_def.VENDOR_FROM, glx_def.MAPPING, glx_def.FAILURE):
            unknown = set(table) - self.extra
            if unknown:
                sys.exit(f'glx_gen: not commands of the extensions: {" ".join(sorted(unknown))}')
        self.commands = [self.known[name] for name in sorted(wanted)]
        for command in self.commands:
            if command.alias and len(self.known[command.alias].params) != len(command.params):
                sys.exit(f'glx_gen: alias {command.name} of {command.alias} differs in its parameters')
        self.implemented = [c for c in self.commands if c.alias is None]
        self.dispatched = [c for c in self.commands if c.name in self.extra - set(glx_def.NO_STUB)]

    @staticmethod
    def required(node):
        return {c.get('name') for c in node.findall('require/command')}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--xml', required=True)
    parser.add_argument('--template', required=True)
    parser.add_argument('--output', required=True)
    args = parser.parse_args()
    path = os.path.realpath(args.template)
    lookup = TemplateLookup(directories=[os.path.dirname(path)], strict_undefined=True)
    name = os.path.basename(path)
    banner = f'// Generated from glx.xml and glx_def.py by {name}. Do not edit.'
    text = lookup.get_template(name).render(model=Model(args.xml), glx_def=glx_def, banner=banner)
    with open(args.output, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main()
