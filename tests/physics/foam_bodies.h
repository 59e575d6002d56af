// Foam in small: the paper's materials between plates and on floors.
#pragma once

#include <algorithm>
#include <cmath>

#include "knead/geometry/sdf_build.h"
#include "knead/particles/point_grid.h"
#include "mpm/blocks.h"

namespace knead::testing {

// The paper's transfer: cubic FLIP with 5 % of PIC a step of `paper_dt`.
inline MpmSettings foam_settings(double dx, double paper_dt) {
    MpmSettings s = settings_of(dx, 3, Transfer::flip);
    s.flip_fraction = 0.95;
    s.flip_dt = paper_dt;
    return s;
}

inline Collider ground(Contact contact, double friction = 0) {
    Collider c;
    c.name = "ground";
    c.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
    c.contact = contact;
    c.friction = friction;
    return c;
}

inline Collider plate(const char* name, const Vec3d& center, const Vec3d& half) {
    Collider c;
    c.name = name;
    c.shape = sdf::box(center, half);
    c.contact = Contact::sticky;
    return c;
}

// A cube of `cells` cells whose lower face is `gap` above y = 0, falling at `speed`.
template <class Real>
Phase<Real> falling_cube(double dx, int cells, double gap, double speed, double density) {
    Phase<Real> body = cube_body<Real>(dx, cells, density);
    for (std::size_t i = 0; i < body.particles.size(); ++i) {
        body.particles.x.at(i, 1) += gap;
        body.particles.v.at(i, 1) = static_cast<Real>(-speed);
    }
    return body;
}

// Groups of particles with gaps of less than `reach`: how many hold at least `least` particles.
template <class Real>
int components(const std::vector<Phase<Real>>& phases, double reach, std::size_t least) {
    const PointGrid grid(phases, reach);
    std::vector<std::vector<int>> group(phases.size());
    for (std::size_t p = 0; p < phases.size(); ++p) group[p].assign(phases[p].particles.size(), -1);
    int count = 0;
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (std::size_t i = 0; i < group[p].size(); ++i) {
            if (group[p][i] >= 0) continue;
            std::vector<std::pair<std::size_t, std::size_t>> queue{{p, i}};
            group[p][i] = count;
            for (std::size_t k = 0; k < queue.size(); ++k) {
                const auto [q, j] = queue[k];
                grid.for_each_within(phases[q].particles.x.vec(j), reach,
                                     [&](std::uint32_t a, std::uint32_t b, double) {
                                         if (group[a][b] >= 0) return;
                                         group[a][b] = group[p][i];
                                         queue.push_back({a, b});
                                     });
            }
            if (queue.size() >= least) ++count;
        }
    return count;
}

}  // namespace knead::testing
