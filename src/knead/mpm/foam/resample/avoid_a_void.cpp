#include "knead/mpm/foam/resample/avoid_a_void.h"

#include <algorithm>

#include "knead/math/wide.h"
#include "knead/mpm/foam/resample/conserved_values.h"
#include "knead/mpm/foam/resample/field_values.h"
#include "knead/mpm/foam/resample/merge_particles.h"
#include "knead/mpm/foam/resample/poisson_darts.h"
#include "knead/parallel/exec.h"
#include "knead/particles/edit_rows.h"

namespace knead {

namespace {

Inventory operator+(const Inventory& a, const Inventory& b) {
    return {a.mass + b.mass, a.volume + b.volume, a.momentum + b.momentum, a.angular + b.angular};
}

// F follows J, which is kept apart because it is the more exact. Four rows at a time, in double.
template <class Real>
void rescale_to_dilation(Particles<Real>& p) {
    if (!p.F.present() || !p.b.present() || !p.dilation.present()) return;
    using Four = Wide<double, 4>;
    for_each((p.size() + 3) / 4, 1 << 10, [&](std::size_t k) {
        const std::size_t row = 4 * k;
        const auto read = [&](const Real* plane) {  // columns end with room for whole packs
            Four four;
            for (std::size_t l = 0; l < 4; ++l) four.v[l] = static_cast<double>(plane[row + l]);
            return four;
        };
        Mat3<Four> F;
        for (int c = 0; c < 9; ++c) F[c] = read(p.F.plane(c));
        F = cbrt((1 + read(p.dilation.plane(0))) / determinant(F)) * F;
        const std::size_t end = std::min(row + 4, p.size());
        for (int c = 0; c < 9; ++c)
            for (std::size_t i = row; i < end; ++i)
                p.F.at(i, c) = static_cast<Real>(F[c][static_cast<int>(i - row)]);
    });
}

// Rows for the births, with all that is copied from the nearest donor.
template <class Real>
std::vector<std::size_t> append_births(std::vector<Phase<Real>>& phases,
                                       const std::vector<Birth>& births, std::int64_t& next_id) {
    std::vector<std::size_t> next(phases.size()), rows;
    std::vector<std::size_t> count(phases.size());
    for (const Birth& birth : births) ++count[birth.nearest.phase];
    for (std::size_t p = 0; p < phases.size(); ++p) next[p] = append_rows(phases[p], count[p]);
    for (const Birth& birth : births) {
        Particles<Real>& p = phases[birth.nearest.phase].particles;
        const std::size_t row = next[birth.nearest.phase]++, donor = birth.nearest.row;
        p.for_each_column([&](const ColumnInfo&, auto& column) {
            if (!column.present()) return;
            for (int k = 0; k < column.planes; ++k) column.at(row, k) = column.at(donor, k);
        });
        p.id.at(row) = next_id++;
        if (p.parent.present()) p.parent.at(row) = p.id.at(donor);
        p.x.set(row, birth.x);
        rows.push_back(row);
    }
    return rows;
}

template <class Real>
void insert_particles(std::vector<Phase<Real>>& phases, const PointGrid& points, double dx,
                      const std::vector<Birth>& births, std::int64_t& next_id,
                      std::vector<PointRef>& touched) {
    const auto conserved = take_conserved_values(phases, births);
    const auto rows = append_births(phases, births, next_id);
    for (std::size_t b = 0; b < births.size(); ++b) {
        Particles<Real>& p = phases[births[b].nearest.phase].particles;
        p.mass.at(rows[b]) = conserved[b].mass;
        p.volume.at(rows[b]) = conserved[b].volume;
        touched.push_back({births[b].nearest.phase, static_cast<std::uint32_t>(rows[b])});
    }
    interpolate_fields(phases, points, dx, births, rows);
}

// Merges the pairs and takes the superfluous rows out; rows named in `touched` are renumbered.
template <class Real>
void merge_particles(std::vector<Phase<Real>>& phases, const std::vector<Merge>& merges,
                     std::vector<PointRef>& touched) {
    std::vector<std::vector<char>> gone;
    for (const auto& phase : phases) gone.emplace_back(phase.particles.size());
    for (const Merge& m : merges) {
        merge_rows(phases[m.phase].particles, m.kept, m.gone);
        gone[m.phase][m.gone] = 1;
        touched.push_back({m.phase, m.kept});
    }
    for (std::uint32_t p = 0; p < phases.size(); ++p) {
        std::vector<std::uint32_t> shift(gone[p].size());
        std::uint32_t removed = 0;
        for (std::size_t i = 0; i < gone[p].size(); ++i) {
            shift[i] = removed;
            removed += gone[p][i] ? 1 : 0;
        }
        if (removed == 0) continue;
        for (PointRef& t : touched)
            if (t.phase == p) t.row -= shift[t.row];
        remove_rows(phases[p], gone[p]);
    }
}

}  // namespace

void ResampleReport::add_to(std::map<std::string, double>& totals) const {
    totals["inserted"] += static_cast<double>(inserted);
    totals["merged"] += static_cast<double>(merged);
    totals["resampled_mass"] += after.mass - before.mass;
    totals["resampled_volume"] += after.volume - before.volume;
    totals["resampled_momentum"] += length(after.momentum - before.momentum);
    totals["resampled_angular_momentum"] += length(after.angular - before.angular);
}

template <class Real>
Inventory take_inventory(const std::vector<Phase<Real>>& phases) {
    Inventory all;
    for (const auto& phase : phases) {
        const Particles<Real>& p = phase.particles;
        all = all + reduce(
                        p.size(), Inventory{},
                        [&](std::size_t i) {
                            const double m = static_cast<double>(p.mass.at(i));
                            const Vec3d mv = m * static_cast<Vec3d>(p.v.vec(i));
                            return Inventory{m, static_cast<double>(p.volume.at(i)), mv,
                                             cross(p.x.vec(i), mv)};
                        },
                        [](const Inventory& a, const Inventory& b) { return a + b; });
    }
    return all;
}

template <class Real>
ResampleReport avoid_a_void(std::vector<Phase<Real>>& phases, double dx, std::uint64_t seed,
                            std::int64_t step, std::int64_t& next_id) {
    const double r = dx / 2;
    ResampleReport report;
    report.before = report.after = take_inventory(phases);
    for (auto& phase : phases) rescale_to_dilation(phase.particles);

    const PointGrid points(phases, r, PointsOf::volumes);
    const SignedDistance distance(points);
    const auto births = find_donors(points, poisson_darts(points, distance, seed, step), r);
    const auto merges = find_merges(phases, points, r);  // darts keep clear of everything
    report.inserted = static_cast<std::int64_t>(births.size());
    report.merged = static_cast<std::int64_t>(merges.size());
    if (!report.changed()) return report;

    if (!births.empty()) insert_particles(phases, points, dx, births, next_id, report.touched);
    if (!merges.empty()) merge_particles(phases, merges, report.touched);
    for (auto& phase : phases) phase.blocks.clear();
    report.after = take_inventory(phases);
    return report;
}

template Inventory take_inventory(const std::vector<Phase<float>>&);
template Inventory take_inventory(const std::vector<Phase<double>>&);
template ResampleReport avoid_a_void(std::vector<Phase<float>>&, double, std::uint64_t,
                                     std::int64_t, std::int64_t&);
template ResampleReport avoid_a_void(std::vector<Phase<double>>&, double, std::uint64_t,
                                     std::int64_t, std::int64_t&);

}  // namespace knead
