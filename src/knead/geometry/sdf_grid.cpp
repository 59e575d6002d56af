#include "knead/geometry/sdf_grid.h"

#include <algorithm>
#include <cmath>

namespace knead {

namespace {

// Godunov's upwind solution of |grad d| = 1 from the smallest neighbour along each axis.
float upwind(float a, float b, float c, float h) {
    if (a > b) std::swap(a, b);
    if (b > c) std::swap(b, c);
    if (a > b) std::swap(a, b);
    float d = a + h;
    if (d <= b) return d;
    d = 0.5f * (a + b + std::sqrt(std::max(0.f, 2 * h * h - (a - b) * (a - b))));
    if (d <= c) return d;
    const float sum = a + b + c;
    const float rest = sum * sum - 3 * (a * a + b * b + c * c - h * h);
    return (sum + std::sqrt(std::max(0.f, rest))) / 3;
}

struct Sweep {
    SdfGrid& grid;
    const std::vector<unsigned char>& known;

    float least(int i, int j, int k, const Vec3i& e) const {
        const float far = 1e30f;
        const auto get = [&](int s) {
            const int a = i + s * e.x, b = j + s * e.y, c = k + s * e.z;
            const bool in =
                a >= 0 && b >= 0 && c >= 0 && a < grid.size.x && b < grid.size.y && c < grid.size.z;
            return in ? std::fabs(grid.values[grid.index(a, b, c)]) : far;
        };
        return std::min(get(-1), get(1));
    }
    void visit(int i, int j, int k) const {
        const std::size_t at = grid.index(i, j, k);
        if (known[at]) return;
        const float h = static_cast<float>(grid.spacing);
        const float d = upwind(least(i, j, k, {1, 0, 0}), least(i, j, k, {0, 1, 0}),
                               least(i, j, k, {0, 0, 1}), h);
        float& value = grid.values[at];
        value = std::copysign(std::min(std::fabs(value), d), value);
    }
    void run(bool fx, bool fy, bool fz) const {
        const Vec3i n = grid.size;
        for (int c = 0; c < n.z; ++c)
            for (int b = 0; b < n.y; ++b)
                for (int a = 0; a < n.x; ++a)
                    visit(fx ? a : n.x - 1 - a, fy ? b : n.y - 1 - b, fz ? c : n.z - 1 - c);
    }
};

}  // namespace

void sweep_distances(SdfGrid& grid, const std::vector<unsigned char>& known) {
    for (std::size_t i = 0; i < known.size(); ++i)
        if (!known[i]) grid.values[i] = std::copysign(1e15f, grid.values[i]);
    const Sweep sweep{grid, known};
    for (int round = 0; round < 2; ++round)
        for (int k = 0; k < 8; ++k) sweep.run(k & 1, k & 2, k & 4);
}

}  // namespace knead
