// Which quarters of the cells of one block lie inside a single sphere of the dart spacing: a bit a
// quarter (of a cell's width), set sphere by sphere. Lengths are in units of r, from the block's
// corner.
#pragma once

#include <array>
#include <cstdint>

#include "knead/math/wide.h"
#include "knead/mpm/foam/resample/signed_distance.h"

namespace knead {

class CoverQuarters {
public:
    // `radius2`: the squared radius of all spheres to come.
    void clear(float radius2) {
        rows_.fill(0);
        radius2_ = 16 * radius2;
    }
    void add_sphere(const Vec3<float>& center);
    // One bit for each of a cell's 4 x 4 x 4 quarters that no sphere holds, z fastest.
    std::uint64_t open_quarters(const Vec3i& cell) const;

private:
    static constexpr int width = 4 * PointGrid::width;  // one row of bits along z is 32 of them
    using Pack8 = Wide<float, 8>;
    typedef std::int32_t Int8 __attribute__((vector_size(32)));

    // The bits along z that a sphere at `z` holds, for eight rows whose squared distances from its
    // centre leave `rest2` of its radius.
    static Int8 bits_along(float z, Pack8 rest2);

    std::array<std::int32_t, width * width> rows_;
    float radius2_ = 0;  // in quarters
};

}  // namespace knead
