// Throws the darts of one grid cell and of its parts: the cell is halved along all axes down to a
// sixteenth of its width, parts that lie inside one sphere are left alone, and every other part
// gets one dart. [Yue 2015, Alg. 3; Ebeida 2012] Lengths are in units of r, from the cell's corner.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/base/random.h"
#include "knead/math/wide.h"
#include "knead/mpm/foam/resample/signed_distance.h"

namespace knead {

inline constexpr int dart_levels = 5;  // cell widths r, r/2, ... r/16
// No two particles are brought nearer than this: spheres of this radius around the points of a
// lattice of spacing r just cover space.
inline constexpr double dart_spacing = 0.8660254037844386 + 0.01;
inline constexpr double dart_depth = -2.2;  // darts land below this distance

struct Dart {
    std::uint64_t priority;  // the smaller wins
    Vec3i cell;
    Vec3d local;  // from the cell's corner
};

class CellSearch {
public:
    // A new cell, without points near it.
    void start(const Vec3i& cell, const SignedDistance::Corners& corners, std::uint64_t draw) {
        cell_ = cell;
        corners_ = corners;
        draw_ = draw;
        exact_.clear();
    }
    // A point from the cell's corner; points too far to matter are dropped.
    void add_point(const Vec3d& u) {
        double d2 = 0;
        for (int a = 0; a < 3; ++a) {
            const double d = std::max(std::abs(u[a] - 0.5) - 0.5, 0.0);
            d2 += d * d;
        }
        if (d2 < spacing2) exact_.push_back(u);
    }
    // Whether any dart of any level hits an open spot.
    bool any_dart() { return search(-1, nullptr); }
    // All such darts of one level.
    void darts(int level, std::vector<Dart>& out) { search(level, &out); }

private:
    using Pack8 = Wide<float, 8>;
    static constexpr double spacing2 = dart_spacing * dart_spacing;
    // Below this a float distance is surely below the spacing.
    static constexpr float surely2 = float(spacing2) - 1e-5f;

    // A part of the cell; its own dart and its children's follow from `draw`.
    struct Part {
        Vec3<float> corner;
        float width;
        int level;
        std::uint64_t draw;
    };
    static Vec3d dart_of(const Part& part) {
        constexpr double unit = 0x1p-21;
        constexpr std::uint64_t mask = (1 << 21) - 1;
        const std::uint64_t bits = mix_bits(part.draw);
        const double w = part.width;
        return {part.corner.x + w * unit * static_cast<double>(bits & mask),
                part.corner.y + w * unit * static_cast<double>((bits >> 21) & mask),
                part.corner.z + w * unit * static_cast<double>(bits >> 43)};
    }

    // Points in float, filled up to whole packs with far ones.
    struct Points {
        Array<float> axis[3];
        std::size_t count = 0;

        void reserve(std::size_t n);
        void add(float x, float y, float z);
        void fill_pack();
        std::size_t packed() const { return (count + 7) / 8 * 8; }
    };

    bool search(int level, std::vector<Dart>* out);
    bool descend(const Part& part, int level, std::vector<Dart>* out);
    // Of the cell's points, those whose spheres reach the part; good for what it is made of too.
    void choose_points(const Part& part);
    const Points& near(const Part& part) const { return near_[part.level > 0]; }
    bool inside_one_sphere(const Part& part) const;
    unsigned open_children(const Part& part) const;
    bool lands(const Vec3d& dart, const Points& near) const;
    // Throws the part's dart, away from the given points; true ends the search.
    bool throw_dart(const Part& part, const Points& near, std::vector<Dart>* out) const;

    Vec3i cell_{};
    SignedDistance::Corners corners_{};
    std::uint64_t draw_ = 0;
    std::vector<Vec3d> exact_;
    Points near_[2];  // of the cell, and of the half of it in hand
};

}  // namespace knead
