// SPDX-License-Identifier: MIT
// Counter registry and report; see util/stats.h.
#include "util/stats.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "stats_private.h"
#include "util/env.h"
#include "util/futex.h"
#include "util/log.h"

namespace util {

// The frames of the load window (shader compilation, first uploads) would hide the steady ones.
static constexpr uint32_t load_window_frames = 16;
static constexpr size_t most_frames = 1u << 16;

struct StatsRegistry {
    std::mutex mutex;
    Counter *first = nullptr;
    uint32_t frames = 0, slots = 0;
    std::map<Counter *, std::vector<uint32_t>> per_frame;
    std::vector<const char *> elsewhere;
    bool started = false;

    static StatsRegistry &get() {
        static auto *registry =
            new StatsRegistry; // leaked: counters may outlive static destruction
        return *registry;
    }

    // Counters beyond the page count all the same; nobody else sees them.
    void add(Counter *counter) {
        std::lock_guard lock(mutex);
        counter->next_ = first;
        first = counter;
        counter->slot_ = slots < stats_slots ? &stats_page.slots[slots++] : new StatsSlot{};
        fill(counter);
    }

    void fill(Counter *counter) {
        StatsSlot &slot = *counter->slot_;
        memcpy(slot.name, counter->name, strnlen(counter->name, sizeof slot.name - 1));
        slot.kind = static_cast<uint32_t>(counter->kind_.load(std::memory_order_relaxed));
        std::atomic_ref(stats_page.header.slots_used).store(slots, std::memory_order_release);
    }

    Counter *find(const char *name) {
        for (Counter *c = first; c; c = c->next_)
            if (!strcmp(c->name, name))
                return c;
        return nullptr;
    }

    // Readers of the page take all values of one frame, or none.
    void frame() {
        std::lock_guard lock(mutex);
        StatsHeader &h = stats_page.header;
        std::atomic_ref sequence(h.frame_sequence);
        sequence.fetch_or(1, std::memory_order_acq_rel);
        ++frames;
        for (Counter *c = first; c; c = c->next_)
            close_frame(*c);
        std::atomic_ref(h.frames_counted).fetch_add(1, std::memory_order_relaxed);
        sequence.fetch_add(1, std::memory_order_release);
    }

    void close_frame(Counter &c) {
        const uint64_t now = c.total();
        const uint64_t delta = now - c.at_last_frame_;
        c.at_last_frame_ = now;
        std::atomic_ref(c.slot_->at_last_frame).store(now, std::memory_order_relaxed);
        if (!started || frames <= load_window_frames ||
            c.kind_.load(std::memory_order_relaxed) != StatsKind::sum)
            return;
        auto &list = per_frame[&c];
        if (list.size() < most_frames)
            list.push_back(static_cast<uint32_t>(std::min<uint64_t>(delta, UINT32_MAX)));
    }

    void restart() {
        for (Counter *c = first; c; c = c->next_) {
            c->at_last_frame_ = 0;
            c->level_ = 0;
            fill(c);
        }
    }

    void show_levels() {
        std::lock_guard lock(mutex);
        for (Counter *c = first; c; c = c->next_)
            if (c->kind_.load(std::memory_order_relaxed) == StatsKind::level) {
                fill(c); // its kind may be as new
                c->show_level();
            }
    }

    std::string line(Counter *c) {
        char text[192];
        for (const char *prefix : elsewhere)
            if (!strncmp(c->name, prefix, strlen(prefix))) {
                snprintf(text, sizeof text, "%-36s %14s\n", c->name, "n/a");
                return text;
            }
        const auto it = per_frame.find(c);
        if (it == per_frame.end() || it->second.empty()) {
            snprintf(text, sizeof text, "%-36s %14" PRIu64 "\n", c->name, c->total());
            return text;
        }
        std::vector<uint32_t> sorted = it->second;
        std::sort(sorted.begin(), sorted.end());
        double sum = 0;
        for (uint32_t v : sorted)
            sum += v;
        snprintf(text, sizeof text, "%-36s %14" PRIu64 "   per frame: median %u, mean %.1f\n",
                 c->name, c->total(), sorted[sorted.size() / 2], sum / double(sorted.size()));
        return text;
    }

    std::string report() {
        std::lock_guard lock(mutex);
        std::vector<Counter *> all;
        for (Counter *c = first; c; c = c->next_)
            all.push_back(c);
        std::sort(all.begin(), all.end(),
                  [](Counter *a, Counter *b) { return strcmp(a->name, b->name) < 0; });
        std::string text = "frames " + std::to_string(frames) + " (the first " +
                           std::to_string(load_window_frames) + " apart)\n";
        for (Counter *c : all)
            text += line(c);
        return text;
    }
};

Counter::Counter(const char *name_, const char *help_) : name(name_), help(help_) {
    StatsRegistry::get().add(this);
}

static void be(std::atomic<StatsKind> &kind, StatsSlot &slot, StatsKind wanted) {
    if (kind.load(std::memory_order_relaxed) == wanted)
        return;
    kind.store(wanted, std::memory_order_relaxed);
    std::atomic_ref(slot.kind).store(static_cast<uint32_t>(wanted), std::memory_order_relaxed);
}

void Counter::raise_to(uint64_t v) {
    if (!stats_on())
        return;
    be(kind_, *slot_, StatsKind::largest);
    std::atomic_ref value(slot_->value);
    uint64_t old = value.load(std::memory_order_relaxed);
    while (old < v && !value.compare_exchange_weak(old, v, std::memory_order_relaxed)) {
    }
}

void Counter::level(int64_t change) {
    be(kind_, *slot_, StatsKind::level);
    level_.fetch_add(static_cast<uint64_t>(change));
    show_level();
}

// Whoever stores last has seen everything; no thread waits for another.
void Counter::show_level() {
    std::atomic_ref shown(slot_->value);
    uint64_t now;
    do {
        now = level_.load();
        shown.store(now);
    } while (level_.load() != now);
}

void stats_show_levels() {
    StatsRegistry::get().show_levels();
}

void stats_lock() {
    StatsRegistry::get().mutex.lock();
}

void stats_unlock() {
    StatsRegistry::get().mutex.unlock();
}

void stats_fill_slots() {
    StatsRegistry::get().restart();
}

void stats_elsewhere(const char *prefix) {
    StatsRegistry &registry = StatsRegistry::get();
    std::lock_guard lock(registry.mutex);
    registry.elsewhere.push_back(prefix);
}

uint64_t stats_total(const char *name) {
    StatsRegistry &registry = StatsRegistry::get();
    std::lock_guard lock(registry.mutex);
    const Counter *c = registry.find(name);
    return c ? c->total() : UINT64_MAX;
}

// The one who watched has gone.
static void stop_unwatched(StatsHeader &h) {
    std::atomic_ref watched(h.on[stats_watched]);
    const uint64_t until = std::atomic_ref(h.watched_until_ns).load(std::memory_order_relaxed);
    if (watched.load(std::memory_order_relaxed) && now_ns() > until)
        watched.store(0, std::memory_order_relaxed);
}

void stats_frame() {
    std::atomic_ref(stats_page.header.frames).fetch_add(1, std::memory_order_relaxed);
    if (!stats_on())
        return;
    StatsRegistry::get().frame();
    stop_unwatched(stats_page.header);
}

std::string stats_report() {
    return StatsRegistry::get().report();
}

void stats_print() {
    const std::string target = env_text(Env::STATS);
    if (target.empty() || !stats_on())
        return;
    const std::string text = stats_report();
    if (target != "1") {
        if (FILE *file = fopen(target.c_str(), "ae")) {
            fwrite(text.data(), 1, text.size(), file);
            fclose(file);
            return;
        }
        log_warning("stats", "cannot write %s", target.c_str());
    }
    // The log cuts long lines, so the report goes line by line.
    for (size_t start = 0; start < text.size();) {
        const size_t end = text.find('\n', start);
        log_write(LogLevel::info, "stats", "%s", text.substr(start, end - start).c_str());
        start = end + 1;
    }
}

void stats_start(bool force) {
    stats_watch_forks();
    if (!force && !env_is_set(Env::STATS))
        return;
    StatsRegistry &registry = StatsRegistry::get();
    {
        std::lock_guard lock(registry.mutex);
        if (registry.started)
            return;
        registry.started = true;
    }
    std::atomic_ref(stats_page.header.on[stats_asked]).store(1, std::memory_order_relaxed);
    atexit(stats_print);
}

} // namespace util
