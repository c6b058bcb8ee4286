// SPDX-License-Identifier: MIT
// A pipe driver without a GPU: accepts everything, draws nothing, answers zero. For frontend tests
// and for measuring what everything above a driver costs.
#pragma once

struct pipe_screen;
struct pipe_screen_config;

// Never fails. `config` may be null.
struct pipe_screen *noop_create_screen(const struct pipe_screen_config *config);
