// Throws the darts of one grid cell and of its parts: parts that lie inside one sphere are left
// alone, and every other part gets one dart. Lengths are in units of r, from the cell's corner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "knead/math/wide.h"
#include "knead/mpm/foam/resample/dart.h"
#include "knead/mpm/foam/resample/signed_distance.h"
#include "knead/parallel/array.h"

namespace knead {

struct Dart {
    std::uint64_t priority;  // the smaller wins
    Vec3i cell;
    Vec3d local;  // from the cell's corner
};

// Points in float, with room to read and write whole packs past the last one.
struct PointList {
    Array<float> axis[3];
    std::size_t count = 0;

    // Forgets its points and makes room for n.
    void start(std::size_t n) {
        count = 0;
        reserve(n);
    }
    void reserve(std::size_t n) {
        if (axis[0].size() >= n + 16) return;
        for (auto& a : axis) a.resize(2 * n + 16);
    }
    void add(const Vec3<float>& u) {
        reserve(count + 1);
        for (int a = 0; a < 3; ++a) axis[a][count] = u[a];
        ++count;
    }
    Vec3<float> point(std::size_t i) const { return {axis[0][i], axis[1][i], axis[2][i]}; }
    // Far ones up to a whole pack.
    void fill_pack() {
        for (auto& a : axis) std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(count), 8, 100.f);
    }
    std::size_t packed() const { return (count + 7) / 8 * 8; }
};

class CellSearch {
public:
    // A new cell, without points near it; `room` for as many as add_points brings at most. Of its
    // 4 x 4 x 4 quarters those without a bit are known to lie inside one sphere.
    void start(const Vec3i& cell, std::uint64_t open_quarters,
               const SignedDistance::Corners& corners, const DartPart& whole, std::size_t room) {
        cell_ = cell;
        open_quarters_ = open_quarters;
        corners_ = corners;
        whole_ = whole;
        near_.start(room);
    }
    // A point, from the cell's corner.
    void add_point(const Vec3<float>& u) { near_.add(u); }
    // Some of the points of a list in which the cell's corner stands at `corner`.
    void add_points(const PointList& from, std::size_t begin, std::size_t end,
                    const Vec3<float>& corner);
    // Whether any dart of any level hits an open spot.
    bool any_dart();
    // All such darts of one level. False where the cell is closed for this level and the next ones.
    bool darts(int level, std::vector<Dart>& out);

private:
    using Pack8 = Wide<float, 8>;

    // Of the cell's points, those whose spheres reach the quarter at `corner`.
    void choose_points(const Vec3<float>& corner);
    // Chooses the points of quarter q: one bit for each of its 4 x 4 x 4 smallest parts that none
    // of their spheres holds alone, z fastest.
    std::uint64_t open_parts(int q);
    bool lands(const DartPart& part, const PointList& near) const;
    // Whether a dart of an open quarter's or of its parts lands.
    bool any_dart_in(const DartPart& quarter, std::uint64_t open) const;
    void throw_dart(const DartPart& part, const PointList& near, std::vector<Dart>& out);

    Vec3i cell_{};
    std::uint64_t open_quarters_ = 0;
    SignedDistance::Corners corners_{};
    DartPart whole_{};
    int thrown_ = 0;
    PointList near_, chosen_;  // of the cell, and of the quarter in hand
};

}  // namespace knead
