// The colliders that a block of space may touch; most blocks touch none.
#pragma once

#include <span>
#include <vector>

#include "knead/geometry/collider.h"

namespace knead {

class NearColliders {
public:
    // Those within reach of the box from `corner` of the given size.
    NearColliders(std::span<const ColliderAt> all, const Vec3d& corner, const Vec3d& size,
                  const ContactReach& reach = {}) {
        const Vec3d center = corner + 0.5 * size;
        const double radius = 0.5 * length(size) * (1 + node_reach);
        for (const ColliderAt& c : all)
            if (c.distance(center) <= radius + reach.of(c)) list_.push_back(c);
    }
    bool empty() const { return list_.empty(); }
    std::span<const ColliderAt> list() const { return list_; }

private:
    std::vector<ColliderAt> list_;
};

}  // namespace knead
