// A phase's table in the GPU's memory, plane by plane. Columns are of three kinds:
//   lasting    what a step needs of the step before: moved when particles are sorted
//   passing    what only the last step of a batch writes (velocity and affine motion of APIC,
//              stress): read once, by the scatter that begins the next batch, from where it stands
//   resting    what no step looks at (id, parent, body): stays on the host
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "knead/cuda/device_algorithms.h"
#include "knead/cuda/device_array.h"
#include "knead/cuda/pinned_copies.h"
#include "knead/mpm/cuda/particle_view.h"
#include "knead/mpm/settings.h"
#include "knead/particles/phase.h"

namespace knead {

class DevicePhase {
public:
    // A row that began on the GPU: what the host's table must learn of it.
    struct NewRow {
        std::int64_t id;
        unsigned donor;  // its place in the host's table, or among the rows that began here
    };

    // Copies a table to the GPU; rows keep their order.
    void upload(const Particles<float>& p, int phase, Transfer transfer, PinnedCopies& copies,
                cudaStream_t stream);
    // And back, with the rows and in the order that the GPU left. The host's table is the one last
    // uploaded or downloaded.
    void download(Particles<float>& p, PinnedCopies& copies, cudaStream_t stream);

    // Remembers the table as it is now, in the GPU's memory.
    void take_snapshot(cudaStream_t stream);
    // And brings that back while steps go on; `table` is the host's.
    void read_snapshot(const Particles<float>& table, Particles<float>& p, PinnedCopies& copies,
                       cudaStream_t stream) const;
    // Row i becomes what row order[i] was; passing columns stay, and are found through `order`
    // until they have been read.
    void reorder(const unsigned* order, cudaStream_t stream);
    void passing_was_read() { view_.order = nullptr; }
    std::int64_t id_of(unsigned row, cudaStream_t stream) const;

    // Between batches, when every column stands in the order of rows:
    // Adds a row at the end for every id, a copy of the row donors[i].
    void append(const int* donors, std::span<const std::int64_t> ids, cudaStream_t stream);
    // Row i becomes what row order[i] was; of all rows only `count` are left.
    void keep(const int* order, int count, cudaStream_t stream);
    // Ids by place in the host's table, and the places of rows there.
    const std::int64_t* ids() const { return ids_.data(); }
    const unsigned* rows(cudaStream_t stream);
    // How many particles of the phase have a lower id than each row's.
    const unsigned* ranks() const { return ranks_.data(); }

    int size() const { return size_; }
    const ParticleView& view() const { return view_; }
    std::size_t bytes() const;

private:
    struct Plane {
        DeviceArray<char> now, spare;
        int width = 0;  // bytes of one value, 4 or 8
        bool lasting = false;
        void** slot = nullptr;  // where the view keeps it
    };
    // A table on the GPU, and how its rows follow from those of the host's.
    struct Image {
        std::vector<const char*> planes;
        const unsigned* rows = nullptr;  // null: as in the host's table
        std::size_t size = 0, host_size = 0;
        const std::vector<NewRow>* new_rows = nullptr;
    };
    struct Snapshot {
        std::vector<DeviceArray<char>> planes;
        DeviceArray<unsigned> rows;
        bool rows_are_moved = false;
        std::size_t size = 0, host_size = 0;
        std::vector<NewRow> new_rows;
    };
    static bool rests(const Particles<float>& table, const void* column);
    void bring_back(const Image& image, Particles<float>& p, PinnedCopies& copies,
                    cudaStream_t stream) const;
    void point_view();
    void learn_new_rows(const int* donors, std::span<const std::int64_t> ids, cudaStream_t stream);
    void rank_rows(const Particles<float>& p, PinnedCopies& copies, cudaStream_t stream);
    void close_ranks(int count, cudaStream_t stream);

    std::vector<Plane> planes_;
    DeviceArray<unsigned> rows_, spare_rows_;  // of the host's table
    DeviceArray<unsigned> ranks_, spare_ranks_;
    DeviceArray<int> left_;  // by rank: whether it is left, then its new rank
    std::unique_ptr<DeviceAlgorithms> algorithms_ = std::make_unique<DeviceAlgorithms>();
    bool rows_are_moved_ = false;
    DeviceArray<std::int64_t> ids_;  // of the host's table, and of the new rows
    std::size_t host_size_ = 0;
    std::vector<NewRow> new_rows_;
    DeviceArray<char> moved_;  // room for a passing plane
    Snapshot snapshot_;
    ParticleView view_{};
    int size_ = 0;
};

}  // namespace knead
