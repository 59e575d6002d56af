// One warp looks for darts in one cell of the point grid: level by level, the parts of the cell
// that no single sphere holds, 32 at a time. The parts and darts are those of the host's search.
#pragma once

#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/foam/point_cells.h"
#include "knead/mpm/foam/resample/dart.h"

namespace knead {

class WarpCellSearch {
public:
    // Points that may matter to a cell. Where more crowd around it, it is full: nothing lands.
    static constexpr int most_points = 192;
    struct Memory {
        double corners[8];
        float x[most_points], y[most_points], z[most_points];
        unsigned short parts[2][512];  // of a level and of the next: their way down, 3 bits a level
    };

    __device__ WarpCellSearch(Memory& memory, const DartPart& whole) : m_(memory), whole_(whole) {}

    // All lanes together: each may bring a point, from the cell's corner.
    __device__ void add_points(bool has, const Vec3f& u) {
        float d2 = 0;
        for (int a = 0; a < 3; ++a) {
            const float d = fmaxf(fabsf(u[a] - 0.5f) - 0.5f, 0.f);
            d2 += d * d;
        }
        const unsigned kept = __ballot_sync(all_lanes, has && d2 < surely_beyond2);
        const int to = count_ + rank(kept);
        if (((kept >> lane_index()) & 1u) && to < most_points)
            m_.x[to] = u.x, m_.y[to] = u.y, m_.z[to] = u.z;
        count_ += __popc(kept);
    }
    // The value at one of the cell's corners.
    __device__ void set_corner(int corner, double value) { m_.corners[corner] = value; }

    // Whether any dart of any level lands.
    __device__ bool any_dart() {
        bool found = false;
        search(-1, [&](bool lands, const DartPart&) {
            found = __any_sync(all_lanes, lands);
            return found;
        });
        return found;
    }
    // visit(lands, part) by all lanes, for the parts of one level; true ends it.
    template <class Visit>
    __device__ void darts(int level, const Visit& visit) {
        search(level, visit);
    }

    // How many lanes before this one have their bit set.
    __device__ static int rank(unsigned mask) { return __popc(mask & ((1u << lane_index()) - 1)); }

private:
    __device__ DartPart part(int level, unsigned way) const {
        DartPart p = whole_;
        for (int k = level - 1; k >= 0; --k) p = p.child(static_cast<int>((way >> (3 * k)) & 7u));
        return p;
    }
    // Whether one sphere holds the whole part.
    __device__ bool is_held(int level, unsigned way) const {
        float width = 1;
        Vec3f corner{0, 0, 0};
        for (int k = level - 1; k >= 0; --k) {
            width /= 2;
            const unsigned c = way >> (3 * k);
            corner += width * Vec3f{float((c >> 2) & 1u), float((c >> 1) & 1u), float(c & 1u)};
        }
        const float half = width / 2;
        const Vec3f middle = corner + splat(half);
        float least = 1e9f;
        for (int i = 0; i < count_; ++i) {
            const float dx = fabsf(m_.x[i] - middle.x) + half;
            const float dy = fabsf(m_.y[i] - middle.y) + half;
            const float dz = fabsf(m_.z[i] - middle.z) + half;
            least = fminf(least, dx * dx + dy * dy + dz * dz);
        }
        return least < surely_within2;
    }
    // Far enough from every point, and deep enough in the matter.
    __device__ bool lands(const DartPart& part) const {
        const Vec3d dart = part.dart();
        const Vec3f u = static_cast<Vec3f>(dart);
        float least = 1e9f;
        for (int i = 0; i < count_; ++i) {
            const float dx = m_.x[i] - u.x, dy = m_.y[i] - u.y, dz = m_.z[i] - u.z;
            least = fminf(least, dx * dx + dy * dy + dz * dz);
        }
        return least >= surely_beyond2 && interpolate(m_.corners, dart) < dart_depth;
    }

    // Visits the parts of one level, or of all of them where level is -1.
    template <class Visit>
    __device__ void search(int level, const Visit& visit) {
        __syncwarp();
        if (count_ > most_points) return;
        if (lane_index() == 0) m_.parts[0][0] = 0;
        __syncwarp();
        int parts = 1;
        const int last = level < 0 ? dart_levels - 1 : level;
        for (int l = 0; l <= last; ++l) {
            const unsigned short* const list = m_.parts[l & 1];
            if (l < dart_levels - 1 && (level < 0 || l == level))
                for (int k = lane_index(); k - lane_index() < parts; k += 32)
                    if (visit_part(k < parts, l, k < parts ? list[k] : 0, visit)) return;
            if (l == last || parts == 0) return;
            parts = open_children(l, list, parts, m_.parts[(l + 1) & 1], visit);
            if (parts < 0) return;
        }
    }
    template <class Visit>
    __device__ bool visit_part(bool is_there, int level, unsigned way, const Visit& visit) const {
        const DartPart p = part(level, way);
        return visit(is_there && lands(p), p);
    }
    // The children of parts that no sphere holds go to `next`; those of the last level are visited
    // at once. -1: a visit ended the search.
    template <class Visit>
    __device__ int open_children(int level, const unsigned short* list, int parts,
                                 unsigned short* next, const Visit& visit) const {
        const bool last = level + 1 == dart_levels - 1;
        int count = 0;
        for (int k = lane_index(); k - lane_index() < 8 * parts; k += 32) {
            const bool is_there = k < 8 * parts;
            const unsigned way = is_there ? (unsigned{list[k >> 3]} << 3) | unsigned(k & 7) : 0;
            const bool open = is_there && !is_held(level + 1, way);
            const unsigned kept = __ballot_sync(all_lanes, open);
            if (last) {
                if (kept && visit_part(open, level + 1, way, visit)) return -1;
            } else if (open) {
                next[count + rank(kept)] = static_cast<unsigned short>(way);
            }
            count += __popc(kept);
        }
        __syncwarp();
        return count;
    }

    Memory& m_;
    DartPart whole_;
    int count_ = 0;
};

}  // namespace knead
