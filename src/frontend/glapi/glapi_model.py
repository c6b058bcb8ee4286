# SPDX-License-Identifier: MIT
"""Reads the Khronos registry (gl.xml) and the overlay into the model that the templates render."""

import re
import xml.etree.ElementTree as ET

import glapi_def as overlay


class Command:
    """One GL command; `names` are all exported names that share its stub, without 'gl'."""

    def __init__(self, name, ret, params):
        self.name = name
        self.ret = ret
        self.params = params            # [(type text, parameter name)]
        self.names = []
        self.core = False               # in the core profile of MAX_VERSION
        self.implemented = False

    @property
    def decl(self):
        return ', '.join(f'{t}{"" if t.endswith("*") else " "}{n}' for t, n in self.params)

    @property
    def args(self):
        return ''.join(f', {n}' for _, n in self.params)


def _text(element):
    """'const void *const*' with one space between words; leaves out the name."""
    parts = [element.text or '']
    for child in element:
        if child.tag != 'name':
            parts.append(child.text or '')
        parts.append(child.tail or '')
    text = re.sub(r'\s+', ' ', ''.join(parts)).strip()
    return re.sub(r'\s*\*', ' *', text).replace('* *', '**').strip()


def _parse_commands(root):
    commands, alias = {}, {}
    for node in root.find('commands'):
        proto = node.find('proto')
        name = proto.find('name').text
        params = [(_text(p), p.find('name').text) for p in node.findall('param')]
        commands[name] = (_text(proto), params)
        if node.find('alias') is not None:
            alias[name] = node.find('alias').get('name')
    return commands, alias


def _applies(node):
    api = node.get('api')
    return api is None or api == overlay.API


def _collect(root):
    """Names required by the versions: (core, every other name that was ever in a version), plus version enums."""
    core, ever, enums = {}, {}, {}
    for feature in root.findall('feature'):
        number = tuple(int(x) for x in feature.get('number').split('.'))
        if feature.get('api') != overlay.API or number > overlay.MAX_VERSION:
            continue
        for node in feature:
            for item in node:
                name = item.get('name')
                if item.tag == 'command' and node.tag == 'require':
                    ever[name] = True
                    if node.get('profile') != 'compatibility':
                        core[name] = True
                elif item.tag == 'command' and node.get('profile') in (None, 'core'):
                    core.pop(name, None)
                elif item.tag == 'enum' and node.tag == 'require':
                    enums[name] = number
    return core, ever, enums


def _collect_extensions(root):
    commands, enums = [], []
    known = set()
    for ext in root.find('extensions'):
        if ext.get('name') not in overlay.EXTENSIONS:
            continue
        known.add(ext.get('name'))
        for node in ext.findall('require'):
            if not _applies(node):
                continue
            commands += [i.get('name') for i in node.findall('command')]
            enums += [i.get('name') for i in node.findall('enum')]
    unknown = set(overlay.EXTENSIONS) - known
    if unknown:
        raise SystemExit(f'glapi: not in the registry: {", ".join(sorted(unknown))}')
    return commands, enums


def load(xml_path):
    """Returns (commands sorted by name, [(value, name)] of non-bitmask enums sorted by value)."""
    root = ET.parse(xml_path).getroot()
    definitions, alias = _parse_commands(root)
    core, ever, version_enums = _collect(root)
    ext_commands, ext_enums = _collect_extensions(root)

    groups = {}

    def find(name):
        while groups.setdefault(name, name) != name:
            name = groups[name]
        return name

    for name, target in alias.items():
        groups[find(name)] = find(target)

    members = {}
    for name in list(ever) + ext_commands:
        if name not in members.setdefault(find(name), []):
            members[find(name)].append(name)

    result = []
    for names in members.values():
        main = next((n for n in names if n in core), None) or next((n for n in names if n in ever), names[0])
        ret, params = definitions[main]
        command = Command(main[2:], ret, params)
        command.names = sorted(n[2:] for n in names)
        command.core = main in core
        result.append(command)
    result.sort(key=lambda c: c.name)
    return result, _enums(root, version_enums, ext_enums)


def _enums(root, version_enums, ext_enums):
    best = {}
    for block in root.findall('enums'):
        if block.get('type') == 'bitmask':
            continue
        for item in block.findall('enum'):
            name = item.get('name')
            if not _applies(item) or not (name in version_enums or name in ext_enums):
                continue
            value = int(item.get('value'), 0)
            if value > 0xFFFFFFFF:
                continue
            rank = (name not in version_enums, version_enums.get(name, (9, 9)), len(name), name)
            if value not in best or rank < best[value]:
                best[value] = rank
    best[0] = (False, (1, 0), 0, 'GL_NONE')
    best[1] = (False, (1, 0), 0, 'GL_ONE')
    return sorted((value, rank[-1]) for value, rank in best.items())


_ENTRY = re.compile(r'\bGL_ENTRY\s*\(\s*(\w+)\s*\)\s*\(')
_STAMPED = re.compile(r'^\s*GL_STAMPED\s*\(([^)]*)\)', re.M)


def scan_implemented(paths):
    """Names of the commands defined in the given sources: GL_ENTRY(Name)(...) or GL_STAMPED(Name, Name, ...)."""
    found = set()
    for path in paths:
        with open(path, encoding='utf-8') as f:
            text = re.sub(r'//[^\n]*', '', f.read())
        found.update(_ENTRY.findall(text))
        for names in _STAMPED.findall(text):
            found.update(re.findall(r'\w+', names))
    return found
