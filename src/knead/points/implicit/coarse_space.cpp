#include "knead/points/implicit/coarse_space.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "knead/points/implicit/workspace.h"

namespace knead {

namespace {

constexpr double hold = 1;             // stiffness of constraints, in units of a particle's own
constexpr double floor_share = 1e-10;  // of the largest diagonal entry, added to all

using CellMatrix = Eigen::Matrix<double, 24, 24>;

// A cell of one body's grid and the rows in it.
struct Cell {
    std::int32_t body;
    Vec3i at;
    friend bool operator<(const Cell& a, const Cell& b) {
        return std::tie(a.body, a.at.x, a.at.y, a.at.z) < std::tie(b.body, b.at.x, b.at.y, b.at.z);
    }
};

// Corner k of a cell is its lowest corner plus the bits of k.
Vec3i corner(const Vec3i& cell, int k) {
    return {cell.x + (k & 1), cell.y + (k >> 1 & 1), cell.z + (k >> 2)};
}

// The eight weights at a place within a cell, and their gradients in units of the cell.
std::array<double, 8> weights(const Vec3d& f) {
    std::array<double, 8> w;
    for (int k = 0; k < 8; ++k)
        w[static_cast<std::size_t>(k)] =
            (k & 1 ? f.x : 1 - f.x) * (k >> 1 & 1 ? f.y : 1 - f.y) * (k >> 2 ? f.z : 1 - f.z);
    return w;
}
Vec3d weight_gradient(const Vec3d& f, int k) {
    const double x = k & 1 ? f.x : 1 - f.x, y = k >> 1 & 1 ? f.y : 1 - f.y,
                 z = k >> 2 ? f.z : 1 - f.z;
    return {(k & 1 ? 1 : -1) * y * z, x * (k >> 1 & 1 ? 1 : -1) * z, x * y * (k >> 2 ? 1 : -1)};
}

}  // namespace

template <class Real>
struct CoarseSpace<Real>::Parts {
    std::vector<std::array<int, 8>> corners;  // nodes of each cell
    std::vector<std::size_t> begin;           // rows of cell c: rows[begin[c] .. begin[c + 1])
    std::vector<std::uint32_t> rows;
    std::vector<Vec3d> place;  // of row rows[k] within its cell, 0 to 1
    std::vector<double> width;
    int nodes = 0;
    Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
    bool sound = false;

    void sort_rows(const ImplicitWorkspace<Real>& work, double spacings);
    CellMatrix element(const ImplicitWorkspace<Real>& work, std::size_t cell,
                       const std::vector<std::int32_t>& constraint) const;
    void factorize(const std::vector<CellMatrix>& elements);
};

// Cells are laid from the lowest corner of each body, so that nothing depends on the origin.
template <class Real>
void CoarseSpace<Real>::Parts::sort_rows(const ImplicitWorkspace<Real>& work, double spacings) {
    struct Grid {
        Vec3d low{1e300, 1e300, 1e300};
        double width = 0;
    };
    std::map<std::int32_t, Grid> grids;
    for (std::size_t i = 0; i < work.size(); ++i) {
        Grid& g = grids[work.body[i]];
        g.low = min(g.low, work.x[i]);
        g.width = std::max(g.width, spacings * work.spacing(i));
    }
    std::vector<std::pair<Cell, std::uint32_t>> all(work.size());
    std::vector<Vec3d> fraction(work.size());
    for (std::size_t i = 0; i < work.size(); ++i) {
        const Grid& g = grids[work.body[i]];
        const Vec3d x = (work.x[i] - g.low) / g.width + splat(0.5);
        const Vec3i at{static_cast<int>(x.x), static_cast<int>(x.y), static_cast<int>(x.z)};
        fraction[i] = x - Vec3d{double(at.x), double(at.y), double(at.z)};
        all[i] = {{work.body[i], at}, static_cast<std::uint32_t>(i)};
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::map<Cell, int> numbers;
    corners.clear(), begin.assign(1, 0), rows.clear(), place.clear(), width.clear();
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k == 0 || all[k - 1].first < all[k].first) {
            if (k > 0) begin.push_back(k);
            std::array<int, 8> of;
            for (int c = 0; c < 8; ++c) {
                const Cell node{all[k].first.body, corner(all[k].first.at, c)};
                of[static_cast<std::size_t>(c)] =
                    numbers.emplace(node, static_cast<int>(numbers.size())).first->second;
            }
            corners.push_back(of);
            width.push_back(grids[all[k].first.body].width);
        }
        rows.push_back(all[k].second);
        place.push_back(fraction[all[k].second]);
    }
    begin.push_back(all.size());
    nodes = static_cast<int>(numbers.size());
}

// What the rows of a cell give to the blocks of its corners: mass, elasticity and constraints.
template <class Real>
CellMatrix CoarseSpace<Real>::Parts::element(const ImplicitWorkspace<Real>& work, std::size_t cell,
                                             const std::vector<std::int32_t>& constraint) const {
    CellMatrix sum = CellMatrix::Zero();
    for (std::size_t k = begin[cell]; k < begin[cell + 1]; ++k) {
        const std::uint32_t i = rows[k];
        const std::array<double, 8> w = weights(place[k]);
        Mat3d F, R;
        for (int c = 0; c < 9; ++c) F[c] = double(work.F[c][i]), R[c] = double(work.R[c][i]);
        const Mat3d push = transpose(F);
        const double m = double(work.mass[i]), s = work.spacing(i);
        const double mu = work.sound[i] ? double(work.mu[i]) : 0;
        const double lambda = work.sound[i] ? double(work.lambda[i]) : 0;
        const Constraint* held = constraint[i] < 0
                                     ? nullptr
                                     : &work.constraints[static_cast<std::size_t>(constraint[i])];
        const double stiff = m + hold * (2 * mu + lambda) / (s * s);
        Vec3d g[8], Rg[8];
        for (int a = 0; a < 8; ++a) {
            g[a] = push * (weight_gradient(place[k], a) / width[cell]);
            Rg[a] = R * g[a];
        }
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b <= a; ++b) {
                const double ww = w[static_cast<std::size_t>(a)] * w[static_cast<std::size_t>(b)];
                Mat3d block = (m * ww + mu * dot(g[a], g[b])) * identity3<double>() +
                              mu * outer(Rg[b], Rg[a]) + lambda * outer(Rg[a], Rg[b]);
                for (int c = 0; held && c < held->count; ++c)
                    block = block + (stiff * ww) * outer(held->along[c], held->along[c]);
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) sum(3 * a + r, 3 * b + c) += block(r, c);
            }
    }
    return sum;
}

template <class Real>
void CoarseSpace<Real>::Parts::factorize(const std::vector<CellMatrix>& elements) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(elements.size() * 36 * 9);
    double most = 0;
    for (std::size_t e = 0; e < elements.size(); ++e)
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b <= a; ++b) {
                const int i = corners[e][static_cast<std::size_t>(a)];
                const int j = corners[e][static_cast<std::size_t>(b)];
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) {
                        const double v = elements[e](3 * a + r, 3 * b + c);
                        const int row = 3 * i + r, column = 3 * j + c;
                        if (row == column) most = std::max(most, v);
                        if (a != b || r >= c)
                            entries.emplace_back(std::max(row, column), std::min(row, column), v);
                    }
            }
    for (int k = 0; k < 3 * nodes; ++k) entries.emplace_back(k, k, floor_share * most);
    Eigen::SparseMatrix<double> A(3 * nodes, 3 * nodes);
    A.setFromTriplets(entries.begin(), entries.end());
    factor.compute(A);
    sound = factor.info() == Eigen::Success;
}

template <class Real>
CoarseSpace<Real>::CoarseSpace() = default;
template <class Real>
CoarseSpace<Real>::~CoarseSpace() = default;
template <class Real>
CoarseSpace<Real>::CoarseSpace(CoarseSpace&&) noexcept = default;
template <class Real>
CoarseSpace<Real>& CoarseSpace<Real>::operator=(CoarseSpace&&) noexcept = default;

template <class Real>
void CoarseSpace<Real>::build(const ImplicitWorkspace<Real>& work, double width) {
    if (!parts_) parts_ = std::make_unique<Parts>();
    parts_->sort_rows(work, width);
    std::vector<std::int32_t> constraint(work.size(), -1);
    for (std::size_t k = 0; k < work.constraints.size(); ++k)
        constraint[work.row_of(work.constraints[k])] = static_cast<std::int32_t>(k);
    std::vector<CellMatrix> elements(parts_->corners.size());
    for_each(elements.size(), 1,
             [&](std::size_t cell) { elements[cell] = parts_->element(work, cell, constraint); });
    parts_->factorize(elements);
}

template <class Real>
void CoarseSpace<Real>::clear() {
    parts_.reset();
}
template <class Real>
bool CoarseSpace<Real>::empty() const {
    return !parts_ || !parts_->sound;
}
template <class Real>
std::size_t CoarseSpace<Real>::nodes() const {
    return parts_ ? static_cast<std::size_t>(parts_->nodes) : 0;
}

template <class Real>
void CoarseSpace<Real>::correct(const Array<Lanes<Real>>& r, Array<Lanes<Real>>& z) const {
    const Parts& p = *parts_;
    std::vector<std::array<Vec3d, 8>> sums(p.corners.size());
    for_each(sums.size(), 4, [&](std::size_t cell) {
        std::array<Vec3d, 8> sum{};
        for (std::size_t k = p.begin[cell]; k < p.begin[cell + 1]; ++k) {
            const Vec3d v = static_cast<Vec3d>(to_vec(r[p.rows[k]]));
            const std::array<double, 8> w = weights(p.place[k]);
            for (std::size_t c = 0; c < 8; ++c) sum[c] += w[c] * v;
        }
        sums[cell] = sum;
    });
    Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * p.nodes);
    for (std::size_t cell = 0; cell < sums.size(); ++cell)
        for (std::size_t c = 0; c < 8; ++c)
            for (int a = 0; a < 3; ++a) b[3 * p.corners[cell][c] + a] += sums[cell][c][a];
    const Eigen::VectorXd u = p.factor.solve(b);
    for_each(sums.size(), 4, [&](std::size_t cell) {
        Vec3d at[8];
        for (std::size_t c = 0; c < 8; ++c) {
            const int node = 3 * p.corners[cell][c];
            at[c] = {u[node], u[node + 1], u[node + 2]};
        }
        for (std::size_t k = p.begin[cell]; k < p.begin[cell + 1]; ++k) {
            const std::array<double, 8> w = weights(p.place[k]);
            Vec3d sum{0, 0, 0};
            for (std::size_t c = 0; c < 8; ++c) sum += w[c] * at[c];
            z[p.rows[k]] += to_lanes(static_cast<Vec3<Real>>(sum));
        }
    });
}

template class CoarseSpace<float>;
template class CoarseSpace<double>;

}  // namespace knead
