// update_neighbours: neighbourhoods anew from embedded space.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "knead/math/polar.h"
#include "knead/parallel/exec.h"
#include "knead/points/binned_points.h"
#include "knead/points/embedded/row_fit.h"
#include "knead/points/embedded/rows.h"
#include "knead/points/embedded/stages.h"
#include "knead/points/neighbours/neighbours.h"

namespace knead {

namespace {

constexpr std::size_t least_neighbours = 6;

// How the neighbours of a row stand now.
struct Standing {
    double reach;  // new ones can be this far: within the support, and where all slots are taken no
                   // farther than the farthest of those there are
    bool sound;    // all of them are in the support, in embedded space and as rest vectors
};

// `place(j)` is where row j is in embedded space; rest vectors may be `longest` supports long, and
// are not looked at where that is no limit.
template <class Real, class Place>
Standing standing_of(const Phase<Real>& phase, std::size_t i, Real longest, const Place& place) {
    const Links<Real>& links = phase.links;
    const Real h = phase.particles.support.at(i);
    const Vec3d here = place(i);
    double farthest2 = 0;
    for (std::size_t s = links.first(i); s < links.end(i); ++s)
        farthest2 = std::max(farthest2,
                             length_squared(place(static_cast<std::size_t>(links.to[s])) - here));
    Real longest2 = Real(0);
    if (longest < std::numeric_limits<Real>::infinity())
        for (std::size_t s = links.first(i); s < links.end(i); ++s)
            longest2 = max(longest2, length_squared(links.rest(s)));
    const double support = static_cast<double>(h);
    const bool sound = farthest2 < support * support && longest2 < longest * longest * h * h;
    if (links.end(i) - links.first(i) < Links<Real>::width) return {support, sound};
    return {std::min(support, std::sqrt(farthest2) * (1 + 1e-12)), sound};
}

// Puts the neighbours `rows`, ascending, into the slots of i. Those known already keep their rest
// vectors unless these are as long as h; others get fresh(row). Returns how many are fresh. Slots
// are kept in ascending order.
template <class Real, class Fresh>
std::size_t replace(Links<Real>& links, std::size_t i, const std::vector<std::int32_t>& rows,
                    Real h, const Fresh& fresh) {
    const std::size_t first = links.first(i), old_end = links.end(i);
    std::int32_t old_to[Links<Real>::width];
    Vec3<Real> old_u[Links<Real>::width];
    for (std::size_t s = first; s < old_end; ++s)
        old_to[s - first] = links.to[s], old_u[s - first] = links.rest(s);
    std::size_t is_fresh = 0, old = 0, slot = first;
    for (const std::int32_t row : rows) {
        while (old < old_end - first && old_to[old] < row) ++old;
        const bool keep =
            old < old_end - first && old_to[old] == row && length_squared(old_u[old]) < h * h;
        links.to[slot] = row;
        links.set_rest(slot++, keep ? old_u[old] : fresh(static_cast<std::size_t>(row)));
        is_fresh += keep ? 0 : 1;
    }
    links.count[i] = static_cast<std::int32_t>(rows.size());
    for (; slot < old_end; ++slot) {
        links.to[slot] = static_cast<std::int32_t>(i);
        links.set_rest(slot, splat(Real(0)));
    }
    return is_fresh;
}

double mean_reach(const std::vector<Standing>& standings) {
    double sum = 0;
    for (const Standing& s : standings) sum += s.reach;
    return sum / static_cast<double>(standings.size());
}

// How many points may be within the reach of a place, itself included.
std::size_t count_near(const BinnedPoints& binned, const Vec3d& place, double reach) {
    std::size_t count = 0;
    binned.for_each_near(place, reach, [&](std::uint32_t, unsigned lanes) {
        count += static_cast<std::size_t>(__builtin_popcount(lanes));
    });
    return count;
}

// The points nearer than the reach but `self`, the nearest ones where there are too many.
void find_near(const BinnedPoints& binned, const Vec3d& place, double reach, std::size_t self,
               std::size_t most, std::vector<Found>& found) {
    found.clear();
    binned.for_each_near(place, reach, [&](std::uint32_t first, unsigned lanes) {
        for (; lanes != 0; lanes &= lanes - 1) {
            const std::uint32_t i = first + static_cast<std::uint32_t>(__builtin_ctz(lanes));
            const double d2 = length_squared(binned.point(i) - place);
            if (d2 < reach * reach && binned.row(i) != self) found.push_back({d2, binned.row(i)});
        }
    });
    if (found.size() <= most) return;
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
    found.resize(most);
}

// Renews the neighbourhoods of one body's rows.
template <class Real>
class BodyUpdate {
public:
    BodyUpdate(Phase<Real>& phase, const BodyRows& body, const EmbeddedSettings& settings)
        : phase_(phase), p_(phase.particles), first_(body.begin), settings_(settings) {
        const std::size_t n = body.end - body.begin;
        points_.resize(n);
        standings_.resize(n);
        for_each(n, 4096, [&](std::size_t k) { points_[k] = p_.e.vec(first_ + k); });
        const auto place = [&](std::size_t row) { return points_[row - first_]; };
        for_each(n, 1024, [&](std::size_t k) {
            standings_[k] = standing_of(phase_, first_ + k, longest(), place);
        });
    }
    // How many links have changed.
    std::size_t operator()() const {
        // Cells well below the reach hold few points that are too far.
        const BinnedPoints binned(points_, 0.6 * mean_reach(standings_));
        std::atomic<std::size_t> changed{0};
        parallel_chunks(points_.size(), 256, [&](std::size_t begin, std::size_t end) {
            std::vector<Found> found;
            std::vector<std::int32_t> rows;
            std::size_t here = 0;
            for (std::size_t k = begin; k < end; ++k)
                if (may_change(binned, k)) here += renew(binned, k, found, rows);
            changed += here;
        });
        return changed;
    }

private:
    // Without settling, a rest vector that has left the support has no weight and stores nothing:
    // its neighbour enters anew. With it, rest vectors follow the world, and one that is longer
    // says so.
    Real longest() const {
        return settings_.settling > 0 ? std::numeric_limits<Real>::infinity() : Real(1);
    }
    // Where nobody came near but the neighbours there are, they stay.
    bool may_change(const BinnedPoints& binned, std::size_t k) const {
        const auto count = static_cast<std::size_t>(phase_.links.count[first_ + k]);
        return !standings_[k].sound ||
               count_near(binned, points_[k], standings_[k].reach) != count + 1;
    }
    std::size_t renew(const BinnedPoints& binned, std::size_t k, std::vector<Found>& found,
                      std::vector<std::int32_t>& rows) const {
        find_near(binned, points_[k], standings_[k].reach, k, Links<Real>::width, found);
        if (found.size() < least_neighbours) return 0;  // the old ones stay
        rows.clear();
        for (const Found& f : found) rows.push_back(static_cast<std::int32_t>(first_ + f.index));
        std::sort(rows.begin(), rows.end());
        const std::size_t i = first_ + k;
        const auto before = static_cast<std::size_t>(phase_.links.count[i]);
        const std::size_t fresh =
            replace(phase_.links, i, rows, longest() * p_.support.at(i), entry_of(i));
        return fresh + (before - (rows.size() - fresh));
    }
    // Gives the rest vector of a row that enters the neighbourhood of i.
    auto entry_of(std::size_t i) const {
        const auto in = [i](const Column<double, 3>& place) {
            return [&place, i](std::size_t j) {
                return static_cast<Vec3<Real>>(place.vec(j) - place.vec(i));
            };
        };
        const Real h = p_.support.at(i);
        const Column<double, 3>* space = &p_.e;
        Mat3<Real> back = identity3<Real>();
        if (settings_.settling > 0) {
            const Mat3<Real> F = fit_row(phase_.links, i, h, in(p_.x));
            if (determinant(F) > Real(0.05)) space = &p_.x, back = inverse(F);
        }
        // The nonlinear embedding turns rest space; new vectors are turned back.
        if (space == &p_.e && settings_.embedding == Embedding::nonlinear)
            back = transpose(polar_rotation(fit_row(phase_.links, i, h, in(p_.e))));
        return [back, seen = in(*space)](std::size_t j) { return back * seen(j); };
    }

    Phase<Real>& phase_;
    const Particles<Real>& p_;
    std::size_t first_;
    const EmbeddedSettings& settings_;
    std::vector<Vec3d> points_;
    std::vector<Standing> standings_;
};

}  // namespace

template <class Real>
std::size_t update_neighbours(Phase<Real>& phase, const EmbeddedSettings& settings,
                              EmbeddedWorkspace<Real>& work) {
    std::size_t changed = 0;
    for (const BodyRows& body : body_rows(phase.particles))
        changed += BodyUpdate<Real>(phase, body, settings)();
    if (changed > 0) work.links_changed = work.rest_changed = true;
    return changed;
}

template std::size_t update_neighbours(Phase<float>&, const EmbeddedSettings&,
                                       EmbeddedWorkspace<float>&);
template std::size_t update_neighbours(Phase<double>&, const EmbeddedSettings&,
                                       EmbeddedWorkspace<double>&);

}  // namespace knead
