// Sheets and fibres by hand, for tests that know no scenes.
#pragma once

#include <cmath>

#include "mpm/blocks.h"

namespace knead::testing {

inline Material thin_material(double young = 400, double stretch = 2000) {
    Material m = elastic_material(2, young, 0.3);
    m.elastic.law = ElasticLaw::thin;
    m.thin = {.compression = 800, .stretch = stretch, .shear = 50};
    return m;
}

template <class Real>
Phase<Real> rows_of(PhaseKind kind, std::size_t n, std::int64_t first_id) {
    Phase<Real> phase;
    phase.kind = kind;
    Particles<Real>& p = phase.particles;
    p.id.create(n), p.parent.create(n, -1), p.body.create(n);
    p.x.create(n), p.v.create(n), p.mass.create(n), p.volume.create(n);
    for (std::size_t i = 0; i < n; ++i) p.id.at(i) = first_id + static_cast<std::int64_t>(i);
    return phase;
}

// Adds the vertices and elements of one body: corners are indices of places.
template <class Real>
void add_thin(std::vector<Phase<Real>>& phases, const std::vector<Vec3d>& places,
              const std::vector<std::vector<int>>& elements, double thickness, double density) {
    const auto first = static_cast<std::int64_t>(1000 * phases.size());
    const auto vertex_phase = static_cast<std::int64_t>(phases.size());
    Phase<Real> v = rows_of<Real>(PhaseKind::vertices, places.size(), first);
    for (std::size_t i = 0; i < places.size(); ++i) v.particles.x.set(i, places[i]);
    Phase<Real> e = rows_of<Real>(PhaseKind::elements, elements.size(), first + 500);
    const std::size_t corners = elements[0].size();
    e.elements.create(static_cast<int>(corners), elements.size());
    e.elements.vertex_phase = vertex_phase;
    for (std::size_t k = 0; k < elements.size(); ++k) {
        const auto at = [&](std::size_t c) {
            return places[static_cast<std::size_t>(elements[k][c])];
        };
        const Vec3d a = at(1) - at(0);
        double size = length(a) * thickness * thickness;
        e.elements.inverse_rest[0][k] = static_cast<Real>(1 / length(a));
        if (corners == 3) {
            const Vec3d b = at(2) - at(0);
            const double r12 = dot(a, b) / length(a), r22 = length(cross(a, b)) / length(a);
            e.elements.inverse_rest[1][k] = static_cast<Real>(-r12 / (length(a) * r22));
            e.elements.inverse_rest[2][k] = static_cast<Real>(1 / r22);
            size = 0.5 * length(cross(a, b)) * thickness;
        }
        const double share = size / static_cast<double>(corners + 1);
        e.particles.volume.at(k) = static_cast<Real>(share);
        e.particles.mass.at(k) = static_cast<Real>(density * share);
        for (std::size_t c = 0; c < corners; ++c) {
            const auto q = static_cast<std::size_t>(elements[k][c]);
            e.elements.vertex[c][k] = first + elements[k][c];
            v.particles.volume.at(q) += static_cast<Real>(share);
            v.particles.mass.at(q) += static_cast<Real>(density * share);
        }
    }
    phases.push_back(std::move(v));
    phases.push_back(std::move(e));
}

// n x m vertices from `corner` along x and -y (or -z).
template <class Real>
void add_sheet(std::vector<Phase<Real>>& phases, const Vec3d& corner, const Vec3d& along,
               const Vec3d& across, int n, int m, double thickness = 0.01) {
    std::vector<Vec3d> places;
    std::vector<std::vector<int>> triangles;
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < n; ++i)
            places.push_back(corner + double(i) * along + double(j) * across);
    for (int j = 0; j + 1 < m; ++j)
        for (int i = 0; i + 1 < n; ++i) {
            const int a = j * n + i, b = a + 1, c = a + n, d = c + 1;
            if ((i + j) % 2)
                triangles.push_back({a, b, c}), triangles.push_back({b, d, c});
            else
                triangles.push_back({a, b, d}), triangles.push_back({a, d, c});
        }
    add_thin(phases, places, triangles, thickness, 2);
}

template <class Real>
void add_fibre(std::vector<Phase<Real>>& phases, const Vec3d& from, const Vec3d& along, int n,
               double thickness = 0.01) {
    std::vector<Vec3d> places;
    std::vector<std::vector<int>> segments;
    for (int i = 0; i < n; ++i) places.push_back(from + double(i) * along);
    for (int i = 0; i + 1 < n; ++i) segments.push_back({i, i + 1});
    add_thin(phases, places, segments, thickness, 2);
}

// A sheet of 6 x 6 vertices and a fibre across it, close enough to touch.
template <class Real>
std::vector<Phase<Real>> sheet_and_fibre() {
    std::vector<Phase<Real>> phases;
    add_sheet(phases, {0.013, 0.004, 0.007}, {0.05, 0, 0}, {0, 0, -0.05}, 6, 6);
    add_fibre(phases, {-0.03, 0.02, -0.11}, {0.04, 0, 0}, 9);
    return phases;
}

}  // namespace knead::testing
