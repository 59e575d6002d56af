// Dual: a number that carries its gradient, so that a distance formula is written once and yields
// both. At a kink it takes the gradient of one side.
#pragma once

#include "knead/math/vec.h"

namespace knead {

template <class T>
struct Dual {
    T v;
    Vec3<T> g;

    Dual() = default;
    CPU_GPU Dual(T value) : v(value), g{T(0), T(0), T(0)} {}
    CPU_GPU Dual(T value, const Vec3<T>& gradient) : v(value), g(gradient) {}

    CPU_GPU friend Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.g + b.g}; }
    CPU_GPU friend Dual operator-(const Dual& a, const Dual& b) { return {a.v - b.v, a.g - b.g}; }
    CPU_GPU friend Dual operator-(const Dual& a) { return {-a.v, -a.g}; }
    CPU_GPU friend Dual operator*(T s, const Dual& a) { return {s * a.v, s * a.g}; }
    CPU_GPU friend Dual operator*(const Dual& a, const Dual& b) {
        return {a.v * b.v, a.v * b.g + b.v * a.g};
    }
    CPU_GPU friend bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
    CPU_GPU friend bool operator>(const Dual& a, const Dual& b) { return a.v > b.v; }
};

template <class T>
struct ElementOf<Dual<T>> {
    using type = T;
};

template <class T>
CPU_GPU inline Dual<T> min(const Dual<T>& a, const Dual<T>& b) {
    return b < a ? b : a;
}
template <class T>
CPU_GPU inline Dual<T> max(const Dual<T>& a, const Dual<T>& b) {
    return a < b ? b : a;
}
template <class T>
CPU_GPU inline Dual<T> abs(const Dual<T>& a) {
    return a.v < T(0) ? -a : a;
}

// The value of S, a plain number or a Dual, with a gradient it may or may not keep.
template <class S>
CPU_GPU inline S with_gradient(Element<S> value, const Vec3<Element<S>>& gradient) {
    if constexpr (std::is_same_v<S, Element<S>>)
        return value;
    else
        return S{value, gradient};
}
template <class S>
CPU_GPU inline Element<S> value_of(const S& a) {
    if constexpr (std::is_same_v<S, Element<S>>)
        return a;
    else
        return a.v;
}
template <class S>
CPU_GPU inline Vec3<Element<S>> gradient_of(const S& a) {
    if constexpr (std::is_same_v<S, Element<S>>)
        return Vec3<S>{S(0), S(0), S(0)};
    else
        return a.g;
}

// |w| for a w that is an orthogonal projection of the point, hence with gradient w / |w|.
template <class S>
CPU_GPU inline S length_of(const Vec3<Element<S>>& w) {
    using T = Element<S>;
    const T n = length(w);
    return with_gradient<S>(n, n > T(0) ? w / n : Vec3<T>{T(0), T(0), T(0)});
}
// sqrt(a^2 + b^2).
template <class S>
CPU_GPU inline S hypotenuse(const S& a, const S& b) {
    using T = Element<S>;
    const T u = value_of(a), v = value_of(b);
    const T n = sqrt(u * u + v * v);
    const T inverse = n > T(0) ? T(1) / n : T(0);
    return with_gradient<S>(n, inverse * (u * gradient_of(a) + v * gradient_of(b)));
}

}  // namespace knead
