// How viscosity between neighbours acts.
#pragma once

namespace knead {

// `laplacian`: on their relative velocity, as in the papers [Müller 2003; Jones 2014, Eq. 8]; each
// pair then gives a turning body a torque. `central`: on its part along the line between them,
// which rigid motion does not have and which gives no torque.
enum class ViscosityForm { central, laplacian };

// What a central force is multiplied by. In an even neighbourhood the mean of n n^T n n^T over all
// directions n makes a third of the sum of the laplacian's: with 3, quick compressive waves along
// an axis meet the same resistance per unit of eta, and steps may be as long.
inline constexpr double central_viscosity = 3;

}  // namespace knead
