// Where deformation stands in a row of field numbers, and how a mean of such rows becomes a state
// again.
#pragma once

#include "knead/math/mat.h"

namespace knead {

// First numbers of F, b and of J - 1; 0 where there is none.
struct FieldLayout {
    int F = 0, b = 0, dilation = 0;

    // Restores det b = 1 and det F = J in a mean. False where the mean of F is no deformation,
    // because its parts were turned against each other: F, J and b must come from elsewhere.
    CPU_GPU bool restore(double* mean) const {
        bool deformed = true;
        if (F > 0) {
            Mat3d f;
            for (int k = 0; k < 9; ++k) f[k] = mean[F + k];
            const double J = 1 + mean[dilation], det = determinant(f);
            deformed = det > 1e-3;
            for (int k = 0; k < 9; ++k) mean[F + k] *= std::cbrt(J / det);
        }
        if (b > 0) {
            Sym3d s;
            for (int k = 0; k < 6; ++k) s[k] = mean[b + k];
            const double scale = 1 / std::cbrt(determinant(s));
            for (int k = 0; k < 6; ++k) mean[b + k] *= scale;
        }
        return deformed;
    }
};

}  // namespace knead
