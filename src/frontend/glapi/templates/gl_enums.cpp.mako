// SPDX-License-Identifier: MIT
// ${banner}
// Names of GL enumerants for error messages (bit masks left out; of several names of one value the oldest core one).
#include "glapi/glapi_private.h"

namespace glapi {

static const EnumEntry enum_entries[] = {
% for value, name in enums:
    {${hex(value)}u, "${name}"},
% endfor
};

const EnumTable enum_table = {enum_entries, ${len(enums)}};

} // namespace glapi
