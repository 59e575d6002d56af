// Meshes like the ones people bring first, at their full size: a rabbit from a scanner, star-shaped
// and rough, with ears, a flat base and holes in it; and an armoured figure with thin, close limbs.
#pragma once

#include <array>
#include <cmath>

#include "geometry/sampling.h"
#include "geometry/test_meshes.h"
#include "knead/geometry/ball_test.h"
#include "knead/geometry/sdf_build.h"

namespace knead {

constexpr double rabbit_base = -0.3;

// How far the rabbit reaches in a direction: a body, two ears, roughness.
inline double rabbit_reach(const Vec3d& n) {
    const auto bump = [&](const Vec3d& to, double width) {
        const double angle = std::acos(std::min(1.0, dot(n, normalized(to))));
        return std::exp(-angle * angle / (width * width));
    };
    const double rough = std::sin(40 * n.x + 3) * std::sin(37 * n.y) * std::sin(43 * n.z + 1);
    return 0.35 + 0.4 * bump({0.3, 1, 0.05}, 0.16) + 0.4 * bump({-0.3, 1, 0.05}, 0.16) +
           0.1 * bump({0, 0.4, 1}, 0.4) + 0.004 * rough;
}
inline bool in_rabbit(const Vec3d& p) {
    return p.y > rabbit_base && (length(p) < 1e-9 || length(p) < rabbit_reach(normalized(p)));
}

// 70,000 triangles, closed.
inline Mesh closed_rabbit() {
    Mesh m = sphere_mesh(1, 188, 187);
    for (Vec3f& v : m.positions) {
        const Vec3d n = normalized(static_cast<Vec3d>(v));
        Vec3d p = rabbit_reach(n) * n;
        if (p.y < rabbit_base) p *= rabbit_base / p.y;
        v = static_cast<Vec3f>(p);
    }
    return m;
}
// With five holes of this radius in the base and above it, as under the Stanford bunny.
inline Mesh pierced_rabbit(double radius) {
    const std::array<Vec3d, 5> places{{{0, rabbit_base, 0},
                                       {0.12, rabbit_base, 0.03},
                                       {-0.11, rabbit_base, -0.02},
                                       {0.02, rabbit_base, 0.13},
                                       {0.18, -0.27, -0.12}}};
    Mesh m = closed_rabbit();
    std::erase_if(m.triangles, [&](const Vec3i& t) {
        const Vec3d middle = (m.point(t.x) + m.point(t.y) + m.point(t.z)) / 3.0;
        for (const Vec3d& p : places)
            if (length(middle - p) < radius) return true;
        return false;
    });
    return m;
}

// Torso, head, jaw, ears, tail; limbs with three fingers or toes, 1 cm thick and 8 mm apart.
inline SdfShape figure_shape() {
    std::vector<SdfShape> parts{sdf::capsule({0, 0.4, 0}, {0, 0.58, 0.02}, 0.13),
                                sdf::capsule({0, 0.78, 0.04}, {0, 0.77, 0.13}, 0.075),
                                sdf::capsule({0, 0.72, 0.1}, {0, 0.71, 0.19}, 0.02),
                                sdf::capsule({0, 0.3, -0.1}, {0, 0.05, -0.35}, 0.03)};
    for (const double s : {-1.0, 1.0}) {
        parts.push_back(sdf::capsule({0.05 * s, 0.84, 0.02}, {0.13 * s, 0.98, 0}, 0.012));
        parts.push_back(sdf::capsule({0.13 * s, 0.6, 0}, {0.24 * s, 0.42, 0.05}, 0.04));
        parts.push_back(sdf::capsule({0.24 * s, 0.42, 0.05}, {0.19 * s, 0.34, 0.2}, 0.03));
        parts.push_back(sdf::capsule({0.08 * s, 0.35, 0}, {0.13 * s, 0.06, 0.02}, 0.055));
        parts.push_back(sdf::capsule({0.13 * s, 0.04, 0}, {0.15 * s, 0.03, 0.1}, 0.03));
        for (const double f : {-1.0, 0.0, 1.0}) {
            const double x = 0.018 * f;
            parts.push_back(
                sdf::capsule({0.19 * s + x, 0.34, 0.2}, {0.19 * s + x, 0.32, 0.28}, 0.005));
            parts.push_back(
                sdf::capsule({0.15 * s + x, 0.025, 0.1}, {0.15 * s + x, 0.02, 0.17}, 0.006));
        }
    }
    return sdf::smooth_unite(parts, 0.008);
}

// The surface of a shape by dual contouring without features: one vertex in each cell it crosses,
// one quad across each edge it crosses.
class SurfaceNet {
public:
    SurfaceNet(const SdfShape& shape, double h) : shape_(shape), h_(h) {
        const Box3 box = shape.bounds().grown(2 * h);
        lo_ = box.lo;
        for (int a = 0; a < 3; ++a) n_[a] = 8 * (static_cast<int>(box.size()[a] / (8 * h)) + 1);
        value_.resize(at({0, 0, n_.z}));
        vertex_.assign(value_.size(), -1);
    }
    Mesh mesh() {
        sample();
        visit([&](const Vec3i& c) { add_vertex(c); });
        visit([&](const Vec3i& c) {
            for (int a = 0; a < 3; ++a) add_quad(c, a);
        });
        return std::move(mesh_);
    }

private:
    const SdfShape& shape_;
    double h_;
    Vec3d lo_;
    Vec3i n_;
    std::vector<float> value_;
    std::vector<int> vertex_;
    Mesh mesh_;

    std::size_t at(const Vec3i& c) const {
        return static_cast<std::size_t>(c.x + n_.x * (c.y + n_.y * c.z));
    }
    static Vec3i axis(int a) { return {a == 0, a == 1, a == 2}; }
    Vec3d point(const Vec3i& c) const { return lo_ + h_ * static_cast<Vec3d>(c); }
    template <class F>
    void visit(const F& f) const {
        for (int k = 1; k + 1 < n_.z; ++k)
            for (int j = 1; j + 1 < n_.y; ++j)
                for (int i = 1; i + 1 < n_.x; ++i) f(Vec3i{i, j, k});
    }
    // Blocks that the surface does not come near are judged as a whole.
    void sample() {
        const BallTest judge(shape_, 4 * std::sqrt(3.) * h_);
        for (int b = 0; b < n_.x / 8 * (n_.y / 8) * (n_.z / 8); ++b) {
            const Vec3i block{b % (n_.x / 8), b / (n_.x / 8) % (n_.y / 8),
                              b / (n_.x / 8) / (n_.y / 8)};
            const Side where = judge(lo_ + 8 * h_ * (static_cast<Vec3d>(block) + splat(0.5)));
            for (int i = 0; i < 512; ++i) {
                const Vec3i c = 8 * block + Vec3i{i & 7, i >> 3 & 7, i >> 6};
                value_[at(c)] = where == Side::both ? static_cast<float>(shape_.distance(point(c)))
                                : where == Side::inside ? -1.0f
                                                        : 1.0f;
            }
        }
    }
    void add_vertex(const Vec3i& c) {
        Vec3d sum{0, 0, 0};
        int count = 0;
        for (int a = 0; a < 3; ++a)
            for (int e = 0; e < 4; ++e) {
                const Vec3i from = c + (e & 1) * axis((a + 1) % 3) + (e >> 1) * axis((a + 2) % 3);
                const double f0 = value_[at(from)], f1 = value_[at(from + axis(a))];
                if ((f0 < 0) == (f1 < 0)) continue;
                sum += point(from) + h_ * f0 / (f0 - f1) * static_cast<Vec3d>(axis(a));
                ++count;
            }
        if (count == 0) return;
        vertex_[at(c)] = static_cast<int>(mesh_.positions.size());
        mesh_.positions.push_back(static_cast<Vec3f>(sum / static_cast<double>(count)));
    }
    void add_quad(const Vec3i& c, int a) {
        const bool in = value_[at(c)] < 0;
        if (in == (value_[at(c + axis(a))] < 0)) return;
        const Vec3i u = axis((a + 1) % 3), v = axis((a + 2) % 3);
        const auto id = [&](const Vec3i& cell) { return vertex_[at(cell)]; };
        int q[4] = {id(c - u - v), id(c - v), id(c), id(c - u)};
        if (!in) std::swap(q[1], q[3]);
        mesh_.triangles.push_back({q[0], q[1], q[2]});
        mesh_.triangles.push_back({q[0], q[2], q[3]});
    }
};

// Some 345,000 triangles.
inline const Mesh& figure_mesh() {
    static const Mesh mesh = SurfaceNet(figure_shape(), 0.00288).mesh();
    return mesh;
}

}  // namespace knead
