#include "knead/geometry/sample_section.h"

#include <cmath>

#include "knead/geometry/sample_volume.h"

namespace knead {

namespace {

// Two directions across a third, along the axes where that is.
struct Across {
    Vec3d first, second;
};
Across across(const Vec3d& direction) {
    const Vec3d d = direction / length(direction);
    int least = 0;
    for (int a = 1; a < 3; ++a)
        if (std::abs(d[a]) < std::abs(d[least])) least = a;
    Vec3d axis{0, 0, 0};
    axis[least] = 1;
    const Vec3d second = cross(d, axis) / length(cross(d, axis));
    return {cross(second, d), second};
}

// Calls visit(x) for every point of the lattice inside the shape.
template <class Visit>
void for_each_inside(const SdfShape& shape, const Vec3d& direction, double spacing,
                     const Visit& visit) {
    const Across a = across(direction);
    const Vec3d center = shape.bounds().center();
    const auto half =
        static_cast<long long>(std::ceil(0.5 * length(shape.bounds().size()) / spacing));
    for (long long i = -half; i < half; ++i)
        for (long long j = -half; j < half; ++j) {
            const Vec3d x = center + (spacing * (static_cast<double>(i) + 0.5)) * a.first +
                            (spacing * (static_cast<double>(j) + 0.5)) * a.second;
            if (shape.distance(x) < 0) visit(x);
        }
}

}  // namespace

std::vector<Vec3d> sample_section(const SdfShape& shape, const Vec3d& direction, double spacing) {
    check_spacing(shape, spacing);
    std::vector<Vec3d> points;
    for_each_inside(shape, direction, spacing, [&](const Vec3d& x) { points.push_back(x); });
    return points;
}

double section_area(const SdfShape& shape, const Vec3d& direction) {
    constexpr double across = 128;
    if (shape.empty() || !shape.bounded()) return 0;
    const double spacing = length(shape.bounds().size()) / across;
    if (!(spacing > 0)) return 0;
    double count = 0;
    for_each_inside(shape, direction, spacing, [&](const Vec3d&) { ++count; });
    return count * spacing * spacing;
}

}  // namespace knead
