// Matter that sticks to obstacles of the point methods: which particles stick to which collider, in
// the column `stuck`. One sticks from the step in which it meets a collider that is sticky or has
// adhesion; sticky ones never let go, others where they are pulled harder than their adhesion.
// Meshes that change with time hold what is in them only.
#pragma once

#include "knead/particles/phase.h"
#include "knead/scenery/scenery.h"

namespace knead {

inline bool can_stick(const Collider& c) {
    return !c.animation && (c.contact == Contact::sticky || c.adhesion > 0);
}
bool any_can_stick(const std::vector<Collider>& colliders);

// What starts in a collider, or touches it: particles stand in the middle of what they stand for,
// so that those of a body's outermost layer are half of `spacing` inside its surface. Makes the
// column where there is a collider to stick to.
template <class Real>
void stick_at_start(const std::vector<Collider>& colliders, double time, double spacing,
                    std::vector<Phase<Real>>& phases);

}  // namespace knead
