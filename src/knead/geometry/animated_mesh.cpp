#include "knead/geometry/animated_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "knead/base/error.h"

namespace knead {

namespace {

constexpr int leaf = 4;  // triangles

double distance_to(const Box3& box, const Vec3d& x) {
    return length(max(max(box.lo - x, x - box.hi), Vec3d{0, 0, 0}));
}

Vec3d unit_or_zero(const Vec3d& a) {
    const double n = length(a);
    return n > 0 ? a / n : Vec3d{0, 0, 0};
}

// The point of a triangle that is nearest to x: its weights, and the corner (1 to 3) or side (4 to
// 6, from corner k - 4 on) that it lies on; 0: within. [Ericson 2005, 5.1.5]
struct OnTriangle {
    double weight[3];
    int feature;
};
OnTriangle nearest_on(const Vec3d& x, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d ab = b - a, ac = c - a, ax = x - a;
    const double d1 = dot(ab, ax), d2 = dot(ac, ax);
    if (d1 <= 0 && d2 <= 0) return {{1, 0, 0}, 1};
    const Vec3d bx = x - b;
    const double d3 = dot(ab, bx), d4 = dot(ac, bx);
    if (d3 >= 0 && d4 <= d3) return {{0, 1, 0}, 2};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const double t = d1 > d3 ? d1 / (d1 - d3) : 0;
        return {{1 - t, t, 0}, 4};
    }
    const Vec3d cx = x - c;
    const double d5 = dot(ab, cx), d6 = dot(ac, cx);
    if (d6 >= 0 && d5 <= d6) return {{0, 0, 1}, 3};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        const double t = d2 > d6 ? d2 / (d2 - d6) : 0;
        return {{1 - t, 0, t}, 6};
    }
    const double va = d3 * d6 - d5 * d4, e = d4 - d3, f = d5 - d6;
    if (va <= 0 && e >= 0 && f >= 0) {
        const double t = e + f > 0 ? e / (e + f) : 0;
        return {{0, 1 - t, t}, 5};
    }
    const double all = va + vb + vc;
    return {{va / all, vb / all, vc / all}, 0};
}

}  // namespace

struct MeshAt::Hit {
    double distance = 1e300;
    int triangle = -1;
    Vec3d point{0, 0, 0};
    OnTriangle on{};
};

void MeshAt::search(int node, const Vec3d& x, Hit& hit) const {
    const Node& n = nodes_[static_cast<std::size_t>(node)];
    if (distance_to(n.box, x) >= hit.distance) return;
    if (n.left >= 0) {
        const auto far = [&](int k) {
            return distance_to(nodes_[static_cast<std::size_t>(k)].box, x);
        };
        const bool left_first = far(n.left) <= far(n.right);
        search(left_first ? n.left : n.right, x, hit);
        return search(left_first ? n.right : n.left, x, hit);
    }
    for (int k = n.begin; k < n.begin + n.count; ++k) {
        const int t = mesh_->order_[static_cast<std::size_t>(k)];
        const Vec3i& c = mesh_->triangles_[static_cast<std::size_t>(t)];
        const auto at = [&](int v) -> const Vec3d& { return x_[static_cast<std::size_t>(v)]; };
        const OnTriangle on = nearest_on(x, at(c.x), at(c.y), at(c.z));
        const Vec3d p = on.weight[0] * at(c.x) + on.weight[1] * at(c.y) + on.weight[2] * at(c.z);
        const double d = length(x - p);
        if (d < hit.distance) hit = {d, t, p, on};
    }
}

// The normal whose side of the surface tells inside from outside. [Baerentzen 2005]
Vec3d MeshAt::pseudo_normal(const Hit& hit) const {
    const auto t = static_cast<std::size_t>(hit.triangle);
    if (hit.on.feature == 0) return face_[t];
    const int k = (hit.on.feature - 1) % 3;
    if (hit.on.feature <= 3) return at_[static_cast<std::size_t>(mesh_->triangles_[t][k])];
    return edge_[static_cast<std::size_t>(mesh_->side_[t][static_cast<std::size_t>(k)])];
}

MeshAt::Nearest MeshAt::nearest(const Vec3d& x) const {
    Nearest best{1e300, {0, 1, 0}, {0, 0, 0}};
    for (const int root : mesh_->roots_) {
        // outside its box a piece is no nearer than the box
        if (distance_to(nodes_[static_cast<std::size_t>(root)].box, x) >
            std::max(best.distance, 0.0))
            continue;
        Hit hit;
        search(root, x, hit);
        const Vec3d out = pseudo_normal(hit), away = x - hit.point;
        const double sign = dot(away, out) < 0 ? -1 : 1;
        if (sign * hit.distance >= best.distance) continue;
        best.distance = sign * hit.distance;
        best.normal = hit.distance > 1e-12 ? (sign / hit.distance) * away : unit_or_zero(out);
        const Vec3i& c = mesh_->triangles_[static_cast<std::size_t>(hit.triangle)];
        best.velocity = {0, 0, 0};
        for (int k = 0; k < 3; ++k)
            best.velocity += hit.on.weight[k] * v_[static_cast<std::size_t>(c[k])];
    }
    return best;
}

// Normals and boxes for where the vertices are.
void MeshAt::refit() {
    const auto& triangles = mesh_->triangles_;
    face_.resize(triangles.size());
    edge_.assign(static_cast<std::size_t>(mesh_->sides_), {0, 0, 0});
    at_.assign(x_.size(), {0, 0, 0});
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Vec3i& c = triangles[t];
        Vec3d corner[3];
        for (int k = 0; k < 3; ++k) corner[k] = x_[static_cast<std::size_t>(c[k])];
        face_[t] = unit_or_zero(cross(corner[1] - corner[0], corner[2] - corner[0]));
        for (int k = 0; k < 3; ++k) {
            edge_[static_cast<std::size_t>(mesh_->side_[t][static_cast<std::size_t>(k)])] +=
                face_[t];
            const Vec3d u = unit_or_zero(corner[(k + 1) % 3] - corner[k]);
            const Vec3d v = unit_or_zero(corner[(k + 2) % 3] - corner[k]);
            at_[static_cast<std::size_t>(c[k])] +=
                std::acos(std::clamp(dot(u, v), -1.0, 1.0)) * face_[t];
        }
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {  // children stand behind their parents
        Node& n = nodes_[i];
        n.box = {splat(1e300), splat(-1e300)};
        const auto take = [&](const Vec3d& lo, const Vec3d& hi) {
            n.box.lo = min(n.box.lo, lo), n.box.hi = max(n.box.hi, hi);
        };
        for (const int child : {n.left, n.right})
            if (child >= 0) {
                const Box3& b = nodes_[static_cast<std::size_t>(child)].box;
                take(b.lo, b.hi);
            }
        for (int k = n.begin; k < n.begin + n.count; ++k)
            for (int corner = 0; corner < 3; ++corner) {
                const Vec3i& c =
                    triangles[static_cast<std::size_t>(mesh_->order_[static_cast<std::size_t>(k)])];
                const Vec3d& x = x_[static_cast<std::size_t>(c[corner])];
                take(x, x);
            }
    }
}

AnimatedMesh::AnimatedMesh(std::vector<Vec3i> triangles, std::vector<std::vector<Vec3f>> moments,
                           double frame_rate, double start, bool loop, const std::string& name)
    : triangles_(std::move(triangles)),
      moments_(std::move(moments)),
      frame_rate_(frame_rate),
      start_(start),
      loop_(loop && moments_.size() > 1) {
    check(name);
    find_sides(name);
    find_pieces();
    bounds_ = {splat(1e300), splat(-1e300)};
    for (std::size_t k = 0; k < moments_.size(); ++k) {
        for (const Vec3f& p : moments_[k]) {
            const auto x = static_cast<Vec3d>(p);
            bounds_.lo = min(bounds_.lo, x), bounds_.hi = max(bounds_.hi, x);
        }
        const bool last = k + 1 == moments_.size();
        speed_.push_back(last && !loop_ ? 0 : speed_between(k, last ? 0 : k + 1));
    }
}

double AnimatedMesh::speed_between(std::size_t from, std::size_t to) const {
    double most = 0;
    for (std::size_t i = 0; i < moments_[from].size(); ++i)
        most = std::max(most, static_cast<double>(length(moments_[to][i] - moments_[from][i])));
    return frame_rate_ * most;
}

void AnimatedMesh::check(const std::string& name) const {
    if (moments_.empty() || triangles_.empty())
        throw InputError(Place{name, 0, 0}, "has no triangles", "give a closed mesh");
    const std::size_t n = moments_.front().size();
    for (std::size_t k = 0; k < moments_.size(); ++k) {
        if (moments_[k].size() != n)
            throw InputError(Place{name, 0, 0},
                             fmt::format("moment {} has {} vertices and the first has {}", k + 1,
                                         moments_[k].size(), n),
                             "an animation keeps its vertices and triangles");
        for (const Vec3f& x : moments_[k])
            if (!std::isfinite(x.x + x.y + x.z))
                throw InputError(Place{name, 0, 0},
                                 fmt::format("moment {} has a vertex that is no place", k + 1));
    }
    for (const Vec3i& t : triangles_)
        for (int c = 0; c < 3; ++c)
            if (t[c] < 0 || static_cast<std::size_t>(t[c]) >= n || t[c] == t[(c + 1) % 3])
                throw InputError(Place{name, 0, 0}, "has a triangle that names a vertex twice",
                                 "remove it");
}

// Numbers the sides, and turns whole pieces outwards.
void AnimatedMesh::find_sides(const std::string& name) {
    std::map<std::pair<int, int>, std::pair<int, int>> known;  // number, and how often each way
    std::map<std::pair<int, int>, int> number;
    side_.resize(triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const int a = triangles_[t][k], b = triangles_[t][(k + 1) % 3];
            const auto key = std::minmax(a, b);
            const auto [at, fresh] = number.try_emplace(key, sides_);
            if (fresh) ++sides_;
            side_[t][static_cast<std::size_t>(k)] = at->second;
            auto& count = known[key];
            ++(a < b ? count.first : count.second);
        }
    for (const auto& [key, count] : known) {
        if (count.first == 1 && count.second == 1) continue;
        const bool open = count.first + count.second == 1;
        throw InputError(
            Place{name, 0, 0},
            fmt::format("the edge between vertices {} and {} belongs to {}", key.first + 1,
                        key.second + 1,
                        open                              ? "one triangle: the mesh is open"
                        : count.first + count.second == 2 ? "two triangles that turn different ways"
                                                          : "more than two triangles"),
            open ? "close the mesh, or weld its vertices" : "mend the mesh");
    }
}

void AnimatedMesh::find_pieces() {
    std::vector<int> piece(moments_.front().size());
    std::iota(piece.begin(), piece.end(), 0);
    const auto find = [&](int v) {
        while (piece[static_cast<std::size_t>(v)] != v)
            v = piece[static_cast<std::size_t>(v)] =
                piece[static_cast<std::size_t>(piece[static_cast<std::size_t>(v)])];
        return v;
    };
    for (const Vec3i& t : triangles_) {
        const int a = find(t.x);
        for (const int v : {t.y, t.z}) piece[static_cast<std::size_t>(find(v))] = a;
    }
    std::map<int, std::vector<int>> members;
    for (std::size_t t = 0; t < triangles_.size(); ++t)
        members[find(triangles_[t].x)].push_back(static_cast<int>(t));

    std::vector<Vec3d> middle(triangles_.size(), Vec3d{0, 0, 0});
    for (std::size_t t = 0; t < triangles_.size(); ++t)
        for (int k = 0; k < 3; ++k)
            middle[t] +=
                static_cast<Vec3d>(moments_.front()[static_cast<std::size_t>(triangles_[t][k])]);
    for (const auto& [root, list] : members) {
        double volume = 0;
        for (const int t : list) {
            Vec3d c[3];
            for (int k = 0; k < 3; ++k)
                c[k] = static_cast<Vec3d>(moments_.front()[static_cast<std::size_t>(
                    triangles_[static_cast<std::size_t>(t)][k])]);
            volume += dot(c[0], cross(c[1], c[2]));
        }
        const int begin = static_cast<int>(order_.size());
        for (const int t : list) {
            order_.push_back(t);
            if (volume > 0) continue;  // turned outwards: corners 0 and 1 change places
            auto& corner = triangles_[static_cast<std::size_t>(t)];
            auto& side = side_[static_cast<std::size_t>(t)];
            std::swap(corner.x, corner.y);
            std::swap(side[1], side[2]);
        }
        roots_.push_back(build(begin, static_cast<int>(order_.size()), middle));
    }
}

// A tree over order_[begin, end), split at the middle of its longest side.
int AnimatedMesh::build(int begin, int end, const std::vector<Vec3d>& middle) {
    const int index = static_cast<int>(nodes_.size());
    nodes_.push_back({{}, -1, -1, begin, end - begin});
    if (end - begin <= leaf) return index;
    Vec3d lo = splat(1e300), hi = splat(-1e300);
    for (int k = begin; k < end; ++k) {
        const Vec3d& x = middle[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
        lo = min(lo, x), hi = max(hi, x);
    }
    const Vec3d size = hi - lo;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const int half = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end,
                     [&](int a, int b) {
                         const double p = middle[static_cast<std::size_t>(a)][axis],
                                      q = middle[static_cast<std::size_t>(b)][axis];
                         return p != q ? p < q : a < b;
                     });
    const int left = build(begin, half, middle), right = build(half, end, middle);
    nodes_[static_cast<std::size_t>(index)] = {{}, left, right, begin, 0};
    return index;
}

AnimatedMesh::Moment AnimatedMesh::moment(double time) const {
    const std::size_t n = moments_.size();
    double s = (time - start_) * frame_rate_;
    if (!(s >= 0)) return {0, 0, 0, false};
    if (loop_) s = std::fmod(s, static_cast<double>(n));
    if (!loop_ && s >= static_cast<double>(n - 1)) return {n - 1, n - 1, 0, false};
    const std::size_t from = std::min(static_cast<std::size_t>(s), n - 1);
    return {from, (from + 1) % n, s - static_cast<double>(from), true};
}

std::shared_ptr<const MeshAt> AnimatedMesh::at(double time) const {
    const std::lock_guard lock(guard_);
    if (last_ && last_time_ == time) return last_;
    const Moment p = moment(time);
    auto made = std::make_shared<MeshAt>();
    made->mesh_ = this;
    made->nodes_ = nodes_;
    const std::size_t n = moments_.front().size();
    made->x_.resize(n), made->v_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto a = static_cast<Vec3d>(moments_[p.from][i]),
                   b = static_cast<Vec3d>(moments_[p.to][i]);
        made->x_[i] = a + p.share * (b - a);
        made->v_[i] = p.moves ? frame_rate_ * (b - a) : Vec3d{0, 0, 0};
    }
    made->refit();
    last_time_ = time;
    last_ = made;
    return made;
}

Mesh AnimatedMesh::mesh(double time) const {
    const auto now = at(time);
    Mesh mesh;
    mesh.triangles = triangles_;
    for (const Vec3d& x : now->x_) mesh.positions.push_back(static_cast<Vec3f>(x));
    return mesh;
}

double AnimatedMesh::max_speed(double t0, double t1) const {
    if (t1 < start_) return 0;
    const double last = static_cast<double>(moments_.size() - 1);
    if (!loop_ && (t0 - start_) * frame_rate_ >= last) return 0;
    const double from = std::max(0.0, std::floor((t0 - start_) * frame_rate_));
    const double to = std::floor((t1 - start_) * frame_rate_);
    if (to - from > last) return *std::max_element(speed_.begin(), speed_.end());
    double most = 0;
    for (double k = from; k <= to; ++k) {
        const double at = loop_ ? std::fmod(k, last + 1) : std::min(k, last);
        most = std::max(most, speed_[static_cast<std::size_t>(at)]);
    }
    return most;
}

}  // namespace knead
