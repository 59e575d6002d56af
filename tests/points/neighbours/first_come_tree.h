// The nearest points as a KD-tree finds them that keeps whichever of equally far ones came first:
// median splits across the longest side, leaves of 16, the nearest node next. The oracles'
// prototype searched so (by trying: all its numbers for lattices follow from it). Which of them a
// particle at the surface of a lattice gets shows in the third digit of its volume.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "points/embedded/bodies.h"

namespace knead::embedded_test {

class FirstComeTree {
public:
    explicit FirstComeTree(std::vector<Vec3d> points) : points_(std::move(points)) {
        order_.resize(points_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        split(0, order_.size());
    }
    // Rows of the `count` points nearest to point i, without i, in order.
    std::vector<std::size_t> nearest(std::size_t i, std::size_t count) const {
        const Vec3d& x = points_[i];
        Heap waiting, found;  // of nodes; of rows, the farthest first
        double reach = std::numeric_limits<double>::infinity();
        waiting.push({0, 0, splat(0.0)});
        while (!waiting.items.empty()) {
            Item at = waiting.pop();
            while (nodes_[at.index].axis >= 0) at = descend(at, x, reach, waiting);
            if (at.key > reach) break;
            for (std::size_t k = nodes_[at.index].begin; k < nodes_[at.index].end; ++k) {
                const double d2 = length_squared(points_[order_[k]] - x);
                if (!(d2 < reach)) continue;
                if (found.items.size() == count + 1) found.pop();
                found.push({-d2, order_[k], splat(0.0)});
                if (found.items.size() == count + 1) reach = -found.items[0].key;
            }
        }
        std::vector<std::size_t> rows;
        for (const Item& f : found.items)
            if (f.index != i) rows.push_back(f.index);
        std::sort(rows.begin(), rows.end());
        return rows;
    }

private:
    struct Node {
        std::size_t begin, end;
        int axis = -1;  // none: a leaf
        double at = 0;
        std::size_t low = 0, high = 0;
    };
    struct Item {
        double key;
        std::size_t index;
        Vec3d side;  // squared distances to a node along the axes
    };
    // The least key first; of equal ones, whichever a binary heap brings up.
    struct Heap {
        std::vector<Item> items;
        void push(const Item& item) {
            items.push_back(item);
            for (std::size_t k = items.size() - 1; k > 0; k = (k - 1) / 2) {
                if (!(items[k].key < items[(k - 1) / 2].key)) break;
                std::swap(items[k], items[(k - 1) / 2]);
            }
        }
        Item pop() {
            const Item top = items[0];
            items[0] = items.back();
            items.pop_back();
            for (std::size_t k = 0; 2 * k + 1 < items.size();) {
                std::size_t least = 2 * k + 1;
                if (least + 1 < items.size() && items[least + 1].key < items[least].key) ++least;
                if (!(items[least].key < items[k].key)) break;
                std::swap(items[k], items[least]);
                k = least;
            }
            return top;
        }
    };
    // To the nearer half; the other one waits.
    Item descend(const Item& at, const Vec3d& x, double reach, Heap& waiting) const {
        const Node& node = nodes_[at.index];
        const double gap = node.at - x[node.axis];
        Item near = at, far = at;
        near.index = gap > 0 ? node.low : node.high;
        far.index = gap > 0 ? node.high : node.low;
        far.key += gap * gap - at.side[node.axis];
        far.side[node.axis] = gap * gap;
        if (far.key <= reach) waiting.push(far);
        return near;
    }
    std::size_t split(std::size_t begin, std::size_t end) {
        const std::size_t self = nodes_.size();
        nodes_.push_back({begin, end});
        if (end - begin <= 16) return self;
        Vec3d low = points_[order_[begin]], high = low;
        for (std::size_t k = begin; k < end; ++k) {
            low = min(low, points_[order_[k]]);
            high = max(high, points_[order_[k]]);
        }
        const Vec3d size = high - low;
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        const auto rows = order_.begin();
        const auto first = rows + static_cast<std::ptrdiff_t>(begin);
        const auto last = rows + static_cast<std::ptrdiff_t>(end);
        const auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last, [&](std::size_t a, std::size_t b) {
            return points_[a][axis] < points_[b][axis];
        });
        double at = points_[*middle][axis];
        if (at == low[axis]) at = std::nextafter(at, high[axis]);  // both halves hold some
        const auto between =
            std::partition(first, last, [&](std::size_t a) { return points_[a][axis] < at; });
        const auto cut = static_cast<std::size_t>(between - rows);
        const std::size_t lower = split(begin, cut), upper = split(cut, end);
        nodes_[self] = {begin, end, axis, at, lower, upper};
        return self;
    }

    std::vector<Vec3d> points_;
    std::vector<std::size_t> order_;
    std::vector<Node> nodes_;
};

// Gives the particles of a lattice, rows along z first, the 32 neighbours of that tree, and their
// volumes with them.
inline void take_first_come_neighbours(Phase<double>& phase, double spacing,
                                       const Material& material) {
    Particles<double>& p = phase.particles;
    const std::size_t n = p.size();
    const auto place = [&](std::size_t i) {
        const Vec3d x = (p.x.vec(i) - p.x.vec(0)) / spacing;
        return Vec3d{std::round(x.x), std::round(x.y), std::round(x.z)};
    };
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
        const Vec3d x = place(a), y = place(b);
        return std::tie(x.x, x.y, x.z) < std::tie(y.x, y.y, y.z);
    });
    std::vector<Vec3d> points;
    for (const std::size_t i : rows) points.push_back(place(i));
    const FirstComeTree tree(points);
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = rows[k];
        std::size_t slot = phase.links.first(i);
        double sum = 0;
        for (const std::size_t j : tree.nearest(k, 32)) {
            const Vec3d u = p.x.vec(rows[j]) - p.x.vec(i);
            phase.links.to[slot] = static_cast<std::int32_t>(rows[j]);
            phase.links.set_rest(slot++, u);
            sum += length(u);
        }
        phase.links.count[i] = 32;
        p.support.at(i) = sum / 16;
        p.volume_scale.at(i) = 1;
    }
    EmbeddedWorkspace<double> work;
    compute_basis(phase, make_stretch_law<double>(material), EmbeddedVolume::estimate, work);
}

// A cube of n^3 points, one apart, with such neighbours and the bare volumes of Eq. 3.
struct Lattice {
    int n;
    Phase<double> phase;
    explicit Lattice(int side) : n(side), phase(make_block<double>({side, side, side, 1.0})) {
        Particles<double>& p = phase.particles;
        p.support.create(p.size()), p.volume_scale.create(p.size());
        phase.links.create(p.size());
        take_first_come_neighbours(phase, 1.0, solid(1e5, 0.3));
    }
    std::size_t row(int x, int y, int z) const {
        return static_cast<std::size_t>((z * n + y) * n + x);
    }
    double volume(int x, int y, int z) const { return phase.particles.volume.at(row(x, y, z)); }
    double mean_volume() const {
        double sum = 0;
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            sum += phase.particles.volume.at(i);
        return sum / static_cast<double>(phase.particles.size());
    }
};

}  // namespace knead::embedded_test
