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
    s.sticky_reach = 0;
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

// A group of particles with gaps of less than some reach.
struct Part {
    std::size_t particles = 0;
    Vec3d lo{1e30, 1e30, 1e30}, hi{-1e30, -1e30, -1e30};  // where they are [m]
    Vec3d momentum{0, 0, 0};
    double mass = 0;
    Vec3d velocity() const { return momentum / mass; }
};

// The groups of at least `least` particles, the largest first.
template <class Real>
std::vector<Part> parts(const std::vector<Phase<Real>>& phases, double reach, std::size_t least) {
    const PointGrid grid(phases, reach);
    std::vector<std::vector<char>> seen;
    for (const auto& phase : phases) seen.emplace_back(phase.particles.size());
    std::vector<Part> list;
    for (std::uint32_t p = 0; p < phases.size(); ++p)
        for (std::uint32_t i = 0; i < seen[p].size(); ++i) {
            if (seen[p][i]) continue;
            std::vector<PointRef> queue{{p, i}};
            seen[p][i] = 1;
            Part part;
            for (std::size_t k = 0; k < queue.size(); ++k) {
                const auto& particles = phases[queue[k].phase].particles;
                const std::size_t row = queue[k].row;
                const Vec3d x = particles.x.vec(row);
                const double m = static_cast<double>(particles.mass.at(row));
                part.lo = min(part.lo, x);
                part.hi = max(part.hi, x);
                part.mass += m;
                part.momentum += m * static_cast<Vec3d>(particles.v.vec(row));
                grid.for_each_within(x, reach, [&](std::uint32_t a, std::uint32_t b, double) {
                    if (seen[a][b]) return;
                    seen[a][b] = 1;
                    queue.push_back({a, b});
                });
            }
            part.particles = queue.size();
            if (part.particles >= least) list.push_back(part);
        }
    std::sort(list.begin(), list.end(),
              [](const Part& a, const Part& b) { return a.particles > b.particles; });
    return list;
}

template <class Real>
int components(const std::vector<Phase<Real>>& phases, double reach, std::size_t least) {
    return static_cast<int>(parts(phases, reach, least).size());
}

}  // namespace knead::testing
