// Counter-based random numbers: a pure function of (seed, a, b, c), so that draws keyed by particle
// id and step come out the same for any thread count and after any resume.
#pragma once

#include <cstdint>

#include "knead/base/portable.h"

namespace knead {

// SplitMix64's finaliser: a bijection on 64 bits with full avalanche.
CPU_GPU constexpr std::uint64_t mix_bits(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

CPU_GPU constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t a,
                                            std::uint64_t b = 0, std::uint64_t c = 0) {
    return mix_bits(mix_bits(mix_bits(mix_bits(seed) ^ a) ^ b) ^ c);
}

// Uniform in [0, 1), on the 2^-53 lattice.
CPU_GPU constexpr double random_unit(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0,
                                     std::uint64_t c = 0) {
    return static_cast<double>(random_bits(seed, a, b, c) >> 11) * 0x1.0p-53;
}

}  // namespace knead
