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
    const double voxel = s.voxel > 0 ? s.voxel : static_cast<double>(p.finest);
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

// visit(particle, squared distance, weight) for the particles around a point.
template <class Visit>
void for_each_near(const SkinParticles& p, const ParticleCells& cells, const SkinSettings& s,
                   const Vec3f& x, const Visit& visit) {
    const Vec3d reach = splat(s.support * static_cast<double>(p.largest));
    cells.for_each_in_box(Vec3d(x) - reach, Vec3d(x) + reach, [&](std::uint32_t n) {
        const float d2 = length_squared(p.x[n] - x);
        const float own = static_cast<float>(s.support) * p.radius[n];
        const double t = std::max(0.0, 1 - static_cast<double>(d2 / (own * own)));
        visit(n, d2, t * t * t);
    });
}

std::vector<float> averages(const SkinParticles& p, const ParticleCells& cells,
                            const SkinSettings& s, const std::vector<float>& column,
                            const std::vector<Vec3f>& points) {
    std::vector<float> out(points.size());
    for_each(points.size(), 1024, [&](std::size_t i) {
        double weight = 0, sum = 0;
        for_each_near(p, cells, s, points[i], [&](std::uint32_t n, float, double w) {
            weight += w;
            sum += w * static_cast<double>(column[n]);
        });
        out[i] = weight > 0 ? static_cast<float>(sum / weight) : 0;
    });
    return out;
}

// What the vertices take from the particles around them.
void carry_over(const Frame& frame, const SkinParticles& p, const ParticleCells& cells,
                const SkinSettings& s, SurfaceMesh& mesh) {
    if (frame.find("body")) {
        const std::vector<std::int32_t> body = frame.integers("body");
        for_each(mesh.positions.size(), 1024, [&](std::size_t v) {
            float nearest = std::numeric_limits<float>::max();
            for_each_near(p, cells, s, mesh.positions[v], [&](std::uint32_t n, float d2, double) {
                if (d2 < nearest) nearest = d2, mesh.body[v] = body[n];
            });
        });
    }
    for (const std::string& name : s.columns)
        mesh.columns.push_back({name, averages(p, cells, s, frame.floats(name), mesh.positions)});
}

}  // namespace

LevelSet skin_level_set(const Frame& frame, const SkinSettings& settings) {
    if (frame.has_elements()) return skin_level_set(volumes_of(frame), settings);
    const SkinParticles particles(frame);
    if (particles.x.empty()) return {};
    const ParticleCells cells(particles.x, cell_size(particles, settings));
    return level_set_of(particles, cells, voxel_of(particles, settings), settings);
}

SurfaceMesh skin_frame(const Frame& frame, const SkinSettings& settings) {
    if (frame.has_elements()) return skin_frame(volumes_of(frame), settings);
    SurfaceMesh mesh;
    const SkinParticles particles(frame);
    if (!particles.x.empty()) {
        const ParticleCells cells(particles.x, cell_size(particles, settings));
        const double voxel = voxel_of(particles, settings);
        const LevelSet set = level_set_of(particles, cells, voxel, settings);
        LevelSet slopes = set;
        blur(slopes, settings.blur);
        mesh = mesh_level_set(set, settings.adaptivity, &slopes);
        carry_over(frame, particles, cells, settings, mesh);
    }
    mesh.frame = frame.frame;
    mesh.time = frame.time;
    return mesh;
}

std::vector<float> average_at(const Frame& frame, const std::vector<float>& column,
                              const std::vector<Vec3f>& points, const SkinSettings& settings) {
    const SkinParticles particles(frame);
    if (particles.x.empty()) return std::vector<float>(points.size());
    const ParticleCells cells(particles.x, cell_size(particles, settings));
    return averages(particles, cells, settings, column, points);
}

}  // namespace knead
