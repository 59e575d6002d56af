#include "knead/scene/fit_to_surface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "knead/parallel/exec.h"
#include "knead/particles/point_grid.h"

namespace knead {

namespace {

constexpr double wanted_depth = 0.5;  // of the outer layer [spacings]
constexpr int rounds = 10;            // of spreading; more gain little
// Particles nearer than this push each other apart, each by this share of what is missing. Those of
// a whole lattice do not.
constexpr double apart = 0.95, share = 0.25;  // [spacings], []

enum class Layer : std::uint8_t { outer, next, near, inner };

// A particle that moves and those that stand in its way, of which the fourth layer is the last.
struct Skin {
    std::vector<std::size_t> rows;  // of the fill
    std::vector<Layer> layers;      // one a row
};

double depth_of(const Fill& fill, std::size_t i, double h) {
    return -fill.shape.distance(fill.points[i]) / h;
}

Layer layer_at(double depth) {
    return depth < 1   ? Layer::outer
           : depth < 2 ? Layer::next
           : depth < 4 ? Layer::near
                       : Layer::inner;
}

// Along the normal: the outer layer to its depth, the next one by half as much.
bool set_depth(Fill& fill, std::size_t i, double wanted, double depth, double h) {
    if (std::abs(wanted - depth) < 1e-6) return false;
    Vec3d& x = fill.points[i];
    x -= (wanted - depth) * h * fill.shape.gradient(x);
    return true;
}

// Lays the first two layers, and lists what stands within four. Empty where nothing moved.
Skin lay(Fill& fill) {
    std::vector<Layer> layers(fill.points.size());
    std::vector<std::uint8_t> moved(fill.points.size(), 0);
    for_each(fill.points.size(), 1024, [&](std::size_t i) {
        const double h = std::cbrt(fill.volume_of(i)), depth = depth_of(fill, i, h);
        layers[i] = layer_at(depth);
        if (layers[i] == Layer::outer)
            moved[i] = set_depth(fill, i, wanted_depth, depth, h);
        else if (layers[i] == Layer::next)
            moved[i] = set_depth(fill, i, depth + 0.5 * (1 + wanted_depth - depth), depth, h);
    });
    Skin skin;
    if (std::find(moved.begin(), moved.end(), 1) == moved.end()) return skin;
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (layers[i] != Layer::inner) skin.rows.push_back(i), skin.layers.push_back(layers[i]);
    return skin;
}

// Where a particle is pushed by those too near to it.
Vec3d pushed(const Fill& fill, const Skin& skin, const PointGrid& grid, std::size_t k) {
    const std::size_t i = skin.rows[k];
    const Vec3d x = fill.points[i];
    const double h = std::cbrt(fill.volume_of(i));
    Vec3d shift{0, 0, 0};
    grid.for_each_within(x, apart * h, [&](std::uint32_t, std::uint32_t other, double d2) {
        const std::size_t j = skin.rows[other];
        const double d = std::sqrt(d2), least = apart * std::min(h, std::cbrt(fill.volume_of(j)));
        if (j != i && d > 0 && d < least) shift += share * (least - d) / d * (x - fill.points[j]);
    });
    return x + shift;
}

void spread(Fill& fill, const Skin& skin, double cell) {
    std::vector<PointRef> refs(skin.rows.size());
    std::vector<Vec3d> points(skin.rows.size());
    for (std::size_t k = 0; k < refs.size(); ++k) {
        refs[k].row = static_cast<std::uint32_t>(k);
        points[k] = fill.points[skin.rows[k]];
    }
    const PointGrid grid(points, refs, cell);
    for_each(points.size(), 256, [&](std::size_t k) {
        if (skin.layers[k] != Layer::near) points[k] = pushed(fill, skin, grid, k);
    });
    for_each(points.size(), 256, [&](std::size_t k) {
        const std::size_t i = skin.rows[k];
        fill.points[i] = points[k];
        const double h = std::cbrt(fill.volume_of(i));
        if (skin.layers[k] == Layer::outer)
            set_depth(fill, i, wanted_depth, depth_of(fill, i, h), h);
    });
}

}  // namespace

void fit_to_surface(Fill& fill) {
    const Skin skin = lay(fill);
    if (skin.rows.empty()) return;
    double widest = 0;
    for (const std::size_t i : skin.rows) widest = std::max(widest, fill.volume_of(i));
    for (int round = 0; round < rounds; ++round) spread(fill, skin, std::cbrt(widest));
}

}  // namespace knead
