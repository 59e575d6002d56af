// A column: N numbers a particle, stored as N planes of equal length, so that a SIMD register or a
// warp reads one plane of neighbouring particles whole.
#pragma once

#include <cstdint>

#include "knead/math/mat.h"
#include "knead/parallel/array.h"

namespace knead {

enum class ColumnType { scalar, vec3, sym3, mat3, integer, flag };

struct ColumnInfo {
    const char* name;  // as it stands in files and in the viewer
    const char* unit;  // SI, "1" for a pure number
    ColumnType type;
    bool io;  // written to frames; every column goes into checkpoints
};

template <class S, int N>
class Column {
public:
    using Scalar = S;
    static constexpr int planes = N;

    bool present() const { return present_; }
    std::size_t size() const { return size_; }
    S* plane(int k) { return planes_[k].data(); }
    const S* plane(int k) const { return planes_[k].data(); }

    // Makes the column exist with n rows of `fill`; a column that is not present stays empty.
    void create(std::size_t n, S fill = S(0)) {
        present_ = true;
        size_ = 0;
        resize(n, fill);
    }
    void resize(std::size_t n, S fill = S(0)) {
        if (!present_) return;
        for (auto& p : planes_) p.resize(n, fill);
        size_ = n;
    }
    // Exchanges a plane's memory with another of the same length.
    void swap_plane(int k, Array<S>& other) { planes_[k].swap(other); }
    S& at(std::size_t i, int k = 0) { return planes_[k][i]; }
    const S& at(std::size_t i, int k = 0) const { return planes_[k][i]; }

    Vec3<S> vec(std::size_t i) const requires(N == 3) {
        return {planes_[0][i], planes_[1][i], planes_[2][i]};
    }
    void set(std::size_t i, const Vec3<S>& a) requires(N == 3) {
        for (int k = 0; k < 3; ++k) planes_[k][i] = a[k];
    }
    Mat3<S> mat(std::size_t i) const requires(N == 9) {
        Mat3<S> a;
        for (int k = 0; k < 9; ++k) a[k] = planes_[k][i];
        return a;
    }
    void set(std::size_t i, const Mat3<S>& a) requires(N == 9) {
        for (int k = 0; k < 9; ++k) planes_[k][i] = a[k];
    }
    Sym3<S> sym(std::size_t i) const requires(N == 6) {
        Sym3<S> a;
        for (int k = 0; k < 6; ++k) a[k] = planes_[k][i];
        return a;
    }
    void set(std::size_t i, const Sym3<S>& a) requires(N == 6) {
        for (int k = 0; k < 6; ++k) planes_[k][i] = a[k];
    }

private:
    Array<S> planes_[N];
    std::size_t size_ = 0;
    bool present_ = false;
};

}  // namespace knead
