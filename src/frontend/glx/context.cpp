// SPDX-License-Identifier: MIT
// Creation, destruction and queries of contexts: GLX 1.4 section 3.3.7, GLX_ARB_create_context with
// its profile, robustness and no-error siblings, GLX_ARB_context_flush_control,
// GLX_EXT_no_config_context, GLX_EXT_import_context (contexts of other processes are never found).
#include "glx_api.h"
#include "state.h"

#include "util/log.h"

namespace glx {

namespace {

// What a program asks for, beside the versions and flags of EGL's contexts.
struct Wish {
    egl::ContextAttribs attribs;
    int render_type = GLX_RGBA_TYPE;
    int screen = -1; // GLX_SCREEN
};

GLXContext handle_of(Context *context) {
    return reinterpret_cast<GLXContext>(context);
}

bool parse_flags(int value, egl::ContextAttribs &out) {
    constexpr int known = GLX_CONTEXT_DEBUG_BIT_ARB | GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB |
                          GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB;
    out.debug = value & GLX_CONTEXT_DEBUG_BIT_ARB;
    out.forward_compatible = value & GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB;
    out.robust = value & GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB;
    return !(value & ~known);
}

// The values of EGL's and GLX's profile bits are the same.
bool parse_profile(Call &call, int value, egl::ContextAttribs &out) {
    if (value != GLX_CONTEXT_CORE_PROFILE_BIT_ARB &&
        value != GLX_CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB)
        return call.fail(GlxError{GLXBadProfileARB});
    out.profile = value;
    return true;
}

bool parse_one(Call &call, int name, int value, Wish &out) {
    bool good = true;
    switch (name) {
    case GLX_CONTEXT_MAJOR_VERSION_ARB: out.attribs.major = value; break;
    case GLX_CONTEXT_MINOR_VERSION_ARB: out.attribs.minor = value; break;
    case GLX_CONTEXT_FLAGS_ARB: good = parse_flags(value, out.attribs); break;
    case GLX_CONTEXT_PROFILE_MASK_ARB: return parse_profile(call, value, out.attribs);
    case GLX_CONTEXT_OPENGL_NO_ERROR_ARB: out.attribs.no_error = value; break;
    case GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB:
        if (value != GLX_NO_RESET_NOTIFICATION_ARB && value != GLX_LOSE_CONTEXT_ON_RESET_ARB)
            return call.fail(BadMatch);
        out.attribs.lose_on_reset = value == GLX_LOSE_CONTEXT_ON_RESET_ARB;
        break;
    case GLX_CONTEXT_RELEASE_BEHAVIOR_ARB:
        good = value == GLX_CONTEXT_RELEASE_BEHAVIOR_NONE_ARB ||
               value == GLX_CONTEXT_RELEASE_BEHAVIOR_FLUSH_ARB;
        out.attribs.flush_on_release = value == GLX_CONTEXT_RELEASE_BEHAVIOR_FLUSH_ARB;
        break;
    case GLX_RENDER_TYPE: out.render_type = value; break;
    case GLX_SCREEN: out.screen = value; break;
    default: good = false; break;
    }
    return good || call.fail(BadValue);
}

// Whether the config can be drawn to in that way.
bool check_render_type(Call &call, const FBConfig *config, int render_type) {
    switch (render_type) {
    case GLX_RGBA_TYPE: return true; // drawing to float buffers needs no other kind of context
    case GLX_RGBA_FLOAT_TYPE_ARB:
        return !config || config->config->color == egl::Color::rgba16f || call.fail(BadMatch);
    case GLX_COLOR_INDEX_TYPE: return call.fail(BadMatch);
    default: return call.fail(BadValue);
    }
}

// The rules whose breach is a BadMatch; what remains is that there is no such context here.
bool check_match(Call &call, const egl::ContextAttribs &a, const Context *share) {
    const bool good =
        egl::version_exists(a.major, a.minor) && !(a.forward_compatible && a.major < 3) &&
        !(a.no_error && (a.debug || a.robust)) &&
        (!share ||
         (share->egl->no_error == a.no_error && share->egl->lose_on_reset == a.lose_on_reset));
    return good || call.fail(BadMatch);
}

// The X error of a context that EGL's core refused.
bool fail_create(Call &call, const Wish &wish, EGLint error) {
    switch (error) {
    case EGL_CONTEXT_LOST:
    case EGL_BAD_CONTEXT: return call.fail(GlxError{GLXBadContext});
    case EGL_BAD_MATCH: break;
    default: return call.fail(BadAlloc);
    }
    const bool profiles = wish.attribs.major * 10 + wish.attribs.minor >= 32;
    if (profiles && wish.attribs.profile == GLX_CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB)
        return call.fail(GlxError{GLXBadProfileARB});
    return call.fail(GlxError{GLXBadFBConfig});
}

// Null with the error set. `id` is the X id that the context takes.
Context *create(Call &call, Screen *screen, const FBConfig *config, GLXContext share_handle,
                const Wish &wish, XID id) {
    Context *share = nullptr;
    if (call.exiting())
        return nullptr;
    if (share_handle && !(share = find_context(share_handle))) {
        call.fail(GlxError{GLXBadContext});
        return nullptr;
    }
    if (share && share->screen != screen) {
        call.fail(BadMatch);
        return nullptr;
    }
    if (!check_render_type(call, config, wish.render_type) ||
        !check_match(call, wish.attribs, share))
        return nullptr;
    const XID share_id = share ? share->id : 0; // others may end it meanwhile
    egl::Context *made = nullptr;
    const EGLint error =
        egl::core_context_create(call.lock(), screen->display, config ? config->config : nullptr,
                                 share ? share->egl : nullptr, wish.attribs, made);
    if (error != EGL_SUCCESS) {
        fail_create(call, wish, error);
        return nullptr;
    }
    auto *context = new Context{call.connection().dpy, screen, config};
    context->egl = made;
    context->id = id;
    context->share_id = share_id;
    context->render_type = wish.render_type;
    state().contexts.insert(context);
    return context;
}

GLXContext create_with_config(Display *dpy, int request, GLXFBConfig handle, GLXContext share,
                              int render_type) {
    const XID id = make_id(dpy);
    Call call(dpy, request);
    const FBConfig *config = find_config(call.server(), handle);
    if (!config) {
        call.fail(GlxError{GLXBadFBConfig});
        return nullptr;
    }
    Wish wish;
    wish.render_type = render_type;
    return handle_of(create(call, screen_of(call.server(), *config), config, share, wish, id));
}

bool context_value(const Context &context, int attribute, int *value) {
    switch (attribute) {
    case GLX_FBCONFIG_ID: *value = context.config ? context.config->id : 0; break;
    case GLX_RENDER_TYPE: *value = context.render_type; break;
    case GLX_SCREEN: *value = context.screen->number; break;
    case GLX_SHARE_CONTEXT_EXT: *value = int(context.share_id); break;
    case GLX_VISUAL_ID_EXT: *value = context.config ? int(context.config->visual) : 0; break;
    default: return false;
    }
    return true;
}

int query(Display *dpy, GLXContext handle, int request, int attribute, int *value) {
    Call call(dpy, request);
    const Context *context = find_context(handle);
    if (!context) {
        call.fail(GlxError{GLXBadContext});
        return GLX_BAD_CONTEXT;
    }
    return context_value(*context, attribute, value) ? Success : GLX_BAD_ATTRIBUTE;
}

} // namespace

namespace api {

GLXContext CreateContext(Display *dpy, XVisualInfo *vis, GLXContext shareList, Bool) {
    if (!vis)
        return nullptr;
    Screen *screen = open_screen(dpy, vis->screen);
    const XID id = make_id(dpy);
    Call call(dpy, X_GLXCreateContext);
    const FBConfig *config = screen ? owner_of(screen->configs, vis->visualid) : nullptr;
    if (!config) {
        call.fail(BadValue, vis->visualid);
        return nullptr;
    }
    return handle_of(create(call, screen, config, shareList, {}, id));
}

GLXContext CreateNewContext(Display *dpy, GLXFBConfig config, int render_type,
                            GLXContext share_list, Bool) {
    return create_with_config(dpy, X_GLXCreateNewContext, config, share_list, render_type);
}

GLXContext CreateContextAttribsARB(Display *dpy, GLXFBConfig handle, GLXContext share_context, Bool,
                                   const int *attrib_list) {
    int number = -1;
    for (const int *a = attrib_list; a && *a != int(None); a += 2)
        if (a[0] == GLX_SCREEN)
            number = a[1];
    Screen *screen = handle ? nullptr : open_screen(dpy, number);
    const XID id = make_id(dpy);
    Call call(dpy, X_GLXCreateContextAttribsARB);
    const FBConfig *config = handle ? find_config(call.server(), handle) : nullptr;
    if (handle && !config) {
        call.fail(GlxError{GLXBadFBConfig});
        return nullptr;
    }
    if (config)
        screen = screen_of(call.server(), *config);
    Wish wish;
    for (const int *a = attrib_list; a && *a != int(None); a += 2)
        if (!parse_one(call, a[0], a[1], wish))
            return nullptr;
    if (!screen || (wish.screen >= 0 && wish.screen != screen->number)) {
        call.fail(config ? BadMatch : BadValue);
        return nullptr;
    }
    return handle_of(create(call, screen, config, share_context, wish, id));
}

void DestroyContext(Display *dpy, GLXContext ctx) {
    Call call(dpy, X_GLXDestroyContext);
    if (Context *context = find_context(ctx))
        destroy(context);
    else if (reinterpret_cast<Context *>(ctx) != thread().current) // destroyed twice while current
        call.fail(GlxError{GLXBadContext});
}

Bool IsDirect(Display *dpy, GLXContext ctx) {
    Call call(dpy, X_GLXIsDirect);
    return find_context(ctx) ? True : Bool(call.fail(GlxError{GLXBadContext}));
}

int QueryContext(Display *dpy, GLXContext ctx, int attribute, int *value) {
    return query(dpy, ctx, X_GLXQueryContext, attribute, value);
}

int QueryContextInfoEXT(Display *dpy, GLXContext context, int attribute, int *value) {
    return query(dpy, context, X_GLXVendorPrivateWithReply, attribute, value);
}

GLXContextID GetContextIDEXT(const GLXContext handle) {
    egl::Lock lock;
    const Context *context = find_context(handle);
    return context ? context->id : 0;
}

// Every context is direct, and those are never seen by other processes.
GLXContext ImportContextEXT(Display *dpy, GLXContextID contextID) {
    Call call(dpy, X_GLXVendorPrivateWithReply);
    for (const Context *context : state().contexts)
        if (context->id == contextID)
            return nullptr;
    call.fail(GlxError{GLXBadContext}, contextID);
    return nullptr;
}

void FreeContextEXT(Display *dpy, GLXContext) {
    Call call(dpy, X_GLXVendorPrivateWithReply);
    call.fail(GlxError{GLXBadContext});
}

// State of direct contexts cannot be copied in parts.
void CopyContext(Display *dpy, GLXContext src, GLXContext dst, unsigned long) {
    Call call(dpy, X_GLXCopyContext);
    const Context *to = find_context(dst);
    if (!to || !find_context(src))
        call.fail(GlxError{GLXBadContext});
    else
        call.fail(to->current ? BadAccess : BadMatch);
}

} // namespace api
} // namespace glx
