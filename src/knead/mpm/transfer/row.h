// Eight numbers side by side: two nodes of four channels or one of eight. One register of floats,
// two of doubles.
#pragma once

#include "knead/math/wide.h"

namespace knead {

template <class Real>
using Four = Wide<Real, 4>;

struct DoubleRow {
    Four<double> lo, hi;

    DoubleRow() = default;
    DoubleRow(double a) : lo(a), hi(a) {}
    DoubleRow(Four<double> low, Four<double> high) : lo(low), hi(high) {}
    static DoubleRow load(const double* p) {
        return {Four<double>::load(p), Four<double>::load(p + 4)};
    }
    void store(double* p) const { lo.store(p), hi.store(p + 4); }
    friend DoubleRow operator+(const DoubleRow& a, const DoubleRow& b) {
        return {a.lo + b.lo, a.hi + b.hi};
    }
    friend DoubleRow operator-(const DoubleRow& a, const DoubleRow& b) {
        return {a.lo - b.lo, a.hi - b.hi};
    }
    friend DoubleRow operator*(const DoubleRow& a, const DoubleRow& b) {
        return {a.lo * b.lo, a.hi * b.hi};
    }
    DoubleRow& operator+=(const DoubleRow& b) { return *this = *this + b; }
};

template <class Real>
using Row8 = std::conditional_t<sizeof(Real) == 4, Wide<float, 8>, DoubleRow>;

// The numbers of one node.
template <class Real, int channels>
using NodeRow = std::conditional_t<channels == 4, Four<Real>, Row8<Real>>;

inline Wide<float, 8> beside(const Four<float>& a, const Four<float>& b) {
    return Wide<float, 8>(__builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 4, 5, 6, 7));
}
inline DoubleRow beside(const Four<double>& a, const Four<double>& b) { return {a, b}; }

inline Four<float> low_half(const Wide<float, 8>& a) {
    return Four<float>(__builtin_shufflevector(a.v, a.v, 0, 1, 2, 3));
}
inline Four<float> high_half(const Wide<float, 8>& a) {
    return Four<float>(__builtin_shufflevector(a.v, a.v, 4, 5, 6, 7));
}
inline Four<double> low_half(const DoubleRow& a) { return a.lo; }
inline Four<double> high_half(const DoubleRow& a) { return a.hi; }

}  // namespace knead
