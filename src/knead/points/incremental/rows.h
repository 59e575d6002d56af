// The tables that loops over neighbours read and write: one row of numbers a particle. A row is a
// struct of T, which is a Real in the table and a pack of them in the loop: members stand at the
// same place in both, and packs are loaded and stored four numbers of a row at a time.
#pragma once

#include "knead/math/mat.h"
#include "knead/parallel/array.h"
#include "knead/points/gather.h"

namespace knead {

// What the pair forces read of a neighbour.
template <class T>
struct PlaceAndVolume {
    Vec3<T> x;  // from the origin of the workspace [m]
    T volume;   // v, at rest [m3]
};
template <class T>
struct VelocityAndVolume {
    Vec3<T> u;     // [m/s]
    T sph_volume;  // now, by density [m3]
};
template <class T>
struct MetricAndStress {
    Sym3<T> metric;  // (F F^T)^-1 / h^2, which measures at rest; xy, xz and yz are doubled
    Sym3<T> stress;  // v T F^-1
};
template <class T>
struct PairRow {
    PlaceAndVolume<T> place;
    VelocityAndVolume<T> motion;
    MetricAndStress<T> elastic;
};

// What the forces by the fit read of a neighbour.
template <class T>
struct FitRow {
    Mat3<T> matrix;  // v tau A^-1 times the share of the force
    T unused[3];
};

// What matter that keeps its start reads of a neighbour, in place of metric and stress.
template <class T>
struct StartRow {
    Mat3<T> matrix;  // v P A^-1 less that stiffness times F
    T stiffness;     // of its shape, v k / tr A
    T unused[2];
};

// What the baseline of a rest configuration reads.
template <class T>
struct RestRow {
    Mat3<T> plastic_F;
    Mat3<T> stress;  // v T
};

// Sums over a particle's own neighbours. Rows of a matrix are stored with a fourth number behind.
template <class T>
struct PlaceSums {
    Vec3<T> A_x;  // A = sum of w r r^T
    T count;      // neighbours that count
    Vec3<T> A_y;
    T weighted_mass;
    Vec3<T> A_z;
    T unused;

    Sym3<T> A() const { return {A_x.x, A_y.y, A_z.z, A_x.y, A_x.z, A_y.z}; }
};
template <class T>
struct MotionSums {
    Vec3<T> B_x;  // B = sum of w u r^T
    T unused_x;
    Vec3<T> B_y;
    T unused_y;
    Vec3<T> B_z;
    T unused_z;

    Mat3<T> B() const { return {B_x.x, B_x.y, B_x.z, B_y.x, B_y.y, B_y.z, B_z.x, B_z.y, B_z.z}; }
};
template <class T>
struct NeighbourSums {
    PlaceSums<T> places;
    MotionSums<T> motion;
};

// Numbers of a row, or of a part of one.
template <template <class> class Row>
inline constexpr std::size_t row_length = sizeof(Row<float>) / sizeof(float);
static_assert(row_length<PairRow> == 20 && row_length<FitRow> == 12);
static_assert(row_length<StartRow> == 12 && row_length<NeighbourSums> == 24);

template <template <class> class Part, class T>
ALWAYS_INLINE const T* numbers(const Part<T>& part) {
    return reinterpret_cast<const T*>(&part);
}
template <template <class> class Part, class T>
ALWAYS_INLINE T* numbers(Part<T>& part) {
    return reinterpret_cast<T*>(&part);
}

// The four numbers number `four` of a part, of the rows at index[0..lanes).
template <template <class> class Row, template <class> class Part, class S>
ALWAYS_INLINE void gather_four(const Array<Row<S>>& table, Part<S> Row<S>::*part,
                               const std::uint32_t* index, std::size_t four, Part<Pack<S>>& out) {
    gather4(numbers(table.data()->*part) + 4 * four, row_length<Row>, index,
            numbers(out) + 4 * four);
}
// A part whole, and a row whole.
template <template <class> class Row, template <class> class Part, class S>
ALWAYS_INLINE void gather_part(const Array<Row<S>>& table, Part<S> Row<S>::*part,
                               const std::uint32_t* index, Part<Pack<S>>& out) {
    for (std::size_t four = 0; four < row_length<Part> / 4; ++four)
        gather_four(table, part, index, four, out);
}
template <template <class> class Row, class S>
ALWAYS_INLINE void gather_row(const Array<Row<S>>& table, const std::uint32_t* index,
                              Row<Pack<S>>& out) {
    for (std::size_t f = 0; f < row_length<Row>; f += 4)
        gather4(numbers(*table.data()) + f, row_length<Row>, index, numbers(out) + f);
}

// A part of the rows first .. first + count - 1; lanes past `count` repeat the last row.
template <template <class> class Row, template <class> class Part, class S>
ALWAYS_INLINE void load_part(const Array<Row<S>>& table, Part<S> Row<S>::*part, std::size_t first,
                             int count, Part<Pack<S>>& out) {
    load_rows(numbers(table[first].*part), row_length<Row>, row_length<Part>, count, numbers(out));
}
template <template <class> class Row, class S>
ALWAYS_INLINE void load_row(const Array<Row<S>>& table, std::size_t first, int count,
                            Row<Pack<S>>& out) {
    load_rows(numbers(table[first]), row_length<Row>, row_length<Row>, count, numbers(out));
}
// The inverse.
template <template <class> class Row, template <class> class Part, class S>
ALWAYS_INLINE void store_part(const Part<Pack<S>>& in, Part<S> Row<S>::*part, std::size_t first,
                              int count, Array<Row<S>>& table) {
    for (std::size_t f = 0; f < row_length<Part>; f += 4)
        scatter4(numbers(in) + f, numbers(table[first].*part) + f, row_length<Row>, count);
}
template <template <class> class Row, class S>
ALWAYS_INLINE void store_row(const Row<Pack<S>>& in, std::size_t first, int count,
                             Array<Row<S>>& table) {
    for (std::size_t f = 0; f < row_length<Row>; f += 4)
        scatter4(numbers(in) + f, numbers(table[first]) + f, row_length<Row>, count);
}

}  // namespace knead
