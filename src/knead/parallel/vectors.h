// Vectors that all solves share: arrays of numbers, or of small vectors, on the CPU's threads. Sums
// run in a fixed order, in double, so that a solve gives the same bytes for any thread count.
#pragma once

#include <functional>

#include "knead/parallel/array.h"
#include "knead/parallel/exec.h"

namespace knead {

inline double inner(float a, float b) { return static_cast<double>(a) * static_cast<double>(b); }
inline double inner(double a, double b) { return a * b; }

// The space that math/krylov.h asks for. T has an `inner` product in double, and T(Real) makes one
// of a number.
template <class T, class Real = T>
struct SharedVectors {
    using Vector = Array<T>;

    Vector like(const Vector& a) const { return Vector(a.size(), T(Real(0))); }
    double dot(const Vector& a, const Vector& b) const {
        return reduce(
            a.size(), 0.0, [&](std::size_t i) { return inner(a[i], b[i]); }, std::plus<>{});
    }
    void combine(double a, const Vector& x, double b, Vector& y) const {
        const T p(static_cast<Real>(a)), q(static_cast<Real>(b));
        for_each(x.size(), reduce_chunk, [&](std::size_t i) { y[i] = p * x[i] + q * y[i]; });
    }
};

}  // namespace knead
