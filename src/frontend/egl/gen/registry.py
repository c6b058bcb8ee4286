# SPDX-License-Identifier: MIT
# What the generators of the vendor libraries share: commands of a Khronos registry (egl.xml, glx.xml), which of them
# versions and extensions require, and the command line
#   API_gen.py --xml API.xml --template NAME.EXT.mako --output NAME.EXT
import argparse
import os
import sys
import xml.etree.ElementTree as ElementTree

from mako.lookup import TemplateLookup


def declared(node, name):
    """The C type of a <proto> or <param>."""
    text = ''.join(node.itertext()).strip()
    return ' '.join(text[:text.rindex(name)].split())


class Param:
    def __init__(self, node):
        self.name = node.find('name').text
        self.type = declared(node, self.name)
        self.decl = f'{self.type} {self.name}'.replace('* ', '*')


class Command:
    """One command: prototype and alias. `short`, its name without the prefix, is the function api::SHORT behind it."""
    PREFIX = ''

    def __init__(self, node):
        proto = node.find('proto')
        self.name = proto.find('name').text
        self.ret = declared(proto, self.name)
        self.params = [Param(p) for p in node.findall('param')]
        self.alias = None

    @property
    def short(self):
        return self.name[len(self.PREFIX):]

    @property
    def decls(self):
        return ', '.join(p.decl for p in self.params) or 'void'

    @property
    def args(self):
        return ', '.join(p.name for p in self.params)


class Registry:
    """`known`, all commands by name; `core`, the names that versions up to `version` require; `extra`, those that only the
    named extensions do."""

    def __init__(self, path, command, version, extensions):
        root = ElementTree.parse(path).getroot()
        self.known = {c.name: c for c in map(command, root.findall('commands/command'))}
        self.core = set()
        for feature in root.findall('feature'):
            if tuple(int(n) for n in feature.get('number').split('.')) <= version:
                self.core |= self.required(feature)
        listed = {e.get('name'): e for e in root.findall('extensions/extension')}
        self.extra = set()
        for name in sorted(extensions):
            if name not in listed:
                sys.exit(f'{path} knows no extension {name}')
            self.extra |= self.required(listed[name])
        self.extra -= self.core

    @staticmethod
    def required(node):
        return {c.get('name') for c in node.findall('require/command')}

    def select(self):
        """`commands`, all that are ours, in order."""
        self.commands = [self.known[name] for name in sorted(self.core | self.extra)]

    def check_alias(self, command):
        if command.alias and len(self.known[command.alias].params) != len(command.params):
            sys.exit(f'alias {command.name} of {command.alias} differs in its parameters')


def main(api, model, definition):
    """`model`: a Registry from the path of API.xml; `definition`: the module API_def, which templates see by that name."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--xml', required=True)
    parser.add_argument('--template', required=True)
    parser.add_argument('--output', required=True)
    args = parser.parse_args()
    path = os.path.realpath(args.template)
    lookup = TemplateLookup(directories=[os.path.dirname(path)], strict_undefined=True)
    name = os.path.basename(path)
    banner = f'// Generated from {api}.xml and {api}_def.py by {name}. Do not edit.'
    text = lookup.get_template(name).render(model=model(args.xml), banner=banner, **{f'{api}_def': definition})
    with open(args.output, 'w', encoding='utf-8') as file:
        file.write(text)
