#include "knead/geometry/sample_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "knead/base/error.h"
#include "knead/base/random.h"

namespace knead {

namespace {

// Points kept so far, by cells of the least distance.
class Kept {
public:
    explicit Kept(double r) : r_(r) {}
    bool has_near(const Vec3d& p) const {
        const Vec3<long long> c = cell(p);
        for (long long k = -1; k <= 1; ++k)
            for (long long j = -1; j <= 1; ++j)
                for (long long i = -1; i <= 1; ++i) {
                    const auto found = cells_.find(key({c.x + i, c.y + j, c.z + k}));
                    if (found == cells_.end()) continue;
                    for (const Vec3d& q : found->second)
                        if (length_squared(p - q) < r_ * r_) return true;
                }
        return false;
    }
    void add(const Vec3d& p) { cells_[key(cell(p))].push_back(p); }

private:
    double r_;
    std::unordered_map<std::uint64_t, std::vector<Vec3d>> cells_;

    Vec3<long long> cell(const Vec3d& p) const {
        return {static_cast<long long>(std::floor(p.x / r_)),
                static_cast<long long>(std::floor(p.y / r_)),
                static_cast<long long>(std::floor(p.z / r_))};
    }
    static std::uint64_t key(const Vec3<long long>& c) {
        return random_bits(static_cast<std::uint64_t>(c.x), static_cast<std::uint64_t>(c.y),
                           static_cast<std::uint64_t>(c.z));
    }
};

}  // namespace

std::vector<SurfacePoint> sample_surface(const Mesh& mesh, double min_distance,
                                         std::uint64_t seed) {
    // Running sum of the areas, to pick triangles by.
    std::vector<double> sums;
    std::vector<Vec3d> normals;
    double total = 0;
    for (const Vec3i& t : mesh.triangles) {
        const Vec3d a = mesh.point(t.x);
        const Vec3d n = cross(mesh.point(t.y) - a, mesh.point(t.z) - a);
        total += 0.5 * length(n);
        sums.push_back(total);
        normals.push_back(length(n) > 0 ? normalized(n) : Vec3d{0, 1, 0});
    }
    // A full packing has about 0.7 points to min_distance^2; twenty darts for each fill it well.
    const double darts = std::ceil(20 * 0.7 * total / (min_distance * min_distance));
    if (!(min_distance > 0) || !(darts < 1e9))
        throw InputError(Place{}, fmt::format("the least distance of points is {}", min_distance),
                         "give a number above 0 that suits the mesh's size");
    std::vector<SurfacePoint> points;
    Kept kept(min_distance);
    for (std::uint64_t i = 0; total > 0 && i < static_cast<std::uint64_t>(darts); ++i) {
        const auto it = std::upper_bound(sums.begin(), sums.end(), total * random_unit(seed, i, 0));
        const auto t = static_cast<std::size_t>(std::min(it, sums.end() - 1) - sums.begin());
        // Uniform in the triangle. [Turk 1990]
        const double s = std::sqrt(random_unit(seed, i, 1)), v = random_unit(seed, i, 2);
        const Vec3i& corner = mesh.triangles[t];
        const Vec3d p = (1 - s) * mesh.point(corner.x) + s * (1 - v) * mesh.point(corner.y) +
                        s * v * mesh.point(corner.z);
        if (kept.has_near(p)) continue;
        kept.add(p);
        points.push_back({p, normals[t], static_cast<int>(t)});
    }
    return points;
}

}  // namespace knead
