#include "knead/mpm/implicit/grid_energy.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "knead/materials/elastic_part.h"
#include "knead/mpm/codimensional/element_forces.h"
#include "knead/mpm/codimensional/pin_nodes.h"
#include "knead/mpm/codimensional/thin_forces.h"
#include "knead/mpm/codimensional/thin_laws.h"
#include "knead/mpm/implicit/stiffness.h"
#include "knead/mpm/implicit/strain_packs.h"
#include "knead/mpm/pack_columns.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The energies of the lanes in use, times the volumes.
template <class Real>
double sum_of(const Pack<Real>& energy, const Pack<Real>& volume, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += static_cast<double>(energy[i]) * static_cast<double>(volume[i]);
    return sum;
}

// How vertices move: where they come to, or how far.
template <class Real>
void store_place(const Particles<Real>& p, std::size_t row, int count, const Vec3<Pack<Real>>& u,
                 Column<double, 3>& place) {
    for (int a = 0; a < 3; ++a)
        for (int i = 0; i < count; ++i) {
            const std::size_t k = row + static_cast<std::size_t>(i);
            place.plane(a)[k] = p.x.plane(a)[k] + static_cast<double>(u[a][i]);
        }
}

// Columns of d in a direction: along the element from its vertices, across it from the grid.
template <int along, class Real, class Vertices>
Mat3<Pack<Real>> frame_of(const Phase<Real>& phase, const Vertices& vertices,
                          const VertexRows& rows, Mat3<Pack<Real>> d, bool on_mesh, std::size_t row,
                          int count) {
    if (!on_mesh) return d;
    Vec3<Pack<Real>> column[3] = {d.column(0), d.column(1), d.column(2)};
    InverseRest<along, Real>(phase.elements, row, count)
        .set_tangents(ElementEdges<along, Real>(vertices, rows, row, count), column);
    return from_columns(column[0], column[1], column[2]);
}

}  // namespace

template <class Real>
std::size_t ElasticScratch<Real>::bytes() const {
    std::size_t sum = tiles.capacity() * sizeof(Real);
    for (const ElasticPhase<Real>& p : phases)
        sum += (p.stiffness.capacity() + 9 * p.state.size() + 9 * p.gradient.size() +
                3 * p.shift.size()) *
                   sizeof(Real) +
               p.supports.capacity() * sizeof(OperatorSupport<Real>) +
               3 * p.place.size() * sizeof(double);
    return sum;
}
template struct ElasticScratch<float>;
template struct ElasticScratch<double>;

template <class Real>
std::vector<char> solved_phases(const std::vector<Phase<Real>>& phases,
                                std::span<const Law<Real>> laws) {
    std::vector<char> solved;
    for (const Phase<Real>& phase : phases)
        solved.push_back(!phase.is_volume() ||
                         has_differential(laws[static_cast<std::size_t>(phase.material)]));
    return solved;
}
template std::vector<char> solved_phases(const std::vector<Phase<float>>&,
                                         std::span<const Law<float>>);
template std::vector<char> solved_phases(const std::vector<Phase<double>>&,
                                         std::span<const Law<double>>);

template <class Real, int Order>
std::vector<TileBox> GridEnergy<Real, Order>::find_boxes(const ElasticMatter<Real>& matter) {
    std::vector<TileBox> boxes(matter.grid.sources().size());
    for_each(boxes.size(), 16, [&](std::size_t s) {
        boxes[s] = find_tile_box<Order>(matter.phases, matter.grid, s, matter.settings.dx);
    });
    return boxes;
}

template <class Real, int Order>
GridEnergy<Real, Order>::GridEnergy(const ElasticMatter<Real>& matter,
                                    const SolveNodes<Real>& nodes)
    : matter_(matter),
      node_count_(nodes.size()),
      boxes_(find_boxes(matter)),
      map_(matter.grid, boxes_, nodes) {
    const std::vector<char> solved = solved_phases(matter.phases, matter.laws);
    auto& phases = matter.scratch.phases;
    phases.resize(matter.phases.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const Phase<Real>& phase = matter.phases[p];
        ElasticPhase<Real>& own = phases[p];
        const std::size_t n = phase.particles.size();
        own.solved = solved[p];
        if (!own.solved) continue;
        if (phase.kind == PhaseKind::vertices)
            own.place.create(n), own.shift.create(n);
        else
            own.state.create(n);
        if (phase.kind == PhaseKind::elements) own.gradient.create(n);
    }
    find_packs();
    matter.scratch.tiles.resize(matter.grid.sources().size() * Tile<Order, 4>::size);
}

// Where the packs of each block begin, and what the particles in them see.
template <class Real, int Order>
void GridEnergy<Real, Order>::find_packs() {
    const std::size_t sources = matter_.grid.sources().size();
    for (std::size_t p = 0; p < matter_.phases.size(); ++p) {
        const Phase<Real>& phase = matter_.phases[p];
        ElasticPhase<Real>& own = matter_.scratch.phases[p];
        if (!own.solved) continue;
        own.first_pack.assign(sources + 1, 0);
        for (std::size_t s = 0; s < sources; ++s) {
            const RowRange rows = matter_.grid.rows(p, s);
            own.first_pack[s + 1] =
                own.first_pack[s] +
                static_cast<std::uint32_t>((rows.end - rows.begin + pack_lanes<Real> - 1) /
                                           pack_lanes<Real>);
        }
        own.supports.resize(own.first_pack[sources]);
        for_each(sources, 4, [&](std::size_t s) {
            for_each_pack<Real>(matter_.grid.rows(p, s), own.first_pack[s],
                                [&](std::size_t row, int count, std::size_t pack) {
                                    own.supports[pack] = operator_support<Real, Order>(
                                        phase.particles, row, count,
                                        matter_.grid.sources()[s].coordinates, matter_.settings.dx);
                                });
        });
        if (phase.kind != PhaseKind::vertices)
            own.stiffness.resize(std::size_t{own.first_pack[sources]} * stiffness_numbers *
                                 pack_lanes<Real>);
    }
}

// A volume's particles in a block, from the tile of displacements to that of forces.
template <class Real, int Order>
template <typename GridEnergy<Real, Order>::What what, class L>
double GridEnergy<Real, Order>::strain_volume(const L& law, std::size_t p, std::size_t s,
                                              const Real* from, Real* to) {
    if constexpr (!HasDifferential<L>)
        return 0;
    else {
        using P = Pack<Real>;
        const Particles<Real>& particles = matter_.phases[p].particles;
        ElasticPhase<Real>& own = matter_.scratch.phases[p];
        double energy = 0;
        SlopePack<Real> slopes;
        for_each_pack<Real>(
            matter_.grid.rows(p, s), own.first_pack[s],
            [&](std::size_t row, int count, std::size_t pack) {
                const OperatorSupport<Real>& support = own.supports[pack];
                const Mat3<P> H = slopes.template gather<Order>(from, support, count);
                Mat3<P> A;
                if constexpr (what == What::differential) {
                    const Real* stiffness =
                        own.stiffness.data() + pack * stiffness_numbers * pack_lanes<Real>;
                    A = P(Real(-1)) * multiply_stiffness(stiffness, H);
                } else {
                    P volume;
                    load_column<Real>(particles.volume, row, count, volume);
                    const Mat3<P> old =
                        elastic_gradient<L::columns>(load_state<L::columns>(particles, row, count));
                    const Mat3<P> F = old + H * old;
                    store_column<Real>(own.state, row, count, F);
                    const Svd3<P> d = svd(F);
                    energy += sum_of<Real>(law.elastic.energy(d.sigma), volume, count);
                    if (!std::remove_cvref_t<decltype(law.elastic)>::may_invert)
                        for (int i = 0; i < count; ++i)
                            if (!(d.sigma.z[i] > Real(0))) energy = infinity;
                    A = (-volume) * (piola_stress(law.elastic, d) * transpose(old));
                }
                slopes.template scatter<Order>(A, support, count, to);
            });
        return energy;
    }
}

// A block reads what its particles see. Volumes push back at once; sheets and curves wait until all
// vertices are known.
template <class Real, int Order>
template <typename GridEnergy<Real, Order>::What what>
double GridEnergy<Real, Order>::gather_block(std::size_t s, const NodeVector<Real>& u, Real* to) {
    using P = Pack<Real>;
    alignas(64) Real tile[Tile<Order, 4>::size];
    clear_box<Order, 4>(boxes_[s], tile);
    map_.load(s, u, tile);
    clear_box<Order, 4>(boxes_[s], to);
    double energy = 0;
    SlopePack<Real> slopes;
    for (std::size_t p = 0; p < matter_.phases.size(); ++p) {
        const Phase<Real>& phase = matter_.phases[p];
        ElasticPhase<Real>& own = matter_.scratch.phases[p];
        if (!own.solved) continue;
        if (phase.is_volume()) {
            energy += std::visit(
                [&](const auto& law) { return strain_volume<what>(law, p, s, tile, to); },
                matter_.laws[static_cast<std::size_t>(phase.material)]);
            continue;
        }
        for_each_pack<Real>(
            matter_.grid.rows(p, s), own.first_pack[s],
            [&](std::size_t row, int count, std::size_t pack) {
                const OperatorSupport<Real>& support = own.supports[pack];
                if (phase.kind == PhaseKind::elements) {
                    const Mat3<P> H = slopes.template gather<Order>(tile, support, count);
                    store_column<Real>(own.gradient, row, count, H);
                    return;
                }
                for (int lane = 0; lane < count; ++lane)
                    gather_value<Real, Order>(tile, support, lane, slopes.columns[0] + 4 * lane);
                P skip;
                Vec3<P> moved;
                deinterleave4(slopes.columns[0], skip, moved.x, moved.y, moved.z);
                if (what == What::forces)
                    store_place(phase.particles, row, count, moved, own.place);
                else
                    store_column<Real>(own.shift, row, count, moved);
            });
    }
    return energy;
}

// The elements of a phase in a block: their stress, or its change, as forces.
template <class Real, int Order>
template <typename GridEnergy<Real, Order>::What what, int along, class L>
double GridEnergy<Real, Order>::strain_rows(const L& law, std::size_t p, std::size_t s) {
    using P = Pack<Real>;
    const Phase<Real>& phase = matter_.phases[p];
    const auto vertices = static_cast<std::size_t>(phase.elements.vertex_phase);
    const Material& m = matter_.materials[static_cast<std::size_t>(phase.material)];
    ElasticPhase<Real>& own = matter_.scratch.phases[p];
    ThinPhase<Real>& thin = matter_.thin.phases[p];
    const bool on_mesh = matter_.settings.thin_model != ThinModel::standard_mpm;
    const auto share = static_cast<Real>(stressed_share(m, phase.elements.corners));
    double energy = 0;
    for_each_pack<Real>(
        matter_.grid.rows(p, s), own.first_pack[s],
        [&](std::size_t row, int count, std::size_t pack) {
            Mat3<P> old, H, stress;
            load_column<Real>(phase.particles.d, row, count, old);
            load_column<Real>(own.gradient, row, count, H);
            P minus_volume(Real(-1));
            if constexpr (what == What::differential) {
                const Mat3<P> dd =
                    frame_of<along, Real>(phase, matter_.scratch.phases[vertices].shift, thin.rows,
                                          H * old, on_mesh, row, count);
                stress = multiply_stiffness(
                    own.stiffness.data() + pack * stiffness_numbers * pack_lanes<Real>, dd);
            } else {
                const Mat3<P> d =
                    frame_of<along, Real>(phase, matter_.scratch.phases[vertices].place, thin.rows,
                                          old + H * old, on_mesh, row, count);
                store_column<Real>(own.state, row, count, d);
                const Qr3<P> factors = qr(d);
                P volume;
                load_column<Real>(phase.particles.volume, row, count, volume);
                minus_volume = P(-share) * volume;
                energy +=
                    static_cast<double>(share) * sum_of<Real>(law.energy(factors.R), volume, count);
                stress = codimensional_stress(law, factors);
            }
            store_element_forces<along, Real>(phase, minus_volume, stress, old, on_mesh ? along : 0,
                                              on_mesh, row, count, thin);
        });
    return energy;
}

template <class Real, int Order>
template <typename GridEnergy<Real, Order>::What what>
double GridEnergy<Real, Order>::strain_elements(std::size_t s) {
    double energy = 0;
    for (std::size_t p = 0; p < matter_.phases.size(); ++p) {
        const Phase<Real>& phase = matter_.phases[p];
        if (phase.kind != PhaseKind::elements) continue;
        energy += with_thin_law<Real>(
            matter_.materials[static_cast<std::size_t>(phase.material)],
            matter_.settings.thin_model, phase.elements.corners, [&](const auto& law) {
                constexpr int along = tangents(std::remove_cvref_t<decltype(law)>{});
                return strain_rows<what, along>(law, p, s);
            });
    }
    return energy;
}

// Vertices in the hands of grips go where those do.
template <class Real, int Order>
template <typename GridEnergy<Real, Order>::What what>
void GridEnergy<Real, Order>::hold_vertices() {
    for (std::size_t p = 0; p < matter_.phases.size(); ++p)
        for (const HeldVertex& v : matter_.thin.phases[p].held) {
            if (!v.held) continue;
            if constexpr (what == What::forces)
                matter_.scratch.phases[p].place.set(v.row, v.place);
            else
                matter_.scratch.phases[p].shift.set(v.row, {0, 0, 0});
        }
}

// What elements do to their vertices, and bending; returns the energy of the latter.
template <class Real, int Order>
template <typename GridEnergy<Real, Order>::What what>
double GridEnergy<Real, Order>::push_vertices() {
    if (matter_.settings.thin_model == ThinModel::standard_mpm) return 0;
    sum_vertex_forces(matter_.phases, matter_.thin);
    double energy = 0;
    for (std::size_t p = 0; p < matter_.phases.size() && matter_.bending.present(); ++p) {
        if (matter_.phases[p].kind != PhaseKind::vertices) continue;
        const ElasticPhase<Real>& own = matter_.scratch.phases[p];
        Column<Real, 3>& force = matter_.thin.phases[p].vertex_force;
        if constexpr (what == What::forces) {
            energy += matter_.bending.energy(p, own.place);
            matter_.bending.add_forces(p, own.place, force);
        } else {
            matter_.bending.add_differential(p, own.place, own.shift, force);
        }
    }
    leave_to_grips(matter_.thin);
    return energy;
}

template <class Real, int Order>
void GridEnergy<Real, Order>::scatter_thin(std::size_t s, Real* tile) {
    using P = Pack<Real>;
    SlopePack<Real> slopes;
    const bool on_mesh = matter_.settings.thin_model != ThinModel::standard_mpm;
    for (std::size_t p = 0; p < matter_.phases.size(); ++p) {
        const Phase<Real>& phase = matter_.phases[p];
        if (phase.is_volume() || (phase.kind == PhaseKind::vertices && !on_mesh)) continue;
        const ElasticPhase<Real>& own = matter_.scratch.phases[p];
        for_each_pack<Real>(
            matter_.grid.rows(p, s), own.first_pack[s],
            [&](std::size_t row, int count, std::size_t pack) {
                const OperatorSupport<Real>& support = own.supports[pack];
                if (phase.kind == PhaseKind::elements) {
                    Mat3<P> A;
                    load_column<Real>(matter_.thin.phases[p].element_force, row, count, A);
                    slopes.template scatter<Order>(A, support, count, tile);
                    return;
                }
                Vec3<P> f;
                load_column<Real>(matter_.thin.phases[p].vertex_force, row, count, f);
                interleave4(P(Real(0)), f.x, f.y, f.z, slopes.columns[0]);
                for (int lane = 0; lane < count; ++lane)
                    scatter_value<Real, Order>(slopes.columns[0] + 4 * lane, support, lane, tile);
            });
    }
}

template <class Real, int Order>
double GridEnergy<Real, Order>::fill_tiles(What what, const NodeVector<Real>& u) {
    constexpr std::size_t size = Tile<Order, 4>::size;
    const BlockGrid& grid = matter_.grid;
    const std::size_t sources = grid.sources().size();
    Real* tiles = matter_.scratch.tiles.data();
    std::vector<double> energies(sources, 0.0);
    double bent = 0;
    for_each(sources, 4, [&](std::size_t s) {
        energies[s] = what == What::forces
                          ? gather_block<What::forces>(s, u, tiles + s * size)
                          : gather_block<What::differential>(s, u, tiles + s * size);
    });
    if (matter_.thin.present()) {
        if (what == What::forces)
            hold_vertices<What::forces>();
        else
            hold_vertices<What::differential>();
        for_each(sources, 4, [&](std::size_t s) {
            energies[s] += what == What::forces ? strain_elements<What::forces>(s)
                                                : strain_elements<What::differential>(s);
        });
        bent = what == What::forces ? push_vertices<What::forces>()
                                    : push_vertices<What::differential>();
        for_each(sources, 4, [&](std::size_t s) { scatter_thin(s, tiles + s * size); });
    }
    double energy = bent;
    for (const double e : energies) energy += e;
    return energy;
}

template <class Real, int Order>
double GridEnergy<Real, Order>::evaluate(const NodeVector<Real>& u, NodeVector<Real>& forces) {
    const double energy = fill_tiles(What::forces, u);
    forces.resize(node_count_);
    for_each(node_count_, 1024, [&](std::size_t i) { forces[i] = tile_sum(i); });
    return energy;
}

namespace {

// Fills in a pack's second derivatives, column by column: change(dF) is that of the stress.
template <class Real, class Change>
void fill_stiffness(const Change& change, bool positive, Real* out) {
    using P = Pack<Real>;
    for (int k = 0; k < 9; ++k) {
        Mat3<P> unit;
        for (int i = 0; i < 9; ++i) unit[i] = P(Real(i == k));
        store_stiffness<Real>(change(unit), k, out);
    }
    if (positive) make_positive(out);
}

// By the gradient of the displacement.
template <class Real, class L>
void linearize_volume(const L& law, const Phase<Real>& phase, RowRange rows, std::size_t first_pack,
                      bool positive, ElasticPhase<Real>& own) {
    if constexpr (HasDifferential<L>) {
        using P = Pack<Real>;
        for_each_pack<Real>(rows, first_pack, [&](std::size_t row, int count, std::size_t pack) {
            P volume;
            Mat3<P> F;
            load_column<Real>(phase.particles.volume, row, count, volume);
            load_column<Real>(own.state, row, count, F);
            const Mat3<P> old =
                elastic_gradient<L::columns>(load_state<L::columns>(phase.particles, row, count));
            const Svd3<P> d = svd(F);
            const auto curvature = law.elastic.curvature(d.sigma);
            fill_stiffness<Real>(
                [&](const Mat3<P>& H) {
                    const Mat3<P> dP = stress_differential(d, curvature, H * old);
                    return volume * (dP * transpose(old));
                },
                positive, own.stiffness.data() + pack * stiffness_numbers * pack_lanes<Real>);
        });
    }
}

// By d, whatever moves its columns.
template <class Real, class L>
void linearize_elements(const L& law, const Phase<Real>& phase, double share, RowRange rows,
                        std::size_t first_pack, bool positive, ElasticPhase<Real>& own) {
    using P = Pack<Real>;
    for_each_pack<Real>(rows, first_pack, [&](std::size_t row, int count, std::size_t pack) {
        P volume;
        Mat3<P> d;
        load_column<Real>(phase.particles.volume, row, count, volume);
        load_column<Real>(own.state, row, count, d);
        const Qr3<P> factors = qr(d);
        const P scale = P(static_cast<Real>(share)) * volume;
        fill_stiffness<Real>(
            [&](const Mat3<P>& dd) {
                return scale * codimensional_stress_differential(law, factors, dd);
            },
            positive, own.stiffness.data() + pack * stiffness_numbers * pack_lanes<Real>);
    });
}

}  // namespace

template <class Real, int Order>
void GridEnergy<Real, Order>::linearize(bool positive) {
    for_each(matter_.grid.sources().size(), 4, [&](std::size_t s) {
        for (std::size_t p = 0; p < matter_.phases.size(); ++p) {
            const Phase<Real>& phase = matter_.phases[p];
            ElasticPhase<Real>& own = matter_.scratch.phases[p];
            if (!own.solved || phase.kind == PhaseKind::vertices) continue;
            const auto k = static_cast<std::size_t>(phase.material);
            const RowRange rows = matter_.grid.rows(p, s);
            if (phase.is_volume()) {
                std::visit(
                    [&](const auto& law) {
                        linearize_volume(law, phase, rows, own.first_pack[s], positive, own);
                    },
                    matter_.laws[k]);
                continue;
            }
            const Material& m = matter_.materials[k];
            with_thin_law<Real>(
                m, matter_.settings.thin_model, phase.elements.corners, [&](const auto& law) {
                    linearize_elements(law, phase, stressed_share(m, phase.elements.corners), rows,
                                       own.first_pack[s], positive, own);
                });
        }
    });
}

template class GridEnergy<float, 1>;
template class GridEnergy<double, 1>;
template class GridEnergy<float, 2>;
template class GridEnergy<float, 3>;
template class GridEnergy<double, 2>;
template class GridEnergy<double, 3>;

}  // namespace knead
