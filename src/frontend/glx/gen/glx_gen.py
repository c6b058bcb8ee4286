# SPDX-License-Identifier: MIT
# Renders one template from glx.xml and glx_def.py (registry.py, beside EGL's, has the command line). The model: every
# command of the versions and extensions that glx_def.py names, with its prototype, the function behind it, and for extension
# commands how a call finds its vendor (the dispatch library wants a stub from us for each).
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'egl', 'gen'))

import glx_def  # noqa: E402
import registry  # noqa: E402


class Command(registry.Command):
    PREFIX = 'glX'

    def __init__(self, node):
        super().__init__(node)
        self.alias = glx_def.ALIASES.get(self.name)
        self.mapping = glx_def.MAPPING.get(self.name, (None, None))
        self.failure = glx_def.FAILURE.get(self.name, f'static_cast<{self.ret}>(0)')

    @property
    def vendor_from(self):
        """The word in find_vendor_by_WORD, or None."""
        return glx_def.VENDOR_FROM.get(self.name, 'current')

    @property
    def vendor_args(self):
        """What find_vendor_by_WORD takes of the parameters, the slot apart."""
        count = {'current': 0, 'context': 1}.get(self.vendor_from, 2)
        names = [p.name for p in self.params]
        if self.vendor_from == 'context':
            return [next(p.name for p in self.params if 'GLXContext' in p.type)]
        return names[:count]


class Model(registry.Registry):
    def __init__(self, path):
        names = set(glx_def.EXTENSIONS + glx_def.UNLISTED) - set(glx_def.NO_COMMANDS)
        super().__init__(path, Command, glx_def.VERSION, names)
        self.core -= set(glx_def.NOT_OURS)
        self.extra -= set(glx_def.NOT_OURS)
        for table in (glx_def.NO_STUB, glx_def.ALIASES, glx_def.VENDOR_FROM, glx_def.MAPPING, glx_def.FAILURE):
            unknown = set(table) - self.extra
            if unknown:
                sys.exit(f'glx_gen: not commands of the extensions: {" ".join(sorted(unknown))}')
        self.select()
        for command in self.commands:
            self.check_alias(command)
        self.implemented = [c for c in self.commands if c.alias is None]
        self.dispatched = [c for c in self.commands if c.name in self.extra - set(glx_def.NO_STUB)]


if __name__ == '__main__':
    registry.main('glx', Model, glx_def)
