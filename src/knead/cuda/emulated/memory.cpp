#include "knead/cuda/emulated/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "knead/cuda/emulated/kernel.h"
#include "knead/cuda/emulated/report.h"
#include "knead/cuda/emulated/streams.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace knead::emulated {

namespace {

constexpr int fresh = 0xff;
constexpr std::align_val_t alignment{256};

enum class Kind { device, pinned };
struct Allocation {
    std::size_t bytes;   // there are
    std::size_t usable;  // may be touched
    Kind kind;
    std::uint64_t limits = 0;  // how often `usable` was changed
};
std::map<std::uintptr_t, Allocation> allocations;
std::size_t used_bytes = 0;  // of the device's memory
std::uint64_t last_limit = 0;

std::uintptr_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

void* take_plain(std::size_t bytes) {
    return ::operator new(std::max<std::size_t>(bytes, 1), alignment);
}
void give_back_plain(void* memory) { ::operator delete(memory, alignment); }

#ifdef KNEAD_RACE_CHECK
void* take(std::size_t bytes, bool is_shared) { return take_watched(bytes, is_shared); }
void give_back(void* memory, std::size_t bytes) { give_back_watched(memory, bytes); }
void limit(void* memory, std::size_t usable, std::size_t bytes) {
    limit_watched(memory, usable, bytes);
}
#else
void* take(std::size_t bytes, bool) { return take_plain(bytes); }
void give_back(void* memory, std::size_t) { give_back_plain(memory); }
#ifdef __SANITIZE_ADDRESS__
void limit(void* memory, std::size_t usable, std::size_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(memory, usable);
    ASAN_POISON_MEMORY_REGION(static_cast<char*>(memory) + usable, bytes - usable);
}
#else
void limit(void*, std::size_t, std::size_t) {}
#endif
#endif

std::map<std::uintptr_t, Allocation>::iterator holding(const void* at) {
    auto found = allocations.upper_bound(address(at));
    if (found == allocations.begin()) return allocations.end();
    --found;
    return address(at) < found->first + std::max<std::size_t>(found->second.bytes, 1)
               ? found
               : allocations.end();
}

cudaError_t allocate(void** to, std::size_t bytes, Kind kind) {
    const Lock lock(device_lock());
    if (kind == Kind::device) {
        if (used_bytes + bytes > read_card().memory_bytes)
            return set_error(cudaErrorMemoryAllocation);
        used_bytes += bytes;
    }
    *to = kind == Kind::device ? take(bytes, false) : take_plain(bytes);
    std::memset(*to, fresh, bytes);
    allocations[address(*to)] = {bytes, bytes, kind};
    return cudaSuccess;
}

cudaError_t release(void* memory, Kind kind) {
    if (!memory) return cudaSuccess;
    const Lock lock(device_lock());
    finish_all();
    const auto found = allocations.find(address(memory));
    if (found == allocations.end() || found->second.kind != kind)
        fail("memory is given back that was not allocated");
    const std::size_t bytes = found->second.bytes;
    if (kind == Kind::device) {
        limit(memory, bytes, bytes);
        give_back(memory, bytes);
        used_bytes -= bytes;
    } else {
        give_back_plain(memory);
    }
    allocations.erase(found);
    return cudaSuccess;
}

// Shared memory of all kernels so far, used again by every launch.
struct Pieces {
    std::map<std::pair<const void*, std::size_t>, void*> all;
    std::vector<std::pair<void*, std::size_t>> of_launch;
    void* dynamic = nullptr;
#ifndef KNEAD_RACE_CHECK  // watched memory is never given back to the system
    ~Pieces() {
        for (const auto& [key, memory] : all) give_back_plain(memory);
    }
#endif
};
Pieces pieces;

}  // namespace

void check_device_range(const void* at, std::size_t bytes, const char* what) {
    if (bytes == 0) return;
    const auto found = holding(at);
    if (found == allocations.end() || found->second.kind != Kind::device)
        fail(std::string(what) + " is not in the device's memory");
    if (address(at) + bytes > found->first + found->second.usable)
        fail(std::string(what) + " goes beyond what was allocated");
}

bool is_pinned(const void* at) {
    const auto found = holding(at);
    return found != allocations.end() && found->second.kind == Kind::pinned;
}

void limit_allocation(void* memory, std::size_t bytes) {
    if (!memory) return;
    const Lock lock(device_lock());
    const auto found = allocations.find(address(memory));
    if (found == allocations.end()) fail("memory that was not allocated");
    const auto apply = [memory, bytes](Allocation& a) {
        a.usable = bytes;
        limit(memory, bytes, a.bytes);
    };
    const std::uint64_t turn = ++last_limit;
    found->second.limits = turn;
    if (bytes >= found->second.usable) return apply(found->second);
    // Work that waits in a stream may still use all of it.
    after_queued_work([=] {
        const auto now = allocations.find(address(memory));
        if (now != allocations.end() && now->second.limits == turn) apply(now->second);
    });
}

SharedMemory& shared() {
    static SharedMemory one;
    return one;
}

void SharedMemory::begin_launch(std::size_t dynamic_bytes) {
    pieces.of_launch.clear();
    pieces.dynamic = dynamic_bytes > 0 ? piece(nullptr, dynamic_bytes) : nullptr;
}
void SharedMemory::begin_block() {
    for (const auto& [memory, bytes] : pieces.of_launch) std::memset(memory, fresh, bytes);
}
void* SharedMemory::piece(const void* key, std::size_t bytes) {
    void*& memory = pieces.all[{key, bytes}];
    if (!memory) memory = take(bytes, true);
    for (const auto& [known, size] : pieces.of_launch)
        if (known == memory) return memory;
    std::memset(memory, fresh, bytes);
    pieces.of_launch.emplace_back(memory, bytes);
    return memory;
}
void* SharedMemory::dynamic() {
    if (!pieces.dynamic) fail("a kernel without dynamic shared memory asks for it");
    return pieces.dynamic;
}

void* shared_memory(const void* key, std::size_t bytes) { return shared().piece(key, bytes); }
void* dynamic_shared_memory() { return shared().dynamic(); }

}  // namespace knead::emulated

using namespace knead::emulated;

cudaError_t cudaMalloc(void** to, std::size_t bytes) { return allocate(to, bytes, Kind::device); }
cudaError_t cudaFree(void* memory) { return release(memory, Kind::device); }
cudaError_t cudaMallocHost(void** to, std::size_t bytes) {
    return allocate(to, bytes, Kind::pinned);
}
cudaError_t cudaFreeHost(void* memory) { return release(memory, Kind::pinned); }
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    const Lock lock(device_lock());
    *total = read_card().memory_bytes;
    *free = *total - std::min(*total, used_bytes);
    return cudaSuccess;
}

// From pageable memory the host's bytes are taken at once, from pinned memory when the stream comes
// to it; what goes to pageable memory is waited for. As CUDA documents it.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const Lock lock(device_lock());
    if (kind != cudaMemcpyHostToDevice) check_device_range(from, bytes, "what a copy reads");
    if (kind != cudaMemcpyDeviceToHost) check_device_range(to, bytes, "what a copy writes");
    if (kind == cudaMemcpyHostToDevice && !is_pinned(from)) {
        const auto* bytes_of = static_cast<const char*>(from);
        enqueue(stream, [=, kept = std::vector<char>(bytes_of, bytes_of + bytes)] {
            if (bytes > 0) std::memcpy(to, kept.data(), bytes);
            note_written(to, bytes);
        });
        return cudaSuccess;
    }
    enqueue(stream, [=] {
        if (bytes > 0) std::memcpy(to, from, bytes);
        if (kind != cudaMemcpyDeviceToHost) note_written(to, bytes);
    });
    if (kind == cudaMemcpyDeviceToHost && !is_pinned(to)) finish(stream);
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    const Lock lock(device_lock());
    finish_all();
    cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    finish(nullptr);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    const Lock lock(device_lock());
    check_device_range(to, bytes, "what is set");
    enqueue(stream, [=] {
        if (bytes > 0) std::memset(to, value, bytes);
        note_written(to, bytes);
    });
    return cudaSuccess;
}
