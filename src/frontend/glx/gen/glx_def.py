# SPDX-License-Identifier: MIT
# What the GLX vendor library offers: the version, every extension, and for each extension command how its dispatch stub
# finds the vendor. The generator takes the commands of these from glx.xml; a command without a function
# `glx::api::NAME` does not link.

VERSION = (1, 4)

# Younger than the oldest registry a distribution ships (2019), and known to add no command.
NO_COMMANDS = ['GLX_EXT_get_drawable_type']

# glXQueryExtensionsString and the client and server strings.
EXTENSIONS = [
    'GLX_ARB_context_flush_control',
    'GLX_ARB_create_context',
    'GLX_ARB_create_context_no_error',
    'GLX_ARB_create_context_profile',
    'GLX_ARB_create_context_robustness',
    'GLX_ARB_fbconfig_float',
    'GLX_ARB_framebuffer_sRGB',
    'GLX_ARB_get_proc_address',
    'GLX_ARB_multisample',
    'GLX_EXT_buffer_age',
    'GLX_EXT_framebuffer_sRGB',
    'GLX_EXT_libglvnd',
    'GLX_EXT_no_config_context',
    'GLX_EXT_swap_control',
    'GLX_EXT_swap_control_tear',
    'GLX_EXT_texture_from_pixmap',
    'GLX_EXT_visual_info',
    'GLX_EXT_visual_rating',
    'GLX_MESA_query_renderer',
    'GLX_MESA_swap_control',
    'GLX_OML_swap_method',
    'GLX_OML_sync_control',
    'GLX_SGIS_multisample',
    'GLX_SGIX_fbconfig',
    'GLX_SGIX_pbuffer',
    'GLX_SGI_swap_control',
    'GLX_SGI_video_sync',
]

# Whose commands are there, but not all they promise: every context is direct, so none can be imported.
UNLISTED = ['GLX_EXT_import_context']

# Answered by the dispatch library, never by a vendor.
NOT_OURS = ['glXGetCurrentContext', 'glXGetCurrentDisplay', 'glXGetCurrentDrawable', 'glXGetCurrentReadDrawable',
            'glXGetProcAddress', 'glXGetProcAddressARB']

# Extension commands that the dispatch library knows: it wants the function and no stub.
NO_STUB = ['glXCreateContextAttribsARB', 'glXFreeContextEXT', 'glXImportContextEXT']

# Same function under two names; the types differ in names and const only.
ALIASES = {
    'glXChooseFBConfigSGIX': 'glXChooseFBConfig',
    'glXCreateContextWithConfigSGIX': 'glXCreateNewContext',
    'glXDestroyGLXPbufferSGIX': 'glXDestroyPbuffer',
    'glXGetFBConfigAttribSGIX': 'glXGetFBConfigAttrib',
    'glXGetSelectedEventSGIX': 'glXGetSelectedEvent',
    'glXGetVisualFromFBConfigSGIX': 'glXGetVisualFromFBConfig',
    'glXQueryGLXPbufferSGIX': 'glXQueryDrawable',
    'glXSelectEventSGIX': 'glXSelectEvent',
}

# The word in find_vendor_by_WORD: what the stub of a command asks the dispatch library with. Commands that are not here
# take the current context.
VENDOR_FROM = {
    'glXBindTexImageEXT': 'drawable',
    'glXChooseFBConfigSGIX': 'screen',
    'glXCreateContextWithConfigSGIX': 'fbconfig',
    'glXCreateGLXPbufferSGIX': 'fbconfig',
    'glXCreateGLXPixmapWithConfigSGIX': 'fbconfig',
    'glXDestroyGLXPbufferSGIX': 'drawable',
    'glXGetContextIDEXT': 'context',
    'glXGetFBConfigAttribSGIX': 'fbconfig',
    'glXGetFBConfigFromVisualSGIX': 'visual',
    'glXGetMscRateOML': 'drawable',
    'glXGetSelectedEventSGIX': 'drawable',
    'glXGetSyncValuesOML': 'drawable',
    'glXGetVisualFromFBConfigSGIX': 'fbconfig',
    'glXQueryContextInfoEXT': 'context',
    'glXQueryGLXPbufferSGIX': 'drawable',
    'glXQueryRendererIntegerMESA': 'screen',
    'glXQueryRendererStringMESA': 'screen',
    'glXReleaseTexImageEXT': 'drawable',
    'glXSelectEventSGIX': 'drawable',
    'glXSwapBuffersMscOML': 'drawable',
    'glXSwapIntervalEXT': 'drawable',
    'glXWaitForMscOML': 'drawable',
    'glXWaitForSbcOML': 'drawable',
}

# What a stub tells the dispatch library about the object it made or destroyed: (map or unmap, kind).
MAPPING = {
    'glXCreateContextWithConfigSGIX': ('map', 'context'),
    'glXCreateGLXPbufferSGIX': ('map', 'drawable'),
    'glXCreateGLXPixmapWithConfigSGIX': ('map', 'drawable'),
    'glXChooseFBConfigSGIX': ('map', 'fbconfigs'),
    'glXDestroyGLXPbufferSGIX': ('unmap', 'drawable'),
    'glXGetFBConfigFromVisualSGIX': ('map', 'fbconfig'),
}

# What a stub returns when there is no vendor; 0 where not here.
FAILURE = {
    'glXGetVideoSyncSGI': 'GLX_BAD_CONTEXT',
    'glXQueryContextInfoEXT': 'GLX_BAD_CONTEXT',
    'glXSwapBuffersMscOML': '-1',
    'glXSwapIntervalMESA': 'GLX_BAD_CONTEXT',
    'glXSwapIntervalSGI': 'GLX_BAD_CONTEXT',
    'glXWaitVideoSyncSGI': 'GLX_BAD_CONTEXT',
}
