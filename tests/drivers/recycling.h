// SPDX-License-Identifier: MIT
// A driver by its tables, and for each kind of handle what shows that a handle reaches an object.
#pragma once

#include "pipe/pipe.h"
#include "util/handles.h"

#include <memory>
#include <vector>

namespace recycling {

using CreateScreen = pipe_screen *(*)(const pipe_screen_config *);

// A lane with an 8x8 target and everything that a draw needs. The triangle covers the target.
struct Scene {
    explicit Scene(CreateScreen create);
    ~Scene();
    Scene(const Scene &) = delete;

    const CreateScreen create;
    pipe_screen_config config{};
    pipe_screen *screen;
    pipe_context *ctx = nullptr; // null: the driver cannot start here

    // --- objects at handles that the caller minted
    void buffer(pipe_handle h, const void *data, uint64_t size);
    void texture(pipe_handle h, uint32_t width, uint32_t height, const uint32_t *texels);
    void view(pipe_handle h, pipe_handle of);
    void sampler(pipe_handle h, uint8_t filter);
    void render_state(pipe_handle h, uint8_t colormask);
    void vertex_elements(pipe_handle h);
    void framebuffer(pipe_handle h, pipe_handle attached);
    void program(pipe_handle h, bool captures);

    // --- state
    void use_render_state(pipe_handle h);
    void use_vertex_elements(pipe_handle h);
    void use_view(pipe_handle h);
    void use_sampler(pipe_handle h); // null: the texture's own, which is linear
    void use_program(pipe_handle h);
    void use_surface(pipe_handle h);

    // --- verbs
    void draw();
    // To a colour that no earlier call used; it is returned.
    uint32_t clear_anew(pipe_handle framebuffer);
    void clear_black();
    uint32_t pixel(pipe_handle framebuffer);
    void write(pipe_handle buffer, uint32_t word);
    uint32_t read(pipe_handle buffer);

    pipe_handle mint(enum pipe_handle_kind kind);

    // What a draw uses before a row changes it. `image`: a red and a green texel.
    pipe_handle target, fb, image, image_view, normal_state, layout, normal_program;

  private:
    void clear(pipe_handle framebuffer, const float (&color)[4]);
    util::SlotAllocator slots_[16];
    uint32_t colors_ = 0;
};

// Slots are used twice; `second` tells what lies in the slot's second life.
class Row {
  public:
    virtual ~Row() = default;
    virtual void make(pipe_handle h, bool second) = 0;
    // Uses the handle. True: the object of the slot's second life has felt it.
    virtual bool reaches(pipe_handle h) = 0;
    virtual void drop(pipe_handle h) = 0;
    // Whether creation and death name the object by its handle alone.
    virtual bool by_handle() const { return true; }
};

struct Kind {
    const char *name;
    std::unique_ptr<Row> (*row)(Scene &);
};
// Every kind of the definition.
const std::vector<Kind> &kinds();

} // namespace recycling
