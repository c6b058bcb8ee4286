// SPDX-License-Identifier: MIT
// Transform feedback: begin, end, pause and resume are records of their own; the targets go before
// the begin.
#include "tracker/tracker_private.h"

namespace st {

static uint8_t capture_mode(GLenum mode) {
    return mode == GL_POINTS  ? PIPE_PRIM_POINTS
           : mode == GL_LINES ? PIPE_PRIM_LINES
                              : PIPE_PRIM_TRIANGLES;
}

void xfb_begin(gl::Context &c, gl::TransformFeedback &x) {
    Tracker &t = of(c);
    gl::update_draw_check(c); // validation takes the marks that the first draw would look at
    validate(c);              // the program of the capture is the one of the draws
    send_so_targets(t, x);
    pipe_begin_stream_output p{};
    p.so = xfb_data(t, x).handle;
    p.mode = capture_mode(x.mode);
    t.so_active = true;
    t.lane.emit<&pipe_context::begin_stream_output>(&p);
}

void xfb_end(gl::Context &c, gl::TransformFeedback &x) {
    Tracker &t = of(c);
    t.so_active = false;
    pipe_end_stream_output p{};
    p.so = xfb_data(t, x).handle;
    t.lane.emit<&pipe_context::end_stream_output>(&p);
    for (const gl::BufferRange &r : x.slot)
        if (r.buffer)
            note_write(t, data_of(*r.buffer).write);
}

void xfb_pause(gl::Context &c, gl::TransformFeedback &x) {
    Tracker &t = of(c);
    t.so_active = false;
    pipe_pause_stream_output p{xfb_data(t, x).handle};
    t.lane.emit<&pipe_context::pause_stream_output>(&p);
}

void xfb_resume(gl::Context &c, gl::TransformFeedback &x) {
    Tracker &t = of(c);
    validate(c);
    t.so_active = true;
    pipe_resume_stream_output p{xfb_data(t, x).handle};
    t.lane.emit<&pipe_context::resume_stream_output>(&p);
}

void xfb_destroy(gl::TransformFeedback &x) {
    auto *d = static_cast<XfbData *>(x.tracker);
    gl::Context *c = gl::current();
    if (d && c && c->tracker && c->tracker->lane_current) {
        Tracker &t = of(*c);
        pipe_destroy_object p{};
        p.object = d->handle;
        p.kind = PIPE_HANDLE_STREAM_OUTPUT;
        t.lane.emit<&pipe_screen::destroy_object>(&p);
        t.stream_outputs.release(to_slot(d->handle));
    }
    delete d;
    x.tracker = nullptr;
}

} // namespace st
