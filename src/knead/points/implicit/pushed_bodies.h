// Bodies that matter pushes, as unknowns of the solve: behind the rows of a vector stand two more
// vectors a body, its shift and its turn.
#pragma once

#include "knead/points/implicit/workspace.h"

namespace knead {

// A pushed body takes the particles that it fixes along: z of such a row gets the body's motion
// there, within the fixed directions.
template <class Real>
void carry_along(const ImplicitWorkspace<Real>& work, Array<Lanes<Real>>& z);
// And feels what they take, the transpose: y of the bodies, from that of the rows.
template <class Real>
void add_pushed(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& z,
                Array<Lanes<Real>>& y);
// What the guess leaves to them: the residual's last entries.
template <class Real>
void push_bodies(ImplicitWorkspace<Real>& work);
// Takes out of v what guides do not let them do.
template <class Real>
void keep_to_guides(const ImplicitWorkspace<Real>& work, Array<Lanes<Real>>& v);

}  // namespace knead
