// What a frame amounts to: conserved and derived quantities, summed in double and in a fixed order,
// so that they do not depend on the thread count.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knead/sim/solver.h"

namespace knead {

struct FrameStatistics {
    int frame = 0;
    double time = 0;  // [s]
    std::size_t particles = 0;
    double mass = 0;                                    // [kg]
    double volume = 0;                                  // as deformed [m3]
    double rest_volume = 0;                             // [m3]; not a column of its own
    Vec3d momentum{0, 0, 0};                            // [kg m/s]
    Vec3d angular_momentum{0, 0, 0};                    // about the origin [kg m2/s]
    double kinetic_energy = 0;                          // [J]
    double elastic_energy = 0;                          // [J]
    Vec3d centre_of_mass{0, 0, 0};                      // [m]
    Vec3d bbox_min{0, 0, 0};                            // [m]
    Vec3d bbox_max{0, 0, 0};                            // [m]
    double max_speed = 0;                               // [m/s]
    std::int64_t substeps = 0;                          // of this frame
    double seconds = 0;                                 // of wall time that this frame took
    std::vector<std::pair<std::string, double>> extra;  // the solver's own

    bool finite() const;  // every number but the solver's own
};

template <class Real>
FrameStatistics measure(const State<Real>& state, const Solver<Real>& solver);

// How much larger a particle is than at rest; 1 where its method does not remember.
template <class Real>
double volume_ratio(const Particles<Real>& p, std::size_t i);

// The id of the first particle whose position or velocity is not a number; -1 where there is none.
template <class Real>
std::int64_t first_broken_particle(const State<Real>& state);

// Memory that the particles take [bytes].
template <class Real>
std::size_t state_bytes(const State<Real>& state);

}  // namespace knead
