## SPDX-License-Identifier: MIT
${c.BANNER}
// The rows by kind of handle. A kind without a row does not link.
#include "recycling.h"

namespace recycling {

% for k in m.kinds:
std::unique_ptr<Row> row_of_${k.name}(Scene &);
% endfor

const std::vector<Kind> &kinds() {
    static const std::vector<Kind> all = {
% for k in m.kinds:
        {"${k.name}", row_of_${k.name}},
% endfor
    };
    return all;
}

} // namespace recycling
