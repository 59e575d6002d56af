// The neighbourhoods of one step: for each particle the k nearest within h, its own list N, and
// behind it those that only name it, so that both together hold every pair once from each side.
//
// Candidates within a little more than h are found once and serve until particles may have come so
// much nearer, whatever the linear map that they moved by together. What a step makes of them does
// not depend on when they were found: lists are by row and hold exactly the neighbours of the
// moment.
#pragma once

#include <span>
#include <vector>

#include "knead/math/mat.h"
#include "knead/parallel/array.h"
#include "knead/points/neighbours/neighbours.h"

namespace knead {

inline constexpr std::size_t near_lists_padding = 8;

template <class Real>
class NearLists {
public:
    // Every list starts at a multiple of this and is filled up with the particle itself.
    static constexpr std::size_t padding = near_lists_padding;

    bool empty() const { return begin_.empty(); }
    void clear() { begin_.clear(); }

    // Everything within h and a little more of each point.
    void find_candidates(std::span<const Vec3d> points, double h);
    // Whether the candidates still hold all within h, the points being here now.
    bool serves(std::span<const Vec3d> points) const;
    // The lists for positions `place`, four numbers a particle of which the first three count.
    // k is 0 for no limit.
    void update(const Array<Real>& place, Real h, std::size_t k);
    // Lists that never change, for places that do not either.
    void set(const Neighbours& nearest, const Array<Real>& place);

    // Neighbours of i: own(i) of its own, by row, then the others, by row, all(i) together.
    const std::uint32_t* list(std::size_t i) const { return index_.data() + begin_[i]; }
    // Squared distances to its own [m2].
    const Real* d2(std::size_t i) const { return d2_.data() + begin_[i]; }
    int own(std::size_t i) const { return static_cast<int>(own_[i]); }
    int all(std::size_t i) const { return static_cast<int>(all_[i]); }
    std::size_t bytes() const;

private:
    void resize(std::size_t n);
    void measure_spread();
    void pad(std::size_t i);

    std::vector<Vec3d> found_at_;            // where the points were
    Vec3d centre_{0, 0, 0};                  // of those
    Sym3d spread_inverse_{};                 // of sum d d^T, d from the centre; 0 if they are flat
    double h_ = 0;                           // [m]
    std::vector<std::size_t> begin_;         // where each list has its room
    std::vector<std::uint32_t> candidate_;   // padded with the particle itself
    std::vector<std::uint32_t> candidates_;  // how many
    std::vector<std::uint32_t> index_;
    Array<Real> d2_;
    std::vector<std::uint32_t> own_, all_;
    std::vector<Real> guess_;  // of the squared reach of each own list [m2]
};

}  // namespace knead
