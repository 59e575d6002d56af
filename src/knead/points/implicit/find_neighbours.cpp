// find_neighbours: all rows of the same body within reach, in blocks.
#include <algorithm>
#include <cmath>
#include <optional>

#include "knead/points/binned_points.h"
#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

constexpr double most_stretch = 3;  // that a search follows

// A bound of the largest stretch of B^-1, tight near the identity: the square root of the largest
// row sum of |B^-T B^-1|.
template <class Real>
double stretch_bound(const ImplicitWorkspace<Real>& work, std::size_t i) {
    Mat3<Real> B;
    for (int k = 0; k < 9; ++k) B[k] = work.to_rest[k][i];
    const Mat3d inv = inverse(static_cast<Mat3d>(B)), C = transpose(inv) * inv;
    double most = 0;
    for (int r = 0; r < 3; ++r)
        most = std::max(most, std::fabs(C(r, 0)) + std::fabs(C(r, 1)) + std::fabs(C(r, 2)));
    return most < most_stretch * most_stretch ? std::sqrt(most) : most_stretch;
}

// Where the rows that a block touches stand in its list; stamps save clearing it for each block.
struct Places {
    std::vector<std::uint64_t> at;
    std::uint64_t stamp = 0;

    void start(std::size_t n) {
        if (at.size() < n) at.assign(n, 0), stamp = 0;
        ++stamp;
    }
    std::uint32_t place(std::uint32_t row, std::vector<std::uint32_t>& touched) {
        if (at[row] >> 32 != stamp) {
            at[row] = stamp << 32 | touched.size();
            touched.push_back(row);
        }
        return static_cast<std::uint32_t>(at[row]);
    }
};

template <class Real>
void fill_block(const ImplicitWorkspace<Real>& work, const BinnedPoints& sources,
                const BinnedPoints* present, NeighbourBlock<Real>& b) {
    constexpr std::size_t L = NeighbourBlock<Real>::lanes;
    thread_local Places places;
    places.start(work.size());
    b.touched.clear(), b.neighbour.clear(), b.begin.assign(1, 0);
    for (std::uint32_t k = 0; k < b.rows; ++k) places.place(b.first + k, b.touched);
    for (std::uint32_t k = 0; k < b.rows; ++k) {
        const std::uint32_t row = b.first + k;
        const double reach = static_cast<double>(work.support[row]) * stretch_bound(work, row);
        const bool follows = present && !work.keeps_rest[row];
        const BinnedPoints& bins = follows ? *present : sources;
        const Vec3d& place = follows ? work.x[row] : work.source[row];
        bins.for_each_near(place, reach, [&](std::uint32_t at, unsigned lanes) {
            for (; lanes != 0; lanes &= lanes - 1) {
                const std::uint32_t other =
                    bins.row(at + static_cast<std::uint32_t>(__builtin_ctz(lanes)));
                if (other != row && work.body[other] == work.body[row])
                    b.neighbour.push_back(places.place(other, b.touched));
            }
        });
        while (b.neighbour.size() % L != 0) b.neighbour.push_back(k);
        b.begin.push_back(static_cast<std::uint32_t>(b.neighbour.size()));
    }
}

}  // namespace

template <class Real>
void find_neighbours(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work) {
    constexpr std::size_t most = NeighbourBlock<Real>::most_rows;
    const std::size_t n = work.size(), count = (n + most - 1) / most;
    auto& blocks = work.near.blocks;
    blocks.resize(count);
    double widest = 0;
    for (const Real h : work.support) widest = std::max(widest, static_cast<double>(h));
    const BinnedPoints sources(work.source, 0.5 * widest);
    // rows without kept rest vectors, among others with
    std::optional<BinnedPoints> present;
    if (settings.is_lazy() &&
        std::find(work.keeps_rest.begin(), work.keeps_rest.end(), 0) != work.keeps_rest.end())
        present.emplace(work.x, 0.5 * widest);
    for_each(count, 1, [&](std::size_t i) {
        blocks[i].first = static_cast<std::uint32_t>(i * most);
        blocks[i].rows = static_cast<std::uint32_t>(std::min(most, n - i * most));
        fill_block(work, sources, present ? &*present : nullptr, blocks[i]);
    });
    work.near.index_slots(n);
}

template void find_neighbours(const ImplicitSettings&, ImplicitWorkspace<float>&);
template void find_neighbours(const ImplicitSettings&, ImplicitWorkspace<double>&);

}  // namespace knead
