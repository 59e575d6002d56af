// A signed distance sampled on the corners of a dense lattice. Outside its box the distance goes on
// as a true lower bound, so that a shape well inside its box is usable anywhere.
#pragma once

#include <cstddef>
#include <vector>

#include "knead/geometry/box3.h"
#include "knead/geometry/dual.h"

namespace knead {

// What the evaluator reads. Value (i, j, k) stands at origin + spacing (i, j, k); x runs fastest.
template <class T>
struct SdfGridView {
    Vec3<T> origin;
    T spacing;
    Vec3i size;
    const float* values;

    CPU_GPU T at(int i, int j, int k) const {
        const std::ptrdiff_t sx = size.x, sy = size.y;
        return static_cast<T>(values[i + sx * (j + sy * k)]);
    }
    // Central differences, one-sided on the rim.
    CPU_GPU Vec3<T> slope(int i, int j, int k) const {
        const int i0 = i > 0 ? i - 1 : 0, i1 = i + 1 < size.x ? i + 1 : i;
        const int j0 = j > 0 ? j - 1 : 0, j1 = j + 1 < size.y ? j + 1 : j;
        const int k0 = k > 0 ? k - 1 : 0, k1 = k + 1 < size.z ? k + 1 : k;
        return {(at(i1, j, k) - at(i0, j, k)) / (static_cast<T>(i1 - i0) * spacing),
                (at(i, j1, k) - at(i, j0, k)) / (static_cast<T>(j1 - j0) * spacing),
                (at(i, j, k1) - at(i, j, k0)) / (static_cast<T>(k1 - k0) * spacing)};
    }
};

// Cell index and fraction along one axis; u is already within [0, n - 1].
template <class T>
CPU_GPU inline int cell_of(T u, int n, T& fraction) {
    int i = static_cast<int>(u);
    i = i > n - 2 ? n - 2 : i;
    fraction = u - static_cast<T>(i);
    return i;
}

// Trilinear distance; the gradient interpolates the corners' slopes, hence has no jumps.
// Outside: q is the nearest point of the box, and what is inside the box is no nearer than
// sqrt(d(q)^2 + |p - q|^2), since the box is convex.
template <class S>
CPU_GPU inline S sample_grid(const SdfGridView<Element<S>>& grid, const Vec3<Element<S>>& p) {
    using T = Element<S>;
    const Vec3<T> local = (p - grid.origin) / grid.spacing;
    const Vec3<T> top{static_cast<T>(grid.size.x - 1), static_cast<T>(grid.size.y - 1),
                      static_cast<T>(grid.size.z - 1)};
    const Vec3<T> q = min(max(local, Vec3<T>{T(0), T(0), T(0)}), top);
    Vec3<T> f;
    const int i = cell_of(q.x, grid.size.x, f.x);
    const int j = cell_of(q.y, grid.size.y, f.y);
    const int k = cell_of(q.z, grid.size.z, f.z);
    T d = T(0);
    Vec3<T> g{T(0), T(0), T(0)};
    for (int corner = 0; corner < 8; ++corner) {
        const int a = corner & 1, b = (corner >> 1) & 1, c = corner >> 2;
        const T weight = (a ? f.x : T(1) - f.x) * (b ? f.y : T(1) - f.y) * (c ? f.z : T(1) - f.z);
        d += weight * grid.at(i + a, j + b, k + c);
        if constexpr (!std::is_same_v<S, T>) g += weight * grid.slope(i + a, j + b, k + c);
    }
    const Vec3<T> away = grid.spacing * (local - q);
    const T out = length(away);
    if (!(out > T(0))) return with_gradient<S>(d, g);
    d = max(d, T(0));
    const T far = sqrt(d * d + out * out);
    for (int axis = 0; axis < 3; ++axis)
        if (away[axis] < T(0) || away[axis] > T(0)) g[axis] = T(0);
    return with_gradient<S>(far, (d / far) * g + away / far);
}

struct SdfGrid {
    Vec3d origin{0, 0, 0};
    double spacing = 1;
    Vec3i size{0, 0, 0};  // corners along each axis, at least 2
    std::vector<float> values;

    std::size_t index(int i, int j, int k) const {
        const auto sx = static_cast<std::size_t>(size.x), sy = static_cast<std::size_t>(size.y);
        return static_cast<std::size_t>(i) +
               sx * (static_cast<std::size_t>(j) + sy * static_cast<std::size_t>(k));
    }
    Vec3d point(int i, int j, int k) const {
        return origin + spacing * static_cast<Vec3d>(Vec3i{i, j, k});
    }
    Box3 box() const { return {origin, point(size.x - 1, size.y - 1, size.z - 1)}; }
    SdfGridView<double> view() const { return {origin, spacing, size, values.data()}; }
    double distance(const Vec3d& p) const { return sample_grid<double>(view(), p); }
};

// Spreads distances over the grid. closest[i] is a surface point near node i, as far as the value
// there says, or {1e30, 1e30, 1e30} where none is known yet. Nodes keep their sign, and take over
// their neighbours' points where those are nearer. [Danielsson 1980]
void spread_distances(SdfGrid& grid, std::vector<Vec3f> closest);

}  // namespace knead
