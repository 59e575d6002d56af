#include "knead/surface/average_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "knead/base/error.h"
#include "knead/base/machine.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr int side = LevelSetBlock::side;

// Refuses more blocks than there is memory for.
void require_memory(std::size_t blocks, double voxel) {
    // values and bounds, once more while they are smoothed, and the grid that is meshed
    constexpr double bytes = 8.0 * sizeof(float) * LevelSetBlock::count;
    const double memory = bytes * static_cast<double>(blocks), available = available_memory();
    if (memory > available)
        throw InputError({},
                         fmt::format("a surface of voxels of {:.3g} m would take {} of memory, "
                                     "and {} are free",
                                     voxel, bytes_in_words(memory), bytes_in_words(available)),
                         fmt::format("choose a larger --voxel, such as {:.2g}",
                                     1.2 * voxel * std::sqrt(memory / available)));
}

// Every block that lies within reach of a particle, sorted.
std::vector<Vec3i> blocks_near(const SkinParticles& p, double voxel, double support) {
    const double edge = side * voxel;
    const auto before = [](const Vec3i& a, const Vec3i& b) {
        return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
    };
    std::vector<Vec3i> found;
    std::size_t crowded = 1 << 20;
    for (std::size_t n = 0; n < p.x.size(); ++n) {
        const Vec3d x(p.x[n]);
        const double reach = support * static_cast<double>(p.radius[n]);
        Vec3i lo, hi;
        for (int k = 0; k < 3; ++k) {
            lo[k] = static_cast<int>(std::floor((x[k] - reach) / edge));
            hi[k] = static_cast<int>(std::floor((x[k] + reach) / edge));
        }
        for (int i = lo.x; i <= hi.x; ++i)
            for (int j = lo.y; j <= hi.y; ++j)
                for (int k = lo.z; k <= hi.z; ++k) found.push_back({i, j, k});
        // keep the list short while it grows
        if (found.size() > crowded || n + 1 == p.x.size()) {
            std::sort(found.begin(), found.end(), before);
            found.erase(std::unique(found.begin(), found.end()), found.end());
            require_memory(found.size(), voxel);
            crowded = std::max(crowded, 2 * found.size());
        }
    }
    return found;
}

// Weighted sums over the particles, one entry a voxel of the block.
struct BlockSums {
    std::array<float, LevelSetBlock::count> weight{}, x{}, y{}, z{}, radius{};
};

// Adds one particle to the voxels it reaches; coordinates are relative to the block, in voxels.
void add_particle(const Vec3f& at, float radius, const SkinSettings& s, BlockSums& sums,
                  BlockBounds& bounds) {
    const float reach = static_cast<float>(s.support) * radius;
    const float inverse = 1 / (reach * reach);
    const float inner = static_cast<float>(s.inner) * radius;
    const float outer = static_cast<float>(s.outer) * radius;
    Vec3i lo, hi;
    for (int k = 0; k < 3; ++k) {
        lo[k] = std::max(0, static_cast<int>(std::ceil(at[k] - reach)));
        hi[k] = std::min(side - 1, static_cast<int>(std::floor(at[k] + reach)));
    }
    for (int i = lo.x; i <= hi.x; ++i)
        for (int j = lo.y; j <= hi.y; ++j) {
            const float dx = static_cast<float>(i) - at.x, dy = static_cast<float>(j) - at.y;
            for (int k = lo.z; k <= hi.z; ++k) {
                const float dz = static_cast<float>(k) - at.z;
                const float d2 = dx * dx + dy * dy + dz * dz;
                const float t = std::max(0.0f, 1 - d2 * inverse), w = t * t * t;
                const auto v = static_cast<std::size_t>(LevelSetBlock::index(i, j, k));
                sums.weight[v] += w;
                sums.x[v] += w * dx;
                sums.y[v] += w * dy;
                sums.z[v] += w * dz;
                sums.radius[v] += w * radius;
                const float d = std::sqrt(d2);
                bounds.inner[v] = std::min(bounds.inner[v], d - inner);
                bounds.outer[v] = std::min(bounds.outer[v], d - outer);
            }
        }
}

// Fills one block; `far` is the value out of every particle's reach, in voxels.
void fill_block(const SkinParticles& p, const ParticleCells& cells, double voxel, float far,
                const SkinSettings& s, LevelSetBlock& block, BlockBounds& bounds) {
    BlockSums sums;
    bounds.inner.fill(far);
    bounds.outer.fill(far);
    const Vec3d lo = voxel * Vec3d(block.origin);
    const Vec3d hi = lo + splat((side - 1) * voxel);
    const Vec3d reach = splat(s.support * static_cast<double>(p.largest));
    const auto scale = static_cast<float>(1 / voxel);
    cells.for_each_in_box(lo - reach, hi + reach, [&](std::uint32_t n) {
        const Vec3f at((Vec3d(p.x[n]) - lo) / voxel);
        add_particle(at, p.radius[n] * scale, s, sums, bounds);
    });
    for (std::size_t v = 0; v < LevelSetBlock::count; ++v) {
        const float w = sums.weight[v];
        float phi = far;
        if (w > 1e-12f) {
            const Vec3f mean{sums.x[v] / w, sums.y[v] / w, sums.z[v] / w};
            phi = length(mean) - static_cast<float>(s.offset) * sums.radius[v] / w;
        }
        bounds.outer[v] = std::min(bounds.outer[v], far);
        bounds.inner[v] = std::min(bounds.inner[v], far);
        block.phi[v] = std::clamp(phi, bounds.outer[v], bounds.inner[v]);
    }
    // voxels to metres
    const auto edge = static_cast<float>(voxel);
    for (auto* field : {&block.phi, &bounds.inner, &bounds.outer})
        for (float& value : *field) value *= edge;
}

}  // namespace

SkinParticles::SkinParticles(const Frame& frame)
    : x(frame.positions()), radius(frame.floats("pscale")) {
    if (x.empty()) return;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!(std::abs(x[i].x) < 1e6f && std::abs(x[i].y) < 1e6f && std::abs(x[i].z) < 1e6f))
            throw InputError({}, fmt::format("particle in row {} is nowhere: ({}, {}, {})", i,
                                             x[i].x, x[i].y, x[i].z));
        if (!(radius[i] > 0 && radius[i] < 1e6f))
            throw InputError({}, fmt::format("particle in row {} has pscale {}", i, radius[i]),
                             "pscale is a radius in metres and must be above 0");
    }
    std::vector<float> sorted = radius;
    const auto half = sorted.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::nth_element(sorted.begin(), half, sorted.end());
    finest = std::max(*std::min_element(radius.begin(), radius.end()), 0.25f * *half);
    largest = *std::max_element(radius.begin(), radius.end());
}

SkinFields average_surface(const SkinParticles& particles, const ParticleCells& cells, double voxel,
                           const SkinSettings& settings) {
    SkinFields fields;
    LevelSet& set = fields.level_set;
    set.voxel = voxel;
    const double far = (settings.support - settings.offset) * particles.finest;
    set.outside = static_cast<float>(far);
    for (const Vec3i& b : blocks_near(particles, voxel, settings.support)) {
        set.blocks.emplace_back();
        set.blocks.back().origin = side * b;
    }
    fields.bounds.resize(set.blocks.size());
    for_each(set.blocks.size(), 8, [&](std::size_t b) {
        fill_block(particles, cells, voxel, static_cast<float>(far / voxel), settings,
                   set.blocks[b], fields.bounds[b]);
    });
    return fields;
}

}  // namespace knead
