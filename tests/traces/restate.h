// SPDX-License-Identifier: MIT
// A recording in another definition: opcodes, members, enum values, flag bits, chunks and archive
// members stand in another order, numbers are wider, every struct and call has a member that this
// build does not know (with a value), and there is a call that it does not know. A player of this
// build must draw the same.
#pragma once

#include "record_file.h"
#include "record_layout.h"
#include "record_translate.h"

#include <functional>
#include <string>
#include <vector>

// The definition and its text.
wrap::Layout other_layout();
std::string layout_text(const wrap::Layout &layout);
// The member that this build does not know, first in every payload.
inline constexpr const char *unknown_member = "from_elsewhere";
inline constexpr const char *unknown_call = "call_of_another_time";

// The entries of a recording of this build, restated. Item has `head` and `bytes`.
template <typename Item, typename Set>
std::vector<Item> restated(const std::vector<Item> &items, Set set) {
    using wrap::Entry;
    static const wrap::Layout other = other_layout();
    wrap::Translator translator(wrap::Layout::own(), other);
    std::vector<Item> out;
    std::vector<uint8_t> content;
    bool known = false;
    for (Item item : items) {
        switch (static_cast<Entry>(item.head.kind)) {
        case Entry::layout: {
            const std::string text = layout_text(other);
            set(item, {text.begin(), text.end()});
            break;
        }
        case Entry::open: {
            std::vector<uint8_t> caps;
            translator.translate_caps(item.bytes, caps);
            set(item, caps);
            break;
        }
        case Entry::content:
            content.insert(content.end(), item.bytes.begin(), item.bytes.end());
            continue;
        case Entry::call: {
            if (translator.translate(item.bytes, content) != wrap::Translator::Result::done)
                continue;
            std::vector<uint8_t> record(translator.record().begin(), translator.record().end());
            record[8] = 0x5a; // of the unknown member
            set(item, record);
            if (!content.empty()) {
                Item before = item;
                before.head.kind = uint16_t(Entry::content);
                set(before, content);
                out.push_back(before);
                content.clear();
            }
            break;
        }
        default: break;
        }
        out.push_back(item);
        if (!known && item.head.lane) { // of the unknown call, once
            known = true;
            std::vector<uint8_t> record(16);
            record[0] = uint8_t(other.calls.rbegin()->first);
            record[4] = 16;
            set(item, record);
            item.head.kind = uint16_t(Entry::call);
            out.push_back(item);
        }
    }
    return out;
}
