#include "knead/points/density.h"

#include "knead/parallel/exec.h"

namespace knead {

std::vector<double> sph_densities(std::span<const Vec3d> points, std::span<const double> mass,
                                  const Neighbours& neighbours, std::span<const double> h) {
    std::vector<double> rho(points.size());
    for_each(points.size(), 256, [&](std::size_t i) {
        const double radius = h.size() == 1 ? h[0] : h[i];
        double sum = mass[i] * Poly6Kernel::value(0.0, radius);
        for (const std::uint32_t j : neighbours.of(i))
            sum += mass[j] * Poly6Kernel::value(length(points[j] - points[i]), radius);
        rho[i] = sum;
    });
    return rho;
}

}  // namespace knead
