// The deformation d of a pack of elements: the columns along them from where their vertices stand,
// the others as they remember them. [Jiang 2017, Eq. 4]
#pragma once

#include "knead/mpm/codimensional/thin_laws.h"
#include "knead/particles/pack_columns.h"
#include "knead/particles/vertex_rows.h"

namespace knead {

// Edges from the first corner of `count` elements from `row` on; lanes past them hold a plain one.
template <int Tangents, class Real>
struct ElementEdges {
    Vec3<Pack<Real>> edge[Tangents];

    // x: places of the vertices, or how far each of them moves.
    template <class S>
    ElementEdges(const Column<S, 3>& x, const VertexRows& rows, std::size_t row, int count) {
        constexpr int lanes = pack_lanes<Real>;
        alignas(64) Real out[Tangents][3][lanes];
        for (int k = 0; k < Tangents; ++k)
            for (int a = 0; a < 3; ++a)
                for (int lane = count; lane < lanes; ++lane) out[k][a][lane] = Real(a == k);
        for (int a = 0; a < 3; ++a) {
            const S* plane = x.plane(a);
            for (int lane = 0; lane < count; ++lane) {
                const std::size_t e = row + static_cast<std::size_t>(lane);
                const S from = plane[rows.corner[0][e]];
                for (int k = 0; k < Tangents; ++k)
                    out[k][a][lane] = static_cast<Real>(
                        plane[rows.corner[static_cast<std::size_t>(k + 1)][e]] - from);
            }
        }
        for (int k = 0; k < Tangents; ++k)
            edge[k] = {Pack<Real>::load(out[k][0]), Pack<Real>::load(out[k][1]),
                       Pack<Real>::load(out[k][2])};
    }
};

// The inverse of the rest edges' triangular factor, entries 11, 12 and 22.
template <int Tangents, class Real>
struct InverseRest {
    Pack<Real> r11, r12, r22;

    InverseRest(const Elements<Real>& elements, std::size_t row, int count) {
        using P = Pack<Real>;
        r11 = P::load_part(elements.inverse_rest[0].data() + row, count, Real(1));
        if constexpr (Tangents == 2) {
            r12 = P::load_part(elements.inverse_rest[1].data() + row, count, Real(0));
            r22 = P::load_part(elements.inverse_rest[2].data() + row, count, Real(1));
        }
    }
    // The tangent columns of d from edges, and the forces on vertices from those of P.
    void set_tangents(const ElementEdges<Tangents, Real>& e, Vec3<Pack<Real>> (&column)[3]) const {
        column[0] = r11 * e.edge[0];
        if constexpr (Tangents == 2) column[1] = r12 * e.edge[0] + r22 * e.edge[1];
    }
    void vertex_forces(const Pack<Real>& minus_volume, const Mat3<Pack<Real>>& stress,
                       Vec3<Pack<Real>> (&force)[2]) const {
        force[0] = (minus_volume * r11) * stress.column(0);
        if constexpr (Tangents == 2) {
            force[0] = force[0] + (minus_volume * r12) * stress.column(1);
            force[1] = (minus_volume * r22) * stress.column(1);
        }
    }
};

// d of `count` elements from `row` on, tangent columns from the vertices.
template <int Tangents, class Real>
inline Mat3<Pack<Real>> element_frame(const Phase<Real>& phase, const Column<double, 3>& vertices,
                                      const VertexRows& rows, std::size_t row, int count) {
    Mat3<Pack<Real>> d;
    load_column<Real>(phase.particles.d, row, count, d);
    Vec3<Pack<Real>> column[3] = {d.column(0), d.column(1), d.column(2)};
    InverseRest<Tangents, Real>(phase.elements, row, count)
        .set_tangents(ElementEdges<Tangents, Real>(vertices, rows, row, count), column);
    return from_columns(column[0], column[1], column[2]);
}

}  // namespace knead
