// SPDX-License-Identifier: MIT
// Formats that the player's driver has not: textures get the nearest wider one when every texel
// keeps its value there, and the calls that name them are brought in line. What would not be exact
// is refused with a line.
#pragma once

#include "record_encoder.h"

#include "pipe/pipe.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace wrap {

// The smallest format of `caps` that can be sampled and holds every value of `format`, with zeros
// and a one where it has more components; PIPE_FORMAT_NONE when there is none.
uint32_t wider_format(const pipe_caps &caps, uint32_t format);

class WiderFormats {
  public:
    explicit WiderFormats(const pipe_caps &caps) : caps_(caps) {}

    // `record` is a call of this build, long enough for its payload but not proven; it may become
    // another one, valid until the next call, and `content` what that names. False: refused, why()
    // says it.
    bool fit(std::span<const uint8_t> &record, std::vector<uint8_t> &content);
    const std::string &why() const { return why_; }
    // Lines about formats that were replaced, each once; taken by the caller.
    std::vector<std::string> take_notes();

  private:
    struct Pair {
        uint32_t from, to;
    };
    const Pair *of(pipe_handle resource) const;
    bool describe(pipe_resource_desc &desc);
    bool upload(const Pair &pair, std::span<const uint8_t> &record, std::vector<uint8_t> &content);
    bool convert(const Pair &pair, const pipe_region &in, std::span<const uint8_t> bytes,
                 pipe_region &out, std::vector<uint8_t> &to) const;
    template <typename P> P &own(std::span<const uint8_t> &record);
    bool refuse(const Pair &pair, const char *what);

    const pipe_caps &caps_;
    std::map<uint64_t, Pair> replaced_; // by resource
    std::map<uint32_t, bool> noted_;
    std::vector<std::string> notes_;
    std::vector<uint64_t> copy_;
    RecordEncoder encoder_;
    std::string why_;
};

} // namespace wrap
