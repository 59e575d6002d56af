#include "knead/mpm/cuda/block_table.h"

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"

namespace knead {

namespace {

__global__ void list_blocks(BlockTableView table, Vec3i* list) {
    const int n = thread_index();
    if (n < table.box.size() && table.there[n]) list[table.index[n]] = table.box.block(n);
}

}  // namespace

void BlockTable::check(const BlockBox& box) {
    constexpr long long most_blocks = 1LL << 27;  // tables over them take a GiB then
    if (box.size() >= most_blocks)
        throw RunError("particles are spread over a box of " + std::to_string(box.size()) +
                       " blocks, and the GPU's grid takes less than " +
                       std::to_string(most_blocks) +
                       ": run with --backend cpu, or keep particles from flying off");
}

int* BlockTable::clear(const BlockBox& box, cudaStream_t stream) {
    check(box);
    box_ = box;
    const auto n = static_cast<std::size_t>(box.size()) + 1;
    index_.need(n);
    check_cuda(cudaMemsetAsync(there_.need(n), 0, n * sizeof(int), stream), "sorting");
    return there_.data();
}

void BlockTable::number(DeviceAlgorithms& algorithms, cudaStream_t stream) {
    const int n = static_cast<int>(box_.size()) + 1;
    algorithms.exclusive_sum(there_.data(), index_.data(), n, stream);
}

void BlockTable::list(Vec3i* blocks, cudaStream_t stream) const {
    launch<list_blocks>({blocks_for(box_.size()), 256}, stream, view(), blocks);
    check_cuda(cudaGetLastError(), "sorting");
}

void BlockTable::swap(BlockTable& other) noexcept {
    std::swap(box_, other.box_);
    there_.swap(other.there_), index_.swap(other.index_);
}

}  // namespace knead
