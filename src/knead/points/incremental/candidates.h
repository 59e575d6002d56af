// For each point all points within a little more than h. They serve until others may have come
// within h; then those points alone whose surroundings moved look anew.
#pragma once

#include <span>
#include <vector>

#include "knead/points/incremental/local_motion.h"

namespace knead {

// Lists have room for whole packs, and for one more to be written behind the last.
inline std::size_t list_room(std::size_t n) { return (n + 7) / 8 * 8 + 8; }

class Candidates {
public:
    void clear() { begin_.clear(); }
    // Makes every list hold all within h of its point, the points being here now; whether lists are
    // new.
    bool update(std::span<const Vec3d> points, double h);

    // By row, padded with the point itself.
    const std::uint32_t* list(std::size_t i) const { return rows_.data() + begin_[i]; }
    std::size_t count(std::size_t i) const { return count_[i]; }
    // Where lists begin, and the end.
    const std::vector<std::size_t>& begin() const { return begin_; }
    std::size_t bytes() const;

private:
    // Finds the lists anew of points that may have others within h that were beyond `limit`.
    void find(std::span<const Vec3d> points, double h, double limit);

    std::vector<std::size_t> begin_;
    std::vector<std::uint32_t> rows_, old_rows_, count_;
    std::vector<PastDistance> past_;  // since each list was found
    LocalMotion motion_;
};

}  // namespace knead
