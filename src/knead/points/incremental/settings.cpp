#include "knead/points/incremental/settings.h"

#include <algorithm>

namespace knead {

namespace {

// Something never flows, and all that does not is there from the start.
bool may_keep_start(std::span<const BodyMatter> bodies) {
    bool springy = false;
    for (const BodyMatter& body : bodies) {
        if (body.material.flow.rule != FlowRule::none) continue;
        if (body.enters_later) return false;
        springy = true;
    }
    return springy;
}

double least_bulk_modulus(std::span<const BodyMatter> bodies) {
    double least = bodies.empty() ? 0 : bodies[0].material.elastic.bulk_modulus;
    for (const BodyMatter& body : bodies)
        least = std::min(least, body.material.elastic.bulk_modulus);
    return least;
}

}  // namespace

void fill_in(IncrementalSettings& s, std::span<const BodyMatter> bodies) {
    if (s.memory == DeformationMemory::by_matter)
        s.memory =
            may_keep_start(bodies) ? DeformationMemory::start : DeformationMemory::increments;
    if (s.pressure < 0) s.pressure = 0.5 * least_bulk_modulus(bodies);
    if (s.force_by_fit < 0) s.force_by_fit = s.memory == DeformationMemory::additive_strain ? 0 : 1;
}

}  // namespace knead
