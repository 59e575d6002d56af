#include "knead/mpm/foam/resample/merge_particles.h"

#include "knead/mpm/foam/resample/fields.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr double merge_distance = 0.03;  // of r
constexpr std::uint32_t none = CellMap::none;

// For each row of each phase the closest other row of its phase, ties to the lower id.
template <class Real>
std::vector<std::vector<std::uint32_t>> closest_rows(const std::vector<Phase<Real>>& phases,
                                                     const PointGrid& points, double reach) {
    std::vector<std::vector<std::uint32_t>> closest;
    for (const auto& phase : phases) closest.emplace_back(phase.particles.size(), none);
    for_each(points.size(), 1 << 12, [&](std::size_t i) {
        const PointRef self = points.ref(i);
        const auto& id = phases[self.phase].particles.id;
        std::uint32_t best = none;
        double least = 0;
        points.for_each_within(
            points.point(i), reach, [&](std::uint32_t phase, std::uint32_t row, double d2) {
                if (phase != self.phase || row == self.row) return;
                if (best == none || d2 < least || (d2 == least && id.at(row) < id.at(best))) {
                    best = row;
                    least = d2;
                }
            });
        closest[self.phase][self.row] = best;
    });
    return closest;
}

}  // namespace

template <class Real>
std::vector<Merge> find_merges(const std::vector<Phase<Real>>& phases, const PointGrid& points,
                               double r) {
    const auto closest = closest_rows(phases, points, merge_distance * r);
    std::vector<Merge> merges;
    for (std::uint32_t p = 0; p < phases.size(); ++p)
        for (std::uint32_t row = 0; row < closest[p].size(); ++row) {
            const std::uint32_t other = closest[p][row];
            if (other == none || closest[p][other] != row || other < row) continue;
            const auto& id = phases[p].particles.id;
            if (id.at(row) < id.at(other))
                merges.push_back({p, row, other});
            else
                merges.push_back({p, other, row});
        }
    return merges;
}

template <class Real>
void merge_rows(Particles<Real>& p, std::uint32_t kept, std::uint32_t gone) {
    const double m_a = static_cast<double>(p.mass.at(kept));
    const double m_b = static_cast<double>(p.mass.at(gone));
    const std::uint32_t rows[] = {kept, gone};
    FieldRow sum{}, fields[2]{};
    read_fields(p, rows, 2, fields);
    add_row(sum, m_a, fields[0], sum.size());
    add_row(sum, m_b, fields[1], sum.size());
    set_fields(p, kept, sum, kept);
    p.x.set(kept, p.x.vec(kept) + m_b / (m_a + m_b) * (p.x.vec(gone) - p.x.vec(kept)));
    p.mass.at(kept) += p.mass.at(gone);
    p.volume.at(kept) += p.volume.at(gone);
}

template std::vector<Merge> find_merges(const std::vector<Phase<float>>&, const PointGrid&, double);
template std::vector<Merge> find_merges(const std::vector<Phase<double>>&, const PointGrid&,
                                        double);
template void merge_rows(Particles<float>&, std::uint32_t, std::uint32_t);
template void merge_rows(Particles<double>&, std::uint32_t, std::uint32_t);

}  // namespace knead
