// Rest volumes that the grid sees.  [mpm-foam oracle O9]
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mpm/blocks.h"

namespace knead {

using testing::Simulation;

// Inside a lattice every particle has its cell's eighth; the outermost layer sees less density: by
// 0.61477 at a face, its square at an edge, its cube at a corner.
TEST(Volumes, EstimateSeesTheSurfaceOfALattice) {
    const double dx = 0.1;
    const int cells = 8, n = 2 * cells;
    MpmSettings settings = testing::settings_of(dx, 3, Transfer::flip);
    settings.estimate_volumes = true;
    const Material material = testing::elastic_material(1000, 1e5, 0.3);
    Simulation<double> sim(settings, {material}, {}, {0, 0, 0},
                           {testing::cube_body<double>(dx, cells, material.density)});
    const auto& p = sim.phases[0].particles;
    const double exact = dx * dx * dx / 8;
    for (std::size_t i = 0; i < p.size(); ++i) {
        int depth[3];
        for (int a = 0; a < 3; ++a) {
            const int k = static_cast<int>(std::floor(p.x.at(i, a) / (dx / 2)));
            depth[a] = std::min(k, n - 1 - k);
        }
        std::sort(depth, depth + 3);
        const double density = exact / p.volume.at(i);
        if (depth[0] >= 6) {
            EXPECT_NEAR(density, 1, 1e-12);
        }
        if (depth[0] == 0 && depth[1] >= 6) {
            EXPECT_NEAR(density, 0.61477, 5.1e-6);
        }
        if (depth[1] == 0 && depth[2] >= 6) {
            EXPECT_NEAR(density, 0.37795, 5.1e-6);
        }
        if (depth[2] == 0) {
            EXPECT_NEAR(density, 0.23235, 5.1e-6);
        }
    }
}

}  // namespace knead
