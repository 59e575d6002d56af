// update_neighbours: neighbourhoods anew from embedded space.
#include <algorithm>
#include <atomic>

#include "knead/math/polar.h"
#include "knead/parallel/exec.h"
#include "knead/points/embedded/row_fit.h"
#include "knead/points/embedded/rows.h"
#include "knead/points/embedded/stages.h"
#include "knead/points/neighbours/neighbours.h"

namespace knead {

namespace {

constexpr std::size_t least_neighbours = 6;

// How far the neighbours can be: within the support, and where all slots are taken no farther than
// the farthest of those there are now.
template <class Real>
double reach(const Phase<Real>& phase, std::size_t i) {
    const Links<Real>& links = phase.links;
    const double h = static_cast<double>(phase.particles.support.at(i));
    if (links.end(i) - links.first(i) < Links<Real>::width) return h;
    double farthest2 = 0;
    for (std::size_t s = links.first(i); s < links.end(i); ++s) {
        const auto j = static_cast<std::size_t>(links.to[s]);
        farthest2 = std::max(farthest2,
                             length_squared(phase.particles.e.vec(j) - phase.particles.e.vec(i)));
    }
    return std::min(h, std::sqrt(farthest2) * (1 + 1e-12));
}

// Puts the neighbours `rows`, ascending, into the slots of i. Those known already keep their rest
// vectors; others get fresh(row), and so do those whose rest vector has left the support: without
// weight they store nothing. Returns how many are fresh. Slots are kept in ascending order.
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

// The same rows as before, all of them in the support.
template <class Real>
bool unchanged(const Links<Real>& links, std::size_t i, const std::vector<std::int32_t>& rows,
               Real h) {
    if (rows.size() != static_cast<std::size_t>(links.count[i])) return false;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t s = links.first(i) + k;
        if (links.to[s] != rows[k] || length_squared(links.rest(s)) >= h * h) return false;
    }
    return true;
}

void keep_nearest(std::vector<Found>& found, std::size_t k) {
    if (found.size() <= k) return;
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k), found.end());
    found.resize(k);
}

double typical_distance(const std::vector<double>& reaches) {
    double sum = 0;
    for (const double r : reaches) sum += r;
    return sum / static_cast<double>(reaches.size());
}

}  // namespace

template <class Real>
std::size_t update_neighbours(Phase<Real>& phase, Embedding embedding,
                              EmbeddedWorkspace<Real>& work) {
    const Particles<Real>& p = phase.particles;
    const auto e_from = [&](std::size_t i) {
        return [&p, i](std::size_t j) { return static_cast<Vec3<Real>>(p.e.vec(j) - p.e.vec(i)); };
    };
    std::atomic<std::size_t> changed{0};
    for (const BodyRows& body : body_rows(p)) {
        const std::size_t n = body.end - body.begin;
        std::vector<Vec3d> points(n);
        std::vector<double> reaches(n);
        for_each(n, 1024, [&](std::size_t k) {
            points[k] = p.e.vec(body.begin + k);
            reaches[k] = reach(phase, body.begin + k);
        });
        // Cells well below the reach hold few points that are too far.
        const auto search =
            make_search(SearchKind::hash_grid, points, 0.6 * typical_distance(reaches));
        parallel_chunks(n, 256, [&](std::size_t begin, std::size_t end) {
            std::vector<Found> found;
            std::vector<std::int32_t> rows;
            std::size_t links_changed = 0;
            for (std::size_t k = begin; k < end; ++k) {
                search->within(points[k], reaches[k], found);
                std::erase_if(found, [k](const Found& f) { return f.index == k; });
                if (found.size() < least_neighbours) continue;  // the old ones stay
                keep_nearest(found, Links<Real>::width);
                rows.clear();
                for (const Found& f : found)
                    rows.push_back(static_cast<std::int32_t>(body.begin + f.index));
                std::sort(rows.begin(), rows.end());
                const std::size_t i = body.begin + k;
                if (unchanged(phase.links, i, rows, p.support.at(i))) continue;
                const std::size_t before = static_cast<std::size_t>(phase.links.count[i]);
                // The nonlinear embedding turns rest space; new vectors are turned back.
                Mat3<Real> back = identity3<Real>();
                if (embedding == Embedding::nonlinear)
                    back = transpose(
                        polar_rotation(fit_row(phase.links, i, p.support.at(i), e_from(i))));
                const auto fresh_vector = [&](std::size_t j) { return back * e_from(i)(j); };
                const std::size_t fresh =
                    replace(phase.links, i, rows, p.support.at(i), fresh_vector);
                links_changed += fresh + (before - (rows.size() - fresh));
            }
            changed += links_changed;
        });
    }
    if (changed > 0) work.links_changed = work.rest_changed = true;
    return changed;
}

template std::size_t update_neighbours(Phase<float>&, Embedding, EmbeddedWorkspace<float>&);
template std::size_t update_neighbours(Phase<double>&, Embedding, EmbeddedWorkspace<double>&);

}  // namespace knead
