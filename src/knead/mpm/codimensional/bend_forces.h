// Stage: forces of bending on the vertices of sheets and curves, summed at each vertex in a fixed
// order. They hang on the mesh alone, so momentum and angular momentum stay as they are.
#pragma once

#include "knead/mpm/codimensional/bends.h"
#include "knead/mpm/codimensional/thin_workspace.h"

namespace knead {

// Hinges or joints of one phase of vertices.
template <class Real, std::size_t N>
struct BendRows {
    std::vector<std::uint32_t> row[N];
    Array<Real> rest, stiffness;
    Column<Real, 3> force[N - 1];  // on the corners 1 to N - 1 [N]
    // By vertex: which corner of which bend it is.
    std::vector<std::uint32_t> first;
    std::vector<std::uint64_t> corners;  // N bend + corner

    std::size_t size() const { return row[0].size(); }
    std::size_t bytes() const;
};

template <class Real>
class BendForces {
public:
    BendForces() = default;
    explicit BendForces(std::vector<Bending> bending) : bending_(std::move(bending)) {}

    bool present() const { return !bending_.empty(); }
    // Of what bends.
    const std::vector<Bending>& bending() const { return bending_; }
    // To be called once rows have moved.
    void find_rows(const std::vector<Phase<Real>>& phases);
    // Onto the forces that vertices have already.
    void add_to(const std::vector<Phase<Real>>& phases, ThinWorkspace<Real>& work);
    // [J]
    double energy(const std::vector<Phase<Real>>& phases) const;

    // For a solve, whose vertices of a phase are at trial places x, in the rows of the phase:
    // energy, forces added to `force`, and the part of Gauss and Newton in how these change when
    // the vertices move by `change`: symmetric, and never positive.
    double energy(std::size_t phase, const Column<double, 3>& x) const;
    void add_forces(std::size_t phase, const Column<double, 3>& x, Column<Real, 3>& force);
    void add_differential(std::size_t phase, const Column<double, 3>& x,
                          const Column<Real, 3>& change, Column<Real, 3>& force);
    std::size_t bytes() const;

private:
    struct Rows {
        BendRows<Real, 4> hinges;
        BendRows<Real, 3> joints;
    };

    std::vector<Bending> bending_;
    std::vector<Rows> rows_;  // by phase
};

}  // namespace knead
