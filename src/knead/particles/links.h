// Links: what each particle of a table knows of its neighbours, `width` slots a particle. State of
// methods whose neighbourhoods carry memory, such as the rest vectors of [Jones 2014]; it goes into
// checkpoints through for_each_column. Moves with the rows of its
// phase (edit_rows.h).
#pragma once

#include <vector>

#include "knead/math/vec.h"
#include "knead/parallel/array.h"

namespace knead {

template <class Real>
struct Links {
    static constexpr std::size_t width = 32;  // slots a particle

    Array<std::int32_t> count;  // slots in use, one a particle: slots [width i, width i + count_i)
    Array<std::int32_t> to;     // row of the neighbour, one a slot; free slots hold their own row
    Array<Real> u[3];           // rest vector from the particle to the neighbour [m]; else 0

    bool present() const { return !count.empty(); }
    std::size_t size() const { return count.size(); }
    static std::size_t first(std::size_t row) { return row * width; }
    std::size_t end(std::size_t row) const {
        return row * width + static_cast<std::size_t>(count[row]);
    }
    Vec3<Real> rest(std::size_t slot) const { return {u[0][slot], u[1][slot], u[2][slot]}; }
    void set_rest(std::size_t slot, const Vec3<Real>& a) {
        for (int k = 0; k < 3; ++k) u[k][slot] = a[k];
    }

    // n particles without neighbours.
    void create(std::size_t n) {
        *this = {};
        resize(n);
    }
    // n particles; new ones come without neighbours.
    void resize(std::size_t n) {
        const std::size_t old = to.size();
        count.resize(n, 0);
        to.resize(n * width);
        for (std::size_t s = old; s < to.size(); ++s) to[s] = static_cast<std::int32_t>(s / width);
        for (auto& plane : u) plane.resize(n * width, Real(0));
    }

    // visit(name, array) for every array; their lengths are n or width n.
    template <class Self, class Visit>
    static void for_each_column(Self& links, Visit&& visit) {
        visit("count", links.count);
        visit("to", links.to);
        visit("u0", links.u[0]);
        visit("u1", links.u[1]);
        visit("u2", links.u[2]);
    }
};

// Row i of the result is row order[i]; neighbours are renamed likewise, and stand in ascending
// order. A neighbour whose row is not in the order is dropped.
template <class Real>
void reorder_links(Links<Real>& links, const std::vector<std::uint32_t>& order);

}  // namespace knead
