// find_neighbours: blocks of rows and the rows near each, which hold while matter moves little
// against itself. Which of them are neighbours is looked up anew in every step (build_rest), so
// that results do not depend on when the lists were made.
#include <algorithm>
#include <cmath>
#include <map>

#include "knead/geometry/box3.h"
#include "knead/particles/point_grid.h"
#include "knead/points/bisected_order.h"
#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

constexpr double most_stretch = 3;  // that a search follows
constexpr double margin = 0.25;     // in units of h, that matter may move before lists are renewed

// A bound of the largest stretch of F, tight near the identity: the square root of the largest row
// sum of |F^T F|.
template <class Real>
Pack<Real> stretch_bound(const Mat3<Pack<Real>>& F) {
    const Mat3<Pack<Real>> C = transpose(F) * F;
    Pack<Real> most(Real(0));
    for (int r = 0; r < 3; ++r) most = max(most, abs(C(r, 0)) + abs(C(r, 1)) + abs(C(r, 2)));
    return min(sqrt(most), Pack<Real>(Real(most_stretch)));
}

// How far the neighbours of each row may be. What is not a number reaches as far as any.
template <class Real>
void find_reach(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work) {
    constexpr std::size_t L = pack_lanes<Real>;
    using P = Pack<Real>;
    work.reach.resize(work.size());
    const auto at = [&](std::size_t k) {
        const std::size_t begin = L * k;
        const int count = static_cast<int>(std::min(L, work.size() - begin));
        const Mat3<P> F = settings.is_lazy() ? inverse(load_matrices(work.to_rest, begin, count))
                                             : load_matrices(work.F, begin, count);
        const P bound = stretch_bound<Real>(F);
        const P stretch = select(bound > P(Real(1)), bound, P(Real(1)));
        (stretch * P::load_part(work.support.data() + begin, count, Real(0)))
            .store_part(work.reach.data() + begin, count);
    };
    for_each((work.size() + L - 1) / L, 512, at);
}

// Blocks of consecutive rows of one body: long ones share more of what is near, short ones share
// out better among threads. They end where the order of rows has cut (bisected_order.h), so that
// they are compact.
template <class Real>
void cut_blocks(ImplicitWorkspace<Real>& work) {
    using Block = NeighbourBlock<Real>;
    const std::size_t most = std::clamp(work.size() / 32, Block::least_rows, Block::most_rows);
    auto& blocks = work.near.blocks;
    std::size_t count = 0;
    const auto cut = [&](const auto& self, std::size_t begin, std::size_t end) -> void {
        if (end - begin > most) {
            const std::size_t middle = begin + half_of(end - begin, Block::lanes);
            self(self, begin, middle);
            self(self, middle, end);
            return;
        }
        if (blocks.size() == count) blocks.emplace_back();
        blocks[count].first = static_cast<std::uint32_t>(begin);
        blocks[count++].rows = static_cast<std::uint32_t>(end - begin);
    };
    for (std::size_t i = 0; i < work.size();) {
        std::size_t end = i + 1;
        while (end < work.size() && work.body[end] == work.body[i]) ++end;
        cut(cut, i, end);
        i = end;
    }
    blocks.resize(count);
}

// How far each body's rows reach at most, and the box of what each moved since lists were made.
struct Motion {
    double reach = 0;
    Box3 shift;
};
template <class Real>
std::map<std::int32_t, Motion> motion_of_bodies(const ImplicitWorkspace<Real>& work,
                                                const std::vector<Vec3d>& from) {
    std::map<std::int32_t, Motion> bodies;
    Motion* body = nullptr;
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (i == 0 || work.body[i] != work.body[i - 1]) body = &bodies[work.body[i]];
        body->reach = std::max(body->reach, static_cast<double>(work.reach[i]));
        if (!from.empty()) body->shift.add(work.source[i] - from[i]);
    }
    return bodies;
}

// Whoever is in reach now was within what lists were made from: a pair came no nearer than the
// diagonal of the box.
template <class Real>
bool lists_hold(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work) {
    auto& near = work.near;
    if (near.found_at.size() != work.size() || near.found_body != work.body) return false;
    if (settings.is_lazy() &&
        std::find(work.keeps_rest.begin(), work.keeps_rest.end(), 0) != work.keeps_rest.end())
        return false;
    const auto bodies = motion_of_bodies(work, near.found_at);
    for (std::size_t k = 0; k < near.blocks.size(); ++k) {
        const Motion& m = bodies.at(work.body[near.blocks[k].first]);
        if (!(m.reach + length(m.shift.size()) <= near.found_within[k])) return false;
    }
    return true;
}

// Rows of a block's body within some distance of the box of its own.
template <class Real>
void add_near(const ImplicitWorkspace<Real>& work, const PointGrid& grid,
              const std::vector<Vec3d>& points, double within, NeighbourBlock<Real>& b) {
    Box3 box;
    for (std::uint32_t k = 0; k < b.rows; ++k) box.add(points[b.first + k]);
    const Box3 wide = box.grown(within);
    grid.for_each_run(
        grid.cell_of(wide.lo), grid.cell_of(wide.hi), [&](std::uint32_t begin, std::uint32_t end) {
            for (std::uint32_t i = begin; i < end; ++i) {
                const std::uint32_t row = grid.ref(i).row;
                const Vec3d& x = grid.point(i);
                const Vec3d d = max(max(box.lo - x, x - box.hi), splat(0.0));
                if (length_squared(d) <= within * within && work.body[row] == work.body[b.first])
                    b.near.push_back(row);
            }
        });
}

PointGrid grid_of(const std::vector<Vec3d>& points, double cell) {
    std::vector<PointRef> refs(points.size());
    for (std::size_t i = 0; i < refs.size(); ++i) refs[i] = {0, static_cast<std::uint32_t>(i)};
    return {points, std::move(refs), cell};
}

}  // namespace

template <class Real>
void find_neighbours(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work) {
    find_reach(settings, work);
    if (lists_hold(settings, work)) return;
    cut_blocks(work);
    auto& near = work.near;
    const auto bodies = motion_of_bodies(work, {});
    double widest = 0;
    for (const Real h : work.support) widest = std::max(widest, static_cast<double>(h));
    const PointGrid sources = grid_of(work.source, widest);
    const PointGrid present = grid_of(settings.is_lazy() ? work.x : std::vector<Vec3d>{}, widest);
    near.found_within.resize(near.blocks.size());
    for_each(near.blocks.size(), 1, [&](std::size_t i) {
        NeighbourBlock<Real>& b = near.blocks[i];
        near.found_within[i] = bodies.at(work.body[b.first]).reach +
                               margin * static_cast<double>(work.support[b.first]);
        b.near.clear();
        add_near(work, sources, work.source, near.found_within[i], b);
        if (settings.is_lazy()) add_near(work, present, work.x, near.found_within[i], b);
        std::sort(b.near.begin(), b.near.end());
        b.near.erase(std::unique(b.near.begin(), b.near.end()), b.near.end());
        b.own = static_cast<std::uint32_t>(std::lower_bound(b.near.begin(), b.near.end(), b.first) -
                                           b.near.begin());
    });
    near.found_at = work.source;
    near.found_body = work.body;
}

template void find_neighbours(const ImplicitSettings&, ImplicitWorkspace<float>&);
template void find_neighbours(const ImplicitSettings&, ImplicitWorkspace<double>&);

}  // namespace knead
