// A closed mesh that changes with time, given at evenly spaced moments with the same triangles:
// a figure that walks. Between moments its vertices go straight; distances to it are exact.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "knead/geometry/mesh.h"

namespace knead {

class AnimatedMesh;

// The mesh at one time, ready for many questions.
class MeshAt {
public:
    struct Nearest {
        double distance;  // negative inside
        Vec3d normal;     // outward, unit
        Vec3d velocity;   // of the surface there
    };
    double distance(const Vec3d& x) const { return nearest(x).distance; }
    Nearest nearest(const Vec3d& x) const;

private:
    friend class AnimatedMesh;
    struct Node {
        Box3 box;
        int left, right;   // nodes; of a leaf: -1 and
        int begin, count;  // its triangles, in `order`
    };
    struct Hit;

    void refit();
    void search(int node, const Vec3d& x, Hit& hit) const;
    Vec3d pseudo_normal(const Hit& hit) const;

    const AnimatedMesh* mesh_ = nullptr;
    std::vector<Vec3d> x_, v_;             // of vertices
    std::vector<Vec3d> face_, edge_, at_;  // normals: of triangles, of their sides, of vertices
    std::vector<Node> nodes_;
};

class AnimatedMesh {
public:
    // `moments` are vertex positions [m] `1 / frame_rate` seconds apart, the first at `start`. The
    // mesh stands before its first moment and after its last, or begins anew if it is a loop; then
    // the last moment leads back to the first. InputError: not closed, moments that differ in size.
    AnimatedMesh(std::vector<Vec3i> triangles, std::vector<std::vector<Vec3f>> moments,
                 double frame_rate, double start, bool loop, const std::string& name);

    std::shared_ptr<const MeshAt> at(double time) const;
    // A bound on the speed of its points over [t0, t1].
    double max_speed(double t0, double t1) const;
    Box3 bounds() const { return bounds_; }  // at all times
    // As it is drawn.
    Mesh mesh(double time) const;
    std::size_t moments() const { return moments_.size(); }

private:
    friend class MeshAt;
    struct Moment {
        std::size_t from, to;
        double share;
        bool moves;
    };
    Moment moment(double time) const;
    double speed_between(std::size_t from, std::size_t to) const;
    void check(const std::string& name) const;
    void find_sides(const std::string& name);
    void find_pieces();
    int build(int begin, int end, const std::vector<Vec3d>& middle);

    std::vector<Vec3i> triangles_;
    std::vector<std::vector<Vec3f>> moments_;
    double frame_rate_, start_;
    bool loop_;
    Box3 bounds_;
    std::vector<double> speed_;             // from each moment to the next
    std::vector<int> order_;                // triangles as leaves have them
    std::vector<std::array<int, 3>> side_;  // of triangles, by number
    int sides_ = 0;
    std::vector<MeshAt::Node> nodes_;
    std::vector<int> roots_;  // one a piece
    mutable std::mutex guard_;
    mutable double last_time_ = 0;
    mutable std::shared_ptr<const MeshAt> last_;
};

}  // namespace knead
