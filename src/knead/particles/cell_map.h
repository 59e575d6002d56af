// CellMap: numbers for the cells of a sparse grid, by hashing their integer coordinates. Numbers
// run from 0 in the order of insertion.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/math/vec.h"

namespace knead {

class CellMap {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    CellMap() : slots_(16) {}

    // The cell's number, or none.
    std::uint32_t find(const Vec3i& cell) const {
        for (std::size_t s = start(cell);; s = next(s))
            if (slots_[s].number == none || slots_[s].cell == cell) return slots_[s].number;
    }
    // The cell's number; a new cell gets the next one.
    std::uint32_t insert(const Vec3i& cell) {
        if (2 * (cells_.size() + 1) > slots_.size()) grow();
        std::size_t s = start(cell);
        while (slots_[s].number != none && slots_[s].cell != cell) s = next(s);
        if (slots_[s].number == none) {
            slots_[s] = {cell, static_cast<std::uint32_t>(cells_.size())};
            cells_.push_back(cell);
        }
        return slots_[s].number;
    }
    std::size_t size() const { return cells_.size(); }
    const Vec3i& cell(std::size_t number) const { return cells_[number]; }

private:
    struct Slot {
        Vec3i cell{0, 0, 0};
        std::uint32_t number = none;
    };
    std::size_t start(const Vec3i& c) const {
        const auto wide = [](int a) { return static_cast<std::uint64_t>(a); };
        const std::uint64_t key = wide(c.x) * 0x9e3779b97f4a7c15ull ^
                                  wide(c.y) * 0xc2b2ae3d27d4eb4full ^
                                  wide(c.z) * 0x165667b19e3779f9ull;
        return (key ^ (key >> 29) ^ (key >> 47)) & (slots_.size() - 1);
    }
    std::size_t next(std::size_t s) const { return (s + 1) & (slots_.size() - 1); }
    void grow() {
        slots_.assign(2 * slots_.size(), Slot{});
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            std::size_t s = start(cells_[i]);
            while (slots_[s].number != none) s = next(s);
            slots_[s] = {cells_[i], static_cast<std::uint32_t>(i)};
        }
    }

    std::vector<Slot> slots_;  // a power of two
    std::vector<Vec3i> cells_;
};

}  // namespace knead
