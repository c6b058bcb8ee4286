# SPDX-License-Identifier: MIT
"""Renders one template from the definition: pipe_gen.py DEF TEMPLATE OUT."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import pipe_model            # noqa: E402
import pipe_c                # noqa: E402


def main():
    from mako import exceptions
    from mako.lookup import TemplateLookup
    definition, template, out = sys.argv[1:4]
    # pipe_def.py does `from pipe_model import *`: it must meet this very module.
    model = pipe_model.load(definition)
    folders = [os.path.dirname(os.path.abspath(template)), os.path.join(HERE, 'templates')]
    lookup = TemplateLookup(directories=folders, input_encoding='utf-8',
                            strict_undefined=True)
    name = os.path.basename(template)
    try:
        text = lookup.get_template(name).render(m=model, c=pipe_c)
    except Exception:
        print(exceptions.text_error_template().render(), file=sys.stderr)
        sys.exit(1)
    with open(out, 'w', encoding='utf-8') as f:
        f.write(text)


if __name__ == '__main__':
    main()
