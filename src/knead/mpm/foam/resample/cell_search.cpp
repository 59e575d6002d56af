#include "knead/mpm/foam/resample/cell_search.h"

namespace knead {

bool CellSearch::search(int level, std::vector<Dart>* out) {
    const std::size_t padded = (exact_.size() + 7) / 8 * 8;
    for (int a = 0; a < 3; ++a) {
        near_[a].assign(padded, 100.f);
        for (std::size_t i = 0; i < exact_.size(); ++i) near_[a][i] = float(exact_[i][a]);
    }
    const Part whole{{0, 0, 0}, 1, 0, draw_};
    if (inside_one_sphere(whole)) return false;
    if (level <= 0 && throw_dart(whole, out)) return true;
    return level != 0 && descend(whole, level, out);
}

// The eight children of a part, then theirs. With level >= 0 only that level throws darts.
bool CellSearch::descend(const Part& part, int level, std::vector<Dart>* out) {
    unsigned open = open_children(part);
    const float half = part.width / 2;
    for (; open; open &= open - 1) {
        const int c = __builtin_ctz(open);
        const Vec3<float> offset{float(c >> 2), float((c >> 1) & 1), float(c & 1)};
        const Part child{part.corner + half * offset, half, part.level + 1,
                         mix_bits(part.draw + static_cast<std::uint64_t>(c) + 1)};
        if ((level < 0 || level == child.level) && throw_dart(child, out)) return true;
        const int last = level < 0 ? dart_levels - 1 : level;
        if (child.level < last && descend(child, level, out)) return true;
    }
    return false;
}

bool CellSearch::inside_one_sphere(const Part& part) const {
    const float half = part.width / 2;
    const Vec3<float> center = part.corner + splat(half);
    for (std::size_t i = 0; i < near_[0].size(); i += 8) {
        Pack8 far2(0);
        for (int a = 0; a < 3; ++a) {
            const Pack8 far = abs(Pack8::load(&near_[a][i]) - center[a]) + half;
            far2 += far * far;
        }
        if (any(far2 < surely2)) return true;
    }
    return false;
}

// One bit for each child that no single sphere holds.
unsigned CellSearch::open_children(const Part& part) const {
    const float q = part.width / 4;
    // Centres of the children along each axis.
    typedef float Eight __attribute__((vector_size(32)));
    const Pack8 x = Pack8(part.corner.x) + Pack8(Eight{q, q, q, q, 3 * q, 3 * q, 3 * q, 3 * q});
    const Pack8 y = Pack8(part.corner.y) + Pack8(Eight{q, q, 3 * q, 3 * q, q, q, 3 * q, 3 * q});
    const Pack8 z = Pack8(part.corner.z) + Pack8(Eight{q, 3 * q, q, 3 * q, q, 3 * q, q, 3 * q});
    Pack8 least(1e9f);
    for (std::size_t i = 0; i < exact_.size(); ++i) {
        const Pack8 dx = abs(Pack8(near_[0][i]) - x) + q;
        const Pack8 dy = abs(Pack8(near_[1][i]) - y) + q;
        const Pack8 dz = abs(Pack8(near_[2][i]) - z) + q;
        least = min(least, dx * dx + dy * dy + dz * dz);
    }
    const auto covered = least < surely2;
    unsigned open = 0;
    for (int c = 0; c < 8; ++c) open |= (covered[c] ? 0u : 1u) << c;
    return open;
}

// Far enough from every point, and deep enough in the matter.
bool CellSearch::lands(const Vec3d& dart) const {
    for (std::size_t i = 0; i < near_[0].size(); i += 8) {
        const Pack8 x = Pack8::load(&near_[0][i]) - float(dart.x);
        const Pack8 y = Pack8::load(&near_[1][i]) - float(dart.y);
        const Pack8 z = Pack8::load(&near_[2][i]) - float(dart.z);
        if (any(x * x + y * y + z * z < surely2)) return false;
    }
    for (const Vec3d& u : exact_)
        if (length_squared(u - dart) < spacing2) return false;
    return interpolate(corners_, dart) < dart_depth;
}

bool CellSearch::throw_dart(const Part& part, std::vector<Dart>* out) const {
    const Vec3d dart = dart_of(part);
    if (!lands(dart)) return false;
    if (!out) return true;
    out->push_back({mix_bits(~part.draw), cell_, dart});
    return false;
}

}  // namespace knead
