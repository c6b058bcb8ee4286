// SPDX-License-Identifier: MIT
// The pipe: the one interface between the half that knows OpenGL (the frontend, the client) and the
// half that knows a GPU API (a driver, the server). The frontend pushes everything before the call
// that needs it; a driver never asks. This header brings the whole of it; include a smaller one
// where that is enough.
#pragma once

#include "pipe/pipe_archive.h"
#include "pipe/pipe_callbacks.h"
#include "pipe/pipe_calls.h"
#include "pipe/pipe_caps.h"
#include "pipe/pipe_enums.h"
#include "pipe/pipe_format.h"
#include "pipe/pipe_handle.h"
#include "pipe/pipe_host_span.h"
#include "pipe/pipe_state.h"
#include "pipe/pipe_structs.h"
#include "pipe/pipe_tables.h"
