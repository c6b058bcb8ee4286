// SPDX-License-Identifier: MIT
// For whoever closes what is open in its process.
#pragma once

namespace util {

// Where lines of the log go by now: standard error, or the file of MGPIPE_LOG once it is open.
int log_descriptor();

} // namespace util
