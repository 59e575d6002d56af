// The benchmark of the point methods: a block of clay dropped on the floor, 30 neighbours each.
#pragma once

#include "workloads.h"

namespace knead::bench {

const std::vector<Workload>& point_workloads();
std::vector<Timing> run_point_workload(const Workload& workload,
                                       const std::vector<Machine>& machines, std::int64_t particles,
                                       int settle);

}  // namespace knead::bench
