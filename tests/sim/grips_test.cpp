// Grips on the grid: held matter goes where its grip carries it, the rest is drawn along.
#include <gtest/gtest.h>

#include "knead/geometry/sample_volume.h"
#include "knead/geometry/sdf_build.h"
#include "knead/materials/presets.h"
#include "knead/sim/make_solver.h"

namespace knead {

namespace {

// A bar along x, 0.6 m long, its right end turned about x and drawn away, both until 0.1 s.
Model bar_model() {
    Model model;
    model.materials = {*find_preset("jelly")};
    model.gravity = {0, 0, 0};
    model.dx = 0.05;
    MpmSettings settings;
    settings.dx = model.dx;
    model.settings = settings;
    Grip left, right;
    left.name = "left", right.name = "right";
    left.region = sdf::box({-0.3, 0, 0}, {0.06, 1, 1}, 0);
    right.region = sdf::box({0.3, 0, 0}, {0.06, 1, 1}, 0);
    right.motion.angular_velocity = {3, 0, 0};
    right.motion.velocity = {0.5, 0, 0};
    right.motion.pivot = {0.3, 0, 0};
    left.release = right.release = 0.1;
    model.grips = {left, right};
    return model;
}

State<double> bar_state(const Material& material) {
    State<double> state;
    Phase<double> phase;
    const double spacing = 0.025;
    const std::vector<Vec3d> points =
        sample_lattice(sdf::box({0, 0, 0}, {0.3, 0.1, 0.1}, 0), spacing, {-0.3, -0.1, -0.1});
    Particles<double>& p = phase.particles;
    const std::size_t n = points.size();
    const double volume = spacing * spacing * spacing;
    p.id.create(n), p.parent.create(n, -1), p.body.create(n), p.x.create(n), p.v.create(n);
    p.volume.create(n, volume), p.mass.create(n, material.density * volume);
    for (std::size_t i = 0; i < n; ++i)
        p.id.at(i) = static_cast<std::int64_t>(i), p.x.set(i, points[i]);
    state.phases.push_back(std::move(phase));
    return state;
}

}  // namespace

TEST(GridGrips, CarryTheirParticlesExactlyAndLetGo) {
    const Model model = bar_model();
    State<double> state = bar_state(model.materials[0]);
    const auto solver = make_solver<double>(model, Backend::cpu);
    solver->prepare(state);
    std::vector<Vec3d> start(state.particle_count());
    for (std::size_t i = 0; i < start.size(); ++i)
        start[static_cast<std::size_t>(state.phases[0].particles.id.at(i))] =
            state.phases[0].particles.x.vec(i);
    const auto run_until = [&](double end) {
        while (state.time < end - 1e-9) {
            double dt = end - state.time;
            for (const DtLimit& limit : solver->dt_limits(state)) dt = std::min(dt, limit.dt);
            ASSERT_TRUE(solver->advance(state, dt).ok);
            state.time += dt, ++state.step;
        }
    };
    run_until(0.0999);
    const double a = 3 * state.time, c = std::cos(a), s = std::sin(a);
    double middle = 0;
    int held = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const Particles<double>& p = state.phases[0].particles;
        const Vec3d x = start[static_cast<std::size_t>(p.id.at(i))];
        Vec3d to = x;
        if (p.grip.at(i) == 1) to = {x.x + 0.5 * state.time, c * x.y - s * x.z, s * x.y + c * x.z};
        if (p.grip.at(i) >= 0) {
            EXPECT_LT(length(p.x.vec(i) - to), 1e-12);
            ++held;
        }
        if (std::fabs(x.x) < 0.02) middle = std::max(middle, p.x.vec(i).x - x.x);
    }
    EXPECT_GT(held, 100);
    EXPECT_GT(middle, 0.002);  // drawn along, half as far once it came to rest
    EXPECT_GT(solver->elastic_energy(state), 0.01);
    // free again, it draws back
    run_until(0.3);
    double right = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
        if (state.phases[0].particles.grip.at(i) == 1)
            right = std::max(right, state.phases[0].particles.v.vec(i).x);
    EXPECT_LT(right, 0.5);
}

}  // namespace knead
