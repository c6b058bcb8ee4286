// SPDX-License-Identifier: MIT
// Layout: the definition of the pipe as a recording carries it. One line for each enum, struct,
// chunk, archive struct and call, members below with a dot before them. Both the text of a file and
// the one that is built in go through the same parser, so that a player can bring the calls of an
// older definition to its own by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wrap {

// Of this build; generated.
extern const char *const record_layout_text;

struct LayoutEnum {
    std::string name;
    uint32_t bytes = 4;
    bool flags = false;
    std::vector<std::pair<std::string, uint64_t>> items;
    const uint64_t *value_of(const std::string &item) const;
};

// How one value is stored.
struct LayoutType {
    enum Kind : uint8_t {
        uint,
        sint,
        real,
        handle,
        enumerated,
        structure,
        text,
        words,
        bytes,
        list
    };
    Kind kind = uint;
    uint32_t size = 0, align = 1;   // of one value; 0 where it varies (archives)
    int ref = -1;                   // index of the enum, struct or archive struct
    std::shared_ptr<LayoutType> of; // element of a list
};

struct LayoutMember {
    std::string name;
    LayoutType type;
    uint32_t offset = 0, count = 1;
};

struct LayoutStruct {
    std::string name;
    uint32_t size = 0, align = 1;
    uint32_t depth = 0; // of the structs in it
    std::vector<LayoutMember> members;
    const LayoutMember *member(std::string_view name) const;
};

struct LayoutTail {
    std::string name;
    LayoutType type;
    LayoutMember count; // member of the payload
};

struct LayoutChunk {
    std::string name;
    int structure = -1;
};

struct LayoutCall {
    LayoutStruct payload; // its name is the call's
    std::vector<LayoutTail> tails;
    std::vector<std::string> spans;
    int archive = -1;
    bool answers = false, answers_bytes = false;
    uint32_t reply_size = 0;
};

struct Layout {
    std::vector<LayoutEnum> enums;
    std::vector<LayoutStruct> structs;
    std::vector<LayoutStruct> archives;
    std::vector<LayoutChunk> pipeline, dynamic;
    std::map<uint32_t, LayoutCall> calls; // by opcode

    const LayoutCall *call_named(std::string_view name, uint32_t *op) const;
    const LayoutStruct *struct_named(std::string_view name) const;
    const LayoutEnum *enum_named(std::string_view name) const;

    // False, with the reason, for a text that is no sound layout: every offset lies inside its
    // struct, every reference goes backwards and no deeper than 32 structs. Hostile texts are fine.
    bool parse(std::string_view text, std::string &why);

    // Of this build. Any thread.
    static const Layout &own();
};

} // namespace wrap
