// The neighbour lists of one step: for each particle the k nearest within h, its own list N. Behind
// it stand the particles that list it without being listed by it; both together are its gather
// list, so that every pair is seen from both sides. Lists are by row and hold exactly the
// neighbours of the moment, whenever their candidates were found.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "knead/parallel/array.h"
#include "knead/points/incremental/candidates.h"
#include "knead/points/neighbours/neighbours.h"

namespace knead {

// How far an own list that is full reaches: nearer comes first, then the lower row.
template <class Real>
struct Reach {
    Real d2 = std::numeric_limits<Real>::infinity();
    std::uint32_t row = all_rows;
    static constexpr std::uint32_t all_rows = ~std::uint32_t{0};
    bool holds(Real other, std::uint32_t other_row) const {
        return (other < d2) | ((other == d2) & (other_row <= row));  // without a branch
    }
};

template <class Real>
class NearLists {
public:
    bool empty() const { return begin_.empty(); }
    void clear() { begin_.clear(), candidates_.clear(); }

    // The lists of points that are at `place` too, four numbers each of which the first three
    // count. k is 0 for no limit.
    void update(std::span<const Vec3d> points, const Array<Real>& place, double h, std::size_t k);
    // Lists that never change, for places that do not either.
    void set(const Neighbours& nearest, const Array<Real>& place);

    // Every list starts at a multiple of a pack and is filled up with the particle itself.
    // Neighbours of i: own(i) of its own, by row, then the others, by row, all(i) together.
    const std::uint32_t* list(std::size_t i) const { return index_.data() + begin_[i]; }
    // Squared distances to its own [m2].
    const Real* d2(std::size_t i) const { return d2_.data() + begin_[i]; }
    int own(std::size_t i) const { return static_cast<int>(own_[i]); }
    int all(std::size_t i) const { return static_cast<int>(all_[i]); }
    std::size_t bytes() const;

private:
    void resize(std::size_t n);
    void pad(std::size_t i);

    Candidates candidates_;
    std::vector<std::size_t> begin_;  // where each list has its room
    std::vector<std::uint32_t> index_;
    Array<Real> d2_;
    std::vector<std::uint32_t> own_, all_;
    std::vector<Reach<Real>> reach_;  // of each own list, far where it is not full
    std::vector<Real> guess_;         // of its square [m2]
};

}  // namespace knead
