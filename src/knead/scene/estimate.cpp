#include "knead/scene/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knead/base/machine.h"
#include "knead/geometry/sample_section.h"
#include "knead/geometry/sdf_build.h"
#include "knead/geometry/shape_blocks.h"
#include "knead/particles/links.h"
#include "knead/scene/build_streams.h"
#include "knead/scene/build_thin.h"

namespace knead {

namespace {

constexpr double program_bytes = 60e6;  // code, tables and threads
constexpr double most_particles = 2e9;  // rows are numbered in 31 bits

// What one particle takes [bytes].
struct Share {
    double state;       // in memory
    double scratch;     // of the solver; measured, see docs/log/memory.md
    double frame;       // in a frame
    double checkpoint;  // in a checkpoint of single precision; both by what the material remembers
};

Share share_of(const SolverSpec& solver) {
    const double real = solver.precision == Precision::double_ ? 8 : 4;
    // id, parent, body, position; velocity, mass, volume
    const double common = 44 + 5 * real;
    switch (solver.method) {
        case Method::mpm: {
            // affine velocity, deformation, flow and stress; a share of the block's tile and nodes
            const double channels = keeps_own(solver.transfer) ? 8 : 4;
            return {common + 27 * real, 8 * channels * real, 48, 160};
        }
        case Method::incremental:
            return {common + 24 + 18 * real, 450 * real, 50, 118};
        case Method::embedded: {
            const double slot = 4 + 3 * real;
            return {common + 28 + 6 * real + static_cast<double>(Links<float>::width) * slot,
                    280 * real, 64, 624};
        }
        case Method::implicit:
            // deformation, flow and reaction; a gradient vector and a place for each neighbour
            return {common + 12 * real, 88 * (4 + 3 * real) + 60 + 130 * real, 50, 109};
    }
    throw std::logic_error("a method without an estimate");
}

// Of the state: itself, the copy a roll-back returns to, and what sorting, a frame that is being
// written or a checkpoint hold meanwhile.
constexpr double copies_of_state = 3.6;

double memory_of(const Scene& scene, double particles) {
    const Share share = share_of(scene.solver);
    return program_bytes + particles * (copies_of_state * share.state + share.scratch);
}

// Particles of a volume; a number even where the spacing is next to nothing.
double filled(double volume, double spacing) {
    return volume > 0 ? std::min(volume / spacing / spacing / spacing, 1e60) : 0;
}

double end_of(const Scene& scene) { return scene.time.frames / scene.time.frame_rate; }

// Those that are due by then.
double copies_by(const EmitSpec& emit, double time) {
    if (time < emit.start) return 0;
    return std::min<double>(emit.count, std::floor((time - emit.start) / emit.interval) + 1);
}

double copies_of(const Scene& scene, const BodySpec& spec) {
    return spec.emit ? copies_by(*spec.emit, end_of(scene)) : 1;
}

// How much of a body there is at a time, of what there is at the end.
double presence(const Scene& scene, const BodySpec& body, double time) {
    if (body.emit) return copies_by(*body.emit, time) / std::max(1.0, copies_of(scene, body));
    if (!body.stream) return 1;
    const double start = body.stream->start, end = end_of(scene);
    const double length = std::min(end, body.stream->stop.value_or(end)) - start;
    return length > 0 ? std::clamp((time - start) / length, 0.0, 1.0) : 0;
}

// The same on average over all frames.
double mean_presence(const Scene& scene, const BodySpec& body) {
    constexpr int samples = 1000;
    if (!body.enters_later()) return 1;
    double sum = 0;
    for (int k = 0; k < samples; ++k)
        sum += presence(scene, body, end_of(scene) * k / (samples - 1));
    return sum / samples;
}

double count(const Scene& scene, const BodySpec& spec, double volume, const BodyShape& shapes) {
    double n = filled(volume, spacing_of(scene, spec));
    if (spec.refine && spec.refine->spacing > 0 && !shapes.refined.empty())
        n += filled(measured_volume(sdf::intersect({shapes.shape, shapes.refined})),
                    spec.refine->spacing);
    return n * copies_of(scene, spec);
}

// Whether a body's particles follow solver.dx.
bool follows_dx(const BodySpec& body) {
    return body.thin ? thin_follows_dx(*body.thin) : !body.spacing && !body.refine;
}

// Particles of all bodies with another dx.
double particles_at(const Scene& scene, const Estimate& e, double dx) {
    double sum = 0;
    for (std::size_t b = 0; b < e.particles.size(); ++b) {
        const BodySpec& body = scene.bodies[b];
        const double spacing = dx / std::cbrt(body.particles_per_cell);
        if (body.thin) {
            sum += follows_dx(body) ? estimated_thin_particles(*body.thin, dx) : e.particles[b];
            continue;
        }
        sum += follows_dx(body) ? copies_of(scene, body) * filled(e.volumes[b], spacing)
                                : e.particles[b];
    }
    return sum;
}

// Up to two digits.
double rounded_up(double a) {
    const double unit = std::pow(10.0, std::floor(std::log10(a)) - 1);
    return std::ceil(a / unit - 1e-9) * unit;
}

// The least dx with which it fits; 0 where none does.
double fitting_dx(const Scene& scene, const Estimate& e, double room) {
    double lo = scene.solver.dx, hi = 1e20;
    if (particles_at(scene, e, hi) > room) return 0;
    for (int round = 0; round < 200; ++round) {
        const double middle = std::sqrt(lo) * std::sqrt(hi);
        (particles_at(scene, e, middle) > room ? lo : hi) = middle;
    }
    return hi;
}

}  // namespace

double Estimate::particle_count() const {
    double sum = 0;
    for (const double n : particles) sum += n;
    return sum;
}

double particles_that_fit(const Scene& scene, double available) {
    const double each = memory_of(scene, 1) - program_bytes;
    return std::clamp((available - program_bytes) / each, 1.0, most_particles);
}

Estimate estimate(const Scene& scene, const std::vector<BodyShape>& shapes) {
    Estimate e;
    for (std::size_t b = 0; b < shapes.size() && b < scene.bodies.size(); ++b) {
        if (scene.bodies[b].thin) {
            e.volumes.push_back(0);
            e.particles.push_back(estimated_thin_particles(*scene.bodies[b].thin, scene.solver.dx));
            continue;
        }
        const BodySpec& body = scene.bodies[b];
        if (body.stream) {
            const double area = section_area(shapes[b].shape, body.stream->direction);
            e.volumes.push_back(inflow_volume(scene, *body.stream, area));
            e.particles.push_back(filled(e.volumes[b], spacing_of(scene, body)));
            continue;
        }
        e.volumes.push_back(measured_volume(shapes[b].shape));
        e.particles.push_back(count(scene, body, e.volumes[b], shapes[b]));
    }
    add_up(scene, e);
    return e;
}

void add_up(const Scene& scene, Estimate& e) {
    const double n = e.particle_count();
    const Share share = share_of(scene.solver);
    const double wide = scene.solver.precision == Precision::double_ ? 1.8 : 1;
    const double state = 20e3 + n * wide * share.checkpoint;
    e.memory = memory_of(scene, n);
    e.frame = 1000 + n * share.frame;
    e.checkpoint = 2 * state;
    double present = 0;  // over a frame's particles, in all frames together
    for (std::size_t b = 0; b < e.particles.size(); ++b)
        present += e.particles[b] * mean_presence(scene, scene.bodies[b]);
    e.disk = (scene.time.frames + 1) * (1000 + present * share.frame) + 2 * state;
}

std::vector<Mistake> memory_mistakes(const Scene& scene, const Estimate& e, double available) {
    const bool too_many = !(e.particle_count() <= most_particles);
    if (e.memory <= available && !too_many) return {};
    const std::string what =
        fmt::format("the run would take about {} of memory for {:.3g} particles, and {} are free{}",
                    bytes_in_words(e.memory), e.particle_count(), bytes_in_words(available),
                    too_many ? "; knead takes up to 2e9 particles" : "");
    if (available <= program_bytes)
        return {{scene.place("solver.dx"), what,
                 fmt::format("the program alone takes {}: end other programs, or raise the limit",
                             bytes_in_words(program_bytes))}};
    const double room = particles_that_fit(scene, available);
    if (const double dx = fitting_dx(scene, e, room); dx > 0)
        return {{scene.place("solver.dx"), what,
                 fmt::format("allowed: solver.dx of at least {:.6g} m", rounded_up(dx))}};
    // What has a spacing of its own is too much for itself.
    std::size_t most = 0;
    double fixed = 0;
    for (std::size_t b = 0; b < e.particles.size(); ++b) {
        if (follows_dx(scene.bodies[b])) continue;
        fixed += e.particles[b];
        if (follows_dx(scene.bodies[most]) || e.particles[b] > e.particles[most]) most = b;
    }
    const BodySpec& body = scene.bodies[most];
    const std::string path = "bodies." + std::to_string(most) + (body.refine ? ".refine" : "");
    if (body.thin)
        return {{scene.place("bodies." + std::to_string(most) + ".thin"), what,
                 body.thin->edge ? "raise its edge, or make it smaller"
                                 : "make it smaller, or of fewer strands, stitches or elements"}};
    const double spacing =
        body.refine ? std::min(body.refine->spacing, spacing_of(scene, body)) : *body.spacing;
    return {{scene.place(path + ".spacing"), what,
             fmt::format("allowed: {}.spacing of at least {:.6g} m", path,
                         rounded_up(spacing * std::cbrt(std::max(1.0, fixed / room))))}};
}

std::vector<Mistake> disk_warnings(const Scene& scene, const Estimate& e, double available) {
    constexpr int very_many = 100000;
    // A checkpoint is written before the last but one goes.
    const bool too_much = available >= 0 && e.disk + e.checkpoint > available;
    if (scene.time.frames < very_many && !too_much) return {};
    std::string what = fmt::format("{} frames take about {} on the disk", scene.time.frames,
                                   bytes_in_words(e.disk));
    if (available >= 0) what += ", and " + bytes_in_words(available) + " are free";
    return {{scene.place("time.frames"), what,
             "lower time.frames or time.frame_rate, or raise solver.dx"}};
}

}  // namespace knead
