// Array: contiguous host memory, aligned for SIMD and padded so that a pack may read past the end.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace knead {

template <class T>
struct AlignedAllocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T) + 64, alignment));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
    friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <class T>
using Array = std::vector<T, AlignedAllocator<T>>;

}  // namespace knead
