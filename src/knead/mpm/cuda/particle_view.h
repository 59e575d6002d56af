// The columns of one phase as the kernels see them: planes in the GPU's memory, null where a column
// is absent.
#pragma once

#include <cstdint>

#include "knead/cuda/runtime.h"
#include "knead/materials/material_state.h"
#include "knead/mpm/settings.h"

namespace knead {

struct DevicePlanes {
    using Number = float*;
    using Symmetric = float* [6];
    using Matrix = float* [9];
};

struct ParticleView : MaterialMembers<DevicePlanes> {
    int phase;              // which one it is
    const unsigned* order;  // where rows stood before the last sort; null: where they stand
    double* x[3];
    float* v[3];
    float* mass;
    float* volume;
    float* C[9];
    float* stress[6];
};

// Plane k of a member of a view.
template <class Plane>
CPU_GPU inline Plane& plane_of(Plane& plane, int) {
    return plane;
}
template <class Plane, std::size_t N>
CPU_GPU inline Plane& plane_of(Plane (&planes)[N], int k) {
    return planes[k];
}

// visit(passes, planes, column) for every column that kernels look at, in the view and in a table.
// What passes is read once, by the scatter that begins the next batch; the rest lasts.
template <class Table, class Visit>
void for_each_device_column(ParticleView& view, Table& table, Transfer transfer,
                            const Visit& visit) {
    visit(false, view.x, table.x);
    visit(!keeps_own(transfer), view.v, table.v);
    visit(false, view.mass, table.mass);
    visit(false, view.volume, table.volume);
    visit(true, view.C, table.C);
    for_each_state_column([&](auto, auto& planes, auto& column) { visit(false, planes, column); },
                          view, table);
    visit(true, view.stress, table.stress);
}

// The columns a law uses; a law that stands for any other uses those that are there.
template <unsigned columns>
struct LoadState {
    int row;
    template <unsigned bit, class Member, class Planes>
    CPU_GPU void operator()(StateColumn<bit>, Member& member, const Planes& planes) const {
        constexpr int count = sizeof(Member) / sizeof(float);
        if constexpr ((columns & bit) != 0)
            if (plane_of(planes, 0))
                for (int k = 0; k < count; ++k) numbers_of(member)[k] = plane_of(planes, k)[row];
    }
};
template <unsigned columns>
struct StoreState {
    int row;
    template <unsigned bit, class Member, class Planes>
    CPU_GPU void operator()(StateColumn<bit>, const Member& member, const Planes& planes) const {
        constexpr int count = sizeof(Member) / sizeof(float);
        if constexpr ((columns & bit) != 0)
            if (plane_of(planes, 0))
                for (int k = 0; k < count; ++k) plane_of(planes, k)[row] = numbers_of(member)[k];
    }
};

template <unsigned columns>
__device__ inline MaterialState<float> load_state(const ParticleView& p, int i) {
    MaterialState<float> s = MaterialState<float>::rest();
    for_each_state_column(LoadState<columns>{i}, s, p);
    return s;
}
template <unsigned columns>
__device__ inline void store_state(const ParticleView& p, int i, const MaterialState<float>& s) {
    for_each_state_column(StoreState<columns>{i}, s, p);
}

}  // namespace knead
