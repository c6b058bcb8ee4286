// SPDX-License-Identifier: MIT
// Precompiled for every library: the parts of the standard library that most files include. A file
// still includes what it uses; the clang compile of CI runs without this header (-Db_pch=false).
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
