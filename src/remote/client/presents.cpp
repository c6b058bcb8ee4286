// SPDX-License-Identifier: MIT
// See the header.
#include "presents.h"

#include <algorithm>

namespace remote {

// Destroyed surfaces are found when there are more than so many.
constexpr size_t sweep_above = 32;

uint64_t credit_over(uint64_t credit, uint64_t round_trip_ns) {
    constexpr uint64_t near_ns = 500'000, frame_ns = 8'000'000, most = 8;
    if (round_trip_ns < near_ns)
        return credit;
    return std::max(credit, std::min(most, credit + (round_trip_ns + frame_ns - 1) / frame_ns));
}

void Presents::drop_finished(Points &points) {
    auto it = points.begin();
    while (it != points.end() && it->lane->reached(it->ordinal))
        ++it;
    points.erase(points.begin(), it);
}

bool Presents::room(pipe_handle surface, uint64_t credit, const ProgressRef &lane,
                    uint64_t *oldest) {
    std::lock_guard lock(mutex_);
    auto it = surfaces_.find(pipe_handle_key(surface));
    if (it == surfaces_.end())
        return true;
    Points &points = it->second;
    drop_finished(points);
    if (points.size() < credit)
        return true;
    const Point &first = points[points.size() - credit];
    *oldest = first.lane == lane ? first.ordinal : 0;
    return false;
}

void Presents::add(pipe_handle surface, const ProgressRef &lane, uint64_t ordinal) {
    std::lock_guard lock(mutex_);
    if (surfaces_.size() > sweep_above) {
        for (auto &[key, points] : surfaces_)
            drop_finished(points);
        std::erase_if(surfaces_, [](const auto &entry) { return entry.second.empty(); });
    }
    surfaces_[pipe_handle_key(surface)].push_back({lane, ordinal});
}

} // namespace remote
