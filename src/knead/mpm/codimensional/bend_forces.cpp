#include "knead/mpm/codimensional/bend_forces.h"

#include <algorithm>

#include "knead/materials/codimensional/bending.h"
#include "knead/parallel/exec.h"
#include "knead/particles/pack_columns.h"

namespace knead {

namespace {

constexpr std::size_t rows_a_task = 1024;

// Corners of a few bends from corner 0 to the others; lanes past them hold a plain bend.
template <class Real, std::size_t N, class S>
void load_edges(const BendRows<Real, N>& bends, const Column<S, 3>& x, std::size_t begin, int count,
                Vec3<Pack<Real>> (&edge)[N - 1]) {
    constexpr int lanes = pack_lanes<Real>;
    alignas(64) Real out[N - 1][3][lanes];
    for (std::size_t k = 0; k + 1 < N; ++k)
        for (int a = 0; a < 3; ++a)
            for (int lane = count; lane < lanes; ++lane)
                out[k][a][lane] = a == 0 ? Real(k + 1) : Real(k == 1) - Real(k == 2);
    for (int a = 0; a < 3; ++a) {
        const S* plane = x.plane(a);
        for (int lane = 0; lane < count; ++lane) {
            const std::size_t b = begin + static_cast<std::size_t>(lane);
            const S from = plane[bends.row[0][b]];
            for (std::size_t k = 0; k + 1 < N; ++k)
                out[k][a][lane] = static_cast<Real>(plane[bends.row[k + 1][b]] - from);
        }
    }
    for (std::size_t k = 0; k + 1 < N; ++k)
        edge[k] = {Pack<Real>::load(out[k][0]), Pack<Real>::load(out[k][1]),
                   Pack<Real>::load(out[k][2])};
}

// compute(edges, first bend, how many, rest, stiffness, force) for all, and their forces kept.
template <class Real, std::size_t N, class Compute>
void for_each_pack(BendRows<Real, N>& bends, const Column<double, 3>& x, const Compute& compute) {
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    parallel_chunks(bends.size(), rows_a_task, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; b += lanes) {
            const int count = static_cast<int>(std::min<std::size_t>(lanes, end - b));
            Vec3<P> edge[N - 1], force[N - 1];
            load_edges(bends, x, b, count, edge);
            const P rest = P::load_part(bends.rest.data() + b, count, Real(0));
            const P stiffness = P::load_part(bends.stiffness.data() + b, count, Real(0));
            compute(edge, b, count, rest, stiffness, force);
            for (std::size_t k = 0; k + 1 < N; ++k)
                store_column<Real>(bends.force[k], b, count, force[k]);
        }
    });
}

template <class Real, std::size_t N>
void sum_at_vertices(const BendRows<Real, N>& bends, Column<Real, 3>& total) {
    if (bends.size() == 0) return;
    for_each(total.size(), rows_a_task, [&](std::size_t i) {
        Vec3<Real> sum = total.vec(i);
        for (std::uint32_t k = bends.first[i]; k < bends.first[i + 1]; ++k) {
            const std::size_t bend = bends.corners[k] / N, corner = bends.corners[k] % N;
            if (corner > 0) {
                sum += bends.force[corner - 1].vec(bend);
                continue;
            }
            for (std::size_t c = 0; c + 1 < N; ++c) sum -= bends.force[c].vec(bend);
        }
        total.set(i, sum);
    });
}

template <class Real, std::size_t N>
double energy_of(const BendRows<Real, N>& bends, const Column<double, 3>& x) {
    using Law = std::conditional_t<N == 4, HingeBend, JointBend>;
    return reduce(
        bends.size(), 0.0,
        [&](std::size_t b) {
            Vec3d edge[N - 1];
            const Vec3d from = x.vec(bends.row[0][b]);
            for (std::size_t k = 0; k + 1 < N; ++k) edge[k] = x.vec(bends.row[k + 1][b]) - from;
            const double excess = Law::measure(edge) - static_cast<double>(bends.rest[b]);
            return 0.5 * static_cast<double>(bends.stiffness[b]) * excess * excess;
        },
        [](double a, double b) { return a + b; });
}

// Appends the bends of one body; row_of(id) is where a vertex stands.
template <class Real, std::size_t N, class RowOf>
void append_rows(const std::vector<Bend<N>>& bends, std::int64_t first_id, const RowOf& row_of,
                 BendRows<Real, N>& rows) {
    for (const Bend<N>& b : bends) {
        for (std::size_t k = 0; k < N; ++k) rows.row[k].push_back(row_of(first_id + b.vertex[k]));
        rows.rest.push_back(static_cast<Real>(b.rest));
        rows.stiffness.push_back(static_cast<Real>(b.weight));
    }
}

// Lists the corners at every vertex, in order of the bends.
template <class Real, std::size_t N>
void list_corners(std::size_t vertices, BendRows<Real, N>& rows) {
    for (auto& force : rows.force) force.create(rows.size());
    rows.first.assign(vertices + 1, 0);
    for (const auto& list : rows.row)
        for (const std::uint32_t row : list) ++rows.first[row + 1];
    for (std::size_t i = 0; i < vertices; ++i) rows.first[i + 1] += rows.first[i];
    rows.corners.resize(N * rows.size());
    std::vector<std::uint32_t> next(rows.first.begin(), rows.first.end() - 1);
    for (std::size_t b = 0; b < rows.size(); ++b)
        for (std::size_t k = 0; k < N; ++k) rows.corners[next[rows.row[k][b]]++] = N * b + k;
}

}  // namespace

template <class Real, std::size_t N>
std::size_t BendRows<Real, N>::bytes() const {
    return size() * (N * 12 + 2 * sizeof(Real) + (N - 1) * 3 * sizeof(Real)) + 4 * first.size();
}

template <class Real>
void BendForces<Real>::find_rows(const std::vector<Phase<Real>>& phases) {
    rows_.clear();
    if (!present()) return;
    rows_.resize(phases.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        if (phases[p].kind != PhaseKind::vertices) continue;
        const RowById row_of(phases[p].particles.id);
        for (const Bending& b : bending_) {
            if (b.material != phases[p].material) continue;
            append_rows(b.hinges, b.first_id, row_of, rows_[p].hinges);
            append_rows(b.joints, b.first_id, row_of, rows_[p].joints);
        }
        list_corners(phases[p].particles.size(), rows_[p].hinges);
        list_corners(phases[p].particles.size(), rows_[p].joints);
    }
}

template <class Real>
void BendForces<Real>::add_to(const std::vector<Phase<Real>>& phases, ThinWorkspace<Real>& work) {
    for (std::size_t p = 0; p < rows_.size(); ++p)
        add_forces(p, phases[p].particles.x, work.phases[p].vertex_force);
}

template <class Real>
void BendForces<Real>::add_forces(std::size_t phase, const Column<double, 3>& x,
                                  Column<Real, 3>& force) {
    if (phase >= rows_.size()) return;
    Rows& rows = rows_[phase];
    const auto forces = [](auto law) {
        return [law](const auto& edge, std::size_t, int, const auto& rest, const auto& stiffness,
                     auto& out) { law.forces(edge, rest, stiffness, out); };
    };
    for_each_pack(rows.hinges, x, forces(HingeBend{}));
    for_each_pack(rows.joints, x, forces(JointBend{}));
    sum_at_vertices(rows.hinges, force);
    sum_at_vertices(rows.joints, force);
}

template <class Real>
void BendForces<Real>::add_differential(std::size_t phase, const Column<double, 3>& x,
                                        const Column<Real, 3>& change, Column<Real, 3>& force) {
    if (phase >= rows_.size()) return;
    Rows& rows = rows_[phase];
    const auto differential = [&change](auto law, const auto& bends) {
        return [&change, &bends, law](const auto& edge, std::size_t b, int count, const auto& rest,
                                      const auto& stiffness, auto& out) {
            std::remove_cvref_t<decltype(out)> moved;
            load_edges(bends, change, b, count, moved);
            law.differential(edge, moved, rest, stiffness, out);
        };
    };
    for_each_pack(rows.hinges, x, differential(HingeBend{}, rows.hinges));
    for_each_pack(rows.joints, x, differential(JointBend{}, rows.joints));
    sum_at_vertices(rows.hinges, force);
    sum_at_vertices(rows.joints, force);
}

template <class Real>
double BendForces<Real>::energy(std::size_t phase, const Column<double, 3>& x) const {
    if (phase >= rows_.size()) return 0;
    return energy_of(rows_[phase].hinges, x) + energy_of(rows_[phase].joints, x);
}

template <class Real>
double BendForces<Real>::energy(const std::vector<Phase<Real>>& phases) const {
    if (!present()) return 0;
    BendForces placed(bending_);  // rows may have moved since the last step
    placed.find_rows(phases);
    double sum = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) sum += placed.energy(p, phases[p].particles.x);
    return sum;
}

template <class Real>
std::size_t BendForces<Real>::bytes() const {
    std::size_t sum = 0;
    for (const Rows& rows : rows_) sum += rows.hinges.bytes() + rows.joints.bytes();
    return sum;
}

template class BendForces<float>;
template class BendForces<double>;

}  // namespace knead
