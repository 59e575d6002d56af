// The energy of nodes that implicit steps minimise: its forces, their change, and Newton's method
// on it [Jiang 2017, section 4.4].
#include <gtest/gtest.h>

#include <cmath>

#include "knead/mpm/implicit/solve_velocities.h"
#include "knead/mpm/particles_to_grid.h"
#include "knead/mpm/sort_particles.h"
#include "knead/mpm/update_grid.h"
#include "mpm/implicit/thin_bodies.h"
#include "support/tolerance.h"

namespace knead {
namespace {

using namespace testing;

constexpr double dx = 0.05;

double wave(double a) { return std::sin(12.9898 * a + 0.3); }

Material solid(ElasticLaw law) {
    Material m = elastic_material(1000, 1e4, 0.3);
    m.elastic.law = law;
    return m;
}

// Bodies with numbers in their particles, on the grid.
template <int Order>
struct OnGrid {
    std::vector<Phase<double>> phases;
    std::vector<Material> materials;
    std::vector<Law<double>> laws;
    MpmSettings settings = settings_of(dx, Order, Transfer::apic);
    BlockGrid grid;
    ThinWorkspace<double> thin;
    BendForces<double> bending;
    ElasticScratch<double> scratch;

    OnGrid(std::vector<Phase<double>> bodies, const Material& material, double noise = 1)
        : phases(std::move(bodies)), materials{material} {
        laws.push_back(is_thin(material) ? Law<double>{} : make_law<double>(material));
        MpmSolver<double> solver(settings, materials, {}, {0, 0, 0});
        StepMemory memory;
        solver.prepare(phases, memory);
        double k = 0;
        for (auto& phase : phases) {
            auto& p = phase.particles;
            for (std::size_t i = 0; i < p.size(); ++i) {
                for (int a = 0; a < 3 && phase.kind != PhaseKind::elements; ++a)
                    p.x.at(i, a) += noise * 0.002 * wave(k += 1);
                // pressed, so that contact is at work
                for (int a = 0; p.d.present() && a < 9; ++a)
                    p.d.at(i, a) = (1 - 0.07 * noise) * p.d.at(i, a) + 0.02 * noise * wave(k += 1);
                for (int a = 0; p.F.present() && a < 9; ++a) p.F.at(i, a) += 0.05 * wave(k += 1);
                for (int a = 0; p.b.present() && a < 6; ++a) p.b.at(i, a) += 0.05 * wave(k += 1);
            }
        }
        sort_particles(phases, dx, support_offset<Order>, 0.0);
        grid.build(phases);
        find_corners(phases, thin);
    }
    explicit OnGrid(double noise = 1) : OnGrid(sheet_and_fibre<double>(), thin_material(), noise) {}
    explicit OnGrid(ElasticLaw law) : OnGrid({cube_body<double>(dx, 3, 1000)}, solid(law)) {}

    ElasticMatter<double> matter() {
        return {phases, grid, laws, materials, settings, thin, bending, scratch};
    }
    // Those that hold matter.
    SolveNodes<double> nodes() const {
        Array<double> tiles, all;
        particles_to_grid<double, Order, Transfer::apic>(phases, grid, dx, 0.0, thin, {}, tiles);
        update_grid<double, Order, Transfer::apic>(grid, tiles, dx, 0.0, {0, 0, 0}, {}, all);
        return SolveNodes<double>(all, 1e-300);
    }
    Vec3d place(std::size_t node) const {
        const auto n = static_cast<int>(node % block_nodes);
        const Vec3i at = block_width * grid.targets()[node / block_nodes].coordinates +
                         Vec3i{n / 16, n / 4 % 4, n % 4};
        return dx * static_cast<Vec3d>(at);
    }
};

constexpr ElasticLaw solid_laws[] = {ElasticLaw::fixed_corotated, ElasticLaw::hencky,
                                     ElasticLaw::neo_hookean};

using Vector = NodeVector<double>;

double dot(const Vector& a, const Vector& b) { return NodeSpace<double>{}.dot(a, b); }
Vector sum(const Vector& a, double t, const Vector& b) {
    Vector c = a;
    NodeSpace<double>{}.combine(t, b, 1, c);
    return c;
}
Vector random(const SolveNodes<double>& nodes, double size, double seed) {
    Vector u = nodes.zero();
    for (std::size_t i = 0; i < u.size(); ++i)
        for (int a = 1; a < 4; ++a) u[i].set(a, size * wave(4 * static_cast<double>(i) + a + seed));
    return u;
}

template <int Order>
void check_forces(OnGrid<Order> it) {
    const SolveNodes<double> nodes = it.nodes();
    GridEnergy<double, Order> energy(it.matter(), nodes);
    Vector f, other;
    const Vector u = random(nodes, 0.001, 0);
    energy.evaluate(u, f);
    for (int n = 0; n < 5; ++n) {
        // -f . a = dE(u + h a) / dh
        const Vector a = random(nodes, 1, 100 + n);
        const auto at = [&](double h) { return energy.evaluate(sum(u, h, a), other); };
        const double h = 1e-4;
        const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        EXPECT_NEAR(-dot(f, a), slope,
                    2e-9 * std::sqrt(dot(f, f) * dot(a, a)) * tolerance::scale());
    }
    // nothing pushes the whole, nothing turns it
    Vec3d force{0, 0, 0}, torque{0, 0, 0};
    double size = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const Vec3d at = to_vec(f[i]);
        force += at;
        torque += cross(it.place(nodes.at[i]) + to_vec(u[i]), at);
        size += length(at);
    }
    EXPECT_LT(length(force), 1e-13 * size * tolerance::scale());
    EXPECT_LT(length(torque), 1e-13 * size * tolerance::scale());
}

TEST(ImplicitGrid, ForcesAreTheGradientOfTheEnergyAndBalance) {
    check_forces(OnGrid<1>());
    check_forces(OnGrid<2>());
    check_forces(OnGrid<3>());
    for (const ElasticLaw law : solid_laws) check_forces(OnGrid<2>(law));
    check_forces(OnGrid<1>(ElasticLaw::hencky));
    check_forces(OnGrid<3>(ElasticLaw::hencky));
}

template <int Order>
void check_differential(OnGrid<Order> it) {
    const SolveNodes<double> nodes = it.nodes();
    GridEnergy<double, Order> energy(it.matter(), nodes);
    Vector f[4], da = nodes.zero(), db = da;
    const auto into = [](Vector& forces) {
        return [&](std::size_t i, const Four<double>& f) { forces[i] = f; };
    };
    const Vector u = random(nodes, 0.001, 0), a = random(nodes, 1, 300), b = random(nodes, 1, 400);
    const double h = 1e-5;
    const double steps[4] = {h, -h, 2 * h, -2 * h};
    for (int k = 0; k < 4; ++k) energy.evaluate(sum(u, steps[k], a), f[k]);
    energy.evaluate(u, da);
    energy.linearize(false);
    energy.differential(a, into(da));
    energy.differential(b, into(db));
    Vector slope = nodes.zero();
    for (std::size_t i = 0; i < da.size(); ++i)
        slope[i] = (8.0 * (f[0][i] - f[1][i]) - (f[2][i] - f[3][i])) / (12 * h);
    const Vector off = sum(da, -1, slope);
    EXPECT_LT(std::sqrt(dot(off, off)), 1e-10 * std::sqrt(dot(da, da)) * tolerance::scale());
    EXPECT_NEAR(dot(b, da), dot(a, db),
                1e-13 * std::sqrt(dot(b, b) * dot(da, da)) * tolerance::scale());
    // made positive, it never pushes along
    energy.linearize(true);
    energy.differential(a, into(da));
    EXPECT_LE(dot(a, da), 0);
}

TEST(ImplicitGrid, DifferentialIsTheChangeOfForcesAndSymmetric) {
    check_differential(OnGrid<1>());
    check_differential(OnGrid<2>());
    check_differential(OnGrid<3>());
    for (const ElasticLaw law : solid_laws) check_differential(OnGrid<2>(law));
}

// Mass and velocity of nodes: particles as they are, which move.
template <int Order>
Array<double> moving_nodes(OnGrid<Order>& it, double dt) {
    double k = 0;
    for (auto& phase : it.phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            for (int a = 0; a < 3; ++a) phase.particles.v.at(i, a) = 0.1 * wave(k += 1);
    const std::vector<char> solved(it.phases.size(), 1);
    Array<double> tiles, nodes;
    particles_to_grid<double, Order, Transfer::apic>(it.phases, it.grid, dx, dt, it.thin, solved,
                                                     tiles);
    update_grid<double, Order, Transfer::apic>(it.grid, tiles, dx, dt, {0, -9.8, 0}, {}, nodes);
    return nodes;
}

// `noise`: how far bodies are from rest; 1 moves vertices by a few hundredths of an edge and
// presses normals by a tenth.
SolveReport solve_once(double dt, int iterations, double noise) {
    OnGrid<2> it(noise);
    it.settings.newton_tolerance = 1e-9;
    it.settings.newton_least = 0;
    it.settings.newton_iterations = iterations;
    it.settings.minres_tolerance = 1e-6;
    Array<double> nodes = moving_nodes(it, dt);
    NodeKicks<double> kicks;
    return solve_velocities<double, 2>(it.matter(), {}, std::vector<Grip>{}, {0, -9.8, 0}, 0, dt,
                                       nodes, kicks);
}

// Two and three iterations from rest. The farther from it, the more: at noise 1 and 2e-2 the line
// search cuts.
TEST(ImplicitGrid, NewtonConvergesInFewIterationsAndQuadratically) {
    struct Case {
        double dt, noise;
        int iterations;
    };
    for (const Case& c : {Case{5e-3, 0, 2}, Case{2e-2, 0, 3}, Case{5e-3, 0.3, 3},
                          Case{2e-2, 0.3, 4}, Case{5e-3, 1, 3}, Case{2e-2, 1, 7}}) {
        const SolveReport report = solve_once(c.dt, 10, c.noise);
        EXPECT_FALSE(report.newton_limit) << c.dt << " " << c.noise;
        EXPECT_LE(report.newton, c.iterations) << c.dt << " " << c.noise;
        // at noise 1 the energy is so large that its rounding ends the search
        const double least = c.noise < 1 ? 1e-9 : 1e-7;
        EXPECT_LE(report.residual, least * tolerance::scale()) << c.dt << " " << c.noise;
        if (c.noise < 1) {
            EXPECT_EQ(report.halvings, 0) << c.dt << " " << c.noise;
        }
        // the last step: from e to e^2 or so, or as far as its linear solve goes
        const double before = solve_once(c.dt, report.newton - 1, c.noise).residual;
        EXPECT_LT(report.residual,
                  std::max(10 * before * before, 2e-6 * before) * tolerance::scale());
    }
}

}  // namespace
}  // namespace knead
