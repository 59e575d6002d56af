#include "knead/mpm/foam/remove_subgrid.h"

#include <algorithm>

#include "knead/mpm/foam/surroundings.h"
#include "knead/parallel/exec.h"
#include "knead/particles/edit_rows.h"

namespace knead {

namespace {

// The particles near torn ones, with their masses.
class Surroundings {
public:
    template <class Real>
    Surroundings(const std::vector<Phase<Real>>& phases, const PointGrid& points)
        : points_(points), dx_(points.cell_width()), mass_(points.size()), torn_(points.size()) {
        for_each(points.size(), 1 << 13, [&](std::size_t i) {
            const Particles<Real>& p = phases[points.ref(i).phase].particles;
            const std::size_t row = points.ref(i).row;
            mass_[i] = static_cast<double>(p.mass.at(row));
            torn_[i] = p.weak.present() && p.weak.at(row) != Real(0);
        });
        for (const double m : mass_) largest_mass_ = std::max(largest_mass_, m);
    }

    // [Yue 2015, Eq. 21, 22]
    Vec3d spread(const Vec3d& x) const { return moments(x, 2).spread(); }
    // One verdict a point: torn, and not resolved by the grid.
    std::vector<char> subgrid_points() const {
        std::vector<char> subgrid(points_.size());
        parallel_chunks(points_.size(), 1 << 11, [&](std::size_t begin, std::size_t end) {
            Vec3i cell{0, 0, 0};
            std::uint32_t around = 0;  // points that may count for those of the cell
            for (std::size_t i = begin; i < end; ++i) {
                if (!torn_[i]) continue;
                const Vec3i at = points_.cell_of(points_.point(i));
                if (around == 0 || at != cell) around = count_around(at);
                cell = at;
                subgrid[i] = !surely_resolved(points_.point(i), around) &&
                             is_subgrid(spread(points_.point(i)));
            }
        });
        return subgrid;
    }

private:
    std::uint32_t count_around(const Vec3i& cell) const {
        std::uint32_t count = 0;
        points_.for_each_run(cell - splat(2), cell + splat(2),
                             [&](auto begin, auto end) { count += end - begin; });
        return count;
    }
    Moments moments(const Vec3d& x, double reach) const {
        const Vec3i lo = points_.cell_of(x - splat(reach * dx_));
        const Vec3i hi = points_.cell_of(x + splat(reach * dx_));
        Moments sum;
        points_.for_each_run(lo, hi, [&](auto begin, auto end) {
            for (auto i = begin; i < end; ++i)
                sum.add_point((points_.point(i) - x) / dx_, mass_[i]);
        });
        return sum;
    }
    // A bound from the nearest cells only. A sum of squares about its own mean is the least one,
    // and terms left out would only add to it; above, no term exceeds its largest weight, mass and
    // distance.
    bool surely_resolved(const Vec3d& x, std::uint32_t around) const {
        constexpr double largest_w = 8.0 / 27.0, largest_d2 = 3 * 4 * 4;
        const double a = largest_w * largest_mass_, bound = around * a * a * largest_d2;
        const Moments near = moments(x, 0.5);
        return eigen_sym(near.about(near.ad / near.a)).lambda.z > flattest_spread * bound;
    }

    const PointGrid& points_;  // cells of width dx
    double dx_;
    std::vector<double> mass_;
    std::vector<char> torn_;
    double largest_mass_ = 0;
};

template <class Real>
std::vector<PointRef> torn_particles(const std::vector<Phase<Real>>& phases) {
    std::vector<PointRef> torn;
    for (std::uint32_t p = 0; p < phases.size(); ++p) {
        const auto& weak = phases[p].particles.weak;
        for (std::uint32_t i = 0; weak.present() && i < weak.size(); ++i)
            if (weak.at(i) != Real(0)) torn.push_back({p, i});
    }
    return torn;
}

// Bins the particles that may lie within 2 dx of a torn one along every axis.
template <class Real>
PointGrid bin_surroundings(const std::vector<Phase<Real>>& phases,
                           const std::vector<PointRef>& torn, double dx) {
    const double width = 4 * dx;
    const auto cell_of = [&](const Vec3d& x) {
        return Vec3i{static_cast<int>(std::floor(x.x / width)),
                     static_cast<int>(std::floor(x.y / width)),
                     static_cast<int>(std::floor(x.z / width))};
    };
    CellMap wanted;
    for (const PointRef& t : torn) {
        const Vec3d x = phases[t.phase].particles.x.vec(t.row);
        const Vec3i lo = cell_of(x - splat(2.01 * dx)), hi = cell_of(x + splat(2.01 * dx));
        for (int i = lo.x; i <= hi.x; ++i)
            for (int j = lo.y; j <= hi.y; ++j)
                for (int k = lo.z; k <= hi.z; ++k) wanted.insert({i, j, k});
    }
    std::vector<Vec3d> points;
    std::vector<PointRef> refs;
    for (std::uint32_t p = 0; p < phases.size(); ++p) {
        if (!phases[p].is_volume()) continue;
        const auto& x = phases[p].particles.x;
        std::vector<char> near(x.size());
        for_each(x.size(), 1 << 13,
                 [&](std::size_t i) { near[i] = wanted.find(cell_of(x.vec(i))) != CellMap::none; });
        for (std::uint32_t i = 0; i < x.size(); ++i)
            if (near[i]) {
                points.push_back(x.vec(i));
                refs.push_back({p, i});
            }
    }
    return PointGrid(points, refs, dx);
}

}  // namespace

void RemovalReport::add_to(std::map<std::string, double>& totals) const {
    totals["removed"] += static_cast<double>(removed);
    totals["removed_mass"] += mass;
}

template <class Real>
std::vector<Vec3d> torn_spread(const std::vector<Phase<Real>>& phases, double dx) {
    const std::vector<PointRef> torn = torn_particles(phases);
    const PointGrid points = bin_surroundings(phases, torn, dx);
    const Surroundings around(phases, points);
    std::vector<Vec3d> spread(torn.size());
    for_each(torn.size(), 64, [&](std::size_t i) {
        spread[i] = around.spread(phases[torn[i].phase].particles.x.vec(torn[i].row));
    });
    return spread;
}

template <class Real>
RemovalReport remove_subgrid(std::vector<Phase<Real>>& phases, double dx) {
    const std::vector<PointRef> torn = torn_particles(phases);
    if (torn.empty()) return {};
    const PointGrid points = bin_surroundings(phases, torn, dx);
    const std::vector<char> subgrid = Surroundings(phases, points).subgrid_points();

    RemovalReport report;
    std::vector<std::vector<char>> gone;
    for (const auto& phase : phases) gone.emplace_back(phase.particles.size());
    for (std::size_t i = 0; i < subgrid.size(); ++i) {
        if (!subgrid[i]) continue;
        const PointRef at = points.ref(i);
        gone[at.phase][at.row] = 1;
        ++report.removed;
        report.mass += static_cast<double>(phases[at.phase].particles.mass.at(at.row));
    }
    for (std::size_t p = 0; p < phases.size() && report.removed > 0; ++p)
        if (phases[p].is_volume()) remove_rows(phases[p], gone[p]);
    return report;
}

template std::vector<Vec3d> torn_spread(const std::vector<Phase<float>>&, double);
template std::vector<Vec3d> torn_spread(const std::vector<Phase<double>>&, double);
template RemovalReport remove_subgrid(std::vector<Phase<float>>&, double);
template RemovalReport remove_subgrid(std::vector<Phase<double>>&, double);

}  // namespace knead
