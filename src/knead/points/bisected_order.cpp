#include "knead/points/bisected_order.h"

#include <algorithm>

#include "knead/geometry/box3.h"

namespace knead {

namespace {

struct Item {
    Vec3d x;
    std::int32_t body;
    std::int64_t id;
    std::uint32_t row;
};

void cut(std::vector<Item>& items, std::size_t begin, std::size_t end, std::size_t group) {
    if (end - begin <= group) return;
    Box3 box;
    for (std::size_t i = begin; i < end; ++i) box.add(items[i].x);
    const Vec3d size = box.size();
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::size_t half = ((end - begin) / 2 + group - 1) / group * group;
    const auto at = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(begin + half), at(end), [axis](const Item& a, const Item& b) {
        return a.x[axis] != b.x[axis] ? a.x[axis] < b.x[axis] : a.id < b.id;
    });
    cut(items, begin, begin + half, group);
    cut(items, begin + half, end, group);
}

}  // namespace

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
        cut(items, begin, end, group);
        begin = end;
    }
    std::vector<std::uint32_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = items[i].row;
    return order;
}

template std::vector<std::uint32_t> bisected_order(const Particles<float>&, std::size_t);
template std::vector<std::uint32_t> bisected_order(const Particles<double>&, std::size_t);

}  // namespace knead
