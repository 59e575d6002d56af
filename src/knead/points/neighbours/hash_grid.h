// Neighbour search on the uniform grid of particles/point_grid.h, whose blocks of cells are hashed.
#pragma once

#include "knead/particles/point_grid.h"
#include "knead/points/neighbours/neighbours.h"

namespace knead {

class HashGridSearch : public NeighbourSearch {
public:
    HashGridSearch(std::span<const Vec3d> points, double cell);
    void within(const Vec3d& x, double radius, std::vector<Found>& found) const override;
    void nearest(const Vec3d& x, std::size_t k, double radius, std::uint32_t self,
                 std::vector<Found>& found) const override;

private:
    PointGrid grid_;
};

}  // namespace knead
