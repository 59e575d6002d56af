// Neighbourhoods of points: all within a radius, or the k nearest of those. A search over a uniform
// hash grid or a KD-tree answers the same question with the same answer, exactly: "within" means
// nearer than the radius, the nearest come by distance and then by index, and nothing depends on
// the thread count. All arithmetic is double.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
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

inline constexpr std::uint32_t no_point = 0xffffffffu;
inline constexpr double any_distance = std::numeric_limits<double>::infinity();

class NeighbourSearch {
public:
    virtual ~NeighbourSearch() = default;
    // Every point nearer to x than the radius, which is finite; in no particular order.
    virtual void within(const Vec3d& x, double radius, std::vector<Found>& found) const = 0;
    // The k nearest of those, nearest first, leaving out the point `self`.
    virtual void nearest(const Vec3d& x, std::size_t k, double radius, std::uint32_t self,
                         std::vector<Found>& found) const = 0;
};

// hash_grid is the faster one for even sampling and radii near `typical_radius`, its cell width;
// kd_tree takes any sampling and any radius.
enum class SearchKind { hash_grid, kd_tree };
std::unique_ptr<NeighbourSearch> make_search(SearchKind kind, std::span<const Vec3d> points,
                                             double typical_radius);

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

// Lists for every point that the search was made of, itself left out. `radius` holds one number for
// all points or one for each.
Neighbours all_within(const NeighbourSearch& search, std::span<const Vec3d> points,
                      std::span<const double> radius, ListOrder order = ListOrder::by_index);
Neighbours nearest_within(const NeighbourSearch& search, std::span<const Vec3d> points,
                          std::size_t k, std::span<const double> radius,
                          ListOrder order = ListOrder::by_index);

// Who lists me: j is in the result's list of i where i is in j's. Lists by index.
Neighbours transposed(const Neighbours& lists);
// j is in i's list where either names the other. Lists by index.
Neighbours symmetric(const Neighbours& lists);
// For lists that are symmetric and by index: entry (i, j) stands where reverse says (j, i) does.
std::vector<std::size_t> reverse_entries(const Neighbours& lists);

// Every pair that a list names, once, the lower index first, ordered by it.
struct PointPair {
    std::uint32_t i, j;
    friend bool operator==(const PointPair&, const PointPair&) = default;
};
std::vector<PointPair> pairs_of(const Neighbours& lists);

}  // namespace knead
