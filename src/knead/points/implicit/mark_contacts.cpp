// mark_contacts: what obstacles and grips fix, and which bodies touch each other.
#include <algorithm>
#include <cmath>
#include <map>

#include "knead/geometry/box3.h"
#include "knead/particles/point_grid.h"
#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

constexpr double rest_reach = 0.1;  // in spacings: who rests on an obstacle may be that far off
constexpr double stiffness_share = 0.5;  // of pairs, in units of the pressure wave modulus
constexpr double least_slide = 1e-3;     // [m/s] below which friction is in proportion to speed

template <class Real>
Vec3d vec(const Lanes<Real>& a) {
    return static_cast<Vec3d>(to_vec(a));
}

// Rows that may touch another body: those within its bounds.
template <class Real>
std::vector<std::uint32_t> rows_near_others(const ImplicitWorkspace<Real>& work, double reach) {
    std::map<std::int32_t, Box3> bounds;
    for (std::size_t i = 0; i < work.size(); ++i) {
        bounds[work.body[i]].add(work.x[i]);
        bounds[work.body[i]].add(work.x[i] + vec(work.ballistic[i]));
    }
    std::vector<std::uint32_t> rows;
    if (bounds.size() < 2) return rows;
    for (std::size_t i = 0; i < work.size(); ++i)
        for (const auto& [body, box] : bounds)
            if (body != work.body[i] && box.grown(reach).contains(work.x[i])) {
                rows.push_back(static_cast<std::uint32_t>(i));
                break;
            }
    return rows;
}

// What two rows do to each other, if they are about to overlap.
template <class Real>
bool pair_contact(const ImplicitSettings& settings, const ImplicitWorkspace<Real>& work,
                  std::uint32_t i, std::uint32_t j, double dt, PairContact& c) {
    const Vec3d x = work.x[i] - work.x[j];
    const Vec3d slip = vec(work.ballistic[i]) - vec(work.ballistic[j]);
    const double spacing = 0.5 * (work.spacing(i) + work.spacing(j));
    const double distance = length(x);
    if (!(distance > 0)) return false;
    c.other = j;
    c.n = x / distance;
    c.overlap = spacing - distance;
    const double ahead = c.overlap - dot(c.n, slip);
    if (!(ahead > 0)) return false;
    const auto modulus = [&](std::size_t k) {
        const double volume = std::pow(work.spacing(k), 3);
        return static_cast<double>(2 * work.shear[k] + work.lame[k]) / volume;
    };
    const double k = stiffness_share * std::min(modulus(i), modulus(j)) * spacing;
    c.stiffness = dt * dt * k;
    // Coulomb's force at the overlap that is left in the end, on whatever slides: no more than what
    // stops two particles alone.
    const double mass = static_cast<double>(work.mass[i] * work.mass[j]) /
                        static_cast<double>(work.mass[i] + work.mass[j]);
    const double normal = k * ahead / (1 + c.stiffness / mass);
    const double slide = length(slip - dot(c.n, slip) * c.n) / dt;
    c.drag = dt * settings.contact_friction * normal / std::max(slide, least_slide);
    return true;
}

// Of two rows of one body, whether they are strangers: both keep rest vectors, and are not
// neighbours there.
template <class Real>
bool may_touch(const ImplicitWorkspace<Real>& work, std::uint32_t i, std::uint32_t j) {
    if (work.body[i] != work.body[j]) return true;
    if (!work.keeps_rest[i] || !work.keeps_rest[j]) return false;
    const double h = static_cast<double>(std::max(work.support[i], work.support[j]));
    return length_squared(work.source[i] - work.source[j]) > h * h;
}

template <class Real>
void find_pairs(const ImplicitSettings& settings, double dt, ImplicitWorkspace<Real>& work) {
    work.touching.clear(), work.pairs.clear(), work.pair_begin.assign(1, 0);
    if (!settings.body_contact) return;
    double reach = 0, fastest = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
        reach = std::max(reach, work.spacing(i));
        fastest = std::max(fastest, length(vec(work.ballistic[i])));
    }
    reach += std::min(2 * fastest, reach);
    std::vector<std::uint32_t> rows = rows_near_others(work, reach);
    if (settings.is_lazy()) {
        rows.resize(work.size());
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
    }
    if (rows.empty()) return;
    std::vector<Vec3d> points;
    std::vector<PointRef> refs;
    for (const std::uint32_t i : rows) points.push_back(work.x[i]), refs.push_back({0, i});
    const PointGrid grid(points, refs, reach);
    std::vector<std::vector<PairContact>> found(rows.size());
    for_each(rows.size(), 64, [&](std::size_t k) {
        grid.for_each_within(work.x[rows[k]], reach, [&](std::uint32_t, std::uint32_t j, double) {
            PairContact c;
            if (j != rows[k] && may_touch(work, rows[k], j) &&
                pair_contact(settings, work, rows[k], j, dt, c))
                found[k].push_back(c);
        });
    });
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (found[k].empty()) continue;
        work.touching.push_back(rows[k]);
        work.pairs.insert(work.pairs.end(), found[k].begin(), found[k].end());
        work.pair_begin.push_back(work.pairs.size());
    }
}

}  // namespace

template <class Real>
void mark_contacts(const ImplicitSettings& settings, const std::vector<Phase<Real>>& phases,
                   const Surroundings& surroundings, double dt, ImplicitWorkspace<Real>& work) {
    std::vector<Vec3d> predicted(work.size());
    for_each(work.size(), 1024,
             [&](std::size_t i) { predicted[i] = work.x[i] + vec(work.ballistic[i]); });
    const bool constrain = settings.contact == ObstacleContact::constrain;
    work.constraints = surroundings.constraints(phases, std::span<const Vec3d>(predicted),
                                                rest_reach * settings.spacing, constrain);
    work.pushed = constrain ? surroundings.pushed_bodies() : std::vector<PushedBody>{};
    work.pushed_motion.assign(2 * work.pushed.size(), Vec3d{0, 0, 0});
    if (!settings.is_explicit()) begin_friction(phases, dt, work);
    for (const Constraint& c : work.constraints) {
        const std::size_t row = work.row_of(c);
        const Vec3d guess = vec(work.delta[row]);
        work.delta[row] = to_lanes(static_cast<Vec3<Real>>(guess - c.within(guess) + c.fixed()));
    }
    find_pairs(settings, dt, work);
}

template void mark_contacts(const ImplicitSettings&, const std::vector<Phase<float>>&,
                            const Surroundings&, double, ImplicitWorkspace<float>&);
template void mark_contacts(const ImplicitSettings&, const std::vector<Phase<double>>&,
                            const Surroundings&, double, ImplicitWorkspace<double>&);

}  // namespace knead
