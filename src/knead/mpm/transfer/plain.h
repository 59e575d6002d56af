// The plain transfers: particle by particle, node by node, in double. Slow, and short enough to be
// read beside the formulas; tests hold the fast ones against them.
//     m_i = sum w m,   (m v)_i = sum w m (v + C (x_i - x_p)),   f_i = sum w f + A grad w
#pragma once

#include <array>
#include <cmath>
#include <map>

#include "knead/math/bspline.h"
#include "knead/math/mat.h"

namespace knead {

struct PlainNode {
    double mass = 0;
    Vec3d momentum{0, 0, 0}, force{0, 0, 0};
};
using PlainGrid = std::map<std::array<int, 3>, PlainNode>;

// What one particle brings: A pushes by the slopes of the weights, f by the weights themselves.
struct PlainParticle {
    Vec3d x;
    double mass = 0;
    Vec3d v{0, 0, 0};
    Mat3d C{};
    Mat3d A{};
    Vec3d f{0, 0, 0};
};

// visit(node, w, grad w, x_i - x_p) for the nodes that a particle reaches.
template <int Order, class Visit>
void for_each_plain_node(const Vec3d& x, double dx, const Visit& visit) {
    int first[3];
    double w[3][4], dw[3][4];
    for (int a = 0; a < 3; ++a) {
        first[a] = static_cast<int>(std::floor(x[a] / dx - 0.5 * (Order - 1)));
        bspline_weights<Order>(x[a] / dx - first[a], w[a], dw[a]);
    }
    for (int i = 0; i <= Order; ++i)
        for (int j = 0; j <= Order; ++j)
            for (int k = 0; k <= Order; ++k) {
                const std::array<int, 3> node{first[0] + i, first[1] + j, first[2] + k};
                const Vec3d slope{dw[0][i] * w[1][j] * w[2][k], w[0][i] * dw[1][j] * w[2][k],
                                  w[0][i] * w[1][j] * dw[2][k]};
                const Vec3d at = dx * Vec3d{double(node[0]), double(node[1]), double(node[2])};
                visit(node, w[0][i] * w[1][j] * w[2][k], (1 / dx) * slope, at - x);
            }
}

template <int Order>
void plain_scatter(const PlainParticle& p, double dx, PlainGrid& grid) {
    for_each_plain_node<Order>(p.x, dx,
                               [&](const auto& at, double w, const Vec3d& slope, const Vec3d& d) {
                                   PlainNode& node = grid[at];
                                   node.mass += w * p.mass;
                                   node.momentum += (w * p.mass) * (p.v + p.C * d);
                                   node.force += w * p.f + p.A * slope;
                               });
}

// What a particle reads of vectors at the nodes, node_vector(node): value, gradient and first
// moment sum w v_i (x_i - x_p)^T.
struct PlainGathered {
    Vec3d value{0, 0, 0};
    Mat3d gradient{}, moment{};
};
template <int Order, class NodeVector>
PlainGathered plain_gather(const Vec3d& x, double dx, const NodeVector& node_vector) {
    PlainGathered sum;
    for_each_plain_node<Order>(x, dx,
                               [&](const auto& at, double w, const Vec3d& slope, const Vec3d& d) {
                                   const Vec3d v = node_vector(at);
                                   sum.value += w * v;
                                   sum.gradient = sum.gradient + outer(v, slope);
                                   sum.moment = sum.moment + outer(w * v, d);
                               });
    return sum;
}

}  // namespace knead
