#include "knead/sim/statistics.h"

#include <limits>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

struct Sums {
    double mass = 0, volume = 0, rest_volume = 0, kinetic_energy = 0, max_speed_squared = 0;
    Vec3d momentum{0, 0, 0}, angular_momentum{0, 0, 0}, first_moment{0, 0, 0};
    Vec3d lo = splat(std::numeric_limits<double>::infinity());
    Vec3d hi = splat(-std::numeric_limits<double>::infinity());
};

Sums combine(const Sums& a, const Sums& b) {
    Sums s;
    s.mass = a.mass + b.mass;
    s.volume = a.volume + b.volume;
    s.rest_volume = a.rest_volume + b.rest_volume;
    s.kinetic_energy = a.kinetic_energy + b.kinetic_energy;
    s.max_speed_squared = max(a.max_speed_squared, b.max_speed_squared);
    s.momentum = a.momentum + b.momentum;
    s.angular_momentum = a.angular_momentum + b.angular_momentum;
    s.first_moment = a.first_moment + b.first_moment;
    s.lo = min(a.lo, b.lo);
    s.hi = max(a.hi, b.hi);
    return s;
}

template <class Real>
Sums sums_of(const Particles<Real>& p, double affine_inertia) {
    const auto of_particle = [&](std::size_t i) {
        const double m = p.mass.at(i);
        const Vec3d x = p.x.vec(i);
        const Vec3d v = static_cast<Vec3d>(p.v.vec(i));
        Sums s;
        s.mass = m;
        if (p.volume.present()) {
            s.rest_volume = p.volume.at(i);
            s.volume = s.rest_volume * volume_ratio(p, i);
        }
        s.momentum = m * v;
        s.angular_momentum = m * cross(x, v);
        if (p.C.present()) {
            const Mat3d C = static_cast<Mat3d>(p.C.mat(i));
            const Vec3d spin{C.zy - C.yz, C.xz - C.zx, C.yx - C.xy};
            s.angular_momentum += m * affine_inertia * spin;
        }
        s.first_moment = m * x;
        s.kinetic_energy = 0.5 * m * dot(v, v);
        s.max_speed_squared = dot(v, v);
        s.lo = s.hi = x;
        return s;
    };
    return reduce(p.size(), Sums{}, of_particle, combine);
}

bool finite(const Vec3d& a) { return is_finite(a.x) && is_finite(a.y) && is_finite(a.z); }

}  // namespace

bool FrameStatistics::finite() const {
    return is_finite(mass) && is_finite(volume) && is_finite(kinetic_energy) &&
           is_finite(elastic_energy) && knead::finite(momentum) &&
           knead::finite(angular_momentum) && knead::finite(centre_of_mass);
}

template <class Real>
double volume_ratio(const Particles<Real>& p, std::size_t i) {
    if (p.dilation.present()) return 1 + static_cast<double>(p.dilation.at(i));
    if (p.F.present()) return determinant(static_cast<Mat3d>(p.F.mat(i)));
    return 1;
}

template <class Real>
FrameStatistics measure(const State<Real>& state, const Solver<Real>& solver) {
    Sums total;
    for (const auto& phase : state.phases)
        total = combine(total, sums_of(phase.particles, solver.affine_inertia()));
    FrameStatistics s;
    s.frame = state.frame;
    s.time = state.time;
    s.particles = state.particle_count();
    s.mass = total.mass;
    s.volume = total.volume;
    s.rest_volume = total.rest_volume;
    s.momentum = total.momentum;
    s.angular_momentum = total.angular_momentum;
    s.kinetic_energy = total.kinetic_energy;
    s.elastic_energy = solver.elastic_energy(state);
    s.max_speed = sqrt(total.max_speed_squared);
    s.substeps = state.step - state.frame_start_step;
    s.extra = solver.statistics(state);
    for (const char* name : {"mass_in", "mass_out", "blocked_time"})
        if (const auto sum = state.totals.find(name); sum != state.totals.end())
            s.extra.emplace_back(name, sum->second);
    if (s.particles > 0) {
        s.centre_of_mass = total.first_moment / total.mass;
        s.bbox_min = total.lo;
        s.bbox_max = total.hi;
    }
    return s;
}

template <class Real>
std::int64_t first_broken_particle(const State<Real>& state) {
    std::int64_t first = -1;
    for (const auto& phase : state.phases) {
        const auto& p = phase.particles;
        for (std::size_t i = 0; i < p.size(); ++i) {
            if (finite(p.x.vec(i)) && finite(static_cast<Vec3d>(p.v.vec(i)))) continue;
            if (first < 0 || p.id.at(i) < first) first = p.id.at(i);
        }
    }
    return first;
}

template <class Real>
std::size_t state_bytes(const State<Real>& state) {
    std::size_t bytes = state.kicks.blocks.size() * sizeof(state.kicks.blocks[0]) +
                        state.kicks.speeds.size() * sizeof(Real);
    for (const auto& phase : state.phases) {
        bytes += phase.blocks.size() * sizeof(BlockRange);
        Links<Real>::for_each_column(phase.links, [&](const char*, const auto& array) {
            bytes += array.size() * sizeof(array[0]);
        });
        phase.particles.for_each_column([&](const ColumnInfo&, const auto& column) {
            using C = std::decay_t<decltype(column)>;
            bytes += column.size() * C::planes * sizeof(typename C::Scalar);
        });
    }
    return bytes;
}

template double volume_ratio(const Particles<float>&, std::size_t);
template double volume_ratio(const Particles<double>&, std::size_t);
template FrameStatistics measure(const State<float>&, const Solver<float>&);
template FrameStatistics measure(const State<double>&, const Solver<double>&);
template std::int64_t first_broken_particle(const State<float>&);
template std::int64_t first_broken_particle(const State<double>&);
template std::size_t state_bytes(const State<float>&);
template std::size_t state_bytes(const State<double>&);

}  // namespace knead
