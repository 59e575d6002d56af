#include "knead/mpm/implicit/stiffness.h"

#include <cmath>

namespace knead {

namespace {

using Matrix9 = double[9][9];

double off_diagonal(const Matrix9& a) {
    double sum = 0;
    for (int i = 0; i < 9; ++i)
        for (int j = i + 1; j < 9; ++j) sum += a[i][j] * a[i][j];
    return sum;
}

// Turns columns (and for `rows` rows) i and j by the angle of cosine c and sine s.
void turn(Matrix9& a, int i, int j, double c, double s, bool rows) {
    for (auto& row : a) {
        const double x = row[i], y = row[j];
        row[i] = c * x - s * y, row[j] = s * x + c * y;
    }
    for (int k = 0; rows && k < 9; ++k) {
        const double x = a[i][k], y = a[j][k];
        a[i][k] = c * x - s * y, a[j][k] = s * x + c * y;
    }
}

// Jacobi's rotations: a becomes diagonal, V holds its eigenvectors as columns.
void diagonalize(Matrix9& a, Matrix9& V) {
    double size = 0;
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) V[i][j] = i == j, size += a[i][j] * a[i][j];
    for (int sweep = 0; sweep < 30 && off_diagonal(a) > 1e-28 * size; ++sweep)
        for (int i = 0; i < 9; ++i)
            for (int j = i + 1; j < 9; ++j) {
                if (a[i][j] == 0) continue;
                const double angle = 0.5 * std::atan2(2 * a[i][j], a[j][j] - a[i][i]);
                const double c = std::cos(angle), s = std::sin(angle);
                turn(a, i, j, c, s, true);
                turn(V, i, j, c, s, false);
            }
}

}  // namespace

template <class Real>
void make_positive(Real* stiffness) {
    constexpr int lanes = pack_lanes<Real>;
    for (int lane = 0; lane < lanes; ++lane) {
        const auto entry = [&](int i, int j) -> Real& {
            return stiffness[stiffness_index(i, j) * lanes + lane];
        };
        Matrix9 a, V;
        for (int i = 0; i < 9; ++i)
            for (int j = i; j < 9; ++j) a[i][j] = a[j][i] = static_cast<double>(entry(i, j));
        diagonalize(a, V);
        for (int i = 0; i < 9; ++i)
            for (int j = i; j < 9; ++j) {
                double sum = 0;
                for (int k = 0; k < 9; ++k) sum += std::fmax(a[k][k], 0.0) * V[i][k] * V[j][k];
                entry(i, j) = static_cast<Real>(sum);
            }
    }
}

template void make_positive(float*);
template void make_positive(double*);

}  // namespace knead
