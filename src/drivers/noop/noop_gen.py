# SPDX-License-Identifier: MIT
"""Renders a template of drivers/noop from the pipe's definition: noop_gen.py GEN_DIR DEF TEMPLATE OUT."""

import os
import sys

sys.dont_write_bytecode = True
gen_dir, definition, template, out = sys.argv[1:5]
sys.path.insert(0, os.path.abspath(gen_dir))

import pipe_c                                       # noqa: E402
import pipe_model                                   # noqa: E402
from mako import exceptions                         # noqa: E402
from mako.template import Template                  # noqa: E402

try:
    text = Template(filename=os.path.abspath(template), strict_undefined=True).render(
        m=pipe_model.load(definition), c=pipe_c)
except Exception:
    sys.exit(exceptions.text_error_template().render())
with open(out, 'w', encoding='utf-8') as f:
    f.write(text)
