// Neighbour search by a balanced KD-tree: every node halves its points at the median of their
// widest side. The tree is implicit: node n has the children 2 n + 1 and 2 n + 2.
#pragma once

#include "knead/points/neighbours/neighbours.h"

namespace knead {

class KdTreeSearch : public NeighbourSearch {
public:
    explicit KdTreeSearch(std::span<const Vec3d> points);
    void within(const Vec3d& x, double radius, std::vector<Found>& found) const override;
    void nearest(const Vec3d& x, std::size_t k, double radius, std::uint32_t self,
                 std::vector<Found>& found) const override;

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
