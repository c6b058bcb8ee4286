// SPDX-License-Identifier: MIT
// Transform feedback objects and captures (GL 4.6 section 13.3).
#include "objects/transform_feedback.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

TransformFeedback::~TransformFeedback() {
    st::xfb_destroy(*this);
}

TransformFeedback *lookup_xfb(Context &ctx, GLuint name) {
    if (!name)
        return ctx.default_xfb.get();
    TransformFeedback *x = ctx.xfbs.find(name);
    return x && x->ever_bound ? x : nullptr;
}

namespace {

// The program whose outputs are captured: the last vertex processing stage that has one.
Program *capture_program(Context &ctx) {
    for (Stage s : {Stage::geometry, Stage::tess_evaluation, Stage::vertex})
        if (Program *p = program_at(ctx, s))
            if (p->linked && (p->linked->stages >> unsigned(s) & 1))
                return p;
    return nullptr;
}

TransformFeedback *named(Context &ctx, GLuint name, const char *func) {
    TransformFeedback *x = lookup_xfb(ctx, name);
    if (!x)
        error(ctx, GL_INVALID_OPERATION, "%s(no transform feedback object %u)", func, name);
    return x;
}

void bind_named(Context &ctx, GLuint name, GLuint index, GLuint buffer, bool whole, GLintptr offset,
                GLsizeiptr size, const char *func) {
    TransformFeedback *x = named(ctx, name, func);
    if (!x)
        return;
    Buffer *b = nullptr;
    if (buffer && !(b = lookup_buffer(ctx, buffer)))
        return error(ctx, GL_INVALID_VALUE, "%s(no buffer object %u)", func, buffer);
    if (index >= GLuint(ctx.limits().xfb_buffers))
        return error(ctx, GL_INVALID_VALUE, "%s(index %u)", func, index);
    if (!whole && b && (offset < 0 || size <= 0 || (offset & 3) || (size & 3)))
        return error(ctx, GL_INVALID_VALUE, "%s(offset %lld, size %lld)", func, (long long)offset,
                     (long long)size);
    if (x->active)
        return error(ctx, GL_INVALID_OPERATION, "%s(the object is active)", func);
    BufferRange r{b, b && !whole ? offset : 0, b && !whole ? size : 0, !b || whole};
    if (x->slot[index] == r)
        return;
    x->slot[index] = r;
    x->version++;
    if (b) {
        note_bound(ctx, *b);
        note_buffer_use(*b, G::xfb);
    }
    if (ctx.xfb->object == x)
        Writer{ctx}.mark(G::xfb);
}
} // namespace

// --- names ---------------------------------------------------------------------------------------

void GL_ENTRY(GenTransformFeedbacks)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenTransformFeedbacks(n %d)", n);
    ctx.xfbs.gen(unsigned(n), names);
}
void GL_ENTRY(CreateTransformFeedbacks)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateTransformFeedbacks(n %d)", n);
    ctx.xfbs.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++)
        ctx.xfbs.insert(names[i], new TransformFeedback)->ever_bound = true;
}
void GL_ENTRY(DeleteTransformFeedbacks)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteTransformFeedbacks(n %d)", n);
    for (GLsizei i = 0; i < n; i++) {
        TransformFeedback *x = names[i] ? ctx.xfbs.find(names[i]) : nullptr;
        if (x && x->active)
            return error(ctx, GL_INVALID_OPERATION,
                         "glDeleteTransformFeedbacks(object %u is active)", names[i]);
    }
    for (GLsizei i = 0; i < n; i++)
        if (Ref<TransformFeedback> x = ctx.xfbs.remove(names[i]); x && ctx.xfb->object == x)
            Writer{ctx}(ctx.xfb).object = ctx.default_xfb;
}
GLboolean GL_ENTRY(IsTransformFeedback)(Context &ctx, GLuint name) {
    return name && lookup_xfb(ctx, name);
}

void GL_ENTRY(BindTransformFeedback)(Context &ctx, GLenum target, GLuint name) {
    if (target != GL_TRANSFORM_FEEDBACK)
        return error(ctx, GL_INVALID_ENUM, "glBindTransformFeedback(target %s)", enum_name(target));
    const TransformFeedback &now = *ctx.xfb->object;
    if (now.active && !now.paused)
        return error(ctx, GL_INVALID_OPERATION, "glBindTransformFeedback(a capture is active)");
    TransformFeedback *x = name ? ctx.xfbs.find(name) : ctx.default_xfb.get();
    if (!x) {
        if (!ctx.xfbs.known(name))
            return error(ctx, GL_INVALID_OPERATION,
                         "glBindTransformFeedback(name %u was not generated)", name);
        x = ctx.xfbs.insert(name, new TransformFeedback);
    }
    x->ever_bound = true;
    if (ctx.xfb->object == x)
        return;
    Writer{ctx}(ctx.xfb).object = x;
}

// --- captures ------------------------------------------------------------------------------------

void GL_ENTRY(BeginTransformFeedback)(Context &ctx, GLenum mode) {
    if (mode != GL_POINTS && mode != GL_LINES && mode != GL_TRIANGLES)
        return error(ctx, GL_INVALID_ENUM, "glBeginTransformFeedback(mode %s)", enum_name(mode));
    TransformFeedback &x = *ctx.xfb->object;
    if (x.active)
        return error(ctx, GL_INVALID_OPERATION, "glBeginTransformFeedback(already active)");
    Program *p = capture_program(ctx);
    if (!p || !p->linked->uses_xfb)
        return error(ctx, GL_INVALID_OPERATION,
                     "glBeginTransformFeedback(the program captures nothing)");
    for (unsigned i = 0; i < kMaxXfbBuffers; i++)
        if ((p->linked->xfb_buffers >> i & 1) && !x.slot[i].buffer)
            return error(ctx, GL_INVALID_OPERATION, "glBeginTransformFeedback(no buffer at %u)", i);
    x.active = true;
    x.paused = false;
    x.mode = mode;
    x.program = p;
    x.linked = p->linked;
    x.version++;
    Writer{ctx}.mark(G::xfb);
    st::xfb_begin(ctx, x);
}

void GL_ENTRY(EndTransformFeedback)(Context &ctx) {
    TransformFeedback &x = *ctx.xfb->object;
    if (!x.active)
        return error(ctx, GL_INVALID_OPERATION, "glEndTransformFeedback(not active)");
    st::xfb_end(ctx, x);
    x.active = x.paused = false;
    x.ended_once = true;
    x.program.reset();
    x.version++;
    Writer{ctx}.mark(G::xfb);
}

void GL_ENTRY(PauseTransformFeedback)(Context &ctx) {
    TransformFeedback &x = *ctx.xfb->object;
    if (!x.active || x.paused)
        return error(ctx, GL_INVALID_OPERATION, "glPauseTransformFeedback(not active or paused)");
    st::xfb_pause(ctx, x);
    x.paused = true;
    Writer{ctx}.mark(G::xfb);
}

void GL_ENTRY(ResumeTransformFeedback)(Context &ctx) {
    TransformFeedback &x = *ctx.xfb->object;
    if (!x.active || !x.paused)
        return error(ctx, GL_INVALID_OPERATION,
                     "glResumeTransformFeedback(not active or not paused)");
    if (capture_program(ctx) != x.program.get())
        return error(ctx, GL_INVALID_OPERATION,
                     "glResumeTransformFeedback(another program is current)");
    x.paused = false;
    Writer{ctx}.mark(G::xfb);
    st::xfb_resume(ctx, x);
}

// --- by name -------------------------------------------------------------------------------------

void GL_ENTRY(TransformFeedbackBufferBase)(Context &ctx, GLuint name, GLuint index, GLuint buffer) {
    bind_named(ctx, name, index, buffer, true, 0, 0, "glTransformFeedbackBufferBase");
}
void GL_ENTRY(TransformFeedbackBufferRange)(Context &ctx, GLuint name, GLuint index, GLuint buffer,
                                            GLintptr offset, GLsizeiptr size) {
    bind_named(ctx, name, index, buffer, false, offset, size, "glTransformFeedbackBufferRange");
}

void GL_ENTRY(GetTransformFeedbackiv)(Context &ctx, GLuint name, GLenum pname, GLint *out) {
    TransformFeedback *x = named(ctx, name, "glGetTransformFeedbackiv");
    if (!x)
        return;
    switch (pname) {
    case GL_TRANSFORM_FEEDBACK_PAUSED: *out = x->paused; return;
    case GL_TRANSFORM_FEEDBACK_ACTIVE: *out = x->active; return;
    default: error(ctx, GL_INVALID_ENUM, "glGetTransformFeedbackiv(%s)", enum_name(pname));
    }
}
void GL_ENTRY(GetTransformFeedbacki_v)(Context &ctx, GLuint name, GLenum pname, GLuint index,
                                       GLint *out) {
    TransformFeedback *x = named(ctx, name, "glGetTransformFeedbacki_v");
    if (!x)
        return;
    if (pname != GL_TRANSFORM_FEEDBACK_BUFFER_BINDING)
        return error(ctx, GL_INVALID_ENUM, "glGetTransformFeedbacki_v(%s)", enum_name(pname));
    if (index >= GLuint(ctx.limits().xfb_buffers))
        return error(ctx, GL_INVALID_VALUE, "glGetTransformFeedbacki_v(index %u)", index);
    *out = x->slot[index].buffer ? GLint(x->slot[index].buffer->name) : 0;
}
void GL_ENTRY(GetTransformFeedbacki64_v)(Context &ctx, GLuint name, GLenum pname, GLuint index,
                                         GLint64 *out) {
    TransformFeedback *x = named(ctx, name, "glGetTransformFeedbacki64_v");
    if (!x)
        return;
    if (pname != GL_TRANSFORM_FEEDBACK_BUFFER_START && pname != GL_TRANSFORM_FEEDBACK_BUFFER_SIZE)
        return error(ctx, GL_INVALID_ENUM, "glGetTransformFeedbacki64_v(%s)", enum_name(pname));
    if (index >= GLuint(ctx.limits().xfb_buffers))
        return error(ctx, GL_INVALID_VALUE, "glGetTransformFeedbacki64_v(index %u)", index);
    *out =
        pname == GL_TRANSFORM_FEEDBACK_BUFFER_START ? x->slot[index].offset : x->slot[index].size;
}
} // namespace gl
