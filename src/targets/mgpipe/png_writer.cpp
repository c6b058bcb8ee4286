// SPDX-License-Identifier: MIT
// PNG output of the demo, by libpng's simplified interface.
#include "png_writer.h"

#include <png.h>

bool write_png(const std::string &path, int width, int height, const std::vector<uint8_t> &rgba) {
    std::vector<uint8_t> rgb;
    rgb.reserve(size_t(width) * height * 3);
    for (size_t i = 0; i < size_t(width) * height; i++)
        rgb.insert(rgb.end(), {rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]});
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = png_uint_32(width);
    image.height = png_uint_32(height);
    image.format = PNG_FORMAT_RGB;
    // A negative stride means that the first row in memory is the lowest.
    return png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), -3 * width, nullptr);
}
