// What follows from the particles, on the GPU: their stress, and sums over all of them.
#pragma once

#include <span>

#include "knead/materials/law.h"
#include "knead/mpm/cuda/device_phase.h"
#include "knead/mpm/foam/resample/avoid_a_void.h"

namespace knead {

// F follows J, which is kept apart because it is the more exact; where both are there.
void rescale_to_dilation(DevicePhase& phase, cudaStream_t stream);

// Marks torn particles anew and computes stress from the state.
void refresh_stress(const Law<float>& law, DevicePhase& phase, cudaStream_t stream);

// Sums over all particles, always in the same order.
class TakeInventory {
public:
    Inventory operator()(std::span<DevicePhase> phases, cudaStream_t stream);

private:
    DeviceArray<double> parts_;
};

}  // namespace knead
