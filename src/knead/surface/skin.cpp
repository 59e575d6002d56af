#include "knead/surface/skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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

// Averages of columns over the particles that are near, by the weights of the surface.
class Averages {
public:
    Averages(const Frame& volumes, const SkinSettings& s)
        : p_(volumes), cells_(p_.x, p_.x.empty() ? 1 : cell_size(p_, s)), support_(s.support) {}

    // One average for each of the points.
    std::vector<float> at(const std::vector<Vec3f>& points,
                          const std::vector<float>& column) const {
        std::vector<float> out(points.size());
        if (!p_.x.empty())
            for_each(points.size(), 1024, [&](std::size_t i) { out[i] = one(points[i], column); });
        return out;
    }

private:
    float one(const Vec3f& x, const std::vector<float>& column) const {
        double weight = 0, sum = 0;
        const Vec3d reach = splat(support_ * static_cast<double>(p_.largest));
        cells_.for_each_in_box(Vec3d(x) - reach, Vec3d(x) + reach, [&](std::uint32_t n) {
            const float own = static_cast<float>(support_) * p_.radius[n];
            const double t =
                std::max(0.0, 1 - static_cast<double>(length_squared(p_.x[n] - x) / (own * own)));
            weight += t * t * t;
            sum += t * t * t * static_cast<double>(column[n]);
        });
        return weight > 0 ? static_cast<float>(sum / weight) : 0;
    }

    SkinParticles p_;
    ParticleCells cells_;
    double support_;
};

const char* const velocity_columns[] = {"vx", "vy", "vz"};

// The velocity, where the frame has it, and what else was asked for.
std::vector<std::string> carried_columns(const Frame& frame, const SkinSettings& s) {
    std::vector<std::string> names;
    for (const char* name : velocity_columns)
        if (frame.find(name)) names.emplace_back(name);
    for (const std::string& name : s.columns)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
}

void append(SurfaceMesh&& one, SurfaceMesh& all) {
    const auto first = static_cast<std::int32_t>(all.positions.size());
    all.positions.insert(all.positions.end(), one.positions.begin(), one.positions.end());
    all.normals.insert(all.normals.end(), one.normals.begin(), one.normals.end());
    all.body.insert(all.body.end(), one.body.begin(), one.body.end());
    for (const auto& f : one.faces) all.faces.push_back({f.x + first, f.y + first, f.z + first});
}

// One closed surface around all particles of the frame.
SurfaceMesh skin_all(const Frame& frame, const SkinSettings& settings) {
    const SkinParticles particles(frame);
    if (particles.x.empty()) return {};
    const ParticleCells cells(particles.x, cell_size(particles, settings));
    const LevelSet set = level_set_of(particles, cells, voxel_of(particles, settings), settings);
    LevelSet slopes = set;
    blur(slopes, settings.blur);
    return mesh_level_set(set, settings.adaptivity, &slopes);
}

// The body of the nearest particle, for each vertex.
void name_nearest_bodies(const Frame& frame, const SkinSettings& s, SurfaceMesh& mesh) {
    if (!frame.find("body") || mesh.positions.empty()) return;
    const std::vector<std::int32_t> body = frame.integers("body");
    const SkinParticles p(frame);
    const ParticleCells cells(p.x, cell_size(p, s));
    const Vec3d reach = splat(s.support * static_cast<double>(p.largest));
    for_each(mesh.positions.size(), 1024, [&](std::size_t v) {
        const Vec3f& x = mesh.positions[v];
        float nearest = std::numeric_limits<float>::max();
        cells.for_each_in_box(Vec3d(x) - reach, Vec3d(x) + reach, [&](std::uint32_t n) {
            const float d2 = length_squared(p.x[n] - x);
            if (d2 < nearest) nearest = d2, mesh.body[v] = body[n];
        });
    });
}

}  // namespace

LevelSet skin_level_set(const Frame& frame, const SkinSettings& settings) {
    if (frame.has_elements()) return skin_level_set(volumes_of(frame), settings);
    const SkinParticles particles(frame);
    if (particles.x.empty()) {  // still one that a file can hold
        LevelSet none;
        none.voxel = settings.voxel > 0 ? settings.voxel : 1;
        none.outside = static_cast<float>(none.voxel);
        return none;
    }
    const ParticleCells cells(particles.x, cell_size(particles, settings));
    return level_set_of(particles, cells, voxel_of(particles, settings), settings);
}

SurfaceMesh skin_frame(const Frame& frame, const SkinSettings& settings) {
    if (frame.has_elements()) return skin_frame(volumes_of(frame), settings);
    SurfaceMesh mesh;
    if (settings.together) {
        mesh = skin_all(frame, settings);
        name_nearest_bodies(frame, settings, mesh);
    } else {
        for (const std::int32_t body : bodies_in(frame)) {
            SurfaceMesh one = skin_all(body_of(frame, body), settings);
            one.body.assign(one.positions.size(), body);
            append(std::move(one), mesh);
        }
    }
    mesh.frame = frame.frame;
    mesh.time = frame.time;
    carry_columns(frame, settings, mesh);
    return mesh;
}

void carry_columns(const Frame& frame, const SkinSettings& settings, SurfaceMesh& mesh) {
    if (frame.has_elements()) return carry_columns(volumes_of(frame), settings, mesh);
    mesh.columns.clear();
    const std::vector<std::string> names = carried_columns(frame, settings);
    for (const std::string& name : names)
        mesh.columns.push_back({name, std::vector<float>(mesh.positions.size())});
    std::map<std::int32_t, std::vector<std::size_t>> vertices;
    for (std::size_t v = 0; v < mesh.body.size(); ++v) vertices[mesh.body[v]].push_back(v);
    for (const auto& [body, own] : vertices) {
        const Frame part = body_of(frame, body);
        const Averages averages(part, settings);
        std::vector<Vec3f> points;
        for (const std::size_t v : own) points.push_back(mesh.positions[v]);
        for (std::size_t c = 0; c < names.size(); ++c) {
            const std::vector<float> found = averages.at(points, part.floats(names[c]));
            auto& values = std::get<std::vector<float>>(mesh.columns[c].values);
            for (std::size_t k = 0; k < own.size(); ++k) values[own[k]] = found[k];
        }
    }
}

std::vector<Vec3f> velocities_at(const Frame& frame, const std::vector<Vec3f>& points,
                                 const SkinSettings& settings) {
    if (frame.has_elements()) return velocities_at(volumes_of(frame), points, settings);
    const Averages averages(frame, settings);
    std::vector<Vec3f> out(points.size());
    for (int k = 0; k < 3; ++k) {
        const std::vector<float> one = averages.at(points, frame.floats(velocity_columns[k]));
        for (std::size_t i = 0; i < out.size(); ++i) out[i][k] = one[i];
    }
    return out;
}

}  // namespace knead
