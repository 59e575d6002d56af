// Orders the phases by grid block and makes the block-sparse grid they meet on. Done every few
// steps, when particles may have moved by a cell.
#pragma once

#include <memory>
#include <span>

#include "knead/mpm/cuda/device_phase.h"
#include "knead/mpm/cuda/step_view.h"

namespace knead {

// A phase's sources are [first, first + count).
struct PhaseSources {
    int first = 0, count = 0;
    SourceLists lists;
};

class DeviceGrid {
public:
    DeviceGrid();
    ~DeviceGrid();
    // Sorts all phases by where their particles will be `lead` seconds from now, and rebuilds the
    // grid. The nodes of the grid there was before can still be read.
    void build(std::span<DevicePhase> phases, const MpmSettings& settings, double lead,
               cudaStream_t stream);

    const GridView& view() const;
    // The same grid, for particles that read the nodes from before the last build.
    const GridView& view_of_before() const;
    // Room for the marks of blocks and targets that colliders may touch.
    DeviceNearColliders* block_near();
    DeviceNearColliders* target_near();
    // Parts each phase's sources by the marks of their blocks.
    void split_sources(const ColliderView* colliders, cudaStream_t stream);
    const PhaseSources& sources(std::size_t phase) const;
    std::size_t bytes() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace knead
