# SPDX-License-Identifier: MIT
# Renders one template from egl.xml and egl_def.py (registry.py has the command line). The model: every command of the
# versions and extensions that egl_def.py names, with its prototype, its alias and whether a call finds its vendor from an
# EGLDisplay or EGLDeviceEXT (then the dispatch library wants a stub from us).
import egl_def
import registry


class Command(registry.Command):
    PREFIX = 'egl'

    def __init__(self, node):
        super().__init__(node)
        alias = node.find('alias')
        self.alias = alias.get('name') if alias is not None else None

    @property
    def vendor_from(self):
        """The word in find_vendor_by_WORD, or None."""
        kinds = {'EGLDisplay': 'display', 'EGLDeviceEXT': 'device'}
        return kinds.get(self.params[0].type) if self.params else None


class Model(registry.Registry):
    def __init__(self, path):
        names = set(egl_def.CLIENT_EXTENSIONS + egl_def.DISPLAY_EXTENSIONS + egl_def.IMAGE_EXTENSIONS +
                    egl_def.DMA_BUF_EXTENSIONS) - set(egl_def.NO_COMMANDS)
        super().__init__(path, Command, egl_def.VERSION, names)
        self.select()
        for command in self.commands:
            self.resolve(command)
        self.implemented = [c for c in self.commands if c.alias is None]
        self.dispatched = [c for c in self.commands if c.name in self.extra and c.vendor_from]

    def resolve(self, command):
        """An alias shares the function of its target if that is here and differs in type names only."""
        target = self.known.get(command.alias)
        if target is None or target.name not in self.core | self.extra:
            command.alias = None
            return
        while target.alias in self.core | self.extra:
            target = self.known[target.alias]
        command.alias = target.name
        self.check_alias(command)


if __name__ == '__main__':
    registry.main('egl', Model, egl_def)
