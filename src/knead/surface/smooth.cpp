#include "knead/surface/smooth.h"

#include <algorithm>
#include <unordered_map>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr int side = LevelSetBlock::side;
constexpr int padded = side + 2;

// Indices of the six blocks that share a face: -x +x -y +y -z +z; -1 where there is none.
using Neighbours = std::array<std::ptrdiff_t, 6>;

std::uint64_t block_key(const Vec3i& origin) {
    const auto bits = [](int a) { return static_cast<std::uint64_t>(a / side + (1 << 20)); };
    return (bits(origin.x) << 42) ^ (bits(origin.y) << 21) ^ bits(origin.z);
}

std::vector<Neighbours> find_neighbours(const LevelSet& set) {
    std::unordered_map<std::uint64_t, std::ptrdiff_t> places;
    for (std::size_t b = 0; b < set.blocks.size(); ++b)
        places[block_key(set.blocks[b].origin)] = static_cast<std::ptrdiff_t>(b);
    std::vector<Neighbours> all(set.blocks.size());
    for (std::size_t b = 0; b < set.blocks.size(); ++b)
        for (int f = 0; f < 6; ++f) {
            Vec3i origin = set.blocks[b].origin;
            origin[f / 2] += f % 2 ? side : -side;
            const auto found = places.find(block_key(origin));
            all[b][static_cast<std::size_t>(f)] = found == places.end() ? -1 : found->second;
        }
    return all;
}

using Field = std::array<float, LevelSetBlock::count>;
using Padded = std::array<float, padded * padded * padded>;

constexpr std::size_t at(int i, int j, int k) {
    return static_cast<std::size_t>((i * padded + j) * padded + k);
}

// The block with one layer of its neighbours' voxels around it.
void load_padded(const std::vector<Field>& phi, std::size_t b, const Neighbours& near,
                 float outside, Padded& out) {
    const auto voxel = [](int i, int j, int k) {
        return static_cast<std::size_t>(LevelSetBlock::index(i, j, k));
    };
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j)
            for (int k = 0; k < side; ++k) out[at(i + 1, j + 1, k + 1)] = phi[b][voxel(i, j, k)];
    for (std::size_t f = 0; f < 6; ++f) {
        const Field* field = near[f] < 0 ? nullptr : &phi[static_cast<std::size_t>(near[f])];
        const std::size_t a = f / 2, u = (a + 1) % 3, w = (a + 2) % 3;
        int from[3], to[3];
        from[a] = f % 2 ? 0 : side - 1;
        to[a] = f % 2 ? padded - 1 : 0;
        for (from[u] = 0; from[u] < side; ++from[u])
            for (from[w] = 0; from[w] < side; ++from[w]) {
                to[u] = from[u] + 1;
                to[w] = from[w] + 1;
                out[at(to[0], to[1], to[2])] =
                    field ? (*field)[voxel(from[0], from[1], from[2])] : outside;
            }
    }
}

// next = phi + rate (mean of the six neighbours - phi)
void diffuse(const Padded& phi, float rate, Field& next) {
    for (int i = 1; i <= side; ++i)
        for (int j = 1; j <= side; ++j)
            for (int k = 1; k <= side; ++k) {
                const float sum = phi[at(i - 1, j, k)] + phi[at(i + 1, j, k)] +
                                  phi[at(i, j - 1, k)] + phi[at(i, j + 1, k)] +
                                  phi[at(i, j, k - 1)] + phi[at(i, j, k + 1)];
                const float here = phi[at(i, j, k)];
                next[static_cast<std::size_t>(LevelSetBlock::index(i - 1, j - 1, k - 1))] =
                    here + rate * (sum / 6 - here);
            }
}

// Steps of diffusion, forward ones and back ones in turn; bounds are kept after every back step.
void run_steps(LevelSet& set, int steps, float forward, float back,
               const std::vector<BlockBounds>* bounds) {
    const std::vector<Neighbours> near = find_neighbours(set);
    std::vector<Field> now(set.blocks.size()), next(set.blocks.size());
    for (std::size_t b = 0; b < now.size(); ++b) now[b] = set.blocks[b].phi;
    for (int step = 0; step < steps; ++step) {
        const bool is_back = step % 2;
        for_each(now.size(), 16, [&](std::size_t b) {
            Padded local;
            load_padded(now, b, near[b], set.outside, local);
            diffuse(local, is_back ? back : forward, next[b]);
            if (!is_back || !bounds) return;
            for (std::size_t v = 0; v < LevelSetBlock::count; ++v)
                next[b][v] = std::clamp(next[b][v], (*bounds)[b].outer[v], (*bounds)[b].inner[v]);
        });
        now.swap(next);
    }
    for (std::size_t b = 0; b < now.size(); ++b) set.blocks[b].phi = now[b];
}

}  // namespace

void smooth_within_bounds(SkinFields& fields, int passes) {
    // rates of a pass: frequencies below the balance point 1 / 0.63 - 1 / 0.67 stay
    run_steps(fields.level_set, 2 * passes, 0.63f, -0.67f, &fields.bounds);
}

void blur(LevelSet& set, int steps) { run_steps(set, steps, 0.63f, 0.63f, nullptr); }

}  // namespace knead
