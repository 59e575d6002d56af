// Bodies that can be built and still will not do what is meant.
#pragma once

#include "knead/scene/fill_body.h"

namespace knead {

// Bodies far too soft for their own weight, and bodies that are only a few particles thick.
void warn_of_bodies(const Scene& scene, const Model& model, const std::vector<Fill>& fills,
                    std::vector<Mistake>& warnings);

// Bodies so much faster than any wave in them that no method can follow what they meet.
void refuse_wild_speeds(const Scene& scene, const Model& model, const std::vector<Fill>& fills,
                        std::vector<Mistake>& mistakes);

}  // namespace knead
