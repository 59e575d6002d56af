// The block-sparse grid: which blocks hold particles, which nodes they can reach, and how the two
// find each other. Rebuilt when the particles are sorted, used until the next sort.
#pragma once

#include <array>
#include <vector>

#include "knead/mpm/grid/block_key.h"
#include "knead/parallel/array.h"
#include "knead/particles/phase.h"

namespace knead {

// A block with particles: their rows in every phase, and the 27 node blocks around it, the block
// itself in the middle (index 9 (dx + 1) + 3 (dy + 1) + dz + 1).
struct SourceBlock {
    Vec3i coordinates;
    std::array<std::int32_t, 27> targets;
};

// A block of nodes, and the up to 27 source blocks whose particles reach it; -1 where there is
// none.
struct TargetBlock {
    Vec3i coordinates;
    std::array<std::int32_t, 27> sources;
};

// Rows [begin, end) of a phase.
struct RowRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

class BlockGrid {
public:
    // From the sorted ranges of all phases.
    template <class Real>
    void build(const std::vector<Phase<Real>>& phases);

    const std::vector<SourceBlock>& sources() const { return sources_; }
    const std::vector<TargetBlock>& targets() const { return targets_; }
    // The number of the target block at these coordinates; -1: there is none.
    std::int64_t find_target(const Vec3i& coordinates) const;
    RowRange rows(std::size_t phase, std::size_t source) const {
        return rows_[phase * sources_.size() + source];
    }
    std::size_t bytes() const;

private:
    void connect(const std::vector<std::int64_t>& source_keys);

    std::vector<SourceBlock> sources_;
    std::vector<TargetBlock> targets_;
    std::vector<RowRange> rows_;  // phase by phase
};

}  // namespace knead
