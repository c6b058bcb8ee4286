# SPDX-License-Identifier: MIT
# What the EGL vendor library offers: the version and every extension, each in the string it appears in. The generator
# takes the commands of these from egl.xml; a command without a function `egl::api::NAME` does not link.

VERSION = (1, 5)

# Younger than the oldest registry a distribution ships (2019), and known to add no command.
NO_COMMANDS = ['EGL_EXT_explicit_device', 'EGL_EXT_platform_xcb']

# Offered by builds with that window system only.
X11_ONLY = ['EGL_EXT_platform_x11', 'EGL_EXT_platform_xcb', 'EGL_KHR_platform_x11']
WAYLAND_ONLY = ['EGL_EXT_platform_wayland', 'EGL_KHR_platform_wayland']

# eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS)
CLIENT_EXTENSIONS = [
    'EGL_EXT_client_extensions',
    'EGL_EXT_device_base',
    'EGL_EXT_device_enumeration',
    'EGL_EXT_device_query',
    'EGL_EXT_platform_base',
    'EGL_EXT_platform_device',
    'EGL_EXT_explicit_device',
    'EGL_KHR_client_get_all_proc_addresses',
    'EGL_KHR_debug',
    'EGL_MESA_platform_surfaceless',
    *X11_ONLY,
    *WAYLAND_ONLY,
]

# What the dispatch library asks for by name: extensions that only add platforms or platform attributes.
PLATFORM_EXTENSIONS = [
    'EGL_EXT_explicit_device',
    'EGL_EXT_platform_device',
    'EGL_MESA_platform_surfaceless',
    *X11_ONLY,
    *WAYLAND_ONLY,
]

# eglQueryString(display, EGL_EXTENSIONS)
DISPLAY_EXTENSIONS = [
    'EGL_EXT_buffer_age',
    'EGL_EXT_create_context_robustness',
    'EGL_EXT_pixel_format_float',
    'EGL_EXT_swap_buffers_with_damage',
    'EGL_KHR_config_attribs',
    'EGL_KHR_context_flush_control',
    'EGL_KHR_create_context',
    'EGL_KHR_create_context_no_error',
    'EGL_KHR_fence_sync',
    'EGL_KHR_get_all_proc_addresses',
    'EGL_KHR_gl_colorspace',
    'EGL_KHR_no_config_context',
    'EGL_KHR_partial_update',
    'EGL_KHR_surfaceless_context',
    'EGL_KHR_swap_buffers_with_damage',
    'EGL_KHR_wait_sync',
]

# The same, of a display whose driver has texture views and copies.
IMAGE_EXTENSIONS = [
    'EGL_KHR_gl_renderbuffer_image',
    'EGL_KHR_gl_texture_2D_image',
    'EGL_KHR_gl_texture_cubemap_image',
    'EGL_KHR_image_base',
]

# The same, of a display whose driver imports dma-bufs.
DMA_BUF_EXTENSIONS = [
    'EGL_EXT_image_dma_buf_import',
    'EGL_EXT_image_dma_buf_import_modifiers',
]

# eglQueryDeviceStringEXT(device, EGL_EXTENSIONS)
DEVICE_EXTENSIONS = [
    'EGL_EXT_device_query_name',
]
