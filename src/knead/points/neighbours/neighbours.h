// Neighbour lists of points: all within a radius, or the k nearest of those. "Within" means nearer
// than the radius, the nearest come by distance and then by index, and nothing depends on the
// thread count.
#pragma once

#include "knead/points/neighbours/kd_tree.h"

namespace knead {

// Lists of points, one after another: those of point i are index[begin[i] .. begin[i + 1]).
struct Neighbours {
    std::vector<std::size_t> begin{0};
    std::vector<std::uint32_t> index;

    std::size_t size() const { return begin.size() - 1; }
    std::span<const std::uint32_t> of(std::size_t i) const {
        return {index.data() + begin[i], begin[i + 1] - begin[i]};
    }
};

enum class ListOrder { by_index, by_distance };

// Lists for every point, itself left out. `radius` holds one number for all points or one for each.
Neighbours all_within(std::span<const Vec3d> points, std::span<const double> radius,
                      ListOrder order = ListOrder::by_index);
Neighbours nearest_within(std::span<const Vec3d> points, std::size_t k,
                          std::span<const double> radius, ListOrder order = ListOrder::by_index);

// The particles that list me: j is in the result's list of i where i is in j's. Lists by index.
Neighbours transposed(const Neighbours& lists);
// j is in i's list where either names the other. Lists by index.
Neighbours symmetric(const Neighbours& lists);

}  // namespace knead
