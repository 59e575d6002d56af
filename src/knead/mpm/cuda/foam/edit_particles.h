// Removal and resampling of particles on the GPU, between batches of steps. What the host has in
// mpm/foam, stage by stage; only counts and the ids of new particles pass to and fro.
#pragma once

#include "knead/mpm/cuda/foam/births.h"
#include "knead/mpm/cuda/foam/darts.h"
#include "knead/mpm/cuda/foam/depth.h"
#include "knead/mpm/cuda/foam/merges.h"
#include "knead/mpm/cuda/foam/refresh.h"
#include "knead/mpm/cuda/foam/slivers.h"
#include "knead/mpm/foam/remove_subgrid.h"

namespace knead {

class ParticleEdits {
public:
    RemovalReport remove_slivers(std::span<DevicePhase> phases, double dx, cudaStream_t stream);
    // Stress is left to be refreshed.
    ResampleReport resample(std::span<DevicePhase> phases, double dx, std::uint64_t seed,
                            std::int64_t step, std::int64_t& next_id, cudaStream_t stream);
    // Particles have moved since the last edit.
    void particles_moved() { points_are_binned_ = false; }
    std::size_t bytes() const;

private:
    void bin_points(std::span<DevicePhase> phases, double dx, cudaStream_t stream);

    DeviceAlgorithms algorithms_;
    PointCells points_;
    bool points_are_binned_ = false;
    Depth depth_;
    Darts darts_;
    Births births_;
    Merges merges_;
    Slivers slivers_;
    TakeInventory take_inventory_;
};

}  // namespace knead
