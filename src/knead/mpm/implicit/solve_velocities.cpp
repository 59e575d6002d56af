#include "knead/mpm/implicit/solve_velocities.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "knead/math/minres.h"
#include "knead/math/newton.h"
#include "knead/mpm/codimensional/pin_nodes.h"
#include "knead/mpm/formulas.h"
#include "knead/mpm/implicit/node_contacts.h"

namespace knead {

namespace {

constexpr int most_passes = 2;  // over contacts
// The share of an energy that may be rounding.
template <class Real>
constexpr double energy_rounding = sizeof(Real) == 4 ? 1e-4 : 1e-12;

template <class Real>
NodeKicks<Real> kicks_between(const BlockGrid& grid, const SolveNodes<Real>& nodes,
                              const NodeVector<Real>& from, const NodeVector<Real>& to, double dt) {
    NodeKicks<Real> kicks{dt, {}, {}};
    for (const TargetBlock& t : grid.targets())
        for (int a = 0; a < 3; ++a) kicks.blocks.push_back(t.coordinates[a]);
    kicks.speeds.assign(grid.targets().size() * kicks.block_numbers, Real(0));
    for_each(nodes.size(), 2048, [&](std::size_t i) {
        for (int a = 0; a < 3; ++a)
            kicks.speeds[3 * std::size_t{nodes.at[i]} + static_cast<std::size_t>(a)] =
                to[i][a + 1] - from[i][a + 1];
    });
    return kicks;
}

// v += kicks, as of a step that long, in those blocks of nodes; returns their size, scaled by mass.
template <class Real>
double add_to_velocities(const NodeKicks<Real>& kicks, const BlockGrid& grid,
                         const SolveNodes<Real>& nodes, const std::vector<char>& where, double dt,
                         NodeVector<Real>& v) {
    if (!(kicks.dt > 0)) return 0;
    std::vector<const Real*> of_block(grid.targets().size(), nullptr);
    for (std::size_t b = 0; 3 * b < kicks.blocks.size(); ++b) {
        const std::int32_t* at = kicks.blocks.data() + 3 * b;
        const std::int64_t t = grid.find_target({at[0], at[1], at[2]});
        if (t >= 0 && where[static_cast<std::size_t>(t)])
            of_block[static_cast<std::size_t>(t)] = kicks.speeds.data() + b * kicks.block_numbers;
    }
    const Real scale = static_cast<Real>(dt / kicks.dt);
    const auto kick = [&](std::size_t i) {
        Four<Real> out(Real(0));
        const Real* from = of_block[nodes.at[i] / block_nodes];
        for (int a = 0; from && a < 3; ++a)
            out.set(a + 1,
                    scale * from[3 * (nodes.at[i] % block_nodes) + static_cast<std::size_t>(a)]);
        return out;
    };
    for_each(nodes.size(), 2048, [&](std::size_t i) { v[i] += kick(i); });
    return std::sqrt(reduce(
        nodes.size(), 0.0,
        [&](std::size_t i) {
            const Four<Real> k = kick(i);
            return static_cast<double>(nodes.mass[i]) * inner(k, k);
        },
        std::plus<>{}));
}

// The problem that newton.h solves.
template <class Real, int Order>
class VelocityProblem {
public:
    VelocityProblem(const MpmSettings& settings, GridEnergy<Real, Order>& elastic,
                    const SolveNodes<Real>& nodes, const NodeContacts<Real>& contacts,
                    const Array<Real>& start, double dt, SolveReport& report)
        : settings_(settings),
          elastic_(elastic),
          nodes_(nodes),
          contacts_(contacts),
          dt_(dt),
          report_(report),
          v(nodes.zero()),
          f_(nodes.zero()),
          r_(nodes.zero()),
          d_(nodes.zero()),
          y_(nodes.zero()),
          u_(nodes.zero()) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            v[i] = nodes.of(start, i);
            v[i].set(0, Real(0));
        }
        target_ = v;
    }

    double energy() {
        if (known_) return energy_;
        const auto dt = static_cast<Real>(dt_);
        for_each(nodes_.size(), 2048, [&](std::size_t i) { u_[i] = dt * v[i]; });
        const double elastic = elastic_.evaluate(u_, f_);
        const double inertia = reduce(
            nodes_.size(), 0.0,
            [&](std::size_t i) {
                const Four<Real> away = v[i] - target_[i];
                return 0.5 * static_cast<double>(nodes_.mass[i]) * inner(away, away);
            },
            std::plus<>{});
        known_ = true;
        return energy_ = inertia + elastic;
    }
    // m (v - v*) - dt f, with what contacts fix.
    void fill_impulse() {
        for_each(nodes_.size(), 2048, [&](std::size_t i) {
            r_[i] = nodes_.mass[i] * (v[i] - target_[i]) - static_cast<Real>(dt_) * f_[i];
        });
    }
    const NodeVector<Real>& impulse() const { return r_; }
    double gradient() {
        fill_impulse();
        contacts_.project(r_);
        const double before = now_;
        now_ = scaled_size();
        relative_ = size_ > 0 ? now_ / size_ : 1;
        if (foreseen_ >= 0) unforeseen_ = std::abs(now_ / before - foreseen_);
        foreseen_ = -1;
        return now_;
    }
    // The residual to start from and that to come to.
    void set_goal(double start, double target) {
        size_ = start, goal_ = target;
        unforeseen_ = good_forecast;
    }

    double direction() {
        elastic_.linearize(positive_);
        report_.projected += positive_;
        NodeVector<Real> b = nodes_.zero();
        for_each(nodes_.size(), 2048, [&](std::size_t i) {
            b[i] = -nodes_.root[i] * r_[i];
            y_[i] = Four<Real>(Real(0));
        });
        const CgReport solved = minres(
            space_, [&](const auto& x, auto& out) { apply(x, out); }, b, y_, tolerance(),
            settings_.minres_iterations, NoPreconditioner{}, [&](auto& a) { contacts_.project(a); },
            StartsAt::zero);
        report_.minres += solved.iterations;
        report_.minres_limit += solved.end == SolveEnd::limit;
        foreseen_ = solved.residual / now_;
        for_each(nodes_.size(), 2048, [&](std::size_t i) { d_[i] = nodes_.root[i] * y_[i]; });
        const double slope = space_.dot(r_, d_);
        if (slope <= 0) return slope;
        for_each(nodes_.size(), 2048, [&](std::size_t i) { d_[i] = Real(-1) * d_[i]; });
        return -slope;
    }
    void move(double t) {
        space_.combine(t, d_, 1, v);
        known_ = false;
    }
    // Element by element, once steps along the plain direction collapse.
    bool make_positive() {
        if (positive_) return false;
        return positive_ = true;
    }

    // Adds what the last step's forces did; returns the size of that.
    double add_kicks(const NodeKicks<Real>& kicks, const BlockGrid& grid,
                     const std::vector<char>& where) {
        known_ = false;
        return add_to_velocities(kicks, grid, nodes_, where, dt_, v);
    }
    void keep_kicks(NodeKicks<Real>& kicks, const BlockGrid& grid) const {
        kicks = kicks_between(grid, nodes_, target_, v, dt_);
    }
    void start_anew() {
        v = target_;
        known_ = false;
    }
    // Whoever changes them says so.
    NodeVector<Real>& velocities() { return v; }
    void velocities_changed() { known_ = false; }
    double relative() const { return relative_; }

private:
    // x + dt^2 M^-1/2 Phi'' M^-1/2 x
    void apply(const NodeVector<Real>& x, NodeVector<Real>& out) {
        const auto dt = static_cast<Real>(dt_);
        for_each(nodes_.size(), 2048, [&](std::size_t i) { u_[i] = (dt * nodes_.root[i]) * x[i]; });
        elastic_.differential(u_, [&](std::size_t i, const Four<Real>& change) {
            out[i] = x[i] - (dt * nodes_.root[i]) * change;
        });
    }
    // Of the linear solve. Where the last one foresaw the residual well, straight to the goal: the
    // next solve would begin its search anew. [Eisenstat and Walker 1996, choice 1]
    double tolerance() const {
        const double most = std::min(settings_.minres_tolerance, std::sqrt(relative_));
        return now_ > 0 ? std::min(most, std::max(unforeseen_, 0.7 * goal_ / now_)) : most;
    }
    double scaled_size() const {
        return std::sqrt(reduce(
            nodes_.size(), 0.0,
            [&](std::size_t i) {
                return inner(r_[i], r_[i]) / static_cast<double>(nodes_.mass[i]);
            },
            std::plus<>{}));
    }

    const MpmSettings& settings_;
    GridEnergy<Real, Order>& elastic_;
    const SolveNodes<Real>& nodes_;
    const NodeContacts<Real>& contacts_;
    double dt_;
    SolveReport& report_;
    NodeSpace<Real> space_;
    NodeVector<Real> v, target_, f_, r_, d_, y_, u_;
    static constexpr double good_forecast = 0.01;
    double size_ = 0, goal_ = 0, now_ = 0, relative_ = 1;  // residuals; the last over the first
    double foreseen_ = -1;  // by the linear solve, over the one before; negative: no solve
    double unforeseen_ = good_forecast;
    bool positive_ = false;
    bool known_ = false;  // the energy of v, and its forces
    double energy_ = 0;
};

// Below this a residual is small whatever it was at first: a millionth of what gravity does in the
// step, or matter misplaced by less than anyone would see.
double least_residual(const MpmSettings& settings, double mass, double gravity, double dt) {
    return std::sqrt(mass) *
           std::max(1e-6 * gravity * dt, settings.newton_least * settings.dx / dt);
}

template <class Real>
void pin(const ElasticMatter<Real>& matter, const std::vector<Grip>& grips, double time,
         const SolveNodes<Real>& nodes, NodeContacts<Real>& contacts) {
    for_each_pinned_node(grips, time, matter.phases, matter.grid, matter.settings.dx,
                         [&](std::size_t at, const Vec3d& velocity) {
                             if (nodes.number[at] >= 0)
                                 contacts.pin(static_cast<std::size_t>(nodes.number[at]), velocity);
                         });
}

// Blocks of nodes whose matter hangs together with something fixed.
template <class Real>
std::vector<char> held_blocks(const BlockGrid& grid, const SolveNodes<Real>& nodes,
                              const NodeContacts<Real>& contacts) {
    std::vector<std::size_t> parent(grid.targets().size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t t) {
        while (parent[t] != t) t = parent[t] = parent[parent[t]];
        return t;
    };
    for (const SourceBlock& s : grid.sources())
        for (const std::int32_t t : s.targets)
            parent[root(static_cast<std::size_t>(t))] =
                root(static_cast<std::size_t>(s.targets[0]));
    std::vector<char> held(parent.size(), 0), all(parent.size());
    contacts.for_each_fixed([&](std::size_t i) { held[root(nodes.at[i] / block_nodes)] = 1; });
    for (std::size_t t = 0; t < all.size(); ++t) all[t] = held[root(t)];
    return all;
}

// Held matter starts where the last step's forces lead, unless it would be inside out there. What
// is free keeps its momentum to the last digit when it starts from its own velocity, and nothing
// that lasts pushes it. Returns the size of what the forces do.
template <class Real, class Problem>
double go_on(Problem& problem, const NodeContacts<Real>& contacts, const NodeKicks<Real>& kicks,
             const BlockGrid& grid, const SolveNodes<Real>& nodes) {
    const double size = problem.add_kicks(kicks, grid, held_blocks(grid, nodes, contacts));
    contacts.apply(problem.velocities());
    if (std::isfinite(problem.energy())) return size;
    problem.start_anew();
    return 0;
}

// Matter must not start inside out: slower starts are tried, down to none at all.
template <class Real, class Problem>
bool find_start(Problem& problem, const NodeContacts<Real>& contacts) {
    for (int k = 0; k < 8; ++k) {
        contacts.apply(problem.velocities());
        problem.velocities_changed();
        if (std::isfinite(problem.energy())) return true;
        for (auto& v : problem.velocities()) v = Real(k < 6 ? 0.5 : 0) * v;
    }
    return false;
}

}  // namespace

void SolveReport::add_to(std::map<std::string, double>& totals) const {
    totals["solves"] += 1;
    totals["newton_iterations"] += newton;
    totals["minres_iterations"] += minres;
    totals["newton_residual"] = residual;
    totals["line_search_cuts"] += halvings;
    totals["positive_hessians"] += projected;
    totals["newton_limit"] += newton_limit;
    totals["minres_limit"] += minres_limit;
}

std::string SolveReport::warning() const {
    if (newton_limit)
        return "an implicit step ended above solver.newton_tolerance (statistics: newton_limit); "
               "shorter steps (time.max_dt) help";
    if (minres_limit > 0)
        return "a linear solve ran into solver.minres_iterations (statistics: minres_limit); "
               "shorter steps (time.max_dt) or more iterations help";
    return {};
}

template <class Real, int Order>
SolveReport solve_velocities(const ElasticMatter<Real>& matter,
                             std::span<const ColliderAt> colliders, const std::vector<Grip>& grips,
                             const Vec3d& gravity, double time, double dt, Array<Real>& all,
                             NodeKicks<Real>& kicks) {
    const MpmSettings& settings = matter.settings;
    const SolveNodes<Real> nodes(all, least_node_mass<Real>);
    NodeContacts<Real> contacts(matter.grid, settings.dx, NodeContact{settings.sticky_reach, dt},
                                colliders, nodes);
    pin(matter, grips, time + dt, nodes, contacts);
    GridEnergy<Real, Order> elastic(matter, nodes);
    SolveReport report;
    VelocityProblem<Real, Order> problem(settings, elastic, nodes, contacts, all, dt, report);
    contacts.fix(problem.velocities());

    NewtonSettings newton_settings{.max_iterations = settings.newton_iterations,
                                   .max_halvings = 20,
                                   .rounding = energy_rounding<Real>};
    const double least = least_residual(settings, nodes.total_mass, length(gravity), dt);
    NodeVector<Real> free = problem.velocities();
    const double kicked = go_on(problem, contacts, kicks, matter.grid, nodes);
    for (int pass = 0; pass < most_passes; ++pass) {
        if (!find_start(problem, contacts)) {
            report.ok = false;
            return report;
        }
        if (pass == 0) {
            // of what forces do: a good guess leaves less
            const double size = std::max(problem.gradient(), kicked);
            newton_settings.target = std::max(settings.newton_tolerance * size, least);
            problem.set_goal(size, newton_settings.target);
        }
        const NewtonReport solved = newton(problem, newton_settings);
        report.newton += solved.iterations;
        report.halvings += solved.halvings;
        report.newton_limit = solved.end == NewtonEnd::limit ||
                              solved.end == NewtonEnd::no_decrease ||
                              solved.end == NewtonEnd::no_descent;
        report.residual = problem.relative();
        problem.fill_impulse();
        free = contacts.freed(problem.velocities(), problem.impulse());
        if (pass + 1 == most_passes || !contacts.fix(free)) break;
    }
    problem.keep_kicks(kicks, matter.grid);
    contacts.finish(free, problem.velocities());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Four<Real>& v = problem.velocities()[i];
        for (int a = 1; a < 4; ++a)
            all[4 * std::size_t{nodes.at[i]} + static_cast<std::size_t>(a)] = v[a];
    }
    return report;
}

#define INSTANTIATE(Real, Order)                                                           \
    template SolveReport solve_velocities<Real, Order>(                                    \
        const ElasticMatter<Real>&, std::span<const ColliderAt>, const std::vector<Grip>&, \
        const Vec3d&, double, double, Array<Real>&, NodeKicks<Real>&);
INSTANTIATE(float, 1)
INSTANTIATE(double, 1)
INSTANTIATE(float, 2)
INSTANTIATE(float, 3)
INSTANTIATE(double, 2)
INSTANTIATE(double, 3)

}  // namespace knead
