// What elastic forces did to the velocities of nodes in an implicit step: the search of the next
// one starts there. In slow, stiff matter they change little from step to step. Part of the state,
// so that a resumed run goes on alike.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/mpm/grid/block_grid.h"
#include "knead/parallel/array.h"

namespace knead {

template <class Real>
struct NodeKicks {
    static constexpr std::size_t block_numbers = 3 * block_nodes;

    double dt = 0;                     // of that step [s]; 0: there was none
    std::vector<std::int32_t> blocks;  // coordinates of blocks of nodes, three each
    Array<Real> speeds;                // block_numbers a block [m/s]

    // Whether the lists belong together, as those of a checkpoint may not.
    bool is_whole() const {
        return blocks.size() % 3 == 0 && speeds.size() == blocks.size() / 3 * block_numbers;
    }
};

}  // namespace knead
