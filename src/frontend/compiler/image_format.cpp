// SPDX-License-Identifier: MIT
// Layout formats of image uniforms in the pipe's terms.
#include "compiler/lower.h"

namespace compiler {

pipe_format image_format(uint32_t spirv_format) {
    switch (spirv_format) {
    case spv::ImageFormatRgba32f: return PIPE_FORMAT_R32G32B32A32_FLOAT;
    case spv::ImageFormatRgba16f: return PIPE_FORMAT_R16G16B16A16_FLOAT;
    case spv::ImageFormatR32f: return PIPE_FORMAT_R32_FLOAT;
    case spv::ImageFormatRgba8: return PIPE_FORMAT_R8G8B8A8_UNORM;
    case spv::ImageFormatRgba8Snorm: return PIPE_FORMAT_R8G8B8A8_SNORM;
    case spv::ImageFormatRg32f: return PIPE_FORMAT_R32G32_FLOAT;
    case spv::ImageFormatRg16f: return PIPE_FORMAT_R16G16_FLOAT;
    case spv::ImageFormatR11fG11fB10f: return PIPE_FORMAT_R11G11B10_FLOAT;
    case spv::ImageFormatR16f: return PIPE_FORMAT_R16_FLOAT;
    case spv::ImageFormatRgba16: return PIPE_FORMAT_R16G16B16A16_UNORM;
    case spv::ImageFormatRgb10A2: return PIPE_FORMAT_R10G10B10A2_UNORM;
    case spv::ImageFormatRg16: return PIPE_FORMAT_R16G16_UNORM;
    case spv::ImageFormatRg8: return PIPE_FORMAT_R8G8_UNORM;
    case spv::ImageFormatR16: return PIPE_FORMAT_R16_UNORM;
    case spv::ImageFormatR8: return PIPE_FORMAT_R8_UNORM;
    case spv::ImageFormatRgba16Snorm: return PIPE_FORMAT_R16G16B16A16_SNORM;
    case spv::ImageFormatRg16Snorm: return PIPE_FORMAT_R16G16_SNORM;
    case spv::ImageFormatRg8Snorm: return PIPE_FORMAT_R8G8_SNORM;
    case spv::ImageFormatR16Snorm: return PIPE_FORMAT_R16_SNORM;
    case spv::ImageFormatR8Snorm: return PIPE_FORMAT_R8_SNORM;
    case spv::ImageFormatRgba32i: return PIPE_FORMAT_R32G32B32A32_SINT;
    case spv::ImageFormatRgba16i: return PIPE_FORMAT_R16G16B16A16_SINT;
    case spv::ImageFormatRgba8i: return PIPE_FORMAT_R8G8B8A8_SINT;
    case spv::ImageFormatR32i: return PIPE_FORMAT_R32_SINT;
    case spv::ImageFormatRg32i: return PIPE_FORMAT_R32G32_SINT;
    case spv::ImageFormatRg16i: return PIPE_FORMAT_R16G16_SINT;
    case spv::ImageFormatRg8i: return PIPE_FORMAT_R8G8_SINT;
    case spv::ImageFormatR16i: return PIPE_FORMAT_R16_SINT;
    case spv::ImageFormatR8i: return PIPE_FORMAT_R8_SINT;
    case spv::ImageFormatRgba32ui: return PIPE_FORMAT_R32G32B32A32_UINT;
    case spv::ImageFormatRgba16ui: return PIPE_FORMAT_R16G16B16A16_UINT;
    case spv::ImageFormatRgba8ui: return PIPE_FORMAT_R8G8B8A8_UINT;
    case spv::ImageFormatR32ui: return PIPE_FORMAT_R32_UINT;
    case spv::ImageFormatRgb10a2ui: return PIPE_FORMAT_R10G10B10A2_UINT;
    case spv::ImageFormatRg32ui: return PIPE_FORMAT_R32G32_UINT;
    case spv::ImageFormatRg16ui: return PIPE_FORMAT_R16G16_UINT;
    case spv::ImageFormatRg8ui: return PIPE_FORMAT_R8G8_UINT;
    case spv::ImageFormatR16ui: return PIPE_FORMAT_R16_UINT;
    case spv::ImageFormatR8ui: return PIPE_FORMAT_R8_UINT;
    default: return PIPE_FORMAT_NONE;
    }
}

} // namespace compiler
