#include "knead/mpm/foam/resample/cell_search.h"

namespace knead {

void CellSearch::Points::reserve(std::size_t n) {
    count = 0;
    if (axis[0].size() >= n + 8) return;
    for (auto& a : axis) a.resize(2 * n + 8);
}

void CellSearch::Points::fill_pack() {
    for (auto& a : axis) Pack8(100.f).store(a.data() + count);
}

bool CellSearch::search(int level, std::vector<Dart>* out) {
    near_[0].fill_pack();
    return visit(whole_, level, out);
}

// The part's dart, then its children's. Where single spheres hold all children no dart lands.
bool CellSearch::visit(const DartPart& part, int level, std::vector<Dart>* out) {
    if (part.level == 1) choose_points(part);
    if (part.level == (level < 0 ? dart_levels - 1 : level)) return throw_dart(part, ~0u, out);
    unsigned open = open_children(part);
    if (open == 0) return false;
    if (level < 0 && throw_dart(part, open, out)) return true;
    for (; open; open &= open - 1)
        if (visit(part.child(__builtin_ctz(open)), level, out)) return true;
    return false;
}

void CellSearch::choose_points(const DartPart& part) {
    const Points& from = near_[0];
    Points& to = near_[1];
    to.reserve(from.count);
    const float half = part.width / 2;
    const Vec3<float> center = part.corner + splat(half);
    for (std::size_t i = 0; i < from.packed(); i += 8) {
        Pack8 d2(0);
        for (int a = 0; a < 3; ++a) {
            const Pack8 d = max(abs(Pack8::load(&from.axis[a][i]) - center[a]) - half, Pack8(0.f));
            d2 += d * d;
        }
        float reached[8];
        d2.store(reached);
        for (std::size_t k = 0; k < 8; ++k)
            to.add(from.axis[0][i + k], from.axis[1][i + k], from.axis[2][i + k],
                   reached[k] < surely_beyond2);
    }
    to.fill_pack();
}

// One bit for each child that no single sphere holds.
unsigned CellSearch::open_children(const DartPart& part) const {
    const float q = part.width / 4;
    // Centres of the children along each axis.
    typedef float Eight __attribute__((vector_size(32)));
    const Pack8 x = Pack8(part.corner.x) + Pack8(Eight{q, q, q, q, 3 * q, 3 * q, 3 * q, 3 * q});
    const Pack8 y = Pack8(part.corner.y) + Pack8(Eight{q, q, 3 * q, 3 * q, q, q, 3 * q, 3 * q});
    const Pack8 z = Pack8(part.corner.z) + Pack8(Eight{q, 3 * q, q, 3 * q, q, 3 * q, q, 3 * q});
    const Points& points = near(part);
    Pack8 least(1e9f);
    for (std::size_t i = 0; i < points.count; ++i) {
        const Pack8 dx = abs(Pack8(points.axis[0][i]) - x) + q;
        const Pack8 dy = abs(Pack8(points.axis[1][i]) - y) + q;
        const Pack8 dz = abs(Pack8(points.axis[2][i]) - z) + q;
        least = min(least, dx * dx + dy * dy + dz * dz);
    }
    const auto covered = least < surely_within2;
    unsigned open = 0;
    for (int c = 0; c < 8; ++c) open |= (covered[c] ? 0u : 1u) << c;
    return open;
}

// Far enough from every point, and deep enough in the matter.
bool CellSearch::lands(const Vec3d& dart, const Points& near) const {
    for (std::size_t i = 0; i < near.packed(); i += 8) {
        const Pack8 x = Pack8::load(&near.axis[0][i]) - float(dart.x);
        const Pack8 y = Pack8::load(&near.axis[1][i]) - float(dart.y);
        const Pack8 z = Pack8::load(&near.axis[2][i]) - float(dart.z);
        if (any(x * x + y * y + z * z < surely_beyond2)) return false;
    }
    return interpolate(corners_.data(), dart) < dart_depth;
}

bool CellSearch::throw_dart(const DartPart& part, unsigned open, std::vector<Dart>* out) {
    ++thrown_;
    const std::uint64_t bits = part.bits();
    const auto child = ((bits >> 18) & 4) | ((bits >> 40) & 2) | (bits >> 63);
    if (!((open >> child) & 1)) return false;
    const Vec3d dart = part.dart();
    if (!lands(dart, near(part))) return false;
    if (!out) return true;
    out->push_back({part.priority(), cell_, dart});
    return false;
}

}  // namespace knead
