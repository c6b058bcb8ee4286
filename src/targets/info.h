// SPDX-License-Identifier: MIT
// The body of `mgpipe info`, inside libmgpipe because it reports what the library holds.
#pragma once

namespace targets {

// Prints to standard output; returns the exit status: 2 for arguments it does not know.
int info_main(int argc, char **argv);

} // namespace targets
