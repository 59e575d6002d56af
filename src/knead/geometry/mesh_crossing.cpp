// Triangles that pass through each other: candidates from a lattice of cells, then segments against
// triangles.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "knead/geometry/mesh_check.h"

namespace knead {

namespace {

// Whether the open segment p q passes through the inside of the triangle a b c. Touching is not
// crossing, so meshes that merely meet are left in peace.
bool pierces(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const auto volume = [](const Vec3d& i, const Vec3d& j, const Vec3d& k, const Vec3d& l) {
        return dot(cross(j - i, k - i), l - i);
    };
    const double above = volume(a, b, c, p), below = volume(a, b, c, q);
    if (!(above * below < 0)) return false;
    const double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

class CrossingCount {
public:
    CrossingCount(const Mesh& mesh, std::size_t most) : mesh_(mesh), most_(most) {
        const Box3 box = bounds(mesh);
        lo_ = box.lo;
        // About as many cells along the box as its surface has triangles across.
        const double n = std::sqrt(static_cast<double>(mesh.triangles.size()));
        const double cells = std::clamp(n, 1., 512.);
        const double longest = std::max({box.size().x, box.size().y, box.size().z});
        cell_ = longest > 0 ? longest / cells : 1;
        while (entry_count() > 3e7) cell_ *= 2;  // a few long triangles among many small ones
    }
    std::size_t run() {
        enter_cells();
        std::size_t count = 0;
        for (std::size_t i = 0; i < entries_.size() && count < most_;) {
            std::size_t end = i;
            while (end < entries_.size() && entries_[end].cell == entries_[i].cell) ++end;
            for (std::size_t a = i; a < end && count < most_; ++a)
                for (std::size_t b = a + 1; b < end && count < most_; ++b)
                    count += is_new_crossing(entries_[a], entries_[b]);
            i = end;
        }
        return count;
    }

private:
    struct Entry {
        std::uint64_t cell;
        std::uint32_t triangle;
    };
    const Mesh& mesh_;
    std::size_t most_;
    Vec3d lo_;
    double cell_;
    std::vector<Entry> entries_;

    Box3 box_of(std::size_t t) const {
        Box3 box;
        for (int k = 0; k < 3; ++k) box.add(mesh_.point(mesh_.triangles[t][k]));
        return box;
    }
    Vec3i cell_at(const Vec3d& p) const {
        const Vec3d q = (p - lo_) / cell_;
        return {static_cast<int>(q.x), static_cast<int>(q.y), static_cast<int>(q.z)};
    }
    static std::uint64_t key(int i, int j, int k) {
        return (static_cast<std::uint64_t>(k) << 40) | (static_cast<std::uint64_t>(j) << 20) |
               static_cast<std::uint64_t>(i);
    }
    double entry_count() const {
        double count = 0;
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
            const Vec3d n = box_of(t).size() / cell_ + splat(1.);
            count += n.x * n.y * n.z;
        }
        return count > 2 * static_cast<double>(mesh_.triangles.size()) ? count : 0;
    }
    void enter_cells() {
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
            const Box3 box = box_of(t);
            const Vec3i a = cell_at(box.lo), b = cell_at(box.hi);
            for (int k = a.z; k <= b.z; ++k)
                for (int j = a.y; j <= b.y; ++j)
                    for (int i = a.x; i <= b.x; ++i)
                        entries_.push_back({key(i, j, k), static_cast<std::uint32_t>(t)});
        }
        std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
            return a.cell != b.cell ? a.cell < b.cell : a.triangle < b.triangle;
        });
    }
    // A pair counts in one cell only: the first that both boxes share.
    bool is_new_crossing(const Entry& a, const Entry& b) const {
        const Vec3i &s = mesh_.triangles[a.triangle], &t = mesh_.triangles[b.triangle];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (s[i] == t[j]) return false;
        Box3 shared = box_of(a.triangle);
        shared.clip(box_of(b.triangle));
        if (shared.empty()) return false;
        const Vec3i c = cell_at(shared.lo);
        return key(c.x, c.y, c.z) == a.cell && (cross_one_way(s, t) || cross_one_way(t, s));
    }
    bool cross_one_way(const Vec3i& s, const Vec3i& t) const {
        for (int k = 0; k < 3; ++k)
            if (pierces(mesh_.point(s[k]), mesh_.point(s[(k + 1) % 3]), mesh_.point(t.x),
                        mesh_.point(t.y), mesh_.point(t.z)))
                return true;
        return false;
    }
};

}  // namespace

std::size_t count_crossings(const Mesh& mesh, std::size_t most) {
    return CrossingCount(mesh, most).run();
}

}  // namespace knead
