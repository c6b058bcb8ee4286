// SPDX-License-Identifier: MIT
// X11, for programs on Xlib and on xcb alike. Windows are watched through an xcb connection of our
// own to the same server, pixels are put and fetched through another: the program's own one is only
// told to send what it holds back. A connection that broke reports every drawable as gone.
#include "config.h"
#include "frame_file.h"
#include "platform.h"
#include "x11_clock.h"

#include "util/log.h"

#include <X11/Xlib.h>
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unordered_map>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

namespace egl {

namespace {

struct Free {
    void operator()(void *p) const { std::free(p); }
};
template <class T> using Reply = std::unique_ptr<T, Free>;

class X11Drawable;

// Shared by a platform and its drawables, which may outlive it.
struct Connection {
    xcb_connection_t *xcb = nullptr;
    const xcb_screen_t *screen = nullptr;
    std::string name;              // of the server
    int number = 0;                // of the screen
    std::atomic<bool> shm = false; // of threads that post
    std::mutex mutex;              // guards what follows and what events say of windows
    std::unordered_map<uint32_t, X11Drawable *> windows;

    ~Connection() {
        if (pixels_ && pixels_ != xcb)
            xcb_disconnect(pixels_);
        xcb_disconnect(xcb);
    }
    bool broken() const { return xcb_connection_has_error(xcb) != 0; }
    void round_trip() {
        Reply<xcb_get_input_focus_reply_t>(
            xcb_get_input_focus_reply(xcb, xcb_get_input_focus(xcb), nullptr));
    }
    // For pixels: who waits for an answer there, on a thread of its own, has no event that others
    // look for. Made on the first call. Any thread.
    xcb_connection_t *pixels();
    // Likewise, until the server has done with what was put.
    void pixels_done();
    // Whether it does within a time far above what one takes that is only busy; a shorter one where
    // it did not the last time. A server that is grabbed answers nobody else.
    bool answers();
    void read_events(); // under `mutex`
    // Of the screen, which is asked on the first call. Any thread.
    const FrameClock &clock();

  private:
    std::atomic<bool> silent_ = false; // it did not answer the last time
    std::mutex late_mutex_; // guards what is made when it is asked for
    std::optional<FrameClock> clock_;
    xcb_connection_t *pixels_ = nullptr;
};

// Memory that the server sees; grows.
class SharedPixels {
  public:
    explicit SharedPixels(Connection &connection) : connection_(connection) {}
    ~SharedPixels() { drop(); }
    SharedPixels(const SharedPixels &) = delete;
    SharedPixels &operator=(const SharedPixels &) = delete;

    // Null when the server does not share memory with us.
    void *reserve(size_t size) {
        if (!connection_.shm || size <= size_)
            return connection_.shm ? memory_ : nullptr;
        drop();
        const int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
        void *memory = id < 0 ? nullptr : shmat(id, nullptr, 0);
        if (memory && memory != reinterpret_cast<void *>(-1)) {
            xcb_connection_t *const xcb = connection_.pixels();
            segment_ = xcb_generate_id(xcb);
            Reply<xcb_generic_error_t> error(xcb_request_check(
                xcb, xcb_shm_attach_checked(xcb, segment_, uint32_t(id), false)));
            connection_.shm = !error && !xcb_connection_has_error(xcb);
            if (connection_.shm) {
                memory_ = memory;
                size_ = size;
            } else {
                shmdt(memory);
            }
        } else {
            connection_.shm = false;
        }
        if (id >= 0)
            shmctl(id, IPC_RMID, nullptr); // dies with its last user
        return memory_;
    }
    xcb_shm_seg_t segment() const { return segment_; }

  private:
    void drop() {
        if (!memory_)
            return;
        xcb_shm_detach(connection_.pixels(), segment_);
        xcb_flush(connection_.pixels());
        shmdt(memory_);
        memory_ = nullptr;
        size_ = 0;
    }

    Connection &connection_;
    xcb_shm_seg_t segment_ = 0;
    void *memory_ = nullptr;
    size_t size_ = 0;
};

class X11Drawable : public NativeDrawable {
  public:
    // `since`: the request that asked for a window's events.
    X11Drawable(std::shared_ptr<Connection> connection, uint32_t id, bool window, uint32_t since)
        : connection_(std::move(connection)), id_(id), since_(since), window_(window),
          shared_(*connection_) {}
    ~X11Drawable() override {
        let_go();
        drop_frames();
        if (gc_) {
            xcb_free_gc(connection_->pixels(), gc_);
            xcb_flush(connection_->pixels());
        }
        xcb_flush(connection_->xcb);
    }

    // What the server says; events are the later word.
    void found(const xcb_get_geometry_reply_t &geometry) {
        const std::lock_guard lock(connection_->mutex);
        depth_ = geometry.depth;
        if (!width_)
            resized(geometry.width, geometry.height);
    }
    // Registers a new window. False: another one that lives has its id.
    bool take() {
        const std::lock_guard lock(connection_->mutex);
        connection_->read_events();
        X11Drawable *&slot = connection_->windows[id_];
        if (slot && !slot->gone_)
            return false;
        slot = this;
        return true;
    }
    void let_go() override {
        const std::lock_guard lock(connection_->mutex);
        // The server may have given the id away again.
        const auto ours = connection_->windows.find(id_);
        if (!window_ || ours == connection_->windows.end() || ours->second != this)
            return;
        connection_->windows.erase(ours);
        const uint32_t nothing = 0;
        if (!gone_)
            xcb_change_window_attributes(connection_->xcb, id_, XCB_CW_EVENT_MASK, &nothing);
    }
    bool extent(EGLint *width, EGLint *height) override {
        const std::lock_guard lock(connection_->mutex);
        if (window_)
            connection_->read_events();
        *width = width_;
        *height = height_;
        return !gone_ && !connection_->broken();
    }
    void sync() override { connection_->answers(); }
    uint64_t native() const override { return window_ ? id_ : 0; }
    bool is_window() const override { return window_; }

    bool post(const void *pixels, EGLint width, EGLint height, EGLint stride, EGLint interval,
              const Rect *damage, EGLint num_rects) override;
    uint64_t share_buffers(EGLint width, EGLint height, const ShareBuffers &share) override;
    bool post_buffer(uint64_t buffers, uint32_t index, EGLint interval, const Rect *damage,
                     EGLint num_rects) override;
    bool post_again(EGLint interval) override;
    void drop_buffer(uint64_t buffers, uint32_t index) override;
    bool fetch(std::vector<uint8_t> &pixels, EGLint *width, EGLint *height) override;

    void resized(EGLint width, EGLint height) {
        width_ = width;
        height_ = height;
    }
    void destroyed() { gone_ = true; }
    bool concerned(uint32_t sequence) const { return int32_t(sequence - since_) >= 0; }

  private:
    bool usable(); // has a graphics context; false: gone
    void put(const uint8_t *pixels, EGLint stride, const Rect &r);
    void put_frame(uint32_t index, const Rect *damage, EGLint num_rects);
    bool attach_frames();
    void drop_frames();
    void wait_turn(EGLint interval);

    const std::shared_ptr<Connection> connection_;
    const uint32_t id_;
    const uint32_t since_;
    const bool window_;
    uint8_t depth_ = 0;
    EGLint width_ = 0, height_ = 0; // 0: not known yet
    std::atomic<bool> gone_ = false;
    std::mutex posting_; // guards what follows
    xcb_gcontext_t gc_ = 0;
    SharedPixels shared_;
    int64_t last_frame_ = 0; // in which something was put, by the screen's clock
    // What a server of ours writes, and the X server reads where it can.
    static constexpr uint32_t max_frames = 4;
    FrameFile frames_;
    uint64_t frames_number_ = 0;
    xcb_shm_seg_t frames_segment_ = 0;
    bool frames_attached_ = false;
    int shown_frame_ = -1; // stays ours until another one is shown
};

bool Connection::answers() {
    using namespace std::chrono;
    const auto end = steady_clock::now() + milliseconds(silent_ ? 100 : 5000);
    const unsigned asked = xcb_get_input_focus(xcb).sequence;
    xcb_flush(xcb);
    while (!broken()) {
        void *reply = nullptr;
        xcb_generic_error_t *error = nullptr;
        if (xcb_poll_for_reply(xcb, asked, &reply, &error)) {
            const Reply<void> freed(reply);
            const Reply<xcb_generic_error_t> freed_error(error);
            return !(silent_ = false);
        }
        if (steady_clock::now() >= end) {
            if (!silent_.exchange(true))
                log_warning("egl", "the X server does not answer: it may be grabbed");
            xcb_discard_reply(xcb, asked);
            return false;
        }
        pollfd readable{xcb_get_file_descriptor(xcb), POLLIN, 0};
        poll(&readable, 1, 10); // another thread may take the answer off the connection
    }
    return false;
}

const FrameClock &Connection::clock() {
    const std::lock_guard lock(late_mutex_);
    if (!clock_)
        clock_.emplace(query_frame_rate(name, number));
    return *clock_;
}

xcb_connection_t *Connection::pixels() {
    const std::lock_guard lock(late_mutex_);
    if (!pixels_) {
        pixels_ = xcb_connect(name.empty() ? nullptr : name.c_str(), nullptr);
        if (xcb_connection_has_error(pixels_)) { // the server takes no more of them
            xcb_disconnect(pixels_);
            pixels_ = xcb;
        }
    }
    return pixels_;
}

void Connection::pixels_done() {
    xcb_connection_t *const by = pixels();
    Reply<xcb_get_input_focus_reply_t>(
        xcb_get_input_focus_reply(by, xcb_get_input_focus(by), nullptr));
    if (by == xcb)
        return;
    while (xcb_generic_event_t *said = xcb_poll_for_event(by)) // of drawables that are gone
        std::free(said);
}

void Connection::read_events() {
    while (xcb_generic_event_t *next = xcb_poll_for_event(xcb)) {
        const Reply<xcb_generic_event_t> event(next);
        const uint8_t type = event->response_type & 0x7f;
        uint32_t window = 0;
        if (type == XCB_CONFIGURE_NOTIFY)
            window = reinterpret_cast<xcb_configure_notify_event_t *>(next)->window;
        else if (type == XCB_DESTROY_NOTIFY)
            window = reinterpret_cast<xcb_destroy_notify_event_t *>(next)->window;
        const auto found = windows.find(window);
        // What was sent before is about an older owner of the id.
        if (found == windows.end() || !found->second->concerned(event->full_sequence))
            continue;
        if (type == XCB_DESTROY_NOTIFY)
            found->second->destroyed();
        else
            found->second->resized(reinterpret_cast<xcb_configure_notify_event_t *>(next)->width,
                                   reinterpret_cast<xcb_configure_notify_event_t *>(next)->height);
    }
}

// Rows of a request that the server takes.
int rows_per_request(xcb_connection_t *xcb, EGLint width) {
    const uint64_t bytes = uint64_t(xcb_get_maximum_request_length(xcb)) * 4;
    return std::max(1, int((bytes - sizeof(xcb_put_image_request_t) - 4) / (uint64_t(width) * 4)));
}

void X11Drawable::put(const uint8_t *pixels, EGLint stride, const Rect &r) {
    xcb_connection_t *const xcb = connection_->pixels();
    const int band = rows_per_request(xcb, r.width);
    std::vector<uint8_t> tight;
    for (EGLint done = 0; done < r.height; done += band) {
        const EGLint rows = std::min(band, r.height - done);
        tight.resize(size_t(r.width) * 4 * size_t(rows));
        for (EGLint row = 0; row < rows; row++)
            std::memcpy(tight.data() + size_t(row) * size_t(r.width) * 4,
                        pixels + int64_t(r.y + done + row) * stride + int64_t(r.x) * 4,
                        size_t(r.width) * 4);
        xcb_put_image(xcb, XCB_IMAGE_FORMAT_Z_PIXMAP, id_, gc_, uint16_t(r.width),
                      uint16_t(rows), int16_t(r.x), int16_t(r.y + done), 0, depth_,
                      uint32_t(tight.size()), tight.data());
    }
}

// So many frames of the screen after what was put last.
void X11Drawable::wait_turn(EGLint interval) {
    const FrameClock &clock = connection_->clock();
    sleep_until_us(clock.ust_of(last_frame_ + std::abs(interval)));
    last_frame_ = clock.msc_at(monotonic_us());
}

bool X11Drawable::usable() {
    if (gone_ || connection_->broken())
        return false;
    xcb_connection_t *const xcb = connection_->pixels();
    if (!gc_) {
        gc_ = xcb_generate_id(xcb);
        const uint32_t no_exposures = 0;
        xcb_create_gc(xcb, gc_, id_, XCB_GC_GRAPHICS_EXPOSURES, &no_exposures);
    }
    return true;
}

bool X11Drawable::post(const void *pixels, EGLint width, EGLint height, EGLint stride,
                       EGLint interval, const Rect *damage, EGLint num_rects) {
    const std::lock_guard posting(posting_);
    if (!usable())
        return false;
    xcb_connection_t *const xcb = connection_->pixels();
    const Rect everything{0, 0, width, height};
    // A window may have lost what was shown before (it was covered, or not mapped).
    if (window_ || num_rects <= 0) {
        damage = &everything;
        num_rects = 1;
    }
    auto *memory =
        static_cast<uint8_t *>(shared_.reserve(size_t(stride) * size_t(std::max(height, 1))));
    if (memory)
        std::memcpy(memory, pixels, size_t(stride) * size_t(height));
    if (interval)
        wait_turn(interval);
    for (EGLint i = 0; i < num_rects; i++) {
        Rect r = damage[i];
        const EGLint right = std::min(r.x + r.width, width),
                     bottom = std::min(r.y + r.height, height);
        r.x = std::max(r.x, 0);
        r.y = std::max(r.y, 0);
        r.width = right - r.x;
        r.height = bottom - r.y;
        if (r.width <= 0 || r.height <= 0)
            continue;
        if (memory)
            xcb_shm_put_image(xcb, id_, gc_, uint16_t(stride / 4), uint16_t(height), uint16_t(r.x),
                              uint16_t(r.y), uint16_t(r.width), uint16_t(r.height), int16_t(r.x),
                              int16_t(r.y), depth_, XCB_IMAGE_FORMAT_Z_PIXMAP, false,
                              shared_.segment(), 0);
        else
            put(static_cast<const uint8_t *>(pixels), stride, r);
    }
    // The program may look at the drawable next, through its own connection; and the memory is
    // written again.
    connection_->pixels_done();
    return !xcb_connection_has_error(xcb);
}

// Nothing is asked of the X server here: it may be grabbed by the program that waits.
uint64_t X11Drawable::share_buffers(EGLint width, EGLint height, const ShareBuffers &share) {
    const std::lock_guard posting(posting_);
    drop_frames();
    if (!frames_.make(width, height, max_frames, UINT32_MAX) || !share(frames_.describe())) {
        frames_.drop();
        return 0;
    }
    return ++frames_number_;
}

// By its descriptor, which needs a server of this machine that has MIT-SHM 1.2; asked once.
bool X11Drawable::attach_frames() {
    xcb_connection_t *const xcb = connection_->pixels();
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (frames_segment_)
        return frames_attached_;
    frames_segment_ = xcb_generate_id(xcb);
    if (!connection_->shm ||
        getpeername(xcb_get_file_descriptor(xcb), reinterpret_cast<sockaddr *>(&peer), &size) ||
        peer.ss_family != AF_UNIX)
        return false;
    const int fd = fcntl(frames_.fd(), F_DUPFD_CLOEXEC, 3); // xcb closes it
    if (fd < 0)
        return false;
    const Reply<xcb_generic_error_t> error(
        xcb_request_check(xcb, xcb_shm_attach_fd_checked(xcb, frames_segment_, fd, true)));
    return frames_attached_ = !error && !xcb_connection_has_error(xcb);
}

void X11Drawable::drop_frames() {
    if (frames_attached_) {
        xcb_shm_detach(connection_->pixels(), frames_segment_);
        xcb_flush(connection_->pixels());
    }
    frames_attached_ = false;
    frames_segment_ = 0;
    shown_frame_ = -1;
    frames_.drop();
}

void X11Drawable::put_frame(uint32_t index, const Rect *damage, EGLint num_rects) {
    const FrameBuffers shape = frames_.describe();
    const Rect everything{0, 0, shape.width, shape.height};
    if (window_ || num_rects <= 0) { // as in post()
        damage = &everything;
        num_rects = 1;
    }
    const bool attached = attach_frames();
    for (const Rect *r = damage; r < damage + num_rects; r++) {
        if (attached)
            xcb_shm_put_image(connection_->pixels(), id_, gc_, uint16_t(shape.width),
                              uint16_t(shape.height), uint16_t(r->x), uint16_t(r->y),
                              uint16_t(r->width), uint16_t(r->height), int16_t(r->x), int16_t(r->y),
                              depth_, XCB_IMAGE_FORMAT_Z_PIXMAP, false, frames_segment_,
                              uint32_t(frames_.offset(index)));
        else
            put(reinterpret_cast<const uint8_t *>(frames_.pixels(index)), shape.width * 4, *r);
    }
    connection_->pixels_done();
}

bool X11Drawable::post_buffer(uint64_t buffers, uint32_t index, EGLint interval, const Rect *damage,
                              EGLint num_rects) {
    const std::lock_guard posting(posting_);
    if (!usable())
        return false;
    if (!frames_ || buffers != frames_number_ || index >= frames_.count())
        return true;
    if (interval)
        wait_turn(interval);
    put_frame(index, damage, num_rects);
    if (shown_frame_ >= 0 && shown_frame_ != int(index))
        frames_.give_back(uint32_t(shown_frame_));
    shown_frame_ = int(index);
    return !xcb_connection_has_error(connection_->pixels());
}

bool X11Drawable::post_again(EGLint interval) {
    const std::lock_guard posting(posting_);
    if (!usable())
        return false;
    if (interval)
        wait_turn(interval);
    if (shown_frame_ >= 0)
        put_frame(uint32_t(shown_frame_), nullptr, 0);
    return !xcb_connection_has_error(connection_->pixels());
}

void X11Drawable::drop_buffer(uint64_t buffers, uint32_t index) {
    const std::lock_guard posting(posting_);
    if (frames_ && buffers == frames_number_ && index < frames_.count() &&
        int(index) != shown_frame_)
        frames_.give_back(index);
}

bool X11Drawable::fetch(std::vector<uint8_t> &pixels, EGLint *width, EGLint *height) {
    xcb_connection_t *const xcb = connection_->pixels();
    const Reply<xcb_get_geometry_reply_t> geometry(
        xcb_get_geometry_reply(xcb, xcb_get_geometry(xcb, id_), nullptr));
    if (!geometry)
        return false;
    const Reply<xcb_get_image_reply_t> image(
        xcb_get_image_reply(xcb,
                            xcb_get_image(xcb, XCB_IMAGE_FORMAT_Z_PIXMAP, id_, 0, 0,
                                          geometry->width, geometry->height, ~0u),
                            nullptr));
    if (!image)
        return false;
    *width = geometry->width;
    *height = geometry->height;
    const uint8_t *data = xcb_get_image_data(image.get());
    const size_t size = size_t(xcb_get_image_data_length(image.get()));
    if (size < size_t(*width) * size_t(*height) * 4)
        return false;
    pixels.assign(data, data + size);
    return true;
}

class X11Platform : public Platform {
  public:
    X11Platform(std::shared_ptr<Connection> connection, std::string name, ::Display *xlib,
                xcb_connection_t *program)
        : connection_(std::move(connection)), name_(std::move(name)), xlib_(xlib),
          program_(program) {
        list_visuals();
    }

    System system() const override { return System::x11; }
    const std::string &display_name() const override { return name_; }
    uint64_t native_display() const override { return 0; }
    const std::vector<Visual> &visuals() const override { return visuals_; }
    EGLint open_window(void *native, const Config &config,
                       std::unique_ptr<NativeDrawable> &out) override;
    EGLint open_pixmap(void *native, const Config &config,
                       std::unique_ptr<NativeDrawable> &out) override;
    void wait_native() override {
        if (xlib_)
            XSync(xlib_, False);
        else if (program_)
            Reply<xcb_get_input_focus_reply_t>(
                xcb_get_input_focus_reply(program_, xcb_get_input_focus(program_), nullptr));
    }

  private:
    void list_visuals();
    void add_visual(const xcb_depth_t &depth, const xcb_visualtype_t &visual);
    Reply<xcb_get_geometry_reply_t> geometry(uint32_t id) const {
        return Reply<xcb_get_geometry_reply_t>(xcb_get_geometry_reply(
            connection_->xcb, xcb_get_geometry(connection_->xcb, id), nullptr));
    }

    const std::shared_ptr<Connection> connection_;
    const std::string name_;
    ::Display *const xlib_;           // the program's, or null
    xcb_connection_t *const program_; // likewise
    std::vector<Visual> visuals_;     // one of a depth
};

// Pixels of 32 bits, the lowest byte first, as post() has them.
bool usable_depth(const xcb_setup_t *setup, uint8_t depth) {
    if ((depth != 24 && depth != 30 && depth != 32) ||
        setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST)
        return false;
    for (auto i = xcb_setup_pixmap_formats_iterator(setup); i.rem; xcb_format_next(&i))
        if (i.data->depth == depth)
            return i.data->bits_per_pixel == 32;
    return false;
}

void X11Platform::add_visual(const xcb_depth_t &depth, const xcb_visualtype_t &v) {
    const auto bits = [](uint32_t mask) { return uint8_t(std::popcount(mask)); };
    Visual visual;
    visual.id = EGLint(v.visual_id);
    visual.type = v._class;
    visual.depth = depth.depth;
    visual.red = bits(v.red_mask);
    visual.green = bits(v.green_mask);
    visual.blue = bits(v.blue_mask);
    visual.alpha = depth.depth == 32 ? uint8_t(32 - visual.red - visual.green - visual.blue) : 0;
    // The screen's own visual is the one that windows have by default.
    const auto same = std::find_if(visuals_.begin(), visuals_.end(),
                                   [&](const Visual &other) { return other.depth == depth.depth; });
    if (same == visuals_.end())
        visuals_.push_back(visual);
    else if (v.visual_id == connection_->screen->root_visual)
        *same = visual;
}

void X11Platform::list_visuals() {
    const xcb_setup_t *setup = xcb_get_setup(connection_->xcb);
    for (auto depth = xcb_screen_allowed_depths_iterator(connection_->screen); depth.rem;
         xcb_depth_next(&depth)) {
        if (!usable_depth(setup, depth.data->depth))
            continue;
        for (auto visual = xcb_depth_visuals_iterator(depth.data); visual.rem;
             xcb_visualtype_next(&visual))
            if (visual.data->_class == XCB_VISUAL_CLASS_TRUE_COLOR && visual.data->blue_mask & 1)
                add_visual(*depth.data, *visual.data);
    }
}

// The id as the program's C type has it; X's ids have 29 bits.
uint32_t id_of(void *native) {
    return uint32_t(reinterpret_cast<uintptr_t>(native));
}

EGLint X11Platform::open_window(void *native, const Config &config,
                                std::unique_ptr<NativeDrawable> &out) {
    xcb_connection_t *xcb = connection_->xcb;
    const uint32_t id = id_of(native);
    wait_native(); // the server knows the window from here on
    if (!connection_->answers())
        return EGL_BAD_ALLOC;
    const uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    const auto watched = xcb_change_window_attributes_checked(xcb, id, XCB_CW_EVENT_MASK, &mask);
    auto window = std::make_unique<X11Drawable>(connection_, id, true, watched.sequence);
    bool taken = window->take();
    if (!taken) {
        connection_->round_trip(); // another window of that id may be gone
        taken = window->take();
    }
    const auto geometry_asked = xcb_get_geometry(xcb, id);
    const auto attributes_asked = xcb_get_window_attributes(xcb, id);
    const Reply<xcb_generic_error_t> refused(xcb_request_check(xcb, watched));
    const Reply<xcb_get_geometry_reply_t> geometry(
        xcb_get_geometry_reply(xcb, geometry_asked, nullptr));
    const Reply<xcb_get_window_attributes_reply_t> attributes(
        xcb_get_window_attributes_reply(xcb, attributes_asked, nullptr));
    if (!taken)
        return EGL_BAD_ALLOC;
    if (refused || !geometry || !attributes || attributes->_class != XCB_WINDOW_CLASS_INPUT_OUTPUT)
        return EGL_BAD_NATIVE_WINDOW;
    // A config with alpha draws to opaque windows too, and the other way round.
    const bool ten = geometry->depth == 30;
    if (!usable_depth(xcb_get_setup(xcb), geometry->depth) || ten != (config.visual.depth == 30))
        return EGL_BAD_MATCH;
    window->found(*geometry);
    out = std::move(window);
    return EGL_SUCCESS;
}

EGLint X11Platform::open_pixmap(void *native, const Config &config,
                                std::unique_ptr<NativeDrawable> &out) {
    xcb_connection_t *xcb = connection_->xcb;
    const uint32_t id = id_of(native);
    wait_native();
    if (!connection_->answers())
        return EGL_BAD_ALLOC;
    const auto geometry_asked = xcb_get_geometry(xcb, id);
    const auto attributes_asked = xcb_get_window_attributes(xcb, id);
    const Reply<xcb_get_geometry_reply_t> geometry(
        xcb_get_geometry_reply(xcb, geometry_asked, nullptr));
    xcb_generic_error_t *no_window = nullptr;
    const Reply<xcb_get_window_attributes_reply_t> window(
        xcb_get_window_attributes_reply(xcb, attributes_asked, &no_window));
    const Reply<xcb_generic_error_t> held(no_window);
    if (!geometry || window)
        return EGL_BAD_NATIVE_PIXMAP;
    if (geometry->depth != config.visual.depth)
        return EGL_BAD_MATCH;
    auto pixmap = std::make_unique<X11Drawable>(connection_, id, false, 0);
    pixmap->found(*geometry);
    out = std::move(pixmap);
    return EGL_SUCCESS;
}

// ":N" of a connection, which remembers no name: from the socket it goes to, else what $DISPLAY
// says.
std::string display_of(xcb_connection_t *xcb) {
    sockaddr_un address{};
    socklen_t size = sizeof address;
    const char *prefix = "/tmp/.X11-unix/X";
    if (!getpeername(xcb_get_file_descriptor(xcb), reinterpret_cast<sockaddr *>(&address), &size) &&
        address.sun_family == AF_UNIX) {
        const char *path = address.sun_path + (address.sun_path[0] == 0); // or the abstract name
        if (!std::strncmp(path, prefix, std::strlen(prefix)))
            return ":" + std::string(path + std::strlen(prefix));
    }
    const char *name = std::getenv("DISPLAY");
    return name ? name : "";
}

// "host:N.S" without its screen.
std::string without_screen(std::string name) {
    const size_t colon = name.rfind(':');
    const size_t dot = name.find('.', colon == std::string::npos ? 0 : colon);
    return dot == std::string::npos ? name : name.substr(0, dot);
}

std::unique_ptr<Platform> open_named(const std::string &name, int screen, ::Display *xlib,
                                     xcb_connection_t *program, EGLint *error) {
    *error = EGL_BAD_PARAMETER;
    int default_screen = 0;
    auto connection = std::make_shared<Connection>();
    connection->xcb = xcb_connect(name.empty() ? nullptr : name.c_str(), &default_screen);
    if (connection->broken()) {
        log_info("egl", "cannot connect to X display \"%s\"", name.c_str());
        return nullptr;
    }
    if (screen < 0)
        screen = default_screen;
    auto i = xcb_setup_roots_iterator(xcb_get_setup(connection->xcb));
    for (int skip = screen; skip > 0 && i.rem; skip--)
        xcb_screen_next(&i);
    if (!i.rem) {
        *error = EGL_BAD_ATTRIBUTE;
        return nullptr;
    }
    connection->screen = i.data;
    connection->name = name;
    connection->number = screen;
    const xcb_query_extension_reply_t *shm = xcb_get_extension_data(connection->xcb, &xcb_shm_id);
    connection->shm = shm && shm->present;
    *error = EGL_SUCCESS;
    return std::make_unique<X11Platform>(
        connection, without_screen(name) + "." + std::to_string(screen), xlib, program);
}

std::string default_name() {
    const char *name = std::getenv("DISPLAY");
    return name ? name : "";
}

} // namespace

std::unique_ptr<Platform> open_x11(void *xlib_display, int screen, EGLint *error) {
    auto *xlib = static_cast<::Display *>(xlib_display);
    if (!xlib)
        return open_named(default_name(), screen, nullptr, nullptr, error);
    return open_named(DisplayString(xlib), screen < 0 ? DefaultScreen(xlib) : screen, xlib, nullptr,
                      error);
}

std::unique_ptr<Platform> open_x11_named(const char *name, int screen, EGLint *error) {
    return open_named(name, screen, nullptr, nullptr, error);
}

std::unique_ptr<Platform> open_xcb(void *xcb_connection, int screen, EGLint *error) {
    auto *program = static_cast<xcb_connection_t *>(xcb_connection);
    if (!program)
        return open_named(default_name(), screen, nullptr, nullptr, error);
    if (xcb_connection_has_error(program)) {
        *error = EGL_BAD_PARAMETER;
        return nullptr;
    }
    return open_named(display_of(program), screen, nullptr, program, error);
}

} // namespace egl
