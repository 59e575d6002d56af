// The emulated device's memory, and the host's that is pinned. Allocations are exact and filled
// with ones, so that what was never written stands out.
#pragma once

#include <cstddef>

namespace knead::emulated {

// Whether all of this is one allocation of the device's memory; ends the program otherwise.
void check_device_range(const void* at, std::size_t bytes, const char* what);
bool is_pinned(const void* at);

// Shared memory of a launch; filled anew for every CUDA block.
class SharedMemory {
public:
    void begin_launch(std::size_t dynamic_bytes);
    void begin_block();
    void* piece(const void* key, std::size_t bytes);
    void* dynamic();
};
SharedMemory& shared();

}  // namespace knead::emulated
