#include "knead/points/neighbours/neighbours.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "knead/base/check.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t part = 512;  // points a task

// Lists from list(i, out), which fills out with the list of i; parts are made side by side and then
// laid out in order.
template <class MakeScratch, class List>
Neighbours collect(std::size_t n, const MakeScratch& make_scratch, const List& list) {
    struct Part {
        std::vector<std::size_t> end;
        std::vector<std::uint32_t> index;
    };
    std::vector<Part> parts((n + part - 1) / part);
    parallel_chunks(n, part, [&](std::size_t begin, std::size_t end) {
        Part& p = parts[begin / part];
        auto scratch = make_scratch();
        for (std::size_t i = begin; i < end; ++i) {
            list(i, scratch, p.index);
            p.end.push_back(p.index.size());
        }
    });
    Neighbours lists;
    lists.begin.reserve(n + 1);
    std::vector<std::size_t> first;
    for (const Part& p : parts) {
        first.push_back(lists.begin.back());
        for (const std::size_t end : p.end) lists.begin.push_back(first.back() + end);
    }
    lists.index.resize(lists.begin.back());
    for_each(parts.size(), 8, [&](std::size_t p) {
        std::copy(parts[p].index.begin(), parts[p].index.end(),
                  lists.index.begin() + static_cast<std::ptrdiff_t>(first[p]));
    });
    return lists;
}

// Lists from a query for each point.
template <class Query>
Neighbours collect_found(std::size_t n, ListOrder order, const Query& query) {
    const auto list = [&](std::size_t i, std::vector<Found>& found,
                          std::vector<std::uint32_t>& out) {
        query(i, found);
        if (order == ListOrder::by_distance)
            std::sort(found.begin(), found.end());
        else
            std::sort(found.begin(), found.end(),
                      [](const Found& a, const Found& b) { return a.index < b.index; });
        for (const Found& f : found) out.push_back(f.index);
    };
    return collect(
        n, [] { return std::vector<Found>(); }, list);
}

double radius_of(std::span<const double> radius, std::size_t i) {
    return radius.size() == 1 ? radius[0] : radius[i];
}

}  // namespace

Neighbours all_within(std::span<const Vec3d> points, std::span<const double> radius,
                      ListOrder order) {
    const KdTree tree(points);
    CHECK(radius.size() == 1 || radius.size() == points.size(), "%zu radii", radius.size());
    return collect_found(points.size(), order, [&](std::size_t i, std::vector<Found>& found) {
        tree.within(points[i], radius_of(radius, i), found);
        std::erase_if(found, [i](const Found& f) { return f.index == i; });
    });
}

Neighbours nearest_within(std::span<const Vec3d> points, std::size_t k,
                          std::span<const double> radius, ListOrder order) {
    const KdTree tree(points);
    CHECK(radius.size() == 1 || radius.size() == points.size(), "%zu radii", radius.size());
    return collect_found(points.size(), order, [&](std::size_t i, std::vector<Found>& found) {
        tree.nearest(points[i], k, radius_of(radius, i), static_cast<std::uint32_t>(i), found);
    });
}

Neighbours transposed(const Neighbours& lists) {
    // A few strips of lists, each of which counts how often it names every point; the same strips
    // for any number of threads.
    const std::size_t n = lists.size(), strips = 8, rows = (n + strips - 1) / strips;
    std::vector<std::uint32_t> named(strips * n);
    const auto strip = [&](std::size_t s, const auto& visit) {
        std::uint32_t* mine = named.data() + s * n;
        for (std::size_t i = s * rows; i < std::min(n, (s + 1) * rows); ++i)
            for (const std::uint32_t j : lists.of(i)) visit(i, j, mine[j]);
    };
    for_each(strips, 1, [&](std::size_t s) {
        strip(s, [](std::size_t, std::uint32_t, std::uint32_t& count) { ++count; });
    });
    // Counts become the places where a strip's names begin within a list.
    Neighbours t;
    t.begin.assign(n + 1, 0);
    for_each(n, 4096, [&](std::size_t j) {
        std::uint32_t sum = 0;
        for (std::size_t s = 0; s < strips; ++s) sum += std::exchange(named[s * n + j], sum);
        t.begin[j + 1] = sum;
    });
    for (std::size_t i = 0; i < n; ++i) t.begin[i + 1] += t.begin[i];
    t.index.resize(lists.index.size());
    for_each(strips, 1, [&](std::size_t s) {
        strip(s, [&](std::size_t i, std::uint32_t j, std::uint32_t& place) {
            t.index[t.begin[j] + place++] = static_cast<std::uint32_t>(i);
        });
    });
    return t;
}

Neighbours symmetric(const Neighbours& lists) {
    const Neighbours reverse = transposed(lists);
    using List = std::vector<std::uint32_t>;
    return collect(
        lists.size(), [] { return List(); },
        [&](std::size_t i, List& mine, List& out) {
            const auto named = lists.of(i), naming = reverse.of(i);
            mine.assign(named.begin(), named.end());
            std::sort(mine.begin(), mine.end());
            std::set_union(mine.begin(), mine.end(), naming.begin(), naming.end(),
                           std::back_inserter(out));
        });
}

}  // namespace knead
