// SPDX-License-Identifier: MIT
// The lists of everything that MGPIPE_* variables can change. Each name is written once:
// parser, `mgpipe info` and the man page are made from these lists. Add a line here, use it through
// util/env.h.
#pragma once

// X(name, default text, help). The variable is MGPIPE_ and the name in capitals.
#define UTIL_ENV_VARIABLES(X)                                                                      \
    X(DRIVER, "", "pipe driver: espryt, magma or noop; default: magma where Vulkan works")         \
    X(FORM, "monolith",                                                                            \
      "monolith, inproc, spawn, unix:PATH, tcp:HOST:PORT or ssh:HOST: where the driver runs")      \
    X(HOST, "", "host implementation for the driver: a vendor library (espryt) or device name")    \
    X(GL_PROFILE, "",                                                                              \
      "core: hand out a forward-compatible core context where a program asks for none or for "     \
      "compatibility")                                                                             \
    X(DATA, "any",                                                                                 \
      "bytes to another process: shared (memory), stream, or any: shared where it can be")         \
    X(TOKEN_FILE, "", "file with the token of a tcp server; MGPIPE_TOKEN holds it otherwise")      \
    X(TOKEN, "", "the token of a tcp server itself")                                               \
    X(SSH, "ssh", "command that ssh:HOST starts instead of ssh, with its arguments")               \
    X(RESPAWN, "0", "1: start a new server after a loss and make every object again")              \
    X(RECORD, "",                                                                                  \
      "file that receives every call, for mgpipe replay; portable:FILE: with what all drivers can")\
    X(MAPS, "any", "how writes to persistent maps are found: shared, protect, scan, hash or any")  \
    X(FRAMES, "any",                                                                               \
      "windows of a server in another process: raw or zstd has each frame sent back so, any only " \
      "where the server cannot show it, packed as it pays")                                        \
    X(SERVER, "", "path of mgpiped for the form spawn, for ssh:HOST that of the other machine")    \
    X(STATS, "", "print counters at exit; 1 for the log, else a file name")                        \
    X(RING_KB, "1024", "command ring of a lane in KiB, rounded up to a power of two")              \
    X(STAGE_KB, "32768", "stage memory of a process in KiB, rounded up to a power of two")         \
    X(EVENT_KB, "64", "event ring in KiB, rounded up to a power of two")                           \
    X(CREDIT, "1", "frames the program may be ahead of the driver")                                \
    X(SPIN_US, "50", "time a waiter spins before it parks, in microseconds")                       \
    X(POLL_ESCALATE, "64", "polls of one fence or query before it asks the server")                \
    X(MAP_BLOCK_KB, "64", "block size in KiB in which persistent maps are compared")               \
    X(HOST_HIDE, "", "host features to pretend away, separated by commas; 'all' for every one")    \
    X(FAIL_HOST_CALL, "0", "let the n-th host call that can fail do so (tests)")                   \
    X(VERIFY_TRACE, "", "file that receives every record as text")                                 \
    X(CACHE_DIR, "", "folder of the disk caches; default: XDG_CACHE_HOME/mgpipe; 'off' for none")  \
    X(CACHE_MB, "256", "size limit of the disk caches in MiB")                                     \
    X(COMPILE_THREADS, "0", "threads that compile shaders; 0: by the number of cores")             \
    X(LOG, "", "file that receives the log; default: standard error")                              \
    X(LOG_LEVEL, "warning", "error, warning, info or debug")                                       \
    X(DEBUG, "", "debug flags, separated by commas (see below)")

// N(name, least, most): those that hold a number, and what is legal.
#define UTIL_ENV_NUMBERS(N)                                                                        \
    N(RING_KB, 64, 65536)                                                                          \
    N(STAGE_KB, 256, 1048576)                                                                      \
    N(EVENT_KB, 16, 16384)                                                                         \
    N(RESPAWN, 0, 1)                                                                               \
    N(CREDIT, 1, 8)                                                                                \
    N(SPIN_US, 0, 1000000)                                                                         \
    N(POLL_ESCALATE, 1, 1000000000)                                                                \
    N(MAP_BLOCK_KB, 1, 1048576)                                                                    \
    N(FAIL_HOST_CALL, 0, 2147483647)                                                               \
    N(CACHE_MB, 1, 1048576)                                                                        \
    N(COMPILE_THREADS, 0, 64)

// X(name, help). '-' in the text form where the name has '_'. force-NAME is parsed apart: it
// switches an emulation on.
#define UTIL_DEBUG_FLAGS(X)                                                                        \
    X(sync, "sync", "answer every call before the next one")                                       \
    X(audit, "audit",                                                                              \
      "fill freed stage memory with 0xDD; refuse objects of the other side's thread")              \
    X(audit_corrupt, "audit-corrupt",                                                              \
      "with audit: one call seems to come from the wrong thread, which must be found")             \
    X(trace, "trace", "log every record")                                                          \
    X(nocso, "nocso", "create state objects anew instead of finding them by content")              \
    X(nosuppress, "nosuppress", "send state that did not change too")                              \
    X(norunahead, "norunahead", "wait until every record was applied")                             \
    X(noring, "noring", "apply records on the calling thread")                                     \
    X(inline_bytes, "inline", "send bulk bytes inside records instead of through stage memory")    \
    X(shadow, "shadow", "compare the host's state with its shadow after each verb")                \
    X(verify_corrupt, "verify-corrupt",                                                            \
      "verify builds: spoil one byte of the state that is held, which must be found")              \
    X(codec_corrupt, "codec-corrupt", "verify builds: spoil one record, which must be found")      \
    X(poison_omit, "poison-omit",                                                                  \
      "verify builds: leave one group out of a verb's row, which must be found")                   \
    X(validation, "validation", "load the host's validation layer")                                \
    X(validate_corrupt, "validate-corrupt",                                                        \
      "one wrong call that the validation layer must report (negative control)")                   \
    X(nomerge, "nomerge", "send every draw as a record of its own")                                \
    X(nocache, "nocache", "neither read nor write the disk caches")                                \
    X(gencheck_off, "gencheck-off",                                                                \
      "handle generations stand still and are not checked (negative control)")                     \
    X(rawbind, "rawbind", "bind once behind the shadow's back (negative control)")                 \
    X(seed_race, "seed-race", "let the two threads of a lane race (control of sanitizer builds)")  \
    X(seed_leak, "seed-leak", "leak with every context (control of sanitizer builds)")
