// Where darts fall: a cell of the grid is halved along all axes down to a sixteenth of its width,
// and each part has one dart, drawn from the cell, the part, the seed and the step alone.
// [Yue 2015, Alg. 3; Ebeida 2012] Lengths are in units of r, from the cell's corner.
#pragma once

#include <cstdint>

#include "knead/base/random.h"
#include "knead/math/vec.h"

namespace knead {

inline constexpr int dart_levels = 5;  // cell widths r, r/2, ... r/16
// No two particles are brought nearer than this: spheres of this radius around the points of a
// lattice of spacing r just cover space.
inline constexpr double dart_spacing = 0.8660254037844386 + 0.01;
inline constexpr double dart_depth = -2.2;  // darts land below this distance

// A squared distance in float that is surely within the spacing, or surely beyond it.
inline constexpr float surely_within2 = float(dart_spacing * dart_spacing) - 1e-5f;
inline constexpr float surely_beyond2 = float(dart_spacing * dart_spacing) + 1e-5f;

// A part of a cell; its own dart and its children's follow from `draw`.
struct DartPart {
    Vec3<float> corner;
    float width;
    int level;
    std::uint64_t draw;

    CPU_GPU DartPart child(int c) const {
        const float half = width / 2;
        const Vec3<float> offset{float(c >> 2), float((c >> 1) & 1), float(c & 1)};
        return {corner + half * offset, half, level + 1,
                mix_bits(draw + static_cast<std::uint64_t>(c) + 1)};
    }
    CPU_GPU std::uint64_t bits() const { return mix_bits(draw); }
    // Of two darts too close to each other, the one with the smaller number wins.
    CPU_GPU std::uint64_t priority() const { return mix_bits(~draw); }
    // 21 of the bits along each axis; the first of them says in which half.
    CPU_GPU Vec3d dart() const {
        constexpr double unit = 0x1p-21;
        constexpr std::uint64_t mask = (1 << 21) - 1;
        const std::uint64_t b = bits();
        const double w = width;
        return {corner.x + w * unit * static_cast<double>(b & mask),
                corner.y + w * unit * static_cast<double>((b >> 21) & mask),
                corner.z + w * unit * static_cast<double>(b >> 43)};
    }
};

// A whole cell.
CPU_GPU inline DartPart dart_cell(const Vec3i& cell, std::uint64_t seed, std::uint64_t step) {
    const auto xy = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(cell.x)) << 32) |
                    static_cast<std::uint32_t>(cell.y);
    const auto z = static_cast<std::uint64_t>(static_cast<std::uint32_t>(cell.z));
    return {{0, 0, 0}, 1, 0, random_bits(seed, step, xy, z)};
}

// Trilinear, in the unit cell: f from its first corner; of the corners x is the highest bit.
CPU_GPU inline double interpolate(const double* corners, const Vec3d& f) {
    double z[4], y[2];
    for (int i = 0; i < 4; ++i) z[i] = corners[2 * i] + f.z * (corners[2 * i + 1] - corners[2 * i]);
    for (int i = 0; i < 2; ++i) y[i] = z[2 * i] + f.y * (z[2 * i + 1] - z[2 * i]);
    return y[0] + f.x * (y[1] - y[0]);
}

}  // namespace knead
