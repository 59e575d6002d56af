#include "knead/mpm/foam/resample/cell_search.h"

#include <cstring>

namespace knead {

namespace {

// One bit a lane.
unsigned bits_of(WideMask<float, 8> mask) {
#if defined(__AVX__)
    return static_cast<unsigned>(lane_bits(mask));
#else
    unsigned bits = 0;
    for (int k = 0; k < 8; ++k) bits |= (mask[k] ? 1u : 0u) << k;
    return bits;
#endif
}

// For each set of lanes, the lanes in it first.
struct LaneOrder {
    typedef std::int32_t Lanes __attribute__((vector_size(32)));
    std::int32_t of[256][8];

    constexpr LaneOrder() : of{} {
        for (int set = 0; set < 256; ++set)
            for (int k = 0, n = 0; k < 8; ++k)
                if ((set >> k) & 1) of[set][n++] = k;
    }
    Lanes operator[](unsigned set) const {
        Lanes lanes;
        std::memcpy(&lanes, of[set], sizeof(lanes));
        return lanes;
    }
};
constexpr LaneOrder lane_order;

// Lane i becomes lane order[i] of a. One instruction; clang has no name for it.
Wide<float, 8> reordered(const Wide<float, 8>& a, const LaneOrder::Lanes& order) {
#if defined(__clang__)
    Wide<float, 8> out;
    for (int i = 0; i < 8; ++i) out.set(i, a[order[i]]);
    return out;
#else
    return {__builtin_shuffle(a.v, order)};
#endif
}

// Of 4 x 4 x 4 bits, z fastest, those of the eighth h: one bit for each of its eight parts.
unsigned eighth(std::uint64_t bits, int h) {
    bits >>= (h & 4) * 8 + (h & 2) * 4 + (h & 1) * 2;
    return static_cast<unsigned>((bits & 3) | ((bits >> 2) & 12) | ((bits >> 12) & 48) |
                                 ((bits >> 14) & 192));
}

// Which child a place among 4 x 4 x 4 is of the half it is in; of the place / 2, which half.
int octant(int place) { return ((place >> 2) & 4) | ((place >> 1) & 2) | (place & 1); }

}  // namespace

void CellSearch::add_points(const PointList& from, std::size_t begin, std::size_t end,
                            const Vec3<float>& corner) {
    PointList& to = near_;
    for (int a = 0; a < 3; ++a)
        for (std::size_t i = begin, k = to.count; i < end; i += 8, k += 8)
            (Pack8::load(&from.axis[a][i]) - corner[a]).store(&to.axis[a][k]);
    to.count += end - begin;
}

static_assert(dart_levels == 5);  // the whole, halves, quarters, and halves and quarters of those

bool CellSearch::any_dart() {
    near_.fill_pack();
    // quarters, and all that is smaller
    std::uint64_t open = 0;
    for (std::uint64_t left = open_quarters_; left; left &= left - 1) {
        const int q = __builtin_ctzll(left);
        const std::uint64_t parts = open_parts(q);
        if (parts == 0) continue;
        if (any_dart_in(whole_.child(octant(q >> 1)).child(octant(q)), parts)) return true;
        open |= std::uint64_t{1} << q;
    }
    // halves and the whole: their darts land in open quarters or nowhere
    for (int h = 0; h < 8; ++h)
        if (eighth(open, h) && lands(whole_.child(h), near_)) return true;
    return open && lands(whole_, near_);
}

bool CellSearch::any_dart_in(const DartPart& quarter, std::uint64_t open) const {
    if (lands(quarter, chosen_)) return true;
    for (int h = 0; h < 8; ++h) {
        unsigned left = eighth(open, h);
        if (left == 0) continue;
        const DartPart half = quarter.child(h);
        if (lands(half, chosen_)) return true;
        for (; left; left &= left - 1)
            if (lands(half.child(__builtin_ctz(left)), chosen_)) return true;
    }
    return false;
}

bool CellSearch::darts(int level, std::vector<Dart>& out) {
    near_.fill_pack();
    thrown_ = 0;
    if (level == 0) throw_dart(whole_, near_, out);
    for (int h = 0; h < 8 && level == 1; ++h)
        if (eighth(open_quarters_, h)) throw_dart(whole_.child(h), near_, out);
    for (std::uint64_t left = level > 1 ? open_quarters_ : 0; left; left &= left - 1) {
        const int q = __builtin_ctzll(left);
        const DartPart quarter = whole_.child(octant(q >> 1)).child(octant(q));
        const std::uint64_t open = open_parts(q);
        if (open && level == 2) throw_dart(quarter, chosen_, out);
        for (int h = 0; h < 8 && level > 2; ++h) {
            unsigned parts = eighth(open, h);
            if (parts && level == 3) throw_dart(quarter.child(h), chosen_, out);
            for (; parts && level == 4; parts &= parts - 1)
                throw_dart(quarter.child(h).child(__builtin_ctz(parts)), chosen_, out);
        }
    }
    return thrown_ > 0;
}

void CellSearch::choose_points(const Vec3<float>& corner) {
    chosen_.start(near_.count);
    const float* from[3] = {near_.axis[0].data(), near_.axis[1].data(), near_.axis[2].data()};
    float* to[3] = {chosen_.axis[0].data(), chosen_.axis[1].data(), chosen_.axis[2].data()};
    const float half = 0.125f;
    const Vec3<float> center = corner + splat(half);
    const std::size_t packed = near_.packed();
    std::size_t count = 0;
    for (std::size_t i = 0; i < packed; i += 8) {
        Pack8 u[3], d2(0);
        for (int a = 0; a < 3; ++a) {
            u[a] = Pack8::load(from[a] + i);
            const Pack8 d = max(abs(u[a] - center[a]) - half, Pack8(0.f));
            d2 += d * d;
        }
        const unsigned reached = bits_of(d2 < surely_beyond2);
        const auto order = lane_order[reached];
        for (int a = 0; a < 3; ++a) reordered(u[a], order).store(to[a] + count);
        count += static_cast<std::size_t>(__builtin_popcount(reached));
    }
    chosen_.count = count;
    chosen_.fill_pack();
}

std::uint64_t CellSearch::open_parts(int q) {
    typedef float Eight __attribute__((vector_size(32)));
    const Vec3<float> corner =
        0.25f * Vec3<float>{float(q >> 4), float((q >> 2) & 3), float(q & 3)};
    choose_points(corner);
    const float w = 0.0625f, h = w / 2;  // of a part
    // centres along x, z, and along y for the first and the last two rows
    const Pack8 x = corner.x + w * Pack8(Eight{.5f, 1.5f, 2.5f, 3.5f});
    const Pack8 z = corner.z + w * Pack8(Eight{.5f, 1.5f, 2.5f, 3.5f, .5f, 1.5f, 2.5f, 3.5f});
    const Pack8 y = corner.y + w * Pack8(Eight{.5f, .5f, .5f, .5f, 1.5f, 1.5f, 1.5f, 1.5f});
    Pack8 least[8];  // squared distances to the far corners
    for (Pack8& l : least) l = Pack8(1e9f);
    for (std::size_t i = 0; i < chosen_.count; ++i) {
        const Pack8 dz = abs(chosen_.axis[2][i] - z) + h, dx = abs(chosen_.axis[0][i] - x) + h;
        const Pack8 dy[2] = {abs(chosen_.axis[1][i] - y) + h,
                             abs(chosen_.axis[1][i] - 2 * w - y) + h};
        float x2[8];
        (dx * dx).store(x2);
        for (int k = 0; k < 8; ++k)
            least[k] = min(least[k], dy[k & 1] * dy[k & 1] + dz * dz + x2[k >> 1]);
    }
    std::uint64_t held = 0;
    for (int k = 0; k < 8; ++k)
        held |= std::uint64_t{bits_of(least[k] < surely_within2)} << (8 * k);
    return ~held;
}

// Far enough from every point, and deep enough in the matter.
bool CellSearch::lands(const DartPart& part, const PointList& near) const {
    const Vec3d dart = part.dart();
    for (std::size_t i = 0; i < near.packed(); i += 8) {
        const Pack8 x = Pack8::load(&near.axis[0][i]) - float(dart.x);
        const Pack8 y = Pack8::load(&near.axis[1][i]) - float(dart.y);
        const Pack8 z = Pack8::load(&near.axis[2][i]) - float(dart.z);
        if (any(x * x + y * y + z * z < surely_beyond2)) return false;
    }
    return interpolate(corners_.data(), dart) < dart_depth;
}

void CellSearch::throw_dart(const DartPart& part, const PointList& near, std::vector<Dart>& out) {
    ++thrown_;
    if (lands(part, near)) out.push_back({part.priority(), cell_, part.dart()});
}

}  // namespace knead
