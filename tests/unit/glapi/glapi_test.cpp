// SPDX-License-Identifier: MIT
// Generated entry points: look-up by name, aliases, calls without a context, commands that are not
// written.
#include <catch2/catch.hpp>

#include <GL/glcorearb.h>
#include <cstring>

#include "fake_objects.h"
#include "glapi/glapi.h"

template <typename F> static F find(const char *name) {
    return reinterpret_cast<F>(glapi::get_proc_address(name));
}

TEST_CASE("names are found exactly") {
    for (const char *name : {"glDrawArrays", "glAccum", "glWindowPos3sv",
                             "glMultiDrawElementsIndirectCount", "glBegin"})
        CHECK(glapi::get_proc_address(name));
    for (const char *name :
         {"", "gl", "glDrawArray", "glDrawArraysX", "DrawArrays", "glXMakeCurrent", "zzz"})
        CHECK(!glapi::get_proc_address(name));
    CHECK(!glapi::get_proc_address(nullptr));
    CHECK(glapi::core_command_count() == 657);
    for (const char *name : glapi::missing())
        CHECK(glapi::get_proc_address(name));
}

TEST_CASE("aliases share one entry point") {
    CHECK(glapi::get_proc_address("glDrawArraysEXT") == glapi::get_proc_address("glDrawArrays"));
    CHECK(glapi::get_proc_address("glBindBufferARB") == glapi::get_proc_address("glBindBuffer"));
    CHECK(glapi::get_proc_address("glReadnPixelsARB") != nullptr);
    CHECK(glapi::get_proc_address("glUniform1f") != glapi::get_proc_address("glUniform1i"));
}

TEST_CASE("without a context nothing happens and the answer is zero") {
    glapi::set_current(nullptr);
    fake::drawn = 0;
    find<PFNGLDRAWARRAYSPROC>("glDrawArrays")(1, 2, 3);
    CHECK(fake::drawn == 0);
    CHECK(find<PFNGLISBUFFERPROC>("glIsBuffer")(1) == 0);
    CHECK(find<PFNGLGETSTRINGPROC>("glGetString")(GL_VERSION) == nullptr);
}

TEST_CASE("a lost context refuses every command but those that tell of it") {
    glapi::set_current(fake::context());
    glapi::lose_current(fake::context());
    CHECK(glapi::current() == nullptr);
    CHECK(glapi::lost() == fake::context());
    fake::drawn = 0;
    find<PFNGLDRAWARRAYSPROC>("glDrawArrays")(1, 2, 3);
    CHECK(fake::drawn == 0);
    CHECK(fake::last_refused == "glDrawArrays");
    CHECK(find<PFNGLGETERRORPROC>("glGetError")() == GL_OUT_OF_MEMORY);
    glapi::lose_current(nullptr);
    CHECK(find<PFNGLGETERRORPROC>("glGetError")() == GL_NO_ERROR); // no context at all
}

TEST_CASE("a command for which there is no memory raises an error, not an exception") {
    glapi::set_current(fake::context());
    find<PFNGLDRAWARRAYSPROC>("glDrawArrays")(GL_POINTS, 0, -1);
    CHECK(fake::last_without_memory == "glDrawArrays");
    glapi::set_current(nullptr);
}

TEST_CASE("commands reach their function with the current context") {
    glapi::set_current(fake::context());
    CHECK(glapi::current() == fake::context());
    fake::drawn = 0;
    find<PFNGLDRAWARRAYSPROC>("glDrawArraysEXT")(1, 2, 3);
    CHECK(fake::drawn == 123);
    CHECK(find<PFNGLISBUFFERPROC>("glIsBufferARB")(1) == GL_TRUE);
    CHECK(find<PFNGLISTEXTUREPROC>("glIsTexture")(1) == GL_FALSE);
    find<PFNGLFLUSHPROC>("glFlush")();
    CHECK(fake::last_missing == "glFlush");
    glapi::set_current(nullptr);
    bool found = false;
    for (const char *name : glapi::missing()) {
        CHECK(strcmp(name, "glDrawArrays") != 0);
        found |= !strcmp(name, "glFlush");
    }
    CHECK(found);
}

TEST_CASE("enumerants have their oldest core name") {
    CHECK(glapi::enum_string(GL_RGBA8) == "GL_RGBA8");
    CHECK(glapi::enum_string(GL_TEXTURE_2D) == "GL_TEXTURE_2D");
    CHECK(glapi::enum_string(0) == "GL_NONE");
    CHECK(glapi::enum_string(0xfffffffe) == "0xfffffffe");
    CHECK(glapi::enum_name(0x12345678) == nullptr);
}
