#include "knead/points/neighbours/kd_tree.h"

#include <algorithm>
#include <numeric>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t leaf_size = 12;

int widest_side(std::span<const Vec3d> points) {
    Vec3d lo = points[0], hi = points[0];
    for (const Vec3d& p : points) lo = min(lo, p), hi = max(hi, p);
    const Vec3d size = hi - lo;
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

}  // namespace

KdTree::KdTree(std::span<const Vec3d> points)
    : points_(points.begin(), points.end()), index_(points.size()) {
    std::iota(index_.begin(), index_.end(), 0u);
    std::size_t levels = 1;
    while ((points.size() >> (levels - 1)) > leaf_size) ++levels;
    nodes_.resize((std::size_t{1} << levels) - 1);
    nodes_[0].end = static_cast<std::uint32_t>(points.size());
    // the nodes of a level are independent of each other
    for (std::size_t level = 0; level + 1 < levels; ++level) {
        const std::size_t first = (std::size_t{1} << level) - 1;
        for_each(first + 1, 1, [&](std::size_t n) { divide(first + n); });
    }
}

void KdTree::divide(std::size_t node) {
    Node& n = nodes_[node];
    const std::size_t count = n.end - n.begin, half = count / 2;
    const std::span<Vec3d> points(points_.data() + n.begin, count);
    const std::span<std::uint32_t> index(index_.data() + n.begin, count);
    n.axis = widest_side(points);

    // order by coordinate, then index
    std::vector<std::pair<double, std::uint32_t>> keys(count);
    for (std::size_t i = 0; i < count; ++i)
        keys[i] = {points[i][n.axis], static_cast<std::uint32_t>(i)};
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(half), keys.end());
    n.split = keys[half].first;
    const std::vector<Vec3d> old_points(points.begin(), points.end());
    const std::vector<std::uint32_t> old_index(index.begin(), index.end());
    for (std::size_t i = 0; i < count; ++i) {
        points[i] = old_points[keys[i].second];
        index[i] = old_index[keys[i].second];
    }
    const auto middle = static_cast<std::uint32_t>(n.begin + half);
    nodes_[2 * node + 1] = {n.begin, middle};
    nodes_[2 * node + 2] = {middle, n.end};
}

template <class Visit, class Limit>
void KdTree::descend(std::size_t node, const Vec3d& x, const Visit& visit,
                     const Limit& limit) const {
    const Node& n = nodes_[node];
    if (n.axis < 0) {
        for (std::uint32_t i = n.begin; i < n.end; ++i)
            visit(length_squared(points_[i] - x), index_[i]);
        return;
    }
    const double offset = x[n.axis] - n.split;
    const std::size_t near = 2 * node + (offset < 0 ? 1 : 2), far = 4 * node + 3 - near;
    descend(near, x, visit, limit);
    // equality counts: a point as far as the last one may have a lower index
    if (offset * offset <= limit()) descend(far, x, visit, limit);
}

void KdTree::within(const Vec3d& x, double radius, std::vector<Found>& found) const {
    found.clear();
    const double limit = radius * radius;
    descend(
        0, x,
        [&](double d2, std::uint32_t index) {
            if (d2 < limit) found.push_back({d2, index});
        },
        [limit] { return limit; });
}

// The k best so far form a heap, the farthest on top.
void KdTree::nearest(const Vec3d& x, std::size_t k, double radius, std::uint32_t self,
                     std::vector<Found>& found) const {
    found.clear();
    if (k == 0) return;
    const double outer = radius * radius;
    descend(
        0, x,
        [&](double d2, std::uint32_t index) {
            const Found f{d2, index};
            if (!(d2 < outer) || index == self) return;
            if (found.size() == k) {
                if (!(f < found.front())) return;
                std::pop_heap(found.begin(), found.end());
                found.pop_back();
            }
            found.push_back(f);
            std::push_heap(found.begin(), found.end());
        },
        [&] { return found.size() == k ? found.front().d2 : outer; });
    std::sort_heap(found.begin(), found.end());
}

}  // namespace knead
