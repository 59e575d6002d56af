// Which blocks of a box there are, in the GPU's memory.
#pragma once

#include "knead/cuda/device_algorithms.h"
#include "knead/mpm/cuda/block_box.h"

namespace knead {

class BlockTable {
public:
    // Throws RunError where a box has more blocks than a table can number.
    static void check(const BlockBox& box);
    // Begins anew, with none: the marks to set, 1 where a block is there.
    int* clear(const BlockBox& box, cudaStream_t stream);
    // All are marked: numbers them.
    void number(DeviceAlgorithms& algorithms, cudaStream_t stream);
    // How many there are then, in the GPU's memory.
    const int* count() const { return index_.data() + box_.size(); }
    // Their coordinates, in order.
    void list(Vec3i* blocks, cudaStream_t stream) const;

    BlockTableView view() const { return {box_, there_.data(), index_.data()}; }
    void swap(BlockTable& other) noexcept;
    std::size_t bytes() const { return there_.bytes() + index_.bytes(); }

private:
    BlockBox box_;
    DeviceArray<int> there_, index_;
};

}  // namespace knead
