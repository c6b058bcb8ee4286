// SPDX-License-Identifier: MIT
// What shaders of a lane write to storage and atomic counter buffers, and when bytes of it can be
// promised (writebacks.h): the program says with a barrier when it can read them.
#pragma once

#include "writebacks.h"

#include "pipe/pipe.h"

#include <array>
#include <vector>

namespace remote {

class Lane;

// The lane's thread.
class StorageWrites {
  public:
    // What set_shader_buffers binds; classes that shaders only read are passed over.
    void bind(const pipe_set_shader_buffers &p, const pipe_buffer_range *ranges);
    // A draw or a dispatch of a program that writes memory goes out.
    void verb(Lane &lane);
    // A barrier went out. What it makes readable is promised, unless shaders write there again
    // before anybody looks; then the next flush promises it.
    void barrier(Lane &lane, enum pipe_barrier barriers);
    void flush(Lane &lane) {
        if (!writes_.empty())
            promise(lane, false);
    }

  private:
    struct Write {
        pipe_buffer_range range;
        bool readable; // a barrier came after it
    };
    struct Class {
        std::array<pipe_buffer_range, PIPE_MAX_INDEXED_BUFFERS> range{};
        uint32_t used = 0;
    };
    void note(const pipe_buffer_range &r);
    void promise(Lane &lane, bool early);

    Class bound_[2]; // storage, atomic counters
    std::vector<Write> writes_;
};

} // namespace remote
