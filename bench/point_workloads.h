// The benchmark of the point methods: a block of clay dropped on the floor, 30 neighbours each.
#pragma once

#include "workloads.h"

namespace knead::bench {

const std::vector<Workload>& point_workloads();
Timing run_point_workload(const Workload& workload, int threads, std::int64_t particles, int settle,
                          double bandwidth);

}  // namespace knead::bench
