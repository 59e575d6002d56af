// Colliders in the GPU's memory: their programs once, their poses for every step of a batch.
#pragma once

#include <vector>

#include "knead/cuda/device_array.h"
#include "knead/geometry/collider.h"
#include "knead/mpm/cuda/collider_view.h"

namespace knead {

class DeviceColliders {
public:
    explicit DeviceColliders(const std::vector<Collider>& colliders);
    ~DeviceColliders();
    DeviceColliders(const DeviceColliders&) = delete;
    DeviceColliders& operator=(const DeviceColliders&) = delete;

    // Colliders at each of these times; size() of them a time, until the next call.
    const ColliderView* freeze(const std::vector<double>& times, cudaStream_t stream);
    // How far each may move over [from, to] [m].
    const double* reach(double from, double to, cudaStream_t stream);
    int size() const { return static_cast<int>(views_.size()); }

private:
    template <class T>
    const T* keep(const std::vector<T>& values);

    const std::vector<Collider>& colliders_;
    std::vector<ColliderView> views_;
    std::vector<DeviceArray<char>> memory_;
    DeviceArray<ColliderView> frozen_;
    DeviceArray<double> reach_;
    std::vector<double> reach_now_;
    ColliderView* staging_ = nullptr;  // pinned
    std::size_t staged_ = 0;
};

}  // namespace knead
