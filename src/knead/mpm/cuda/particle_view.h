// The columns of one phase as the kernels see them: planes in the GPU's memory, null where a column
// is absent.
#pragma once

#include <cstdint>

#include "knead/cuda/runtime.h"
#include "knead/materials/material_state.h"

namespace knead {

struct ParticleView {
    int phase;              // which one it is
    const unsigned* order;  // where rows stood before the last sort; null: where they stand
    double* x[3];
    float* v[3];
    float* mass;
    float* volume;
    float* C[9];
    float* F[9];
    float* b[6];
    float* dilation;
    float* hardening;
    float* volume_correction;
    float* weak;
    float* stress[6];
};

// The columns a law uses; a law that stands for any other uses those that are there.
template <unsigned columns>
__device__ inline MaterialState<float> load_state(const ParticleView& p, int i) {
    MaterialState<float> s = MaterialState<float>::rest();
    if ((columns & uses_F) && p.F[0])
        for (int k = 0; k < 9; ++k) s.F[k] = p.F[k][i];
    if ((columns & uses_b) && p.b[0])
        for (int k = 0; k < 6; ++k) s.b[k] = p.b[k][i];
    if ((columns & uses_dilation) && p.dilation) s.dilation = p.dilation[i];
    if ((columns & uses_hardening) && p.hardening) s.hardening = p.hardening[i];
    if ((columns & uses_volume_correction) && p.volume_correction)
        s.volume_correction = p.volume_correction[i];
    if ((columns & uses_weak) && p.weak) s.weak = p.weak[i];
    return s;
}

template <unsigned columns>
__device__ inline void store_state(const ParticleView& p, int i, const MaterialState<float>& s) {
    if ((columns & uses_F) && p.F[0])
        for (int k = 0; k < 9; ++k) p.F[k][i] = s.F[k];
    if ((columns & uses_b) && p.b[0])
        for (int k = 0; k < 6; ++k) p.b[k][i] = s.b[k];
    if ((columns & uses_dilation) && p.dilation) p.dilation[i] = s.dilation;
    if ((columns & uses_hardening) && p.hardening) p.hardening[i] = s.hardening;
    if ((columns & uses_volume_correction) && p.volume_correction)
        p.volume_correction[i] = s.volume_correction;
    if ((columns & uses_weak) && p.weak) p.weak[i] = s.weak;
}

}  // namespace knead
