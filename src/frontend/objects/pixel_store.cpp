// SPDX-License-Identifier: MIT
// Pixel storage modes (GL 4.6 sections 8.4.1, 18.2.2) and read colour clamping.
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/get.h"

namespace gl {
namespace {

struct Mode {
    GLenum name;
    bool pack;
    GLint PixelStore::*number;
    bool PixelStore::*flag;
};
const Mode modes[] = {
    {GL_PACK_SWAP_BYTES, true, nullptr, &PixelStore::swap_bytes},
    {GL_PACK_LSB_FIRST, true, nullptr, &PixelStore::lsb_first},
    {GL_PACK_ROW_LENGTH, true, &PixelStore::row_length, nullptr},
    {GL_PACK_IMAGE_HEIGHT, true, &PixelStore::image_height, nullptr},
    {GL_PACK_SKIP_ROWS, true, &PixelStore::skip_rows, nullptr},
    {GL_PACK_SKIP_PIXELS, true, &PixelStore::skip_pixels, nullptr},
    {GL_PACK_SKIP_IMAGES, true, &PixelStore::skip_images, nullptr},
    {GL_PACK_ALIGNMENT, true, &PixelStore::alignment, nullptr},
    {GL_PACK_COMPRESSED_BLOCK_WIDTH, true, &PixelStore::block_width, nullptr},
    {GL_PACK_COMPRESSED_BLOCK_HEIGHT, true, &PixelStore::block_height, nullptr},
    {GL_PACK_COMPRESSED_BLOCK_DEPTH, true, &PixelStore::block_depth, nullptr},
    {GL_PACK_COMPRESSED_BLOCK_SIZE, true, &PixelStore::block_size, nullptr},
    {GL_UNPACK_SWAP_BYTES, false, nullptr, &PixelStore::swap_bytes},
    {GL_UNPACK_LSB_FIRST, false, nullptr, &PixelStore::lsb_first},
    {GL_UNPACK_ROW_LENGTH, false, &PixelStore::row_length, nullptr},
    {GL_UNPACK_IMAGE_HEIGHT, false, &PixelStore::image_height, nullptr},
    {GL_UNPACK_SKIP_ROWS, false, &PixelStore::skip_rows, nullptr},
    {GL_UNPACK_SKIP_PIXELS, false, &PixelStore::skip_pixels, nullptr},
    {GL_UNPACK_SKIP_IMAGES, false, &PixelStore::skip_images, nullptr},
    {GL_UNPACK_ALIGNMENT, false, &PixelStore::alignment, nullptr},
    {GL_UNPACK_COMPRESSED_BLOCK_WIDTH, false, &PixelStore::block_width, nullptr},
    {GL_UNPACK_COMPRESSED_BLOCK_HEIGHT, false, &PixelStore::block_height, nullptr},
    {GL_UNPACK_COMPRESSED_BLOCK_DEPTH, false, &PixelStore::block_depth, nullptr},
    {GL_UNPACK_COMPRESSED_BLOCK_SIZE, false, &PixelStore::block_size, nullptr},
};

const Mode *find(GLenum name) {
    for (const auto &m : modes)
        if (m.name == name)
            return &m;
    return nullptr;
}

void set_mode(Context &ctx, GLenum name, GLint value, const char *func) {
    const Mode *m = find(name);
    if (!m)
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(name));
    const PixelStore &now = m->pack ? ctx.pack->store : ctx.unpack->store;
    if (m->number == &PixelStore::alignment && value != 1 && value != 2 && value != 4 && value != 8)
        return error(ctx, GL_INVALID_VALUE, "%s(alignment %d)", func, value);
    if (m->number && value < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(%s, %d)", func, enum_name(name), value);
    if (m->number ? now.*m->number == value : now.*m->flag == (value != 0))
        return;
    Writer w(ctx);
    PixelStore &s = m->pack ? w(ctx.pack).store : w(ctx.unpack).store;
    if (m->number)
        s.*m->number = value;
    else
        s.*m->flag = value != 0;
}
} // namespace

bool pixel_store_value(const Context &ctx, GLenum name, GLint &value, bool &flag) {
    const Mode *m = find(name);
    if (!m)
        return false;
    const PixelStore &s = m->pack ? ctx.pack->store : ctx.unpack->store;
    flag = m->flag != nullptr;
    value = flag ? s.*m->flag : s.*m->number;
    return true;
}

void GL_ENTRY(PixelStorei)(Context &ctx, GLenum name, GLint value) {
    set_mode(ctx, name, value, "glPixelStorei");
}
void GL_ENTRY(PixelStoref)(Context &ctx, GLenum name, GLfloat value) {
    const Mode *m = find(name);
    set_mode(ctx, name, m && m->flag ? value != 0 : round_to_int(double(value)), "glPixelStoref");
}

void GL_ENTRY(ClampColor)(Context &ctx, GLenum target, GLenum clamp) {
    if (target != GL_CLAMP_READ_COLOR)
        return error(ctx, GL_INVALID_ENUM, "glClampColor(target %s)", enum_name(target));
    if (clamp != GL_TRUE && clamp != GL_FALSE && clamp != GL_FIXED_ONLY)
        return error(ctx, GL_INVALID_ENUM, "glClampColor(clamp %s)", enum_name(clamp));
    Writer{ctx}.set(ctx.pack, &PixelPackState::clamp_read_color, clamp);
}
} // namespace gl
