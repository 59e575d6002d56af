// Every law must compile for the device: one kernel each that advances a particle a thread. Building
// this is the test; the physics is the same text as on the host and is tested there.
#include <utility>

#include "knead/materials/law.h"

namespace knead {

template <class L>
__global__ void advance_kernel(L law, MaterialState<float>* states, const Mat3<float>* dt_L,
                               Sym3<float>* stress, float* energy, float dt, int count) {
    const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (p >= count) return;
    MaterialState<float> state = states[p];
    stress[p] = law.advance(state, dt_L[p], dt) + law.stress(state);
    energy[p] = law.energy(state) + law.stiffness() + law.viscosity();
    states[p] = state;
}

// Launches the kernel of whichever law it is, so that all of them are instantiated.
void advance_on_device(const Law<float>& law, MaterialState<float>* states, const Mat3<float>* dt_L,
                       Sym3<float>* stress, float* energy, float dt, int count) {
    std::visit(
        [&](const auto& l) {
            advance_kernel<<<(count + 127) / 128, 128>>>(l, states, dt_L, stress, energy, dt, count);
        },
        law);
}

}  // namespace knead
