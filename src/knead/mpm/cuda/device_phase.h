// A phase's table in the GPU's memory, plane by plane. Columns are of three kinds:
//   lasting    what a step needs of the step before: moved when particles are sorted
//   passing    what only the last step of a batch writes (velocity and affine motion of APIC,
//              stress): read once, by the scatter that begins the next batch, from where it stands
//   resting    what no step looks at (id, parent, body): stays on the host
#pragma once

#include <vector>

#include "knead/mpm/cuda/particle_view.h"
#include "knead/mpm/settings.h"
#include "knead/parallel/device_array.h"
#include "knead/parallel/pinned_copies.h"
#include "knead/particles/phase.h"

namespace knead {

class DevicePhase {
public:
    // Copies a table to the GPU; rows keep their order.
    void upload(const Particles<float>& p, int phase, Transfer transfer, PinnedCopies& copies,
                cudaStream_t stream);
    // And back, in the order the GPU left them in. The host's table is the one last uploaded or
    // downloaded.
    void download(Particles<float>& p, PinnedCopies& copies, cudaStream_t stream);
    // Row i becomes what row order[i] was; passing columns stay, and are found through `order`
    // until they have been read.
    void reorder(const unsigned* order, cudaStream_t stream);
    void passing_was_read() { view_.order = nullptr; }
    // Where a row stands in the host's table.
    unsigned host_row(unsigned row, cudaStream_t stream) const;

    int size() const { return size_; }
    const ParticleView& view() const { return view_; }
    std::size_t bytes() const;

private:
    enum class Kind { lasting, passing, resting };
    struct Plane {
        DeviceArray<char> now, spare;
        int width = 0;  // bytes of one value, 4 or 8
        bool lasting = false;
        void** slot = nullptr;  // where the view keeps it
    };
    static Kind kind_of(const char* name, Transfer transfer);
    void point_view();

    std::vector<Plane> planes_;
    DeviceArray<unsigned> rows_, spare_rows_;  // of the host's table
    bool rows_are_moved_ = false;
    ParticleView view_{};
    Transfer transfer_ = Transfer::apic;
    int size_ = 0;
};

}  // namespace knead
