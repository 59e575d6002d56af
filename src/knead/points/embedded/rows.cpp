#include "knead/points/embedded/rows.h"

#include "knead/geometry/box3.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"
#include "knead/particles/edit_rows.h"

namespace knead {

namespace {

constexpr int bits = 14;  // of a coordinate on the curve

// Two zero bits between any two of the low bits.
std::uint64_t spread_bits(std::uint64_t a) {
    std::uint64_t r = 0;
    for (int k = 0; k < bits; ++k) r |= (a >> k & 1u) << (3 * k);
    return r;
}

std::uint64_t place_on_curve(const Vec3d& unit) {
    std::uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
        const double cell = std::min(std::max(unit[k], 0.0), 1.0) * ((1 << bits) - 1);
        key |= spread_bits(static_cast<std::uint64_t>(cell)) << k;
    }
    return key;
}

}  // namespace

template <class Real>
std::vector<BodyRows> body_rows(const Particles<Real>& particles) {
    std::vector<BodyRows> rows;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const std::int32_t body = particles.body.at(i);
        if (rows.empty() || rows.back().body != body) rows.push_back({body, i, i});
        rows.back().end = i + 1;
    }
    return rows;
}

template <class Real>
void sort_rows(Phase<Real>& phase) {
    Particles<Real>& p = phase.particles;
    Vec3d lo = splat(1e300), hi = splat(-1e300);
    for (std::size_t i = 0; i < p.size(); ++i) {
        lo = min(lo, p.e.vec(i));
        hi = max(hi, p.e.vec(i));
    }
    const double side = std::max({hi.x - lo.x, hi.y - lo.y, hi.z - lo.z, 1e-300});
    std::vector<std::uint64_t> keys(p.size());
    for_each(p.size(), 4096, [&](std::size_t i) {
        keys[i] = static_cast<std::uint64_t>(p.body.at(i)) << (3 * bits) |
                  place_on_curve((p.e.vec(i) - lo) / side);
    });
    std::vector<std::uint32_t> order;
    sort_by_key(keys, order);
    reorder(phase, order);
}

template std::vector<BodyRows> body_rows(const Particles<float>&);
template std::vector<BodyRows> body_rows(const Particles<double>&);
template void sort_rows(Phase<float>&);
template void sort_rows(Phase<double>&);

}  // namespace knead
