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
    // A new cell, without points near it; `room` for as many as will be added at most.
    void start(const Vec3i& cell, const SignedDistance::Corners& corners, std::uint64_t draw,
               std::size_t room) {
        cell_ = cell;
        corners_ = corners;
        draw_ = draw;
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
    static constexpr double spacing2 = dart_spacing * dart_spacing;
    // A squared distance in float that is surely within the spacing, or surely beyond it.
    static constexpr float surely_within2 = float(spacing2) - 1e-5f;
    static constexpr float surely_beyond2 = float(spacing2) + 1e-5f;

    // A part of the cell; its own dart and its children's follow from `draw`.
    struct Part {
        Vec3<float> corner;
        float width;
        int level;
        std::uint64_t draw;
    };
    // 21 of the bits along each axis; the first of them says in which half.
    static Vec3d dart_of(const Part& part, std::uint64_t bits) {
        constexpr double unit = 0x1p-21;
        constexpr std::uint64_t mask = (1 << 21) - 1;
        const double w = part.width;
        return {part.corner.x + w * unit * static_cast<double>(bits & mask),
                part.corner.y + w * unit * static_cast<double>((bits >> 21) & mask),
                part.corner.z + w * unit * static_cast<double>(bits >> 43)};
    }

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
    bool visit(const Part& part, int level, std::vector<Dart>* out);
    // Of the cell's points, those whose spheres reach the part; good for what it is made of too.
    void choose_points(const Part& part);
    const Points& near(const Part& part) const { return near_[part.level > 0]; }
    unsigned open_children(const Part& part) const;
    bool lands(const Vec3d& dart, const Points& near) const;
    // Throws the part's dart if it goes to one of the open children; true ends the search.
    bool throw_dart(const Part& part, unsigned open, std::vector<Dart>* out);

    Vec3i cell_{};
    SignedDistance::Corners corners_{};
    std::uint64_t draw_ = 0;
    int thrown_ = 0;
    Points near_[2];  // of the cell, and of the half of it in hand
};

}  // namespace knead
