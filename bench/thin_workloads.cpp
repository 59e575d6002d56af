#include "thin_workloads.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "scene_run.h"
#include "time_runner.h"

namespace knead::bench {

namespace {

constexpr double dt = 1e-4;    // the paper's [s]
constexpr double dx = 0.0015;  // of Cloth & Ball [m]
constexpr double yarn = 1.25 * dx;
constexpr int samples = 60;  // segments a stitch

// A square of matter falls on a ball and from there to the ground.
std::string scene(double side, const std::string& body) {
    const double radius = side / 5, height = 1.3 * radius;
    return fmt::format(
        "gravity = [0, -9.8, 0]\n[solver]\ndx = {}\n[[colliders]]\nname = \"ball\"\nshape = "
        "{{sphere = {{center = [0, {}, 0], radius = {}}}}}\nfriction = 0.3\n[[colliders]]\nname = "
        "\"ground\"\nshape = {{plane = {{normal = [0, 1, 0]}}}}\nfriction = 0.1\n[[bodies]]\nname "
        "= \"body\"\nmaterial = \"cloth\"\nthin = {{{}, translate = [0, {}, 0]}}\n"
        "[materials.cloth]\n",
        dx, height, radius, body, height + radius + 2 * yarn);
}

std::string cloth(std::int64_t particles) {
    const double side = dx * std::sqrt(static_cast<double>(particles) / 3);
    return scene(side, fmt::format("sheet = {{corner = [{0}, 0, {1}], along = [{2}, 0, 0], across "
                                   "= [0, 0, -{2}]}}",
                                   -0.5 * side, 0.5 * side, side)) +
           "density = 2\nelastic = {law = \"thin\", young_modulus = 200, poisson_ratio = 0.3}\n"
           "thin = {compression = 100, damping = 0.7}\n";
}

std::string knit(std::int64_t particles) {
    constexpr double width = 6.283, pitch = 4.5;  // of a stitch, in yarn diameters
    const double stitches = static_cast<double>(particles) / (2 * samples);
    const auto columns = std::max(2L, std::lround(std::sqrt(stitches * pitch / width)));
    const auto rows = std::max(2L, std::lround(stitches / static_cast<double>(columns)));
    return scene(static_cast<double>(columns) * width * yarn,
                 fmt::format("knit = {{rows = {}, columns = {}, yarn = {}, samples = {}}}, rotate "
                             "= [90, 0, 0]",
                             rows, columns, yarn, samples)) +
           "density = 4\nelastic = {law = \"thin\", young_modulus = 500, poisson_ratio = 0.3}\n"
           "thin = {stretch = 500, shear = 500, friction_angle = 20, damping = 1}\n";
}

class Runner {
public:
    explicit Runner(const std::string& text) : run_(text) {}
    // Seconds for some steps.
    double advance(int steps) {
        return seconds_of([&] {
            for (int i = 0; i < steps; ++i) run_.step(dt);
        });
    }
    const std::vector<Phase<float>>& phases() const { return run_.state().phases; }
    std::vector<std::pair<std::string, double>> stages() const { return run_.solver().timings(); }
    // Of a mean particle: position, velocity and affine motion twice each way or so, and for each
    // element its frame, force and rest state and the forces on its corners.
    double least_bytes() const {
        double bytes = 0, count = 0;
        for (const auto& phase : phases()) {
            const auto n = static_cast<double>(phase.particles.size());
            const auto corners = static_cast<double>(phase.elements.corners);
            const bool element = phase.kind == PhaseKind::elements;
            double one = 3 * 8 * (element ? 2 : 3) + (2 * 3 + 2 * 9 + 2) * 4;  // x, v, C, m, V
            if (element)
                one += (3 * 9 + 2 * 9 + 3) * 4 + (corners - 1) * (2 * 12 + 12) + 3 * 8;
            else
                one += 2 * 12;
            bytes += one * n, count += n;
        }
        return bytes / count;
    }

private:
    SceneRun run_;
};

}  // namespace

const std::vector<Workload>& thin_workloads() {
    static const std::vector<Workload> list{
        {"cloth", "sheet draped on a ball", "", 2, false, 5.0},
        {"fibre", "knitting draped on a ball", "", 2, false, 3.5},
    };
    return list;
}

std::vector<Timing> run_thin_workload(const Workload& w, const std::vector<Machine>& machines,
                                      std::int64_t particles, int settle) {
    const std::string text = w.name == "cloth" ? cloth(particles) : knit(particles);
    return time_runners([&] { return std::make_unique<Runner>(text); }, w, machines, settle);
}

}  // namespace knead::bench
