// Stage: reads the grid back and carries every particle through the step: velocity, affine motion,
// material (law), contact, position.
#pragma once

#include <span>

#include "knead/geometry/collider.h"
#include "knead/materials/law.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"

namespace knead {

// What the step does to a particle once its grid values are known.
struct AdvanceSettings {
    double dx = 0;
    double dt = 0;
    double flip_fraction = 0;  // already for this dt
    double damping = 0;
    bool wants_strain = false;    // for when to resample
    bool moves_elements = false;  // those of sheets and curves by themselves, not by their vertices
    std::span<const double> damping_of_phase{};  // empty: the same for all

    AdvanceSettings of_phase(std::size_t phase) const {
        AdvanceSettings own = *this;
        if (!damping_of_phase.empty()) own.damping = damping_of_phase[phase];
        return own;
    }
};

// What the particles of a block, or of all, came to.
struct AdvanceReport {
    double max_speed = 0;      // [m/s]
    double max_move = 0;       // largest displacement along an axis [cells]
    double outside = 0;        // most that a particle stands outside its block [cells]
    double max_strain = 0;     // largest |sym(dt grad v)|, squared within blocks
    double least_normal = 1;   // stretch across sheets and curves
    std::int64_t bad_id = -1;  // lowest id of a particle that is no longer finite

    void join(const AdvanceReport& other);
};

template <class Real, int Order, Transfer transfer>
AdvanceReport grid_to_particles(std::vector<Phase<Real>>& phases, std::span<const Law<Real>> laws,
                                const BlockGrid& grid, const Array<Real>& nodes,
                                std::span<const ColliderAt> colliders,
                                const AdvanceSettings& settings);

// Density that the grid sees at every particle, sum_i w m_i / dx^3; nodes as update_grid left them.
template <class Real, int Order, Transfer transfer>
void gather_density(const std::vector<Phase<Real>>& phases, const BlockGrid& grid,
                    const Array<Real>& nodes, double dx, std::vector<std::vector<double>>& density);

}  // namespace knead
