// SPDX-License-Identifier: MIT
// Strips, loops and fans to lists.
#include "drivers_common/index_rewrite.h"

namespace drivers_common {

namespace {

// Walks one unbroken run of indices.
class run_writer {
  public:
    run_writer(uint8_t mode, bool first, std::vector<uint32_t> &out)
        : mode_(mode), first_(first), out_(out) {}

    void emit(const uint32_t *v, uint32_t n) {
        switch (mode_) {
        case PIPE_PRIM_POINTS: list(v, n, 1); break;
        case PIPE_PRIM_LINES: list(v, n, 2); break;
        case PIPE_PRIM_TRIANGLES: list(v, n, 3); break;
        case PIPE_PRIM_LINES_ADJACENCY: list(v, n, 4); break;
        case PIPE_PRIM_TRIANGLES_ADJACENCY: list(v, n, 6); break;
        case PIPE_PRIM_LINE_LOOP:
            if (n < 2)
                break;
            line_strip(v, n);
            put({v[n - 1], v[0]});
            break;
        case PIPE_PRIM_LINE_STRIP: line_strip(v, n); break;
        case PIPE_PRIM_LINE_STRIP_ADJACENCY:
            for (uint32_t k = 0; k + 3 < n; ++k)
                put({v[k], v[k + 1], v[k + 2], v[k + 3]});
            break;
        case PIPE_PRIM_TRIANGLE_STRIP: triangle_strip(v, n); break;
        case PIPE_PRIM_TRIANGLE_FAN:
        case PIPE_PRIM_POLYGON: fan(v, n); break;
        case PIPE_PRIM_TRIANGLE_STRIP_ADJACENCY: strip_adjacency(v, n); break;
        default: break;
        }
    }

  private:
    void put(std::initializer_list<uint32_t> indices) { out_.insert(out_.end(), indices); }
    void list(const uint32_t *v, uint32_t n, uint32_t size) {
        out_.insert(out_.end(), v, v + n / size * size);
    }
    void line_strip(const uint32_t *v, uint32_t n) {
        for (uint32_t k = 0; k + 1 < n; ++k)
            put({v[k], v[k + 1]});
    }
    // Triangle k of a strip: first convention provokes k, last provokes k + 2; both keep the
    // winding.
    void triangle_strip(const uint32_t *v, uint32_t n) {
        for (uint32_t k = 0; k + 2 < n; ++k) {
            if (!(k & 1))
                put({v[k], v[k + 1], v[k + 2]});
            else if (first_)
                put({v[k], v[k + 2], v[k + 1]});
            else
                put({v[k + 1], v[k], v[k + 2]});
        }
    }
    // Triangle k of a fan: (0, k+1, k+2); first convention provokes k + 1, last provokes k + 2.
    void fan(const uint32_t *v, uint32_t n) {
        for (uint32_t k = 0; k + 2 < n; ++k) {
            if (first_)
                put({v[k + 1], v[k + 2], v[0]});
            else
                put({v[0], v[k + 1], v[k + 2]});
        }
    }
    // Table 10.1 of the specification.
    void strip_adjacency(const uint32_t *v, uint32_t n) {
        uint32_t triangles = n >= 6 ? (n - 4) / 2 : 0;
        for (uint32_t k = 0; k < triangles; ++k) {
            const uint32_t *t = v + 2 * k;
            bool last = k + 1 == triangles;
            uint32_t behind = k ? t[-2] : t[1];
            uint32_t ahead = last ? t[5] : t[6];
            if (!(k & 1))
                put({t[0], behind, t[2], ahead, t[4], t[3]});
            else if (first_)
                put({t[0], t[3], t[4], ahead, t[2], behind});
            else
                put({t[2], behind, t[0], t[3], t[4], ahead});
        }
    }

    uint8_t mode_;
    bool first_;
    std::vector<uint32_t> &out_;
};

uint32_t fetch(const index_source &s, uint32_t n) {
    switch (s.index_size) {
    case 1: return static_cast<const uint8_t *>(s.indices)[n];
    case 2: return static_cast<const uint16_t *>(s.indices)[n];
    case 4: return static_cast<const uint32_t *>(s.indices)[n];
    default: return s.start + n;
    }
}

} // namespace

uint8_t rewritten_mode(uint8_t mode) {
    switch (mode) {
    case PIPE_PRIM_LINE_LOOP:
    case PIPE_PRIM_LINE_STRIP: return PIPE_PRIM_LINES;
    case PIPE_PRIM_TRIANGLE_STRIP:
    case PIPE_PRIM_TRIANGLE_FAN:
    case PIPE_PRIM_POLYGON: return PIPE_PRIM_TRIANGLES;
    case PIPE_PRIM_LINE_STRIP_ADJACENCY: return PIPE_PRIM_LINES_ADJACENCY;
    case PIPE_PRIM_TRIANGLE_STRIP_ADJACENCY: return PIPE_PRIM_TRIANGLES_ADJACENCY;
    default: return mode;
    }
}

bool is_strip(uint8_t mode) {
    return mode == PIPE_PRIM_LINE_LOOP || mode == PIPE_PRIM_LINE_STRIP ||
           mode == PIPE_PRIM_TRIANGLE_STRIP || mode == PIPE_PRIM_TRIANGLE_FAN ||
           mode == PIPE_PRIM_LINE_STRIP_ADJACENCY || mode == PIPE_PRIM_TRIANGLE_STRIP_ADJACENCY;
}

uint8_t strip_mode(uint8_t mode) {
    return mode == PIPE_PRIM_LINE_LOOP ? uint8_t(PIPE_PRIM_LINE_STRIP) : mode;
}

bool rewrite_strips(uint8_t mode, const index_source &source, std::vector<uint32_t> &out) {
    bool restarts = false;
    std::size_t first = out.size(); // of the run
    auto close = [&] {
        if (mode == PIPE_PRIM_LINE_LOOP && out.size() > first + 1)
            out.push_back(out[first]);
    };
    out.reserve(first + source.count + 1);
    for (uint32_t n = 0; n < source.count; ++n) {
        const uint32_t index = fetch(source, n);
        if (!source.restart || index != source.restart_index) {
            out.push_back(index);
            continue;
        }
        close();
        out.push_back(0xffffffffu);
        first = out.size();
        restarts = true;
    }
    close();
    return restarts;
}

void rewrite_indices(uint8_t mode, const index_source &source, std::vector<uint32_t> &out) {
    run_writer writer(mode, source.provoking_first, out);
    std::vector<uint32_t> run;
    run.reserve(source.count);
    for (uint32_t n = 0; n < source.count; ++n) {
        uint32_t index = fetch(source, n);
        if (source.restart && index == source.restart_index) {
            writer.emit(run.data(), uint32_t(run.size()));
            run.clear();
            continue;
        }
        run.push_back(index);
    }
    writer.emit(run.data(), uint32_t(run.size()));
}

} // namespace drivers_common
