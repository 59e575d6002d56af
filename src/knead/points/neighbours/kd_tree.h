// Neighbour search by a balanced KD-tree, for any sampling and any radius: every node halves its
// points at the median of their widest side. The tree is implicit: node n has the children 2 n + 1
// and 2 n + 2. All arithmetic is double, and ties are broken by index.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "knead/math/vec.h"

namespace knead {

struct Found {
    double d2;  // squared distance [m2]
    std::uint32_t index;
    friend bool operator==(const Found&, const Found&) = default;
    // Nearer first, then by index.
    friend bool operator<(const Found& a, const Found& b) {
        return a.d2 < b.d2 || (a.d2 == b.d2 && a.index < b.index);
    }
};

inline constexpr double any_distance = std::numeric_limits<double>::infinity();

class KdTree {
public:
    explicit KdTree(std::span<const Vec3d> points);
    // Every point nearer to x than the radius, in no particular order.
    void within(const Vec3d& x, double radius, std::vector<Found>& found) const;
    // The k nearest of those, nearest first, leaving out the point `self`.
    void nearest(const Vec3d& x, std::size_t k, double radius, std::uint32_t self,
                 std::vector<Found>& found) const;

private:
    struct Node {
        std::uint32_t begin = 0, end = 0;
        int axis = -1;     // -1: a leaf
        double split = 0;  // left: at most; right: at least
    };
    void divide(std::size_t node);
    // visit(d2, index) for the points of every leaf that limit(), a squared distance, does not rule
    // out; the nearer side comes first.
    template <class Visit, class Limit>
    void descend(std::size_t node, const Vec3d& x, const Visit& visit, const Limit& limit) const;

    std::vector<Vec3d> points_;  // in the order of the leaves
    std::vector<std::uint32_t> index_;
    std::vector<Node> nodes_;
};

}  // namespace knead
