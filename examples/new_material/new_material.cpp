// A material with numbers of its own, in C++: wall paint that holds on a brush and thins when it is
// spread. It is checked, put on the rheometer, and dropped on the floor.
#include <knead/materials/parameters.h>
#include <knead/materials/rheometer.h>
#include <knead/scene/build_model.h>
#include <knead/scene/read_scene.h>
#include <knead/sim/make_solver.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

knead::Material wall_paint() {
    knead::Material paint;
    paint.name = "wall-paint";
    paint.density = 1400;  // [kg/m3]
    paint.elastic.law = knead::ElasticLaw::neo_hookean;
    paint.elastic.bulk_modulus = 1e5;   // [Pa]
    paint.elastic.shear_modulus = 800;  // [Pa]
    paint.flow.rule = knead::FlowRule::herschel_bulkley;
    paint.flow.yield_stress = 35;  // [Pa]
    paint.flow.viscosity = 20;     // [Pa s^exponent]
    paint.flow.exponent = 0.5;     // thins with shear
    paint.source = "made up for this example";
    return paint;
}

int main() {
    const knead::Material paint = wall_paint();
    for (const knead::MaterialMistake& m : knead::check_material(paint)) {
        std::printf("%s: %s; %s\n", m.key.c_str(), m.what.c_str(), m.remedy.c_str());
        return 1;
    }

    // Alone: stress over shear rate, beside the closed form.
    const std::vector<double> rates{0.1, 1, 10};
    const knead::Table curve = knead::steady_shear(paint, rates);
    for (const auto& row : curve.rows) {
        const double exact = knead::herschel_bulkley_steady_shear(paint, row[0]).shear_stress;
        std::printf("%g /s: %.2f Pa, closed form %.2f Pa\n", row[0], row[1], exact);
    }

    // In a scene: it takes the place of a preset.
    knead::Scene scene = knead::read_scene_text(R"(
        [solver]
        dx = 0.02
        [[bodies]]
        material = "toothpaste"
        shape = {sphere = {center = [0, 0.08, 0], radius = 0.05}}
        [[colliders]]
        shape = {plane = {normal = [0, 1, 0]}}
        contact = "sticky"
    )",
                                                "paint");
    scene.materials.front() = paint;
    scene.bodies.front().material = paint.name;
    knead::Built<float> built = knead::build_model<float>(scene);
    const auto solver = knead::make_solver<float>(built.model, knead::Backend::cpu);
    solver->prepare(built.state);
    while (built.state.time < 0.1) {
        double dt = 0.1 - built.state.time;
        for (const knead::DtLimit& limit : solver->dt_limits(built.state))
            dt = std::min(dt, limit.dt);
        solver->advance(built.state, dt);
        built.state.time += dt;
        ++built.state.step;
    }
    double top = 0;
    for (const auto& phase : built.state.phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            top = std::max(top, phase.particles.x.vec(i).y);
    std::printf("after 0.1 s it reaches up to %.0f mm\n", 1000 * top);
}
