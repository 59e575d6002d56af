#include "knead/points/incremental/candidates.h"

#include <algorithm>

#include "knead/parallel/exec.h"
#include "knead/points/binned_points.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // points a task

// How much farther than h candidates are looked for, in units of h; and when some must look anew,
// so do all that have used up this share of it.
constexpr double skin = 0.16;
constexpr double used_up = 0.5;

// By insertion: rows come nearly in order.
void sort_nearly_sorted(std::uint32_t* begin, std::uint32_t* end) {
    for (std::uint32_t* i = begin; i < end; ++i) {
        const std::uint32_t value = *i;
        std::uint32_t* at = i;
        for (; at > begin && at[-1] > value; --at) *at = at[-1];
        *at = value;
    }
}

}  // namespace

void Candidates::update(std::span<const Vec3d> points, double h) {
    if (begin_.empty() || !motion_.advance(points, reach_)) {
        begin_.assign(points.size() + 1, 0);
        count_.assign(points.size(), 0);
        reach_.assign(points.size(), 2 * (1 + skin) * h);
        motion_.start(points, h);
    }
    const double farthest = reduce(
        points.size(), 0.0, [&](std::size_t i) { return reach_[i]; },
        [](double a, double b) { return std::max(a, b); });
    if (!(farthest < (1 + skin) * h)) find(points, h, (1 + used_up * skin) * h);
}

void Candidates::find(std::span<const Vec3d> points, double h, double limit) {
    const std::size_t n = points.size();
    const BinnedPoints binned(points, 0.5 * h);
    std::vector<std::vector<std::uint32_t>> parts((n + part - 1) / part);
    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        std::vector<std::uint32_t>& rows = parts[first / part];
        std::vector<std::uint32_t> found;
        for (std::size_t i = first; i < end; ++i) {
            if (reach_[i] < limit) {
                rows.insert(rows.end(), list(i), list(i) + count_[i]);
                continue;
            }
            std::size_t count = 0;
            binned.for_each_near(points[i], (1 + skin) * h, [&](std::uint32_t at, unsigned lanes) {
                count = binned.append(at, lanes, found, count);
            });
            sort_nearly_sorted(found.data(), found.data() + count);
            std::uint32_t* last =
                std::remove(found.data(), found.data() + count, static_cast<std::uint32_t>(i));
            rows.insert(rows.end(), found.data(), last);
            count_[i] = static_cast<std::uint32_t>(last - found.data());
            reach_[i] = h;
        }
    });
    for (std::size_t i = 0; i < n; ++i) begin_[i + 1] = begin_[i] + padded_list(count_[i]);
    rows_.resize(begin_[n]);
    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        const std::uint32_t* from = parts[first / part].data();
        for (std::size_t i = first; i < end; ++i) {
            std::uint32_t* to = std::copy_n(from, count_[i], rows_.data() + begin_[i]);
            std::fill(to, rows_.data() + begin_[i + 1], static_cast<std::uint32_t>(i));
            from += count_[i];
        }
    });
}

std::size_t Candidates::bytes() const {
    return begin_.capacity() * sizeof(begin_[0]) +
           (rows_.capacity() + count_.capacity()) * sizeof(std::uint32_t) +
           reach_.capacity() * sizeof(double) + motion_.bytes();
}

}  // namespace knead
