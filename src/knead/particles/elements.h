// Elements: what the rows of a phase of elements are made of, triangles of sheets or segments of
// curves. Each names its vertices by id, which sorting does not change; the rows they stand in are
// scratch (vertex_rows.h). Moves with the rows of its phase (edit_rows.h), and goes into
// checkpoints through for_each_column.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/parallel/array.h"

namespace knead {

template <class Real>
struct Elements {
    std::int64_t corners = 0;  // vertices of an element: 3 triangles, 2 segments, 0 no elements
    std::int64_t vertex_phase = 0;  // index of the phase that holds the vertices
    Array<std::int64_t> vertex[3];  // ids, by corner; the third is empty for segments
    // Rest shape: the inverse of the triangular factor of the rest edges [1/m], its entries 11, 12
    // and 22; the last two are empty for segments.
    Array<Real> inverse_rest[3];
    Array<Real> uv[6];  // texture coordinates of the corners, u and v by turns; empty: none

    bool present() const { return corners > 0; }
    std::size_t size() const { return vertex[0].size(); }
    bool has_uv() const { return corners == 3 && !uv[0].empty(); }
    int rest_numbers() const { return corners == 3 ? 3 : corners == 2 ? 1 : 0; }

    // n elements of so many corners, without vertices yet (id -1).
    void create(int corner_count, std::size_t n) {
        *this = {};
        corners = corner_count;
        resize(n);
    }
    void create_uv() {
        for (Array<Real>& plane : uv) plane.resize(size(), Real(0));
    }
    void resize(std::size_t n) {
        if (has_uv())
            for (Array<Real>& plane : uv) plane.resize(n, Real(0));
        for (int c = 0; c < corners; ++c) vertex[c].resize(n, -1);
        for (int k = 0; k < rest_numbers(); ++k) inverse_rest[k].resize(n, Real(0));
    }

    // visit(name, array) for every array; they are as long as the phase, or empty.
    template <class Self, class Visit>
    static void for_each_column(Self& elements, Visit&& visit) {
        visit("vertex0", elements.vertex[0]);
        visit("vertex1", elements.vertex[1]);
        visit("vertex2", elements.vertex[2]);
        visit("inverse_rest11", elements.inverse_rest[0]);
        visit("inverse_rest12", elements.inverse_rest[1]);
        visit("inverse_rest22", elements.inverse_rest[2]);
        visit("u0", elements.uv[0]);
        visit("v0", elements.uv[1]);
        visit("u1", elements.uv[2]);
        visit("v1", elements.uv[3]);
        visit("u2", elements.uv[4]);
        visit("v2", elements.uv[5]);
    }
};

// Row i of the result is row order[i].
template <class Real>
void reorder_elements(Elements<Real>& elements, const std::vector<std::uint32_t>& order);

}  // namespace knead
