// A phase: all particles of one material, in one table, so that a law is chosen once for all of
// them. The phases of a scene meet on one grid.
#pragma once

#include <vector>

#include "knead/particles/links.h"
#include "knead/particles/particles.h"

namespace knead {

// Rows [begin, end) of the table lay in this grid block when the table was last sorted. Kept with
// the particles, not with the scratch, because a resumed run must see the very same ranges.
struct BlockRange {
    std::int64_t key;
    std::int64_t begin;
    std::int64_t end;
};

template <class Real>
struct Phase {
    int material = 0;  // index into the model's materials
    Particles<Real> particles;
    std::vector<BlockRange> blocks;  // empty: not sorted yet
    Links<Real> links;               // only in methods that remember their neighbours
};

}  // namespace knead
