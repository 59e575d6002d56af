// Rows of field numbers on the GPU.
#pragma once

#include "knead/mpm/cuda/device_phase.h"
#include "knead/mpm/foam/resample/field_layout.h"

namespace knead {

// The particle columns that are samples of a field, as rows of 32 numbers: a one, then v, C and
// what materials average where it is there, then J - 1 where no column keeps it; zeros fill up. One
// lane of a warp works on one number. As in mpm/foam/resample/fields.h.
struct FieldPlanes {
    float* plane[32];  // null: no column
    const float* F[9];
    FieldLayout layout;
    bool J_from_F;

    explicit FieldPlanes(const ParticleView& p) : plane{}, F{}, J_from_F(p.F[0] && !p.dilation) {
        int n = 1;
        const auto add = [&](float* column) {
            if (column) plane[n++] = column;
        };
        for (float* column : p.v) add(column);
        for (float* column : p.C) add(column);
        for_each_state_column(
            [&](auto state, const auto& planes) {
                if (!state.info.averaged || !plane_of(planes, 0)) return;
                if (state.bit == uses_F) layout.F = n;
                if (state.bit == uses_b) layout.b = n;
                if (state.bit == uses_dilation) layout.dilation = n;
                constexpr std::size_t count = sizeof(planes) / sizeof(float*);
                for (std::size_t k = 0; k < count; ++k) add(plane_of(planes, static_cast<int>(k)));
            },
            p);
        for (int k = 0; k < 9; ++k) F[k] = p.F[k];
        if (J_from_F || layout.dilation == 0) layout.dilation = n;
    }
    // Number `lane` of a row.
    __device__ double read(int lane, int row) const {
        if (lane == 0) return 1;
        if (plane[lane]) return static_cast<double>(plane[lane][row]);
        if (!J_from_F || lane != layout.dilation) return 0;
        Mat3f f;
        for (int k = 0; k < 9; ++k) f[k] = F[k][row];
        return static_cast<double>(determinant(f)) - 1;
    }
    // A warp writes the mean of a sum of weighted rows; `shared` has room for one row. Where the
    // mean is no deformation, that of `donor` is kept.
    __device__ void write_mean(int lane, int row, int donor, double sum, double* shared) const {
        shared[lane] = sum / __shfl_sync(all_lanes, sum, 0);
        __syncwarp();
        const int restored = lane == 0 ? static_cast<int>(layout.restore(shared)) : 0;
        const bool deformed = __shfl_sync(all_lanes, restored, 0) != 0;
        __syncwarp();
        if (!plane[lane]) return;
        const bool of_F = layout.F > 0 && lane >= layout.F && lane < layout.F + 9;
        const bool of_b = layout.b > 0 && lane >= layout.b && lane < layout.b + 6;
        const bool copied = !deformed && (of_F || of_b || lane == layout.dilation);
        plane[lane][row] = copied ? plane[lane][donor] : static_cast<float>(shared[lane]);
    }
};

}  // namespace knead
