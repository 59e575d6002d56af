// Throws the darts of one grid cell and of its parts: parts that lie inside one sphere are left
// alone, and every other part gets one dart. Lengths are in units of r, from the cell's corner.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/math/wide.h"
#include "knead/mpm/foam/resample/dart.h"
#include "knead/mpm/foam/resample/signed_distance.h"

namespace knead {

struct Dart {
    std::uint64_t priority;  // the smaller wins
    Vec3i cell;
    Vec3d local;  // from the cell's corner
};

class CellSearch {
public:
    // A new cell, without points near it; `room` for as many as will be added at most.
    void start(const Vec3i& cell, const SignedDistance::Corners& corners, const DartPart& whole,
               std::size_t room) {
        cell_ = cell;
        corners_ = corners;
        whole_ = whole;
        near_[0].reserve(room);
    }
    // A point from the cell's corner; points too far to matter are dropped.
    void add_point(const Vec3<float>& u) {
        float d2 = 0;
        for (int a = 0; a < 3; ++a) {
            const float d = std::max(std::abs(u[a] - 0.5f) - 0.5f, 0.f);
            d2 += d * d;
        }
        near_[0].add(u.x, u.y, u.z, d2 < surely_beyond2);
    }
    // Whether any dart of any level hits an open spot.
    bool any_dart() { return search(-1, nullptr); }
    // All such darts of one level. False where the cell is closed for this level and the next ones.
    bool darts(int level, std::vector<Dart>& out) {
        thrown_ = 0;
        search(level, &out);
        return thrown_ > 0;
    }

private:
    using Pack8 = Wide<float, 8>;

    // Points in float, filled up to whole packs with far ones.
    struct Points {
        Array<float> axis[3];
        std::size_t count = 0;

        void reserve(std::size_t n);  // and forgets those it has
        // Written always, counted if kept: no branch to mispredict.
        void add(float x, float y, float z, bool keep) {
            axis[0][count] = x;
            axis[1][count] = y;
            axis[2][count] = z;
            count += keep ? 1 : 0;
        }
        void fill_pack();
        std::size_t packed() const { return (count + 7) / 8 * 8; }
    };

    bool search(int level, std::vector<Dart>* out);
    bool visit(const DartPart& part, int level, std::vector<Dart>* out);
    // Of the cell's points, those whose spheres reach the part; good for what it is made of too.
    void choose_points(const DartPart& part);
    const Points& near(const DartPart& part) const { return near_[part.level > 0]; }
    unsigned open_children(const DartPart& part) const;
    bool lands(const Vec3d& dart, const Points& near) const;
    // Throws the part's dart if it goes to one of the open children; true ends the search.
    bool throw_dart(const DartPart& part, unsigned open, std::vector<Dart>* out);

    Vec3i cell_{};
    SignedDistance::Corners corners_{};
    DartPart whole_{};
    int thrown_ = 0;
    Points near_[2];  // of the cell, and of the half of it in hand
};

}  // namespace knead
