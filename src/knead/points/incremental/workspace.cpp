#include "knead/points/incremental/workspace.h"

#include "knead/geometry/box3.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t grain = 2048;

constexpr auto join = [](const Box3& a, const Box3& b) {
    return Box3{min(a.lo, b.lo), max(a.hi, b.hi)};
};

}  // namespace

template <class Real>
void IncrementalWorkspace<Real>::load(const IncrementalSettings& settings,
                                      const std::vector<Phase<Real>>& phases) {
    first.assign(1, 0);
    from_rest.clear();
    any_by_fit = false;
    for (const auto& phase : phases) from_rest.push_back(phase.particles.rest_x.present());
    one_matter = settings.fuse && (all_from_rest() || !any_from_rest());
    for (const auto& phase : phases) first.push_back(first.back() + phase.particles.size());
    const std::size_t n = first.back();
    start.resize(n);
    place.resize(4 * n);
    pair_rows.resize(n);
    matter.resize(n);
    for (std::size_t p = 0; p < phases.size(); ++p)
        for_each(phases[p].particles.size(), grain,
                 [&](std::size_t i) { start[first[p] + i] = phases[p].particles.x.vec(i); });
    if (n == 0) return;

    // the middle of everything, so that float positions lose least
    const Box3 box = reduce(
        n, Box3{start[0], start[0]},
        [&](std::size_t i) {
            return Box3{start[i], start[i]};
        },
        join);
    origin = box.center();
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const Particles<Real>& t = phases[p].particles;
        for_each(t.size(), grain, [&](std::size_t i) {
            const std::size_t g = first[p] + i;
            const Vec3d x = start[g] - origin;
            Real* to = place.data() + 4 * g;
            PairRow<Real>& row = pair_rows[g];
            row.place = {static_cast<Vec3<Real>>(x), t.volume.at(i)};
            row.motion = {t.v.vec(i), Real(0)};
            for (int a = 0; a < 3; ++a) to[a] = row.place.x[a];
            to[3] = t.mass.at(i);
            // bodies that fuse are one, but for those that keep their start beside others that flow
            matter[g] = settings.fuse ? Real(from_rest[p]) : static_cast<Real>(t.body.at(i));
        });
    }
}

template <class Real>
void IncrementalWorkspace<Real>::set_viscosity(const std::vector<double>& of_phases) {
    viscosity = of_phases;
    if (one_viscosity()) return;
    own_viscosity.resize(size());
    for (std::size_t p = 0; p < viscosity.size(); ++p)
        std::fill(own_viscosity.begin() + static_cast<std::ptrdiff_t>(first[p]),
                  own_viscosity.begin() + static_cast<std::ptrdiff_t>(first[p + 1]),
                  static_cast<Real>(viscosity[p]));
}

template <class Real>
std::size_t IncrementalWorkspace<Real>::bytes() const {
    const auto sum = [](const auto&... table) {
        return (... + (table.capacity() * sizeof(table[0])));
    };
    return sum(start, place, rest, move, pair_rows, fit_rows, start_rows, rest_rows, matter,
               own_viscosity, density, force, sums, trust) +
           lists.bytes() + rest_lists.bytes();
}

template struct IncrementalWorkspace<float>;
template struct IncrementalWorkspace<double>;

}  // namespace knead
