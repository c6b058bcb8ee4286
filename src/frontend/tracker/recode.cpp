// SPDX-License-Identifier: MIT
// Copies and mipmaps of levels of blocks; see the header.
#include "tracker/recode.h"

#include "tracker/decompress.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace st {

namespace {

gl::PixelStore tight() {
    gl::PixelStore s;
    s.alignment = 1;
    return s;
}

// `box` grown to whole blocks, as far as the level goes.
Box whole_blocks(const gl::TexImage &im, const Box &box) {
    const GLint bw = im.format->block_w, bh = im.format->block_h;
    const GLint x0 = box.x / bw * bw, y0 = box.y / bh * bh;
    const GLint x1 = std::min((box.x + box.w + bw - 1) / bw * bw, im.width);
    const GLint y1 = std::min((box.y + box.h + bh - 1) / bh * bh, im.height);
    return {x0, y0, box.z, x1 - x0, y1 - y0, box.d};
}

float to_linear(float v) {
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

float to_srgb(float v) {
    return v <= 0.0031308f ? v * 12.92f : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
}

// RGBA texels, w x h x d of them.
struct Image {
    GLsizei w, h, d;
    std::vector<float> texels;

    const float *at(GLsizei x, GLsizei y, GLsizei z) const {
        return &texels[4 * ((size_t(z) * size_t(h) + size_t(y)) * size_t(w) + size_t(x))];
    }
};

Image smaller(const Image &from, GLsizei w, GLsizei h, GLsizei d) {
    Image to{w, h, d, std::vector<float>(4 * size_t(w) * size_t(h) * size_t(d))};
    float *out = to.texels.data();
    // Sides that do not shrink (layers, sides of one texel) average a texel with itself.
    const GLsizei sx = from.w > w ? 2 : 1, sy = from.h > h ? 2 : 1, sz = from.d > d ? 2 : 1;
    for (GLsizei z = 0; z < d; z++)
        for (GLsizei y = 0; y < h; y++)
            for (GLsizei x = 0; x < w; x++, out += 4)
                for (int i = 0; i < 8; i++) {
                    const float *t =
                        from.at(x * sx + (i & 1) * (sx - 1), y * sy + (i >> 1 & 1) * (sy - 1),
                                z * sz + (i >> 2) * (sz - 1));
                    for (int k = 0; k < 4; k++)
                        out[k] += t[k] / 8;
                }
    return to;
}

template <class Curve> void bend(Image &m, Curve curve) {
    for (size_t i = 0; i < m.texels.size(); i++)
        if (i % 4 != 3)
            m.texels[i] = curve(m.texels[i]);
}

void send(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level, const Image &m) {
    Image encoded = m;
    if (tex.image[face][level].format->srgb)
        bend(encoded, to_srgb);
    const gl::PixelStore store = tight();
    texture_subdata(c, tex, face, level, {0, 0, 0, m.w, m.h, m.d},
                    {GL_RGBA, GL_FLOAT, &store, nullptr, encoded.texels.data()});
}

void mipmap_face(gl::Context &c, gl::Texture &tex, unsigned face, unsigned base, unsigned last) {
    const gl::TexImage &first = tex.image[face][base];
    Image m{first.width, first.height, first.depth, {}};
    m.texels.resize(4 * size_t(m.w) * size_t(m.h) * size_t(m.d));
    const gl::PixelStore store = tight();
    if (!texture_get_image(c, tex, face, base, {0, 0, 0, m.w, m.h, m.d},
                           {GL_RGBA, GL_FLOAT, &store, nullptr, m.texels.data()}))
        return;
    if (first.format->srgb)
        bend(m, to_linear);
    for (unsigned level = base + 1; level <= last; level++) {
        const gl::TexImage &im = tex.image[face][level];
        m = smaller(m, im.width, im.height, im.depth);
        send(c, tex, face, level, m);
    }
}

} // namespace

void copy_as_blocks(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                    gl::Framebuffer &fb, GLint x, GLint y) {
    const gl::TexImage &im = tex.image[face][level];
    const DecodedPair pair = decoded_pair(*im.format);
    const Box whole = whole_blocks(im, box);
    const bool part = whole.w != box.w || whole.h != box.h;
    gl::PixelStore store = tight();
    std::vector<uint8_t> texels(size_t(whole.w) * size_t(whole.h) * pair.bytes);
    const auto rect = [&](void *p) {
        return PixelRect{pair.format, pair.type, &store, nullptr, p};
    };
    if (part && !texture_get_image(c, tex, face, level, whole, rect(texels.data())))
        return;
    store.row_length = whole.w;
    const size_t first =
        (size_t(box.y - whole.y) * size_t(whole.w) + size_t(box.x - whole.x)) * pair.bytes;
    if (!read_pixels(c, fb, x, y, box.w, box.h, rect(texels.data() + first)))
        return;
    texture_subdata(c, tex, face, level, whole, rect(texels.data()));
}

void mipmap_as_blocks(gl::Context &c, gl::Texture &tex, unsigned base, unsigned last) {
    const unsigned faces = tex.index == gl::TEX_CUBE ? 6 : 1;
    for (unsigned face = 0; face < faces; face++)
        mipmap_face(c, tex, face, base, last);
}

} // namespace st
