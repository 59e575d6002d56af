#include "knead/points/bisected_order.h"

#include <algorithm>
#include <cmath>

#include "knead/geometry/box3.h"

namespace knead {

namespace {

struct Item {
    Vec3d x;
    std::int32_t body;
    std::int64_t id;
    std::uint32_t row;
};

// Layers a spacing thick are cut whole, or by the layers across them where a cut falls inside: else
// the few that a lattice's jitter sends to the wrong side would make groups ragged.
void cut(std::vector<Item>& items, std::size_t begin, std::size_t end, std::size_t group,
         double spacing) {
    if (end - begin <= group) return;
    Box3 box;
    for (std::size_t i = begin; i < end; ++i) box.add(items[i].x);
    const Vec3d size = box.size();
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const auto layer = [&](const Item& i, int c) {
        return std::floor((i.x[c] - box.lo[c]) / spacing + 0.25);
    };
    const auto at = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto before = [&](const Item& a, const Item& b) {
        for (int k = 0; k < 3; ++k) {
            const int c = (axis + k) % 3;
            const double p = layer(a, c), q = layer(b, c);
            if (p != q) return p < q;
        }
        return a.id < b.id;
    };
    const std::size_t half = half_of(end - begin, group);
    std::nth_element(at(begin), at(begin + half), at(end), before);
    cut(items, begin, begin + half, group, spacing);
    cut(items, begin + half, end, group, spacing);
}

}  // namespace

std::size_t half_of(std::size_t rows, std::size_t group) {
    return (rows / 2 + group - 1) / group * group;
}

template <class Real>
std::vector<std::uint32_t> bisected_order(const Particles<Real>& particles, std::size_t group) {
    std::vector<Item> items(particles.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = {particles.x.vec(i), particles.body.at(i), particles.id.at(i),
                    static_cast<std::uint32_t>(i)};
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.body < b.body; });
    for (std::size_t begin = 0; begin < items.size();) {
        std::size_t end = begin;
        while (end < items.size() && items[end].body == items[begin].body) ++end;
        double volume = 0;
        for (std::size_t i = begin; i < end; ++i)
            volume += static_cast<double>(particles.volume.at(items[i].row));
        cut(items, begin, end, group, std::cbrt(volume / static_cast<double>(end - begin)));
        begin = end;
    }
    std::vector<std::uint32_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = items[i].row;
    return order;
}

template std::vector<std::uint32_t> bisected_order(const Particles<float>&, std::size_t);
template std::vector<std::uint32_t> bisected_order(const Particles<double>&, std::size_t);

}  // namespace knead
