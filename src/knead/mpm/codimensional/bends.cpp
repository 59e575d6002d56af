#include "knead/mpm/codimensional/bends.h"

#include <algorithm>
#include <cmath>

#include "knead/materials/codimensional/bending.h"

namespace knead {

namespace {

// One side of a triangle: its ends in rising order, whose triangle it is, and the corner across.
struct Side {
    int a, b;
    int far;
    bool forward;  // the triangle runs from a to b

    bool operator<(const Side& o) const {
        return a != o.a ? a < o.a : b != o.b ? b < o.b : forward && !o.forward;
    }
};

std::vector<Side> sides_of(const ThinBody& body) {
    std::vector<Side> all;
    all.reserve(3 * body.triangles.size());
    for (const auto& t : body.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const int from = t[k], to = t[(k + 1) % 3], far = t[(k + 2) % 3];
            all.push_back({std::min(from, to), std::max(from, to), far, from < to});
        }
    std::stable_sort(all.begin(), all.end());
    return all;
}

Bend<4> hinge_at(const ThinBody& body, const Side& one, const Side& other) {
    Bend<4> hinge{{one.a, one.b, one.far, other.far}, 0, 0, {}};
    const Vec3d x = body.at_rest(one.a);
    const Vec3d edge[3] = {body.at_rest(one.b) - x, body.at_rest(one.far) - x,
                           body.at_rest(other.far) - x};
    const auto fold = HingeBend::fold(edge);
    const double area = 0.5 * (length(cross(edge[0], edge[1])) + length(cross(edge[0], edge[2])));
    hinge.rest = fold.s;
    hinge.weight = length_squared(edge[0]) / area;
    Vec3d sum{0, 0, 0};
    for (std::size_t k = 0; k < 3; ++k) {
        hinge.slope[k + 1] = length(fold.slope[k]);
        sum += fold.slope[k];
    }
    hinge.slope[0] = length(sum);
    return hinge;
}

Bend<3> joint_at(const ThinBody& body, int before, int at, int after) {
    const Vec3d x = body.at_rest(before);
    const Vec3d edge[2] = {body.at_rest(at) - x, body.at_rest(after) - x};
    const auto kink = JointBend::kink(edge);
    const double a = kink.inverse_before, b = kink.inverse_after;
    return {{before, at, after}, kink.s, 2 / (1 / a + 1 / b), {a, a + b, b}};
}

}  // namespace

std::vector<Bend<4>> find_hinges(const ThinBody& body) {
    const std::vector<Side> sides = sides_of(body);
    std::vector<Bend<4>> hinges;
    for (std::size_t k = 1; k < sides.size(); ++k)
        if (sides[k].a == sides[k - 1].a && sides[k].b == sides[k - 1].b)
            hinges.push_back(hinge_at(body, sides[k - 1], sides[k]));
    return hinges;
}

std::vector<Bend<3>> find_joints(const ThinBody& body) {
    const auto& segments = body.segments;
    // of every vertex: the segments there, the first and the last of them
    std::vector<int> count(body.vertices.size(), 0);
    std::vector<std::array<int, 2>> there(body.vertices.size(), {-1, -1});
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (const int v : segments[s]) {
            const auto at = static_cast<std::size_t>(v);
            if (count[at]++ == 0) there[at][0] = static_cast<int>(s);
            there[at][1] = static_cast<int>(s);
        }
    std::vector<Bend<3>> joints;
    const auto other_end = [&](int s, int v) {
        const auto& e = segments[static_cast<std::size_t>(s)];
        return e[0] == v ? e[1] : e[0];
    };
    for (std::size_t s = 1; s < segments.size(); ++s)  // where lines are welded
        if (segments[s][0] == segments[s - 1][1] &&
            count[static_cast<std::size_t>(segments[s][0])] > 2)
            joints.push_back(joint_at(body, segments[s - 1][0], segments[s][0], segments[s][1]));
    for (std::size_t v = 0; v < count.size(); ++v)
        if (count[v] == 2) {
            const int at = static_cast<int>(v);
            joints.push_back(
                joint_at(body, other_end(there[v][0], at), at, other_end(there[v][1], at)));
        }
    return joints;
}

namespace {

// A symmetric matrix with non-negative entries bounds a sum of squares of (slope . u) by what each
// vertex has of it: |g_v| sum_j |g_j|.
template <std::size_t N>
void add_stiffness(const std::vector<Bend<N>>& bends, std::vector<double>& stiffness) {
    for (const Bend<N>& b : bends) {
        double all = 0;
        for (const double g : b.slope) all += g;
        for (std::size_t k = 0; k < N; ++k)
            stiffness[static_cast<std::size_t>(b.vertex[k])] += b.weight * b.slope[k] * all;
    }
}

}  // namespace

Bending make_bending(const ThinBody& body, double hinge, double joint,
                     const std::vector<double>& mass) {
    Bending bending;
    if (hinge > 0) bending.hinges = find_hinges(body);
    if (joint > 0) bending.joints = find_joints(body);
    for (auto& b : bending.hinges) b.weight *= hinge;
    for (auto& b : bending.joints) b.weight *= joint;
    std::vector<double> stiffness(body.vertices.size(), 0.0);
    add_stiffness(bending.hinges, stiffness);
    add_stiffness(bending.joints, stiffness);
    for (std::size_t v = 0; v < stiffness.size(); ++v)
        bending.frequency = std::max(bending.frequency, std::sqrt(stiffness[v] / mass[v]));
    return bending;
}

}  // namespace knead
