// 3x3 matrices that decompositions have to survive.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "knead/base/random.h"
#include "knead/math/mat.h"

namespace knead {

// Draws numbers one after the other.
struct Draw {
    std::uint64_t seed, count = 0;
    double unit() { return random_unit(seed, count++); }
    double between(double a, double b) { return a + (b - a) * unit(); }
    double gauss() {
        const double radius = std::sqrt(-2 * std::log(1 - unit()));
        return radius * std::cos(6.283185307179586 * unit());
    }
    Mat3d matrix() {
        Mat3d m;
        for (int k = 0; k < 9; ++k) m[k] = gauss();
        return m;
    }
    Mat3d rotation() {
        Vec3d a = normalized(Vec3d{gauss(), gauss(), gauss()});
        Vec3d b = {gauss(), gauss(), gauss()};
        b = normalized(b - dot(a, b) * a);
        a = normalized(a), b = normalized(b - dot(a, b) * a);
        return from_columns(a, b, cross(a, b));
    }
    Mat3d with_values(const Vec3d& sigma) { return rotation() * diagonal(sigma) * rotation(); }
};

// Every matrix with entries -1, 0, 1: all ranks, repeated values, reflections, permutations.
template <class T>
std::vector<Mat3<T>> sign_matrices() {
    std::vector<Mat3<T>> all;
    for (int code = 0; code < 19683; ++code) {
        Mat3<T> m;
        int rest = code;
        for (int k = 0; k < 9; ++k, rest /= 3) m[k] = T(rest % 3 - 1);
        all.push_back(m);
    }
    return all;
}

// Singular values chosen to be awkward, between random rotations.
template <class T>
std::vector<Mat3<T>> awkward_matrices(int rounds) {
    const double eps = std::numeric_limits<T>::epsilon();
    const std::vector<Vec3d> spectra = {
        {1, 1, 1},
        {1, 1, -1},
        {2, 2, 1},
        {2, 1, 1},
        {2, 1, -1},
        {1, 1, 1 - 4 * eps},
        {1, 1 - eps, 0.5},
        {1, 0.5, 0.5 - eps},
        {1, 1, 0},
        {1, 0.5, 0},
        {1, 0, 0},
        {1, eps, 0},
        {1, eps, eps},
        {1, 1, eps},
        {1, 1e-3, -1e-6},
        {1, 1e-10, 1e-20},
        {1, 1, -1e-15},
        {1, 1e-4, 1e-4},
        {1, 1e-6, -0.9e-6},
        {1, 1e-7, 1e-7},
        {1, 0.999, 0.998},
        {3, 2.9999, 1e-5},
        {1, std::sqrt(eps), std::sqrt(eps)},
    };
    Draw draw{7};
    std::vector<Mat3<T>> all;
    for (int round = 0; round < rounds; ++round)
        for (const Vec3d& sigma : spectra)
            for (const double size : {1.0, 1e-15, 1e15})
                all.push_back(static_cast<Mat3<T>>(size * draw.with_values(sigma)));
    return all;
}

// Gaussian entries; close to the identity; with columns or rows of very different lengths; sheared.
template <class T>
std::vector<Mat3<T>> random_matrices(int count, std::uint64_t seed) {
    Draw draw{seed};
    std::vector<Mat3<T>> all;
    for (int i = 0; i < count; ++i) {
        Mat3d m = draw.matrix();
        const double small = std::pow(10.0, draw.between(-9, 0));
        const Vec3d lengths = {1, std::pow(10.0, draw.between(-12, 0)), small};
        if (i % 4 == 1) m = identity3<double>() + small * m;
        if (i % 4 == 2) m = i % 8 == 2 ? m * diagonal(lengths) : diagonal(lengths) * m;
        if (i % 4 == 3) m = draw.rotation() + small * m;
        all.push_back(static_cast<Mat3<T>>(m));
    }
    return all;
}

// The corners of the number range and exact shapes.
template <class T>
std::vector<Mat3<T>> exact_matrices() {
    const T big = std::numeric_limits<T>::max() / 8, little = std::numeric_limits<T>::min();
    std::vector<Mat3<T>> all = {identity3<T>(), diagonal(splat(T(0))), diagonal(splat(T(-1)))};
    for (const T size : {T(1), T(1e-15), T(1e15), big, little, little / 64}) {
        all.push_back(diagonal(splat(size)));
        all.push_back(diagonal(Vec3<T>{size, 0, 0}));
        all.push_back(diagonal(Vec3<T>{0, size, 0}));
        all.push_back(diagonal(Vec3<T>{0, size, size}));
        all.push_back(diagonal(Vec3<T>{size / 4, size / 2, -size}));
        all.push_back({size, size, size, size, size, size, size, size, size});
        all.push_back({0, size, 0, 0, 0, size, size, 0, 0});
        all.push_back({1, size, 0, 0, 1, 0, 0, 0, 1});
    }
    return all;
}

}  // namespace knead
