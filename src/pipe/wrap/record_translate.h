// SPDX-License-Identifier: MIT
// Brings records of one definition to another one, by the names of calls, members, enum items,
// chunks and archive members. What the newer one lacks is dropped and said once; what it has beyond
// is zero. Trusts nothing in a record.
#pragma once

#include "record_encoder.h"
#include "record_layout.h"

#include <optional>
#include <set>
#include <span>
#include <string>

namespace wrap {

class Translator {
  public:
    // Both layouts outlive it.
    Translator(const Layout &from, const Layout &to) : from_(from), to_(to) {}

    enum class Result { done, dropped, bad };
    // `content`: the bytes that spans of the record name as content; new ones may be appended. The
    // record lies at record() until the next call. `dropped`: the call exists no more; `bad`:
    // problem() says why.
    Result translate(std::span<const uint8_t> record, std::vector<uint8_t> &content);
    std::span<const uint8_t> record() const { return record_; }
    const std::string &problem() const { return problem_; }

    // Capabilities as they are now; formats are found by name.
    bool translate_caps(std::span<const uint8_t> bytes, std::vector<uint8_t> &out);

    // Notes about dropped members, each once; taken by the caller.
    std::vector<std::string> take_notes();

  private:
    struct In;
    struct Call;
    bool value(const LayoutType &from, const uint8_t *in, const LayoutType &to, uint8_t *out,
               const std::string &where);
    bool members(const LayoutStruct &from, const uint8_t *in, const LayoutStruct &to, uint8_t *out,
                 const std::string &where);
    bool enum_value(const LayoutEnum &from, uint64_t v, const LayoutEnum &to, uint64_t &out,
                    const std::string &where);
    bool chunks(const LayoutCall &from, const uint8_t *old_payload, std::vector<uint8_t> &payload,
                const LayoutCall &to, std::span<const uint8_t> in, std::vector<uint8_t> &out);
    bool archive(int from, int to, In &in, std::vector<uint8_t> &out, const std::string &where);
    bool archive_value(const LayoutType &from, const LayoutType &to, In &in,
                       std::vector<uint8_t> &out, const std::string &where);
    bool skip(const LayoutType &type, In &in);
    void zero(const LayoutMember &member, std::vector<uint8_t> &out);
    void note(const std::string &text);
    bool fail(const std::string &text);

    const Layout &from_, &to_;
    RecordEncoder encoder_;
    std::span<const uint8_t> record_;
    std::vector<std::vector<uint8_t>> made_; // bytes of the spans of record_
    std::string problem_;
    std::set<std::string> noted_;
    std::vector<std::string> notes_;
};

} // namespace wrap
