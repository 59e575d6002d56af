#include "knead/mpm/sort_particles.h"

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"
#include "knead/mpm/grid/block_key.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"
#include "knead/particles/edit_rows.h"

namespace knead {

namespace {

constexpr double node_limit = 4.0 * (block_limit - 2);

struct Bounds {
    double lo[3] = {1e300, 1e300, 1e300};
    double hi[3] = {-1e300, -1e300, -1e300};
    bool countable = true;  // every particle is where the grid can number it
};

constexpr double most_ahead = 0.5;  // cells

// The first node of a particle's support, `offset` below where it is in cells.
Vec3i first_node(const Vec3d& cells, double offset) {
    const Vec3d n = cells - splat(offset);
    return {static_cast<int>(std::floor(n.x)), static_cast<int>(std::floor(n.y)),
            static_cast<int>(std::floor(n.z))};
}

// Block by block in lexicographic order, cell by cell within a block.
struct CellOrder {
    Vec3i lo;      // first block
    Vec3i extent;  // blocks a side
    std::uint64_t key(const Vec3i& node) const {
        const Vec3i b{(node.x >> 2) - lo.x, (node.y >> 2) - lo.y, (node.z >> 2) - lo.z};
        const auto block = (static_cast<std::uint64_t>(b.x) * static_cast<std::uint64_t>(extent.y) +
                            static_cast<std::uint64_t>(b.y)) *
                               static_cast<std::uint64_t>(extent.z) +
                           static_cast<std::uint64_t>(b.z);
        const int cell = ((node.x & 3) << 4) | ((node.y & 3) << 2) | (node.z & 3);
        return (block << 6) | static_cast<std::uint64_t>(cell);
    }
    std::int64_t block_of(std::uint64_t key) const {
        const auto b = static_cast<std::int64_t>(key >> 6);
        const auto z = static_cast<int>(b % extent.z),
                   y = static_cast<int>(b / extent.z % extent.y);
        return block_key({lo.x + static_cast<int>(b / extent.z / extent.y), lo.y + y, lo.z + z});
    }
};

Bounds join(Bounds a, const Bounds& b) {
    for (int k = 0; k < 3; ++k) {
        a.lo[k] = std::min(a.lo[k], b.lo[k]);
        a.hi[k] = std::max(a.hi[k], b.hi[k]);
    }
    a.countable = a.countable && b.countable;
    return a;
}

// Plane by plane, so that many are compared at once.
Bounds bounds_of(const Column<double, 3>& x, std::size_t begin, std::size_t end, double limit) {
    Bounds box;
    for (int k = 0; k < 3; ++k) {
        const double* const plane = x.plane(k);
        double lo = box.lo[k], hi = box.hi[k];
        int far = 0;
        for (std::size_t i = begin; i < end; ++i) {
            lo = std::min(lo, plane[i]);
            hi = std::max(hi, plane[i]);
            far |= !(std::abs(plane[i]) < limit);  // true also for what is not a number
        }
        box.lo[k] = lo, box.hi[k] = hi;
        box.countable = box.countable && !far;
    }
    return box;
}

// The blocks that hold a first node, or will.
template <class Real>
CellOrder cell_order(const std::vector<Phase<Real>>& phases, double inv_dx, double offset) {
    constexpr std::size_t chunk = 1 << 14;
    Bounds all;
    for (const auto& phase : phases) {
        const std::size_t n = phase.particles.size();
        std::vector<Bounds> parts((n + chunk - 1) / chunk);
        parallel_chunks(n, chunk, [&](std::size_t begin, std::size_t end) {
            parts[begin / chunk] = bounds_of(phase.particles.x, begin, end, node_limit / inv_dx);
        });
        for (const Bounds& part : parts) all = join(all, part);
    }
    if (!all.countable) throw RunError("a particle left the space the grid can number");
    if (all.lo[0] > all.hi[0]) return {};
    const Vec3d least{all.lo[0], all.lo[1], all.lo[2]}, most{all.hi[0], all.hi[1], all.hi[2]};
    const Vec3i lo = first_node(inv_dx * least - splat(most_ahead), offset);
    const Vec3i hi = first_node(inv_dx * most + splat(most_ahead), offset);
    const Vec3i first{lo.x >> 2, lo.y >> 2, lo.z >> 2};
    return {first, Vec3i{(hi.x >> 2) + 1, (hi.y >> 2) + 1, (hi.z >> 2) + 1} - first};
}

// Rows of one cell in order of their ids, so that the order of a table follows from its state. Of
// sorted keys, each part of fixed size takes the cells that begin in it.
void break_ties(const std::vector<std::uint64_t>& keys, const Column<std::int64_t, 1>& id,
                std::vector<std::uint32_t>& order) {
    struct Tied {
        std::int64_t id;
        std::uint32_t row;
    };
    const std::int64_t* const ids = id.plane(0);
    const std::size_t n = keys.size();
    parallel_chunks(n, 1 << 14, [&](std::size_t begin, std::size_t end) {
        std::vector<Tied> cell;
        while (begin > 0 && begin < end && keys[begin] == keys[begin - 1]) ++begin;
        for (std::size_t first = begin; first < end;) {
            cell.clear();
            std::size_t next = first;
            bool ordered = true;
            for (; next < n && keys[next] == keys[first]; ++next) {
                const Tied one{ids[order[next]], order[next]};
                ordered = ordered && (cell.empty() || cell.back().id < one.id);
                cell.push_back(one);
            }
            if (!ordered) {
                std::sort(cell.begin(), cell.end(),
                          [](const Tied& a, const Tied& b) { return a.id < b.id; });
                for (std::size_t k = 0; k < cell.size(); ++k) order[first + k] = cell[k].row;
            }
            first = next;
        }
    });
}

}  // namespace

template <class Real>
void sort_particles(std::vector<Phase<Real>>& phases, double dx, double offset, double lead) {
    const double inv_dx = 1 / dx;
    const CellOrder cells = cell_order(phases, inv_dx, offset);

    for (auto& phase : phases) {
        const std::size_t n = phase.particles.size();
        std::vector<std::uint64_t> keys(n);
        for_each(n, 1 << 14, [&](std::size_t i) {
            const Vec3d ahead = (lead * inv_dx) * static_cast<Vec3d>(phase.particles.v.vec(i));
            const Vec3d at = inv_dx * phase.particles.x.vec(i) +
                             max(splat(-most_ahead), min(splat(most_ahead), ahead));
            keys[i] = cells.key(first_node(at, offset));
        });
        std::vector<std::uint32_t> order;
        sort_by_key(keys, order);
        break_ties(keys, phase.particles.id, order);
        reorder(phase, order);

        // One range a block.
        for (std::size_t i = 0; i < n; ++i) {
            if (i > 0 && keys[i] >> 6 == keys[i - 1] >> 6) continue;
            const auto row = static_cast<std::int64_t>(i);
            if (i > 0) phase.blocks.back().end = row;
            phase.blocks.push_back({cells.block_of(keys[i]), row, row});
        }
        if (n > 0) phase.blocks.back().end = static_cast<std::int64_t>(n);
    }
}

template void sort_particles(std::vector<Phase<float>>&, double, double, double);
template void sort_particles(std::vector<Phase<double>>&, double, double, double);

}  // namespace knead
