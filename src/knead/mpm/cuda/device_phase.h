// A phase's table in the GPU's memory: every present column of the host's list, plane by plane,
// twice, so that sorting can move all of them at once.
#pragma once

#include <vector>

#include "knead/mpm/cuda/particle_view.h"
#include "knead/parallel/device_array.h"
#include "knead/particles/phase.h"

namespace knead {

class DevicePhase {
public:
    // Copies a table to the GPU; rows keep their order.
    void upload(const Particles<float>& p, cudaStream_t stream);
    // And back, in the order the GPU left them in. The host's table has the same columns.
    void download(Particles<float>& p, cudaStream_t stream) const;
    // Row i becomes what row order[i] was.
    void reorder(const unsigned* order, cudaStream_t stream);

    int size() const { return size_; }
    const ParticleView& view() const { return view_; }
    std::size_t bytes() const;

private:
    struct Plane {
        DeviceArray<char> now, spare;
        int width = 0;          // bytes of one value, 4 or 8
        void** slot = nullptr;  // where the view keeps it, if it does
    };
    void point_view();

    std::vector<Plane> planes_;
    ParticleView view_{};
    int size_ = 0;
};

}  // namespace knead
