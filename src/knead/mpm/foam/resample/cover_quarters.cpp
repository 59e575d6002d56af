#include "knead/mpm/foam/resample/cover_quarters.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace knead {

// The quarter from c to c + 1 lies inside where |c + 1/2 - z| + 1/2 < sqrt(rest2).
CoverQuarters::Int8 CoverQuarters::bits_along(float z, Pack8 rest2) {
    const Pack8 reach = sqrt(max(rest2, Pack8(0.f))) - 0.5f;
    const Pack8 lo = -floor(reach - (z - 0.5f)), hi = floor(reach + (z - 0.5f));
    const Pack8 first = max(lo, Pack8(0.f)), last = min(hi, Pack8(width - 1.f));
    const Int8 any = (first <= last).v;
    const Int8 from = __builtin_convertvector(first.v, Int8) & 31;
    const Int8 past = (31 - __builtin_convertvector(last.v, Int8)) & 31;
    typedef std::uint32_t Bits8 __attribute__((vector_size(32)));
    const Bits8 ones = ~Bits8{};
    return reinterpret_cast<Int8>((ones << reinterpret_cast<Bits8>(from)) &
                                  (ones >> reinterpret_cast<Bits8>(past))) &
           any;
}

void CoverQuarters::add_sphere(const Vec3<float>& center) {
    const Vec3<float> u = 4.f * center;
    // no quarter farther than three from the centre's own lies inside a radius of 3.6 quarters
    const int x = static_cast<int>(std::floor(u.x)), y = static_cast<int>(std::floor(u.y));
    const int first = std::clamp(y - 3, 0, width - 8);  // of eight rows
    typedef float Eight __attribute__((vector_size(32)));
    const Pack8 row = Pack8(Eight{0, 1, 2, 3, 4, 5, 6, 7}) + (float(first) + 0.5f - u.y);
    const Pack8 dy = abs(row) + 0.5f, rest2 = radius2_ - dy * dy;
    for (int i = std::max(x - 3, 0); i <= std::min(x + 3, width - 1); ++i) {
        const float dx = std::abs(float(i) + 0.5f - u.x) + 0.5f;
        std::int32_t* rows = rows_.data() + i * width + first;
        Int8 bits;
        std::memcpy(&bits, rows, sizeof(bits));
        bits |= bits_along(u.z, rest2 - dx * dx);
        std::memcpy(rows, &bits, sizeof(bits));
    }
}

std::uint64_t CoverQuarters::open_quarters(const Vec3i& cell) const {
    std::uint64_t held = 0;
    for (int n = 0; n < 16; ++n) {
        const auto row = static_cast<std::uint32_t>(
            rows_[static_cast<std::size_t>((4 * cell.x + n / 4) * width + 4 * cell.y + n % 4)]);
        held |= std::uint64_t{(row >> (4 * cell.z)) & 15} << (4 * n);
    }
    return ~held;
}

}  // namespace knead
