// The edge of a polygon that is nearest to a point. Long outlines bring a tree of boxes along:
// behind the corners x0, y0, x1, y1 ... follow levels of boxes (least x, least y, greatest x,
// greatest y), each of eight edges or of eight boxes of the level before. The answer is that of a
// plain search through all edges: the first of the nearest.
#pragma once

#include <vector>

#include "knead/math/scalar.h"

namespace knead {

inline constexpr int polygon_fan = 8;           // edges or boxes in a box
inline constexpr int polygon_tree_from = 64;    // with fewer edges there is no tree
inline constexpr int polygon_tree_levels = 10;  // at most: 8^10 edges

template <class T>
struct NearestEdge {
    T d2 = T(-1);  // squared distance; below 0: none yet
    int edge = 0;
    T where = T(0);  // along the edge, 0 to 1
};

// Takes edge i where it is nearer.
template <class T>
CPU_GPU inline void try_edge(const T* c, int count, int i, T x, T y, NearestEdge<T>& best) {
    const int j = i + 1 < count ? i + 1 : 0;
    const T ex = c[2 * j] - c[2 * i], ey = c[2 * j + 1] - c[2 * i + 1];
    const T px = x - c[2 * i], py = y - c[2 * i + 1];
    const T u = clamp((px * ex + py * ey) / (ex * ex + ey * ey), T(0), T(1));
    const T dx = px - u * ex, dy = py - u * ey, d2 = dx * dx + dy * dy;
    if (best.d2 < T(0) || d2 < best.d2) best = {d2, i, u};
}

template <class T>
CPU_GPU inline T squared_distance_to_box(const T* b, T x, T y) {
    const T dx = max(max(b[0] - x, x - b[2]), T(0)), dy = max(max(b[1] - y, y - b[3]), T(0));
    return dx * dx + dy * dy;
}

// Where each level of boxes begins, and how many it has.
template <class T>
struct PolygonTree {
    const T* boxes[polygon_tree_levels];
    int size[polygon_tree_levels];
    int levels = 0;

    CPU_GPU PolygonTree(const T* c, int count) {
        const T* at = c + 2 * count;
        for (int n = count; n > polygon_fan && levels < polygon_tree_levels; ++levels) {
            n = (n + polygon_fan - 1) / polygon_fan;
            boxes[levels] = at;
            size[levels] = n;
            at += 4 * n;
        }
    }
    // The children of box i: edges on level 0, boxes of the level below otherwise.
    CPU_GPU int end_of(int level, int i, int count) const {
        const int all = level > 0 ? size[level - 1] : count;
        const int end = polygon_fan * (i + 1);
        return end < all ? end : all;
    }
};

// The nearest of the edges that lie in the nearest box of each level: close to the nearest of all.
template <class T>
CPU_GPU inline T first_guess(const PolygonTree<T>& tree, const T* c, int count, T x, T y) {
    int begin = 0, end = tree.size[tree.levels - 1];
    for (int level = tree.levels - 1; level >= 0; --level) {
        int nearest = begin;
        T least = T(-1);
        for (int i = begin; i < end; ++i) {
            const T d2 = squared_distance_to_box(tree.boxes[level] + 4 * i, x, y);
            if (least < T(0) || d2 < least) least = d2, nearest = i;
        }
        begin = polygon_fan * nearest;
        end = tree.end_of(level, nearest, count);
    }
    NearestEdge<T> best;
    for (int i = begin; i < end; ++i) try_edge(c, count, i, x, y, best);
    return best.d2;
}

template <class T>
CPU_GPU inline NearestEdge<T> nearest_edge(const T* c, int count, T x, T y) {
    NearestEdge<T> best;
    if (count <= polygon_tree_from) {
        for (int i = 0; i < count; ++i) try_edge(c, count, i, x, y, best);
        return best;
    }
    // All edges in their order, but for boxes that are farther than the guess. The margin covers
    // rounding, so that no edge is left out that a plain search would take.
    const PolygonTree<T> tree(c, count);
    const T guess = first_guess(tree, c, count, x, y);
    const T limit = guess + T(1e-3) * guess + T(1e-9) * (guess + x * x + y * y);
    int level = tree.levels - 1;
    for (int i = 0; i < tree.size[level];) {
        const bool far = squared_distance_to_box(tree.boxes[level] + 4 * i, x, y) > limit;
        if (!far && level > 0) {
            --level, i *= polygon_fan;
            continue;
        }
        if (!far)
            for (int e = polygon_fan * i; e < tree.end_of(0, i, count); ++e)
                try_edge(c, count, e, x, y, best);
        // On to the next box, up wherever a box is done.
        for (++i; level < tree.levels - 1 && (i % polygon_fan == 0 || i == tree.size[level]);)
            ++level, i = (i + polygon_fan - 1) / polygon_fan;
    }
    return best;
}

// The boxes to put behind the corners; nothing for short outlines.
std::vector<double> polygon_tree(const std::vector<double>& corners);

}  // namespace knead
