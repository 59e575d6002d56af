#include "knead/surface/particle_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace knead {

namespace {
constexpr int cell_limit = 1 << 20;  // 21 bits an axis in the key
}

Vec3i ParticleCells::cell_of(const Vec3d& x) const {
    const auto cell = [this](double a) {
        const double c = std::floor(a / cell_);
        return static_cast<int>(std::clamp(c, -1.0 * cell_limit, cell_limit - 1.0));
    };
    return {cell(x.x), cell(x.y), cell(x.z)};
}

std::uint64_t ParticleCells::key(const Vec3i& c) {
    const auto bits = [](int a) { return static_cast<std::uint64_t>(a + cell_limit); };
    return bits(c.x) << 42 | bits(c.y) << 21 | bits(c.z);
}

ParticleCells::ParticleCells(const std::vector<Vec3f>& positions, double cell)
    : cell_(cell), order_(positions.size()) {
    std::vector<std::uint64_t> keys(positions.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key(cell_of(Vec3d(positions[i])));
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
    });
    for (std::size_t n = 0; n < order_.size();) {
        const std::size_t begin = n;
        while (n < order_.size() && keys[order_[n]] == keys[order_[begin]]) ++n;
        starts_[keys[order_[begin]]] = {begin, n};
    }
}

}  // namespace knead
