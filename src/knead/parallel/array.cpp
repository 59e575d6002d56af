#include "knead/parallel/array.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace knead {

namespace {

constexpr std::size_t large_page = std::size_t(1) << 21;

std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t(bytes >= 2 * large_page ? large_page : 64);
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
    const std::align_val_t alignment = alignment_of(bytes);
    void* p = ::operator new(bytes, alignment);
#if defined(__linux__)
    if (alignment == std::align_val_t(large_page)) madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

void free_aligned(void* p, std::size_t bytes) { ::operator delete(p, alignment_of(bytes)); }

}  // namespace knead
