#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: translator_id.py OUTPUT INPUT... - a header with one number that moves whenever a source of the compiler does."""

import hashlib
import sys

digest = hashlib.sha256()
for path in sys.argv[2:]:
    with open(path, 'rb') as f:
        digest.update(f.read())
with open(sys.argv[1], 'w', encoding='utf-8') as f:
    f.write('#pragma once\n#include <cstdint>\n\nnamespace compiler {\n'
            f'constexpr uint64_t translator_id = 0x{digest.hexdigest()[:16]};\n}} // namespace compiler\n')
