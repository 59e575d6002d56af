#include "scripted.h"

#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"

namespace knead::python {

namespace {

constexpr std::size_t rows_a_task = 1 << 14;

std::size_t index_of(std::int64_t id) { return static_cast<std::size_t>(id); }

template <class Real>
std::size_t end_of_ids(const std::vector<Phase<Real>>& phases) {
    std::int64_t last = -1;
    for (const Phase<Real>& phase : phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            last = std::max(last, phase.particles.id.at(i));
    return index_of(last + 1);
}

// A vector by id, from one a row.
template <class Real>
std::vector<Vec3d> by_id(const std::vector<Phase<Real>>& phases, const RowsById& rows,
                         const std::vector<Vec3d>& a) {
    std::vector<Vec3d> out(end_of_ids(phases), Vec3d{0, 0, 0});
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (std::size_t i = 0; rows.has(p) && i < phases[p].particles.size(); ++i)
            out[index_of(phases[p].particles.id.at(i))] = a[rows.of(p, i)];
    return out;
}

// The mean over an element's corners.
template <class Real>
Vec3d mean_of(const Elements<Real>& elements, std::size_t i, const std::vector<Vec3d>& by_id) {
    Vec3d sum{0, 0, 0};
    for (std::int64_t c = 0; c < elements.corners; ++c)
        sum += by_id[index_of(elements.vertex[c][i])];
    return sum / static_cast<double>(elements.corners);
}

}  // namespace

template <class Real>
RowsById::RowsById(const std::vector<Phase<Real>>& phases) : slots_(phases.size()) {
    std::vector<std::uint64_t> ids;
    for (const Phase<Real>& phase : phases)
        for (std::size_t i = 0; phase.kind != PhaseKind::elements && i < phase.particles.size();
             ++i)
            ids.push_back(static_cast<std::uint64_t>(phase.particles.id.at(i)));
    size_ = ids.size();
    std::vector<std::uint32_t> order;
    sort_by_key(ids, order);
    std::vector<std::uint32_t> slots(size_);
    for (std::size_t k = 0; k < size_; ++k) slots[order[k]] = static_cast<std::uint32_t>(k);
    auto next = slots.begin();
    for (std::size_t p = 0; p < phases.size(); ++p) {
        if (phases[p].kind == PhaseKind::elements) continue;
        const auto end = next + static_cast<std::ptrdiff_t>(phases[p].particles.size());
        slots_[p].assign(next, end);
        next = end;
    }
}

template <class Real>
void write_velocities(std::vector<Phase<Real>>& phases, const RowsById& rows,
                      const std::vector<Vec3d>& v) {
    const std::vector<Vec3d> v_of = by_id(phases, rows, v);
    for (Phase<Real>& phase : phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            phase.particles.v.set(
                i, static_cast<Vec3<Real>>(phase.kind == PhaseKind::elements
                                               ? mean_of(phase.elements, i, v_of)
                                               : v_of[index_of(phase.particles.id.at(i))]));
}

template <class Real>
std::vector<Vec3d> accelerations_of(const std::vector<Phase<Real>>& phases, const RowsById& rows,
                                    const std::vector<Vec3d>& forces) {
    if (forces.empty()) return {};
    std::vector<double> mass(end_of_ids(phases), 0);
    for (const Phase<Real>& phase : phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i) {
            const double m = phase.particles.mass.at(i);
            const Elements<Real>& e = phase.elements;
            if (phase.kind != PhaseKind::elements) mass[index_of(phase.particles.id.at(i))] += m;
            for (std::int64_t c = 0; phase.kind == PhaseKind::elements && c < e.corners; ++c)
                mass[index_of(e.vertex[c][i])] += m / static_cast<double>(e.corners);
        }
    std::vector<Vec3d> a = by_id(phases, rows, forces);
    for (std::size_t id = 0; id < a.size(); ++id)
        if (mass[id] > 0) a[id] = a[id] / mass[id];
    return a;
}

template <class Real>
void accelerate(std::vector<Phase<Real>>& phases, const std::vector<Vec3d>& accelerations,
                double dt) {
    const auto of_id = [&](std::int64_t id) {
        const std::size_t k = index_of(id);
        return k < accelerations.size() ? accelerations[k] : Vec3d{0, 0, 0};
    };
    for (Phase<Real>& phase : phases)
        for_each(phase.particles.size(), rows_a_task, [&](std::size_t i) {
            auto& p = phase.particles;
            const Vec3d a = phase.kind == PhaseKind::elements
                                ? mean_of(phase.elements, i, accelerations)
                                : of_id(p.id.at(i));
            p.v.set(i, static_cast<Vec3<Real>>(static_cast<Vec3d>(p.v.vec(i)) + dt * a));
        });
}

#define KNEAD_INSTANTIATE(Real)                                                                    \
    template RowsById::RowsById(const std::vector<Phase<Real>>&);                                  \
    template void write_velocities(std::vector<Phase<Real>>&, const RowsById&,                     \
                                   const std::vector<Vec3d>&);                                     \
    template std::vector<Vec3d> accelerations_of(const std::vector<Phase<Real>>&, const RowsById&, \
                                                 const std::vector<Vec3d>&);                       \
    template void accelerate(std::vector<Phase<Real>>&, const std::vector<Vec3d>&, double);
KNEAD_INSTANTIATE(float)
KNEAD_INSTANTIATE(double)

}  // namespace knead::python
