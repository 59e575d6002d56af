#include "knead/geometry/mesh_check.h"

#include <algorithm>
#include <map>

namespace knead {

namespace {

// One side of one triangle.
struct Side {
    int a, b;      // the smaller index first
    bool forward;  // whether the triangle runs from a to b
    friend bool operator<(const Side& s, const Side& t) {
        return s.a != t.a ? s.a < t.a : s.b < t.b;
    }
    bool same_edge(const Side& t) const { return a == t.a && b == t.b; }
};

std::vector<Side> sorted_sides(const Mesh& mesh) {
    std::vector<Side> sides;
    sides.reserve(3 * mesh.triangles.size());
    for (const Vec3i& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), a < b});
        }
    std::stable_sort(sides.begin(), sides.end());
    return sides;
}

// Runs f(first, last) over each group of sides on one edge.
template <class F>
void for_each_edge(const std::vector<Side>& sides, const F& f) {
    for (auto first = sides.begin(); first != sides.end();) {
        auto last = first;
        while (last != sides.end() && last->same_edge(*first)) ++last;
        f(first, last);
        first = last;
    }
}

// The rims as a graph: every vertex has an even number of edges, so walks always close.
class Rims {
public:
    explicit Rims(const Mesh& mesh) {
        for_each_edge(sorted_sides(mesh), [&](auto first, auto last) {
            if ((last - first) % 2 == 0) return;
            const std::size_t id = used_.size();
            used_.push_back(false);
            // A filling runs against the triangle that is there.
            from_.push_back(first->forward ? first->b : first->a);
            next_[first->a].steps.push_back({first->b, id});
            next_[first->b].steps.push_back({first->a, id});
        });
    }
    std::vector<std::vector<int>> loops() {
        std::vector<std::vector<int>> result;
        for (const auto& [start, edges] : next_)
            for (std::size_t k = 0; k < edges.steps.size(); ++k) walk(start, result);
        return result;
    }

private:
    struct Step {
        int to;
        std::size_t edge;
    };
    struct Edges {
        std::vector<Step> steps;
        std::size_t done = 0;  // the first of them are used
    };
    std::map<int, Edges> next_;
    std::vector<bool> used_;
    std::vector<int> from_;  // where a filling's side starts

    // Each edge is passed once, however many meet in a vertex.
    const Step* unused_from(int v) {
        Edges& edges = next_.at(v);
        for (; edges.done < edges.steps.size(); ++edges.done)
            if (!used_[edges.steps[edges.done].edge]) return &edges.steps[edges.done];
        return nullptr;
    }
    // Follows unused edges; each time the path meets itself, that ring is cut off as one loop.
    void walk(int start, std::vector<std::vector<int>>& loops) {
        std::vector<int> path{start};
        std::vector<std::size_t> edges;
        std::map<int, std::size_t> place{{start, 0}};
        while (const Step* step = unused_from(path.back())) {
            used_[step->edge] = true;
            edges.push_back(step->edge);
            const auto met = place.find(step->to);
            if (met == place.end()) {
                place[step->to] = path.size();
                path.push_back(step->to);
                continue;
            }
            const std::size_t at = met->second;
            std::vector<int> loop(path.begin() + static_cast<std::ptrdiff_t>(at), path.end());
            if (from_[edges[at]] != loop.front()) std::reverse(loop.begin(), loop.end());
            loops.push_back(std::move(loop));
            for (std::size_t i = at + 1; i < path.size(); ++i) place.erase(path[i]);
            path.resize(at + 1);
            edges.resize(at);
        }
    }
};

}  // namespace

MeshReport check_mesh(const Mesh& mesh) {
    MeshReport report;
    report.vertices = mesh.positions.size();
    report.triangles = mesh.triangles.size();
    for (const Vec3i& t : mesh.triangles) {
        const Vec3d a = mesh.point(t.x);
        const Vec3d n = cross(mesh.point(t.y) - a, mesh.point(t.z) - a);
        report.degenerate_triangles += length_squared(n) == 0;
    }
    for_each_edge(sorted_sides(mesh), [&](auto first, auto last) {
        const auto uses = last - first;
        report.boundary_edges += uses % 2 == 1;
        report.nonmanifold_edges += uses > 2;
        report.misoriented_edges += uses == 2 && first->forward == (first + 1)->forward;
    });
    return report;
}

std::vector<std::vector<int>> boundary_loops(const Mesh& mesh) { return Rims(mesh).loops(); }

Mesh with_holes_filled(const Mesh& mesh) {
    Mesh result = mesh;
    for (const std::vector<int>& loop : boundary_loops(mesh)) {
        if (loop.size() == 3) {
            result.triangles.push_back({loop[0], loop[1], loop[2]});
            continue;
        }
        Vec3d middle{0, 0, 0};
        for (const int v : loop) middle += mesh.point(v);
        const int center = static_cast<int>(result.positions.size());
        result.positions.push_back(static_cast<Vec3f>(middle / static_cast<double>(loop.size())));
        for (std::size_t i = 0; i < loop.size(); ++i)
            result.triangles.push_back({loop[i], loop[(i + 1) % loop.size()], center});
    }
    return result;
}

}  // namespace knead
