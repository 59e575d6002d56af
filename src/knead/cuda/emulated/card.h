// Which card the emulated device pretends to be. The environment says so:
//   KNEAD_EMULATED_CAPABILITY   compute capability, 9.0 where nothing is said; 0: there is no card
//   KNEAD_EMULATED_MEMORY_MIB   its memory, 4096 where nothing is said
//   KNEAD_EMULATED_DRIVER       the CUDA version that its driver knows
#pragma once

#include <cstddef>

namespace knead::emulated {

struct Card {
    int capability = 90;  // ten times major, plus minor
    std::size_t memory_bytes = 0;
    std::size_t shared_bytes = 0;  // that a CUDA block may ask for
    int driver = 0;                // as CUDA numbers versions: 13000 is 13.0
    bool overlaps_launches() const { return capability >= 90; }
};

inline constexpr int runtime_version = 13000;

// As the environment last said; read again at every launch and at every question about the device.
const Card& card();
const Card& read_card();

}  // namespace knead::emulated
