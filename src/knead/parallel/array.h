// Array: contiguous host memory, aligned for SIMD and padded so that a pack may read past the end.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace knead {

// Memory aligned for SIMD. Much of it comes in large pages where the system has them: the grid's
// tiles and the columns of particles are visited in small pieces that lie on many pages.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* p, std::size_t bytes);

template <class T>
struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T) + 64)); }
    void deallocate(T* p, std::size_t n) { free_aligned(p, n * sizeof(T) + 64); }
    friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <class T>
using Array = std::vector<T, AlignedAllocator<T>>;

}  // namespace knead
