// SPDX-License-Identifier: MIT
// Fence syncs (GL 4.6 section 4.1). A wait with a time-out of 0 polls and still lets the GPU's work
// go on.
#include "objects/sync.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

Sync::~Sync() {
    st::fence_destroy(*this);
}

Sync *lookup_sync(Context &ctx, GLsync sync) {
    uintptr_t name = reinterpret_cast<uintptr_t>(sync);
    return name && name <= UINT32_MAX ? ctx.group->syncs.find(GLuint(name)) : nullptr;
}

static bool signaled(Context &ctx, Sync &s) {
    // Also of a fence that an event has signaled: persistent maps take their bytes there.
    if (ctx.lost.load(std::memory_order_relaxed) || st::fence_signaled(ctx, s))
        s.signaled.store(true, std::memory_order_release);
    return s.signaled.load(std::memory_order_relaxed);
}

GLsync GL_ENTRY(FenceSync)(Context &ctx, GLenum condition, GLbitfield flags) {
    if (condition != GL_SYNC_GPU_COMMANDS_COMPLETE) {
        error(ctx, GL_INVALID_ENUM, "glFenceSync(condition %s)", enum_name(condition));
        return nullptr;
    }
    if (flags) {
        error(ctx, GL_INVALID_VALUE, "glFenceSync(flags 0x%x)", flags);
        return nullptr;
    }
    GLuint name = 0;
    Ref<Sync> s(new Sync);
    if (ctx.lost.load(std::memory_order_relaxed))
        s->signaled = true;
    else if (!st::fence_create(ctx, *s))
        return nullptr;
    ctx.group->syncs.gen(1, &name);
    ctx.group->syncs.insert(name, s.get());
    return reinterpret_cast<GLsync>(uintptr_t(name));
}

GLboolean GL_ENTRY(IsSync)(Context &ctx, GLsync sync) {
    return lookup_sync(ctx, sync) != nullptr;
}

void GL_ENTRY(DeleteSync)(Context &ctx, GLsync sync) {
    if (!sync)
        return;
    Sync *s = lookup_sync(ctx, sync);
    if (!s)
        return error(ctx, GL_INVALID_VALUE, "glDeleteSync(not a sync object)");
    ctx.group->syncs.remove(s->name);
}

GLenum GL_ENTRY(ClientWaitSync)(Context &ctx, GLsync sync, GLbitfield flags, GLuint64 timeout) {
    if (ctx.lost.load(std::memory_order_relaxed)) { // whatever is waited for: a loop ends
        error(ctx, GL_CONTEXT_LOST, "glClientWaitSync");
        return GL_ALREADY_SIGNALED;
    }
    Ref<Sync> s(lookup_sync(ctx, sync)); // keeps it while another thread deletes the name
    if (!s) {
        error(ctx, GL_INVALID_VALUE, "glClientWaitSync(not a sync object)");
        return GL_WAIT_FAILED;
    }
    if (flags & ~GLbitfield(GL_SYNC_FLUSH_COMMANDS_BIT)) {
        error(ctx, GL_INVALID_VALUE, "glClientWaitSync(flags 0x%x)", flags);
        return GL_WAIT_FAILED;
    }
    if (signaled(ctx, *s))
        return GL_ALREADY_SIGNALED;
    bool flush = flags & GL_SYNC_FLUSH_COMMANDS_BIT;
    if (timeout == 0) // that was the poll, which flushes in any case
        return GL_TIMEOUT_EXPIRED;
    if (st::fence_wait(ctx, *s, timeout, flush)) {
        s->signaled.store(true, std::memory_order_release);
        return GL_CONDITION_SATISFIED;
    }
    return ctx.lost.load(std::memory_order_relaxed) ? GL_CONDITION_SATISFIED : GL_TIMEOUT_EXPIRED;
}

void GL_ENTRY(WaitSync)(Context &ctx, GLsync sync, GLbitfield flags, GLuint64 timeout) {
    Sync *s = lookup_sync(ctx, sync);
    if (!s)
        return error(ctx, GL_INVALID_VALUE, "glWaitSync(not a sync object)");
    if (flags)
        return error(ctx, GL_INVALID_VALUE, "glWaitSync(flags 0x%x)", flags);
    if (timeout != GL_TIMEOUT_IGNORED)
        return error(ctx, GL_INVALID_VALUE, "glWaitSync(a time-out)");
    if (!s->signaled.load(std::memory_order_relaxed))
        st::fence_wait_server(ctx, *s);
}

void GL_ENTRY(GetSynciv)(Context &ctx, GLsync sync, GLenum pname, GLsizei count, GLsizei *length,
                         GLint *values) {
    if (ctx.lost.load(std::memory_order_relaxed)) {
        if (pname == GL_SYNC_STATUS && count > 0)
            values[0] = GL_SIGNALED;
        if (pname == GL_SYNC_STATUS && length)
            *length = count > 0 ? 1 : 0;
        return error(ctx, GL_CONTEXT_LOST, "glGetSynciv");
    }
    Ref<Sync> s(lookup_sync(ctx, sync));
    if (!s)
        return error(ctx, GL_INVALID_VALUE, "glGetSynciv(not a sync object)");
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetSynciv(count %d)", count);
    GLint v = 0;
    switch (pname) {
    case GL_OBJECT_TYPE: v = GL_SYNC_FENCE; break;
    case GL_SYNC_STATUS: v = signaled(ctx, *s) ? GL_SIGNALED : GL_UNSIGNALED; break;
    case GL_SYNC_CONDITION: v = GLint(s->condition); break;
    case GL_SYNC_FLAGS: v = 0; break;
    default: return error(ctx, GL_INVALID_ENUM, "glGetSynciv(%s)", enum_name(pname));
    }
    if (count > 0)
        values[0] = v;
    if (length)
        *length = count > 0 ? 1 : 0;
}
} // namespace gl
