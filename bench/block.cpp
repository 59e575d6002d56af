#include "block.h"

#include <cmath>

#include "knead/geometry/sdf_build.h"

namespace knead::bench {

Phase<float> falling_block(std::int64_t n, double dx, double density) {
    const auto side = static_cast<std::int64_t>(std::llround(std::cbrt(static_cast<double>(n))));
    Phase<float> phase;
    Particles<float>& p = phase.particles;
    const auto count = static_cast<std::size_t>(side * side * side);
    p.id.create(count);
    p.parent.create(count, -1);
    p.body.create(count);
    p.x.create(count);
    p.v.create(count);
    p.mass.create(count);
    p.volume.create(count);
    const double spacing = dx / 2, volume = spacing * spacing * spacing;
    for (std::size_t i = 0; i < count; ++i) {
        const auto k = static_cast<std::int64_t>(i);
        const Vec3d cell{static_cast<double>(k / side / side) + 0.5,
                         static_cast<double>(k / side % side) + 0.5,
                         static_cast<double>(k % side) + 0.5};
        p.id.at(i) = k;
        p.x.set(i, spacing * cell + Vec3d{0, dx, 0});
        p.v.set(i, Vec3f{0, -1, 0});
        p.volume.at(i) = static_cast<float>(volume);
        p.mass.at(i) = static_cast<float>(density * volume);
    }
    return phase;
}

Collider bench_floor() {
    Collider floor;
    floor.name = "floor";
    floor.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
    floor.friction = 0.5;
    return floor;
}

}  // namespace knead::bench
