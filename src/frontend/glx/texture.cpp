// SPDX-License-Identifier: MIT
// GLX_EXT_texture_from_pixmap: binding copies what the pixmap shows into the texture that is bound
// to the active unit, by GL itself. Binding again copies again, so a compositor sees what was drawn
// meanwhile.
#include "drawable.h"
#include "glx_api.h"

#include "glapi/glapi.h"
#include "util/log.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <utility>

namespace glx {

namespace {

template <class F> F gl(const char *name) {
    return reinterpret_cast<F>(glapi::get_proc_address(name));
}

// The functions of GL that a copy needs, found once.
struct Api {
    void (*GetIntegerv)(GLenum, GLint *) = gl<decltype(GetIntegerv)>("glGetIntegerv");
    void (*PixelStorei)(GLenum, GLint) = gl<decltype(PixelStorei)>("glPixelStorei");
    void (*BindBuffer)(GLenum, GLuint) = gl<decltype(BindBuffer)>("glBindBuffer");
    void (*TexImage2D)(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum,
                       const void *) = gl<decltype(TexImage2D)>("glTexImage2D");
};

const Api &api_of_gl() {
    static const Api api;
    return api;
}

// The program's unpack state out of the way for a scope.
class PlainUnpack {
  public:
    explicit PlainUnpack(const Api &api) : api_(api) {
        for (auto &[name, value] : state_) {
            api_.GetIntegerv(name, &value);
            api_.PixelStorei(name, name == GL_UNPACK_ALIGNMENT ? 4 : 0);
        }
        api_.GetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &buffer_);
        if (buffer_)
            api_.BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    }
    ~PlainUnpack() {
        for (const auto &[name, value] : state_)
            api_.PixelStorei(name, value);
        if (buffer_)
            api_.BindBuffer(GL_PIXEL_UNPACK_BUFFER, GLuint(buffer_));
    }
    PlainUnpack(const PlainUnpack &) = delete;
    PlainUnpack &operator=(const PlainUnpack &) = delete;

  private:
    const Api &api_;
    std::pair<GLenum, GLint> state_[6] = {
        {GL_UNPACK_ALIGNMENT, 4},   {GL_UNPACK_ROW_LENGTH, 0}, {GL_UNPACK_SKIP_ROWS, 0},
        {GL_UNPACK_SKIP_PIXELS, 0}, {GL_UNPACK_SWAP_BYTES, 0}, {GL_UNPACK_LSB_FIRST, 0},
    };
    GLint buffer_ = 0;
};

void upload(GLenum target, bool alpha, GLsizei width, GLsizei height, const void *pixels) {
    const Api &api = api_of_gl();
    const PlainUnpack plain(api);
    api.TexImage2D(target, 0, alpha ? GL_RGBA8 : GL_RGB8, width, height, 0, GL_BGRA,
                   GL_UNSIGNED_BYTE, pixels);
}

} // namespace

namespace api {

void BindTexImageEXT(Display *dpy, GLXDrawable id, int buffer, const int *) {
    XSync(dpy, False); // what the program drew to it is looked at through another connection
    Call call(dpy, X_GLXVendorPrivate);
    Drawable *drawable = find_drawable(call.server(), id);
    if (!drawable || drawable->kind != Kind::pixmap) {
        call.fail(GlxError{GLXBadPixmap}, id);
        return;
    }
    if (buffer != GLX_FRONT_LEFT_EXT && buffer != GLX_FRONT_RIGHT_EXT) {
        call.fail(BadValue, id);
        return;
    }
    if (drawable->texture_format == GLX_TEXTURE_FORMAT_NONE_EXT) {
        call.fail(BadMatch, id);
        return;
    }
    const Context *current = thread().current;
    if (call.exiting())
        return;
    if (!current || egl::core_current() != current->egl) {
        call.fail(GlxError{GLXBadContextState}, id);
        return;
    }
    std::vector<uint8_t> pixels;
    EGLint width = 0, height = 0;
    const bool alpha = drawable->texture_format == GLX_TEXTURE_FORMAT_RGBA_EXT;
    const GLenum target = drawable->texture_target == GLX_TEXTURE_RECTANGLE_EXT
                              ? GL_TEXTURE_RECTANGLE
                              : GL_TEXTURE_2D;
    if (!egl::core_surface_fetch(call.lock(), drawable->surface, pixels, &width, &height)) {
        call.fail(GlxError{GLXBadPixmap}, id);
        return;
    }
    call.lock().unlock(); // the current context is this thread's until it returns
    upload(target, alpha, width, height, pixels.data());
    call.lock().lock();
}

// The texture keeps its copy; what it shows then is undefined.
void ReleaseTexImageEXT(Display *dpy, GLXDrawable id, int buffer) {
    Call call(dpy, X_GLXVendorPrivate);
    const Drawable *drawable = find_drawable(call.server(), id);
    if (!drawable || drawable->kind != Kind::pixmap)
        call.fail(GlxError{GLXBadPixmap}, id);
    else if (buffer != GLX_FRONT_LEFT_EXT && buffer != GLX_FRONT_RIGHT_EXT)
        call.fail(BadValue, id);
}

} // namespace api
} // namespace glx
