#include "knead/cuda/emulated/race_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <vector>

#include "knead/cuda/emulated/report.h"

namespace knead::emulated {

namespace {

// Pieces that were given back, by size.
std::multimap<std::size_t, char*> free_pieces;

void* reserve(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail("no memory for the race checker");
    return memory;
}

}  // namespace

WatchedMemory& watched() {
    static WatchedMemory one;
    return one;
}

void WatchedMemory::begin() {
    begin_ = static_cast<char*>(reserve(most_bytes));
    cells_ = static_cast<Cell*>(reserve(most_bytes / 4 * sizeof(Cell)));
}

// With a stretch before each that nobody may touch.
void* WatchedMemory::take(std::size_t bytes, bool shared) {
    constexpr std::size_t step = 256;
    if (!begin_) begin();
    const std::size_t room = (bytes + step - 1) / step * step + step;
    char* memory = nullptr;
    if (const auto found = free_pieces.find(room); found != free_pieces.end()) {
        memory = found->second;
        free_pieces.erase(found);
    } else {
        if (used_ + room + step > most_bytes) fail("the race checker's memory is full");
        memory = begin_ + used_ + step;
        used_ += room;
    }
    for (std::size_t b = 0; b < bytes; b += 4) {
        Cell& c = cell(offset(memory + b) / 4);
        c = {};
        c.shared = shared;
    }
    limit(memory, bytes, bytes);
    return memory;
}

void WatchedMemory::give_back(void* memory, std::size_t bytes) {
    constexpr std::size_t step = 256;
    limit(memory, 0, bytes);
    free_pieces.emplace((bytes + step - 1) / step * step + step, static_cast<char*>(memory));
}

void WatchedMemory::limit(void* memory, std::size_t usable, std::size_t bytes) {
    for (std::size_t b = 0; b < bytes; b += 4) {
        const std::size_t live = usable > b ? std::min<std::size_t>(4, usable - b) : 0;
        cell((offset(memory) + b) / 4).live = static_cast<std::uint8_t>((1u << live) - 1);
    }
}

void WatchedMemory::set_written(const void* at, std::size_t bytes) {
    const std::size_t first = offset(at);
    for (std::size_t b = first; b < first + bytes; ++b)
        cell(b / 4).written |= static_cast<std::uint8_t>(1u << (b & 3));
}

}  // namespace knead::emulated
