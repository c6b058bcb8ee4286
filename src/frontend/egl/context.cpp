// SPDX-License-Identifier: MIT
// Creation and destruction of contexts: the attributes of EGL 1.5 section 3.7.1,
// EGL_KHR_create_context_no_error, EGL_KHR_context_flush_control and
// EGL_EXT_create_context_robustness.
#include "core.h"
#include "egl_api.h"

#include "util/env.h"
#include "util/log.h"
#include "util/seeded.h"

#include <new>
#include <string_view>
#include <utility>

#ifndef EGL_CONTEXT_OPENGL_NO_ERROR_KHR
#define EGL_CONTEXT_OPENGL_NO_ERROR_KHR 0x31B3
#endif

namespace egl {

void reap(Context *context) {
    if (!context->destroyed || context->current)
        return;
    context->next_ending = std::exchange(thread().ending_contexts, context);
}

bool version_exists(EGLint major, EGLint minor) {
    constexpr EGLint last_minor[] = {-1, 5, 1, 3, 6}; // of each major version
    return major >= 1 && major <= 4 && minor >= 0 && minor <= last_minor[major];
}

namespace {

EGLint parse_flags(EGLint value, ContextAttribs &out) {
    constexpr EGLint known = EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR |
                             EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR |
                             EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR;
    if (value & ~known)
        return EGL_BAD_ATTRIBUTE;
    out.debug = value & EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR;
    out.forward_compatible = value & EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR;
    out.robust = value & EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR;
    return EGL_SUCCESS;
}

EGLint parse_boolean(EGLint value, bool &out) {
    if (value != EGL_TRUE && value != EGL_FALSE)
        return EGL_BAD_ATTRIBUTE;
    out = value;
    return EGL_SUCCESS;
}

EGLint parse_one(EGLint name, EGLint value, ContextAttribs &out) {
    switch (name) {
    case EGL_CONTEXT_MAJOR_VERSION: out.major = value; return EGL_SUCCESS;
    case EGL_CONTEXT_MINOR_VERSION: out.minor = value; return EGL_SUCCESS;
    case EGL_CONTEXT_FLAGS_KHR: return parse_flags(value, out);
    case EGL_CONTEXT_OPENGL_DEBUG: return parse_boolean(value, out.debug);
    case EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE: return parse_boolean(value, out.forward_compatible);
    case EGL_CONTEXT_OPENGL_ROBUST_ACCESS:
    case EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT: return parse_boolean(value, out.robust);
    case EGL_CONTEXT_OPENGL_NO_ERROR_KHR: return parse_boolean(value, out.no_error);
    case EGL_CONTEXT_OPENGL_PROFILE_MASK: out.profile = value; return EGL_SUCCESS;
    case EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY:
    case EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT:
        if (value != EGL_NO_RESET_NOTIFICATION && value != EGL_LOSE_CONTEXT_ON_RESET)
            return EGL_BAD_ATTRIBUTE;
        out.lose_on_reset = value == EGL_LOSE_CONTEXT_ON_RESET;
        return EGL_SUCCESS;
    case EGL_CONTEXT_RELEASE_BEHAVIOR_KHR:
        if (value != EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR &&
            value != EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR)
            return EGL_BAD_ATTRIBUTE;
        out.flush_on_release = value == EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR;
        return EGL_SUCCESS;
    default: return EGL_BAD_ATTRIBUTE;
    }
}

// Whether such a context can be made here; the error if not. Only the core profile exists.
EGLint check_version(const ContextAttribs &a) {
    const EGLint version = a.major * 10 + a.minor;
    if (!version_exists(a.major, a.minor))
        return EGL_BAD_MATCH;
    if (a.forward_compatible && version < 30)
        return EGL_BAD_MATCH;
    if (version >= 32) { // below, the profile is ignored
        if (a.profile != EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT &&
            a.profile != EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT)
            return EGL_BAD_MATCH; // also for unknown bits (EGL 1.5, section 3.7.1)
        if (a.profile == EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT)
            return EGL_SUCCESS;
    } else if (version == 31 || a.forward_compatible) {
        return EGL_SUCCESS; // 3.1 dropped the old functions, and so does 3.0 if forward compatible
    }
    log_warning_once("egl",
                     "OpenGL %d.%d without a core profile was asked for: there is no "
                     "compatibility profile yet (ask for 3.1, or 3.2 and later core; "
                     "MGPIPE_GL_PROFILE=core gives a core context all the same)",
                     a.major, a.minor);
    return EGL_BAD_MATCH;
}

// MGPIPE_GL_PROFILE=core turns a wish for the old functions into one for a forward-compatible core
// context of the highest version, as Mesa does under MESA_GL_VERSION_OVERRIDE=4.6FC. The context
// says so itself (GL_CONTEXT_PROFILE_MASK, GL_CONTEXT_FLAGS).
void prefer_core(ContextAttribs &a) {
    const EGLint version = a.major * 10 + a.minor;
    const bool compatibility = version >= 32
                                   ? a.profile == EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                                   : version < 31 && !a.forward_compatible;
    const std::string_view wanted = util::env_text(util::Env::GL_PROFILE);
    if (!wanted.empty() && wanted != "core")
        log_warning_once("egl", "MGPIPE_GL_PROFILE=%s: only core can be asked for", wanted.data());
    if (!compatibility || wanted != "core")
        return;
    a.profile = EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT;
    a.forward_compatible = true;
    if (version < 31) {
        a.major = 3;
        a.minor = 1;
    }
}

struct Request {
    const Config *config = nullptr;
    Context *share = nullptr;
    ContextAttribs attribs;
};

EGLBoolean check_request(Display *display, EGLConfig config, EGLContext share, const EGLint *list,
                         Request &out) {
    if (config != EGL_NO_CONFIG_KHR && !(out.config = display->find_config(config)))
        return fail(EGL_BAD_CONFIG, "not a config of the display", display);
    if (bound_api() != EGL_OPENGL_API)
        return out.config
                   ? fail(EGL_BAD_CONFIG, "the config is for OpenGL; call eglBindAPI", display)
                   : fail(EGL_BAD_MATCH, "only OpenGL contexts exist; call eglBindAPI", display);
    if (share != EGL_NO_CONTEXT && !(out.share = display->find_context(share))) {
        // A context of another display is a mismatch, anything else is no context.
        for (Display *other : state().displays)
            if (other->find_context(share))
                return fail(EGL_BAD_MATCH, "the share context belongs to another display", display);
        return fail(EGL_BAD_CONTEXT, "the share context is not a context", display);
    }
    for (; list && *list != EGL_NONE; list += 2)
        if (parse_one(list[0], list[1], out.attribs) != EGL_SUCCESS)
            return fail(EGL_BAD_ATTRIBUTE, "unknown context attribute or illegal value", display);
    return EGL_TRUE;
}

EGLint check_attribs(const Context *share, ContextAttribs &attribs) {
    if (attribs.no_error && (attribs.debug || attribs.robust))
        return because(EGL_BAD_MATCH, "a no-error context is neither debug nor robust");
    if (version_exists(attribs.major, attribs.minor))
        prefer_core(attribs);
    const EGLint error = check_version(attribs);
    if (error != EGL_SUCCESS)
        return because(error, "no such version, profile or flag");
    if (share &&
        (share->no_error != attribs.no_error || share->lose_on_reset != attribs.lose_on_reset))
        return because(EGL_BAD_MATCH, "contexts share only with their like in errors and resets");
    if (share && (share->lost || gl_is_lost(share)))
        return because(EGL_CONTEXT_LOST, "the share context is lost");
    return EGL_SUCCESS;
}

bool context_value(const Context &context, EGLint attribute, EGLint *value) {
    switch (attribute) {
    case EGL_CONFIG_ID: *value = context.config ? context.config->id : 0; break;
    case EGL_CONTEXT_CLIENT_TYPE: *value = EGL_OPENGL_API; break;
    case EGL_CONTEXT_CLIENT_VERSION: *value = gl_version(&context) / 10; break;
    case EGL_RENDER_BUFFER:
        *value = !context.draw                   ? EGL_NONE
                 : context.draw->single_buffered ? EGL_SINGLE_BUFFER
                                                 : EGL_BACK_BUFFER;
        break;
    default: return false;
    }
    return true;
}

} // namespace

EGLint core_context_create(Lock &lock, Display *display, const Config *config, Context *share,
                           const ContextAttribs &wish, Context *&out) {
    util::seeded_leak();
    ContextAttribs attribs = wish;
    EGLint error = check_attribs(share, attribs);
    if (error != EGL_SUCCESS)
        return error;
    auto context = std::make_unique<Context>();
    context->display = display;
    context->config = config;
    context->no_error = attribs.no_error;
    context->lose_on_reset = attribs.lose_on_reset;
    context->group = share ? share->group : std::move(display->spare);
    const std::shared_ptr<Platform> system = display->system; // the display may be terminated
    state().contexts_coming++;
    lock.unlock();
    try {
        if (!context->group)
            context->group = group_create(system.get());
        error = context->group ? gl_create(context.get(), attribs) : EGL_BAD_ALLOC;
    } catch (const std::bad_alloc &) { // forks wait for us
        error = because(EGL_BAD_ALLOC, "no memory is left");
    }
    lock.lock();
    if (state().contexts_coming)
        state().contexts_coming--;
    state().settled->notify_all();
    if (!context->group)
        return because(EGL_BAD_ALLOC, "no driver can start");
    if (error == EGL_SUCCESS && !display->initialized) {
        context->destroyed = true;
        reap(context.release());
        return because(EGL_NOT_INITIALIZED, "the display was terminated meanwhile");
    }
    if (error != EGL_SUCCESS) {
        // A refused version costs no screen: programs ask downwards from 4.6.
        if (!share && display->initialized && !display->spare)
            display->spare = std::move(context->group);
        return because(error, "the driver cannot make such a context");
    }
    display->contexts.insert(context.get());
    out = context.release();
    return EGL_SUCCESS;
}

void core_context_destroy(Context *context) {
    context->display->contexts.erase(context);
    context->destroyed = true;
    reap(context);
}

namespace api {

EGLContext EGLAPIENTRY CreateContext(EGLDisplay dpy, EGLConfig config, EGLContext share_context,
                                     const EGLint *attrib_list) {
    Call call("eglCreateContext");
    Display *display = get_initialized(dpy);
    Request request;
    if (!display || !check_request(display, config, share_context, attrib_list, request))
        return EGL_NO_CONTEXT;
    Context *context = nullptr;
    const EGLint error =
        core_context_create(call, display, request.config, request.share, request.attribs, context);
    if (error == EGL_SUCCESS)
        return context;
    fail_for(error, display);
    return EGL_NO_CONTEXT;
}

EGLBoolean EGLAPIENTRY DestroyContext(EGLDisplay dpy, EGLContext ctx) {
    Call call("eglDestroyContext");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    Context *context = display->find_context(ctx);
    if (!context)
        return fail(EGL_BAD_CONTEXT, "not a context of the display", display);
    core_context_destroy(context);
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY QueryContext(EGLDisplay dpy, EGLContext ctx, EGLint attribute,
                                    EGLint *value) {
    Call call("eglQueryContext");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    Context *context = display->find_context(ctx);
    if (!context)
        return fail(EGL_BAD_CONTEXT, "not a context of the display", display);
    if (!value)
        return fail(EGL_BAD_PARAMETER, "no place for the value", context);
    if (!context_value(*context, attribute, value))
        return fail(EGL_BAD_ATTRIBUTE, "unknown context attribute", context);
    return EGL_TRUE;
}

} // namespace api
} // namespace egl
