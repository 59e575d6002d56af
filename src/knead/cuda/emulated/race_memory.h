// What the race checker remembers of every four bytes of watched memory. Watched memory lies in one
// stretch of addresses, and what is remembered in another, found by the same number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace knead::emulated {

// Who touched a cell, and when, by the thread's own clock.
struct Access {
    std::uint32_t launch = 0, block = 0, clock = 0, line = 0;
    std::uint16_t epoch = 0, thread = 0;
    std::uint8_t bytes = 0;  // as a mask; 0: nobody
    bool atomic = false;
};
struct Cell {
    Access write, read, read_before;
    std::uint8_t live = 0, written = 0;  // bytes, as masks
    bool shared = false;
    std::uint32_t launch = 0, block = 0;  // for which `written` holds, where it is shared
};

class WatchedMemory {
public:
    static constexpr std::size_t most_bytes = std::size_t{8} << 30;

    void* take(std::size_t bytes, bool shared);
    void give_back(void* memory, std::size_t bytes);
    void limit(void* memory, std::size_t usable, std::size_t bytes);
    void set_written(const void* at, std::size_t bytes);

    bool holds(const void* at) const { return begin_ && at >= begin_ && at < begin_ + most_bytes; }
    std::size_t offset(const void* at) const {
        return static_cast<std::size_t>(static_cast<const char*>(at) - begin_);
    }
    Cell& cell(std::size_t number) { return cells_[number]; }

private:
    void begin();

    char* begin_ = nullptr;
    std::size_t used_ = 0;
    Cell* cells_ = nullptr;
};
WatchedMemory& watched();

}  // namespace knead::emulated
