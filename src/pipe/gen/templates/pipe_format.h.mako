## SPDX-License-Identifier: MIT
${c.BANNER}
// Formats of texels, vertices and texel blocks, and the table that describes them.
#pragma once

#include <stdint.h>

${c.enum_text(m.enums['pipe_format'])}

enum { PIPE_FORMAT_COUNT = ${len(m.formats)} };

enum pipe_format_layout {
    PIPE_FORMAT_LAYOUT_NONE,
    PIPE_FORMAT_LAYOUT_ARRAY,  // components in whole bytes, ascending addresses
    PIPE_FORMAT_LAYOUT_PACKED, // components in one little-endian word, from the least significant bit
    PIPE_FORMAT_LAYOUT_BLOCK,  // compressed blocks of block_width x block_height texels
    PIPE_FORMAT_LAYOUT_ZS,     // depth and stencil, packed as above
};

enum pipe_channel_type {
    PIPE_CHANNEL_VOID,
    PIPE_CHANNEL_UNORM,
    PIPE_CHANNEL_SNORM,
    PIPE_CHANNEL_UINT,
    PIPE_CHANNEL_SINT,
    PIPE_CHANNEL_FLOAT,
};

// One channel: its letter ('r' 'g' 'b' 'a' 'l' 'z' 's' 'e' 'x'), type, bits and first bit in the block.
struct pipe_format_channel {
    char name;
    uint8_t type; // pipe_channel_type
    uint8_t bits;
    uint8_t pad0;
    uint16_t shift;
};

struct pipe_format_desc {
    enum pipe_format format;
    const char *name;     // without the prefix
    uint8_t block_bytes;
    uint8_t block_width;  // texels
    uint8_t block_height; // texels
    uint8_t layout;       // pipe_format_layout
    uint8_t num_channels; // void channels included
    uint8_t is_srgb, is_depth, is_stencil;
    uint8_t is_integer;   // pure integer, signed or not (stencil included)
    uint8_t is_signed;    // the first real channel is snorm, sint or float
    uint8_t is_snorm, is_float, is_compressed;
    int8_t channel_of[4]; // index of the channel that holds r, g, b, a; -1: none
    struct pipe_format_channel channel[4];
};

// Never null: an unknown number yields the description of PIPE_FORMAT_NONE.
const struct pipe_format_desc *pipe_format_describe(uint32_t format);
const char *pipe_format_name(uint32_t format);
// PIPE_FORMAT_NONE when no format has this name (without the prefix).
enum pipe_format pipe_format_from_name(const char *name);
