${c.BANNER}
// Pushed state as drivers keep it: what a filling call brings goes into a cell of the call's input group, and verbs
// read it through the cell. In verify builds each read is checked against the verb that runs on this thread: a group
// that is not in the verb's row, or that was never pushed, stops the process with `group@verb`. Other builds pay
// nothing. Reads outside verbs (setters, screen calls, other threads) are not checked.
#pragma once

#include "pipe/pipe_enums.h"

#include <stdint.h>

#include <type_traits>
#include <utility>

// The verb that runs on a thread, as the wrapper around the driver's table announces it.
struct pipe_input_scope {
    const char *verb;
    uint64_t reads;        // bit pipe_input: the verb's row
    const uint64_t *fills; // per group: serial of the last fill on this lane, 0: none
    uint64_t last_verb;    // serial of the verb before: fills of groups that are not sticky must be younger
};
// Null: no verb. The scope lives until the next call.
void pipe_input_enter(const struct pipe_input_scope *scope);
// Called with the text of a violation; the default logs it and aborts.
extern void (*pipe_input_violation)(const char *text);
// What is wrong with a read of `group` in `scope`, or null.
const char *pipe_input_wrong(const struct pipe_input_scope *scope, enum pipe_input group);
extern const char *const pipe_input_names[${len(m.groups)}];

#ifdef MGPIPE_VERIFY
void pipe_input_read(enum pipe_input group);
#else
static inline void pipe_input_read(enum pipe_input) {}
#endif

template <enum pipe_input group, typename T> class pipe_input_cell {
  public:
    const T &get() const {
        pipe_input_read(group);
        return value_;
    }
    // For the calls that fill the group, and for deletions of what it names.
    T &fill() { return value_; }
    const T &peek() const { return value_; }

    operator const T &() const { return get(); }
    explicit operator bool() const
        requires(!std::is_same_v<T, bool>)
    {
        return static_cast<bool>(get());
    }
    template <typename U> pipe_input_cell &operator=(U &&value) {
        value_ = std::forward<U>(value);
        return *this;
    }
    template <typename I> const auto &operator[](I i) const { return get()[i]; }
    const auto &operator*() const { return *get(); }
    auto operator->() const {
        if constexpr (std::is_pointer_v<T>)
            return get();
        else if constexpr (requires(const T &v) { v.operator->(); })
            return get().operator->();
        else
            return &get();
    }

  private:
    T value_{};
};

% for g in m.groups:
${c.comment(g.doc)}
template <typename T> using pipe_in_${g.name} = pipe_input_cell<PIPE_INPUT_${g.name.upper()}, T>;
% endfor
