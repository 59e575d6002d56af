#include "knead/surface/skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/surface/average_surface.h"
#include "knead/surface/level_set_mesh.h"
#include "knead/surface/smooth.h"

namespace knead {

namespace {

double voxel_of(const SkinParticles& p, const SkinSettings& s) {
    const double voxel = s.voxel > 0 ? s.voxel : static_cast<double>(p.least);
    const double reach = s.support * static_cast<double>(p.largest);
    if (reach / voxel > 200)
        throw InputError({},
                         fmt::format("a voxel of {} m is too small for particles of radius {} m",
                                     voxel, p.largest),
                         "choose a larger --voxel");
    return voxel;
}

LevelSet level_set_of(const SkinParticles& p, const ParticleCells& cells, double voxel,
                      const SkinSettings& s) {
    SkinFields fields = average_surface(p, cells, voxel, s);
    smooth_within_bounds(fields, s.smooth);
    return std::move(fields.level_set);
}

double cell_size(const SkinParticles& p, const SkinSettings& s) {
    return 0.5 * s.support * static_cast<double>(p.largest);
}

// What the vertices take from the particles around them.
void carry_over(const Frame& frame, const SkinParticles& p, const ParticleCells& cells,
                const SkinSettings& s, SurfaceMesh& mesh) {
    const std::size_t vertices = mesh.positions.size();
    std::vector<std::vector<float>> from, to;
    for (const std::string& name : s.columns) {
        from.push_back(frame.floats(name));
        to.emplace_back(vertices);
    }
    const std::vector<std::int32_t> body =
        frame.find("body") ? frame.integers("body") : std::vector<std::int32_t>(frame.count);
    const double reach = s.support * static_cast<double>(p.largest);
    for_each(vertices, 1024, [&](std::size_t v) {
        const Vec3f x = mesh.positions[v];
        float nearest = std::numeric_limits<float>::max();
        double weight = 0;
        std::vector<double> sums(from.size(), 0.0);
        cells.for_each_in_box(
            Vec3d(x) - splat(reach), Vec3d(x) + splat(reach), [&](std::uint32_t n) {
                const float d2 = length_squared(p.x[n] - x);
                const float own = static_cast<float>(s.support) * p.radius[n];
                if (d2 < nearest) nearest = d2, mesh.body[v] = body[n];
                const double t = std::max(0.0, 1 - static_cast<double>(d2 / (own * own)));
                weight += t * t * t;
                for (std::size_t c = 0; c < from.size(); ++c)
                    sums[c] += t * t * t * static_cast<double>(from[c][n]);
            });
        for (std::size_t c = 0; c < from.size(); ++c)
            to[c][v] = weight > 0 ? static_cast<float>(sums[c] / weight) : 0;
    });
    for (std::size_t c = 0; c < from.size(); ++c)
        mesh.columns.push_back({s.columns[c], std::move(to[c])});
}

}  // namespace

LevelSet skin_level_set(const Frame& frame, const SkinSettings& settings) {
    const SkinParticles particles(frame);
    if (particles.x.empty()) return {};
    const ParticleCells cells(particles.x, cell_size(particles, settings));
    return level_set_of(particles, cells, voxel_of(particles, settings), settings);
}

SurfaceMesh skin_frame(const Frame& frame, const SkinSettings& settings) {
    SurfaceMesh mesh;
    const SkinParticles particles(frame);
    if (!particles.x.empty()) {
        const ParticleCells cells(particles.x, cell_size(particles, settings));
        const double voxel = voxel_of(particles, settings);
        mesh = mesh_level_set(level_set_of(particles, cells, voxel, settings), settings.adaptivity);
        carry_over(frame, particles, cells, settings, mesh);
    }
    mesh.frame = frame.frame;
    mesh.time = frame.time;
    return mesh;
}

}  // namespace knead
