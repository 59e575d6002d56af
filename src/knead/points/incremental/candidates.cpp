#include "knead/points/incremental/candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "knead/parallel/array.h"
#include "knead/parallel/exec.h"
#include "knead/points/gather.h"

namespace knead {

namespace {

constexpr std::size_t regions_a_task = 32;

// How much farther than h candidates are looked for, in units of h; and when some must look anew,
// so do all that have used up this share of it.
constexpr double skin = 0.16;
constexpr double used_up = 0.5;

// The points around a region, by row, laid out for packs.
class PointsAround {
    using P = Wide<float, 8>;

public:
    explicit PointsAround(std::size_t points) : marked_((points + 63) / 64, 0) {}

    // All points in regions that touch this one and within r of the box, counted from its middle.
    void collect(std::span<const Vec3d> points, const LocalMotion& motion, std::size_t region,
                 const Box3& box, double r) {
        middle_ = box.center();
        // single precision rounds distances by less
        limit_ = static_cast<float>((1 + 1e-5) * r * (1 + 1e-5) * r);
        mark(motion, region);
        keep_inside(points, 0.5 * box.size() + splat((1 + 1e-5) * r));
        const std::size_t packs = count_ / 8 + 1;
        for (auto& x : x_) x.resize(8 * packs);
        std::fill_n(place_.data() + 4 * count_, 4 * 8, far);
        for (std::size_t k = 0; k < packs; ++k) {
            P out[4];
            load_rows(place_.data() + 32 * k, 4, 4, 8, out);
            for (int a = 0; a < 3; ++a) out[a].store(x_[a].data() + 8 * k);
        }
    }

    // Appends all near a point but itself.
    void append(const Vec3d& point, std::uint32_t self, std::vector<std::uint32_t>& list) {
        near_.resize(row_.size());
        const auto at = static_cast<Vec3f>(point - middle_);
        float& own = x_[0][static_cast<std::size_t>(
            std::lower_bound(row_.data(), row_.data() + count_, self) - row_.data())];
        const float kept = std::exchange(own, far);
        std::uint32_t* out = near_.data();
        for (std::size_t k = 0; k < count_; k += 8) {
            const Vec3<P> d{P::load(x_[0].data() + k) - P(at.x),
                            P::load(x_[1].data() + k) - P(at.y),
                            P::load(x_[2].data() + k) - P(at.z)};
            out += compress(lane_set(dot(d, d) < P(limit_)), row_.data() + k, out);
        }
        own = kept;
        list.insert(list.end(), near_.data(), out);
    }

private:
    static constexpr float far = 1e18f;

    // The rows of all points in regions that touch this one, in order.
    void mark(const LocalMotion& motion, std::size_t region) {
        std::size_t first = marked_.size(), end = 0, most = 0;
        for (const std::uint32_t other : motion.touching(region)) {
            const auto rows = motion.points_of(other);
            for (const std::uint32_t j : rows) marked_[j / 64] |= std::uint64_t{1} << j % 64;
            first = std::min(first, std::size_t{rows.front() / 64});
            end = std::max(end, std::size_t{rows.back() / 64 + 1});
            most += rows.size();
        }
        row_.resize(most + 8);
        std::uint32_t* row = row_.data();
        for (std::size_t word = first; word < end; ++word)
            for (std::uint64_t bits = std::exchange(marked_[word], 0); bits != 0; bits &= bits - 1)
                *row++ = static_cast<std::uint32_t>(
                    64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
        count_ = static_cast<std::size_t>(row - row_.data());
    }
    // Of those, the ones in the box with these half sides; and where they are.
    void keep_inside(std::span<const Vec3d> points, const Vec3d& half) {
        place_.resize(4 * (count_ + 8));
        const Wide<double, 4> middle = Wide<double, 4>::Native{middle_.x, middle_.y, middle_.z, 0};
        const Vec3f h = static_cast<Vec3f>(half);
        const Wide<float, 4> side = Wide<float, 4>::Native{h.x, h.y, h.z, 1};
        std::size_t kept = 0;
        for (std::size_t k = 0; k < count_; ++k) {
            const Vec3d& x = points[row_[k]];
            const Wide<double, 4> d = Wide<double, 4>::Native{x.x, x.y, x.z, 0} - middle.v;
            const Wide<float, 4> at = __builtin_convertvector(d.v, Wide<float, 4>::Native);
            at.store(place_.data() + 4 * kept);
            row_[kept] = row_[k];
            kept += lane_set(at < side && Wide<float, 4>(0.0f) - at < side) == 15 ? 1 : 0;
        }
        count_ = kept;
    }

    Vec3d middle_{0, 0, 0};
    float limit_ = 0;
    std::vector<std::uint64_t> marked_;  // a bit a point, all clear between calls
    std::vector<std::uint32_t> row_, near_;
    Array<float> place_;  // four numbers a point
    Array<float> x_[3];   // padded to whole packs
    std::size_t count_ = 0;
};

}  // namespace

bool Candidates::update(std::span<const Vec3d> points, double h) {
    if (begin_.empty() || !motion_.advance(points, past_)) {
        begin_.assign(points.size() + 1, 0);
        count_.assign(points.size(), 0);
        past_.assign(points.size(), {1, 2 * skin * h});
        motion_.start(points, (1 + skin) * h);
    }
    const double farthest = reduce(
        points.size(), 0.0, [&](std::size_t i) { return past_[i](h); },
        [](double a, double b) { return std::max(a, b); });
    if (farthest < (1 + skin) * h) return false;
    find(points, h, (1 + used_up * skin) * h);
    return true;
}

void Candidates::find(std::span<const Vec3d> points, double h, double limit) {
    const std::size_t n = points.size();
    std::vector<const std::uint32_t*> from(n);
    std::vector<std::vector<std::uint32_t>> found(motion_.regions());
    parallel_chunks(motion_.regions(), regions_a_task, [&](std::size_t first, std::size_t end) {
        PointsAround around(n);
        for (std::size_t r = first; r < end; ++r) {
            // whose list is too old, and where they are
            Box3 box;
            for (const std::uint32_t i : motion_.points_of(r))
                if (past_[i](h) < limit)
                    from[i] = list(i);
                else
                    box.add(points[i]);
            if (box.empty()) continue;
            around.collect(points, motion_, r, box, (1 + skin) * h);
            for (const std::uint32_t i : motion_.points_of(r)) {
                if (from[i]) continue;
                const std::size_t before = found[r].size();
                around.append(points[i], i, found[r]);
                count_[i] = static_cast<std::uint32_t>(found[r].size() - before);
                past_[i] = {};
            }
            const std::uint32_t* next = found[r].data();
            for (const std::uint32_t i : motion_.points_of(r))
                if (!from[i]) from[i] = std::exchange(next, next + count_[i]);
        }
    });

    // all lists, one behind the other
    for (std::size_t i = 0; i < n; ++i) begin_[i + 1] = begin_[i] + list_room(count_[i]);
    old_rows_.swap(rows_);
    rows_.resize(begin_[n]);
    for_each(n, 512, [&](std::size_t i) {
        std::uint32_t* to = std::copy_n(from[i], count_[i], rows_.data() + begin_[i]);
        std::fill(to, rows_.data() + begin_[i + 1], static_cast<std::uint32_t>(i));
    });
}

std::size_t Candidates::bytes() const {
    return begin_.capacity() * sizeof(begin_[0]) +
           (rows_.capacity() + old_rows_.capacity() + count_.capacity()) * sizeof(std::uint32_t) +
           past_.capacity() * sizeof(PastDistance) + motion_.bytes();
}

}  // namespace knead
