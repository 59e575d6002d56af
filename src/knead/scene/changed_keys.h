// What differs between two scenes, by the keys a person writes.
#pragma once

#include <string>
#include <vector>

#include "knead/scene/scene.h"

namespace knead {

// As in "solver.dx (0.02, now 0.01)"; items of lists by their names where they have some.
// Keys that a run may change as it goes on (its length, how it looks) do not count.
std::vector<std::string> changed_keys(const Scene& before, const Scene& now);

}  // namespace knead
