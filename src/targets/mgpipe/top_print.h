// SPDX-License-Identifier: MIT
// Sessions as text for a terminal, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "top_sessions.h"

// Lines without their ends, none longer than `width`.
std::vector<std::string> text_of(const std::vector<Session> &sessions, size_t width);
// One line, without its end.
std::string json_of(const std::vector<Session> &sessions);
