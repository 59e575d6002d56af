// The benchmark of sheets and curves: cloth and yarn that fell on a ball and lie in folds.
#pragma once

#include "workloads.h"

namespace knead::bench {

const std::vector<Workload>& thin_workloads();

// As run_workload. `particles` counts vertices and elements.
std::vector<Timing> run_thin_workload(const Workload& workload,
                                      const std::vector<Machine>& machines, std::int64_t particles,
                                      int settle);

}  // namespace knead::bench
