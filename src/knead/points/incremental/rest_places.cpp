#include "knead/points/incremental/rest_places.h"

namespace knead {

template <class Real>
void create_rest_places(const IncrementalSettings& settings, bool can_flow, Particles<Real>& p) {
    const bool flow_at_rest = settings.keeps_rest_configuration();
    if (!flow_at_rest && (!settings.keeps_start() || can_flow)) return;
    const std::size_t n = p.size();
    p.rest_x.create(n);
    if (flow_at_rest) p.plastic_F.create(n);
    for (std::size_t i = 0; i < n; ++i) {
        p.rest_x.set(i, p.x.vec(i));
        if (flow_at_rest) p.plastic_F.set(i, identity3<Real>());
    }
}

template <class Real>
bool has_left_rest(const Particles<Real>& p) {
    if (!p.rest_x.present()) return false;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (!(p.x.vec(i) == p.rest_x.vec(i))) return true;
    return false;
}

template <class Real>
void find_rest_neighbours(const IncrementalSettings& settings,
                          const std::vector<Phase<Real>>& phases,
                          IncrementalWorkspace<Real>& work) {
    std::vector<Vec3d> points;            // of those alone,
    std::vector<std::uint32_t> numbered;  // and their numbers among all
    work.rest.resize(4 * work.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        if (!work.from_rest[p]) continue;
        for (std::size_t i = 0; i < phases[p].particles.size(); ++i) {
            const std::size_t g = work.first[p] + i;
            points.push_back(phases[p].particles.rest_x.vec(i));
            numbered.push_back(static_cast<std::uint32_t>(g));
            for (int a = 0; a < 3; ++a)
                work.rest[4 * g + static_cast<std::size_t>(a)] =
                    static_cast<Real>(points.back()[a]);
        }
    }
    const double h = settings.support * settings.spacing;
    // forces from the start need whom they list to list them
    const auto k = static_cast<std::size_t>(settings.keeps_start() ? 0 : settings.neighbours);
    const Neighbours found =
        k > 0 ? nearest_within(points, k, {&h, 1}) : all_within(points, {&h, 1});
    Neighbours among_all;
    std::size_t next = 0;
    for (std::size_t g = 0; g < work.size(); ++g) {
        if (next < numbered.size() && numbered[next] == g)
            for (const std::uint32_t other : found.of(next++))
                among_all.index.push_back(numbered[other]);
        among_all.begin.push_back(among_all.index.size());
    }
    work.rest_lists.set(among_all, work.rest);
}

#define KNEAD_REST_PLACES(Real)                                                           \
    template void create_rest_places(const IncrementalSettings&, bool, Particles<Real>&); \
    template bool has_left_rest(const Particles<Real>&);                                  \
    template void find_rest_neighbours(                                                   \
        const IncrementalSettings&, const std::vector<Phase<Real>>&, IncrementalWorkspace<Real>&);
KNEAD_REST_PLACES(float)
KNEAD_REST_PLACES(double)
#undef KNEAD_REST_PLACES

}  // namespace knead
