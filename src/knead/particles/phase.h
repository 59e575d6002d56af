// A phase: all particles of one material and kind, in one table, so that a law is chosen once for
// all of them. The phases of a scene meet on one grid. A phase owns its rows and what hangs on
// them: rows move, go and come through edit_rows.h alone.
#pragma once

#include <vector>

#include "knead/particles/elements.h"
#include "knead/particles/links.h"
#include "knead/particles/particles.h"

namespace knead {

// What the rows of a phase are: pieces of a volume, vertices of sheets and curves, or their
// elements (one quadrature point each). Only volumes are split, merged or removed.
enum class PhaseKind { volume, vertices, elements };

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
    PhaseKind kind = PhaseKind::volume;
    Particles<Real> particles;
    std::vector<BlockRange> blocks;  // empty: not sorted yet
    Links<Real> links;               // only in methods that remember their neighbours
    Elements<Real> elements;         // only in phases of elements

    bool is_volume() const { return kind == PhaseKind::volume; }
};

}  // namespace knead
